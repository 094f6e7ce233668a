/* Statistics: worked values, brute force, and the corners (empty, constant). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/stats.h"

static void near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.12g is not %.12g", a, b);
}

static void test_moments(void **state) {
  (void)state;
  double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
  near(sw_mean(x, 8), 5, 0);
  near(sw_sd_pop(x, 8), 2, 1e-15);
  near(sw_sd(x, 8), sqrt(32.0 / 7), 1e-15);
  near(sw_mean(x, 0), 0, 0);
  near(sw_sd(x, 1), 0, 0);
  double bad[] = {1, NAN}, worse[] = {INFINITY};
  assert_int_equal(sw_all_finite(x, 8), 1);
  assert_int_equal(sw_all_finite(bad, 2), 0);
  assert_int_equal(sw_all_finite(worse, 1), 0);
}

static void test_quantile(void **state) {
  (void)state;
  double x[] = {4, 1, 3, 2}; /* NumPy: quantile([1,2,3,4], .25) = 1.75 */
  near(sw_quantile(x, 4, .25), 1.75, 1e-15);
  near(sw_quantile(x, 4, .5), 2.5, 1e-15);
  near(sw_quantile(x, 4, 0), 1, 0);
  near(sw_quantile(x, 4, 1), 4, 0);
  near(sw_quantile(x, 1, .7), 1, 0);
  assert_true(isnan(sw_quantile(x, 0, .5)));
}

static void test_stable_order(void **state) {
  (void)state;
  double x[] = {.5, .1, .5, .1, .5};
  int64_t order[5], want[] = {1, 3, 0, 2, 4};
  assert_int_equal(sw_order_stable(x, 5, order), 0);
  assert_memory_equal(order, want, sizeof want);
}

static void test_wilson(void **state) {
  (void)state;
  sw_interval w = sw_wilson(8, 10, 1.96);
  near(w.point, .8, 0);
  near(w.low, .4901568467, 1e-9);
  near(w.high, .9433190520, 1e-9);
  w = sw_wilson(0, 10, 1.96);
  near(w.low, 0, 0);
  near(w.high, .2775401688, 1e-9);
  w = sw_wilson(10, 10, 1.96);
  near(w.high, 1, 0);
  w = sw_wilson(0, 0, 1.96);
  near(w.high - w.low, 1, 0);
}

/* Per-seed rates of two published conditions; their paired difference has a
 * published percentile interval of 10,000 resamples (another generator, so the
 * ends agree to sampling error only). */
static void test_bootstrap_published(void **state) {
  (void)state;
  double a[] = {47.5, 55.5, 52, 52.5, 49}, b[] = {36.5, 39, 34, 26.5, 35.5},
         d[5];
  for (int i = 0; i < 5; i++) d[i] = a[i] - b[i];
  sw_interval out;
  sw_bootstrap_options options = {NULL, 10000, 1};
  assert_int_equal(sw_bootstrap_mean(d, 5, &options, &out, NULL), 0);
  near(out.point, 17.0, 1e-12);
  near(out.low, 12.9, .3);
  near(out.high, 21.6, .3);
  sw_interval again;
  assert_int_equal(sw_bootstrap_mean(d, 5, &options, &again, NULL), 0);
  assert_memory_equal(&out, &again, sizeof out);
}

/* Two clusters of constant values: a resample's mean takes three values only,
 * and the interval spans them; item resampling gives a much shorter one. */
static void test_bootstrap_clusters(void **state) {
  (void)state;
  double x[200];
  int64_t cluster[200];
  for (int i = 0; i < 200; i++) {
    cluster[i] = i % 2 ? 7 : -3;
    x[i] = i % 2;
  }
  sw_interval out;
  sw_bootstrap_options options = {cluster, 400, 5};
  assert_int_equal(sw_bootstrap_mean(x, 200, &options, &out, NULL), 0);
  near(out.point, .5, 0);
  near(out.low, 0, 0);
  near(out.high, 1, 0);
  options.cluster = NULL;
  assert_int_equal(sw_bootstrap_mean(x, 200, &options, &out, NULL), 0);
  assert_true(out.low > .4 && out.high < .6 && out.low < out.high);
  options.resamples = 0;
  assert_int_equal(sw_bootstrap_mean(x, 200, &options, &out, NULL), 0);
  assert_true(isnan(out.low) && isnan(out.high));
  sw_err err;
  assert_int_equal(sw_bootstrap_mean(x, 0, &options, &out, &err), SW_USAGE);
}

static void sometimes_undefined(const void *context, const int64_t *item,
                                int64_t count, double *out) {
  (void)context;
  out[0] = item[0] == 0 ? NAN : (double)count;
  out[1] = NAN;
}

static void test_bootstrap_undefined(void **state) {
  (void)state;
  sw_interval out[2];
  sw_bootstrap_options options = {NULL, 50, 9};
  assert_int_equal(
      sw_bootstrap(3, 2, sometimes_undefined, NULL, &options, out, NULL), 0);
  near(out[0].low, 3, 0);
  near(out[0].high, 3, 0);
  assert_true(isnan(out[1].low));
}

static void test_student(void **state) {
  (void)state;
  near(sw_t_pvalue(2.776445105, 4), .05, 1e-9);
  near(sw_t_pvalue(12.70620474, 1), .05, 1e-9);
  near(sw_t_pvalue(0, 7), 1, 1e-15);
  near(sw_t_pvalue(-1.959963985, 1e7), .05, 1e-6);
  double a[] = {5, 7, 9, 6}, b[] = {4, 5, 6, 5}; /* differences 1 2 3 1 */
  sw_t_test t = sw_paired_t(a, b, 4);
  near(t.mean, 1.75, 1e-15);
  near(t.t, 1.75 / (sqrt(2.75 / 3) / 2), 1e-12);
  near(t.cohen_d, 1.75 / sqrt(2.75 / 3), 1e-12);
  near(t.degrees, 3, 0);
  t = sw_paired_t(a, a, 4);
  assert_true(isnan(t.t) && isnan(t.p));
  t = sw_welch_t(a, 4, b, 4);
  near(t.mean, 1.75, 1e-15);
  near(t.degrees, 4.3033359193173, 1e-9); /* by hand: variances 35/12, 2/3 */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moments),
      cmocka_unit_test(test_quantile),
      cmocka_unit_test(test_stable_order),
      cmocka_unit_test(test_wilson),
      cmocka_unit_test(test_bootstrap_published),
      cmocka_unit_test(test_bootstrap_clusters),
      cmocka_unit_test(test_bootstrap_undefined),
      cmocka_unit_test(test_student),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
