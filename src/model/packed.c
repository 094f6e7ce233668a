/* Packed copies of the weights for the kernels, refreshed once an optimizer
 * step (sw_model_changed marks them stale) by the team that runs next. */
#include "model/internal.h"
#include "base/arena.h"

static const sw_param_id source[SW_PACK_LAYER] = {
#define X(id) SW_P_##id##_W,
    SW_PACKED(X)
#undef X
};

/* (out, in) of a packed weight; id SW_PACK_LAYER is the head. */
static void sizes(const sw_model *model, int id, int *out, int *in) {
  const sw_model_config *c = &model->config;
  const int table[SW_PACK_LAYER + 1][2] = {{3 * c->d, c->d},
                                           {c->d, c->d},
                                           {c->ffn, c->d},
                                           {c->d, c->ffn},
                                           {c->vocab, c->d}};
  *out = table[id][0];
  *in = table[id][1];
}

int sw_packed_reserve(sw_model *model, int direction, sw_err *err) {
  if (model->packed[direction])
    return SW_OK;
  size_t at = 0;
  for (int id = 0; id <= SW_PACK_LAYER; id++) {
    int out, in;
    sizes(model, id, &out, &in);
    if (id == SW_PACK_LAYER) { /* the head lies behind all layers */
      model->packed_layer[direction] = at;
      at *= (size_t)model->config.layers;
    }
    model->packed_at[direction][id] = at;
    size_t floats = direction == SW_FORWARD
                        ? model->kernels->packed_size(out, in)
                        : model->kernels->packed_size(in, out);
    at += (floats + 15) & ~(size_t)15; /* keeps every piece 64-byte aligned */
  }
  model->packed[direction] = sw_aligned_alloc(at * sizeof(float));
  model->fresh[direction] = 0;
  if (!model->packed[direction])
    return sw_fail(err, SW_MEMORY, "out of memory for packed weights");
  return SW_OK;
}

static void fill_one(const sw_model *model, int direction, int id,
                     const float *weight, float *packed, int rank, int size) {
  const nn_kernels *k = model->kernels;
  int out, in, begin, end;
  sizes(model, id, &out, &in);
  int n = direction == SW_FORWARD ? out : in;
  sw_rows_share(0, n, k->pack_grain, rank, size, &begin, &end);
  if (begin >= end)
    return;
  if (direction == SW_FORWARD)
    k->pack_nt(out, in, weight, in, packed, begin, end);
  else
    k->pack_nn(in, out, weight, in, packed, begin, end);
}

void sw_packed_fill(sw_model *model, int direction, int rank, int size) {
  for (int layer = 0; layer < model->config.layers; layer++)
    for (int id = 0; id < SW_PACK_LAYER; id++)
      fill_one(model, direction, id, sw_weight(model, source[id], layer),
               (float *)sw_packed(model, direction, layer, (sw_pack_id)id),
               rank, size);
  fill_one(model, direction, SW_PACK_LAYER, sw_weight(model, SW_P_TOKEN, 0),
           (float *)sw_packed_head(model, direction), rank, size);
}

const float *sw_packed(const sw_model *model, int direction, int layer,
                       sw_pack_id id) {
  return model->packed[direction] + model->packed_at[direction][id] +
         model->packed_layer[direction] * (size_t)layer;
}

const float *sw_packed_head(const sw_model *model, int direction) {
  return model->packed[direction] + model->packed_at[direction][SW_PACK_LAYER];
}
