/* Statistics (see stats.h). Nothing here keeps state; the bootstrap draws from
 * its own xoshiro stream. */
#include "base/stats.h"
#include "base/check.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"

int sw_all_finite(const double *x, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

double sw_mean(const double *x, int64_t count) {
  SW_ASSERT(count >= 0 && (x || !count));
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += x[i];
  return count > 0 ? sum / (double)count : 0;
}

static double squared_deviations(const double *x, int64_t count) {
  double mean = sw_mean(x, count), sum = 0;
  for (int64_t i = 0; i < count; i++) sum += (x[i] - mean) * (x[i] - mean);
  return sum;
}

double sw_sd(const double *x, int64_t count) {
  SW_ASSERT(count >= 0 && (x || !count));
  return count < 2 ? 0
                   : sqrt(squared_deviations(x, count) / (double)(count - 1));
}

double sw_sd_pop(const double *x, int64_t count) {
  return count < 1 ? 0 : sqrt(squared_deviations(x, count) / (double)count);
}

double sw_quantile_sorted(const double *x, int64_t count, double q) {
  SW_ASSERT(count >= 0 && (x || !count));
  SW_ASSERT(q >= 0 && q <= 1);
  if (count < 1) return NAN;
  double at = q * (double)(count - 1);
  int64_t below = (int64_t)floor(at);
  if (below < 0) return x[0];
  if (below >= count - 1) return x[count - 1];
  double part = at - (double)below;
  return x[below] + (x[below + 1] - x[below]) * part;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void sw_sort_doubles(double *x, int64_t count) {
  if (count > 1) qsort(x, (size_t)count, sizeof *x, compare_doubles);
}

double sw_quantile(double *x, int64_t count, double q) {
  sw_sort_doubles(x, count);
  return sw_quantile_sorted(x, count, q);
}

typedef struct keyed {
  double value;
  int64_t index;
} keyed;

static int compare_keyed(const void *a, const void *b) {
  const keyed *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

int sw_order_stable(const double *x, int64_t count, int64_t *order) {
  if (count < 1) return 0;
  keyed *k = malloc(sizeof *k * (size_t)count);
  if (!k) return SW_MEMORY;
  for (int64_t i = 0; i < count; i++) k[i] = (keyed){x[i], i};
  qsort(k, (size_t)count, sizeof *k, compare_keyed);
  for (int64_t i = 0; i < count; i++) order[i] = k[i].index;
  free(k);
  return 0;
}

sw_interval sw_wilson(int64_t hits, int64_t count, double z) {
  SW_ASSERT(hits >= 0 && hits <= count);
  if (count <= 0) return (sw_interval){0, 0, 1};
  double n = (double)count, p = (double)hits / n, z2 = z * z;
  double centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  double half = z / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  double low = hits == 0 ? 0 : centre - half;
  double high = hits == count ? 1 : centre + half;
  return (sw_interval){p, low, high};
}

/* ---- bootstrap ---- */

/* Items grouped by cluster: members of cluster c are
 * member[first[c]] .. member[first[c + 1] - 1], ascending. */
typedef struct groups {
  int64_t count, *first, *member;
} groups;

static void groups_free(groups *g) {
  free(g->first);
  free(g->member);
}

static int groups_build(groups *g, const int64_t *cluster, int64_t items) {
  memset(g, 0, sizeof *g);
  g->first = malloc(sizeof *g->first * (size_t)(items + 1));
  g->member = malloc(sizeof *g->member * (size_t)(items + 1));
  double *id = calloc((size_t)items + 1, sizeof *id);
  if (!g->first || !g->member || !id) {
    free(id);
    groups_free(g);
    return SW_MEMORY;
  }
  for (int64_t i = 0; i < items; i++)
    id[i] = cluster ? (double)cluster[i] : (double)i;
  int code = sw_order_stable(id, items, g->member);
  for (int64_t k = 0; k < items && !code; k++)
    if (k == 0 || id[g->member[k]] != id[g->member[k - 1]])
      g->first[g->count++] = k;
  g->first[g->count] = items;
  free(id);
  if (code) groups_free(g);
  return code;
}

/* Percentiles of output `o` over the resamples where it is defined. */
static void percentiles(const double *draws, int64_t resamples, int outputs,
                        int o, double *scratch, sw_interval *out) {
  int64_t used = 0;
  for (int64_t r = 0; r < resamples; r++) {
    double value = draws[r * outputs + o];
    if (!isnan(value)) scratch[used++] = value;
  }
  sw_sort_doubles(scratch, used);
  out->low = sw_quantile_sorted(scratch, used, 0.025);
  out->high = sw_quantile_sorted(scratch, used, 0.975);
}

typedef struct boot_space {
  int64_t *sample;
  double *draws, *scratch, *point;
} boot_space;

/* Whole clusters are drawn, so a resample may have more items than the data:
 * the largest cluster drawn every time. */
static int64_t largest_resample(const groups *g) {
  int64_t largest = 0;
  for (int64_t c = 0; c < g->count; c++)
    if (g->first[c + 1] - g->first[c] > largest)
      largest = g->first[c + 1] - g->first[c];
  return largest * g->count;
}

static void boot_run(const groups *g, int outputs, sw_statistic fn,
                     const void *context, const sw_bootstrap_options *options,
                     boot_space *s) {
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, options->seed);
  for (int64_t r = 0; r < options->resamples; r++) {
    int64_t count = 0;
    for (int64_t k = 0; k < g->count; k++) {
      int64_t c = (int64_t)sw_xoshiro_below(&rng, (uint64_t)g->count);
      for (int64_t m = g->first[c]; m < g->first[c + 1]; m++)
        s->sample[count++] = g->member[m];
    }
    fn(context, s->sample, count, s->draws + r * outputs);
  }
}

int sw_bootstrap(int64_t items, int outputs, sw_statistic fn,
                 const void *context, const sw_bootstrap_options *options,
                 sw_interval *out, sw_err *err) {
  SW_ASSERT(items >= 0 && outputs > 0);
  SW_ASSERT(fn && options && out);
  if (items < 1 || outputs < 1)
    return sw_fail(err, SW_USAGE, "bootstrap of %lld items", (long long)items);
  groups g;
  if (groups_build(&g, options->cluster, items))
    return sw_no_memory_for(err, "bootstrap of %lld items", (long long)items);
  int64_t room = largest_resample(&g);
  if (room < items) room = items;
  boot_space s;
  s.sample = malloc(sizeof *s.sample * (size_t)room);
  s.draws =
      malloc(sizeof *s.draws * (size_t)(options->resamples * outputs + 1));
  s.scratch = malloc(sizeof *s.scratch * (size_t)(options->resamples + 1));
  s.point = malloc(sizeof *s.point * (size_t)outputs);
  int code = 0;
  if (!s.sample || !s.draws || !s.scratch || !s.point) {
    code = sw_no_memory_for(err, "bootstrap of %lld items", (long long)items);
  } else {
    for (int64_t i = 0; i < items; i++) s.sample[i] = i;
    fn(context, s.sample, items, s.point);
    boot_run(&g, outputs, fn, context, options, &s);
    for (int o = 0; o < outputs; o++) {
      out[o].point = s.point[o];
      percentiles(s.draws, options->resamples, outputs, o, s.scratch, &out[o]);
    }
  }
  free(s.sample);
  free(s.draws);
  free(s.scratch);
  free(s.point);
  groups_free(&g);
  return code;
}

static void mean_statistic(const void *context, const int64_t *item,
                           int64_t count, double *out) {
  const double *x = context;
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += x[item[i]];
  out[0] = count > 0 ? sum / (double)count : NAN;
}

int sw_bootstrap_mean(const double *x, int64_t count,
                      const sw_bootstrap_options *options, sw_interval *out,
                      sw_err *err) {
  return sw_bootstrap(count, 1, mean_statistic, x, options, out, err);
}

/* ---- Student t ---- */

/* Continued fraction of the incomplete beta function (modified Lentz). */
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  if (fabs(d) < tiny) d = tiny;
  d = 1 / d;
  double h = d;
  for (int m = 1; m <= 500; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 + even * d;
    c = 1 + even / c;
    if (fabs(d) < tiny) d = tiny;
    if (fabs(c) < tiny) c = tiny;
    d = 1 / d;
    h *= d * c;
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 + odd * d;
    c = 1 + odd / c;
    if (fabs(d) < tiny) d = tiny;
    if (fabs(c) < tiny) c = tiny;
    d = 1 / d;
    double step = d * c;
    h *= step;
    if (fabs(step - 1) < 1e-15) break;
  }
  return h;
}

double sw_incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  double front =
      exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double sw_t_pvalue(double t, double degrees) {
  if (isnan(t) || !(degrees > 0)) return NAN;
  return sw_incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double sw_t_of(double p, double degrees) {
  double low = 0, high = 1000;
  for (int i = 0; i < 60; i++) { /* by halving */
    double middle = (low + high) / 2;
    if (sw_t_pvalue(middle, degrees) > p) low = middle;
    else high = middle;
  }
  return high;
}

double sw_t_of_95(double degrees) { return sw_t_of(0.05, degrees); }

sw_t_test sw_paired_t(const double *a, const double *b, int64_t count) {
  sw_t_test out = {0, NAN, (double)(count - 1), NAN, NAN, NAN};
  double sum = 0, squares = 0, size = 0;
  for (int64_t i = 0; i < count; i++) {
    sum += a[i] - b[i];
    size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
  }
  out.mean = count > 0 ? sum / (double)count : 0;
  for (int64_t i = 0; i < count; i++) {
    double gap = a[i] - b[i] - out.mean;
    squares += gap * gap;
  }
  if (count < 2) return out;
  /* A spread within the rounding of a subtraction counts as zero. */
  double rounding = 4 * DBL_EPSILON * size;
  double sd = sqrt(squares / (double)(count - 1));
  if (sd <= rounding) sd = 0;
  out.error = sd / sqrt((double)count);
  if (sd <= 0) return out;
  out.t = out.mean / out.error;
  out.cohen_d = out.mean / sd;
  out.p = sw_t_pvalue(out.t, out.degrees);
  return out;
}

sw_t_test sw_welch_t(const double *a, int64_t na, const double *b, int64_t nb) {
  sw_t_test out = {sw_mean(a, na) - sw_mean(b, nb), NAN, NAN, NAN, NAN, NAN};
  if (na < 2 || nb < 2) return out;
  double va = sw_sd(a, na), vb = sw_sd(b, nb);
  double ea = va * va / (double)na, eb = vb * vb / (double)nb;
  if (ea + eb <= 0) return out;
  out.error = sqrt(ea + eb);
  out.t = out.mean / out.error;
  out.degrees = (ea + eb) * (ea + eb) /
                (ea * ea / (double)(na - 1) + eb * eb / (double)(nb - 1));
  out.p = sw_t_pvalue(out.t, out.degrees);
  out.cohen_d = out.mean / sqrt((va * va + vb * vb) / 2);
  return out;
}
