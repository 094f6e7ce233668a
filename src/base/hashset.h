/* A growing set of 64-bit hashes: the instances that a test stream leaves out.
 * Two instances with the same hash count as the same one. */
#ifndef SW_BASE_HASHSET_H
#define SW_BASE_HASHSET_H
#include <stddef.h>
#include <stdint.h>

typedef struct sw_hashset {
  uint64_t *slot; /* 0: empty; a hash of 0 is stored as 1 */
  size_t count, room;
} sw_hashset;
/* 1: added, 0: was there, -1: out of memory. A zeroed set is empty. */
int sw_hashset_add(sw_hashset *set, uint64_t hash);
int sw_hashset_has(const sw_hashset *set, uint64_t hash);
void sw_hashset_free(sw_hashset *set);

#endif
