/* The expert's trace: the environment's own dialogue with the expert
 * answering, so that training and evaluation share one layout.
 */
#include <string.h>
#include "domains/coloring/coloring_env.h"

/* One block. Returns its last status. */
static sw_env_status write_block(sw_env *env, sw_trace *trace) {
  sw_env_status status = sw_col_prompt(env, trace);
  if (status == SW_ENV_QUERY && sw_col_in_conflict(env))
    return sw_col_go_back(env, trace);
  while (status == SW_ENV_QUERY)
    status = sw_col_feed(env, sw_col_expert_choice(env), trace);
  return status;
}

static int64_t own_limit(const sw_env *env) {
  int64_t n = env->state.n;
  switch (env->format->list) {
    case SW_LIST_EXPLICIT:
      return 8 * n * n;
    case SW_LIST_PLAIN:
      return 1200;
    default:
      return INT64_MAX;
  }
}

/* Blocks until the end of the search or a limit; sets trace->terminal. */
static void write_blocks(sw_env *env, const sw_domain_options *options,
                         int64_t iterations, sw_trace *trace) {
  if (iterations == 0) iterations = own_limit(env);
  sw_env_status status = env->status;
  for (int64_t i = 0; status == SW_ENV_BLOCK_END; i++) {
    if (options->max_blocks > 0 && trace->blocks > options->max_blocks) {
      trace->terminal = SW_TRACE_CUT;
      return;
    }
    if (i == iterations) {
      sw_col_put_end(env, trace, SW_T_EOS);
      trace->terminal = SW_TRACE_LIMIT;
      return;
    }
    status = write_block(env, trace);
    if (env->budget == 0 && options->max_tokens > 0 &&
        trace->length > options->max_tokens) {
      sw_trace_truncate_blocks(trace, trace->blocks - 1);
      trace->terminal = SW_TRACE_CUT;
      return;
    }
  }
  trace->terminal = status == SW_ENV_SOLVED      ? SW_TRACE_SOLVED
                    : status == SW_ENV_EXHAUSTED ? SW_TRACE_UNSAT
                                                 : SW_TRACE_LIMIT;
}

static int finish(sw_env *env, const sw_instance *instance, sw_trace *trace,
                  sw_err *err) {
  trace->decisions = (int32_t)env->decisions;
  trace->conflicts = (int32_t)env->conflicts;
  trace->backtracks = (int32_t)(env->explicit_back + env->silent_back);
  trace->forced_errors = env->forced_errors;
  if (trace->failed || env->tried.failed)
    return sw_no_memory_for(err, "a trace of %d nodes", instance->n);
  if (env->status == SW_ENV_FAILED || trace->blocks < 2)
    return sw_fail(err, SW_LIMIT, "the trace is longer than allowed");
  if (env->loss == SW_LOSS_ALL) /* the release never trains the last token */
    trace->supervised[trace->length - 1] = 0;
  return SW_OK;
}

int sw_col_write_trace_as(const sw_instance *instance,
                          const sw_domain_options *options,
                          const sw_col_layout *layout, int64_t iterations,
                          sw_mt *mt, sw_trace *trace, sw_err *err) {
  sw_rules rules = {0};
  rules.writing_trace = 1;
  sw_env *env;
  SW_TRY(sw_col_env_new(&env, options, &rules, err));
  int code = sw_col_env_reset(env, instance, err);
  if (!code) {
    env->layout = *layout;
    env->mt = mt;
    env->error = sw_col_own(options)->error;
    if (options->too_long && strcmp(options->too_long, "drop") == 0)
      env->budget = options->max_tokens;
    sw_trace_clear(trace);
    sw_col_write_prefix(env, trace);
    write_blocks(env, options, iterations, trace);
    code = finish(env, instance, trace, err);
  }
  sw_col_env_free(env);
  return code;
}

int sw_col_write_trace(const sw_instance *instance,
                       const sw_domain_options *options, sw_mt *mt,
                       sw_trace *trace, sw_err *err) {
  static const sw_col_layout none;
  return sw_col_write_trace_as(instance, options, &none, 0, mt, trace, err);
}
