/* Growing arrays (see grow.h). */
#include "base/grow.h"
#include "base/check.h"

#include <stdlib.h>
#include <string.h>

static int grow(void *array, int64_t *room, int64_t need, int64_t most,
                size_t size) {
  void *block;
  if (need <= *room) return 1;
  int64_t wider = *room > 0 ? *room : 64;
  while (wider < need) {
    if (wider > most / 2) return 0;
    wider *= 2;
  }
  memcpy(&block, array, sizeof block); /* *array may be of any pointer type */
  block = realloc(block, (size_t)wider * size);
  if (!block) return 0;
  memcpy(array, &block, sizeof block);
  *room = wider;
  return 1;
}

int sw_grow64(void *array, int64_t *room, int64_t need, size_t size) {
  SW_ASSERT(array && room && *room >= 0);
  SW_ASSERT(size > 0);
  return grow(array, room, need, INT64_MAX / (int64_t)size, size);
}

int sw_grow(void *array, int32_t *room, int32_t need, size_t size) {
  SW_ASSERT(array && room && *room >= 0);
  SW_ASSERT(size > 0);
  int64_t wide = *room;
  int grown = grow(array, &wide, need, INT32_MAX, size);
  *room = (int32_t)wide;
  return grown;
}
