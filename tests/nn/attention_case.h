/* Attention problems for tests: a mask as spans, random q, k, v and dout, and
 * runs of one head in float (a kernel set) or double (the oracle). */
#ifndef SW_TESTS_NN_ATTENTION_CASE_H
#define SW_TESTS_NN_ATTENTION_CASE_H
#include "oracle.h"

enum { SPANS_MAX = 16, BLOCKS_MAX = 8 };

typedef struct attention_case {
  int rows, head_dim, ld; /* q, k, v, out... all have this row stride */
  nn_span span[SPANS_MAX];
  int spans;
  float *q, *k, *v, *dout;         /* inputs [rows][ld] */
  float *out, *lse, *dq, *dk, *dv; /* results */
} attention_case;

/* Slots read slots and prefix, the prefix is self-causal, a block reads slots,
 * prefix and itself: the segments of trace/mask.h's ssa. */
static inline int ssa_spans(nn_span *span, int slots, int prefix,
                            const int *block, int blocks) {
  int count = 0, row = slots + prefix;
  if (slots)
    span[count++] =
        (nn_span){0, slots, 2, {{0, slots, 0, 0}, {slots, row, 0, 0}}, 0};
  if (slots)
    span[count++] =
        (nn_span){slots, row, 2, {{0, slots, 0, 0}, {slots, row, 1, 0}}, 0};
  else span[count++] = (nn_span){0, row, 1, {{0, row, 1, 0}}, 0};
  for (int b = 0; b < blocks; b++) {
    span[count] =
        (nn_span){row,
                  row + block[b],
                  2,
                  {{slots, slots + prefix, 0, 0}, {row, row + block[b], 1, 0}},
                  0};
    if (slots)
      span[count] = (nn_span){row,
                              row + block[b],
                              3,
                              {{0, slots, 0, 0},
                               {slots, slots + prefix, 0, 0},
                               {row, row + block[b], 1, 0}},
                              0};
    row += block[b];
    count++;
  }
  return count;
}

/* Slots and prefix full, then a sliding window over all later rows. */
static inline int window_spans(nn_span *span, int prefix, int rest,
                               int window) {
  int end = prefix + rest;
  span[0] = (nn_span){0, prefix, 1, {{0, prefix, 1, 0}}, 0};
  span[1] = (nn_span){
      prefix, end, 2, {{0, prefix, 0, 0}, {prefix, end, 1, window}}, 0};
  return 2;
}

static inline void case_data(attention_case *c, int rows, int head_dim) {
  c->rows = rows;
  c->head_dim = head_dim;
  c->ld = head_dim + 3;
  size_t count = (size_t)(rows * c->ld);
  float **in[] = {&c->q, &c->k, &c->v, &c->dout},
        **out[] = {&c->out, &c->lse, &c->dq, &c->dk, &c->dv};
  for (int i = 0; i < 4; i++) *in[i] = random_floats(count, 1.5);
  for (int i = 0; i < 5; i++) *out[i] = floats(count);
}
static inline void case_free(attention_case *c) {
  float *part[] = {c->q,   c->k,  c->v,  c->dout, c->out,
                   c->lse, c->dq, c->dk, c->dv};
  for (int i = 0; i < 9; i++) sw_aligned_free(part[i]);
}

static inline nn_attention case_attention(const attention_case *c,
                                          const nn_dropout *drop) {
  nn_attention a = {.head_dim = c->head_dim,
                    .scale = 1 / sqrtf((float)c->head_dim),
                    .q = c->q,
                    .ldq = c->ld,
                    .k = c->k,
                    .ldk = c->ld,
                    .v = c->v,
                    .ldv = c->ld,
                    .out = c->out,
                    .ldo = c->ld,
                    .lse = c->lse,
                    .spans = c->span,
                    .span_count = c->spans,
                    .dout = c->dout,
                    .lddo = c->ld,
                    .dq = c->dq,
                    .lddq = c->ld,
                    .dk = c->dk,
                    .lddk = c->ld,
                    .dv = c->dv,
                    .lddv = c->ld};
  if (drop) a.drop = *drop;
  return a;
}

/* Scratch of exactly the size asked for, with a guard behind it. */
static inline float *guarded_scratch(const nn_kernels *set, int head_dim,
                                     int keys, int backward, float **guard) {
  size_t need = set->attention_scratch(head_dim, keys, backward);
  float *scratch = floats(need + 8);
  *guard = scratch + need;
  **guard = 123.0f;
  return scratch;
}

static inline void case_run(const nn_kernels *set, attention_case *c,
                            const nn_dropout *drop, int backward) {
  float *guard,
      *scratch = guarded_scratch(set, c->head_dim, c->rows, backward, &guard);
  nn_attention a = case_attention(c, drop);
  set->attention_forward(&a, 0, c->rows, scratch);
  if (backward) {
    memset(c->dk, 0, sizeof *c->dk * (size_t)(c->rows * c->ld));
    memset(c->dv, 0, sizeof *c->dv * (size_t)(c->rows * c->ld));
    set->attention_backward(&a, scratch);
  }
  assert_true(*guard == 123.0f);
  sw_aligned_free(scratch);
}

/* The same in double. */
typedef struct wide_case {
  double *q, *k, *v, *dout, *out, *lse, *dq, *dk, *dv;
  nn_span_f64 span[SPANS_MAX];
  nn_attention_f64 a;
  double *scratch;
  int rows;
} wide_case;

static inline void wide_new(wide_case *w, const attention_case *c,
                            const nn_dropout *drop) {
  size_t count = (size_t)(c->rows * c->ld);
  *w = (wide_case){.rows = c->rows};
  w->q = widened(c->q, count), w->k = widened(c->k, count),
  w->v = widened(c->v, count), w->dout = widened(c->dout, count);
  double **out[] = {&w->out, &w->lse, &w->dq, &w->dk, &w->dv};
  for (int i = 0; i < 5; i++) *out[i] = doubles(count);
  memcpy(w->span, c->span, sizeof w->span); /* the same integers */
  w->scratch = doubles(oracle.attention_scratch(c->head_dim, c->rows, 1));
  w->a = (nn_attention_f64){.head_dim = c->head_dim,
                            .scale = 1 / sqrt(c->head_dim),
                            .q = w->q,
                            .ldq = c->ld,
                            .k = w->k,
                            .ldk = c->ld,
                            .v = w->v,
                            .ldv = c->ld,
                            .out = w->out,
                            .ldo = c->ld,
                            .lse = w->lse,
                            .spans = w->span,
                            .span_count = c->spans,
                            .dout = w->dout,
                            .lddo = c->ld,
                            .dq = w->dq,
                            .lddq = c->ld,
                            .dk = w->dk,
                            .lddk = c->ld,
                            .dv = w->dv,
                            .lddv = c->ld};
  if (drop) w->a.drop = dropout_f64(drop);
}
static inline void wide_free(wide_case *w) {
  double *part[] = {w->q,   w->k,  w->v,  w->dout, w->out,
                    w->lse, w->dq, w->dk, w->dv,   w->scratch};
  for (int i = 0; i < 10; i++) sw_aligned_free(part[i]);
}

#endif
