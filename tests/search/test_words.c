/* Searches in words: every phrase reads back, whole conversations of random
 * searches in every domain and format read back to the same trace and
 * candidates, and what is not such a conversation is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/rng.h"
#include "search/words.h"

static void options_of(const sw_domain *domain, const char *format,
                       sw_domain_options *o) {
  sw_err err = {0};
  sw_domain_defaults(domain, o);
  o->format = format;
  o->n = strcmp(domain->name, "blocks") ? 12 : 4;
  if (domain->resolve(o, &err)) fail_msg("%s", err.text);
}

/* Any two phrases in a row read back as these two tokens, and no two tokens
 * share a phrase or the name of a choice. */
static void pairs_of_phrases(const sw_domain *domain) {
  sw_domain_options o;
  sw_language *language;
  sw_trace trace;
  sw_err err = {0};
  options_of(domain, NULL, &o);
  assert_int_equal(sw_language_new(&language, domain, &o, &err), SW_OK);
  sw_trace_init(&trace);
  int32_t vocab = domain->vocab_size(&o);
  int step = vocab > 400 ? 37 : 1; /* enough of the millions of pairs */
  for (int32_t a = 0; a < vocab; a++)
    for (int32_t b = a % step; b < vocab; b += step) {
      char text[2 * SW_PHRASE_ROOM];
      int length = domain->lexicon->phrase(domain, a, text, SW_PHRASE_ROOM);
      assert_in_range(length, 1, SW_PHRASE_ROOM - 1);
      length +=
          domain->lexicon->phrase(domain, b, text + length, SW_PHRASE_ROOM);
      sw_trace_clear(&trace);
      sw_trace_begin_block(&trace);
      if (sw_language_read(language, text, (size_t)length, &trace, &err) ||
          trace.length != 2 || trace.token[0] != a || trace.token[1] != b)
        fail_msg("%s: tokens %d %d, `%s`, read as %d tokens, %d %d",
                 domain->name, a, b, text, (int)trace.length,
                 trace.length > 0 ? trace.token[0] : -1,
                 trace.length > 1 ? trace.token[1] : -1);
    }
  static char choice[4096][SW_PHRASE_ROOM];
  assert_in_range(vocab, 1, 4096);
  for (int32_t a = 0; a < vocab; a++)
    domain->lexicon->choice(domain, a, choice[a], SW_PHRASE_ROOM);
  for (int32_t a = 0; a < vocab; a++)
    for (int32_t b = a + 1; b < vocab; b++)
      if (!strcmp(choice[a], choice[b]))
        fail_msg("%s: tokens %d and %d are both the choice `%s`", domain->name,
                 a, b, choice[a]);
  sw_trace_free(&trace);
  sw_language_free(language);
}

static void phrases_read_back(void **state) {
  (void)state;
  int domains = 0;
  for (int i = 0; sw_domains[i]; i++)
    if (sw_domains[i]->search) {
      assert_non_null(sw_domains[i]->lexicon);
      pairs_of_phrases(sw_domains[i]);
      domains++;
    }
  assert_int_equal(domains, 4);
}

/* ---- conversations ---- */

typedef struct walk {
  const sw_domain *domain;
  sw_domain_options options;
  sw_language *language;
  sw_trace trace, read;
  sw_asked asked;
  const sw_cand *cand;
  int count;
  int64_t questions, answers;
} walk;

static void compare_tail(const walk *w, int64_t from, int64_t at) {
  assert_int_equal(w->read.length - at, w->trace.length - from);
  assert_memory_equal(w->read.token + at, w->trace.token + from,
                      sizeof(int32_t) * (size_t)(w->trace.length - from));
}

static void check_question(walk *w, int rebuilt, int flat) {
  sw_err err = {0};
  sw_messages messages = {0}, copy = {0};
  sw_told told = {.domain = w->domain,
                  .options = &w->options,
                  .trace = &w->trace,
                  .asked = &w->asked,
                  .rebuilt = rebuilt,
                  .cand = w->cand,
                  .count = w->count};
  int32_t candidate[SW_WORDS_CHOICES], count;
  assert_int_equal(sw_words_write(&told, &messages, &err), SW_OK);
  w->answers += messages.count / 2 - 1;
  if (flat) {
    char *prompt = sw_messages_flat(&messages);
    if (sw_messages_split(&copy, prompt, &err)) fail_msg("%s", err.text);
    free(prompt);
    assert_int_equal(copy.count, messages.count);
    for (int i = 0; i < copy.count; i++) {
      assert_int_equal(copy.item[i].role, messages.item[i].role);
      assert_string_equal(copy.item[i].text, messages.item[i].text);
    }
  }
  assert_true(sw_language_owns(w->language, &messages));
  if (sw_words_read(w->language, flat ? &copy : &messages, &w->read, candidate,
                    &count, &err))
    fail_msg("%s: %s\n%s", w->domain->name, err.text,
             messages.item[messages.count - 1].text);
  assert_int_equal(count, w->count);
  for (int i = 0; i < count; i++)
    assert_int_equal(candidate[i], w->cand[i].token);
  int64_t prefix = w->trace.block_start[1];
  assert_memory_equal(w->read.token, w->trace.token,
                      sizeof(int32_t) * (size_t)prefix);
  assert_int_equal(w->read.block_start[1], prefix);
  if (rebuilt) {
    assert_int_equal(w->read.blocks, 2);
    compare_tail(w, w->trace.block_start[w->trace.blocks - 1], prefix);
  } else {
    assert_int_equal(w->read.blocks, w->trace.blocks);
    assert_memory_equal(w->read.block_start, w->trace.block_start,
                        sizeof(int64_t) * (size_t)w->trace.blocks);
    compare_tail(w, 0, 0);
  }
  sw_messages_free(&messages);
  sw_messages_free(&copy);
}

/* A random search: mostly legal choices, sometimes going back for nothing. */
static void random_search(walk *w, sw_env *env, sw_xoshiro *rng) {
  const sw_search_ops *s = w->domain->search;
  sw_env_status status = SW_ENV_BLOCK_END;
  for (int turn = 0; turn < 60; turn++) {
    if (status == SW_ENV_BLOCK_END) status = s->prompt(env, &w->trace);
    if (status != SW_ENV_QUERY) break;
    w->cand = s->candidates(env, &w->count);
    if (w->count > 1) {
      w->questions++;
      check_question(w, turn % 2, turn % 3 == 0);
      assert_true(sw_asked_note(&w->asked, w->trace.length, w->cand, w->count));
    }
    int legal[SW_WORDS_CHOICES], options = 0, back = -1;
    for (int i = 0; i < w->count; i++)
      if (w->cand[i].kind == SW_CAND_CONTINUE) legal[options++] = i;
      else if (w->cand[i].kind == SW_CAND_BACK) back = i;
    int go_back = back >= 0 && (!options || sw_xoshiro_unit(rng) < 0.15);
    if (go_back && s->at_root(env) && !s->in_conflict(env)) go_back = 0;
    if (!go_back && !options) break;
    if (go_back) status = s->go_back(env, &w->trace);
    else
      status = s->feed(
          env, w->cand[legal[sw_xoshiro_below(rng, (uint64_t)options)]].token,
          &w->trace);
  }
}

static void searches_of(const sw_domain *domain, const char *format) {
  static const sw_rules rules = {0};
  walk w = {.domain = domain};
  sw_env *env;
  sw_stream *stream;
  sw_err err = {0};
  sw_xoshiro rng;
  options_of(domain, format, &w.options);
  sw_trace_init(&w.trace);
  sw_trace_init(&w.read);
  assert_int_equal(sw_language_new(&w.language, domain, &w.options, &err),
                   SW_OK);
  assert_int_equal(domain->search->env_new(&env, &w.options, &rules, &err),
                   SW_OK);
  assert_int_equal(
      domain->stream_new(&stream, &w.options, 7, SW_SPLIT_TEST, &err), SW_OK);
  sw_xoshiro_seed(&rng, 11);
  for (int game = 0; game < 10; game++) {
    sw_instance *instance;
    assert_int_equal(domain->stream_next(stream, &instance, &err), SW_OK);
    assert_int_equal(domain->search->env_reset(env, instance, &err), SW_OK);
    sw_trace_clear(&w.trace);
    sw_asked_clear(&w.asked);
    domain->search->write_prefix(env, &w.trace);
    random_search(&w, env, &rng);
    domain->instance_free(instance);
  }
  assert_true(w.questions > 20 && w.answers > 20);
  domain->stream_free(stream);
  domain->search->env_free(env);
  sw_language_free(w.language);
  sw_asked_free(&w.asked);
  sw_trace_free(&w.trace);
  sw_trace_free(&w.read);
}

static void conversations_read_back(void **state) {
  (void)state;
  for (int i = 0; sw_domains[i]; i++)
    for (int f = 0; sw_domains[i]->search && sw_domains[i]->formats[f]; f++)
      searches_of(sw_domains[i], sw_domains[i]->formats[f]);
}

/* ---- what is refused ---- */

static void build(sw_messages *m, const char *const *text, int count) {
  for (int i = 0; i < count; i++)
    sw_messages_add(m, i % 2 ? SW_ASSISTANT : SW_USER, text[i],
                    strlen(text[i]));
}

static void other_prompts_are_refused(void **state) {
  (void)state;
  static const char first[] =
      "Problem\nFormula, clause after clause: C0: +v0 +v1 -v2.\nThis is all of "
      "it.\n\nSituation\nState: v0 open v1 open v2 open.\n\n\nChoices\n"
      "1. go back\n2. v0\nAnswer with one number.";
  static const char second[] =
      "Choices\n1. true\n2. false\nAnswer with one number.";
  static const struct {
    const char *text[3];
    int count;
    const char *says; /* NULL: it reads */
  } cases[] = {
      {{first}, 1, NULL},
      {{first, "2", second}, 3, NULL},
      {{first, " 2\n", second}, 3, NULL},
      {{"Hello, who are you?"}, 1, "message 1"},
      {{""}, 1, "message 1"},
      {{second}, 1, "no problem"},
      {{first, "3", second}, 3, "message 2: `3` is not the number"},
      {{first, "two", second}, 3, "message 2: `two` is not the number"},
      {{first, "2"}, 2, "the last message asks no question"},
      {{first, "2", "Situation\nState: v0 open.\n"}, 3, "message 3"},
      {{first, "2", first}, 3, "message 3"},
      {{first, "2", "Choices\n1. true\n3. false\nAnswer with one number."},
       3,
       "not choice number 2"},
      {{first, "2", "Choices\n1. perhaps\nAnswer with one number."},
       3,
       "not choice number 1"},
      {{first, "2",
        "Then\n kindly\n\nChoices\n1. true\nAnswer with one number."},
       3,
       "` kindly` is not said"},
  };
  const sw_domain *sat = sw_domain_find("sat");
  sw_domain_options o;
  sw_language *language;
  sw_trace trace;
  sw_err err = {0};
  options_of(sat, "evidence", &o);
  assert_int_equal(sw_language_new(&language, sat, &o, &err), SW_OK);
  sw_trace_init(&trace);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sw_messages m = {0};
    int32_t candidate[SW_WORDS_CHOICES], count;
    err = (sw_err){0};
    build(&m, cases[i].text, cases[i].count);
    int code = sw_words_read(language, &m, &trace, candidate, &count, &err);
    if (!cases[i].says) {
      if (code) fail_msg("case %d: %s", (int)i, err.text);
      assert_int_equal(trace.blocks, 2);
    } else if (code != SW_DATA || !strstr(err.text, cases[i].says)) {
      fail_msg("case %d: code %d, %s", (int)i, code, err.text);
    }
    sw_messages_free(&m);
  }
  sw_messages m = {0};
  sw_messages_add(&m, SW_SYSTEM, "Be nice.", 8);
  sw_messages_add(&m, SW_USER, first, strlen(first));
  int32_t candidate[SW_WORDS_CHOICES], count;
  assert_int_equal(sw_words_read(language, &m, &trace, candidate, &count, &err),
                   SW_DATA);
  assert_non_null(strstr(err.text, "system message"));
  sw_messages_free(&m);
  assert_int_equal(sw_messages_split(&m, "Once upon a time", &err), SW_DATA);
  sw_messages_free(&m);
  sw_trace_free(&trace);
  sw_language_free(language);
}

/* As long as the server takes it, in as many parts as there is room for: read
 * in one pass. (With a search through the rest for every part it took minutes.)
 */
static void a_message_of_many_parts(void **state) {
  (void)state;
  enum { PARTS = 150000, ROOM = 4 << 20 };
  static const char part[] = "\n\nSituation\nState: v0 open";
  const sw_domain *sat = sw_domain_find("sat");
  sw_domain_options o;
  sw_language *language;
  sw_trace trace;
  sw_err err = {0};
  sw_messages m = {0};
  int32_t candidate[SW_WORDS_CHOICES], count;
  char *text = malloc(ROOM), *at = text;
  assert_non_null(text);
  options_of(sat, "evidence", &o);
  assert_int_equal(sw_language_new(&language, sat, &o, &err), SW_OK);
  sw_trace_init(&trace);
  at = stpcpy(at,
              "Problem\nFormula, clause after clause: C0: +v0 +v1 -v2.\nThis "
              "is all of it.");
  for (int i = 0; i < PARTS; i++) at = stpcpy(at, part);
  at = stpcpy(at, "\n\nChoices\n1. go back\n2. v0\nAnswer with one number.");
  assert_true(at < text + ROOM);
  sw_messages_add(&m, SW_USER, text, (size_t)(at - text));
  alarm(60); /* against hangs */
  if (sw_words_read(language, &m, &trace, candidate, &count, &err))
    fail_msg("%s", err.text);
  alarm(0);
  assert_int_equal(trace.blocks, PARTS + 1);
  assert_int_equal(count, 2);
  sw_messages_free(&m);
  sw_trace_free(&trace);
  sw_language_free(language);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(phrases_read_back),
      cmocka_unit_test(conversations_read_back),
      cmocka_unit_test(other_prompts_are_refused),
      cmocka_unit_test(a_message_of_many_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
