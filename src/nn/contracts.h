/* What every set of kernels may expect of its callers (nn.h): NULL, or what is
 * wrong. Checked in debug builds (base/check.h) by the sets' sources. */
#ifndef SW_NN_CONTRACTS_H
#define SW_NN_CONTRACTS_H
#include "base/check.h"
#include "nn/nn.h"

static inline const char *nn_gemm_fault(const int size[3], const void *a,
                                        ptrdiff_t lda, const void *c,
                                        ptrdiff_t ldc) {
  int m = size[0], n = size[1], k = size[2];
  if (m < 0 || n < 0 || k < 0) return "a size below 0";
  if (m && n && (!a || !c)) return "no matrix";
  if (m > 1 && (lda < k || ldc < n)) return "rows overlap";
  return NULL;
}

static inline const char *nn_gemm_tn_fault(const int size[3],
                                           const ptrdiff_t ld[3], int begin,
                                           int end) {
  int m = size[0], n = size[1], k = size[2];
  if (m < 0 || n < 0 || k < 0) return "a size below 0";
  if (k > 1 && (ld[0] < m || ld[1] < n)) return "rows overlap";
  if (m > 1 && ld[2] < n) return "rows of the result overlap";
  if (begin < 0 || begin > end || end > m) return "rows outside the result";
  return NULL;
}

static inline const char *nn_span_fault(const nn_span *span) {
  if (span->begin > span->end) return "a span ends before it begins";
  if (span->runs < 0 || span->runs > SW_RUNS_MAX) return "too many runs";
  for (int32_t r = 0; r < span->runs; r++) {
    const nn_run *run = &span->run[r];
    if (run->begin < 0 || run->begin > run->end) return "a run without keys";
    if (r && run[-1].end > run->begin) return "runs overlap or descend";
  }
  return NULL;
}

static inline const char *nn_attention_fault(const nn_attention *a) {
  if (a->head_dim < 4 || a->head_dim > 128 || a->head_dim % 4)
    return "no head of 4 to 128 columns, a multiple of 4";
  if (a->span_count < 0 || (a->span_count && !a->spans)) return "no spans";
  for (int32_t s = 0; s < a->span_count; s++) {
    const char *why = nn_span_fault(&a->spans[s]);
    if (why) return why;
  }
  return NULL;
}

static inline const char *nn_cross_entropy_fault(int rows, int n, ptrdiff_t ld,
                                                 const int32_t *target) {
  if (rows < 0 || n < 1 || (rows > 1 && ld < n)) return "a size is wrong";
  for (int r = 0; r < rows; r++)
    if (target[r] < 0 || target[r] >= n) return "a target outside the scores";
  return NULL;
}

#endif
