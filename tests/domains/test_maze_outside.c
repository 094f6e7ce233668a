/* One game, compiled in and behind a pipe. The maze of tests/maze.c is a plain
 * domain in this process, and an environment that this program serves when it
 * is called with `serve`: the same cells, moves and expert, but a dialogue of
 * its own. Both play 100 problems, query by query, with the same outcomes and,
 * word by word, the same tokens.
 *
 * What differs by design: the numbers of the tokens, where the words stand in
 * another order; the hash of a problem (of its tokens there, of its id here),
 * which says only what is the same; the order of the candidates, where an
 * environment lists what was tried behind what is open; and the options (only
 * the plain domain has --n), so that neither opens the files of the other. */
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
#include "../maze_outside.h"
#include "../tiny_run.h"
#include "base/hash.h"
#include "domains/registry.h"
#include "search/loop.h"

/* ---- two sides ---- */

static maze_vocabulary other;
static char self[1024];
static char pipe_name[1100], other_name[1100];
static const sw_domain *plain, *outside;
static int32_t there[MAZE_WORDS], here[MAZE_WORDS]; /* the other side's token */
static sw_domain_scope scope;

static int open_sides(void **state) {
  sw_err err = {0};
  (void)state;
  sw_domain_scope_enter(&scope);
  if (sw_plain_register(&maze_plain, &plain, &err) ||
      sw_domain_named(other_name, &outside, &err))
    fail_msg("%s", err.text);
  assert_int_equal(plain->words->count, MAZE_WORDS);
  assert_int_equal(outside->words->count, MAZE_WORDS);
  for (int32_t i = 0; i < MAZE_WORDS; i++) {
    there[i] =
        sw_words_find(outside->words, other.word[i], strlen(other.word[i]));
    assert_int_equal(there[i], MAZE_WORDS - 1 - i);
    here[there[i]] = i;
  }
  assert_int_equal(there[plain->back_token], outside->back_token);
  return 0;
}

static int close_sides(void **state) {
  (void)state;
  sw_domain_release(plain);
  sw_domain_scope_leave(&scope);
  return 0;
}

static void options_of(const sw_domain *domain, int exclude,
                       sw_domain_options *o) {
  sw_err err = {0};
  sw_domain_defaults(domain, o);
  if (domain->resolve(o, &err)) fail_msg("%s", err.text);
  o->exclude = exclude;
}

static sw_stream *stream_of(const sw_domain *domain, int exclude,
                            sw_split split) {
  sw_domain_options o;
  sw_err err = {0};
  sw_stream *stream;
  options_of(domain, exclude, &o);
  if (domain->stream_new(&stream, &o, 11, split, &err))
    fail_msg("%s", err.text);
  return stream;
}

static sw_instance *next_of(const sw_domain *domain, sw_stream *stream) {
  sw_instance *instance;
  sw_err err = {0};
  if (domain->stream_next(stream, &instance, &err)) fail_msg("%s", err.text);
  return instance;
}

/* Word by word, with the same targets in the same blocks. */
static void same_trace(const sw_trace *a, const sw_trace *b) {
  assert_int_equal(a->length, b->length);
  assert_int_equal(a->blocks, b->blocks);
  for (int64_t i = 0; i < a->length; i++) {
    assert_int_equal(there[a->token[i]], b->token[i]);
    assert_int_equal(a->supervised[i], b->supervised[i]);
  }
  for (int64_t i = 0; i < a->blocks; i++)
    assert_int_equal(a->block_start[i], b->block_start[i]);
}

/* ---- the expert's traces, of every split; tests leave out the same ---- */

static void same_traces(void **state) {
  static const sw_split splits[] = {SW_SPLIT_TRAIN, SW_SPLIT_VALID,
                                    SW_SPLIT_TEST};
  const sw_domain *side[2] = {plain, outside};
  int64_t conflicts = 0;
  (void)state;
  for (int s = 0; s < 3; s++) {
    sw_stream *stream[2];
    sw_trace trace[2];
    for (int k = 0; k < 2; k++) {
      stream[k] = stream_of(side[k], 50, splits[s]);
      sw_trace_init(&trace[k]);
    }
    for (int i = 0; i < 100; i++) {
      for (int k = 0; k < 2; k++) {
        sw_instance *instance = next_of(side[k], stream[k]);
        sw_domain_options o;
        sw_err err = {0};
        sw_mt mt;
        options_of(side[k], 0, &o);
        sw_mt_seed(&mt, 1);
        o.max_blocks = 12; /* some are cut */
        if (side[k]->write_trace(instance, &o, &mt, &trace[k], &err))
          fail_msg("%s", err.text);
        side[k]->instance_free(instance);
      }
      same_trace(&trace[0], &trace[1]);
      assert_int_equal(trace[0].n, trace[1].n);
      assert_int_equal(trace[0].terminal, trace[1].terminal);
      assert_int_equal(trace[0].decisions, trace[1].decisions);
      assert_int_equal(trace[0].conflicts, trace[1].conflicts);
      assert_int_equal(trace[0].backtracks, trace[1].backtracks);
      conflicts += trace[0].conflicts;
    }
    assert_int_equal(plain->stream_left_out(stream[0]),
                     outside->stream_left_out(stream[1]));
    for (int k = 0; k < 2; k++) {
      side[k]->stream_free(stream[k]);
      sw_trace_free(&trace[k]);
    }
  }
  assert_true(conflicts > 100);
}

/* ---- a guide with whims: it errs in every way; words alone say how ---- */

static uint64_t plain_hash(const sw_domain *domain, const sw_trace *t,
                           int64_t from, int64_t to, uint64_t hash) {
  for (int64_t i = from; i < to; i++) {
    int32_t token = domain == plain ? t->token[i] : here[t->token[i]];
    hash = sw_xxh64(&token, sizeof token, hash);
  }
  return hash;
}

/* Scores hang on all that the protocol shows. */
static int ask_whims(sw_guide *guide, sw_question *question, int32_t count,
                     sw_err *err) {
  const sw_domain *domain = guide->domain;
  (void)err;
  for (int32_t i = 0; i < count; i++) {
    const sw_game *game = question[i].game;
    const sw_trace *t = &game->trace;
    int64_t block = t->block_start[t->blocks - 1];
    int64_t history =
        game->options->protocol == SW_CUMULATIVE ? block : t->block_start[1];
    uint64_t shown = plain_hash(domain, t, 0, history, 0);
    shown = plain_hash(domain, t, block, t->length, shown);
    for (int k = 0; k < game->candidates; k++) {
      int32_t token = game->candidate[k].token;
      if (domain != plain) token = here[token];
      question[i].score[k] =
          (float)(sw_xxh64(&token, sizeof token, shown) >> 40);
    }
  }
  return SW_OK;
}

static void close_whims(sw_guide *guide) { free(guide); }
static const sw_guide_ops whims = {
    .name = "whims", .ask = ask_whims, .close = close_whims};

static int open_whims(sw_guide **guide, const sw_domain *domain, sw_err *err) {
  sw_guide *g = *guide = calloc(1, sizeof *g);
  if (!g) return sw_fail(err, SW_MEMORY, "out of memory");
  g->ops = &whims;
  g->domain = domain;
  g->mask = g->positions = "";
  return SW_OK;
}
static const sw_guide_kind whims_kind = {"whims", "errs", open_whims};

/* ---- games, query by query ---- */

typedef struct player {
  const sw_domain *domain;
  sw_domain_options options;
  sw_stream *stream;
  sw_guide *guide;
  sw_instance *instance;
  sw_game game;
} player;

static void player_open(player *p, const sw_domain *domain, const char *guide,
                        const sw_loop_options *loop) {
  sw_err err = {0};
  p->domain = domain;
  options_of(domain, 0, &p->options);
  p->stream = stream_of(domain, 0, SW_SPLIT_TEST);
  if (sw_guide_named(&p->guide, domain, guide, &err) ||
      sw_guide_reserve(p->guide, 1, &err) ||
      sw_game_new(&p->game, domain, &p->options, loop, &err))
    fail_msg("%s", err.text);
}

static void player_start(player *p, int index) {
  sw_err err = {0};
  p->instance = next_of(p->domain, p->stream);
  if (sw_game_start(&p->game, p->instance, index, &err) ||
      sw_guide_start(p->guide, 0, &p->game, &err))
    fail_msg("%s", err.text);
}

static void player_answer(player *p) {
  sw_err err = {0};
  if (sw_guide_ask(p->guide, 0, &p->game, &err)) fail_msg("%s", err.text);
  sw_game_take(&p->game);
}

static void player_close(player *p) {
  sw_game_free(&p->game);
  sw_guide_close(p->guide);
  p->domain->stream_free(p->stream);
}

/* The state in words, each by the other side's. */
static void same_words(const sw_game *a, const sw_game *b) {
  char *in = plain->search->tell.state(a->env), *at = in;
  char *out = outside->search->tell.state(b->env), *to = out;
  for (;;) {
    char *word = strtok_r(at, " ", &at), *said = strtok_r(to, " ", &to);
    assert_int_equal(word != NULL, said != NULL);
    if (!word) break;
    int32_t token = sw_words_find(plain->words, word, strlen(word));
    assert_string_equal(other.word[token], said);
  }
  free(in);
  free(out);
}

/* The same choices, each of the same kind, in the same situation. */
static void same_query(const sw_game *a, const sw_game *b) {
  const sw_search_ops *in = plain->search, *out = outside->search;
  assert_int_equal(a->candidates, b->candidates);
  for (int i = 0; i < a->candidates; i++) {
    int k = sw_cands_find(b->candidate, b->candidates,
                          there[a->candidate[i].token]);
    assert_true(k >= 0);
    assert_int_equal(a->candidate[i].kind, b->candidate[k].kind);
  }
  assert_int_equal(in->in_conflict(a->env), out->in_conflict(b->env));
  assert_int_equal(in->is_retry(a->env), out->is_retry(b->env));
  assert_int_equal(in->depth(a->env), out->depth(b->env));
  assert_int_equal(in->at_root(a->env), out->at_root(b->env));
  same_words(a, b);
}

static void same_answer(const sw_game *a, const sw_game *b) {
  sw_err err = {0};
  char *in, *out;
  if (!a->outcome.solved) return;
  if (plain->search->tell.answer(a->env, &in, &err) ||
      outside->search->tell.answer(b->env, &out, &err))
    fail_msg("%s", err.text);
  assert_string_equal(in, out);
  free(in);
  free(out);
}

static void same_outcome(const sw_game *a, const sw_game *b, sw_outcome *sum) {
  const sw_outcome *in = &a->outcome, *out = &b->outcome;
  sw_err err = {0};
  if (sw_game_trouble(a, &err) || sw_game_trouble(b, &err))
    fail_msg("%s", err.text);
#define X(name, since, text)                                  \
  if (in->name != out->name)                                  \
    fail_msg("%s: %lld and %lld", #name, (long long)in->name, \
             (long long)out->name);                           \
  sum->name += in->name;
  SW_OUTCOME_COUNTERS(X)
#undef X
  assert_int_equal(in->instance, out->instance);
  assert_int_equal(in->solved, out->solved);
  assert_string_equal(in->reason, out->reason);
  sum->solved += in->solved;
}

static void play_both(const char *guide, const sw_loop_options *loop,
                      sw_outcome *sum) {
  player a, b;
  player_open(&a, plain, guide, loop);
  player_open(&b, outside, guide, loop);
  for (int i = 0; i < 100; i++) {
    player_start(&a, i);
    player_start(&b, i);
    for (;;) {
      int goes_on = sw_game_advance(&a.game);
      assert_int_equal(goes_on, sw_game_advance(&b.game));
      if (!goes_on) break;
      same_query(&a.game, &b.game);
      player_answer(&a);
      player_answer(&b);
    }
    same_outcome(&a.game, &b.game, sum);
    same_trace(&a.game.trace, &b.game.trace);
    same_answer(&a.game, &b.game);
    plain->instance_free(a.instance);
    outside->instance_free(b.instance);
  }
  player_close(&a);
  player_close(&b);
}

static void same_games(void **state) {
  enum { WHIMS = 3 }; /* it errs in every way, so it meets every --on-error */
  static const char *const guides[] = {"expert", "first", "random", "whims"};
  static const char *const verifiers[] = {"exact", "never", "oracle", "model",
                                          "noise:0.1,0.2:oracle"};
  sw_outcome sum = {0};
  (void)state;
  for (int protocol = SW_CUMULATIVE; protocol <= SW_REBUILT; protocol++)
    for (int g = 0; g <= WHIMS; g++)
      for (int v = 0; v < (g == WHIMS ? 15 : 5); v++) {
        const sw_loop_options loop = {.protocol = protocol,
                                      .verifier = verifiers[v % 5],
                                      .on_error = (g + v % 5 + v / 5) % 3,
                                      .max_decisions = 40,
                                      .max_tokens = v % 5 == 4 ? 400 : 0};
        play_both(guides[g], &loop, &sum);
      }
  /* Everything that a maze can show has happened. */
  assert_true(sum.solved > 1000 && sum.decisions > 10000 && sum.backs > 1000);
  assert_true(sum.false_prunes > 100 && sum.early_backs > 100);
  assert_true(sum.missed_conflicts > 100 && sum.repeats > 100);
  assert_true(sum.retry_queries > 1000 && sum.passed_dead > 100);
  assert_int_equal(sum.silent_backs, 0);
}

/* ---- the commands: data, training and a trained model ---- */

/* Runs a command that is written with ' for "; %s is the domain. */
static json_t *run(const char *request, const char *domain) {
  char text[2000], *result;
  statewise_error error = {0};
  snprintf(text, sizeof text, request, domain);
  for (char *p = text; *p; p++)
    if (*p == '\'') *p = '"';
  if (statewise_run(text, NULL, NULL, NULL, &result, &error))
    fail_msg("%s: %s", text, error.text);
  json_t *out = json_loads(result, 0, NULL);
  statewise_free(result);
  assert_non_null(out);
  return out;
}

static const char gen[] =
    "{'command': 'gen', 'args': ['%s'], 'options': {'count': 300, 'viability': "
    "true, 'threads': 1, 'out': 'maze.data'}}";
static const char train[] =
    "{'command': 'train', 'options': {'data': 'maze.data', 'out': 'model', "
    "'mask': 'ssa', 'd': 16, 'layers': 2, 'heads': 2, 'slots': 2, 'steps': "
    "800, 'batch': 8, 'lr': 0.01, 'dropout': 0, 'threads': 1}}";
static const char *const eval[] = {
    "{'command': 'eval', 'options': {'domain': '%s', 'model': ['model'], "
    "'instances': 100, 'decisions': 40, 'protocol': 'cumulative', 'policies': "
    "'expert,random', 'db': 'none', 'threads': 1}}",
    "{'command': 'eval', 'options': {'domain': '%s', 'model': ['model'], "
    "'instances': 100, 'decisions': 40, 'protocol': 'rebuilt', 'on-error': "
    "'rescue', 'db': 'none', 'threads': 1}}"};

static void same_member(const json_t *a, const json_t *b, const char *name) {
  const json_t *in = json_object_get(a, name);
  assert_non_null(in);
  if (!json_equal(in, json_object_get(b, name))) fail_msg("%s differs", name);
}

static void same_rows(const json_t *a, const json_t *b) {
  static const char *const members[] = {"policy",   "n",      "solve_rate",
                                        "left_out", "counts", "endings"};
  const json_t *in = json_object_get(a, "rows"),
               *out = json_object_get(b, "rows");
  size_t rows = json_array_size(in);
  assert_true(rows > 0 && rows == json_array_size(out));
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
      same_member(json_array_get(in, i), json_array_get(out, i), members[k]);
}

/* The words in one order are the tokens in one order: the same data, the same
 * training, and a model that plays the same. */
static void same_training(void **state) {
  static const char *const counted[] = {"hash",      "tokens", "supervised",
                                        "decisions", "dead",   "conflicts"};
  sw_err err = {0};
  json_t *made[2], *trained[2], *played[2][2];
  (void)state;
  for (int k = 0; k < 2; k++) {
    const char *name = k ? pipe_name : "maze";
    char *directory = tiny_run_directory();
    if (!directory || chdir(directory)) fail_msg("no directory");
    if (!k && sw_plain_register(&maze_plain, &plain, &err))
      fail_msg("%s", err.text);
    made[k] = run(gen, name);
    trained[k] = run(train, "");
    for (int p = 0; p < 2; p++) played[k][p] = run(eval[p], name);
    if (!k) sw_domain_release(plain);
    if (chdir("/")) fail_msg("no root");
    tiny_run_remove(directory);
  }
  for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
    same_member(made[0], made[1], counted[i]);
  same_member(trained[0], trained[1], "train_loss");
  same_member(trained[0], trained[1], "valid_loss");
  for (int p = 0; p < 2; p++) same_rows(played[0][p], played[1][p]);
  for (int k = 0; k < 2; k++) {
    json_decref(made[k]);
    json_decref(trained[k]);
    for (int p = 0; p < 2; p++) json_decref(played[k][p]);
  }
}

int main(int argc, char **argv) {
  other = maze_vocabulary_of("labyrinth");
  if (argc > 2 && !strcmp(argv[1], "serve")) {
    maze_vocabulary words = maze_vocabulary_of(argv[2]);
    const statewise_environment table = maze_environment(&words);
    return statewise_environment_serve(&table, 0, 1, NULL);
  }
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 1) return 1;
  snprintf(pipe_name, sizeof pipe_name, "exec:%s serve %s", self,
           maze_plain.name);
  snprintf(other_name, sizeof other_name, "exec:%s serve %s", self, other.name);
  if (sw_guide_add_kind(&whims_kind, NULL)) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(same_traces, open_sides, close_sides),
      cmocka_unit_test_setup_teardown(same_games, open_sides, close_sides),
      cmocka_unit_test(same_training),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
