/* One rule for choosing among scored candidates: the highest score, and of
 * equal ones the lowest token, in whatever order they are listed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "search/pick.h"

static const sw_cand list[] = {{7, SW_CAND_CONTINUE},
                               {5, SW_CAND_BACK},
                               {6, SW_CAND_REPEAT},
                               {2, SW_CAND_CONTINUE}};

static void the_highest_score_wins(void **state) {
  (void)state;
  const float score[] = {1, 4, 3, 2};
  assert_int_equal(sw_pick(list, 4, score, SW_PICK_ANY), 1);
  assert_int_equal(sw_pick(list, 4, score, SW_PICK_ONWARD), 2);
  assert_int_equal(sw_pick(list, 4, score, SW_PICK_LEGAL), 3);
  assert_int_equal(sw_pick(list, 4, score, SW_KIND(SW_CAND_MISSED)), -1);
  assert_int_equal(sw_pick(list, 0, score, SW_PICK_ANY), -1);
  const float logits[] = {0, 0, 9, 0, 0, 8, 7, 6};
  assert_int_equal(sw_pick_logits(list, 4, logits, SW_PICK_ANY), 3);
  assert_int_equal(sw_pick_logits(list, 3, logits, SW_PICK_LEGAL), 0);
}

static void equal_scores_go_to_the_lowest_token(void **state) {
  (void)state;
  const float equal[] = {1, 1, 1, 1};
  assert_int_equal(sw_pick(list, 4, equal, SW_PICK_ANY), 3);
  assert_int_equal(sw_pick(list, 3, equal, SW_PICK_ANY), 1);
  const float zeros[] = {0.0f, -0.0f, 0.0f, -0.0f};
  assert_int_equal(sw_pick(list, 4, zeros, SW_PICK_ANY), 3);
}

static void what_is_not_a_number_never_wins(void **state) {
  (void)state;
  const float some[] = {NAN, 1, NAN, 0};
  assert_int_equal(sw_pick(list, 4, some, SW_PICK_ANY), 1);
  assert_int_equal(sw_pick(list, 4, some, SW_PICK_LEGAL), 3);
  const float none[] = {NAN, NAN, NAN, NAN};
  assert_int_equal(sw_pick(list, 4, none, SW_PICK_ANY), -1);
  assert_int_equal(sw_pick(list, 1, none, SW_PICK_ANY), -1);
}

/* The first token too: it is compared with nothing. */
static void a_first_token_without_a_number_loses(void **state) {
  (void)state;
  const float logits[] = {NAN, -3, 2, NAN};
  const int32_t token[] = {0, 1, 2, 3}, lost[] = {0, 3};
  double log_p[4];
  assert_int_equal(sw_pick_tokens(token, 4, logits, log_p), 2);
  assert_int_equal(sw_pick_tokens(lost, 2, logits, log_p), -1);
  const float equal[] = {1, 1, 1, 0};
  const int32_t falling[] = {3, 2, 1, 0};
  assert_int_equal(sw_pick_tokens(falling, 4, equal, log_p), 3);
  assert_true(fabs(exp(log_p[0]) + 3 * exp(log_p[1]) - 1) < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_highest_score_wins),
      cmocka_unit_test(equal_scores_go_to_the_lowest_token),
      cmocka_unit_test(what_is_not_a_number_never_wins),
      cmocka_unit_test(a_first_token_without_a_number_loses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
