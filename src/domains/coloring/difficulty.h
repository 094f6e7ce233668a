/* How hard a graph is for classical DSATUR: reports bucket instances by it
 * (docs/coloring.md). For graphs that fit the vocabulary. */
#ifndef SW_DOMAINS_COLORING_DIFFICULTY_H
#define SW_DOMAINS_COLORING_DIFFICULTY_H
#include "domains/coloring/graph.h"

enum { SW_COL_BUCKETS = 5 }; /* 0, 1-5, 6-10, 11-20, 21 and more */

/* Recursive backtracking: most saturated node, then largest degree, then
 * lowest index; colours ascending among those no neighbour has. *backtracks
 * counts every colour that failed. Returns 1 solved, 0 no colouring, -1 when
 * more than `limit` nodes were expanded or the graph does not fit. */
int sw_col_difficulty(const sw_instance *graph, int64_t limit,
                      int64_t *backtracks);
int sw_col_bucket(int64_t backtracks);
#endif
