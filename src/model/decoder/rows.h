/* Row-local pieces of a layer's forward pass, shared by training passes and
 * cached inference, so that both give the same bits. */
#ifndef SW_MODEL_ROWS_H
#define SW_MODEL_ROWS_H
#include "model/decoder/internal.h"

typedef struct sw_rows_scratch {
  float *norm, *hidden, *z; /* [SW_CHUNK] rows of d, ffn, ffn */
} sw_rows_scratch;

typedef struct sw_rows_dropout {
  nn_dropout proj, gelu, ffn;
} sw_rows_dropout;

/* Input row `row`: a slot, or token + position (+ place) embedding of
 * token[row - slots]; what a model has no table for is not read. */
void sw_rows_embed(const sw_model *model, int row, const int32_t *token,
                   const int32_t *position, const int32_t *place, float *out);
/* norm = LN1(x), then what `parts` asks for of norm . W^T + b: queries to out,
 * keys and values to out + d; ld is out's. id: the rows' position ids (-1: a
 * slot), read by models that rotate. At most SW_CHUNK rows. */
enum { SW_PART_Q = 1, SW_PART_KV = 2, SW_PART_ALL = 3 };
void sw_rows_qkv(const sw_model *model, int layer, int parts, int rows,
                 const float *x, const int32_t *id, float *out, ptrdiff_t ld,
                 float *norm);
/* mid = x + c dropout(proj(att)); out = mid + c dropout(ffn(LN2(mid))). z may
 * be NULL (not kept). row0 numbers the first row for dropout. out may be x. */
void sw_rows_rest(const sw_model *model, int layer, int rows, const float *x,
                  const float *att, float *mid, float *z, float *out,
                  const sw_rows_dropout *drop, uint32_t row0,
                  const sw_rows_scratch *scratch);
float sw_residual_scale(const sw_model *model);

#endif
