/* Runs that begin with the weights of another (--init): which changes of that
 * file make another run, and that a run goes on when the file is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "own_data.h"
#include "base/file.h"
#include "train/trainer.h"

static char base[1100];

static int setup(void **state) {
  (void)state;
  if (open_data(40)) return -1;
  snprintf(base, sizeof base, "%s/base", directory);
  return 0;
}

static int stop_countdown(void *context) {
  int *left = context;
  return --*left <= 0;
}

/* Six steps, or `steps` of them and a stop. */
static int train(const char *output, const char *init, int64_t seed, int steps,
                 sw_train_result *result, sw_err *err) {
  sw_train_options o;
  int left = steps;
  sw_train_hooks hooks = {.context = &left, .stop = stop_countdown};
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = data;
  o.output = output;
  o.init = init;
  o.seed = seed;
  o.slots = 2;
  o.d = 16;
  o.layers = 1;
  o.heads = 2;
  o.batch = 4;
  o.steps = 6;
  o.threads = 1;
  o.checkpoint_seconds = 1e9;
  return sw_train(&o, &hooks, result, err);
}

/* The base of all runs here, from the seed. */
static void make_base(int64_t seed) {
  static int made;
  char output[1200], from[1300], path[1300];
  sw_train_result result;
  sw_err err = {0};
  snprintf(output, sizeof output, "%s/base-%d", directory, made++);
  must(train(output, NULL, seed, 100, &result, &err), &err);
  must(sw_make_dirs(base, &err), &err);
  snprintf(from, sizeof from, "%s/model.safetensors", output);
  snprintf(path, sizeof path, "%s/model.safetensors", base);
  if (rename(from, path)) fail_msg("%s", path);
}

static void remove_base(void) {
  char path[1300];
  snprintf(path, sizeof path, "%s/model.safetensors", base);
  if (unlink(path)) fail_msg("%s", path);
}

static void in_directory(char *path, const char *name) {
  snprintf(path, 1200, "%s/%s", directory, name);
}

static void a_finished_run_is_another_with_another_base(void **state) {
  (void)state;
  char output[1200];
  sw_train_result result;
  sw_err err = {0};
  in_directory(output, "finished");
  make_base(1);
  must(train(output, base, 3, 100, &result, &err), &err);
  assert_false(result.already_done);
  must(train(output, base, 3, 100, &result, &err), &err);
  assert_true(result.already_done);
  make_base(1); /* made again: the same weights */
  must(train(output, base, 3, 100, &result, &err), &err);
  assert_true(result.already_done);
  remove_base();
  must(train(output, base, 3, 100, &result, &err), &err);
  assert_true(result.already_done);
  make_base(2);
  assert_int_equal(train(output, base, 3, 100, &result, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "other weights"));
}

static void an_interrupted_run_goes_on_without_its_base(void **state) {
  (void)state;
  char whole[1200], stopped[1200], path[1300], *text[2];
  size_t bytes[2];
  sw_train_result result;
  sw_err err = {0};
  in_directory(whole, "whole");
  in_directory(stopped, "stopped");
  make_base(1);
  must(train(whole, base, 3, 100, &result, &err), &err);
  assert_int_equal(train(stopped, base, 3, 2, &result, &err), SW_STOPPED);
  make_base(2);
  assert_int_equal(train(stopped, base, 3, 100, &result, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "other weights"));
  remove_base();
  must(train(stopped, base, 3, 100, &result, &err), &err);
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/model.safetensors", i ? stopped : whole);
    must(sw_read_file(path, 0, &text[i], &bytes[i], &err), &err);
  }
  assert_int_equal(bytes[0], bytes[1]);
  assert_memory_equal(text[0], text[1], bytes[0]);
  for (int i = 0; i < 2; i++) free(text[i]);
  /* What it began from is known still. */
  make_base(2);
  assert_int_equal(train(stopped, base, 3, 100, &result, &err), SW_USAGE);
  make_base(1);
  must(train(stopped, base, 3, 100, &result, &err), &err);
  assert_true(result.already_done);
}

static void a_new_run_needs_its_base(void **state) {
  (void)state;
  char output[1200];
  sw_train_result result;
  sw_err err = {0};
  in_directory(output, "new");
  make_base(1);
  remove_base();
  assert_int_equal(train(output, base, 3, 100, &result, &err), SW_NOFILE);
}

/* Weights that are not those their file says: no run begins with them, and one
 * that began with the right ones does not take them for these. */
static void a_damaged_base_is_none(void **state) {
  (void)state;
  char output[1200], path[1300], *text;
  size_t bytes;
  sw_train_result result;
  sw_err err = {0};
  in_directory(output, "damaged");
  make_base(1);
  assert_int_equal(train(output, base, 3, 2, &result, &err), SW_STOPPED);
  snprintf(path, sizeof path, "%s/model.safetensors", base);
  must(sw_read_file(path, 0, &text, &bytes, &err), &err);
  text[bytes / 8 * 4] ^= 1; /* the last bit of a number */
  must(sw_write_file(path, text, bytes, &err), &err);
  free(text);
  assert_int_equal(train(output, base, 3, 100, &result, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "other weights"));
  in_directory(output, "fresh");
  assert_int_equal(train(output, base, 3, 100, &result, &err), SW_DATA);
  assert_non_null(strstr(err.text, "hash"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_finished_run_is_another_with_another_base),
      cmocka_unit_test(an_interrupted_run_goes_on_without_its_base),
      cmocka_unit_test(a_new_run_needs_its_base),
      cmocka_unit_test(a_damaged_base_is_none),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
