/* Bounds on the chromatic number (see bound.h). */
#include "domains/coloring/bound.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"

/* The lowest colour that no neighbour of v has; mark[c] = v + 1 when one has
 * it, so that nothing is cleared in between. */
static int32_t lowest_free(const sw_instance *g, const int32_t *color,
                           int32_t v, int32_t *mark) {
  for (int64_t i = g->start[v]; i < g->start[v + 1]; i++)
    mark[color[g->neighbor[i]]] = v + 1;
  int32_t c = 1;
  while (mark[c] == v + 1) c++;
  return c;
}

/* Does a coloured neighbour of u other than v already have colour c? */
static int sees_color(const sw_instance *g, const int32_t *color, int32_t u,
                      int32_t v, int32_t c) {
  for (int64_t i = g->start[u]; i < g->start[u + 1]; i++)
    if (g->neighbor[i] != v && color[g->neighbor[i]] == c) return 1;
  return 0;
}

/* DSATUR scans all nodes at every step; above this size colours are given by
 * descending degree instead. */
enum { SATURATION_NODES = 20000 };

typedef struct by_degree {
  int32_t degree, node;
} by_degree;

static int larger_first(const void *x, const void *y) {
  const by_degree *a = x, *b = y;
  if (a->degree != b->degree) return a->degree > b->degree ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

static int32_t colors_by_degree(const sw_instance *g, int32_t *color) {
  by_degree *order = malloc(sizeof *order * (size_t)g->n);
  int32_t *mark = calloc((size_t)g->n + 2, sizeof *mark);
  int32_t used = 0;
  if (order && mark) {
    for (int32_t v = 0; v < g->n; v++)
      order[v] = (by_degree){sw_graph_degree(g, v), v};
    qsort(order, (size_t)g->n, sizeof *order, larger_first);
    for (int32_t i = 0; i < g->n; i++) {
      int32_t c = lowest_free(g, color, order[i].node, mark);
      color[order[i].node] = c;
      used = c > used ? c : used;
    }
  }
  free(order);
  free(mark);
  return used;
}

int32_t sw_greedy_colors(const sw_instance *g, int32_t *color) {
  if (g->n > SATURATION_NODES) {
    memset(color, 0, sizeof *color * (size_t)g->n);
    return colors_by_degree(g, color);
  }
  int32_t *saturation = calloc((size_t)g->n + 1, sizeof *saturation);
  int32_t *mark = calloc((size_t)g->n + 2, sizeof *mark);
  int32_t used = 0;
  memset(color, 0, sizeof *color * (size_t)g->n);
  for (int32_t step = 0; saturation && mark && step < g->n; step++) {
    int32_t best = -1;
    for (int32_t v = 0; v < g->n; v++)
      if (!color[v] && (best < 0 || saturation[v] > saturation[best] ||
                        (saturation[v] == saturation[best] &&
                         sw_graph_degree(g, v) > sw_graph_degree(g, best))))
        best = v;
    int32_t c = lowest_free(g, color, best, mark);
    used = c > used ? c : used;
    for (int64_t i = g->start[best]; i < g->start[best + 1]; i++)
      if (!color[g->neighbor[i]] &&
          !sees_color(g, color, g->neighbor[i], best, c))
        saturation[g->neighbor[i]]++;
    color[best] = c;
  }
  int32_t result = saturation && mark ? used : 0;
  free(saturation);
  free(mark);
  return result;
}

/* Extends a clique from `start`: always the candidate with most neighbours
 * among the candidates. `inside` marks candidates with the current round. */
static int32_t clique_from(const sw_instance *g, int32_t start, int32_t *clique,
                           int32_t *pool, int32_t *inside) {
  int32_t size = 0, count = 0;
  clique[size++] = start;
  for (int64_t i = g->start[start]; i < g->start[start + 1]; i++)
    pool[count++] = g->neighbor[i];
  while (count > 0) {
    int32_t best = -1, best_shared = -1;
    for (int32_t i = 0; i < count; i++) inside[pool[i]] = 1;
    for (int32_t i = 0; i < count; i++) {
      int32_t shared = 0, v = pool[i];
      for (int64_t j = g->start[v]; j < g->start[v + 1]; j++)
        shared += inside[g->neighbor[j]];
      if (shared > best_shared) {
        best_shared = shared;
        best = v;
      }
    }
    for (int32_t i = 0; i < count; i++) inside[pool[i]] = 0;
    clique[size++] = best;
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++)
      if (sw_graph_adjacent(g, best, pool[i])) pool[kept++] = pool[i];
    count = kept;
  }
  return size;
}

int32_t sw_greedy_clique(const sw_instance *g, double seconds,
                         int32_t *clique) {
  size_t n = (size_t)g->n + 1;
  int32_t *trial = malloc(sizeof *trial * n), *pool = malloc(sizeof *pool * n);
  int32_t *inside = calloc(n, sizeof *inside);
  int32_t best = -1;
  if (trial && pool && inside) {
    double stop = sw_now() + seconds;
    best = 0;
    for (int32_t v = 0; v < g->n && (v == 0 || sw_now() < stop); v++) {
      if (sw_graph_degree(g, v) < best) continue;
      int32_t size = clique_from(g, v, trial, pool, inside);
      if (size > best) {
        best = size;
        memcpy(clique, trial, sizeof *clique * (size_t)size);
      }
    }
  }
  free(trial);
  free(pool);
  free(inside);
  return best;
}

/* Bit sets of nodes, `words` words each. */
typedef struct layers {
  const sw_instance *graph;
  size_t words;
  uint64_t *adjacent; /* [n] sets: the graph */
  uint64_t *inner;    /* [n] sets: edges of the subgraph H */
  uint64_t *similar;  /* [n] sets: nodes that could be w(v) */
  uint64_t *meet, *reach;
  int32_t *member, *twin; /* nodes of H; w(v) */
  int32_t members;
} layers;

static void set_bit(uint64_t *set, int32_t v) {
  set[v / 64] |= UINT64_C(1) << (v % 64);
}
static int has_bit(const uint64_t *set, int32_t v) {
  return (int)(set[v / 64] >> (v % 64) & 1);
}
static uint64_t *row(const layers *l, uint64_t *sets, int32_t v) {
  return sets + l->words * (size_t)v;
}

/* similar(v) = nodes adjacent to every H-neighbour of v; meet = nodes that
 * have a neighbour in every similar(v). Returns 1 when meet is not empty. */
static int find_meeting(layers *l) {
  int32_t n = l->graph->n;
  memset(l->meet, 0xff, sizeof *l->meet * l->words);
  for (int32_t m = 0; m < l->members; m++) {
    int32_t v = l->member[m];
    uint64_t *similar = row(l, l->similar, v);
    memset(similar, 0xff, sizeof *similar * l->words);
    memset(l->reach, 0, sizeof *l->reach * l->words);
    for (int32_t u = 0; u < n; u++)
      if (has_bit(row(l, l->inner, v), u))
        for (size_t w = 0; w < l->words; w++)
          similar[w] &= row(l, l->adjacent, u)[w];
    for (int32_t u = 0; u < n; u++)
      if (has_bit(similar, u))
        for (size_t w = 0; w < l->words; w++)
          l->reach[w] |= row(l, l->adjacent, u)[w];
    uint64_t any = 0;
    for (size_t w = 0; w < l->words; w++) any |= l->meet[w] &= l->reach[w];
    if (!any) return 0;
  }
  return 1;
}

static void join(layers *l, int32_t a, int32_t b) {
  set_bit(row(l, l->inner, a), b);
  set_bit(row(l, l->inner, b), a);
}

static void admit(layers *l, int32_t v) {
  for (int32_t m = 0; m < l->members; m++)
    if (l->member[m] == v) return;
  l->member[l->members++] = v;
}

/* Adds the layer over z: w(v) for every member, edges w(v)-N_H(v), w(v)-z.
 * Where v itself can be w(v), it is: H stays small. */
static void add_layer(layers *l, int32_t z) {
  int32_t n = l->graph->n, old = l->members;
  for (int32_t m = 0; m < old; m++) {
    int32_t v = l->member[m], found = -1;
    for (int32_t u = 0; u < n; u++)
      if (has_bit(row(l, l->similar, v), u) &&
          has_bit(row(l, l->adjacent, z), u) && (found < 0 || u == v))
        found = u;
    l->twin[m] = found;
  }
  /* Edges of the old H only: collect before any is added. */
  uint64_t *old_edges = l->similar; /* no longer needed in this round */
  memcpy(old_edges, l->inner, sizeof *l->inner * l->words * (size_t)n);
  for (int32_t m = 0; m < old; m++) {
    int32_t v = l->member[m], w = l->twin[m];
    for (int32_t u = 0; u < n; u++)
      if (w != v && has_bit(row(l, old_edges, v), u)) join(l, w, u);
    join(l, w, z);
    admit(l, w);
  }
  admit(l, z);
}

static int layers_init(layers *l, const sw_instance *g) {
  size_t n = (size_t)g->n, words = (n + 63) / 64;
  memset(l, 0, sizeof *l);
  l->graph = g;
  l->words = words;
  l->adjacent = calloc(3 * n * words + 2 * words, sizeof *l->adjacent);
  l->member = malloc(sizeof *l->member * 2 * n);
  if (!l->adjacent || !l->member) return 0;
  l->inner = l->adjacent + n * words;
  l->similar = l->inner + n * words;
  l->meet = l->similar + n * words;
  l->reach = l->meet + words;
  l->twin = l->member + n;
  for (int32_t v = 0; v < g->n; v++)
    for (int64_t i = g->start[v]; i < g->start[v + 1]; i++)
      set_bit(row(l, l->adjacent, v), g->neighbor[i]);
  return 1;
}

int32_t sw_mycielski_bound(const sw_instance *g, const int32_t *clique,
                           int32_t size, double seconds) {
  layers l;
  if (size < 2 || g->n > SW_BOUND_NODES) return size;
  double stop = sw_now() + seconds;
  int32_t bound = size;
  if (layers_init(&l, g)) {
    for (int32_t i = 0; i < size; i++) {
      l.member[l.members++] = clique[i];
      for (int32_t j = 0; j < i; j++) join(&l, clique[i], clique[j]);
    }
    while (sw_now() < stop && find_meeting(&l)) {
      int32_t z = 0;
      while (!has_bit(l.meet, z)) z++;
      add_layer(&l, z);
      bound++;
    }
  }
  free(l.adjacent);
  free(l.member);
  return bound;
}
