/* Views of a data set: whole traces, or (prefix, one block) records, decided
 * at reading time. An item is a pure function of (view options, index), so the
 * order of reading, threads and resuming change nothing. */
#include <string.h>
#include "base/rng.h"
#include "base/check.h"
#include "trace/dataset_extra.h"

static int64_t block_end(const sw_dataset *set, int64_t block) {
  return set->block_start[block + 1];
}

static int is_supervised(const sw_dataset *set, int64_t block) {
  int64_t begin = set->block_start[block], end = block_end(set, block);
  return begin < end &&
         memchr(set->supervised + begin, 1, (size_t)(end - begin));
}

int sw_dataset_index(sw_dataset *set, sw_err *err) {
  sw_dataset_extra *extra = set->extra;
  int64_t most = 0;
  for (int64_t t = 0; t < set->traces; t++) {
    int64_t blocks = set->trace_block[t + 1] - set->trace_block[t];
    if (blocks > most) most = blocks;
  }
  extra->ranks = most; /* ranks 1 .. most - 1 occur */
  extra->rank_start = SW_ARENA_NEW(&extra->arena, int64_t, most + 2);
  int64_t *next = SW_ARENA_NEW(&extra->arena, int64_t, most + 2);
  extra->by_rank = SW_ARENA_NEW(&extra->arena, int64_t, set->blocks + 1);
  if (!extra->rank_start || !next || !extra->by_rank)
    return sw_no_memory_for(err, "%lld blocks", (long long)set->blocks);
  for (int pass = 0; pass < 2; pass++) {
    for (int64_t t = 0; t < set->traces; t++) {
      int64_t first = set->trace_block[t];
      for (int64_t b = first + 1; b < set->trace_block[t + 1]; b++) {
        if (!is_supervised(set, b)) continue;
        if (pass) extra->by_rank[next[b - first]++] = b;
        else extra->rank_start[b - first + 1]++;
      }
    }
    for (int64_t r = 1; !pass && r <= most; r++) {
      extra->rank_start[r] += extra->rank_start[r - 1];
      next[r] = extra->rank_start[r];
    }
  }
  return SW_OK;
}

/* Supervised decision blocks with rank <= max_blocks (0: all). */
static int64_t state_items(const sw_dataset *set, int64_t max_blocks) {
  const sw_dataset_extra *extra = set->extra;
  int64_t last = extra->ranks;
  if (max_blocks > 0 && max_blocks + 1 < last) last = max_blocks + 1;
  return extra->rank_start[last];
}

int64_t sw_dataset_items(const sw_dataset *set, const sw_view_options *view) {
  SW_CHECK(sw_dataset_check(set));
  SW_ASSERT(view);
  if (view->view != SW_VIEW_STATE_ALL) return set->traces;
  int64_t items = state_items(set, view->max_blocks);
  return view->sample > 0 && view->sample < items ? view->sample : items;
}

/* A permutation of 0..count-1 evaluated at one point: a four-round Feistel
 * network on the smallest even number of bits, walked until it lands inside.
 * The first `sample` images are a uniform sample without replacement. */
static int64_t permuted(int64_t index, int64_t count, uint64_t seed) {
  int half = 1;
  while (half < 31 && (int64_t)1 << 2 * half < count) half++;
  uint64_t mask = ((uint64_t)1 << half) - 1, x = (uint64_t)index;
  do {
    uint64_t left = x >> half, right = x & mask;
    for (uint64_t round = 0; round < 4; round++) {
      uint64_t mixed = left ^ (sw_philox_u64(seed, round, right) & mask);
      left = right;
      right = mixed;
    }
    x = left << half | right;
  } while (x >= (uint64_t)count);
  return (int64_t)x;
}

static int64_t trace_of_block(const sw_dataset *set, int64_t block) {
  int64_t low = 0, high = set->traces;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (set->trace_block[middle] <= block) low = middle;
    else high = middle;
  }
  return low;
}

/* A supervised block of the trace, uniform by (seed, trace); -1: none. */
static int64_t choose_block(const sw_dataset *set, int64_t trace,
                            const sw_view_options *view) {
  int64_t first = set->trace_block[trace] + 1,
          end = set->trace_block[trace + 1];
  int64_t chosen = -1;
  if (view->max_blocks > 0 && end - first > view->max_blocks)
    end = first + view->max_blocks;
  uint64_t seen = 0;
  for (int64_t b = first; b < end; b++) {
    if (!is_supervised(set, b)) continue;
    /* Reservoir of one: the k-th replaces the choice with probability 1/k. */
    uint64_t draw = sw_philox_u64(view->seed, (uint64_t)trace, seen++) >> 32;
    if (draw * seen >> 32 == 0) chosen = b;
  }
  return chosen;
}

static void copy_block(const sw_dataset *set, int64_t block,
                       int keep_supervision, sw_trace *out) {
  sw_trace_begin_block(out);
  if (set->viability)
    sw_trace_judge(out, out->blocks - 1, (sw_viability)set->viability[block],
                   set->query[block]);
  for (int64_t i = set->block_start[block]; i < block_end(set, block); i++)
    sw_trace_put(out, set->tokens[i], keep_supervision && set->supervised[i]);
}

static void copy_whole(const sw_dataset *set, int64_t trace, int64_t max_blocks,
                       sw_trace *out) {
  int64_t first = set->trace_block[trace], end = set->trace_block[trace + 1];
  if (max_blocks > 0 && end - first - 1 > max_blocks)
    end = first + 1 + max_blocks;
  for (int64_t b = first; b < end; b++) copy_block(set, b, 1, out);
}

/* The block behind an item of STATE_ALL. */
static int64_t state_block(const sw_dataset *set, const sw_view_options *view,
                           int64_t index) {
  int64_t all = state_items(set, view->max_blocks);
  if (view->sample > 0 && view->sample < all)
    index = permuted(index, all, view->seed);
  return set->extra->by_rank[index];
}

int64_t sw_dataset_item_trace(const sw_dataset *set,
                              const sw_view_options *view, int64_t index) {
  SW_ASSERT(index >= 0 && index < sw_dataset_items(set, view));
  if (view->view != SW_VIEW_STATE_ALL) return index;
  return trace_of_block(set, state_block(set, view, index));
}

int64_t sw_dataset_item_block(const sw_dataset *set,
                              const sw_view_options *view, int64_t index) {
  SW_ASSERT(index >= 0 && index < sw_dataset_items(set, view));
  return view->view == SW_VIEW_STATE_ALL ? state_block(set, view, index)
                                         : choose_block(set, index, view);
}

int sw_dataset_item(const sw_dataset *set, const sw_view_options *view,
                    int64_t index, sw_trace *out, sw_err *err) {
  SW_CHECK(sw_dataset_check(set));
  SW_ASSERT(view && out);
  sw_trace_clear(out);
  int64_t items = sw_dataset_items(set, view), trace = index, block = -1;
  if (index < 0 || index >= items)
    return sw_fail(err, SW_USAGE, "item %lld of %lld", (long long)index,
                   (long long)items);
  if (view->view == SW_VIEW_STATE_ALL) {
    block = state_block(set, view, index);
    trace = trace_of_block(set, block);
  } else if (view->view == SW_VIEW_STATE_ONE) {
    block = choose_block(set, trace, view);
  }
  out->n = set->n[trace];
  out->terminal = set->terminal[trace];
  out->decisions = set->decisions[trace];
  out->conflicts = set->conflicts[trace];
  if (view->view == SW_VIEW_FULL) {
    copy_whole(set, trace, view->max_blocks, out);
  } else {
    copy_block(set, set->trace_block[trace], 0, out);
    if (block >= 0) copy_block(set, block, 1, out);
  }
  return out->failed ? sw_no_memory_for(err, "a trace") : SW_OK;
}

#ifdef SW_DEBUG
/* Checks the ends only: opening checked every index. */
const char *sw_dataset_check(const sw_dataset *set) {
  if (!set || !set->extra) return "not open";
  if (set->traces < 0 || set->blocks < set->traces)
    return "a trace without a block";
  if (set->trace_start[set->traces] != set->length ||
      set->block_start[set->blocks] != set->length ||
      set->trace_block[set->traces] != set->blocks)
    return "the last one does not end where the columns do";
  return NULL;
}
#endif
