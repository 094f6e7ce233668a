/* Backward pass of one trace over the team. Rows go through in pieces of
 * sw_piece_rows: members first compute gradients of their share of the piece's
 * rows (row-local), meet, then add the piece to the weight gradients, each
 * member for its own weight rows or columns. Pieces are double-buffered, so one
 * barrier a piece is enough: a member can be one piece ahead of another, and
 * then it writes the other buffer.
 *
 * A layer's gradient is summed from zero in layer_grad, which has the layout
 * of the layer in the flat block, and added to the caller's sum once. */
#include <string.h>
#include "model/decoder/pass_memory.h"
#include "model/decoder/pass.h"
#include "model/decoder/rows.h"
#include "trace/mask.h"

enum { COLUMN_GRAIN = 16 }; /* weight columns: whole vectors */

/* A layer seen from the backward pass: all rows, or compact live rows. */
typedef struct side {
  sw_job *job;
  int layer, begin, end; /* rows */
  float *dx;
  const float *att;
  float *datt;
  /* the QKV half: which columns of QKV's gradient, and where */
  int parts; /* SW_PART_* */
  const float *x;
  float *dqkv;
  const int32_t *id; /* of the rows, for models that rotate */
  ptrdiff_t ld;
  int norm_begun; /* the norm's gradient already has another side's rows */
} side;

static float *layer_grad(const sw_pass *pass, sw_param_id id) {
  const sw_params *p = &pass->model->params;
  return pass->layer_grad + (p->offset[id] - p->layout.layer_begin);
}

/* Gradient of a weight (out, in): C = dy^T . x over the piece's rows, members
 * splitting the longer side so that the copy each makes of the other side is
 * short; and of its bias. */
static void weight_gradient(const sw_pass *pass, int rows, const float *dy,
                            ptrdiff_t ld, int out, const float *x, int in,
                            float *dw, float *db, int more, int rank,
                            int size) {
  const nn_kernels *k = pass->model->kernels;
  float *scratch = pass->member[rank].product;
  int from, to;
  if (out >= in) {
    sw_rows_share(0, out, SW_ROW_GRAIN, rank, size, &from, &to);
    if (from < to)
      k->gemm_tn(out, in, rows, dy, ld, x, in, dw, in, more, from, to, scratch);
  } else {
    sw_rows_share(0, in, COLUMN_GRAIN, rank, size, &from, &to);
    if (from < to)
      k->gemm_tn(out, to - from, rows, dy, ld, x + from, in, dw + from, in,
                 more, 0, out, scratch);
  }
  sw_rows_share(0, out, COLUMN_GRAIN, rank, size, &from, &to);
  if (from < to) k->column_sum(rows, dy, ld, db, more, from, to);
}

static void norm_gradient(const sw_pass *pass, int rows, const sw_piece *piece,
                          const float *x, float *dw, float *db, int more,
                          int rank, int size) {
  int d = pass->model->config.d, from, to;
  sw_rows_share(0, d, COLUMN_GRAIN, rank, size, &from, &to);
  if (from == to) return;
  if (!more) {
    memset(dw + from, 0, sizeof(float) * (size_t)(to - from));
    memset(db + from, 0, sizeof(float) * (size_t)(to - from));
  }
  pass->model->kernels->layer_norm_dwb(rows, d, piece->dnorm, x, piece->mean,
                                       piece->rstd, dw, db, from, to);
}

/* FFN and projection of rows r..r+rows; i is r's place in the piece. */
static void rest_rows(const side *s, const sw_piece *piece, int i, int r,
                      int rows) {
  sw_pass *pass = s->job->pass;
  const sw_model *model = pass->model;
  const nn_kernels *k = model->kernels;
  const sw_layer_act *act = &pass->layer[s->layer];
  ptrdiff_t d = model->config.d, ffn = model->config.ffn;
  float c = sw_residual_scale(model);
  float *dx = s->dx + r * d, *dz = piece->dz + i * ffn;
  float *dnorm = piece->dnorm + i * d;
  const float *mid = act->mid + r * d;
  nn_dropout drop = sw_drop_at(s->job, s->layer, SW_DROP_FFN, 0);
  k->dropout_scale(rows, (int)d, dx, d, c, &drop, (uint32_t)r,
                   piece->dffn + i * d, d);
  k->gemm(rows, (int)ffn, (int)d, piece->dffn + i * d, d,
          sw_packed(model, SW_BACKWARD, s->layer, SW_PACK_OUT), dz, ffn, 0,
          NULL);
  drop = sw_drop_at(s->job, s->layer, SW_DROP_GELU, 0);
  k->gelu_backward(rows, (int)ffn, dz, ffn, act->z + r * ffn, ffn, dz, ffn,
                   piece->h + i * ffn, ffn, &drop, (uint32_t)r);
  k->layer_norm(rows, (int)d, mid, sw_weight(model, SW_P_LN2_W, s->layer),
                sw_weight(model, SW_P_LN2_B, s->layer), piece->norm + i * d,
                piece->mean + i, piece->rstd + i);
  k->gemm(rows, (int)d, (int)ffn, dz, ffn,
          sw_packed(model, SW_BACKWARD, s->layer, SW_PACK_IN), dnorm, d, 0,
          NULL);
  k->layer_norm_dx(rows, (int)d, dnorm, mid,
                   sw_weight(model, SW_P_LN2_W, s->layer), piece->mean + i,
                   piece->rstd + i, dx);
  drop = sw_drop_at(s->job, s->layer, SW_DROP_PROJ, 0);
  k->dropout_scale(rows, (int)d, dx, d, c, &drop, (uint32_t)r,
                   piece->dproj + i * d, d);
  k->gemm(rows, (int)d, (int)d, piece->dproj + i * d, d,
          sw_packed(model, SW_BACKWARD, s->layer, SW_PACK_PROJ),
          s->datt + r * d, d, 0, NULL);
}

static void rest_weights(const side *s, const sw_piece *piece, int r, int rows,
                         int rank, int size) {
  sw_pass *pass = s->job->pass;
  const sw_layer_act *act = &pass->layer[s->layer];
  int d = pass->model->config.d, ffn = pass->model->config.ffn;
  int more = r > s->begin;
  ptrdiff_t at = (ptrdiff_t)r * d;
  weight_gradient(pass, rows, piece->dffn, d, d, piece->h, ffn,
                  layer_grad(pass, SW_P_OUT_W), layer_grad(pass, SW_P_OUT_B),
                  more, rank, size);
  weight_gradient(pass, rows, piece->dz, ffn, ffn, piece->norm, d,
                  layer_grad(pass, SW_P_IN_W), layer_grad(pass, SW_P_IN_B),
                  more, rank, size);
  norm_gradient(pass, rows, piece, act->mid + at, layer_grad(pass, SW_P_LN2_W),
                layer_grad(pass, SW_P_LN2_B), more, rank, size);
  weight_gradient(pass, rows, piece->dproj, d, d, s->att + at, d,
                  layer_grad(pass, SW_P_PROJ_W), layer_grad(pass, SW_P_PROJ_B),
                  more, rank, size);
}

/* QKV (or a part of it) and the first norm. */
static void qkv_rows(const side *s, const sw_piece *piece, int i, int r,
                     int rows) {
  sw_pass *pass = s->job->pass;
  const sw_model *model = pass->model;
  const nn_kernels *k = model->kernels;
  ptrdiff_t d = model->config.d;
  const float *x = s->x + r * d;
  float *dy = s->dqkv + r * s->ld;
  float *dnorm = piece->dnorm + i * d;
  k->layer_norm(rows, (int)d, x, sw_weight(model, SW_P_LN1_W, s->layer),
                sw_weight(model, SW_P_LN1_B, s->layer), piece->norm + i * d,
                piece->mean + i, piece->rstd + i);
  if (model->rotation && (s->parts & SW_PART_Q))
    sw_rotate(model->rotation, rows, model->config.heads, s->id + r, -1, dy,
              s->ld);
  if (model->rotation && (s->parts & SW_PART_KV))
    sw_rotate(model->rotation, rows, model->config.heads, s->id + r, -1, dy + d,
              s->ld);
  if (s->parts & SW_PART_Q)
    k->gemm(rows, (int)d, (int)d, dy, s->ld,
            sw_packed(model, SW_BACKWARD, s->layer, SW_PACK_Q), dnorm, d, 0,
            NULL);
  if (s->parts & SW_PART_KV)
    k->gemm(rows, (int)d, 2 * (int)d, dy + d, s->ld,
            sw_packed(model, SW_BACKWARD, s->layer, SW_PACK_KV), dnorm, d,
            s->parts & SW_PART_Q, NULL);
  k->layer_norm_dx(rows, (int)d, dnorm, x,
                   sw_weight(model, SW_P_LN1_W, s->layer), piece->mean + i,
                   piece->rstd + i, s->dx + r * d);
}

static void qkv_weights(const side *s, const sw_piece *piece, int r, int rows,
                        int rank, int size) {
  sw_pass *pass = s->job->pass;
  ptrdiff_t d = pass->model->config.d;
  int more = r > s->begin, out = 0;
  ptrdiff_t first = s->parts & SW_PART_Q ? 0 : d; /* row of the weight */
  out += s->parts & SW_PART_Q ? (int)d : 0;
  out += s->parts & SW_PART_KV ? 2 * (int)d : 0;
  weight_gradient(pass, rows, s->dqkv + r * s->ld + first, s->ld, out,
                  piece->norm, (int)d, layer_grad(pass, SW_P_QKV_W) + first * d,
                  layer_grad(pass, SW_P_QKV_B) + first, more, rank, size);
  norm_gradient(pass, rows, piece, s->x + r * d, layer_grad(pass, SW_P_LN1_W),
                layer_grad(pass, SW_P_LN1_B), more || s->norm_begun, rank,
                size);
}

typedef void (*rows_fn)(const side *, const sw_piece *, int, int, int);
typedef void (*weights_fn)(const side *, const sw_piece *, int, int, int, int);

/* Runs all pieces of a side through a row-local and a weight function. */
static void pieces(const side *s, rows_fn row_part, weights_fn weight_part,
                   int rank, int size) {
  sw_pass *pass = s->job->pass;
  int turn = 0;
  int most = sw_piece_rows(pass);
  for (int r = s->begin; r < s->end; r += most, turn ^= 1) {
    int rows = s->end - r < most ? s->end - r : most, from, to;
    sw_rows_share(0, rows, SW_ROW_GRAIN, rank, size, &from, &to);
    for (int i = from; i < to; i += SW_CHUNK)
      row_part(s, &pass->piece[turn], i, r + i,
               to - i < SW_CHUNK ? to - i : SW_CHUNK);
    sw_team_barrier(pass->team);
    weight_part(s, &pass->piece[turn], r, rows, rank, size);
  }
  sw_team_barrier(pass->team);
}

/* Own rows of dq, dk, dv before attention adds to them: rows no query reaches
 * must read zero. Whole rows at once; the barrier that ends the rest of the
 * layer is also the one between these rows and the heads that need them. */
static void clear_qkv(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  ptrdiff_t width = 3 * (ptrdiff_t)pass->model->config.d;
  int from, to;
  sw_rows_share(pass->plan.low, pass->plan.high, SW_ROW_GRAIN, rank, size,
                &from, &to);
  memset(pass->dqkv + from * width, 0,
         sizeof(float) * (size_t)((to - from) * width));
}

static void attention(sw_job *job, int layer, int rank, int size) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  ptrdiff_t d = model->config.d;
  int heads = model->config.heads, dim = (int)d / heads;
  for (int head = rank; head < heads; head += size) {
    nn_attention a = sw_attention_of(job, layer, head);
    a.dout = pass->datt + head * dim;
    a.lddo = d;
    a.dq = pass->dqkv + head * dim;
    a.dk = a.dq + d;
    a.dv = a.dk + d;
    a.lddq = a.lddk = a.lddv = 3 * d;
    if (layer == model->config.layers - 1) { /* as in the forward pass */
      a.dout = pass->datt_live + head * dim;
      a.dq = pass->dq_live + head * dim;
      a.lddq = d;
    }
    if (job->example->mask->dense)
      sw_dense_backward(&a, &pass->plan, job->example->mask->dense,
                        layer == model->config.layers - 1,
                        pass->member[rank].attention);
    else model->kernels->attention_backward(&a, pass->member[rank].attention);
  }
}

/* The gradient of the last layer's input so far, from the live rows back to
 * their places. */
static void scatter_live(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  ptrdiff_t d = pass->model->config.d;
  int from, to;
  sw_rows_share(pass->plan.low, pass->plan.high, SW_ROW_GRAIN, rank, size,
                &from, &to);
  for (int r = from; r < to; r++) {
    int live = pass->plan.live_index[r];
    float *dx = pass->dx + r * d;
    if (live < 0) {
      memset(dx, 0, sizeof(float) * (size_t)d);
      continue;
    }
    memcpy(dx, pass->dx_live + live * d, sizeof(float) * (size_t)d);
  }
}

/* The last layer's QKV: keys and values of all rows, queries of live rows. */
static void last_qkv(const side *all, int rank, int size) {
  sw_job *job = all->job;
  sw_pass *pass = job->pass;
  ptrdiff_t d = pass->model->config.d;
  side kv = *all, q = *all;
  kv.parts = SW_PART_KV;
  q.parts = SW_PART_Q;
  q.begin = 0;
  q.end = pass->plan.live;
  q.x = pass->x_live;
  q.dx = pass->dx_live;
  q.dqkv = pass->dq_live;
  q.id = pass->live_id;
  q.ld = d;
  q.norm_begun = 1;
  int from, to;
  sw_rows_share(0, pass->plan.live, SW_LIVE_GRAIN, rank, size, &from, &to);
  memset(pass->dx_live + from * d, 0,
         sizeof(float) * (size_t)((to - from) * d));
  pieces(&kv, qkv_rows, qkv_weights, rank, size);
  pieces(&q, qkv_rows, qkv_weights, rank, size);
  for (int i = from; i < to; i++)
    pass->model->kernels->add((size_t)d, pass->dx_live + i * d,
                              pass->dx + pass->plan.live_row[i] * d);
}

void sw_layers_backward(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  const sw_params *params = &pass->model->params;
  int last = pass->model->config.layers - 1;
  side live = {.job = job,
               .layer = last,
               .end = pass->plan.live,
               .dx = pass->dx_live,
               .att = pass->att_live,
               .datt = pass->datt_live};
  for (int layer = last; layer >= 0; layer--) {
    side all = {.job = job,
                .layer = layer,
                .begin = pass->plan.low,
                .end = pass->plan.high,
                .dx = pass->dx,
                .att = pass->layer[layer].att,
                .datt = pass->datt,
                .parts = SW_PART_ALL,
                .x = pass->layer[layer].x,
                .dqkv = pass->dqkv,
                .id = pass->row_id,
                .ld = 3 * (ptrdiff_t)pass->model->config.d};
    const side *rest = layer == last ? &live : &all;
    float *sum = job->gradient + params->layout.layer_begin +
                 params->layout.layer_stride * layer;
    if (job->alone) pass->layer_grad = sum;
    clear_qkv(job, rank, size);
    sw_pass_memory_backward(job, layer, rest->dx, rank, size);
    pieces(rest, rest_rows, rest_weights, rank, size);
    if (layer == last) scatter_live(job, rank, size);
    attention(job, layer, rank, size);
    sw_team_barrier(pass->team);
    if (layer == last) last_qkv(&all, rank, size);
    else pieces(&all, qkv_rows, qkv_weights, rank, size);
    if (job->alone) continue;
    size_t from, to;
    sw_share((size_t)params->layout.layer_stride, 64, rank, size, &from, &to);
    pass->model->kernels->add(to - from, pass->layer_grad + from, sum + from);
    sw_team_barrier(pass->team); /* layer_grad is overwritten next */
  }
  sw_pass_memory_add(job, rank, size);
}
