/* The SVG picture of a mask (see mask_svg.h). Keys are coloured by the region
 * they belong to; adjacent visible keys of a row are one rectangle. */
#include "report/mask_svg.h"
#include <stdlib.h>
#include "base/file.h"

enum { CELL = 16, LEFT = 66, TOP = 62, GAP = 26 };

static const char own_colors[] =
    "<style>svg{--ink:#222;--rule:#999;--paper:#fff;--mask-slots:#8a63d2;--"
    "mask-prefix:#2f6fb5;"
    "--mask-block:#3d9a5f;--mask-other:#d9822b}\n"
    "@media "
    "(prefers-color-scheme:dark){svg{--ink:#e6e6e6;--rule:#777;--paper:#16181d;"
    "--mask-slots:#a98be8;--mask-prefix:#5b9be0;--mask-block:#58b87c;--mask-"
    "other:#e9a04f}}"
    "</style>\n";

typedef enum { SLOTS, PREFIX, OWN_BLOCK, OTHER_BLOCK } region;

static int64_t block_of(const sw_mask_panel *p, int32_t row) {
  int64_t block = 0;
  while (block + 1 < p->blocks &&
         p->block_start[block + 1] <= row - p->mask->slots)
    block++;
  return block;
}

static region region_of(const sw_mask_panel *p, int32_t query, int32_t key) {
  if (key < p->mask->slots) return SLOTS;
  int64_t block = block_of(p, key);
  if (block == 0) return PREFIX;
  int inside = query >= p->mask->slots && block == block_of(p, query);
  return inside ? OWN_BLOCK : OTHER_BLOCK;
}

static void rows(FILE *out, const sw_mask_panel *p, int left) {
  static const char *const name[] = {"slots", "prefix", "block", "other"};
  int32_t count = p->mask->slots + p->mask->length;
  for (int32_t q = 0; q < count; q++)
    for (int32_t k = 0; k < count;) {
      if (!sw_mask_sees(p->mask, q, k)) {
        k++;
        continue;
      }
      int32_t end = k + 1;
      region r = region_of(p, q, k);
      while (end < count && sw_mask_sees(p->mask, q, end) &&
             region_of(p, q, end) == r)
        end++;
      fprintf(out,
              "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
              "fill=\"var(--mask-%s)\"/>\n",
              left + k * CELL + 1, TOP + q * CELL + 1, (end - k) * CELL - 2,
              CELL - 2, name[r]);
      k = end;
    }
}

/* A line and a name at the start of every region, on both axes. */
static void border(FILE *out, const sw_mask_panel *p, int left, int32_t row,
                   int32_t size, const char *name) {
  if (size <= 0) return;
  int at = row * CELL, edge = (p->mask->slots + p->mask->length) * CELL;
  fprintf(out,
          "<path d=\"M%d %dH%dM%d %dV%d\" stroke=\"var(--rule)\"/>\n"
          "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n"
          "<text x=\"%d\" y=\"%d\">%s</text>\n",
          left, TOP + at, left + edge, left + at, TOP, TOP + edge, left - 6,
          TOP + at + 12, name, left + at + 1, TOP - 6, name);
}

static void draw(FILE *out, const sw_mask_panel *p, int left) {
  const sw_mask *mask = p->mask;
  int edge = (mask->slots + mask->length) * CELL;
  fprintf(out, "<text x=\"%d\" y=\"24\" font-size=\"15\" font-weight=\"600\">",
          left);
  if (p->title) fputs(p->title, out);
  else
    fprintf(out, "%s%s: rows read columns", sw_mask_name(mask->kind),
            sw_mask_leaks(mask->kind) ? " (leaks)" : "");
  fputs("</text>\n", out);
  rows(out, p, left);
  border(out, p, left, 0, mask->slots, "slots");
  for (int64_t b = 0; b < p->blocks; b++) {
    char name[32];
    int64_t end = b + 1 < p->blocks ? p->block_start[b + 1] : mask->length;
    snprintf(name, sizeof name, b ? "block %d" : "prefix", (int)b);
    border(out, p, left, mask->slots + (int32_t)p->block_start[b],
           (int32_t)(end - p->block_start[b]), name);
  }
  fprintf(out,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
          "stroke=\"var(--rule)\"/>\n",
          left, TOP, edge, edge);
}

static void legend(FILE *out, int top) {
  static const struct {
    const char *name, *text;
  } entry[] = {{"slots", "slots"},
               {"prefix", "prefix: the problem"},
               {"block", "own block: the state"},
               {"other", "earlier blocks: the history"}};
  int left = LEFT;
  for (size_t i = 0; i < sizeof entry / sizeof *entry; i++) {
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"11\" height=\"11\" "
            "fill=\"var(--mask-%s)\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
            left, top, entry[i].name, left + 16, top + 10, entry[i].text);
    left += i == 0 ? 66 : i == 1 ? 146 : 146;
  }
}

void sw_mask_svg_write(FILE *out, const sw_mask_panel *panel, int panels,
                       int inlined) {
  int width = 12, height = 0;
  for (int i = 0; i < panels; i++) {
    int edge = (panel[i].mask->slots + panel[i].mask->length) * CELL;
    width += (i ? GAP : 0) + LEFT + edge;
    if (TOP + edge > height) height = TOP + edge;
  }
  height += 12 + (panels > 1 ? 24 : 0);
  fprintf(out,
          "<svg%s viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
          "role=\"img\" font-family=\"sans-serif\" font-size=\"11\" "
          "fill=\"var(--ink)\">\n<title>Attention masks: each row is a token, "
          "coloured where it may look</title>\n",
          inlined ? "" : " xmlns=\"http://www.w3.org/2000/svg\"", width, height,
          width, height);
  if (!inlined)
    fprintf(out, "%s<rect width=\"%d\" height=\"%d\" fill=\"var(--paper)\"/>\n",
            own_colors, width, height);
  for (int i = 0, left = LEFT; i < panels; i++) {
    draw(out, &panel[i], left);
    left += (panel[i].mask->slots + panel[i].mask->length) * CELL + GAP + LEFT;
  }
  if (panels > 1) legend(out, height - 20);
  fputs("</svg>\n", out);
}

int sw_mask_svg(const sw_mask *mask, const int64_t *block_start, int64_t blocks,
                const char *path, sw_err *err) {
  sw_out_file file;
  sw_mask_panel panel = {
      .mask = mask, .block_start = block_start, .blocks = blocks};
  SW_TRY(sw_out_open(&file, path, err));
  sw_mask_svg_write(file.stream, &panel, 1, 0);
  return sw_out_commit(&file, err);
}
