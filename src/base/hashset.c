/* Open addressing, at most half full (see hashset.h). */
#include "base/hashset.h"
#include "base/check.h"

#include <stdlib.h>
#include <string.h>

static uint64_t *find(const sw_hashset *set, uint64_t hash) {
  size_t mask = set->room - 1;
  for (size_t at = (size_t)(hash ^ hash >> 32);; at++)
    if (set->slot[at & mask] == hash || !set->slot[at & mask])
      return &set->slot[at & mask];
}

int sw_hashset_add(sw_hashset *set, uint64_t hash) {
  SW_ASSERT(set && set->count <= set->room);
  if (!hash) hash = 1;
  if (2 * (set->count + 1) > set->room) {
    sw_hashset grown = {.room = set->room ? set->room * 2 : 1024};
    grown.slot = calloc(grown.room, sizeof *grown.slot);
    if (!grown.slot) return -1;
    for (size_t i = 0; i < set->room; i++)
      if (set->slot[i]) *find(&grown, set->slot[i]) = set->slot[i];
    grown.count = set->count;
    free(set->slot);
    *set = grown;
  }
  uint64_t *slot = find(set, hash);
  if (*slot) return 0;
  *slot = hash;
  set->count++;
  return 1;
}

int sw_hashset_has(const sw_hashset *set, uint64_t hash) {
  SW_ASSERT(set && set->count <= set->room);
  if (!hash) hash = 1;
  return set->room && *find(set, hash) == hash;
}

void sw_hashset_free(sw_hashset *set) {
  free(set->slot);
  memset(set, 0, sizeof *set);
}
