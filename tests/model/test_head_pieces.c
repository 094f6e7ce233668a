/* More rows than the head takes at a time, without gradients: the last, shorter
 * piece is shared differently between the members, so none of them may begin it
 * while another is still at the piece before. Repeated, because only an
 * unlucky meeting shows it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../toy.h"

enum { VOCAB = 1500, LENGTH = 2 * 384 + 40, ROUNDS = 150 };
static const sw_model_config config = {.vocab = VOCAB,
                                       .d = 8,
                                       .layers = 1,
                                       .heads = 2,
                                       .ffn = 8,
                                       .positions = LENGTH};

static void losses_and_logits_stay(void **state) {
  (void)state;
  static int32_t token[LENGTH], position[LENGTH], rows[LENGTH];
  static uint8_t supervised[LENGTH];
  const int64_t start = 0;
  sw_model *model = toy_model(&config, 4);
  sw_mask mask;
  sw_mask_init(&mask);
  for (int i = 0; i < LENGTH; i++) {
    token[i] = 1 + 7 * i % (VOCAB - 1);
    position[i] = rows[i] = i;
    supervised[i] = 1;
  }
  assert_int_equal(sw_mask_build(&mask, SW_MASK_BLOCK_ONLY, 0, LENGTH, &start,
                                 1, 0, 0, NULL),
                   0);
  sw_example ex = {.token = token,
                   .position = position,
                   .supervised = supervised,
                   .length = LENGTH,
                   .mask = &mask,
                   .block_start = &start,
                   .blocks = 1};
  size_t bytes = sizeof(float) * VOCAB * (size_t)LENGTH;
  float *want = malloc(bytes), *got = malloc(bytes);
  assert_non_null(want);
  assert_non_null(got);
  double loss = 0, first = 0;
  for (int threads = 1; threads <= 2; threads++) {
    sw_team *team;
    sw_pass *pass;
    assert_int_equal(sw_team_new(&team, threads, NULL), 0);
    assert_int_equal(sw_pass_new(&pass, model, team, NULL), 0);
    for (int r = 0; r < (threads == 1 ? 1 : ROUNDS); r++) {
      assert_int_equal(
          sw_pass_loss(pass, &ex, NULL, NULL, &loss, NULL, NULL, NULL), 0);
      if (threads == 1) first = loss;
      assert_true(loss == first);
      assert_int_equal(sw_pass_logits(pass, &ex, rows, LENGTH,
                                      threads == 1 ? want : got, NULL),
                       0);
      if (threads == 2) assert_memory_equal(got, want, bytes);
    }
    sw_pass_free(pass);
    sw_team_free(team);
  }
  free(want);
  free(got);
  sw_mask_free(&mask);
  sw_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(losses_and_logits_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
