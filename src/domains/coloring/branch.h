/* The two complete searches behind dsatur.h for a fixed number of colours. */
#ifndef SW_DOMAINS_COLORING_BRANCH_H
#define SW_DOMAINS_COLORING_BRANCH_H
#include "domains/coloring/dsatur.h"

/* DSATUR branch and bound with forward checking, the clique coloured first.
 * Limits: monotonic time `stop` and `max_nodes` (0: none). `color` is filled
 * when the verdict is SW_COLOR_FOUND. *nodes is increased. */
int sw_branch(const sw_instance *graph, int32_t k, const int32_t *clique,
              int32_t clique_size, double stop, int64_t max_nodes,
              int32_t *color, sw_color_verdict *verdict, int64_t *nodes,
              sw_err *err);
/* The same question to CaDiCaL (direct encoding, clique fixed). Graphs whose
 * encoding would be too large are left SW_COLOR_UNKNOWN. */
int sw_branch_sat(const sw_instance *graph, int32_t k, const int32_t *clique,
                  int32_t clique_size, double stop, int32_t *color,
                  sw_color_verdict *verdict, sw_err *err);
#endif
