/* One sum through all ranks (sw_ranks_fold), and slices of equal cost. The
 * chain keeps the order of the items for any number of ranks; cutting the
 * array into pieces lets rank r + 1 add to the first while rank r adds to the
 * second, so a long chain takes hardly longer than one hop. */
#include <stdlib.h>
#include <string.h>
#include "base/ranks.h"
#include "base/ranks_link.h"
#include "base/ranks_wait.h"

enum { SMALLEST = 1 << 14, LARGEST = 1 << 18, AHEAD = 8 }; /* floats; pieces */

typedef struct piece {
  size_t from, to;
  int owner;
  sw_link_op in, out, total;
} piece;

/* Pieces end where an owner's share ends. */
static piece *cut(const size_t *begin, int ranks, size_t *count) {
  size_t whole = begin[ranks], size = whole / (8 * (size_t)ranks) + 1, n = 0;
  if (size < SMALLEST) size = SMALLEST;
  if (size > LARGEST) size = LARGEST;
  piece *p = calloc(whole / size + (size_t)ranks + 1, sizeof *p);
  for (int r = 0; p && r < ranks; r++)
    for (size_t at = begin[r]; at < begin[r + 1]; n++) {
      size_t end = begin[r + 1] - at < size ? begin[r + 1] : at + size;
      p[n] = (piece){.from = at, .to = end, .owner = r};
      at = end;
    }
  *count = n;
  return p;
}

static size_t bytes(const piece *p) {
  return (p->to - p->from) * sizeof(float);
}

/* Receives of the totals may begin where the piece has left this rank. */
static void expect_totals(piece *p, size_t count, float *sum, size_t *next) {
  int me = sw_ranks_me(), last = sw_ranks_count() - 1;
  if (me == last) return;
  for (; *next < count; ++*next) {
    piece *at = &p[*next];
    if (at->owner == me) {
      if (sw_wait_test(&at->out) != 1) return;
      sw_wait_receive(last, SW_CHANNEL_TOTAL, sum + at->from, bytes(at),
                      &at->total);
    }
  }
}

static int run_chain(piece *p, size_t count, float *sum, sw_fold_fn fold,
                     void *context, sw_err *err) {
  int me = sw_ranks_me(), last = sw_ranks_count() - 1;
  size_t expected = 0, totals = 0;
  for (size_t i = 0; i < count; i++) {
    if (me > 0) {
      for (; expected < count && expected < i + AHEAD; expected++)
        sw_wait_receive(me - 1, SW_CHANNEL_DATA, sum + p[expected].from,
                        bytes(&p[expected]), &p[expected].in);
      SW_TRY(sw_wait(&p[i].in, err));
      fold(context, p[i].from, p[i].to);
    }
    if (me < last)
      sw_wait_send(me + 1, SW_CHANNEL_DATA, sum + p[i].from, bytes(&p[i]),
                   &p[i].out);
    else if (p[i].owner != me)
      sw_wait_send(p[i].owner, SW_CHANNEL_TOTAL, sum + p[i].from, bytes(&p[i]),
                   &p[i].out);
    expect_totals(p, i + 1, sum, &totals);
  }
  for (size_t i = 0; i < count; i++) {
    SW_TRY(sw_wait(&p[i].out, err));
    expect_totals(p, count, sum, &totals);
  }
  for (size_t i = 0; i < count; i++) SW_TRY(sw_wait(&p[i].total, err));
  return SW_OK;
}

int sw_ranks_fold(float *sum, const size_t *begin, sw_fold_fn fold,
                  void *context, sw_err *err) {
  size_t count;
  if (sw_ranks_count() == 1) return SW_OK;
  piece *p = cut(begin, sw_ranks_count(), &count);
  if (!p) return sw_no_memory_for(err, "a sum over ranks");
  double from = sw_wait_begin();
  int code = run_chain(p, count, sum, fold, context, err);
  sw_wait_end(from);
  free(p);
  return code;
}

/* Parts that slices of at most `most` need. */
static int parts_needed(const double *cost, size_t count, double most,
                        size_t *begin, int parts) {
  int part = 0;
  double sum = 0;
  if (begin) begin[0] = 0;
  for (size_t i = 0; i < count; i++) {
    if (sum > 0 && sum + cost[i] > most) {
      part++;
      sum = 0;
      if (begin && part <= parts) begin[part] = i;
    }
    sum += cost[i];
  }
  return part + 1;
}

void sw_slices(const double *cost, size_t count, int parts, size_t *begin) {
  double low = 0, high = 0;
  for (size_t i = 0; i < count; i++) {
    low = cost[i] > low ? cost[i] : low;
    high += cost[i];
  }
  for (int i = 0; i < 60; i++) { /* halving the doubt; the same everywhere */
    double middle = low + (high - low) / 2;
    if (parts_needed(cost, count, middle, NULL, parts) <= parts) high = middle;
    else low = middle;
  }
  for (int p = 0; p <= parts; p++) begin[p] = count;
  parts_needed(cost, count, high, begin, parts);
  begin[parts] = count;
}
