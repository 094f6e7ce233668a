/* Dictionary of tried pairs (see tried.h). */
#include "domains/coloring/tried.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/hash.h"

int sw_tried_init(sw_tried *t, sw_err *err) {
  memset(t, 0, sizeof *t);
  t->room = 1024;
  t->pair_room = 1024;
  t->epoch = 1;
  t->entry = calloc((size_t)t->room, sizeof *t->entry);
  t->pair = malloc(sizeof *t->pair * (size_t)t->pair_room);
  if (t->entry && t->pair) return SW_OK;
  sw_tried_free(t);
  return sw_no_memory_for(err, "the tried pairs");
}

void sw_tried_free(sw_tried *t) {
  free(t->entry);
  free(t->pair);
  t->entry = NULL;
  t->pair = NULL;
}

void sw_tried_reset(sw_tried *t) {
  t->entries = t->pairs = 0;
  t->failed = 0;
  if (++t->epoch == 0) { /* wrapped: no old mark may look current */
    memset(t->entry, 0, sizeof *t->entry * (size_t)t->room);
    t->epoch = 1;
  }
}

/* The place of a key: its entry, or the free place where it belongs. */
static sw_tried_entry *place_of(sw_tried_entry *table, int32_t room,
                                uint32_t epoch, const uint64_t *key) {
  uint64_t h = sw_xxh64(key, sizeof(uint64_t) * SW_COL_KEY_WORDS, 0);
  for (uint64_t i = h;; i++) {
    sw_tried_entry *e = &table[i & (uint64_t)(room - 1)];
    if (e->epoch != epoch || memcmp(e->key, key, sizeof e->key) == 0) return e;
  }
}

const sw_tried_entry *sw_tried_at(const sw_tried *t,
                                  const uint64_t key[SW_COL_KEY_WORDS]) {
  const sw_tried_entry *e = place_of(t->entry, t->room, t->epoch, key);
  return e->epoch == t->epoch ? e : NULL;
}

int sw_tried_has(const sw_tried *t, const sw_tried_entry *entry, int32_t node,
                 int32_t color) {
  for (int32_t i = entry ? entry->first : -1; i >= 0; i = t->pair[i].next)
    if (t->pair[i].node == node && t->pair[i].color == color) return 1;
  return 0;
}

static int grow_entries(sw_tried *t) {
  if (2 * (t->entries + 1) <= t->room) return 1;
  if (t->room > INT32_MAX / 4) return 0;
  sw_tried_entry *wider = calloc((size_t)t->room * 2, sizeof *wider);
  if (!wider) return 0;
  for (int32_t i = 0; i < t->room; i++)
    if (t->entry[i].epoch == t->epoch)
      *place_of(wider, t->room * 2, t->epoch, t->entry[i].key) = t->entry[i];
  free(t->entry);
  t->entry = wider;
  t->room *= 2;
  return 1;
}

void sw_tried_add(sw_tried *t, const uint64_t key[SW_COL_KEY_WORDS],
                  int32_t node, int32_t color, int once) {
  if (!grow_entries(t) ||
      !sw_grow(&t->pair, &t->pair_room, t->pairs + 1, sizeof *t->pair)) {
    t->failed = 1;
    return;
  }
  sw_tried_entry *e = place_of(t->entry, t->room, t->epoch, key);
  if (e->epoch != t->epoch) {
    memcpy(e->key, key, sizeof e->key);
    e->first = e->last = -1;
    e->count = 0;
    e->epoch = t->epoch;
    t->entries++;
  } else if (once && sw_tried_has(t, e, node, color)) {
    return;
  }
  int32_t p = t->pairs++;
  t->pair[p] = (sw_tried_pair){(uint8_t)node, (uint8_t)color, -1};
  if (e->last >= 0) t->pair[e->last].next = p;
  else e->first = p;
  e->last = p;
  e->count++;
}
