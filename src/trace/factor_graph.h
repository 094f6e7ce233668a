/* A constraint graph with a state on it: variables (nodes), constraints
 * (factors), and an edge for every place where a variable stands in a
 * constraint. Made by domains (domains/state_ops.h), read by the families of
 * models that read graphs. It is plain numbers, so a reader needs no knowledge
 * of the domain. Many edges are alike (a sign, a place), so the data of an edge
 * is kept once for each kind of edge. */
#ifndef SW_TRACE_FACTOR_GRAPH_H
#define SW_TRACE_FACTOR_GRAPH_H
#include <stddef.h>
#include <stdint.h>

enum { SW_GRAPH_NODE = 9, SW_GRAPH_FACTOR = 5, SW_GRAPH_EDGE = 2 };
enum { SW_GRAPH_GLOBAL = 4, SW_GRAPH_CONFLICT = 2 /* which global */ };

typedef struct sw_graph {
  int32_t nodes, factors, edges, kinds;
  int32_t values; /* a node can take */
  float *node;    /* [nodes][SW_GRAPH_NODE] */
  float *factor;  /* [factors][SW_GRAPH_FACTOR] */
  float *kind;    /* [kinds][SW_GRAPH_EDGE] */
  float global[SW_GRAPH_GLOBAL];
  int32_t *edge_node, *edge_factor, *edge_kind; /* [edges] */
  uint8_t *open; /* [nodes][values]: 1 when the node may take the value now */
  void *block;   /* owns the arrays */
  size_t room;
} sw_graph;

/* Room for arrays of these sizes, contents undefined; kept when a later graph
 * is smaller. 0: out of memory. */
int sw_graph_reserve(sw_graph *graph, int32_t nodes, int32_t factors,
                     int32_t edges, int32_t kinds, int32_t values);
/* 0: out of memory. */
int sw_graph_copy(sw_graph *to, const sw_graph *from);
void sw_graph_release(sw_graph *graph);

#endif
