/* Judging a written trace (see judge.h). The dialogue is written a
 * second time beside the first; any difference means that the trace belongs to
 * another instance, format or version. */
#include "domains/judge.h"

#include <string.h>

const sw_rules sw_rules_of_expert = {.writing_trace = 1};

int sw_retrace_env(sw_env **env, const sw_domain *domain,
                   const sw_domain_options *options, const sw_rules *rules,
                   sw_err *err) {
  *env = NULL;
  SW_TRY(sw_domain_searchable(domain, err));
  return domain->search->env_new(env, options, rules, err);
}

/* The written tokens of `again` from `from` on are those of the trace, as far
 * as that goes (a trace may be cut). */
static int same(const sw_trace *trace, const sw_trace *again, int64_t from) {
  int64_t to = again->length < trace->length ? again->length : trace->length;
  return to <= from || !memcmp(trace->token + from, again->token + from,
                               sizeof *trace->token * (size_t)(to - from));
}

static int differs(int64_t block, sw_err *err) {
  return sw_fail(err, SW_DATA, "block %lld is not what its instance writes",
                 (long long)block);
}

/* The action of the block, as the trace has it; 0: it has another, or there is
 * no memory (again->failed). */
static int act(const sw_domain *domain, sw_env *env, const sw_trace *trace,
               sw_trace *again, sw_env_status *status) {
  const sw_search_ops *search = domain->search;
  while (*status == SW_ENV_QUERY) {
    int64_t at = again->length;
    int count;
    const sw_cand *list = search->candidates(env, &count);
    if (at >= trace->length) return 1; /* it ends here */
    if (count < 0) again->failed = 1;
    if (count < 1 || again->failed) return 0;
    int32_t token = trace->token[at];
    int chosen = sw_cands_find(list, count, token);
    int midway = search->back_midway && token == domain->back_token;
    if (chosen < 0 && !midway) return 0;
    *status = chosen < 0 || list[chosen].kind == SW_CAND_BACK
                  ? search->go_back(env, again)
                  : search->feed(env, token, again);
    if (again->length == at || !same(trace, again, at)) return 0;
  }
  return 1;
}

/* The scratchpad of the block, as the trace has it; 0: it has another. */
static int write_pad(const sw_search_ops *search, sw_env *env,
                     const sw_trace *trace, sw_trace *again) {
  while (search->pad.writes && search->pad.writes(env) && !again->failed) {
    int64_t at = again->length;
    if (at >= trace->length) return 1; /* it ends here */
    search->feed(env, trace->token[at], again);
    if (again->length == at || !same(trace, again, at)) return 0;
  }
  return 1;
}

static int walk(const sw_domain *domain, sw_env *env, const sw_trace *trace,
                sw_trace *again, sw_retrace_fn visit, void *context,
                sw_err *err) {
  const sw_search_ops *search = domain->search;
  search->write_prefix(env, again);
  if (!same(trace, again, 0)) return differs(0, err);
  for (int64_t block = 1; block < trace->blocks; block++) {
    int64_t from = again->length;
    sw_env_status status = search->prompt(env, again);
    SW_TRY(sw_domain_trouble(domain, env, err));
    if (again->failed) return sw_fail(err, SW_MEMORY, "out of memory");
    if (status != SW_ENV_QUERY) return SW_OK; /* it only says how it ended */
    if (from != trace->block_start[block] || !same(trace, again, from) ||
        !write_pad(search, env, trace, again))
      return differs(block, err);
    if (again->failed) return sw_fail(err, SW_MEMORY, "out of memory");
    SW_TRY(visit(context, env, block, again->length, err));
    int as_written = act(domain, env, trace, again, &status);
    SW_TRY(sw_domain_trouble(domain, env, err));
    if (again->failed) return sw_fail(err, SW_MEMORY, "out of memory");
    if (!as_written) return differs(block, err);
    if (status != SW_ENV_BLOCK_END) return SW_OK;
  }
  return SW_OK;
}

int sw_retrace(const sw_domain *domain, sw_env *env,
               const sw_instance *instance, const sw_trace *trace,
               sw_retrace_fn visit, void *context, sw_err *err) {
  sw_trace again;
  SW_TRY(domain->search->env_reset(env, instance, err));
  sw_trace_init(&again);
  int code = walk(domain, env, trace, &again, visit, context, err);
  sw_trace_free(&again);
  return code;
}

typedef struct judge {
  const sw_domain *domain;
  sw_trace *trace;
} judge;

static int judge_block(void *context, sw_env *env, int64_t block, int64_t at,
                       sw_err *err) {
  judge *j = context;
  const sw_search_ops *search = j->domain->search;
  int dead = search->in_conflict(env) || search->truth.doomed(env);
  SW_TRY(sw_domain_trouble(j->domain, env, err));
  sw_trace_judge(j->trace, block, dead ? SW_DEAD : SW_VIABLE,
                 (int32_t)(at - j->trace->block_start[block]));
  return SW_OK;
}

int sw_judge_trace(const sw_domain *domain, const sw_domain_options *options,
                   const sw_rules *rules, const sw_instance *instance,
                   sw_trace *trace, sw_err *err) {
  judge j = {.domain = domain, .trace = trace};
  sw_env *env;
  SW_TRY(sw_retrace_env(&env, domain, options, rules, err));
  trace->judged = 1; /* also when it has no decision block */
  int code =
      domain->search->truth.doomed
          ? sw_retrace(domain, env, instance, trace, judge_block, &j, err)
          : sw_fail(err, SW_USAGE, "`%s` cannot tell which states are dead",
                    domain->name);
  domain->search->env_free(env);
  return code;
}
