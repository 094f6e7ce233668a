/* The recurrence of one layer: lanes in lock-step, the longest first, so that
 * those that still run are always the first ones. Member r of n takes the lanes
 * r, r + n, ... of the level, at most SW_LSTM_LANES of them at a time. */
#include <string.h>
#include "model/lstm/rows.h"

typedef struct crew { /* lanes of one member that run together */
  const sw_lane *lane[SW_LSTM_LANES];
  int count;
} crew;

/* The next lanes of the member; *at goes on behind them. */
static void gather(const sw_lstm_rows *r, int level, int size, int32_t *at,
                   crew *c) {
  const sw_lanes *l = &r->lanes;
  int32_t end = l->level_begin[level + 1];
  for (c->count = 0; *at < end && c->count < SW_LSTM_LANES; *at += size)
    c->lane[c->count++] = &l->lane[l->order[*at].lane];
}

/* The state a lane starts from in a layer: h and c. */
static void start_of(const sw_lstm_rows *r, int layer, const sw_lane *lane,
                     const float **h, const float **c) {
  ptrdiff_t d = r->net->config.d;
  *h = *c = r->zero;
  if (lane->parent >= 0) {
    const sw_lane *parent = &r->lanes.lane[lane->parent];
    ptrdiff_t row = parent->at + parent->rows - 1;
    *h = r->h[layer] + row * d;
    *c = r->c[layer] + row * d;
  } else if (lane->start) {
    *h = lane->start + 2 * d * layer;
    *c = *h + d;
  }
}

/* How many of the lanes have a row `step`. */
static int running(const crew *c, int32_t step, int count) {
  while (count > 0 && c->lane[count - 1]->rows <= step) count--;
  return count;
}

static void crew_forward(sw_lstm_rows *r, int layer, const crew *c,
                         sw_lstm_member *own) {
  const nn_kernels *k = r->net->net.kernels;
  ptrdiff_t d = r->net->config.d;
  size_t bytes = sizeof(float) * (size_t)d;
  const float *packed =
      sw_lstm_packed(r->net, SW_LSTM_FORWARD, layer, SW_LSTM_STATE);
  const float *h, *cell[SW_LSTM_LANES];
  for (int i = 0; i < c->count; i++) {
    start_of(r, layer, c->lane[i], &h, &cell[i]);
    memcpy(own->state + i * d, h, bytes);
  }
  int count = c->count;
  for (int32_t step = 0; (count = running(c, step, count)) > 0; step++) {
    k->gemm(count, 4 * (int)d, (int)d, own->state, d, packed, own->wide, 4 * d,
            0, NULL);
    for (int i = 0; i < count; i++) {
      ptrdiff_t row = c->lane[i]->at + step;
      float *now = r->c[layer] + row * d, *out = r->h[layer] + row * d;
      k->lstm_forward((int)d, r->gates[layer] + row * 4 * d,
                      own->wide + i * 4 * d, cell[i], now, out);
      cell[i] = now;
      memcpy(own->state + i * d, out, bytes);
    }
  }
}

void sw_lstm_recur(sw_lstm_rows *r, int layer, int level, int rank, int size) {
  int32_t at = r->lanes.level_begin[level] + rank;
  crew c;
  for (gather(r, level, size, &at, &c); c.count;
       gather(r, level, size, &at, &c))
    crew_forward(r, layer, &c, &r->member[rank]);
}

/* ---- backward ---- */

/* Gradients of a lane's last state from the lanes that start from it, in their
 * order. */
static void from_children(const sw_lstm_rows *r, const sw_lane *lane, float *dh,
                          float *dc) {
  const nn_kernels *k = r->net->net.kernels;
  size_t d = (size_t)r->net->config.d;
  memset(dh, 0, sizeof(float) * d);
  memset(dc, 0, sizeof(float) * d);
  for (int32_t i = 0; i < lane->children; i++) {
    const float *start = r->d_start + (size_t)(lane->child + i) * 2 * d;
    k->add(d, start, dh);
    k->add(d, start + d, dc);
  }
}

/* One step back: the gates' values become gradients; what reaches the state
 * before goes to own->state and own->inner. */
static void step_back(sw_lstm_rows *r, int layer, const crew *c, int count,
                      int32_t step, int last, sw_lstm_member *own) {
  const nn_kernels *k = r->net->net.kernels;
  ptrdiff_t d = r->net->config.d;
  for (int i = 0; i < count; i++) {
    ptrdiff_t row = c->lane[i]->at + step;
    const float *h, *before = r->c[layer] + (row - 1) * d;
    float *gates = r->gates[layer] + row * 4 * d;
    if (step == 0) start_of(r, layer, c->lane[i], &h, &before);
    k->lstm_backward((int)d, gates, before, r->c[layer] + row * d,
                     r->dh + row * d, own->state + i * d, own->inner + i * d);
    memcpy(own->wide + i * 4 * d, gates, sizeof(float) * 4 * (size_t)d);
  }
  if (last) return;
  k->gemm(count, (int)d, 4 * (int)d, own->wide, 4 * d,
          sw_lstm_packed(r->net, SW_LSTM_BACKWARD, layer, SW_LSTM_STATE),
          own->state, d, 0, NULL);
}

static void crew_backward(sw_lstm_rows *r, int layer, int level, const crew *c,
                          sw_lstm_member *own) {
  size_t d = (size_t)r->net->config.d, bytes = sizeof(float) * d;
  int count = 0;
  for (int32_t step = c->lane[0]->rows - 1; step >= 0; step--) {
    for (; count < c->count && c->lane[count]->rows > step; count++)
      from_children(r, c->lane[count], own->state + (size_t)count * d,
                    own->inner + (size_t)count * d);
    /* No gradient is needed for a start from zero or from a kept state. */
    step_back(r, layer, c, count, step, step == 0 && level == 0, own);
  }
  for (int i = 0; i < c->count && level > 0; i++) {
    float *start = r->d_start + (size_t)(c->lane[i] - r->lanes.lane) * 2 * d;
    memcpy(start, own->state + (size_t)i * d, bytes);
    memcpy(start + d, own->inner + (size_t)i * d, bytes);
  }
}

void sw_lstm_recur_back(sw_lstm_rows *r, int layer, int level, int rank,
                        int size) {
  int32_t at = r->lanes.level_begin[level] + rank;
  crew c;
  for (gather(r, level, size, &at, &c); c.count;
       gather(r, level, size, &at, &c))
    crew_backward(r, layer, level, &c, &r->member[rank]);
}
