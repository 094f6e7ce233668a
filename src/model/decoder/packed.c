/* Packed copies of the weights for the kernels, refreshed once an optimizer
 * step (sw_model_changed marks them stale) by the team that runs next. */
#include "model/decoder/internal.h"
#include "base/arena.h"

/* A packed weight: rows of a parameter; id SW_PACK_LAYER is the head, and the
 * one behind it the verify head's. */
enum { VERIFY = SW_PACK_LAYER + 1 };
typedef struct piece {
  sw_param_id param;
  int first, out, in;
} piece;

static piece piece_of(const sw_model *model, int id) {
  const sw_model_config *C = &model->config;
  const piece table[VERIFY + 1] = {
#define X(id, param, first, out, in) {SW_P_##param, first, out, in},
      SW_PACKED(X)
#undef X
          {SW_P_TOKEN, 0, C->vocab, C->d},
      {SW_P_VERIFY_1_W, 0, C->d, C->d}};
  return table[id];
}

void sw_packed_free(sw_model *model) {
  sw_aligned_free(model->packed[SW_FORWARD]);
  sw_aligned_free(model->packed[SW_BACKWARD]);
}

int sw_packed_reserve(sw_model *model, int direction, sw_err *err) {
  if (model->packed[direction]) return SW_OK;
  size_t at = 0;
  int last = model->config.verify ? VERIFY : SW_PACK_LAYER;
  for (int id = 0; id <= last; id++) {
    piece p = piece_of(model, id);
    if (id == SW_PACK_LAYER) { /* the head lies behind all layers */
      model->packed_layer[direction] = at;
      at *= (size_t)model->config.layers;
    }
    model->packed_at[direction][id] = at;
    size_t floats = direction == SW_FORWARD
                        ? model->kernels->packed_size(p.out, p.in)
                        : model->kernels->packed_size(p.in, p.out);
    at += (floats + 15) & ~(size_t)15; /* keeps every piece 64-byte aligned */
  }
  model->packed[direction] = sw_aligned_alloc(at * sizeof(float));
  model->fresh[direction] = 0;
  if (!model->packed[direction]) return sw_no_memory_for(err, "packed weights");
  return SW_OK;
}

static void fill_one(const sw_model *model, int direction, int layer, int id,
                     float *packed, int rank, int size) {
  const nn_kernels *k = model->kernels;
  piece p = piece_of(model, id);
  const float *weight =
      sw_weight(model, p.param, layer) + (ptrdiff_t)p.first * p.in;
  int begin, end, n = direction == SW_FORWARD ? p.out : p.in;
  sw_rows_share(0, n, k->pack_grain, rank, size, &begin, &end);
  if (begin >= end) return;
  if (direction == SW_FORWARD)
    k->pack_nt(p.out, p.in, weight, p.in, packed, begin, end);
  else k->pack_nn(p.in, p.out, weight, p.in, packed, begin, end);
}

void sw_packed_fill(sw_model *model, int direction, int rank, int size) {
  for (int layer = 0; layer < model->config.layers; layer++)
    for (int id = 0; id < SW_PACK_LAYER; id++)
      fill_one(model, direction, layer, id,
               (float *)sw_packed(model, direction, layer, (sw_pack_id)id),
               rank, size);
  fill_one(model, direction, 0, SW_PACK_LAYER,
           (float *)sw_packed_head(model, direction), rank, size);
  if (model->config.verify)
    fill_one(model, direction, 0, VERIFY,
             (float *)sw_packed_verify(model, direction), rank, size);
}

const float *sw_packed(const sw_model *model, int direction, int layer,
                       sw_pack_id id) {
  return model->packed[direction] + model->packed_at[direction][id] +
         model->packed_layer[direction] * (size_t)layer;
}

const float *sw_packed_head(const sw_model *model, int direction) {
  return model->packed[direction] + model->packed_at[direction][SW_PACK_LAYER];
}

const float *sw_packed_verify(const sw_model *model, int direction) {
  return model->packed[direction] + model->packed_at[direction][VERIFY];
}
