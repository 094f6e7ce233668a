/* The search environment of SAT: assignment, trail, decision frames, watched
 * literals, activity. It knows nothing of tokens. env.c drives it for traces
 * and closed loops; the experts and rules read it.
 *
 * Order matters everywhere (which clause is found falsified first decides the
 * traces), so propagation follows the published order exactly: last
 * pushed literal first, watch lists in order, first free position. Values are
 * kept per literal: +1 true, -1 false, 0 unassigned. Nothing is allocated
 * after sw_sat_search_reset; reset itself allocates only when the formula is
 * larger than any before.
 *
 * Invariants: 0 <= depth <= n; trail[frame.trail_start] is the frame's
 * decision while its variable is assigned; only the top frame can be open
 * (its variable unassigned because its value was undone); `queue` is empty
 * unless `pending`. */
#ifndef SW_DOMAINS_SAT_SEARCH_H
#define SW_DOMAINS_SAT_SEARCH_H
#include <stdint.h>
#include "base/err.h"
#include "domains/sat/sat_instance.h"

enum { SW_SAT_BIT_FALSE = 1, SW_SAT_BIT_TRUE = 2, SW_SAT_BIT_BOTH = 3 };
enum {
  SW_SAT_NO_CONFLICT = -1,
  SW_SAT_EXHAUSTED = -2,
  SW_SAT_CONTRADICTION = -3
};

/* How a search ended. */
#define SW_SAT_ENDINGS(X)                                         \
  X(RUNNING, "running", "the search goes on")                     \
  X(SAT, "sat", "every clause has a true literal")                \
  X(UNSAT, "unsat", "the root is contradictory or all was tried") \
  X(DONE_FAILURE, "done_failure", "DONE was said too early")      \
  X(INVALID, "invalid", "an illegal action in strict mode")       \
  X(TIMEOUT, "timeout", "the step cap was reached")
typedef enum {
#define X(id, name, text) SW_SAT_END_##id,
  SW_SAT_ENDINGS(X)
#undef X
} sw_sat_ending;
const char *sw_sat_ending_name(sw_sat_ending ending);

typedef enum {
  SW_SAT_SELECT,
  SW_SAT_ASSIGN,
  SW_SAT_PROPAGATE,
  SW_SAT_BACKTRACK,
  SW_SAT_DONE
} sw_sat_action;

typedef struct sw_sat_frame {
  int32_t var, value, trail_start; /* value 0/1 */
  int32_t tried, failed;           /* masks of SW_SAT_BIT_* */
} sw_sat_frame;

typedef struct sw_sat_search {
  const sw_instance *formula;
  int32_t n, m;
  int8_t *value;        /* [2n] by literal */
  float *activity;      /* [n] */
  int32_t *order;       /* [n] by activity, occurrences, index */
  int32_t *rank;        /* [n] inverse of order */
  int32_t *trail;       /* [n] literals made true, chronological */
  int32_t *level;       /* [n] of an assigned variable; 0: at the root */
  int32_t *reason;      /* [n] clause, or -1 for a decision */
  sw_sat_frame *frame;  /* [n] */
  int32_t *watched;     /* [2m] positions inside the clause */
  int32_t *watch;       /* flat lists; list of l starts at watch_start[l] */
  int32_t *watch_count; /* [2n] */
  int32_t *queue;       /* [n] falsified literals, last in first out */
  int32_t trail_size, depth, queue_size;
  int32_t selected; /* variable, or -1 */
  int32_t conflict; /* clause, or one of the negative codes */
  int32_t pending, strict;
  sw_sat_ending ending;
  int64_t steps, max_steps, ignored; /* max_steps 0: no cap */
  int64_t propagations, backtracks;
  void *block; /* owns all arrays */
  size_t block_bytes;
} sw_sat_search;

void sw_sat_search_init(sw_sat_search *search);
void sw_sat_search_free(sw_sat_search *search);
/* Starts over on a formula (kept by reference). Unit clauses are assigned at
 * level 0 and propagated at once; that is not a step. */
int sw_sat_search_reset(sw_sat_search *search, const sw_instance *formula,
                        sw_err *err);

/* Is the action legal now (argument: variable of SELECT, 0/1 of ASSIGN)? */
int sw_sat_legal(const sw_sat_search *search, sw_sat_action action,
                 int32_t argument);
/* One step. An illegal action ends the search in strict mode and is ignored
 * (but counted as a step) otherwise. Returns 1 when the action was executed. */
int sw_sat_step(sw_sat_search *search, sw_sat_action action, int32_t argument);

/* Variable of the open frame, or -1; and the mask of values v may take. */
int32_t sw_sat_open_var(const sw_sat_search *search);
int sw_sat_domain(const sw_sat_search *search, int32_t var);
int sw_sat_all_satisfied(const sw_sat_search *search);

/* The clause that matters most: the falsified clause with the lowest id, else
 * the unsatisfied one with the fewest unassigned literals (lowest id), else 0.
 * Not the clause found first: watch order must not show. */
int32_t sw_sat_key_clause(const sw_instance *formula, const int8_t *value);

#endif
