/* Expands the parameter table for a config: offsets, shapes, names. Called by
 * model.c (creation), model_file.c (files) and the tests. */
#include "model/decoder/params.h"
#include "model/decoder/slot_memory.h"

int sw_config_check(sw_model_config *c, sw_err *err) {
  if (c->ffn == 0) c->ffn = c->d > 0 && c->d <= 4096 ? 4 * c->d : 1;
  SW_TRY(
      sw_options_check(sw_model_table, sw_model_table_count, "model", c, err));
  if (c->ffn < 1 || c->slots < 0)
    return sw_fail(err, SW_USAGE, "model: ffn = %d, slots = %d are not sizes",
                   c->ffn, c->slots);
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

#define TABLE(config, layers)                                       \
  const sw_model_config *C = config;                                \
  const sw_tensor_row row[SW_P_COUNT] = {SW_PARAMS(SW_TENSOR_ROW)}; \
  const sw_tensor_rows table = {row, SW_P_COUNT, layers}

void sw_params_layout(const sw_model_config *config, sw_params *p) {
  TABLE(config, config->layers);
  sw_tensors_layout(&table, &p->layout, p->offset);
}

void sw_params_at(const sw_model_config *config, int index, sw_tensor *out) {
  TABLE(config, config->layers);
  int id = sw_tensors_at(&table, index, out);
  out->size = 0.02;
  if (id != SW_P_SLOT) return;
  out->dims = 3; /* (1, slots, d) in files */
  out->shape[2] = out->shape[1];
  out->shape[1] = out->shape[0];
  out->shape[0] = 1;
}
