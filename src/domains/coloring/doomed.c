/* Can the current partial colouring be completed? A small complete search on a
 * copy of the state, so that going back from a state that is lost, though no
 * contradiction shows yet, can be told from a false prune. */
#include "domains/coloring/coloring_env.h"

enum { NODES_LIMIT = 200000 };

/* 1 completed, 0 impossible, -1 gave up. */
static int complete(sw_col_state *s, int64_t *nodes) {
  if (s->wiped > 0) return 0;
  if (s->depth == s->n) return 1;
  if (++*nodes > NODES_LIMIT) return -1;
  int32_t best = -1, best_left = 0;
  for (int32_t v = 0; v < s->n; v++) {
    int32_t left = sw_col_count(s->domain[v]);
    if (!s->color[v] && (best < 0 || left < best_left)) {
      best = v;
      best_left = left;
    }
  }
  unsigned colors = s->domain[best];
  for (; colors; colors &= colors - 1) {
    sw_col_assign(s, best, sw_col_lowest(colors));
    int result = complete(s, nodes);
    sw_col_back(s);
    if (result) return result;
  }
  return 0;
}

int sw_col_env_doomed(sw_env *env) {
  sw_col_state copy = env->state;
  int64_t nodes = 0;
  return env->phase != SW_PHASE_ENDED && complete(&copy, &nodes) == 0;
}
