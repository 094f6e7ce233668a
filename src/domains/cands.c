/* Lists of candidates (see cands.h). */
#include "domains/cands.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/grow.h"

void sw_cands_put(sw_cands *list, int32_t token, int kind) {
  SW_ASSERT(list);
  SW_ASSERT(kind >= SW_CAND_CONTINUE && kind <= SW_CAND_MISSED);
  if (list->count < 0) return;
  if (!sw_grow(&list->item, &list->room, list->count + 1, sizeof *list->item)) {
    list->count = -1;
    return;
  }
  list->item[list->count++] = (sw_cand){token, kind};
}

void sw_cands_clear(sw_cands *list) { list->count = 0; }

void sw_cands_free(sw_cands *list) {
  free(list->item);
  *list = (sw_cands){0};
}

int sw_cands_find(const sw_cand *item, int count, int32_t token) {
  SW_ASSERT(count <= 0 || item);
  for (int i = 0; i < count; i++)
    if (item[i].token == token) return i;
  return -1;
}
