/* The tables of one experiment.json (docs/notebook/experiment-json.md):
 * its cells, one line each, and its statistics. Read by the report, printed by
 * `repro`. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/kept_pages.h"
#include "report/read_json.h"
#include "report/tables.h"

#define HEADS(...) ((const char *const[]){__VA_ARGS__, NULL})
enum {
  ROW,
  COLUMN,
  PAPER,
  OURS,
  INTERVAL,
  TRIVIAL, /* floor, exact rule, ceiling */
  MODELS = TRIVIAL + 4,
  ENDED
};

/* Shares are shown in percent; other units as they are. */
static int is_share(const json_t *cell) {
  return !strcmp(sw_member_text(cell, "unit", "%"), "%");
}

/* A number that is no share: so many digits, or all in front of the point. */
typedef struct shown {
  char text[32];
} shown;
static shown number(double value, int digits) {
  shown s;
  int whole = fabs(value) >= pow(10, digits) && fabs(value) < 1e15;
  if (whole) snprintf(s.text, sizeof s.text, "%.0f", value);
  else snprintf(s.text, sizeof s.text, "%.*g", digits, value);
  return s;
}

static void put_value(sw_table *t, int column, const json_t *cell,
                      const char *path) {
  double value = sw_member_real(cell, path, NAN);
  if (isnan(value)) sw_table_put(t, column, "-");
  else if (is_share(cell)) sw_table_put(t, column, "%.1f", 100 * value);
  else sw_table_put(t, column, "%s", number(value, 4).text);
}

static void put_ours(sw_table *t, const json_t *cell) {
  double mean = sw_member_real(cell, "value", NAN);
  double sd = sw_member_real(cell, "sd", 0);
  const char *state = sw_member_text(cell, "state", "done");
  if (isnan(mean))
    sw_table_put(t, OURS, "%s", strcmp(state, "done") ? state : "-");
  else if (sw_member_int(cell, "seeds", 1) < 2)
    put_value(t, OURS, cell, "value");
  else if (is_share(cell))
    sw_table_put(t, OURS, "%.1f ± %.1f", 100 * mean, 100 * sd);
  else
    sw_table_put(t, OURS, "%s ± %s", number(mean, 4).text, number(sd, 2).text);
}

static void put_interval(sw_table *t, int column, const json_t *cell) {
  double low = sw_member_real(cell, "low", NAN);
  double high = sw_member_real(cell, "high", NAN);
  if (isnan(low) || isnan(high)) sw_table_put(t, column, "-");
  else if (is_share(cell))
    sw_table_put(t, column, "%.1f to %.1f", 100 * low, 100 * high);
  else
    sw_table_put(t, column, "%s to %s", number(low, 4).text,
                 number(high, 4).text);
}

static void put_models(sw_table *t, const json_t *cell) {
  long long seeds = sw_member_int(cell, "seeds", 0);
  long long instances = sw_member_int(cell, "instances", 0);
  if (instances) sw_table_put(t, MODELS, "%lld x %lld", seeds, instances);
  else if (seeds) sw_table_put(t, MODELS, "%lld", seeds);
  else sw_table_put(t, MODELS, "-");
}

/* How the training of a row's models ended: "flat", or "flat, cap, flat". */
static void put_ended(sw_table *t, const json_t *experiment, const char *row) {
  char text[120] = "";
  const char *first = NULL;
  const json_t *model;
  size_t at, used = 0;
  int same = 1;
  json_array_foreach(json_object_get(experiment, "models"), at, model) {
    const char *ended = sw_member_text(model, "ended", "");
    if (strcmp(sw_member_text(model, "row", ""), row) || !*ended) continue;
    if (first && strcmp(first, ended)) same = 0;
    int wrote = snprintf(text + used, sizeof text - used, "%s%.20s",
                         first ? ", " : "", ended);
    if (wrote > 0 && used + (size_t)wrote < sizeof text) used += (size_t)wrote;
    if (!first) first = ended;
  }
  sw_table_put(t, ENDED, "%s", !first ? "-" : same ? first : text);
}

/* Rules stand beside models, under the same verifier. A row that is itself a
 * rule has none beside it. */
static void put_beside(sw_table *t, const json_t *experiment,
                       const json_t *cell) {
  static const char *const member[] = {"trivial", "floor", "rule", "ceiling"};
  const json_t *row = sw_kept_named(json_object_get(experiment, "rows"), "id",
                                    sw_member_text(cell, "row", ""));
  int is_rule = json_object_get(row, "rule") != NULL;
  for (int k = 0; k < 4; k++)
    if (is_rule) sw_table_put(t, TRIVIAL + k, "-");
    else put_value(t, TRIVIAL + k, cell, member[k]);
}

static void cells(const json_t *experiment, sw_table_list *list) {
  char id[64];
  const json_t *cell;
  size_t at;
  snprintf(id, sizeof id, "cells-%s",
           sw_member_text(experiment, "experiment", "of an experiment"));
  sw_table *t = sw_table_add(
      list, id, sw_member_text(experiment, "title", "An experiment"),
      HEADS("model", "column", "paper", "ours", "95 %", "trivial", "floor",
            "exact rule", "ceiling", "models x instances", "training ended"));
  t->texts = 2;
  t->note = sw_member_text(experiment, "words", NULL);
  json_array_foreach(json_object_get(experiment, "cells"), at, cell) {
    sw_table_row(t);
    sw_table_put(t, ROW, "%s", sw_member_text(cell, "label", "-"));
    sw_table_put(t, COLUMN, "%s", sw_member_text(cell, "column", "-"));
    sw_table_put(t, PAPER, "%s", sw_member_text(cell, "paper", "-"));
    put_ours(t, cell);
    put_interval(t, INTERVAL, cell);
    put_beside(t, experiment, cell);
    put_models(t, cell);
    put_ended(t, experiment, sw_member_text(cell, "row", ""));
  }
}

static void put_p(sw_table *t, int column, double p) {
  if (isnan(p)) sw_table_put(t, column, "-");
  else if (p < 0.001) sw_table_put(t, column, "%.1e", p);
  else sw_table_put(t, column, "%.3f", p);
}

static void statistics(const json_t *experiment, sw_table_list *list) {
  char id[64];
  const json_t *row;
  size_t at;
  const json_t *rows = json_object_get(experiment, "statistics");
  if (!json_array_size(rows)) return;
  snprintf(id, sizeof id, "statistics-%s",
           sw_member_text(experiment, "experiment", "of an experiment"));
  sw_table *t = sw_table_add(
      list, id, "Differences, and whether they are more than noise",
      HEADS("difference", "test", "paper", "ours", "95 %", "p", "pairs"));
  t->texts = 2;
  json_array_foreach(rows, at, row) {
    sw_table_row(t);
    sw_table_put(t, 0, "%s", sw_member_text(row, "title", "-"));
    sw_table_put(t, 1, "%s", sw_member_text(row, "test", "-"));
    sw_table_put(t, 2, "%s", sw_member_text(row, "paper", "-"));
    put_value(t, 3, row, "value");
    put_interval(t, 4, row);
    put_p(t, 5, sw_member_real(row, "p", NAN));
    sw_table_put(t, 6, "%lld", (long long)sw_member_int(row, "pairs", 0));
  }
}

void sw_experiment_derived(const json_t *experiment, sw_table_list *list) {
  statistics(experiment, list);
  sw_curve_table(experiment, list);
}

void sw_experiment_tables(const json_t *experiment, sw_table_list *list) {
  cells(experiment, list);
  sw_experiment_derived(experiment, list);
}
