/* What a family is given and what it gives back: one item of training, or one
 * question. Which half of an item is filled depends on what the family reads
 * (sw_family.reads): a trace of tokens under a reading, or a record of a state.
 * Made by the sources of src/train and by the probes; a family never reads a
 * data set or an environment itself. */
#ifndef SW_MODEL_ITEM_H
#define SW_MODEL_ITEM_H
#include <stdint.h>
#include "base/err.h"
#include "base/viability.h"

/* A trace as a model reads it. */
typedef struct sw_example {
  const int32_t *token;      /* [length] */
  const int32_t *position;   /* [length] position ids; with a table of places
                                [2 length]: the places follow */
  const uint8_t *supervised; /* [length] targets; NULL: none */
  int32_t length;
  const struct sw_mask *mask; /* built for (slots, length) */
  const int64_t *block_start; /* [blocks], block 0 is the prefix; may be NULL
                                 for families that only look at the mask */
  int64_t blocks;
  /* [length], NULL: none. What a verify head should say at a token whose
   * successor is a target (sw_viability); 0: it is not asked. */
  const uint8_t *verdict;
  /* [length], NULL: none. Facts on the way to a decision, which training may
   * ask for beside the targets: the token that the model should say at this
   * one, although the trace goes on otherwise; 0: nothing. Not where the next
   * token is a target. */
  const int32_t *fact;
  /* [length], NULL: none. 1: this target decides, the others lead up to it (a
   * scratchpad); its loss has a weight of its own. */
  const uint8_t *decides;
} sw_example;

/* A state without its tokens: a vector of the domain's features, or its
 * constraint graph with the state on it. The answer is a class for each of the
 * family's heads (go back or not, which variable, which value), -1 where a head
 * is not asked. An item may hold several states: its loss is the sum over them,
 * its targets count the states that have any, its hits those where every head
 * that is asked is right. */
typedef struct sw_record {
  int32_t rows;         /* states of the item, one row each; 0 counts as 1 */
  const float *feature; /* [rows][features] */
  int32_t features;
  const struct sw_graph *graph; /* [rows], of the families that read graphs */
  const int32_t *target;        /* [rows][heads] classes; NULL: none */
  int32_t heads;
  const float *weight; /* [heads] of a head's losses; NULL: all 1 */
  /* Of the families that read choices, a row each: [rows] which state a row is
   * of (equal numbers lie together; NULL: all are of one), and [rows] which
   * choice it is. */
  const int32_t *state, *choice;
} sw_record;

/* ---- what is asked for, and what came of it ---- */

/* Kinds of loss: X(ID, name in curves). A new kind is a row here, its weight in
 * a step (train/trainer.c: weigh) and the kernel that fills its tally. */
#define SW_LOSSES(X)                                                       \
  X(TARGET, "")            /* all targets */                               \
  X(VERDICT, "verify_")    /* what a verify head says of states */         \
  X(FACT, "fact_")         /* facts on the way to a decision */            \
  X(DECISION, "decision_") /* of the targets, those that decide: in TARGET \
                              too */
typedef enum {
#define X(id, name) SW_LOSS_##id,
  SW_LOSSES(X)
#undef X
      SW_LOSS_KINDS
} sw_loss_kind;

/* Sum of the losses of one kind, how many were asked for, and how many of them
 * the best score has right. */
typedef struct sw_tally {
  double loss;
  int64_t count, hits;
} sw_tally;

static inline void sw_tally_add(sw_tally *to, const sw_tally *from) {
  for (int k = 0; k < SW_LOSS_KINDS; k++) {
    to[k].loss += from[k].loss;
    to[k].count += from[k].count;
    to[k].hits += from[k].hits;
  }
}

typedef struct sw_pass_options {
  double dropout;
  uint64_t seed, step, trace; /* dropout keys */
  /* d(objective)/d(loss) of each kind; a target that decides has the weight of
   * DECISION instead of TARGET's */
  float weight[SW_LOSS_KINDS];
} sw_pass_options;

typedef struct sw_item {
  sw_example example; /* families that read tokens */
  sw_record record;   /* families that read states */
  sw_pass_options options;
  /* answers */
  sw_tally tally[SW_LOSS_KINDS]; /* before: how many there will be */
  double flops;                  /* useful ones, exactly */
} sw_item;

/* Base/check.h: counts below one another; example and mask of one length, a
 * record with its rows. */
const char *sw_tally_check(const sw_tally *tally); /* [SW_LOSS_KINDS] */
struct sw_net;
const char *sw_items_check(const struct sw_item *item, int32_t count,
                           const struct sw_net *net);

/* Rows of an item that holds records. */
static inline int32_t sw_item_rows(const sw_item *item) {
  return item->record.rows ? item->record.rows : 1;
}
/* Tokens of an item; a record's state counts as one. */
static inline int64_t sw_item_size(const sw_item *item) {
  return item->example.length ? item->example.length : sw_item_rows(item);
}

/* For objectives other than the ordinary loss: gets the scores of `count` rows
 * and must replace them by d(objective)/d(scores). */
typedef int (*sw_logit_gradient)(void *context, float *logits, int32_t count,
                                 int32_t vocab, sw_err *err);

#endif
