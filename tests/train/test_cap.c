/* --cap-tokens: whatever training shows of the traces, a run that never goes
 * flat ends near the tokens that it was given. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "own_data.h"
#include "train/trainer.h"

enum { CAP = 20000 };

static int setup(void **state) {
  (void)state;
  return open_data(60);
}

static sw_train_options whole_traces(void) {
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = data;
  o.mask = "causal";
  o.slots = 2;
  o.d = 16;
  o.layers = 1;
  o.heads = 2;
  o.batch = 2;
  o.until = 1;
  o.cap_tokens = CAP;
  o.valid_every = 1000000; /* nobody looks: the cap ends it */
  o.valid_limit = 2;
  o.threads = 1;
  return o;
}

static void ends_near_the_cap(sw_train_options o) {
  static int runs;
  char output[1200];
  sw_err err = {0};
  sw_train_hooks none = {0};
  sw_train_result result;
  snprintf(output, sizeof output, "%s/run%d", directory, runs++);
  o.output = output;
  must(sw_train(&o, &none, &result, &err), &err);
  assert_int_equal(result.ending, SW_ENDED_CAP);
  if (fabs((double)result.tokens - CAP) > 0.15 * CAP)
    fail_msg("%lld tokens in %lld steps", (long long)result.tokens,
             (long long)result.steps);
}

static void of_whole_traces(void **state) {
  (void)state;
  ends_near_the_cap(whole_traces());
}

static void of_single_states(void **state) {
  (void)state;
  sw_train_options o = whole_traces();
  o.view = SW_VIEW_STATE_ONE;
  ends_near_the_cap(o);
  o.view = SW_VIEW_STATE_ALL;
  ends_near_the_cap(o);
}

static void of_first_blocks(void **state) {
  (void)state;
  sw_train_options o = whole_traces();
  o.first_blocks = 2;
  ends_near_the_cap(o);
}

static void of_reduced_histories(void **state) {
  (void)state;
  sw_train_options o = whole_traces();
  o.history = "prefix-only";
  ends_near_the_cap(o);
  o.history = "null";
  ends_near_the_cap(o);
}

static void of_pairs(void **state) {
  (void)state;
  sw_train_options o = whole_traces();
  o.contrastive = 1;
  ends_near_the_cap(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_whole_traces),
      cmocka_unit_test(of_single_states),
      cmocka_unit_test(of_first_blocks),
      cmocka_unit_test(of_pairs),
      cmocka_unit_test(of_reduced_histories),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
