/* The two parts a slot memory layer is made of, each with forward and
 * backward: residual cross-attention (used three times: read, process, write)
 * and the residual feed-forward. Called by slot_memory.c from all members of a
 * team; every function ends with a barrier. */
#ifndef SW_MODEL_SLOT_MEMORY_PARTS_H
#define SW_MODEL_SLOT_MEMORY_PARTS_H
#include "base/threads.h"
#include "model/decoder/slot_memory.h"

/* What every member passes down. Buffers are shared, `scratch` is its own. */
typedef struct sw_mem_team {
  const nn_kernels *kernels;
  sw_team *team;
  int rank, size;
  float *packed;  /* one packed weight at a time */
  float *scratch; /* of this member */
  /* Gradients on their way, for at most `rows` rows. */
  float *d_norm, *d_att, *dq, *dk, *dv, *d_pre, *act;
} sw_mem_team;

/* S_out = S + g * (attention(LN(S) Q^T; M K^T, M V^T)) O^T, g = 1 or
 * sigmoid(gate). Weights point into the layer's block. */
typedef struct sw_mem_cross {
  int32_t rows, keys, spans; /* rows of S, rows of M */
  /* More than 1: row i * lanes + j of S reads the rows up to i of M, and the
   * one span is that of a lane: each is a causal attention of its own, whose
   * rows lie `lanes` apart. 1: spans are of the rows of S, and no two of them
   * have keys in common. */
  int32_t lanes;
  const nn_span *span;
  /* NULL: keys and values are those of M. Otherwise M's are kept with the
   * sequences they belong to, `part` floats from a position's first, and read
   * there; spans are numbered by stretch. */
  const sw_memory_stretch *stretch;
  int32_t stretches;
  size_t part;
  const float *ln_w, *ln_b, *wq, *wk, *wv, *wo, *gate;
  float *d_ln_w, *d_ln_b, *d_wq, *d_wk, *d_wv, *d_wo, *d_gate;
  /* kept for the backward pass */
  float *norm, *mean, *rstd, *q, *k, *v, *att, *lse;
} sw_mem_cross;
void sw_mem_cross_forward(const sw_mem_team *t, const sw_memory_shape *shape,
                          const sw_mem_cross *c, const float *s, const float *m,
                          float *out);
/* ds: gradient of S_out, becomes that of S; dm += (may be ds itself). */
void sw_mem_cross_backward(const sw_mem_team *t, const sw_memory_shape *shape,
                           const sw_mem_cross *c, const float *s,
                           const float *m, float *ds, float *dm);

/* out = S + gelu(LN(S) W1^T + b1) W2^T + b2. */
typedef struct sw_mem_ffn {
  int32_t rows;
  const float *ln_w, *ln_b, *w1, *b1, *w2, *b2;
  float *d_ln_w, *d_ln_b, *d_w1, *d_b1, *d_w2, *d_b2;
  float *norm, *mean, *rstd, *pre;
} sw_mem_ffn;
void sw_mem_ffn_forward(const sw_mem_team *t, const sw_memory_shape *shape,
                        const sw_mem_ffn *f, const float *s, float *out);
void sw_mem_ffn_backward(const sw_mem_team *t, const sw_memory_shape *shape,
                         const sw_mem_ffn *f, const float *s, float *ds);

#endif
