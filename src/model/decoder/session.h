/* Inside src/model only: cached inference. A sequence holds the tokens that a
 * later token may still see and, per layer, the keys and values of the rows
 * computed so far (slots first, as in a mask). Running a set of sequences
 * stacks all their pending rows into one matrix per layer; attention reads
 * each sequence's own cache. Rows are computed by the same functions as in a
 * training pass (rows.h), so the bits are the same. */
#ifndef SW_MODEL_SESSION_H
#define SW_MODEL_SESSION_H
#include "model/decoder/internal.h"
#include "model/decoder/live_rows.h"
#include "trace/mask.h"

typedef struct sw_sequence {
  int32_t *token, *position, *place; /* [length] */
  int32_t length, room;
  int64_t *block_start; /* [blocks]; block 0 is the prefix */
  int64_t blocks, block_room;
  int32_t prefix;
  int64_t dropped; /* tokens of earlier blocks that nobody can see any more */
  int32_t cached;  /* rows (slots included) whose keys and values are there */
  float *kv;       /* [layers][heads]: keys (key_floats), then values [kv_room]
                      [d / heads]: a head reads its own in one go */
  int32_t kv_room;
  size_t key_floats;
} sw_sequence;

/* A head's cached keys: packed for the kernels in stretches of slots, prefix
 * and blocks, where the runs of every cached mask begin; row after row in a
 * session that computes everything anew. */
static inline float *sw_cached_keys(const sw_model *model, const sw_sequence *q,
                                    int layer, int head) {
  size_t heads = (size_t)model->config.heads;
  size_t values = (size_t)q->kv_room * (size_t)model->config.d / heads;
  return q->kv +
         ((size_t)layer * heads + (size_t)head) * (q->key_floats + values);
}
static inline float *sw_cached_values(const sw_model *model,
                                      const sw_sequence *q, int layer,
                                      int head) {
  return sw_cached_keys(model, q, layer, head) + q->key_floats;
}
/* session_run.c: the stretches of a head's keys. */
nn_panels sw_cached_panels(const sw_model *model, const sw_sequence *q,
                           int layer, int head);

/* One sequence's part of a lock-step group. */
typedef struct sw_turn {
  sw_sequence *sequence;
  int32_t first;       /* stacked row of its first pending row */
  int32_t pending;     /* rows */
  int32_t span, spans; /* its spans in the group's list */
  int32_t last;        /* the span of its last row alone */
  int64_t cost;        /* unmasked pairs of a head */
} sw_turn;

struct sw_session {
  sw_model *model;
  sw_team *team;
  sw_session_options options;
  int recompute; /* every run starts from nothing */
  sw_sequence *sequence;
  uint8_t *marked; /* [sequences] */
  sw_mask mask;
  sw_plan plan; /* dense masks only */
  /* one group */
  sw_turn *turn; /* [sequences] */
  nn_span *span;
  int32_t span_room;
  float *memory; /* one block for the arrays below */
  int32_t row_room;
  size_t scratch_keys;
  int32_t *row_id; /* position ids of the stacked rows; -1: a slot */
  float *x, *qkv, *att, *mid, *lse, *tail_x, *tail_att, *tail_mid, *tail_out;
  float *scratch; /* per member: norm, hidden, z, attention */
  size_t scratch_each, scratch_attention;
  double flops;  /* useful ones of all runs */
  float *logits; /* [sequences][vocab] */
  /* models with a verify head: the last run's final states, and room */
  float *final, *verify_room; /* [sequences][d], [2][sequences][d] */
};

/* session_run.c: one group of sequences, turn[0..turns), the run's from `first`
 * on. Their logits go to consecutive rows of `logits`. */
int sw_group_run(sw_session *session, int first, int turns, sw_err *err);

#endif
