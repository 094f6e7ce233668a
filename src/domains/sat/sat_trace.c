/* Expert traces of SAT: the environment's dialogue with the expert answering,
 * errors injected, and long traces cut at a block or dropped. */
#include <string.h>

#include "domains/sat/sat_env.h"
#include "domains/resolve.h"
#include "domains/sat/tokens.h"

/* One decision: the expert's variable, then its value or, with probability
 * `error`, the other one. A re-opened variable has one value left and draws
 * nothing. */
static sw_env_status decide(sw_env *e, double error, sw_mt *mt,
                            sw_trace *trace) {
  sw_env_status status = sw_sat_env_feed(e, sw_sat_expert_choice(e), trace);
  if (status != SW_ENV_QUERY) return status;
  int32_t value = sw_sat_expert_choice(e);
  int both = sw_sat_domain(&e->search, e->search.selected) == SW_SAT_BIT_BOTH;
  if (both && sw_mt_random(mt) < error) {
    value = value == SW_SAT_T ? SW_SAT_F : SW_SAT_T;
    trace->forced_errors++;
  }
  return sw_sat_env_feed(e, value, trace);
}

static int32_t terminal_of(const sw_env *e, sw_env_status status) {
  if (status == SW_ENV_SOLVED) return SW_TRACE_SOLVED;
  if (status == SW_ENV_EXHAUSTED) return SW_TRACE_UNSAT;
  return e->fair ? SW_TRACE_LIMIT : SW_TRACE_UNSAT;
}

/* What happens to a trace past its limit: the last, incomplete or overlong
 * block goes, unless the option or an empty rest says to drop it all. */
static int shorten(const sw_domain_options *o, sw_trace *t, sw_err *err) {
  if (strcmp(o->too_long, "cut") == 0 && t->blocks > 2) {
    sw_trace_truncate_blocks(t, t->blocks - 1);
    t->terminal = SW_TRACE_CUT;
    return SW_OK;
  }
  return sw_fail(err, SW_LIMIT, "a trace of more than %lld tokens, %lld blocks",
                 (long long)t->length, (long long)t->blocks - 1);
}

static int run(sw_env *e, const sw_domain_options *o, sw_mt *mt, sw_trace *t,
               sw_err *err) {
  sw_env_status status = SW_ENV_BLOCK_END;
  sw_sat_env_prefix(e, t);
  while (status == SW_ENV_BLOCK_END) {
    status = sw_sat_env_prompt(e, t);
    while (status == SW_ENV_QUERY && sw_sat_env_writes(e))
      status = sw_sat_env_feed(e, sw_sat_expert_choice(e), t);
    if (status == SW_ENV_QUERY)
      status = sw_sat_env_in_conflict(e)
                   ? sw_sat_env_go_back(e, t)
                   : decide(e, sw_sat_own(o)->error, mt, t);
    if (sw_trace_too_long(o, t)) return shorten(o, t, err);
  }
  t->terminal = terminal_of(e, status);
  return SW_OK;
}

/* Counters are those of the kept blocks where a cut trace lost one. */
static void count_kept(sw_trace *t) {
  t->decisions = t->conflicts = 0;
  for (int64_t b = 1; b < t->blocks; b++) {
    int64_t end = sw_trace_block_end(t, b);
    int conflict = 0;
    for (int64_t i = t->block_start[b]; i < end; i++)
      conflict |= t->token[i] == SW_SAT_BJ;
    t->conflicts += conflict;
    t->decisions += !conflict;
  }
}

int sw_sat_write_trace(const sw_instance *instance,
                       const sw_domain_options *options, sw_mt *mt,
                       sw_trace *trace, sw_err *err) {
  static const sw_rules rules = {.writing_trace = 1};
  sw_env *e;
  sw_trace_clear(trace);
  SW_TRY(sw_sat_env_new(&e, options, &rules, err));
  int code = sw_sat_env_reset(e, instance, err);
  if (code == SW_OK) code = run(e, options, mt, trace, err);
  trace->n = instance->n;
  trace->decisions = (int32_t)e->decisions;
  trace->conflicts = (int32_t)e->conflicts;
  trace->backtracks = (int32_t)e->search.backtracks;
  trace->propagations = (int32_t)e->search.propagations;
  if (trace->terminal == SW_TRACE_CUT) count_kept(trace);
  sw_sat_env_free(e);
  if (code == SW_OK && trace->failed)
    return sw_no_memory_for(err, "a trace of %lld tokens",
                            (long long)trace->length);
  return code;
}
