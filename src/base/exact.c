/* Exact intervals (see exact.h). */
#include "base/exact.h"

#include <math.h>
#include <stdlib.h>

double sw_beta_quantile(double p, double a, double b) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) { /* by halving */
    double middle = (low + high) / 2;
    if (sw_incomplete_beta(a, b, middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

sw_interval sw_exact_share(double hits, double count, double tail) {
  sw_interval out = {NAN, 0, 1};
  if (!(count > 0)) return out;
  out.point = hits / count;
  if (hits > 0) out.low = sw_beta_quantile(tail, hits, count - hits + 1);
  if (hits < count)
    out.high = sw_beta_quantile(1 - tail, hits + 1, count - hits);
  return out;
}

/* ---- clusters ---- */

typedef struct spread {
  double mean, error; /* standard error of the mean, between clusters */
  int64_t groups;
} spread;

static double value_of(const double *x, const double *y, int64_t i) {
  return y ? x[i] - y[i] : x[i];
}

static double mean_of(const double *x, const double *y, int64_t count) {
  return count > 0 ? sw_mean(x, count) - (y ? sw_mean(y, count) : 0) : 0;
}

/* Sum of deviations by cluster, by one pass over the items for each cluster's
 * first member. Counts are hundreds. */
static double deviation(const double *x, const double *y, const int64_t *group,
                        int64_t count, int64_t first, double mean) {
  double sum = 0;
  if (!group) return value_of(x, y, first) - mean;
  for (int64_t i = first; i < count; i++)
    if (group[i] == group[first]) sum += value_of(x, y, i) - mean;
  return sum;
}

static int is_first(const int64_t *group, int64_t at) {
  for (int64_t i = 0; i < at; i++)
    if (group[i] == group[at]) return 0;
  return 1;
}

static int all_equal(const double *x, const double *y, int64_t count) {
  for (int64_t i = 1; i < count; i++)
    if (fabs(value_of(x, y, i) - value_of(x, y, 0)) > 1e-12) return 0;
  return 1;
}

/* Of x - y; y NULL: of x. */
static spread spread_of(const double *x, const double *y, const int64_t *group,
                        int64_t count) {
  spread s = {mean_of(x, y, count), 0, 0};
  double squares = 0;
  for (int64_t i = 0; i < count; i++) {
    if (group && !is_first(group, i)) continue;
    double d = deviation(x, y, group, count, i, s.mean);
    squares += d * d;
    s.groups++;
  }
  if (s.groups > 1 && !all_equal(x, y, count))
    s.error = sqrt(squares * (double)s.groups / (double)(s.groups - 1)) /
              (double)count;
  return s;
}

/* A share with a known error between clusters. */
static sw_interval share_with(const spread *s, double tail) {
  double p = s->mean;
  if (s->groups < 2) return (sw_interval){p, 0, 1};
  if (!(s->error > 0)) {
    /* All values are equal: the width is what one unseen value could change. */
    double other = sw_exact_share(0, (double)s->groups, tail).high;
    return (sw_interval){p, (1 - other) * p, (1 - other) * p + other};
  }
  double t =
      sw_t_of(2 * tail, (double)(s->groups - 1)) / sw_t_of(2 * tail, 1e6);
  double effective = p * (1 - p) / (s->error * s->error) / (t * t);
  sw_interval out = sw_exact_share(p * effective, effective, tail);
  out.point = p;
  return out;
}

sw_interval sw_share_of(const double *x, const int64_t *group, int64_t count,
                        double tail) {
  if (count < 1) return (sw_interval){NAN, 0, 1};
  spread s = spread_of(x, NULL, group, count);
  return share_with(&s, tail);
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

/* As a share of the way from -1 to 1. */
sw_interval sw_excess_of(const double *x, const double *y, const int64_t *group,
                         int64_t count, double tail) {
  if (count < 1) return (sw_interval){NAN, -1, 1};
  spread s = spread_of(x, y, group, count);
  s.mean = (s.mean + 1) / 2;
  s.error /= 2;
  sw_interval i = share_with(&s, tail);
  double d = 2 * s.mean - 1;
  if (s.groups > 1 && !(s.error > 0)) {
    /* All pairs are alike and leave the width open: an unseen one could be at
     * either end. */
    double other = sw_exact_share(0, (double)s.groups, tail).high;
    return (sw_interval){d, (1 - other) * d - other, (1 - other) * d + other};
  }
  return (sw_interval){d, 2 * i.low - 1, 2 * i.high - 1};
}

sw_interval sw_share_difference(const double *x, const double *y,
                                const int64_t *group, int64_t count,
                                double tail) {
  sw_interval own = sw_excess_of(x, y, group, count, tail);
  if (count < 1 || all_equal(x, y, count)) return own;
  sw_interval a = sw_share_of(x, group, count, tail),
              b = sw_share_of(y, group, count, tail);
  double r = correlation(x, y, count);
  double down = a.point - a.low, up = a.high - a.point;
  double down_b = b.point - b.low, up_b = b.high - b.point;
  double low = down * down + up_b * up_b - 2 * r * down * up_b;
  double high = up * up + down_b * down_b - 2 * r * up * down_b;
  low = own.point - sqrt(low > 0 ? low : 0);
  high = own.point + sqrt(high > 0 ? high : 0);
  return (sw_interval){own.point, fmax(fmin(low, own.low), -1),
                       fmin(fmax(high, own.high), 1)};
}

sw_interval sw_mean_of(const double *x, const int64_t *group, int64_t count,
                       double tail) {
  if (count < 1) return (sw_interval){NAN, -INFINITY, INFINITY};
  spread s = spread_of(x, NULL, group, count);
  if (s.groups < 2) return (sw_interval){s.mean, -INFINITY, INFINITY};
  double half = s.error * sw_t_of(2 * tail, (double)(s.groups - 1));
  return (sw_interval){s.mean, s.mean - half, s.mean + half};
}

/* Placements: of an item labelled 1 the share of the others that it is above,
 * of another the share that is above it; times count / number of its kind, so
 * that their mean is twice the AUROC. */
static void place(const double *score, const double *label, int64_t count,
                  double *placement) {
  double kind[2] = {0, 0};
  for (int64_t i = 0; i < count; i++) {
    placement[i] = 0;
    kind[label[i] > 0.5]++;
  }
  for (int64_t i = 0; i < count; i++)
    for (int64_t k = 0; k < count; k++) {
      if (!(label[i] > 0.5) || label[k] > 0.5) continue;
      double won = score[i] > score[k] ? 1 : score[i] < score[k] ? 0 : 0.5;
      placement[i] += won;
      placement[k] += won;
    }
  for (int64_t i = 0; i < count; i++)
    placement[i] *= (double)count / (kind[0] * kind[1]);
}

int sw_auroc_of(const double *score, const double *label, const int64_t *group,
                int64_t count, double tail, sw_interval *out, sw_err *err) {
  double ones = 0;
  *out = (sw_interval){NAN, 0, 1};
  for (int64_t i = 0; i < count; i++) ones += label[i] > 0.5;
  if (ones < 1 || ones > (double)count - 1) return SW_OK;
  double *x = malloc(sizeof *x * (size_t)count);
  if (!x) return sw_no_memory(err);
  place(score, label, count, x);
  double area = sw_mean(x, count) / 2;
  /* Each item around the mean of its own kind. */
  for (int64_t i = 0; i < count; i++) {
    double of_kind = label[i] > 0.5 ? ones : (double)count - ones;
    x[i] -= area * (double)count / of_kind;
  }
  spread s = spread_of(x, NULL, group, count);
  s.mean = area;
  free(x);
  *out = share_with(&s, tail);
  return SW_OK;
}
