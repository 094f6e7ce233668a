/* The published SAT rollouts of a run, formula after formula: what the release
 * bank and the published transplant pairs are built from. */
#ifndef SW_PROBE_RELEASE_VISIT_H
#define SW_PROBE_RELEASE_VISIT_H
#include "probe/bank_build.h"
#include "probe/sat_rollout.h"

/* A point with the rollout it comes from. */
typedef struct sw_release_entry {
  const sw_sat_point *point;
  int64_t trace, history; /* rollout number; tokens before the state */
} sw_release_entry;

/* Called once a formula with all its rollouts and points (which may be
 * reordered); everything is gone after the call. */
typedef int (*sw_release_fn)(void *context, int64_t instance,
                             const sw_trace *traces, sw_release_entry *list,
                             int64_t count,
                             const sw_bank_release_options *options,
                             sw_err *err);
int sw_release_visit(const sw_bank_release_options *options, sw_release_fn fn,
                     void *context, sw_err *err);

/* The published transplant pairs: decision points of one formula with equal
 * state in different rollouts. */
typedef struct sw_release_pairs {
  int64_t candidates, identical, pairs;
  int64_t too_long; /* of the pairs: no room for the value query */
} sw_release_pairs;
int sw_release_count_pairs(const sw_bank_release_options *options,
                           sw_release_pairs *out, sw_err *err);

#endif
