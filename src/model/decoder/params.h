/* The parameters of the slot decoder: one table, in the order of the flat
 * block, of the safetensors file and of the release's state dict. Everything
 * that walks parameters (initialisation, files, optimizer, gradients, tests)
 * walks this table. Rows of scope LAYER repeat for every layer; the layers lie
 * one behind the other, `layer_stride` floats apart, so a layer's gradient is
 * one contiguous piece.
 *   X(id, name, scope, outer, inner, init, trained, matrices)
 * A row is (outer, inner); inner 0 means a vector of `outer` elements. Muon
 * steps it as so many matrices, 0 not at all.
 * PLACE and MEMORY are no tensors at all in models without them.
 * The verify head comes last, and is trained only in models with config.verify:
 * the optimizer's range is a prefix of the flat block. */
#ifndef SW_MODEL_PARAMS_H
#define SW_MODEL_PARAMS_H
#include <stdint.h>
#include "model/decoder/model.h"

typedef enum { SW_SCOPE_INPUT, SW_SCOPE_LAYER, SW_SCOPE_OUTPUT } sw_scope;

/* Sizes a shape may name. `C` is the config. */
#define SW_PARAMS(X)                                                          \
  X(SLOT, "slot_embedding", INPUT, C->slots, C->d, NORMAL, 1, 0)              \
  X(TOKEN, "token_embedding.weight", INPUT, C->vocab, C->d, NORMAL, 1, 0)     \
  X(POSITION, "position_embedding.weight", INPUT, C->positions, C->d, NORMAL, \
    1, 0)                                                                     \
  X(PLACE, "place_embedding.weight", INPUT, C->places, C->d, NORMAL, 1, 0)    \
  X(LN1_W, "ln1.weight", LAYER, C->d, 0, ONE, 1, 0)                           \
  X(LN1_B, "ln1.bias", LAYER, C->d, 0, ZERO, 1, 0)                            \
  X(LN2_W, "ln2.weight", LAYER, C->d, 0, ONE, 1, 0)                           \
  X(LN2_B, "ln2.bias", LAYER, C->d, 0, ZERO, 1, 0)                            \
  X(QKV_W, "attn.qkv.weight", LAYER, 3 * C->d, C->d, NORMAL, 1, 3)            \
  X(QKV_B, "attn.qkv.bias", LAYER, 3 * C->d, 0, ZERO, 1, 0)                   \
  X(PROJ_W, "attn.out_proj.weight", LAYER, C->d, C->d, NORMAL, 1, 1)          \
  X(PROJ_B, "attn.out_proj.bias", LAYER, C->d, 0, ZERO, 1, 0)                 \
  X(IN_W, "mlp.fc_in.weight", LAYER, C->ffn, C->d, NORMAL, 1, 1)              \
  X(IN_B, "mlp.fc_in.bias", LAYER, C->ffn, 0, ZERO, 1, 0)                     \
  X(OUT_W, "mlp.fc_out.weight", LAYER, C->d, C->ffn, NORMAL, 1, 1)            \
  X(OUT_B, "mlp.fc_out.bias", LAYER, C->d, 0, ZERO, 1, 0)                     \
  X(LNF_W, "ln_f.weight", OUTPUT, C->d, 0, ONE, 1, 0)                         \
  X(LNF_B, "ln_f.bias", OUTPUT, C->d, 0, ZERO, 1, 0)                          \
  X(MEMORY, "slot_memory", OUTPUT, sw_memory_floats(C), 0, NORMAL, 1, 0)      \
  X(VERIFY_LN_W, "verify_head.0.weight", OUTPUT, C->d, 0, ONE, 0, 0)          \
  X(VERIFY_LN_B, "verify_head.0.bias", OUTPUT, C->d, 0, ZERO, 0, 0)           \
  X(VERIFY_1_W, "verify_head.1.weight", OUTPUT, C->d, C->d, NORMAL, 0, 0)     \
  X(VERIFY_1_B, "verify_head.1.bias", OUTPUT, C->d, 0, ZERO, 0, 0)            \
  X(VERIFY_4_W, "verify_head.4.weight", OUTPUT, 2, C->d, NORMAL, 0, 0)        \
  X(VERIFY_4_B, "verify_head.4.bias", OUTPUT, 2, 0, ZERO, 0, 0)

/* Floats of the slot memory's row, 0 without one (memory.c). */
int64_t sw_memory_floats(const sw_model_config *config);

typedef enum {
#define X(id, name, scope, outer, inner, init, trained, matrices) SW_P_##id,
  SW_PARAMS(X)
#undef X
      SW_P_COUNT
} sw_param_id;

/* One tensor of a configured model. */
typedef struct sw_param {
  char name[64];
  sw_param_id id;
  int layer; /* -1 outside the layers */
  int dims;
  int64_t shape[3];      /* slot_embedding is (1, slots, d) in files */
  int64_t offset, count; /* floats in the flat block */
  sw_init init;
  int trained, matrices;
} sw_param;

typedef struct sw_params {
  int tensors;                /* INPUT + layers * LAYER + OUTPUT */
  int64_t count, trained;     /* floats in all; floats the optimizer steps */
  int64_t offset[SW_P_COUNT]; /* of layer 0 for LAYER rows */
  int64_t layer_begin, layer_stride;
} sw_params;

/* Checks a config and sets ffn 0 to 4 d; SW_USAGE names the wrong field. */
int sw_config_check(sw_model_config *config, sw_err *err);
void sw_params_layout(const sw_model_config *config, sw_params *params);
/* Tensor `index` of 0..tensors-1, in file order. */
void sw_params_at(const sw_model_config *config, const sw_params *params,
                  int index, sw_param *out);

#endif
