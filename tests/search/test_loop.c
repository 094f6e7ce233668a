/* The closed loop's rules, event by event, on a domain made for the purpose: a
 * script says at each block whether it is a conflict state, and which tokens
 * are continuations, going back or repeats. Every row of the table of events
 * (going back, missed conflict, false prune, repeat; fail and rescue; both
 * loops, budgets) is checked by its counters and its ending. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "search/loop.h"
#include "search/score.h"

enum { BACK = 1, GOOD = 2, FAILED_VALUE = 3, STATE = 4 };

/* One character a block: v viable, r viable at the root, c conflict, d conflict
 * that leaves nothing but going back, t retry (one value has failed), i a value
 * that is not allowed, m an action of two tokens whose second is a conflict and
 * a retry at once, f an action that is carried out and fails, q one that is
 * refused, n nothing on offer, w two thousand tokens, s solved, x exhausted. */
struct sw_instance {
  const char *script;
};
struct sw_env {
  const sw_instance *instance;
  int at, midway; /* midway: the first of two tokens is fed */
  int64_t backs;
  sw_cand list[2000];
};

static int env_new(sw_env **env, const sw_domain_options *options,
                   const sw_rules *rules, sw_err *err) {
  (void)options;
  (void)rules;
  (void)err;
  *env = calloc(1, sizeof **env);
  return *env ? SW_OK : SW_MEMORY;
}
static int env_reset(sw_env *env, const sw_instance *instance, sw_err *err) {
  (void)err;
  env->instance = instance;
  env->at = -1;
  env->backs = 0;
  return SW_OK;
}
static void env_free(sw_env *env) { free(env); }
static char now(const sw_env *env) { return env->instance->script[env->at]; }
static void write_prefix(sw_env *env, sw_trace *out) {
  (void)env;
  sw_trace_begin_block(out);
  for (int i = 0; i < 5; i++) sw_trace_put(out, 9, 0);
}
static sw_env_status prompt(sw_env *env, sw_trace *out) {
  env->at++;
  env->midway = 0;
  if (now(env) == 's') return SW_ENV_SOLVED;
  if (now(env) == 'x') return SW_ENV_EXHAUSTED;
  sw_trace_begin_block(out);
  sw_trace_put(out, STATE, 0);
  return SW_ENV_QUERY;
}
static const sw_cand *candidates(sw_env *env, int *count) {
  int conflict = now(env) == 'c';
  env->list[0] = (sw_cand){GOOD, conflict ? SW_CAND_MISSED : SW_CAND_CONTINUE};
  env->list[1] = (sw_cand){BACK, SW_CAND_BACK};
  env->list[2] = (sw_cand){FAILED_VALUE, SW_CAND_REPEAT};
  if (now(env) == 'w') {
    for (int i = 0; i < 2000; i++)
      env->list[i] = (sw_cand){10 + i, SW_CAND_CONTINUE};
    return *count = 2000, env->list;
  }
  if (now(env) == 'd') return *count = 1, env->list + 1;
  if (env->midway) return *count = 2, env->list + 1;
  *count = now(env) == 't' || now(env) == 'i' ? 3 : now(env) == 'n' ? 0 : 2;
  return env->list;
}
static int in_conflict(const sw_env *env) {
  return now(env) == 'c' || now(env) == 'd' || env->midway;
}
static int at_root(const sw_env *env) { return now(env) == 'r'; }
static int is_retry(const sw_env *env) {
  return now(env) == 't' || env->midway;
}
static sw_env_status feed(sw_env *env, int32_t token, sw_trace *out) {
  sw_trace_put(out, token, 1);
  if (now(env) == 'f' || now(env) == 'q') return SW_ENV_FAILED;
  if (now(env) != 'm' || env->midway) return SW_ENV_BLOCK_END;
  env->midway = 1;
  return SW_ENV_QUERY;
}
static sw_env_status go_back(sw_env *env, sw_trace *out) {
  env->backs++;
  sw_trace_put(out, BACK, 1);
  return SW_ENV_BLOCK_END;
}
static const char *reason(const sw_env *env) {
  (void)env;
  return "failed";
}
static int executed(const sw_env *env) { return now(env) == 'f'; }
static void counters(const sw_env *env, int64_t *a, int64_t *b) {
  *a = env->backs;
  *b = 0;
}
static int check_solution(const sw_env *env) { return now(env) == 's'; }
static int32_t depth(const sw_env *env) { return env->at; }
static uint64_t instance_hash(const sw_instance *i) {
  return strlen(i->script);
}

static sw_search_ops search; /* of the toy; toy() makes it anew */

static sw_domain toy(void) {
  sw_domain d;
  memset(&search, 0, sizeof search);
  memset(&d, 0, sizeof d);
  d.name = "toy";
  d.search = &search;
  search.env_new = env_new;
  search.env_reset = env_reset;
  search.env_free = env_free;
  search.write_prefix = write_prefix;
  search.prompt = prompt;
  search.candidates = candidates;
  search.in_conflict = in_conflict;
  search.at_root = at_root;
  search.is_retry = is_retry;
  search.feed = feed;
  search.go_back = go_back;
  search.reason = reason;
  search.counters = counters;
  search.check_solution = check_solution;
  search.depth = depth;
  d.instance_hash = instance_hash;
  d.back_token = BACK;
  return d;
}

/* Plays `script`, answering each query with the next token of `answers`. */
static sw_outcome play(const sw_domain *domain, const char *script,
                       const char *answers, sw_loop_options options) {
  sw_game game;
  sw_err err = {0};
  sw_instance instance = {script};
  sw_domain_options none;
  memset(&none, 0, sizeof none);
  assert_int_equal(sw_game_new(&game, domain, &none, &options, &err), SW_OK);
  assert_int_equal(sw_game_start(&game, &instance, 3, &err), SW_OK);
  while (sw_game_advance(&game)) {
    int want = *answers == 'g' ? GOOD : *answers == 'b' ? BACK : FAILED_VALUE;
    int chosen = -1, fallback = -1;
    assert_true(*answers != 0);
    answers++;
    for (int i = 0; i < game.candidates; i++) {
      if (game.candidate[i].token == want) chosen = i;
      if (game.candidate[i].kind == SW_CAND_CONTINUE) fallback = i;
    }
    assert_true(chosen >= 0);
    sw_game_answer(&game, chosen, fallback);
  }
  assert_int_equal(*answers, 0); /* every answer was asked for */
  sw_outcome outcome = game.outcome;
  sw_game_free(&game);
  return outcome;
}

static sw_loop_options open_fail(void) {
  return (sw_loop_options){.protocol = SW_REBUILT,
                           .loop = "open",
                           .on_error = SW_ON_ERROR_FAIL,
                           .max_decisions = 100};
}

static void right_answers_solve(void **state) {
  (void)state;
  sw_domain d = toy();
  sw_outcome o = play(&d, "rvcvs", "ggbg", open_fail());
  assert_int_equal(o.solved, 1);
  assert_string_equal(o.reason, "solved");
  assert_int_equal(o.decisions, 3); /* going back is free here */
  assert_int_equal(o.backs, 1);
  assert_int_equal(o.viable_queries, 3);
  assert_int_equal(o.conflict_queries, 1);
  assert_int_equal(o.false_prunes + o.missed_conflicts + o.repeats, 0);
  assert_int_equal(o.instance, 3);
  assert_int_equal(o.tokens, 5 + 4 * 2);
  assert_int_equal(o.blocks, 4);
}

static void going_back_can_cost_a_decision(void **state) {
  (void)state;
  sw_domain d = toy();
  search.back_counts = 1;
  assert_int_equal(play(&d, "rvcvs", "ggbg", open_fail()).decisions, 4);
}

static void missed_conflict_fails_or_is_rescued(void **state) {
  (void)state;
  sw_domain d = toy();
  sw_outcome o = play(&d, "vcs", "gg", open_fail());
  assert_string_equal(o.reason, "missed_conflict");
  assert_int_equal(o.missed_conflicts, 1);
  assert_int_equal(o.solved, 0);
  sw_loop_options rescue = open_fail();
  rescue.on_error = SW_ON_ERROR_RESCUE;
  o = play(&d, "vcs", "gg", rescue);
  assert_string_equal(o.reason, "solved");
  assert_int_equal(o.missed_conflicts, 1);
  assert_int_equal(o.backs, 1);
}

/* The same, with verifier and scores (all alike) deciding. */
static sw_outcome play_by(const sw_domain *domain, const char *script,
                          const char *verifier, sw_on_error on_error) {
  sw_game game;
  sw_err err = {0};
  sw_instance instance = {script};
  sw_domain_options none;
  sw_loop_options options = {.protocol = SW_REBUILT,
                             .verifier = verifier,
                             .on_error = on_error,
                             .max_decisions = 100};
  memset(&none, 0, sizeof none);
  assert_int_equal(sw_game_new(&game, domain, &none, &options, &err), SW_OK);
  assert_int_equal(sw_game_start(&game, &instance, 0, &err), SW_OK);
  while (sw_game_advance(&game)) {
    for (int i = 0; i < game.candidates; i++) game.score[i] = 0;
    sw_game_take(&game);
  }
  sw_outcome outcome = game.outcome;
  sw_game_free(&game);
  return outcome;
}

/* Going on where no way on is left is a missed conflict as any other, whether
 * the verifier is asked before the guide or after it. */
static void conflict_without_a_way_on_can_be_missed(void **state) {
  (void)state;
  static const char *const blind[] = {
      "never", "noise:0,1:exact", "noise:0,1,unsure:exact", "noise:0,1:model"};
  sw_domain d = toy();
  for (size_t i = 0; i < sizeof blind / sizeof *blind; i++) {
    sw_outcome o = play_by(&d, "vds", blind[i], SW_ON_ERROR_FAIL);
    assert_string_equal(o.reason, "missed_conflict");
    assert_int_equal(o.conflict_queries, 1);
    assert_int_equal(o.missed_conflicts, 1);
    assert_int_equal(o.backs, 0);
    o = play_by(&d, "vdds", blind[i], SW_ON_ERROR_RESCUE);
    assert_string_equal(o.reason, "solved");
    assert_int_equal(o.conflict_queries, 2);
    assert_int_equal(o.missed_conflicts, 2);
    assert_int_equal(o.backs, 2);
    o = play_by(&d, "vds", blind[i], SW_ON_ERROR_EXECUTE);
    assert_string_equal(o.reason, "missed_conflict");
    assert_int_equal(o.missed_conflicts, 1);
  }
  /* one that could have missed it and did not has been asked all the same */
  sw_outcome o = play_by(&d, "ds", "noise:1,0,sure:never", SW_ON_ERROR_FAIL);
  assert_int_equal(o.conflict_queries, 1);
  assert_int_equal(o.missed_conflicts, 0);
  assert_int_equal(o.backs, 1);
  /* who cannot err there is not asked: it is no choice */
  static const char *const sure[] = {"exact", "model", "any:model+never",
                                     "noise:0,0,unsure:exact"};
  for (size_t i = 0; i < sizeof sure / sizeof *sure; i++) {
    o = play_by(&d, "ds", sure[i], SW_ON_ERROR_FAIL);
    assert_string_equal(o.reason, "solved");
    assert_int_equal(o.conflict_queries + o.missed_conflicts, 0);
    assert_int_equal(o.backs, 1);
  }
}

static void false_prune_is_executed(void **state) {
  (void)state;
  sw_domain d = toy();
  sw_outcome o = play(&d, "vvx", "gb", open_fail());
  assert_string_equal(o.reason, "exhausted");
  assert_int_equal(o.false_prunes, 1);
  assert_int_equal(o.backs, 1);
  /* at the root it is counted, and the best continuation is taken */
  o = play(&d, "rs", "b", open_fail());
  assert_string_equal(o.reason, "solved");
  assert_int_equal(o.false_prunes, 1);
  assert_int_equal(o.backs, 0);
  assert_int_equal(o.decisions, 1);
}

static int always_doomed(sw_env *env) {
  (void)env;
  return 1;
}

static void back_from_a_doomed_state_is_early_not_false(void **state) {
  (void)state;
  sw_domain d = toy();
  search.truth.doomed = always_doomed;
  sw_outcome o = play(&d, "vvs", "gb", open_fail());
  assert_int_equal(o.false_prunes, 0);
  assert_int_equal(o.early_backs, 1);
}

static void repeated_value_fails_or_is_rescued(void **state) {
  (void)state;
  sw_domain d = toy();
  sw_outcome o = play(&d, "vts", "gf", open_fail());
  assert_string_equal(o.reason, "repeat");
  assert_int_equal(o.repeats, 1);
  assert_int_equal(o.retry_queries, 1);
  sw_loop_options rescue = open_fail();
  rescue.on_error = SW_ON_ERROR_RESCUE;
  o = play(&d, "vts", "gf", rescue);
  assert_string_equal(o.reason, "solved");
  assert_int_equal(o.repeats, 1);
  assert_int_equal(o.decisions, 2);
}

/* The share of repeats is one of the retries: a value that is not allowed, at a
 * choice where none has failed, is an error of another kind. */
static void an_illegal_value_is_no_repeat(void **state) {
  (void)state;
  sw_domain d = toy();
  sw_outcome o = play(&d, "vis", "gf", open_fail());
  assert_string_equal(o.reason, "repeat");
  assert_int_equal(o.illegal, 1);
  assert_int_equal(o.repeats + o.retry_queries, 0);
  sw_loop_options rescue = open_fail();
  rescue.on_error = SW_ON_ERROR_RESCUE;
  o = play(&d, "iiits", "gfff", rescue);
  assert_string_equal(o.reason, "solved");
  assert_int_equal(o.illegal, 2);
  assert_int_equal(o.repeats, 1);
  assert_int_equal(o.retry_queries, 1);
}

static void masked_loop_goes_back_by_itself(void **state) {
  (void)state;
  sw_domain d = toy();
  sw_loop_options masked = open_fail();
  masked.loop = "masked";
  /* nobody is asked where only going on is left */
  sw_outcome o = play(&d, "vcvs", "", masked);
  assert_string_equal(o.reason, "solved");
  assert_int_equal(o.backs, 1);
  assert_int_equal(o.conflict_queries, 0);
  o = play(&d, "vctvs", "g", masked); /* at a retry there is a choice */
  assert_string_equal(o.reason, "solved");
  assert_int_equal(o.retry_queries, 1);
}

/* The same dialogue costs the same, whoever went back in the middle of an
 * action. */
static void an_action_given_up_counts_for_everybody(void **state) {
  (void)state;
  sw_domain d = toy();
  sw_loop_options masked = open_fail();
  masked.loop = "masked";
  sw_outcome own = play(&d, "vmvs", "ggbg", open_fail());
  sw_outcome exact = play(&d, "vmvs", "", masked);
  assert_int_equal(own.tokens, exact.tokens);
  assert_int_equal(own.backs, 1);
  assert_int_equal(own.decisions, 3);
  assert_int_equal(exact.decisions, 3);
  /* no value was picked at the retry */
  assert_int_equal(own.retry_queries, 0);
  assert_int_equal(exact.retry_queries, 0);
  /* going back before anything was begun is still free */
  assert_int_equal(play(&d, "vcvs", "gbg", open_fail()).decisions, 2);
}

/* An action counts once it is carried out, whatever it led to. */
static void only_a_refused_action_costs_nothing(void **state) {
  (void)state;
  sw_domain d = toy();
  search.executed = executed;
  sw_outcome o = play(&d, "vf", "gg", open_fail());
  assert_string_equal(o.reason, "failed");
  assert_int_equal(o.decisions, 2);
  assert_int_equal(play(&d, "vq", "gg", open_fail()).decisions, 1);
  search.executed = NULL; /* a domain in which only what is refused fails */
  assert_int_equal(play(&d, "vf", "gg", open_fail()).decisions, 1);
}

static void a_query_without_candidates_ends_the_game(void **state) {
  (void)state;
  sw_domain d = toy();
  sw_loop_options options = open_fail();
  sw_outcome o = play(&d, "vnvs", "g", options);
  assert_string_equal(o.reason, "no_candidates");
  assert_int_equal(o.solved, 0);
  options.loop = "masked";
  o = play(&d, "nvs", "", options);
  assert_string_equal(o.reason, "no_candidates");
}

static void a_query_may_offer_a_whole_vocabulary(void **state) {
  (void)state;
  sw_domain d = toy();
  sw_game game;
  sw_err err = {0};
  sw_instance instance = {"ws"};
  sw_domain_options none;
  sw_loop_options options = open_fail();
  memset(&none, 0, sizeof none);
  assert_int_equal(sw_game_new(&game, &d, &none, &options, &err), SW_OK);
  assert_int_equal(sw_game_start(&game, &instance, 0, &err), SW_OK);
  assert_int_equal(sw_game_advance(&game), 1);
  assert_int_equal(game.candidates, 2000);
  for (int i = 0; i < 2000; i++) game.score[i] = i == 1234 ? 2.0f : 1.0f;
  sw_game_take(&game);
  assert_int_equal(game.trace.token[game.trace.length - 1], 10 + 1234);
  assert_int_equal(sw_game_advance(&game), 0);
  assert_string_equal(game.outcome.reason, "solved");
  sw_game_free(&game);
}

static void budgets_end_a_game(void **state) {
  (void)state;
  sw_domain d = toy();
  sw_loop_options options = open_fail();
  options.max_decisions = 2;
  sw_outcome o = play(&d, "vvvvs", "gg", options);
  assert_string_equal(o.reason, "max_decisions");
  assert_int_equal(sw_outcome_timed_out(&o), 1);
  /* cumulative: prefix 5, then 2 tokens a block; the third prompt is token 10
   */
  options = open_fail();
  options.protocol = SW_CUMULATIVE;
  options.max_tokens = 9;
  o = play(&d, "vvvvs", "gg", options);
  assert_string_equal(o.reason, "budget");
  assert_int_equal(o.decisions, 2);
  /* rebuilt: the context never grows */
  options.protocol = SW_REBUILT;
  o = play(&d, "vvvvs", "gggg", options);
  assert_string_equal(o.reason, "solved");
}

static void summary_takes_rates_per_query(void **state) {
  (void)state;
  sw_outcome o[4] = {{.solved = 1, .decisions = 10, .reason = "solved"},
                     {.solved = 1, .decisions = 40, .reason = "solved"},
                     {.reason = "budget",
                      .missed_conflicts = 1,
                      .conflict_queries = 4,
                      .decisions = 6},
                     {.reason = "repeat",
                      .repeats = 1,
                      .retry_queries = 2,
                      .false_prunes = 1,
                      .viable_queries = 8}};
  sw_summary s;
  sw_summarize(o, 4, &s);
  assert_int_equal(s.solved, 2);
  assert_true(s.solve_rate == 0.5 && s.timeout_rate == 0.25);
  assert_true(s.missed_conflict_rate == 0.25 && s.repeat_rate == 0.5);
  assert_true(s.false_prune_rate == 0.125 && s.mean_decisions == 14);
  /* Wilson interval of 2 of 4, by its closed form */
  assert_true(s.ci_low > 0.1499 && s.ci_low < 0.1501);
  assert_true(s.ci_high > 0.8499 && s.ci_high < 0.8501);
  assert_true(sw_solved_within(o, 4, 30) == 0.25);
}

/* Counters of a store may be anything: sums end where the range does. */
static void sums_of_counters_do_not_wrap(void **state) {
  (void)state;
  sw_outcome o[3] = {
      {.decisions = INT64_MAX, .backs = INT64_MAX, .tokens = INT64_MIN},
      {.decisions = 1, .silent_backs = INT64_MAX, .tokens = -1},
      {.decisions = INT64_MAX, .tokens = INT64_MIN}};
  sw_summary s;
  sw_summarize(o, 3, &s);
  assert_true(s.decisions == INT64_MAX && s.tokens == INT64_MIN);
  assert_true(s.mean_decisions > 0 && s.mean_backs > 0);
}

/* The endings of a large row, each once, first come first: a number of reasons
 * that compares each with each would take hours here. */
static void endings_of_many_searches(void **state) {
  (void)state;
  enum { MANY = 200000 };
  sw_outcome *o = calloc(MANY, sizeof *o);
  assert_non_null(o);
  for (int i = 0; i < MANY; i++)
    snprintf(o[i].reason, sizeof o[i].reason, i % 2 ? "r%d" : "solved",
             MANY - i);
  sw_score_row row = {.label = "x", .outcomes = o, .summary = {.n = MANY}};
  sw_json json;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_score_json(&row, &json);
  sw_json_end(&json);
  assert_false(json.failed);
  const char *at = strstr(json.text, "\"endings\"");
  assert_non_null(at);
  const char *solved = strstr(at, "\"solved\": 100000");
  const char *first = strstr(at, "\"r199999\": 1");
  const char *last = strstr(at, "\"r1\": 1");
  assert_true(solved && first && last && solved < first && first < last);
  sw_json_free(&json);
  free(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_answers_solve),
      cmocka_unit_test(going_back_can_cost_a_decision),
      cmocka_unit_test(missed_conflict_fails_or_is_rescued),
      cmocka_unit_test(conflict_without_a_way_on_can_be_missed),
      cmocka_unit_test(false_prune_is_executed),
      cmocka_unit_test(back_from_a_doomed_state_is_early_not_false),
      cmocka_unit_test(repeated_value_fails_or_is_rescued),
      cmocka_unit_test(an_illegal_value_is_no_repeat),
      cmocka_unit_test(masked_loop_goes_back_by_itself),
      cmocka_unit_test(an_action_given_up_counts_for_everybody),
      cmocka_unit_test(only_a_refused_action_costs_nothing),
      cmocka_unit_test(a_query_without_candidates_ends_the_game),
      cmocka_unit_test(a_query_may_offer_a_whole_vocabulary),
      cmocka_unit_test(budgets_end_a_game),
      cmocka_unit_test(summary_takes_rates_per_query),
      cmocka_unit_test(sums_of_counters_do_not_wrap),
      cmocka_unit_test(endings_of_many_searches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
