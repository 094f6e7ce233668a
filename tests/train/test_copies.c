/* Copies of the weights on the way (--keep-every): each carries the validation
 * loss of its own weights, and nothing else of the run depends on them. */
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
#include "base/safetensors.h"
#include "train/trainer.h"

static int setup(void **state) {
  (void)state;
  return open_data(40);
}

static void train(char output[1200], const char *name, int until,
                  int64_t valid_every, int64_t keep_every) {
  sw_err err = {0};
  sw_train_hooks none = {0};
  sw_train_result result;
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  snprintf(output, 1200, "%s/%s", directory, name);
  o.data = data;
  o.output = output;
  o.slots = 2;
  o.d = 16;
  o.layers = 1;
  o.heads = 2;
  o.batch = 4;
  o.lr = until ? 0.03 : 1; /* 1: it gets worse along the way */
  o.warmup = 0;
  o.until = until;
  o.steps = until ? 30 : 12;
  o.valid_every = valid_every;
  o.keep_every = keep_every;
  o.threads = 1;
  must(sw_train(&o, &none, &result, &err), &err);
}

static char *bytes_of(const char *output, const char *file, size_t *size) {
  static char path[1400];
  char *text = NULL;
  sw_err err = {0};
  snprintf(path, sizeof path, "%.1200s/%s", output, file);
  must(sw_read_file(path, 0, &text, size, &err), &err);
  return text;
}

/* The loss of a step by the metrics of a run that validates at every step. */
static double loss_of(const char *output, int step) {
  size_t size;
  char *text = bytes_of(output, "metrics.jsonl", &size), *line = text;
  for (int i = 1; i < step; i++) line += strcspn(line, "\n") + 1;
  double loss = strtod(strstr(line, "\"valid_loss\": ") + 14, NULL);
  free(text);
  return loss;
}

static void copies_carry_their_own_loss(void **state) {
  (void)state;
  char seldom[1200], always[1200];
  train(seldom, "seldom", 0, 5, 3);
  train(always, "always", 0, 1, 0); /* the same weights, validated throughout */
  for (int step = 3; step <= 12; step += 3) {
    char path[1300];
    sw_err err = {0};
    sw_st_file *file;
    snprintf(path, sizeof path, "%s/at-%08d.safetensors", seldom, step);
    must(sw_st_open(&file, path, &err), &err);
    assert_int_equal(strtol(sw_st_meta(file, "step"), NULL, 10), step);
    double loss = strtod(sw_st_meta(file, "valid_loss"), NULL);
    sw_st_close(file);
    assert_true(loss == loss_of(always, step));
  }
}

/* Neither which weights are best nor when the run is flat. */
static void nothing_depends_on_copies(void **state) {
  (void)state;
  for (int until = 0; until < 2; until++) {
    static const char *const names[2][2] = {{"with", "without"},
                                            {"flat-with", "flat-without"}};
    char output[2][1200], *text[2];
    size_t size[2];
    for (int i = 0; i < 2; i++) {
      train(output[i], names[until][i], until, 4, i ? 0 : 1);
      text[i] = bytes_of(output[i], "model.safetensors", &size[i]);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(text[0], text[1], size[0]);
    for (int i = 0; i < 2; i++) free(text[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_carry_their_own_loss),
      cmocka_unit_test(nothing_depends_on_copies),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
