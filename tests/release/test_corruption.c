/* The published corruption experiment with the VSIDS-like policy: the first 20
 * planted formulas of seed 42 (n = 50, ratio 4.0), noise of MT(1042). The
 * numbers are the published program's, measured. */
#include "../domains/sat_support.h"
#include <math.h>
#include "release/corruption.h"

static const struct vector {
  double fp, fn, solve, backs, alpha, precision, recall;
  int64_t proactive, checks, viable;
  sw_corruption_run first[5];
} vectors[] = {
    {0,
     0,
     1.00,
     1.6,
     0,
     1.000,
     1.000,
     13,
     271,
     258,
     {{1, 0, 10}, {1, 1, 15}, {1, 1, 11}, {1, 3, 14}, {1, 0, 10}}},
    {.1,
     0,
     0.95,
     5.842,
     .074,
     .604,
     1.000,
     53,
     317,
     285,
     {{1, 0, 10}, {1, 2, 16}, {1, 7, 18}, {1, 3, 9}, {1, 9, 27}}},
    {.2,
     0,
     0.70,
     10.357,
     .167,
     .442,
     1.000,
     77,
     291,
     257,
     {{1, 1, 11}, {1, 4, 16}, {0, 11, 10}, {1, 9, 17}, {1, 10, 26}}},
    {.3,
     0,
     0.45,
     30.667,
     .274,
     .370,
     1.000,
     119,
     318,
     274,
     {{0, 51, 50}, {1, 26, 39}, {1, 11, 19}, {0, 13, 12}, {0, 13, 12}}},
    {0,
     .5,
     1.00,
     2.5,
     0,
     1.000,
     .609,
     14,
     280,
     257,
     {{1, 0, 10}, {1, 7, 21}, {1, 1, 11}, {1, 5, 15}, {1, 0, 10}}},
    {0,
     1,
     1.00,
     13.8,
     0,
     0,
     0,
     0,
     380,
     259,
     {{1, 0, 10}, {1, 19, 33}, {1, 1, 11}, {1, 28, 40}, {1, 0, 10}}},
};

static void expect(double value, double want, const char *what, int k) {
  if (fabs(value - want) > 0.0005 + 1e-12)
    fail_msg("row %d: %s is %.4f, not %.3f", k, what, value, want);
}

static void as_published(void **state) {
  (void)state;
  for (int k = 0; k < (int)(sizeof vectors / sizeof *vectors); k++) {
    const struct vector *w = &vectors[k];
    sw_domain_options o = release_options(50, 4.0, "planted", 0, 4096);
    sw_stream *stream = open_stream(&o, 42);
    sw_corruption_options c = {w->fp, w->fn, 1000, 500};
    sw_corruption_sums sums = {0};
    sw_mt noise;
    sw_mt_seed(&noise, 1042);
    for (int i = 0; i < 20; i++) {
      sw_corruption_run run;
      sw_instance *formula = next_instance(stream);
      assert_int_equal(
          sw_corruption_play(formula, &c, &noise, &run, &sums, NULL), SW_OK);
      sw_domain_sat.instance_free(formula);
      if (i >= 5) continue;
      assert_int_equal(run.solved, w->first[i].solved);
      assert_int_equal(run.backtracks, w->first[i].backtracks);
      assert_int_equal(run.assignments, w->first[i].assignments);
    }
    sw_domain_sat.stream_free(stream);
    assert_int_equal(sums.proactive, w->proactive);
    assert_int_equal(sums.checks, w->checks);
    assert_int_equal(sums.viable, w->viable);
    expect((double)sums.solved / 20, w->solve, "solve", k);
    expect(sw_corruption_backs_per_solve(&sums), w->backs, "backs", k);
    expect(sw_corruption_alpha(&sums), w->alpha, "alpha", k);
    expect(sw_corruption_precision(&sums), w->precision, "precision", k);
    expect(sw_corruption_recall(&sums), w->recall, "recall", k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_published),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
