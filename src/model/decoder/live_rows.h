/* What a pass over one trace has to compute: which rows are alive. Rows are
 * slots first, then tokens, as in trace/mask.h.
 *
 * `live` rows are those whose final hidden state is read (a supervised
 * target's predecessor, or the rows a caller asked for). The last layer needs
 * queries, projection and FFN for live rows only; the layers below need every
 * row of [low, high), the smallest range that holds the live rows and is
 * closed under "sees" (block-only without a supervised prefix never touches
 * the prefix). */
#ifndef SW_MODEL_PLAN_H
#define SW_MODEL_PLAN_H
#include "model/decoder/model.h"
#include "trace/mask.h"

typedef struct sw_plan {
  int32_t rows; /* slots + tokens */
  int32_t low, high;
  int32_t live;
  int32_t *live_row;   /* [live] ascending, distinct */
  int32_t *live_index; /* [rows]: place in live_row, or -1 */
  nn_span *span;       /* queries low..high */
  int32_t spans;
  nn_span *last; /* live queries only, numbered as in live_row */
  int32_t lasts;
  int64_t pairs, last_pairs; /* unmasked (query, key) pairs of span, last */
  int32_t room_rows, room_spans, room_lasts;
} sw_plan;

void sw_plan_free(sw_plan *plan);
/* rows_wanted: token indices, any order, repeats allowed. */
int sw_plan_build(sw_plan *plan, const sw_mask *mask,
                  const int32_t *rows_wanted, int32_t count, sw_err *err);
/* Place of the first live row >= row in live_row; `live` when there is none. */
int32_t sw_plan_live_from(const sw_plan *plan, int32_t row);
/* Spans of the mask clipped to queries [begin, end), shifted by -shift on the
 * query side only; returns how many (writes at most `room`). */
int32_t sw_spans_clip(const sw_mask *mask, int32_t begin, int32_t end,
                      int32_t shift, nn_span *out, int32_t room);
/* Pairs of a span list with key_of_query = shift. */
int64_t sw_spans_pairs(const nn_span *span, int32_t count, int32_t shift);

#endif
