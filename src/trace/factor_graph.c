/* Constraint graphs as plain numbers (see factor_graph.h). */
#include "trace/factor_graph.h"
#include <stdlib.h>
#include <string.h>

/* Hands out the arrays from one block. With block NULL it only measures. */
static size_t lay_out(sw_graph *g, char *block) {
  size_t used = 0;
#define PLACE(field, count)                              \
  do {                                                   \
    if (block) g->field = (void *)(block + used);        \
    used += (sizeof *g->field * (count) + 15) / 16 * 16; \
  } while (0)
  PLACE(node, (size_t)g->nodes * SW_GRAPH_NODE);
  PLACE(factor, (size_t)g->factors * SW_GRAPH_FACTOR);
  PLACE(kind, (size_t)g->kinds * SW_GRAPH_EDGE);
  PLACE(edge_node, (size_t)g->edges);
  PLACE(edge_factor, (size_t)g->edges);
  PLACE(edge_kind, (size_t)g->edges);
  PLACE(open, (size_t)g->nodes * (size_t)g->values);
#undef PLACE
  return used;
}

int sw_graph_reserve(sw_graph *g, int32_t nodes, int32_t factors, int32_t edges,
                     int32_t kinds, int32_t values) {
  sw_graph sizes = {.nodes = nodes,
                    .factors = factors,
                    .edges = edges,
                    .kinds = kinds,
                    .values = values};
  size_t bytes = lay_out(&sizes, NULL);
  if (bytes > g->room || !g->block) {
    void *block = realloc(g->block, bytes + 16);
    if (!block) return 0;
    g->block = block;
    g->room = bytes;
  }
  g->nodes = nodes;
  g->factors = factors;
  g->edges = edges;
  g->kinds = kinds;
  g->values = values;
  lay_out(g, g->block);
  return 1;
}

int sw_graph_copy(sw_graph *to, const sw_graph *from) {
  if (!sw_graph_reserve(to, from->nodes, from->factors, from->edges,
                        from->kinds, from->values))
    return 0;
  sw_graph sizes = *from;
  memcpy(to->block, from->block, lay_out(&sizes, NULL));
  memcpy(to->global, from->global, sizeof to->global);
  return 1;
}

void sw_graph_release(sw_graph *g) {
  free(g->block);
  memset(g, 0, sizeof *g);
}
