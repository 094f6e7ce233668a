/* The published SAT rollouts of a run, formula after formula: what the release
 * bank and the published transplant pairs are built from. */
#ifndef SW_RELEASE_ROLLOUTS_H
#define SW_RELEASE_ROLLOUTS_H
#include "release/sat_rollout.h"

typedef struct sw_release_options {
  int64_t instances, traces; /* 200 and 4 in the paper's bank */
  int n;
  double ratio;
  uint64_t seed;
  int64_t max_tokens;               /* 4096 */
  int by_activity;                  /* 0: variables in index order */
  int min_histories, max_histories; /* 2 and 4 */
} sw_release_options;
#define SW_RELEASE_DEFAULTS \
  { 200, 4, 50, 4.0, 42, 4096, 0, 2, 4 }
/* Those of the task's options that were given (n, ratio, max-tokens), over
 * *options; SW_USAGE when the task is not SAT: nothing else was published. */
int sw_release_task(const sw_domain *domain, const sw_pairs *given,
                    sw_release_options *options, sw_err *err);

/* A point with the rollout it comes from. */
typedef struct sw_release_entry {
  const sw_sat_point *point;
  int64_t trace, history; /* rollout number; tokens before the state */
} sw_release_entry;

/* Called once a formula with all its rollouts and points (which may be
 * reordered); everything is gone after the call. */
typedef int (*sw_release_fn)(void *context, int64_t instance,
                             const sw_trace *traces, sw_release_entry *list,
                             int64_t count, const sw_release_options *options,
                             sw_err *err);
int sw_release_visit(const sw_release_options *options, sw_release_fn fn,
                     void *context, sw_err *err);

/* The states of the published bank, instance by instance: its prefix, then
 * each state that several histories reach. Nothing outlives a call. */
typedef struct sw_release_state {
  int64_t instance;
  const sw_sat_point *point; /* of the first history; equal in all */
  int retry;                 /* a single action is left */
  const char *id;            /* text that the state's hash is taken of */
  const int32_t *allowed;    /* variable tokens, ascending */
  int32_t allowed_count;
  const sw_release_entry *const *history;
  int histories;
  const sw_trace *traces; /* by rollout number */
} sw_release_state;
typedef void (*sw_release_prefix_fn)(void *context, const int32_t *token,
                                     int64_t length);
typedef int (*sw_release_state_fn)(void *context, const sw_release_state *state,
                                   sw_err *err);
int sw_release_states(const sw_release_options *options,
                      sw_release_prefix_fn prefix, sw_release_state_fn state,
                      void *context, sw_err *err);

/* The published transplant pairs: decision points of one formula with equal
 * state in different rollouts. */
typedef struct sw_release_pairs {
  int64_t candidates, identical, pairs;
  int64_t too_long; /* of the pairs: no room for the value query */
} sw_release_pairs;
int sw_release_count_pairs(const sw_release_options *options,
                           sw_release_pairs *out, sw_err *err);

#endif
