/* Histories of other searches: which blocks a game is lent, against traces
 * written here; what the model is shown, against a session driven by hand; and
 * that a guide without history, or one that cannot see it, plays on as before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include "../toy.h"
#include "search/foreign.h"
#include "search/shown.h"
#include "play_help.h"

enum { SEED = 42 };

static const sw_domain *sat(sw_domain_options *task) {
  const sw_domain *d = sw_domain_find("sat");
  sw_domain_defaults(d, task);
  task->n = 8;
  assert_int_equal(d->resolve(task, NULL), 0);
  return d;
}

/* The first donor that has more than the prefix and the last block, as the
 * stream of seed + 1 gives it. */
static void first_donor(sw_trace *trace) {
  sw_domain_options task;
  const sw_domain *d = sat(&task);
  sw_stream *stream;
  assert_int_equal(
      d->stream_new(&stream, &task, SEED + 1, SW_SPLIT_VALID, NULL), 0);
  sw_trace_init(trace);
  for (uint64_t i = 0; trace->blocks < 3; i++) {
    sw_instance *instance;
    sw_mt mt;
    sw_mt_seed(&mt, SEED + 1 + i);
    sw_trace_clear(trace);
    assert_int_equal(d->stream_next(stream, &instance, NULL), 0);
    assert_int_equal(d->write_trace(instance, &task, &mt, trace, NULL), 0);
    d->instance_free(instance);
  }
  d->stream_free(stream);
}

static void blocks_are_those_of_other_searches(void **state) {
  (void)state;
  sw_domain_options task;
  const sw_domain *d = sat(&task);
  sw_foreign *f;
  sw_trace donor;
  int32_t count, again;
  assert_int_equal(sw_foreign_new(&f, d, &task, SEED, NULL), 0);
  first_donor(&donor);
  int64_t lent = donor.blocks - 2;
  for (int64_t k = 0; k < lent; k++) {
    const int32_t *token = sw_foreign_block(f, 0, k, &count);
    int64_t begin = donor.block_start[k + 1];
    assert_int_equal(count, donor.block_start[k + 2] - begin);
    assert_memory_equal(token, donor.token + begin,
                        sizeof *token * (size_t)count);
  }
  /* then the next donor's first, which is where game 1 begins */
  const int32_t *next = sw_foreign_block(f, 0, lent, &count);
  assert_ptr_equal(next, sw_foreign_block(f, 1, 0, &again));
  assert_int_equal(count, again);
  for (int64_t k = 0; k < 2000; k++) /* there is no end to them */
    assert_non_null(sw_foreign_block(f, 63, k, &count));
  sw_trace_free(&donor);
  sw_foreign_free(f);
}

/* A game of three blocks, shown as it goes, against prefix, two lent blocks
 * and the block that waits. */
static void the_model_is_shown_lent_blocks(void **state) {
  (void)state;
  sw_domain_options task;
  const sw_domain *d = sat(&task);
  const sw_model_config config =
      TOY_CONFIG(d->vocab_size(&task), 32, 2, 4, 64, 3, 400);
  size_t bytes = sizeof(float) * (size_t)config.vocab;
  sw_model *model = toy_model(&config, 2);
  sw_session_options o = {.sequences = 2,
                          .reading = {SW_MASK_CAUSAL, SW_POS_STANDARD, 4},
                          .cache_prefix = 1};
  sw_loop_options loop = {.protocol = SW_FOREIGN};
  sw_game game = {.options = &loop, .prefix_length = 5};
  sw_foreign *f;
  sw_team *team;
  sw_seats *seats;
  const float *logits[2];
  int32_t both[2] = {0, 1}, count;
  assert_int_equal(sw_foreign_new(&f, d, &task, SEED, NULL), 0);
  assert_int_equal(sw_team_new(&team, 1, NULL), 0);
  assert_int_equal(sw_seats_new(&seats, sw_model_net(model), team, &o, NULL),
                   0);
  game.foreign = f;
  game.outcome.instance = 7;
  sw_trace_init(&game.trace);
  sw_shown shown = {.session = seats, .reading = o.reading};
  for (int block = 0; block < 4; block++) {
    sw_trace_begin_block(&game.trace);
    for (int i = 0; i < 5; i++)
      sw_trace_put(&game.trace, 10 + 5 * block + i, 0);
    if (block == 2) continue; /* passes without a query */
    assert_int_equal(sw_show_game(&shown, &game, NULL), 0);
    if (block) assert_int_equal(sw_seats_run(seats, both, 1, logits, NULL), 0);
    if (block == 1) sw_trace_put(&game.trace, 40, 0); /* the answer */
  }
  assert_int_equal(sw_seats_prefix(seats, 1, game.trace.token, 5, NULL), 0);
  for (int64_t k = 0; k < 3; k++) {
    const int32_t *token = sw_foreign_block(f, 7, k, &count);
    if (k == 2) token = game.trace.token + game.trace.block_start[3], count = 5;
    assert_int_equal(sw_seats_begin_block(seats, 1, SW_HISTORY_KEEP, NULL), 0);
    assert_int_equal(sw_seats_push(seats, 1, token, count, NULL), 0);
  }
  assert_int_equal(sw_seats_length(seats, 0), sw_seats_length(seats, 1));
  assert_int_equal(sw_seats_run(seats, both, 2, logits, NULL), 0);
  assert_memory_equal(logits[0], logits[1], bytes);
  sw_trace_free(&game.trace);
  sw_seats_free(seats);
  sw_team_free(team);
  sw_model_free(model);
  sw_foreign_free(f);
}

/* The token budget is one of what is shown: the lent blocks' tokens, not the
 * game's own. */
static void a_budget_counts_lent_blocks(void **state) {
  (void)state;
  bed b;
  sw_err err = {0};
  sw_game game;
  sw_foreign *f;
  sw_stream *stream;
  sw_instance *instance;
  int differs = 0;
  bed_open(&b, "sat", "clause+exact", 20);
  b.options.protocol = SW_FOREIGN;
  b.options.max_tokens = 1000;
  bed_make(&b);
  const sw_condition *c = &b.condition;
  assert_int_equal(sw_foreign_new(&f, c->domain, &c->options, SEED, &err), 0);
  assert_int_equal(sw_game_new(&game, c->domain, &c->options, &c->loop, &err),
                   0);
  game.foreign = f;
  assert_int_equal(
      c->domain->stream_new(&stream, &c->options, SEED, SW_SPLIT_TEST, &err),
      0);
  assert_int_equal(sw_guide_reserve(b.guide, 1, &err), 0);
  for (int64_t i = 0; i < 12; i++) {
    int asked;
    assert_int_equal(c->domain->stream_next(stream, &instance, &err), 0);
    assert_int_equal(sw_game_start(&game, instance, i, &err), 0);
    assert_int_equal(sw_guide_start(b.guide, 0, &game, &err), 0);
    do {
      assert_int_equal(sw_guide_next(b.guide, &game, &asked, &err), 0);
      const sw_trace *t = &game.trace;
      int64_t shown =
          game.prefix_length + t->length - t->block_start[t->blocks - 1];
      for (int64_t k = 0; k < t->blocks - 2; k++) {
        int32_t count;
        (void)sw_foreign_block(f, i, k, &count);
        shown += count;
      }
      assert_int_equal(sw_game_context(&game), shown);
      differs |= shown != t->length;
      if (asked) assert_true(shown <= 1000);
      else if (!strcmp(game.outcome.reason, "budget"))
        assert_true(shown > 1000);
      if (asked) sw_game_take(&game);
    } while (asked);
    c->domain->instance_free(instance);
  }
  assert_true(differs);
  c->domain->stream_free(stream);
  sw_game_free(&game);
  sw_foreign_free(f);
  bed_close(&b);
}

/* A rule knows no history, so no protocol changes its games. */
static void rules_play_alike_under_every_protocol(void **state) {
  (void)state;
  bed b;
  bed_open(&b, "sat", "clause+exact", 10);
  b.options.verifier = "exact";
  b.options.max_tokens = 0;
  sw_outcome *want = bed_play(&b, NULL);
  for (int p = SW_REBUILT; p <= SW_FOREIGN; p++) {
    b.options.protocol = p;
    sw_outcome *got = bed_play(&b, NULL);
    assert_memory_equal(got, want, sizeof *got * (size_t)b.condition.instances);
    free(got);
  }
  free(want);
  bed_close(&b);
}

static void nothing_to_lend_is_an_error(void **state) {
  (void)state;
  sw_domain_options task;
  sw_err err = {0};
  const sw_domain *d = sat(&task);
  sw_foreign *f = NULL;
  task.max_tokens = 1;
  task.too_long = "drop";
  assert_int_equal(sw_foreign_new(&f, d, &task, SEED, &err), SW_LIMIT);
  assert_null(f);
  assert_non_null(strstr(err.text, "0 of 1000"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_those_of_other_searches),
      cmocka_unit_test(the_model_is_shown_lent_blocks),
      cmocka_unit_test(a_budget_counts_lent_blocks),
      cmocka_unit_test(rules_play_alike_under_every_protocol),
      cmocka_unit_test(nothing_to_lend_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
