/* Goal-aware search for Blocks World: A* on canonical states (what is under
 * each block) with at most `towers` towers, and for problems of any size with
 * an unlimited table a greedy method that moves each block at most twice. */
#ifndef SW_BLOCKS_SEARCH_H
#define SW_BLOCKS_SEARCH_H
#include "domains/blocks/pddl.h"
#include "domains/blocks/blocks_state.h"

typedef struct sw_blocks_search sw_blocks_search; /* reusable memory */
int sw_blocks_search_new(sw_blocks_search **search, sw_err *err);
void sw_blocks_search_free(sw_blocks_search *search);

enum {
  SW_BLOCKS_NO_PLAN = -1,
  SW_BLOCKS_GAVE_UP = -2,    /* max_states */
  SW_BLOCKS_INTERRUPTED = -3 /* no memory, or it was time to stop */
};
/* Length of a shortest plan from `start` (n entries: block below or
 * SW_PDDL_TABLE) to a state that agrees with `goal` (SW_PDDL_ANY: anything) and
 * has `clear` blocks clear (NULL: none need be); appended to `plan` when that
 * is not NULL. At most `max_states` states are stored. */
int32_t sw_blocks_shortest(sw_blocks_search *search, int32_t n, int32_t towers,
                           const int32_t *start, const int32_t *goal,
                           const uint8_t *clear, int32_t max_states,
                           sw_pddl_plan *plan);
/* The number of actions of a shortest plan for a PDDL problem: the hand may be
 * full at the start and, unless the goal forbids it, in the end. `goal` and
 * `clear` are those of sw_blocks_plan: the problem's own, where a block to be
 * held may be anywhere and is clear. */
int32_t sw_blocks_shortest_actions(sw_blocks_search *search,
                                   const sw_pddl *problem, const int32_t *goal,
                                   const uint8_t *clear, int32_t max_states,
                                   sw_pddl_plan *plan);
/* 1: such a state can be reached through states that are not in `avoid`
 * (canonical keys; `start` itself may be). 0: it cannot. Or
 * SW_BLOCKS_INTERRUPTED. */
int sw_blocks_reachable(sw_blocks_search *search, int32_t n, int32_t towers,
                        const int32_t *start, const int32_t *goal,
                        const sw_blocks_table *avoid);
/* Any size, unlimited table: never fails on a consistent goal. */
int sw_blocks_greedy(const sw_pddl *problem, sw_pddl_plan *plan, sw_err *err);
/* Best plan of the two for a PDDL problem; *optimal: no plan has fewer
 * actions. */
int sw_blocks_plan(const sw_pddl *problem, int32_t max_states,
                   sw_pddl_plan *plan, int *optimal, sw_err *err);

#endif
