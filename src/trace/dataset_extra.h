/* What a data set reader owns beside the mapping; shared by dataset.c (which
 * opens and closes it) and dataset_view.c (which builds and reads the index).
 */
#ifndef SW_TRACE_DATASET_EXTRA_H
#define SW_TRACE_DATASET_EXTRA_H
#include "base/arena.h"
#include "trace/dataset.h"

/* Supervised decision blocks, those that are first in their trace first, then
 * the second ones, ...; so the view with at most K blocks is a beginning of
 * the list. Blocks of rank r (1 = first decision block) are
 * by_rank[rank_start[r]] to by_rank[rank_start[r + 1] - 1]; rank_start has
 * ranks + 1 entries and rank_start[0] = rank_start[1] = 0. */
typedef struct sw_dataset_extra {
  sw_arena arena;
  int64_t *by_rank, *rank_start;
  int64_t ranks;
} sw_dataset_extra;

int sw_dataset_index(sw_dataset *set, sw_err *err);

#endif
