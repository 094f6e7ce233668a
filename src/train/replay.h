/* Replaying a trace: the environment follows the trace's tokens, and an
 * observer sees the states behind them. It makes the records of families that
 * read states (records.c), and lets probes ask such families about a trace.
 * Every token that the environment writes is compared with the trace's; a
 * difference is an error. */
#ifndef SW_TRAIN_REPLAY_H
#define SW_TRAIN_REPLAY_H
#include "domains/domain.h"

typedef struct sw_replay sw_replay;
typedef struct sw_replay_watch {
  void *context;
  /* A decision begins: the environment waits at its first query and has
   * written `at` tokens. */
  int (*state)(void *context, const sw_env *env, int64_t at, sw_err *err);
  /* The trace's answer to a query of that decision: its token `at`. */
  void (*answer)(void *context, const sw_env *env, int64_t at, int32_t token,
                 int supervised);
  /* The search has ended solved; may be NULL. */
  int (*solved)(void *context, const sw_env *env, sw_err *err);
} sw_replay_watch;

/* SW_USAGE when the domain has no states as numbers. `options` (resolved) must
 * outlive the replay. */
int sw_replay_new(sw_replay **replay, const sw_domain *domain,
                  const sw_domain_options *options, const sw_rules *rules,
                  sw_err *err);
void sw_replay_free(sw_replay *replay);
/* From the prefix to the trace's last token. `instance` is the trace's
 * (sw_state_ops.read_instance). A trace may end anywhere. Returns with the
 * environment where the trace ends: *waits is 1 at a query. */
int sw_replay_trace(sw_replay *replay, const sw_instance *instance,
                    const sw_trace *trace, const sw_replay_watch *watch,
                    int *waits, sw_err *err);
sw_env *sw_replay_env(const sw_replay *replay);

#endif
