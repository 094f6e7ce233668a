/* The position table of a run: as large as the data needs, and never smaller.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../tiny_run.h"
#include "model/decoder/model.h"
#include "train/trainer.h"

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

/* Two traces: prefixes of 5 and 9 tokens, blocks of `longest` and 3. */
static void write_set(const char *path, int longest) {
  sw_dataset_writer *writer;
  sw_err err = {0};
  char hash[17];
  must(sw_dataset_create(&writer, path, &err), &err);
  for (int k = 0; k < 2; k++) {
    const int sizes[3] = {k ? 9 : 5, k ? 3 : longest, 2};
    sw_trace t;
    sw_trace_init(&t);
    for (int b = 0; b < 3; b++) {
      sw_trace_begin_block(&t);
      for (int i = 0; i < sizes[b]; i++) sw_trace_put(&t, 1 + i % 7, b > 0);
    }
    must(sw_dataset_append(writer, &t, &err), &err);
    sw_trace_free(&t);
  }
  must(sw_dataset_finish(writer, NULL, 0, hash, &err), &err);
}

static int plan_with(const char *path, const char *mask, const char *positions,
                     const char *history, int table, int32_t *rows,
                     sw_err *err) {
  sw_train_options o;
  sw_train_plan plan;
  sw_dataset set;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.mask = mask;
  o.position_kind = positions;
  o.history = history;
  o.table = table;
  must(sw_dataset_open(&set, path, err), err);
  int code = sw_train_plan_make(&plan, &o, &set, err);
  sw_dataset_close(&set);
  *rows = code ? 0 : ((sw_model_config *)&plan.config)->positions;
  return code;
}

static void a_table_holds_the_data(void **state) {
  (void)state;
  char *directory = tiny_run_directory(), path[1100];
  snprintf(path, sizeof path, "%s/data.safetensors", directory);
  write_set(path, 20);
  static const struct {
    const char *mask, *positions;
    int need;
  } rows[] = {{"causal", "standard", 27},
              {"ssa", "block-relative", 25},
              {"ssa", "block-first", SW_POS_BLOCK_ROOM + 9}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sw_err err = {0};
    int32_t got;
    int need = rows[i].need;
    must(plan_with(path, rows[i].mask, rows[i].positions, "full", need, &got,
                   &err),
         &err);
    assert_int_equal(got, need);
    must(
        plan_with(path, rows[i].mask, rows[i].positions, "full", 0, &got, &err),
        &err);
    assert_true(got >= need);
    assert_int_equal(plan_with(path, rows[i].mask, rows[i].positions, "full",
                               need - 1, &got, &err),
                     SW_USAGE);
    assert_non_null(strstr(err.text, "--table"));
  }
  /* The longer prefix may get the other trace's longer block. */
  sw_err err = {0};
  int32_t got;
  assert_int_equal(
      plan_with(path, "ssa", "block-relative", "transplant", 28, &got, &err),
      SW_USAGE);
  must(plan_with(path, "ssa", "block-relative", "transplant", 29, &got, &err),
       &err);
  write_set(path, SW_POS_BLOCK_ROOM + 1);
  assert_int_equal(plan_with(path, "ssa", "block-first", "full", 0, &got, &err),
                   SW_LIMIT);
  assert_non_null(strstr(err.text, "trace 0"));
  must(plan_with(path, "ssa", "block-relative", "full", 0, &got, &err), &err);
  tiny_run_remove(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_holds_the_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
