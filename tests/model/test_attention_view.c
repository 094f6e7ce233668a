/* Attention shown to people: the weights are a distribution over exactly the
 * keys the mask allows, even ones when the queries are zero, and the state
 * computed beside them is the model's own, to the bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../toy.h"
#include "model/decoder/internal.h"
#include "trace/mask.h"

enum { VOCAB = 40, D = 32, LAYERS = 2, HEADS = 4, SLOTS = 3, LENGTH = 13 };
static const sw_model_config config =
    TOY_CONFIG(VOCAB, D, LAYERS, HEADS, 64, SLOTS, 60);
static const int64_t start[] = {0, 5, 9};
static const int32_t token[LENGTH] = {5, 6, 7, 8, 9, 1, 2, 3, 4, 1, 3, 2, 4};

/* Runs the three blocks under a mask and fetches the attention; returns the
 * number of rows the session kept. */
static int32_t look(sw_model *model, int mask, float *out, float *hidden) {
  sw_team *team;
  sw_session *session;
  const float *logits;
  int32_t zero = 0;
  sw_session_options o = {.sequences = 1,
                          .reading = {(sw_mask_kind)mask, SW_POS_STANDARD, 4},
                          .cache_prefix = 1};
  assert_int_equal(sw_team_new(&team, 2, NULL), 0);
  assert_int_equal(sw_session_new(&session, model, team, &o, NULL), 0);
  assert_int_equal(sw_session_prefix(session, 0, token, 5, NULL), 0);
  assert_int_equal(sw_session_attention(session, 0, out, hidden, NULL),
                   SW_USAGE); /* not run yet */
  for (int b = 1; b < 3; b++) {
    assert_int_equal(sw_session_begin_block(session, 0, 1, NULL), 0);
    assert_int_equal(sw_session_push(session, 0, token + start[b], 4, NULL), 0);
  }
  assert_int_equal(sw_session_run(session, &zero, 1, &logits, NULL), 0);
  int32_t rows = sw_session_rows(session, 0);
  assert_int_equal(sw_session_attention(session, 0, out, hidden, NULL), 0);
  sw_session_free(session);
  sw_team_free(team);
  return rows;
}

/* Final state of the last token by one full pass. */
static void reference(sw_model *model, int kind, float *hidden) {
  sw_mask mask;
  sw_team *team;
  sw_pass *pass;
  int32_t position[LENGTH], last = LENGTH - 1;
  sw_mask_init(&mask);
  assert_int_equal(sw_team_new(&team, 1, NULL), 0);
  assert_int_equal(sw_pass_new(&pass, model, team, NULL), 0);
  assert_int_equal(sw_mask_build(&mask, (sw_mask_kind)kind, SLOTS, LENGTH,
                                 start, 3, 4, 0, NULL),
                   0);
  for (int i = 0; i < LENGTH; i++) position[i] = i;
  sw_example example = {
      .token = token, .position = position, .length = LENGTH, .mask = &mask};
  assert_int_equal(sw_pass_hidden(pass, &example, &last, 1, hidden, NULL), 0);
  sw_pass_free(pass);
  sw_team_free(team);
  sw_mask_free(&mask);
}

/* Keys the last token sees in a sequence of the given blocks. */
static int visible(int kind, int32_t rows, uint8_t *sees) {
  sw_mask mask;
  int count = 0;
  int32_t length = rows - SLOTS;
  int64_t kept[] = {0, 5, 9}, blocks = length == LENGTH ? 3 : 2;
  sw_mask_init(&mask);
  assert_int_equal(sw_mask_build(&mask, (sw_mask_kind)kind, SLOTS, length, kept,
                                 blocks, 4, 0, NULL),
                   0);
  for (int32_t k = 0; k < rows; k++)
    count += sees[k] = (uint8_t)sw_mask_sees(&mask, rows - 1, k);
  sw_mask_free(&mask);
  return count;
}

static void weights_and_state(void **state) {
  (void)state;
  for (int kind = 0; kind < sw_mask_count(); kind++) {
    if (kind == SW_MASK_CAUSAL_NOSLOT || kind == SW_MASK_RANDOM_MATCHED)
      continue;
    sw_model *model = toy_model(&config, 2);
    float out[LAYERS * HEADS * (SLOTS + LENGTH)], hidden[D], want[D];
    uint8_t sees[SLOTS + LENGTH];
    int32_t rows = look(model, kind, out, hidden);
    int count = visible(kind, rows, sees);
    reference(model, kind, want);
    assert_memory_equal(hidden, want, sizeof want);
    double uneven = 0;
    for (int h = 0; h < LAYERS * HEADS; h++) {
      double sum = 0;
      for (int32_t k = 0; k < rows; k++) {
        float w = out[h * rows + k];
        assert_int_equal(w > 0, sees[k]);
        sum += (double)w;
        uneven += fabs((double)w * count - sees[k]);
      }
      assert_true(fabs(sum - 1) < 1e-5);
    }
    assert_true(uneven > 0.01); /* a real model prefers some keys */
    sw_model_free(model);
  }
}

static void zero_queries_look_evenly(void **state) {
  (void)state;
  sw_model *model = toy_model(&config, 2);
  float out[LAYERS * HEADS * (SLOTS + LENGTH)];
  uint8_t sees[SLOTS + LENGTH];
  for (int layer = 0; layer < LAYERS; layer++) {
    float *w = sw_model_net(model)->weights +
               model->params.layout.layer_stride * layer;
    memset(w + model->params.offset[SW_P_QKV_W], 0, sizeof(float) * D * D);
    memset(w + model->params.offset[SW_P_QKV_B], 0, sizeof(float) * D);
  }
  sw_model_changed(model);
  int32_t rows = look(model, SW_MASK_CAUSAL, out, NULL);
  int count = visible(SW_MASK_CAUSAL, rows, sees);
  assert_int_equal(count, SLOTS + LENGTH);
  for (int i = 0; i < LAYERS * HEADS * rows; i++)
    assert_true(fabs((double)out[i] - 1.0 / count) < 1e-6);
  sw_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_and_state),
      cmocka_unit_test(zero_queries_look_evenly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
