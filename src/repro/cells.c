/* Means, deviations and intervals of an experiment's cells. Several seeds:
 * Student's over them, together with the spread of the instances where single
 * ones are known or the figure is a share of searches. One seed: over the
 * instances (a share: Wilson's, else a bootstrap), or the measure's own. All
 * draws are seeded: a table is the same on every run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "repro/cells.h"
#include "repro/figure.h"

/* ---- what a column holds ---- */

static const sw_repro_column *column_of(const sw_repro_result *r,
                                        const sw_repro_cell *c) {
  return &r->experiment->column[c->column];
}

/* Seconds depend on the machine and its load. They are no sample, so they get
 * no interval. */
static int is_time(const sw_repro_column *c) {
  return c->unit && !strcmp(c->unit, "s");
}

/* Searches that did, of all that were made. */
static int is_share_of_searches(const sw_repro_column *c) {
  if (c->unit || c->source != SW_SOURCE_SEARCH) return 0;
  const sw_figure *f = sw_column_figure(c);
  return f && f->kind == SW_FIGURE_SHARE;
}

/* ---- one cell ---- */

/* Values that are numbers, in order of seeds. */
static int numbers(const sw_repro_cell *c, double *x) {
  int count = 0;
  for (int i = 0; i < c->values; i++)
    if (!isnan(c->value[i].value)) x[count++] = c->value[i].value;
  return count;
}

int sw_cell_has_each(const sw_repro_cell *c) {
  for (int i = 0; i < c->values; i++)
    if (!c->value[i].each || c->value[i].outcomes != c->value[0].outcomes)
      return 0;
  return c->values > 0 && c->value[0].outcomes > 0;
}

double sw_half_of_95(const double *seed, int seeds, const double *instance,
                     int64_t instances) {
  double half = 0, of_instances = 0;
  if (seeds > 1)
    half = sw_t_of_95(seeds - 1) * sw_sd(seed, seeds) / sqrt((double)seeds);
  if (instance && instances > 1)
    of_instances =
        SW_Z95 * sw_sd(instance, instances) / sqrt((double)instances);
  return sqrt(half * half + of_instances * of_instances);
}

/* Where nothing varied there is no interval: zero events in so many trials do
 * not make an event impossible. */
static void take(sw_repro_cell *c, sw_interval i) {
  if (!(i.low < i.high)) return;
  c->low = i.low;
  c->high = i.high;
}

/* One model: over its instances. */
static int over_instances(sw_repro_cell *c, int share, sw_err *err) {
  sw_interval i;
  sw_bootstrap_options o = {.resamples = SW_CELL_RESAMPLES,
                            .seed = SW_CELL_SEED};
  if (share) {
    int64_t hits = (int64_t)(c->mean * (double)c->instances + 0.5);
    take(c, sw_wilson(hits, c->instances, SW_Z95));
    return SW_OK;
  }
  SW_TRY(sw_bootstrap_mean(c->value[0].each, c->instances, &o, &i, err));
  take(c, i);
  return SW_OK;
}

/* Several models, whose values are `x`. */
static int over_seeds(const sw_repro_column *column, sw_repro_cell *c,
                      const double *x, int count, sw_err *err) {
  int share = is_share_of_searches(column) && c->instances > 0;
  double half = sw_half_of_95(x, count, NULL, 0);
  if (share && (c->mean == 0 || c->mean == 1)) { /* nothing varies */
    take(c, sw_wilson(c->mean > 0 ? c->instances : 0, c->instances, SW_Z95));
    return SW_OK;
  }
  if (count == c->values && sw_cell_has_each(c)) {
    double *mean = calloc((size_t)c->instances + 1, sizeof *mean);
    if (!mean) return sw_no_memory(err);
    for (int s = 0; s < c->values; s++)
      for (int64_t i = 0; i < c->instances; i++)
        mean[i] += c->value[s].each[i] / (double)c->values;
    half = sw_half_of_95(x, count, mean, c->instances);
    free(mean);
  } else if (share) { /* kept without single instances: as if independent */
    double one = c->mean * (1 - c->mean) / (double)c->instances;
    half = sqrt(half * half + SW_Z95 * SW_Z95 * one);
  }
  if (!(half > 0)) return SW_OK;
  c->low = c->mean - half;
  c->high = c->mean + half;
  /* Shares stay shares, whatever a formula says; a rate per something else may
   * exceed one. */
  if (!column->unit && !sw_column_follows(column)) {
    if (c->low < 0) c->low = 0;
    if (c->high > 1 && c->mean <= 1) c->high = 1;
  }
  return SW_OK;
}

static int sum_cell(const sw_repro_result *r, sw_repro_cell *c, sw_err *err) {
  const sw_repro_column *column = column_of(r, c);
  double *x = malloc(sizeof *x * (size_t)(c->values + 1));
  if (!x) return sw_no_memory(err);
  int count = numbers(c, x);
  c->mean = count ? sw_mean(x, count) : NAN;
  c->sd = sw_sd(x, count);
  c->low = c->high = NAN;
  c->instances = c->values ? c->value[0].outcomes : 0;
  int code = SW_OK;
  if (is_time(column)) {
    /* none */
  } else if (count > 1) {
    code = over_seeds(column, c, x, count, err);
  } else if (count == 1 && c->values == 1 && sw_cell_has_each(c)) {
    code = over_instances(c, is_share_of_searches(column), err);
  } else if (count) {
    c->low = c->value[0].low;
    c->high = c->value[0].high;
  }
  free(x);
  return code;
}

/* ---- columns that follow from others ---- */

const sw_repro_value *sw_cell_at(const sw_repro_cell *c, int64_t seed) {
  if (!c) return NULL;
  for (int i = 0; i < c->values; i++)
    if (c->value[i].seed == seed) return &c->value[i];
  return c->values == 1 && c->value[0].seed == 0 ? &c->value[0] : NULL;
}

/* As many values as the column has that it is made of, with their seeds. */
static int derived_values(sw_repro_cell *cell, const sw_repro_cell *of,
                          sw_err *err) {
  int count = of ? of->values : 0;
  sw_repro_value *value = calloc((size_t)count + 1, sizeof *value);
  if (!value) return sw_no_memory(err);
  for (int i = 0; i < cell->values; i++) free(cell->value[i].each);
  free(cell->value);
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

/* a - b, and instance by instance where both have them. */
static int change(sw_repro_value *v, const sw_repro_value *a,
                  const sw_repro_value *b, sw_err *err) {
  if (!b) return SW_OK;
  v->value = a->value - b->value;
  if (!a->each || !b->each || a->outcomes != b->outcomes) return SW_OK;
  v->each = malloc(sizeof *v->each * (size_t)(a->outcomes + 1));
  if (!v->each) return sw_no_memory(err);
  v->outcomes = a->outcomes;
  for (int64_t i = 0; i < a->outcomes; i++)
    v->each[i] = a->each[i] - b->each[i];
  return SW_OK;
}

/* What a row has for a seed, or else on average. */
static double row_value(const sw_repro_cell *c, int64_t seed) {
  const sw_repro_value *v = sw_cell_at(c, seed);
  double sum = 0;
  if (!c || !c->values) return NAN;
  if (v) return v->value;
  for (int i = 0; i < c->values; i++) sum += c->value[i].value;
  return sum / c->values;
}

/* A gap closed is the share of the way from one row to another. Where the two
 * are closer than LEAST_GAP there is nothing to close. */
static const double LEAST_GAP = 0.02;

static int derive(const sw_repro_result *r, sw_repro_cell *cell, sw_err *err) {
  const sw_repro_column *c = column_of(r, cell);
  if (!sw_column_follows(c)) return SW_OK;
  const sw_repro_cell *own = sw_repro_cell_of(r, cell->row->id, c->a);
  SW_TRY(derived_values(cell, own, err));
  if (c->source == SW_SOURCE_CHANGE) {
    const sw_repro_cell *b = sw_repro_cell_of(r, cell->row->id, c->b);
    for (int i = 0; i < cell->values; i++)
      SW_TRY(change(&cell->value[i], &own->value[i],
                    sw_cell_at(b, own->value[i].seed), err));
    return SW_OK;
  }
  const sw_repro_cell *from = sw_repro_cell_of(r, c->from, c->a),
                      *to = sw_repro_cell_of(r, c->to, c->a);
  for (int i = 0; i < cell->values; i++) {
    int64_t seed = cell->value[i].seed;
    double low = row_value(from, seed), whole = row_value(to, seed) - low;
    if (fabs(whole) >= LEAST_GAP)
      cell->value[i].value = (own->value[i].value - low) / whole;
  }
  return SW_OK;
}

/* ---- all of it ---- */

int sw_repro_sum_up(sw_repro_result *r, sw_err *err) {
  const sw_repro_statistic *s = r->experiment->statistic;
  for (int i = 0; i < r->cells; i++) SW_TRY(derive(r, &r->cell[i], err));
  for (int i = 0; i < r->cells; i++) SW_TRY(sum_cell(r, &r->cell[i], err));
  r->statistics = 0;
  while (s && s[r->statistics].title) r->statistics++;
  free(r->statistic);
  r->statistic = calloc((size_t)r->statistics + 1, sizeof *r->statistic);
  if (!r->statistic) return sw_no_memory(err);
  for (int i = 0; i < r->statistics; i++) {
    r->statistic[i].statistic = &s[i];
    SW_TRY(sw_cell_statistic(r, &r->statistic[i], err));
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
