/* Training until flat: the rule on curves whose answer is known, and runs that
 * are interrupted along the way. */
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
#include "train/trainer.h"
#include "train/tune.h"

/* Feeds a curve, validated every `every` steps, until the tail begins. */
static int64_t tail_of(sw_flat *flat, int64_t every, double (*loss)(int64_t)) {
  for (int64_t step = 1; step <= flat->cap; step++) {
    double seen = step % every ? -1 : loss(step);
    if (sw_flat_step(flat, step, seen) == 1) return step;
  }
  return -1;
}

static double level(int64_t step) {
  (void)step;
  return 2.0;
}
static double zero(int64_t step) {
  (void)step;
  return 0;
}
static double falling(int64_t step) { return 100.0 / (double)step; }
/* Halves every 50 steps up to 400, then stays. */
static double stops(int64_t step) {
  double loss = 8;
  for (int64_t i = 50; i <= step && i <= 400; i += 50) loss /= 2;
  return loss;
}

static void a_level_curve_ends_at_a_third_of_the_cap(void **state) {
  (void)state;
  sw_flat flat;
  sw_flat_init(&flat, 600, 0);
  assert_int_equal(tail_of(&flat, 10, level), 200);
  assert_int_equal(flat.ending, SW_ENDED_FLAT);
  assert_int_equal(sw_flat_end(&flat), 240);
  sw_flat_free(&flat);
  sw_flat_init(&flat, 600, 0); /* one per cent of nothing is no gain */
  assert_int_equal(tail_of(&flat, 10, zero), 200);
  assert_int_equal(flat.ending, SW_ENDED_FLAT);
  sw_flat_free(&flat);
}

/* Low before the prefix is shown at step 300, then high and level. */
static double rises(int64_t step) { return step <= 300 ? 1.0 : 2.0; }
/* Level up to step 300, halved every 30 steps up to 480, then level. */
static double falls_late(int64_t step) {
  double loss = 8;
  for (int64_t i = 330; i <= step && i <= 480; i += 30) loss /= 2;
  return loss;
}

static void what_the_curriculum_gave_does_not_count(void **state) {
  (void)state;
  sw_flat flat;
  double (*const curve[])(int64_t) = {level, rises};
  for (int i = 0; i < 2; i++) {
    sw_flat_init(&flat, 600, 0.5);
    /* 390 - 390 / 5 = 312: the first look with a fifth behind it that has seen
     * the prefix, at 310. */
    assert_int_equal(tail_of(&flat, 10, curve[i]), 390);
    assert_int_equal(flat.ending, SW_ENDED_FLAT);
    sw_flat_free(&flat);
  }
  /* The last gain is at 480, so the cap comes first (500 + 100). */
  sw_flat_init(&flat, 600, 0.5);
  assert_int_equal(tail_of(&flat, 10, falls_late), 500);
  assert_int_equal(flat.ending, SW_ENDED_CAP);
  sw_flat_free(&flat);
}

static void nobody_looks_while_the_rate_rises(void **state) {
  (void)state;
  sw_flat flat;
  sw_flat_init(&flat, 600, 0);
  flat.warm = 300;
  /* 370 - 370 / 5 = 296, 380 - 380 / 5 = 304 */
  assert_int_equal(tail_of(&flat, 10, level), 380);
  assert_int_equal(flat.ending, SW_ENDED_FLAT);
  sw_flat_free(&flat);
  sw_flat_init(&flat, 600, 0);
  flat.warm = 36; /* the usual one makes no difference */
  assert_int_equal(tail_of(&flat, 10, level), 200);
  sw_flat_free(&flat);
}

static void a_falling_curve_ends_at_the_cap_with_its_tail(void **state) {
  (void)state;
  sw_flat flat;
  sw_flat_init(&flat, 600, 0);
  /* 500 + 100 = 600 */
  assert_int_equal(tail_of(&flat, 10, falling), 500);
  assert_int_equal(flat.ending, SW_ENDED_CAP);
  assert_int_equal(sw_flat_end(&flat), 600);
  sw_flat_free(&flat);
}

static void gains_too_small_to_count_end_it(void **state) {
  (void)state;
  sw_flat flat;
  /* The same curve, which gains more than one per cent at every look. */
  sw_flat_init(&flat, 600, 0);
  flat.least = 1e9;
  assert_int_equal(tail_of(&flat, 10, falling), 200);
  assert_int_equal(flat.ending, SW_ENDED_FLAT);
  sw_flat_free(&flat);
  sw_flat_init(&flat, 600, 0);
  flat.least = 1e-9;
  assert_int_equal(tail_of(&flat, 10, falling), 500);
  assert_int_equal(flat.ending, SW_ENDED_CAP);
  sw_flat_free(&flat);
}

static void a_curve_that_stops_falling_ends_a_fifth_later(void **state) {
  (void)state;
  sw_flat flat;
  sw_flat_init(&flat, 900, 0);
  /* The last gain is at 400; 500 - 500 / 5 = 400 is the first look that has
   * no gain behind it. */
  assert_int_equal(tail_of(&flat, 20, stops), 500);
  assert_int_equal(flat.ending, SW_ENDED_FLAT);
  sw_flat_free(&flat);
}

static void the_state_survives_as_text(void **state) {
  (void)state;
  sw_flat whole, half, rest;
  sw_err err = {0};
  sw_flat_init(&whole, 900, 0);
  sw_flat_init(&half, 900, 0);
  sw_flat_init(&rest, 900, 0);
  assert_int_equal(tail_of(&whole, 20, stops), 500);
  for (int64_t step = 1; step <= 470; step++)
    assert_int_equal(sw_flat_step(&half, step, step % 20 ? -1 : stops(step)),
                     0);
  char *text = sw_flat_text(&half);
  must(sw_flat_read(&rest, text, &err), &err);
  int64_t begun = -1;
  for (int64_t step = 471; begun < 0 && step <= 900; step++)
    if (sw_flat_step(&rest, step, step % 20 ? -1 : stops(step)) == 1)
      begun = step;
  assert_int_equal(begun, 500);
  char *a = sw_flat_text(&whole), *b = sw_flat_text(&rest);
  assert_string_equal(a, b);
  static const char *const damaged[] = {"",
                                        "x",
                                        "-1",
                                        "-2 steps",
                                        "1000 flat",
                                        "-1 soon",
                                        "-1 steps 5",
                                        "-1 steps 5:",
                                        "-1 steps x",
                                        "-1 steps 5:nan",
                                        "-1 steps 5:1 5:1"};
  for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
    assert_int_equal(sw_flat_read(&half, damaged[i], &err), SW_DATA);
  free(text);
  free(a);
  free(b);
  sw_flat_free(&whole);
  sw_flat_free(&half);
  sw_flat_free(&rest);
}

/* The losses are kept ones: of models that solve the same, and of models that
 * solve less than a rule that never goes back (results/rivals*.json,
 * training-budget.json). */
static void a_level_loss_above_the_best_known_is_a_plateau(void **state) {
  (void)state;
  static const struct {
    double loss, best;
    sw_train_ending ending;
  } run[] = {
      {0.0847, 0.0970, SW_ENDED_FLAT},    {0.0970, 0.0847, SW_ENDED_FLAT},
      {7.9e-5, 1.7e-5, SW_ENDED_FLAT}, /* nothing, in nats */
      {0.994, 0.917, SW_ENDED_FLAT},      {0.1777, 0.0902, SW_ENDED_PLATEAU},
      {0.2002, 0.0734, SW_ENDED_PLATEAU}, {1.6976, 0.9166, SW_ENDED_PLATEAU},
      {1.6976, 0, SW_ENDED_FLAT}}; /* nothing known */
  for (size_t i = 0; i < sizeof run / sizeof *run; i++)
    assert_int_equal(sw_ending_beside(SW_ENDED_FLAT, run[i].loss, run[i].best),
                     run[i].ending);
  assert_int_equal(sw_ending_beside(SW_ENDED_PLATEAU, 0.09, 0.09),
                   SW_ENDED_FLAT);
  assert_int_equal(sw_ending_beside(SW_ENDED_CAP, 2, 1), SW_ENDED_CAP);
  assert_int_equal(sw_ending_beside(SW_ENDED_STEPS, 2, 1), SW_ENDED_STEPS);
  assert_int_equal(sw_ending_from_name("plateau"), SW_ENDED_PLATEAU);
}

/* More than one per cent, but next to nothing. */
static double falls_a_little(int64_t step) { return 1.0 / (double)step; }

/* A run of fixed steps is only watched. */
static void a_loss_that_still_falls_at_the_end_is_told(void **state) {
  (void)state;
  static const struct {
    double (*loss)(int64_t);
    int falls;
  } curve[] = {
      {falling, 1}, {level, 0}, {stops, 0}, {zero, 0}, {falls_a_little, 0}};
  for (size_t i = 0; i < sizeof curve / sizeof *curve; i++) {
    sw_flat flat;
    sw_flat_init(&flat, 600, 0);
    flat.watch = 1;
    assert_int_equal(tail_of(&flat, 10, curve[i].loss), -1);
    assert_int_equal(flat.ending, SW_ENDED_STEPS);
    assert_int_equal(sw_flat_end(&flat), 600);
    assert_int_equal(sw_flat_falling(&flat), curve[i].falls);
    sw_flat_free(&flat);
  }
  sw_flat none;
  sw_flat_init(&none, 600, 0);
  assert_int_equal(sw_flat_falling(&none), 0);
}

/* ---- runs ---- */

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
  o->lr = 0; /* nothing improves: flat at a third of the cap */
  o->steps = 60;
  o->until = 1;
  o->valid_every = 2;
  o->threads = 1;
  o->checkpoint_seconds = 1e9;
}

static int stop_countdown(void *context) {
  int *left = context;
  return --*left <= 0;
}

static char *bytes_of(const char *output, const char *file, size_t *size) {
  char path[1300], *text;
  sw_err err = {0};
  snprintf(path, sizeof path, "%s/%s", output, file);
  must(sw_read_file(path, (size_t)1 << 30, &text, size, &err), &err);
  return text;
}

static void an_interrupted_run_ends_at_the_same_step_and_bits(void **state) {
  (void)state;
  sw_err err = {0};
  sw_train_options o;
  sw_train_result whole, resumed;
  char a[1200], b[1200];
  sw_train_hooks none = {0};
  small_run(&o, a, sizeof a, "whole");
  o.lr = 1e-3;
  must(sw_train(&o, &none, &whole, &err), &err);
  small_run(&o, b, sizeof b, "resumed");
  o.lr = 1e-3;
  int code = SW_STOPPED, interruptions = 0;
  while (code == SW_STOPPED) {
    int left = 7;
    sw_train_hooks hooks = {.context = &left, .stop = stop_countdown};
    code = sw_train(&o, &hooks, &resumed, &err);
    interruptions += code == SW_STOPPED;
  }
  must(code, &err);
  assert_true(interruptions >= 3);
  assert_int_equal(resumed.steps, whole.steps);
  assert_int_equal(resumed.ending, whole.ending);
  size_t na, nb;
  char *x = bytes_of(a, "model.safetensors", &na);
  char *y = bytes_of(b, "model.safetensors", &nb);
  assert_int_equal(na, nb);
  assert_memory_equal(x, y, na);
  free(x);
  free(y);
}

static void a_run_that_cannot_improve_is_flat_and_says_so(void **state) {
  (void)state;
  sw_err err = {0};
  sw_train_options o;
  sw_train_result result;
  char output[1200];
  sw_train_hooks none = {0};
  small_run(&o, output, sizeof output, "flat");
  must(sw_train(&o, &none, &result, &err), &err);
  assert_int_equal(result.ending, SW_ENDED_FLAT);
  assert_int_equal(result.steps, 24); /* 20 and a fifth of it */
  size_t size;
  char *card = bytes_of(output, "run.json", &size);
  assert_non_null(strstr(card, "\"ended\": \"flat\""));
  free(card);
}

/* The same run where a lower loss is known, asked before and after its end. */
static void a_run_above_the_best_known_loss_says_plateau(void **state) {
  (void)state;
  sw_err err = {0};
  sw_train_options o;
  sw_train_result result;
  char output[1200];
  sw_train_hooks none = {0};
  small_run(&o, output, sizeof output, "plateau");
  o.best_loss = 0.1;
  must(sw_train(&o, &none, &result, &err), &err);
  assert_int_equal(result.ending, SW_ENDED_PLATEAU);
  size_t size;
  char *card = bytes_of(output, "run.json", &size);
  assert_non_null(strstr(card, "\"ended\": \"plateau\""));
  free(card);
  o.best_loss = result.valid_loss;
  must(sw_train(&o, &none, &result, &err), &err);
  assert_true(result.already_done);
  assert_int_equal(result.ending, SW_ENDED_FLAT);
}

/* A few steps at a useful rate still gain; a rate of 0 gains nothing. */
static void fixed_steps_say_whether_the_loss_still_fell(void **state) {
  (void)state;
  sw_err err = {0};
  sw_train_options o;
  sw_train_result result;
  char output[1200];
  sw_train_hooks none = {0};
  for (int falls = 0; falls < 2; falls++) {
    small_run(&o, output, sizeof output, falls ? "falls" : "level");
    o.until = 0;
    o.lr = falls ? 1e-2 : 0;
    must(sw_train(&o, &none, &result, &err), &err);
    assert_int_equal(result.ending, SW_ENDED_STEPS);
    assert_int_equal(result.steps, 60);
    assert_int_equal(result.falling, falls);
    size_t size;
    char *card = bytes_of(output, "run.json", &size);
    assert_int_equal(strstr(card, "\"still_falling\"") != NULL, falls);
    free(card);
  }
}

/* Nothing improves (a rate of 0), so the run is flat as soon as a look counts:
 * the warm-up and the steps that ask for facts are over, and a fifth more. */
static void warm_up_and_facts_are_waited_for(void **state) {
  (void)state;
  sw_err err = {0};
  sw_train_options o;
  sw_train_result result;
  char output[1200];
  sw_train_hooks none = {0};
  small_run(&o, output, sizeof output, "warm");
  o.warmup = 0.5;
  must(sw_train(&o, &none, &result, &err), &err);
  assert_int_equal(result.ending, SW_ENDED_FLAT);
  assert_int_equal(result.steps, 38 + 8); /* 38 - 38 / 5 = 31 */
  small_run(&o, output, sizeof output, "facts");
  o.facts = 1;
  o.facts_share = 0.5;
  must(sw_train(&o, &none, &result, &err), &err);
  assert_int_equal(result.ending, SW_ENDED_FLAT);
  assert_int_equal(result.steps, 40 + 8); /* 40 - 40 / 5 = 32, seen at 32 */
  small_run(&o, output, sizeof output, "always");
  o.facts = 1; /* in all steps: no curriculum that ends */
  must(sw_train(&o, &none, &result, &err), &err);
  assert_int_equal(result.steps, 24);
}

/* A causal model trained on the state alone is judged on the state alone: with
 * whole traces its loss would rise and the run end by that. */
static void reduced_histories_validate_alike(void **state) {
  (void)state;
  sw_err err = {0};
  sw_train_options o;
  char output[1200];
  small_run(&o, output, sizeof output, "alike");
  o.mask = "causal";
  o.history = "prefix-only";
  sw_dataset set;
  sw_feed feed;
  sw_trace item;
  sw_trace_init(&item);
  must(sw_dataset_open(&set, data, &err), &err);
  must(sw_feed_new(&feed, &set, &o, &err), &err);
  assert_true(feed.valid_count > 0);
  for (int64_t i = 0; i < feed.valid_count; i++) {
    must(sw_feed_load_valid(&feed, i, &item, &err), &err);
    assert_int_equal(item.blocks, 2); /* the prefix and one block */
  }
  sw_feed_free(&feed);
  sw_trace_free(&item);
  sw_dataset_close(&set);
}

static void what_cannot_be_until_flat_is_refused(void **state) {
  (void)state;
  sw_err err = {0};
  sw_train_options o;
  sw_train_result result;
  char output[1200];
  sw_train_hooks none = {0};
  small_run(&o, output, sizeof output, "refused");
  o.mask = "causal-release";
  assert_int_equal(sw_train(&o, &none, &result, &err), SW_USAGE);
  small_run(&o, output, sizeof output, "refused");
  o.valid_share = 0;
  assert_int_equal(sw_train(&o, &none, &result, &err), SW_USAGE);
  small_run(&o, output, sizeof output, "refused");
  o.until = 0;
  o.cap_tokens = 1000;
  assert_int_equal(sw_train(&o, &none, &result, &err), SW_USAGE);
}

static int train_plainly(void *context, const sw_train_options *options,
                         sw_train_result *result, sw_err *err) {
  int *trained = context;
  sw_train_hooks none = {0};
  ++*trained;
  return sw_train(options, &none, result, err);
}

static void tuning_takes_the_lowest_validation_loss(void **state) {
  (void)state;
  sw_err err = {0};
  sw_train_options o;
  sw_tune_run grid[SW_TUNE_RUNS];
  char output[1200];
  int trained = 0;
  small_run(&o, output, sizeof output, "tuned");
  o.lr = 1e-3;
  must(sw_tune(&o, train_plainly, &trained, grid, &err), &err);
  assert_int_equal(trained, SW_TUNE_RUNS);
  double least = grid[0].result.valid_loss, rate = grid[0].lr;
  for (int i = 1; i < SW_TUNE_RUNS; i++)
    if (grid[i].result.valid_loss < least) {
      least = grid[i].result.valid_loss;
      rate = grid[i].lr;
    }
  assert_true(o.lr == rate);
  assert_true(grid[0].lr == 5e-4 && grid[5].lr == 2e-3);
  assert_true(grid[0].prefix_reveal == 0 && grid[1].prefix_reveal == 0.3);
  size_t size;
  char *text = bytes_of(output, "tune.json", &size);
  assert_non_null(strstr(text, "\"chosen\""));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_level_curve_ends_at_a_third_of_the_cap),
      cmocka_unit_test(what_the_curriculum_gave_does_not_count),
      cmocka_unit_test(nobody_looks_while_the_rate_rises),
      cmocka_unit_test(a_falling_curve_ends_at_the_cap_with_its_tail),
      cmocka_unit_test(gains_too_small_to_count_end_it),
      cmocka_unit_test(a_curve_that_stops_falling_ends_a_fifth_later),
      cmocka_unit_test(the_state_survives_as_text),
      cmocka_unit_test(a_level_loss_above_the_best_known_is_a_plateau),
      cmocka_unit_test(a_loss_that_still_falls_at_the_end_is_told),
      cmocka_unit_test(an_interrupted_run_ends_at_the_same_step_and_bits),
      cmocka_unit_test(a_run_that_cannot_improve_is_flat_and_says_so),
      cmocka_unit_test(a_run_above_the_best_known_loss_says_plateau),
      cmocka_unit_test(fixed_steps_say_whether_the_loss_still_fell),
      cmocka_unit_test(warm_up_and_facts_are_waited_for),
      cmocka_unit_test(reduced_histories_validate_alike),
      cmocka_unit_test(what_cannot_be_until_flat_is_refused),
      cmocka_unit_test(tuning_takes_the_lowest_validation_loss),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
