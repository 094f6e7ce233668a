/* Visited-set oracle (docs/probes.md): in the closed loop, remember every
 * (state, complete action); when the model picks an action it has already taken
 * in an identical state, take its best untried legal one instead, and count. An
 * intervention that helps would show that failures are repetitions. */
#ifndef SW_PROBE_VISITED_H
#define SW_PROBE_VISITED_H
#include "base/hooks.h"
#include "search/condition.h"

typedef struct sw_visited_result {
  int64_t instances, solved, decisions, revisits; /* states seen before */
  int64_t repeated;      /* choices already taken in an identical state */
  int64_t interventions; /* of those, replaced */
  int64_t missed_conflicts, false_prunes, early_backs, repeats, budget;
} sw_visited_result;
/* Plays every instance of the condition. intervene 0: count repetitions only.
 */
int sw_visited(const sw_condition *condition, int intervene,
               sw_progress_fn progress, void *context, sw_visited_result *out,
               sw_err *err);

#endif
