/* Weights kept on the way: a row at a step, a row at another model's loss, and
 * one whose run ended before; and one that goes on from another model's. What
 * is asked for is looked up here in the kept files and in metrics.jsonl by
 * hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tiny_run.h"
#include "base/file.h"
#include "base/safetensors.h"
#include "repro/runner.h"
#include "table.h"

static const sw_experiment toy = {
    .id = "way",
    .section = "toys",
    .place = "nowhere",
    .title = "On the way",
    .seeds = {1, 1},
    .beside = SW_BESIDE_NONE,
    .column = COLUMNS(CARD("loss", "valid_loss", ""),
                      CARD("tokens", "tokens", ""), CARD("steps", "steps", "")),
    .row = ROWS(
        MODEL("end", "at its end", "quick-ssa", 0),
        MODEL("four", "at step 4", "quick-ssa", .at = "step 4"),
        MODEL("beyond", "never", "quick-ssa", .at = "step 400"),
        MODEL("loss", "at causal's", "quick-ssa", .at = "loss quick-causal"),
        MODEL("on", "from another", "sat50h-ssa", 0)),
};

static char *directory;
static sw_repro_result result;

static void quiet_begin(void *context, const char *what) {
  (void)context;
  (void)what;
}
static void quiet_end(void *context) { (void)context; }
static int train(void *context, const sw_train_options *options, sw_err *err) {
  sw_train_result done;
  (void)context;
  return sw_train(options, NULL, &done, err);
}

static int run(sw_repro_result *out) {
  sw_err err = {0};
  sw_repro_hooks hooks = {
      .begin = quiet_begin, .end = quiet_end, .train = train};
  sw_repro_options o = {
      .out = directory,
      .settings = {9,
                   {"steps=12", "d=16", "layers=1", "heads=2", "batch=2",
                    "keep-every=2", "valid-every=3", "warmup=0", "lr=0.01"}},
      .seed = -1,
      .test_seed = 42,
      .instances = 1,
      .traces = 24,
      .threads = 1};
  int code = sw_repro_run(&toy, &o, &hooks, out, &err);
  if (code) print_error("%s\n", err.text);
  return code;
}

static int prepare(void **state) {
  (void)state;
  directory = tiny_run_directory();
  return directory ? run(&result) : -1;
}

static int clean(void **state) {
  (void)state;
  sw_repro_free(&result);
  tiny_run_remove(directory);
  return 0;
}

/* The validation losses of a run by step, as its metrics tell them; 0: none. */
static int losses(const char *name, double loss[16]) {
  char path[600], line[600];
  int step, count = 0;
  snprintf(path, sizeof path, "%s/models/%s/metrics.jsonl", directory, name);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    const char *valid = strstr(line, "\"valid_loss\": ");
    assert_int_equal(sscanf(line, "{\"step\": %d,", &step), 1);
    assert_in_range(step, 1, 15);
    loss[step] = valid ? strtod(valid + 14, NULL) : 0;
    count = step;
  }
  fclose(f);
  return count;
}

static void kept_path(int step, char path[600]) {
  snprintf(path, 600, "%s/models/quick-ssa-42/at-%08d.safetensors", directory,
           step);
}

/* The one that kept weights carry. */
static double own_loss(int step) {
  char path[600];
  sw_st_file *file;
  kept_path(step, path);
  assert_int_equal(sw_st_open(&file, path, NULL), 0);
  double loss = strtod(sw_st_meta(file, "valid_loss"), NULL);
  sw_st_close(file);
  return loss;
}

static const sw_repro_model *model_of(const char *row) {
  for (int i = 0; i < result.models; i++)
    if (!strcmp(result.model[i].row->id, row)) return &result.model[i];
  fail_msg("no model of %s", row);
  return NULL;
}

static void check_weights(const char *row, int step) {
  char path[600];
  sw_st_file *file;
  kept_path(step, path);
  assert_int_equal(sw_st_open(&file, path, NULL), 0);
  assert_string_equal(model_of(row)->hash, sw_st_meta(file, "weights_xxh64"));
  sw_st_close(file);
}

static void a_step_is_that_step(void **state) {
  (void)state;
  double loss[16] = {0};
  assert_int_equal(losses("quick-ssa-42", loss), 12);
  /* Validated at 3 and 6; the copies of 4 and 6 carry their own. */
  assert_true(loss[3] > 0 && loss[4] == 0 && own_loss(4) != loss[3]);
  assert_true(own_loss(6) == loss[6]);
  assert_true(sw_repro_cell_of(&result, "four", 0)->mean == own_loss(4));
  assert_true(sw_repro_cell_of(&result, "four", 1)->mean <
              sw_repro_cell_of(&result, "end", 1)->mean);
  assert_true(sw_repro_cell_of(&result, "four", 2)->mean == 4);
  assert_true(sw_repro_cell_of(&result, "end", 2)->mean == 12);
  assert_string_equal(model_of("four")->ended, "at 4");
  check_weights("four", 4);
  assert_string_not_equal(model_of("four")->hash, model_of("end")->hash);
}

static void the_last_where_the_run_ended_before(void **state) {
  (void)state;
  assert_string_equal(model_of("beyond")->hash, model_of("end")->hash);
  assert_string_equal(model_of("beyond")->ended, model_of("end")->ended);
  assert_true(sw_repro_cell_of(&result, "beyond", 0)->mean ==
              sw_repro_cell_of(&result, "end", 0)->mean);
}

static void a_loss_is_the_first_step_as_low(void **state) {
  (void)state;
  double other[16] = {0}, best = INFINITY;
  int count = losses("quick-causal-42", other), first = 0;
  for (int i = 1; i <= count; i++)
    if (other[i] > 0 && other[i] < best)
      best = other[i]; /* what a run keeps in the end */
  for (int i = 2; i <= 12 && !first; i += 2)
    if (own_loss(i) <= best) first = i;
  if (!first) {
    assert_string_equal(model_of("loss")->hash, model_of("end")->hash);
    return;
  }
  assert_true(sw_repro_cell_of(&result, "loss", 0)->mean == own_loss(first));
  check_weights("loss", first);
}

/* Copies of older programs carry the best loss so far, and do not say that it
 * is theirs: the latest validation of the run then stands for it. */
static void older_copies_take_the_latest(void **state) {
  (void)state;
  static const char key[] = "\"valid_step\"";
  char path[600], *text, *at;
  size_t bytes;
  double loss[16] = {0};
  sw_err err = {0};
  sw_repro_result again;
  kept_path(4, path);
  if (sw_read_file(path, 0, &text, &bytes, &err)) fail_msg("%s", err.text);
  at = memmem(text, bytes, key, sizeof key - 1);
  assert_non_null(at);
  memcpy(at, "\"other_step\"", sizeof key - 1); /* as if it were not there */
  if (sw_write_file(path, text, bytes, &err)) fail_msg("%s", err.text);
  free(text);
  losses("quick-ssa-42", loss);
  assert_int_equal(run(&again), SW_OK);
  assert_true(sw_repro_cell_of(&again, "four", 0)->mean == loss[3]);
  sw_repro_free(&again);
}

/* `init=#ID` in the matrix: that model is there, and its weights came first. */
static void another_model_comes_first(void **state) {
  (void)state;
  char path[700], wanted[700], *text;
  size_t bytes;
  sw_err err = {0};
  snprintf(path, sizeof path, "%s/models/sat50h-ssa-42/run.json", directory);
  snprintf(wanted, sizeof wanted, "\"%s/models/satmix-ssa-42\"", directory);
  if (sw_read_file(path, 1 << 20, &text, &bytes, &err))
    fail_msg("%s", err.text);
  assert_non_null(strstr(text, wanted));
  free(text);
  snprintf(path, sizeof path, "%s/models/satmix-ssa-42/model.safetensors",
           directory);
  assert_true(sw_path_exists(path));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_model_comes_first),
      cmocka_unit_test(a_step_is_that_step),
      cmocka_unit_test(the_last_where_the_run_ended_before),
      cmocka_unit_test(a_loss_is_the_first_step_as_low),
      cmocka_unit_test(older_copies_take_the_latest),
  };
  return cmocka_run_group_tests(tests, prepare, clean);
}
