/* The records of a data set: every decision of every trace as a captured state
 * and the answer that the trace gives, for families that read states. Made once
 * by replaying the traces; features and graphs are computed from the captured
 * bytes when they are asked for, so that a whole data set fits in memory (a
 * record of 3-SAT n=50 takes 150 bytes; its features would take 4,000). */
#ifndef SW_TRAIN_RECORDS_H
#define SW_TRAIN_RECORDS_H
#include "domains/domain.h"
#include "domains/stored.h"
#include "trace/dataset.h"

typedef struct sw_state_record {
  int64_t state; /* offset of the captured bytes */
  int32_t trace, step;
  int16_t target[SW_STATE_HEADS]; /* -1: not asked */
  int16_t solved;                 /* the end of a solved search: no decision */
} sw_state_record;

typedef struct sw_records {
  const sw_dataset *set;
  const sw_domain *domain;
  sw_domain_options options; /* resolved */
  sw_stored stored;
  sw_instance **instance; /* [traces] */
  sw_state_record *record;
  int64_t count, room;
  int64_t *first; /* [blocks + 1] by block of the data set */
  char *bytes;
  int64_t used, byte_room;
  /* Set before sw_records_make. judged: the verdict's answer is whether the
   * state is dead (judged data sets), not whether the trace goes back. choices:
   * a record for each value of some open variables of every state, its `step`
   * the choice, its verdict whether that is dead: cannot be extended (judged),
   * or propagates to a conflict. */
  int judged, choices;
  int verdicts;    /* only the verdict is asked: nothing to act on has a name */
  int all_choices; /* of all open variables, not of some */
} sw_records;

/* Variables of a state whose choices become records, on average. */
enum { SW_CHOICES_OF_STATE = 4 };

/* Domain and options of the data set; the rest stays empty. SW_USAGE when its
 * states cannot be read as numbers. */
int sw_records_open(sw_records *records, const sw_dataset *set, sw_err *err);
/* The largest n and m of its instances. */
int sw_records_sizes(const sw_records *records, int32_t *n, int32_t *m,
                     sw_err *err);
/* All records; the solved states at the ends of traces too when `solved`. */
int sw_records_make(sw_records *records, int solved, sw_err *err);
void sw_records_close(sw_records *records);

void sw_records_features(const sw_records *records, int64_t record,
                         const sw_state_layout *layout, float *out);
int sw_records_graph(const sw_records *records, int64_t record, sw_graph *out,
                     sw_err *err);

#endif
