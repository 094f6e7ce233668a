/* A probe over the ranks of a job: which of its items are this rank's, and
 * bringing together what was found. Items lie in order, and so do the ranks'
 * slices, so everything that is added up is added in the order of the items
 * and has the same bits for any number of ranks. Alone all items are ours and
 * nothing is moved. Results are whole on rank 0 only, which presents them. */
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
