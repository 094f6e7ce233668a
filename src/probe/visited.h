/* Visited-set oracle (docs/probes.md): in the closed loop, remember every
 * (state, complete action); when the model picks an action it has already taken
 * in an identical state, take its best untried legal one instead, and count. An
 * intervention that helps would show that failures are repetitions. */
#ifndef SW_PROBE_VISITED_H
#define SW_PROBE_VISITED_H
#include "base/hooks.h"
#include "domains/domain.h"
#include "probe/ask.h"

typedef struct sw_visited_options {
  const sw_domain *domain;
  sw_domain_options domain_options; /* resolved */
  uint64_t seed;
  sw_split split;
  int64_t instances, max_decisions;
  int rebuilt;   /* 1: prefix and current block; 0: the whole dialogue */
  int intervene; /* 0: count repetitions only */
} sw_visited_options;

typedef struct sw_visited_result {
  int64_t instances, solved, decisions, revisits; /* states seen before */
  int64_t repeated;      /* choices already taken in an identical state */
  int64_t interventions; /* of those, replaced */
  int64_t missed_conflicts, false_prunes, repeats, budget;
} sw_visited_result;
int sw_visited(sw_asker *asker, const sw_visited_options *options,
               sw_progress_fn progress, void *context, sw_visited_result *out,
               sw_err *err);

#endif
