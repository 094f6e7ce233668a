/* Means, deviations, intervals and statistics of an experiment's cells. The
 * interval of a figure that single instances have is a bootstrap over seeds and
 * instances together (of a share with one seed, or with all instances alike:
 * Wilson's); of other figures it is Student's over the seeds, or the measure's
 * own with one seed. All draws are seeded: a table is the same on every run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "base/rng.h"
#include "repro/runner.h"

enum { RESAMPLES = 2000, SEED_RESAMPLES = 10000, SEED = 42 };

/* ---- one cell ---- */

/* Values that are numbers, in order of seeds. */
static int numbers(const sw_repro_cell *c, double *x) {
  int count = 0;
  for (int i = 0; i < c->values; i++)
    if (!isnan(c->value[i].value)) x[count++] = c->value[i].value;
  return count;
}

static int is_each(const sw_repro_cell *c) {
  for (int i = 0; i < c->values; i++)
    if (!c->value[i].each || c->value[i].outcomes != c->value[0].outcomes)
      return 0;
  return c->values > 0 && c->value[0].outcomes > 0;
}

/* The t with a two-sided p of 0.05, by halving. */
static double t_of_95(double degrees) {
  double low = 0, high = 1000;
  for (int i = 0; i < 60; i++) {
    double middle = (low + high) / 2;
    if (sw_t_pvalue(middle, degrees) > 0.05) low = middle;
    else high = middle;
  }
  return high;
}

/* Seeds and instances drawn with replacement, together. */
static int both_ways(sw_repro_cell *c, sw_err *err) {
  int64_t n = c->value[0].outcomes;
  double *mean = malloc(sizeof *mean * RESAMPLES);
  int64_t *drawn = malloc(sizeof *drawn * (size_t)n);
  if (!mean || !drawn) {
    free(mean);
    free(drawn);
    return sw_fail(err, SW_MEMORY, "out of memory");
  }
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, SEED);
  for (int r = 0; r < RESAMPLES; r++) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
      drawn[i] = (int64_t)sw_xoshiro_below(&rng, (uint64_t)n);
    for (int s = 0; s < c->values; s++) {
      const double *each =
          c->value[sw_xoshiro_below(&rng, (uint64_t)c->values)].each;
      for (int64_t i = 0; i < n; i++) sum += each[drawn[i]];
    }
    mean[r] = sum / (double)(n * c->values);
  }
  sw_sort_doubles(mean, RESAMPLES);
  c->low = sw_quantile_sorted(mean, RESAMPLES, 0.025);
  c->high = sw_quantile_sorted(mean, RESAMPLES, 0.975);
  free(mean);
  free(drawn);
  return SW_OK;
}

static int is_share(const sw_repro_cell *c) {
  const sw_repro_value *v = &c->value[0];
  for (int64_t i = 0; i < v->outcomes; i++)
    if (v->each[i] != 0 && v->each[i] != 1) return 0;
  return 1;
}

/* Seconds are the machine's and its other work's: no sample of
 * anything, so they get no interval. */
static int is_time(const sw_repro_result *r, const sw_repro_cell *c) {
  const sw_repro_column *column = &r->experiment->column[c->column];
  return column->unit && !strcmp(column->unit, "s");
}

/* The share of searches that end solved: between 0 and 1, whatever a formula
 * says. */
static int is_solved(const sw_repro_result *r, const sw_repro_cell *c) {
  const sw_repro_column *column = &r->experiment->column[c->column];
  return column->source == SW_SOURCE_SEARCH &&
         (!column->figure || !strcmp(column->figure, "solve_rate"));
}

/* Values that were kept without single instances: over seeds. A share of
 * searches also has the spread of its instances, which all seeds share. */
static void by_seeds(const sw_repro_result *r, sw_repro_cell *c, int count) {
  double half = t_of_95(count - 1) * c->sd / sqrt((double)count);
  int solved = is_solved(r, c) && c->instances > 0;
  if (solved && (c->mean == 0 || c->mean == 1)) {
    sw_interval i =
        sw_wilson(c->mean > 0 ? c->instances : 0, c->instances, SW_Z95);
    c->low = i.low;
    c->high = i.high;
    return;
  }
  if (solved)
    half = sqrt(half * half + SW_Z95 * SW_Z95 * c->mean * (1 - c->mean) /
                                  (double)c->instances);
  c->low = c->mean - half;
  c->high = c->mean + half;
  if (solved && c->low < 0) c->low = 0;
  if (solved && c->high > 1) c->high = 1;
}

static int sum_cell(const sw_repro_result *r, sw_repro_cell *c, sw_err *err) {
  double *x = malloc(sizeof *x * (size_t)(c->values + 1));
  if (!x) return sw_fail(err, SW_MEMORY, "out of memory");
  int count = numbers(c, x);
  c->mean = count ? sw_mean(x, count) : NAN;
  c->sd = sw_sd(x, count);
  double low = c->low, high = c->high;
  c->low = c->high = NAN;
  c->instances = c->values ? c->value[0].outcomes : 0;
  int code = SW_OK;
  /* One model, or nothing that a bootstrap could see vary: Wilson's over the
   * instances. */
  int constant = c->mean == 0 || c->mean == 1;
  if (c->as_kept && !is_each(c)) {
    c->low = low;
    c->high = high;
  } else if (is_time(r, c)) {
    c->low = c->high = NAN;
  } else if (is_each(c) && is_share(c) &&
             (count == 1 || (count == c->values && constant))) {
    int64_t hits = (int64_t)(c->mean * (double)c->instances + 0.5);
    sw_interval i = sw_wilson(hits, c->instances, SW_Z95);
    c->low = i.low;
    c->high = i.high;
  } else if (count == c->values && is_each(c)) {
    code = both_ways(c, err);
  } else if (count > 1) {
    by_seeds(r, c, count);
  } else if (count) {
    c->low = c->value[0].low;
    c->high = c->value[0].high;
  }
  free(x);
  return code;
}

/* ---- statistics ---- */

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

static int bootstrap(sw_repro_statistic_value *v, const double *a,
                     const double *b, int64_t count, int64_t resamples,
                     sw_err *err) {
  pairs p = {a, b};
  sw_bootstrap_options o = {.resamples = resamples, .seed = SEED};
  sw_interval i;
  if (!count) return SW_OK;
  SW_TRY(sw_bootstrap(count, 1, mean_difference, &p, &o, &i, err));
  v->value = i.point;
  v->pairs = (int)count;
  if (count > 1) v->low = i.low, v->high = i.high;
  return SW_OK;
}

/* What a cell's models do on single instances, on average over seeds. */
static double *by_instance(const sw_repro_cell *c, int64_t n) {
  double *mean = calloc((size_t)n + 1, sizeof *mean);
  for (int s = 0; mean && s < c->values; s++)
    for (int64_t i = 0; i < n; i++)
      mean[i] += c->value[s].each[i] / (double)c->values;
  return mean;
}

static int by_instances(sw_repro_statistic_value *v, const sw_repro_cell *a,
                        const sw_repro_cell *b, sw_err *err) {
  int64_t n = a->value[0].outcomes < b->value[0].outcomes
                  ? a->value[0].outcomes
                  : b->value[0].outcomes;
  double *x = by_instance(a, n), *y = by_instance(b, n);
  int code = x && y ? bootstrap(v, x, y, n, RESAMPLES, err)
                    : sw_fail(err, SW_MEMORY, "out of memory");
  free(x);
  free(y);
  return code;
}

static void from_t(sw_repro_statistic_value *v, sw_t_test t, double value,
                   int count) {
  v->value = value;
  v->pairs = count;
  v->p = t.p;
  if (count < 2 || isnan(t.t) || t.t == 0) return;
  double half = t_of_95(t.degrees) * fabs(value / t.t);
  v->low = value - half;
  v->high = value + half;
}

static int over_seeds(sw_repro_statistic_value *v, const double *x[4],
                      const int count[4], sw_err *err) {
  int kind = (int)v->statistic->kind;
  int n = count[0] < count[1] ? count[0] : count[1];
  if (n < 1) return SW_OK;
  double difference = sw_mean(x[0], count[0]) - sw_mean(x[1], count[1]);
  if (kind == SW_TEST_WELCH_T)
    from_t(v, sw_welch_t(x[0], count[0], x[1], count[1]), difference, n);
  else if (kind == SW_TEST_PAIRED_T || v->by_seeds)
    from_t(v, sw_paired_t(x[0], x[1], n), difference, n);
  else if (kind == SW_TEST_SEEDS)
    return bootstrap(v, x[0], x[1], n, SEED_RESAMPLES, err);
  else { /* interaction: the difference of two differences, per seed */
    for (int i = 2; i < 4; i++)
      if (count[i] < n) n = count[i];
    if (n < 1) return SW_OK;
    double *left = malloc(sizeof *left * (size_t)n * 2), *right = left + n;
    if (!left) return sw_fail(err, SW_MEMORY, "out of memory");
    for (int i = 0; i < n; i++) {
      left[i] = x[0][i] - x[1][i];
      right[i] = x[2][i] - x[3][i];
    }
    from_t(v, sw_paired_t(left, right, n), sw_mean(left, n) - sw_mean(right, n),
           n);
    free(left);
  }
  return SW_OK;
}

static const sw_repro_value *of_seed(const sw_repro_cell *c, int64_t seed) {
  for (int i = 0; i < c->values; i++)
    if (c->value[i].seed == seed) return &c->value[i];
  return NULL;
}

/* The values of the seeds that all cells have, side by side. */
static int in_common(const sw_repro_cell *const *cell, int cells,
                     double *const *x) {
  int count = 0;
  for (int i = 0; i < cell[0]->values; i++) {
    int all = 1;
    for (int k = 0; k < cells && all; k++) {
      const sw_repro_value *v = of_seed(cell[k], cell[0]->value[i].seed);
      all = v && !isnan(v->value);
      if (all) x[k][count] = v->value;
    }
    count += all;
  }
  return count;
}

static int sum_statistic(const sw_repro_result *r, sw_repro_statistic_value *v,
                         sw_err *err) {
  const sw_repro_statistic *s = v->statistic;
  const char *const row[4] = {s->a, s->b, s->c, s->d};
  int other = s->other ? s->other - 1 : s->column;
  const sw_repro_cell *cell[4] = {0};
  const double *x[4] = {0};
  int count[4] = {0}, code = SW_OK, cells = 0;
  v->value = v->low = v->high = v->p = NAN;
  for (; cells < 4 && row[cells]; cells++) {
    cell[cells] =
        sw_repro_cell_of(r, row[cells], cells % 2 ? other : s->column);
    if (!cell[cells] || !cell[cells]->values) return SW_OK;
  }
  if (s->kind == SW_TEST_INSTANCES) {
    v->by_seeds = !is_each(cell[0]) || !is_each(cell[1]);
    if (!v->by_seeds) return by_instances(v, cell[0], cell[1], err);
  }
  double *all[4] = {0};
  for (int i = 0; i < cells && !code; i++) {
    all[i] = malloc(sizeof(double) *
                    (size_t)(cell[0]->values + cell[i]->values + 1));
    if (!all[i]) code = sw_fail(err, SW_MEMORY, "out of memory");
    else count[i] = numbers(cell[i], all[i]);
    x[i] = all[i];
  }
  if (!code && s->kind != SW_TEST_WELCH_T) {
    int n = in_common(cell, cells, all);
    for (int i = 0; i < cells; i++) count[i] = n;
  }
  if (!code) code = over_seeds(v, x, count, err);
  for (int i = 0; i < 4; i++) free(all[i]);
  return code;
}

/* ---- columns that follow from others ---- */

/* As many values as the column has that it is made of, with their seeds. */
static int derived_values(sw_repro_cell *cell, const sw_repro_cell *of,
                          sw_err *err) {
  int count = of ? of->values : 0;
  sw_repro_value *value = calloc((size_t)count + 1, sizeof *value);
  if (!value) return sw_fail(err, SW_MEMORY, "out of memory");
  free(cell->value); /* such values own nothing */
  cell->value = value;
  cell->values = count;
  for (int i = 0; i < count; i++)
    value[i] = (sw_repro_value){.seed = of->value[i].seed,
                                .origin = of->value[i].origin,
                                .value = NAN,
                                .low = NAN,
                                .high = NAN};
  return SW_OK;
}

static double value_of(const sw_repro_cell *c, int64_t seed) {
  const sw_repro_value *v = c ? of_seed(c, seed) : NULL;
  return v ? v->value : NAN;
}

/* The share of the way from one row to another, repetition by repetition; of
 * rows with other numbers of them, of the means. Where the two are closer than
 * LEAST_GAP there is nothing to close. */
static const double LEAST_GAP = 0.02;
static double row_value(const sw_repro_cell *c, int at, int count) {
  double sum = 0;
  if (!c || !c->values) return NAN;
  if (c->values == count) return c->value[at].value;
  for (int i = 0; i < c->values; i++) sum += c->value[i].value;
  return sum / c->values;
}

static int derive(const sw_repro_result *r, sw_repro_cell *cell, sw_err *err) {
  const sw_repro_column *c = &r->experiment->column[cell->column];
  if (c->source != SW_SOURCE_CHANGE && c->source != SW_SOURCE_GAP) return SW_OK;
  const sw_repro_cell *own = sw_repro_cell_of(r, cell->row->id, c->a);
  SW_TRY(derived_values(cell, own, err));
  if (c->source == SW_SOURCE_CHANGE) {
    const sw_repro_cell *b = sw_repro_cell_of(r, cell->row->id, c->b);
    for (int i = 0; i < cell->values; i++)
      cell->value[i].value =
          own->value[i].value - value_of(b, cell->value[i].seed);
    return SW_OK;
  }
  const sw_repro_cell *from = sw_repro_cell_of(r, c->from, c->a),
                      *to = sw_repro_cell_of(r, c->to, c->a);
  for (int i = 0; i < cell->values; i++) {
    double low = row_value(from, i, cell->values);
    double whole = row_value(to, i, cell->values) - low;
    if (fabs(whole) >= LEAST_GAP)
      cell->value[i].value = (own->value[i].value - low) / whole;
  }
  return SW_OK;
}

int sw_repro_sum_up(sw_repro_result *r, sw_err *err) {
  const sw_repro_statistic *s = r->experiment->statistic;
  for (int i = 0; i < r->cells; i++) SW_TRY(derive(r, &r->cell[i], err));
  for (int i = 0; i < r->cells; i++) SW_TRY(sum_cell(r, &r->cell[i], err));
  r->statistics = 0;
  while (s && s[r->statistics].title) r->statistics++;
  free(r->statistic);
  r->statistic = calloc((size_t)r->statistics + 1, sizeof *r->statistic);
  if (!r->statistic) return sw_fail(err, SW_MEMORY, "out of memory");
  for (int i = 0; i < r->statistics; i++) {
    r->statistic[i].statistic = &s[i];
    SW_TRY(sum_statistic(r, &r->statistic[i], err));
  }
  return SW_OK;
}

const sw_repro_cell *sw_repro_cell_of(const sw_repro_result *r, const char *row,
                                      int column) {
  for (int i = 0; i < r->cells; i++)
    if (r->cell[i].column == column && !strcmp(r->cell[i].row->id, row))
      return &r->cell[i];
  return NULL;
}
