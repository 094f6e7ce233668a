/* The one place where scores become a choice. The closed loop, the solver, the
 * C API and the probes all pick here, so ties are broken alike: to the lowest
 * token. */
#ifndef SW_SEARCH_PICK_H
#define SW_SEARCH_PICK_H
#include "domains/cands.h"

/* Sets of candidate kinds. */
#define SW_KIND(kind) (1u << (kind))
enum {
  SW_PICK_ANY = 15,
  SW_PICK_LEGAL = SW_KIND(SW_CAND_CONTINUE),
  SW_PICK_ONWARD = SW_PICK_ANY & ~SW_KIND(SW_CAND_BACK)
};

/* Index of the candidate with the highest score among the given kinds; -1:
 * there is none. A score that is not a number never wins. Scores by candidate,
 * or by token (a model's logits). */
int sw_pick(const sw_cand *candidate, int count, const float *score,
            unsigned kinds);
int sw_pick_logits(const sw_cand *candidate, int count, const float *logits,
                   unsigned kinds);
/* Among tokens, with the log-probability of each (softmax in double). */
int sw_pick_tokens(const int32_t *token, int count, const float *logits,
                   double *log_p);

#endif
