/* What a search for a recipe refuses before it trains anything, and what it
 * makes of runs that diverge. (That it takes the lowest loss: test_flat.c.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "own_data.h"
#include "base/file.h"
#include "train/tune.h"

static int setup(void **state) {
  (void)state;
  return open_data(40);
}

static void options_of(sw_train_options *o, char *output, size_t room,
                       const char *name) {
  sw_options_defaults(sw_train_table, sw_train_table_count, o);
  snprintf(output, room, "%s/%s", directory, name);
  o->data = data;
  o->output = output;
  o->slots = 2;
  o->steps = 8;
}

/* Counts the runs, and lets rates from `most` on diverge. */
typedef struct fake {
  int trained;
  double most;
} fake;

static int train_fake(void *context, const sw_train_options *options,
                      sw_train_result *result, sw_err *err) {
  fake *f = context;
  f->trained++;
  *result = (sw_train_result){.steps = options->steps,
                              .valid_loss = 1 + options->prefix_reveal,
                              .ending = SW_ENDED_STEPS};
  if (options->lr < f->most) return SW_OK;
  result->valid_loss = HUGE_VAL;
  result->ending = SW_ENDED_DIVERGED;
  return sw_fail(err, SW_DIVERGED, "the loss is not finite");
}

static void refused(const sw_train_options *o, const char *word) {
  sw_train_options copy = *o;
  sw_tune_run grid[SW_TUNE_RUNS];
  sw_err err = {0};
  char path[1300];
  fake f = {.most = HUGE_VAL};
  assert_int_equal(sw_tune(&copy, train_fake, &f, grid, &err), SW_USAGE);
  if (!strstr(err.text, word)) fail_msg("%s", err.text);
  assert_int_equal(f.trained, 0);
  snprintf(path, sizeof path, "%s/tune", o->output);
  assert_false(sw_path_exists(path));
}

static void what_no_loss_can_choose_is_refused_at_once(void **state) {
  (void)state;
  sw_train_options o;
  char output[1200];
  options_of(&o, output, sizeof output, "refused");
  o.mask = "causal-release";
  refused(&o, "leaks");
  options_of(&o, output, sizeof output, "refused");
  o.valid_share = 0;
  refused(&o, "no validation traces");
  options_of(&o, output, sizeof output, "refused");
  o.mask = "causal";
  o.history = "prefix-only";
  refused(&o, "less history");
  options_of(&o, output, sizeof output, "refused");
  o.mask = "causal";
  o.view = SW_VIEW_STATE_ONE;
  refused(&o, "less history");
  options_of(&o, output, sizeof output, "refused");
  o.mask = "causal-noslot";
  o.slots = 0;
  o.memory = 2;
  refused(&o, "slot memory"); /* only the second curriculum hides the prefix */
}

/* With --until flat, validation is as training is. */
static void what_validates_alike_is_tuned(void **state) {
  (void)state;
  sw_train_options o;
  sw_tune_run grid[SW_TUNE_RUNS];
  sw_err err = {0};
  char output[1200];
  fake f = {.most = HUGE_VAL};
  options_of(&o, output, sizeof output, "alike");
  o.mask = "causal";
  o.history = "prefix-only";
  o.until = 1;
  must(sw_tune(&o, train_fake, &f, grid, &err), &err);
  assert_int_equal(f.trained, SW_TUNE_RUNS);
}

static void a_run_that_diverges_is_the_worst(void **state) {
  (void)state;
  sw_train_options o;
  sw_tune_run grid[SW_TUNE_RUNS];
  sw_err err = {0};
  char output[1200], path[1300], *text;
  size_t bytes;
  fake f = {.most = 1e-3};
  options_of(&o, output, sizeof output, "diverges");
  o.lr = 1e-3; /* and 5e-4, 2e-3 */
  must(sw_tune(&o, train_fake, &f, grid, &err), &err);
  assert_int_equal(f.trained, SW_TUNE_RUNS);
  assert_true(o.lr == 5e-4 && o.prefix_reveal == 0);
  snprintf(path, sizeof path, "%s/tune.json", output);
  must(sw_read_file(path, 0, &text, &bytes, &err), &err);
  assert_non_null(strstr(text, "\"valid_loss\": null"));
  assert_non_null(strstr(text, "\"ended\": \"diverged\""));
  free(text);
  f = (fake){.most = 0};
  options_of(&o, output, sizeof output, "all");
  assert_int_equal(sw_tune(&o, train_fake, &f, grid, &err), SW_DIVERGED);
  assert_int_equal(f.trained, SW_TUNE_RUNS);
}

/* Without --tune too: at planning, not at the first hidden item. */
static void a_slot_memory_cannot_lose_its_prefix(void **state) {
  (void)state;
  sw_train_options o;
  sw_train_plan plan;
  sw_dataset set;
  sw_err err = {0};
  char output[1200];
  must(sw_dataset_open(&set, data, &err), &err);
  for (int i = 0; i < 3; i++) {
    options_of(&o, output, sizeof output, "memory");
    o.mask = "causal-noslot";
    o.slots = 0;
    o.memory = 2;
    if (i == 1) o.prefix_reveal = 0.1;
    if (i == 2) o.prefix_dropout = 0.1;
    assert_int_equal(sw_train_plan_make(&plan, &o, &set, &err),
                     i ? SW_USAGE : SW_OK);
  }
  sw_dataset_close(&set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_no_loss_can_choose_is_refused_at_once),
      cmocka_unit_test(what_validates_alike_is_tuned),
      cmocka_unit_test(a_run_that_diverges_is_the_worst),
      cmocka_unit_test(a_slot_memory_cannot_lose_its_prefix),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
