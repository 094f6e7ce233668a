/* Blocks World problems in a subset of PDDL, their plans, and a checker.
 *
 * Read: (define (problem P) (:domain D) (:objects ...) (:init ...) (:goal ...))
 * with the usual spellings: on, ontable / on-table / onTable, clear,
 * handempty / hand-empty / emptyhand / arm-empty / armempty / gripper-empty,
 * holding; untyped or typed objects; goals that are one fact or a conjunction.
 * Names are case-insensitive. Costs and types in :init and the sections
 * :requirements, :metric and :length are passed over; anything else is an
 * error, for it may ask for more than the plan would do. Plans use the four
 * operators pick-up, put-down, stack, unstack; the reader of plans also takes
 * the three move operators move / move-b-to-b, move-to-table / move-b-to-t and
 * move-t-to-b. */
#ifndef SW_BLOCKS_PDDL_H
#define SW_BLOCKS_PDDL_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct sw_domain;

enum { SW_PDDL_TABLE = -1, SW_PDDL_ANY = -2, SW_PDDL_HELD = -3 };

typedef struct sw_pddl {
  int32_t n;
  char *names;         /* all names, NUL-separated */
  const char **name;   /* [n] */
  int32_t *init;       /* [n]: block below, SW_PDDL_TABLE or SW_PDDL_HELD */
  int32_t *goal;       /* [n]: the same, or SW_PDDL_ANY */
  uint8_t *goal_clear; /* [n] */
  int goal_hand_empty;
  int impossible; /* no state satisfies the goal */
  char why[160];  /* ... because */
} sw_pddl;

/* `path` is used in messages only. */
int sw_pddl_read(sw_pddl **problem, const char *path, const char *text,
                 size_t bytes, sw_err *err);
void sw_pddl_free(sw_pddl *problem);
int sw_pddl_looks_like(const struct sw_domain *domain, const char *path,
                       const char *text, size_t bytes);

/* A plan as moves of blocks: to another block or SW_PDDL_TABLE, and finally
 * perhaps SW_PDDL_HELD (pick a block up and keep it). */
typedef struct sw_pddl_plan_move {
  int32_t block, to;
} sw_pddl_plan_move;
typedef struct sw_pddl_plan {
  sw_pddl_plan_move *move;
  int32_t count, room;
  int failed;
} sw_pddl_plan;
void sw_pddl_plan_put(sw_pddl_plan *plan, int32_t block, int32_t to);
void sw_pddl_plan_free(sw_pddl_plan *plan);
/* The plan's text in the four operators, one action a line, malloc'd. */
int sw_pddl_plan_text(const sw_pddl *problem, const sw_pddl_plan *plan,
                      char **text, sw_err *err);
/* Replays a plan's text against the problem by the operators' preconditions
 * and effects alone. SW_OK, or SW_DATA with the line and what is wrong. */
int sw_pddl_plan_check(const sw_pddl *problem, const char *path,
                       const char *text, size_t bytes, int64_t *actions,
                       sw_err *err);

#endif
