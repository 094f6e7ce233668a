/* "A result never depends on its company", bit for bit: a block inside a long
 * trace, alone after the prefix, in lock-step batches, token by token, with 1
 * and 2 threads, through the prefix cache. And the leak test: no logit before
 * a token depends on it, except under the masks that are marked as leaking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "../toy.h"

static const sw_model_config configs[] = {
    TOY_CONFIG(61, 64, 3, 2, 256, 4, 200),
    TOY_CONFIG(61, 24, 2, 3, 24, 0, 200),
};
static const sw_mask_kind local[] = {SW_MASK_SSA, SW_MASK_BLANKET,
                                     SW_MASK_BLOCK_ONLY};
enum { PREFIX = 45, BLOCKS = 7, SPREAD = 30 };

/* Logits of all rows; [length][vocab]. */
static float *all_logits(sw_model *model, int threads, const toy *t) {
  int32_t rows[TOY_MAX];
  sw_team *team;
  sw_pass *pass;
  size_t vocab = (size_t)sw_model_config_of(model)->vocab;
  float *out = malloc(sizeof(float) * vocab * (size_t)t->length);
  for (int32_t i = 0; i < t->length; i++) rows[i] = i;
  assert_int_equal(sw_team_new(&team, threads, NULL), 0);
  assert_int_equal(sw_pass_new(&pass, model, team, NULL), 0);
  assert_int_equal(
      sw_pass_logits(pass, &t->example, rows, t->length, out, NULL), 0);
  sw_pass_free(pass);
  sw_team_free(team);
  return out;
}

static void assert_same(const float *a, const float *b, size_t floats,
                        const char *what) {
  if (memcmp(a, b, sizeof(float) * floats)) fail_msg("%s: bits differ", what);
}

static int32_t block_end(const toy *t, int64_t b) {
  return b + 1 < t->blocks ? (int32_t)t->block_start[b + 1] : t->length;
}

/* Every row of a block: in the whole trace == alone; 1 == 2 threads; asking
 * for one row == asking for all. */
static void check_alone(sw_model *model, const toy *whole, sw_mask_kind kind) {
  const sw_model_config *c = sw_model_config_of(model);
  size_t vocab = (size_t)c->vocab;
  float *one = all_logits(model, 1, whole), *two = all_logits(model, 2, whole);
  assert_same(one, two, vocab * (size_t)whole->length, "1 and 2 threads");
  free(two);
  for (int64_t b = 1; b < whole->blocks; b++) {
    toy alone;
    toy_alone(&alone, whole, b);
    toy_mask(&alone, c, kind, SW_POS_BLOCK_RELATIVE, 0);
    float *got = all_logits(model, 1 + (int)(b % 2), &alone);
    size_t rows = (size_t)(block_end(whole, b) - whole->block_start[b]);
    assert_same(got + PREFIX * vocab,
                one + (size_t)whole->block_start[b] * vocab, rows * vocab,
                "block alone and in the trace");
    free(got);
    toy_free(&alone);
  }
  free(one);
}

/* Lock-step sessions of `batch` sequences; sequence i shows block 1 + i % B of
 * the whole trace, its tokens pushed in pieces of 1 + i % 5. */
static void check_batch(sw_model *model, const toy *whole, const float *want,
                        sw_mask_kind kind, int batch, int threads, int cache,
                        int keep) {
  size_t vocab = (size_t)sw_model_config_of(model)->vocab;
  int32_t seq[64];
  const float *logits[64];
  int32_t at[64];
  sw_team *team;
  sw_session *s;
  sw_session_options o = {.sequences = batch,
                          .reading = {kind, SW_POS_BLOCK_RELATIVE, 0},
                          .cache_prefix = cache};
  assert_int_equal(sw_team_new(&team, threads, NULL), 0);
  assert_int_equal(sw_session_new(&s, model, team, &o, NULL), 0);
  for (int i = 0; i < batch; i++) {
    assert_int_equal(sw_session_prefix(s, i, whole->token, PREFIX, NULL), 0);
    if (keep) { /* other blocks before it: history that must not matter */
      int64_t b = 1 + (i + 1) % BLOCKS;
      assert_int_equal(sw_session_begin_block(s, i, 1, NULL), 0);
      assert_int_equal(
          sw_session_push(s, i, whole->token + whole->block_start[b],
                          block_end(whole, b) - (int32_t)whole->block_start[b],
                          NULL),
          0);
    }
    assert_int_equal(sw_session_begin_block(s, i, keep, NULL), 0);
    at[i] = (int32_t)whole->block_start[1 + i % BLOCKS];
  }
  for (int left = 1; left;) {
    int32_t count = 0;
    left = 0;
    for (int i = 0; i < batch; i++) {
      int32_t end = block_end(whole, 1 + i % BLOCKS), n = 1 + i % 5;
      if (at[i] == end) continue;
      n = at[i] + n > end ? end - at[i] : n;
      assert_int_equal(sw_session_push(s, i, whole->token + at[i], n, NULL), 0);
      at[i] += n;
      seq[count++] = i;
      left |= at[i] < end;
    }
    assert_int_equal(sw_session_run(s, seq, count, logits, NULL), 0);
    for (int32_t j = 0; j < count; j++)
      assert_same(logits[j], want + (size_t)(at[seq[j]] - 1) * vocab, vocab,
                  "session and pass");
  }
  sw_session_free(s);
  sw_team_free(team);
}

static void test_blocks(void **state) {
  (void)state;
  for (int set = 0; toy_kernels(set); set++)
    for (size_t c = 0; c < sizeof configs / sizeof configs[0]; c++) {
      toy_kernels(set);
      sw_model *model = toy_model(&configs[c], 3);
      for (int k = 0; k < 3; k++) {
        toy whole;
        toy_make(&whole, configs[c].vocab, PREFIX, BLOCKS, SPREAD, 21);
        toy_mask(&whole, &configs[c], local[k], SW_POS_BLOCK_RELATIVE, 0);
        check_alone(model, &whole, local[k]);
        float *want = all_logits(model, 1, &whole);
        check_batch(model, &whole, want, local[k], 1, 1, 1, 0);
        check_batch(model, &whole, want, local[k], 1, 2, 0, 1);
        check_batch(model, &whole, want, local[k], 7, 2, 1, 1);
        check_batch(model, &whole, want, local[k], 64, 2, 1, 0);
        check_batch(model, &whole, want, local[k], 64, 1, 1, 1);
        free(want);
        toy_free(&whole);
      }
      sw_model_free(model);
    }
  toy_kernels(99);
}

/* Growing sequences under every mask: after each push, a session gives the
 * bits of a pass over the sequence so far. */
static void test_growing(void **state) {
  (void)state;
  for (int set = 0; toy_kernels(set); set++)
    for (int kind = 0; kind < SW_MASK_COUNT; kind++)
      for (int position = 0; position < 2; position++) {
        toy_kernels(set);
        sw_model_config config = configs[0];
        config.slots = kind == SW_MASK_CAUSAL_NOSLOT ? 0 : 4;
        sw_model *model = toy_model(&config, 3);
        size_t vocab = (size_t)config.vocab;
        sw_team *team;
        sw_session *s;
        toy t;
        int32_t zero = 0;
        const float *logits;
        sw_session_options o = {
            .sequences = 1,
            .reading = {(sw_mask_kind)kind, (sw_position_kind)position, 6},
            .cache_prefix = 1};
        toy_make(&t, config.vocab, 20, 5, 6, 4);
        assert_int_equal(sw_team_new(&team, 2, NULL), 0);
        assert_int_equal(sw_session_new(&s, model, team, &o, NULL), 0);
        assert_int_equal(sw_session_prefix(s, 0, t.token, 20, NULL), 0);
        for (int64_t b = 1; b < t.blocks; b++) {
          assert_int_equal(sw_session_begin_block(s, 0, 1, NULL), 0);
          for (int64_t at = t.block_start[b]; at < block_end(&t, b); at++) {
            toy part = t;
            assert_int_equal(sw_session_push(s, 0, t.token + at, 1, NULL), 0);
            assert_int_equal(sw_session_run(s, &zero, 1, &logits, NULL), 0);
            part.length = (int32_t)at + 1;
            part.blocks = b + 1;
            sw_mask_init(&part.mask);
            toy_mask(&part, &config, (sw_mask_kind)kind,
                     (sw_position_kind)position, 6);
            float *want = all_logits(model, 1, &part);
            assert_same(logits, want + (size_t)at * vocab, vocab,
                        sw_mask_name((sw_mask_kind)kind));
            free(want);
            toy_free(&part);
          }
          assert_int_equal(sw_session_length(s, 0), block_end(&t, b));
        }
        sw_session_free(s);
        sw_team_free(team);
        toy_free(&t);
        sw_model_free(model);
      }
  toy_kernels(99);
}

/* Does changing token t move logits of rows first..t-1? */
static int moves(sw_model *model, toy *t, int32_t at, int32_t first,
                 const float *before) {
  int32_t vocab = sw_model_config_of(model)->vocab, old = t->token[at];
  t->token[at] = old == 1 ? 2 : 1;
  float *after = all_logits(model, 1, t);
  t->token[at] = old;
  int moved = memcmp(after + (size_t)first * (size_t)vocab,
                     before + (size_t)first * (size_t)vocab,
                     sizeof(float) * (size_t)(at - first) * (size_t)vocab);
  free(after);
  return moved != 0;
}

static void test_leaks(void **state) {
  (void)state;
  for (int set = 0; toy_kernels(set); set++)
    for (int kind = 0; kind < SW_MASK_COUNT; kind++)
      for (int slots = 0; slots <= 4; slots += 4) {
        toy_kernels(set);
        if (slots && kind == SW_MASK_CAUSAL_NOSLOT) continue;
        sw_model_config config = {.vocab = 31,
                                  .d = 16,
                                  .layers = 3,
                                  .heads = 2,
                                  .ffn = 32,
                                  .slots = slots,
                                  .positions = 100};
        sw_model *model = toy_model(&config, 8);
        toy t;
        int leaks = 0;
        toy_make(&t, config.vocab, 12, 4, 4, 9);
        toy_mask(&t, &config, (sw_mask_kind)kind, SW_POS_STANDARD, 5);
        float *before = all_logits(model, 1, &t);
        /* Slots read the whole prefix, so with slots only tokens of blocks
         * are tested, and only on the rows from the prefix's end on. */
        int32_t from = slots ? 12 : 1, first = slots ? 11 : 0;
        for (int32_t at = from; at < t.length; at++)
          leaks += moves(model, &t, at, first, before);
        int may_leak = sw_mask_leaks((sw_mask_kind)kind);
        if (!may_leak && leaks)
          fail_msg("%s with %d slots: %d tokens leak",
                   sw_mask_name((sw_mask_kind)kind), slots, leaks);
        if (may_leak && slots && !leaks)
          fail_msg("%s is marked as leaking but does not",
                   sw_mask_name((sw_mask_kind)kind));
        free(before);
        toy_free(&t);
        sw_model_free(model);
      }
  toy_kernels(99);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_growing),
      cmocka_unit_test(test_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
