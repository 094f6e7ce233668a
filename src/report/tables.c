/* The tables of a report (see tables.h). */
#include "report/tables.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "probe/figures.h"
#include "report/kept_grid.h"
#include "report/read_json.h"

#define HEADS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- tables of functions ---- */

static void put_rate(sw_table *t, int column, const sw_summary *s) {
  sw_table_put(t, column, "%.1f %% [%.1f, %.1f]", 100 * s->solve_rate,
               100 * s->ci_low, 100 * s->ci_high);
}

static void make_summary(const sw_report_data *d, sw_table_list *list) {
  sw_table *t = sw_table_add(
      list, "summary",
      "Solved in the open loop, with 95 % intervals, and agreement on the same "
      "state",
      HEADS("model", "solved with its history", "solved without it",
            "same state, same choice", "identical bits", "training time"));
  for (int i = 0; i < d->summary.rows; i++) {
    const sw_summary_row *r = &d->summary.row[i];
    sw_table_row(t);
    sw_table_put(t, 0, "%s", r->model);
    put_rate(t, 1, &r->with);
    put_rate(t, 2, &r->without);
    int has = r->has_model && !isnan(r->agreement);
    sw_table_percent(t, 3, has ? r->agreement : NAN, 2);
    sw_table_percent(t, 4, has ? r->exact_equal : NAN, 2);
    if (r->has_model && !isnan(r->train_seconds))
      sw_table_put(t, 5, "%.0f s", r->train_seconds);
    else sw_table_put(t, 5, "-");
  }
}

static void put_share(sw_table *t, int column, int64_t part, int64_t whole) {
  if (!whole) sw_table_put(t, column, "-");
  else
    sw_table_put(t, column, "%.1f %% (%" PRId64 " of %" PRId64 ")",
                 100 * (double)part / (double)whole, part, whole);
}

static void make_endings(const sw_report_data *d, sw_table_list *list) {
  sw_table *t = sw_table_add(
      list, "endings", "Errors per queried state of their kind",
      HEADS("policy", "protocol", "loop", "instances", "solved", "false prunes",
            "missed conflicts", "repeated failures", "decisions"));
  t->texts = 3;
  for (int i = 0; i < d->conditions; i++) {
    const sw_report_condition *c = &d->condition[i];
    const sw_summary *s = &c->summary;
    sw_table_row(t);
    sw_table_put(t, 0, "%s", c->policy);
    sw_table_put(t, 1, "%s", c->protocol);
    sw_table_put(t, 2, "%s", c->loop);
    sw_table_put(t, 3, "%" PRId64, s->n);
    sw_table_percent(t, 4, s->solve_rate, 1);
    put_share(t, 5, s->false_prunes, s->viable_queries);
    put_share(t, 6, s->missed_conflicts, s->conflict_queries);
    put_share(t, 7, s->repeats, s->retry_queries);
    sw_table_number(t, 8, s->mean_decisions, 1);
  }
}

static void make_training(const sw_report_data *d, sw_table_list *list) {
  sw_table *t = sw_table_add(
      list, "training", "Models and training",
      HEADS("model", "mask", "positions", "parameters", "steps", "tokens",
            "training loss", "validation loss", "training time"));
  t->texts = 3;
  for (int i = 0; i < d->models; i++) {
    const sw_report_model *m = &d->model[i];
    sw_table_row(t);
    sw_table_put(t, 0, "%s", m->label);
    sw_table_put(t, 1, "%s", m->mask_name);
    sw_table_put(t, 2, "%s", m->positions);
    sw_table_put(t, 3, "%" PRId64, m->parameters);
    sw_table_put(t, 4, "%" PRId64, m->steps);
    sw_table_put(t, 5, "%" PRId64, m->tokens);
    sw_table_number(t, 6, m->train_loss, 4);
    sw_table_number(t, 7, m->valid_loss, 4);
    if (isnan(m->train_seconds)) sw_table_put(t, 8, "-");
    else sw_table_put(t, 8, "%.0f s", m->train_seconds);
  }
}

/* Models down, questions across; experiments.csv has every value. */
static void make_experiments(const sw_report_data *d, sw_table_list *list) {
  for (int i = -1; (i = sw_report_next_document(d, "experiment", i)) >= 0;) {
    const json_t *root = d->document[i].root;
    int from = list->count;
    sw_kept_grid(root, list);
    for (int t = from; t < list->count; t++)
      list->table[t].caption = sw_member_text(root, "title", "An experiment");
    if (list->count > from) {
      list->table[list->count - 1].note = sw_member_text(root, "words", NULL);
      from = list->count;
    }
    sw_experiment_derived(root, list);
    for (int t = from; t < list->count; t++) sw_table_squeeze(&list->table[t]);
  }
}

/* ---- tables of measures ---- */

/* A column, and where its number stands in the JSON of a model or view. */
typedef struct column {
  const sw_figure *figure;
  char path[96], interval[96];
} column;
typedef struct columns {
  column at[SW_TABLE_COLUMNS];
  int count;
} columns;

/* Those that are shown, also inside groups, in order of their places. */
static void collect(columns *all, const sw_figure *f, const char *before) {
  for (; f->name; f++) {
    char path[96];
    snprintf(path, sizeof path, "%s%s", before, f->name);
    if (f->kind == SW_FIGURE_GROUP) {
      char inside[96];
      snprintf(inside, sizeof inside, "%.94s.", path);
      collect(all, f->part, inside);
      continue;
    }
    if (!f->shown || f->kind == SW_FIGURE_VIEW ||
        all->count == SW_TABLE_COLUMNS)
      continue;
    int at = all->count++;
    for (; at && all->at[at - 1].figure->shown > f->shown; at--)
      all->at[at] = all->at[at - 1];
    column *c = &all->at[at];
    c->figure = f;
    snprintf(c->path, sizeof c->path, "%s", path);
    snprintf(c->interval, sizeof c->interval, "%s%s", before,
             f->interval ? f->interval : "");
  }
}

/* The next view by place, behind `after`; NULL: no more. */
static const sw_figure *next_view(const sw_figure *f, int after) {
  const sw_figure *found = NULL;
  for (; f->name; f++)
    if (f->kind == SW_FIGURE_VIEW && f->shown > after &&
        (!found || f->shown < found->shown))
      found = f;
  return found;
}

static void put_number(sw_table *t, int at, sw_figure_kind kind, double value,
                       double low, double high) {
  int share = kind == SW_FIGURE_SHARE || kind == SW_FIGURE_RATE;
  if (isnan(value)) sw_table_put(t, at, "-");
  else if (kind == SW_FIGURE_COUNT) sw_table_put(t, at, "%.0f", value);
  else if (share && !isnan(low) && !isnan(high))
    sw_table_put(t, at, "%.2f %% [%.1f, %.1f]", 100 * value, 100 * low,
                 100 * high);
  else if (share) sw_table_percent(t, at, value, 2);
  else if (!isnan(low) && !isnan(high))
    sw_table_put(t, at, "%.3g [%.2g, %.2g]", value, low, high);
  else if (kind == SW_FIGURE_SCORE) sw_table_number(t, at, value, 4);
  else sw_table_put(t, at, "%.3g", value);
}

static void put_member(sw_table *t, int at, const json_t *row,
                       const column *c) {
  double low = NAN, high = NAN;
  if (c->figure->kind == SW_FIGURE_TEXT) {
    sw_table_put(t, at, "%s", sw_member_text(row, c->path, "-"));
    return;
  }
  if (c->figure->interval) {
    const json_t *pair = sw_member(row, c->interval);
    low = sw_member_real(pair, "0", NAN);
    high = sw_member_real(pair, "1", NAN);
  }
  put_number(t, at, c->figure->kind, sw_member_real(row, c->path, NAN), low,
             high);
}

/* The word that tells the verdict in the data that an answer is about; NULL:
 * none does. Every table of such data says so. */
static const char *telling_word(const sw_report_data *d, int answer) {
  return sw_member_text(d->document[d->answer[answer].document].root,
                        "verdict_shown", NULL);
}

static int is_told(const sw_report_data *d, const char *kind) {
  for (int i = -1; (i = sw_report_next(d, kind, i)) >= 0;)
    if (telling_word(d, i)) return 1;
  return 0;
}

/* What a table of a measure is made of. */
typedef struct measured {
  sw_measured of;
  columns column;
  int views; /* 1: a row for each view that is there */
  int told;  /* 1: a column says which word tells the verdict */
} measured;

static void put_answer(sw_table *t, const measured *m, const char *label,
                       const sw_figure *view, const json_t *row,
                       const char *word) {
  int at = 0;
  sw_table_row(t);
  sw_table_put(t, at++, "%s", label);
  if (view) sw_table_put(t, at++, "%s", view->heading);
  for (int c = 0; c < m->column.count; c++)
    put_member(t, at++, row, &m->column.at[c]);
  if (m->told) sw_table_put(t, at, "%s", word ? word : "-");
}

static void put_model(sw_table *t, const measured *m, const sw_report_data *d,
                      int answer) {
  const sw_report_answer *a = &d->answer[answer];
  const char *word = telling_word(d, answer);
  if (!m->views) put_answer(t, m, a->label, NULL, a->row, word);
  for (const sw_figure *v = NULL;
       m->views && (v = next_view(m->of.figures, v ? v->shown : 0));) {
    const json_t *row = json_object_get(a->row, v->name);
    if (json_is_object(row)) put_answer(t, m, a->label, v, row, word);
  }
}

static void make_measured(const sw_measured *of, const sw_report_data *d,
                          sw_table_list *list) {
  measured m = {.of = *of, .told = is_told(d, of->name)};
  const char *heads[SW_TABLE_COLUMNS + 4] = {"model"};
  int count = 1;
  if (!of->caption) return; /* it has a page of its own */
  const sw_figure *view = next_view(m.of.figures, 0);
  m.views = view != NULL;
  collect(&m.column, view ? view->part : m.of.figures, "");
  if (view) heads[count++] = "shown";
  for (int c = 0; c < m.column.count; c++)
    heads[count++] = m.column.at[c].figure->heading;
  if (m.told) heads[count] = "verdict shown by";
  sw_table *t = sw_table_add(list, of->name, of->caption, heads);
  t->note = of->note;
  t->texts = view ? 2 : 1;
  for (int i = -1; (i = sw_report_next(d, of->name, i)) >= 0;)
    put_model(t, &m, d, i);
  sw_table_squeeze(t);
}

static void make_measures(const sw_report_data *d, sw_table_list *list) {
  sw_measured of;
  for (int i = 0; sw_measured_at(i, &of); i++) make_measured(&of, d, list);
}

/* ---- all of them ---- */

const sw_report_table sw_report_tables[] = {
    {.id = "summary", .make = make_summary, .leads = 1},
    {.id = "experiments", .make = make_experiments, .leads = 1},
    {.id = "endings", .make = make_endings},
    {.id = "measures", .make = make_measures},
    {.id = "training", .make = make_training},
};
const int sw_report_table_count =
    sizeof sw_report_tables / sizeof *sw_report_tables;

/* Tables without a row say nothing. */
static void drop_empty(sw_table_list *list, int from) {
  int kept = from;
  for (int i = from; i < list->count; i++) {
    if (list->table[i].rows || list->table[i].failed)
      list->table[kept++] = list->table[i];
    else sw_table_free(&list->table[i]);
  }
  list->count = kept;
}

int sw_report_tables_make(sw_made_tables *made, const sw_report_data *data,
                          sw_err *err) {
  memset(made, 0, sizeof *made);
  for (int leads = 1; leads >= 0; leads--) {
    int from = made->list.count;
    for (int i = 0; i < sw_report_table_count; i++) {
      const sw_report_table *spec = &sw_report_tables[i];
      if (spec->leads != leads) continue;
      spec->make(data, &made->list);
    }
    drop_empty(&made->list, from);
    if (leads) made->leading = made->list.count;
  }
  if (!sw_table_list_failed(&made->list)) return SW_OK;
  sw_report_tables_free(made);
  return sw_no_memory(err);
}

void sw_report_tables_free(sw_made_tables *made) {
  sw_table_list_free(&made->list);
}

void sw_report_tables_write(const sw_made_tables *made, sw_table_form form,
                            FILE *out) {
  for (int i = 0; i < made->list.count; i++)
    sw_table_write(&made->list.table[i], form, out);
}
