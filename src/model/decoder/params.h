/* The parameters of the slot decoder: one table (model/tensor_rows.h says what
 * its columns are), in the order of the flat block, of the safetensors file and
 * of the release's state dict. Everything that walks parameters
 * (initialisation, files, optimizer, gradients, tests) walks this table.
 * The verify head comes last, and is trained only in models with config.verify:
 * the optimizer's range is a prefix of the flat block. */
#ifndef SW_MODEL_PARAMS_H
#define SW_MODEL_PARAMS_H
#include <stdint.h>
#include "model/decoder/model.h"
#include "model/tensor_rows.h"

/* Sizes a shape may name. `C` is the config. */
#define SW_PARAMS(X)                                                           \
  X(SLOT, "slot_embedding", ONCE, C->slots, C->d, NORMAL, 1, 0)                \
  X(TOKEN, "token_embedding.weight", ONCE, C->vocab, C->d, NORMAL, 1, 0)       \
  X(POSITION, "position_embedding.weight", ONCE, C->positions, C->d, NORMAL,   \
    1, 0)                                                                      \
  X(PLACE, "place_embedding.weight", IF_ANY, C->places, C->d, NORMAL, 1, 0)    \
  X(LN1_W, "blocks.%d.ln1.weight", LAYER, C->d, 0, ONE, 1, 0)                  \
  X(LN1_B, "blocks.%d.ln1.bias", LAYER, C->d, 0, ZERO, 1, 0)                   \
  X(LN2_W, "blocks.%d.ln2.weight", LAYER, C->d, 0, ONE, 1, 0)                  \
  X(LN2_B, "blocks.%d.ln2.bias", LAYER, C->d, 0, ZERO, 1, 0)                   \
  X(QKV_W, "blocks.%d.attn.qkv.weight", LAYER, 3 * C->d, C->d, NORMAL, 1, 3)   \
  X(QKV_B, "blocks.%d.attn.qkv.bias", LAYER, 3 * C->d, 0, ZERO, 1, 0)          \
  X(PROJ_W, "blocks.%d.attn.out_proj.weight", LAYER, C->d, C->d, NORMAL, 1, 1) \
  X(PROJ_B, "blocks.%d.attn.out_proj.bias", LAYER, C->d, 0, ZERO, 1, 0)        \
  X(IN_W, "blocks.%d.mlp.fc_in.weight", LAYER, C->ffn, C->d, NORMAL, 1, 1)     \
  X(IN_B, "blocks.%d.mlp.fc_in.bias", LAYER, C->ffn, 0, ZERO, 1, 0)            \
  X(OUT_W, "blocks.%d.mlp.fc_out.weight", LAYER, C->d, C->ffn, NORMAL, 1, 1)   \
  X(OUT_B, "blocks.%d.mlp.fc_out.bias", LAYER, C->d, 0, ZERO, 1, 0)            \
  X(LNF_W, "ln_f.weight", ONCE, C->d, 0, ONE, 1, 0)                            \
  X(LNF_B, "ln_f.bias", ONCE, C->d, 0, ZERO, 1, 0)                             \
  X(MEMORY, "slot_memory", IF_ANY, sw_memory_floats(C), 0, NORMAL, 1, 0)       \
  X(VERIFY_LN_W, "verify_head.0.weight", ONCE, C->d, 0, ONE, C->verify, 0)     \
  X(VERIFY_LN_B, "verify_head.0.bias", ONCE, C->d, 0, ZERO, C->verify, 0)      \
  X(VERIFY_1_W, "verify_head.1.weight", ONCE, C->d, C->d, NORMAL, C->verify,   \
    0)                                                                         \
  X(VERIFY_1_B, "verify_head.1.bias", ONCE, C->d, 0, ZERO, C->verify, 0)       \
  X(VERIFY_4_W, "verify_head.4.weight", ONCE, 2, C->d, NORMAL, C->verify, 0)   \
  X(VERIFY_4_B, "verify_head.4.bias", ONCE, 2, 0, ZERO, C->verify, 0)

/* Floats of the slot memory's row, 0 without one (memory.c). */
int64_t sw_memory_floats(const sw_model_config *config);

typedef enum {
#define X(id, ...) SW_P_##id,
  SW_PARAMS(X)
#undef X
      SW_P_COUNT
} sw_param_id;

typedef struct sw_params {
  sw_tensor_layout layout;
  int64_t offset[SW_P_COUNT]; /* of layer 0 for LAYER rows */
} sw_params;

/* Checks a config and sets ffn 0 to 4 d; SW_USAGE names the wrong field. */
int sw_config_check(sw_model_config *config, sw_err *err);
void sw_params_layout(const sw_model_config *config, sw_params *params);
/* Tensor `index` of 0..tensors-1, in file order. */
void sw_params_at(const sw_model_config *config, int index, sw_tensor *out);

#endif
