/* DSATUR branch and bound for k colours (see branch.h). Recursion depth is at
 * most the number of nodes, which is limited. */
#include "domains/coloring/branch.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"

enum { NODES_MAX = 20000 };
enum { TABLE_MAX = 200 * 1000 * 1000 }; /* nodes x colours */

typedef struct search {
  const sw_instance *graph;
  int32_t k;
  int32_t *color, *saturation;
  uint16_t *blocked; /* [n][k+1]: neighbours of that colour */
  int32_t colored;
  double stop;
  int64_t nodes, max_nodes;
  int out_of_time;
} search;

/* Colours v; returns 1 when an uncoloured neighbour has no colour left. */
static int put_color(search *s, int32_t v, int32_t c) {
  const sw_instance *g = s->graph;
  size_t width = (size_t)s->k + 1;
  int dead = 0;
  s->color[v] = c;
  s->colored++;
  for (int64_t i = g->start[v]; i < g->start[v + 1]; i++) {
    int32_t u = g->neighbor[i];
    if (s->blocked[(size_t)u * width + (size_t)c]++ == 0 &&
        ++s->saturation[u] == s->k && !s->color[u])
      dead = 1;
  }
  return dead;
}

static void take_color(search *s, int32_t v) {
  const sw_instance *g = s->graph;
  size_t width = (size_t)s->k + 1;
  int32_t c = s->color[v];
  s->color[v] = 0;
  s->colored--;
  for (int64_t i = g->start[v]; i < g->start[v + 1]; i++) {
    int32_t u = g->neighbor[i];
    if (--s->blocked[(size_t)u * width + (size_t)c] == 0) s->saturation[u]--;
  }
}

static int32_t most_saturated(const search *s) {
  int32_t best = -1;
  for (int32_t v = 0; v < s->graph->n; v++)
    if (!s->color[v] &&
        (best < 0 || s->saturation[v] > s->saturation[best] ||
         (s->saturation[v] == s->saturation[best] &&
          sw_graph_degree(s->graph, v) > sw_graph_degree(s->graph, best))))
      best = v;
  return best;
}

/* Returns 1 when a colouring is complete. Colours above used + 1 are the same
 * as used + 1, so they are not tried. */
static int extend(search *s, int32_t used) {
  if (s->colored == s->graph->n) return 1;
  s->nodes++;
  if ((s->max_nodes && s->nodes > s->max_nodes) ||
      ((s->nodes & 1023) == 0 && sw_now() > s->stop))
    s->out_of_time = 1;
  int32_t v = most_saturated(s);
  const uint16_t *blocked = s->blocked + (size_t)v * ((size_t)s->k + 1);
  int32_t last = used < s->k ? used + 1 : s->k;
  for (int32_t c = 1; c <= last && !s->out_of_time; c++) {
    if (blocked[c]) continue;
    int dead = put_color(s, v, c);
    if (!dead && extend(s, c > used ? c : used)) return 1;
    take_color(s, v);
  }
  return 0;
}

int sw_branch(const sw_instance *graph, int32_t k, const int32_t *clique,
              int32_t clique_size, double stop, int64_t max_nodes,
              int32_t *color, sw_color_verdict *verdict, int64_t *nodes,
              sw_err *err) {
  *verdict = SW_COLOR_UNKNOWN;
  if (graph->n > NODES_MAX || k < 1 || (int64_t)graph->n * (k + 1) > TABLE_MAX)
    return SW_OK;
  search s = {.graph = graph,
              .k = k,
              .color = color,
              .stop = stop,
              .max_nodes = max_nodes};
  size_t n = (size_t)graph->n;
  s.saturation = calloc(n + 1, sizeof *s.saturation);
  s.blocked = calloc(n * ((size_t)k + 1) + 1, sizeof *s.blocked);
  int code = SW_OK;
  if (!s.saturation || !s.blocked) {
    code = sw_fail(err, SW_MEMORY, "no memory to colour %d nodes", graph->n);
  } else if (clique_size > k) {
    *verdict = SW_COLOR_NONE;
  } else {
    memset(color, 0, sizeof *color * n);
    int dead = 0;
    for (int32_t i = 0; i < clique_size; i++)
      dead |= put_color(&s, clique[i], i + 1);
    int found = !dead && extend(&s, clique_size);
    *verdict = found           ? SW_COLOR_FOUND
               : s.out_of_time ? SW_COLOR_UNKNOWN
                               : SW_COLOR_NONE;
    *nodes += s.nodes;
  }
  free(s.saturation);
  free(s.blocked);
  return code;
}
