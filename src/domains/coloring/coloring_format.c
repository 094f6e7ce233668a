/* The trace formats of graph colouring (docs/coloring.md), one row each. */
#include <string.h>
#include "domains/coloring/coloring_env.h"

const sw_col_format sw_col_formats[] = {
    /* name, list, mark, left, ok_first, shadow, cf_block, legal_list, loss,
       max_tokens */
    {"paper", SW_LIST_SIZES, SW_MARK_RAW, SW_LEFT_SILENT, 0, 0, 1, 0,
     SW_LOSS_TRACE, 4096},
    {"tried", SW_LIST_PLAIN, SW_MARK_LEFT, SW_LEFT_DEPTH, 1, 1, 0, 0,
     SW_LOSS_ALL, 1500},
    {"structural", SW_LIST_PLAIN, SW_MARK_RAW, SW_LEFT_SHOWN, 1, 1, 1, 0,
     SW_LOSS_ALL, 2048},
    {"maskless", SW_LIST_PLAIN, SW_MARK_NONE, SW_LEFT_SHOWN, 1, 1, 1, 0,
     SW_LOSS_ALL, 2048},
    {"enriched", SW_LIST_PLAIN, SW_MARK_NONE, SW_LEFT_SHOWN, 1, 1, 1, 1,
     SW_LOSS_ALL, 2048},
    {"explicit", SW_LIST_EXPLICIT, SW_MARK_LEFT, SW_LEFT_DEPTH, 0, 1, 0, 0,
     SW_LOSS_ACTION, 4096},
    {NULL, SW_LIST_SIZES, SW_MARK_NONE, SW_LEFT_SILENT, 0, 0, 0, 0, SW_LOSS_ALL,
     0}};

const sw_col_format *sw_col_format_find(const char *name) {
  for (const sw_col_format *f = sw_col_formats; f->name; f++)
    if (name && strcmp(name, f->name) == 0) return f;
  return NULL;
}
