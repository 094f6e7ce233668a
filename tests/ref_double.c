/* The double-precision reference; see ref_double.h. */
#include "ref_double.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct acts { /* everything one layer keeps */
  double *x, *n1, *qkv, *p, *att, *mid, *n2, *z, *h;
} acts;
typedef struct work {
  const ref_case *c;
  sw_params params;
  size_t rows, d, ffn, heads;
  acts *layer;
  double *out, *final; /* [rows][d] */
} work;

static double *zeros(size_t n) { return calloc(n ? n : 1, sizeof(double)); }

static const double *weight(const work *w, sw_param_id id, int layer) {
  return w->c->weights + w->params.offset[id] +
         w->params.layout.layer_stride * layer;
}
static double *slot_of(const work *w, double *g, sw_param_id id, int layer) {
  return g + w->params.offset[id] + w->params.layout.layer_stride * layer;
}

static void linear(size_t rows, size_t in, size_t out, const double *x,
                   const double *W, const double *b, double *y) {
  for (size_t r = 0; r < rows; r++)
    for (size_t o = 0; o < out; o++) {
      double sum = b ? b[o] : 0;
      for (size_t i = 0; i < in; i++) sum += x[r * in + i] * W[o * in + i];
      y[r * out + o] = sum;
    }
}

static void linear_back(size_t rows, size_t in, size_t out, const double *x,
                        const double *W, const double *dy, double *dx,
                        double *dW, double *db) {
  for (size_t r = 0; r < rows; r++)
    for (size_t o = 0; o < out; o++) {
      double g = dy[r * out + o];
      for (size_t i = 0; i < in; i++) {
        dx[r * in + i] += g * W[o * in + i];
        dW[o * in + i] += g * x[r * in + i];
      }
      if (db) db[o] += g;
    }
}

static void moments(const double *x, size_t d, double *mean, double *scale) {
  double m = 0, v = 0;
  for (size_t i = 0; i < d; i++) m += x[i] / (double)d;
  for (size_t i = 0; i < d; i++) v += (x[i] - m) * (x[i] - m) / (double)d;
  *mean = m;
  *scale = 1 / sqrt(v + 1e-5);
}

static void norm(size_t rows, size_t d, const double *x, const double *w,
                 const double *b, double *y) {
  for (size_t r = 0; r < rows; r++) {
    double mean, scale;
    moments(x + r * d, d, &mean, &scale);
    for (size_t i = 0; i < d; i++)
      y[r * d + i] = (x[r * d + i] - mean) * scale * w[i] + b[i];
  }
}

static void norm_back(size_t rows, size_t d, const double *x, const double *w,
                      const double *dy, double *dx, double *dw, double *db) {
  for (size_t r = 0; r < rows; r++) {
    double mean, scale, a = 0, b = 0;
    moments(x + r * d, d, &mean, &scale);
    for (size_t i = 0; i < d; i++) {
      double xhat = (x[r * d + i] - mean) * scale, g = dy[r * d + i] * w[i];
      a += g / (double)d;
      b += g * xhat / (double)d;
      dw[i] += dy[r * d + i] * xhat;
      db[i] += dy[r * d + i];
    }
    for (size_t i = 0; i < d; i++) {
      double xhat = (x[r * d + i] - mean) * scale;
      dx[r * d + i] += scale * (dy[r * d + i] * w[i] - a - xhat * b);
    }
  }
}

static double gelu(double z) { return 0.5 * z * (1 + erf(z / sqrt(2.0))); }
static double gelu_slope(double z) {
  return 0.5 * (1 + erf(z / sqrt(2.0))) +
         z * exp(-0.5 * z * z) / sqrt(2 * acos(-1.0));
}

static void attention(const work *w, acts *a) {
  size_t n = w->rows, d = w->d, dim = d / w->heads;
  for (size_t h = 0; h < w->heads; h++)
    for (size_t q = 0; q < n; q++) {
      double *p = a->p + (h * n + q) * n, top = -INFINITY, sum = 0;
      for (size_t k = 0; k < n; k++) {
        p[k] = 0;
        for (size_t i = 0; i < dim; i++)
          p[k] += a->qkv[q * 3 * d + h * dim + i] *
                  a->qkv[k * 3 * d + d + h * dim + i];
        p[k] = sw_mask_sees(w->c->mask, (int32_t)q, (int32_t)k)
                   ? p[k] / sqrt((double)dim)
                   : -INFINITY;
        top = fmax(top, p[k]);
      }
      for (size_t k = 0; k < n; k++) sum += p[k] = exp(p[k] - top);
      for (size_t k = 0; k < n; k++) {
        p[k] /= sum;
        for (size_t i = 0; i < dim; i++)
          a->att[q * d + h * dim + i] +=
              p[k] * a->qkv[k * 3 * d + 2 * d + h * dim + i];
      }
    }
}

static void attention_back(const work *w, const acts *a, const double *datt,
                           double *dqkv) {
  size_t n = w->rows, d = w->d, dim = d / w->heads;
  double *dp = zeros(n);
  for (size_t h = 0; h < w->heads; h++)
    for (size_t q = 0; q < n; q++) {
      const double *p = a->p + (h * n + q) * n;
      const double *g = datt + q * d + h * dim;
      double mean = 0;
      for (size_t k = 0; k < n; k++) {
        dp[k] = 0;
        for (size_t i = 0; i < dim; i++) {
          dp[k] += g[i] * a->qkv[k * 3 * d + 2 * d + h * dim + i];
          dqkv[k * 3 * d + 2 * d + h * dim + i] += p[k] * g[i];
        }
        mean += p[k] * dp[k];
      }
      for (size_t k = 0; k < n; k++) {
        double ds = p[k] * (dp[k] - mean) / sqrt((double)dim);
        for (size_t i = 0; i < dim; i++) {
          dqkv[q * 3 * d + h * dim + i] +=
              ds * a->qkv[k * 3 * d + d + h * dim + i];
          dqkv[k * 3 * d + d + h * dim + i] +=
              ds * a->qkv[q * 3 * d + h * dim + i];
        }
      }
    }
  free(dp);
}

/* Rotary positions as multiplication of complex numbers: element i of a head
 * and element i + dim / 2 are real and imaginary part. */
static void turn(const work *w, double *qkv, double direction) {
  size_t d = w->d, dim = d / w->heads, half = dim / 2;
  size_t slots = (size_t)w->c->config.slots;
  if (!w->c->config.rotary) return;
  for (size_t r = slots; r < w->rows; r++)
    for (size_t part = 0; part < 2; part++) /* queries, keys */
      for (size_t h = 0; h < w->heads; h++)
        for (size_t i = 0; i < half; i++) {
          double *x = qkv + r * 3 * d + part * d + h * dim + i;
          double complex z = x[0] + I * x[half];
          double angle = w->c->position[r - slots] /
                         pow(10000.0, 2.0 * (double)i / (double)dim);
          z *= cexp(I * direction * angle);
          x[0] = creal(z);
          x[half] = cimag(z);
        }
}

static void layer_forward(const work *w, int l, double *next) {
  acts *a = &w->layer[l];
  size_t n = w->rows, d = w->d, ffn = w->ffn;
  double c = 1 / sqrt((double)w->c->config.layers);
  norm(n, d, a->x, weight(w, SW_P_LN1_W, l), weight(w, SW_P_LN1_B, l), a->n1);
  linear(n, d, 3 * d, a->n1, weight(w, SW_P_QKV_W, l), weight(w, SW_P_QKV_B, l),
         a->qkv);
  turn(w, a->qkv, 1);
  attention(w, a);
  linear(n, d, d, a->att, weight(w, SW_P_PROJ_W, l), weight(w, SW_P_PROJ_B, l),
         a->mid);
  for (size_t i = 0; i < n * d; i++) a->mid[i] = a->x[i] + c * a->mid[i];
  norm(n, d, a->mid, weight(w, SW_P_LN2_W, l), weight(w, SW_P_LN2_B, l), a->n2);
  linear(n, d, ffn, a->n2, weight(w, SW_P_IN_W, l), weight(w, SW_P_IN_B, l),
         a->z);
  for (size_t i = 0; i < n * ffn; i++) a->h[i] = gelu(a->z[i]);
  linear(n, ffn, d, a->h, weight(w, SW_P_OUT_W, l), weight(w, SW_P_OUT_B, l),
         next);
  for (size_t i = 0; i < n * d; i++) next[i] = a->mid[i] + c * next[i];
}

/* dx: gradient of the layer's output in, of its input out. */
static void layer_back(const work *w, int l, double *dx, double *g) {
  const acts *a = &w->layer[l];
  size_t n = w->rows, d = w->d, ffn = w->ffn;
  double c = 1 / sqrt((double)w->c->config.layers);
  double *scaled = zeros(n * d), *dz = zeros(n * ffn), *dn = zeros(n * d);
  double *datt = zeros(n * d), *dqkv = zeros(n * 3 * d);
#define W(id) weight(w, SW_P_##id, l)
#define G(id) slot_of(w, g, SW_P_##id, l)
  for (size_t i = 0; i < n * d; i++) scaled[i] = c * dx[i];
  linear_back(n, ffn, d, a->h, W(OUT_W), scaled, dz, G(OUT_W), G(OUT_B));
  for (size_t i = 0; i < n * ffn; i++) dz[i] *= gelu_slope(a->z[i]);
  linear_back(n, d, ffn, a->n2, W(IN_W), dz, dn, G(IN_W), G(IN_B));
  norm_back(n, d, a->mid, W(LN2_W), dn, dx, G(LN2_W), G(LN2_B));
  for (size_t i = 0; i < n * d; i++) scaled[i] = c * dx[i];
  linear_back(n, d, d, a->att, W(PROJ_W), scaled, datt, G(PROJ_W), G(PROJ_B));
  attention_back(w, a, datt, dqkv);
  turn(w, dqkv, -1);
  memset(dn, 0, sizeof(double) * n * d);
  linear_back(n, d, 3 * d, a->n1, W(QKV_W), dqkv, dn, G(QKV_W), G(QKV_B));
  norm_back(n, d, a->x, W(LN1_W), dn, dx, G(LN1_W), G(LN1_B));
#undef W
#undef G
  free(scaled);
  free(dz);
  free(dn);
  free(datt);
  free(dqkv);
}

static work forward(const ref_case *c) {
  size_t slots = (size_t)c->config.slots;
  work w = {.c = c,
            .rows = slots + (size_t)c->length,
            .d = (size_t)c->config.d,
            .ffn = (size_t)c->config.ffn,
            .heads = (size_t)c->config.heads};
  size_t n = w.rows, d = w.d;
  int layers = c->config.layers;
  sw_params_layout(&c->config, &w.params);
  w.layer = calloc((size_t)layers, sizeof *w.layer);
  for (int l = 0; l < layers; l++) {
    acts *a = &w.layer[l];
    a->x = zeros(n * d);
    a->n1 = zeros(n * d);
    a->qkv = zeros(n * 3 * d);
    a->p = zeros(w.heads * n * n);
    a->att = zeros(n * d);
    a->mid = zeros(n * d);
    a->n2 = zeros(n * d);
    a->z = zeros(n * w.ffn);
    a->h = zeros(n * w.ffn);
  }
  w.out = zeros(n * d);
  w.final = zeros(n * d);
  for (size_t r = 0; r < n; r++)
    for (size_t i = 0; i < d; i++) {
      double *x = &w.layer[0].x[r * d + i];
      if (r < slots) {
        *x = weight(&w, SW_P_SLOT, 0)[r * d + i];
        continue;
      }
      size_t t = r - slots, length = (size_t)c->length;
      *x = weight(&w, SW_P_TOKEN, 0)[(size_t)c->token[t] * d + i];
      if (c->config.positions)
        *x += weight(&w, SW_P_POSITION, 0)[(size_t)c->position[t] * d + i];
      if (c->config.places)
        *x +=
            weight(&w, SW_P_PLACE, 0)[(size_t)c->position[length + t] * d + i];
    }
  for (int l = 0; l < layers; l++)
    layer_forward(&w, l, l + 1 < layers ? w.layer[l + 1].x : w.out);
  norm(n, d, w.out, weight(&w, SW_P_LNF_W, 0), weight(&w, SW_P_LNF_B, 0),
       w.final);
  return w;
}

static void release(work *w) {
  for (int l = 0; l < w->c->config.layers; l++) {
    acts *a = &w->layer[l];
    double *all[] = {a->x,   a->n1, a->qkv, a->p, a->att,
                     a->mid, a->n2, a->z,   a->h};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  }
  free(w->layer);
  free(w->out);
  free(w->final);
}

static void verify_head(const work *w, double *verify) {
  size_t n = (size_t)w->c->length, d = w->d;
  const double *y = w->final + (size_t)w->c->config.slots * d;
  double *a = zeros(n * d), *b = zeros(n * d);
  norm(n, d, y, weight(w, SW_P_VERIFY_LN_W, 0), weight(w, SW_P_VERIFY_LN_B, 0),
       a);
  linear(n, d, d, a, weight(w, SW_P_VERIFY_1_W, 0),
         weight(w, SW_P_VERIFY_1_B, 0), b);
  for (size_t i = 0; i < n * d; i++) b[i] = gelu(b[i]);
  linear(n, d, 2, b, weight(w, SW_P_VERIFY_4_W, 0),
         weight(w, SW_P_VERIFY_4_B, 0), verify);
  free(a);
  free(b);
}

void ref_logits(const ref_case *c, double *logits, double *verify) {
  work w = forward(c);
  linear((size_t)c->length, w.d, (size_t)c->config.vocab,
         w.final + (size_t)c->config.slots * w.d, weight(&w, SW_P_TOKEN, 0),
         NULL, logits);
  if (verify) verify_head(&w, verify);
  release(&w);
}

static void backward(const work *w, const double *dlogits, double *g) {
  const ref_case *c = w->c;
  size_t n = w->rows, d = w->d, slots = (size_t)c->config.slots;
  double *dfinal = zeros(n * d), *dx = zeros(n * d);
  linear_back((size_t)c->length, d, (size_t)c->config.vocab,
              w->final + slots * d, weight(w, SW_P_TOKEN, 0), dlogits,
              dfinal + slots * d, slot_of(w, g, SW_P_TOKEN, 0), NULL);
  norm_back(n, d, w->out, weight(w, SW_P_LNF_W, 0), dfinal, dx,
            slot_of(w, g, SW_P_LNF_W, 0), slot_of(w, g, SW_P_LNF_B, 0));
  for (int l = c->config.layers - 1; l >= 0; l--) layer_back(w, l, dx, g);
  for (size_t r = 0; r < n; r++)
    for (size_t i = 0; i < d; i++) {
      double v = dx[r * d + i];
      if (r < slots) {
        slot_of(w, g, SW_P_SLOT, 0)[r * d + i] += v;
        continue;
      }
      slot_of(w, g, SW_P_TOKEN, 0)[(size_t)c->token[r - slots] * d + i] += v;
      const int32_t *at = c->position + (r - slots);
      if (c->config.positions)
        slot_of(w, g, SW_P_POSITION, 0)[(size_t)at[0] * d + i] += v;
      if (c->config.places)
        slot_of(w, g, SW_P_PLACE, 0)[(size_t)at[c->length] * d + i] += v;
    }
  free(dfinal);
  free(dx);
}

double ref_loss(const ref_case *c, const uint8_t *supervised, double scale,
                double *gradient) {
  work w = forward(c);
  size_t v = (size_t)c->config.vocab, length = (size_t)c->length;
  double *z = zeros(length * v), *dz = zeros(length * v), sum = 0;
  linear(length, w.d, v, w.final + (size_t)c->config.slots * w.d,
         weight(&w, SW_P_TOKEN, 0), NULL, z);
  for (size_t t = 1; t < length; t++) {
    if (!supervised[t]) continue;
    const double *row = z + (t - 1) * v;
    double top = -INFINITY, all = 0;
    for (size_t i = 0; i < v; i++) top = fmax(top, row[i]);
    for (size_t i = 0; i < v; i++) all += exp(row[i] - top);
    sum += top + log(all) - row[c->token[t]];
    for (size_t i = 0; i < v; i++)
      dz[(t - 1) * v + i] = scale * exp(row[i] - top) / all;
    dz[(t - 1) * v + (size_t)c->token[t]] -= scale;
  }
  if (gradient) backward(&w, dz, gradient);
  free(z);
  free(dz);
  release(&w);
  return sum;
}

double ref_adamw_first(const ref_case *c, double *weights, const double *grad,
                       double lr, double decay) {
  sw_params p;
  sw_params_layout(&c->config, &p);
  double norm2 = 0;
  for (int64_t i = 0; i < p.layout.trained; i++) norm2 += grad[i] * grad[i];
  double size = sqrt(norm2), clip = fmin(1, 1 / (size + 1e-6));
  for (int64_t i = 0; i < p.layout.trained; i++) {
    double g = grad[i] * clip;
    weights[i] *= 1 - lr * decay;
    weights[i] -= lr * g / (fabs(g) + 1e-8); /* m/(1-b1) = g, v/(1-b2) = g^2 */
  }
  return size;
}
