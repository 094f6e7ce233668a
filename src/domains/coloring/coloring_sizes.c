/* Sizes of a colouring state, which need no learning: what a verdict on states
 * must be better than. */
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
