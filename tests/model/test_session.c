/* Sessions beyond the bits (test_invariance.c): taking tokens back, blocks
 * that replace each other, many prefixes at once, limits and wrong use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "../toy.h"

static const sw_model_config config = TOY_CONFIG(40, 32, 2, 4, 64, 3, 60);
enum { VOCAB = 40 };

typedef struct bed {
  sw_model *model;
  sw_team *team;
  sw_session *session;
} bed;

static void bed_open(bed *b, int sequences, int mask, int positions) {
  sw_session_options o = {
      .sequences = sequences,
      .reading = {(sw_mask_kind)mask, (sw_position_kind)positions, 4},
      .cache_prefix = 1};
  b->model = toy_model(&config, 2);
  assert_int_equal(sw_team_new(&b->team, 2, NULL), 0);
  assert_int_equal(sw_session_new(&b->session, b->model, b->team, &o, NULL), 0);
}

static void bed_close(bed *b) {
  sw_session_free(b->session);
  sw_team_free(b->team);
  sw_model_free(b->model);
}

static const float *run_one(bed *b, int32_t s) {
  const float *logits = NULL;
  assert_int_equal(sw_session_run(b->session, &s, 1, &logits, NULL), 0);
  return logits;
}

static const int32_t prefix[] = {5, 6, 7, 8, 9}, block[] = {1, 2, 3, 4};

/* push, run, push, pop, run == run without the detour; so does pop without
 * anything pending, and pop before running. */
static void test_pop(void **state) {
  (void)state;
  static const int masks[] = {SW_MASK_SSA, SW_MASK_CAUSAL,
                              SW_MASK_CAUSAL_RELEASE, SW_MASK_SWA_PREFIX};
  for (int m = 0; m < 4; m++) {
    bed b;
    float want[VOCAB];
    bed_open(&b, 1, masks[m], SW_POS_STANDARD);
    assert_int_equal(sw_session_prefix(b.session, 0, prefix, 5, NULL), 0);
    assert_int_equal(sw_session_begin_block(b.session, 0, 1, NULL), 0);
    assert_int_equal(sw_session_push(b.session, 0, block, 3, NULL), 0);
    memcpy(want, run_one(&b, 0), sizeof want);
    assert_memory_equal(run_one(&b, 0), want, sizeof want);
    assert_int_equal(sw_session_push(b.session, 0, block, 4, NULL), 0);
    run_one(&b, 0);
    assert_int_equal(sw_session_pop(b.session, 0, 4, NULL), 0);
    assert_memory_equal(run_one(&b, 0), want, sizeof want);
    assert_int_equal(sw_session_push(b.session, 0, block, 2, NULL), 0);
    assert_int_equal(sw_session_pop(b.session, 0, 2, NULL), 0);
    assert_memory_equal(run_one(&b, 0), want, sizeof want);
    assert_int_equal(sw_session_pop(b.session, 0, 4, NULL), SW_USAGE);
    assert_int_equal(sw_session_length(b.session, 0), 8);
    bed_close(&b);
  }
}

/* keep_history 0 is the state-rebuilt protocol: as if the blocks before had
 * never been there, under any mask. */
static void test_rebuilt(void **state) {
  (void)state;
  for (int mask = 0; mask < SW_MASK_COUNT; mask++) {
    if (mask == SW_MASK_CAUSAL_NOSLOT) continue;
    bed b;
    float want[VOCAB];
    bed_open(&b, 2, mask, SW_POS_STANDARD);
    for (int32_t s = 0; s < 2; s++) {
      assert_int_equal(sw_session_prefix(b.session, s, prefix, 5, NULL), 0);
      for (int detour = 0; detour < 2 * s; detour++) {
        assert_int_equal(sw_session_begin_block(b.session, s, 1, NULL), 0);
        assert_int_equal(sw_session_push(b.session, s, block, 4, NULL), 0);
        run_one(&b, s);
      }
      assert_int_equal(sw_session_begin_block(b.session, s, 0, NULL), 0);
      assert_int_equal(sw_session_push(b.session, s, block + 1, 3, NULL), 0);
    }
    memcpy(want, run_one(&b, 0), sizeof want);
    assert_memory_equal(run_one(&b, 1), want, sizeof want);
    assert_int_equal(sw_session_length(b.session, 1), 8);
    bed_close(&b);
  }
}

/* A new prefix starts a sequence anew; many prefixes go in several groups. */
static void test_many_prefixes(void **state) {
  (void)state;
  enum { N = 90 };
  bed b;
  int32_t seq[N];
  const float *logits[N];
  float want[VOCAB];
  bed_open(&b, N, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE);
  for (int round = 0; round < 2; round++) {
    for (int32_t i = 0; i < N; i++) {
      int32_t first[40];
      for (int32_t j = 0; j < 40; j++) first[j] = 1 + (i % 3 + j + round) % 39;
      seq[i] = N - 1 - i;
      assert_int_equal(sw_session_prefix(b.session, i, first, 40, NULL), 0);
      assert_int_equal(sw_session_begin_block(b.session, i, 0, NULL), 0);
      assert_int_equal(sw_session_push(b.session, i, block, 4, NULL), 0);
    }
    assert_int_equal(sw_session_run(b.session, seq, N, logits, NULL), 0);
    for (int i = 3; i < N; i++)
      assert_memory_equal(logits[i], logits[i - 3], sizeof want);
    assert_true(memcmp(logits[0], logits[1], sizeof want) != 0);
    memcpy(want, logits[0], sizeof want);
  }
  bed_close(&b);
}

static void test_wrong_use(void **state) {
  (void)state;
  bed b;
  sw_err err = {0};
  int32_t twice[2] = {0, 0}, bad[1] = {VOCAB}, many[70] = {0};
  const float *logits[2];
  bed_open(&b, 2, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE);
  assert_int_equal(sw_session_run(b.session, twice, 1, logits, &err),
                   SW_USAGE); /* empty */
  assert_int_equal(sw_session_begin_block(b.session, 0, 0, &err), SW_USAGE);
  assert_int_equal(sw_session_prefix(b.session, 2, prefix, 5, &err), SW_USAGE);
  assert_int_equal(sw_session_prefix(b.session, 0, prefix, 5, &err), 0);
  assert_int_equal(sw_session_push(b.session, 0, block, 1, &err), SW_USAGE);
  assert_int_equal(sw_session_begin_block(b.session, 0, 0, &err), 0);
  assert_int_equal(sw_session_push(b.session, 0, bad, 1, &err), SW_DATA);
  assert_int_equal(sw_session_push(b.session, 0, many, 56, &err), SW_LIMIT);
  assert_non_null(strstr(err.text, "position"));
  assert_int_equal(sw_session_push(b.session, 0, many, 55, &err), 0);
  assert_int_equal(sw_session_run(b.session, twice, 2, logits, &err), SW_USAGE);
  assert_int_equal(sw_session_run(b.session, twice, 1, logits, &err), 0);
  bed_close(&b);
  sw_session_options o = {.sequences = 1,
                          .reading = {.mask = (sw_mask_kind)99}};
  sw_model *model = toy_model(&config, 2);
  sw_team *team;
  sw_session *session;
  assert_int_equal(sw_team_new(&team, 1, NULL), 0);
  assert_int_equal(sw_session_new(&session, model, team, &o, &err), SW_USAGE);
  sw_team_free(team);
  sw_model_free(model);
}

/* A mask built for other slots or another length, tokens and positions out of
 * range: errors of a pass. */
static void test_pass_errors(void **state) {
  (void)state;
  sw_model *model = toy_model(&config, 2);
  sw_model_config other = config;
  sw_team *team;
  sw_pass *pass;
  sw_err err = {0};
  float out[VOCAB];
  int32_t row = 0;
  toy t;
  other.slots = 5;
  assert_int_equal(sw_team_new(&team, 2, NULL), 0);
  assert_int_equal(sw_pass_new(&pass, model, team, NULL), 0);
  toy_make(&t, VOCAB, 6, 2, 3, 1);
  toy_mask(&t, &other, SW_MASK_SSA, SW_POS_STANDARD, 0);
  assert_int_equal(sw_pass_logits(pass, &t.example, &row, 1, out, &err),
                   SW_USAGE);
  assert_non_null(strstr(err.text, "slots"));
  toy_mask(&t, &config, SW_MASK_SSA, SW_POS_STANDARD, 0);
  row = t.length;
  assert_int_equal(sw_pass_logits(pass, &t.example, &row, 1, out, &err),
                   SW_USAGE);
  row = 0;
  t.example.length--;
  assert_int_equal(sw_pass_logits(pass, &t.example, &row, 1, out, &err),
                   SW_USAGE);
  t.example.length++;
  t.token[2] = VOCAB;
  assert_int_equal(sw_pass_logits(pass, &t.example, &row, 1, out, &err),
                   SW_DATA);
  t.token[2] = 1;
  t.position[2] = 60;
  assert_int_equal(sw_pass_logits(pass, &t.example, &row, 1, out, &err),
                   SW_LIMIT);
  t.position[2] = 2;
  assert_int_equal(sw_pass_logits(pass, &t.example, &row, 1, out, &err), 0);
  toy_free(&t);
  sw_pass_free(pass);
  sw_team_free(team);
  sw_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pop),           cmocka_unit_test(test_rebuilt),
      cmocka_unit_test(test_many_prefixes), cmocka_unit_test(test_wrong_use),
      cmocka_unit_test(test_pass_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
