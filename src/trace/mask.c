/* Masks as segment lists. sw_mask_region turns a row of the table into the runs
 * that the rows of one region (slots, prefix, one block) see; everything else
 * only lays regions out along a trace. Adjacent runs are not merged: a block's
 * runs are the same in a long trace as in (prefix, block) alone, which is what
 * makes the kernels' bits equal in both. */
#include "trace/mask.h"
#include "base/check.h"
#include <stdlib.h>
#include <string.h>

void sw_mask_init(sw_mask *mask) { memset(mask, 0, sizeof *mask); }

void sw_mask_free(sw_mask *mask) {
  free(mask->span);
  free(mask->dense);
  sw_mask_init(mask);
}

static void add_run(sw_span *span, int32_t begin, int32_t end, int32_t causal,
                    int32_t window) {
  if (begin < end)
    span->run[span->runs++] = (sw_run){begin, end, causal, window};
}

void sw_mask_region(sw_mask_kind kind, sw_region region, int32_t slots,
                    int32_t prefix, int32_t rows, int32_t window,
                    sw_span *span) {
  SW_ASSERT(sw_mask_row_of(kind));
  SW_ASSERT(slots >= 0 && prefix >= 0 && rows >= slots);
  SW_ASSERT(span);
  const sw_mask_row *row = sw_mask_row_of(kind);
  int32_t blocks_begin = slots + prefix;
  span->runs = 0;
  switch (region) {
    case SW_REGION_SLOTS:
      if (row->slots & SW_READS_SLOTS) add_run(span, 0, slots, 0, 0);
      if (row->slots & SW_READS_LATER) add_run(span, slots, rows, 0, 0);
      else if (row->slots & SW_READS_PREFIX)
        add_run(span, slots, blocks_begin, 0, 0);
      break;
    case SW_REGION_PREFIX:
      if (row->prefix & SW_READS_SLOTS) add_run(span, 0, slots, 0, 0);
      add_run(span, slots, blocks_begin, !(row->prefix & SW_READS_LATER), 0);
      break;
    case SW_REGION_BLOCK:
      if (row->block & SW_READS_SLOTS) add_run(span, 0, slots, 0, 0);
      if (row->block & SW_READS_PREFIX)
        add_run(span, slots, blocks_begin, 0, 0);
      add_run(span, row->block & SW_READS_EARLIER ? blocks_begin : span->begin,
              span->end, 1, row->windowed ? window : 0);
      break;
  }
}

static int check(sw_mask_kind kind, int32_t slots, int64_t length,
                 const int64_t *block_start, int64_t blocks, int32_t window,
                 sw_err *err) {
  const sw_mask_row *row = sw_mask_row_of(kind);
  if (!row) return sw_fail(err, SW_USAGE, "mask %d does not exist", (int)kind);
  if (slots < 0 || length < 0 || length > INT32_MAX - slots)
    return sw_fail(err, SW_LIMIT, "mask over %d slots and %lld tokens", slots,
                   (long long)length);
  if (slots && !row->slots) {
    sw_fail(err, SW_USAGE, "mask %s with %d slots", row->name, slots);
    return sw_hint(err, "use mask causal, or a model without slots");
  }
  if (row->windowed && window < 1)
    return sw_fail(err, SW_USAGE, "mask %s with a window of %d", row->name,
                   window);
  if (blocks < 1 || block_start[0] != 0)
    return sw_fail(err, SW_DATA, "a trace without a prefix block at token 0");
  for (int64_t b = 1; b < blocks; b++)
    if (block_start[b] < block_start[b - 1] || block_start[b] > length)
      return sw_fail(err, SW_DATA,
                     "block %lld starts at token %lld: not between %lld and "
                     "the length %lld",
                     (long long)b, (long long)block_start[b],
                     (long long)block_start[b - 1], (long long)length);
  return SW_OK;
}

/* Adds the span of one region's rows; empty ones vanish. */
static void add_span(sw_mask *mask, sw_region region, int32_t prefix,
                     int32_t begin, int32_t end) {
  if (begin >= end) return;
  sw_span *span = &mask->span[mask->spans++];
  span->begin = begin;
  span->end = end;
  span->shift = 0;
  sw_mask_region(mask->kind, region, mask->slots, prefix,
                 mask->slots + mask->length, mask->window, span);
}

static int reserve(sw_mask *mask, int64_t spans, sw_err *err) {
  if (mask->room >= spans) return SW_OK;
  sw_span *grown = realloc(mask->span, (size_t)spans * sizeof *grown);
  if (!grown) return sw_no_memory_for(err, "a mask");
  mask->span = grown;
  mask->room = (int32_t)spans;
  return SW_OK;
}

static void lay_out(sw_mask *mask, const int64_t *block_start, int64_t blocks) {
  int32_t slots = mask->slots, rows = slots + mask->length;
  int32_t prefix = blocks > 1 ? (int32_t)block_start[1] : mask->length;
  mask->spans = 0;
  add_span(mask, SW_REGION_SLOTS, prefix, 0, slots);
  add_span(mask, SW_REGION_PREFIX, prefix, slots, slots + prefix);
  if (!sw_mask_block_local(mask->kind)) {
    add_span(mask, SW_REGION_BLOCK, prefix, slots + prefix, rows);
    return;
  }
  for (int64_t b = 1; b < blocks; b++) {
    int64_t end = b + 1 < blocks ? block_start[b + 1] : mask->length;
    add_span(mask, SW_REGION_BLOCK, prefix, slots + (int32_t)block_start[b],
             slots + (int32_t)end);
  }
}

static const sw_span *span_of(const sw_mask *mask, int32_t query) {
  int32_t low = 0, high = mask->spans;
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;
    if (mask->span[middle].begin <= query) low = middle;
    else high = middle;
  }
  return &mask->span[low];
}

static int runs_see(const sw_mask *mask, int32_t query, int32_t key) {
  const sw_span *span = span_of(mask, query);
  for (int32_t r = 0; r < span->runs; r++) {
    const sw_run *run = &span->run[r];
    if (key < run->begin || key >= run->end) continue;
    return (!run->causal || key <= query) &&
           (!run->window || query - key < run->window);
  }
  return 0;
}

int sw_mask_sees(const sw_mask *mask, int32_t query, int32_t key) {
  SW_CHECK(sw_mask_check(mask));
  int32_t rows = mask->slots + mask->length;
  if (query < 0 || key < 0 || query >= rows || key >= rows) return 0;
  if (mask->dense)
    return mask->dense[(size_t)query * (size_t)rows + (size_t)key];
  return runs_see(mask, query, key);
}

/* The keys [*begin, *end) that a run lets `query` see. */
static void run_keys(const sw_run *run, int32_t query, int32_t *begin,
                     int32_t *end) {
  *begin = run->begin;
  *end = run->end;
  if (run->causal && *end > query + 1) *end = query + 1;
  if (run->window && *begin < query - run->window + 1)
    *begin = query - run->window + 1;
}

static int64_t row_keys(const sw_span *span, int32_t query) {
  int64_t keys = 0;
  for (int32_t r = 0; r < span->runs; r++) {
    int32_t begin, end;
    run_keys(&span->run[r], query, &begin, &end);
    keys += end > begin ? end - begin : 0;
  }
  return keys;
}

int32_t sw_mask_keys(const sw_mask *mask, int32_t query, int32_t *key) {
  SW_ASSERT(!mask->dense);
  SW_ASSERT(query >= 0 && query < mask->slots + mask->length);
  const sw_span *span = span_of(mask, query);
  int32_t count = 0;
  if (!key) return (int32_t)row_keys(span, query);
  for (int32_t r = 0; r < span->runs; r++) {
    int32_t begin, end;
    run_keys(&span->run[r], query, &begin, &end);
    for (int32_t k = begin; k < end; k++) key[count++] = k;
  }
  return count;
}

int64_t sw_mask_pairs(const sw_mask *mask) {
  SW_CHECK(sw_mask_check(mask));
  int64_t pairs = 0, rows = (int64_t)mask->slots + mask->length;
  if (mask->dense) {
    for (int64_t i = 0; i < rows * rows; i++) pairs += mask->dense[i];
    return pairs;
  }
  for (int32_t s = 0; s < mask->spans; s++)
    for (int32_t q = mask->span[s].begin; q < mask->span[s].end; q++)
      pairs += row_keys(&mask->span[s], q);
  return pairs;
}

/* A drawn mask: room for rows x rows, then the row's own function. */
static int draw(sw_mask *mask, const int64_t *block_start, int64_t blocks,
                sw_err *err) {
  const sw_mask_row *row = sw_mask_row_of(mask->kind);
  size_t rows = (size_t)mask->slots + (size_t)mask->length, need = rows * rows;
  if (rows > (size_t)SW_MASK_DENSE_ROWS)
    return sw_fail(err, SW_LIMIT, "mask %s over %zu rows: at most %d",
                   row->name, rows, SW_MASK_DENSE_ROWS);
  if (need > mask->dense_room || !mask->dense) {
    free(mask->dense);
    mask->dense_room = 0;
    mask->dense = malloc(need ? need : 1);
    if (!mask->dense)
      return sw_no_memory_for(err, "a %zu x %zu mask", rows, rows);
    mask->dense_room = need;
  }
  memset(mask->dense, 0, need);
  /* One span over everything: a superset, for code that counts or iterates. */
  mask->spans = rows > 0;
  mask->span[0] = (sw_span){0, (int32_t)rows, 1, {{0, (int32_t)rows, 0, 0}}, 0};
  return row->draw(mask, block_start, blocks, err);
}

int sw_mask_build(sw_mask *mask, sw_mask_kind kind, int32_t slots,
                  int64_t length, const int64_t *block_start, int64_t blocks,
                  int32_t window, uint64_t seed, sw_err *err) {
  SW_ASSERT(mask && (block_start || blocks < 1));
  SW_TRY(check(kind, slots, length, block_start, blocks, window, err));
  SW_TRY(reserve(mask, blocks + 2, err));
  mask->kind = kind;
  mask->slots = slots;
  mask->length = (int32_t)length;
  mask->window = window;
  mask->seed = seed;
  if (sw_mask_row_of(kind)->draw) return draw(mask, block_start, blocks, err);
  free(mask->dense);
  mask->dense = NULL;
  mask->dense_room = 0;
  lay_out(mask, block_start, blocks);
  return SW_OK;
}

#ifdef SW_DEBUG
const char *sw_mask_check(const sw_mask *mask) {
  if (!mask) return "no mask";
  int32_t rows = mask->slots + mask->length, next = 0;
  if (mask->slots < 0 || mask->length < 0) return "a size below 0";
  if (mask->spans < 0 || mask->spans > mask->room) return "no room for a span";
  for (int32_t s = 0; s < mask->spans; s++) {
    const sw_span *span = &mask->span[s];
    if (span->begin != next || span->end <= next) return "a span out of order";
    next = span->end;
    if (span->runs < 1 || span->runs > SW_RUNS_MAX)
      return "a span that sees nothing";
    for (int32_t r = 0; r < span->runs; r++) {
      const sw_run *run = &span->run[r];
      if (run->begin >= run->end || run->end > rows)
        return "a run outside the rows";
      if (r && run->begin < span->run[r - 1].end) return "runs overlap";
    }
  }
  return next == rows ? NULL : "rows without a span";
}
#endif
