/* What has been tried at each prefix: a dictionary from the set of coloured
 * nodes (exact key, order does not matter) to the ordered list of (node,
 * colour) pairs tried there. Kept by the search,
 * not by the state: it outlives backtracking. Grows by doubling and keeps its
 * memory over resets, so a warm search allocates nothing. When memory runs out
 * `failed` is set, the addition is lost, and the environment ends. */
#ifndef SW_DOMAINS_COLORING_TRIED_H
#define SW_DOMAINS_COLORING_TRIED_H
#include <stdint.h>
#include "domains/coloring/coloring_state.h"

typedef struct sw_tried_pair {
  uint8_t node, color;
  int32_t next; /* -1: last */
} sw_tried_pair;
typedef struct sw_tried_entry {
  uint64_t key[SW_COL_KEY_WORDS];
  int32_t first, last, count;
  uint32_t epoch; /* of the reset it belongs to; others are free places */
} sw_tried_entry;
typedef struct sw_tried {
  sw_tried_entry *entry; /* open addressing, room a power of two */
  sw_tried_pair *pair;
  int32_t entries, room, pairs, pair_room;
  uint32_t epoch;
  int failed;
} sw_tried;

int sw_tried_init(sw_tried *tried, sw_err *err);
void sw_tried_free(sw_tried *tried);
void sw_tried_reset(sw_tried *tried);
/* The entry of a prefix, or NULL when nothing was tried there. */
const sw_tried_entry *sw_tried_at(const sw_tried *tried,
                                  const uint64_t key[SW_COL_KEY_WORDS]);
int sw_tried_has(const sw_tried *tried, const sw_tried_entry *entry,
                 int32_t node, int32_t color);
/* Appends a pair; with `once`, only when it is not in the list yet. */
void sw_tried_add(sw_tried *tried, const uint64_t key[SW_COL_KEY_WORDS],
                  int32_t node, int32_t color, int once);
#endif
