/* A second implementation of the slot decoder for tests: dense, in double,
 * written from the formulas with no regard to speed and sharing nothing with
 * the engine but the parameter table. The mask is asked pair by pair. */
#ifndef TESTS_REF_DOUBLE_H
#define TESTS_REF_DOUBLE_H
#include <stdint.h>
#include "model/decoder/params.h"
#include "trace/mask.h"

typedef struct ref_case {
  sw_model_config config;
  const double *weights; /* flat, in the order of the table */
  const sw_mask *mask;
  const int32_t *token, *position;
  int32_t length;
} ref_case;

/* logits: [length][vocab]; verify (may be NULL): [length][2]. */
void ref_logits(const ref_case *c, double *logits, double *verify);
/* Sum of -log softmax over the tokens with supervised[t] (t >= 1), and its
 * gradient times `weight` added to gradient (may be NULL). */
double ref_loss(const ref_case *c, const uint8_t *supervised, double weight,
                double *gradient);
/* One AdamW step (t = 1, moments zero) after clipping to norm 1; returns the
 * norm before clipping. Trained parameters only. */
double ref_adamw_first(const ref_case *c, double *weights, const double *grad,
                       double lr, double decay);

#endif
