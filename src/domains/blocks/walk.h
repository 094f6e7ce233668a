/* A walk through the state graph: the current state, the moves that led to it
 * and what has been seen and tried. The TRIED list of a block comes from here
 * for traces and closed loops alike (sw_blocks_walk_look).
 *
 *   shared    executed moves are kept by concrete state, visited states by
 *             canonical state. TRIED = the longest prefix of the legal list
 *             whose moves were executed here or lead to a visited state,
 *             united with the moves executed here; in legal order.
 *   executed  the release's loop: moves executed at this canonical state, in
 *             order of execution, repeats included. */
#ifndef SW_BLOCKS_WALK_H
#define SW_BLOCKS_WALK_H
#include "domains/blocks/blocks_state.h"

typedef struct sw_blocks_log {
  sw_blocks_move move;
  int32_t next;
} sw_blocks_log;
typedef struct sw_blocks_seen {
  int32_t visits;      /* times current at a look */
  int32_t first, last; /* executed moves (mode `executed`), -1: none */
} sw_blocks_seen;

typedef struct sw_blocks_walk {
  int executed_only; /* mode */
  sw_blocks_state now, goal, scratch;
  uint16_t *key;           /* [n] scratch */
  sw_blocks_table visited; /* canonical keys, in order of first visit */
  sw_blocks_seen *seen;    /* by id of `visited` */
  int32_t seen_room;
  sw_blocks_table places; /* concrete keys at which a move was executed */
  uint64_t (*done)[2];    /* by id of `places`: bit from * 10 + to */
  int32_t done_room;
  sw_blocks_log *log;
  int32_t log_count, log_room;
  sw_blocks_move *path; /* moves from the start to here */
  int32_t depth, path_room;
  int failed; /* out of memory */
  /* of the last look */
  int32_t here; /* id of the current canonical state */
  int legal_count;
  sw_blocks_move legal[SW_BLOCKS_MOVES_MAX];
  uint8_t tried[SW_BLOCKS_MOVES_MAX]; /* legal[i] is in the shown list */
  int untried;                        /* legal moves that are not */
  sw_blocks_move *shown;              /* the list */
  int32_t shown_count, shown_room;
} sw_blocks_walk;

void sw_blocks_walk_init(sw_blocks_walk *walk, int executed_only);
void sw_blocks_walk_free(sw_blocks_walk *walk);
int sw_blocks_walk_start(sw_blocks_walk *walk, const sw_blocks_state *start,
                         const sw_blocks_state *goal, sw_err *err);
int sw_blocks_walk_at_goal(const sw_blocks_walk *walk);
/* Marks the current state as visited and fills in the fields of a look;
 * returns how often it had been looked at before. */
int32_t sw_blocks_walk_look(sw_blocks_walk *walk);
int sw_blocks_walk_move(sw_blocks_walk *walk, int32_t from, int32_t to);
int sw_blocks_walk_back(sw_blocks_walk *walk); /* 0: at the start */
/* Does the path, replayed from `start`, end at the goal? */
int sw_blocks_walk_replay(const sw_blocks_walk *walk,
                          const sw_blocks_state *start);

#endif
