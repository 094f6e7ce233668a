/* Plans: building them, writing them in the four operators, and choosing the
 * method that finds one (see pddl.h and search.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/file.h"
#include "base/stop.h"
#include "domains/blocks/pddl.h"
#include "domains/blocks/blocks_search.h"

void sw_pddl_plan_put(sw_pddl_plan *plan, int32_t block, int32_t to) {
  if (plan->failed) return;
  if (!sw_grow(&plan->move, &plan->room, plan->count + 1, sizeof *plan->move)) {
    plan->failed = 1;
    return;
  }
  plan->move[plan->count++] = (sw_pddl_plan_move){block, to};
}

void sw_pddl_plan_free(sw_pddl_plan *plan) {
  free(plan->move);
  memset(plan, 0, sizeof *plan);
}

static int32_t held_at_start(const sw_pddl *p) {
  for (int32_t b = 0; b < p->n; b++)
    if (p->init[b] == SW_PDDL_HELD) return b;
  return -1;
}

int sw_pddl_plan_text(const sw_pddl *p, const sw_pddl_plan *plan, char **text,
                      sw_err *err) {
  size_t bytes = 0;
  *text = NULL;
  FILE *out = open_memstream(text, &bytes);
  int32_t *below = malloc(((size_t)p->n + 1) * sizeof *below);
  if (!out || !below) {
    if (sw_memory_close(out, text)) free(*text);
    free(below);
    *text = NULL;
    return sw_no_memory(err);
  }
  memcpy(below, p->init, (size_t)p->n * sizeof *below);
  for (int64_t i = 0; i < plan->count; i++) {
    int32_t b = plan->move[i].block, to = plan->move[i].to;
    if (below[b] == SW_PDDL_HELD) { /* in the hand since the start */
    } else if (below[b] < 0) fprintf(out, "(pick-up %s)\n", p->name[b]);
    else fprintf(out, "(unstack %s %s)\n", p->name[b], p->name[below[b]]);
    if (to >= 0) fprintf(out, "(stack %s %s)\n", p->name[b], p->name[to]);
    else if (to == SW_PDDL_TABLE) fprintf(out, "(put-down %s)\n", p->name[b]);
    below[b] = to;
  }
  free(below);
  if (sw_memory_close(out, text)) return SW_OK;
  return sw_no_memory(err);
}

/* The greedy plan: a block in the hand goes to the table first; one to be held
 * in the end is made clear and then picked up. */
static int greedy_plan(const sw_pddl *p, int32_t hold, sw_pddl_plan *plan,
                       sw_err *err) {
  int32_t held = held_at_start(p);
  if (held >= 0) sw_pddl_plan_put(plan, held, SW_PDDL_TABLE);
  SW_TRY(sw_blocks_greedy(p, plan, err));
  if (hold >= 0) sw_pddl_plan_put(plan, hold, SW_PDDL_HELD);
  return SW_OK;
}

/* A* answers small problems with a shortest plan; the greedy method answers
 * the rest. */
int sw_blocks_plan(const sw_pddl *p, int32_t max_states, sw_pddl_plan *plan,
                   int *optimal, sw_err *err) {
  int32_t hold = -1;
  sw_pddl local = *p;
  size_t n = (size_t)p->n;
  *optimal = 0;
  if (p->impossible) return sw_fail(err, SW_DATA, "no plan exists: %s", p->why);
  local.goal = malloc((n + 1) * sizeof *local.goal);
  local.goal_clear = malloc(n + 1);
  sw_blocks_search *search = NULL;
  int code = local.goal && local.goal_clear ? sw_blocks_search_new(&search, err)
                                            : sw_no_memory(err);
  if (code) goto done;
  memcpy(local.goal, p->goal, n * sizeof *local.goal);
  memcpy(local.goal_clear, p->goal_clear, n);
  for (int32_t b = 0; b < p->n; b++)
    if (p->goal[b] == SW_PDDL_HELD) {
      hold = b;
      local.goal[b] = SW_PDDL_ANY;
      local.goal_clear[b] = 1;
    }
  int32_t actions = SW_BLOCKS_GAVE_UP;
  if (p->n < SW_BLOCKS_TABLE && max_states > 0) {
    sw_stop_scope half; /* the greedy method needs the rest */
    double left = sw_time_left(0);
    sw_stop_enter(&half, left > 0 ? left / 2 : 0, NULL, NULL);
    actions = sw_blocks_shortest_actions(search, p, local.goal,
                                         local.goal_clear, max_states, plan);
    sw_stop_leave(&half);
  }
  *optimal = actions >= 0;
  if (actions < 0) code = greedy_plan(&local, hold, plan, err);
  if (!code && plan->failed) code = sw_no_memory(err);
done:
  free(local.goal);
  free(local.goal_clear);
  sw_blocks_search_free(search);
  return code;
}
