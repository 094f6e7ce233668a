/* The words of the quickstart's table follow the numbers: each verdict,
 * including that there is no effect, and the JSON that scripts read. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../tiny_run.h"
#include "report/summary.h"

static sw_summary_row row_of(double with, double without, double agreement,
                             double exact) {
  sw_summary_row r;
  memset(&r, 0, sizeof r);
  snprintf(r.model, sizeof r.model, "m");
  r.has_model = 1;
  r.with.solve_rate = with;
  r.without.solve_rate = without;
  r.with.n = r.without.n = 200;
  r.gap = (sw_interval){with - without, with - without - 0.05,
                        with - without + 0.05};
  r.agreement = agreement;
  r.agreement_low = agreement - 0.01;
  r.agreement_high = agreement < 0.995 ? agreement + 0.005 : 1;
  r.exact_equal = exact;
  r.pairs = 500;
  return r;
}

static const char *words_of(sw_summary_row r) {
  static char text[700];
  sw_summary_words(&r, NAN, text, sizeof text);
  return text;
}

/* A model that is surely worse than the weakest rule beside it. */
static void what_learned_nothing_has_no_verdict(void **state) {
  (void)state;
  char text[700];
  sw_summary_row r = row_of(0.02, 0, 0.9, 0);
  r.gap = (sw_interval){0.02, 0.01, 0.03};
  r.with.ci_high = 0.05;
  r.without.ci_high = 0.02;
  sw_summary_words(&r, 0.1, text, sizeof text);
  assert_non_null(strstr(text, "has not learned this search"));
  assert_null(strstr(text, "entanglement"));
  r.with.ci_high = 0.2; /* it may be as good as the rule */
  sw_summary_words(&r, 0.1, text, sizeof text);
  assert_non_null(strstr(text, "history entanglement"));
  sw_quick_summary s = {0};
  assert_true(isnan(sw_summary_floor(&s)));
  for (int i = 0; i < 3; i++) {
    sw_summary_row *rule = sw_summary_add(&s);
    assert_non_null(rule);
    rule->has_model = i == 0;
    rule->with.solve_rate = i == 0 ? 0.05 : i == 1 ? 0.7 : 1;
  }
  assert_true(sw_summary_floor(&s) == 0.7);
  sw_summary_free(&s);
}

static void each_verdict_can_be_given(void **state) {
  (void)state;
  assert_non_null(
      strstr(words_of(row_of(0.9, 0.9, 1, 1)), "decides by the state"));
  const char *lost = words_of(row_of(0.9, 0.3, 0.7, 0));
  assert_non_null(strstr(lost, "history entanglement. It solves"));
  assert_non_null(strstr(lost, "60.0 points (95 %: 55.0 to 65.0)"));
  assert_null(strstr(lost, "harm"));
  const char *gained = words_of(row_of(0.3, 0.9, 0.7, 0));
  assert_non_null(strstr(gained, "the history does harm"));
  assert_non_null(strstr(gained, "60.0 points (95 %: 55.0 to 65.0)"));
  assert_non_null(
      strstr(words_of(row_of(0.9, 0.88, 0.7, 0)), "too few to tell"));
  assert_non_null(strstr(words_of(row_of(0.9, 0.89, 0.999, 0)),
                         "no effect of the history was seen"));
  sw_summary_row rule = row_of(1, 1, 0, 0);
  rule.has_model = 0;
  assert_non_null(strstr(words_of(rule), "it is a rule without a model."));
  rule.about = "sleeps";
  assert_non_null(strstr(words_of(rule), "it sleeps."));
  sw_summary_row moved = row_of(0.9, 0.3, 0.7, 0);
  assert_null(strstr(words_of(moved), "keeps its positions"));
  moved.has_in_place = 1;
  moved.in_place.solve_rate = 0.875;
  moved.gap_in_place = (sw_interval){0.025, -0.005, 0.055};
  assert_non_null(
      strstr(words_of(moved), "(87.5 % when the block keeps its positions)"));
}

/* Moved to the front a block loses its history and its place: only what is lost
 * at its own positions is the history's. */
static void positions_are_not_history(void **state) {
  (void)state;
  sw_summary_row r = row_of(0.9, 0.3, 0.7, 0);
  r.has_in_place = 1;
  r.in_place.solve_rate = 0.88;
  r.gap_in_place = (sw_interval){0.02, -0.01, 0.05};
  const char *words = words_of(r);
  assert_non_null(strstr(words, "depends on where a state stands"));
  assert_null(strstr(words, "history entanglement"));
  assert_non_null(strstr(words, "60.0 points (95 %: 55.0 to 65.0)"));
  assert_non_null(strstr(words, "(95 %: -1.0 to 5.0 points)"));
  r.in_place.solve_rate = 0.5;
  r.gap_in_place = (sw_interval){0.4, 0.35, 0.45};
  words = words_of(r);
  assert_non_null(strstr(words, "history entanglement. It solves"));
  assert_non_null(
      strstr(words, "40.0 points (95 %: 35.0 to 45.0) by the history alone"));
  r.gap_in_place = (sw_interval){-0.05, -0.08, -0.02};
  assert_non_null(strstr(words_of(r), "the history does harm"));
  r.gap = r.gap_in_place = (sw_interval){0, -0.01, 0.01};
  assert_non_null(strstr(words_of(r), "too few to tell"));
}

/* A sentence follows the interval, not the size of the difference. */
static void words_follow_the_interval(void **state) {
  (void)state;
  sw_summary_row r = row_of(0.06, 0.03, 0.9, 0); /* a rate that halves */
  assert_non_null(strstr(words_of(r), "too few to tell"));
  assert_null(strstr(words_of(r), "little"));
  r.gap = (sw_interval){0.03, 0.004, 0.06};
  assert_non_null(strstr(words_of(r), "a difference of 3.0 points"));
}

/* An interval beside two rates is of these two. */
static void the_interval_is_of_the_rates(void **state) {
  (void)state;
  sw_summary_row r = row_of(0.4, 0, 0.9, 0);
  r.gap = (sw_interval){0.4, 0, 0.8};
  r.has_in_place = 1;
  r.in_place.solve_rate = 0.4;
  r.gap_in_place = (sw_interval){0, 0, 0};
  for (int swayed = 0; swayed < 2; swayed++) {
    r.agreement_high = swayed ? 0.95 : 1;
    const char *words = words_of(r);
    assert_non_null(strstr(words, swayed ? "too few to tell" : "no effect"));
    assert_non_null(strstr(words, "40.0 % with and 0.0 % without"));
    assert_non_null(strstr(words,
                           "the difference: 0.0 to 80.0 points; in "
                           "place 0.0 to 0.0)"));
  }
}

/* The difference is taken instance by instance; those that only one side
 * played do not count. */
static void a_gap_is_paired(void **state) {
  (void)state;
  sw_outcome with[40], without[40];
  sw_interval gap = {0};
  memset(with, 0, sizeof with);
  memset(without, 0, sizeof without);
  for (int i = 0; i < 40; i++) {
    with[i].instance = i;
    without[i].instance = i + 10;
    with[i].solved = i >= 10;         /* the shared ones all solved */
    without[i].solved = (i + 10) % 2; /* every second of them */
  }
  assert_int_equal(sw_summary_gap(&gap, with, 40, without, 40, NULL), 0);
  assert_true(gap.point == 0.5);
  assert_true(gap.low > 0.2 && gap.low < 0.5);
  assert_true(gap.high > 0.5 && gap.high < 0.8);
  assert_int_equal(sw_summary_gap(&gap, with, 40, with, 40, NULL), 0);
  assert_true(gap.point == 0 && gap.low == 0 && gap.high == 0);
}

static void json_has_what_scripts_read(void **state) {
  (void)state;
  char *directory = tiny_run_directory(), path[1200];
  sw_quick_summary s;
  sw_err err = {0};
  memset(&s, 0, sizeof s);
  sw_summary_row *first = sw_summary_add(&s);
  *first = row_of(0.75, 0.5, 0.875, 0.25);
  first->train_seconds = 12.5;
  sw_summary_row *second = sw_summary_add(&s);
  *second = row_of(1, 1, 0, 0);
  second->has_model = 0;
  snprintf(path, sizeof path, "%s/summary.json", directory);
  assert_int_equal(sw_summary_write(&s, path, &err), 0);
  json_t *object = json_load_file(path, 0, NULL);
  const json_t *rows = json_object_get(object, "rows");
  assert_int_equal(json_array_size(rows), 2);
  const json_t *model = json_array_get(rows, 0),
               *rule = json_array_get(rows, 1);
  assert_string_equal(json_string_value(json_object_get(model, "model")), "m");
  assert_true(json_real_value(json_object_get(model, "solve_cumulative")) ==
              0.75);
  assert_true(json_real_value(json_object_get(model, "solve_rebuilt")) == 0.5);
  assert_true(json_real_value(json_object_get(model, "agreement")) == 0.875);
  assert_true(json_real_value(json_object_get(model, "train_seconds")) == 12.5);
  assert_true(json_is_null(json_object_get(rule, "agreement")));
  assert_true(json_is_null(json_object_get(rule, "train_seconds")));
  json_decref(object);
  sw_summary_free(&s);
  tiny_run_remove(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_verdict_can_be_given),
      cmocka_unit_test(what_learned_nothing_has_no_verdict),
      cmocka_unit_test(positions_are_not_history),
      cmocka_unit_test(words_follow_the_interval),
      cmocka_unit_test(the_interval_is_of_the_rates),
      cmocka_unit_test(a_gap_is_paired),
      cmocka_unit_test(json_has_what_scripts_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
