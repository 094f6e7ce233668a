/* States, moves and the table of states (see state.h). */
#include "domains/blocks/blocks_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

int sw_blocks_state_init(sw_blocks_state *state, int32_t n, int32_t stacks,
                         sw_err *err) {
  state->n = n;
  state->stacks = stacks;
  for (int s = 0; s < SW_BLOCKS_STACKS_MAX; s++) state->top[s] = -1;
  state->under = calloc((size_t)n + 1, sizeof *state->under);
  return state->under ? SW_OK : sw_no_memory(err);
}

void sw_blocks_state_free(sw_blocks_state *state) {
  free(state->under);
  state->under = NULL;
}

void sw_blocks_state_copy(sw_blocks_state *to, const sw_blocks_state *from) {
  uint16_t *under = to->under;
  memcpy(under, from->under, (size_t)from->n * sizeof *under);
  *to = *from;
  to->under = under;
}

void sw_blocks_push(sw_blocks_state *state, int32_t stack, int32_t block) {
  int32_t top = state->top[stack];
  state->under[block] = (uint16_t)(top < 0 ? state->n + stack : top);
  state->top[stack] = block;
}

void sw_blocks_apply(sw_blocks_state *state, int32_t from, int32_t to) {
  int32_t block = state->top[from], below = state->under[block];
  state->top[from] = below < state->n ? below : -1;
  sw_blocks_push(state, to, block);
}

int sw_blocks_legal(const sw_blocks_state *state, sw_blocks_move *moves) {
  int count = 0;
  for (int i = 0; i < state->stacks; i++) {
    if (state->top[i] < 0) continue;
    for (int j = 0; j < state->stacks; j++)
      if (j != i)
        moves[count++] =
            (sw_blocks_move){(int16_t)state->top[i], (int16_t)i, (int16_t)j};
  }
  return count;
}

void sw_blocks_canon(const sw_blocks_state *state, uint16_t *key) {
  for (int32_t b = 0; b < state->n; b++)
    key[b] = state->under[b] < state->n ? state->under[b] : SW_BLOCKS_TABLE;
}

int sw_blocks_same(const sw_blocks_state *a, const sw_blocks_state *b) {
  for (int32_t i = 0; i < a->n; i++) {
    int table = a->under[i] >= a->n;
    if (table != (b->under[i] >= b->n)) return 0;
    if (!table && a->under[i] != b->under[i]) return 0;
  }
  return 1;
}

int32_t sw_blocks_stack(const sw_blocks_state *state, int32_t stack,
                        uint16_t *blocks) {
  int32_t height = 0;
  for (int32_t b = state->top[stack]; b >= 0;
       b = state->under[b] < state->n ? state->under[b] : -1)
    blocks[height++] = (uint16_t)b;
  for (int32_t i = 0; i < height / 2; i++) {
    uint16_t swap = blocks[i];
    blocks[i] = blocks[height - 1 - i];
    blocks[height - 1 - i] = swap;
  }
  return height;
}

void sw_blocks_draw(sw_mt *mt, sw_blocks_state *start, sw_blocks_state *goal) {
  int32_t order[SW_BLOCKS_MAX], n = goal->n;
  sw_blocks_move moves[SW_BLOCKS_MOVES_MAX];
  for (int32_t b = 0; b < n; b++) order[b] = b;
  sw_mt_shuffle_i32(mt, order, (size_t)n);
  for (int s = 0; s < SW_BLOCKS_STACKS_MAX; s++) goal->top[s] = -1;
  for (int32_t i = 0; i < n; i++)
    sw_blocks_push(goal, (int32_t)sw_mt_randint(mt, 0, goal->stacks - 1),
                   order[i]);
  sw_blocks_state_copy(start, goal);
  int64_t scramble = sw_mt_randint(mt, 3, 10);
  for (int64_t k = 0; k < scramble; k++) {
    int count = sw_blocks_legal(start, moves);
    const sw_blocks_move *m = &moves[sw_mt_randint(mt, 0, count - 1)];
    sw_blocks_apply(start, m->from, m->to);
  }
}

void sw_blocks_table_init(sw_blocks_table *table, int32_t n) {
  memset(table, 0, sizeof *table);
  table->n = n;
}

void sw_blocks_table_reset(sw_blocks_table *table, int32_t n) {
  /* Shrinks a table that one hard search made large, so that it does not slow
   * the next thousand. */
  if (n != table->n || table->slots > 1 << 14) {
    sw_blocks_table_free(table);
    table->n = n;
  }
  if (table->slots)
    memset(table->slot, 0, (size_t)table->slots * sizeof *table->slot);
  table->count = 0;
  table->failed = 0;
}

void sw_blocks_table_free(sw_blocks_table *table) {
  free(table->keys);
  free(table->slot);
  sw_blocks_table_init(table, table->n);
}

/* The slot that holds the key, or the empty one where it belongs. */
static int32_t *slot_of(const sw_blocks_table *table, const uint16_t *key) {
  size_t bytes = (size_t)table->n * sizeof *key;
  uint32_t mask = (uint32_t)(table->slots - 1);
  for (uint32_t at = (uint32_t)sw_xxh64(key, bytes, 0);; at++) {
    int32_t id = table->slot[at & mask] - 1;
    if (id < 0 ||
        !memcmp(table->keys + (size_t)id * (size_t)table->n, key, bytes))
      return &table->slot[at & mask];
  }
}

int32_t sw_blocks_table_find(const sw_blocks_table *table,
                             const uint16_t *key) {
  return table->slots ? *slot_of(table, key) - 1 : -1;
}

static int grow(sw_blocks_table *table) {
  int32_t room = table->room ? table->room * 2 : 256;
  size_t n = table->n > 0 ? (size_t)table->n : 1;
  if (table->room > (1 << 28)) return 0;
  uint16_t *keys = realloc(table->keys, (size_t)room * n * sizeof *keys);
  if (!keys) return 0;
  table->keys = keys;
  int32_t *slot = calloc((size_t)room * 2, sizeof *slot);
  if (!slot) return 0;
  free(table->slot);
  table->slot = slot;
  table->slots = room * 2;
  table->room = room;
  for (int32_t id = 0; id < table->count; id++)
    *slot_of(table, keys + (size_t)id * n) = id + 1;
  return 1;
}

int32_t sw_blocks_table_add(sw_blocks_table *table, const uint16_t *key) {
  int32_t found = sw_blocks_table_find(table, key);
  if (found >= 0) return found;
  if (table->count == table->room && !grow(table)) {
    table->failed = 1;
    return -1;
  }
  memcpy(table->keys + (size_t)table->count * (size_t)table->n, key,
         (size_t)table->n * sizeof *key);
  *slot_of(table, key) = table->count + 1;
  return table->count++;
}
