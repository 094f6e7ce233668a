/* random-matched: a control for the number of keys. Row by row as many keys as
 * ssa has, drawn without replacement from what causal-release sees. Row q draws
 * from the stream (seed, q), so a row does not depend on the others. Called by
 * sw_mask_build through the table. */
#include <stdlib.h>
#include "base/rng.h"
#include "trace/mask.h"

static int draw_rows(sw_mask *mask, const sw_mask *ssa, const sw_mask *release,
                     sw_err *err) {
  size_t rows = (size_t)mask->slots + (size_t)mask->length;
  int32_t *visible = malloc((rows + 1) * sizeof *visible);
  if (!visible) return sw_no_memory_for(err, "a mask");
  for (int32_t q = 0; q < (int32_t)rows; q++) {
    int32_t keys = sw_mask_keys(ssa, q, NULL);
    int32_t count = sw_mask_keys(release, q, visible);
    for (int32_t i = 0; i < keys; i++) { /* partial Fisher-Yates */
      uint64_t draw = sw_philox_u64(mask->seed, (uint64_t)q, (uint64_t)i);
      int32_t left = count - i;
      int32_t j = i + (int32_t)((draw >> 32) * (uint64_t)left >> 32);
      mask->dense[(size_t)q * rows + (size_t)visible[j]] = 1;
      visible[j] = visible[i];
    }
  }
  free(visible);
  return SW_OK;
}

int sw_mask_draw_matched(sw_mask *mask, const int64_t *block_start,
                         int64_t blocks, sw_err *err) {
  sw_mask ssa, release;
  sw_mask_init(&ssa);
  sw_mask_init(&release);
  int code = sw_mask_build(&ssa, SW_MASK_SSA, mask->slots, mask->length,
                           block_start, blocks, 0, 0, err);
  if (!code)
    code = sw_mask_build(&release, SW_MASK_CAUSAL_RELEASE, mask->slots,
                         mask->length, block_start, blocks, 0, 0, err);
  if (!code) code = draw_rows(mask, &ssa, &release, err);
  sw_mask_free(&ssa);
  sw_mask_free(&release);
  return code;
}
