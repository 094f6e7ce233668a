/* Gradients by central differences of a loss in double precision: a reference
 * for families whose loss a test writes down again from its definition. */
#ifndef TESTS_STATE_REFERENCE_H
#define TESTS_STATE_REFERENCE_H
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "model/family.h"

/* The loss of an item under weights in double. */
typedef double (*reference_loss)(const sw_net *net, const double *weights,
                                 const sw_item *item);

static inline double *reference_weights(const sw_net *net) {
  double *w = malloc(sizeof *w * (size_t)net->count);
  for (int64_t i = 0; i < net->count; i++) w[i] = (double)net->weights[i];
  return w;
}

/* Norm of (gradient - reference) over that of the reference, over `some`
 * parameters spread evenly (0: all). */
static inline double reference_error(const sw_net *net, const sw_item *item,
                                     const float *gradient, int64_t some,
                                     reference_loss loss) {
  double *w = reference_weights(net), off = 0, all = 0;
  int64_t step = some && some < net->trained ? net->trained / some : 1;
  for (int64_t i = 0; i < net->trained; i += step) {
    double h = 1e-7, was = w[i];
    w[i] = was + h;
    double up = loss(net, w, item);
    w[i] = was - h;
    double down = loss(net, w, item);
    w[i] = was;
    double slope = (up - down) / (2 * h);
    off += (slope - (double)gradient[i]) * (slope - (double)gradient[i]);
    all += slope * slope;
  }
  free(w);
  return sqrt(off / all);
}

/* The slope along a random direction of all parameters at once, minus the
 * product of the gradient and the direction, over the gradient's norm. */
static inline double direction_error(const sw_net *net, const sw_item *item,
                                     const float *gradient, uint64_t seed,
                                     reference_loss loss) {
  double *w = reference_weights(net), slope = 0, norm = 0, h = 1e-9, value[2];
  for (int64_t i = 0; i < net->trained; i++) {
    slope += (double)gradient[i] * sw_philox_normal(seed, 1, (uint64_t)i);
    norm += (double)gradient[i] * (double)gradient[i];
  }
  for (int side = 0; side < 2; side++) {
    for (int64_t i = 0; i < net->trained; i++)
      w[i] = (double)net->weights[i] +
             (side ? -h : h) * sw_philox_normal(seed, 1, (uint64_t)i);
    value[side] = loss(net, w, item);
  }
  free(w);
  return ((value[0] - value[1]) / (2 * h) - slope) / sqrt(norm);
}

static inline double reference_softmax(const double *score, int classes,
                                       int target) {
  double top = score[0], sum = 0;
  for (int c = 1; c < classes; c++) top = score[c] > top ? score[c] : top;
  for (int c = 0; c < classes; c++) sum += exp(score[c] - top);
  return log(sum) + top - score[target];
}

/* A tensor by its name in files. */
static inline const double *reference_tensor(const sw_net *net, const double *w,
                                             const char *name) {
  for (int i = 0; i < net->tensors; i++)
    if (!strcmp(net->tensor[i].name, name)) return w + net->tensor[i].offset;
  fail_msg("no tensor %s", name);
  return NULL;
}

/* y[out] = W x + b of the tensors NAME.weight and NAME.bias. */
static inline void reference_linear(const sw_net *net, const double *w,
                                    const char *name, const double *x, int in,
                                    int out, double *y) {
  char full[80];
  snprintf(full, sizeof full, "%s.weight", name);
  const double *weight = reference_tensor(net, w, full);
  snprintf(full, sizeof full, "%s.bias", name);
  const double *bias = reference_tensor(net, w, full);
  for (int o = 0; o < out; o++) {
    y[o] = bias[o];
    for (int i = 0; i < in; i++) y[o] += weight[o * in + i] * x[i];
  }
}
#endif
