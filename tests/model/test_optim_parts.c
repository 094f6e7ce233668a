/* An optimizer that steps a part of the parameters does to them what one that
 * steps all does, bit for bit, however they are split. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "../toy.h"
#include "base/rng.h"
#include "base/threads.h"
#include "model/decoder/internal.h"
#include "model/muon.h"
#include "model/optim.h"

enum { STEPS = 4, MOST = 5 };

static void fill(float *gradient, size_t count, int step) {
  for (size_t i = 0; i < count; i++)
    gradient[i] =
        0.1f * (float)sw_philox_normal(11, (uint64_t)step, (uint64_t)i);
}

/* Weights after STEPS steps by `parts` optimizers, of which each steps its
 * part of the one model. */
static void run(sw_optim_kind kind, int parts, int threads, float *out) {
  sw_model_config config = TOY_CONFIG(40, 32, 3, 2, 0, 3, 200);
  sw_optim_config c = {.lr = 1e-2,
                       .beta1 = 0.9,
                       .beta2 = 0.99,
                       .eps = 1e-8,
                       .weight_decay = 0.1,
                       .clip = 1,
                       .steps = 100,
                       .kind = kind,
                       .momentum = 0.95,
                       .matrix_rate = 1};
  sw_model *model = toy_model(&config, 5);
  sw_team *team;
  sw_optim *optim[MOST];
  size_t begin[MOST + 1], count = (size_t)model->params.layout.trained;
  float *gradient = malloc(sizeof(float) * count);
  assert_non_null(gradient);
  assert_int_equal(sw_team_new(&team, threads, NULL), 0);
  for (int p = 0; p < parts; p++) {
    assert_int_equal(
        sw_optim_new(&optim[p], sw_model_net(model), team, &c, NULL), 0);
    assert_int_equal(sw_optim_split(optim[p], parts, begin, NULL), 0);
    assert_int_equal(begin[0], 0);
    assert_int_equal(begin[parts], count);
    if (parts > 1)
      assert_int_equal(sw_optim_own(optim[p], begin[p], begin[p + 1], NULL), 0);
  }
  for (int step = 0; step < STEPS; step++) {
    fill(gradient, count, step);
    double norm = sw_optim_norm(optim[parts - 1], gradient);
    for (int p = 0; p < parts; p++)
      sw_optim_step_by_norm(optim[p], gradient, norm, NULL);
    for (size_t i = 0; i < count; i++) assert_true(gradient[i] == 0);
  }
  memcpy(out, model->weights, sizeof(float) * count);
  for (int p = 0; p < parts; p++) sw_optim_free(optim[p]);
  free(gradient);
  sw_team_free(team);
  sw_model_free(model);
}

static void same_bits(sw_optim_kind kind) {
  sw_model_config config = TOY_CONFIG(40, 32, 3, 2, 0, 3, 200);
  sw_model *model = toy_model(&config, 5);
  size_t bytes = sizeof(float) * (size_t)model->params.layout.trained;
  float *whole = malloc(bytes), *split = malloc(bytes);
  run(kind, 1, 1, whole);
  assert_true(memcmp(whole, model->weights, bytes) != 0); /* they moved */
  for (int parts = 1; parts <= MOST; parts++)
    for (int threads = 1; threads <= 2; threads++) {
      run(kind, parts, threads, split);
      assert_memory_equal(whole, split, bytes);
    }
  free(whole);
  free(split);
  sw_model_free(model);
}

static void test_adamw(void **unused) {
  (void)unused;
  same_bits(SW_OPTIM_ADAMW);
}

static void test_muon(void **unused) {
  (void)unused;
  same_bits(SW_OPTIM_MUON);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_adamw),
      cmocka_unit_test(test_muon),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
