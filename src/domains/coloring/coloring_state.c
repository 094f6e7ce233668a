/* Forward checking on a partial colouring (see state.h). */
#include "domains/coloring/coloring_state.h"
#include <string.h>

static uint64_t key_part(int32_t v, int32_t c) {
  return (uint64_t)c << (3 * (v % SW_COL_KEY_NODES));
}

void sw_col_reset(sw_col_state *s, const sw_instance *graph) {
  s->graph = graph;
  s->n = graph->n;
  s->colors = graph->colors;
  s->depth = 0;
  s->wiped = 0;
  memset(s->color, 0, sizeof s->color);
  memset(s->domain, (1 << graph->colors) - 1, sizeof s->domain);
  memset(s->refuted, 0, sizeof s->refuted);
  memset(s->key, 0, sizeof s->key);
}

int sw_col_assign(sw_col_state *s, int32_t v, int32_t c) {
  if (v < 0 || v >= s->n || s->color[v] || c < 1 || c > s->colors ||
      !(s->domain[v] & sw_col_bit(c)))
    return 0;
  sw_col_step *step = &s->stack[s->depth++];
  step->node = (uint8_t)v;
  step->color = (uint8_t)c;
  step->wiped = s->wiped;
  memcpy(step->domain, s->domain, sizeof s->domain);
  s->color[v] = (uint8_t)c;
  s->domain[v] = (uint8_t)sw_col_bit(c);
  s->key[v / SW_COL_KEY_NODES] |= key_part(v, c);
  const sw_instance *g = s->graph;
  for (int64_t i = g->start[v]; i < g->start[v + 1]; i++) {
    int32_t u = g->neighbor[i];
    if (s->color[u] || !(s->domain[u] & sw_col_bit(c))) continue;
    s->domain[u] &= (uint8_t)~sw_col_bit(c);
    s->wiped += s->domain[u] == 0;
  }
  return 1;
}

int sw_col_back(sw_col_state *s) {
  if (s->depth == 0) return 0;
  /* Only the row above the one that stays can hold anything: deeper rows were
   * cleared when their depth was left. */
  memset(s->refuted[s->depth + 1], 0, sizeof s->refuted[0]);
  const sw_col_step *step = &s->stack[s->depth - 1];
  s->refuted[s->depth][step->node] |= (uint8_t)sw_col_bit(step->color);
  s->key[step->node / SW_COL_KEY_NODES] &= ~key_part(step->node, 7);
  s->color[step->node] = 0;
  s->wiped = step->wiped;
  memcpy(s->domain, step->domain, sizeof s->domain);
  s->depth--;
  return 1;
}

void sw_col_forget(sw_col_state *s) {
  memset(s->refuted[s->depth + 1], 0, sizeof s->refuted[0]);
}

int sw_col_saturation(const sw_col_state *s, int32_t v) {
  const sw_instance *g = s->graph;
  unsigned seen = 0;
  for (int64_t i = g->start[v]; i < g->start[v + 1]; i++)
    if (s->color[g->neighbor[i]]) seen |= sw_col_bit(s->color[g->neighbor[i]]);
  return sw_col_count(seen);
}

void sw_col_parent_key(const sw_col_state *s, uint64_t key[SW_COL_KEY_WORDS]) {
  memcpy(key, s->key, sizeof s->key);
  int32_t v = s->stack[s->depth - 1].node;
  key[v / SW_COL_KEY_NODES] &= ~key_part(v, 7);
}
