/* Means, intervals and statistics of cells, against values computed by hand
 * (Student's t of 95 %: 4.302653 with two degrees of freedom, 12.706205 with
 * one). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "base/stats.h"
#include "repro/cells.h"
#include "repro/kept.h"
#include "table.h"

enum { COLUMNS_OF_IT = 6, MANY = 100 };

static const sw_experiment toy = {
    .id = "toy",
    .title = "a toy",
    .seeds = {3, 3},
    .column =
        COLUMNS(SOLVED("solved", ""), SOLVED("without", ""),
                CHANGE("change", 0, 1), NUMBER("decisions", "", "decisions"),
                FIGURE("repeats", "", "repeat_rate"),
                GAP("gap closed", 0, "rule", "best")),
    .row = ROWS(
        MODEL("a", "a", "sat12-ssa", 0), MODEL("b", "b", "sat12-causal", 0),
        RULE("rule", "rule", "jw+own", 0), RULE("best", "best", "jw+exact", 0)),
    .statistic = TESTS(TEST("a minus b", INSTANCES, 0, "a", "b", 0),
                       TEST("a minus rule", INSTANCES, 0, "a", "rule", 0),
                       TEST("a minus b, t", PAIRED_T, 0, "a", "b", 0)),
};

static sw_repro_result *empty(void) {
  sw_repro_result *r = calloc(1, sizeof *r);
  r->experiment = &toy;
  r->cells = 4 * COLUMNS_OF_IT;
  r->cell = calloc((size_t)r->cells, sizeof *r->cell);
  for (int i = 0; i < r->cells; i++) {
    r->cell[i].row = &toy.row[i / COLUMNS_OF_IT];
    r->cell[i].column = i % COLUMNS_OF_IT;
  }
  return r;
}

static sw_repro_cell *at(sw_repro_result *r, int row, int column) {
  return &r->cell[row * COLUMNS_OF_IT + column];
}

/* A model that solves the first `hits` of MANY; with `each`, one by one. */
static void add(sw_repro_cell *c, int64_t seed, int hits, int with_each) {
  c->value = realloc(c->value, sizeof *c->value * ((size_t)c->values + 1));
  sw_repro_value *v = &c->value[c->values++];
  *v = (sw_repro_value){.seed = seed,
                        .low = NAN,
                        .high = NAN,
                        .outcomes = MANY,
                        .value = (double)hits / MANY};
  if (!with_each) return;
  v->each = malloc(sizeof *v->each * MANY);
  for (int i = 0; i < MANY; i++) v->each[i] = i < hits;
}

static void sum_up(sw_repro_result *r) {
  sw_err err = {0};
  if (sw_repro_sum_up(r, &err)) fail_msg("%s", err.text);
}

static void done(sw_repro_result *r) {
  sw_repro_free(r);
  free(r);
}

static void close_to(double a, double b) {
  if (!(fabs(a - b) < 1e-6)) fail_msg("%.9f is not %.9f", a, b);
}

static void several_seeds_have_students_interval(void **state) {
  (void)state;
  for (int with_each = 0; with_each < 2; with_each++) {
    sw_repro_result *r = empty();
    add(at(r, 0, 0), 42, 56, with_each);
    add(at(r, 0, 0), 123, 34, with_each);
    add(at(r, 0, 0), 456, 60, with_each);
    sum_up(r);
    const sw_repro_cell *c = at(r, 0, 0);
    close_to(c->mean, 0.5);
    close_to(c->sd, 0.14);
    /* over seeds 4.302653 * .14 / sqrt(3); over instances, each on average over
     * the seeds: 34 are solved by all three, 22 by two, 4 by one; as
     * independent: .25 */
    double sum = 34 * 1.0 + 22 * 4 / 9.0 + 4 / 9.0;
    double spread = with_each ? (sum - MANY * 0.25) / (MANY - 1) : 0.25;
    double seeds = 4.302653 * 0.14 / sqrt(3);
    double half = sqrt(seeds * seeds + 1.959964 * 1.959964 * spread / MANY);
    close_to(c->high - c->mean, half);
    close_to(c->mean - c->low, half);
    done(r);
  }
}

static void shares_stay_shares(void **state) {
  (void)state;
  sw_repro_result *r = empty();
  add(at(r, 0, 0), 42, 100, 0);
  add(at(r, 0, 0), 123, 90, 0);
  add(at(r, 0, 4), 42, 2, 0);
  add(at(r, 0, 4), 123, 30, 0);
  add(at(r, 1, 0), 42, 100, 0);
  add(at(r, 1, 0), 123, 100, 0);
  add(at(r, 1, 4), 42, 130, 0);
  add(at(r, 1, 4), 123, 150, 0);
  sum_up(r);
  assert_true(at(r, 0, 0)->high == 1 && at(r, 0, 0)->low > 0);
  assert_true(at(r, 0, 4)->low == 0 && at(r, 0, 4)->high == 1);
  /* nothing varies: Wilson's */
  close_to(at(r, 1, 0)->low, sw_wilson(MANY, MANY, SW_Z95).low);
  /* a rate per something else may be above one */
  close_to(at(r, 1, 4)->high, 1.4 + 12.706205 * 0.1);
  done(r);
}

static void one_seed_has_its_instances(void **state) {
  (void)state;
  sw_repro_result *r = empty();
  add(at(r, 0, 0), 42, 56, 1);
  add(at(r, 0, 1), 42, 31, 1);
  add(at(r, 0, 3), 42, 56, 1); /* not a share, though all are 0 or 1 */
  add(at(r, 1, 0), 42, 56, 0); /* kept without instances: as it was */
  at(r, 1, 0)->value[0].low = 0.4;
  at(r, 1, 0)->value[0].high = 0.7;
  sum_up(r);
  close_to(at(r, 0, 0)->low, sw_wilson(56, MANY, SW_Z95).low);
  assert_true(at(r, 0, 3)->low != at(r, 0, 0)->low);
  assert_true(at(r, 1, 0)->low == 0.4 && at(r, 1, 0)->high == 0.7);
  /* a change is paired: 25 of 100 instances changed, all one way */
  const sw_repro_cell *change = at(r, 0, 2);
  close_to(change->mean, -0.25);
  assert_true(change->low > -0.36 && change->low < -0.30);
  assert_true(change->high < -0.14 && change->high > -0.20);
  done(r);
}

static void pairs_are_of_the_same_seed(void **state) {
  (void)state;
  sw_repro_result *r = empty();
  add(at(r, 0, 0), 42, 80, 1);
  add(at(r, 0, 0), 123, 90, 1);
  add(at(r, 0, 0), 456, 20, 1);
  add(at(r, 1, 0), 123, 70, 1);
  add(at(r, 1, 0), 42, 70, 1);
  add(at(r, 2, 0), 0, 50, 1);
  add(at(r, 3, 0), 0, 90, 1);
  sum_up(r);
  const sw_repro_statistic_value *v = r->statistic;
  /* .10 and .20 over seeds 42 and 123 */
  close_to(v[0].value, 0.15);
  assert_int_equal(v[0].pairs, 2);
  assert_true(v[0].over_both);
  close_to(v[0].p, sw_t_pvalue(3, 1));
  assert_true(v[0].high - v[0].value > 12.7062 * 0.05); /* and the instances */
  close_to(v[2].high - v[2].value, 12.706205 * 0.05);
  /* a rule goes with every seed: .30, .40, -.30 */
  close_to(v[1].value, 0.4 / 3);
  assert_int_equal(v[1].pairs, 3);
  /* the gap of a row without seeds is everybody's */
  close_to(at(r, 0, 5)->value[0].value, 0.75);
  close_to(at(r, 0, 5)->value[2].value, -0.75);
  done(r);
}

static void one_seed_is_resampled_by_instance(void **state) {
  (void)state;
  sw_repro_result *r = empty();
  add(at(r, 0, 0), 42, 80, 1);
  add(at(r, 1, 0), 42, 70, 1);
  sum_up(r);
  close_to(r->statistic[0].value, 0.10);
  assert_int_equal(r->statistic[0].pairs, MANY);
  assert_true(r->statistic[0].low > 0.03 && r->statistic[0].low < 0.06);
  assert_true(isnan(r->statistic[0].p));
  done(r);
}

static void rounding_is_no_spread(void **state) {
  (void)state;
  const double a[] = {0.35, 0.4, 0.25}, b[] = {0.3, 0.35, 0.2};
  sw_t_test t = sw_paired_t(a, b, 3);
  assert_true(isnan(t.p) && isnan(t.t) && t.error == 0);
  /* no difference on average: an interval, and p 1 */
  const double c[] = {0.5, 0.6}, d[] = {0.6, 0.5};
  t = sw_paired_t(c, d, 2);
  close_to(t.p, 1);
  close_to(t.error, 0.1);
  close_to(sw_t_of_95(2), 4.302653);
}

static void agreement_knows_what_the_paper_leaves_out(void **state) {
  (void)state;
  /* 200 of 200 is not "between 100 and 100" */
  assert_int_equal(sw_kept_agrees("100.0 ± 0.0", 1, 0.985, 0.960, 0.990), 1);
  assert_int_equal(sw_kept_agrees("100.0 ± 0.0", 1, 0.960, 0.940, 0.975), 0);
  /* a change is no share of anything */
  assert_int_equal(sw_kept_agrees("-11.7", 1, -0.115, -0.12, -0.11), 1);
  assert_int_equal(sw_kept_agrees("-11.7", 1, -0.070, -0.09, -0.05), 0);
  /* what is printed stands for all that rounds to it, and for no more */
  assert_int_equal(sw_kept_agrees("0.846", 0, 0.8464, NAN, NAN), 1);
  assert_int_equal(sw_kept_agrees("0.846", 0, 0.8468, NAN, NAN), 0);
  assert_int_equal(sw_kept_agrees("14.1", 0, 13, 13, 13), 0);
}

/* Ranges that touch are no test of the difference: 10 with 7 to 13, and
 * 15.5 with 12.5 to 18.5, differ by 5.5, and sqrt(9 + 9) is 4.24. */
static void agreement_tests_the_difference(void **state) {
  (void)state;
  assert_int_equal(sw_kept_agrees("15.5 ± 1.5", 0, 10, 7, 13), 0);
  assert_int_equal(sw_kept_agrees("14.2 ± 1.5", 0, 10, 7, 13), 1);
  assert_int_equal(sw_kept_agrees("14.3 ± 1.5", 0, 10, 7, 13), 0);
  /* the sides that face each other count: ours reaches 1 up and 6 down */
  assert_int_equal(sw_kept_agrees("14.2 ± 1.5", 0, 10, 4, 11), 0);
  assert_int_equal(sw_kept_agrees("5.8 ± 1.5", 0, 10, 4, 11), 1);
}

static const sw_experiment again = {.id = "again",
                                    .judged_in = "toy",
                                    .column = COLUMNS(SOLVED("solved", "")),
                                    .row = ROWS(RULE("a", "a", "r", 0))};

/* A share of searches without an interval has Wilson's: none of 100 is not
 * none, and .9 may be .86. */
static void a_share_of_ours_is_never_certain(void **state) {
  (void)state;
  sw_repro_value value = {.value = 0};
  sw_repro_origin origin = {.counting = 4};
  sw_repro_cell c = {.row = &toy.row[0],
                     .column = 4,
                     .paper = "3.0",
                     .value = &value,
                     .values = 1,
                     .instances = 100,
                     .mean = 0,
                     .low = NAN,
                     .high = NAN};
  sw_repro_result r = {
      .experiment = &toy, .cell = &c, .cells = 1, .origin = &origin};
  r.origins = 1;
  assert_int_equal(sw_kept_judge(&r, &c), 1);
  c.low = c.high = 0;
  assert_int_equal(sw_kept_judge(&r, &c), 1);
  c.instances = 0; /* nothing is known: only the paper's range */
  assert_int_equal(sw_kept_judge(&r, &c), 0);
  /* repeats and decisions of an older version of counting are not judged */
  c.instances = 100;
  origin.counting = 0;
  assert_int_equal(sw_kept_judge(&r, &c), -1);
  c.column = 3;
  assert_int_equal(sw_kept_judge(&r, &c), -1);
  c.column = 0;
  assert_int_equal(sw_kept_judge(&r, &c), 1);
  c.column = 2; /* follows from others */
  assert_int_equal(sw_kept_judge(&r, &c), -1);
  r.experiment = &again;
  c.column = 0;
  assert_int_equal(sw_kept_judge(&r, &c), -1);
}

static const sw_experiment apart = {
    .id = "apart",
    .column = COLUMNS({.title = "AUROC", .interval = "i", .unit = ""},
                      {.title = "loss", .source = SW_SOURCE_CARD, .unit = ""},
                      {.title = "backs per solved", .unit = ""},
                      {.title = "alpha", .figure = "alpha_v", .unit = ""}),
    .row = ROWS(RULE("a", "a", "r", 0), RULE("b", "b", "r", .unjudged = 1))};

/* What stands beside the paper's number and is not compared with it: a row that
 * is too far from it, an estimate whose interval was not kept. */
static void not_everything_is_compared(void **state) {
  (void)state;
  sw_repro_value value = {.value = 0.5};
  sw_repro_cell c = {.row = &apart.row[0],
                     .paper = "0.5",
                     .value = &value,
                     .values = 1,
                     .mean = 0.5,
                     .low = NAN,
                     .high = NAN};
  sw_repro_result r = {.experiment = &apart, .cell = &c, .cells = 1};
  assert_int_equal(sw_kept_judge(&r, &c), -1);
  c.low = 0.4;
  c.high = 0.6;
  assert_int_equal(sw_kept_judge(&r, &c), 1);
  c.row = &apart.row[1];
  assert_int_equal(sw_kept_judge(&r, &c), -1);
  c.row = &apart.row[0];
  c.column = 1; /* has none to keep */
  c.low = c.high = NAN;
  assert_int_equal(sw_kept_judge(&r, &c), 1);
  c.column = 2; /* a ratio over all searches of one model */
  assert_int_equal(sw_kept_judge(&r, &c), -1);
  c.low = 0.49;
  c.high = 0.51;
  assert_int_equal(sw_kept_judge(&r, &c), 1);
  /* a share, though printed as a fraction: the paper's .5 may be .46 */
  c.paper = "0.500";
  c.mean = 0.46;
  c.low = 0.455;
  c.high = 0.465;
  assert_int_equal(sw_kept_judge(&r, &c), 0);
  c.column = 3;
  assert_int_equal(sw_kept_judge(&r, &c), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(several_seeds_have_students_interval),
      cmocka_unit_test(not_everything_is_compared),
      cmocka_unit_test(shares_stay_shares),
      cmocka_unit_test(one_seed_has_its_instances),
      cmocka_unit_test(pairs_are_of_the_same_seed),
      cmocka_unit_test(one_seed_is_resampled_by_instance),
      cmocka_unit_test(rounding_is_no_spread),
      cmocka_unit_test(agreement_knows_what_the_paper_leaves_out),
      cmocka_unit_test(agreement_tests_the_difference),
      cmocka_unit_test(a_share_of_ours_is_never_certain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
