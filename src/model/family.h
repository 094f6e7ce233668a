/* Families: the kinds of model there are. A family is one row of functions
 * (sw_family) and a folder of its own; a model of any family is a sw_net. The
 * trainer, exact resume, run cards, weight files, `show model`, the closed loop
 * and the probes only know this header. `architecture` in the metadata of a
 * weight file names the family that opens it.
 *
 * What a family offers
 *   options     a table over its own config struct: sizes that are saved with
 *               the weights; and a second one of what only changes where
 *               training starts
 *   parameters  a table of tensors in one flat block (name, shape, initial
 *               values, decay, whether Muon steps it); optimizer, checkpoint,
 *               hash and file walk that table
 *   work        loss and gradient of the items of a step, scores and hidden
 *               vectors of an item: a workspace bound to a team of threads
 *   session     scores for many questions in lock-step, incrementally
 *   counting    useful floating-point operations, bytes of a workspace
 *
 * What families read differs, so an item (item.h) is made for them by a source
 * of src/train that has the name a family gives in `reads`:
 *   tokens     a trace under a reading (decoder, LSTM, slot memory). Rows are
 *              tokens, scores are logits over the vocabulary; a session is told
 *              prefix, block, tokens.
 *   features   the domain's feature vector of a state (linear, MLP). An item is
 *              a few records, a row each; scores are those of the heads, one
 *              behind the other; a session is told the state of a seat. The
 *              config begins with a sw_state_layout, which says what the vector
 *              holds.
 *   graph      the constraint graph with the state on it (factor network), in
 *              the same way.
 *   choices    the open choices of a state, a row of features each, all
 *              together (literal transformer): for models that judge.
 * Which head scores which candidate is known to the guide in src/search that
 * asks, not to the family.
 *
 * Promises every family keeps: results do not depend on batch, threads or
 * resume; the gradient of a step is the sum over its items in their order, one
 * addition an item and parameter; a session gives the bits of `rows`. Calls are
 * made once a step, a batch or a question, never once a row, so going through
 * the table costs nothing that can be measured. */
#ifndef SW_MODEL_FAMILY_H
#define SW_MODEL_FAMILY_H
#include "base/options.h"
#include "base/safetensors.h"
#include "base/threads.h"
#include "model/item.h"
#include "nn/nn.h"
#include "trace/reading.h"
#include "trace/state_layout.h"

/* ---- parameters ---- */
typedef enum {
  SW_INIT_NORMAL, /* N(0, size) */
  SW_INIT_ZERO,
  SW_INIT_ONE,
  SW_INIT_UNIFORM, /* within +-size */
} sw_init;

/* One tensor of a net. All together fill [0, count) of its flat block without
 * gaps; those that are trained come first, so that the optimizer's range is a
 * prefix of the block. */
typedef struct sw_tensor {
  char name[64]; /* as in files */
  int dims;
  int64_t shape[3];
  int64_t offset, count; /* floats in the flat block */
  sw_init init;
  double size;  /* of the initial values */
  int trained;  /* 0: no loss reaches it; neither stepped nor decayed */
  int decay;    /* 1: weight decay applies */
  int matrices; /* Muon steps it as so many matrices, one below the other, each
                   shape[dims - 2] / matrices x shape[dims - 1]; 0: AdamW */
} sw_tensor;

typedef struct sw_family sw_family;

/* A model of some family. Families put their own fields behind it; what is here
 * is set by `create` and constant afterwards, but for the weights' values. */
typedef struct sw_net {
  const sw_family *family;
  const nn_kernels *kernels;
  void *config; /* the family's, inside the family's struct */
  sw_tensor
      *tensor; /* [tensors] in file order; malloc'd, freed by sw_net_free */
  int tensors;
  float *weights;         /* flat; call sw_net_changed after writing */
  int64_t count, trained; /* floats in all; floats the optimizer steps */
  int64_t constants;      /* of them, taken from the data and no parameters */
  int32_t outputs; /* scores of a row: the vocabulary, or all heads' classes */
  int32_t hidden;  /* width of a row's hidden vector */
  int32_t slots;   /* rows in front of the tokens */
  int32_t positions; /* rows of the position table; 0: it needs none */
  int plays;         /* 1: it has sessions */
  int leaks;         /* 1: tokens see later ones under any mask */
  int verifies;      /* 1: it has a trained head that judges states */
} sw_net;

/* What the data require of a model, as measured by the source that feeds it. */
typedef struct sw_demand {
  int32_t vocab;     /* tokens */
  int32_t positions; /* rows of a position table */
  int32_t places;    /* and of one of places within a block */
  sw_reading reading;
  int hides_prefix; /* some items are read with their prefix hidden */
  int32_t features; /* records: width of the vector */
  int32_t heads;    /* records: heads, and the classes of each */
  int32_t classes[8];
  sw_state_layout layout; /* records: what the vector holds */
} sw_demand;

/* ---- a workspace: loss, gradient, scores of whole items ---- */
typedef struct sw_work {
  sw_net *net;
} sw_work; /* the head of a family's own */

/* ---- sessions: questions in lock-step ---- */
typedef struct sw_session_options {
  int32_t sequences;
  sw_reading reading; /* leaky masks are recomputed in full */
  int cache_prefix;   /* 0: recompute everything at each query (baseline) */
} sw_session_options;
typedef struct sw_seats {
  sw_net *net;
  double flops; /* useful operations of all runs so far; 0: not counted */
} sw_seats;     /* the head of a family's own */

/* What begin_block does with the blocks before. */
enum {
  SW_HISTORY_FORGET, /* as if there had been none (protocol rebuilt) */
  SW_HISTORY_KEEP,   /* they stay (cumulative) */
  SW_HISTORY_AWAY    /* no later token sees them, but positions count on as if
                      * they were there (rebuilt-in-place) */
};

/* What the last token of a sequence attended to: weights [layers][heads][rows],
 * slots first, then the tokens that the session still holds. */
typedef struct sw_attention_shape {
  int32_t layers, heads, slots, rows;
} sw_attention_shape;

struct sw_family {
  const char *name; /* `architecture` of files, `train --architecture` */
  const char *text; /* one line */
  const char *reads;
  /* Options: INT, REAL, FLAG and CHOICE rows over the config struct, which is
   * plain data without padding and is hashed with the weights. */
  const sw_option *options;
  int option_count;
  size_t config_bytes;
  const sw_option *starts; /* over the struct that `start` gets */
  int start_count;
  size_t start_bytes;

  /* NULL: the whole config. Bytes of the config that a model's hash covers:
   * options that were added later are left out while they are off. */
  size_t (*hashed)(const void *config);
  /* NULL: the caller chooses the reading. If the config fixes how a model
   * reads, replaces a reading that is still at its default, or returns SW_USAGE
   * when the caller chose another one. */
  int (*reading)(const void *config, sw_reading *reading, sw_err *err);
  /* Fills the options that the data decide and checks the rest. */
  int (*resolve)(void *config, const sw_demand *demand, sw_err *err);
  /* NULL: only weights of the same config. Can weights of a net with the config
   * `from` start one with `config` (which keeps its own untrained tensors)? */
  int (*adopts)(const void *config, const void *from);
  /* A net with its table and room for its weights. */
  int (*create)(sw_net **net, const void *config, sw_err *err);
  void (*free)(sw_net *net); /* what create made, but for net->tensor */
  /* NULL: nothing. Sets the initial weights that the table cannot describe,
   * after the table has set the others. */
  void (*start)(sw_net *net, uint64_t seed, const void *start);
  /* NULL: inputs are used as they are. Receives mean and deviation of each
   * feature over the training records, before the first step of a new model. */
  void (*standardise)(sw_net *net, const double *mean, const double *deviation);
  /* NULL: the weights are used where they lie. Marks the copies of the weights
   * as stale. */
  void (*changed)(sw_net *net);
  /* NULL: by the tables. For files that are not ours; `heads` as in
   * sw_net_load. */
  int (*load)(sw_net **net, const sw_st_file *file, const char *path, int heads,
              sw_err *err);

  /* NULL: any. Can the net be run under this reading? */
  int (*suits)(const sw_net *net, const sw_reading *reading, sw_err *err);

  int (*work_new)(sw_work **work, sw_net *net, sw_team *team, sw_err *err);
  void (*work_free)(sw_work *work);
  /* Losses of the items; `gradient` (NULL: none) gets theirs, each times the
   * weight of its kind, added in the order of the items. */
  int (*batch)(sw_work *work, sw_item *item, int32_t count, float *gradient,
               sw_err *err);
  /* NULL: by `batch`. The same with every item's gradient by itself: the
   * trained floats of part[i] are overwritten. */
  int (*parts)(sw_work *work, sw_item *item, int32_t count, float *const *part,
               sw_err *err);
  /* NULL: unknown. Useful floating-point operations of `rows` scored rows of
   * an item, before it is computed. */
  double (*flops)(const sw_net *net, const sw_item *item, int32_t rows,
                  int backward);
  /* Scores [count][outputs] or hidden vectors [count][hidden] of rows of an
   * item, in the order asked; dropout off. Rows of a record are its states. */
  int (*rows)(sw_work *work, const sw_item *item, const int32_t *rows,
              int32_t count, float *out, sw_err *err);
  int (*hidden)(sw_work *work, const sw_item *item, const int32_t *rows,
                int32_t count, float *out, sw_err *err);
  int learns_facts; /* `batch` asks for the facts of an example too */
  /* NULL: no other objective. Gradient of an objective of the caller's over
   * the scores of `rows`; item->flops is set. */
  int (*custom)(sw_work *work, sw_item *item, const int32_t *rows,
                int32_t count, sw_logit_gradient fn, void *context,
                float *gradient, sw_err *err);
  size_t (*bytes)(const sw_work *work);
  /* NULL: no such head. Of rows of an item: probability that the state which
   * ends there is dead. For nets that verify. */
  int (*verdicts)(sw_work *work, const sw_item *item, const int32_t *rows,
                  int32_t count, float *dead, sw_err *err);

  /* NULL: it cannot be asked step by step (net->plays is 0). */
  int (*seats_new)(sw_seats **seats, sw_net *net, sw_team *team,
                   const sw_session_options *options, sw_err *err);
  void (*seats_free)(sw_seats *seats);
  /* Families that read tokens. */
  int (*prefix)(sw_seats *seats, int32_t s, const int32_t *token, int32_t count,
                sw_err *err);
  int (*begin_block)(sw_seats *seats, int32_t s, int history, sw_err *err);
  int (*push)(sw_seats *seats, int32_t s, const int32_t *token, int32_t count,
              sw_err *err);
  int (*pop)(sw_seats *seats, int32_t s, int32_t count, sw_err *err);
  int64_t (*length)(const sw_seats *seats, int32_t s);
  /* NULL: next to nothing. Bytes that sequence s holds once it has run, and
   * giving them back: what is needed of it is computed again by its next run,
   * to the same bits. */
  int64_t (*need)(const sw_seats *seats, int32_t s);
  void (*forget)(sw_seats *seats, int32_t s);
  /* Families that read states: the state of sequence s, copied. */
  int (*state)(sw_seats *seats, int32_t s, const sw_record *record,
               sw_err *err);
  int (*run)(sw_seats *seats, const int32_t *seq, int32_t count,
             const float **scores, sw_err *err);
  /* NULL: as `verdicts`. Of the last run's sequences, in its order. */
  int (*run_verdicts)(sw_seats *seats, int32_t count, float *dead, sw_err *err);
  /* NULL: the family has no attention to show (sw_seats_attention). */
  int (*attention)(sw_seats *seats, int32_t s, sw_attention_shape *shape,
                   float *weights, sw_err *err);
};

/* ---- the table of families ---- */
int sw_family_count(void);
const sw_family *sw_family_at(int index);
const sw_family *sw_family_find(const char *name); /* NULL: unknown */
/* As above, with an error that names the nearest one. */
int sw_family_named(const sw_family **family, const char *name, sw_err *err);
/* Adds a family of the caller's own for the rest of the process; 0, or -1 when
 * there is no room or the name is taken. Not while models are being opened. */
int sw_family_add(const sw_family *family);

/* ---- nets ---- */
/* `config` resolved; `start` NULL: the defaults. Initial values are a function
 * of (seed, tensor, element). */
int sw_net_new(sw_net **net, const sw_family *family, const void *config,
               const void *start, uint64_t seed, sw_err *err);
void sw_net_free(sw_net *net);
/* Base/check.h: tensors that tile the block, the trained ones first. */
const char *sw_net_check(const sw_net *net);
void sw_net_changed(sw_net *net);
uint64_t sw_net_hash(const sw_net *net); /* of config and weights */
/* All floats but those that were taken from the data. */
int64_t sw_net_parameters(const sw_net *net);
/* The sizes in one line: "vocab 2030, d 128, layers 2, ...". */
void sw_net_sizes(const sw_family *family, const void *config, char *text,
                  size_t room);
/* safetensors: the tensors under their names; architecture, config and what
 * the caller adds (mask, positions, domain, ...) in __metadata__. */
int sw_net_save(const sw_net *net, const char *path, const char *const *meta,
                int meta_pairs, sw_err *err);
/* Opens a weight file with the family it names (none: the slot decoder, whose
 * published files say nothing). `heads`: attention heads of such a file, else
 * 0. */
int sw_net_load(sw_net **net, const char *path, int heads, sw_err *err);
/* The same from an open file. */
int sw_net_read(sw_net **net, const sw_st_file *file, const char *path,
                int heads, sw_err *err);
/* Weights of the same family and config from another net. SW_DATA otherwise. */
int sw_net_copy(sw_net *net, const sw_net *from, const char *path, sw_err *err);

/* SW_USAGE when the net cannot be run under the reading. */
int sw_net_suits(const sw_net *net, const sw_reading *reading, sw_err *err);
/* Useful operations of `rows` scored rows of an item (0: unknown). */
double sw_net_flops(const sw_net *net, const sw_item *item, int32_t rows,
                    int backward);

/* ---- the calls of a family, by what they are made on ---- */
int sw_work_new(sw_work **work, sw_net *net, sw_team *team, sw_err *err);
void sw_work_free(sw_work *work);
int sw_work_batch(sw_work *work, sw_item *item, int32_t count, float *gradient,
                  sw_err *err);
int sw_work_parts(sw_work *work, sw_item *item, int32_t count,
                  float *const *part, sw_err *err);
int sw_work_rows(sw_work *work, const sw_item *item, const int32_t *rows,
                 int32_t count, float *out, sw_err *err);
int sw_work_hidden(sw_work *work, const sw_item *item, const int32_t *rows,
                   int32_t count, float *out, sw_err *err);
int sw_work_custom(sw_work *work, sw_item *item, const int32_t *rows,
                   int32_t count, sw_logit_gradient fn, void *context,
                   float *gradient, sw_err *err);
size_t sw_work_bytes(const sw_work *work);
/* SW_USAGE when the net has no trained verify head. */
int sw_work_verdicts(sw_work *work, const sw_item *item, const int32_t *rows,
                     int32_t count, float *dead, sw_err *err);

/* A session of the net's; SW_USAGE when its family has none. */
int sw_seats_new(sw_seats **seats, sw_net *net, sw_team *team,
                 const sw_session_options *options, sw_err *err);
void sw_seats_free(sw_seats *seats);
/* Starts sequence s anew with its prefix (computed in the next run). */
int sw_seats_prefix(sw_seats *seats, int32_t s, const int32_t *token,
                    int32_t count, sw_err *err);
/* Opens a decision block; `history` is one of SW_HISTORY_*. */
int sw_seats_begin_block(sw_seats *seats, int32_t s, int history, sw_err *err);
/* Appends tokens to the open block. SW_LIMIT when the position table ends. */
int sw_seats_push(sw_seats *seats, int32_t s, const int32_t *token,
                  int32_t count, sw_err *err);
/* Takes back the last `count` tokens of the open block (computed or not). */
int sw_seats_pop(sw_seats *seats, int32_t s, int32_t count, sw_err *err);
int64_t sw_seats_length(const sw_seats *seats, int32_t s);
/* Bytes of memory for its next run, and giving them back until then. */
int64_t sw_seats_need(const sw_seats *seats, int32_t s);
void sw_seats_forget(sw_seats *seats, int32_t s);
int sw_seats_state(sw_seats *seats, int32_t s, const sw_record *record,
                   sw_err *err);
/* Computes everything pending of the given sequences in one lock-step pass;
 * scores[i] points at those of the next token of sequence seq[i] (or of its
 * state), valid until the next run. */
int sw_seats_run(sw_seats *seats, const int32_t *seq, int32_t count,
                 const float **scores, sw_err *err);

/* Probability, for each of the `count` sequences of the last run in its order,
 * that the state at its last token is dead. SW_USAGE: no trained head. */
int sw_seats_verdicts(sw_seats *seats, int32_t count, float *dead, sw_err *err);

/* The shape of what the last token of sequence s attended to in the last run
 * and, where `weights` is not NULL, the weights. SW_USAGE: the family has no
 * attention to show. */
int sw_seats_attention(sw_seats *seats, int32_t s, sw_attention_shape *shape,
                       float *weights, sw_err *err);

#endif
