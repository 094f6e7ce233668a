/* Logistic regression and the history-irrelevance test. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/rng.h"
#include "domains/produce.h"
#include "probe/irrelevance.h"

static void ok(int code, const sw_err *err) {
  if (code) fail_msg("error %d: %s", code, err->text);
}
static void near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.12g is not %.12g", a, b);
}

/* One feature, two values, counts known: by symmetry the intercept is 0 and the
 * weight solves w = c * 4 * (3/4 - s(w)) for 3 of 4 right on each side. */
static void test_known_solution(void **state) {
  (void)state;
  const double x[8] = {1, 1, 1, 1, -1, -1, -1, -1};
  const uint8_t y[8] = {1, 1, 1, 0, 0, 0, 0, 1};
  sw_logistic m;
  sw_err err = {0};
  ok(sw_logistic_fit(&m, x, y, 8, 1, 1, &err), &err);
  double w = m.weight[0], s = 1 / (1 + exp(-w));
  near(w, 8 * (.75 - s), 1e-8); /* stationarity, written by hand */
  near(m.weight[1], 0, 1e-8);
  near(sw_logistic_predict(&m, x), s, 1e-15);
  sw_logistic_free(&m);
}

/* No finite-difference direction improves the objective. */
static void test_stationary(void **state) {
  (void)state;
  enum { N = 200, D = 5 };
  double x[N * D];
  uint8_t y[N];
  for (uint64_t i = 0; i < N; i++) {
    double z = .5;
    for (uint64_t k = 0; k < D; k++) {
      x[i * D + k] = sw_philox_normal(4, i, k);
      z += (double)k * x[i * D + k];
    }
    y[i] = sw_philox_unit(5, i, 0) < 1 / (1 + exp(-z));
  }
  sw_logistic m;
  sw_err err = {0};
  ok(sw_logistic_fit(&m, x, y, N, D, 1, &err), &err);
  for (int k = 0; k <= D; k++) {
    double slope = k < D ? m.weight[k] : 0;
    for (int i = 0; i < N; i++)
      slope += (sw_logistic_predict(&m, x + i * D) - y[i]) *
               (k < D ? x[i * D + k] : 1);
    near(slope, 0, 1e-6);
  }
  assert_true(m.weight[4] > m.weight[1]);
  sw_logistic_free(&m);
  /* separable and one-class data stay finite */
  for (int i = 0; i < N; i++) y[i] = x[i * D] > 0;
  ok(sw_logistic_fit(&m, x, y, N, D, 1, &err), &err);
  assert_true(isfinite(m.weight[0]) && m.weight[0] > 1);
  sw_logistic_free(&m);
  memset(y, 0, sizeof y);
  ok(sw_logistic_fit(&m, x, y, N, D, 1, &err), &err);
  assert_true(sw_logistic_predict(&m, x) < .01);
  sw_logistic_free(&m);
  x[3] = NAN;
  assert_int_equal(sw_logistic_fit(&m, x, y, N, D, 1, &err), SW_DATA);
}

/* The published trace settings, 60 traces: 1,456 blocks, 253 conflicts, and a
 * constant answer that is right in 82.6 % of them. */
static void test_published_traces(void **state) {
  (void)state;
  char path[64];
  sw_err err = {0};
  snprintf(path, sizeof path, "/tmp/sw-linear-%d.safetensors", (int)getpid());
  const sw_domain *sat = sw_domain_find("sat");
  sw_domain_options d;
  sw_domain_defaults(sat, &d);
  d.preset = 1;
  d.n = 50;
  ok(sat->resolve(&d, &err), &err);
  sw_produce_options produce = {.count = 60, .seed = 42, .threads = 1};
  sw_produce_stats stats;
  ok(sw_produce(sat, &d, &produce, path, NULL, &stats, &err), &err);
  sw_dataset set;
  ok(sw_dataset_open(&set, path, &err), &err);
  sw_irrelevance_options o = {.seed = 42, .domain = sat, .block_number = 1};
  sw_irrelevance_result r;
  ok(sw_irrelevance(&set, &o, &r, &err), &err);
  assert_int_equal(r.samples, 1456);
  assert_int_equal(r.conflicts, 253);
  assert_int_equal(r.features, 203);
  near((double)(r.samples - r.conflicts) / (double)r.samples, .826, 5e-4);
  assert_true(r.state.auroc > .6 && r.state.auroc < .95);
  assert_true(r.history.balanced_accuracy < .6);
  assert_int_equal(r.state.train + r.state.test, r.samples);
  sw_dataset_close(&set);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_solution),
                                     cmocka_unit_test(test_stationary),
                                     cmocka_unit_test(test_published_traces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
