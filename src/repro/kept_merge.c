/* A new result together with what was kept before (see kept.h). A value is
 * known by its row, its column and its seed; what this run made replaces what
 * was kept. A run makes all columns of a row for a seed, so that the figures of
 * one model never come from two trainings of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/safetensors.h"
#include "base/text.h"
#include "report/read_json.h"
#include "repro/cell_question.h"
#include "repro/job.h"
#include "repro/kept.h"
#include "search/loaded.h"

typedef struct merge {
  sw_repro_result *r;
  const json_t *kept;
  int first; /* place of the first kept origin in the result's list */
  void *context;
  sw_tell_fn *tell;
  const sw_repro_row *told; /* the row last told of */
} merge;

/* ---- all cells, in the experiment's order ---- */

static void move_cell(sw_repro_result *r, sw_repro_cell *to) {
  for (int i = 0; i < r->cells; i++)
    if (r->cell[i].row == to->row && r->cell[i].column == to->column) {
      *to = r->cell[i];
      r->cell[i].row = NULL; /* it has gone */
      return;
    }
}

static int all_cells(sw_repro_result *r, sw_err *err) {
  const sw_experiment *e = r->experiment;
  int columns = sw_experiment_columns(e), rows = sw_experiment_rows(e);
  int count = 0;
  sw_repro_cell *all = calloc((size_t)(rows * columns) + 1, sizeof *all);
  if (!all) return sw_no_memory(err);
  for (int i = 0; i < rows * columns; i++) {
    const sw_repro_row *row = &e->row[i / columns];
    if (!sw_row_has(row, i % columns)) continue;
    sw_repro_cell *cell = &all[count++];
    cell->row = row;
    cell->column = i % columns;
    cell->paper = sw_row_paper(row, cell->column);
    cell->needs = sw_row_needs(row);
    for (int b = 0; b < SW_REPRO_ROLES; b++) cell->beside[b] = NAN;
    move_cell(r, cell);
  }
  free(r->cell);
  r->cell = all;
  r->cells = count;
  return SW_OK;
}

/* ---- order ---- */

static int listed(int64_t seed) {
  enum { LISTED = 5 };
  for (int i = 0; i < LISTED; i++)
    if (sw_repro_seed(i) == seed) return i;
  return LISTED;
}

/* Those of the list first. */
static int seed_order(int64_t a, int64_t b) {
  int place = listed(a) - listed(b);
  return place ? place : (a > b) - (a < b);
}

static int value_order(const void *a, const void *b) {
  return seed_order(((const sw_repro_value *)a)->seed,
                    ((const sw_repro_value *)b)->seed);
}

static int model_order(const void *a, const void *b) {
  const sw_repro_model *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1; /* of one table */
  int order = seed_order(x->seed, y->seed);
  return order ? order : strcmp(x->run, y->run);
}

static void put_in_order(sw_repro_result *r) {
  for (int i = 0; i < r->cells; i++)
    if (r->cell[i].values > 1)
      qsort(r->cell[i].value, (size_t)r->cell[i].values,
            sizeof *r->cell[i].value, value_order);
  if (r->models > 1)
    qsort(r->model, (size_t)r->models, sizeof *r->model, model_order);
}

/* ---- is it still the same? ---- */

/* The first member that says something else by now, or NULL. */
static const char *changed(const json_t *kept, const sw_kept_member *member,
                           int count) {
  const char *source = sw_member_text(kept, "source", NULL),
             *measure = sw_member_text(kept, "measure", NULL);
  for (int i = 0; i < count; i++)
    if (!sw_member_same(member[i].name, source, measure,
                        sw_member_text(kept, member[i].name, NULL),
                        member[i].text))
      return member[i].name;
  return NULL;
}

static const json_t *with_text(const json_t *list, const char *name,
                               const char *text) {
  const json_t *item;
  size_t at;
  json_array_foreach(list, at, item) {
    if (!strcmp(sw_member_text(item, name, ""), text)) return item;
  }
  return NULL;
}

const char *sw_kept_column_changed(const json_t *kept,
                                   const sw_repro_column *column) {
  sw_kept_member member[SW_KEPT_MEMBERS];
  const json_t *was =
      with_text(json_object_get(kept, "columns"), "title", column->title);
  return was ? changed(was, member, sw_kept_column_members(column, member))
             : NULL;
}

const char *sw_kept_row_changed(const json_t *kept, const sw_repro_row *row) {
  sw_kept_member member[SW_KEPT_MEMBERS];
  const json_t *was = with_text(json_object_get(kept, "rows"), "id", row->id);
  return was ? changed(was, member, sw_kept_row_members(row, member)) : NULL;
}

/* The matrix's name of a kept model; older files have it only in the path. */
static const sw_trained *trained_of(const json_t *model) {
  char id[128];
  const char *name = sw_member_text(model, "model", NULL);
  if (name) return sw_trained_find(name);
  const char *run = sw_member_text(model, "run", ""),
             *slash = strrchr(run, '/');
  snprintf(id, sizeof id, "%s", slash ? slash + 1 : run);
  char *dash = strrchr(id, '-');
  if (dash) *dash = 0;
  size_t length = strlen(id);
  if (length > 6 && !strcmp(id + length - 6, "-paper")) id[length - 6] = 0;
  return sw_trained_find(id);
}

/* Whether a shipped model has other weights by now than when it was asked;
 * where there is no such file, there is nothing to compare with. */
static int shipped_changed(const char *name, const char *weights) {
  char path[1024];
  sw_st_file *file;
  if (sw_shipped_model(name, path, sizeof path, NULL) ||
      sw_st_open(&file, path, NULL))
    return 0;
  const char *now = sw_st_meta(file, "weights_xxh64");
  int other = strcmp(now ? now : "", weights) != 0;
  sw_st_close(file);
  return other;
}

/* May the models of a row and seed be taken over? NULL, or why not. */
static const char *models_changed(const merge *m, const sw_repro_row *row,
                                  int64_t seed) {
  sw_kept_member member[SW_KEPT_MEMBERS];
  const json_t *model;
  size_t at;
  int own = !row->model && !row->shipped;
  json_array_foreach(json_object_get(m->kept, "models"), at, model) {
    const sw_trained *t = trained_of(model);
    if (strcmp(sw_member_text(model, "row", ""), row->id) ||
        sw_member_int(model, "seed", -1) != seed)
      continue;
    if (row->shipped && !sw_member_text(model, "model", NULL)) {
      if (shipped_changed(row->shipped, sw_member_text(model, "weights", "")))
        return "weights";
      own = 1;
      continue;
    }
    if (!t) return "model";
    const char *why =
        changed(model, member, sw_kept_model_members(t, m->r->scale, member));
    if (why) return why;
    char now[24];
    const char *then = sw_member_text(model, "preset_hash", "");
    sw_kept_preset_hash(t, m->r->scale, now);
    if (*then && strcmp(then, now)) return "preset";
    own |= row->model && !strcmp(t->id, row->model);
  }
  /* A shipped model that is not named may have been another's weights. */
  return own ? NULL : row->shipped ? "weights" : "model";
}

/* ---- values ---- */

/* Seeds of rows without models as older files had them: the number of the
 * repetition where now the judge's seed stands, 0 for the only one. */
static int64_t seed_now(const sw_repro_row *row, int64_t seed) {
  enum { REPETITIONS = 40 };
  if (row->model || !sw_verifier_varies(row->search)) return seed;
  int64_t repetition = seed > 0 ? seed : 1;
  if (!strchr(row->search, '#')) return repetition;
  return repetition < REPETITIONS ? sw_repro_seed((int)repetition - 1) : seed;
}

static int has_seed(const sw_repro_cell *c, int64_t seed) {
  for (int i = 0; i < c->values; i++)
    if (c->value[i].seed == seed) return 1;
  return 0;
}

/* The figure for single instances; NULL where the text is not that. */
static int read_each(const char *text, int64_t count, double **out,
                     sw_err *err) {
  *out = NULL;
  if (!text || count < 1 || strlen(text) < (size_t)count) return SW_OK;
  double *each = malloc(sizeof *each * (size_t)count);
  if (!each) return sw_no_memory(err);
  int bits = !strchr(text, ' '), good = 1;
  if (bits) good = strlen(text) == (size_t)count;
  for (int64_t i = 0; i < count && good; i++) {
    char *end;
    if (bits) {
      good = text[i] == '0' || text[i] == '1';
      each[i] = text[i] - '0';
      continue;
    }
    each[i] = sw_text_real(text, &end);
    good = end != text && *end == ' ' && isfinite(each[i]);
    text = end + good;
  }
  if (good && (bits || !*text)) *out = each;
  else free(each);
  return SW_OK;
}

/* The place of a kept origin in the result's list. */
static int origin_of(const merge *m, int64_t by) {
  return by >= 0 && by < m->r->origins - m->first ? m->first + (int)by
                                                  : m->first;
}

static int add_value(const merge *m, sw_repro_cell *c, const json_t *cell,
                     const json_t *value, int64_t seed, sw_err *err) {
  int alone = json_array_size(json_object_get(cell, "values")) == 1;
  int64_t instances = sw_member_int(cell, "instances", 0);
  int64_t by = sw_member_int(value, "by", 0);
  sw_repro_value *grown =
      realloc(c->value, sizeof *grown * ((size_t)c->values + 1));
  if (!grown) return sw_no_memory(err);
  c->value = grown;
  sw_repro_value *v = &c->value[c->values++];
  memset(v, 0, sizeof *v);
  v->seed = seed;
  v->value = sw_member_real(value, "value", NAN);
  v->low = sw_member_real(value, "low", NAN);
  v->high = sw_member_real(value, "high", NAN);
  v->outcomes = sw_member_int(value, "instances", instances);
  if (v->outcomes < 0) v->outcomes = 0;
  SW_TRY(read_each(sw_member_text(value, "each", NULL), v->outcomes, &v->each,
                   err));
  if (alone && !v->each && isnan(v->low)) { /* kept without instances */
    v->low = sw_member_real(cell, "low", NAN);
    v->high = sw_member_real(cell, "high", NAN);
  }
  v->origin = origin_of(m, by);
  return SW_OK;
}

static void leave_out(merge *m, const sw_repro_row *row, const char *column,
                      const char *why) {
  char line[400];
  if (m->told == row && !column) return; /* once a row is enough */
  m->told = row;
  snprintf(line, sizeof line,
           "kept values of row %s%s%s are left out: its %s is another by now",
           row->id, column ? ", column " : "", column ? column : "", why);
  m->tell(m->context, line);
}

static void beside_of(sw_repro_cell *c, const json_t *cell) {
  static const char *const keys[] = {
#define X(key, role, text) #key,
      SW_REPRO_BESIDE(X)
#undef X
  };
  for (int b = 0; b < SW_REPRO_ROLES; b++)
    if (isnan(c->beside[b])) c->beside[b] = sw_member_real(cell, keys[b], NAN);
}

static int take_cell(merge *m, sw_repro_cell *c, const json_t *cell,
                     sw_err *err) {
  const sw_repro_column *column = &m->r->experiment->column[c->column];
  const json_t *value;
  size_t at;
  int fresh = c->values, taken = 0, left = 0;
  if (sw_column_follows(column)) return SW_OK; /* follows from others */
  const char *why = sw_kept_row_changed(m->kept, c->row), *title = NULL;
  if (!why && (why = sw_kept_column_changed(m->kept, column)))
    title = column->title;
  json_array_foreach(json_object_get(cell, "values"), at, value) {
    int64_t seed = seed_now(c->row, sw_member_int(value, "seed", 0));
    if (has_seed(c, seed)) continue;
    const char *other = why ? why : models_changed(m, c->row, seed);
    if (other) {
      leave_out(m, c->row, title, other);
      left++;
      if (title) break; /* said once */
    } else {
      SW_TRY(add_value(m, c, cell, value, seed, err));
      taken++;
    }
  }
  if (taken && !fresh) beside_of(c, cell);
  if (taken && !fresh && !left) {
    c->as_kept = 1;
    c->low = sw_member_real(cell, "low", NAN);
    c->high = sw_member_real(cell, "high", NAN);
  }
  return SW_OK;
}

json_t *sw_kept_cell(const json_t *kept, const sw_repro_row *row,
                     const char *column) {
  json_t *cell;
  size_t at;
  json_array_foreach(json_object_get(kept, "cells"), at, cell) {
    if (!strcmp(sw_member_text(cell, "row", ""), row->id) &&
        !strcmp(sw_member_text(cell, "column", ""), column))
      return cell;
  }
  return NULL;
}

int sw_kept_has(const json_t *kept, const sw_experiment *e,
                const sw_repro_row *row, sw_scale scale, int64_t seed) {
  sw_repro_result r = {.experiment = e, .scale = scale};
  merge m = {.r = &r, .kept = kept};
  if (!kept ||
      strcmp(sw_member_text(kept, "scale", "small"), scale ? "paper" : "small"))
    return 0;
  if (sw_kept_row_changed(kept, row) || models_changed(&m, row, seed)) return 0;
  for (int c = 0; e->column[c].title; c++) {
    const json_t *value;
    size_t at;
    int found = sw_column_follows(&e->column[c]);
    if (!sw_row_has(row, c)) continue;
    if (sw_kept_column_changed(kept, &e->column[c]) && !found) return 0;
    const json_t *cell = sw_kept_cell(kept, row, e->column[c].title);
    json_array_foreach(json_object_get(cell, "values"), at, value) {
      found |= seed_now(row, sw_member_int(value, "seed", 0)) == seed;
    }
    if (!found) return 0;
  }
  return 1;
}

static const sw_repro_row *row_of(const sw_experiment *e, const char *id) {
  for (int i = 0; e->row[i].id; i++)
    if (!strcmp(e->row[i].id, id)) return &e->row[i];
  return NULL;
}

int sw_kept_is_todays(const json_t *kept, const sw_experiment *e) {
  sw_repro_result r = {.experiment = e, .scale = sw_kept_scale(kept)};
  merge m = {.r = &r, .kept = kept};
  const json_t *one;
  size_t at;
  json_array_foreach(json_object_get(kept, "cells"), at, one) {
    const sw_repro_row *row = row_of(e, sw_member_text(one, "row", ""));
    const char *title = sw_member_text(one, "column", "");
    int c = 0;
    if (strcmp(sw_member_text(one, "state", ""), "done")) continue;
    while (e->column[c].title && strcmp(e->column[c].title, title)) c++;
    if (!row || !e->column[c].title || sw_kept_row_changed(kept, row) ||
        (!sw_column_follows(&e->column[c]) &&
         sw_kept_column_changed(kept, &e->column[c])))
      return 0;
  }
  json_array_foreach(json_object_get(kept, "models"), at, one) {
    const sw_repro_row *row = row_of(e, sw_member_text(one, "row", ""));
    if (!row || models_changed(&m, row, sw_member_int(one, "seed", -1)))
      return 0;
  }
  return 1;
}

/* ---- models ---- */

static int has_model(const sw_repro_result *r, const sw_repro_row *row,
                     int64_t seed) {
  for (int i = 0; i < r->models; i++)
    if (r->model[i].row == row && r->model[i].seed == seed) return 1;
  return 0;
}

/* Only those of rows and seeds whose values are here, and not of this run. */
static int is_wanted(const sw_repro_result *r, const sw_repro_row *row,
                     int64_t seed) {
  for (int i = 0; i < r->cells; i++)
    if (r->cell[i].row == row && has_seed(&r->cell[i], seed)) return 1;
  return 0;
}

static int take_models(merge *m, sw_err *err) {
  sw_repro_result *r = m->r;
  const json_t *model;
  size_t at;
  int own = r->models; /* those that this run has noted */
  json_array_foreach(json_object_get(m->kept, "models"), at, model) {
    const sw_repro_row *row =
        row_of(r->experiment, sw_member_text(model, "row", ""));
    int64_t seed = sw_member_int(model, "seed", -1);
    int64_t by = sw_member_int(model, "by", 0);
    int models = r->models;
    r->models = own;
    int there = row && has_model(r, row, seed);
    r->models = models;
    if (!row || there || !is_wanted(r, row, seed)) continue;
    if (!sw_grow(&r->model, &r->model_room, r->models + 1, sizeof *r->model))
      return sw_no_memory(err);
    sw_repro_model *n = &r->model[r->models++];
    memset(n, 0, sizeof *n);
    n->row = row;
    n->trained = trained_of(model);
    n->seed = seed;
    const char *run = sw_member_text(model, "run", "");
    if (!strncmp(run, "../", 3)) run += 3;
    snprintf(n->run, sizeof n->run, "%s", run);
    snprintf(n->hash, sizeof n->hash, "%s",
             sw_member_text(model, "weights", ""));
    snprintf(n->data, sizeof n->data, "%s", sw_member_text(model, "data", ""));
    snprintf(n->ended, sizeof n->ended, "%s",
             sw_member_text(model, "ended", ""));
    n->loss = sw_member_real(model, "valid_loss", NAN);
    snprintf(n->preset, sizeof n->preset, "%s",
             sw_member_text(model, "preset_hash", ""));
    n->origin = origin_of(m, by);
  }
  return SW_OK;
}

/* ---- origins ---- */

static int take_origin(merge *m, const json_t *from, sw_err *err) {
  sw_repro_result *r = m->r;
  if (!sw_grow(&r->origin, &r->origin_room, r->origins + 1, sizeof *r->origin))
    return sw_no_memory(err);
  sw_repro_origin *o = &r->origin[r->origins++];
  memset(o, 0, sizeof *o);
#define TAKE(name) \
  snprintf(o->name, sizeof o->name, "%s", sw_member_text(from, #name, ""))
  TAKE(command);
  TAKE(over);
  TAKE(program);
  TAKE(kernels);
  TAKE(machine);
  TAKE(date);
#undef TAKE
  o->seconds = sw_member_real(from, "seconds", 0);
  o->counting = sw_member_int(from, "counting", 0);
  if (!strcmp(o->over, r->origin[0].over)) return SW_OK;
  sw_fail(err, SW_USAGE, "kept values of %s were made with %s, these with %s",
          r->experiment->id, *o->over ? o->over : "the experiment's sizes",
          *r->origin[0].over ? r->origin[0].over : "the experiment's sizes");
  return sw_hint(err,
                 "set STATEWISE_RESULTS to keep them elsewhere, or remove the "
                 "kept file");
}

/* A file from before there was a list was made by one run. */
static int take_origins(merge *m, sw_err *err) {
  const json_t *list = json_object_get(m->kept, "made_by"), *one;
  size_t at;
  m->first = m->r->origins;
  if (!json_array_size(list)) return take_origin(m, m->kept, err);
  json_array_foreach(list, at, one) SW_TRY(take_origin(m, one, err));
  return SW_OK;
}

/* ---- together ---- */

/* A statistic over instances of cells that were kept without them. */
static void keep_statistics(merge *m) {
  const json_t *list = json_object_get(m->kept, "statistics");
  for (int i = 0; i < m->r->statistics; i++) {
    sw_repro_statistic_value *v = &m->r->statistic[i];
    const sw_repro_statistic *s = v->statistic;
    const sw_repro_cell *a = sw_repro_cell_of(m->r, s->a, s->column),
                        *b = sw_repro_cell_of(
                            m->r, s->b, s->other ? s->other - 1 : s->column);
    const json_t *was = with_text(list, "title", s->title);
    if (!v->by_seeds || v->pairs > 1 || !was || !a || !b || !a->as_kept ||
        !b->as_kept)
      continue;
    /* of other values, or of when there were none */
    if (!(fabs(sw_member_real(was, "value", NAN) - v->value) < 1e-9)) continue;
    v->by_seeds = strncmp(sw_member_text(was, "test", ""), "paired", 6) == 0;
    v->value = sw_member_real(was, "value", NAN);
    v->low = sw_member_real(was, "low", NAN);
    v->high = sw_member_real(was, "high", NAN);
    v->p = sw_member_real(was, "p", NAN);
    v->pairs = (int)sw_member_int(was, "pairs", 0);
  }
}

/* A file is somebody's: lists that nobody's runs have filled would cost memory
 * and time by their squares. */
static int check_lists(const json_t *kept, sw_err *err) {
  static const char *const lists[] = {"made_by", "models",  "cells",
                                      "rows",    "columns", "statistics"};
  enum { MOST = 5000 };
  const json_t *cell;
  size_t at, most = 0;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    size_t count = json_array_size(json_object_get(kept, lists[i]));
    if (count > most) most = count;
  }
  json_array_foreach(json_object_get(kept, "cells"), at, cell) {
    size_t count = json_array_size(json_object_get(cell, "values"));
    if (count > most) most = count;
  }
  if (most <= MOST) return SW_OK;
  return sw_fail(err, SW_DATA, "a kept file with a list of %zu, at most %d are",
                 most, MOST);
}

static int take_over(merge *m, sw_err *err) {
  sw_repro_result *r = m->r;
  const char *scale = r->scale ? "paper" : "small";
  const json_t *cell;
  size_t at;
  const char *was = sw_member_text(m->kept, "scale", "small");
  SW_TRY(check_lists(m->kept, err));
  if (strcmp(was, scale)) {
    char line[200];
    snprintf(line, sizeof line,
             "kept values are left out: their scale is %.40s, not %s", was,
             scale);
    m->tell(m->context, line);
    return SW_OK;
  }
  SW_TRY(take_origins(m, err));
  json_array_foreach(json_object_get(m->kept, "cells"), at, cell) {
    const char *row = sw_member_text(cell, "row", ""),
               *title = sw_member_text(cell, "column", "");
    sw_repro_cell *mine = NULL;
    for (int i = 0; i < r->cells && !mine; i++)
      if (!strcmp(r->cell[i].row->id, row) &&
          !strcmp(r->experiment->column[r->cell[i].column].title, title))
        mine = &r->cell[i];
    if (mine) SW_TRY(take_cell(m, mine, cell, err));
    else if (!r->experiment->drawn_from && /* else: what it does not draw */
             json_array_size(json_object_get(cell, "values"))) {
      char line[400];
      snprintf(line, sizeof line,
               "kept values of row %.100s, column %.100s are left out: there "
               "is no such cell now",
               row, title);
      m->tell(m->context, line);
    }
  }
  return take_models(m, err);
}

int sw_kept_merge(sw_repro_result *result, const json_t *kept, void *context,
                  sw_tell_fn *tell, sw_err *err) {
  merge m = {.r = result, .kept = kept, .context = context, .tell = tell};
  SW_TRY(all_cells(result, err));
  if (kept) SW_TRY(take_over(&m, err));
  put_in_order(result);
  sw_repro_name_rules(result);
  SW_TRY(sw_repro_sum_up(result, err));
  if (kept) keep_statistics(&m);
  return sw_origin_tidy(result, err);
}
