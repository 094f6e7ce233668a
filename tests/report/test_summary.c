/* The words of the quickstart's table follow the numbers: each verdict,
 * including that there is no effect, and the JSON that scripts read. */
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
  r.agreement = agreement;
  r.exact_equal = exact;
  r.pairs = 500;
  return r;
}

static const char *words_of(sw_summary_row r) {
  static char text[512];
  sw_summary_words(&r, text, sizeof text);
  return text;
}

static void each_verdict_can_be_given(void **state) {
  (void)state;
  assert_non_null(
      strstr(words_of(row_of(0.9, 0.9, 1, 1)), "decides by the state"));
  assert_non_null(
      strstr(words_of(row_of(0.9, 0.3, 0.7, 0)), "history entanglement"));
  assert_non_null(
      strstr(words_of(row_of(0.9, 0.88, 0.7, 0)), "at little cost"));
  assert_non_null(
      strstr(words_of(row_of(0.9, 0.89, 0.999, 0)), "no clear effect"));
  sw_summary_row rule = row_of(1, 1, 0, 0);
  rule.has_model = 0;
  assert_non_null(
      strstr(words_of(rule), "reads the shown state and nothing else"));
}

static void json_has_what_scripts_read(void **state) {
  (void)state;
  char *directory = tiny_run_directory(), path[1200];
  sw_quick_summary s;
  sw_err err = {0};
  memset(&s, 0, sizeof s);
  s.rows = 2;
  s.row[0] = row_of(0.75, 0.5, 0.875, 0.25);
  s.row[0].train_seconds = 12.5;
  s.row[1] = row_of(1, 1, 0, 0);
  s.row[1].has_model = 0;
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
  tiny_run_remove(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_verdict_can_be_given),
      cmocka_unit_test(json_has_what_scripts_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
