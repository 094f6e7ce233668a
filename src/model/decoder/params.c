/* Expands the parameter table for a config: offsets, shapes, names. Called by
 * model.c (creation), model_file.c (files) and the tests. */
#include "model/decoder/params.h"
#include "model/decoder/slot_memory.h"
#include <stdio.h>

typedef struct row {
  const char *name;
  sw_scope scope;
  sw_init init;
  int trained, matrices;
} row;

static const row rows[SW_P_COUNT] = {
#define X(id, name, scope, outer, inner, init, trained, matrices) \
  {name, SW_SCOPE_##scope, SW_INIT_##init, trained, matrices},
    SW_PARAMS(X)
#undef X
};

static void shape_of(const sw_model_config *C, sw_param_id id, int64_t *outer,
                     int64_t *inner) {
  switch (id) {
#define X(id, name, scope, out_size, in_size, init, trained, matrices) \
  case SW_P_##id:                                                      \
    *outer = (out_size);                                               \
    *inner = (in_size);                                                \
    break;
    SW_PARAMS(X)
#undef X
    case SW_P_COUNT:
      break;
  }
}

static int64_t size_of(const sw_model_config *config, sw_param_id id) {
  int64_t outer = 0, inner = 0;
  shape_of(config, id, &outer, &inner);
  return inner ? outer * inner : outer;
}

/* Rows that are no tensor in a model without them. */
static int absent(const sw_model_config *config, sw_param_id id) {
  return (id == SW_P_MEMORY || id == SW_P_PLACE) && size_of(config, id) == 0;
}

/* The head that judges states is trained where the config says so. */
static int is_trained(const sw_model_config *config, sw_param_id id) {
  return rows[id].trained || config->verify;
}

int sw_config_check(sw_model_config *c, sw_err *err) {
  if (c->ffn == 0) c->ffn = c->d > 0 && c->d <= 4096 ? 4 * c->d : 1;
  const struct {
    const char *name;
    int32_t value, low, high;
  } field[] = {{"vocab", c->vocab, 1, 1000000},
               {"d", c->d, 4, 4096},
               {"layers", c->layers, 1, 64},
               {"heads", c->heads, 1, 64},
               {"ffn", c->ffn, 1, 65536},
               {"slots", c->slots, 0, 1024},
               {"positions", c->positions, 0, 10000000},
               {"places", c->places, 0, 1000000},
               {"rotary", c->rotary, 0, 1},
               {"memory", c->memory, 0, 1024},
               {"memory width", c->memory_width, 0, 4096},
               {"memory shared", c->memory_shared, 0, 1},
               {"verify", c->verify, 0, 1},
               {"memory heads", c->memory_heads, 0, 64}};
  for (size_t i = 0; i < sizeof field / sizeof field[0]; i++)
    if (field[i].value < field[i].low || field[i].value > field[i].high)
      return sw_fail(err, SW_USAGE, "model: %s = %d is outside %d..%d",
                     field[i].name, field[i].value, field[i].low,
                     field[i].high);
  if (c->memory > 0 && c->memory_width == 0)
    c->memory_width = c->d < 32 ? 32 : c->d < 256 ? c->d / 32 * 32 : 256;
  if (c->memory == 0) c->memory_width = c->memory_shared = c->memory_heads = 0;
  if (c->memory_heads == SW_MEMORY_HEADS) c->memory_heads = 0;
  int heads = c->memory_heads ? c->memory_heads : SW_MEMORY_HEADS;
  if (c->memory > 0 && (c->slots > 0 || c->memory_width % (4 * heads)))
    return sw_fail(err, SW_USAGE,
                   "model: slot memory needs slots = 0 (not %d) and a width "
                   "that is a multiple of %d (not %d)",
                   c->slots, 4 * heads, c->memory_width);
  if (c->memory > 0 && c->memory_width / heads > 128)
    return sw_fail(err, SW_USAGE,
                   "model: slot memory: %d heads make heads of %d dimensions, "
                   "at most 128 are possible",
                   heads, c->memory_width / heads);
  if (c->memory > 0 && c->verify)
    return sw_fail(err, SW_USAGE, "model: slot memory has no verify head");
  int head = c->d / c->heads;
  if (c->d % c->heads || head < 4 || head > 128 || head % 4) {
    sw_fail(err, SW_USAGE,
            "model: %d heads do not divide width %d into heads of 4 to 128 "
            "dimensions (a multiple of 4)",
            c->heads, c->d);
    sw_hint(err, "head dimension = width / heads; 32 is usual");
    return SW_USAGE;
  }
  return SW_OK;
}

void sw_params_layout(const sw_model_config *config, sw_params *p) {
  int64_t at = 0, layer = 0;
  *p = (sw_params){0};
  for (int scope = SW_SCOPE_INPUT; scope <= SW_SCOPE_OUTPUT; scope++) {
    if (scope == SW_SCOPE_LAYER) p->layer_begin = at;
    for (int id = 0; id < SW_P_COUNT; id++) {
      if ((int)rows[id].scope != scope) continue;
      int64_t size = size_of(config, (sw_param_id)id);
      int copies = scope == SW_SCOPE_LAYER ? config->layers : 1;
      p->offset[id] = scope == SW_SCOPE_LAYER ? p->layer_begin + layer : at;
      p->tensors += absent(config, (sw_param_id)id) ? 0 : copies;
      layer += scope == SW_SCOPE_LAYER ? size : 0;
      at += size * copies;
      p->trained += is_trained(config, (sw_param_id)id) ? size * copies : 0;
    }
  }
  p->layer_stride = layer;
  p->count = at;
}

/* Row of the table and layer of the index-th tensor in file order: scope by
 * scope, the layers' rows once a layer. */
static void locate(const sw_model_config *config, int index, int *id,
                   int *layer) {
  for (int scope = SW_SCOPE_INPUT; scope <= SW_SCOPE_OUTPUT; scope++) {
    int in_layers = scope == SW_SCOPE_LAYER;
    for (*layer = 0; *layer < (in_layers ? config->layers : 1); ++*layer)
      for (*id = 0; *id < SW_P_COUNT; ++*id) {
        if ((int)rows[*id].scope != scope || absent(config, (sw_param_id)*id) ||
            index-- > 0)
          continue;
        if (!in_layers) *layer = -1;
        return;
      }
  }
}

void sw_params_at(const sw_model_config *config, const sw_params *p, int index,
                  sw_param *out) {
  int id = 0;
  int64_t outer = 0, inner = 0;
  *out = (sw_param){0};
  locate(config, index, &id, &out->layer);
  shape_of(config, (sw_param_id)id, &outer, &inner);
  out->id = (sw_param_id)id;
  out->init = rows[id].init;
  out->trained = is_trained(config, out->id);
  out->matrices = rows[id].matrices;
  out->count = size_of(config, out->id);
  out->offset = p->offset[id];
  if (out->layer >= 0) {
    out->offset += p->layer_stride * out->layer;
    snprintf(out->name, sizeof out->name, "blocks.%d.%s", out->layer,
             rows[id].name);
  } else {
    snprintf(out->name, sizeof out->name, "%s", rows[id].name);
  }
  int at = 0;
  if (id == SW_P_SLOT) out->shape[at++] = 1;
  out->shape[at++] = outer;
  if (inner) out->shape[at++] = inner;
  out->dims = at;
}
