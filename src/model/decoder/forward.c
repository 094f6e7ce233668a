/* Forward pass of one trace over the team: rows for the linear parts, heads
 * for attention. Two barriers a layer: keys and values of all rows before
 * attention, outputs of all heads after it; everything else is row-local. */
#include <string.h>
#include "model/decoder/pass_memory.h"
#include "model/decoder/pass.h"
#include "model/decoder/rows.h"
#include "trace/mask.h"

nn_attention sw_attention_of(const sw_job *job, int layer, int head) {
  const sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  const sw_layer_act *act = &pass->layer[layer];
  const sw_plan *plan = &pass->plan;
  int d = model->config.d, dim = d / model->config.heads;
  int last = layer == model->config.layers - 1;
  nn_attention a = {.head_dim = dim,
                    .scale = (float)(1.0 / __builtin_sqrt((double)dim)),
                    .q = act->qkv + head * dim,
                    .ldq = 3 * d,
                    .k = act->qkv + d + head * dim,
                    .ldk = 3 * d,
                    .v = act->qkv + 2 * d + head * dim,
                    .ldv = 3 * d,
                    .out = act->att + head * dim,
                    .ldo = d,
                    .lse = act->lse + (size_t)head * (size_t)plan->rows,
                    .spans = last ? plan->last : plan->span,
                    .span_count = last ? plan->lasts : plan->spans,
                    .drop = sw_drop_at(job, layer, SW_DROP_ATTENTION, head)};
  if (pass->kept) {
    size_t each = (size_t)(last ? plan->live : plan->rows);
    a.ldkept = pass->kept_words;
    a.kept = pass->kept +
             ((size_t)layer * (size_t)model->config.heads * (size_t)plan->rows +
              (size_t)head * each) *
                 (size_t)pass->kept_words;
  }
  if (last) { /* the live rows' queries and outputs lie together */
    a.q = pass->q_live + head * dim;
    a.ldq = d;
    a.out = pass->att_live + head * dim;
  }
  return a;
}

static void attention_head(sw_job *job, int layer, int head, int rank,
                           int32_t begin, int32_t end) {
  sw_pass *pass = job->pass;
  nn_attention a = sw_attention_of(job, layer, head);
  float *scratch = pass->member[rank].attention;
  if (job->example->mask->dense)
    sw_dense_forward(&a, &pass->plan, job->example->mask->dense,
                     layer == pass->model->config.layers - 1, scratch);
  else pass->model->kernels->attention_forward(&a, begin, end, scratch);
}

/* Row where about part/parts of a span list's pairs lie before it. */
static int32_t split_row(const nn_span *span, int32_t spans, int part,
                         int parts) {
  int64_t all = sw_spans_pairs(span, spans, 0), sum = 0;
  int64_t goal = all * part / parts;
  for (int32_t i = 0; i < spans; i++)
    for (int32_t q = span[i].begin; q < span[i].end; q++) {
      if (sum >= goal) return q;
      nn_span one = span[i];
      one.begin = q;
      one.end = q + 1;
      sum += sw_spans_pairs(&one, 1, 0);
    }
  return spans ? span[spans - 1].end : 0;
}

/* Whole heads as long as they divide evenly; what is left is cut by query
 * rows, which gives the same bits (a row depends on itself only). */
static void attention(sw_job *job, int layer, int rank, int size) {
  sw_pass *pass = job->pass;
  int heads = pass->model->config.heads, whole = heads / size * size;
  int last = layer == pass->model->config.layers - 1;
  for (int head = rank; head < whole; head += size)
    attention_head(job, layer, head, rank, 0, pass->plan.rows);
  if (whole == heads) return;
  if (job->example->mask->dense) {
    for (int head = whole + rank; head < heads; head += size)
      attention_head(job, layer, head, rank, 0, pass->plan.rows);
    return;
  }
  const nn_span *span = last ? pass->plan.last : pass->plan.span;
  int32_t spans = last ? pass->plan.lasts : pass->plan.spans;
  int32_t from = rank ? split_row(span, spans, rank, size) : 0;
  int32_t to = rank + 1 < size ? split_row(span, spans, rank + 1, size)
                               : pass->plan.rows;
  for (int head = whole; head < heads; head++)
    attention_head(job, layer, head, rank, from, to);
}

static sw_rows_dropout layer_dropout(const sw_job *job, int layer) {
  return (sw_rows_dropout){sw_drop_at(job, layer, SW_DROP_PROJ, 0),
                           sw_drop_at(job, layer, SW_DROP_GELU, 0),
                           sw_drop_at(job, layer, SW_DROP_FFN, 0)};
}

/* Queries of the live rows among [from, to), from their compact copy. */
static void project_live(sw_job *job, int layer, int from, int to, int rank) {
  sw_pass *pass = job->pass;
  const sw_plan *plan = &pass->plan;
  sw_layer_act *act = &pass->layer[layer];
  ptrdiff_t d = pass->model->config.d;
  int first = sw_plan_live_from(plan, from), end = sw_plan_live_from(plan, to);
  for (int i = first; i < end; i++)
    memcpy(pass->x_live + i * d, act->x + plan->live_row[i] * d,
           sizeof(float) * (size_t)d);
  for (int i = first; i < end; i += SW_CHUNK) {
    int rows = end - i < SW_CHUNK ? end - i : SW_CHUNK;
    sw_rows_qkv(pass->model, layer, SW_PART_Q, rows, pass->x_live + i * d,
                pass->live_id + i, pass->q_live + i * d, d,
                pass->member[rank].norm);
  }
}

/* LN1 and QKV of own rows; the last layer asks live rows only. */
static void project(sw_job *job, int layer, int from, int to, int rank) {
  sw_pass *pass = job->pass;
  sw_layer_act *act = &pass->layer[layer];
  ptrdiff_t d = pass->model->config.d;
  int last = layer == pass->model->config.layers - 1;
  for (int r = from; r < to; r += SW_CHUNK) {
    int rows = to - r < SW_CHUNK ? to - r : SW_CHUNK;
    sw_rows_qkv(pass->model, layer, last ? SW_PART_KV : SW_PART_ALL, rows,
                act->x + r * d, pass->row_id + r, act->qkv + r * 3 * d, 3 * d,
                pass->member[rank].norm);
  }
  if (last) project_live(job, layer, from, to, rank);
}

/* Projection and FFN of the live rows, in compact arrays. */
static void last_layer_rest(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  int layer = pass->model->config.layers - 1, from, to;
  sw_layer_act *act = &pass->layer[layer];
  const sw_member *own = &pass->member[rank];
  ptrdiff_t d = pass->model->config.d, ffn = pass->model->config.ffn;
  sw_rows_dropout drop = layer_dropout(job, layer);
  sw_rows_scratch scratch = {own->norm, own->hidden, own->z};
  sw_rows_share(0, pass->plan.live, SW_LIVE_GRAIN, rank, size, &from, &to);
  for (int r = from; r < to; r += SW_CHUNK) {
    int rows = to - r < SW_CHUNK ? to - r : SW_CHUNK;
    sw_rows_rest(pass->model, layer, rows, pass->x_live + r * d,
                 pass->att_live + r * d, act->mid + r * d,
                 act->z ? act->z + r * ffn : NULL, pass->out + r * d, &drop,
                 (uint32_t)r, &scratch);
  }
}

void sw_layers_forward(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  const sw_member *own = &pass->member[rank];
  sw_rows_scratch scratch = {own->norm, own->hidden, own->z};
  ptrdiff_t d = model->config.d, ffn = model->config.ffn;
  int layers = model->config.layers, from, to;
  sw_rows_share(pass->plan.low, pass->plan.high, SW_ROW_GRAIN, rank, size,
                &from, &to);
  project(job, 0, from, to, rank);
  for (int layer = 0; layer < layers; layer++) {
    sw_team_barrier(pass->team);
    attention(job, layer, rank, size);
    sw_team_barrier(pass->team);
    if (layer == layers - 1) {
      last_layer_rest(job, rank, size);
      sw_pass_memory_forward(job, layer, pass->out, rank, size);
      break;
    }
    sw_layer_act *act = &pass->layer[layer], *next = &pass->layer[layer + 1];
    sw_rows_dropout drop = layer_dropout(job, layer);
    for (int r = from; r < to; r += SW_CHUNK) {
      int rows = to - r < SW_CHUNK ? to - r : SW_CHUNK;
      sw_rows_rest(model, layer, rows, act->x + r * d, act->att + r * d,
                   act->mid + r * d, act->z ? act->z + r * ffn : NULL,
                   next->x + r * d, &drop, (uint32_t)r, &scratch);
      if (!model->config.memory)
        project(job, layer + 1, r, r + rows, rank); /* while in cache */
    }
    if (model->config.memory) {
      sw_pass_memory_forward(job, layer, next->x, rank, size);
      project(job, layer + 1, from, to, rank);
    }
  }
}
