/* Runs whose numbers are no longer finite: they end with a code of their own,
 * and nothing that they leave on disk has such a number in it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "own_data.h"
#include "base/file.h"
#include "train/trainer.h"

static int setup(void **state) {
  (void)state;
  return open_data(60);
}

static void small_run(sw_train_options *o, char *output, size_t room,
                      const char *name) {
  sw_options_defaults(sw_train_table, sw_train_table_count, o);
  snprintf(output, room, "%s/%s", directory, name);
  o->data = data;
  o->output = output;
  o->slots = 2;
  o->d = 16;
  o->layers = 1;
  o->heads = 2;
  o->batch = 4;
  o->steps = 60;
  o->warmup = 0;
  o->valid_every = 1;
  o->valid_limit = 4;
  o->keep_every = 1;
  o->threads = 1;
  o->checkpoint_seconds = 0; /* after every step */
}

/* The weights of a step, both the checkpoint's and the copy that stays, must be
 * such that they can be read again. */
static void all_are_finite(const char *output, int64_t step) {
  char path[2][1300];
  snprintf(path[0], sizeof path[0], "%s/step-%08d.model.safetensors", output,
           (int)step);
  snprintf(path[1], sizeof path[1], "%s/at-%08d.safetensors", output,
           (int)step);
  for (int i = 0; i < 2; i++) {
    sw_err err = {0};
    sw_net *net;
    must(sw_net_load(&net, path[i], 0, &err), &err);
    sw_net_free(net);
  }
}

/* At this rate a gradient overflows while the loss is still a number. */
static void a_gradient_that_is_not_finite_ends_the_run(void **state) {
  (void)state;
  sw_err err = {0};
  sw_train_options o;
  sw_train_result result;
  sw_train_hooks none = {0};
  char output[1200];
  int64_t step;
  small_run(&o, output, sizeof output, "gradient");
  o.lr = 10;
  o.weight_decay = 0;
  assert_int_equal(sw_train(&o, &none, &result, &err), SW_DIVERGED);
  assert_non_null(strstr(err.text, "the gradient is not finite"));
  assert_int_equal(result.ending, SW_ENDED_DIVERGED);
  assert_true(isinf(result.valid_loss));
  must(sw_checkpoint_latest(output, &step, &err), &err);
  assert_true(step > 0 && step < o.steps);
  all_are_finite(output, step);
}

/* An epsilon of 0, which the option refuses: rows without a gradient become
 * 0 / 0 although loss and gradient are finite. */
static void weights_that_are_not_finite_are_not_written(void **state) {
  (void)state;
  sw_err err = {0};
  sw_train_options o;
  sw_train_result result;
  sw_train_hooks none = {0};
  char output[1200], path[1300];
  int64_t step;
  small_run(&o, output, sizeof output, "weight");
  o.eps = 0;
  o.valid_share = 0;
  assert_int_equal(sw_train(&o, &none, &result, &err), SW_DIVERGED);
  must(sw_checkpoint_latest(output, &step, &err), &err);
  assert_int_equal(step, -1);
  snprintf(path, sizeof path, "%s/at-00000001.safetensors", output);
  assert_false(sw_path_exists(path));
}

static void what_gives_no_number_is_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"eps", "0"}, {"eps", "1e-300"}, {"beta1", "1"}, {"beta2", "1"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sw_err err = {0};
    sw_train_options o;
    sw_options_defaults(sw_train_table, sw_train_table_count, &o);
    assert_int_equal(sw_options_set(sw_train_table, sw_train_table_count,
                                    wrong[i][0], wrong[i][1], &o, &err),
                     SW_USAGE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gradient_that_is_not_finite_ends_the_run),
      cmocka_unit_test(weights_that_are_not_finite_are_not_written),
      cmocka_unit_test(what_gives_no_number_is_refused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
