/* What a column of an experiment can be: figures of a search, of the published
 * loop, of traces and of a run card, beside those of the measures
 * (probe/figures.h). One table each; a counter of the loop (search/outcome.h)
 * is a figure of a search by its name too (its mean per instance). */
#ifndef SW_REPRO_FIGURE_H
#define SW_REPRO_FIGURE_H
#include "base/figure.h"
#include "repro/experiment.h"
#include "search/outcome.h"

/* name, kind, version of counting from which it means what it does today (0:
 * always has), what of one instance (NAN: none, the figure is a ratio of sums),
 * numerator and denominator over the sums `s`, heading, help */
/* clang-format off */
#define SW_SEARCH_FIGURES(X)                                                   \
  X(solve_rate, SHARE, 0, o->solved, s->solved, s->n, "solved", "instances solved") \
  X(timeout_rate, SHARE, 0, sw_outcome_timed_out(o), s->timeouts, s->n, "out of budget", "searches that ended at a limit") \
  X(alive_1, SHARE, 0, sw_outcome_alive(o, 1), sw_count_alive(outcome, count, 1), s->n, "alive after 1", "solved, or still searching after 1 decisions") \
  X(alive_2, SHARE, 0, sw_outcome_alive(o, 2), sw_count_alive(outcome, count, 2), s->n, "alive after 2", "solved, or still searching after 2 decisions") \
  X(alive_3, SHARE, 0, sw_outcome_alive(o, 3), sw_count_alive(outcome, count, 3), s->n, "alive after 3", "solved, or still searching after 3 decisions") \
  X(alive_5, SHARE, 0, sw_outcome_alive(o, 5), sw_count_alive(outcome, count, 5), s->n, "alive after 5", "solved, or still searching after 5 decisions") \
  X(alive_10, SHARE, 0, sw_outcome_alive(o, 10), sw_count_alive(outcome, count, 10), s->n, "alive after 10", "solved, or still searching after 10 decisions") \
  X(alive_30, SHARE, 0, sw_outcome_alive(o, 30), sw_count_alive(outcome, count, 30), s->n, "alive after 30", "solved, or still searching after 30 decisions") \
  X(alive_100, SHARE, 0, sw_outcome_alive(o, 100), sw_count_alive(outcome, count, 100), s->n, "alive after 100", "solved, or still searching after 100 decisions") \
  X(alive_300, SHARE, 0, sw_outcome_alive(o, 300), sw_count_alive(outcome, count, 300), s->n, "alive after 300", "solved, or still searching after 300 decisions") \
  X(exhausted_rate, SHARE, 0, !strcmp(o->reason, "exhausted"), exhausted, s->n, "exhausted", "searches that had nothing left to try") \
  X(mean_backs, MEAN, 0, (double)(o->backs + o->silent_backs), s->backs + s->silent_backs, s->n, "backtracks", "levels left, on purpose or because nothing was left there") \
  X(states_asked, MEAN, 0, (double)(o->viable_queries + o->conflict_queries), s->viable_queries + s->conflict_queries, s->n, "states asked", "states where the policy was asked") \
  X(backs_per_solved, RATIO, 0, NAN, s->backs + s->silent_backs, s->solved, "backtracks a solved instance", "backtracks of all over instances solved") \
  X(repeat_rate, RATE, 4, NAN, s->repeats, s->retry_queries, "repeats", "of values picked where a choice had failed before: failed or illegal ones") \
  X(missed_conflict_rate, RATE, 0, NAN, s->missed_conflicts, s->conflict_queries, "missed conflicts", "of conflict states: went on") \
  X(false_prune_rate, RATE, 0, NAN, s->false_prunes, s->viable_queries, "false prunes", "of states that show no conflict: went back although it could be completed") \
  X(back_precision, RATE, 0, NAN, s->backs - s->false_prunes, s->backs, "right backtracks", "of backtracks on purpose: from a state that could not be completed") \
  X(alpha_v, RATE, 0, NAN, s->false_prunes, s->viable_queries - s->early_backs - s->passed_dead, "false prunes (alpha)", "of states that could be completed: went back") \
  X(prune_precision, RATE, 0, NAN, s->early_backs, s->early_backs + s->false_prunes, "prune precision", "of backtracks where no conflict shows: from a lost state") \
  X(prune_recall, RATE, 0, NAN, s->early_backs, s->early_backs + s->passed_dead, "prune recall", "of lost states that show no conflict: went back") \
  X(forced_in_all, COUNT, 0, NAN, s->forced, s->n > 0, "forced", "times the verifier named the token, over all searches") \
  X(early_in_all, COUNT, 0, NAN, s->early_backs, s->n > 0, "early backtracks", "from a lost state that showed no conflict, over all searches") \
  X(conflicts_per_decision, RATIO, 0, NAN, s->solver_conflicts, s->decisions, "solver conflicts a decision", "conflicts of the verifier's solver over decisions") \
  X(tokens_per_decision, RATIO, 0, NAN, s->tokens, s->decisions, "tokens a decision", "tokens of the dialogue over decisions")
/* clang-format on */

/* Each ends with an empty row. */
extern const sw_figure sw_search_figures[], sw_card_figures[];
extern const sw_figure sw_published_figures[]; /* job_published.c */
extern const sw_figure sw_traces_figures[];    /* job_traces.c */

/* What a column's `figure` is: of its source and measure, or NULL (it follows
 * from others, or there is no such figure). */
const sw_figure *sw_column_figure(const sw_repro_column *column);
/* Names at the level where its path fails, at most `most`: to tell the nearest.
 */
int sw_column_figure_names(const sw_repro_column *column, const char **names,
                           int most);
/* The test that suits differences in such a column: over instances where each
 * has its value (shares and means of a search), else over seeds. */
sw_test_kind sw_column_test(const sw_repro_column *column);

/* 0: there is no such figure of a search. */
int sw_search_figure_known(const char *name);
/* The figure of these outcomes; NaN where it is undefined. `each` (may be
 * NULL, `count` long) receives its value for single instances, NaN if it has
 * none. */
double sw_search_figure(const char *name, const sw_outcome *outcome,
                        int64_t count, double *each);

#endif
