/* The tree of actions at a state, in any domain: every query that a complete
 * action can pass through, with the tokens shown before it and the legal
 * tokens offered. Found by replaying the state and feeding each path (an
 * environment has no undo; it is fast). Used by the policy version of the
 * transplant probe and by the padding control. Of recorded searches
 * (states->data) it is one query. */
#ifndef SW_PROBE_ACTIONS_H
#define SW_PROBE_ACTIONS_H
#include "probe/states.h"

/* One query. Its context is the state's trace plus `suffix` (the tokens of the
 * path and whatever the environment wrote in between). */
typedef struct sw_query {
  int32_t suffix_begin, suffix_end; /* into sw_actions.suffix */
  int32_t first, count;             /* legal tokens, into sw_actions.legal */
} sw_query;

/* A legal token either leads to another query or completes an action. */
typedef struct sw_choice {
  int32_t token, query; /* next query; -1: the action is complete */
} sw_choice;

typedef struct sw_actions {
  sw_query *query; /* query 0 is the state itself (going back left out) */
  sw_choice *legal;
  int32_t *suffix;
  int32_t queries, choices, suffixes; /* counts */
  int32_t query_room, choice_room, suffix_room;
  int32_t leaves;
  int32_t back, all; /* tokens of query 0 with going back and the illegal ones
                        that count as missed conflicts: everything offered */
  int32_t *offered;  /* [all], back last when it is offered (back = 1) */
  int32_t offered_room;
} sw_actions;

void sw_actions_free(sw_actions *actions);
/* Fills *actions for the state of a point; reuses its memory. `limit` bounds
 * the number of queries (SW_LIMIT when the tree is larger). */
int sw_actions_find(sw_actions *actions, const sw_states *states, int64_t point,
                    sw_env *env, sw_trace *scratch, int32_t limit, sw_err *err);
/* Probabilities of the complete actions from the logits of every query
 * ([queries][vocab]): products of softmaxes over the legal tokens, in tree
 * order; p has `leaves` entries. */
void sw_actions_joint(const sw_actions *actions, const float *logits,
                      int32_t vocab, double *p);

#endif
