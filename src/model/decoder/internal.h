/* Inside src/model only: the model's parts that passes, sessions and the
 * optimizer share. A model is used by one pass, session or optimizer at a time
 * (they refresh the packed copies of its weights). */
#ifndef SW_MODEL_INTERNAL_H
#define SW_MODEL_INTERNAL_H
#include "model/decoder/model.h"
#include "model/decoder/params.h"
#include "model/decoder/rotary.h"

/* Weights that enter matrix products, packed for the kernels in two
 * orientations: forward X.W^T and backward dY.W. Queries are apart from keys
 * and values, because the last layer needs fewer of them.
 *   X(id, parameter, first output row, output rows, inputs) */
#define SW_PACKED(X)                 \
  X(Q, QKV_W, 0, C->d, C->d)         \
  X(KV, QKV_W, C->d, 2 * C->d, C->d) \
  X(PROJ, PROJ_W, 0, C->d, C->d)     \
  X(IN, IN_W, 0, C->ffn, C->d)       \
  X(OUT, OUT_W, 0, C->d, C->ffn)
typedef enum {
#define X(id, param, first, out, in) SW_PACK_##id,
  SW_PACKED(X)
#undef X
      SW_PACK_LAYER /* number of packed weights a layer */
} sw_pack_id;

enum { SW_FORWARD = 0, SW_BACKWARD = 1 };

struct sw_model {
  sw_net net; /* first: a sw_net of this family is a sw_model */
  sw_model_config config;
  sw_params params;
  const nn_kernels *kernels;
  float *weights;        /* net.weights */
  sw_rotation *rotation; /* NULL: positions do not rotate */
  /* packed[direction]: layers x SW_PACK_LAYER, then the output head, then in
   * models that have one the verify head's */
  float *packed[2];
  size_t packed_at[2][SW_PACK_LAYER + 2], packed_layer[2];
  int fresh[2];
};

static inline const float *sw_weight(const sw_model *model, sw_param_id id,
                                     int layer) {
  return model->weights + model->params.offset[id] +
         model->params.layout.layer_stride * layer;
}

/* A model with uninitialised weights. */
int sw_model_alloc(sw_model **out, const sw_model_config *config, sw_err *err);

void sw_packed_free(sw_model *model);
/* Allocates the packed copies of a direction when they are missing. */
int sw_packed_reserve(sw_model *model, int direction, sw_err *err);
/* Packs rank's share of every weight, both stale directions of `needed` (bit
 * 1 << direction). Followed by a barrier; then the caller, single-threaded,
 * sets fresh. */
void sw_packed_fill(sw_model *model, int direction, int rank, int size);
/* The packed weight; sw_packed_head: the tied output head. */
const float *sw_packed(const sw_model *model, int direction, int layer,
                       sw_pack_id id);
const float *sw_packed_head(const sw_model *model, int direction);
const float *sw_packed_verify(const sw_model *model, int direction);

/* Members share rows in multiples of the kernels' row tiles (6 and 8); the few
 * live rows in smaller steps, for balance. Neither is part of the bits. */
enum { SW_ROW_GRAIN = 24, SW_LIVE_GRAIN = 6 };

/* sw_share for int rows. */
static inline void sw_rows_share(int begin, int end, int grain, int rank,
                                 int size, int *from, int *to) {
  size_t a = 0, b = 0;
  sw_share((size_t)(end - begin), (size_t)grain, rank, size, &a, &b);
  *from = begin + (int)a;
  *to = begin + (int)b;
}

#endif
