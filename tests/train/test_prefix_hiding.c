/* --prefix-reveal and --prefix-dropout: when a trace hides its prefix, and that
 * the ordinary and the contrastive step both do it. A position of the prefix
 * that nobody sees gets no gradient, so its row stays as it started. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../tiny_run.h"
#include "base/safetensors.h"
#include "train/trainer.h"

typedef struct fixture {
  char *directory;
  char data[1100];
  int64_t prefix; /* tokens, the same in all traces of one n */
} fixture;

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

static int setup(void **state) {
  static fixture f;
  sw_err err = {0};
  f.directory = tiny_run_directory();
  if (!f.directory) return -1;
  snprintf(f.data, sizeof f.data, "%s/data", f.directory);
  must(tiny_data_make(f.data, 6, 40, &err), &err);
  sw_dataset set;
  must(sw_dataset_open(&set, f.data, &err), &err);
  f.prefix = set.block_start[1] - set.block_start[0];
  sw_dataset_close(&set);
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  tiny_run_remove(((fixture *)*state)->directory);
  return 0;
}

static sw_train_options options_of(const fixture *f) {
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = f->data;
  o.mask = "causal-noslot";
  o.slots = 0;
  o.d = 16;
  o.layers = 1;
  o.heads = 2;
  o.batch = 4;
  o.lr = 3e-3;
  o.dropout = 0;
  o.weight_decay = 0; /* a row without gradient must not move at all */
  o.threads = 1;
  o.valid_limit = 4;
  return o;
}

static void the_schedule_is_as_asked(void **state) {
  const fixture *f = *state;
  sw_err err = {0};
  sw_train_options o = options_of(f);
  o.steps = 10;
  o.prefix_reveal = 0.4;
  o.prefix_dropout = 0.3;
  sw_dataset set;
  must(sw_dataset_open(&set, f->data, &err), &err);
  sw_train_plan plan;
  must(sw_train_plan_make(&plan, &o, &set, &err), &err);
  assert_int_not_equal(plan.hidden_prefix_mask, plan.reading.mask);
  int hidden = 0;
  for (int64_t at = 0; at < 4000; at++) {
    assert_int_equal(sw_train_plan_reading(&plan, 3, at).mask,
                     plan.hidden_prefix_mask);
    sw_mask_kind mask = sw_train_plan_reading(&plan, 4, at).mask;
    assert_int_equal(mask, sw_train_plan_reading(&plan, 9, at).mask);
    hidden += mask == plan.hidden_prefix_mask;
  }
  /* 0.3 of 4,000 within five standard deviations */
  assert_in_range(hidden, 1200 - 145, 1200 + 145);
  sw_dataset_close(&set);
}

/* Hiding takes the prefix away and adds nothing: no block sees a token of the
 * prefix, nor one of the blocks that it does not see with the prefix shown. */
static void hiding_only_takes_away(void **state) {
  const fixture *f = *state;
  enum { PREFIX = 4, LENGTH = 16, WINDOW = 3 };
  const int64_t start[3] = {0, PREFIX, 9};
  sw_err err = {0};
  sw_dataset set;
  must(sw_dataset_open(&set, f->data, &err), &err);
  for (int kind = 0; kind < SW_MASK_COUNT; kind++) {
    sw_train_options o = options_of(f);
    sw_train_plan plan;
    sw_mask mask[2];
    o.mask = sw_mask_name((sw_mask_kind)kind);
    o.window = WINDOW;
    o.prefix_reveal = 1;
    if (sw_mask_row_of((sw_mask_kind)kind)->draw) continue; /* at random */
    must(sw_train_plan_make(&plan, &o, &set, &err), &err);
    sw_reading reading[] = {plan.reading, sw_train_plan_reading(&plan, 0, 0)};
    for (int i = 0; i < 2; i++) {
      sw_mask_init(&mask[i]);
      must(sw_mask_build(&mask[i], reading[i].mask, 0, LENGTH, start, 3,
                         reading[i].window, 0, &err),
           &err);
    }
    for (int q = PREFIX; q < LENGTH; q++)
      for (int k = 0; k < LENGTH; k++) {
        int wanted = k >= PREFIX && sw_mask_sees(&mask[0], q, k);
        if (sw_mask_sees(&mask[1], q, k) != wanted)
          fail_msg("%s: token %d, key %d", o.mask, q, k);
      }
    for (int i = 0; i < 2; i++) sw_mask_free(&mask[i]);
  }
  sw_dataset_close(&set);
}

/* Whether the position rows of the prefix are the same bits after one step as
 * after four. */
static int prefix_rows_stay(const fixture *f, double reveal,
                            double contrastive) {
  static int runs;
  sw_st_file *file[2];
  const sw_st_tensor *table[2];
  sw_err err = {0};
  for (int i = 0; i < 2; i++) {
    char directory[1200], path[1300];
    sw_train_hooks hooks = {0};
    sw_train_result result;
    sw_train_options o = options_of(f);
    snprintf(directory, sizeof directory, "%s/run%d", f->directory, runs++);
    o.output = directory;
    o.steps = i ? 4 : 1;
    o.prefix_reveal = reveal;
    o.contrastive = contrastive;
    o.valid_share = 0; /* the weights of the last step are kept */
    must(sw_train(&o, &hooks, &result, &err), &err);
    snprintf(path, sizeof path, "%s/model.safetensors", directory);
    must(sw_st_open(&file[i], path, &err), &err);
    table[i] = sw_st_find(file[i], "position_embedding.weight");
    assert_non_null(table[i]);
    assert_true(table[i]->shape[0] > f->prefix);
  }
  size_t bytes = (size_t)f->prefix * 16 * sizeof(float);
  int same = !memcmp(table[0]->data, table[1]->data, bytes);
  /* the rows of the blocks must have learned something, or nothing is shown */
  assert_memory_not_equal((const char *)table[0]->data + bytes,
                          (const char *)table[1]->data + bytes,
                          20 * 16 * sizeof(float));
  for (int i = 0; i < 2; i++) sw_st_close(file[i]);
  return same;
}

static void ordinary_steps_hide_it(void **state) {
  assert_true(prefix_rows_stay(*state, 1, 0));
  assert_false(prefix_rows_stay(*state, 0, 0));
}

static void contrastive_steps_hide_it(void **state) {
  assert_true(prefix_rows_stay(*state, 1, 1));
  assert_false(prefix_rows_stay(*state, 0, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_schedule_is_as_asked),
      cmocka_unit_test(hiding_only_takes_away),
      cmocka_unit_test(ordinary_steps_hide_it),
      cmocka_unit_test(contrastive_steps_hide_it),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
