/* Residual cross-attention and feed-forward of the slot memory. Work is split
 * by rows (products, norms), by heads (attention backward), by weight rows and
 * by columns (their gradients); each output element is written by one member
 * in one fixed order, so the number of members changes nothing. */
#include <math.h>
#include <string.h>
#include "model/decoder/slot_memory_parts.h"

static void share(const sw_mem_team *t, int32_t count, size_t grain,
                  int32_t *begin, int32_t *end) {
  size_t a = 0, b = 0;
  sw_share((size_t)count, grain, t->rank, t->size, &a, &b);
  *begin = (int32_t)a;
  *end = (int32_t)b;
}

static void meet(const sw_mem_team *t) { sw_team_barrier(t->team); }

/* y [rows x out] (+)= x [rows x in] . W^T, W (out, in), or, `backward`, the
 * product dx [rows x in] (+)= dy [rows x out] . W. */
static void product(const sw_mem_team *t, int backward, int32_t rows,
                    int32_t out, int32_t in, const float *x, const float *w,
                    float *y, int accumulate, const nn_epilogue *epilogue) {
  int32_t n = backward ? in : out, k = backward ? out : in, begin, end;
  share(t, n, (size_t)t->kernels->pack_grain, &begin, &end);
  (backward ? t->kernels->pack_nn : t->kernels->pack_nt)(n, k, w, in, t->packed,
                                                         begin, end);
  meet(t);
  share(t, rows, 1, &begin, &end);
  nn_epilogue e;
  if (epilogue) {
    e = *epilogue;
    if (e.residual) e.residual += (size_t)begin * (size_t)n;
    if (e.pre) e.pre += (size_t)begin * (size_t)n;
  }
  if (end > begin)
    t->kernels->gemm(end - begin, n, k, x + (size_t)begin * (size_t)k, k,
                     t->packed, y + (size_t)begin * (size_t)n, n, accumulate,
                     epilogue ? &e : NULL);
  meet(t);
}

/* dW [out x in] = scale * dy^T . x */
static void weight_gradient(const sw_mem_team *t, int32_t rows, int32_t out,
                            int32_t in, const float *dy, const float *x,
                            float scale, float *dw) {
  int32_t begin, end;
  share(t, out, 16, &begin, &end);
  if (end > begin)
    t->kernels->gemm_tn(out, in, rows, dy, out, x, in, dw, in, 0, begin, end,
                        t->scratch);
  for (size_t i = (size_t)begin * (size_t)in;
       scale != 1 && i < (size_t)end * (size_t)in; i++)
    dw[i] *= scale;
}

static void norm_forward(const sw_mem_team *t, int32_t rows, int32_t d,
                         const float *x, const float *w, const float *b,
                         float *y, float *mean, float *rstd) {
  int32_t begin, end;
  share(t, rows, 1, &begin, &end);
  t->kernels->layer_norm(end - begin, d, x + (size_t)begin * (size_t)d, w, b,
                         y + (size_t)begin * (size_t)d, mean + begin,
                         rstd + begin);
  meet(t);
}

/* dx += through the norm; dw, db stored. */
static void norm_backward(const sw_mem_team *t, int32_t rows, int32_t d,
                          const float *dy, const float *x, const float *w,
                          const float *mean, const float *rstd, float *dx,
                          float *dw, float *db) {
  int32_t begin, end;
  share(t, rows, 1, &begin, &end);
  size_t at = (size_t)begin * (size_t)d;
  t->kernels->layer_norm_dx(end - begin, d, dy + at, x + at, w, mean + begin,
                            rstd + begin, dx + at);
  share(t, d, 16, &begin, &end);
  size_t bytes = (size_t)(end - begin) * sizeof *dw;
  memset(dw + begin, 0, bytes);
  memset(db + begin, 0, bytes);
  if (end > begin)
    t->kernels->layer_norm_dwb(rows, d, dy, x, mean, rstd, dw, db, begin, end);
  meet(t);
}

/* Where a lane's rows begin in the matrices of S. */
static ptrdiff_t lane_at(const sw_memory_shape *shape, int lane) {
  return (ptrdiff_t)lane * shape->width;
}

static nn_attention head_of(const sw_memory_shape *shape, const sw_mem_cross *c,
                            int head, int lane) {
  int32_t dim = shape->width / shape->heads;
  ptrdiff_t at = (ptrdiff_t)head * dim, from = at + lane_at(shape, lane);
  size_t rows = (size_t)(c->rows / c->lanes);
  nn_attention a;
  memset(&a, 0, sizeof a);
  a.head_dim = dim;
  a.scale = (float)(1 / sqrt((double)dim));
  a.q = c->q + from;
  a.k = c->k + at;
  a.v = c->v + at;
  a.out = c->att + from;
  a.ldk = a.ldv = shape->width;
  a.ldq = a.ldo = (ptrdiff_t)c->lanes * shape->width;
  a.lse = c->lse + (size_t)(head * c->lanes + lane) * rows;
  a.spans = c->span;
  a.span_count = c->spans;
  return a;
}

static float gate_value(const sw_mem_cross *c) {
  return c->gate ? (float)(1 / (1 + exp(-(double)*c->gate))) : 1.0f;
}

/* Keys and values of M go to the sequences that their positions belong to;
 * then each stretch attends to its own sequence. */
static void attend_kept(const sw_mem_team *t, const sw_memory_shape *shape,
                        const sw_mem_cross *c) {
  size_t w = (size_t)shape->width, step = sw_memory_kept_floats(shape);
  ptrdiff_t n = shape->slots;
  int32_t begin, end;
  share(t, c->stretches, 1, &begin, &end);
  for (int32_t i = begin; i < end; i++) {
    const sw_memory_stretch *s = &c->stretch[i];
    for (int32_t j = 0; j < s->count; j++) {
      float *place = s->kept + (size_t)(s->at + j) * step + c->part;
      size_t row = (size_t)(s->first + j) * w;
      memcpy(place, c->k + row, w * sizeof *place);
      memcpy(place + w, c->v + row, w * sizeof *place);
    }
  }
  meet(t);
  share(t, c->stretches * shape->heads, 1, &begin, &end);
  for (int32_t i = begin; i < end; i++) {
    const sw_memory_stretch *s = &c->stretch[i / shape->heads];
    nn_attention a = head_of(shape, c, i % shape->heads, 0);
    ptrdiff_t at = (ptrdiff_t)(i % shape->heads) * a.head_dim;
    a.q += s->first * n * a.ldq;
    a.out += s->first * n * a.ldo;
    a.lse += s->first * n;
    a.k = s->kept + c->part + at;
    a.v = a.k + w;
    a.ldk = a.ldv = (ptrdiff_t)step;
    a.spans = c->span + s->first;
    a.span_count = s->count;
    t->kernels->attention_forward(&a, 0, s->count * (int32_t)n, t->scratch);
  }
}

static void attend(const sw_mem_team *t, const sw_memory_shape *shape,
                   const sw_mem_cross *c) {
  int32_t begin, end;
  if (c->lanes > 1) {
    share(t, c->lanes * shape->heads, 1, &begin, &end);
    for (int32_t i = begin; i < end; i++) {
      nn_attention a = head_of(shape, c, i % shape->heads, i / shape->heads);
      t->kernels->attention_forward(&a, 0, c->rows / c->lanes, t->scratch);
    }
    return;
  }
  share(t, c->rows, 1, &begin, &end);
  for (int head = 0; head < shape->heads; head++) {
    nn_attention a = head_of(shape, c, head, 0);
    t->kernels->attention_forward(&a, begin, end, t->scratch);
  }
}

void sw_mem_cross_forward(const sw_mem_team *t, const sw_memory_shape *shape,
                          const sw_mem_cross *c, const float *s, const float *m,
                          float *out) {
  int32_t d = shape->d, w = shape->width;
  norm_forward(t, c->rows, d, s, c->ln_w, c->ln_b, c->norm, c->mean, c->rstd);
  product(t, 0, c->rows, w, d, c->norm, c->wq, c->q, 0, NULL);
  product(t, 0, c->keys, w, d, m, c->wk, c->k, 0, NULL);
  product(t, 0, c->keys, w, d, m, c->wv, c->v, 0, NULL);
  if (c->stretch) attend_kept(t, shape, c);
  else attend(t, shape, c);
  meet(t);
  nn_epilogue residual;
  memset(&residual, 0, sizeof residual);
  residual.residual = s;
  residual.scale = gate_value(c);
  product(t, 0, c->rows, d, w, c->att, c->wo, out, 0, &residual);
}

/* d_att holds dS_out . O; turns it into the gradient of the attention output
 * and member 0 stores the gate's gradient. */
static void gate_backward(const sw_mem_team *t, const sw_memory_shape *shape,
                          const sw_mem_cross *c, float g) {
  size_t count = (size_t)c->rows * (size_t)shape->width;
  if (!c->gate) return;
  if (t->rank == 0) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
      sum += (double)c->att[i] * (double)t->d_att[i];
    *c->d_gate = (float)(sum * (double)g * (1 - (double)g));
  }
  meet(t);
  int32_t begin, end;
  share(t, c->rows, 1, &begin, &end);
  for (size_t i = (size_t)begin * (size_t)shape->width;
       i < (size_t)end * (size_t)shape->width; i++)
    t->d_att[i] *= g;
  meet(t);
}

/* Spans without common keys may be passed in separate calls. The kernel scans
 * all spans of a call for those that have a run, so each call gets few. */
enum { SPANS_AT_ONCE = 16 };

static void attention_backward(const sw_mem_team *t,
                               const sw_memory_shape *shape,
                               const sw_mem_cross *c) {
  int32_t begin, end;
  if (t->rank == 0) {
    size_t bytes = (size_t)c->keys * (size_t)shape->width * sizeof(float);
    memset(t->dk, 0, bytes);
    memset(t->dv, 0, bytes);
  }
  meet(t);
  share(t, shape->heads, 1, &begin, &end);
  for (int head = begin; head < end; head++)
    for (int lane = 0; lane < c->lanes; lane++) {
      nn_attention a = head_of(shape, c, head, lane);
      ptrdiff_t at = (ptrdiff_t)head * a.head_dim;
      ptrdiff_t from = at + lane_at(shape, lane);
      a.dout = t->d_att + from;
      a.dq = t->dq + from;
      a.dk = t->dk + at;
      a.dv = t->dv + at;
      a.lddo = a.lddq = a.ldq;
      a.lddk = a.lddv = shape->width;
      for (int32_t s = 0; s < c->spans; s += SPANS_AT_ONCE) {
        a.spans = c->span + s;
        a.span_count =
            c->spans - s < SPANS_AT_ONCE ? c->spans - s : SPANS_AT_ONCE;
        t->kernels->attention_backward(&a, t->scratch);
      }
    }
  meet(t);
}

void sw_mem_cross_backward(const sw_mem_team *t, const sw_memory_shape *shape,
                           const sw_mem_cross *c, const float *s,
                           const float *m, float *ds, float *dm) {
  int32_t d = shape->d, w = shape->width;
  float g = gate_value(c);
  weight_gradient(t, c->rows, d, w, ds, c->att, g, c->d_wo);
  product(t, 1, c->rows, d, w, ds, c->wo, t->d_att, 0, NULL);
  gate_backward(t, shape, c, g);
  attention_backward(t, shape, c);
  weight_gradient(t, c->rows, w, d, t->dq, c->norm, 1, c->d_wq);
  weight_gradient(t, c->keys, w, d, t->dk, m, 1, c->d_wk);
  weight_gradient(t, c->keys, w, d, t->dv, m, 1, c->d_wv);
  product(t, 1, c->rows, w, d, t->dq, c->wq, t->d_norm, 0, NULL);
  norm_backward(t, c->rows, d, t->d_norm, s, c->ln_w, c->mean, c->rstd, ds,
                c->d_ln_w, c->d_ln_b);
  product(t, 1, c->keys, w, d, t->dk, c->wk, dm, 1, NULL);
  product(t, 1, c->keys, w, d, t->dv, c->wv, dm, 1, NULL);
}

void sw_mem_ffn_forward(const sw_mem_team *t, const sw_memory_shape *shape,
                        const sw_mem_ffn *f, const float *s, float *out) {
  int32_t d = shape->d, hidden = SW_MEMORY_FFN * shape->width;
  nn_epilogue gelu, residual;
  memset(&gelu, 0, sizeof gelu);
  memset(&residual, 0, sizeof residual);
  gelu.bias = f->b1;
  gelu.pre = f->pre;
  residual.bias = f->b2;
  residual.residual = s;
  residual.scale = 1;
  norm_forward(t, f->rows, d, s, f->ln_w, f->ln_b, f->norm, f->mean, f->rstd);
  product(t, 0, f->rows, hidden, d, f->norm, f->w1, t->act, 0, &gelu);
  product(t, 0, f->rows, d, hidden, t->act, f->w2, out, 0, &residual);
}

static void bias_gradient(const sw_mem_team *t, int32_t rows, int32_t n,
                          const float *dy, float *db) {
  int32_t begin, end;
  share(t, n, 16, &begin, &end);
  if (end > begin) t->kernels->column_sum(rows, dy, n, db, 0, begin, end);
}

void sw_mem_ffn_backward(const sw_mem_team *t, const sw_memory_shape *shape,
                         const sw_mem_ffn *f, const float *s, float *ds) {
  int32_t d = shape->d, hidden = SW_MEMORY_FFN * shape->width, begin, end;
  nn_dropout none;
  memset(&none, 0, sizeof none);
  product(t, 1, f->rows, d, hidden, ds, f->w2, t->d_pre, 0, NULL);
  share(t, f->rows, 1, &begin, &end);
  size_t at = (size_t)begin * (size_t)hidden;
  t->kernels->gelu_backward(end - begin, hidden, t->d_pre + at, hidden,
                            f->pre + at, hidden, t->d_pre + at, hidden,
                            t->act + at, hidden, &none, 0);
  meet(t);
  weight_gradient(t, f->rows, d, hidden, ds, t->act, 1, f->d_w2);
  bias_gradient(t, f->rows, d, ds, f->d_b2);
  weight_gradient(t, f->rows, hidden, d, t->d_pre, f->norm, 1, f->d_w1);
  bias_gradient(t, f->rows, hidden, t->d_pre, f->d_b1);
  product(t, 1, f->rows, hidden, d, t->d_pre, f->w1, t->d_norm, 0, NULL);
  norm_backward(t, f->rows, d, t->d_norm, s, f->ln_w, f->mean, f->rstd, ds,
                f->d_ln_w, f->d_ln_b);
}
