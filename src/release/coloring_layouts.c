/* Published colouring layouts (see coloring_layouts.h). */
#include "release/coloring_layouts.h"

/* The small vocabulary lacks the rows in between. */
static int32_t small_token(int32_t token) {
  enum { FROM = 540, SHIFT = 180 };
  return token >= FROM ? token - SHIFT : token;
}

static int32_t wrong_mask(unsigned colors) {
  return SW_T_MASK + (int32_t)(colors << 1);
}

const sw_col_layout sw_release_coloring_small = {.token = small_token};
const sw_col_layout sw_release_coloring_ablation = {.mask = wrong_mask,
                                                    .tried_apart = 1};
const sw_col_layout sw_release_coloring_transplant = {.mask = wrong_mask,
                                                      .only_failed_tried = 1};
