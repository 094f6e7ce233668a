/* Which weights a run leaves. Validation shows whole traces, so it may choose
 * the weights of a model that trained on whole traces, and of one that cannot
 * see the difference; a history reader that trained on less keeps its last. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../tiny_run.h"
#include "base/safetensors.h"
#include "train/trainer.h"

enum { STEPS = 8 };

static char *directory;
static char data[1100];

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

static int setup(void **state) {
  (void)state;
  sw_err err = {0};
  directory = tiny_run_directory();
  if (!directory) return -1;
  snprintf(data, sizeof data, "%s/data", directory);
  must(tiny_data_make(data, 6, 40, &err), &err);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  tiny_run_remove(directory);
  return 0;
}

/* The step of the weights that a run leaves whose learning rate is far too
 * high, so that validation gets worse along the way. */
static long kept_step(const char *mask, const char *history) {
  static int runs;
  char output[1200], path[1300];
  sw_err err = {0};
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  snprintf(output, sizeof output, "%s/run%d", directory, runs++);
  o.data = data;
  o.output = output;
  o.mask = mask;
  o.history = history;
  o.slots = 2;
  o.d = 16;
  o.layers = 1;
  o.heads = 2;
  o.batch = 4;
  o.steps = STEPS;
  o.lr = 1;
  o.warmup = 0;
  o.dropout = 0;
  o.threads = 1;
  o.valid_every = 1;
  sw_train_hooks hooks = {0};
  sw_train_result result;
  must(sw_train(&o, &hooks, &result, &err), &err);
  snprintf(path, sizeof path, "%s/model.safetensors", output);
  sw_st_file *file;
  must(sw_st_open(&file, path, &err), &err);
  const char *step = sw_st_meta(file, "step");
  assert_non_null(step);
  long kept = strtol(step, NULL, 10);
  sw_st_close(file);
  return kept;
}

static void whole_traces_keep_the_best(void **state) {
  (void)state;
  assert_in_range(kept_step("causal", "full"), 1, STEPS - 1);
}

static int keeps_last(const char *mask, const char *history) {
  sw_err err = {0};
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.mask = mask;
  o.history = history;
  sw_dataset set;
  must(sw_dataset_open(&set, data, &err), &err);
  sw_train_plan plan;
  must(sw_train_plan_make(&plan, &o, &set, &err), &err);
  sw_dataset_close(&set);
  return plan.keep_last;
}

static void the_rule_asks_for_mask_and_history(void **state) {
  (void)state;
  assert_true(keeps_last("causal", "null"));
  assert_true(keeps_last("swa-prefix", "sliding-window"));
  assert_false(keeps_last("causal", "full"));
  assert_false(keeps_last("ssa", "prefix-only"));
  assert_false(keeps_last("block-only", "transplant"));
}

/* Epochs are a number of the caller's; their steps must be one too. */
static void too_many_steps_are_refused(void **state) {
  (void)state;
  sw_err err = {0};
  sw_train_options o;
  sw_train_plan plan;
  sw_dataset set;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  must(sw_dataset_open(&set, data, &err), &err);
  o.epochs = 1e300;
  assert_int_equal(sw_train_plan_make(&plan, &o, &set, &err), SW_LIMIT);
  assert_non_null(strstr(err.text, "steps are too many"));
  sw_dataset_close(&set);
}

static void reduced_history_keeps_the_last(void **state) {
  (void)state;
  assert_int_equal(kept_step("causal", "prefix-only"), STEPS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_traces_keep_the_best),
      cmocka_unit_test(the_rule_asks_for_mask_and_history),
      cmocka_unit_test(reduced_history_keeps_the_last),
      cmocka_unit_test(too_many_steps_are_refused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
