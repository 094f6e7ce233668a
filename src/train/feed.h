/* Training data: the split by trace (or as the data set's parts say), the
 * stateless order of every epoch, and the examples of a step. Everything is a
 * function of (data, options, seed, step), so a resumed run sees exactly what
 * the uninterrupted one would. */
#ifndef SW_TRAIN_DATA_H
#define SW_TRAIN_DATA_H
#include "domains/domain.h"
#include "train/config.h"
#include "train/transforms.h"

typedef struct sw_feed {
  const sw_dataset *set;
  sw_view_options view;
  int64_t *train, *valid; /* item indices of the two parts */
  int64_t train_count, valid_count;
  int64_t *order; /* of the epoch `order_epoch` */
  int64_t order_epoch;
  uint64_t seed;
  sw_history *history; /* NULL: items come from the view */
  /* --until flat: validation items are made as training items are, because a
   * run must be judged by what it is trained on; else whole traces. */
  int valid_alike;
  sw_history *valid_history;
} sw_feed;

int sw_feed_new(sw_feed *feed, const sw_dataset *set,
                const sw_train_options *options, sw_err *err);
void sw_feed_free(sw_feed *feed);
/* Item and epoch of position `at` in the endless sequence of training items. */
int64_t sw_feed_item(sw_feed *feed, int64_t at, int64_t *epoch);

/* The vocabulary of a data set: its metadata's, or as large as its tokens. */
int sw_feed_vocab(const sw_dataset *set, int32_t *vocab, sw_err *err);

/* Training item as of `epoch`, through the history reduction if there is one.
 */
int sw_feed_load(const sw_feed *feed, int64_t item, int64_t epoch,
                 sw_trace *out, sw_err *err);

/* Validation item `at` of [0, valid_count). */
int sw_feed_load_valid(const sw_feed *feed, int64_t at, sw_trace *out,
                       sw_err *err);

/* One trace ready for a pass. Buffers are reused. */
typedef struct sw_prepared {
  sw_trace trace;
  sw_mask mask;
  int32_t *position;
  int64_t position_room;
  int64_t targets;
  uint8_t *verdict; /* [length] sw_viability at the last tokens of states */
  int64_t verdict_room, verdicts;
  int32_t *fact; /* [length] what sw_example.fact holds */
  int64_t fact_room, facts;
  uint8_t *decides; /* [length] what sw_example.decides holds */
  int64_t decides_room, decisions;
} sw_prepared;
void sw_prepared_init(sw_prepared *p);
void sw_prepared_free(sw_prepared *p);
/* Builds mask and positions for p->trace. */
int sw_prepare(sw_prepared *p, const sw_reading *reading, int32_t slots,
               int32_t pad_shift, int32_t table, uint64_t seed, sw_err *err);

/* Marks the last token of every state with its verdict: the trace's own, or
 * where it has none whether the block goes back (`back`: that token; -1: the
 * data set says no domain). For --verify. */
int sw_prepare_verdicts(sw_prepared *p, const sw_domain *domain, sw_err *err);

/* Marks the domain's facts about the trace, for --facts. Without a domain
 * (NULL) the marks of the last trace are removed. */
int sw_prepare_facts(sw_prepared *p, const sw_domain *domain, sw_err *err);

/* Marks the targets that end a scratchpad or stand behind it, for
 * --decision-weight. Without a domain (NULL) the marks of the last trace are
 * removed. */
int sw_prepare_decisions(sw_prepared *p, const sw_domain *domain, sw_err *err);

sw_example sw_prepared_example(const sw_prepared *p);

/* Rows of a position table that holds every trace of the data set; with
 * `mixed`, also a trace's prefix followed by any other's blocks. */
int sw_positions_needed(const sw_dataset *set, const sw_reading *reading,
                        int mixed, int64_t *rows, sw_err *err);
/* Tokens of the longest trace. */
int64_t sw_longest_trace(const sw_dataset *set);

#endif
