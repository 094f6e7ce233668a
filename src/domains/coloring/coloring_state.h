/* The search state of graph colouring: a partial colouring with forward
 * checking, a decision stack, and the colours refuted at each depth.
 * Fixed size, no allocation. Invariants:
 *   - domain[v] of an uncoloured v = colours not used by a coloured neighbour;
 *   - wiped = number of uncoloured nodes whose domain is empty (an exposed
 *     contradiction when > 0);
 *   - refuted[d][v]: colours of v refuted below the prefix of depth d, empty
 *     for every d > depth + 1 (key d = stack size + 1, as in the spec);
 *   - key: the colouring packed exactly, 3 bits a node, so that equal keys
 *     mean equal sets of coloured nodes whatever the order. */
#ifndef SW_DOMAINS_COLORING_STATE_H
#define SW_DOMAINS_COLORING_STATE_H
#include <stdint.h>
#include "domains/coloring/graph.h"

enum { SW_COL_KEY_WORDS = 4, SW_COL_KEY_NODES = 21 /* nodes a word */ };

typedef struct sw_col_step {
  uint8_t node, color;
  uint8_t domain[SW_COL_NODES_MAX]; /* of every node before the step */
  int32_t wiped;
} sw_col_step;

typedef struct sw_col_state {
  const sw_instance *graph;
  int32_t n, colors, depth, wiped;
  uint8_t color[SW_COL_NODES_MAX]; /* 0: none */
  uint8_t domain[SW_COL_NODES_MAX];
  uint8_t refuted[SW_COL_NODES_MAX + 3][SW_COL_NODES_MAX];
  sw_col_step stack[SW_COL_NODES_MAX];
  uint64_t key[SW_COL_KEY_WORDS];
} sw_col_state;

static inline int sw_col_count(unsigned colors) {
  return __builtin_popcount(colors);
}
static inline unsigned sw_col_bit(int32_t color) { return 1u << (color - 1); }
static inline int32_t sw_col_lowest(unsigned colors) {
  return __builtin_ctz(colors) + 1;
}

void sw_col_reset(sw_col_state *state, const sw_instance *graph);
/* Colours node v with c and propagates. 0: refused, nothing changed (v is
 * coloured or out of range, or c is not in its domain). */
int sw_col_assign(sw_col_state *state, int32_t v, int32_t c);
/* Takes back the last decision and records it as refuted at the depth reached;
 * what was refuted below is forgotten. 0: refused, the stack is empty. */
int sw_col_back(sw_col_state *state);
/* Forgets what is refuted at the current prefix. */
void sw_col_forget(sw_col_state *state);
/* Domain without the colours refuted at this depth. */
static inline unsigned sw_col_effective(const sw_col_state *s, int32_t v) {
  return s->domain[v] & ~(unsigned)s->refuted[s->depth + 1][v];
}
/* Different colours among the coloured neighbours. */
int sw_col_saturation(const sw_col_state *state, int32_t v);
/* Key of the prefix below the last decision (depth > 0). */
void sw_col_parent_key(const sw_col_state *state,
                       uint64_t key[SW_COL_KEY_WORDS]);
#endif
