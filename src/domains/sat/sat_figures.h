/* A SAT state as a few figures that name no variable, for judges of states of
 * any formula (feature sets `counts` and `lookahead`, trace/state_layout.h). A
 * value that is tried again has only its other value left; figures are taken
 * after that one and what follows from it. docs/model.md explains them. */
#ifndef SW_DOMAINS_SAT_FIGURES_H
#define SW_DOMAINS_SAT_FIGURES_H
#include "domains/sat/sat_rest.h"

/* clang-format off */
/* Without trying anything: d(l) are the clauses of two with the literal l,
 * w(l) all open ones with it, a clause of two counting 1, of three 1/5. */
#define SW_SAT_COUNTS(X)                                                       \
  X(ASSIGNED, "share of variables with a value")                               \
  X(DEPTH, "decisions over variables")                                         \
  X(FREE, "hundreds of free variables")                                        \
  X(AGAIN, "1: a value is tried again")                                        \
  X(BROKEN, "1: what is left of it is a conflict")                             \
  X(TWO, "clauses of two over variables")                                      \
  X(TWO_FREE, "the same over free variables")                                  \
  X(OPEN, "open clauses over variables")                                       \
  X(OPEN_FREE, "the same over free variables")                                 \
  X(EXPECTED, "logarithm of the expected solutions, tens")                     \
  X(EXPECTED_FREE, "the same over free variables")                             \
  X(CHAIN, "how many implications follow one: sum of d(x) d(-x) over clauses of two") \
  X(BOTH, "share of free variables with both signs in clauses of two")         \
  X(SQUARES, "sum of d(l)^2 over free variables")                              \
  X(MOST, "largest d(l), tens")                                                \
  X(MOST_BOTH, "largest smaller d of a variable, tens")                        \
  X(PURE, "share of free variables with one sign in open clauses")             \
  X(LOOSE, "share of free variables in no open clause")                        \
  X(PRODUCT, "mean of w(x) w(-x), tens")                                       \
  X(MOST_PRODUCT, "largest of them, tens")                                     \
  X(GAP, "mean difference of w(x) and w(-x)")
/* With every value of every free variable tried: s(l) is the logarithm of the
 * expected solutions after l and what follows from it, none after a conflict. */
#define SW_SAT_LOOKAHEAD(X)                                                    \
  X(FAILED, "failed literals over free variables")                             \
  X(FAILED_BOTH, "variables both of whose values fail")                        \
  X(IMPLIED, "mean literals that follow from one, tens")                       \
  X(IMPLIED_MOST, "most of them, tens")                                        \
  X(IMPLIED_BOTH, "largest smaller number of a variable, tens")                \
  X(SPLIT_LEAST, "least ln(e^s(x) + e^s(-x)) of a variable, tens")             \
  X(SPLIT_MEAN, "their mean, tens")                                            \
  X(BEST_LEAST, "least larger s of a variable, tens")                          \
  X(SIDES, "mean difference of s(x) and s(-x)")                                \
  X(FORCED, "share of free variables set by failed literals, again and again") \
  X(REFUTED, "1: that ends in a conflict")                                     \
  X(FORCED_EXPECTED, "logarithm of the expected solutions after it, tens")     \
  X(FORCED_TWO, "clauses of two over free variables after it")                 \
  X(FORCED_SPLIT, "least ln(e^s(x) + e^s(-x)) after it, tens")                 \
  X(FORCED_SIDES, "mean difference of s(x) and s(-x) after it")
/* clang-format on */

typedef enum {
#define X(name, text) SW_SAT_FIGURE_##name,
  SW_SAT_COUNTS(X) SW_SAT_FIGURE_COUNTS,
  SW_SAT_FIGURE_BEFORE_LOOKAHEAD = SW_SAT_FIGURE_COUNTS - 1,
  SW_SAT_LOOKAHEAD(X)
#undef X
      SW_SAT_FIGURES
} sw_sat_figure;

/* `value`: [n]; `again`: the literal that is left of a value tried again, or
 * -1. Zeroed x[SW_SAT_FIGURE_COUNTS] in; x[SW_SAT_FIGURES] with `ahead`. */
void sw_sat_figures(const sw_instance *formula, const int8_t *value,
                    int32_t again, int32_t depth, int ahead, float *x);
/* Literals that fail: those that propagate to a conflict. */
int32_t sw_sat_failed_literals(sw_sat_rest *rest);
/* Sets what failed literals leave until none fails; 0: that is a conflict. */
int sw_sat_force(sw_sat_rest *rest);

#endif
