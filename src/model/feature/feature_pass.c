/* Rows of the models on state features, forward and backward (feature_net.h).
 * One member computes a whole item; every output is a fixed chain of its own
 * row, so a row has the same bits in any company. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/feature/feature_net.h"

static int widest(const sw_feature_net *f) {
  int most = 1;
  for (int i = 0; i < f->matrices; i++)
    if (f->matrix[i].out > most) most = f->matrix[i].out;
  return most;
}

void sw_feature_pass_free(sw_feature_pass *p) {
  free(p->row);
  sw_aligned_free(p->input);
  for (int i = 0; i <= SW_FEATURE_LAYERS; i++) sw_aligned_free(p->layer[i]);
  for (int i = 0; i < 2; i++) sw_aligned_free(p->slope[i]);
  sw_aligned_free(p->product);
  memset(p, 0, sizeof *p);
}

static float *floats(sw_feature_pass *p, size_t count, int *ok) {
  float *room = sw_aligned_alloc(sizeof(float) * (count + 16));
  p->bytes += sizeof(float) * (count + 16);
  *ok &= room != NULL;
  return room;
}

int sw_feature_pass_room(sw_feature_pass *p, const sw_feature_net *f,
                         int32_t rows, sw_err *err) {
  if (rows <= p->rows) return SW_OK;
  sw_feature_pass_free(p);
  size_t n = (size_t)rows, wide = (size_t)widest(f);
  p->row = malloc(sizeof *p->row * n);
  int ok = p->row != NULL;
  p->input = floats(p, n * (size_t)f->config.layout.features, &ok);
  for (int i = 0; i < f->matrices; i++)
    p->layer[i] = floats(p, n * (size_t)f->matrix[i].out, &ok);
  for (int i = 0; i < 2; i++) p->slope[i] = floats(p, n * wide, &ok);
  p->product =
      floats(p, sw_state_scratch(&f->net, f->matrix, f->matrices, rows), &ok);
  if (!ok) {
    sw_feature_pass_free(p);
    return sw_no_memory_for(err, "%d states", rows);
  }
  p->rows = rows;
  return SW_OK;
}

void sw_feature_forward(sw_feature_pass *p, const sw_feature_net *f,
                        int32_t rows) {
  const float *w = f->net.weights;
  int width = f->config.layout.features;
  for (int32_t r = 0; r < rows; r++) {
    float *x = p->input + (size_t)r * (size_t)width;
    for (int k = 0; k < width; k++)
      x[k] = (p->row[r][k] - w[f->mean + k]) * w[f->scale + k];
  }
  const float *x = p->input;
  for (int i = 0; i < f->matrices; i++) {
    const sw_state_matrix *m = &f->matrix[i];
    nn_epilogue add = {.bias = w + m->bias};
    f->net.kernels->gemm(rows, m->out, m->in, x, m->in, m->forward, p->layer[i],
                         m->out, 0, &add);
    size_t count = (size_t)rows * (size_t)m->out;
    for (size_t k = 0; k < count && i + 1 < f->matrices; k++)
      if (p->layer[i][k] < 0) p->layer[i][k] = 0;
    x = p->layer[i];
  }
}

/* Losses of the heads that are asked; scores become gradients. */
static void heads(sw_feature_pass *p, const sw_feature_net *f, sw_item *item) {
  const sw_record *record = &item->record;
  const sw_state_matrix *m = &f->matrix[f->matrices - 1];
  int32_t rows = sw_item_rows(item);
  item->tally[SW_LOSS_TARGET].loss = 0;
  item->tally[SW_LOSS_TARGET].count = item->tally[SW_LOSS_TARGET].hits = 0;
  for (int32_t r = 0; r < rows; r++) {
    float *score = p->layer[f->matrices - 1] + (size_t)r * (size_t)m->out;
    const int32_t *target = record->target + r * SW_STATE_HEADS;
    int any = 0, right = 1;
    for (int h = 0; h < SW_STATE_HEADS; h++) {
      int classes = f->config.layout.classes[h], best = 0;
      float weight = record->weight ? record->weight[h] : 1;
      if (target[h] < 0 || target[h] >= classes) {
        memset(score, 0, sizeof *score * (size_t)classes);
        score += classes;
        continue;
      }
      for (int c = 1; c < classes; c++)
        if (score[c] > score[best]) best = c;
      double loss;
      f->net.kernels->cross_entropy(
          1, classes, score, classes, &target[h],
          weight * item->options.weight[SW_LOSS_TARGET], &loss);
      item->tally[SW_LOSS_TARGET].loss += (double)weight * loss;
      any = 1;
      right &= best == target[h];
      score += classes;
    }
    item->tally[SW_LOSS_TARGET].count += any;
    item->tally[SW_LOSS_TARGET].hits += any && right;
  }
}

void sw_feature_loss(sw_feature_pass *p, const sw_feature_net *f, sw_item *item,
                     float *part) {
  const nn_kernels *k = f->net.kernels;
  int32_t rows = sw_item_rows(item);
  heads(p, f, item);
  item->flops = sw_feature_flops(f, rows, part != NULL);
  const float *dy = p->layer[f->matrices - 1];
  for (int i = f->matrices - 1; part && i >= 0; i--) {
    const sw_state_matrix *m = &f->matrix[i];
    const float *x = i ? p->layer[i - 1] : p->input;
    k->gemm_tn(m->out, m->in, rows, dy, m->out, x, m->in, part + m->weight,
               m->in, 0, 0, m->out, p->product);
    k->column_sum(rows, dy, m->out, part + m->bias, 0, 0, m->out);
    if (!i) break;
    float *dx = p->slope[i & 1];
    k->gemm(rows, m->in, m->out, dy, m->out, m->back, dx, m->in, 0, NULL);
    size_t count = (size_t)rows * (size_t)m->in;
    for (size_t at = 0; at < count; at++)
      if (x[at] <= 0) dx[at] = 0;
    dy = dx;
  }
}

double sw_feature_flops(const sw_feature_net *f, int64_t rows, int backward) {
  double sum = 0;
  for (int i = 0; i < f->matrices; i++) {
    double one = 2.0 * f->matrix[i].out * f->matrix[i].in;
    sum += one * (1 + (backward != 0) + (backward && i));
  }
  return sum * (double)rows;
}
