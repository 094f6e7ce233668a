/* The published diagnostic rollouts of SAT: a stochastic search from one tie
 * seed that records every state where a decision is made (viable) and every
 * exposed conflict. Bit-exact with the published description, including its
 * flaws (random polarity, conflict points keyed by tokens), because the
 * `release` bank must reproduce its counts; the repaired probes use the domain
 * interface instead (probe/states.h). Called by rollouts.c. */
#ifndef SW_RELEASE_SAT_ROLLOUT_H
#define SW_RELEASE_SAT_ROLLOUT_H
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "domains/domain.h"
#include "trace/trace.h"

typedef struct sw_sat_action_pair {
  int32_t var, value;
} sw_sat_action_pair;

/* One recorded state. The text and the actions live in the caller's arena. */
typedef struct sw_sat_point {
  int64_t start, sep;    /* current block's STATE token; its SEP */
  int32_t block;         /* block number in the trace */
  int32_t label;         /* 1: exposed conflict */
  int32_t depth, size;   /* stack depth (conflict: block number); variables */
  const char *signature; /* canonical state in the published notation */
  int32_t actions;
  const sw_sat_action_pair *action; /* candidates, value -1 or +1 */
} sw_sat_point;

typedef struct sw_sat_rollout_options {
  uint64_t tie_seed;
  int64_t max_tokens; /* a chunk that does not fit ends the rollout */
  int by_activity;    /* state order: 0 variable index, 1 activity */
} sw_sat_rollout_options;

/* Writes the rollout of a formula into *trace (prefix is block 0) and returns
 * its points (malloc'd array; free() it) in order of occurrence. */
int sw_sat_rollout(const sw_instance *formula,
                   const sw_sat_rollout_options *options, sw_trace *trace,
                   sw_arena *arena, sw_sat_point **points, int64_t *count,
                   sw_err *err);

/* Seed of trace j of instance i of a run with seed s. */
uint64_t sw_sat_tie_seed(uint64_t seed, int64_t instance, int64_t trace);

#endif
