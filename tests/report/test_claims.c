/* Differences beside the paper's: which way each points, that one model's
 * difference takes the interval over instances, what the page counts, and which
 * comparisons are one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "report/kept_pages.h"

static json_t *parsed(const char *text) {
  json_t *value = json_loads(text, 0, NULL);
  assert_non_null(value);
  return value;
}

static sw_claim claim_of(const char *text) {
  json_t *one = parsed(text);
  sw_claim claim = sw_kept_claim(one, one);
  json_decref(one);
  return claim;
}

static void the_sign_needs_an_interval_without_zero(void **state) {
  (void)state;
  assert_int_equal(claim_of("{\"paper\":\"17.0 [12.9, 21.6]\",\"value\":0.3,"
                            "\"low\":0.1,\"high\":0.5}"),
                   SW_SAME_WAY);
  assert_int_equal(claim_of("{\"paper\":\"-8.3\",\"value\":-0.3,\"low\":-0.5,"
                            "\"high\":-0.1}"),
                   SW_SAME_WAY);
  assert_int_equal(claim_of("{\"paper\":\"-8.3\",\"value\":0.3,\"low\":0.1,"
                            "\"high\":0.5}"),
                   SW_OTHER_WAY);
  assert_int_equal(claim_of("{\"paper\":\"8.3\",\"value\":-0.3,\"low\":-0.5,"
                            "\"high\":-0.1}"),
                   SW_OTHER_WAY);
  assert_int_equal(claim_of("{\"paper\":\"0\",\"value\":0.3,\"low\":0.1,"
                            "\"high\":0.5}"),
                   SW_SAME_WAY);
  assert_int_equal(claim_of("{\"paper\":\"8.3\",\"value\":0.1,\"low\":0,"
                            "\"high\":0.5}"),
                   SW_NOT_APART);
  assert_int_equal(claim_of("{\"paper\":\"8.3\",\"value\":0.1,\"low\":null,"
                            "\"high\":null}"),
                   SW_NO_RANGE);
}

static char *page(json_t *kept) {
  static const sw_kept_entry entry = {"demo", "s", "p", "t", NULL,
                                      "kept", 1,   0,   NULL};
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  sw_err err = {0};
  assert_int_equal(sw_kept_claims(&entry, 1, &kept, SW_KEPT_SITE, out, &err),
                   SW_OK);
  fclose(out);
  return text;
}

/* a: over seeds, its twin over instances decides; b: the other way; c: no
 * number of the paper; d: nothing measured. */
static void one_model_takes_the_interval_over_instances(void **state) {
  (void)state;
  json_t *kept = parsed(
      "{\"statistics\":["
      "{\"title\":\"a<b\",\"paper\":\"42.0\",\"unit\":\"%\",\"value\":0.125,"
      "\"low\":null,\"high\":null},"
      "{\"title\":\"a<b, by instance\",\"unit\":\"%\",\"value\":0.125,"
      "\"low\":0.075,\"high\":0.18},"
      "{\"title\":\"b\",\"paper\":\"1\",\"unit\":\"%\",\"value\":-0.2,"
      "\"low\":-0.3,\"high\":-0.1},"
      "{\"title\":\"c\",\"value\":0.2,\"low\":0.1,\"high\":0.3},"
      "{\"title\":\"d\",\"paper\":\"2\",\"value\":null},"
      "{\"title\":\"e\",\"paper\":\"3\",\"judged\":false,\"value\":0.5,"
      "\"low\":0.4,\"high\":0.6}]}");
  char *text = page(kept);
  assert_non_null(strstr(text, "Of 2 differences"));
  assert_non_null(strstr(text, "the same way in 1"));
  assert_non_null(strstr(text, "the other way in 1"));
  assert_non_null(strstr(text, "a&lt;b</td><td>42.0</td><td>12.5 [7.5, 18.0]"));
  assert_null(strstr(text, ">c<"));
  assert_null(strstr(text, ">d<"));
  assert_null(strstr(text, ">e<")); /* of rows that are not judged */
  free(text);
  json_decref(kept);
}

/* Of one model in one table, of three in another, by the other sign. */
static void of_two_alike_the_one_of_more_models_stands(void **state) {
  (void)state;
  json_t *kept = parsed(
      "{\"rows\":[{\"id\":\"x\",\"model\":\"m\"},{\"id\":\"y\","
      "\"model\":\"n\"}],\"statistics\":["
      "{\"title\":\"f\",\"a\":\"x\",\"b\":\"y\",\"paper\":\"2.9\","
      "\"test\":\"bootstrap over instances\",\"pairs\":200,\"value\":0.05,"
      "\"low\":0.02,\"high\":0.08},"
      "{\"title\":\"g\",\"a\":\"y\",\"b\":\"x\",\"paper\":\"-2.9 [-4, "
      "-1]\",\"test\":\"paired t over seeds\",\"pairs\":3,\"value\":-0.02,"
      "\"low\":-0.09,\"high\":0.04},"
      "{\"title\":\"h\",\"a\":\"x\",\"b\":\"z\",\"paper\":\"2.9\","
      "\"test\":\"bootstrap over instances\",\"pairs\":5,\"value\":0.05,"
      "\"low\":0.02,\"high\":0.08}]}");
  char *text = page(kept);
  assert_non_null(strstr(text, "Of 2 differences"));
  assert_null(strstr(text, ">f<"));
  assert_non_null(strstr(text, "[-9.0, 4.0]</td><td>3</td>"));
  assert_non_null(strstr(text, "[2.0, 8.0]</td><td>1</td>"));
  free(text);
  json_decref(kept);
}

static void nothing_to_say_is_nothing(void **state) {
  (void)state;
  json_t *kept = parsed("{\"statistics\":[]}");
  char *text = page(kept);
  assert_string_equal(text, "");
  free(text);
  json_decref(kept);
}

/* One number beside the same figure of the same model, asked the same, counts
 * once; another figure, model or question is another number. */
static void a_number_of_the_paper_counts_once(void **state) {
  (void)state;
  static const sw_kept_entry entry[] = {
      {"one", "s", "p", "t", NULL, "kept", 1, 0, NULL},
      {"two", "s", "p", "t", NULL, "kept", 1, 0, NULL},
      {"old", "s", "p", "t", NULL, "partial", 1, 1, NULL}};
  json_t *kept[] = {
      parsed("{\"rows\":[{\"id\":\"a\",\"model\":\"m\"},{\"id\":\"b\","
             "\"model\":\"n\"}],\"columns\":[{\"title\":\"x\","
             "\"figure\":\"solve_rate\"},{\"title\":\"y\","
             "\"figure\":\"timeout_rate\"}],\"cells\":["
             "{\"row\":\"a\",\"column\":\"x\",\"paper\":\"5\",\"value\":1,"
             "\"asked\":\"01\",\"agrees\":true},"
             "{\"row\":\"b\",\"column\":\"x\",\"paper\":\"5\",\"value\":1,"
             "\"asked\":\"01\",\"agrees\":true},"
             "{\"row\":\"a\",\"column\":\"y\",\"paper\":\"5\",\"value\":1,"
             "\"asked\":\"01\",\"agrees\":false}]}"),
      parsed("{\"rows\":[{\"id\":\"q\",\"model\":\"m\"},{\"id\":\"r\","
             "\"model\":\"m\"}],\"columns\":[{\"title\":"
             "\"z\",\"figure\":\"solve_rate\"}],"
             "\"cells\":[{\"row\":\"q\",\"column\":\"z\",\"paper\":\"5\","
             "\"asked\":\"01\",\"value\":2,\"agrees\":false},"
             "{\"row\":\"r\",\"column\":\"z\",\"paper\":\"5\",\"value\":2,"
             "\"asked\":\"02\",\"agrees\":true}]}"),
      parsed("{\"cells\":[{\"row\":\"a\",\"column\":\"x\",\"paper\":\"7\","
             "\"value\":1,\"agrees\":true}]}")};
  sw_kept_agreement found = sw_kept_distinct(entry, 3, kept);
  assert_int_equal(found.all, 4);
  assert_int_equal(found.all_agree, 3);
  assert_int_equal(found.trained, 4);
  for (int i = 0; i < 3; i++) json_decref(kept[i]);
}

/* Rules, shipped models and zeros on both sides could hardly differ. */
static void what_needs_no_training_counts_apart(void **state) {
  (void)state;
  static const sw_kept_entry entry[] = {
      {"one", "s", "p", "t", NULL, "kept", 1, 0, NULL}};
  json_t *kept[] = {
      parsed("{\"rows\":[{\"id\":\"m\",\"model\":\"m\"},{\"id\":\"r\","
             "\"rule\":\"first\"},{\"id\":\"s\",\"shipped\":\"sat\"}],"
             "\"columns\":[{\"title\":\"x\",\"source\":\"search\","
             "\"figure\":\"solve_rate\"},{\"title\":\"y\",\"source\":"
             "\"search\",\"figure\":\"repeat_rate\"}],\"cells\":["
             "{\"row\":\"m\",\"column\":\"x\",\"paper\":\"5\",\"value\":9,"
             "\"agrees\":false},"
             "{\"row\":\"m\",\"column\":\"y\",\"paper\":\"0.0\",\"value\":0,"
             "\"agrees\":true},"
             "{\"row\":\"r\",\"column\":\"x\",\"paper\":\"5\",\"value\":5,"
             "\"agrees\":true},"
             "{\"row\":\"s\",\"column\":\"x\",\"paper\":\"5\",\"value\":5,"
             "\"agrees\":true}]}")};
  sw_kept_agreement found = sw_kept_distinct(entry, 1, kept);
  assert_int_equal(found.all, 4);
  assert_int_equal(found.all_agree, 3);
  assert_int_equal(found.trained, 1);
  assert_int_equal(found.trained_agree, 0);
  json_decref(kept[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_sign_needs_an_interval_without_zero),
      cmocka_unit_test(one_model_takes_the_interval_over_instances),
      cmocka_unit_test(of_two_alike_the_one_of_more_models_stands),
      cmocka_unit_test(nothing_to_say_is_nothing),
      cmocka_unit_test(a_number_of_the_paper_counts_once),
      cmocka_unit_test(what_needs_no_training_counts_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
