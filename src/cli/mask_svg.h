/* A mask as an SVG picture: one rectangle a run, one colour a region. */
#ifndef SW_CLI_MASK_SVG_H
#define SW_CLI_MASK_SVG_H
#include "trace/mask.h"

int sw_mask_svg(const sw_mask *mask, const int64_t *block_start,
                int64_t blocks, const char *path, sw_err *err);

#endif
