/* States reached by several really different histories, in any domain, through
 * the domain interface only. Used by the transplant probe, the repaired bank,
 * padding and the representation probe.
 *
 * From recorded searches (sw_states_of_data) the same without an environment:
 * the points are the steps that the data has, and their state is its words.
 *
 * Per instance: seeded rollouts (an expert with random legal choices mixed in,
 * or uniform), then, where wanted, rebuilt histories: the decisions that still
 * stand at a state, replayed without the detours and in random order. Every
 * prompted state is a point; points of one instance with equal canonical key
 * and equal state tokens form a group when at least two of their histories
 * differ as token sequences. */
#ifndef SW_PROBE_STATES_H
#define SW_PROBE_STATES_H
#include <stdint.h>
#include "base/err.h"
#include "domains/domain.h"
#include "probe/data.h"
#include "trace/trace.h"

struct sw_asked; /* search/words.h */

typedef struct sw_states_options {
  const sw_domain *domain;
  sw_domain_options domain_options; /* resolved */
  uint64_t seed;
  sw_split split;
  int64_t instances;
  int64_t rollouts;   /* per instance */
  int64_t max_blocks; /* of a rollout */
  int64_t max_tokens; /* of a rollout, 0: none (a position table) */
  double
      random_choice; /* probability of a uniform legal choice; 1: no expert */
  double early_back; /* probability of going back at a viable state */
  int reorder;       /* rebuilt histories per state that has too few: one
                        without detours, further ones reordered */
  int64_t rebuild_states; /* states of an instance that are rebuilt; 0: all */
  int max_histories;      /* kept per state */
  int64_t states_wanted;  /* stop adding instances once that many states have
                             max_histories histories; 0: all instances */
} sw_states_options;

/* One action per block: its tokens, or going back. */
typedef struct sw_move {
  int64_t first;       /* its tokens: played[first] of the rollout, */
  int32_t tokens;      /* so many; 0: went back */
  int32_t depth_after; /* at the next prompt; -1: none came */
} sw_move;

typedef struct sw_rollout {
  int64_t instance;
  sw_trace trace;
  sw_move *move; /* moves[b - 1] closes block b */
  int64_t moves, move_room;
  int32_t *played; /* the tokens of all moves */
  int64_t plays, play_room;
} sw_rollout;

typedef struct sw_point {
  int64_t rollout, block, last; /* query position: last token of the state */
  int64_t given;    /* last token that the environment wrote: `last`, unless a
                       scratchpad is in between (an exact one, in all of these) */
  uint64_t key[2];  /* canonical key mixed with the state tokens */
  uint64_t history; /* hash of the tokens before the block */
  int64_t instance, cluster;        /* cluster: of intervals */
  int32_t depth, size;              /* size: continuations on offer */
  uint8_t conflict, retry, rebuilt; /* retry: shown again after going back */
} sw_point;

typedef struct sw_state_group {
  int64_t instance, cluster;
  int64_t first, count; /* members order[first .. first + count) */
  int32_t depth;
  uint8_t conflict, retry;
} sw_state_group;

typedef struct sw_states {
  sw_rollout *rollout;
  int64_t rollouts, rollout_room;
  sw_point *point;
  int64_t points, point_room;
  sw_instance **instance; /* owned */
  int64_t instances, instance_room;
  sw_state_group *group;
  int64_t groups, group_room;
  int64_t full_groups; /* of them with max_histories histories */
  int64_t *order;      /* points by group, distinct histories only */
  int64_t candidates;  /* pairs of points with equal state */
  int64_t identical;   /* of those, with identical histories */
  const sw_domain *domain;
  const sw_probe_data *data; /* the recorded searches; NULL: an environment's */
  int64_t unlike; /* of data: groups in which some histories went back there
                     and others did not */
} sw_states;

int sw_states_collect(sw_states *states, const sw_states_options *options,
                      sw_err *err);
void sw_states_free(sw_states *states);

/* The states of recorded searches. The data must stay open. SW_DATA: `pairs` is
 * set, and no state has two histories. */
typedef struct sw_states_data_options {
  int64_t instances; /* most groups or problems looked at; 0: all */
  int64_t states;    /* about so many, as many of each problem; 0: all */
  int max_histories;
  int pairs;
} sw_states_data_options;
int sw_states_of_data(sw_states *states, const sw_probe_data *data,
                      const sw_states_data_options *options, sw_err *err);

/* Replays a point's rollout up to its state in a fresh environment: the trace
 * then ends with the state part and the environment waits at its query. */
int sw_states_replay(const sw_states *states, int64_t point, sw_env *env,
                     sw_trace *trace, sw_err *err);
/* The same, noting every question with more than one candidate on the way
 * (search/words.h); asked NULL: as above. */
int sw_states_replay_asked(const sw_states *states, int64_t point, sw_env *env,
                           sw_trace *trace, struct sw_asked *asked,
                           sw_err *err);

#endif
