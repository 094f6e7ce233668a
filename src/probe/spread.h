/* A probe over the ranks of a job: which items belong to this rank, and
 * collecting the results. Items and the ranks' slices have the same order, so
 * every sum is taken in the order of the items and has the same bits for any
 * number of ranks. A single rank has all items and sends nothing. Only rank 0
 * has whole results, and presents them. */
#ifndef SW_PROBE_SPREAD_H
#define SW_PROBE_SPREAD_H
#include "base/ranks.h"

/* Items from .. to - 1 of `count` are this rank's. */
static inline void sw_spread(int64_t count, int64_t *from, int64_t *to) {
  *from = count * sw_ranks_me() / sw_ranks_count();
  *to = count * (sw_ranks_me() + 1) / sw_ranks_count();
}

/* An array with one entry for each item, each right on the rank that has it:
 * right everywhere afterwards. */
int sw_spread_join(void *items, size_t size, int64_t count, sw_err *err);
/* Counts, added up on rank 0. */
int sw_spread_add(int64_t *counts, int64_t count, sw_err *err);

#endif
