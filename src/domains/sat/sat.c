/* The SAT domain: its row of functions, its defaults. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "domains/domain.h"
#include "domains/resolve.h"
#include "domains/sat/answer.h"
#include "domains/sat/dimacs.h"
#include "domains/sat/sat_env.h"
#include "domains/sat/sat_generate.h"
#include "domains/sat/tokens.h"

static const char *const format_names[] = {
    "evidence", "enriched", "lexical", "stripped",  "minimal", "residual",
    "prop",     "full",     "touched", "self-scan", "self",    NULL};
static const char *const expert_names[] = {
#define X(id, name, text) name,
    SW_SAT_EXPERTS(X)
#undef X
        NULL};
static const char *const family_names[] = {
#define X(name, ...) name,
    SW_SAT_FAMILIES(X)
#undef X
        NULL};

enum { FAIR = 0, DEFAULT_SIZE = 50, FAIR_BLOCKS = 64, RELEASE_TOKENS = 4096 };
static const double default_error = 0.15;

static int resolve_names(sw_domain_options *o, sw_sat_options *own,
                         sw_err *err) {
  static const char *const long_traces[] = {"cut", "drop", NULL};
  int fair = o->preset == FAIR;
  SW_TRY(sw_resolve_text(&own->family, "sat", "family", family_names,
                         o->n > DEFAULT_SIZE && fair ? "phase" : "planted",
                         err));
  SW_TRY(sw_resolve_text(&o->format, "sat", "format", format_names,
                         fair ? "evidence" : "enriched", err));
  SW_TRY(sw_resolve_text(&o->expert, "sat", "expert", expert_names,
                         fair ? sw_sat_format_find(o->format)->expert : "vsids",
                         err));
  return sw_resolve_text(&o->too_long, "sat", "too-long", long_traces,
                         fair ? "cut" : "drop", err);
}

static int resolve(sw_domain_options *o, sw_err *err) {
  int fair = o->preset == FAIR;
  sw_sat_options *own = sw_sat_own_edit(o);
  if (o->n < 0) o->n = DEFAULT_SIZE;
  SW_TRY(resolve_names(o, own, err));
  if (own->ratio < 0) own->ratio = sw_sat_family_find(own->family)->ratio;
  if (own->retry_mark < 0)
    own->retry_mark = fair || strcmp(o->format, "evidence") == 0;
  if (own->error < 0) own->error = default_error;
  if (o->max_blocks < 0) o->max_blocks = fair ? FAIR_BLOCKS : 0;
  if (o->max_tokens < 0) o->max_tokens = fair ? 0 : RELEASE_TOKENS;
  if (o->n < 3)
    return sw_fail(err, SW_USAGE, "n is %d; a 3-SAT clause needs 3 variables",
                   o->n);
  return SW_OK;
}

static void budgets(const sw_domain_options *o, int64_t *decisions,
                    int64_t *tokens, int64_t *instances) {
  int fair = o->preset == FAIR;
  *decisions = fair && o->n > DEFAULT_SIZE ? 2000 : 500;
  *tokens = fair ? 0 : RELEASE_TOKENS;
  *instances = 200;
}

static int32_t vocab_size(const sw_domain_options *o) {
  (void)o;
  return SW_SAT_VOCAB;
}

static int instance_parse(sw_instance **instance, const char *path,
                          const char *text, size_t bytes,
                          const sw_domain_options *o, sw_err *err) {
  return sw_dimacs_parse(instance, path, text, bytes,
                         (sw_dimacs_level)sw_sat_own(o)->reading, err);
}

static uint64_t instance_hash(const sw_instance *f) { return f->hash; }

static int32_t instance_size(const sw_instance *f) { return f->n; }

static const char *instance_note(const sw_instance *f) {
  return f->note[0] ? f->note : NULL;
}

static int instance_fits(const sw_instance *f, const sw_domain_options *o,
                         char *why, size_t room) {
  (void)o;
  return sw_sat_fits(f, why, room);
}

static const char *env_reason(const sw_env *e) { return e->reason; }

static void counters(const sw_env *e, int64_t *explicit_back,
                     int64_t *silent_back) {
  *explicit_back = e->explicit_back;
  *silent_back = e->silent_back;
}

static int check_solution(const sw_env *e) {
  int8_t assignment[SW_SAT_MAX_VARS];
  sw_sat_assignment(&e->search, assignment);
  return sw_sat_satisfies(e->instance, assignment);
}

/* Assignment, conflict flag, depth, and which value of the open decision has
 * failed (the definition of "same state" in the diagnostics). Activity is
 * history and not part of it. */
static void state_key(const sw_env *e, uint64_t key[2]) {
  const sw_sat_search *s = &e->search;
  int32_t open = sw_sat_open_var(s);
  int32_t tail[5] = {s->n, s->conflict != SW_SAT_NO_CONFLICT, s->depth, open,
                     open >= 0 ? s->frame[s->depth - 1].failed : 0};
  for (uint64_t half = 0; half < 2; half++)
    key[half] = sw_xxh64(s->value, 2 * (size_t)s->n,
                         sw_xxh64(tail, sizeof tail, half + 1));
}

static int32_t depth(const sw_env *e) { return e->search.depth; }

static void pads(const sw_env *e, int64_t *count) {
  memcpy(count, e->pads, sizeof e->pads);
}

static int64_t pad_limit(const sw_domain_options *o, int64_t shown,
                         int32_t *end) {
  *end = SW_SAT_PROP_END;
  return sw_sat_pad_limit(sw_sat_format_find(o->format), shown);
}

static int shows_verdict(const sw_domain_options *o) {
  return sw_sat_format_find(o->format)->shows_verdict;
}

static const sw_search_ops search = {
    .rule.names = sw_sat_rule_names,
    .rule.exact = "clause+exact",
    .rule.trivial = "index+true",
    .rule.onward = "jw+own",
    .rule.best = "jw+exact",
    .back_midway = 1,
    .budgets = budgets,
    .env_new = sw_sat_env_new,
    .env_reset = sw_sat_env_reset,
    .env_free = sw_sat_env_free,
    .write_prefix = sw_sat_env_prefix,
    .prompt = sw_sat_env_prompt,
    .candidates = sw_sat_env_candidates,
    .in_conflict = sw_sat_env_in_conflict,
    .at_root = sw_sat_env_at_root,
    .feed = sw_sat_env_feed,
    .go_back = sw_sat_env_go_back,
    .is_retry = sw_sat_env_is_retry,
    .executed = sw_sat_env_executed,
    .reason = env_reason,
    .counters = counters,
    .check_solution = check_solution,
    .state_key = state_key,
    .depth = depth,
    .expert_choice = sw_sat_expert_choice,
    .rule.choose = sw_sat_rule_choice,
    .truth.doomed = sw_sat_env_doomed,
    .truth.size_names = sw_sat_size_names,
    .truth.size = sw_sat_env_size,
    .trouble = sw_sat_env_trouble,
    .truth.refute = sw_sat_env_refute,
    .pad.writes = sw_sat_env_writes,
    .pad.counts = pads,
    .pad.limit = pad_limit,
    .shows_verdict = shows_verdict,
    .tell.answer = sw_sat_answer,
    .tell.state = sw_sat_state_words,
};

static const sw_option option_table[] = {SW_TASK_ROWS("variables")
                                             SW_TASK_BLOCK_ROWS
#define X(...) SW_OWN_ROW(sw_sat_options, __VA_ARGS__)
                                                 SW_SAT_OPTIONS(X)
#undef X
};

static const sw_names names[] = {
    {"variables",
     3,
     1,
     {SW_SAT_POSITIVE, SW_SAT_NEGATIVE, SW_SAT_VARIABLE},
     SW_SAT_MAX_VARS},
    {"clauses", 1, 0, {SW_SAT_CLAUSE}, SW_SAT_MAX_CLAUSES},
    {.ranges = 0}};

const sw_domain sw_domain_sat = {
    .name = "sat",
    .summary = "3-SAT by unit propagation and backtracking",
    .formats = format_names,
    .experts = expert_names,
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .vocab_size = vocab_size,
    .resolve = resolve,
    .stream_new = sw_sat_stream_new,
    .stream_next = sw_sat_stream_next,
    .stream_free = sw_sat_stream_free,
    .stream_skip = sw_sat_stream_skip,
    .file.recognises = sw_dimacs_recognises,
    .file.parse = instance_parse,
    .instance_free = sw_sat_instance_free,
    .instance_hash = instance_hash,
    .instance_size = instance_size,
    .instance_fits = instance_fits,
    .file.note = instance_note,
    .write_trace = sw_sat_write_trace,
    .token.problem_span = sw_sat_problem_span,
    .token.parts = sw_sat_parts,
    .token.names = names,
    .lexicon = &sw_sat_lexicon,
    .token_text = sw_sat_token_text,
    .back_token = SW_SAT_CONFLICT,
    .pad_end = SW_SAT_PROP_END,
    .token.facts = sw_sat_facts,
    .file.solve = sw_sat_solve_direct,
    .file.verify = sw_sat_verify,
    .search = &search,
    .shown = &sw_sat_shown,
    .state = &sw_sat_state,
};
