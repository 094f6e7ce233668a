/* Kernels. Every kernel has a portable reference (src/nn/ref) and vector
 * versions (AVX2, AVX-512 and NEON, from one source) under the same
 * names, reached through one table chosen at run time (nn_select).
 *
 * Exactness: each output element is one fixed chain of operations that depends
 * only on its own inputs: never on the number of rows, the tile a row falls
 * in, its neighbours or the number of threads. So a row computed alone has the
 * same bits as in a batch. Different kernel sets agree to tolerance only.
 * Kernels are single-threaded on the ranges they are given; callers split
 * rows, heads or weight rows between threads.
 *
 * All matrices are row-major float; ld* are row strides in floats. */
#ifndef SW_NN_NN_H
#define SW_NN_NN_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/spans.h"

/* Which keys which queries see. Key rows index the arrays k and v; `causal` and
 * `window` compare with the query's key row. */
typedef sw_run nn_run;
typedef sw_span nn_span;

/* Dropout: element i of site (stream) is kept iff a 16-bit Philox draw keyed by
 * (key, stream, row, i) is >= threshold; kept values are scaled by `scale`.
 * threshold 0 = no dropout. Drawn again in the backward pass, except where
 * attention finds its forward decisions (nn_attention.kept).
 * The draw of element i: lane l = i mod 8, slice j = i/8 mod 8; it is the low
 * (j even) or high (j odd) half of word j/2 of Philox4x32-7 with counter
 * (8*(i/64) + l, row, stream, part). part is 0; in attention it is the run's
 * index in its span, i = key row - run.begin, row = the query's key row. */
typedef struct nn_dropout {
  uint32_t key[2];    /* from seed, step and trace */
  uint32_t stream;    /* layer and site (and head) */
  uint32_t threshold; /* round(p * 65536) */
  float scale;        /* 1 / (1 - p) */
} nn_dropout;

/* What happens to a finished tile of a matrix product before it is stored. */
typedef struct nn_epilogue {
  const float *bias;     /* [N] or NULL */
  float *pre;            /* NULL, or where x = acc + bias is stored (ldc) and
                            C gets dropout(gelu(x)) */
  const float *residual; /* NULL, or C = residual + scale * dropout(acc+bias);
                            same ld as C, may be C itself */
  float scale;
  nn_dropout drop; /* row index = row0 + row of the tile */
  uint32_t row0;
} nn_epilogue;

/* Keys that were packed beforehand (pack_keys), for a cache that is read far
 * more often than it is written: stretch i holds the key rows from begin[i] on.
 */
enum { NN_STRETCHES = 3 };
typedef struct nn_panels {
  int32_t begin[NN_STRETCHES];
  const float *panel[NN_STRETCHES]; /* NULL: there is no such stretch */
} nn_panels;

typedef struct nn_attention {
  int head_dim; /* 4 to 128, a multiple of 4 */
  float scale;  /* 1/sqrt(head_dim) */
  const float *q;
  ptrdiff_t ldq; /* query rows, this head's first column */
  const float *k;
  ptrdiff_t ldk; /* key rows */
  const float *v;
  ptrdiff_t ldv;
  float *out;
  ptrdiff_t ldo;        /* query rows */
  float *lse;           /* [query rows] log-sum-exp of the scores */
  int32_t key_of_query; /* key row of query row r of a span is r + this + the
                           span's shift (0 in training; cached inference: rows
                           already there) */
  const nn_span *spans;
  int32_t span_count;
  nn_dropout drop;         /* on the probabilities; row = query's key row */
  uint64_t *kept;          /* NULL, or where forward may leave its decisions
                              for backward, which draws them again without: */
  ptrdiff_t ldkept;        /* words of a query row, sw_span_words or more */
  const nn_panels *panels; /* forward: NULL, or a run that begins where a
                              stretch does reads its keys there, not from k */
  /* backward only */
  const float *dout;
  ptrdiff_t lddo;
  float *dq, *dk, *dv;
  ptrdiff_t lddq, lddk, lddv; /* dk, dv: accumulated;
                                 caller zeroes them */
} nn_attention;

typedef struct nn_kernels {
  const char *name; /* "portable", "avx2", "avx512" */
  int rounds;       /* 1: products round their operands to bfloat16 */
  /* Floats needed for a packed n x k right-hand side. */
  size_t (*packed_size)(int n, int k);
  /* Packs B so that gemm computes A.B with B[k][n] = src[n*ld + k] (nt: a
   * weight (out,in) used forward) or src[k*ld + n] (nn: the same weight used
   * for dX). Rows begin..end of n are packed, so threads can share the work
   * (begin a multiple of pack_grain). */
  void (*pack_nt)(int n, int k, const float *src, ptrdiff_t ld, float *packed,
                  int n_begin, int n_end);
  void (*pack_nn)(int n, int k, const float *src, ptrdiff_t ld, float *packed,
                  int n_begin, int n_end);
  int pack_grain;
  /* C[m x n] = A[m x k] . packed (+ C if accumulate), then the epilogue (NULL:
   * none). Every element is one ascending-k chain of fused multiply-adds. */
  void (*gemm)(int m, int n, int k, const float *a, ptrdiff_t lda,
               const float *packed, float *c, ptrdiff_t ldc, int accumulate,
               const nn_epilogue *epilogue);
  /* C[m x n] (+)= A^T . B with A[k x m], B[k x n]: the weight gradient, k =
   * tokens, one ascending-k chain. `scratch` has gemm_tn_scratch(...) floats.
   * Computes rows m_begin..m_end of C only. */
  size_t (*gemm_tn_scratch)(int m, int n, int k);
  void (*gemm_tn)(int m, int n, int k, const float *a, ptrdiff_t lda,
                  const float *b, ptrdiff_t ldb, float *c, ptrdiff_t ldc,
                  int accumulate, int m_begin, int m_end, float *scratch);
  /* db[n] (+)= sum over rows of dy, ascending, columns begin..end. */
  void (*column_sum)(int rows, const float *dy, ptrdiff_t ld, float *db,
                     int accumulate, int begin, int end);

  /* Attention of one head over all its spans, or the query rows that fall in
   * [q_begin, q_end) (forward). scratch: attention_scratch floats, per thread;
   * max_keys: the number of key rows (the largest run.end, or more), and for
   * backward not less than the number of query rows. The runs of a span must
   * not overlap. Backward assigns dq and adds to dk and dv. */
  size_t (*attention_scratch)(int head_dim, int max_keys, int backward);
  void (*attention_forward)(const nn_attention *a, int32_t q_begin,
                            int32_t q_end, float *scratch);
  void (*attention_backward)(const nn_attention *a, float *scratch);
  /* Key rows from..to of a stretch (counted from its start; k: row `from`) go
   * into its panels, which have panel_floats floats. Other rows' places are not
   * touched, so threads may pack different rows. A key's floats are copied, or
   * rounded as attention rounds them, so no bit depends on how keys are read.
   * unpack_key: one key back. */
  size_t (*panel_floats)(int head_dim, int keys);
  void (*pack_keys)(int head_dim, const float *k, ptrdiff_t ldk, int from,
                    int to, float *panels);
  void (*unpack_key)(int head_dim, const float *panels, int key, float *out);

  /* y = (x - mean)/sqrt(var + 1e-5) * w + b; mean, rstd [rows] may be NULL. */
  void (*layer_norm)(int rows, int d, const float *x, const float *w,
                     const float *b, float *y, float *mean, float *rstd);
  /* dx += gradient through the norm; dw, db += (accumulated over rows in
   * ascending order within the call: one call covers all rows of a trace and
   * columns are not split, so threads call layer_norm_dx on row ranges and
   * layer_norm_dwb on column ranges). */
  void (*layer_norm_dx)(int rows, int d, const float *dy, const float *x,
                        const float *w, const float *mean, const float *rstd,
                        float *dx);
  void (*layer_norm_dwb)(int rows, int d, const float *dy, const float *x,
                         const float *mean, const float *rstd, float *dw,
                         float *db, int begin, int end);
  /* dz = dy * dropout' * gelu'(z); also h = dropout(gelu(z)) when h != NULL
   * (recomputed rather than stored). */
  void (*gelu_backward)(int rows, int n, const float *dy, ptrdiff_t lddy,
                        const float *z, ptrdiff_t ldz, float *dz,
                        ptrdiff_t lddz, float *h, ptrdiff_t ldh,
                        const nn_dropout *drop, uint32_t row0);
  void (*gelu_forward)(size_t count, const float *z, float *y);
  /* y = scale * dropout(x) elementwise (backward of the residual epilogue and
   * the embedding dropout; x may be y). */
  void (*dropout_scale)(int rows, int n, const float *x, ptrdiff_t ldx,
                        float scale, const nn_dropout *drop, uint32_t row0,
                        float *y, ptrdiff_t ldy);
  /* One step of an LSTM's cell: one row of width d. `gates` has d floats each
   * for i, f, g and o: what the input gives them. Forward adds what the state
   * before gives (`recurrent`) and leaves their values there:
   *   i, f, o = sigmoid, g = tanh;  c = f c_before + i g;  h = o tanh(c)
   * Backward turns these values into the gradients of what went in. The
   * gradient of h is dh + dh_after; dc holds that of c by the step after, and
   * gets that of c_before. */
  void (*lstm_forward)(int d, float *gates, const float *recurrent,
                       const float *c_before, float *c, float *h);
  void (*lstm_backward)(int d, float *gates, const float *c_before,
                        const float *c, const float *dh, const float *dh_after,
                        float *dc);
  /* Softmax cross-entropy of `rows` rows of n logits: loss[row] = lse - logit
   * of target; logits are replaced by (p - onehot) * weight. Double sums. */
  void (*cross_entropy)(int rows, int n, float *logits, ptrdiff_t ld,
                        const int32_t *target, float weight, double *loss);
  /* AdamW on a range, with the clip factor folded in (g *= clip), and the
   * gradient zeroed, in one pass. decay = lr * wd; c1, c2 = bias corrections
   * 1/(1-b1^t), 1/(1-b2^t). */
  void (*adamw)(size_t count, float *w, float *g, float *m, float *v, float lr,
                float beta1, float beta2, float eps, float decay, float c1,
                float c2, float clip);
  /* Sum of squares in double: fixed lane order within 4096-element chunks, the
   * chunks' sums added in ascending order. So callers that split the work ask
   * for one chunk a call and add the results in ascending order themselves. */
  double (*sum_squares)(size_t count, const float *x);
  void (*add)(size_t count, const float *x, float *y); /* y += x */
  void (*exp_array)(size_t count, const float *x, float *y);
  void (*erf_array)(size_t count, const float *x, float *y);
  /* GFLOP/s of this thread running independent FMA chains of this width for
   * about `seconds`: the yardstick of every "fraction of peak". */
  double (*fma_peak)(double seconds);
} nn_kernels;

/* The best kernel set of this CPU, or the one named ("portable", "avx2",
 * "avx512", "avx512bf16", "neon"; environment variable STATEWISE_KERNELS
 * overrides the default). NULL and *err when it is unknown or the CPU lacks it.
 */
const nn_kernels *nn_select(const char *name, sw_err *err);
/* The names of the sets that this CPU can run, the portable one (0) first; NULL
 * beyond the last. */
const char *nn_set_name(int index);
/* Flush-to-zero and denormals-are-zero for the calling thread. */
void nn_set_float_mode(void);
/* The calling thread's mode, and putting it back (a host program's thread is
 * only borrowed). */
unsigned nn_float_mode(void);
void nn_restore_float_mode(unsigned mode);

#endif
