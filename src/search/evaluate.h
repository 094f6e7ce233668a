/* Evaluation: one guide, many instances of one condition, `width` games in
 * lock-step so that a model's products stay large. A game's decisions do not
 * depend on its company, nor on what was played before, nor on the memory there
 * is: where it does not hold what the guide keeps of all games, some of them
 * wait and are computed again when there is room; where the condition
 * shares one random stream among all instances (shared_draws), they are played
 * one after the other from the first, known outcomes or not. */
#ifndef SW_SEARCH_EVALUATE_H
#define SW_SEARCH_EVALUATE_H
#include "base/hooks.h"
#include "search/condition.h"

typedef struct sw_eval_hooks {
  void *context;
  /* 1: this instance's outcome is already known and is filled in. */
  int (*known)(void *context, int64_t index, sw_outcome *outcome);
  /* A caller that plays only some instances deals them here, in ascending
   * order. 1: *index is to be played; 0: none is left; -1: none at the moment.
   * NULL: all that are not known. */
  int (*deal)(void *context, int64_t *index);
  int32_t most_seats; /* 0: no limit beside the condition's width */
  /* Called once for each finished game, in order of finishing. */
  int (*finished)(void *context, const sw_outcome *outcome, sw_err *err);
  /* 1: stop now (SW_STOPPED is returned). */
  sw_stop_fn stop;
  /* NULL, or gets how many problems were passed over on the way because they
   * were trained on. */
  int64_t *left_out;
} sw_eval_hooks;

/* outcomes has condition->instances entries, indexed by instance. */
int sw_evaluate(const sw_condition *condition, const sw_eval_hooks *hooks,
                sw_outcome *outcomes, sw_err *err);

#endif
