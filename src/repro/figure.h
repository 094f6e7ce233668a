/* Figures of a search: what a column of an experiment can be. One table; a
 * counter of the loop (search/outcome.h) is a figure by its name too (its mean
 * per instance). */
#ifndef SW_REPRO_FIGURE_H
#define SW_REPRO_FIGURE_H
#include "search/outcome.h"

/* name, what of one instance (NAN: none, the figure is a ratio of sums),
 * numerator and denominator over the sums `s` */
/* clang-format off */
#define SW_SEARCH_FIGURES(X)                                                   \
  X(solve_rate, o->solved, s->solved, s->n)                                    \
  X(timeout_rate, sw_outcome_timed_out(o), s->timeouts, s->n)                  \
  X(exhausted_rate, !strcmp(o->reason, "exhausted"), exhausted, s->n)          \
  X(mean_backs, (double)(o->backs + o->silent_backs), s->backs + s->silent_backs, s->n) \
  X(states_asked, (double)(o->viable_queries + o->conflict_queries), s->viable_queries + s->conflict_queries, s->n) \
  X(backs_per_solved, NAN, s->backs + s->silent_backs, s->solved)              \
  X(repeat_rate, NAN, s->repeats, s->retry_queries)                            \
  X(missed_conflict_rate, NAN, s->missed_conflicts, s->conflict_queries)       \
  X(false_prune_rate, NAN, s->false_prunes, s->viable_queries)                 \
  X(back_precision, NAN, s->backs - s->false_prunes, s->backs)                 \
  X(alpha_v, NAN, s->false_prunes, s->viable_queries - s->early_backs - s->passed_dead) \
  X(prune_precision, NAN, s->early_backs, s->early_backs + s->false_prunes)    \
  X(prune_recall, NAN, s->early_backs, s->early_backs + s->passed_dead)        \
  X(forced_in_all, NAN, s->forced, s->n > 0)                                   \
  X(early_in_all, NAN, s->early_backs, s->n > 0)                               \
  X(conflicts_per_decision, NAN, s->solver_conflicts, s->decisions)            \
  X(tokens_per_decision, NAN, s->tokens, s->decisions)
/* clang-format on */

/* 0: there is no such figure. */
int sw_search_figure_known(const char *name);
/* The figure of these outcomes; NaN where it is undefined. `each` (may be
 * NULL, `count` long) receives its value for single instances, NaN if it has
 * none. */
double sw_search_figure(const char *name, const sw_outcome *outcome,
                        int64_t count, double *each);

#endif
