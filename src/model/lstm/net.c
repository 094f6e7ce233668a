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

int sw_lstm_check(const sw_lstm_config *c, sw_err *err) {
  SW_TRY(sw_options_check(sw_lstm_table, sw_lstm_table_count, "model", c, err));
  if (c->mode == SW_LSTM_AS_MASK)
    return sw_fail(err, SW_USAGE, "model: its mode is not decided");
  return SW_OK;
}

static int lay_out(sw_lstm *net, sw_err *err) {
  const sw_lstm_config *C = &net->config;
  const sw_tensor_row row[SW_L_COUNT] = {SW_LSTM_PARAMS(SW_TENSOR_ROW)};
  const sw_tensor_rows table = {row, SW_L_COUNT, C->layers};
  sw_tensor_layout layout;
  sw_tensors_layout(&table, &layout, net->offset);
  net->layer_stride = layout.layer_stride;
  net->net.tensors = layout.tensors;
  net->net.count = layout.count;
  net->net.trained = layout.trained;
  net->net.tensor = calloc((size_t)layout.tensors, sizeof *net->net.tensor);
  if (!net->net.tensor) return sw_no_memory_for(err, "a model");
  for (int i = 0; i < layout.tensors; i++) {
    sw_tensor *t = &net->net.tensor[i];
    sw_tensors_at(&table, i, t);
    t->size = t->init == SW_INIT_UNIFORM ? 1 / sqrt((double)C->d) : 0.02;
  }
  return SW_OK;
}

int sw_lstm_create(sw_net **out, const void *config, sw_err *err) {
  const sw_lstm_config *c = config;
  *out = NULL;
  SW_TRY(sw_lstm_check(c, err));
  const nn_kernels *kernels = nn_select(NULL, err);
  if (!kernels) return err ? err->code : SW_USAGE;
  sw_lstm *net = calloc(1, sizeof *net);
  if (!net) return sw_no_memory_for(err, "a model");
  net->config = *c;
  net->net = (sw_net){.family = &sw_family_lstm,
                      .kernels = kernels,
                      .config = &net->config,
                      .outputs = c->vocab,
                      .hidden = c->d,
                      .positions = c->positions,
                      .plays = 1};
  int code = lay_out(net, err);
  if (code) free(net);
  else *out = &net->net;
  return code;
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
  return sw_no_memory_for(err, "packed weights");
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
