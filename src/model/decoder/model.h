/* The slot decoder (docs/model.md): pre-LN transformer with R learned slots in
 * front of the tokens, residual scale 1/sqrt(L), tied output head. Parameters
 * come from one table (params.h) and live in one flat block. Everything outside
 * this folder but tests and benchmarks reaches it as the family `slot-decoder`
 * (decoder_family.c, model/family.h). */
#ifndef SW_MODEL_MODEL_H
#define SW_MODEL_MODEL_H
#include <stdint.h>
#include "base/err.h"
#include "base/threads.h"
#include "model/family.h"
#include "model/shape_options.h"

/* clang-format off */
#define SW_MODEL_OPTIONS(X)                                                 \
  SW_VOCAB_ROW(X)               \
  SW_WIDTH_ROW(X, "256")                         \
  SW_LAYERS_ROW(X, "6")                        \
  SW_HEADS_ROW(X, "8")                 \
  SW_FFN_ROW(X)                \
  SW_SLOTS_ROW(X, "32", "slots; -1: 32, or 0 for a mask without slots")                       \
  SW_POSITIONS_ROW(X) \
  X(places, INT, "places", "0", 0, 1000000, "", "rows of the table of places within a block; 0: none") \
  X(rotary, INT, "rotary", "0", 0, 1, "", "1: queries and keys are rotated by their position") \
  SW_MEMORY_ROW(X, "slot memory: registers a position; 0: none") \
  SW_MEMORY_WIDTH_ROW(X) \
  SW_MEMORY_SHARED_ROW(X, "1: all positions share the registers, which leaks later tokens") \
  X(verify, INT, "verify", "0", 0, 1, "", "1: the verify head is trained") \
  SW_MEMORY_HEADS_ROW(X)
/* clang-format on */

/* Those rows as a table, with every range. */
extern const sw_option sw_model_table[];
extern const int sw_model_table_count;

typedef struct sw_model_config {
  int32_t vocab, d, layers, heads, ffn, slots, positions;
  int32_t memory, memory_width, memory_shared; /* slot_memory.h */
  int32_t places, rotary; /* these and what follows: see hashed() */
  int32_t verify;
  int32_t memory_heads;
} sw_model_config;

typedef struct sw_model sw_model;
int sw_model_new(sw_model **model, const sw_model_config *config, uint64_t seed,
                 sw_err *err); /* N(0, 0.02) init */
void sw_model_free(sw_model *model);
/* Replaces the noise of the position table by sinusoids of the same size
 * (0.02 root mean square). The table stays a parameter: only where training
 * starts differs. "The token before me" is then one rotation for every
 * position instead of one association each, which copying circuits need. */
void sw_model_sinusoidal_positions(sw_model *model);
const sw_model_config *sw_model_config_of(const sw_model *model);
/* The model as one of any family: weights, table, hash, files. It belongs to
 * the model. */
sw_net *sw_model_net(sw_model *model);
void sw_model_changed(sw_model *model); /* packed weights are stale */
/* Where the write gates of a slot memory start (-10 by default). */
void sw_model_set_memory_gate(sw_model *model, float gate);
/* Weight files have the names of the release's state dict. When the file has
 * no config the shapes tell it, and `heads` (0: metadata) must be given. */
int sw_model_load(sw_model **model, const char *path, int heads, sw_err *err);
int sw_model_read(sw_model **model, const sw_st_file *file, const char *path,
                  int heads, sw_err *err);

/* ---- one trace, forward and backward (training and teacher forcing) ---- */
/* A workspace holds activations for one trace, sized by the longest seen. */
typedef struct sw_pass sw_pass;
int sw_pass_new(sw_pass **pass, sw_model *model, sw_team *team, sw_err *err);
void sw_pass_free(sw_pass *pass);
/* Full logits of every row asked for: rows[] are token indices; out is
 * [count][vocab]. Dropout off. */
int sw_pass_logits(sw_pass *pass, const sw_example *example,
                   const int32_t *rows, int32_t count, float *out, sw_err *err);
/* Sum of token losses and number of targets and of argmax hits; when
 * `gradient` is not NULL the trace's gradient (times options->weight) is
 * computed from zero and then added to it: one addition per parameter and
 * trace. */
int sw_pass_loss(sw_pass *pass, const sw_example *example,
                 const sw_pass_options *options, float *gradient,
                 double *loss_sum, int64_t *targets, int64_t *hits,
                 sw_err *err);
/* As sw_pass_loss, for other objectives: the caller gets the logits of `rows`
 * and must replace them by d(objective)/d(logits). */
int sw_pass_custom(sw_pass *pass, const sw_example *example,
                   const sw_pass_options *options, const int32_t *rows,
                   int32_t count, sw_logit_gradient fn, void *context,
                   float *gradient, sw_err *err);
/* Final-norm hidden states of rows (representation probe). */
int sw_pass_hidden(sw_pass *pass, const sw_example *example,
                   const int32_t *rows, int32_t count, float *out, sw_err *err);
double sw_pass_flops(const sw_model *model, const struct sw_mask *mask,
                     int32_t supervised, int backward); /* useful FLOPs */
/* Useful FLOPs of the last call, exactly: live rows, unmasked pairs. */
double sw_pass_last_flops(const sw_pass *pass);
size_t sw_pass_bytes(const sw_pass *pass);

/* ---- cached inference: many sequences in lock-step ---- */
typedef struct sw_session sw_session;
int sw_session_new(sw_session **session, sw_model *model, sw_team *team,
                   const sw_session_options *options, sw_err *err);
void sw_session_free(sw_session *session);
/* Starts sequence s anew with its prefix (computed in the next run). */
int sw_session_prefix(sw_session *session, int32_t s, const int32_t *token,
                      int32_t count, sw_err *err);
/* Opens a decision block; `history` is one of SW_HISTORY_*. Under block-local
 * masks blocks that no later token can see are dropped even where the history
 * is kept. */
int sw_session_begin_block(sw_session *session, int32_t s, int history,
                           sw_err *err);
/* Appends tokens to the open block (computed in the next run). SW_LIMIT when
 * the position table ends (counted as `budget` by the caller). */
int sw_session_push(sw_session *session, int32_t s, const int32_t *token,
                    int32_t count, sw_err *err);
/* Takes back the last `count` tokens of the open block (computed or not). */
int sw_session_pop(sw_session *session, int32_t s, int32_t count, sw_err *err);
/* Computes everything pending of the given sequences in one lock-step pass;
 * logits[i] points at the full-vocabulary logits after the last token of
 * sequence seq[i]; valid until the next run. Same bits as sw_pass_logits. */
int sw_session_run(sw_session *session, const int32_t *seq, int32_t count,
                   const float **logits, sw_err *err);
int64_t sw_session_length(const sw_session *session, int32_t s);
int64_t sw_session_need(const sw_session *session, int32_t s);
void sw_session_forget(sw_session *session, int32_t s);
/* Useful FLOPs of all runs so far: pending rows, unmasked pairs. */
/* Probabilities, by the verify head, that the states at the last tokens of the
 * last run's sequences are dead, in the order of that run. The model has a
 * trained head. */
void sw_session_verdicts(sw_session *session, int32_t count, float *dead);
/* The same of final states (sw_pass_hidden): rows [count][d]. */
int sw_model_verdicts(sw_model *model, const float *rows, int32_t count,
                      float *dead, sw_err *err);
double sw_session_flops(const sw_session *session);
/* Attention of a sequence's last token after a run: out is [layers][heads]
 * [slots + tokens kept], rows in the mask's order, each head's weights summing
 * to 1. sw_session_rows tells how many rows. `hidden` (NULL, or [d]) gets the
 * token's final-norm state, the same bits as sw_pass_hidden. */
int sw_session_attention(sw_session *session, int32_t s, float *out,
                         float *hidden, sw_err *err);
int32_t sw_session_rows(const sw_session *session, int32_t s);

#endif
