/* What theory says of a predictor f(T, H) of a label Y, computed from states
 * with several histories: S the state, T what is shown of it, H the history.
 * Everything is taken over the rows given, each with the same weight, so that
 * the identities hold exactly there and only the figures are estimates:
 *
 *   E (Y - f)^2 = irreducible + aliasing + approximation + entanglement + cross
 *     irreducible   E Var(Y | S)
 *     aliasing      E (E[Y|S] - E[Y|T])^2: what T leaves out of S
 *     approximation E (E[Y|T] - E[f|T])^2
 *     entanglement  E Var(f | T): what the history does to f; 0 for f(T)
 *     cross         -2 E (E[Y|T,H] - E[Y|T]) (f - E[f|T]); 0 when H tells
 *                   nothing about Y beyond T, or f does not read it
 *   entanglement = half E (f(T,H) - f(T,H'))^2, H' drawn anew given T
 *   R(T) - R(T,H) <= sqrt(I(Y;H|T) / 2), R the least share of wrong guesses
 *   L(T) - L(T,H) = I(Y;H|T), L the least log loss (nats)
 *
 * I is a plug-in estimate, too high where each history is met once; the same
 * with the labels of a T dealt out at random says by how much. Used by the bank
 * (bank_theory.c). */
#ifndef SW_PROBE_THEORY_H
#define SW_PROBE_THEORY_H
#include <stdint.h>
#include "base/err.h"

typedef struct sw_theory_row {
  uint64_t state, trace, history; /* names; equal: the same */
  int64_t cluster;                /* instance */
  int label;                      /* 0 or 1 */
  double score;                   /* a function of (trace, history) */
} sw_theory_row;

/* clang-format off */
#define SW_THEORY_TERMS(X)                                                     \
  X(loss, "mean squared error")                                                \
  X(irreducible, "variance of the label given the state")                      \
  X(aliasing, "what is shown leaves out")                                      \
  X(approximation, "the mean prediction given what is shown, against the best") \
  X(entanglement, "variance of the prediction over histories")                 \
  X(cross, "what the history really tells, used by the prediction")            \
  X(redrawn, "half the squared difference to a redrawn history, all redraws")  \
  X(risk_shown, "least share of wrong guesses from what is shown")             \
  X(risk_history, "the same with the history")                                 \
  X(log_loss_shown, "least log loss from what is shown")                       \
  X(log_loss_history, "the same with the history")                             \
  X(information, "I(Y;H|T), plug-in, nats")                                    \
  X(information_shuffled, "the same with labels dealt out at random given T")  \
  X(risk_bound, "sqrt(I / 2): most that the history can save in wrong guesses")
/* clang-format on */
typedef struct sw_theory {
  int64_t rows, states, traces, histories;
#define X(name, text) double name;
  SW_THEORY_TERMS(X)
#undef X
} sw_theory;

/* `seed` is of the dealing. Rows with equal trace and history must have equal
 * scores for the identities to hold. */
int sw_theory_of(const sw_theory_row *row, int64_t count, uint64_t seed,
                 sw_theory *out, sw_err *err);

#endif
