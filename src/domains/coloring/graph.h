/* Graphs: the instances of the colouring domain. A graph is simple (no self
 * loops, no double edges), stored as sorted neighbour lists, and read-only
 * once built. Built by the planted generator (planted.c), by the DIMACS reader
 * (dimacs_col.c) and by tests; used by the environment and by the complete
 * search (dsatur.h), which also takes graphs too large for the vocabulary. */
#ifndef SW_DOMAINS_COLORING_GRAPH_H
#define SW_DOMAINS_COLORING_GRAPH_H
#include <stdint.h>
#include "base/err.h"
#include "domains/coloring/coloring_options.h"
#include "domains/domain.h"

enum {
  SW_COL_NODES_MAX = 75,      /* of the vocabulary */
  SW_COL_COLORS_MAX = 4,      /* of the vocabulary */
  SW_COL_FILE_NODES = 1000000 /* largest graph that is read from a file */
};

struct sw_instance {
  int32_t n;         /* nodes, 0-based */
  int32_t colors;    /* colours allowed */
  int64_t edges;     /* undirected */
  int64_t *start;    /* [n+1] into neighbor */
  int32_t *neighbor; /* [2*edges], ascending within a node */
  char note[160];    /* what a reader found odd; empty: nothing */
};

typedef struct sw_edge {
  int32_t a, b;
} sw_edge;

/* Builds a graph from edges in any order and direction; duplicates are merged
 * (`list` is reordered). Ends must be in 0..n-1 and differ: SW_INTERNAL. */
int sw_graph_new(sw_instance **graph, int32_t n, int32_t colors, sw_edge *list,
                 int64_t count, sw_err *err);
void sw_graph_free(sw_instance *graph);
uint64_t sw_graph_hash(const sw_instance *graph);
int sw_graph_adjacent(const sw_instance *graph, int32_t a, int32_t b);
static inline int32_t sw_graph_degree(const sw_instance *graph, int32_t v) {
  return (int32_t)(graph->start[v + 1] - graph->start[v]);
}

/* Independent validator: color[v] in 1..colors for every node and different
 * across every edge. Walks the neighbour lists only. */
int sw_graph_check(const sw_instance *graph, const int32_t *color,
                   int32_t colors);

/* Instance streams of sw_domain (planted.c). */
int sw_planted_new(sw_stream **stream, const sw_domain_options *options,
                   uint64_t seed, sw_split split, sw_err *err);
int sw_planted_next(sw_stream *stream, sw_instance **instance, sw_err *err);
void sw_planted_free(sw_stream *stream);
/* The planted colours of the graph drawn last: a certificate for tests. */
const int32_t *sw_planted_solution(const sw_stream *stream);

/* DIMACS .col (dimacs_col.c). */
int sw_col_recognises(const sw_domain *domain, const char *path,
                      const char *text, size_t bytes);
int sw_col_parse(sw_instance **instance, const char *path, const char *text,
                 size_t bytes, const sw_domain_options *options, sw_err *err);
#endif
