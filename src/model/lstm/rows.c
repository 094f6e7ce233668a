/* Memory of the rows of a plan, and their way through the layers: input rows,
 * products over all rows, and the weights' gradients. The recurrence between
 * them is in recurrence.c. */
#include "model/lstm/rows.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"

enum { ROW_GRAIN = 48, COLUMN_GRAIN = 16 };

int sw_lstm_rows_init(sw_lstm_rows *r, sw_lstm *net, sw_team *team,
                      sw_err *err) {
  *r = (sw_lstm_rows){.net = net, .team = team, .members = sw_team_size(team)};
  size_t layers = (size_t)net->config.layers;
  sw_arena_init(&r->arena, 1 << 20);
  r->gates = calloc(3 * layers, sizeof *r->gates);
  r->member = calloc((size_t)r->members, sizeof *r->member);
  if (!r->gates || !r->member) {
    sw_lstm_rows_free(r);
    return sw_no_memory_for(err, "a workspace");
  }
  r->h = r->gates + layers;
  r->c = r->h + layers;
  return SW_OK;
}

void sw_lstm_rows_free(sw_lstm_rows *r) {
  sw_lanes_free(&r->lanes);
  sw_arena_free(&r->arena);
  free(r->gates);
  free(r->member);
  free(r->item);
  memset(r, 0, sizeof *r);
}

void sw_lstm_rows_clear(sw_lstm_rows *r) {
  sw_lanes_clear(&r->lanes);
  r->drops = 0;
}

int sw_lstm_rows_item(sw_lstm_rows *r, const sw_lstm_item *item, sw_err *err) {
  if (!sw_grow(&r->item, &r->item_room, r->lanes.items + 1, sizeof *r->item))
    return sw_no_memory_for(err, "%d items", r->lanes.items + 1);
  r->item[r->lanes.items] = *item;
  r->drops |= item->drop.threshold > 0;
  return SW_OK;
}

size_t sw_lstm_row_bytes(const sw_lstm_config *c, int training) {
  size_t layers = (size_t)c->layers;
  size_t widths = 1 + 2 * layers + 4 * (training ? layers : 1) + training;
  return widths * (size_t)c->d * sizeof(float);
}

static float *take(sw_lstm_rows *r, size_t floats, int *failed) {
  float *block = sw_arena_alloc(&r->arena, sizeof(float) * floats + 64);
  if (!block) *failed = 1;
  return block;
}

static void take_members(sw_lstm_rows *r, int training, int *failed) {
  const nn_kernels *k = r->net->net.kernels;
  size_t d = (size_t)r->net->config.d;
  int vocab = r->net->config.vocab, wide = 4 * r->net->config.d;
  size_t product = k->gemm_tn_scratch(wide, (int)d, SW_LSTM_PIECE);
  size_t head = k->gemm_tn_scratch(vocab, (int)d, SW_LSTM_SCORED);
  for (int i = 0; i < r->members; i++) {
    sw_lstm_member *m = &r->member[i];
    m->state = take(r, SW_LSTM_LANES * d, failed);
    m->wide = take(r, SW_LSTM_LANES * 4 * d, failed);
    m->input = take(r, SW_LSTM_PIECE * d, failed);
    if (!training) continue;
    m->inner = take(r, SW_LSTM_LANES * d, failed);
    m->before = take(r, SW_LSTM_PIECE * d, failed);
    m->product = take(r, product > head ? product : head, failed);
    m->sum = take(r, d, failed);
  }
}

int sw_lstm_rows_reserve(sw_lstm_rows *r, int training, sw_err *err) {
  SW_TRY(sw_lanes_order(&r->lanes, err));
  int32_t rows = r->lanes.rows, lanes = r->lanes.count;
  if (r->zero && rows <= r->room_rows && lanes <= r->room_lanes &&
      training <= r->room_training)
    return SW_OK;
  rows = rows > r->room_rows ? rows : r->room_rows;
  lanes = lanes > r->room_lanes ? lanes : r->room_lanes;
  training = training || r->room_training;
  size_t n = (size_t)rows, d = (size_t)r->net->config.d;
  int failed = 0;
  /* The old blocks are freed before larger ones are allocated. */
  sw_arena_free(&r->arena);
  sw_arena_init(&r->arena, 1 << 20);
  r->room_rows = r->room_lanes = r->room_training = 0;
  r->zero = take(r, d, &failed);
  r->x = take(r, n * d, &failed);
  for (int i = 0; i < r->net->config.layers; i++) {
    r->gates[i] = i && !training ? r->gates[0] : take(r, n * 4 * d, &failed);
    r->h[i] = take(r, n * d, &failed);
    r->c[i] = take(r, n * d, &failed);
  }
  if (training) {
    r->dh = take(r, n * d, &failed);
    r->d_start = take(r, (size_t)lanes * 2 * d, &failed);
    r->layer_sum = take(r, 8 * d * d + 4 * d, &failed);
  }
  take_members(r, training, &failed);
  if (failed) {
    r->zero = NULL;
    return sw_no_memory_for(err, "%d rows of an LSTM", rows);
  }
  memset(r->zero, 0, sizeof(float) * d);
  r->room_rows = rows;
  r->room_lanes = lanes;
  r->room_training = training;
  return SW_OK;
}

/* ---- forward ---- */

/* Dropout of rows from..to (rows of the plan; x and y hold `from` first), by
 * the item's draws and the tokens' places in it. */
static void drop_rows(const sw_lstm_rows *r, int site, int layer, int from,
                      int to, const float *x, float *y) {
  ptrdiff_t d = r->net->config.d;
  for (int row = from, end; row < to; row = end) {
    const sw_lane *lane = &r->lanes.lane[sw_lanes_of_row(&r->lanes, row)];
    end = lane->at + lane->rows < to ? lane->at + lane->rows : to;
    nn_dropout drop = r->item[lane->item].drop;
    drop.stream = (uint32_t)layer << 16 | (uint32_t)site << 8;
    r->net->net.kernels->dropout_scale(
        end - row, (int)d, x + (row - from) * d, d, 1.0f, &drop,
        (uint32_t)(lane->first + row - lane->at), y + (row - from) * d, d);
  }
}

static void embed(sw_lstm_rows *r, int from, int to) {
  const sw_lstm *net = r->net;
  ptrdiff_t d = net->config.d;
  const float *token = sw_lstm_weight(net, SW_L_TOKEN, 0);
  const float *position = sw_lstm_weight(net, SW_L_POSITION, 0);
  for (int row = from; row < to; row++) {
    const sw_lane *lane = &r->lanes.lane[sw_lanes_of_row(&r->lanes, row)];
    const sw_example *ex = r->item[lane->item].example;
    int32_t at = lane->first + row - lane->at;
    float *x = r->x + row * d;
    memcpy(x, token + ex->token[at] * d, sizeof(float) * (size_t)d);
    if (net->config.positions)
      net->net.kernels->add((size_t)d, position + ex->position[at] * d, x);
  }
  if (r->drops && from < to)
    drop_rows(r, SW_LSTM_DROP_EMBED, 0, from, to, r->x + from * d,
              r->x + from * d);
}

/* The input of a layer's rows from..to (at most a piece): where it lies, or in
 * `room` where dropout has changed it. */
static const float *input_of(const sw_lstm_rows *r, int layer, int from, int to,
                             float *room) {
  ptrdiff_t d = r->net->config.d;
  if (!layer) return r->x + from * d;
  const float *below = r->h[layer - 1] + from * d;
  if (!r->drops) return below;
  drop_rows(r, SW_LSTM_DROP_BETWEEN, layer - 1, from, to, below, room);
  return room;
}

/* What the input gives to the gates of own rows. */
static void feed(sw_lstm_rows *r, int layer, int from, int to, float *room) {
  const sw_lstm *net = r->net;
  ptrdiff_t d = net->config.d;
  nn_epilogue bias = {.bias = net->bias + 4 * d * layer};
  for (int row = from; row < to; row += SW_LSTM_CHUNK) {
    int end = to - row < SW_LSTM_CHUNK ? to : row + SW_LSTM_CHUNK;
    net->net.kernels->gemm(
        end - row, 4 * (int)d, (int)d, input_of(r, layer, row, end, room), d,
        sw_lstm_packed(net, SW_LSTM_FORWARD, layer, SW_LSTM_INPUT),
        r->gates[layer] + row * 4 * d, 4 * d, 0, &bias);
  }
}

void sw_lstm_forward(sw_lstm_rows *r, int rank, int size) {
  int from, to, layers = r->net->config.layers;
  sw_lstm_share(0, r->lanes.rows, ROW_GRAIN, rank, size, &from, &to);
  embed(r, from, to);
  for (int layer = 0; layer < layers; layer++) {
    feed(r, layer, from, to, r->member[rank].input);
    for (int level = 0; level < SW_LSTM_LEVELS; level++) {
      if (r->lanes.level_begin[level] == r->lanes.level_begin[level + 1])
        continue;
      sw_team_barrier(r->team);
      sw_lstm_recur(r, layer, level, rank, size);
    }
    sw_team_barrier(r->team);
  }
}

/* ---- backward ---- */

/* The states that rows from..to came from, into `out`. */
static void states_before(const sw_lstm_rows *r, int layer, int from, int to,
                          float *out) {
  ptrdiff_t d = r->net->config.d;
  size_t bytes = sizeof(float) * (size_t)d;
  for (int row = from, end; row < to; row = end) {
    const sw_lane *lane = &r->lanes.lane[sw_lanes_of_row(&r->lanes, row)];
    end = lane->at + lane->rows < to ? lane->at + lane->rows : to;
    float *place = out + (row - from) * d;
    int first = row;
    if (row == lane->at) {
      const sw_lane *parent =
          lane->parent >= 0 ? &r->lanes.lane[lane->parent] : NULL;
      const float *state =
          parent ? r->h[layer] + (parent->at + parent->rows - 1) * d : r->zero;
      memcpy(place, state, bytes);
      place += d;
      first++;
    }
    if (end > first)
      memcpy(place, r->h[layer] + (first - 1) * d,
             bytes * (size_t)(end - first));
  }
}

/* An item's gradient of a layer: own weight rows, from zero in the order of
 * its rows, then added to the item's sum once. */
static void item_weights(sw_lstm_rows *r, int layer, int32_t item, float *sum,
                         int rank, int size) {
  const sw_lstm *net = r->net;
  const nn_kernels *k = net->net.kernels;
  sw_lstm_member *own = &r->member[rank];
  ptrdiff_t d = net->config.d, wide = 4 * d;
  int begin = sw_lanes_item_at(&r->lanes, item), from, to;
  int end = sw_lanes_item_end(&r->lanes, item);
  sw_lstm_share(0, (int)wide, COLUMN_GRAIN, rank, size, &from, &to);
  if (begin == end || from == to) return;
  float *input_w = r->layer_sum, *state_w = input_w + wide * d,
        *bias = state_w + wide * d;
  for (int row = begin; row < end; row += SW_LSTM_PIECE) {
    int last = end - row < SW_LSTM_PIECE ? end : row + SW_LSTM_PIECE;
    const float *gates = r->gates[layer] + row * wide;
    const float *x = input_of(r, layer, row, last, own->input);
    k->gemm_tn((int)wide, (int)d, last - row, gates, wide, x, d, input_w, d,
               row > begin, from, to, own->product);
    states_before(r, layer, row, last, own->before);
    k->gemm_tn((int)wide, (int)d, last - row, gates, wide, own->before, d,
               state_w, d, row > begin, from, to, own->product);
    k->column_sum(last - row, gates, wide, bias, row > begin, from, to);
  }
  float *to_layer = sum + net->layer_stride * layer;
  size_t floats = (size_t)((to - from) * d), columns = (size_t)(to - from);
  k->add(floats, input_w + from * d,
         to_layer + net->offset[SW_L_INPUT_W] + from * d);
  k->add(floats, state_w + from * d,
         to_layer + net->offset[SW_L_STATE_W] + from * d);
  k->add(columns, bias + from, to_layer + net->offset[SW_L_INPUT_B] + from);
  k->add(columns, bias + from, to_layer + net->offset[SW_L_STATE_B] + from);
}

/* The gradient of the input of own rows: dh of the layer below. */
static void feed_back(sw_lstm_rows *r, int layer, int from, int to) {
  const sw_lstm *net = r->net;
  ptrdiff_t d = net->config.d;
  for (int row = from; row < to; row += SW_LSTM_CHUNK) {
    int end = to - row < SW_LSTM_CHUNK ? to : row + SW_LSTM_CHUNK;
    float *dh = r->dh + row * d;
    net->net.kernels->gemm(
        end - row, (int)d, 4 * (int)d, r->gates[layer] + row * 4 * d, 4 * d,
        sw_lstm_packed(net, SW_LSTM_BACKWARD, layer, SW_LSTM_INPUT), dh, d, 0,
        NULL);
    if (r->drops)
      drop_rows(r, layer ? SW_LSTM_DROP_BETWEEN : SW_LSTM_DROP_EMBED,
                layer ? layer - 1 : 0, row, end, dh, dh);
  }
}

void sw_lstm_backward(sw_lstm_rows *r, sw_lstm_sum sum, const void *context,
                      int rank, int size) {
  int from, to;
  sw_lstm_share(0, r->lanes.rows, ROW_GRAIN, rank, size, &from, &to);
  for (int layer = r->net->config.layers - 1; layer >= 0; layer--) {
    for (int level = SW_LSTM_LEVELS - 1; level >= 0; level--) {
      if (r->lanes.level_begin[level] == r->lanes.level_begin[level + 1])
        continue;
      sw_lstm_recur_back(r, layer, level, rank, size);
      sw_team_barrier(r->team);
    }
    for (int32_t i = 0; i < r->lanes.items; i++)
      item_weights(r, layer, i, sum(context, i), rank, size);
    feed_back(r, layer, from, to);
    sw_team_barrier(r->team);
  }
}
