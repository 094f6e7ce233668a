/* What an environment does when a search of its own is interrupted: it says so
 * until it begins anew, in every domain. Interrupted by a request to stop, and
 * by each allocation in turn: an answer is then the right one or an error. */
#include "../faults.h"
#include "base/stop.h"
#include "domains/domain.h"
#include "domains/parsing/machine.h"

typedef struct scene {
  const char *domain, *expert;
} scene;
static const scene scenes[] = {{"sat", NULL},
                               {"coloring", NULL},
                               {"blocks", NULL},
                               {"blocks", "goal"},
                               {"parsing", NULL}};
enum { SCENES = sizeof scenes / sizeof *scenes, GAMES = 3, STEPS = 40 };

typedef struct stage {
  const sw_domain *domain;
  sw_domain_options options;
  sw_stream *stream;
  sw_env *env;
  sw_instance *instance;
  sw_trace trace;
  sw_mt mt;
} stage;

static int open_stage(stage *s, const scene *what, sw_err *err) {
  sw_rules rules = {0};
  memset(s, 0, sizeof *s);
  sw_trace_init(&s->trace);
  sw_mt_seed(&s->mt, 3);
  s->domain = sw_domain_find(what->domain);
  sw_domain_defaults(s->domain, &s->options);
  s->options.n = strcmp(what->domain, "blocks") ? 12 : 4;
  s->options.exclude = 0;
  s->options.expert = what->expert;
  SW_TRY(s->domain->resolve(&s->options, err));
  SW_TRY(s->domain->stream_new(&s->stream, &s->options, 5, SW_SPLIT_TEST, err));
  return s->domain->search->env_new(&s->env, &s->options, &rules, err);
}

static void close_stage(stage *s) {
  s->domain->instance_free(s->instance);
  if (s->env) s->domain->search->env_free(s->env);
  if (s->stream) s->domain->stream_free(s->stream);
  sw_trace_free(&s->trace);
}

static int next_game(stage *s, sw_err *err) {
  s->domain->instance_free(s->instance);
  s->instance = NULL;
  SW_TRY(s->domain->stream_next(s->stream, &s->instance, err));
  SW_TRY(s->domain->search->env_reset(s->env, s->instance, err));
  sw_trace_clear(&s->trace);
  s->domain->search->write_prefix(s->env, &s->trace);
  return SW_OK;
}

static int yes(void *unused) {
  (void)unused;
  return 1;
}

static void stops_are_told(void **state) {
  (void)state;
  for (int i = 0; i < SCENES; i++) {
    stage s;
    sw_err err = {0};
    sw_stop_scope scope;
    if (open_stage(&s, &scenes[i], &err)) fail_msg("%s", err.text);
    const sw_search_ops *search = s.domain->search;
    for (int round = 0; round < 3; round++) {
      if (next_game(&s, &err)) fail_msg("%s", err.text);
      assert_int_equal(search->prompt(s.env, &s.trace), SW_ENV_QUERY);
      assert_int_equal(sw_domain_trouble(s.domain, s.env, &err), SW_OK);
      /* a small colouring is settled without a question; SAT's own test has
       * one that the witness does not answer */
      int asks = i > 1;
      if (round == 1) sw_stop_enter(&scope, 0, yes, NULL);
      int dead = search->truth.doomed(s.env);
      if (round == 1) sw_stop_leave(&scope);
      if (round == 1 && asks) assert_int_equal(dead, 0);
      assert_int_equal(sw_domain_trouble(s.domain, s.env, &err),
                       round == 1 && asks ? SW_STOPPED : SW_OK);
    }
    close_stage(&s);
  }
}

/* A policy that searches, and the traces that it writes. */
static void stopped_policies_are_told(void **state) {
  (void)state;
  stage s;
  sw_err err = {0};
  sw_stop_scope scope;
  if (open_stage(&s, &scenes[3], &err)) fail_msg("%s", err.text);
  assert_string_equal(s.options.expert, "goal");
  if (next_game(&s, &err)) fail_msg("%s", err.text);
  assert_int_equal(s.domain->search->prompt(s.env, &s.trace), SW_ENV_QUERY);
  sw_stop_enter(&scope, 0, yes, NULL);
  (void)s.domain->search->expert_choice(s.env);
  int code =
      s.domain->write_trace(s.instance, &s.options, &s.mt, &s.trace, &err);
  sw_stop_leave(&scope);
  assert_int_equal(code, SW_STOPPED);
  assert_int_equal(s.domain->search->trouble(s.env, NULL), SW_STOPPED);
  assert_int_equal(
      s.domain->write_trace(s.instance, &s.options, &s.mt, &s.trace, &err),
      SW_OK);
  close_stage(&s);
}

#ifndef NO_INJECTION

/* A game with the expert's choices, and goings back in between: every verdict,
 * choice and counter goes into the digest. */
static int play(stage *s, uint64_t *digest, sw_err *err) {
  const sw_search_ops *search = s->domain->search;
  sw_env_status status = SW_ENV_BLOCK_END;
  SW_TRY(next_game(s, err));
  for (int step = 0; step < STEPS; step++) {
    if (status == SW_ENV_BLOCK_END) status = search->prompt(s->env, &s->trace);
    if (status != SW_ENV_QUERY) break;
    int dead = search->truth.doomed(s->env),
        conflict = search->in_conflict(s->env);
    int32_t token = search->expert_choice(s->env);
    int back = !conflict && !search->at_root(s->env) && step % 5 == 4;
    status = back ? search->go_back(s->env, &s->trace)
                  : search->feed(s->env, token, &s->trace);
    *digest = *digest * 31 + (uint64_t)(2 * token + dead);
    SW_TRY(sw_domain_trouble(s->domain, s->env, err));
  }
  SW_TRY(sw_domain_trouble(s->domain, s->env, err));
  if (s->trace.failed ||
      (status == SW_ENV_FAILED && !strcmp(search->reason(s->env), "memory")))
    return sw_fail(err, SW_MEMORY, "out of memory");
  int64_t extra[16] = {0};
  if (search->tell.extra) search->tell.extra(s->env, extra);
  *digest = *digest * 31 + sw_xxh64(extra, sizeof extra, 0);
  return SW_OK;
}

static const scene *played;

static int work_of_a_scene(uint64_t *result, sw_err *err) {
  stage s;
  *result = 1;
  int code = open_stage(&s, played, err);
  for (int i = 0; i < GAMES && !code; i++) code = play(&s, result, err);
  if (!code)
    code = s.domain->write_trace(s.instance, &s.options, &s.mt, &s.trace, err);
  if (code == SW_LIMIT) code = SW_OK; /* a long trace is no fault */
  if (!code)
    *result = *result * 31 +
              sw_xxh64(s.trace.token,
                       sizeof *s.trace.token * (size_t)s.trace.length, 0);
  close_stage(&s);
  return code;
}

/* A derivation that ordered choice does not find, and a sentence without one.
 */
static int work_of_a_table(uint64_t *result, sw_err *err) {
  static const char text[] =
      "rule s : a l \"x\"\nrule a : \"y\" | \"y\" \"x\"\n"
      "list l : a \"x\"\n";
  static const int16_t words[] = {1, 0, 1, 0, 1, 0, 0, 1};
  sw_grammar *g;
  sw_parse_machine m;
  int code = SW_OK;
  SW_TRY(sw_grammar_read(&g, "g", text, err));
  sw_parse_init(&m, g, 0);
  *result = 1;
  for (int32_t length = 7; length <= 8 && !code; length++) {
    int found = -1;
    if (sw_parse_start(&m, words, length) != SW_PARSE_MEMORY)
      found = sw_parse_any(&m);
    if (found < 0) code = sw_fail(err, SW_MEMORY, "out of memory");
    else
      *result = *result * 31 + (uint64_t)(found && sw_parse_derive(&m, NULL));
  }
  if (!code && *result != 31 * 32)
    code = sw_fail(err, SW_INTERNAL, "verdicts %d", (int)*result);
  sw_parse_free(&m);
  free(g);
  return code;
}

static void nothing(void) {}

static void want_of_memory_is_told(void **state) {
  (void)state;
  for (int i = 0; i < SCENES; i++) {
    work w = {scenes[i].domain, work_of_a_scene, nothing};
    played = &scenes[i];
    faults_of_memory(&w);
  }
  faults_of_memory(&(work){"any derivation", work_of_a_table, nothing});
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stops_are_told),
      cmocka_unit_test(stopped_policies_are_told),
#ifndef NO_INJECTION
      cmocka_unit_test(want_of_memory_is_told),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
