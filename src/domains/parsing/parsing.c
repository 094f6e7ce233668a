/* Backtracking parsing as a domain: names, presets, traces, answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/parsing/parsing_env.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/stop.h"
#include "domains/resolve.h"

static int32_t vocab_size(const sw_domain_options *o) {
  (void)o;
  return SW_PARSING_VOCAB;
}

static const char *const FORMATS[] = {"tried", "paper", NULL};
static const char *const EXPERTS[] = {"ordered", NULL};
static const char *const TOO_LONG[] = {"drop", "cut", NULL};
static const char *const RULES[] = {
#define X(id, name, ...) name,
    SW_PARSING_RULES(X)
#undef X
        NULL};
static const char *const COUNTERS[] = {
#define X(field, name) name,
    SW_PARSING_COUNTERS(X)
#undef X
        NULL};

/* Results and data sets are kept under a hash of the grammar's rules, not under
 * the file's name. A file that a model names is not opened; its stored hash is
 * used. */
static int hash_grammar(sw_parsing_options *own, sw_err *err) {
  enum { BITS = 52 }; /* what a number of JSON holds */
  char *text;
  size_t bytes;
  if (own->grammar && !strcmp(own->grammar, SW_PATH_WITHHELD)) return SW_OK;
  own->grammar_hash = 0;
  if (!own->grammar || !*own->grammar) return SW_OK;
  SW_TRY(sw_read_file(own->grammar, SW_GRAMMAR_BYTES, &text, &bytes, err));
  own->grammar_hash = (int64_t)(sw_xxh64(text, bytes, 0) >> (64 - BITS)) + 1;
  free(text);
  return SW_OK;
}

static int resolve(sw_domain_options *o, sw_err *err) {
  int fair = o->preset == 0;
  SW_TRY(hash_grammar(sw_parsing_own_edit(o), err));
  if (o->n < 0) o->n = 30;
  if (o->max_blocks < 0) o->max_blocks = fair ? 64 : 0;
  if (o->max_tokens < 0) o->max_tokens = fair ? 0 : 2048;
  if (o->exclude < 0) o->exclude = fair ? 5000 : 0;
  if (o->n < 1)
    return sw_fail(err, SW_USAGE, "parsing: --n %d is not in 1..4096", o->n);
  SW_TRY(sw_resolve_text(&o->format, "parsing", "format", FORMATS,
                         fair ? "tried" : "paper", err));
  SW_TRY(sw_resolve_text(&o->expert, "parsing", "expert", EXPERTS, "ordered",
                         err));
  return sw_resolve_text(&o->too_long, "parsing", "too-long", TOO_LONG, "drop",
                         err);
}

static void budgets(const sw_domain_options *o, int64_t *decisions,
                    int64_t *tokens, int64_t *instances) {
  *decisions = o->preset == 0 ? 500 : 2048;
  *tokens = o->preset == 0 ? 0 : 2048;
  *instances = 300;
}

static int recognises(const sw_domain *domain, const char *path,
                      const char *text, size_t bytes) {
  (void)domain;
  static const char ending[] = ".sentence";
  size_t length = strlen(path), tail = sizeof ending - 1;
  (void)text;
  (void)bytes;
  return length > tail && !strcmp(path + length - tail, ending);
}

static int32_t instance_size(const sw_instance *instance) {
  return instance->length;
}

static int instance_fits(const sw_instance *instance,
                         const sw_domain_options *options, char *why,
                         size_t room) {
  if (instance->length <= options->n) return 1;
  snprintf(why, room, "it has %d words, the model was trained on %d",
           (int)instance->length, options->n);
  return 0;
}

int sw_parsing_write_trace(sw_env *e, const sw_instance *instance,
                           const sw_domain_options *o, sw_trace *trace,
                           sw_err *err) {
  int cut = !strcmp(o->too_long, "cut");
  sw_trace_clear(trace);
  SW_TRY(sw_parsing_env_reset(e, instance, err));
  sw_parsing_write_prefix(e, trace);
  trace->terminal = SW_TRACE_RUNNING;
  while (trace->terminal == SW_TRACE_RUNNING) {
    sw_env_status status = sw_parsing_prompt(e, trace);
    if (status == SW_ENV_SOLVED) trace->terminal = SW_TRACE_SOLVED;
    else if (status == SW_ENV_FAILED) trace->terminal = SW_TRACE_UNSAT;
    else sw_parsing_feed(e, sw_parsing_expert_choice(e), trace);
    if (trace->failed || e->machine.event == SW_PARSE_MEMORY)
      return sw_no_memory(err);
    if (sw_trace_too_long(o, trace)) {
      if (!cut)
        return sw_fail(err, SW_LIMIT, "the trace has more than %lld tokens",
                       (long long)trace->length);
      sw_trace_truncate_blocks(trace, trace->blocks - 1);
      trace->terminal = SW_TRACE_CUT;
      break;
    }
    trace->decisions = (int32_t)e->count.taken;
    trace->conflicts = trace->backtracks = (int32_t)e->backs;
  }
  return SW_OK;
}

static int write_trace(const sw_instance *instance,
                       const sw_domain_options *options, sw_mt *mt,
                       sw_trace *trace, sw_err *err) {
  static const sw_rules rules = {.writing_trace = 1};
  sw_env *env;
  (void)mt; /* the expert makes no errors */
  SW_TRY(sw_parsing_env_new(&env, options, &rules, err));
  int code = sw_parsing_write_trace(env, instance, options, trace, err);
  sw_parsing_env_free(env);
  return code;
}

static int is_retry(const sw_env *e) {
  return e->status == SW_ENV_QUERY && sw_parse_failed(&e->machine) != 0;
}

static int executed(const sw_env *e) { return e->executed; }

static const char *reason(const sw_env *e) { return e->reason; }

static void counters(const sw_env *e, int64_t *explicit_back,
                     int64_t *silent_back) {
  *explicit_back = e->backs;
  *silent_back = 0;
}

static int check_solution(const sw_env *e) {
  return sw_parse_derive(&e->machine, NULL);
}

static void state_key(const sw_env *e, uint64_t key[2]) {
  key[0] = e->key[0];
  key[1] = e->key[1];
}

static int32_t depth(const sw_env *e) { return e->machine.frames; }

static void extra(const sw_env *e, int64_t *values) {
#define X(field, name) *values++ = e->count.field;
  SW_PARSING_COUNTERS(X)
#undef X
}

/* Names of the published grammar; a terminal on the stack is marked with $ to
 * tell it from the input word. */
static int token_text(const sw_domain *domain, int32_t token, char *buffer,
                      size_t room) {
  (void)domain;
  static const char symbols[17][10] = {
      "expr", "call",    "index",    "tuple",  "paren",   "neg",
      "atom", "arglist", "exprlist", "$IDENT", "$NUMBER", "$(",
      "$)",   "$[",      "$]",       "$,",     "$-"};
#define X(name, id) \
  if (token == id) return snprintf(buffer, room, "%s", #name);
  SW_PARSING_WORDS(X)
#undef X
  if (token >= 10 && token < 36)
    return snprintf(buffer, room, "%c", 'a' + token - 10);
  if (token >= 36 && token < 46)
    return snprintf(buffer, room, "%c", '0' + token - 36);
  if (token >= 46 && token < 52)
    return snprintf(buffer, room, "%c", "()[],-"[token - 46]);
  if (token >= SW_PARSING_SYMBOL && token < SW_PARSING_SYMBOL + 17)
    return snprintf(buffer, room, "%s", symbols[token - SW_PARSING_SYMBOL]);
  if (token >= SW_PARSING_ALT && token < SW_PARSING_VOCAB)
    return snprintf(buffer, room, "ALT_%d", token - SW_PARSING_ALT);
  return snprintf(buffer, room, "<%d>", token);
}

static int answer(const sw_env *e, char **text, sw_err *err) {
  size_t bytes;
  *text = NULL;
  if (!check_solution(e))
    return sw_fail(err, SW_USAGE, "the sentence is not parsed");
  *text = NULL;
  FILE *out = open_memstream(text, &bytes);
  if (!out) return sw_no_memory(err);
  fputc('v', out);
  sw_parse_derive(&e->machine, out);
  fputc('\n', out);
  if (sw_memory_close(out, text)) return SW_OK;
  return sw_no_memory(err);
}

/* Ordered choice comes first: its derivation is the expert's. If it finds none,
 * nothing is proven, because it commits; and nested parentheses take it
 * exponential time. */
static int derive(sw_parse_machine *m, double seconds, int *verdict,
                  const char **how, sw_err *err) {
  enum { EVENTS = 100000 }; /* a second or two of a long sentence */
  sw_stop_scope whole, half;
  sw_stop_enter(&whole, seconds > 0 ? seconds : 0, NULL, NULL);
  double left = sw_time_left(0);
  sw_stop_enter(&half, left > 0 ? left / 2 : 0, NULL, NULL);
  int found = sw_parse_finish(m, EVENTS);
  sw_stop_leave(&half);
  *how = "ordered choice, lowest alternative first";
  if (!found && m->event != SW_PARSE_MEMORY) {
    found = sw_parse_any(m);
    *how = found > 0    ? "a table of where each rule can end"
           : found == 0 ? "a table of where each rule can end: no derivation"
                        : "no derivation found in time";
  }
  int stopped = found < 0 && sw_time_to_stop();
  sw_stop_leave(&whole);
  if (m->event == SW_PARSE_MEMORY && !stopped) return sw_no_memory(err);
  *verdict = found > 0 ? 10 : found == 0 ? 20 : 0;
  return SW_OK;
}

static int solve_direct(const sw_instance *instance,
                        const sw_domain_options *options, double seconds,
                        int *verdict, char **text, char *note, size_t note_room,
                        sw_err *err) {
  static const sw_rules rules = {0};
  sw_env *env;
  *verdict = 0;
  *text = NULL;
  SW_TRY(sw_parsing_env_new(&env, options, &rules, err));
  int code = sw_parsing_env_reset(env, instance, err);
  if (!code) {
    const char *how;
    code = derive(&env->machine, seconds, verdict, &how, err);
    if (!code) snprintf(note, note_room, "%s", how);
    if (!code && *verdict == 10) code = answer(env, text, err);
  }
  sw_parsing_env_free(env);
  return code;
}

static const sw_search_ops search = {
    .rule.names = RULES,
    .rule.exact = "lowest",
    .rule.trivial = "never-back",
    .rule.onward = "look-ahead",
    .rule.best = "look-ahead",
    .budgets = budgets,
    .env_new = sw_parsing_env_new,
    .env_reset = sw_parsing_env_reset,
    .env_free = sw_parsing_env_free,
    .write_prefix = sw_parsing_write_prefix,
    .prompt = sw_parsing_prompt,
    .candidates = sw_parsing_candidates,
    .in_conflict = sw_parsing_in_conflict,
    .at_root = sw_parsing_at_root,
    .feed = sw_parsing_feed,
    .go_back = sw_parsing_go_back,
    .is_retry = is_retry,
    .executed = executed,
    .reason = reason,
    .counters = counters,
    .check_solution = check_solution,
    .state_key = state_key,
    .depth = depth,
    .expert_choice = sw_parsing_expert_choice,
    .rule.choose = sw_parsing_rule_choice,
    .back_counts = 0,
    .truth.doomed = sw_parsing_doomed,
    .tell.answer = answer,
    .tell.extra_names = COUNTERS,
    .tell.extra = extra,
    .trouble = sw_parsing_trouble,
};

static const sw_option option_table[] = {SW_TASK_ROWS(
    "longest input in words") SW_TASK_BLOCK_ROWS SW_TASK_EXCLUDE_ROWS
#define X(...) SW_OWN_ROW(sw_parsing_options, __VA_ARGS__)
                                             SW_PARSING_OPTIONS(X)
#undef X
};

const sw_domain sw_domain_parsing = {
    .name = "parsing",
    .summary =
        "backtracking parsing: choose alternatives of an ordered grammar",
    .formats = FORMATS,
    .experts = EXPERTS,
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .vocab_size = vocab_size,
    .resolve = resolve,
    .stream_new = sw_parsing_stream_new,
    .stream_next = sw_parsing_stream_next,
    .stream_free = sw_parsing_stream_free,
    .file.recognises = recognises,
    .file.parse = sw_parsing_instance_parse,
    .instance_free = sw_parsing_instance_free,
    .instance_hash = sw_parsing_instance_hash,
    .instance_size = instance_size,
    .instance_fits = instance_fits,
    .write_trace = write_trace,
    .lexicon = &sw_parsing_lexicon,
    .token_text = token_text,
    .back_token = SW_PARSING_BACKTRACK,
    .file.solve = solve_direct,
    .file.verify = sw_parsing_verify,
    .file.as_read = sw_parsing_as_read,
    .search = &search,
};
