/* Bounds on the number of colours: greedy DSATUR from above, a clique and its
 * Mycielski extensions from below. Used by dsatur.c and its tests. Graphs of
 * more than SW_BOUND_NODES nodes get the clique bound only (bit sets). */
#ifndef SW_DOMAINS_COLORING_BOUND_H
#define SW_DOMAINS_COLORING_BOUND_H
#include "domains/coloring/graph.h"

enum { SW_BOUND_NODES = 4096 };

/* Colours every node greedily in DSATUR order (most saturated, then largest
 * degree, then lowest index); returns the number of colours, 0 when out of
 * memory. */
int32_t sw_greedy_colors(const sw_instance *graph, int32_t *color);
/* A large clique, greedily from every start node within `seconds`; returns its
 * size (clique[n] has room), 0 when n is 0, -1 when out of memory. */
int32_t sw_greedy_clique(const sw_instance *graph, double seconds,
                         int32_t *clique);
/* A proven lower bound: starts from the clique (chromatic number = size) and
 * adds Mycielski layers. A subgraph H that needs k colours, with a node z and
 * for every v of H a node w(v) adjacent to all H-neighbours of v and to z,
 * extends to one that needs k + 1: were k enough, recolouring each v that has
 * z's colour with the colour of w(v) would colour H with k - 1. */
int32_t sw_mycielski_bound(const sw_instance *graph, const int32_t *clique,
                           int32_t size, double seconds);
#endif
