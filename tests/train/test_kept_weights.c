/* Which weights a run leaves. Validation shows whole traces, so it may choose
 * the weights of a model that trained on whole traces, and of one that cannot
 * see the difference; a history reader that trained on less keeps its last. No
 * validation chooses nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "own_data.h"
#include "base/safetensors.h"
#include "train/trainer.h"

enum { STEPS = 8 };

static int setup(void **state) {
  (void)state;
  return open_data(40);
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

static void small_run(sw_train_options *o, const char *from, char *output,
                      const char *name) {
  sw_options_defaults(sw_train_table, sw_train_table_count, o);
  snprintf(output, 1200, "%s/%s", directory, name);
  o->data = from;
  o->output = output;
  o->slots = 2;
  o->d = 16;
  o->layers = 1;
  o->heads = 2;
  o->batch = 4;
  o->steps = 3;
  o->threads = 1;
}

/* No validation is no loss, the second time too. */
static void a_run_without_validation_has_no_loss(void **state) {
  (void)state;
  char output[1200];
  sw_err err = {0};
  sw_train_options o;
  sw_train_result made, again;
  small_run(&o, data, output, "unvalidated");
  o.valid_share = 0;
  must(sw_train(&o, NULL, &made, &err), &err);
  must(sw_train(&o, NULL, &again, &err), &err);
  assert_true(again.already_done && made.train_loss > 0);
  assert_true(isinf(made.valid_loss) && isinf(again.valid_loss));
  assert_true(again.train_loss == made.train_loss);
}

/* The data set with nothing supervised in the traces kept for validation. */
static void silence_validation(const char *path) {
  sw_err err = {0};
  sw_dataset set;
  sw_feed feed;
  sw_train_options o;
  sw_st_file *file;
  sw_st_spec spec[32];
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  must(sw_dataset_open(&set, data, &err), &err);
  must(sw_feed_new(&feed, &set, &o, &err), &err);
  must(sw_st_open(&file, data, &err), &err);
  const sw_st_tensor *old = sw_st_find(file, "supervised");
  uint8_t *supervised = malloc(old->bytes);
  memcpy(supervised, old->data, old->bytes);
  assert_true(feed.valid_count > 0);
  for (int64_t i = 0; i < feed.valid_count; i++) {
    int64_t from = set.trace_start[feed.valid[i]];
    int64_t to = set.trace_start[feed.valid[i] + 1];
    memset(supervised + from, 0, (size_t)(to - from));
  }
  for (int i = 0; i < sw_st_count(file); i++) {
    const sw_st_tensor *t = sw_st_at(file, i);
    spec[i] = (sw_st_spec){.name = t->name,
                           .dtype = t->dtype,
                           .dims = 1,
                           .shape = {t->count},
                           .data = t == old ? supervised : t->data};
  }
  static const char *const keys[] = {"domain", "domain_options"};
  const char *meta[] = {keys[0], sw_st_meta(file, keys[0]), keys[1],
                        sw_st_meta(file, keys[1])};
  must(sw_st_write(path, spec, sw_st_count(file), meta, 2, &err), &err);
  free(supervised);
  sw_st_close(file);
  sw_feed_free(&feed);
  sw_dataset_close(&set);
}

/* A loss of 0 because nothing was asked is no best loss. */
static void validation_without_targets_is_refused(void **state) {
  (void)state;
  char path[1200], output[1200];
  sw_err err = {0};
  sw_train_options o;
  sw_train_result result;
  snprintf(path, sizeof path, "%s/silent", directory);
  silence_validation(path);
  small_run(&o, path, output, "silenced");
  assert_int_equal(sw_train(&o, NULL, &result, &err), SW_DATA);
  assert_non_null(strstr(err.text, "validation traces have no targets"));
  assert_non_null(strstr(err.hint, "--valid-share"));
  small_run(&o, path, output, "unasked");
  o.valid_share = 0;
  must(sw_train(&o, NULL, &result, &err), &err);
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
      cmocka_unit_test(a_run_without_validation_has_no_loss),
      cmocka_unit_test(validation_without_targets_is_refused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
