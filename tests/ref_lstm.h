/* A second implementation of the LSTM for tests: token by token, in double,
 * written from the formulas and sharing nothing with the engine but the names
 * of the parameters. What a block starts from is asked of the mask, pair by
 * pair. */
#ifndef TESTS_REF_LSTM_H
#define TESTS_REF_LSTM_H
#include "model/family.h"
#include "trace/mask.h"

typedef struct ref_lstm {
  const sw_net *net;     /* its table of tensors; its weights are not read */
  const double *weights; /* flat */
  int vocab, d, layers, positions;
  const sw_example *example;
  /* NULL, or what dropout multiplies with: [length][d] of the input and
   * [layers - 1][length][d] between the layers */
  const double *drop_embed, *drop_between;
} ref_lstm;

/* out: [length][vocab], and (may be NULL) [length][d] after the norm. */
void ref_lstm_logits(const ref_lstm *c, double *out, double *hidden);
/* Sum of -log softmax over the supervised tokens; its gradient times `weight`
 * is added to gradient (may be NULL). */
double ref_lstm_loss(const ref_lstm *c, double weight, double *gradient);

#endif
