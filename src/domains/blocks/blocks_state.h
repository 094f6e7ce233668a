/* Blocks World states and moves, and a table of states.
 *
 * A state says for every block what is under it: another block, or n + s for
 * the table at stack s. Read that way the array is the concrete state; with
 * all table entries made equal it is the canonical one (a multiset of stacks),
 * so no sorting is ever needed. Used by the environment, the generator, the
 * goal-aware search and the PDDL reader. */
#ifndef SW_BLOCKS_STATE_H
#define SW_BLOCKS_STATE_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/rng.h"

enum {
  SW_BLOCKS_STACKS_MAX = 10,
  SW_BLOCKS_MAX = 4096,
  SW_BLOCKS_TABLE = 0xffff
};
enum {
  SW_BLOCKS_MOVES_MAX = SW_BLOCKS_STACKS_MAX * (SW_BLOCKS_STACKS_MAX - 1)
};

typedef struct sw_blocks_state {
  int32_t n, stacks;
  int32_t top[SW_BLOCKS_STACKS_MAX]; /* -1: empty */
  uint16_t *under;                   /* [n]: block, or n + stack */
} sw_blocks_state;

typedef struct sw_blocks_move {
  int16_t block, from, to;
} sw_blocks_move;

int sw_blocks_state_init(sw_blocks_state *state, int32_t n, int32_t stacks,
                         sw_err *err); /* no block is placed yet */
void sw_blocks_state_free(sw_blocks_state *state);
void sw_blocks_state_copy(sw_blocks_state *to, const sw_blocks_state *from);
void sw_blocks_push(sw_blocks_state *state, int32_t stack, int32_t block);
/* Moves the top of `from` to `to`; the caller has checked legality. */
void sw_blocks_apply(sw_blocks_state *state, int32_t from, int32_t to);
/* The legal list in canonical move order; at most SW_BLOCKS_MOVES_MAX. */
int sw_blocks_legal(const sw_blocks_state *state, sw_blocks_move *moves);
/* Canonical key: n entries, SW_BLOCKS_TABLE for every bottom block. */
void sw_blocks_canon(const sw_blocks_state *state, uint16_t *key);
int sw_blocks_same(const sw_blocks_state *a, const sw_blocks_state *b);
/* Blocks of a stack bottom to top; returns its height. */
int32_t sw_blocks_stack(const sw_blocks_state *state, int32_t stack,
                        uint16_t *blocks);

/* Draws goal, then start (docs/blocks.md): shuffled
 * blocks on random stacks, then 3 to 10 random legal moves. */
void sw_blocks_draw(sw_mt *mt, sw_blocks_state *start, sw_blocks_state *goal);

/* Table of keys of n entries each; ids are 0, 1, ... in order of insertion. */
typedef struct sw_blocks_table {
  int32_t n, count, room, slots;
  uint16_t *keys; /* room x n */
  int32_t *slot;  /* id + 1, 0: empty; slots is a power of two */
  int failed;     /* out of memory: insertions are ignored from then on */
} sw_blocks_table;
void sw_blocks_table_init(sw_blocks_table *table, int32_t n);
void sw_blocks_table_reset(sw_blocks_table *table, int32_t n); /* keep memory */
void sw_blocks_table_free(sw_blocks_table *table);
int32_t sw_blocks_table_find(const sw_blocks_table *table,
                             const uint16_t *key); /* -1: absent */
int32_t sw_blocks_table_add(sw_blocks_table *table, const uint16_t *key);

#endif
