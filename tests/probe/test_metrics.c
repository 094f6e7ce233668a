/* Verifier metrics: the published worked examples, brute
 * force over every small labelling and score pattern, and the corners. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/rng.h"
#include "probe/metrics.h"

static void near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.12g is not %.12g", a, b);
}

static const double S[8] = {.9, .8, .4, .4, .3, .2, .1, .05};
static const uint8_t Y[8] = {1, 0, 0, 1, 0, 0, 1, 0};

static void test_worked_example(void **state) {
  (void)state;
  sw_verdicts v;
  assert_int_equal(sw_verdicts_of(S, Y, 8, &v, NULL), 0);
  near(v.false_prune_rate, .2, 1e-15);
  near(v.missed_conflict_rate, 2.0 / 3, 1e-15);
  near(v.auroc, 9.5 / 15, 1e-15);
  near(v.auprc_stable, (1.0 + 2.0 / 4 + 3.0 / 7) / 3, 1e-15);
  near(v.auprc_stable, .642857, 5e-7);
  near(v.ece, .41875, 1e-12);
  near(v.brier, .2640625, 1e-12);
  double ece;
  int used;
  sw_reliability_bin curve[3];
  assert_int_equal(sw_ece(S, Y, 8, 3, curve, &used, &ece, NULL), 0);
  near(ece, .18125, 1e-12);
  assert_int_equal(used, 3);
  assert_int_equal(curve[0].count, 3);
  assert_int_equal(curve[2].count, 2);
  near(curve[0].low, .05, 0);
  near(curve[2].high, .9, 0);
  near(curve[2].mean_label, .5, 0);
}

static void test_kl_examples(void **state) {
  (void)state;
  double p[] = {.5, .3, .2}, q[] = {.4, .4, .2};
  near(sw_kl(p, q, 3), .025267, 5e-7);
  near(sw_kl(q, p, 3), .025815, 5e-7);
  near(sw_symmetric_kl(p, q, 3), .025541, 5e-7);
  near(sw_bernoulli_kl(.7, .4), .183787, 5e-7);
  near(sw_bernoulli_kl(.4, .7), .192042, 5e-7);
  near(sw_bernoulli_symmetric_kl(.7, .4), .187914, 1e-6);
  near(sw_symmetric_kl(p, p, 3), 0, 0);
  double zero[] = {1, 0}, one[] = {0, 1};
  assert_true(isfinite(sw_symmetric_kl(zero, one, 2)));
  assert_true(isfinite(sw_bernoulli_symmetric_kl(0, 1)));
  near(sw_bernoulli_kl(1, 1), 0, 0);
}

/* The definitions, written as plainly as possible. */
static double brute_auroc(const double *s, const uint8_t *y, int n) {
  double sum = 0;
  int pairs = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (y[i] && !y[j]) {
        pairs++;
        sum += s[i] > s[j] ? 1 : s[i] == s[j] ? .5 : 0;
      }
  return pairs ? sum / pairs : 0;
}

/* Average precision over thresholds: sum of (recall step) * precision. */
static double brute_auprc(const double *s, const uint8_t *y, int n) {
  double sum = 0;
  int positives = 0;
  for (int i = 0; i < n; i++) positives += y[i];
  if (!positives) return 0;
  for (int i = 0; i < n; i++) {
    int first = 1, tp = 0, all = 0, here = 0;
    for (int j = 0; j < i; j++) first &= s[j] != s[i];
    if (!first) continue; /* each threshold once */
    for (int j = 0; j < n; j++) {
      all += s[j] >= s[i];
      tp += s[j] >= s[i] && y[j];
      here += s[j] == s[i] && y[j];
    }
    sum += (double)here / positives * tp / all;
  }
  return sum;
}

static double brute_auprc_stable(const double *s, const uint8_t *y, int n) {
  double sum = 0;
  int positives = 0;
  for (int i = 0; i < n; i++) {
    if (!y[i]) continue;
    positives++;
    int rank = 1, found = 1;
    for (int j = 0; j < n; j++) {
      int before = s[j] > s[i] || (s[j] == s[i] && j < i);
      rank += before;
      found += before && y[j];
    }
    sum += (double)found / rank;
  }
  return positives ? sum / positives : 0;
}

static double brute_ece(const double *s, const uint8_t *y, int n, int bins) {
  int number = bins < n ? bins : n;
  double total = 0;
  for (int b = 0; b < number; b++) {
    int start = b * (n / number) + (b < n % number ? b : n % number);
    int size = n / number + (b < n % number);
    double ms = 0, my = 0;
    for (int i = 0; i < n; i++) {
      int rank = 0;
      for (int j = 0; j < n; j++)
        rank += s[j] < s[i] || (s[j] == s[i] && j < i);
      if (rank >= start && rank < start + size) ms += s[i], my += y[i];
    }
    total += fabs(ms - my) / n;
  }
  return total;
}

/* Every labelling and every pattern of up to four score levels, n <= 6. */
static void test_brute_force(void **state) {
  (void)state;
  const double level[4] = {0, .25, .5, 1};
  for (int n = 1; n <= 6; n++)
    for (int labels = 0; labels < 1 << n; labels++)
      for (int pattern = 0; pattern < 1 << (2 * n); pattern++) {
        double s[6];
        uint8_t y[6];
        for (int i = 0; i < n; i++) {
          s[i] = level[pattern >> (2 * i) & 3];
          y[i] = (uint8_t)(labels >> i & 1);
        }
        double ece;
        sw_verdicts v;
        assert_int_equal(sw_verdicts_of(s, y, n, &v, NULL), 0);
        near(v.auroc, brute_auroc(s, y, n), 1e-12);
        near(v.auprc, brute_auprc(s, y, n), 1e-12);
        near(v.auprc_stable, brute_auprc_stable(s, y, n), 1e-12);
        assert_int_equal(sw_ece(s, y, n, 3, NULL, NULL, &ece, NULL), 0);
        near(ece, brute_ece(s, y, n, 3), 1e-12);
      }
}

static void test_random_against_brute(void **state) {
  (void)state;
  for (uint64_t trial = 0; trial < 60; trial++) {
    enum { N = 101 };
    double s[N], ece;
    uint8_t y[N];
    for (uint64_t i = 0; i < N; i++) {
      double u = sw_philox_unit(3, trial, 2 * i);
      s[i] = trial % 2 ? u : floor(u * 7) / 7;
      y[i] = sw_philox_unit(3, trial, 2 * i + 1) < .3;
    }
    sw_verdicts v;
    assert_int_equal(sw_verdicts_of(s, y, N, &v, NULL), 0);
    near(v.auroc, brute_auroc(s, y, N), 1e-12);
    near(v.auprc, brute_auprc(s, y, N), 1e-12);
    near(v.auprc_stable, brute_auprc_stable(s, y, N), 1e-12);
    near(v.ece, brute_ece(s, y, N, 15), 1e-12);
    assert_int_equal(sw_ece(s, y, N, 15, NULL, NULL, &ece, NULL), 0);
    near(ece, v.ece, 0);
  }
}

static void test_corners(void **state) {
  (void)state;
  sw_verdicts v;
  sw_err err;
  double ties[6] = {.5, .5, .5, .5, .5, .5};
  uint8_t mixed[6] = {1, 0, 0, 0, 0, 1}, all[6] = {1, 1, 1, 1, 1, 1},
          none[6] = {0};
  assert_int_equal(sw_verdicts_of(ties, mixed, 6, &v, NULL), 0);
  near(v.auroc, .5, 0);
  near(v.auprc, 1.0 / 3, 1e-15);
  near(v.false_prune_rate, 0, 0); /* .5 is not above .5 */
  near(v.missed_conflict_rate, 1, 0);
  assert_int_equal(sw_verdicts_of(ties, all, 6, &v, NULL), 0);
  near(v.auroc, 0, 0);
  near(v.auprc, 1, 0);
  assert_int_equal(sw_verdicts_of(ties, none, 6, &v, NULL), 0);
  near(v.auroc, 0, 0);
  near(v.auprc, 0, 0);
  near(v.missed_conflict_rate, 0, 0);
  assert_int_equal(sw_verdicts_of(ties, none, 0, &v, NULL), 0);
  near(v.auroc + v.auprc + v.ece + v.brier, 0, 0);
  assert_int_equal(v.states, 0);
  double bad[3] = {.1, NAN, .2}, worse[3] = {.1, INFINITY, .2};
  assert_int_equal(sw_verdicts_of(bad, mixed, 3, &v, &err), SW_DATA);
  assert_non_null(strstr(err.text, "score 1"));
  assert_int_equal(sw_auroc(worse, mixed, 3, ties, &err), SW_DATA);
  assert_int_equal(sw_ece(S, Y, 8, 0, NULL, NULL, ties, &err), SW_USAGE);
}

static void test_intervals(void **state) {
  (void)state;
  enum { N = 300 };
  double s[N];
  uint8_t y[N];
  int64_t cluster[N];
  for (uint64_t i = 0; i < N; i++) {
    y[i] = i % 3 == 0;
    cluster[i] = (int64_t)(i / 10);
    s[i] = .7 * sw_philox_unit(8, 0, i) + (y[i] ? .3 : 0);
  }
  sw_verdicts v;
  sw_interval interval[SW_VERDICT_INTERVALS], again[SW_VERDICT_INTERVALS];
  assert_int_equal(sw_verdicts_of(s, y, N, &v, NULL), 0);
  assert_int_equal(
      sw_verdict_intervals(s, y, cluster, N, 200, 4, interval, NULL), 0);
  near(interval[2].point, v.auroc, 0);
  near(interval[3].point, v.auprc, 0);
  for (int k = 0; k < SW_VERDICT_INTERVALS; k++)
    assert_true(interval[k].low <= interval[k].high &&
                interval[k].high - interval[k].low < .4);
  for (int k = 0; k < 4; k++)
    assert_true(interval[k].low <= interval[k].point &&
                interval[k].point <= interval[k].high);
  assert_int_equal(sw_verdict_intervals(s, y, cluster, N, 200, 4, again, NULL),
                   0);
  assert_memory_equal(interval, again, sizeof again);
}

static void test_entanglement(void **state) {
  (void)state;
  double squared[] = {0, .04, .16, 0};
  int64_t cluster[] = {0, 0, 1, 1};
  sw_interval out;
  assert_int_equal(sw_entanglement(squared, cluster, 4, 500, 1, &out, NULL), 0);
  near(out.point, .025, 1e-15); /* half of .05 */
  near(out.low, .01, 1e-15);    /* cluster 0 twice */
  near(out.high, .04, 1e-15);   /* cluster 1 twice */
  double same[] = {0, 0, 0};
  assert_int_equal(sw_entanglement(same, NULL, 3, 100, 1, &out, NULL), 0);
  near(out.point, 0, 0);
  near(out.high, 0, 0);
}

static void test_small_helpers(void **state) {
  (void)state;
  double depth[] = {1, 2, 3, 4, 5}, t[3];
  assert_int_equal(sw_quartile_thresholds(depth, 5, t, NULL), 0);
  near(t[0], 2, 0);
  near(t[2], 4, 0);
  assert_int_equal(sw_quartile_of(2, t), 1);
  assert_int_equal(sw_quartile_of(2.5, t), 2);
  assert_int_equal(sw_quartile_of(9, t), 4);
  near(sw_balanced_accuracy(S, Y, 8, .5), .5 * (1.0 / 3 + .8), 1e-15);
  uint8_t one[2] = {1, 1};
  near(sw_balanced_accuracy(S, one, 2, .85), .5, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_worked_example),
      cmocka_unit_test(test_kl_examples),
      cmocka_unit_test(test_brute_force),
      cmocka_unit_test(test_random_against_brute),
      cmocka_unit_test(test_corners),
      cmocka_unit_test(test_intervals),
      cmocka_unit_test(test_entanglement),
      cmocka_unit_test(test_small_helpers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
