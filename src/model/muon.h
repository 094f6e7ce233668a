/* Muon: the step of a weight matrix is the semi-orthogonal matrix nearest to
 * its momentum (all singular values about 1), found by five Newton-Schulz
 * iterations. Every direction of a matrix moves at one pace, so the rare
 * features of a search trace (a retry, a conflict) are not drowned by the
 * frequent ones; docs/notebook/training.md has what that gains here. Only the
 * matrices that a family's table names step this way; embeddings, norms and
 * biases keep AdamW. One matrix is one thread's work, so no result depends on
 * threads. */
#ifndef SW_MODEL_MUON_H
#define SW_MODEL_MUON_H
#include "model/family.h"

/* One matrix of the flat block: `rows` x `cols` floats from `offset`. */
typedef struct sw_muon_matrix {
  int64_t offset;
  int rows, cols;
} sw_muon_matrix;

/* The matrices that the table of tensors names, in its order. Returns their
 * number; `out` may be NULL. */
int sw_muon_matrices(const sw_net *net, sw_muon_matrix *out);
/* Floats of scratch that one thread needs for any of the matrices. */
size_t sw_muon_scratch(const nn_kernels *kernels, const sw_muon_matrix *matrix,
                       int matrices);

typedef struct sw_muon_rates {
  float lr, decay; /* decay: lr times weight decay */
  float beta;      /* of the momentum (Nesterov) */
  float clip;      /* factor on the gradient */
} sw_muon_rates;
/* One step of `matrix`; `gradient` is zeroed. */
void sw_muon_step(const nn_kernels *kernels, const sw_muon_matrix *matrix,
                  float *weights, float *gradient, float *momentum,
                  const sw_muon_rates *rates, float *scratch);

#endif
