/* Growing arrays (see grow.h). */
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

int sw_grow(void *array, int32_t *room, int32_t need, size_t size) {
  void *block;
  if (need <= *room) return 1;
  int32_t wider = *room > 0 ? *room : 64;
  while (wider < need) {
    if (wider > INT32_MAX / 2) return 0;
    wider *= 2;
  }
  memcpy(&block, array, sizeof block); /* *array may be of any pointer type */
  block = realloc(block, (size_t)wider * size);
  if (!block) return 0;
  memcpy(array, &block, sizeof block);
  *room = wider;
  return 1;
}
