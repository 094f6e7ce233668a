/* Making a domain of an environment's table (see outside.h). */
#include "domains/outside/outside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "domains/word_lexicon.h"

static const char *const formats[] = {"words", NULL};
static const char *const experts[] = {"", NULL};

static int32_t vocab_size(const sw_domain_options *o) {
  return sw_outside_of(o->domain)->words.count;
}

static uint64_t instance_hash(const sw_instance *i) { return i->hash; }
static int32_t instance_size(const sw_instance *i) { return i->tokens; }

static int instance_fits(const sw_instance *i, const sw_domain_options *o,
                         char *why, size_t room) {
  (void)i;
  (void)o;
  snprintf(why, room, "it fits");
  return 1;
}

static int in_conflict(const sw_env *e) {
  return e->now.conflict && e->now.over == SW_ENV_QUERY;
}
static int at_root(const sw_env *e) { return e->depth == 0; }
static int32_t depth(const sw_env *e) { return e->depth; }
static const char *reason(const sw_env *e) { return e->reason; }
static int executed(const sw_env *e) { return e->executed; }

static int is_retry(const sw_env *e) {
  return e->asking == SW_OUT_ASKING && e->now.open < e->now.choices;
}

static void counters(const sw_env *e, int64_t *explicit_back,
                     int64_t *silent_back) {
  *explicit_back = e->explicit_back;
  *silent_back = e->silent_back;
}

static void state_key(const sw_env *e, uint64_t key[2]) {
  memcpy(key, e->now.key, sizeof e->now.key);
}

static void keep(const sw_env *e, int code, const char *call, sw_err *err) {
  sw_outside_failed(code, call, err);
  if (code && !e->trouble->code) *e->trouble = *err;
}

/* The environment's own check of the solution; without one its claim counts. */
static int check_solution(const sw_env *e) {
  statewise_checked checked = {0};
  sw_err err = {0};
  if (!e->of->calls.check) return 1;
  int code =
      e->of->calls.check(e->search, &checked, (statewise_error *)(void *)&err);
  keep(e, code, "check", &err);
  return !code && checked.right;
}

static int doomed(sw_env *e) {
  int says = 0;
  sw_err err = {0};
  if (e->asking == SW_OUT_ENDED || in_conflict(e)) return 0;
  int code =
      e->of->calls.doomed(e->search, &says, (statewise_error *)(void *)&err);
  keep(e, code, "doomed", &err);
  return !code && says != 0;
}

static int trouble(const sw_env *e, sw_err *err) {
  if (e->trouble->code && err) *err = *e->trouble;
  return e->trouble->code;
}

static int shows_verdict(const sw_domain_options *o) {
  return sw_outside_of(o->domain)->verdict_shown;
}

static void close_domain(const sw_domain *domain) {
  sw_outside *of = domain->self;
  sw_pool_close(of->pool);
  sw_words_free(&of->words);
  free(of->name);
  free(of->rules);
  free(of);
}

static const sw_search_ops search_ops = {.rule.names = sw_outside_rules,
                                         .rule.trivial = "first",
                                         .rule.onward = "first",
                                         .budgets = sw_outside_budgets,
                                         .env_new = sw_outside_env_new,
                                         .env_reset = sw_outside_env_reset,
                                         .env_free = sw_outside_env_free,
                                         .write_prefix = sw_outside_prefix,
                                         .prompt = sw_outside_prompt,
                                         .candidates = sw_outside_candidates,
                                         .in_conflict = in_conflict,
                                         .at_root = at_root,
                                         .feed = sw_outside_feed,
                                         .go_back = sw_outside_go_back,
                                         .is_retry = is_retry,
                                         .reason = reason,
                                         .executed = executed,
                                         .counters = counters,
                                         .check_solution = check_solution,
                                         .state_key = state_key,
                                         .depth = depth,
                                         .expert_choice = sw_outside_expert,
                                         .rule.choose = sw_outside_rule,
                                         .truth.doomed = doomed,
                                         .shows_verdict = shows_verdict,
                                         .tell.answer = sw_outside_answer,
                                         .tell.state = sw_outside_state_words,
                                         .trouble = trouble};

static const sw_domain domain_table = {
    .close = close_domain,
    .summary = "an environment of your own",
    .formats = formats,
    .experts = experts,
    .options = sw_outside_table,
    .option_count = SW_OUTSIDE_TABLE_COUNT,
    .vocab_size = vocab_size,
    .resolve = sw_outside_resolve,
    .stream_new = sw_outside_stream_new,
    .stream_next = sw_outside_stream_next,
    .stream_free = sw_outside_stream_free,
    .stream_left_out = sw_outside_left_out,
    .stream_skip = sw_outside_stream_skip,
    .file.parse = sw_outside_parse,
    .instance_free = sw_outside_instance_free,
    .instance_hash = instance_hash,
    .instance_size = instance_size,
    .instance_fits = instance_fits,
    .write_trace = sw_outside_write_trace,
    .token_text = sw_word_text,
    .lexicon = &sw_outside_lexicon};

const sw_domain sw_outside_kind = {
    .name = "exec:COMMAND",
    .summary = "an environment of your own: a program that answers in JSON",
    .options = sw_outside_table,
    .option_count = SW_OUTSIDE_TABLE_COUNT};

/* ---- hello ---- */

static int take_words(sw_outside *of, const statewise_hello *h, sw_err *err) {
  for (const char *const *w = h->words; w && *w; w++)
    SW_TRY(sw_words_add(&of->words, *w, strlen(*w), err));
  if (!of->words.count) return sw_fail(err, SW_DATA, "no words");
  if (!h->back) return sw_fail(err, SW_DATA, "no word for going back");
  return sw_words_set_back(&of->words, h->back, err);
}

static uint64_t mix(uint64_t hash, const char *text) {
  return sw_xxh64(text ? text : "", text ? strlen(text) + 1 : 0, hash);
}

static int64_t hash_hello(const sw_outside *of, const statewise_hello *h) {
  const int64_t number[] = {h->seeded,    h->expert,       h->doomed,
                            h->check,     h->decisions,    h->tokens,
                            h->instances, h->verdict_shown};
  char words[17];
  sw_words_hash(&of->words, words);
  uint64_t hash = mix(mix(mix(0, h->name), words), h->rules);
  hash = sw_xxh64(number, sizeof number, hash);
  return (int64_t)(hash >> 12) + 1; /* the range of whole numbers that JSON
                                     * keeps exactly */
}

static int copy_text(char **to, const char *text, sw_err *err) {
  *to = text ? strdup(text) : NULL;
  return text && !*to ? sw_no_memory(err) : SW_OK;
}

static int take_hello(sw_outside *of, const statewise_hello *h, sw_err *err) {
  if (!h->name) return sw_fail(err, SW_DATA, "no name");
  SW_TRY(copy_text(&of->name, h->name, err));
  SW_TRY(copy_text(&of->rules, h->rules, err));
  if (h->decisions < 0 || h->tokens < 0 || h->instances < 0)
    return sw_fail(err, SW_DATA, "a limit below 0");
  SW_TRY(take_words(of, h, err));
  of->seeded = h->seeded != 0;
  of->verdict_shown = h->verdict_shown != 0;
  of->decisions = h->decisions;
  of->tokens = h->tokens;
  of->instances = h->instances;
  of->hash = hash_hello(of, h);
  if (!h->expert) of->calls.expert = NULL;
  if (!h->doomed) of->calls.doomed = NULL;
  if (!h->check) of->calls.check = NULL;
  return SW_OK;
}

/* A caller's table may be shorter than ours, or longer. */
static int take_table(sw_outside *of, const statewise_environment *e,
                      sw_err *err) {
  size_t least = offsetof(statewise_environment, expert);
  if (e->size < least)
    return sw_fail(err, SW_USAGE, "the environment's table is too small");
  size_t bytes = e->size < sizeof of->calls ? e->size : sizeof of->calls;
  memcpy(&of->calls, e, bytes);
  const statewise_environment *c = &of->calls;
  if (c->hello && c->start && c->look && c->take && c->back && c->end)
    return SW_OK;
  sw_fail(err, SW_USAGE, "the environment's table lacks a function");
  return sw_hint(err, "hello, start, look, take, back and end must be there");
}

/* Phrases of the lexicon have limited room. */
static int words_are_short(const sw_words *words) {
  for (int32_t i = 0; i < words->count; i++)
    if (strlen(sw_words_text(words, i)) + 2 > SW_PHRASE_ROOM) return 0;
  return 1;
}

static void fill_domain(sw_outside *of) {
  const statewise_environment *c = &of->calls;
  of->search = search_ops;
  of->domain = domain_table;
  of->domain.name = of->name;
  of->domain.self = of;
  of->domain.words = &of->words;
  of->domain.back_token = sw_words_back(&of->words);
  of->domain.search = &of->search;
  if (c->expert) of->search.rule.exact = of->search.rule.best = "expert";
  if (!c->doomed) of->search.truth.doomed = NULL;
  if (!words_are_short(&of->words)) of->domain.lexicon = NULL;
}

/* The pool, if any, belongs to the domain; refused, it stays the caller's. */
static int open_table(const statewise_environment *table, sw_pool *pool,
                      const sw_domain **domain, sw_err *err) {
  statewise_hello hello = {0};
  sw_outside *of = calloc(1, sizeof *of);
  if (!of) return sw_no_memory(err);
  int code = take_table(of, table, err);
  if (!code) {
    code = of->calls.hello(of->calls.context, &hello,
                           (statewise_error *)(void *)err);
    if (!code) code = take_hello(of, &hello, err);
    if (code) sw_context(err, "the environment's hello");
    if (code && err) err->code = code;
  }
  if (!code) {
    fill_domain(of);
    code = sw_domain_register(&of->domain, err);
  }
  if (code) {
    of->domain.self = of;
    close_domain(&of->domain);
    return code;
  }
  of->pool = pool;
  *domain = &of->domain;
  return SW_OK;
}

int sw_outside_is(const sw_domain *domain) {
  return domain && domain->close == close_domain;
}

int sw_outside_register(const statewise_environment *environment,
                        const sw_domain **domain, sw_err *err) {
  if (err) memset(err, 0, sizeof *err);
  return open_table(environment, NULL, domain, err);
}

int sw_outside_command(const char *command, const sw_domain **domain,
                       sw_err *err) {
  const sw_domain_settings *settings = sw_domain_scope_settings();
  const sw_pool_options options = {.seconds = settings->seconds,
                                   .log = settings->log};
  sw_pool *pool;
  if (!command[strspn(command, " \t\n")]) {
    sw_fail(err, SW_USAGE, "exec: names no command");
    return sw_hint(err, "for example --domain \"exec:python3 queens.py\"");
  }
  SW_TRY(sw_pool_open(&pool, command, &options, err));
  int code = open_table(sw_pool_table(pool), pool, domain, err);
  if (code) sw_pool_close(pool);
  return code;
}
