/* Evaluation: one policy, many instances of one condition. Model policies run
 * `width` games in lock-step so that the products stay large; rules run one
 * game after another. A game's decisions do not depend on its company. */
#ifndef SW_SEARCH_EVALUATE_H
#define SW_SEARCH_EVALUATE_H
#include "base/hooks.h"
#include "search/loop.h"
#include "search/loaded.h"

typedef struct sw_policy {
  sw_model *model; /* NULL: a rule */
  sw_reading reading;
  int no_cache; /* recompute the whole context at each query */
  int rule;     /* index into domain->search->rules; -1: the expert */
} sw_policy;

typedef struct sw_condition {
  const sw_domain *domain;
  sw_domain_options options; /* resolved */
  sw_loop_options loop;      /* budgets filled in */
  sw_policy policy;
  uint64_t seed; /* of the instance stream */
  sw_split split;
  int shared_draws; /* 1: one MT(seed) through all instances (the
                       release); 0: MT(seed + index) for each */
  int64_t instances;
  int32_t width; /* games in lock-step; 0: 64 */
} sw_condition;

typedef struct sw_eval_hooks {
  void *context;
  /* 1: this instance's outcome is already known and is filled in. */
  int (*known)(void *context, int64_t index, sw_outcome *outcome);
  /* Called once for each finished game, in order of finishing. */
  int (*finished)(void *context, const sw_outcome *outcome, sw_err *err);
  /* 1: stop now (SW_STOPPED is returned). */
  sw_stop_fn stop;
} sw_eval_hooks;

/* Fills -1 budgets with the domain's. */
void sw_loop_resolve(const sw_domain *domain, const sw_domain_options *options,
                     sw_loop_options *loop);
/* outcomes has condition->instances entries, indexed by instance. */
int sw_evaluate(const sw_condition *condition, sw_team *team,
                const sw_eval_hooks *hooks, sw_outcome *outcomes, sw_err *err);

#endif
