/* The SVG picture of a mask (show mask --svg). Keys are coloured by the region
 * they belong to; adjacent visible keys of a row are one rectangle. */
#include "cli/mask_svg.h"
#include <stdio.h>
#include "base/file.h"

enum { CELL = 18, LEFT = 76, TOP = 64 };

/* 0: slots, 1: prefix, 2 and 3: blocks in turn. */
static int region_of(const sw_mask *mask, const int64_t *start, int64_t blocks,
                     int32_t row) {
  int64_t block = 0;
  if (row < mask->slots) return 0;
  while (block + 1 < blocks && start[block + 1] <= row - mask->slots) block++;
  return block == 0 ? 1 : 2 + (int)(block % 2);
}

static void rows(FILE *out, const sw_mask *mask, const int64_t *start,
                 int64_t blocks) {
  static const char *const color[] = {"#8a63d2", "#2f6fb5", "#d9822b", "#3d9a5f"};
  int32_t count = mask->slots + mask->length;
  for (int32_t q = 0; q < count; q++)
    for (int32_t k = 0; k < count;) {
      if (!sw_mask_sees(mask, q, k)) {
        k++;
        continue;
      }
      int32_t end = k + 1;
      int region = region_of(mask, start, blocks, k);
      while (end < count && sw_mask_sees(mask, q, end) &&
             region_of(mask, start, blocks, end) == region)
        end++;
      fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
              LEFT + k * CELL + 1, TOP + q * CELL + 1, (end - k) * CELL - 2,
              CELL - 2, color[region]);
      k = end;
    }
}

/* A line and a name at the start of every region, on both axes. */
static void border(FILE *out, int32_t row, int32_t size, int32_t count,
                   const char *name) {
  if (size <= 0) return;
  int at = row * CELL, edge = count * CELL;
  fprintf(out,
          "<path d=\"M%d %dH%dM%d %dV%d\" stroke=\"#999\" fill=\"none\"/>\n"
          "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n"
          "<text x=\"%d\" y=\"%d\">%s</text>\n",
          LEFT, TOP + at, LEFT + edge, LEFT + at, TOP, TOP + edge, LEFT - 6,
          TOP + at + 13, name, LEFT + at + 2, TOP - 6, name);
}

int sw_mask_svg(const sw_mask *mask, const int64_t *block_start,
                int64_t blocks, const char *path, sw_err *err) {
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  FILE *out = file.stream;
  int32_t count = mask->slots + mask->length;
  int width = LEFT + count * CELL + 16, height = TOP + count * CELL + 16;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
          "width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#222\">\n"
          "<title>mask %s: rows read columns</title>\n"
          "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
          "<text x=\"12\" y=\"24\" font-size=\"15\">%s%s: rows read columns</text>\n",
          width, height, width, height, sw_mask_name(mask->kind), width, height,
          sw_mask_name(mask->kind), sw_mask_leaks(mask->kind) ? " (leaks)" : "");
  rows(out, mask, block_start, blocks);
  border(out, 0, mask->slots, count, "slots");
  for (int64_t b = 0; b < blocks; b++) {
    char name[32];
    int64_t end = b + 1 < blocks ? block_start[b + 1] : mask->length;
    snprintf(name, sizeof name, b ? "block %d" : "prefix", (int)b);
    border(out, mask->slots + (int32_t)block_start[b],
           (int32_t)(end - block_start[b]), count, name);
  }
  fprintf(out,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>\n</svg>\n",
          LEFT, TOP, count * CELL, count * CELL);
  return sw_out_commit(&file, err);
}
