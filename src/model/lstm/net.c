/* An LSTM as a net: its table of tensors, and the packed copies of its weights
 * for the kernels, which are refreshed by the next computation after the
 * weights have changed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "model/families.h"
#include "model/lstm/lstm.h"

typedef struct row {
  const char *name;
  int layered;
  sw_init init;
  int trained, matrices;
} row;
static const row rows[SW_L_COUNT] = {
#define X(id, name, layer, outer, inner, init, trained, matrices) \
  {name, layer, SW_INIT_##init, trained, matrices},
    SW_LSTM_PARAMS(X)
#undef X
};

static void shape_of(const sw_lstm_config *C, sw_lstm_param id,
                     int64_t shape[2]) {
  switch (id) {
#define X(id, name, layer, outer, inner, init, trained, matrices) \
  case SW_L_##id:                                                 \
    shape[0] = (outer);                                           \
    shape[1] = (inner);                                           \
    break;
    SW_LSTM_PARAMS(X)
#undef X
    case SW_L_COUNT:
      break;
  }
}

int sw_lstm_check(const sw_lstm_config *c, sw_err *err) {
  const struct {
    const char *name;
    int value, low, high;
  } field[] = {{"vocab", c->vocab, 1, 1000000},
               {"d", c->d, 1, 4096},
               {"layers", c->layers, 1, 64},
               {"positions", c->positions, 0, 10000000},
               {"mode", c->mode, SW_LSTM_CONTINUOUS, SW_LSTM_PREFIX_RESTORED}};
  for (size_t i = 0; i < sizeof field / sizeof *field; i++)
    if (field[i].value < field[i].low || field[i].value > field[i].high)
      return sw_fail(err, SW_USAGE, "model: %s = %d is outside %d..%d",
                     field[i].name, field[i].value, field[i].low,
                     field[i].high);
  return SW_OK;
}

/* Adds a row's tensor of a layer; a table of no rows is no tensor. */
static void add_tensor(sw_lstm *net, sw_lstm_param id, int layer) {
  const row *r = &rows[id];
  int64_t shape[2] = {0, 0};
  shape_of(&net->config, id, shape);
  int64_t count = shape[0] * (shape[1] ? shape[1] : 1);
  if (!layer) net->offset[id] = net->net.count;
  if (!count) return;
  sw_tensor *t = &net->net.tensor[net->net.tensors++];
  *t = (sw_tensor){.dims = shape[1] ? 2 : 1,
                   .shape = {shape[0], shape[1]},
                   .offset = net->net.count,
                   .count = count,
                   .init = r->init,
                   .size = r->init == SW_INIT_UNIFORM
                               ? 1 / sqrt((double)net->config.d)
                               : 0.02,
                   .trained = r->trained,
                   .decay = 1,
                   .matrices = r->matrices};
  if (r->layered) {
    size_t stem = strlen(r->name) - 2; /* its name ends in %d */
    snprintf(t->name, sizeof t->name, "%.*s%d", (int)stem, r->name, layer);
  } else snprintf(t->name, sizeof t->name, "%s", r->name);
  net->net.count += count;
  if (r->trained) net->net.trained += count;
}

static void lay_out(sw_lstm *net) {
  for (int id = 0; id < SW_L_COUNT; id++) {
    if (!rows[id].layered) {
      add_tensor(net, (sw_lstm_param)id, 0);
      continue;
    }
    int end = id; /* the rows of a layer follow one another */
    while (end < SW_L_COUNT && rows[end].layered) end++;
    for (int layer = 0; layer < net->config.layers; layer++) {
      if (layer == 1) net->layer_stride = net->net.count - net->offset[id];
      for (int i = id; i < end; i++) add_tensor(net, (sw_lstm_param)i, layer);
    }
    id = end - 1;
  }
}

int sw_lstm_create(sw_net **out, const void *config, sw_err *err) {
  const sw_lstm_config *c = config;
  *out = NULL;
  SW_TRY(sw_lstm_check(c, err));
  const nn_kernels *kernels = nn_select(NULL, err);
  if (!kernels) return err ? err->code : SW_USAGE;
  sw_lstm *net = calloc(1, sizeof *net);
  size_t room = (size_t)(SW_L_COUNT * c->layers);
  sw_tensor *table = calloc(room, sizeof *table);
  if (!net || !table) {
    free(net);
    free(table);
    return sw_fail(err, SW_MEMORY, "out of memory for a model");
  }
  net->config = *c;
  net->net = (sw_net){.family = &sw_family_lstm,
                      .kernels = kernels,
                      .config = &net->config,
                      .tensor = table,
                      .outputs = c->vocab,
                      .hidden = c->d,
                      .positions = c->positions,
                      .plays = 1};
  lay_out(net);
  *out = &net->net;
  return SW_OK;
}

void sw_lstm_free(sw_net *base) {
  sw_lstm *net = (sw_lstm *)base;
  sw_aligned_free(net->packed[SW_LSTM_FORWARD]);
  sw_aligned_free(net->packed[SW_LSTM_BACKWARD]);
  sw_aligned_free(net->bias);
  free(net);
}

/* ---- packed weights ---- */

int sw_lstm_pack_reserve(sw_lstm *net, int direction, sw_err *err) {
  const sw_lstm_config *c = &net->config;
  const nn_kernels *k = net->net.kernels;
  int back = direction == SW_LSTM_BACKWARD, wide = 4 * c->d;
  if (net->packed[direction]) return SW_OK;
  size_t each = back ? k->packed_size(c->d, wide) : k->packed_size(wide, c->d);
  size_t head =
      back ? k->packed_size(c->d, c->vocab) : k->packed_size(c->vocab, c->d);
  each = (each + 15) & ~(size_t)15; /* every one 64-byte aligned */
  net->pack_floats[direction] = each;
  size_t all = each * SW_LSTM_PACKS * (size_t)c->layers + head;
  float *packed = sw_aligned_alloc(sizeof(float) * all);
  if (!net->bias)
    net->bias =
        sw_aligned_alloc(sizeof(float) * (size_t)wide * (size_t)c->layers);
  net->packed[direction] = packed;
  net->fresh[direction] = 0;
  if (packed && net->bias) return SW_OK;
  return sw_fail(err, SW_MEMORY, "out of memory for packed weights");
}

static void pack_one(const nn_kernels *k, int back, int out, int in,
                     const float *weight, const float *packed, int rank,
                     int size) {
  size_t from, to;
  sw_share((size_t)(back ? in : out), (size_t)k->pack_grain, rank, size, &from,
           &to);
  if (from >= to) return;
  if (back)
    k->pack_nn(in, out, weight, in, (float *)packed, (int)from, (int)to);
  else k->pack_nt(out, in, weight, in, (float *)packed, (int)from, (int)to);
}

void sw_lstm_pack(sw_lstm *net, int direction, int rank, int size) {
  const sw_lstm_config *c = &net->config;
  const nn_kernels *k = net->net.kernels;
  int back = direction == SW_LSTM_BACKWARD, wide = 4 * c->d;
  for (int layer = 0; layer < c->layers; layer++) {
    pack_one(k, back, wide, c->d, sw_lstm_weight(net, SW_L_INPUT_W, layer),
             sw_lstm_packed(net, direction, layer, SW_LSTM_INPUT), rank, size);
    pack_one(k, back, wide, c->d, sw_lstm_weight(net, SW_L_STATE_W, layer),
             sw_lstm_packed(net, direction, layer, SW_LSTM_STATE), rank, size);
    if (back || rank) continue;
    const float *a = sw_lstm_weight(net, SW_L_INPUT_B, layer);
    const float *b = sw_lstm_weight(net, SW_L_STATE_B, layer);
    for (int i = 0; i < wide; i++) net->bias[layer * wide + i] = a[i] + b[i];
  }
  pack_one(k, back, c->vocab, c->d, sw_lstm_weight(net, SW_L_TOKEN, 0),
           sw_lstm_packed_head(net, direction), rank, size);
}
