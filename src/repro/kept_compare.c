/* Kept results against the paper and against new ones; what is kept (see
 * kept.h). */
#include "repro/cells.h"
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
#include "repro/figure.h"

/* Half a unit of the last digit that is printed of a number. */
static double half_a_digit(const char *number, const char *end) {
  const char *point = memchr(number, '.', (size_t)(end - number));
  return 0.5 * pow(10, point ? -(double)(end - point - 1) : 0);
}

/* A side without an interval has the half-width 0. */
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
  /* An estimate that was kept before its interval was: its error is unknown. */
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

/* Both absent, or the same number to the last bit. */
static int same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Times differ from run to run. */
static int is_time(const sw_repro_column *c) {
  return c->unit && !strcmp(c->unit, "s");
}

static int compare_cell(const sw_repro_result *r, const sw_repro_cell *kept,
                        const sw_repro_cell *fresh, void *context,
                        sw_tell_fn *tell, int *compared) {
  int differences = 0;
  for (int i = 0; i < fresh->values; i++) {
    char line[400];
    const sw_repro_value *now = &fresh->value[i],
                         *then = sw_cell_at(kept, now->seed);
    if (!then) continue;
    ++*compared;
    if (same(then->value, now->value) && then->outcomes == now->outcomes)
      continue;
    int end = snprintf(
        line, sizeof line, "%.100s, %.100s, seed %lld: ", fresh->row->label,
        r->experiment->column[fresh->column].title, (long long)now->seed);
    if (then->outcomes != now->outcomes)
      snprintf(line + end, sizeof line - (size_t)end,
               "kept of %lld instances, now of %lld", (long long)then->outcomes,
               (long long)now->outcomes);
    else
      snprintf(line + end, sizeof line - (size_t)end, "kept %.17g, now %.17g",
               then->value, now->value);
    tell(context, line);
    differences++;
  }
  return differences;
}

int sw_kept_compare(const sw_repro_result *kept, const sw_repro_result *fresh,
                    void *context, sw_tell_fn *tell, int *compared) {
  int differences = 0, values = 0;
  for (int i = 0; i < fresh->cells; i++) {
    const sw_repro_cell *c = &fresh->cell[i],
                        *other = sw_repro_cell_of(kept, c->row->id, c->column);
    if (other && !is_time(&fresh->experiment->column[c->column]))
      differences += compare_cell(fresh, other, c, context, tell, &values);
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
static int is_complete(const sw_repro_result *r, const sw_repro_cell *c) {
  int wanted =
      c->row->model ? sw_row_seeds(r->experiment, c->row, r->scale, 0) : 1;
  return !c->needs && c->values >= wanted;
}

sw_kept_state sw_kept_state_of(const sw_repro_result *r) {
  int done = 0, whole = 0;
  for (int i = 0; i < r->cells; i++) {
    done += !r->cell[i].needs && r->cell[i].values > 0;
    whole += is_complete(r, &r->cell[i]);
  }
  if (!done) return SW_NEVER_RUN;
  return whole == r->cells && !r->older ? SW_KEPT : SW_PARTIAL;
}
