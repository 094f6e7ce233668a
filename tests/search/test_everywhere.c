/* The verifiers `oracle` and `noise` in all four domains: the oracle is never
 * wrong and never fooled, noise at rate zero is no noise, and the rates are met
 * whatever the domain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "domains/blocks/blocks_env.h"
#include "play_help.h"

/* A guide that leaves the verifier something to do. */
static const struct bench {
  const char *domain, *guide;
  int n;
} bench[] = {{"sat", "clause+satisfy", 20},
             {"coloring", "first", 20},
             {"blocks", "first-untried", 4},
             {"parsing", "lowest", 20}};
enum { BENCHES = sizeof bench / sizeof *bench, GAMES = 24 };

static sw_outcome *outcomes(const struct bench *on, const char *verifier) {
  bed b;
  bed_open(&b, on->domain, on->guide, on->n);
  b.options.verifier = verifier;
  b.options.instances = GAMES;
  sw_outcome *o = bed_play(&b, NULL);
  bed_close(&b);
  return o;
}

static sw_summary summary(const struct bench *on, const char *verifier) {
  sw_summary s;
  sw_outcome *o = outcomes(on, verifier);
  sw_summarize(o, GAMES, &s);
  free(o);
  return s;
}

static void the_oracle_is_never_wrong(void **state) {
  (void)state;
  for (int k = 0; k < BENCHES; k++) {
    sw_summary exact = summary(&bench[k], "exact"),
               oracle = summary(&bench[k], "oracle");
    assert_int_equal(oracle.solved, GAMES);
    assert_int_equal(oracle.false_prunes + oracle.missed_conflicts, 0);
    assert_true(oracle.early_backs > 0 && oracle.solver_queries > 0);
    assert_true(oracle.decisions < exact.decisions);
    assert_int_equal(exact.false_prunes + exact.early_backs, 0);
  }
}

static void no_noise_is_no_noise(void **state) {
  (void)state;
  static const char *const inner[] = {"never", "exact", "model", "oracle"};
  for (int k = 0; k < BENCHES; k++)
    for (int v = 0; v < 4; v++) {
      char text[40];
      snprintf(text, sizeof text, "noise:0,0:%s", inner[v]);
      sw_outcome *a = outcomes(&bench[k], inner[v]),
                 *b = outcomes(&bench[k], text);
      for (int i = 0; i < GAMES; i++)
        if (memcmp(&a[i], &b[i], sizeof *a))
          fail_msg("%s, %s: instance %d differs", bench[k].domain, text, i);
      free(a);
      free(b);
    }
}

/* A viable state is pruned at the rate, a lost one passed over at the other;
 * five deviations of a binomial are allowed. */
static void noise_meets_its_rates(void **state) {
  (void)state;
  for (int k = 0; k < BENCHES; k++) {
    sw_summary fp = summary(&bench[k], "noise:0.1,0:oracle");
    double asked = (double)(fp.viable_queries - fp.early_backs);
    double off = (double)fp.false_prunes - 0.1 * asked;
    assert_int_equal(fp.missed_conflicts, 0);
    assert_true(fp.false_prunes > 0);
    if (off * off > 25 * 0.09 * asked)
      fail_msg("%s: %g false prunes of %g", bench[k].domain,
               (double)fp.false_prunes, asked);
    sw_summary fn = summary(&bench[k], "noise:0,0.5:exact");
    double met = (double)fn.conflict_queries;
    off = (double)fn.missed_conflicts - 0.5 * met;
    assert_int_equal(fn.false_prunes, 0);
    if (met < 1 || off * off > 25 * 0.25 * met)
      fail_msg("%s: missed %g of %g", bench[k].domain,
               (double)fn.missed_conflicts, met);
  }
}

/* What noise lets pass is lost only where it is: one that would go back
 * anywhere passes every state, and an oracle that is never heeded all the lost
 * ones on the same way. */
static void only_lost_states_are_passed_as_lost(void **state) {
  (void)state;
  for (int k = 0; k < BENCHES; k++) {
    sw_summary any = summary(&bench[k], "noise:0,1:random:1"),
               lost = summary(&bench[k], "noise:0,1:oracle"),
               exact = summary(&bench[k], "noise:0,1:exact");
    assert_int_equal(any.tokens, lost.tokens);
    assert_int_equal(any.passed_dead, lost.passed_dead);
    assert_true(any.passed_dead < any.viable_queries);
    assert_int_equal(exact.passed_dead, 0);
  }
}

/* A parse whose last alternative leaves words over has taken it all the same:
 * a search that meets only viable states and never goes back has a decision
 * for each of them. */
static void what_fails_at_the_end_was_decided(void **state) {
  (void)state;
  static const struct bench hasty = {"parsing", "atom-first", 30};
  sw_outcome *o = outcomes(&hasty, "model");
  int remaining = 0;
  for (int i = 0; i < GAMES; i++) {
    if (strcmp(o[i].reason, "input_remaining")) continue;
    remaining += o[i].backs == 0;
    if (o[i].backs == 0) assert_int_equal(o[i].decisions, o[i].viable_queries);
  }
  assert_true(remaining > 0);
  free(o);
}

/* Blocks of the dialogue that list tried moves and in which one is made. */
static int64_t moves_at_retries(const sw_trace *t) {
  int64_t count = 0;
  for (int64_t b = 1; b < t->blocks; b++) {
    int64_t end = b + 1 < t->blocks ? t->block_start[b + 1] : t->length;
    int tried = 0, move = 0;
    for (int64_t i = t->block_start[b]; i < end; i++) {
      tried |= t->token[i] == SW_BLOCKS_TRIED;
      move |= t->token[i] == SW_BLOCKS_MOVE;
    }
    count += tried && move;
  }
  return count;
}

/* A move in Blocks World takes four tokens and is one choice; going back is
 * none. */
static void a_move_is_one_retry(const char *guide, int on_error) {
  bed b;
  sw_err err = {0};
  sw_game game;
  sw_stream *stream;
  int64_t retries = 0;
  bed_open(&b, "blocks", guide, 4);
  b.options.on_error = on_error;
  bed_make(&b);
  const sw_condition *c = &b.condition;
  assert_int_equal(sw_game_new(&game, c->domain, &c->options, &c->loop, &err),
                   SW_OK);
  assert_int_equal(
      c->domain->stream_new(&stream, &c->options, 42, SW_SPLIT_TEST, &err),
      SW_OK);
  assert_int_equal(sw_guide_reserve(b.guide, 1, &err), SW_OK);
  for (int64_t i = 0; i < 6; i++) {
    sw_instance *instance;
    int asked = 1;
    assert_int_equal(c->domain->stream_next(stream, &instance, &err), SW_OK);
    assert_int_equal(sw_game_start(&game, instance, i, &err), SW_OK);
    assert_int_equal(sw_guide_start(b.guide, 0, &game, &err), SW_OK);
    while (!sw_guide_next(b.guide, &game, &asked, &err) && asked)
      sw_game_take(&game);
    assert_int_equal(game.outcome.retry_queries, moves_at_retries(&game.trace));
    assert_true(game.outcome.repeats <= game.outcome.retry_queries);
    retries += game.outcome.retry_queries;
    c->domain->instance_free(instance);
  }
  assert_true(retries > 0);
  c->domain->stream_free(stream);
  sw_game_free(&game);
  bed_close(&b);
}

static void moves_are_retried_once(void **state) {
  (void)state;
  a_move_is_one_retry("random-untried", SW_ON_ERROR_FAIL);
  a_move_is_one_retry("random-legal", SW_ON_ERROR_RESCUE);
}

/* Repeats are a share of the retries, whoever plays. */
static void no_rule_repeats_more_than_it_retries(void **state) {
  (void)state;
  for (int k = 0; k < BENCHES; k++) {
    const char *const *rule =
        sw_domain_find(bench[k].domain)->search->rule.names;
    for (; *rule; rule++) {
      bed b;
      bed_open(&b, bench[k].domain, *rule, 8);
      b.options.on_error = SW_ON_ERROR_RESCUE;
      b.options.instances = 8;
      b.options.max_decisions = 60;
      sw_outcome *o = bed_play(&b, NULL);
      for (int i = 0; i < 8; i++)
        if (o[i].repeats > o[i].retry_queries)
          fail_msg("%s, %s: %d repeats in %d retries", bench[k].domain, *rule,
                   (int)o[i].repeats, (int)o[i].retry_queries);
      free(o);
      bed_close(&b);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_oracle_is_never_wrong),
      cmocka_unit_test(no_noise_is_no_noise),
      cmocka_unit_test(noise_meets_its_rates),
      cmocka_unit_test(only_lost_states_are_passed_as_lost),
      cmocka_unit_test(what_fails_at_the_end_was_decided),
      cmocka_unit_test(moves_are_retried_once),
      cmocka_unit_test(no_rule_repeats_more_than_it_retries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
