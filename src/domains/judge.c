/* Judging a written trace (see judge.h). */
#include "domains/judge.h"
#include "base/check.h"

#include "domains/replay.h"

typedef struct judge {
  sw_replay replay;
  sw_trace *trace;
} judge;

static int judge_block(void *context, sw_env *env, int64_t at, sw_err *err) {
  judge *j = context;
  const sw_domain *domain = j->replay.domain;
  int64_t block = j->replay.out.blocks - 1;
  int dead =
      domain->search->in_conflict(env) || domain->search->truth.doomed(env);
  SW_TRY(sw_domain_trouble(domain, env, err));
  sw_trace_judge(j->trace, block, dead ? SW_DEAD : SW_VIABLE,
                 (int32_t)(at - j->trace->block_start[block]));
  return SW_OK;
}

int sw_judge_trace(const sw_domain *domain, const sw_domain_options *options,
                   const sw_rules *rules, const sw_instance *instance,
                   sw_trace *trace, sw_err *err) {
  SW_ASSERT(domain && rules && instance);
  SW_CHECK(sw_trace_check(trace));
  judge j = {.trace = trace};
  sw_replay_watch watch = {
      .context = &j, .decides = judge_block, .as_written = 1};
  int waits;
  SW_TRY(sw_replay_open(&j.replay, domain, options, rules, err));
  trace->judged = 1; /* also when it has no decision block */
  int code =
      domain->search->truth.doomed
          ? sw_replay_trace(&j.replay, instance, trace, &watch, &waits, err)
          : sw_fail(err, SW_USAGE, "`%s` cannot tell which states are dead",
                    domain->name);
  sw_replay_close(&j.replay);
  return code;
}
