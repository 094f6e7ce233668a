/* Replaying a trace: an environment goes the way that the tokens tell, so that
 * whatever can be asked of an environment can be asked about a trace. Judges
 * traces (judge.c), makes the records of families that read states
 * (train/records.c), and brings probes to the states that they collected.
 * Exact: every token that the environment writes is compared with the trace's,
 * and one that differs is an error. */
#ifndef SW_DOMAINS_REPLAY_H
#define SW_DOMAINS_REPLAY_H
#include "domains/domain.h"

typedef struct sw_replay {
  const sw_domain *domain;
  sw_env *env;
  sw_trace out; /* what the environment has written */
  int64_t same; /* tokens of it that are compared */
} sw_replay;

/* Called on the way; all of them may be NULL. `at`: tokens written so far. */
typedef struct sw_replay_watch {
  void *context;
  /* A decision begins: the environment waits at its first query. */
  int (*state)(void *context, sw_env *env, int64_t at, sw_err *err);
  /* The scratchpad, if the format has one, is over. */
  int (*decides)(void *context, sw_env *env, int64_t at, sw_err *err);
  /* The trace's answer to a query of that decision: its token `at`. */
  int (*answer)(void *context, sw_env *env, int64_t at, const sw_trace *trace,
                sw_err *err);
  /* The search has ended solved. */
  int (*solved)(void *context, sw_env *env, sw_err *err);
  /* 1: the trace is as its search wrote it. Blocks are compared too, a choice
   * must have been on offer, and the last one may have failed the search. */
  int as_written;
} sw_replay_watch;

/* Rules of an expert's trace; a search's are zeroed. */
extern const sw_rules sw_rules_of_expert;
/* An environment of its own. `options` (resolved) must outlive the replay. */
int sw_replay_open(sw_replay *replay, const sw_domain *domain,
                   const sw_domain_options *options, const sw_rules *rules,
                   sw_err *err);
void sw_replay_close(sw_replay *replay);
/* From the prefix to the trace's last token. `instance` is the trace's
 * (sw_state_ops.read_instance) and must stay as long as the environment is
 * asked. A trace may end anywhere. Returns with the environment where the trace
 * ends: *waits is 1 at a query. `watch` may be NULL. SW_DATA: the trace is not
 * one of the instance's. */
int sw_replay_trace(sw_replay *replay, const sw_instance *instance,
                    const sw_trace *trace, const sw_replay_watch *watch,
                    int *waits, sw_err *err);

#endif
