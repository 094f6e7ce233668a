/* Kept values of one row for another (see kept_copy.h). */
#include "repro/kept_copy.h"

#include <string.h>

#include "report/read_json.h"

/* ---- what gives way ---- */

static int is_of(const json_t *item, const char *name, const char *text) {
  return !text || !strcmp(sw_member_text(item, name, ""), text);
}

enum { EVERY = -1 }; /* seed */
static void drop(json_t *list, const char *name, const char *text,
                 int64_t seed) {
  for (size_t i = json_array_size(list); i-- > 0;) {
    const json_t *item = json_array_get(list, i);
    if (is_of(item, name, text) &&
        (seed == EVERY || sw_member_int(item, "seed", 0) == seed))
      json_array_remove(list, i);
  }
}

static void drop_values(json_t *to, const char *row, const char *column,
                        int64_t seed) {
  const json_t *cell;
  size_t at;
  json_array_foreach(json_object_get(to, "cells"), at, cell) {
    if (is_of(cell, "row", row) && is_of(cell, "column", column))
      drop(json_object_get(cell, "values"), NULL, NULL, seed);
  }
}

static int column_drops(const json_t *to, const sw_experiment *e,
                        const sw_repro_row *row, int c) {
  return sw_row_has(row, c) && !sw_column_follows(&e->column[c]) &&
         sw_kept_column_changed(to, &e->column[c]);
}

int sw_kept_copy_drops(const json_t *to, const sw_experiment *e,
                       const sw_repro_row *row) {
  int drops = sw_kept_row_changed(to, row) != NULL;
  for (int c = 0; e->column[c].title; c++) drops |= column_drops(to, e, row, c);
  return drops;
}

/* An entry of the past goes with all that was kept under it: a row or column
 * without one is as the tables say. */
static void make_way(json_t *to, const sw_experiment *e,
                     const sw_repro_row *row, int64_t seed) {
  json_t *models = json_object_get(to, "models");
  if (sw_kept_row_changed(to, row)) {
    drop_values(to, row->id, NULL, EVERY);
    drop(models, "row", row->id, EVERY);
    drop(json_object_get(to, "rows"), "id", row->id, EVERY);
  }
  for (int c = 0; e->column[c].title; c++) {
    if (!column_drops(to, e, row, c)) continue;
    drop_values(to, NULL, e->column[c].title, EVERY);
    drop(json_object_get(to, "columns"), "title", e->column[c].title, EVERY);
  }
  drop_values(to, row->id, NULL, seed);
  drop(models, "row", row->id, seed);
}

/* ---- runs ---- */

static json_t *list_of(json_t *object, const char *name) {
  json_t *list = json_object_get(object, name);
  if (json_is_array(list)) return list;
  list = json_array();
  return json_object_set_new(object, name, list) ? NULL : list;
}

/* A run of a file, a new reference. One from before there was a list was made
 * by one run; a number that is none of the list counts as the first. */
static json_t *run_of(const json_t *kept, int64_t by) {
  static const char *const names[] = {"command", "over", "program", "kernels",
                                      "machine", "date", "seconds", "counting"};
  const json_t *list = json_object_get(kept, "made_by");
  size_t count = json_array_size(list);
  if (count)
    return json_deep_copy(
        json_array_get(list, by >= 0 && (uint64_t)by < count ? (size_t)by : 0));
  json_t *run = json_object();
  for (size_t i = 0; run && i < sizeof names / sizeof *names; i++) {
    json_t *member = json_object_get(kept, names[i]);
    if (!member || !json_object_set(run, names[i], member)) continue;
    json_decref(run);
    run = NULL;
  }
  return run;
}

json_t *sw_kept_copy_begin(const sw_experiment *e, const json_t *kept,
                           sw_scale scale) {
  json_t *to = kept ? json_deep_copy(kept) : json_object();
  int bad = !to || !list_of(to, "cells") || !list_of(to, "models") ||
            !list_of(to, "made_by");
  if (!bad && !kept)
    bad = json_object_set_new(to, "experiment", json_string(e->id)) ||
          json_object_set_new(to, "scale",
                              json_string(scale ? "paper" : "small"));
  if (!bad && kept && !json_array_size(json_object_get(to, "made_by")))
    bad =
        json_array_append_new(json_object_get(to, "made_by"), run_of(kept, 0));
  if (!bad) return to;
  json_decref(to);
  return NULL;
}

/* A copied value or model names its run, which comes along once. -1: out of
 * memory. */
static int set_run(json_t *to, json_t *item, const sw_kept_source *from) {
  json_t *list = json_object_get(to, "made_by");
  json_t *run = run_of(from->kept, sw_member_int(item, "by", 0));
  size_t at = 0;
  if (!run) return -1;
  while (at < json_array_size(list) &&
         !json_equal(json_array_get(list, at), run))
    at++;
  if (at < json_array_size(list)) json_decref(run);
  else if (json_array_append_new(list, run)) return -1;
  return json_object_set_new(item, "by", json_integer((json_int_t)at));
}

/* ---- cells ---- */

static json_t *cell_for(json_t *to, const sw_repro_row *row,
                        const char *title) {
  json_t *cell = sw_kept_cell(to, row, title);
  if (cell) return list_of(cell, "values") ? cell : NULL;
  cell = json_object();
  if (!cell || json_object_set_new(cell, "row", json_string(row->id)) ||
      json_object_set_new(cell, "column", json_string(title)) ||
      json_object_set_new(cell, "values", json_array())) {
    json_decref(cell);
    return NULL;
  }
  return json_array_append_new(json_object_get(to, "cells"), cell) ? NULL
                                                                   : cell;
}

static int set_number(json_t *item, const char *name, const json_t *number) {
  return json_is_number(number)
             ? json_object_set_new(item, name, json_deep_copy(number))
             : json_object_set_new(item, name, json_null());
}

/* The only value of a cell may stand without single instances: its interval is
 * then the cell's. */
static int set_interval(json_t *cell, const json_t *value,
                        const json_t *there) {
  int alone = json_array_size(json_object_get(there, "values")) == 1 &&
              !json_is_number(json_object_get(value, "low"));
  const json_t *of = alone ? there : value;
  return set_number(cell, "low", json_object_get(of, "low")) ||
         set_number(cell, "high", json_object_get(of, "high"));
}

/* Rules that were played beside the same question, where the table has them. */
static int set_beside(json_t *cell, const sw_experiment *e,
                      const json_t *there) {
  static const char *const keys[] = {
#define X(key, role, text) #key,
      SW_REPRO_BESIDE(X)
#undef X
  };
  for (int b = 0; b < SW_REPRO_ROLES; b++) {
    const json_t *figure = json_object_get(there, keys[b]);
    if (e->beside == SW_BESIDE_NONE ||
        (e->beside == SW_BESIDE_EXACT && b != SW_REPRO_rule) ||
        json_is_number(json_object_get(cell, keys[b])) ||
        !json_is_number(figure))
      continue;
    if (set_number(cell, keys[b], figure)) return -1;
  }
  return 0;
}

static int copy_value(json_t *to, json_t *cell, const json_t *there,
                      int64_t seed, const sw_kept_source *from) {
  json_t *values = json_object_get(cell, "values");
  const json_t *value, *instances = json_object_get(there, "instances");
  size_t at;
  json_array_foreach(json_object_get(there, "values"), at, value) {
    if (!json_is_object(value) || sw_member_int(value, "seed", 0) != seed)
      continue;
    if (!json_array_size(values) && set_interval(cell, value, there)) return -1;
    json_t *own = json_deep_copy(value);
    int bad = !own;
    if (!bad && !json_object_get(own, "instances") && json_is_number(instances))
      bad = set_number(own, "instances", instances);
    if (bad || set_run(to, own, from)) {
      json_decref(own);
      return -1;
    }
    return json_array_append_new(values, own);
  }
  return 0;
}

static int copy_models(json_t *to, const sw_repro_row *row, int64_t seed,
                       const sw_kept_source *from) {
  const json_t *model;
  size_t at;
  json_array_foreach(json_object_get(from->kept, "models"), at, model) {
    if (!is_of(model, "row", from->row->id) ||
        sw_member_int(model, "seed", -1) != seed)
      continue;
    json_t *own = json_deep_copy(model);
    if (!own || json_object_set_new(own, "row", json_string(row->id)) ||
        set_run(to, own, from)) {
      json_decref(own);
      return -1;
    }
    if (json_array_append_new(json_object_get(to, "models"), own)) return -1;
  }
  return 0;
}

int sw_kept_copy(json_t *to, const sw_experiment *e, const sw_repro_row *row,
                 int64_t seed, const sw_kept_source *from, sw_err *err) {
  int bad = 0;
  make_way(to, e, row, seed);
  for (int c = 0; e->column[c].title && !bad; c++) {
    if (from->column[c] < 0) continue;
    const json_t *there = sw_kept_cell(from->kept, from->row,
                                       from->e->column[from->column[c]].title);
    json_t *cell = cell_for(to, row, e->column[c].title);
    bad =
        !cell || copy_value(to, cell, there, seed, from) ||
        (e->column[c].source == SW_SOURCE_SEARCH && set_beside(cell, e, there));
  }
  if (!bad) bad = copy_models(to, row, seed, from);
  return bad ? sw_no_memory(err) : SW_OK;
}
