/* Training is a function of its seed: 20 steps with dropout == 10 steps, save,
 * load into new objects, 10 steps == any number of threads, bit for bit. Also
 * the schedule, clipping, and that dropout is what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../toy.h"
#include "model/optim.h"

static const sw_model_config config = TOY_CONFIG(50, 32, 3, 4, 128, 3, 300);
static sw_optim_config schedule = {.lr = 1e-2,
                                   .beta1 = 0.9,
                                   .beta2 = 0.999,
                                   .eps = 1e-8,
                                   .weight_decay = 0.01,
                                   .clip = 1,
                                   .warmup = 0.1,
                                   .steps = 40,
                                   .momentum = 0.95,
                                   .matrix_rate = 2};
enum { BATCH = 2 };

typedef struct run {
  sw_model *model;
  sw_team *team;
  sw_pass *pass;
  sw_optim *optim;
  float *gradient;
  double last_loss;
} run;

static void run_parts(run *r, int threads) {
  assert_int_equal(sw_team_new(&r->team, threads, NULL), 0);
  assert_int_equal(sw_pass_new(&r->pass, r->model, r->team, NULL), 0);
  assert_int_equal(
      sw_optim_new(&r->optim, sw_model_net(r->model), r->team, &schedule, NULL),
      0);
  r->gradient = calloc((size_t)sw_model_net(r->model)->count, sizeof(float));
}

static void run_open(run *r, int threads) {
  assert_int_equal(sw_model_new(&r->model, &config, 17, NULL), 0);
  run_parts(r, threads);
}

static void run_close(run *r) {
  free(r->gradient);
  sw_optim_free(r->optim);
  sw_pass_free(r->pass);
  sw_team_free(r->team);
  sw_model_free(r->model);
}

/* Steps from..to of the same endless training; traces of unequal lengths. */
static void train(run *r, int from, int to, sw_mask_kind kind, double dropout) {
  for (int step = from; step < to; step++) {
    for (int i = 0; i < BATCH; i++) {
      toy t;
      toy_make(&t, config.vocab, 20 + 7 * (step % 3), 4 + i, 20,
               (uint64_t)((step * BATCH + i) % 5));
      toy_mask(&t, &config, kind, SW_POS_BLOCK_RELATIVE, 8);
      sw_pass_options o = {.dropout = dropout,
                           .seed = 3,
                           .step = (uint64_t)step,
                           .trace = (uint64_t)i,
                           .weight[SW_LOSS_TARGET] = 0.05f};
      assert_int_equal(sw_pass_loss(r->pass, &t.example, &o, r->gradient,
                                    &r->last_loss, NULL, NULL, NULL),
                       0);
      toy_free(&t);
    }
    sw_optim_step(r->optim, r->gradient, NULL, NULL);
  }
}

static void assert_same_weights(run *a, run *b, const char *what) {
  size_t bytes = sizeof(float) * (size_t)sw_model_net(a->model)->count;
  if (memcmp(sw_model_net(a->model)->weights, sw_model_net(b->model)->weights,
             bytes))
    fail_msg("%s: weights differ", what);
}

static void resume(run *r, const char *weights, const char *state,
                   int threads) {
  assert_int_equal(sw_model_load(&r->model, weights, 0, NULL), 0);
  run_parts(r, threads);
  assert_int_equal(sw_optim_load(r->optim, state, NULL), 0);
}

static void check_determinism(sw_mask_kind kind) {
  char weights[64], state[64];
  snprintf(weights, sizeof weights, "/tmp/sw-train-%d.safetensors",
           (int)getpid());
  snprintf(state, sizeof state, "/tmp/sw-optim-%d.safetensors", (int)getpid());
  run one, two, half, rest;
  run_open(&one, 1);
  run_open(&two, 2);
  run_open(&half, 2);
  train(&one, 0, 20, kind, 0.1);
  train(&two, 0, 20, kind, 0.1);
  assert_same_weights(&one, &two, "1 and 2 threads");
  train(&half, 0, 10, kind, 0.1);
  assert_int_equal(
      sw_net_save(sw_model_net(half.model), weights, NULL, 0, NULL), 0);
  assert_int_equal(sw_optim_save(half.optim, state, NULL, 0, NULL), 0);
  run_close(&half);
  resume(&rest, weights, state, 1);
  assert_int_equal(sw_optim_steps_done(rest.optim), 10);
  train(&rest, 10, 20, kind, 0.1);
  assert_same_weights(&one, &rest, "resumed");
  unlink(weights);
  unlink(state);
  run_close(&one);
  run_close(&two);
  run_close(&rest);
}

static void test_determinism(void **unused) {
  (void)unused;
  for (int set = 0; toy_kernels(set); set++) {
    toy_kernels(set);
    check_determinism(SW_MASK_SSA);
    check_determinism(SW_MASK_CAUSAL);
  }
  toy_kernels(99);
  check_determinism(SW_MASK_BLOCK_ONLY);
  check_determinism(SW_MASK_RANDOM_MATCHED);
}

/* Muon hands whole matrices to threads; the momentum is in the state file. */
static void test_determinism_muon(void **unused) {
  (void)unused;
  schedule.kind = SW_OPTIM_MUON;
  for (int set = 0; toy_kernels(set); set++) check_determinism(SW_MASK_SSA);
  toy_kernels(99);
  schedule.kind = SW_OPTIM_ADAMW;
}

/* A trace's gradient is computed from zero and added once, so the sum over
 * traces does not depend on what was there before. */
static void test_one_addition(void **unused) {
  (void)unused;
  run r;
  run_open(&r, 2);
  int64_t n = sw_model_net(r.model)->count;
  float *sum = calloc((size_t)n, sizeof *sum);
  toy t;
  toy_make(&t, config.vocab, 30, 4, 12, 2);
  toy_mask(&t, &config, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE, 0);
  sw_pass_options o = {.dropout = 0.1, .seed = 1, .weight[SW_LOSS_TARGET] = 1};
  assert_int_equal(
      sw_pass_loss(r.pass, &t.example, &o, r.gradient, NULL, NULL, NULL, NULL),
      0);
  for (int64_t i = 0; i < n; i++) sum[i] = 0.1f * (float)(i % 7);
  float *want = malloc(sizeof(float) * (size_t)n);
  for (int64_t i = 0; i < n; i++) want[i] = sum[i] + r.gradient[i];
  assert_int_equal(
      sw_pass_loss(r.pass, &t.example, &o, sum, NULL, NULL, NULL, NULL), 0);
  sw_params p;
  sw_params_layout(&config, &p);
  assert_memory_equal(sum, want, sizeof(float) * (size_t)p.layout.trained);
  free(sum);
  free(want);
  toy_free(&t);
  run_close(&r);
}

/* It learns: one trace is known by heart after 40 steps. */
static void test_learns(void **unused) {
  (void)unused;
  run r;
  toy t;
  double loss = 0, first = 0;
  int64_t targets, hits;
  run_open(&r, 2);
  toy_make(&t, config.vocab, 20, 5, 9, 1);
  toy_mask(&t, &config, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE, 0);
  for (int step = 0; step < 40; step++) {
    sw_pass_options o = {.weight[SW_LOSS_TARGET] = 0.1f};
    assert_int_equal(sw_pass_loss(r.pass, &t.example, &o, r.gradient, &loss,
                                  &targets, &hits, NULL),
                     0);
    first = step ? first : loss;
    sw_optim_step(r.optim, r.gradient, NULL, NULL);
  }
  assert_int_equal(targets, 10);
  assert_int_equal(hits, targets);
  if (!(loss < 0.2 * first))
    fail_msg("loss %g after 40 steps, %g at first", loss, first);
  toy_free(&t);
  run_close(&r);
}

/* Dropout changes the loss, keyed by step and trace, and only those. */
static void test_dropout_keys(void **unused) {
  (void)unused;
  run r;
  double loss[5];
  run_open(&r, 1);
  toy t;
  toy_make(&t, config.vocab, 30, 4, 12, 2);
  toy_mask(&t, &config, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE, 0);
  const sw_pass_options o[5] = {
      {.dropout = 0.1, .seed = 1, .weight[SW_LOSS_TARGET] = 1},
      {.dropout = 0.1, .seed = 1, .weight[SW_LOSS_TARGET] = 1},
      {.dropout = 0.1, .seed = 1, .step = 1, .weight[SW_LOSS_TARGET] = 1},
      {.dropout = 0.1, .seed = 1, .trace = 1, .weight[SW_LOSS_TARGET] = 1},
      {.dropout = 0.0, .seed = 1, .weight[SW_LOSS_TARGET] = 1}};
  for (int i = 0; i < 5; i++)
    assert_int_equal(sw_pass_loss(r.pass, &t.example, &o[i], NULL, &loss[i],
                                  NULL, NULL, NULL),
                     0);
  assert_true(loss[0] == loss[1]);
  for (int i = 2; i < 5; i++) assert_true(loss[i] != loss[0]);
  toy_free(&t);
  run_close(&r);
}

/* With dropout on, the gradient is that of the loss with the same masks:
 * compared with a difference quotient along the gradient itself. */
static void test_dropout_gradient(void **unused) {
  (void)unused;
  static const sw_mask_kind kinds[] = {SW_MASK_SSA, SW_MASK_RANDOM_MATCHED};
  for (int set = 0; toy_kernels(set); set++)
    for (int k = 0; k < 2 && !toy_rounds(); k++) {
      toy_kernels(set);
      run r;
      run_open(&r, 2);
      sw_model_free(r.model);
      r.model = NULL;
      sw_pass_free(r.pass);
      sw_optim_free(r.optim);
      r.optim = NULL;
      r.model = toy_model(&config, 4);
      assert_int_equal(sw_pass_new(&r.pass, r.model, r.team, NULL), 0);
      toy t;
      toy_make(&t, config.vocab, 30, 4, 12, 2);
      toy_mask(&t, &config, kinds[k], SW_POS_BLOCK_RELATIVE, 0);
      sw_pass_options o = {
          .dropout = 0.2, .seed = 9, .weight[SW_LOSS_TARGET] = 1};
      double up, down, slope = 0;
      int64_t n = sw_model_net(r.model)->count;
      float *w = sw_model_net(r.model)->weights, *g = r.gradient;
      assert_int_equal(
          sw_pass_loss(r.pass, &t.example, &o, g, NULL, NULL, NULL, NULL), 0);
      for (int64_t i = 0; i < n; i++) slope += (double)g[i] * (double)g[i];
      float *start = malloc(sizeof(float) * (size_t)n);
      memcpy(start, w, sizeof(float) * (size_t)n);
      double h = 0.02 / sqrt(slope);
      for (int64_t i = 0; i < n; i++)
        w[i] = (float)((double)start[i] + h * (double)g[i] / sqrt(slope));
      sw_model_changed(r.model);
      sw_pass_loss(r.pass, &t.example, &o, NULL, &up, NULL, NULL, NULL);
      for (int64_t i = 0; i < n; i++)
        w[i] = (float)((double)start[i] - h * (double)g[i] / sqrt(slope));
      sw_model_changed(r.model);
      sw_pass_loss(r.pass, &t.example, &o, NULL, &down, NULL, NULL, NULL);
      double got = (up - down) / (2 * h), want = sqrt(slope);
      if (!(fabs(got - want) < 5e-3 * want))
        fail_msg("slope %g, gradient %g", got, want);
      free(start);
      toy_free(&t);
      run_close(&r);
    }
  toy_kernels(99);
}

static void test_schedule(void **unused) {
  (void)unused;
  sw_optim_config c = schedule;
  c.steps = 16890; /* the spec's example: 563 steps x 30 epochs */
  c.warmup = 0.06;
  assert_true(sw_schedule(&c, 0) == 1.0 / 1013);
  assert_true(sw_schedule(&c, 1012) == 1);
  assert_true(sw_schedule(&c, 1013) == 1);
  assert_true(fabs(sw_schedule(&c, 1013 + (16890 - 1013) / 2) - 0.5) < 1e-3);
  assert_true(fabs(sw_schedule(&c, 16890)) < 1e-12);
  c.warmup = 0;
  assert_true(sw_schedule(&c, 0) == 1);
  /* constant, with a tail that begins while the rate still rises */
  c = (sw_optim_config){.steps = 100,
                        .warmup = 0.9,
                        .constant = 1,
                        .tail_begin = 83,
                        .tail_steps = 17};
  assert_true(sw_schedule(&c, 44) == 0.5);
  assert_true(sw_schedule(&c, 83) == 84.0 / 90);
  assert_true(sw_schedule(&c, 84) == 85.0 / 90 * (1 - 1.0 / 17));
  assert_true(sw_schedule(&c, 99) == 1 - 16.0 / 17);
  assert_true(sw_schedule(&c, 100) == 0);
}

static void test_state_of_other_model(void **unused) {
  (void)unused;
  char path[64];
  sw_err err = {0};
  snprintf(path, sizeof path, "/tmp/sw-state-%d.safetensors", (int)getpid());
  run r;
  run_open(&r, 1);
  assert_int_equal(sw_optim_save(r.optim, path, NULL, 0, NULL), 0);
  sw_model_config other = config;
  other.vocab++;
  sw_model *model;
  sw_optim *optim;
  assert_int_equal(sw_model_new(&model, &other, 1, NULL), 0);
  assert_int_equal(
      sw_optim_new(&optim, sw_model_net(model), r.team, &schedule, NULL), 0);
  assert_int_equal(sw_optim_load(optim, path, &err), SW_DATA);
  assert_non_null(strstr(err.text, "parameters"));
  unlink(path);
  sw_optim_free(optim);
  sw_model_free(model);
  run_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_determinism),
      cmocka_unit_test(test_determinism_muon),
      cmocka_unit_test(test_one_addition),
      cmocka_unit_test(test_learns),
      cmocka_unit_test(test_dropout_keys),
      cmocka_unit_test(test_dropout_gradient),
      cmocka_unit_test(test_schedule),
      cmocka_unit_test(test_state_of_other_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
