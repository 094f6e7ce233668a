/* Environments as domains: what adapts a table of functions to the domain
 * interface. The same table is played in the process and over a pipe (this
 * program serves it when it is called with `serve`), and must give the same
 * games; what a program says wrongly is an error that shows it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "domains/outside/outside.h"
#include "search/loop.h"
#include "trace/dataset.h"
#include "domains/produce.h"

#define PROGRAM "exec:exec python3 -S tests/domains/misbehave.py "
static char self[1024];

/* ---- a table: words of two letters, with choices of one or two words ---- */

enum { DEEP = 6 };
typedef struct letters {
  int goal[DEEP], path[DEEP + 1], depth, missing;
  unsigned tried[DEEP + 1];
  char problem[64], state[200], texts[6][16];
  const char *open[7], *failed[7];
} letters;
static const char *const letter_words[] = {
    "GOAL", "HERE", "LEFT", "TRIED", "BACK", "a", "b", "c", "x", "y", NULL};
/* A choice says what it adds: 1 to 5; the last three begin with the same word.
 */
static const char *const letter_choices[] = {"a", "b", "c x", "c y", "c a"};

static int letters_hello(void *context, statewise_hello *h,
                         statewise_error *error) {
  (void)context;
  (void)error;
  *h = (statewise_hello){.name = "letters",
                         .words = letter_words,
                         .back = "BACK",
                         .seeded = 1,
                         .expert = 1,
                         .doomed = 1,
                         .check = 1,
                         .decisions = 60,
                         .instances = 30};
  return 0;
}

/* So many are missing, as words: x for five, y for one. */
static void put_count(char *text, int count) {
  for (; count >= 5; count -= 5) strcat(text, " x");
  for (; count > 0; count--) strcat(text, " y");
}

static int letters_start(void *context, const statewise_task *task,
                         void **search, statewise_problem *problem,
                         statewise_error *error) {
  (void)context;
  letters *s = *search = calloc(1, sizeof *s);
  if (!s) return STATEWISE_MEMORY;
  s->missing = 4 + (int)(((uint64_t)task->index * 7 + task->seed +
                          (task->split && task->split[1] == 'e' ? 3 : 0)) %
                         19);
  if (task->problem && sscanf(task->problem, "%d", &s->missing) != 1) {
    snprintf(error->text, sizeof error->text, "a number is needed");
    free(s);
    return STATEWISE_DATA;
  }
  strcpy(s->problem, "GOAL");
  put_count(s->problem, s->missing);
  problem->problem = s->problem;
  return 0;
}

/* Exactly what is missing is to be added by at most four choices, no choice
 * twice in a row. */
static int fits(const letters *s, int add) {
  return add <= s->missing && !(s->depth && s->path[s->depth - 1] == add);
}

static int ways_on(const letters *s) {
  int ways = 0;
  for (int add = 1; add <= 5; add++)
    ways += s->depth < 4 && fits(s, add) && !(s->tried[s->depth] >> add & 1);
  return ways;
}

static int letters_doomed(void *search, int *doomed, statewise_error *error) {
  const letters *s = search;
  (void)error;
  *doomed = s->missing > 5 * (4 - s->depth);
  return 0;
}

static int letters_look(void *search, statewise_situation *see,
                        statewise_error *error) {
  letters *s = search;
  int open = 0, failed = 0, fit = ways_on(s);
  (void)error;
  if (!s->missing) {
    see->over = "solved";
    return 0;
  }
  if (!fit && !s->depth) {
    see->over = "exhausted";
    return 0;
  }
  for (int add = 1; add <= 5; add++) {
    if (s->tried[s->depth] >> add & 1)
      s->failed[failed++] = letter_choices[add - 1];
    else if (!fit || fits(s, add)) s->open[open++] = letter_choices[add - 1];
  }
  s->open[open] = s->failed[failed] = NULL;
  strcpy(s->state, "HERE");
  for (int i = 0; i < s->depth; i++) put_count(s->state, s->path[i]);
  strcat(s->state, " LEFT");
  put_count(s->state, s->missing);
  if (failed) strcat(s->state, " TRIED");
  for (int i = 0; i < failed; i++) {
    strcat(s->state, " ");
    strcat(s->state, s->failed[i]);
  }
  see->state = s->state;
  see->choices = s->open;
  see->tried = s->failed;
  see->conflict = !fit;
  return 0;
}

static int letters_take(void *search, const char *choice, const char **refused,
                        statewise_error *error) {
  letters *s = search;
  (void)error;
  for (int add = 1; add <= 5; add++)
    if (!strcmp(choice, letter_choices[add - 1])) {
      s->path[s->depth] = add;
      s->missing -= add;
      s->tried[s->depth] |= 1u << add;
      s->tried[++s->depth] = 0;
      return 0;
    }
  *refused = "no such choice";
  return 0;
}

/* Where one level up nothing is left either, that is undone too. */
static int letters_back(void *search, int *silent, statewise_error *error) {
  letters *s = search;
  (void)error;
  *silent = -1;
  do {
    s->missing += s->path[--s->depth];
    ++*silent;
  } while (s->depth && !ways_on(s));
  return 0;
}

static int letters_expert(void *search, const char **choice,
                          statewise_error *error) {
  const letters *s = search;
  (void)error;
  for (int add = 5; add >= 1; add--)
    if (fits(s, add) && !(s->tried[s->depth] >> add & 1)) {
      *choice = letter_choices[add - 1];
      return 0;
    }
  *choice = "BACK";
  return 0;
}

static int letters_check(void *search, statewise_checked *checked,
                         statewise_error *error) {
  const letters *s = search;
  (void)error;
  checked->right = s->missing == 0 && s->depth <= 4;
  return 0;
}

static const statewise_environment letters_table = {
    .size = sizeof letters_table,
    .hello = letters_hello,
    .start = letters_start,
    .look = letters_look,
    .take = letters_take,
    .back = letters_back,
    .end = free,
    .expert = letters_expert,
    .doomed = letters_doomed,
    .check = letters_check};

/* ---- the same, in the process and over a pipe ---- */

typedef struct record {
  sw_outcome outcome;
  uint64_t hash;
} record;

static void play(const sw_domain *domain, const char *rule,
                 const char *verifier, int protocol, int on_error, int count,
                 record *out) {
  sw_domain_options options;
  sw_err err = {0};
  sw_stream *stream;
  sw_guide *guide;
  sw_game game;
  sw_loop_options loop = {.protocol = protocol,
                          .verifier = verifier,
                          .on_error = on_error,
                          .max_decisions = 60};
  sw_domain_defaults(domain, &options);
  assert_int_equal(domain->resolve(&options, &err), SW_OK);
  options.exclude = 0;
  assert_int_equal(
      domain->stream_new(&stream, &options, 5, SW_SPLIT_TEST, &err), SW_OK);
  assert_int_equal(sw_guide_named(&guide, domain, rule, &err), SW_OK);
  assert_int_equal(sw_game_new(&game, domain, &options, &loop, &err), SW_OK);
  for (int i = 0; i < count; i++) {
    sw_instance *instance;
    assert_int_equal(domain->stream_next(stream, &instance, &err), SW_OK);
    assert_int_equal(sw_game_start(&game, instance, i, &err), SW_OK);
    assert_int_equal(sw_guide_reserve(guide, 1, &err), SW_OK);
    assert_int_equal(sw_guide_start(guide, 0, &game, &err), SW_OK);
    while (sw_game_advance(&game)) {
      assert_int_equal(sw_guide_ask(guide, 0, &game, &err), SW_OK);
      sw_game_take(&game);
    }
    if (sw_game_trouble(&game, &err)) fail_msg("%s", err.text);
    out[i].outcome = game.outcome;
    out[i].outcome.verifier_seconds = 0;
    out[i].hash = sw_xxh64(game.trace.token,
                           sizeof *game.trace.token * (size_t)game.trace.length,
                           (uint64_t)game.trace.blocks);
    domain->instance_free(instance);
  }
  sw_game_free(&game);
  sw_guide_close(guide);
  domain->stream_free(stream);
}

static const sw_domain *open_named(const char *name, sw_err *err) {
  const sw_domain *domain;
  *err = (sw_err){0};
  return sw_domain_named(name, &domain, err) ? NULL : domain;
}

static const sw_domain *open_pipe(void) {
  char name[1100];
  sw_err err;
  snprintf(name, sizeof name, "exec:%s serve", self);
  const sw_domain *domain = open_named(name, &err);
  if (!domain) fail_msg("%s", err.text);
  return domain;
}

static void same_games_either_way(void **state) {
  enum { COUNT = 100 };
  static record there[COUNT], here[COUNT];
  static const char *const rules[] = {"expert", "first", "random"};
  static const char *const verifiers[] = {"exact", "model", "never", "oracle",
                                          "noise:0.1,0.2:oracle"};
  (void)state;
  sw_domain_scope scope;
  sw_domain_scope_enter(&scope);
  const sw_domain *pipe = open_pipe(), *inside;
  sw_err err = {0};
  int64_t solved = 0, exhausted = 0, silent = 0, early = 0, retries = 0;
  assert_int_equal(sw_outside_register(&letters_table, &inside, &err), SW_OK);
  assert_ptr_not_equal(pipe, inside);
  for (int protocol = 0; protocol < 2; protocol++)
    for (int r = 0; r < 3; r++)
      for (int v = 0; v < 5; v++) {
        int on_error = v % 3;
        play(pipe, rules[r], verifiers[v], protocol, on_error, COUNT, there);
        play(inside, rules[r], verifiers[v], protocol, on_error, COUNT, here);
        for (int i = 0; i < COUNT; i++) {
          if (memcmp(&there[i], &here[i], sizeof *here))
            fail_msg("%s %s: game %d differs", rules[r], verifiers[v], i);
          solved += here[i].outcome.solved;
          exhausted += !strcmp(here[i].outcome.reason, "exhausted");
          silent += here[i].outcome.silent_backs;
          early += here[i].outcome.early_backs;
          retries += here[i].outcome.retry_queries;
        }
      }
  if (solved < 100 || exhausted < 20 || silent < 20 || early < 20 ||
      retries < 20)
    fail_msg("solved %d, exhausted %d, silent %d, early %d, retries %d",
             (int)solved, (int)exhausted, (int)silent, (int)early,
             (int)retries);
  sw_domain_release(inside);
  sw_domain_scope_leave(&scope);
}

static void produce(const sw_domain *domain, int threads, char hash[17]) {
  sw_domain_options options;
  sw_err err = {0};
  sw_produce_stats stats;
  const sw_produce_options produce = {
      .count = 60, .seed = 3, .threads = threads, .viability = 1};
  sw_domain_defaults(domain, &options);
  char path[64];
  snprintf(path, sizeof path, "/tmp/sw-letters-%d", (int)getpid());
  assert_int_equal(domain->resolve(&options, &err), SW_OK);
  if (sw_produce(domain, &options, &produce, path, NULL, &stats, &err))
    fail_msg("%s", err.text);
  assert_true(stats.solved > 10 && stats.conflicts > 10 && stats.dead > 10);
  strcpy(hash, stats.hash);
  unlink(path);
}

static void same_traces_either_way(void **state) {
  (void)state;
  char hash[3][17];
  sw_domain_scope scope;
  const sw_domain *inside;
  sw_domain_scope_enter(&scope);
  const sw_domain *pipe = open_pipe();
  assert_int_equal(sw_outside_register(&letters_table, &inside, NULL), SW_OK);
  produce(pipe, 1, hash[0]);
  produce(pipe, 3, hash[1]);
  produce(inside, 2, hash[2]);
  assert_string_equal(hash[0], hash[1]);
  assert_string_equal(hash[0], hash[2]);
  sw_domain_release(inside);
  sw_domain_scope_leave(&scope);
}

/* A registered table is a domain by its name, for commands too. */
static void commands_find_a_registered_table(void **state) {
  (void)state;
  char *result, path[64], request[400];
  statewise_error error;
  snprintf(path, sizeof path, "/tmp/sw-letters-%d", (int)getpid());
  snprintf(request, sizeof request,
           "{\"command\": \"gen\", \"args\": [\"letters\"], \"options\": "
           "{\"count\": 60, \"seed\": 3, \"out\": \"%s\", \"threads\": 2, "
           "\"viability\": true}}",
           path);
  assert_int_equal(statewise_run(request, NULL, NULL, NULL, &result, &error),
                   STATEWISE_USAGE);
  assert_int_equal(statewise_environment_register(&letters_table, &error), 0);
  assert_int_equal(statewise_environment_register(NULL, &error),
                   STATEWISE_USAGE);
  if (statewise_run(request, NULL, NULL, NULL, &result, &error))
    fail_msg("%s", error.text);
  assert_non_null(strstr(result, "\"kept\": 60"));
  statewise_free(result);
  statewise_environment_remove("sat"); /* is no environment */
  statewise_environment_remove("letters");
  assert_null(sw_domain_find("letters"));
  assert_non_null(sw_domain_find("sat"));
  unlink(path);
}

static int shown_hello(void *context, statewise_hello *h,
                       statewise_error *error) {
  int code = letters_hello(context, h, error);
  h->name = "shown";
  h->verdict_shown = 1;
  return code;
}

/* Where a word tells the verdict, the model's own word proves nothing. */
static void a_shown_verdict_must_be_meant(void **state) {
  (void)state;
  statewise_environment table = letters_table;
  const sw_domain *domain;
  sw_domain_options options;
  sw_verifier *verifier;
  sw_err err = {0};
  table.hello = shown_hello;
  assert_int_equal(sw_outside_register(&table, &domain, &err), SW_OK);
  sw_domain_defaults(domain, &options);
  assert_int_equal(domain->resolve(&options, &err), SW_OK);
  assert_int_equal(sw_verifier_open(&verifier, domain, "model", &err), SW_OK);
  assert_int_equal(sw_verifier_unshown(verifier, &options, 0, &err), SW_USAGE);
  assert_non_null(strstr(err.hint, "--verdict-shown"));
  assert_int_equal(sw_verifier_unshown(verifier, &options, 1, &err), SW_OK);
  sw_verifier_close(verifier);
  sw_domain_release(domain);
}

/* ---- what a program says wrongly ---- */

static const struct {
  const char *kind, *says, *shows;
} mistakes[] = {
    {"unannounced word", "the word `banana`", "reply: AT banana"},
    {"unannounced choice", "the word `three`", "reply: three"},
    {"unannounced tried", "the word `three`", "reply: three"},
    {"empty state", "a state without a word", "request: look"},
    {"empty choice", "a choice without a word", "request: look"},
    {"prefix choice", "`one` and a choice that begins with it",
     "reply: one two"},
    {"same choice", "the choice `one` twice", "reply: one"},
    {"tried and choice", "the choice `one` twice", "reply: one"},
    {"back as choice", "going back as a choice", "reply: BACK"},
    {"no way on", "offers no choice", "reply: AT 1"},
    {"back too far", "went back 9 further levels", "request: back"},
    {"expert", "the word `three`", "request: expert"},
    {"dies", "ended (exit code 3)", "request: [{\"take\": "},
};

/* Plays the expert until something goes wrong; what it says. */
static int play_broken(const sw_domain *domain, sw_err *err) {
  sw_domain_options options;
  sw_trace trace;
  sw_instance *instance = NULL;
  sw_mt mt;
  sw_domain_defaults(domain, &options);
  sw_trace_init(&trace);
  sw_mt_seed(&mt, 1);
  SW_TRY(domain->resolve(&options, err));
  int code = domain->file.parse(&instance, "p", "N 7", 3, &options, err);
  if (!code) code = domain->write_trace(instance, &options, &mt, &trace, err);
  if (instance) domain->instance_free(instance);
  sw_trace_free(&trace);
  return code;
}

static void wrong_words_are_clear_errors(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    char name[200];
    sw_err err;
    sw_domain_scope scope;
    sw_domain_scope_enter(&scope);
    snprintf(name, sizeof name, PROGRAM "'%s'", mistakes[i].kind);
    const sw_domain *domain = open_named(name, &err);
    if (!domain) fail_msg("%s: %s", mistakes[i].kind, err.text);
    int code = play_broken(domain, &err);
    if ((code != SW_DATA && code != SW_IO) ||
        !strstr(err.text, mistakes[i].says) ||
        !strstr(err.text, mistakes[i].shows))
      fail_msg("%s: code %d: %s", mistakes[i].kind, code, err.text);
    sw_domain_scope_leave(&scope);
  }
}

static const struct {
  const char *kind, *says;
} hellos[] = {
    {"h name", "cannot be the name of a domain"},
    {"h name path", "cannot be the name of a domain"},
    {"h builtin", "`sat` is the name of a domain of the program"},
    {"h no back", "RETURN"},
    {"h words", "\"a\""},
    {"h blank", "a b"},
    {"h no words", "no words"},
};

static void wrong_hellos_are_clear_errors(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof hellos / sizeof *hellos; i++) {
    char name[200];
    sw_err err;
    sw_domain_scope scope;
    sw_domain_scope_enter(&scope);
    snprintf(name, sizeof name, PROGRAM "'%s'", hellos[i].kind);
    assert_null(open_named(name, &err));
    if (!strstr(err.text, hellos[i].says))
      fail_msg("%s: %s", hellos[i].kind, err.text);
    sw_domain_scope_leave(&scope);
  }
}

static void a_refused_choice_ends_the_search(void **state) {
  (void)state;
  sw_err err;
  sw_domain_scope scope;
  record game[2];
  sw_domain_scope_enter(&scope);
  const sw_domain *domain = open_named(PROGRAM "refuses", &err);
  assert_non_null(domain);
  play(domain, "first", "exact", SW_REBUILT, SW_ON_ERROR_FAIL, 2, game);
  assert_string_equal(game[1].outcome.reason, "refused");
  assert_int_equal(game[1].outcome.decisions, 0);
  sw_domain_scope_leave(&scope);
}

static void names_are_opened_in_a_scope_only(void **state) {
  (void)state;
  sw_err err;
  assert_null(open_named(PROGRAM "well", &err));
  assert_non_null(strstr(err.text, "cannot be opened here"));
  assert_null(sw_domain_find(PROGRAM "well"));
  sw_domain_scope scope;
  sw_domain_scope_enter(&scope);
  const sw_domain *domain = open_named(PROGRAM "well", &err);
  assert_ptr_equal(open_named(PROGRAM "well", &err), domain); /* once */
  assert_ptr_equal(sw_domain_find("steps"), domain);
  sw_domain_scope_leave(&scope);
  assert_null(sw_domain_find("steps"));
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "serve"))
    return statewise_environment_serve(&letters_table, 0, 1, NULL);
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 1) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_games_either_way),
      cmocka_unit_test(same_traces_either_way),
      cmocka_unit_test(commands_find_a_registered_table),
      cmocka_unit_test(a_shown_verdict_must_be_meant),
      cmocka_unit_test(wrong_words_are_clear_errors),
      cmocka_unit_test(wrong_hellos_are_clear_errors),
      cmocka_unit_test(a_refused_choice_ends_the_search),
      cmocka_unit_test(names_are_opened_in_a_scope_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
