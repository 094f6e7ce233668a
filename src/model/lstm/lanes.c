/* Lanes: see lanes.h. */
#include "model/lstm/lanes.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"

void sw_lanes_free(sw_lanes *l) {
  free(l->lane);
  free(l->item_first);
  free(l->order);
  free(l->last);
  memset(l, 0, sizeof *l);
}

void sw_lanes_clear(sw_lanes *l) { l->count = l->rows = l->items = 0; }

static int no_room(sw_err *err) {
  return sw_no_memory_for(err, "the lanes of a step");
}

int sw_lanes_begin_item(sw_lanes *l, sw_err *err) {
  if (!sw_grow(&l->item_first, &l->item_room, l->items + 2,
               sizeof *l->item_first))
    return no_room(err);
  l->item_first[l->items++] = l->count;
  l->item_first[l->items] = l->count;
  return SW_OK;
}

int sw_lanes_add(sw_lanes *l, int32_t first, int32_t rows, int32_t parent,
                 const float *start, sw_err *err) {
  if (!sw_grow(&l->lane, &l->room, l->count + 1, sizeof *l->lane))
    return no_room(err);
  if (rows > INT32_MAX / 2 - l->rows)
    return sw_fail(err, SW_LIMIT, "a step of more than %d tokens",
                   INT32_MAX / 2);
  l->lane[l->count] = (sw_lane){.item = l->items - 1,
                                .first = first,
                                .at = l->rows,
                                .rows = rows,
                                .parent = parent,
                                .start = start};
  if (parent >= 0 && !l->lane[parent].children++)
    l->lane[parent].child = l->count;
  l->rows += rows;
  l->item_first[l->items] = ++l->count;
  return SW_OK;
}

int sw_block_start_of(sw_mask_kind mask) {
  const sw_mask_row *row = sw_mask_row_of(mask);
  unsigned block = row ? row->block : 0;
  if (!row || row->windowed || row->draw || sw_mask_leaks(mask) ||
      !(row->prefix & SW_READS_OWN) || !(block & SW_READS_OWN))
    return -1;
  if (block & SW_READS_EARLIER)
    return block & SW_READS_PREFIX ? SW_START_AFTER_ALL : SW_START_AFTER_BLOCKS;
  return block & SW_READS_PREFIX ? SW_START_AFTER_PREFIX : SW_START_ZERO;
}

/* The block of a token. */
static int64_t block_of(const int64_t *start, int64_t blocks, int32_t token) {
  int64_t low = 0, high = blocks - 1;
  while (low < high) {
    int64_t middle = (low + high + 1) / 2;
    if (start[middle] <= token) low = middle;
    else high = middle - 1;
  }
  return low;
}

/* One lane for each of the stretches, which are blocks or rows of them. */
static int add_stretches(sw_lanes *l, const int64_t *start, int64_t count,
                         int restored, sw_err *err) {
  int32_t parent = -1;
  int64_t alive = 0;
  for (int64_t b = 1; b < count; b++) alive += l->last[b] >= 0;
  if (restored && alive && count > 1) l->last[0] = (int32_t)start[1] - 1;
  for (int64_t b = 0; b < count; b++) {
    int32_t rows = l->last[b] - (int32_t)start[b] + 1;
    if (l->last[b] < 0 || rows <= 0) continue;
    SW_TRY(
        sw_lanes_add(l, (int32_t)start[b], rows, b ? parent : -1, NULL, err));
    if (restored && b == 0) parent = l->count - 1;
  }
  return SW_OK;
}

int sw_lanes_add_item(sw_lanes *l, const sw_example *ex, const int32_t *wanted,
                      int32_t count, sw_err *err) {
  static const int64_t whole = 0;
  int kind = sw_block_start_of(ex->mask->kind);
  if (kind < 0) {
    sw_fail(err, SW_USAGE, "a recurrent network cannot read by the mask %s",
            sw_mask_name(ex->mask->kind));
    return sw_hint(err,
                   "ssa, block-only and causal-noslot are the masks of "
                   "its modes");
  }
  SW_TRY(sw_lanes_begin_item(l, err));
  const int64_t *start = ex->block_start ? ex->block_start : &whole;
  int64_t blocks = ex->block_start && ex->blocks > 0 ? ex->blocks : 1;
  if (kind == SW_START_AFTER_ALL) blocks = 1;
  if (kind == SW_START_AFTER_BLOCKS && blocks > 2) blocks = 2;
  if (!sw_grow64(&l->last, &l->last_room, blocks, sizeof *l->last))
    return no_room(err);
  for (int64_t b = 0; b < blocks; b++) l->last[b] = -1;
  for (int32_t i = 0; i < count; i++) {
    int64_t b = block_of(start, blocks, wanted[i]);
    if (wanted[i] > l->last[b]) l->last[b] = wanted[i];
  }
  return add_stretches(l, start, blocks, kind == SW_START_AFTER_PREFIX, err);
}

static int longest_first(const void *x, const void *y) {
  const sw_lane_rank *a = x, *b = y;
  if (a->rows != b->rows) return a->rows > b->rows ? -1 : 1;
  return a->lane < b->lane ? -1 : a->lane > b->lane;
}

int sw_lanes_order(sw_lanes *l, sw_err *err) {
  if (!sw_grow(&l->order, &l->order_room, l->count, sizeof *l->order))
    return no_room(err);
  int32_t used = 0;
  for (int level = 0; level < SW_LSTM_LEVELS; level++) {
    l->level_begin[level] = used;
    for (int32_t i = 0; i < l->count; i++)
      if ((l->lane[i].parent >= 0) == level)
        l->order[used++] = (sw_lane_rank){l->lane[i].rows, i};
    int32_t begin = l->level_begin[level];
    if (used > begin)
      qsort(l->order + begin, (size_t)(used - begin), sizeof *l->order,
            longest_first);
  }
  l->level_begin[SW_LSTM_LEVELS] = used;
  return SW_OK;
}

int32_t sw_lanes_of_row(const sw_lanes *l, int32_t row) {
  int32_t low = 0, high = l->count - 1;
  while (low < high) {
    int32_t middle = (low + high + 1) / 2;
    if (l->lane[middle].at <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

int32_t sw_lanes_row(const sw_lanes *l, int32_t item, int32_t token) {
  int32_t low = l->item_first[item], high = l->item_first[item + 1] - 1;
  while (low < high) {
    int32_t middle = (low + high + 1) / 2;
    if (l->lane[middle].first <= token) low = middle;
    else high = middle - 1;
  }
  return l->lane[low].at + token - l->lane[low].first;
}
