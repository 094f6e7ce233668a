/* Inside src/model/lstm only: the stretches of rows that an LSTM runs through
 * one after the other. A lane starts from zero, from the last state of another
 * lane (its parent), or from a state that a session kept; lanes that do not
 * wait for one another run in lock-step, so that a step's products have a row
 * for each of them. What a block starts from follows from the item's mask:
 *   it sees prefix and earlier blocks   one lane for the whole trace
 *   it sees the prefix                  a lane each, behind the prefix's
 *   it sees neither                     a lane each, from zero
 *   it sees earlier blocks only         one lane for the prefix, one for the
 * rest Rows that feed nothing that was asked for are in no lane. Rows of the
 * lanes of an item follow one another in the order of their tokens. */
#ifndef SW_MODEL_LSTM_LANES_H
#define SW_MODEL_LSTM_LANES_H
#include "model/item.h"
#include "trace/mask.h"

typedef struct sw_lane {
  int32_t item;
  int32_t first;           /* token of its first row */
  int32_t at, rows;        /* its rows in the plan */
  int32_t parent;          /* a lane, or -1 */
  int32_t children, child; /* how many start from it; the first of them */
  const float *start;      /* parent -1: [layers][2][d] h and c; NULL: zero */
} sw_lane;

typedef struct sw_lane_rank {
  int32_t rows, lane;
} sw_lane_rank;

enum { SW_LSTM_LEVELS = 2 }; /* lanes with a parent come second */
typedef struct sw_lanes {
  sw_lane *lane;
  int32_t count, room, rows;
  int32_t *item_first; /* [items + 1] lanes of an item */
  int32_t items, item_room;
  sw_lane_rank *order; /* by level, the longest first */
  int32_t level_begin[SW_LSTM_LEVELS + 1], order_room;
  int32_t *last; /* scratch: last token asked for in each block, or -1 */
  int64_t last_room;
} sw_lanes;

void sw_lanes_free(sw_lanes *lanes);
void sw_lanes_clear(sw_lanes *lanes);
/* The next item: lanes for what its `wanted` rows need. SW_USAGE: its mask is
 * none that a recurrent network can read. */
int sw_lanes_add_item(sw_lanes *lanes, const sw_example *example,
                      const int32_t *wanted, int32_t count, sw_err *err);
/* The same by hand: begin an item, then add its lanes. */
int sw_lanes_begin_item(sw_lanes *lanes, sw_err *err);
int sw_lanes_add(sw_lanes *lanes, int32_t first, int32_t rows, int32_t parent,
                 const float *start, sw_err *err);
/* Behind the last item: the order in which they run. */
int sw_lanes_order(sw_lanes *lanes, sw_err *err);

/* The lane that has a row of the plan; the row of an item's token (which must
 * be in a lane). */
int32_t sw_lanes_of_row(const sw_lanes *lanes, int32_t row);
int32_t sw_lanes_row(const sw_lanes *lanes, int32_t item, int32_t token);
/* First row behind an item's rows; item - 1's is its first. */
static inline int32_t sw_lanes_item_end(const sw_lanes *lanes, int32_t item) {
  int32_t last = lanes->item_first[item + 1] - 1;
  return last < 0 ? 0 : lanes->lane[last].at + lanes->lane[last].rows;
}
static inline int32_t sw_lanes_item_at(const sw_lanes *lanes, int32_t item) {
  return item ? sw_lanes_item_end(lanes, item - 1) : 0;
}

/* The state that a mask lets a block start from; -1: the mask does not suit a
 * recurrent net. */
typedef enum {
  SW_START_AFTER_ALL,
  SW_START_AFTER_PREFIX,
  SW_START_ZERO,
  SW_START_AFTER_BLOCKS
} sw_block_start;
int sw_block_start_of(sw_mask_kind mask);

#endif
