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
  int64_t dropped; /* tokens of earlier blocks that no later token can see */
  int32_t cached;  /* rows (slots included) whose keys and values are there */
  float *kv;       /* [layers][heads]: keys (key_floats), then values [kv_room]
                      [d / heads]: a head reads its own in one go */
  int32_t kv_room;
  size_t key_floats;
  float
      *read; /* slot memory: what later positions read of a row, [read_room] */
  int32_t read_room;
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
/* session_run.c: how large a sequence's cache is made for so many rows. */
void sw_cache_room(const sw_session *session, sw_sequence *q, int32_t rows);
size_t sw_cache_bytes(const sw_session *session, const sw_sequence *q);
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
  double flops;                          /* useful ones of all runs */
  float *logits;                         /* [sequences][vocab] */
  struct sw_session_memory *slot_memory; /* NULL without slot memory */
  /* models with a verify head: the last run's final states, and room */
  float *final, *verify_room; /* [sequences][d], [2][sequences][d] */
};
const char *sw_session_check(const sw_session *session); /* base/check.h */

/* session_memory.c: sessions of models with slot memory. Those with shared
 * registers, which later tokens change, run whole sequences (SHARED). */
enum { SW_MEMORY_NONE, SW_MEMORY_OWN, SW_MEMORY_SHARED };
int sw_session_memory_new(sw_session *session, sw_err *err);
void sw_session_memory_free(sw_session *session);
int sw_session_memory_kind(const sw_session *session);
/* Rows of a group: registers take far more room than tokens. */
int32_t sw_session_memory_rows(const sw_session *session, int32_t usual);
/* Before a group of `rows` rows in session->turn runs. */
int sw_session_memory_place(sw_session *session, int turns, int32_t rows,
                            sw_err *err);
/* By every member, on the group's output rows of `layer`. */
void sw_session_memory_forward(sw_session *session, int layer, int32_t rows,
                               int rank, int size);
/* Logits of a whole sequence's last token. */
int sw_session_memory_whole(sw_session *session, sw_sequence *sequence,
                            float *logits, sw_err *err);

/* session_run.c: one group of sequences, turn[0..turns). Their logits go to
 * consecutive rows of `logits`. */
int sw_group_run(sw_session *session, int turns, float *logits, sw_err *err);

#endif
