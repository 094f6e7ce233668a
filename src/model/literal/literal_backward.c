/* Loss and gradient of the literal transformer (literal_net.h). Every sum over
 * rows ascends and starts from zero. */
#include <string.h>

#include "model/literal/literal_net.h"

/* Scores become gradients. */
static void verdicts(sw_literal_pass *p, const sw_literal_net *f,
                     sw_item *item) {
  const sw_record *record = &item->record;
  float weight = record->weight ? record->weight[SW_HEAD_VERDICT] : 1;
  item->tally[SW_LOSS_TARGET].loss = 0;
  item->tally[SW_LOSS_TARGET].count = item->tally[SW_LOSS_TARGET].hits = 0;
  for (int32_t r = 0; r < p->rows; r++) {
    float *score = p->score + (size_t)r * SW_LITERAL_CLASSES;
    int32_t target = record->target[r * SW_STATE_HEADS + SW_HEAD_VERDICT];
    if (target < 0 || target >= SW_LITERAL_CLASSES) {
      memset(score, 0, sizeof *score * SW_LITERAL_CLASSES);
      continue;
    }
    double loss;
    item->tally[SW_LOSS_TARGET].hits += (score[1] > score[0]) == target;
    item->tally[SW_LOSS_TARGET].count++;
    f->net.kernels->cross_entropy(
        1, SW_LITERAL_CLASSES, score, SW_LITERAL_CLASSES, &target,
        weight * item->options.weight[SW_LOSS_TARGET], &loss);
    item->tally[SW_LOSS_TARGET].loss += (double)weight * loss;
  }
}

/* Gradient of a matrix and its bias; dx (NULL: not needed) overwritten. */
static void product_back(sw_literal_pass *p, const sw_literal_net *f, int which,
                         const float *dy, const float *x, float *dx,
                         float *part) {
  const nn_kernels *k = f->net.kernels;
  const sw_state_matrix *m = &f->matrix[which];
  k->gemm_tn(m->out, m->in, p->rows, dy, m->out, x, m->in, part + m->weight,
             m->in, 0, 0, m->out, p->product);
  k->column_sum(p->rows, dy, m->out, part + m->bias, 0, 0, m->out);
  if (dx)
    k->gemm(p->rows, m->in, m->out, dy, m->out, m->back, dx, m->in, 0, NULL);
}

/* Adds to dx; the norm's own parameters. */
static void norm_back(sw_literal_pass *p, const sw_literal_net *f, int which,
                      const float *dy, const float *x, float *dx, float *part) {
  const nn_kernels *k = f->net.kernels;
  int d = f->config.width;
  const float *mean = p->mean + (size_t)which * (size_t)p->room;
  const float *rstd = p->rstd + (size_t)which * (size_t)p->room;
  float *own = part + f->norm[which];
  k->layer_norm_dwb(p->rows, d, dy, x, mean, rstd, own, own + d, 0, d);
  k->layer_norm_dx(p->rows, d, dy, x, f->net.weights + f->norm[which], mean,
                   rstd, dx);
}

static void attention_back(sw_literal_pass *p, const sw_literal_net *f, int i,
                           const float *dout, float *dqkv) {
  int d = f->config.width, size = d / f->config.heads;
  memset(dqkv, 0, sizeof *dqkv * 3 * (size_t)d * (size_t)p->rows);
  for (int h = 0; h < f->config.heads; h++) {
    nn_attention a = sw_literal_head(p, f, i, h);
    ptrdiff_t at = (ptrdiff_t)h * size;
    a.dout = dout + at;
    a.lddo = d;
    a.dq = dqkv + at;
    a.dk = dqkv + d + at;
    a.dv = dqkv + 2 * (ptrdiff_t)d + at;
    a.lddq = a.lddk = a.lddv = 3 * d;
    f->net.kernels->attention_backward(&a, p->attention);
  }
}

/* dx: on entry the gradient of the layer's output, on return that of its
 * input. */
static void layer_back(sw_literal_pass *p, const sw_literal_net *f, int i,
                       float *dx, float *part) {
  static const nn_dropout none = {.scale = 1};
  sw_literal_layer *l = &p->layer[i];
  int ffn = f->config.ffn;
  float *dwide = p->wide[0], *dnormed = p->slope[1];
  product_back(p, f, sw_literal_matrix_of(i, SW_LITERAL_OUT), dx, l->gelu,
               dwide, part);
  f->net.kernels->gelu_backward(p->rows, ffn, dwide, ffn, l->pre, ffn, dwide,
                                ffn, NULL, ffn, &none, 0);
  product_back(p, f, sw_literal_matrix_of(i, SW_LITERAL_IN), dwide, l->normed2,
               dnormed, part);
  norm_back(p, f, 2 + 2 * i, dnormed, l->middle, dx, part);
  product_back(p, f, sw_literal_matrix_of(i, SW_LITERAL_PROJECT), dx,
               l->attended, dnormed, part);
  attention_back(p, f, i, dnormed, p->wide[1]);
  product_back(p, f, sw_literal_matrix_of(i, SW_LITERAL_QKV), p->wide[1],
               l->normed, dnormed, part);
  norm_back(p, f, 1 + 2 * i, dnormed, l->input, dx, part);
}

static void embed_back(sw_literal_pass *p, const sw_literal_net *f,
                       const sw_record *record, const float *dx, float *part) {
  size_t d = (size_t)f->config.width;
  float *down = p->slope[2];
  memset(down, 0, sizeof *down * d * (size_t)p->rows);
  norm_back(p, f, 0, dx, p->embedded, down, part);
  product_back(p, f, 0, down, p->columns, NULL, part);
  for (size_t r = 0; r < (size_t)p->rows; r++) {
    int32_t choice = record->choice[r];
    f->net.kernels->add(d, down + r * d,
                        part + f->sign + (int64_t)d * (choice & 1));
    if (f->variable >= 0)
      f->net.kernels->add(d, down + r * d,
                          part + f->variable + (int64_t)d * (choice >> 1));
  }
}

void sw_literal_loss(sw_literal_pass *p, const sw_literal_net *f, sw_item *item,
                     float *part) {
  verdicts(p, f, item);
  item->flops = sw_literal_flops(f, &item->record, part != NULL);
  if (!part) return;
  size_t d = (size_t)f->config.width;
  float *dx = p->slope[0], *dlast = p->slope[1];
  memset(part, 0, sizeof *part * (size_t)f->net.trained);
  product_back(p, f, f->matrices - 1, p->score, p->last, dlast, part);
  memset(dx, 0, sizeof *dx * d * (size_t)p->rows);
  norm_back(p, f, sw_literal_last_norm(f), dlast, p->end, dx, part);
  for (int i = f->config.layers - 1; i >= 0; i--) layer_back(p, f, i, dx, part);
  embed_back(p, f, &item->record, dx, part);
}
