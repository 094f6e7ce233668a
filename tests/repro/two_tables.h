/* Two toy tables that ask one model the same in other words, and kept objects
 * of them, for the tests of what one table takes over from another. */
#ifndef TESTS_REPRO_TWO_TABLES_H
#define TESTS_REPRO_TWO_TABLES_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tiny_run.h"
#include "report/read_json.h"
#include "table.h"
#include "repro/todo.h"

#define ASKED "protocol=cumulative loop=open tokens=64"
#define PLACE .section = "toys", .place = "nowhere", .title = "A toy"
enum { INSTANCES = 4 };

static const sw_experiment has = {
    .id = "has",
    PLACE,
    .seeds = {3, 3},
    .column = COLUMNS(SOLVED("solved", ASKED),
                      NUMBER("decisions", ASKED, "decisions"),
                      CARD("size", "parameters", "")),
    .row = ROWS(MODEL("other", "", "blocks5-ssa", 0),
                MODEL("theirs", "", "blocks7-ssa", 0))};
static sw_experiment second = {.id = "second",
                               PLACE,
                               .seeds = {3, 3},
                               .column = has.column,
                               .row = has.row};

/* The same asked in other words, the row's tokens over the column's. */
static sw_repro_column columns[4];
static sw_repro_row rows[2];
static sw_experiment lacks;
static const sw_experiment *const all[] = {&has, &second, &lacks, NULL};

static inline void tables(void) {
  columns[0] = (sw_repro_column)NUMBER(
      "steps", "tokens=9 protocol=cumulative loop=open", "decisions");
  columns[1] =
      (sw_repro_column)SOLVED("share", "loop=open protocol=cumulative");
  columns[2] = (sw_repro_column)CHANGE("change", 0, 1);
  rows[0] =
      (sw_repro_row)MODEL("mine", "", "blocks7-ssa", .search = "tokens=64");
  lacks = (sw_experiment){.id = "lacks",
                          PLACE,
                          .seeds = {2, 2},
                          .column = columns,
                          .row = rows,
                          .beside = SW_BESIDE_EXACT};
}

/* ---- kept objects ---- */

static char *directory;

static void add_value(sw_repro_cell *c, int64_t seed, double value, int by) {
  c->value = realloc(c->value, sizeof *c->value * ((size_t)c->values + 1));
  sw_repro_value *v = &c->value[c->values++];
  *v = (sw_repro_value){.seed = seed, .value = value, .origin = by};
  v->low = v->high = NAN;
  if (c->column == 2) return; /* of the run card */
  v->outcomes = INSTANCES;
  v->each = calloc(INSTANCES, sizeof *v->each);
  for (int i = 0; i < INSTANCES; i++)
    v->each[i] = c->column ? value + i : i < value * INSTANCES;
}

/* Row `row` of an experiment and seeds 42 and 123, each by a run of its own, as
 * a kept object; the numbers are `base` and more. */
static inline json_t *kept_of(const sw_experiment *e, int row, double base) {
  char path[300];
  sw_err err = {0};
  json_t *kept;
  sw_repro_result r = {.experiment = e};
  if (sw_kept_merge(&r, NULL, NULL, NULL, &err)) fail_msg("%s", err.text);
  r.origin = calloc(2, sizeof *r.origin);
  r.model = calloc(2, sizeof *r.model);
  r.origins = r.models = 2;
  for (int s = 0; s < 2; s++) {
    snprintf(r.origin[s].command, sizeof r.origin[s].command, "%s run %d",
             e->id, s);
    r.model[s] = (sw_repro_model){.row = &e->row[row],
                                  .trained = sw_trained_find(e->row[row].model),
                                  .seed = sw_repro_seed(s),
                                  .hash = "0123",
                                  .origin = s};
    for (int i = 0; i < r.cells; i++)
      if (r.cell[i].row == &e->row[row] &&
          !sw_column_follows(&e->column[r.cell[i].column])) {
        add_value(&r.cell[i], sw_repro_seed(s), base + s * 0.25, s);
        for (int b = 0; b < SW_REPRO_ROLES; b++) r.cell[i].beside[b] = 0.5;
      }
  }
  snprintf(path, sizeof path, "%s/%s.json", directory, e->id);
  if (sw_repro_sum_up(&r, &err) || sw_kept_write(&r, "", path, &err) ||
      sw_read_json(path, &kept, &err))
    fail_msg("%s", err.text);
  remove(path);
  sw_repro_free(&r);
  return kept;
}

typedef struct told {
  int count;
  char line[8][200];
} told;
static void hear(void *context, const char *line) {
  told *t = context;
  snprintf(t->line[t->count++ % 8], 200, "%s", line);
}

/* With `source` of the first table and `two` of the second (NULL: none). */
static inline json_t *shared(json_t *source, json_t *two, json_t *mine,
                             int replace, told *t) {
  json_t *files[] = {source, two, NULL}, *enlarged;
  sw_kept_shelf shelf = {
      .experiment = all, .directory = "", .replace = replace, .kept = files};
  sw_err err = {0};
  t->count = 0;
  if (sw_kept_share(&shelf, &lacks, mine, &enlarged, t, hear, &err))
    fail_msg("%s", err.text);
  return enlarged;
}

static inline json_t *value_at(const json_t *kept, const sw_repro_row *row,
                               const char *column, size_t at) {
  return json_array_get(
      json_object_get(sw_kept_cell(kept, row, column), "values"), at);
}

static inline const char *run_of(const json_t *kept, const json_t *item) {
  const json_t *list = json_object_get(kept, "made_by");
  size_t by = (size_t)sw_member_int(item, "by", 99);
  return sw_member_text(json_array_get(list, by), "command", "none");
}

static int prepare(void **state) {
  (void)state;
  directory = tiny_run_directory();
  return directory ? 0 : -1;
}

static int clean(void **state) {
  (void)state;
  tiny_run_remove(directory);
  return 0;
}

#endif
