/* Attention for a mask given as a dense rows x rows table (random-matched):
 * plain loops over the visible keys of each query, for a control that is no
 * list of key ranges. The kernels' numerics in spirit (exact row maximum,
 * sums in a fixed order) and its own dropout draws. */
#include <math.h>
#include <string.h>
#include "base/rng.h"
#include "model/decoder/pass.h"

size_t sw_dense_scratch(int32_t rows) { return 2 * (size_t)rows; }

/* Four sums side by side (head_dim is a multiple of four), which the compiler
 * may keep in one register. */
static float dot(const float *a, const float *b, int n) {
  float sum[4] = {0};
  for (int i = 0; i < n; i += 4)
    for (int lane = 0; lane < 4; lane++) sum[lane] += a[i + lane] * b[i + lane];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The factor dropout applies to probability (row, key): 0 or 1/(1-p). */
static float kept(const nn_dropout *drop, int32_t row, int32_t key) {
  if (!drop->threshold) return 1.0f;
  uint32_t counter[4] = {(uint32_t)key, (uint32_t)row, drop->stream, 1};
  uint32_t out[4];
  sw_philox4x32(counter, drop->key, out);
  return (out[0] & 0xffff) >= drop->threshold ? drop->scale : 0.0f;
}

/* p[i] = softmax over the visible keys key[i]; returns their number and, at
 * *lse, the log-sum-exp. */
static int32_t probabilities(const nn_attention *a, const uint8_t *sees,
                             int32_t rows, const float *query, float *p,
                             int32_t *key, float *lse) {
  int32_t n = 0;
  float top = -INFINITY, sum = 0;
  for (int32_t k = 0; k < rows; k++)
    if (sees[k]) {
      key[n] = k;
      p[n] = a->scale * dot(query, a->k + k * a->ldk, a->head_dim);
      top = p[n] > top ? p[n] : top;
      n++;
    }
  for (int32_t i = 0; i < n; i++) sum += p[i] = expf(p[i] - top);
  for (int32_t i = 0; i < n; i++) p[i] /= sum;
  *lse = top + logf(sum);
  return n;
}

void sw_dense_forward(const nn_attention *a, const sw_plan *plan,
                      const uint8_t *dense, int only_live, float *scratch) {
  float *p = scratch;
  int32_t *key = (int32_t *)(void *)(scratch + plan->rows);
  for (int32_t q = 0; q < plan->rows; q++) {
    int32_t at = only_live ? plan->live_index[q] : q;
    if (at < 0) continue;
    int32_t n =
        probabilities(a, dense + (size_t)q * (size_t)plan->rows, plan->rows,
                      a->q + at * a->ldq, p, key, &a->lse[at]);
    float *out = a->out + at * a->ldo;
    memset(out, 0, sizeof(float) * (size_t)a->head_dim);
    for (int32_t i = 0; i < n; i++) {
      float w = p[i] * kept(&a->drop, q, key[i]);
      for (int c = 0; c < a->head_dim; c++)
        out[c] += w * a->v[key[i] * a->ldv + c];
    }
  }
}

void sw_dense_backward(const nn_attention *a, const sw_plan *plan,
                       const uint8_t *dense, int only_live, float *scratch) {
  float *p = scratch;
  int32_t *key = (int32_t *)(void *)(scratch + plan->rows);
  for (int32_t q = 0; q < plan->rows; q++) {
    int32_t at = only_live ? plan->live_index[q] : q;
    if (at < 0) continue;
    float lse;
    const float *dout = a->dout + at * a->lddo, *query = a->q + at * a->ldq;
    int32_t n = probabilities(a, dense + (size_t)q * (size_t)plan->rows,
                              plan->rows, query, p, key, &lse);
    float *dq = a->dq + at * a->lddq;
    float delta = dot(dout, a->out + at * a->ldo, a->head_dim);
    memset(dq, 0, sizeof(float) * (size_t)a->head_dim);
    for (int32_t i = 0; i < n; i++) {
      const float *k = a->k + key[i] * a->ldk, *v = a->v + key[i] * a->ldv;
      float *dk = a->dk + key[i] * a->lddk, *dv = a->dv + key[i] * a->lddv;
      float keep = kept(&a->drop, q, key[i]);
      float ds = p[i] * (keep * dot(dout, v, a->head_dim) - delta) * a->scale;
      for (int c = 0; c < a->head_dim; c++) {
        dv[c] += p[i] * keep * dout[c];
        dq[c] += ds * k[c];
        dk[c] += ds * query[c];
      }
    }
  }
}
