/* What is left of a formula under an assignment, with counters that follow a
 * literal and its consequences and are put back: for figures of a state that
 * look one step ahead (sat_figures.h). Small and on the stack; formulas larger
 * than the vocabulary have none. */
#ifndef SW_DOMAINS_SAT_REST_H
#define SW_DOMAINS_SAT_REST_H
#include "domains/sat/sat_instance.h"
#include "domains/sat/tokens.h"

enum { SW_SAT_LENGTHS = 8 }; /* free literals that are told apart */

typedef struct sw_sat_rest {
  const sw_instance *formula;
  int8_t value[SW_SAT_MAX_VARS];       /* +1, -1, 0 */
  int32_t holds[SW_SAT_MAX_CLAUSES];   /* its true literals */
  int32_t unset[SW_SAT_MAX_CLAUSES];   /* and those without a value */
  int32_t open[SW_SAT_LENGTHS + 1];    /* unsatisfied clauses by free ones */
  int32_t trail[SW_SAT_MAX_VARS], set; /* literals made true here */
  int32_t free;                        /* variables without a value */
  int conflict;                        /* a clause has become false */
} sw_sat_rest;

/* 0: the formula is too large. `value`: [n] +1, -1, 0. */
int sw_sat_rest_open(sw_sat_rest *rest, const sw_instance *formula,
                     const int8_t *value);
/* Makes a free literal true, and all that follows by unit clauses; 0: a
 * conflict. */
int sw_sat_rest_take(sw_sat_rest *rest, int32_t literal);
/* Puts back all but the first `set` literals of the trail, and the conflict. */
void sw_sat_rest_undo(sw_sat_rest *rest, int32_t set);
/* The logarithm of the number of solutions that would be expected if clauses
 * were drawn at random: ln 2 for every free variable, ln(1 - 2^-k) for every
 * open clause with k free literals. */
double sw_sat_rest_expected(const sw_sat_rest *rest);

static inline int sw_sat_rest_free(const sw_sat_rest *rest, int32_t literal) {
  return rest->value[literal >> 1] == 0;
}

#endif
