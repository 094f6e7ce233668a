/* Positions that enter in other ways than one learned table: rotary, both and
 * none. Against the double reference (which turns complex numbers), bit for
 * bit in any company, without leaks, in files, and refused where a model was
 * not trained with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../ref_double.h"
#include "../toy.h"

typedef struct way {
  const char *name;
  sw_position_kind kind;
  int32_t positions, places, rotary;
} way;
static const way ways[] = {{"rotary", SW_POS_ROTARY, 0, 0, 1},
                           {"both", SW_POS_BOTH, 300, 80, 0},
                           {"none", SW_POS_NONE, 0, 0, 0}};
enum { WAYS = 3, PREFIX = 23, BLOCKS = 5, SPREAD = 14 };

static sw_model_config config_of(const way *w, int slots) {
  sw_model_config c = TOY_CONFIG(50, 32, 3, 4, 64, slots, w->positions);
  c.places = w->places;
  c.rotary = w->rotary;
  return c;
}

static double relative(const float *got, const double *want, int64_t n) {
  double off = 0, size = 0;
  for (int64_t i = 0; i < n; i++) {
    off += pow((double)got[i] - want[i], 2);
    size += pow(want[i], 2);
  }
  return sqrt(off / size);
}

static void check_gradient(const way *w, sw_mask_kind mask, int threads) {
  sw_model_config config = config_of(w, mask == SW_MASK_CAUSAL_NOSLOT ? 0 : 3);
  sw_model *model = toy_model(&config, 5);
  int64_t n = sw_model_net(model)->count, targets;
  double *weights = malloc(sizeof *weights * (size_t)n), loss;
  for (int64_t i = 0; i < n; i++)
    weights[i] = (double)sw_model_net(model)->weights[i];
  toy t;
  toy_make(&t, config.vocab, PREFIX, BLOCKS, SPREAD, 11);
  toy_mask(&t, &config, mask, w->kind, 5);
  ref_case c = {config, weights, &t.mask, t.token, t.position, t.length};
  float *g = calloc((size_t)n, sizeof *g);
  double *r = calloc((size_t)n, sizeof *r);
  sw_team *team;
  sw_pass *pass;
  sw_pass_options o = {.weight[SW_LOSS_TARGET] = 0.5f};
  assert_int_equal(sw_team_new(&team, threads, NULL), 0);
  assert_int_equal(sw_pass_new(&pass, model, team, NULL), 0);
  assert_int_equal(
      sw_pass_loss(pass, &t.example, &o, g, &loss, &targets, NULL, NULL), 0);
  double want = ref_loss(&c, t.supervised, 0.5, r);
  if (!(fabs(loss - want) < (toy_rounds() ? 2e-3 : 1e-5) * want))
    fail_msg("%s, %s: loss %.9g, want %.9g", w->name, sw_mask_name(mask), loss,
             want);
  double off = relative(g, r, n);
  if (!(off < (toy_rounds() ? 0.05 : 2e-5)))
    fail_msg("%s, %s: gradient off by %g", w->name, sw_mask_name(mask), off);
  sw_pass_free(pass);
  sw_team_free(team);
  free(g);
  free(r);
  free(weights);
  toy_free(&t);
  sw_model_free(model);
}

static void losses_and_gradients_match_the_reference(void **state) {
  (void)state;
  static const sw_mask_kind masks[] = {
      SW_MASK_SSA,     SW_MASK_CAUSAL,     SW_MASK_CAUSAL_NOSLOT,
      SW_MASK_REVERSE, SW_MASK_BLOCK_ONLY, SW_MASK_SWA_PREFIX};
  for (int set = 0; toy_kernels(set); set++)
    for (int w = 0; w < WAYS; w++)
      for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
        check_gradient(&ways[w], masks[m], 1 + (int)m % 2);
}

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

/* Is every block's logits the same bits alone and in the trace? */
static int blocks_alone(const way *w) {
  sw_model_config config = config_of(w, 3);
  sw_model *model = toy_model(&config, 3);
  size_t vocab = (size_t)config.vocab;
  toy whole;
  int same = 1;
  toy_make(&whole, config.vocab, PREFIX, BLOCKS, SPREAD, 21);
  toy_mask(&whole, &config, SW_MASK_SSA, w->kind, 0);
  float *one = all_logits(model, 1, &whole),
        *two = all_logits(model, 2, &whole);
  assert_memory_equal(one, two, sizeof(float) * vocab * (size_t)whole.length);
  for (int64_t b = 1; b < whole.blocks; b++) {
    toy alone;
    toy_alone(&alone, &whole, b);
    toy_mask(&alone, &config, SW_MASK_SSA, w->kind, 0);
    float *got = all_logits(model, 1, &alone);
    size_t rows = (size_t)(alone.length - PREFIX);
    same &= !memcmp(got + PREFIX * vocab,
                    one + (size_t)whole.block_start[b] * vocab,
                    sizeof(float) * rows * vocab);
    free(got);
    toy_free(&alone);
  }
  free(one);
  free(two);
  toy_free(&whole);
  sw_model_free(model);
  return same;
}

static void ssa_keeps_its_bits_where_it_promises(void **state) {
  (void)state;
  for (int set = 0; toy_kernels(set); set++)
    for (int w = 0; w < WAYS; w++) {
      sw_reading reading = {SW_MASK_SSA, ways[w].kind, 0};
      assert_int_equal(blocks_alone(&ways[w]),
                       sw_reading_block_local(&reading));
    }
  sw_reading rotary = {SW_MASK_SSA, SW_POS_ROTARY, 0};
  sw_reading both = {SW_MASK_SSA, SW_POS_BOTH, 0};
  assert_int_equal(sw_reading_block_local(&rotary), 1);
  assert_int_equal(sw_reading_block_local(&both), 0);
}

/* A causal session that grows token by token, beside others of other lengths,
 * gives the bits of one pass over everything. */
static void growing_sessions_equal_passes(void **state) {
  (void)state;
  for (int set = 0; toy_kernels(set); set++)
    for (int w = 0; w < WAYS; w++) {
      sw_model_config config = config_of(&ways[w], 3);
      sw_model *model = toy_model(&config, 3);
      toy t;
      toy_make(&t, config.vocab, PREFIX, BLOCKS, SPREAD, 31);
      toy_mask(&t, &config, SW_MASK_CAUSAL, ways[w].kind, 0);
      float *want = all_logits(model, 2, &t);
      sw_team *team;
      sw_session *s;
      sw_session_options o = {.sequences = 3,
                              .reading = {SW_MASK_CAUSAL, ways[w].kind, 0},
                              .cache_prefix = 1};
      assert_int_equal(sw_team_new(&team, 2, NULL), 0);
      assert_int_equal(sw_session_new(&s, model, team, &o, NULL), 0);
      int32_t at[3], seq[3];
      for (int i = 0; i < 3; i++) {
        assert_int_equal(sw_session_prefix(s, i, t.token, PREFIX, NULL), 0);
        at[i] = PREFIX;
      }
      for (int left = 1; left;) {
        int32_t count = 0;
        const float *logits[3];
        left = 0;
        for (int i = 0; i < 3; i++) {
          for (int k = 0; k <= i && at[i] < t.length; k++) {
            for (int64_t b = 1; b < t.blocks; b++)
              if (t.block_start[b] == at[i])
                assert_int_equal(sw_session_begin_block(s, i, 1, NULL), 0);
            assert_int_equal(sw_session_push(s, i, t.token + at[i]++, 1, NULL),
                             0);
          }
          seq[count++] = i;
          left |= at[i] < t.length;
        }
        assert_int_equal(sw_session_run(s, seq, count, logits, NULL), 0);
        for (int i = 0; i < 3; i++)
          if (memcmp(logits[i], want + (at[i] - 1) * config.vocab,
                     sizeof(float) * (size_t)config.vocab))
            fail_msg("%s: session and pass differ", ways[w].name);
      }
      sw_session_free(s);
      sw_team_free(team);
      free(want);
      toy_free(&t);
      sw_model_free(model);
    }
}

static void nothing_leaks_backwards(void **state) {
  (void)state;
  for (int w = 0; w < WAYS; w++) {
    sw_model_config config = config_of(&ways[w], 3);
    sw_model *model = toy_model(&config, 3);
    toy t;
    toy_make(&t, config.vocab, PREFIX, BLOCKS, SPREAD, 41);
    toy_mask(&t, &config, SW_MASK_CAUSAL, ways[w].kind, 0);
    float *before = all_logits(model, 1, &t);
    for (int32_t at = PREFIX; at < t.length; at += 3) {
      int32_t old = t.token[at];
      t.token[at] = old == 1 ? 2 : 1;
      float *after = all_logits(model, 1, &t);
      size_t row = (size_t)config.vocab;
      assert_memory_equal(before + (PREFIX - 1) * row,
                          after + (PREFIX - 1) * row,
                          sizeof(float) * row * (size_t)(at - PREFIX + 1));
      assert_true(memcmp(before + (size_t)at * row, after + (size_t)at * row,
                         sizeof(float) * row));
      free(after);
      t.token[at] = old;
    }
    free(before);
    toy_free(&t);
    sw_model_free(model);
  }
}

/* Without slots a rotary model knows distances only: all ids moved alike
 * change nothing but the rounding. With one token moved, they do. */
static void rotary_scores_depend_on_distances(void **state) {
  (void)state;
  sw_model_config config = config_of(&ways[0], 0);
  sw_model *model = toy_model(&config, 7);
  toy t;
  toy_make(&t, config.vocab, PREFIX, BLOCKS, SPREAD, 51);
  toy_mask(&t, &config, SW_MASK_CAUSAL_NOSLOT, SW_POS_ROTARY, 0);
  float *here = all_logits(model, 1, &t);
  for (int32_t i = 0; i < t.length; i++) t.position[i] += 1000;
  float *there = all_logits(model, 1, &t);
  t.position[5] += 3;
  float *bent = all_logits(model, 1, &t);
  double far = 0, moved = 0;
  for (int64_t i = 0; i < (int64_t)t.length * config.vocab; i++) {
    far = fmax(far, fabs((double)here[i] - (double)there[i]));
    moved = fmax(moved, fabs((double)bent[i] - (double)there[i]));
  }
  assert_true(far < 2e-4);
  assert_true(moved > 1e-2);
  free(here);
  free(there);
  free(bent);
  toy_free(&t);
  sw_model_free(model);
}

static void files_keep_the_kind(void **state) {
  (void)state;
  for (int w = 0; w < WAYS; w++) {
    char path[] = "/tmp/statewise-positions-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    sw_model_config config = config_of(&ways[w], 3);
    sw_model *model = toy_model(&config, 3), *back = NULL;
    sw_err err = {0};
    if (sw_net_save(sw_model_net(model), path, NULL, 0, &err))
      fail_msg("%s", err.text);
    if (sw_model_load(&back, path, 0, &err)) fail_msg("%s", err.text);
    assert_int_equal(sw_net_hash(sw_model_net(model)),
                     sw_net_hash(sw_model_net(back)));
    assert_int_equal(sw_model_config_of(back)->rotary, ways[w].rotary);
    assert_int_equal(sw_model_config_of(back)->places, ways[w].places);
    sw_model_free(back);
    sw_model_free(model);
    unlink(path);
  }
}

static void a_model_is_read_as_it_was_trained(void **state) {
  (void)state;
  sw_team *team;
  assert_int_equal(sw_team_new(&team, 1, NULL), 0);
  for (int w = 0; w < WAYS; w++)
    for (int kind = 0; kind < SW_POS_COUNT; kind++) {
      sw_model_config config = config_of(&ways[w], 3);
      sw_model *model = toy_model(&config, 3);
      sw_session *s = NULL;
      sw_session_options o = {
          .sequences = 1,
          .reading = {SW_MASK_SSA, (sw_position_kind)kind, 0},
          .cache_prefix = 1};
      sw_err err = {0};
      int code = sw_session_new(&s, model, team, &o, &err);
      assert_int_equal(code, kind == (int)ways[w].kind ? SW_OK : (int)SW_USAGE);
      sw_session_free(s);
      sw_model_free(model);
    }
  sw_team_free(team);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(losses_and_gradients_match_the_reference),
      cmocka_unit_test(ssa_keeps_its_bits_where_it_promises),
      cmocka_unit_test(growing_sessions_equal_passes),
      cmocka_unit_test(nothing_leaks_backwards),
      cmocka_unit_test(rotary_scores_depend_on_distances),
      cmocka_unit_test(files_keep_the_kind),
      cmocka_unit_test(a_model_is_read_as_it_was_trained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
