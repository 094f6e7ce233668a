/* Around the layers: the final norm and the tied head on the scored rows, and
 * the gradients of the embedding tables. Items are taken one after the other,
 * because each has a gradient of its own; logits exist for SW_LSTM_SCORED rows
 * at a time, except where the caller wants them all. */
#include <string.h>
#include "base/argmax.h"
#include "model/embedding.h"
#include "model/lstm/work.h"

enum { GRAIN = 6, TABLE_GRAIN = 48, COLUMN_GRAIN = 16, ROW_GRAIN = 48 };

float *sw_lstm_sum_of(const void *context, int32_t item) {
  const sw_lstm_job *job = context;
  return job->part ? job->part[item] : job->gradient;
}

/* Own scored rows: gathered and normed. */
static void final_norm(sw_lstm_job *job, int rank, int size) {
  sw_lstm_work *w = job->work;
  const sw_lstm *net = w->rows.net;
  ptrdiff_t d = net->config.d;
  const float *h = w->rows.h[net->config.layers - 1];
  int from, to;
  sw_lstm_share(0, w->scored.count, GRAIN, rank, size, &from, &to);
  for (int i = from; i < to; i++)
    memcpy(w->top + i * d, h + w->scored.row[i] * d, sizeof(float) * (size_t)d);
  net->net.kernels->layer_norm(
      to - from, (int)d, w->top + from * d, sw_lstm_weight(net, SW_L_NORM_W, 0),
      sw_lstm_weight(net, SW_L_NORM_B, 0), w->final + from * d, w->mean + from,
      w->rstd + from);
}

static void logits_of(const sw_lstm_work *w, int from, int to, float *out) {
  const sw_lstm *net = w->rows.net;
  ptrdiff_t d = net->config.d, vocab = net->config.vocab;
  if (from < to)
    net->net.kernels->gemm(to - from, (int)vocab, (int)d, w->final + from * d,
                           d, sw_lstm_packed_head(net, SW_LSTM_FORWARD), out,
                           vocab, 0, NULL);
}

static void losses_of(sw_lstm_job *job, int item, int from, int to,
                      float *logits) {
  sw_lstm_work *w = job->work;
  ptrdiff_t vocab = w->rows.net->config.vocab;
  for (int i = from; i < to; i++)
    w->scored.best[i] = sw_argmax(logits + (i - from) * vocab, (int32_t)vocab);
  w->rows.net->net.kernels->cross_entropy(
      to - from, (int)vocab, logits, vocab, w->scored.target + from,
      job->item[item].options.weight[SW_LOSS_TARGET], w->scored.loss + from);
}

/* From d(logits) of scored rows begin..end: rows of dtop (the norm's output,
 * for now), and own rows of the item's token table. */
static void head_back(sw_lstm_job *job, int item, int begin, int end, int rank,
                      int size) {
  sw_lstm_work *w = job->work;
  const sw_lstm *net = w->rows.net;
  const nn_kernels *k = net->net.kernels;
  ptrdiff_t d = net->config.d, vocab = net->config.vocab;
  int from, to;
  sw_lstm_share(begin, end, GRAIN, rank, size, &from, &to);
  if (from < to)
    k->gemm(to - from, (int)d, (int)vocab, w->logits + (from - begin) * vocab,
            vocab, sw_lstm_packed_head(net, SW_LSTM_BACKWARD),
            w->dtop + from * d, d, 0, NULL);
  sw_lstm_share(0, (int)vocab, TABLE_GRAIN, rank, size, &from, &to);
  if (from < to)
    k->gemm_tn((int)vocab, (int)d, end - begin, w->logits, vocab,
               w->final + begin * d, d, w->token_sum + item * vocab * d, d,
               begin > w->scored.first[item], from, to,
               w->rows.member[rank].product);
}

/* One piece of an item's scored rows; ends with all members in step. */
static void piece(sw_lstm_job *job, int item, int begin, int end, int rank,
                  int size) {
  sw_lstm_work *w = job->work;
  ptrdiff_t vocab = w->rows.net->config.vocab;
  int from, to;
  sw_lstm_share(begin, end, GRAIN, rank, size, &from, &to);
  float *own = w->logits + (from - begin) * vocab;
  logits_of(w, from, to, own);
  if (job->kind == SW_LSTM_LOSS && from < to)
    losses_of(job, item, from, to, own);
  sw_team_barrier(w->rows.team);
  if (job->kind == SW_LSTM_CUSTOM) {
    if (rank == 0)
      job->code = job->custom(job->context, w->logits, end - begin,
                              (int32_t)vocab, job->err);
    sw_team_barrier(w->rows.team);
  }
  if (!job->training || job->code) return;
  head_back(job, item, begin, end, rank, size);
  sw_team_barrier(w->rows.team); /* the next piece overwrites the logits */
}

/* Through the norm to dh: rows that were not scored have none. */
static void norm_back(sw_lstm_job *job, int rank, int size) {
  sw_lstm_work *w = job->work;
  const sw_lstm *net = w->rows.net;
  const nn_kernels *k = net->net.kernels;
  ptrdiff_t d = net->config.d;
  int from, to;
  sw_lstm_share(0, (int)d, COLUMN_GRAIN, rank, size, &from, &to);
  for (int32_t i = 0; i < w->scored.items && from < to; i++) {
    int32_t at = w->scored.first[i], rows = w->scored.first[i + 1] - at;
    size_t columns = (size_t)(to - from);
    float *dw = w->norm_sum, *db = dw + d, *sum = sw_lstm_sum_of(job, i);
    memset(dw + from, 0, sizeof(float) * columns);
    memset(db + from, 0, sizeof(float) * columns);
    k->layer_norm_dwb(rows, (int)d, w->dtop + at * d, w->top + at * d,
                      w->mean + at, w->rstd + at, dw, db, from, to);
    k->add(columns, dw + from, sum + net->offset[SW_L_NORM_W] + from);
    k->add(columns, db + from, sum + net->offset[SW_L_NORM_B] + from);
  }
  sw_lstm_share(0, w->rows.lanes.rows, ROW_GRAIN, rank, size, &from, &to);
  if (from < to)
    memset(w->rows.dh + from * d, 0, sizeof(float) * (size_t)((to - from) * d));
  for (int32_t i = 0; i < w->scored.count; i++) {
    ptrdiff_t row = w->scored.row[i];
    if (row >= from && row < to) /* asked for twice: gets both */
      k->layer_norm_dx(1, (int)d, w->dtop + i * d, w->top + i * d,
                       sw_lstm_weight(net, SW_L_NORM_W, 0), w->mean + i,
                       w->rstd + i, w->rows.dh + row * d);
  }
}

void sw_lstm_head(sw_lstm_job *job, int rank, int size) {
  sw_lstm_work *w = job->work;
  ptrdiff_t d = w->rows.net->config.d, vocab = w->rows.net->config.vocab;
  int from, to;
  final_norm(job, rank, size);
  if (job->kind == SW_LSTM_LOGITS || job->kind == SW_LSTM_HIDDEN) {
    sw_lstm_share(0, w->scored.count, GRAIN, rank, size, &from, &to);
    if (job->kind == SW_LSTM_LOGITS)
      logits_of(w, from, to, job->out + from * vocab);
    else if (from < to)
      memcpy(job->out + from * d, w->final + from * d,
             sizeof(float) * (size_t)((to - from) * d));
    return;
  }
  sw_team_barrier(w->rows.team);
  for (int32_t i = 0; i < w->scored.items; i++) {
    int end = w->scored.first[i + 1];
    int step = job->kind == SW_LSTM_CUSTOM ? end : SW_LSTM_SCORED;
    for (int at = w->scored.first[i]; at < end && !job->code; at += step)
      piece(job, i, at, end - at < step ? end : at + step, rank, size);
  }
  if (!job->training || job->code) return;
  norm_back(job, rank, size);
  sw_team_barrier(w->rows.team);
}

/* sum = rows of dh that order[begin..end) names. */
static void sum_rows(const sw_lstm_work *w, const int32_t *order, int begin,
                     int end, float *sum) {
  ptrdiff_t d = w->rows.net->config.d;
  memset(sum, 0, sizeof(float) * (size_t)d);
  for (int i = begin; i < end; i++)
    w->rows.net->net.kernels->add((size_t)d, w->rows.dh + order[i] * d, sum);
}

/* A table's rows of an item's tokens; each member sorts for itself. */
static void table_rows(sw_lstm_job *job, int which, int32_t item, int keys,
                       float *to_table, int rank, int size) {
  sw_lstm_work *w = job->work;
  ptrdiff_t d = w->rows.net->config.d;
  int32_t *order = w->order[rank], *start = w->order_start[rank];
  float *sum = w->rows.member[rank].sum;
  int from, to;
  sw_lstm_share(0, keys, TABLE_GRAIN, rank, size, &from, &to);
  sw_sort_by_key(w->key[which], sw_lanes_item_at(&w->rows.lanes, item),
                 sw_lanes_item_end(&w->rows.lanes, item), keys, order, start);
  for (int k = from; k < to; k++)
    if (start[k] < start[k + 1]) {
      sum_rows(w, order, start[k], start[k + 1], sum);
      w->rows.net->net.kernels->add((size_t)d, sum, to_table + k * d);
    }
}

void sw_lstm_tables_back(sw_lstm_job *job, int rank, int size) {
  sw_lstm_work *w = job->work;
  const sw_lstm *net = w->rows.net;
  ptrdiff_t d = net->config.d, vocab = net->config.vocab;
  int from, to;
  sw_lstm_share(0, (int)vocab, TABLE_GRAIN, rank, size, &from, &to);
  for (int32_t i = 0; i < w->scored.items; i++) {
    if (w->scored.first[i] == w->scored.first[i + 1]) continue;
    float *sum = sw_lstm_sum_of(job, i), *own = w->token_sum + i * vocab * d;
    table_rows(job, 0, i, (int)vocab, own, rank, size);
    if (from < to)
      net->net.kernels->add((size_t)((to - from) * d), own + from * d,
                            sum + net->offset[SW_L_TOKEN] + from * d);
    if (net->config.positions)
      table_rows(job, 1, i, net->config.positions,
                 sum + net->offset[SW_L_POSITION], rank, size);
  }
}
