/* A table from answers (see answers.h): every cell is looked up, nothing is
 * copied from another table. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "repro/answers.h"
#include "repro/job.h"
#include "repro/kept.h"
#include "search/condition.h"

/* ---- one figure ---- */

/* As today's programs count, or as earlier ones did. */
static const sw_answer_figure *look_up(const sw_subject *s, char *question,
                                       const char *figure) {
  for (int64_t counting = SW_COUNTING;; counting--) {
    const sw_answer_figure *f = sw_subject_figure(s, question, figure);
    if (f) return f;
    if (counting <= 1) return NULL;
    char from[32], to[32];
    snprintf(from, sizeof from, " counting(%" PRId64 ") ", counting);
    snprintf(to, sizeof to, " counting(%" PRId64 ") ", counting - 1);
    char *at = strstr(question, from);
    if (!at || strlen(from) != strlen(to)) return NULL;
    memcpy(at, to, strlen(to));
  }
}

/* *found is NULL where the question was never asked. */
static int find(const sw_asker *k, const sw_repro_row *row,
                const sw_repro_column *column, const sw_subject *s,
                int64_t seed, const char *more, const sw_answer_figure **found,
                sw_err *err) {
  char *question;
  *found = NULL;
  SW_TRY(sw_asker_question(k, row, column, seed, more, &question, err));
  *found = look_up(s, question, column->figure ? column->figure : "solve_rate");
  free(question);
  return SW_OK;
}

static int has_all(const sw_asker *k, const sw_repro_row *row,
                   const sw_subject *s, int64_t seed, int *all, sw_err *err) {
  *all = 1;
  for (int c = 0; k->e->column[c].title && *all; c++) {
    const sw_answer_figure *f;
    if (!sw_row_has(row, c) || sw_column_follows(&k->e->column[c])) continue;
    SW_TRY(find(k, row, &k->e->column[c], s, seed, NULL, &f, err));
    *all = f != NULL;
  }
  return SW_OK;
}

int sw_asker_has(const sw_asker *k, const sw_repro_row *row, int64_t seed,
                 int *has, sw_err *err) {
  int pinned;
  const sw_trained *judge;
  const sw_subject *s;
  *has = 0;
  SW_TRY(sw_asker_subject(k, row, seed, &s, &pinned, err));
  if (!s || sw_subject_stale(s)) return SW_OK;
  for (int i = 0; (judge = sw_row_judge(row, i)); i++) {
    const sw_subject *by = sw_asker_judge(k, row, judge, seed);
    if (!by || sw_subject_stale(by)) return SW_OK;
  }
  return has_all(k, row, s, seed, has, err);
}

/* ---- seeds ---- */

enum { SEEDS_MOST = 5000 };
typedef struct seeds {
  int64_t *seed;
  int32_t count, room;
} seeds;

static int add_seed(seeds *list, int64_t seed) {
  for (int i = 0; i < list->count; i++)
    if (list->seed[i] == seed) return 1;
  if (list->count >= SEEDS_MOST) return 1;
  if (!sw_grow(&list->seed, &list->room, list->count + 1, sizeof seed))
    return 0;
  list->seed[list->count++] = seed;
  return 1;
}

int64_t sw_row_first_seed(const sw_repro_row *row) {
  if (row->model) return sw_repro_seed(0);
  if (!sw_verifier_varies(row->search)) return 0;
  return strchr(row->search, '#') ? sw_repro_seed(0) : 1;
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* The seeds of a row that have values: those of the experiment's list first,
 * then others that are pinned to the row. */
static int seeds_of(const sw_asker *k, const sw_repro_row *row, seeds *list) {
  enum { LISTED = 5 };
  seeds others = {0};
  char pin[200];
  int varies = sw_verifier_varies(row->search), good = 1;
  int count = row->model ? sw_row_seeds(k->e, row, k->scale, 0)
              : varies   ? k->e->seeds[k->scale]
                         : 1;
  for (int i = 0; i < count && good; i++)
    good = add_seed(list, row->model || (varies && strchr(row->search, '#'))
                              ? sw_repro_seed(i)
                          : varies ? i + 1
                                   : 0);
  sw_asker_pin(k, row, pin, sizeof pin);
  for (int i = 0; row->model && i < k->answers->subjects && good; i++) {
    const sw_subject *s = &k->answers->subject[i];
    if (s->model && !strcmp(s->model, row->model) &&
        sw_subject_is_pinned(s, pin))
      good = add_seed(&others, s->seed);
  }
  for (int i = 0; i < LISTED && good; i++)
    for (int o = 0; o < others.count && good; o++)
      if (others.seed[o] == sw_repro_seed(i))
        good = add_seed(list, sw_repro_seed(i));
  if (others.count > 1)
    qsort(others.seed, (size_t)others.count, sizeof *others.seed, by_number);
  for (int o = 0; o < others.count && good; o++)
    good = add_seed(list, others.seed[o]);
  free(others.seed);
  return good;
}

/* ---- cells ---- */

typedef struct filling {
  sw_asker asker;
  sw_repro_result *r;
} filling;

static int all_cells(sw_repro_result *r, sw_err *err) {
  const sw_experiment *e = r->experiment;
  int columns = sw_experiment_columns(e), rows = sw_experiment_rows(e);
  r->cell = calloc((size_t)(rows * columns) + 1, sizeof *r->cell);
  if (!r->cell) return sw_no_memory(err);
  for (int i = 0; i < rows * columns; i++) {
    const sw_repro_row *row = &e->row[i / columns];
    if (!sw_row_has(row, i % columns)) continue;
    sw_repro_cell *cell = &r->cell[r->cells++];
    cell->row = row;
    cell->column = i % columns;
    cell->paper = sw_row_paper(row, cell->column);
    cell->needs = sw_row_needs(row);
    for (int b = 0; b < SW_REPRO_ROLES; b++) cell->beside[b] = NAN;
  }
  return SW_OK;
}

/* The place of a run in the result's list. */
static int origin_of(filling *f, const char *by, int *place, sw_err *err) {
  static const sw_repro_origin unknown;
  const sw_answer_run *run = by ? sw_answers_run(f->asker.answers, by) : NULL;
  const sw_repro_origin *o = run ? &run->origin : &unknown;
  for (*place = 0; *place < f->r->origins; ++*place)
    if (!memcmp(&f->r->origin[*place], o, sizeof *o)) return SW_OK;
  if (!sw_grow(&f->r->origin, &f->r->origin_room, f->r->origins + 1, sizeof *o))
    return sw_no_memory(err);
  f->r->origin[f->r->origins++] = *o;
  return SW_OK;
}

static int add_value(filling *f, sw_repro_cell *cell, int64_t seed,
                     const sw_answer_figure *figure, sw_err *err) {
  sw_repro_value *grown =
      realloc(cell->value, sizeof *grown * ((size_t)cell->values + 1));
  if (!grown) return sw_no_memory(err);
  cell->value = grown;
  sw_repro_value *v = &grown[cell->values++];
  *v = (sw_repro_value){.seed = seed,
                        .value = figure->value,
                        .low = figure->low,
                        .high = figure->high,
                        .outcomes = figure->instances};
  SW_TRY(sw_each_read(figure->each, v->outcomes, &v->each, err));
  return origin_of(f, figure->by, &v->origin, err);
}

static sw_repro_cell *cell_of(sw_repro_result *r, const sw_repro_row *row,
                              int column) {
  for (int i = 0; i < r->cells; i++)
    if (r->cell[i].row == row && r->cell[i].column == column)
      return &r->cell[i];
  return NULL;
}

/* ---- models ---- */

static int note(filling *f, const sw_repro_row *row, const sw_subject *s,
                int64_t seed, int origin, sw_err *err) {
  sw_repro_result *r = f->r;
  const sw_trained *t = s->model ? sw_trained_find(s->model) : NULL;
  if (!s->model && !s->shipped) return SW_OK;
  if (!sw_grow(&r->model, &r->model_room, r->models + 1, sizeof *r->model))
    return sw_no_memory(err);
  sw_repro_model *m = &r->model[r->models++];
  memset(m, 0, sizeof *m);
  m->row = row;
  m->trained = t;
  m->seed = seed;
  m->origin = origin;
  m->loss = sw_subject_loss(s);
#define SET(to, from) \
  snprintf(m->to, sizeof m->to, "%s", s->from ? s->from : "")
  SET(hash, weights);
  SET(data, data);
  SET(ended, ended);
  SET(preset, preset_hash);
#undef SET
  if (s->model)
    snprintf(m->run, sizeof m->run, "models/%.200s%s-%" PRId64, s->model,
             f->r->scale ? "-paper" : "", s->seed);
  r->older |= sw_subject_stale(s) != NULL;
  return SW_OK;
}

static int model_order(const void *a, const void *b) {
  const sw_repro_model *x = a, *y = b;
  return strcmp(x->run, y->run);
}

/* The model of a row and seed, and its judges. A pinned row shows only pinned
 * judges: an unpinned one was only assumed to be the same. */
static int note_models(filling *f, const sw_repro_row *row, const sw_subject *s,
                       int64_t seed, int pinned, int origin, sw_err *err) {
  const sw_trained *judge;
  char pin[200];
  int first = f->r->models;
  sw_asker_pin(&f->asker, row, pin, sizeof pin);
  SW_TRY(note(f, row, s, seed, origin, err));
  for (int i = 0; (judge = sw_row_judge(row, i)); i++) {
    const sw_subject *by = sw_asker_judge(&f->asker, row, judge, seed);
    int seen = !by || (pinned && !sw_subject_is_pinned(by, pin));
    for (int k = 0; k < i; k++) seen |= sw_row_judge(row, k) == judge;
    if (!seen) SW_TRY(note(f, row, by, seed, origin, err));
  }
  if (f->r->models - first > 1)
    qsort(f->r->model + first, (size_t)(f->r->models - first),
          sizeof *f->r->model, model_order);
  return SW_OK;
}

/* ---- rows ---- */

static int fill_seed(filling *f, const sw_repro_row *row, int64_t seed,
                     sw_err *err) {
  const sw_asker *k = &f->asker;
  int pinned, all = 1, found = 0, origin = 0;
  const sw_subject *s;
  SW_TRY(sw_asker_subject(k, row, seed, &s, &pinned, err));
  if (!s) return SW_OK;
  if (!pinned) SW_TRY(has_all(k, row, s, seed, &all, err));
  for (int c = 0; k->e->column[c].title && all; c++) {
    const sw_answer_figure *figure;
    sw_repro_cell *cell = cell_of(f->r, row, c);
    if (!cell || sw_column_follows(&k->e->column[c])) continue;
    SW_TRY(find(k, row, &k->e->column[c], s, seed, NULL, &figure, err));
    if (!figure) continue;
    SW_TRY(add_value(f, cell, seed, figure, err));
    if (!found++) origin = cell->value[cell->values - 1].origin;
  }
  return found ? note_models(f, row, s, seed, pinned, origin, err) : SW_OK;
}

static int fill_beside(filling *f, sw_repro_cell *cell, int role, sw_err *err) {
  const sw_asker *k = &f->asker;
  const char *rule = sw_repro_rule_beside(f->r, cell->row, role);
  const sw_answer_figure *figure;
  char name[256], *task;
  if (!rule) return SW_OK;
  SW_TRY(sw_asker_rule(k, cell->row, rule, name, sizeof name, &task, err));
  free(task);
  const sw_subject *s = sw_answers_subject(k->answers, name);
  if (!s) return SW_OK;
  SW_TRY(find(k, cell->row, &k->e->column[cell->column], s,
              sw_row_first_seed(cell->row), sw_repro_beside_more(role), &figure,
              err));
  if (figure) cell->beside[role] = figure->value;
  return SW_OK;
}

static int fill_row(filling *f, const sw_repro_row *row, sw_err *err) {
  seeds list = {0};
  int code = seeds_of(&f->asker, row, &list) ? SW_OK : sw_no_memory(err);
  for (int i = 0; i < list.count && !code; i++)
    code = fill_seed(f, row, list.seed[i], err);
  free(list.seed);
  return code;
}

static int is_bare(const sw_repro_result *r, const char *row, int column) {
  const sw_repro_cell *c = row ? sw_repro_cell_of(r, row, column) : NULL;
  return c && c->values == 1 && !c->value[0].each;
}

/* An interval over instances of cells that were kept without them, unless it is
 * of other values. */
static void keep_statistic(sw_repro_result *r, const sw_answer_statistic *was) {
  for (int i = 0; i < r->statistics; i++) {
    sw_repro_statistic_value *v = &r->statistic[i];
    const sw_repro_statistic *s = v->statistic;
    if (strcmp(s->title, was->title) || !v->by_seeds || v->pairs > 1 ||
        !is_bare(r, s->a, s->column) ||
        !is_bare(r, s->b, s->other ? s->other - 1 : s->column) ||
        !(fabs(was->value - v->value) < 1e-9))
      continue;
    v->by_seeds = 0;
    v->value = was->value;
    v->low = was->low;
    v->high = was->high;
    v->p = was->p;
    v->pairs = was->pairs;
  }
}

static int fill(filling *f, sw_err *err) {
  sw_repro_result *r = f->r;
  SW_TRY(all_cells(r, err));
  for (int i = 0; r->experiment->row[i].id; i++)
    SW_TRY(fill_row(f, &r->experiment->row[i], err));
  for (int i = 0; i < r->cells; i++)
    for (int role = 0; role < SW_REPRO_ROLES; role++)
      if (r->cell[i].values &&
          r->experiment->column[r->cell[i].column].source == SW_SOURCE_SEARCH)
        SW_TRY(fill_beside(f, &r->cell[i], role, err));
  sw_repro_name_rules(r);
  SW_TRY(sw_repro_sum_up(r, err));
  for (int i = 0; i < f->asker.answers->statistics; i++)
    if (!strcmp(f->asker.answers->statistic[i].table, r->experiment->id))
      keep_statistic(r, &f->asker.answers->statistic[i]);
  return sw_origin_tidy(r, err);
}

int sw_answers_fill(const sw_answers *a, const sw_experiment *e,
                    sw_repro_result *r, sw_err *err) {
  filling f = {.r = r};
  memset(r, 0, sizeof *r);
  r->experiment = e;
  sw_asker_as_kept(&f.asker, a, e);
  r->scale = f.asker.scale;
  return fill(&f, err);
}
