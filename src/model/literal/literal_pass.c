/* Room for the literals of an item, and their rows forward (literal_net.h).
 * One member computes a whole item; a row depends on the rows of its own state
 * alone, in their order, so it has the same bits in any company. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/literal/literal_net.h"

/* ---- room ---- */

/* Lists every array once, so that allocation and release cannot differ. */
typedef int (*visit)(sw_literal_pass *p, float **array, size_t count);

static size_t attention_floats(const sw_literal_net *f, int32_t rows) {
  size_t most = 0;
  for (int backward = 0; backward < 2; backward++) {
    size_t need = f->net.kernels->attention_scratch(
        f->config.width / f->config.heads, rows, backward);
    if (need > most) most = need;
  }
  return most;
}

static int each(sw_literal_pass *p, const sw_literal_net *f, int32_t rows,
                visit fn) {
  size_t n = (size_t)rows, d = n * (size_t)f->config.width;
  size_t wide = n * (size_t)f->config.ffn;
  size_t norms = (size_t)sw_literal_last_norm(f) + 1;
  int ok = fn(p, &p->columns, n * (size_t)f->config.layout.features);
  ok &= fn(p, &p->embedded, d);
  for (int i = 0; i < f->config.layers; i++) {
    sw_literal_layer *l = &p->layer[i];
    float **narrow[] = {&l->input, &l->normed, &l->attended, &l->middle,
                        &l->normed2};
    for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++)
      ok &= fn(p, narrow[k], d);
    ok &= fn(p, &l->qkv, 3 * d) & fn(p, &l->pre, wide) & fn(p, &l->gelu, wide);
    ok &= fn(p, &l->lse, n * (size_t)f->config.heads);
  }
  ok &= fn(p, &p->end, d) & fn(p, &p->last, d);
  ok &= fn(p, &p->score, n * SW_LITERAL_CLASSES);
  ok &= fn(p, &p->mean, n * norms) & fn(p, &p->rstd, n * norms);
  for (int i = 0; i < 3; i++) ok &= fn(p, &p->slope[i], d);
  for (int i = 0; i < 2; i++)
    ok &= fn(p, &p->wide[i], wide > 3 * d ? wide : 3 * d);
  ok &= fn(p, &p->product,
           sw_state_scratch(&f->net, f->matrix, f->matrices, rows));
  ok &= fn(p, &p->attention, attention_floats(f, rows));
  return ok;
}

static int take(sw_literal_pass *p, float **array, size_t count) {
  *array = sw_aligned_alloc(sizeof(float) * (count + 16));
  p->bytes += sizeof(float) * (count + 16);
  return *array != NULL;
}

void sw_literal_pass_free(sw_literal_pass *p) {
  float **one[] = {&p->columns,  &p->embedded, &p->end,     &p->last,
                   &p->score,    &p->mean,     &p->rstd,    &p->slope[0],
                   &p->slope[1], &p->slope[2], &p->wide[0], &p->wide[1],
                   &p->product,  &p->attention};
  for (size_t i = 0; i < sizeof one / sizeof *one; i++)
    sw_aligned_free(*one[i]);
  for (int i = 0; i < SW_LITERAL_LAYERS; i++) {
    sw_literal_layer *l = &p->layer[i];
    float *of[] = {l->input,   l->normed, l->qkv,  l->attended, l->middle,
                   l->normed2, l->pre,    l->gelu, l->lse};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) sw_aligned_free(of[k]);
  }
  free(p->span);
  memset(p, 0, sizeof *p);
}

int sw_literal_pass_room(sw_literal_pass *p, const sw_literal_net *f,
                         int32_t rows, sw_err *err) {
  if (rows <= p->room) return SW_OK;
  sw_literal_pass_free(p);
  rows = (rows + 63) / 64 * 64;
  p->span = calloc((size_t)rows, sizeof *p->span);
  p->bytes = sizeof *p->span * (size_t)rows;
  if (!each(p, f, rows, take) || !p->span) {
    sw_literal_pass_free(p);
    return sw_no_memory_for(err, "%d literals", rows);
  }
  p->room = rows;
  return SW_OK;
}

/* ---- forward ---- */

/* One span a state: everything in it sees everything in it. */
static void list_states(sw_literal_pass *p, const sw_record *record) {
  p->states = 0;
  for (int32_t r = 0; r < p->rows; r++) {
    int again =
        r && (!record->state || record->state[r] == record->state[r - 1]);
    if (!again)
      p->span[p->states++] =
          (sw_span){.begin = r, .runs = 1, .run = {{.begin = r}}};
    sw_span *s = &p->span[p->states - 1];
    s->end = s->run[0].end = r + 1;
  }
}

/* Columns in standard units; what the sign and the name add. */
static void embed(sw_literal_pass *p, const sw_literal_net *f,
                  const sw_record *record) {
  const float *w = f->net.weights;
  const sw_state_matrix *m = &f->matrix[0];
  size_t width = (size_t)m->in, d = (size_t)f->config.width;
  for (size_t r = 0; r < (size_t)p->rows; r++)
    for (size_t k = 0; k < width; k++)
      p->columns[r * width + k] =
          (record->feature[r * width + k] - w[f->mean + (int64_t)k]) *
          w[f->scale + (int64_t)k];
  nn_epilogue add = {.bias = w + m->bias};
  f->net.kernels->gemm(p->rows, m->out, m->in, p->columns, m->in, m->forward,
                       p->embedded, m->out, 0, &add);
  for (size_t r = 0; r < (size_t)p->rows; r++) {
    int32_t choice = record->choice[r];
    f->net.kernels->add(d, w + f->sign + (int64_t)d * (choice & 1),
                        p->embedded + r * d);
    if (f->variable >= 0)
      f->net.kernels->add(d, w + f->variable + (int64_t)d * (choice >> 1),
                          p->embedded + r * d);
  }
}

static void norm(sw_literal_pass *p, const sw_literal_net *f, int which,
                 const float *x, float *y) {
  const float *w = f->net.weights + f->norm[which];
  int d = f->config.width;
  f->net.kernels->layer_norm(p->rows, d, x, w, w + d, y,
                             p->mean + (size_t)which * (size_t)p->room,
                             p->rstd + (size_t)which * (size_t)p->room);
}

static void product(sw_literal_pass *p, const sw_literal_net *f, int which,
                    const float *x, float *y, nn_epilogue end) {
  const sw_state_matrix *m = &f->matrix[which];
  end.bias = f->net.weights + m->bias;
  end.scale = end.drop.scale = 1;
  f->net.kernels->gemm(p->rows, m->out, m->in, x, m->in, m->forward, y, m->out,
                       0, &end);
}

nn_attention sw_literal_head(const sw_literal_pass *p, const sw_literal_net *f,
                             int layer, int head) {
  const sw_literal_layer *l = &p->layer[layer];
  int d = f->config.width, size = d / f->config.heads;
  ptrdiff_t at = (ptrdiff_t)head * size;
  return (nn_attention){.head_dim = size,
                        .scale = 1 / sqrtf((float)size),
                        .q = l->qkv + at,
                        .ldq = 3 * d,
                        .k = l->qkv + d + at,
                        .ldk = 3 * d,
                        .v = l->qkv + 2 * (ptrdiff_t)d + at,
                        .ldv = 3 * d,
                        .out = l->attended + at,
                        .ldo = d,
                        .lse = l->lse + (ptrdiff_t)head * p->room,
                        .spans = p->span,
                        .span_count = p->states,
                        .drop = {.scale = 1}};
}

static void layer_forward(sw_literal_pass *p, const sw_literal_net *f, int i) {
  sw_literal_layer *l = &p->layer[i];
  float *next = i + 1 < f->config.layers ? p->layer[i + 1].input : p->end;
  norm(p, f, 1 + 2 * i, l->input, l->normed);
  product(p, f, sw_literal_matrix_of(i, SW_LITERAL_QKV), l->normed, l->qkv,
          (nn_epilogue){0});
  for (int h = 0; h < f->config.heads; h++) {
    nn_attention a = sw_literal_head(p, f, i, h);
    f->net.kernels->attention_forward(&a, 0, p->rows, p->attention);
  }
  product(p, f, sw_literal_matrix_of(i, SW_LITERAL_PROJECT), l->attended,
          l->middle, (nn_epilogue){.residual = l->input});
  norm(p, f, 2 + 2 * i, l->middle, l->normed2);
  product(p, f, sw_literal_matrix_of(i, SW_LITERAL_IN), l->normed2, l->gelu,
          (nn_epilogue){.pre = l->pre});
  product(p, f, sw_literal_matrix_of(i, SW_LITERAL_OUT), l->gelu, next,
          (nn_epilogue){.residual = l->middle});
}

void sw_literal_forward(sw_literal_pass *p, const sw_literal_net *f,
                        const sw_record *record) {
  p->rows = record->rows ? record->rows : 1;
  list_states(p, record);
  embed(p, f, record);
  norm(p, f, 0, p->embedded, p->layer[0].input);
  for (int i = 0; i < f->config.layers; i++) layer_forward(p, f, i);
  norm(p, f, sw_literal_last_norm(f), p->end, p->last);
  product(p, f, f->matrices - 1, p->last, p->score, (nn_epilogue){0});
}

double sw_literal_flops(const sw_literal_net *f, const sw_record *record,
                        int backward) {
  double weights = 0, pairs = 0, own = 0, rows = record->rows;
  for (int i = 0; i < f->matrices; i++)
    weights += 2.0 * f->matrix[i].out * f->matrix[i].in;
  for (int32_t r = 0; r < record->rows; r++) {
    int again =
        r && (!record->state || record->state[r] == record->state[r - 1]);
    own = again ? own + 1 : 1;
    pairs += 2 * own - 1; /* the squares of the states' sizes, summed */
  }
  double all =
      weights * rows + 4.0 * f->config.width * f->config.layers * pairs;
  return backward ? 3 * all : all;
}
