/* Muon (see muon.h). */
#include "model/muon.h"
#include <math.h>

enum { ITERATIONS = 5 };
/* The quintic that lifts small singular values fastest and keeps all of them
 * within about 0.7 to 1.2. */
static const float A = 3.4445f, B = -4.7750f, C = 2.0315f;

int sw_muon_matrices(const sw_net *net, sw_muon_matrix *out) {
  int n = 0;
  for (int i = 0; i < net->tensors; i++) {
    const sw_tensor *t = &net->tensor[i];
    if (!t->matrices || !t->trained) continue;
    int rows = (int)(t->shape[t->dims - 2] / t->matrices);
    int cols = (int)t->shape[t->dims - 1];
    for (int part = 0; part < t->matrices; part++, n++)
      if (out)
        out[n] = (sw_muon_matrix){t->offset + (int64_t)part * rows * cols, rows,
                                  cols};
  }
  return n;
}

/* Scratch: x, next x [small x large], gram, poly [small x small], packed. */
static size_t packed_floats(const nn_kernels *k, int small, int large) {
  size_t a = k->packed_size(small, large), b = k->packed_size(large, small);
  return a > b ? a : b;
}

size_t sw_muon_scratch(const nn_kernels *kernels, const sw_muon_matrix *matrix,
                       int matrices) {
  size_t most = 0;
  for (int i = 0; i < matrices; i++) {
    int rows = matrix[i].rows, cols = matrix[i].cols;
    int small = rows < cols ? rows : cols, large = rows < cols ? cols : rows;
    size_t need =
        2 * ((size_t)small * (size_t)large + (size_t)small * (size_t)small) +
        packed_floats(kernels, small, large);
    if (need > most) most = need;
  }
  return most + 64;
}

/* x [s x l] towards the nearest semi-orthogonal matrix; the result is in *x,
 * *spare is the other buffer. */
static void orthogonalise(const nn_kernels *k, int s, int l, float **x,
                          float **spare, float *gram, float *poly,
                          float *packed) {
  for (int i = 0; i < ITERATIONS; i++) {
    k->pack_nt(s, l, *x, l, packed, 0, s);
    k->gemm(s, s, l, *x, l, packed, gram, s, 0, NULL);
    k->pack_nt(s, s, gram, s, packed, 0, s); /* symmetric */
    k->gemm(s, s, s, gram, s, packed, poly, s, 0, NULL);
    for (int j = 0; j < s * s; j++) poly[j] = B * gram[j] + C * poly[j];
    for (int j = 0; j < s; j++) poly[j * s + j] += A;
    k->pack_nn(l, s, *x, l, packed, 0, l);
    k->gemm(s, l, s, poly, s, packed, *spare, l, 0, NULL);
    float *t = *x;
    *x = *spare;
    *spare = t;
  }
}

void sw_muon_step(const nn_kernels *k, const sw_muon_matrix *m, float *weights,
                  float *gradient, float *momentum, const sw_muon_rates *rates,
                  float *scratch) {
  int tall = m->rows > m->cols;
  int s = tall ? m->cols : m->rows, l = tall ? m->rows : m->cols;
  size_t count = (size_t)s * (size_t)l;
  float *w = weights + m->offset, *g = gradient + m->offset;
  float *v = momentum + m->offset;
  float *x = scratch, *spare = x + count, *gram = spare + count;
  float *poly = gram + (size_t)s * (size_t)s;
  float *packed = poly + (size_t)s * (size_t)s;
  packed += (16 - ((uintptr_t)packed / sizeof(float)) % 16) % 16;
  double squares = 0;
  for (int r = 0; r < m->rows; r++)
    for (int c = 0; c < m->cols; c++) {
      size_t i = (size_t)r * (size_t)m->cols + (size_t)c;
      float step = rates->clip * g[i];
      v[i] = rates->beta * v[i] + step;
      step += rates->beta * v[i];
      g[i] = 0;
      squares += (double)step * (double)step;
      x[tall ? (size_t)c * (size_t)l + (size_t)r : i] = step;
    }
  if (squares > 0) {
    float scale = (float)(1 / sqrt(squares));
    for (size_t i = 0; i < count; i++) x[i] *= scale;
    orthogonalise(k, s, l, &x, &spare, gram, poly, packed);
  }
  /* An orthogonal matrix has root-mean-square 1/sqrt(l). This factor gives it
   * the size of a typical AdamW step, so that both share one learning rate. */
  float rate = rates->lr * 0.2f * sqrtf((float)l);
  for (int r = 0; r < m->rows; r++)
    for (int c = 0; c < m->cols; c++) {
      size_t i = (size_t)r * (size_t)m->cols + (size_t)c;
      w[i] -= rates->decay * w[i] +
              rate * x[tall ? (size_t)c * (size_t)l + (size_t)r : i];
    }
}
