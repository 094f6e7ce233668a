/* Kept results against the paper and against new ones; what is kept (see
 * kept.h). */
#include "repro/kept.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stats.h"
#include "base/text.h"
#include "report/read_json.h"
#include "repro/figure.h"

/* Half a unit of the last digit that is printed of a number. */
static double half_a_digit(const char *number, const char *end) {
  const char *point = memchr(number, '.', (size_t)(end - number));
  return 0.5 * pow(10, point ? -(double)(end - point - 1) : 0);
}

/* A side without an interval reaches nowhere. */
static double reach(double from, double to) {
  return to > from ? to - from : 0;
}

int sw_kept_agrees(const char *figure, sw_printed printed, double mean,
                   double low, double high) {
  enum { INSTANCES = 200 };
  char *end;
  double unit = printed == SW_PERCENT ? 100 : 1,
         theirs = sw_text_real(figure, &end) / unit;
  if (end == figure || isnan(mean)) return -1;
  double down = half_a_digit(figure, end) / unit, up = down;
  const char *sign = strstr(end, "±");
  if (sign) {
    double sd = sw_text_real(sign + strlen("±"), NULL) / unit;
    down = up = fmax(down, 2 * sd);
  }
  if (printed != SW_NUMBER && theirs >= 0 && theirs <= 1) {
    sw_interval i =
        sw_wilson((int64_t)(theirs * INSTANCES + 0.5), INSTANCES, SW_Z95);
    down = fmax(down, theirs - i.low);
    up = fmax(up, i.high - theirs);
  }
  double ours = mean < theirs ? reach(mean, high) : reach(low, mean);
  return fabs(mean - theirs) <= hypot(ours, mean < theirs ? down : up);
}

/* Before version 4 of counting, repeats held more than repeats and decisions
 * left some out (docs/results.md): such values are not what the paper counts.
 * A figure's table says from which version it means what it does today. */
static int is_counted_otherwise(const sw_repro_result *r,
                                const sw_repro_cell *c) {
  const sw_figure *f = sw_column_figure(&r->experiment->column[c->column]);
  for (int i = 0; i < c->values; i++) {
    int by = c->value[i].origin;
    if (f && by < r->origins && r->origin[by].counting < f->since) return 1;
  }
  return 0;
}

/* How the paper prints what a column holds. */
static sw_printed printed_as(const sw_repro_column *c) {
  if (!c->unit) return SW_PERCENT;
  const sw_figure *f = sw_column_figure(c);
  return c->source == SW_SOURCE_SEARCH && f && f->kind == SW_FIGURE_RATE
             ? SW_FRACTION
             : SW_NUMBER;
}

int sw_kept_judge(const sw_repro_result *r, const sw_repro_cell *c) {
  const sw_repro_column *column = &r->experiment->column[c->column];
  double low = c->low, high = c->high;
  sw_printed printed = printed_as(column);
  if (!c->paper || isnan(c->mean) || r->experiment->judged_in ||
      (c->row && c->row->unjudged) || column->counts ||
      sw_column_follows(column) || is_counted_otherwise(r, c))
    return -1;
  /* Kept before its interval was: an estimate whose error nobody knows. */
  if (column->interval && !(low < high) && column->unit) return -1;
  /* A ratio over all searches of one model has none. */
  if (column->source == SW_SOURCE_SEARCH && printed == SW_NUMBER &&
      !(low < high))
    return -1;
  /* A share of so many searches is uncertain also where none of them differs,
   * or where it is a share of something else that was not kept. */
  if (!column->unit && c->instances > 0 && c->mean >= 0 && c->mean <= 1 &&
      !(low < high)) {
    double hits = c->mean * (double)c->instances;
    sw_interval i = sw_wilson((int64_t)(hits + 0.5), c->instances, SW_Z95);
    low = i.low;
    high = i.high;
  }
  return sw_kept_agrees(c->paper, printed, c->mean, low, high);
}

static const json_t *same_cell(const json_t *cells, const json_t *cell) {
  const json_t *other;
  size_t at;
  json_array_foreach(cells, at, other) {
    if (!strcmp(sw_member_text(other, "row", ""),
                sw_member_text(cell, "row", "")) &&
        !strcmp(sw_member_text(other, "column", ""),
                sw_member_text(cell, "column", "")))
      return other;
  }
  return NULL;
}

static const json_t *same_seed(const json_t *cell, const json_t *value) {
  const json_t *other;
  size_t at;
  json_array_foreach(json_object_get(cell, "values"), at, other) {
    if (sw_member_int(other, "seed", 0) == sw_member_int(value, "seed", 0))
      return other;
  }
  /* Older files have 0 for the only repetition of a row without a model. */
  other = json_array_get(json_object_get(cell, "values"), 0);
  return json_array_size(json_object_get(cell, "values")) == 1 &&
                 sw_member_int(other, "seed", 0) == 0
             ? other
             : NULL;
}

/* Both absent, or the same number to the last bit. */
static int same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Times are another's every time. */
static int is_time(const json_t *cell) {
  return !strcmp(sw_member_text(cell, "unit", "%"), "s");
}

static int compare_cell(const json_t *kept, const json_t *fresh, void *context,
                        sw_tell_fn *tell, int *compared) {
  const json_t *value;
  size_t at;
  int differences = 0;
  json_array_foreach(json_object_get(fresh, "values"), at, value) {
    char line[400];
    const json_t *other = same_seed(kept, value);
    if (!other) continue;
    double a = sw_member_real(other, "value", NAN);
    double b = sw_member_real(value, "value", NAN);
    long long before = sw_member_int(other, "instances", 0);
    long long now = sw_member_int(value, "instances", 0);
    ++*compared;
    if (same(a, b) && before == now) continue;
    int end = snprintf(line, sizeof line, "%.100s, %.100s, seed %lld: ",
                       sw_member_text(kept, "label", "-"),
                       sw_member_text(kept, "column", "-"),
                       (long long)sw_member_int(value, "seed", 0));
    if (before != now)
      snprintf(line + end, sizeof line - (size_t)end,
               "kept of %lld instances, now of %lld", before, now);
    else
      snprintf(line + end, sizeof line - (size_t)end, "kept %.17g, now %.17g",
               a, b);
    tell(context, line);
    differences++;
  }
  return differences;
}

int sw_kept_compare(const json_t *kept, const json_t *fresh, void *context,
                    sw_tell_fn *tell, int *compared) {
  const json_t *cell;
  size_t at;
  int differences = 0, values = 0;
  json_array_foreach(json_object_get(fresh, "cells"), at, cell) {
    const json_t *other = same_cell(json_object_get(kept, "cells"), cell);
    if (other && !is_time(cell))
      differences += compare_cell(other, cell, context, tell, &values);
  }
  if (compared) *compared = values;
  return differences;
}

/* ---- what is kept ---- */

static const char *const places[] = {"results", "../results",
                                     "../share/statewise/results"};
enum { PLACES = sizeof places / sizeof *places, INSTALLED = PLACES - 1 };

/* Leaves an empty path where there is none. */
static void find_kept(char *path, size_t room, int count) {
  char program[PATH_MAX] = "";
  const char *given = getenv("STATEWISE_RESULTS");
  snprintf(path, room, "%s", given ? given : "results");
  if (given || sw_is_directory(path)) return;
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  path[0] = 0;
  if (length <= 0) return;
  program[length] = 0;
  char *slash = strrchr(program, '/');
  if (slash) *slash = 0;
  for (int i = 0; i < count; i++) {
    snprintf(path, room, "%s/%s", program, places[i]);
    if (sw_is_directory(path)) return;
  }
  path[0] = 0;
}

void sw_kept_directory(char *path, size_t room) {
  find_kept(path, room, PLACES);
}

void sw_kept_directory_to_keep(char *path, size_t room) {
  find_kept(path, room, INSTALLED);
  if (!*path) snprintf(path, room, "results");
}

const char *sw_kept_state_name(sw_kept_state state) {
  static const char *const names[] = {"never run", "partial", "kept"};
  return names[state];
}

/* Whether a cell has a number of as many models as its row should have. */
static int complete(const sw_experiment *e, const json_t *cell,
                    sw_scale scale) {
  const char *id = sw_member_text(cell, "row", "");
  if (strcmp(sw_member_text(cell, "state", ""), "done")) return 0;
  for (int r = 0; e->row[r].id; r++)
    if (!strcmp(e->row[r].id, id) && e->row[r].model)
      return sw_member_int(cell, "seeds", 0) >=
             sw_row_seeds(e, &e->row[r], scale, 0);
  return 1;
}

sw_kept_state sw_kept_state_of(const sw_experiment *e, const char *directory,
                               int *older) {
  char path[1400];
  snprintf(path, sizeof path, "%s/%s.json", directory, e->id);
  *older = 0;
  return *directory ? sw_kept_state_at(e, path, older) : SW_NEVER_RUN;
}

sw_kept_state sw_kept_state_at(const sw_experiment *e, const char *path,
                               int *older) {
  json_t *kept;
  const json_t *cell;
  size_t at;
  int all = 0, done = 0, whole = 0;
  *older = 0;
  if (sw_read_json(path, &kept, NULL) || !kept) return SW_NEVER_RUN;
  sw_scale scale = sw_kept_scale(kept);
  json_array_foreach(json_object_get(kept, "cells"), at, cell) {
    all++;
    done += !strcmp(sw_member_text(cell, "state", ""), "done");
    whole += complete(e, cell, scale);
  }
  *older = done && !sw_kept_is_todays(kept, e);
  json_decref(kept);
  int wanted = 0, columns_of = sw_experiment_columns(e);
  for (int r = 0; e->row[r].id; r++)
    for (int c = 0; c < columns_of; c++) wanted += sw_row_has(&e->row[r], c);
  if (!done) return SW_NEVER_RUN;
  return whole == all && all >= wanted && !*older ? SW_KEPT : SW_PARTIAL;
}
