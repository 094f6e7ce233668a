/* Statistics between cells (see cells.h). Pairs are of the same seed, and of
 * the same instances; a row without models goes with every seed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "repro/cells.h"

enum { SEED_RESAMPLES = 10000, ROWS = 4 };

/* The cells of a statistic, a minus b (minus c, minus d), and their values side
 * by side: those of the seeds in common, or, unpaired, all of each. */
typedef struct sides {
  const sw_repro_cell *cell[ROWS];
  int cells;
  double *x[ROWS];
  int count[ROWS];
  int64_t *seed; /* in common */
} sides;

static void free_sides(sides *s) {
  for (int i = 0; i < ROWS; i++) free(s->x[i]);
  free(s->seed);
}

/* The cell with most values says which seeds there are. */
static void in_common(sides *s) {
  const sw_repro_cell *most = s->cell[0];
  int count = 0;
  for (int k = 1; k < s->cells; k++)
    if (s->cell[k]->values > most->values) most = s->cell[k];
  for (int i = 0; i < most->values; i++) {
    int all = 1;
    for (int k = 0; k < s->cells && all; k++) {
      const sw_repro_value *v = sw_cell_at(s->cell[k], most->value[i].seed);
      all = v && !isnan(v->value);
      if (all) s->x[k][count] = v->value;
    }
    s->seed[count] = most->value[i].seed;
    count += all;
  }
  for (int k = 0; k < s->cells; k++) s->count[k] = count;
}

static void all_of_each(sides *s) {
  for (int k = 0; k < s->cells; k++)
    for (int i = 0; i < s->cell[k]->values; i++)
      if (!isnan(s->cell[k]->value[i].value))
        s->x[k][s->count[k]++] = s->cell[k]->value[i].value;
}

static int side_by_side(sides *s, int paired, sw_err *err) {
  int most = 0;
  for (int k = 0; k < s->cells; k++)
    if (s->cell[k]->values > most) most = s->cell[k]->values;
  s->seed = malloc(sizeof *s->seed * ((size_t)most + 1));
  int there = s->seed != NULL;
  for (int k = 0; k < s->cells; k++) {
    s->x[k] = malloc(sizeof(double) * ((size_t)most + 1));
    there &= s->x[k] != NULL;
  }
  if (!there) return sw_no_memory(err);
  if (paired) in_common(s);
  else all_of_each(s);
  return SW_OK;
}

/* ---- over seeds ---- */

static void from_t(sw_repro_statistic_value *v, sw_t_test t, double value,
                   int count) {
  v->value = value;
  v->pairs = count;
  v->p = t.p;
  if (isnan(t.error)) return;
  double half = sw_t_of_95(t.degrees) * t.error;
  v->low = value - half;
  v->high = value + half;
}

typedef struct pairs {
  const double *a, *b;
} pairs;

static void mean_difference(const void *context, const int64_t *item,
                            int64_t count, double *out) {
  const pairs *p = context;
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += p->a[item[i]] - p->b[item[i]];
  *out = sum / (double)count;
}

static int resample_seeds(sw_repro_statistic_value *v, const sides *s,
                          sw_err *err) {
  pairs p = {s->x[0], s->x[1]};
  sw_bootstrap_options o = {.resamples = SEED_RESAMPLES, .seed = SW_CELL_SEED};
  sw_interval i;
  SW_TRY(sw_bootstrap(s->count[0], 1, mean_difference, &p, &o, &i, err));
  v->value = i.point;
  v->pairs = s->count[0];
  if (s->count[0] > 1) v->low = i.low, v->high = i.high;
  return SW_OK;
}

/* The difference of two differences, per seed. */
static void interaction(sw_repro_statistic_value *v, sides *s) {
  int n = s->count[0];
  for (int i = 0; i < n; i++) {
    s->x[0][i] -= s->x[1][i];
    s->x[2][i] -= s->x[3][i];
  }
  sw_t_test t = sw_paired_t(s->x[0], s->x[2], n);
  from_t(v, t, t.mean, n);
}

/* ---- over instances ---- */

/* Differences of single instances, on average over the seeds in common; NULL
 * where some value was kept without them (or memory ran out: *code). */
static double *by_instance(const sides *s, int64_t *count, int *code,
                           sw_err *err) {
  const sw_repro_value *first = sw_cell_at(s->cell[0], s->seed[0]);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < s->count[0]; i++) {
      const sw_repro_value *v = sw_cell_at(s->cell[k], s->seed[i]);
      if (!v->each || v->outcomes != first->outcomes || v->outcomes < 1)
        return NULL;
    }
  *count = first->outcomes;
  double *gap = calloc((size_t)*count, sizeof *gap);
  if (!gap) {
    *code = sw_no_memory(err);
    return NULL;
  }
  for (int i = 0; i < s->count[0]; i++) {
    const double *a = sw_cell_at(s->cell[0], s->seed[i])->each,
                 *b = sw_cell_at(s->cell[1], s->seed[i])->each;
    for (int64_t k = 0; k < *count; k++) gap[k] += (a[k] - b[k]) / s->count[0];
  }
  return gap;
}

/* One seed: the instances are what varies. Several: t over them, and an
 * interval that has the spread of the instances too. */
static int over_instances(sw_repro_statistic_value *v, const sides *s,
                          sw_err *err) {
  int seeds = s->count[0], code = SW_OK;
  int64_t count = 0;
  double *gap = by_instance(s, &count, &code, err);
  if (code) return code;
  v->by_seeds = !gap;
  sw_t_test t = sw_paired_t(s->x[0], s->x[1], seeds);
  from_t(v, t, t.mean, seeds);
  if (gap && seeds == 1) {
    sw_bootstrap_options o = {.resamples = SW_CELL_RESAMPLES,
                              .seed = SW_CELL_SEED};
    sw_interval i;
    code = sw_bootstrap_mean(gap, count, &o, &i, err);
    if (!code && count > 1) v->low = i.low, v->high = i.high;
    v->pairs = (int)count;
  } else if (gap) {
    v->over_both = 1;
    for (int i = 0; i < seeds; i++) s->x[0][i] -= s->x[1][i];
    double half = sw_half_of_95(s->x[0], seeds, gap, count);
    v->low = v->value - half;
    v->high = v->value + half;
  }
  free(gap);
  return code;
}

int sw_cell_statistic(const sw_repro_result *r, sw_repro_statistic_value *v,
                      sw_err *err) {
  const sw_repro_statistic *what = v->statistic;
  const char *const row[ROWS] = {what->a, what->b, what->c, what->d};
  int other = what->other ? what->other - 1 : what->column;
  sides s = {0};
  v->value = v->low = v->high = v->p = NAN;
  for (; s.cells < ROWS && row[s.cells]; s.cells++) {
    int column = s.cells % 2 ? other : what->column;
    s.cell[s.cells] = sw_repro_cell_of(r, row[s.cells], column);
    if (!s.cell[s.cells] || !s.cell[s.cells]->values) return SW_OK;
  }
  int code = side_by_side(&s, what->kind != SW_TEST_WELCH_T, err);
  int n = s.count[0] < s.count[1] ? s.count[0] : s.count[1];
  if (!code && n > 0) switch (what->kind) {
      case SW_TEST_WELCH_T: {
        sw_t_test t = sw_welch_t(s.x[0], s.count[0], s.x[1], s.count[1]);
        from_t(v, t, t.mean, n);
        break;
      }
      case SW_TEST_PAIRED_T: {
        sw_t_test t = sw_paired_t(s.x[0], s.x[1], n);
        from_t(v, t, t.mean, n);
        break;
      }
      case SW_TEST_SEEDS:
        code = resample_seeds(v, &s, err);
        break;
      case SW_TEST_INSTANCES:
        code = over_instances(v, &s, err);
        break;
      case SW_TEST_INTERACTION:
        interaction(v, &s);
        break;
    }
  free_sides(&s);
  return code;
}
