/* The decoder with slot memory as a whole: no look at later tokens, gradients
 * along random directions, the same bits for any number of threads, files, and
 * the refusals. The module itself is tested in test_slot_memory.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/rng.h"
#include "base/safetensors.h"
#include "model/decoder/params.h"
#include "trace/mask.h"

enum { LENGTH = 14, VOCAB = 11 };
static const sw_model_config with_memory = {.vocab = VOCAB,
                                            .d = 32,
                                            .layers = 4,
                                            .heads = 4,
                                            .ffn = 32,
                                            .positions = 16,
                                            .memory = 3,
                                            .memory_width = 32};

typedef struct bench {
  sw_model *model;
  sw_team *team;
  sw_pass *pass;
  sw_mask mask;
  int32_t token[LENGTH], position[LENGTH];
  uint8_t supervised[LENGTH];
  sw_example example;
} bench;

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

/* Larger weights than the start's, so that every path carries something. */
static void stir(sw_model *model) {
  float *w = sw_model_net(model)->weights;
  for (int64_t i = 0; i < sw_model_net(model)->count; i++)
    w[i] += (float)(0.1 * sw_philox_normal(5, 6, (uint64_t)i));
  sw_model_set_memory_gate(model, 0.5f);
  sw_model_changed(model);
}

static void open_config(bench *b, int threads, const sw_model_config *config) {
  static const int64_t start[2] = {0, 5};
  sw_err err;
  memset(b, 0, sizeof *b);
  must(sw_team_new(&b->team, threads, &err), &err);
  must(sw_model_new(&b->model, config, 3, &err), &err);
  stir(b->model);
  must(sw_pass_new(&b->pass, b->model, b->team, &err), &err);
  sw_mask_init(&b->mask);
  must(sw_mask_build(&b->mask, SW_MASK_CAUSAL_NOSLOT, 0, LENGTH, start, 2, 0, 0,
                     &err),
       &err);
  for (int i = 0; i < LENGTH; i++) {
    b->token[i] = 1 + (i * 7) % (VOCAB - 1);
    b->position[i] = i;
    b->supervised[i] = i > 6;
  }
  b->example = (sw_example){.token = b->token,
                            .position = b->position,
                            .supervised = b->supervised,
                            .length = LENGTH,
                            .mask = &b->mask};
}

static void open_shared(bench *b, int threads, int shared) {
  sw_model_config config = with_memory;
  config.memory_shared = shared;
  open_config(b, threads, &config);
}

static void open_bench(bench *b, int threads) { open_shared(b, threads, 0); }

static void close_bench(bench *b) {
  sw_pass_free(b->pass);
  sw_model_free(b->model);
  sw_team_free(b->team);
  sw_mask_free(&b->mask);
}

static void logits_of(bench *b, float *out) {
  int32_t rows[LENGTH];
  sw_err err;
  for (int i = 0; i < LENGTH; i++) rows[i] = i;
  must(sw_pass_logits(b->pass, &b->example, rows, LENGTH, out, &err), &err);
}

static double loss_of(bench *b, float *gradient) {
  sw_pass_options o = {.weight[SW_LOSS_TARGET] = 1};
  double loss;
  sw_err err;
  must(
      sw_pass_loss(b->pass, &b->example, &o, gradient, &loss, NULL, NULL, &err),
      &err);
  return loss;
}

static void test_no_look_ahead(void **state) {
  (void)state;
  bench b;
  float before[LENGTH * VOCAB], after[LENGTH * VOCAB];
  open_bench(&b, 2);
  logits_of(&b, before);
  for (int j = 0; j < LENGTH; j++) {
    int32_t keep = b.token[j];
    b.token[j] = keep == 1 ? 2 : 1;
    logits_of(&b, after);
    assert_memory_equal(before, after, (size_t)(j * VOCAB) * sizeof *before);
    assert_memory_not_equal(before + j * VOCAB, after + j * VOCAB,
                            VOCAB * sizeof *before);
    b.token[j] = keep;
  }
  close_bench(&b);
}

/* A shorter sequence is a prefix of the longer one's results: the pass over
 * tokens 0..i alone gives the bits that the long pass gives at i. */
static void test_truncation_changes_nothing(void **state) {
  (void)state;
  static const int64_t start[2] = {0, 5};
  bench b;
  float whole[LENGTH * VOCAB], alone[VOCAB];
  sw_err err;
  open_bench(&b, 1);
  logits_of(&b, whole);
  for (int32_t length = 6; length < LENGTH; length++) {
    int32_t row = length - 1;
    must(sw_mask_build(&b.mask, SW_MASK_CAUSAL_NOSLOT, 0, length, start, 2, 0,
                       0, &err),
         &err);
    b.example.length = length;
    must(sw_pass_logits(b.pass, &b.example, &row, 1, alone, &err), &err);
    assert_memory_equal(alone, whole + row * VOCAB, sizeof alone);
  }
  close_bench(&b);
}

/* d(loss)/d(direction) by a central difference against gradient . direction,
 * for directions inside single parts of the flat block. */
static void check_derivatives(int shared) {
  bench b;
  open_shared(&b, 2, shared);
  int64_t count = sw_model_net(b.model)->count;
  float *w = sw_model_net(b.model)->weights;
  float *keep = malloc((size_t)count * sizeof *keep);
  float *gradient = calloc((size_t)count, sizeof *gradient);
  assert_non_null(keep);
  assert_non_null(gradient);
  memcpy(keep, w, (size_t)count * sizeof *keep);
  loss_of(&b, gradient);
  sw_params params;
  sw_params_layout(&with_memory, &params);
  const struct {
    int64_t from, to;
  } part[] = {
      {0, count},
      {params.offset[SW_P_TOKEN], params.offset[SW_P_TOKEN] + VOCAB * 32},
      {params.offset[SW_P_MEMORY],
       params.offset[SW_P_MEMORY] + sw_memory_floats(&with_memory)},
      {params.offset[SW_P_MEMORY], params.offset[SW_P_MEMORY] + 3 * 32},
      {params.layout.layer_begin,
       params.layout.layer_begin + params.layout.layer_stride},
      {params.layout.layer_begin + 3 * params.layout.layer_stride,
       params.layout.layer_begin + 4 * params.layout.layer_stride}};
  for (size_t p = 0; p < sizeof part / sizeof *part; p++) {
    double expected = 0, step = 4e-3;
    double value[2];
    for (int side = 0; side < 2; side++) {
      memcpy(w, keep, (size_t)count * sizeof *w);
      for (int64_t i = part[p].from; i < part[p].to; i++)
        w[i] += (float)((side ? 1 : -1) * step *
                        sw_philox_normal(9, p, (uint64_t)i));
      sw_model_changed(b.model);
      value[side] = loss_of(&b, NULL);
    }
    for (int64_t i = part[p].from; i < part[p].to; i++)
      expected += (double)gradient[i] * sw_philox_normal(9, p, (uint64_t)i);
    double slope = (value[1] - value[0]) / (2 * step);
    if (fabs(slope - expected) > 0.02 * (0.5 + fabs(expected)))
      fail_msg("part %zu: slope %.6g, gradient %.6g", p, slope, expected);
    assert_true(fabs(expected) > 1e-3);
  }
  free(gradient);
  free(keep);
  close_bench(&b);
}

static void test_directional_derivatives(void **state) {
  (void)state;
  check_derivatives(0);
  check_derivatives(1);
}

/* Shared registers are the leak that the default avoids: every logit knows the
 * last token. On a truncated sequence they know nothing that comes later. */
static void test_shared_registers_leak(void **state) {
  (void)state;
  bench b;
  float before[LENGTH * VOCAB], after[LENGTH * VOCAB];
  open_shared(&b, 1, 1);
  logits_of(&b, before);
  b.token[LENGTH - 1] = b.token[LENGTH - 1] == 1 ? 2 : 1;
  logits_of(&b, after);
  for (int i = 0; i < LENGTH; i++)
    assert_memory_not_equal(before + i * VOCAB, after + i * VOCAB,
                            VOCAB * sizeof *before);
  close_bench(&b);
}

static void test_threads_change_nothing(void **state) {
  (void)state;
  float *gradient[2];
  int64_t count = 0;
  for (int i = 0; i < 2; i++) {
    bench b;
    open_bench(&b, i + 1);
    count = sw_model_net(b.model)->count;
    gradient[i] = calloc((size_t)count, sizeof *gradient[i]);
    assert_non_null(gradient[i]);
    loss_of(&b, gradient[i]);
    close_bench(&b);
  }
  assert_memory_equal(gradient[0], gradient[1],
                      (size_t)count * sizeof *gradient[0]);
  free(gradient[0]);
  free(gradient[1]);
}

static void test_files(void **state) {
  (void)state;
  char path[] = "/tmp/statewise-memory-XXXXXX";
  int file = mkstemp(path);
  bench b;
  sw_err err;
  float before[LENGTH * VOCAB], after[LENGTH * VOCAB];
  assert_true(file >= 0);
  close(file);
  open_bench(&b, 1);
  logits_of(&b, before);
  must(sw_net_save(sw_model_net(b.model), path, NULL, 0, &err), &err);
  sw_pass_free(b.pass);
  sw_model_free(b.model);
  must(sw_model_load(&b.model, path, 0, &err), &err);
  assert_int_equal(sw_model_config_of(b.model)->memory, 3);
  assert_int_equal(sw_model_config_of(b.model)->memory_width, 32);
  must(sw_pass_new(&b.pass, b.model, b.team, &err), &err);
  logits_of(&b, after);
  assert_memory_equal(before, after, sizeof before);
  /* Without memory the file has no such tensor. */
  sw_model_config plain = with_memory;
  plain.memory = plain.memory_width = 0;
  sw_model *model;
  sw_st_file *st;
  must(sw_model_new(&model, &plain, 3, &err), &err);
  must(sw_net_save(sw_model_net(model), path, NULL, 0, &err), &err);
  must(sw_st_open(&st, path, &err), &err);
  assert_null(sw_st_find(st, "slot_memory"));
  sw_st_close(st);
  sw_model_free(model);
  close_bench(&b);
  unlink(path);
}

/* How many heads the same weights have is known from the file alone. */
static void test_heads(void **state) {
  (void)state;
  char path[] = "/tmp/statewise-memory-XXXXXX";
  int file = mkstemp(path);
  bench b;
  sw_err err;
  float eight[LENGTH * VOCAB], two[LENGTH * VOCAB], after[LENGTH * VOCAB];
  sw_model_config config = with_memory;
  assert_true(file >= 0);
  close(file);
  config.memory_heads = 8; /* by its other name: the default */
  open_config(&b, 1, &config);
  assert_int_equal(sw_model_config_of(b.model)->memory_heads, 0);
  logits_of(&b, eight);
  uint64_t hash = sw_net_hash(sw_model_net(b.model));
  close_bench(&b);
  config.memory_heads = 2;
  open_config(&b, 1, &config);
  logits_of(&b, two);
  assert_memory_not_equal(eight, two, sizeof eight);
  assert_true(sw_net_hash(sw_model_net(b.model)) != hash);
  must(sw_net_save(sw_model_net(b.model), path, NULL, 0, &err), &err);
  sw_pass_free(b.pass);
  sw_model_free(b.model);
  must(sw_model_load(&b.model, path, 0, &err), &err);
  assert_int_equal(sw_model_config_of(b.model)->memory_heads, 2);
  must(sw_pass_new(&b.pass, b.model, b.team, &err), &err);
  logits_of(&b, after);
  assert_memory_equal(two, after, sizeof two);
  close_bench(&b);
  unlink(path);
}

static void test_refusals(void **state) {
  (void)state;
  static const int64_t start[2] = {0, 5};
  bench b;
  float out[VOCAB];
  int32_t row = 3;
  open_bench(&b, 1);
  assert_int_equal(
      sw_mask_build(&b.mask, SW_MASK_SSA, 0, LENGTH, start, 2, 0, 0, NULL), 0);
  assert_int_equal(sw_pass_logits(b.pass, &b.example, &row, 1, out, NULL),
                   SW_USAGE);
  sw_model *model = NULL;
  sw_model_config config = with_memory;
  config.slots = 2;
  assert_int_equal(sw_model_new(&model, &config, 1, NULL), SW_USAGE);
  config = with_memory;
  config.memory_width = 40;
  assert_int_equal(sw_model_new(&model, &config, 1, NULL), SW_USAGE);
  config.memory_heads = 3; /* 12 divides neither */
  assert_int_equal(sw_model_new(&model, &config, 1, NULL), SW_USAGE);
  config.memory_width = 320; /* heads of 160 */
  config.memory_heads = 2;
  assert_int_equal(sw_model_new(&model, &config, 1, NULL), SW_USAGE);
  assert_null(model);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_look_ahead),
      cmocka_unit_test(test_truncation_changes_nothing),
      cmocka_unit_test(test_directional_derivatives),
      cmocka_unit_test(test_shared_registers_leak),
      cmocka_unit_test(test_threads_change_nothing),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_heads),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
