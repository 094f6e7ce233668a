/* Graphs: building, hashing and checking (see graph.h). */
#include "domains/coloring/graph.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

static int by_ends(const void *x, const void *y) {
  const sw_edge *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return (a->b > b->b) - (a->b < b->b);
}

/* Orders each edge's ends, sorts, drops duplicates. Returns the new count, or
 * -1 when an edge is not one of a simple graph on n nodes. */
static int64_t normalise(sw_edge *list, int64_t count, int32_t n) {
  for (int64_t i = 0; i < count; i++) {
    sw_edge e = list[i];
    if (e.a == e.b || e.a < 0 || e.b < 0 || e.a >= n || e.b >= n) return -1;
    if (e.a > e.b) list[i] = (sw_edge){e.b, e.a};
  }
  if (count) qsort(list, (size_t)count, sizeof *list, by_ends);
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++)
    if (!kept || by_ends(&list[kept - 1], &list[i]) != 0)
      list[kept++] = list[i];
  return kept;
}

/* With edges sorted by (smaller, larger end), filling in this order leaves
 * every neighbour list ascending: a node's smaller neighbours come as first
 * ends before its own row begins. */
static void fill_lists(sw_instance *g, const sw_edge *list, int64_t *next) {
  for (int64_t i = 0; i < g->edges; i++) {
    g->start[list[i].a + 1]++;
    g->start[list[i].b + 1]++;
  }
  for (int32_t v = 0; v < g->n; v++) {
    g->start[v + 1] += g->start[v];
    next[v] = g->start[v];
  }
  for (int64_t i = 0; i < g->edges; i++) {
    g->neighbor[next[list[i].b]++] = list[i].a;
    g->neighbor[next[list[i].a]++] = list[i].b;
  }
}

int sw_graph_new(sw_instance **graph, int32_t n, int32_t colors, sw_edge *list,
                 int64_t count, sw_err *err) {
  *graph = NULL;
  int64_t edges = normalise(list, count, n);
  if (edges < 0)
    return sw_fail(err, SW_INTERNAL, "edge outside a simple graph of %d nodes",
                   n);
  sw_instance *g = calloc(1, sizeof *g);
  int64_t *next = malloc(sizeof *next * (size_t)(n + 1));
  if (g) {
    g->n = n;
    g->colors = colors;
    g->edges = edges;
    g->start = calloc((size_t)n + 1, sizeof *g->start);
    g->neighbor = malloc(sizeof *g->neighbor * (size_t)(2 * edges + 1));
  }
  if (!g || !next || !g->start || !g->neighbor) {
    free(next);
    sw_graph_free(g);
    return sw_no_memory_for(err, "a graph of %d nodes", n);
  }
  fill_lists(g, list, next);
  free(next);
  *graph = g;
  return SW_OK;
}

void sw_graph_free(sw_instance *graph) {
  if (!graph) return;
  free(graph->start);
  free(graph->neighbor);
  free(graph);
}

uint64_t sw_graph_hash(const sw_instance *graph) {
  uint64_t h = sw_xxh64(&graph->n, sizeof graph->n, (uint64_t)graph->colors);
  h = sw_xxh64(graph->start, sizeof *graph->start * ((size_t)graph->n + 1), h);
  return sw_xxh64(graph->neighbor,
                  sizeof *graph->neighbor * (size_t)(2 * graph->edges), h);
}

int sw_graph_adjacent(const sw_instance *graph, int32_t a, int32_t b) {
  int64_t low = graph->start[a], high = graph->start[a + 1];
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (graph->neighbor[middle] == b) return 1;
    if (graph->neighbor[middle] < b) low = middle + 1;
    else high = middle;
  }
  return 0;
}

int sw_graph_check(const sw_instance *graph, const int32_t *color,
                   int32_t colors) {
  for (int32_t v = 0; v < graph->n; v++) {
    if (color[v] < 1 || color[v] > colors) return 0;
    for (int64_t i = graph->start[v]; i < graph->start[v + 1]; i++)
      if (color[graph->neighbor[i]] == color[v]) return 0;
  }
  return 1;
}
