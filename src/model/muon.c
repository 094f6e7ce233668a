/* Muon (see muon.h). */
#include "model/muon.h"
#include <math.h>

enum { ITERATIONS = 5 };
/* The quintic that lifts small singular values fastest and keeps all of them
 * within about 0.7 to 1.2. */
static const float A = 3.4445f, B = -4.7750f, C = 2.0315f;

int sw_muon_matrices(const sw_model *model, sw_muon_matrix *out) {
  static const struct {
    sw_param_id id;
    int parts;
  } wanted[] = {
      {SW_P_QKV_W, 3}, {SW_P_PROJ_W, 1}, {SW_P_IN_W, 1}, {SW_P_OUT_W, 1}};
  const sw_model_config *c = &model->config;
  int n = 0;
  for (int layer = 0; layer < c->layers; layer++)
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
      for (int part = 0; part < wanted[w].parts; part++, n++) {
        int rows = wanted[w].id == SW_P_IN_W ? c->ffn : c->d;
        int cols = wanted[w].id == SW_P_OUT_W ? c->ffn : c->d;
        if (out)
          out[n] = (sw_muon_matrix){model->params.offset[wanted[w].id] +
                                        model->params.layer_stride * layer +
                                        (int64_t)part * rows * cols,
                                    rows, cols};
      }
  return n;
}

/* Scratch: x, next x [small x large], gram, poly [small x small], packed. */
static size_t packed_floats(const nn_kernels *k, int small, int large) {
  size_t a = k->packed_size(small, large), b = k->packed_size(large, small);
  return a > b ? a : b;
}

size_t sw_muon_scratch(const sw_model *model) {
  int d = model->config.d, f = model->config.ffn;
  int small = d < f ? d : f, large = d < f ? f : d;
  size_t wide =
      2 * ((size_t)small * (size_t)large + (size_t)small * (size_t)small) +
      packed_floats(model->kernels, small, large);
  size_t square =
      4 * (size_t)d * (size_t)d + packed_floats(model->kernels, d, d);
  return (wide > square ? wide : square) + 64;
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
  /* An orthogonal matrix has root-mean-square 1/sqrt(l); this factor gives it
   * the size of a typical AdamW step, so both share one learning rate. */
  float rate = rates->lr * 0.2f * sqrtf((float)l);
  for (int r = 0; r < m->rows; r++)
    for (int c = 0; c < m->cols; c++) {
      size_t i = (size_t)r * (size_t)m->cols + (size_t)c;
      w[i] -= rates->decay * w[i] +
              rate * x[tall ? (size_t)c * (size_t)l + (size_t)r : i];
    }
}
