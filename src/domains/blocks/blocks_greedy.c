/* The greedy planner for Blocks World (see search.h): any number of blocks,
 * each moved at most twice, once to the table and once to its place. */
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "domains/blocks/blocks_search.h"

/* The greedy method's picture: what is below and above each block, what the
 * goal wants on it, and whether it is settled: no reason is left to move it or
 * anything below it. */
typedef struct picture {
  const sw_pddl *p;
  int32_t *below, *above, *wanted, *chain; /* [n] each */
  int8_t *settled;                         /* [n]; -1 unknown */
} picture;

/* Is b settled, given that the block below it is? */
static int rests(const picture *w, int32_t b) {
  int32_t under = w->below[b];
  if (w->p->goal[b] != SW_PDDL_ANY && w->p->goal[b] != under) return 0;
  return under < 0 || (w->settled[under] && !w->p->goal_clear[under] &&
                       (w->wanted[under] < 0 || w->wanted[under] == b));
}

static void settle_all(picture *w) {
  for (int32_t b = 0; b < w->p->n; b++) {
    int32_t depth = 0;
    for (int32_t c = b; c >= 0 && w->settled[c] < 0; c = w->below[c])
      w->chain[depth++] = c;
    while (depth-- > 0)
      w->settled[w->chain[depth]] = (int8_t)rests(w, w->chain[depth]);
  }
}

/* One move towards the goal; 0 when there is none. The moved block is clear,
 * so no other block's rest depends on it. */
static int greedy_step(picture *w, sw_pddl_plan *plan) {
  const sw_pddl *p = w->p;
  int32_t pick = -1, to = SW_PDDL_TABLE;
  for (int32_t b = 0; b < p->n && pick < 0; b++) {
    int32_t target = p->goal[b];
    if (w->above[b] >= 0 || target == SW_PDDL_ANY || target == w->below[b])
      continue;
    if (target < 0 || (w->above[target] < 0 && w->settled[target])) {
      pick = b;
      to = target;
    }
  }
  for (int32_t b = 0; b < p->n && pick < 0; b++)
    if (w->above[b] < 0 && w->below[b] >= 0 && !w->settled[b]) pick = b;
  if (pick < 0) return 0;
  if (w->below[pick] >= 0) w->above[w->below[pick]] = -1;
  if (to >= 0) w->above[to] = pick;
  w->below[pick] = to;
  w->settled[pick] = (int8_t)rests(w, pick);
  sw_pddl_plan_put(plan, pick, to);
  return 1;
}

int sw_blocks_greedy(const sw_pddl *p, sw_pddl_plan *plan, sw_err *err) {
  size_t n = (size_t)p->n;
  int32_t *below = calloc(4 * n + 1, sizeof *below);
  int8_t *settled = malloc(n + 1);
  int code = below && settled ? SW_OK : sw_no_memory(err);
  picture w = {p, below, NULL, NULL, NULL, settled};
  if (!code) {
    w.above = below + n;
    w.wanted = w.above + n;
    w.chain = w.wanted + n;
    memset(settled, -1, n);
    for (size_t b = 0; b < n; b++) w.above[b] = w.wanted[b] = -1;
    for (int32_t b = 0; b < p->n; b++) {
      below[b] = p->init[b] < 0 ? SW_PDDL_TABLE : p->init[b];
      if (below[b] >= 0) w.above[below[b]] = b;
      if (p->goal[b] >= 0) w.wanted[p->goal[b]] = b;
    }
    settle_all(&w);
  }
  while (!code && !plan->failed && greedy_step(&w, plan))
    if (plan->count % 64 == 0 && sw_time_to_stop())
      code = sw_fail_stopped(err, "planning");
  free(below);
  free(settled);
  if (!code && plan->failed) code = sw_no_memory(err);
  return code;
}
