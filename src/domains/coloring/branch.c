/* DSATUR branch and bound for k colours (see branch.h). The search keeps its
 * own stack: a graph's size must not decide about the program's. */
#include "domains/coloring/branch.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/stop.h"

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
  struct level *level; /* [n - clique] one for each node coloured by choice */
} search;

/* A node being coloured: its colour is the last one tried. */
typedef struct level {
  int32_t node, used; /* used: colours in use before it */
} level;

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

static int out_of_time(const search *s) {
  return (s->max_nodes && s->nodes > s->max_nodes) ||
         ((s->nodes & 63) == 0 && (sw_now() > s->stop || sw_time_to_stop()));
}

/* The next colour of the node on top after `last` that leaves every neighbour
 * one; 0: none. Colours above used + 1 are the same as used + 1, so they are
 * not tried. */
static int32_t next_color(search *s, const level *top, int32_t last) {
  const uint16_t *blocked = s->blocked + (size_t)top->node * ((size_t)s->k + 1);
  int32_t most = top->used < s->k ? top->used + 1 : s->k;
  for (int32_t c = last + 1; c <= most; c++) {
    if (blocked[c]) continue;
    if (!put_color(s, top->node, c)) return c;
    take_color(s, top->node);
  }
  return 0;
}

static sw_color_verdict extend(search *s, int32_t used) {
  int32_t depth = 0, last = 0;
  int descend = 1;
  for (;;) {
    if (descend) {
      if (s->colored == s->graph->n) return SW_COLOR_FOUND;
      s->nodes++;
      if (out_of_time(s)) return SW_COLOR_UNKNOWN;
      s->level[depth++] = (level){most_saturated(s), used};
      last = 0;
    }
    level *top = &s->level[depth - 1];
    int32_t c = next_color(s, top, last);
    descend = c > 0;
    if (descend) {
      used = c > top->used ? c : top->used;
    } else {
      if (--depth == 0) return SW_COLOR_NONE;
      top = &s->level[depth - 1];
      last = s->color[top->node];
      take_color(s, top->node);
    }
  }
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
  s.level = malloc(sizeof *s.level * (n + 1));
  int code = SW_OK;
  if (!s.saturation || !s.blocked || !s.level) {
    code = sw_no_memory_for(err, "colouring %d nodes", graph->n);
  } else if (clique_size > k) {
    *verdict = SW_COLOR_NONE;
  } else {
    memset(color, 0, sizeof *color * n);
    int dead = 0;
    for (int32_t i = 0; i < clique_size; i++)
      dead |= put_color(&s, clique[i], i + 1);
    *verdict = dead ? SW_COLOR_NONE : extend(&s, clique_size);
    *nodes += s.nodes;
  }
  free(s.saturation);
  free(s.blocked);
  free(s.level);
  return code;
}
