/* The survival formulas: against simulated paths, the published points, and
 * data that a model with known parameters made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "base/rng.h"
#include "probe/survival.h"

static void near_to(double value, double want, double within) {
  if (!(fabs(value - want) <= within))
    fail_msg("%.6f is not %.6f", value, want);
}

/* The printed table of an erring oracle, and what is known of its fit. */
static void the_published_points(void **state) {
  (void)state;
  static const double rate[] = {0,    .012, .022, .050, .101,
                                .149, .196, .303, .409, .518};
  static const double solved[] = {1,    1,    .99,  .96,  .886,
                                  .705, .559, .174, .035, 0};
  sw_survival_fit fit;
  assert_int_equal(sw_survival_fitted(rate, solved, 10, &fit), 1);
  near_to(fit.judgements, 8.4, 0.1);
  near_to(fit.paths, 4.25, 0.1);
  near_to(fit.r2, 0.998, 0.0005);
  near_to(sw_path_survival(.012, 20), 0.785, 0.0005);
  /* the per-path bound lies below every point that it is drawn beside */
  for (int i = 0; i < 10; i++)
    assert_true(sw_path_survival(rate[i], 20) <= solved[i] + 1e-4);
}

static void known_parameters_are_found(void **state) {
  (void)state;
  static const double known[][2] = {{3, 1}, {8.4, 4.25}, {25, 60}, {40, 0.5}};
  for (int k = 0; k < 4; k++) {
    double rate[12], solved[12];
    for (int i = 0; i < 12; i++) {
      rate[i] = 0.5 * i / 11;
      solved[i] = sw_paths_survival(rate[i], known[k][0], known[k][1]);
    }
    sw_survival_fit fit;
    assert_int_equal(sw_survival_fitted(rate, solved, 12, &fit), 1);
    near_to(fit.judgements / known[k][0], 1, 1e-3);
    near_to(fit.paths / known[k][1], 1, 1e-2);
    near_to(fit.r2, 1, 1e-6);
  }
  sw_survival_fit fit;
  double two[] = {0, .5}, flat[] = {.3, .3, .3}, three[] = {0, .1, .2};
  assert_int_equal(sw_survival_fitted(two, two, 2, &fit), 0);
  assert_int_equal(sw_survival_fitted(three, flat, 3, &fit), 0);
}

static void paths_survive_as_often_as_said(void **state) {
  (void)state;
  enum { GAMES = 20000, M = 7, R = 3 };
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, 9);
  for (int k = 1; k <= 3; k++) {
    double rate = 0.1 * k, one = 0, any = 0;
    for (int g = 0; g < GAMES; g++) {
      int left = 0;
      for (int r = 0; r < R; r++) {
        int alive = 1;
        for (int m = 0; m < M; m++) alive &= sw_xoshiro_unit(&rng) >= rate;
        one += alive;
        left |= alive;
      }
      any += left;
    }
    /* five deviations */
    near_to(one / (GAMES * R), sw_path_survival(rate, M),
            5 * .5 / sqrt(GAMES * R));
    near_to(any / GAMES, sw_paths_survival(rate, M, R), 5 * .5 / sqrt(GAMES));
    near_to(sw_path_survival(sw_critical_rate(rate, M), M), rate, 1e-12);
  }
  /* the critical rate falls as one over the length */
  near_to(sw_critical_rate(.5, 2000) / sw_critical_rate(.5, 1000), 0.5, 1e-3);
}

/* With more judgements the threshold moves to 0 and sharpens: the critical rate
 * is ln(1/q) / m, the way from one share to another ln(q2/q1) / m, both up to
 * terms in 1/m^2; and the slope there grows as m. */
static void the_threshold_sharpens(void **state) {
  (void)state;
  static const double share[] = {0.9, 0.5, 0.1};
  for (int i = 0; i < 3; i++) {
    double q = share[i];
    for (double m = 10; m <= 10000; m *= 10) {
      double at = sw_critical_rate(q, m), step = 1e-4 / m;
      /* the next term is ln(1/q)^2 / 2 m^2, and it is subtracted */
      double off = (log(1 / q) / m - at) * m * m;
      near_to(off, log(1 / q) * log(1 / q) / 2, 2.5 / m);
      double slope =
          (sw_path_survival(at - step, m) - sw_path_survival(at + step, m)) /
          (2 * step);
      near_to(slope / m, q, 3 * q / m);
      if (i == 0) continue;
      double width = at - sw_critical_rate(share[i - 1], m);
      near_to(width * m, log(share[i - 1] / q), 4 / m);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_published_points),
      cmocka_unit_test(known_parameters_are_found),
      cmocka_unit_test(paths_survive_as_often_as_said),
      cmocka_unit_test(the_threshold_sharpens),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
