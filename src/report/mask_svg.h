/* A mask as an SVG picture: one rectangle a run of visible keys, one colour a
 * region. Used by `show mask --svg`, by the report's page and for the picture
 * in the README. */
#ifndef SW_REPORT_MASK_SVG_H
#define SW_REPORT_MASK_SVG_H
#include <stdio.h>
#include "trace/mask.h"

/* A mask over an example sequence, and what is written above it (NULL: the
 * mask's name). */
typedef struct sw_mask_panel {
  const sw_mask *mask;
  const int64_t *block_start;
  int64_t blocks;
  const char *title;
} sw_mask_panel;

/* One <svg> element with the panels side by side. `inlined`: for a page that
 * defines the colours (--ink, --rule, --mask-slots, --mask-prefix,
 * --mask-block, --mask-other); otherwise the picture brings its own, for light
 * and dark. */
void sw_mask_svg_write(FILE *out, const sw_mask_panel *panel, int panels,
                       int inlined);
/* The same as a file, one mask. */
int sw_mask_svg(const sw_mask *mask, const int64_t *block_start, int64_t blocks,
                const char *path, sw_err *err);

#endif
