/* Sizes of a colouring state, which need no learning: what a verdict on states
 * must be better than; and what the last decision touched. */
#include "domains/coloring/coloring_env.h"

const char *const sw_col_size_names[] = {
    "coloured nodes", "nodes with one colour left",
    "nodes with at most two colours left", "minus colours left in all", NULL};

double sw_col_env_size(const sw_env *env, int which) {
  const sw_col_state *s = &env->state;
  int32_t one = 0, two = 0, all = 0;
  for (int32_t v = 0; v < s->n; v++) {
    if (s->color[v]) continue;
    int left = sw_col_count(s->domain[v]);
    one += left <= 1;
    two += left <= 2;
    all += left;
  }
  const double size[] = {s->depth, one, two, -(double)all};
  return size[which];
}

int sw_col_env_touched(const sw_env *env, int32_t *token, uint8_t *failed,
                       int room) {
  const sw_col_state *s = &env->state;
  int count = 0;
  if (s->depth == 0) return 0;
  int32_t last = s->stack[s->depth - 1].node;
  for (int32_t v = 0; v < s->n && count < room; v++) {
    if (s->color[v] || !sw_graph_adjacent(s->graph, last, v)) continue;
    token[count] = SW_T_NODE + v;
    failed[count++] = s->domain[v] == 0;
  }
  return count;
}
