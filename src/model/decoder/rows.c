/* Row-local pieces of a layer's forward pass; see rows.h. */
#include "model/decoder/rows.h"
#include <math.h>
#include <string.h>

float sw_residual_scale(const sw_model *model) {
  return (float)(1.0 / sqrt((double)model->config.layers));
}

void sw_rows_embed(const sw_model *model, int row, const int32_t *token,
                   const int32_t *position, const int32_t *place, float *out) {
  ptrdiff_t d = model->config.d;
  int slots = model->config.slots;
  if (row < slots) {
    memcpy(out, sw_weight(model, SW_P_SLOT, 0) + row * d,
           sizeof(float) * (size_t)d);
    return;
  }
  const float *e = sw_weight(model, SW_P_TOKEN, 0) + token[row - slots] * d;
  if (!model->config.positions) {
    memcpy(out, e, sizeof(float) * (size_t)d);
    return;
  }
  const float *p =
      sw_weight(model, SW_P_POSITION, 0) + position[row - slots] * d;
  for (ptrdiff_t i = 0; i < d; i++) out[i] = e[i] + p[i];
  if (!model->config.places) return;
  const float *q = sw_weight(model, SW_P_PLACE, 0) + place[row - slots] * d;
  for (ptrdiff_t i = 0; i < d; i++) out[i] += q[i];
}

void sw_rows_qkv(const sw_model *model, int layer, int parts, int rows,
                 const float *x, const int32_t *id, float *out, ptrdiff_t ld,
                 float *norm) {
  const nn_kernels *k = model->kernels;
  int d = model->config.d;
  const float *bias = sw_weight(model, SW_P_QKV_B, layer);
  nn_epilogue q = {.bias = bias}, kv = {.bias = bias + d};
  k->layer_norm(rows, d, x, sw_weight(model, SW_P_LN1_W, layer),
                sw_weight(model, SW_P_LN1_B, layer), norm, NULL, NULL);
  if (parts & SW_PART_Q)
    k->gemm(rows, d, d, norm, d, sw_packed(model, SW_FORWARD, layer, SW_PACK_Q),
            out, ld, 0, &q);
  if (parts & SW_PART_KV)
    k->gemm(rows, 2 * d, d, norm, d,
            sw_packed(model, SW_FORWARD, layer, SW_PACK_KV), out + d, ld, 0,
            &kv);
  if (!model->rotation) return;
  int heads = model->config.heads;
  if (parts & SW_PART_Q)
    sw_rotate(model->rotation, rows, heads, id, 1, out, ld);
  if (parts & SW_PART_KV)
    sw_rotate(model->rotation, rows, heads, id, 1, out + d, ld);
}

void sw_rows_rest(const sw_model *model, int layer, int rows, const float *x,
                  const float *att, float *mid, float *z, float *out,
                  const sw_rows_dropout *drop, uint32_t row0,
                  const sw_rows_scratch *scratch) {
  const nn_kernels *k = model->kernels;
  int d = model->config.d, ffn = model->config.ffn;
  float c = sw_residual_scale(model);
  nn_epilogue proj = {.bias = sw_weight(model, SW_P_PROJ_B, layer),
                      .residual = x,
                      .scale = c,
                      .drop = drop->proj,
                      .row0 = row0};
  nn_epilogue gelu = {.bias = sw_weight(model, SW_P_IN_B, layer),
                      .pre = z ? z : scratch->z,
                      .drop = drop->gelu,
                      .row0 = row0};
  nn_epilogue last = {.bias = sw_weight(model, SW_P_OUT_B, layer),
                      .residual = mid,
                      .scale = c,
                      .drop = drop->ffn,
                      .row0 = row0};
  k->gemm(rows, d, d, att, d, sw_packed(model, SW_FORWARD, layer, SW_PACK_PROJ),
          mid, d, 0, &proj);
  k->layer_norm(rows, d, mid, sw_weight(model, SW_P_LN2_W, layer),
                sw_weight(model, SW_P_LN2_B, layer), scratch->norm, NULL, NULL);
  k->gemm(rows, ffn, d, scratch->norm, d,
          sw_packed(model, SW_FORWARD, layer, SW_PACK_IN), scratch->hidden, ffn,
          0, &gelu);
  k->gemm(rows, d, ffn, scratch->hidden, ffn,
          sw_packed(model, SW_FORWARD, layer, SW_PACK_OUT), out, d, 0, &last);
}
