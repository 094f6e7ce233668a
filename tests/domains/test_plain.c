/* A plain domain is a domain: the maze of tests/maze.c, ten functions, is
 * generated, trained, searched with every verifier that it can serve, probed,
 * solved from a file and shown by the server; and its ground truth is that of a
 * search of the maze itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../maze.h"
#include "../tiny_run.h"
#include "base/file.h"
#include "domains/registry.h"
#include "serve/serve.h"
#include "statewise.h"

static const sw_domain *domain;
static char *directory;

static int set_up(void **state) {
  (void)state;
  sw_err err = {0};
  directory = tiny_run_directory();
  if (!directory || chdir(directory)) return -1;
  if (sw_plain_register(&maze_plain, &domain, &err)) fail_msg("%s", err.text);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sw_domain_release(domain);
  if (chdir("/")) return -1;
  tiny_run_remove(directory);
  return 0;
}

/* Runs a command that is written with ' for "; its result, or NULL with the
 * code in *code. */
static json_t *run(const char *request, int *code) {
  char *copy = strdup(request), *text = NULL;
  statewise_error error = {0};
  assert_non_null(copy);
  for (char *p = copy; *p; p++)
    if (*p == '\'') *p = '"';
  *code = statewise_run(copy, NULL, NULL, NULL, &text, &error);
  free(copy);
  if (*code) {
    print_message("%s: %s\n", request, error.text);
    return NULL;
  }
  json_t *out = json_loads(text, 0, NULL);
  statewise_free(text);
  assert_non_null(out);
  return out;
}

static json_t *must_run(const char *request) {
  int code;
  json_t *out = run(request, &code);
  if (!out) fail_msg("code %d", code);
  return out;
}

static double figure(const json_t *document, const char *name) {
  const json_t *value = json_object_get(document, name);
  if (!json_is_number(value)) fail_msg("no figure %s", name);
  return json_number_value(value);
}

/* ---- the dialogue ---- */

/* Can the goal be reached from here without the cells of the path? */
static int leads_to_goal(const maze *m, maze_state s) {
  int32_t next[SW_PLAIN_CHOICES];
  if (s.at == m->goal) return 1;
  int count = maze_plain.choices(m, &s, next);
  for (int i = 0; i < count; i++) {
    maze_state then = s;
    maze_plain.take(m, &then, next[i]);
    if (leads_to_goal(m, then)) return 1;
  }
  return 0;
}

/* The state that a block shows, and what was tried there. */
static maze_state read_state(const sw_trace *t, uint64_t *tried) {
  maze_state s = {.at = t->token[t->block_start[t->blocks - 1] + 1]};
  int64_t i = t->block_start[t->blocks - 1] + 3;
  *tried = 0;
  for (; i < t->length && t->token[i] < 64; i++)
    s.been |= (uint64_t)1 << t->token[i];
  for (i++; i < t->length; i++) *tried |= (uint64_t)1 << t->token[i];
  return s;
}

/* Doomed: no way that is still open leads to the goal. */
static void check_truth(const sw_search_ops *search, sw_env *env,
                        const sw_trace *t, const maze *m) {
  uint64_t tried;
  int32_t next[SW_PLAIN_CHOICES];
  maze_state s = read_state(t, &tried);
  int alive = 0, open = 0, count = maze_plain.choices(m, &s, next);
  for (int i = 0; i < count; i++) {
    maze_state then = s;
    if (tried >> next[i] & 1) continue;
    open++;
    maze_plain.take(m, &then, next[i]);
    alive |= leads_to_goal(m, then);
  }
  assert_int_equal(search->in_conflict(env), open == 0);
  assert_int_equal(search->truth.doomed(env), open > 0 && !alive);
}

static void walks_are_what_the_maze_says(void **state) {
  (void)state;
  const sw_search_ops *search = domain->search;
  sw_domain_options o;
  sw_stream *stream;
  sw_err err = {0};
  sw_rules rules = {0};
  sw_env *env;
  sw_trace t;
  sw_mt mt;
  int solved = 0, backs = 0;
  sw_mt_seed(&mt, 3);
  sw_trace_init(&t);
  sw_domain_defaults(domain, &o);
  assert_int_equal(domain->resolve(&o, &err), 0);
  assert_int_equal(domain->stream_new(&stream, &o, 7, SW_SPLIT_TRAIN, &err), 0);
  assert_int_equal(search->env_new(&env, &o, &rules, &err), 0);
  for (int k = 0; k < 30; k++) {
    sw_instance *instance;
    maze m = {0};
    assert_int_equal(domain->stream_next(stream, &instance, &err), 0);
    assert_int_equal(search->env_reset(env, instance, &err), 0);
    sw_trace_clear(&t);
    search->write_prefix(env, &t);
    m.n = o.n;
    int64_t i = 1;
    for (; t.token[i] < 64; i++) m.open |= (uint64_t)1 << t.token[i];
    m.start = t.token[i + 1], m.goal = t.token[i + 3];
    sw_env_status status = search->prompt(env, &t);
    while (status == SW_ENV_QUERY) {
      check_truth(search, env, &t, &m);
      int32_t token = search->rule.choose(env, k & 1, &mt);
      backs += token == domain->back_token;
      status = search->feed(env, token, &t);
      if (status == SW_ENV_BLOCK_END) status = search->prompt(env, &t);
    }
    assert_int_equal(status, m.start == m.goal ? status : SW_ENV_SOLVED);
    assert_true(search->check_solution(env));
    solved++;
    domain->instance_free(instance);
  }
  assert_int_equal(solved, 30);
  assert_true(backs > 10);
  search->env_free(env);
  domain->stream_free(stream);
  sw_trace_free(&t);
}

/* ---- everything that a domain is for ---- */

static void it_is_generated_and_trained(void **state) {
  (void)state;
  json_t *one = must_run(
      "{'command': 'gen', 'args': ['maze'], 'options': {'n': 4, 'count': 60, "
      "'threads': 1, 'viability': true, 'out': 'one.data'}}");
  json_t *two = must_run(
      "{'command': 'gen', 'args': ['maze'], 'options': {'n': 4, 'count': 60, "
      "'threads': 2, 'viability': true, 'out': 'maze.data'}}");
  assert_string_equal(json_string_value(json_object_get(one, "hash")),
                      json_string_value(json_object_get(two, "hash")));
  assert_true(figure(two, "conflicts") > 10);
  json_decref(one);
  json_decref(two);
  static const char train[] =
      "{'command': 'train', 'options': {'data': 'maze.data', 'out': '%s', "
      "'mask': '%s', 'd': 16, 'layers': 1, 'heads': 2, 'slots': 2, 'steps': "
      "12, 'batch': 4, 'threads': 1, 'verify': %d}}";
  static const char *const mask[] = {"ssa", "causal"};
  for (int i = 0; i < 2; i++) {
    char request[600];
    snprintf(request, sizeof request, train, mask[i], mask[i], !i);
    json_decref(must_run(request));
  }
}

static void every_verifier_that_it_serves_plays(void **state) {
  (void)state;
  static const char *const served[] = {"never",
                                       "exact",
                                       "model",
                                       "oracle",
                                       "noise:0.2,0.1:oracle",
                                       "any:exact+model",
                                       "head:0.5",
                                       "random:0.1",
                                       "depth:3"};
  static const char *const refused[] = {"cdcl:10", "sidecar:5", "size:1:3",
                                        "confirm:5:model"};
  char request[400];
  for (size_t i = 0; i < sizeof served / sizeof *served; i++) {
    snprintf(
        request, sizeof request,
        "{'command': 'eval', 'options': {'model': ['ssa'], 'n': 4, 'verifier': "
        "'%s', 'instances': 8, 'decisions': 40, 'on-error': 'rescue', "
        "'policies': 'expert,first', 'db': 'none', 'threads': 1}}",
        served[i]);
    json_t *out = must_run(request);
    const json_t *rows = json_object_get(out, "rows");
    assert_int_equal(json_array_size(rows), 3);
    if (!strcmp(served[i], "exact")) /* circles there are none, so all end */
      assert_true(figure(json_array_get(rows, 1), "solve_rate") == 1);
    json_decref(out);
  }
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    int code;
    snprintf(
        request, sizeof request,
        "{'command': 'eval', 'options': {'domain': 'maze', 'n': 4, 'verifier': "
        "'%s', 'instances': 2, 'no-model': true, 'db': 'none'}}",
        refused[i]);
    assert_null(run(request, &code));
    assert_int_equal(code, STATEWISE_USAGE);
  }
}

static void it_is_probed(void **state) {
  (void)state;
  json_t *out = must_run(
      "{'command': 'probe transplant', 'options': {'model': ['ssa'], 'n': 4, "
      "'states': 20, 'instances': 60, 'resamples': 5, 'threads': 1}}");
  assert_true(figure(out, "exact_equal_rate") == 1);
  json_decref(out);
  static const char *const more[] = {
      "{'command': 'probe bank', 'args': ['eval'], 'options': {'model': "
      "['causal'], 'n': 4, 'viable': 8, 'conflicts': 4, 'instances': 200, "
      "'fewer': true, 'resamples': 5, 'threads': 1}}",
      "{'command': 'probe padding', 'options': {'model': ['ssa'], 'n': 4, "
      "'trials': 8, 'resamples': 5, 'threads': 1}}",
      "{'command': 'probe length', 'options': {'model': ['ssa'], 'n': 4, "
      "'instances': 4, 'threads': 1}}",
      "{'command': 'probe representation', 'options': {'model': ['causal'], "
      "'n': 4, 'states': 8, 'instances': 40, 'threads': 1}}",
      "{'command': 'probe visited', 'options': {'model': ['ssa'], 'n': 4, "
      "'instances': 3, 'threads': 1}}",
      "{'command': 'probe verify', 'options': {'model': ['ssa'], 'n': 4, "
      "'instances': 4, 'bank-states': 0, 'threads': 1}}"};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    json_decref(must_run(more[i]));
}

static const char text_of_maze[] = "S.#\n#..\n..G\n";

static void a_file_is_solved(void **state) {
  (void)state;
  sw_err err = {0};
  assert_int_equal(
      sw_write_file("way.maze", text_of_maze, sizeof text_of_maze - 1, &err),
      0);
  json_t *out = must_run(
      "{'command': 'solve', 'args': ['way.maze'], 'options': {'domain': "
      "'maze', 'model': 'ssa', 'verifier': 'exact', 'threads': 1}}");
  char *said = json_dumps(out, 0);
  assert_non_null(strstr(said, "b1 b2"));
  assert_non_null(strstr(said, "c3"));
  free(said);
  json_decref(out);
  sw_domain_options o;
  sw_domain_defaults(domain, &o);
  assert_int_equal(domain->resolve(&o, &err), 0);
  size_t bytes = sizeof text_of_maze - 1;
  assert_int_equal(
      domain->file.verify(text_of_maze, bytes, &o, "v b1 b2 c2 c3\n", &err), 0);
  static const char *const wrong[] = {"v b1 b2 c2\n", "v b1 c1 c2 c3\n",
                                      "v c3\n", "", "v b1 b2 nowhere\n"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(
        domain->file.verify(text_of_maze, bytes, &o, wrong[i], &err), SW_DATA);
  sw_instance *instance;
  assert_int_equal(domain->file.parse(&instance, "x", "S.x", 3, &o, &err),
                   SW_DATA);
  assert_int_equal(domain->file.parse(&instance, "x", "S..", 3, &o, &err),
                   SW_DATA);
}

static void it_is_shown(void **state) {
  (void)state;
  sw_server server = {0};
  sw_err err = {0};
  sw_reply reply = {0};
  static const char body[] =
      "{\"models\": [\"ssa\"], \"problem\": {\"draw\": {\"seed\": 5, \"n\": "
      "4}}, \"path\": [], \"advance\": 1, \"by\": 0}";
  sw_request request = {
      .path = "/api/view", .rest = "", .body = body, .bytes = sizeof body - 1};
  if (sw_shelf_add(&server.shelf, "ssa", 1, &err)) fail_msg("%s", err.text);
  sw_serve_view(&server, &request, &reply);
  if (reply.status != 200)
    fail_msg("%d: %.*s", reply.status, (int)reply.bytes, reply.body);
  assert_non_null(strstr(reply.body, "\"words\""));
  assert_non_null(strstr(reply.body, "maze"));
  if (!reply.constant) free(reply.body);
  sw_shelf_free(&server.shelf);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walks_are_what_the_maze_says),
      cmocka_unit_test(it_is_generated_and_trained),
      cmocka_unit_test(every_verifier_that_it_serves_plays),
      cmocka_unit_test(it_is_probed),
      cmocka_unit_test(a_file_is_solved),
      cmocka_unit_test(it_is_shown),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
