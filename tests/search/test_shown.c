/* Showing a game to a session, against sessions driven by hand: the dialogue
 * grows by a query, an answer and blocks that pass without a query, and the
 * logits must be the same bits under both protocols. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include "../toy.h"
#include "search/shown.h"

static const sw_model_config config = TOY_CONFIG(40, 32, 2, 4, 64, 3, 24);
enum { VOCAB = 40, PREFIX = 5 };

typedef struct bed {
  sw_model *model;
  sw_team *team;
  sw_seats *session;
  sw_loop_options options;
  sw_game game;
  sw_shown shown;
} bed;

/* Sequence 0 is shown the game, sequence 1 is driven by hand. */
static void bed_open(bed *b, sw_protocol protocol, sw_mask_kind mask,
                     sw_position_kind positions) {
  sw_session_options o = {
      .sequences = 2, .reading = {mask, positions, 4}, .cache_prefix = 1};
  memset(b, 0, sizeof *b);
  b->model = toy_model(&config, 2);
  assert_int_equal(sw_team_new(&b->team, 1, NULL), 0);
  assert_int_equal(
      sw_seats_new(&b->session, sw_model_net(b->model), b->team, &o, NULL), 0);
  b->options.protocol = (int)protocol;
  b->game.options = &b->options;
  b->game.prefix_length = PREFIX;
  sw_trace_init(&b->game.trace);
  b->shown = (sw_shown){.session = b->session, .reading = o.reading};
}

static void bed_close(bed *b) {
  sw_trace_free(&b->game.trace);
  sw_seats_free(b->session);
  sw_team_free(b->team);
  sw_model_free(b->model);
}

static void put(bed *b, int count, int32_t first) {
  for (int i = 0; i < count; i++) sw_trace_put(&b->game.trace, first + i, 0);
}

static void put_block(bed *b, int count, int32_t first) {
  sw_trace_begin_block(&b->game.trace);
  put(b, count, first);
}

static void show(bed *b) {
  assert_int_equal(sw_show_game(&b->shown, &b->game, NULL), 0);
}

static void logits_of(bed *b, int32_t sequence, float out[VOCAB]) {
  const float *logits = NULL;
  assert_int_equal(sw_seats_run(b->session, &sequence, 1, &logits, NULL), 0);
  memcpy(out, logits, sizeof(float) * VOCAB);
}

/* The prefix; a block with two queries and its answer; one that passes without
 * a query; the block that waits. */
static void play(bed *b) {
  float ignored[VOCAB];
  put_block(b, PREFIX, 5);
  show(b);
  put_block(b, 3, 11);
  show(b);
  logits_of(b, 0, ignored);
  put(b, 1, 20);
  show(b);
  put(b, 2, 21);
  put_block(b, 2, 25);
  put_block(b, 4, 30);
  show(b);
  show(b); /* nothing is new */
}

static void by_hand(bed *b, int64_t from_block) {
  const sw_trace *t = &b->game.trace;
  assert_int_equal(sw_seats_prefix(b->session, 1, t->token, PREFIX, NULL), 0);
  for (int64_t k = from_block; k < t->blocks; k++) {
    int64_t start = t->block_start[k];
    int64_t end = k + 1 < t->blocks ? t->block_start[k + 1] : t->length;
    assert_int_equal(sw_seats_begin_block(b->session, 1, 1, NULL), 0);
    assert_int_equal(sw_seats_push(b->session, 1, t->token + start,
                                   (int32_t)(end - start), NULL),
                     0);
  }
}

static void check(sw_protocol protocol, sw_mask_kind mask,
                  sw_position_kind positions, int64_t from_block,
                  int64_t tokens) {
  bed b;
  float got[VOCAB], want[VOCAB];
  bed_open(&b, protocol, mask, positions);
  play(&b);
  by_hand(&b, from_block);
  logits_of(&b, 0, got);
  logits_of(&b, 1, want);
  assert_memory_equal(got, want, sizeof want);
  assert_int_equal(b.shown.tokens, tokens);
  bed_close(&b);
}

static void rebuilt_shows_the_current_block(void **state) {
  (void)state;
  check(SW_REBUILT, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE, 3, 4 + 4);
  check(SW_REBUILT, SW_MASK_CAUSAL, SW_POS_STANDARD, 3, 4 + 4);
}

static void cumulative_shows_the_dialogue(void **state) {
  (void)state;
  check(SW_CUMULATIVE, SW_MASK_CAUSAL, SW_POS_STANDARD, 1, 6 + 2 + 4);
  /* who cannot see older blocks is spared their unseen rest */
  check(SW_CUMULATIVE, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE, 1, 4 + 4);
  /* not so when it moves the positions of what follows */
  check(SW_CUMULATIVE, SW_MASK_SSA, SW_POS_STANDARD, 1, 6 + 2 + 4);
}

/* The block at the positions that it has in the dialogue and nothing between it
 * and the prefix: what SSA sees where positions count through. */
static void in_place_keeps_the_positions(void **state) {
  (void)state;
  static const sw_mask_kind masks[] = {SW_MASK_CAUSAL, SW_MASK_SSA};
  float got[2][VOCAB], moved[VOCAB], kept[VOCAB];
  for (int m = 0; m < 2; m++) {
    bed b;
    bed_open(&b, m ? SW_CUMULATIVE : SW_REBUILT_IN_PLACE, masks[m],
             SW_POS_STANDARD);
    play(&b);
    logits_of(&b, 0, got[m]);
    if (!m) {
      by_hand(&b, 3);
      logits_of(&b, 1, moved);
      by_hand(&b, 1);
      logits_of(&b, 1, kept);
      assert_int_equal(b.shown.tokens, 4 + 4);
      assert_int_equal(sw_seats_length(b.session, 0), 17);
    }
    bed_close(&b);
  }
  assert_memory_equal(got[0], got[1], sizeof moved);
  assert_memory_not_equal(got[0], moved, sizeof moved);
  assert_memory_not_equal(got[0], kept, sizeof moved);
  /* where positions do not count through, the place makes no difference */
  check(SW_REBUILT_IN_PLACE, SW_MASK_CAUSAL, SW_POS_BLOCK_RELATIVE, 3, 4 + 4);
}

static void the_end_of_the_position_table_is_a_limit(void **state) {
  (void)state;
  bed b;
  bed_open(&b, SW_CUMULATIVE, SW_MASK_CAUSAL, SW_POS_STANDARD);
  play(&b); /* 17 tokens of 24 */
  put_block(&b, 7, 1);
  show(&b);
  put(&b, 1, 9);
  assert_int_equal(sw_show_game(&b.shown, &b.game, NULL), SW_LIMIT);
  bed_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rebuilt_shows_the_current_block),
      cmocka_unit_test(cumulative_shows_the_dialogue),
      cmocka_unit_test(in_place_keeps_the_positions),
      cmocka_unit_test(the_end_of_the_position_table_is_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
