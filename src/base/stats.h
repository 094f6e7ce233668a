/* Statistics shared by evaluation, probes and reports: moments, quantiles,
 * Wilson intervals, percentile bootstrap (plain or clustered) and Student t.
 * All sums run in index order in double precision, all random draws come from
 * the given seed, so a table is the same on every run. Inputs must be finite:
 * callers check once with sw_all_finite. */
#ifndef SW_BASE_STATS_H
#define SW_BASE_STATS_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

typedef struct sw_interval {
  double point, low, high;
} sw_interval;

int sw_all_finite(const double *x, int64_t count);
double sw_mean(const double *x, int64_t count);   /* 0 when empty */
double sw_sd(const double *x, int64_t count);     /* ddof 1; 0 below two */
double sw_sd_pop(const double *x, int64_t count); /* ddof 0 */
/* Linear-interpolated quantile of ascending values (NumPy's default). */
double sw_quantile_sorted(const double *ascending, int64_t count, double q);
/* The same of unsorted values; sorts `x` in place. */
double sw_quantile(double *x, int64_t count, double q);
void sw_sort_doubles(double *x, int64_t count);
/* Permutation that sorts `x` ascending, equal values in index order. */
int sw_order_stable(const double *x, int64_t count, int64_t *order);

/* Wilson score interval of a proportion; 0/0 gives point 0, [0, 1]. */
sw_interval sw_wilson(int64_t hits, int64_t count, double z);
#define SW_Z95 1.959963984540054

/* A statistic of a resample: items are indices into the caller's data, with
 * repetition. Fills out[outputs]; NaN means "undefined on this resample" (for
 * example a class is missing) and is left out of the percentiles. */
typedef void (*sw_statistic)(const void *context, const int64_t *item,
                             int64_t count, double *out);

/* Percentile bootstrap (2.5 % and 97.5 %). `cluster` NULL resamples items; else
 * cluster[i] names item i's cluster (an instance) and whole clusters are
 * resampled, as many as there are. The point is the full sample's value.
 * `resamples` 0: the interval is NaN. */
typedef struct sw_bootstrap_options {
  const int64_t *cluster;
  int64_t resamples;
  uint64_t seed;
} sw_bootstrap_options;
int sw_bootstrap(int64_t items, int outputs, sw_statistic fn,
                 const void *context, const sw_bootstrap_options *options,
                 sw_interval *out, sw_err *err);
/* Bootstrap interval of a mean: the common case. */
int sw_bootstrap_mean(const double *x, int64_t count,
                      const sw_bootstrap_options *options, sw_interval *out,
                      sw_err *err);

/* The regularised incomplete beta function I_x(a, b). */
double sw_incomplete_beta(double a, double b, double x);
/* Two-sided p-value of a t statistic. */
double sw_t_pvalue(double t, double degrees);
/* The t whose two-sided p-value is p, and 0.05. */
double sw_t_of(double p, double degrees);
double sw_t_of_95(double degrees);
typedef struct sw_t_test {
  double mean, t, degrees, p, cohen_d;
  double error; /* standard error of the mean; NaN below two values */
} sw_t_test;
/* Paired t-test of a - b. t and p are NaN when the differences are constant,
 * but for the rounding of their subtraction. */
sw_t_test sw_paired_t(const double *a, const double *b, int64_t count);
sw_t_test sw_welch_t(const double *a, int64_t na, const double *b, int64_t nb);

#endif
