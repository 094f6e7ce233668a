/* Exact intervals: known values, ties, clusters, and that they cover. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/exact.h"
#include "base/rng.h"

static void near(double a, double b, double by) {
  if (!(fabs(a - b) <= by)) fail_msg("%.9g is not %.9g", a, b);
}

/* Clopper and Pearson's table values. */
static void known(void **state) {
  (void)state;
  sw_interval i = sw_exact_share(0, 24, SW_TAIL);
  near(i.low, 0, 0);
  near(i.high, 0.14247, 5e-5);
  i = sw_exact_share(5, 20, SW_TAIL);
  near(i.low, 0.08657, 5e-5);
  near(i.high, 0.49105, 5e-5);
  near(sw_beta_quantile(0.5, 2, 2), 0.5, 1e-9);
  i = sw_exact_share(0, 0, SW_TAIL);
  assert_true(isnan(i.point) && i.low == 0 && i.high == 1);
}

static void ties(void **state) {
  (void)state;
  double zero[30] = {0}, half[30], one[30];
  for (int i = 0; i < 30; i++) {
    half[i] = 0.5;
    one[i] = 1;
  }
  sw_interval i = sw_share_of(zero, NULL, 30, SW_TAIL);
  near(i.high, sw_exact_share(0, 30, SW_TAIL).high, 1e-12);
  assert_true(i.low == 0 && i.high > 0.1);
  i = sw_share_of(half, NULL, 30, SW_TAIL);
  assert_true(i.low < 0.45 && i.high > 0.55);
  i = sw_share_difference(one, one, NULL, 30, SW_TAIL);
  assert_true(i.point == 0 && i.low < -0.1 && i.high > 0.1);
  i = sw_share_difference(one, zero, NULL, 30, SW_TAIL);
  assert_true(i.point == 1 && i.low < 0.9 && i.low > 0.7);
}

/* Ten values that all say the same by cluster are as good as three. */
static void clusters(void **state) {
  (void)state;
  double x[30], y[3] = {0, 1, 1};
  int64_t group[30];
  for (int i = 0; i < 30; i++) {
    group[i] = i / 10;
    x[i] = y[group[i]];
  }
  sw_interval alone = sw_share_of(x, NULL, 30, SW_TAIL);
  sw_interval together = sw_share_of(x, group, 30, SW_TAIL);
  sw_interval three = sw_share_of(y, NULL, 3, SW_TAIL);
  near(together.low, three.low, 1e-9);
  near(together.high, three.high, 1e-9);
  assert_true(together.high - together.low > 2 * (alone.high - alone.low));
}

/* Coverage of at least 93 % in 400 draws each; 95 % is what is promised, and
 * 400 draws of a 95 % interval fall below 93 % once in thirty. The draws are
 * fixed. */
static void covers(double p, int cluster, uint64_t seed) {
  double x[60], y[60];
  int64_t group[60];
  int share = 0, difference = 0;
  for (uint64_t run = 0; run < 400; run++) {
    for (int i = 0; i < 60; i++) {
      uint64_t at = run * 1000 + (uint64_t)(i / cluster);
      group[i] = i / cluster;
      x[i] = sw_philox_unit(seed, 1, at) < p;
      y[i] = sw_philox_unit(seed, 2, at) < 0.2;
    }
    sw_interval a = sw_share_of(x, group, 60, SW_TAIL);
    sw_interval b = sw_share_difference(x, y, group, 60, SW_TAIL);
    share += a.low <= p && p <= a.high;
    difference += b.low <= p - 0.2 && p - 0.2 <= b.high;
  }
  if (share < 372 || difference < 372)
    fail_msg("p %.2f, clusters of %d: %d and %d of 400", p, cluster, share,
             difference);
}

static void coverage(void **state) {
  (void)state;
  covers(0.02, 1, 11);
  covers(0.2, 1, 12);
  covers(0.5, 3, 13);
  covers(0.9, 2, 14);
}

static void means(void **state) {
  (void)state;
  double x[] = {1, 2, 3, 4}, flat[] = {2, 2, 2};
  sw_interval i = sw_mean_of(x, NULL, 4, SW_TAIL);
  near(i.point, 2.5, 0);
  near(i.high - i.point, 3.182446 * sqrt(5.0 / 3) / 2, 1e-5);
  i = sw_mean_of(flat, NULL, 3, SW_TAIL);
  assert_true(i.low == 2 && i.high == 2); /* no bounds, so no tie to widen */
}

/* By hand: of 2 x 3 pairs 5 are won; and 400 draws of clusters of two, whose
 * scores lie a known distance apart. */
static void aurocs(void **state) {
  (void)state;
  double score[] = {3, 1.5, 1, 2, 0}, label[] = {1, 1, 0, 0, 0};
  sw_interval i;
  assert_int_equal(sw_auroc_of(score, label, NULL, 5, SW_TAIL, &i, NULL), 0);
  near(i.point, 5.0 / 6, 1e-12);
  assert_true(i.low < 0.5 && i.high > 0.95);
  double flat[] = {1, 1, 1, 1, 1};
  assert_int_equal(sw_auroc_of(flat, label, NULL, 5, SW_TAIL, &i, NULL), 0);
  assert_true(i.point == 0.5 && i.low < 0.5 && i.high > 0.5);
  assert_int_equal(sw_auroc_of(score, flat, NULL, 5, SW_TAIL, &i, NULL), 0);
  assert_true(isnan(i.point));
  double x[60], y[60];
  int64_t group[60];
  int hits = 0;
  for (uint64_t run = 0; run < 400; run++) {
    for (int k = 0; k < 60; k++) {
      uint64_t at = run * 1000 + (uint64_t)k;
      group[k] = k / 2;
      y[k] = k / 2 % 2;
      x[k] = sw_philox_unit(5, 1, at) + sw_philox_unit(5, 2, at - at % 2) +
             0.5 * y[k];
    }
    assert_int_equal(sw_auroc_of(x, y, group, 60, SW_TAIL, &i, NULL), 0);
    /* P(sum of two uniforms exceeds that of two others by -0.5) */
    hits += i.low <= 0.7994792 && 0.7994792 <= i.high;
  }
  if (hits < 372) fail_msg("AUROC: %d of 400", hits);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known),    cmocka_unit_test(ties),
      cmocka_unit_test(clusters), cmocka_unit_test(coverage),
      cmocka_unit_test(means),    cmocka_unit_test(aurocs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
