/* Exact intervals (see exact.h). */
#include "base/exact.h"

#include <math.h>

double sw_beta_quantile(double p, double a, double b) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) { /* by halving */
    double middle = (low + high) / 2;
    if (sw_incomplete_beta(a, b, middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

sw_interval sw_exact_share(double hits, double count) {
  sw_interval out = {NAN, 0, 1};
  if (!(count > 0)) return out;
  out.point = hits / count;
  if (hits > 0) out.low = sw_beta_quantile(0.025, hits, count - hits + 1);
  if (hits < count) out.high = sw_beta_quantile(0.975, hits + 1, count - hits);
  return out;
}

/* ---- clusters ---- */

typedef struct spread {
  double mean, error; /* standard error of the mean, between clusters */
  int64_t groups;
} spread;

/* Sum of deviations by cluster, by one pass over the items for each cluster's
 * first member. Counts are hundreds. */
static double deviation(const double *x, const int64_t *group, int64_t count,
                        int64_t first, double mean) {
  double sum = 0;
  for (int64_t i = first; i < count; i++)
    if (group[i] == group[first]) sum += x[i] - mean;
  return sum;
}

static int is_first(const int64_t *group, int64_t at) {
  for (int64_t i = 0; i < at; i++)
    if (group[i] == group[at]) return 0;
  return 1;
}

static int all_equal(const double *x, int64_t count) {
  for (int64_t i = 1; i < count; i++)
    if (fabs(x[i] - x[0]) > 1e-12) return 0;
  return 1;
}

static spread spread_of(const double *x, const int64_t *group, int64_t count) {
  spread s = {sw_mean(x, count), 0, 0};
  double squares = 0;
  for (int64_t i = 0; i < count; i++) {
    if (group && !is_first(group, i)) continue;
    double d = group ? deviation(x, group, count, i, s.mean) : x[i] - s.mean;
    squares += d * d;
    s.groups++;
  }
  if (s.groups > 1 && !all_equal(x, count))
    s.error = sqrt(squares * (double)s.groups / (double)(s.groups - 1)) /
              (double)count;
  return s;
}

sw_interval sw_share_of(const double *x, const int64_t *group, int64_t count) {
  if (count < 1) return (sw_interval){NAN, 0, 1};
  spread s = spread_of(x, group, count);
  double p = s.mean;
  if (s.groups < 2) return (sw_interval){p, 0, 1};
  if (!(s.error > 0)) {
    /* All alike: as many as an unseen value could be of, and no more. */
    double other = sw_exact_share(0, (double)s.groups).high;
    return (sw_interval){p, (1 - other) * p, (1 - other) * p + other};
  }
  double t = sw_t_of_95((double)(s.groups - 1)) / SW_Z95;
  double effective = p * (1 - p) / (s.error * s.error) / (t * t);
  sw_interval out = sw_exact_share(p * effective, effective);
  out.point = p;
  return out;
}

static double correlation(const double *x, const double *y, int64_t count) {
  double mx = sw_mean(x, count), my = sw_mean(y, count), xx = 0, yy = 0, xy = 0;
  for (int64_t i = 0; i < count; i++) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

static int same_difference(const double *x, const double *y, int64_t count) {
  for (int64_t i = 1; i < count; i++)
    if (fabs(x[i] - y[i] - (x[0] - y[0])) > 1e-12) return 0;
  return 1;
}

sw_interval sw_share_difference(const double *x, const double *y,
                                const int64_t *group, int64_t count) {
  sw_interval a = sw_share_of(x, group, count),
              b = sw_share_of(y, group, count);
  if (count < 1) return (sw_interval){NAN, -1, 1};
  if (same_difference(x, y, count)) {
    /* No pair tells of the width: an unseen one could be of either end. */
    double other = sw_exact_share(0, (double)spread_of(x, group, count).groups)
                       .high,
           all = x[0] - y[0];
    return (sw_interval){all, (1 - other) * all - other,
                         (1 - other) * all + other};
  }
  double r = correlation(x, y, count);
  double down = a.point - a.low, up = a.high - a.point;
  double down_b = b.point - b.low, up_b = b.high - b.point;
  double low = down * down + up_b * up_b - 2 * r * down * up_b;
  double high = up * up + down_b * down_b - 2 * r * up * down_b;
  double d = a.point - b.point;
  low = d - sqrt(low > 0 ? low : 0);
  high = d + sqrt(high > 0 ? high : 0);
  return (sw_interval){d, fmax(low, -1), fmin(high, 1)};
}

sw_interval sw_mean_of(const double *x, const int64_t *group, int64_t count) {
  if (count < 1) return (sw_interval){NAN, -INFINITY, INFINITY};
  spread s = spread_of(x, group, count);
  if (s.groups < 2) return (sw_interval){s.mean, -INFINITY, INFINITY};
  double half = s.error * sw_t_of_95((double)(s.groups - 1));
  return (sw_interval){s.mean, s.mean - half, s.mean + half};
}
