/* The outcome of one search by one policy. The counters are one table: the
 * struct, the database columns, the JSON, the means and the figures of a search
 * (repro/figure.h) all come from it. X(name, version of counting from which it
 * means what it does today (0: always has), what it counts) */
#ifndef SW_SEARCH_OUTCOME_H
#define SW_SEARCH_OUTCOME_H
#include <stdint.h>

#define SW_OUTCOME_COUNTERS(X)                                                 \
  X(decisions, 4, "actions that spent the decision budget")                    \
  X(backs, 0, "times the search went back on purpose")                         \
  X(silent_backs, 0, "levels popped silently because nothing was left there")  \
  X(viable_queries, 0, "states without a conflict where the policy was asked") \
  X(conflict_queries, 0, "conflict states where the policy was asked")         \
  X(false_prunes, 0, "went back from a state that could be completed")         \
  X(early_backs, 0, "went back from a lost state that showed no conflict")     \
  X(passed_dead, 0, "went on from such a state (counted under noise only)")    \
  X(missed_conflicts, 0, "went on at a conflict")                              \
  X(retry_queries, 0, "values picked at a choice that had failed before")      \
  X(repeats, 0, "picked a failed or illegal value at such a choice")           \
  X(illegal, 0, "picked an illegal value at any other choice")                 \
  X(verifier_calls, 0, "queries at which the verifier judged")                 \
  X(forced, 0, "times the verifier named the token itself")                    \
  X(solver_queries, 0, "questions the verifier put to a complete solver")      \
  X(solver_conflicts, 0, "conflicts that solver spent on them")                \
  X(pads, 0, "scratchpads that the policy wrote")                              \
  X(right_pads, 0, "of them what an exact solver would have written")          \
  X(malformed_pads, 0, "of them not of the form, or cut off at the limit")     \
  X(missed_pads, 0, "of them at a conflict that they do not show")             \
  X(blocks, 0, "decision blocks written")                                      \
  X(tokens, 0, "tokens of the whole dialogue, prefix included")

/* Wall-clock seconds; no two runs agree on them. */
#define SW_OUTCOME_TIMES(X)                                  \
  X(verifier_seconds, 0, "in the verifier, solver included") \
  X(seconds, 0, "of the search")

typedef struct sw_outcome {
  int64_t instance; /* index in the stream */
  uint64_t instance_hash;
  int solved;
  char reason[40]; /* solved, max_decisions, budget, repeat, ... */
#define X(name, since, text) int64_t name;
  SW_OUTCOME_COUNTERS(X)
#undef X
#define X(name, since, text) double name;
  SW_OUTCOME_TIMES(X)
#undef X
} sw_outcome;

/* Endings that only say that a limit was reached. */
int sw_outcome_timed_out(const sw_outcome *outcome);
/* Base/check.h: no counter below 0, parts not above their whole. */
const char *sw_outcome_check(const sw_outcome *outcome);

/* Solved, or still searching after this many decisions; and how many are. */
int sw_outcome_alive(const sw_outcome *outcome, int64_t decisions);
int64_t sw_count_alive(const sw_outcome *outcomes, int64_t count,
                       int64_t decisions);

typedef struct sw_summary {
  int64_t n, solved, timeouts;
  double solve_rate, ci_low, ci_high; /* Wilson, 95 % */
  double mean_decisions, mean_backs, timeout_rate;
  double verifier_seconds;                                    /* of all */
  double repeat_rate, missed_conflict_rate, false_prune_rate; /* per query */
#define X(name, since, text) int64_t name;
  SW_OUTCOME_COUNTERS(X)
#undef X
} sw_summary;
void sw_summarize(const sw_outcome *outcomes, int64_t count,
                  sw_summary *summary);
/* Share solved within a number of decisions. */
double sw_solved_within(const sw_outcome *outcomes, int64_t count,
                        int64_t decisions);

#endif
