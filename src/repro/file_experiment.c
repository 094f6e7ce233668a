/* An experiment from a map (see experiment_file.h): its columns and rows; what
 * compares and draws them is in file_comparisons.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "probe/measure.h"
#include "repro/experiments.h"
#include "repro/figure.h"
#include "repro/file_fields.h"
#include "repro/job.h"
#include "search/loaded.h"
#include "trace/mask.h"

int sw_file_memory(const sw_file_maker *m) {
  return sw_no_memory_for(m->r->err, "%s", m->r->name);
}

void *sw_file_make(sw_file_maker *m, size_t bytes, size_t count) {
  return sw_arena_zalloc(&m->r->file->arena, bytes * (count + 1));
}

/* ---- references ---- */

int sw_file_column(sw_file_maker *m, const sw_yaml *node, int *at) {
  const char *names[SW_EXPERIMENT_COLUMNS], *id;
  int count = 0;
  SW_TRY(sw_field_text(m->r, node, &id));
  for (*at = 0; m->column[*at].title; ++*at) {
    if (!strcmp(m->column[*at].id, id)) return SW_OK;
    names[count++] = m->column[*at].id;
  }
  return sw_field_unknown(m->r, node, 0, "column", id, names, count);
}

/* Checks that the row is there. */
int sw_file_row(sw_file_maker *m, const sw_yaml *node, const char **id) {
  const char *names[256];
  int count = 0;
  SW_TRY(sw_field_text(m->r, node, id));
  for (int i = 0; m->row[i].id; i++) {
    if (!strcmp(m->row[i].id, *id)) return SW_OK;
    if (count < 256) names[count++] = m->row[i].id;
  }
  return sw_field_unknown(m->r, node, 0, "row", *id, names, count);
}

/* A list of columns as bits. */
int sw_file_columns(sw_file_maker *m, const sw_yaml *list, unsigned *bits) {
  *bits = 0;
  SW_TRY(sw_field_list(m->r, list));
  for (const sw_yaml *n = list->first; n; n = n->next) {
    int at;
    SW_TRY(sw_file_column(m, n, &at));
    if (at >= 32)
      return sw_yaml_fail(m->r->err, m->r->name, n,
                          "only the first 32 columns can be chosen");
    *bits |= 1u << at;
  }
  if (*bits) return SW_OK;
  return sw_yaml_fail(m->r->err, m->r->name, list, "no column is named here");
}

/* ---- columns ---- */

#define COLUMN(key, KIND, member, need) \
  { key, SW_FIELD_##KIND, offsetof(sw_repro_column, member), NULL, need }
#define OTHER(key) \
  { key, SW_FIELD_OTHER, 0, NULL, 0 }
static const sw_field column_fields[] = {
    COLUMN("id", TEXT, id, 1),
    COLUMN("title", TEXT, title, 0),
    COLUMN("search", SEARCH, settings, 0),
    COLUMN("measure", TEXT, probe, 0),
    OTHER("settings"), /* of the measure */
    COLUMN("card", TEXT, figure, 0),
    COLUMN("published", SETTINGS, settings, 0),
    COLUMN("traces", SETTINGS, settings, 0),
    OTHER("change"),
    OTHER("gap"),
    COLUMN("figure", TEXT, figure, 0),
    COLUMN("interval", TEXT, interval, 0),
    COLUMN("unit", TEXT, unit, 0),
    COLUMN("test_seeds", TEXT, test_seeds, 0),
    COLUMN("x", REAL, x, 0),
    COLUMN("counts", FLAG, counts, 0)};
enum { COLUMN_FIELDS = sizeof column_fields / sizeof *column_fields };

static const struct {
  const char *key;
  sw_source source;
} sources[] = {{"search", SW_SOURCE_SEARCH},       {"measure", SW_SOURCE_PROBE},
               {"card", SW_SOURCE_CARD},           {"change", SW_SOURCE_CHANGE},
               {"published", SW_SOURCE_PUBLISHED}, {"gap", SW_SOURCE_GAP},
               {"traces", SW_SOURCE_TRACES}};
enum { SOURCES = sizeof sources / sizeof *sources };

static int find_source(sw_file_maker *m, const sw_yaml *map,
                       sw_repro_column *c) {
  const sw_yaml *found = NULL;
  for (int i = 0; i < SOURCES; i++) {
    const sw_yaml *n = sw_yaml_member(map, sources[i].key);
    if (!n) continue;
    if (found)
      return sw_yaml_fail_key(m->r->err, m->r->name, n,
                              "a column has one source, here `%s` and `%s`",
                              found->key, n->key);
    found = n;
    c->source = sources[i].source;
  }
  if (found) return SW_OK;
  sw_yaml_fail(m->r->err, m->r->name, map, "column `%.60s`: where from?",
               c->id);
  return sw_hint(m->r->err, "one of search, measure, card, change, gap");
}

static int read_measure(sw_file_maker *m, const sw_yaml *map,
                        sw_repro_column *c) {
  sw_option task[SW_TASK_OPTIONS_MAX];
  const sw_measure *measure = sw_measure_find(c->probe);
  const sw_yaml *settings = sw_yaml_member(map, "settings");
  if (!measure) {
    const char *names[64];
    int count = 0;
    while (sw_measures[count]) names[count] = sw_measures[count]->name, count++;
    return sw_field_unknown(m->r, sw_yaml_member(map, "measure"), 0, "measure",
                            c->probe, names, count);
  }
  const sw_question_table table[] = {
      {SW_ASKS_MEASURE, measure->options, measure->option_count},
      {SW_ASKS_TASK, task, sw_domain_all_options(task, SW_TASK_OPTIONS_MAX)}};
  if (!c->figure)
    return sw_yaml_fail(m->r->err, m->r->name, map,
                        "column `%.60s`: `figure` is missing", c->id);
  if (!settings) return SW_OK;
  return sw_field_settings(m->r, settings, table, 2, &c->settings);
}

/* A column shows one number; its interval is one. */
static int check_kind(sw_file_maker *m, const sw_yaml *map,
                      const sw_repro_column *c) {
  const sw_figure *f = sw_column_figure(c);
  sw_repro_column other = *c;
  if (f && !sw_figure_is_number(f))
    return sw_yaml_fail(m->r->err, m->r->name, sw_yaml_member(map, "figure"),
                        "`%.60s` is no number but a %s", c->figure,
                        sw_figure_kind_name(f->kind));
  if (!c->interval) return SW_OK;
  other.figure = c->interval;
  const sw_figure *interval = sw_column_figure(&other);
  if (interval && interval->kind == SW_FIGURE_INTERVAL) return SW_OK;
  sw_yaml_fail(m->r->err, m->r->name, sw_yaml_member(map, "interval"),
               "there is no interval `%.60s`", c->interval);
  return sw_hint(m->r->err, "statewise show figures lists them");
}

static int check_figure(sw_file_maker *m, const sw_yaml *map,
                        const sw_repro_column *c) {
  const sw_yaml *n = sw_yaml_member(map, "figure");
  if (n && sw_yaml_member(map, "card"))
    return sw_yaml_fail_key(m->r->err, m->r->name, n,
                            "`card` names the figure already");
  if (sw_yaml_member(map, "settings") && c->source != SW_SOURCE_PROBE)
    return sw_yaml_fail_key(m->r->err, m->r->name,
                            sw_yaml_member(map, "settings"),
                            "only a measure has `settings`");
  if (sw_column_follows(c) || sw_column_figure(c)) return check_kind(m, map, c);
  n = sw_yaml_member(map, sw_yaml_member(map, "card") ? "card" : "figure");
  const char *names[200];
  int count = sw_column_figure_names(c, names, 200);
  const char *last = strrchr(c->figure, '.');
  sw_yaml_fail(m->r->err, m->r->name, n, "there is no figure `%.60s`",
               c->figure);
  const char *near = sw_nearest(last ? last + 1 : c->figure, names, count);
  if (near)
    return sw_hint(m->r->err, "did you mean %.*s%s?",
                   last ? (int)(last + 1 - c->figure) : 0, c->figure, near);
  return sw_hint(m->r->err, "statewise show figures lists them");
}

static int check_seeds(sw_file_maker *m, const sw_yaml *map) {
  const sw_yaml *n = sw_yaml_member(map, "test_seeds");
  if (!n || strspn(n->text, "0123456789 ") == strlen(n->text)) return SW_OK;
  return sw_yaml_fail(m->r->err, m->r->name, n,
                      "`test_seeds`: \"%.60s\" is no list of numbers", n->text);
}

static int read_column(sw_file_maker *m, const sw_yaml *map, int at) {
  sw_repro_column *c = &m->column[at];
  SW_TRY(sw_fields_read(m->r, map, column_fields, COLUMN_FIELDS, c));
  const char *title = c->title ? c->title : c->id;
  c->title = NULL; /* the list ends here still */
  for (int i = 0; i < at; i++)
    if (!strcmp(m->column[i].id, c->id) || !strcmp(m->column[i].title, title))
      return sw_yaml_fail(m->r->err, m->r->name, map,
                          "two columns are called `%.60s`",
                          strcmp(m->column[i].id, c->id) ? title : c->id);
  c->title = title;
  SW_TRY(find_source(m, map, c));
  if (c->source == SW_SOURCE_PROBE) SW_TRY(read_measure(m, map, c));
  SW_TRY(check_seeds(m, map));
  return check_figure(m, map, c);
}

/* Of a change and a gap, which refer to others. */
static int read_derived(sw_file_maker *m, const sw_yaml *map,
                        sw_repro_column *c) {
  const sw_yaml *change = sw_yaml_member(map, "change"),
                *gap = sw_yaml_member(map, "gap"), *n = change ? change : gap;
  static const sw_field of_change[] = {OTHER("of"), OTHER("minus")},
                        of_gap[] = {OTHER("of"), OTHER("from"), OTHER("to")};
  if (!n) return SW_OK;
  SW_TRY(
      sw_fields_read(m->r, n, change ? of_change : of_gap, change ? 2 : 3, c));
  for (int i = 0; i < (change ? 2 : 3); i++) {
    const char *key = change ? of_change[i].key : of_gap[i].key;
    if (!sw_yaml_member(n, key))
      return sw_yaml_fail(m->r->err, m->r->name, n, "`%s` is missing here",
                          key);
  }
  SW_TRY(sw_file_column(m, sw_yaml_member(n, "of"), &c->a));
  if (change) return sw_file_column(m, sw_yaml_member(n, "minus"), &c->b);
  SW_TRY(sw_file_row(m, sw_yaml_member(n, "from"), &c->from));
  return sw_file_row(m, sw_yaml_member(n, "to"), &c->to);
}

static int read_columns(sw_file_maker *m, sw_yaml *list) {
  int at = 0;
  SW_TRY(sw_file_expand(m->r, list));
  if (list->count < 1 || list->count > SW_EXPERIMENT_COLUMNS)
    return sw_yaml_fail(m->r->err, m->r->name, list,
                        "%d columns, from 1 to %d are possible", list->count,
                        (int)SW_EXPERIMENT_COLUMNS);
  m->column = sw_file_make(m, sizeof *m->column, (size_t)list->count);
  if (!m->column) return sw_file_memory(m);
  m->e->column = m->column;
  for (const sw_yaml *n = list->first; n; n = n->next)
    SW_TRY(read_column(m, n, at++));
  return SW_OK;
}

/* ---- rows ---- */

#define ROW(key, KIND, member, need) \
  { key, SW_FIELD_##KIND, offsetof(sw_repro_row, member), NULL, need }
static const sw_field row_fields[] = {ROW("id", TEXT, id, 1),
                                      ROW("label", TEXT, label, 0),
                                      ROW("model", TEXT, model, 0),
                                      ROW("rule", TEXT, rule, 0),
                                      ROW("shipped", TEXT, shipped, 0),
                                      ROW("domain", TEXT, domain, 0),
                                      ROW("search", SEARCH, search, 0),
                                      ROW("test", TASK, test, 0),
                                      ROW("mask", TEXT, mask, 0),
                                      ROW("positions", TEXT, positions, 0),
                                      OTHER("paper"),
                                      ROW("note", TEXT, note, 0),
                                      ROW("unjudged", FLAG, unjudged, 0),
                                      OTHER("columns"),
                                      ROW("needs", TEXT, needs, 0),
                                      ROW("seeds", INT, seeds, 0),
                                      ROW("at", TEXT, at, 0)};
enum { ROW_FIELDS = sizeof row_fields / sizeof *row_fields };

/* `{column: text}`; the struct has one text a column, "" at the end. */
static int read_paper(sw_file_maker *m, const sw_yaml *map, sw_repro_row *row) {
  int columns = sw_experiment_columns(m->e);
  const char **paper = sw_file_make(m, sizeof *paper, (size_t)columns);
  if (!paper) return sw_file_memory(m);
  SW_TRY(sw_field_map(m->r, map));
  for (const sw_yaml *n = map->first; n; n = n->next) {
    const char *names[SW_EXPERIMENT_COLUMNS];
    int at = 0;
    for (; at < columns && strcmp(m->column[at].id, n->key); at++)
      names[at] = m->column[at].id;
    if (at == columns)
      return sw_field_unknown(m->r, n, 1, "column", n->key, names, columns);
    SW_TRY(sw_field_text(m->r, n, &paper[at]));
    if (!*paper[at])
      return sw_yaml_fail(m->r->err, m->r->name, n,
                          "an empty text is no number of the paper");
  }
  paper[columns] = "";
  row->paper = paper;
  return SW_OK;
}

static int check_model(sw_file_maker *m, const sw_yaml *node, const char *id) {
  const char *names[400];
  int count = 0;
  for (const sw_trained *t = m->r->file->model; t->id; t++) {
    if (!strcmp(t->id, id)) return SW_OK;
    if (count < 200) names[count++] = t->id;
  }
  if (sw_trained_find(id)) return SW_OK;
  for (const sw_trained *t = sw_matrix(); t->id; t++)
    if (count < 400) names[count++] = t->id;
  return sw_field_unknown(m->r, node, 0, "model", id, names, count);
}

static int check_who(sw_file_maker *m, const sw_yaml *map,
                     const sw_repro_row *row) {
  const sw_yaml *n = sw_yaml_member(map, "model"), *mask;
  int who = !!row->model + !!row->rule + !!row->shipped;
  if (who != 1) {
    sw_yaml_fail(m->r->err, m->r->name, map,
                 who ? "row `%.60s`: a model, a rule or a shipped model, not "
                       "several"
                     : "row `%.60s`: who is asked?",
                 row->id);
    return sw_hint(m->r->err, "one of `model`, `rule` and `shipped`");
  }
  if (n && !row->needs) SW_TRY(check_model(m, n, row->model));
  mask = sw_yaml_member(map, "mask");
  if (mask && sw_mask_from_name(row->mask) < 0)
    return sw_yaml_fail(m->r->err, m->r->name, mask, "there is no mask `%.60s`",
                        row->mask);
  return SW_OK;
}

static int read_row(sw_file_maker *m, const sw_yaml *map, int at) {
  sw_repro_row *row = &m->row[at], one = {0};
  SW_TRY(sw_fields_read(m->r, map, row_fields, ROW_FIELDS, &one));
  for (int i = 0; i < at; i++)
    if (!strcmp(m->row[i].id, one.id)) {
      sw_yaml_fail(m->r->err, m->r->name, map, "two rows are called `%.60s`",
                   one.id);
      return sw_hint(m->r->err, "a sweep names its variables in `id`");
    }
  const sw_yaml *paper = sw_yaml_member(map, "paper"),
                *columns = sw_yaml_member(map, "columns");
  if (!one.label) one.label = one.id;
  SW_TRY(check_who(m, map, &one));
  if (paper) SW_TRY(read_paper(m, paper, &one));
  if (columns) SW_TRY(sw_file_columns(m, columns, &one.columns));
  *row = one;
  return SW_OK;
}

static int read_rows(sw_file_maker *m, sw_yaml *list) {
  enum { ROWS = 2000 };
  int at = 0;
  SW_TRY(sw_file_expand(m->r, list));
  if (list->count < 1 || list->count > ROWS)
    return sw_yaml_fail(m->r->err, m->r->name, list,
                        "%d rows, from 1 to %d are possible", list->count,
                        (int)ROWS);
  m->row = sw_file_make(m, sizeof *m->row, (size_t)list->count);
  if (!m->row) return sw_file_memory(m);
  m->e->row = m->row;
  for (const sw_yaml *n = list->first; n; n = n->next)
    SW_TRY(read_row(m, n, at++));
  return SW_OK;
}

/* ---- the whole ---- */

#define TOP(key, KIND, member, choices, need) \
  { key, SW_FIELD_##KIND, offsetof(sw_experiment, member), choices, need }
static const sw_field top_fields[] = {
    TOP("id", TEXT, id, NULL, 0),
    TOP("title", TEXT, title, NULL, 1),
    TOP("aliases", TEXT, aliases, NULL, 0),
    TOP("section", TEXT, section, NULL, 0),
    TOP("place", TEXT, place, NULL, 0),
    TOP("note", TEXT, note, NULL, 0),
    TOP("judged_in", TEXT, judged_in, NULL, 0),
    TOP("drawn_from", TEXT, drawn_from, NULL, 0),
    OTHER("finding"),
    OTHER("seeds"),
    TOP("beside", CHOICE, beside, "all|exact|none", 0),
    OTHER("models"),
    {"columns", SW_FIELD_OTHER, 0, NULL, 1},
    {"rows", SW_FIELD_OTHER, 0, NULL, 1},
    OTHER("statistics"),
    OTHER("figures"),
    OTHER("curves")};
enum { TOP_FIELDS = sizeof top_fields / sizeof *top_fields };

static int read_seeds(sw_file_maker *m, const sw_yaml *node) {
  const sw_yaml *scale[SW_SCALES];
  double number[SW_SCALES] = {1, 1};
  if (node) {
    SW_TRY(sw_field_scales(m->r, node, scale));
    for (int s = 0; s < SW_SCALES; s++)
      if (scale[s]) SW_TRY(sw_field_number(m->r, scale[s], 1, &number[s]));
    if (!scale[SW_SCALE_PAPER]) number[1] = number[0];
    if (number[0] < 1 || number[0] > 100 || number[1] > 100)
      return sw_yaml_fail(m->r->err, m->r->name, node,
                          "`seeds`: from 1 to 100");
  }
  for (int s = 0; s < SW_SCALES; s++) m->e->seeds[s] = (int)number[s];
  return SW_OK;
}

/* `dir/my-sweep.yaml` is `my-sweep`. */
static int name_it(sw_file_maker *m, const sw_yaml *root) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  const char *slash = strrchr(m->r->name, '/');
  const sw_yaml *n = sw_yaml_member(root, "id");
  if (!n) {
    char *id =
        sw_arena_strdup(&m->r->file->arena, slash ? slash + 1 : m->r->name);
    if (!id) return sw_file_memory(m);
    char *point = strrchr(id, '.');
    if (point && point > id) *point = 0;
    m->e->id = id;
  }
  size_t length = strlen(m->e->id);
  if (length && length < 80 && strspn(m->e->id, letters) == length &&
      *m->e->id != '.' && *m->e->id != '-')
    return SW_OK;
  sw_yaml_fail(m->r->err, m->r->name, n ? n : root,
               "`%.80s` cannot be an experiment's id", m->e->id);
  return sw_hint(m->r->err,
                 "letters, digits, `-`, `_` and `.`: `id: my-sweep`");
}

int sw_file_experiment(sw_file_reader *r, sw_yaml *root) {
  sw_file_maker m = {.r = r};
  m.e = r->file->experiment = SW_ARENA_NEW(&r->file->arena, sw_experiment, 1);
  if (!m.e) return sw_file_memory(&m);
  SW_TRY(sw_fields_read(r, root, top_fields, TOP_FIELDS, m.e));
  SW_TRY(name_it(&m, root));
  if (!m.e->section) m.e->section = "own experiments";
  if (!m.e->place) m.e->place = "none: an experiment of your own";
  SW_TRY(read_seeds(&m, sw_yaml_member(root, "seeds")));
  SW_TRY(read_columns(&m, (sw_yaml *)sw_yaml_member(root, "columns")));
  SW_TRY(read_rows(&m, (sw_yaml *)sw_yaml_member(root, "rows")));
  int at = 0;
  for (const sw_yaml *n = sw_yaml_member(root, "columns")->first; n;
       n = n->next)
    SW_TRY(read_derived(&m, n, &m.column[at++]));
  return sw_file_comparisons(&m, root);
}
