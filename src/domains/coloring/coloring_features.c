/* Colouring states as numbers (domains/state_ops.h): features of every node,
 * and the factor graph whose constraints are the edges. */
#include <stdlib.h>
#include <string.h>

#include "domains/coloring/coloring_env.h"

typedef struct captured {
  int32_t depth, conflict;
  uint8_t node[][3]; /* [n] colour (0: none), takeable colours, tried ones */
} captured;

static const sw_instance *instance_of(const sw_env *e) {
  return e->state.graph;
}

static size_t bytes(const sw_instance *g) {
  return (sizeof(captured) + 3 * (size_t)g->n + 7) / 8 * 8;
}

static void capture(const sw_env *e, void *state) {
  captured *c = state;
  c->depth = e->state.depth;
  c->conflict = sw_col_in_conflict(e);
  for (int32_t v = 0; v < e->state.n; v++) {
    c->node[v][0] = e->state.color[v];
    c->node[v][1] = e->state.color[v] ? 0 : (uint8_t)sw_col_takeable(e, v);
    c->node[v][2] = e->tried_colors[v];
  }
}

/* ---- the instance of a trace ---- */

static int bad_prefix(int64_t at, sw_err *err) {
  sw_fail(err, SW_DATA, "the prefix is not a graph at token %lld",
          (long long)at);
  return sw_hint(err, "published layouts of traces cannot be read as states");
}

static int scan(const sw_trace *t, int32_t *n, sw_edge *edge, int64_t *edges,
                sw_err *err) {
  int64_t end = t->blocks > 1 ? t->block_start[1] : t->length, i = 2;
  if (end < 3 || t->token[0] != SW_T_BOS || t->token[1] != SW_T_GRAPH)
    return bad_prefix(0, err);
  *n = 0;
  *edges = 0;
  for (; i < end && t->token[i] != SW_T_SEARCH; i++) {
    if (t->token[i] != SW_T_NODE + *n || *n >= SW_COL_NODES_MAX ||
        i + 1 >= end || t->token[++i] != SW_T_COLON)
      return bad_prefix(i, err);
    for (i++; i < end && t->token[i] != SW_T_SEP; i++) {
      int32_t other = t->token[i] - SW_T_NODE;
      if (other < 0 || other >= SW_COL_NODES_MAX || other == *n)
        return bad_prefix(i, err);
      edge[(*edges)++] = (sw_edge){*n, other};
    }
    ++*n;
  }
  if (i >= end || *n < 1) return bad_prefix(i, err);
  for (int64_t k = 0; k < *edges; k++)
    if (edge[k].b >= *n) return bad_prefix(i, err);
  return SW_OK;
}

static int read_instance(sw_instance **instance, const sw_trace *t,
                         const sw_domain_options *options, sw_err *err) {
  int32_t n = 0;
  int64_t edges = 0;
  *instance = NULL;
  sw_edge *edge = malloc(sizeof *edge * ((size_t)t->length + 1));
  if (!edge) return sw_no_memory_for(err, "a graph");
  int code = scan(t, &n, edge, &edges, err);
  if (!code)
    code = sw_graph_new(instance, n, sw_col_own(options)->colors, edge, edges,
                        err);
  free(edge);
  return code;
}

static void sizes(const sw_instance *g, int32_t *n, int32_t *m) {
  *n = g->n;
  *m = g->colors;
}

/* ---- features ---- */

enum { GLOBALS = 2 };

static int32_t per_node(int32_t colors) { return 3 * colors + 4; }

static int layout(sw_state_layout *l, sw_err *err) {
  if (l->set != SW_FEATURES_STATE || l->step) {
    sw_fail(err, SW_USAGE, "coloring has no published state features");
    return sw_hint(err, "features=state");
  }
  if (l->n < 1 || l->n > SW_COL_NODES_MAX || l->m < 1 ||
      l->m > SW_COL_COLORS_MAX)
    return sw_fail(err, SW_DATA, "features of %d nodes and %d colours", l->n,
                   l->m);
  l->features = per_node(l->m) * l->n + GLOBALS;
  l->classes[SW_HEAD_VERDICT] = 2;
  l->classes[SW_HEAD_ITEM] = l->n;
  l->classes[SW_HEAD_VALUE] = l->m;
  return SW_OK;
}

static int saturation(const sw_instance *g, const captured *c, int32_t v) {
  unsigned seen = 0;
  for (int64_t i = g->start[v]; i < g->start[v + 1]; i++) {
    int32_t color = c->node[g->neighbor[i]][0];
    if (color) seen |= sw_col_bit(color);
  }
  return sw_col_count(seen);
}

static void features(const sw_instance *g, const void *state, int64_t step,
                     const sw_state_layout *l, float *out) {
  const captured *c = state;
  int32_t left = 0, m = l->m;
  (void)step;
  memset(out, 0, sizeof *out * (size_t)l->features);
  for (int32_t v = 0; v < g->n; v++) {
    float *x = out + per_node(m) * v;
    int32_t color = c->node[v][0];
    left += !color;
    x[0] = !color;
    if (color) x[color] = 1;
    for (int32_t k = 0; k < m; k++) {
      x[1 + m + k] = (float)(c->node[v][1] >> k & 1);
      x[1 + 2 * m + k] = (float)(c->node[v][2] >> k & 1);
    }
    x[1 + 3 * m] = (float)sw_col_count(c->node[v][1]) / (float)m;
    x[2 + 3 * m] = (float)saturation(g, c, v) / (float)m;
    x[3 + 3 * m] = (float)sw_graph_degree(g, v) / (float)l->n;
  }
  out[per_node(m) * l->n] = (float)left / (float)l->n;
  out[per_node(m) * l->n + 1] = (float)g->colors / (float)m;
}

/* ---- the factor graph ---- */

static void graph_nodes(const sw_instance *g, const captured *c,
                        sw_graph *out) {
  const float edges = g->edges ? (float)g->edges : 1;
  memset(out->node, 0, sizeof *out->node * (size_t)g->n * SW_GRAPH_NODE);
  for (int32_t v = 0; v < g->n; v++) {
    float *x = out->node + SW_GRAPH_NODE * v;
    int32_t color = c->node[v][0];
    unsigned domain = color ? sw_col_bit(color) : c->node[v][1];
    x[0] = (float)c->depth / (float)g->n;
    x[1] = (float)sw_graph_degree(g, v) / edges;
    for (int k = 0; k < SW_COL_COLORS_MAX; k++)
      x[3 + k] = (float)(domain >> k & 1);
    x[7] = color != 0;
    x[8] = c->node[v][2] != 0;
    for (int32_t k = 0; k < g->colors; k++)
      out->open[g->colors * v + k] = (uint8_t)(!color && (domain >> k & 1));
  }
}

static int graph(const sw_instance *g, const void *state, sw_graph *out) {
  const captured *c = state;
  int32_t factor = 0;
  if (!sw_graph_reserve(out, g->n, (int32_t)g->edges, 2 * (int32_t)g->edges, 1,
                        g->colors))
    return 0;
  graph_nodes(g, c, out);
  for (int32_t v = 0; v < g->n; v++)
    for (int64_t i = g->start[v]; i < g->start[v + 1]; i++) {
      int32_t end[2] = {v, g->neighbor[i]};
      if (end[1] < v) continue; /* each edge once */
      float *x = out->factor + SW_GRAPH_FACTOR * factor;
      int one = c->node[v][0], other = c->node[end[1]][0];
      memset(x, 0, sizeof *x * SW_GRAPH_FACTOR);
      x[0] = 2.0f / 3;
      x[1] = one && other && one != other;
      x[3] = 1; /* a constraint of another type than a clause */
      for (int k = 0; k < 2; k++) {
        out->edge_node[2 * factor + k] = end[k];
        out->edge_factor[2 * factor + k] = factor;
        out->edge_kind[2 * factor + k] = 0;
      }
      factor++;
    }
  out->kind[0] = 1;
  out->kind[1] = 0;
  out->global[0] = (float)c->depth / (float)g->n;
  out->global[1] = 0;
  out->global[SW_GRAPH_CONFLICT] = (float)c->conflict;
  out->global[3] = 1;
  return 1;
}

/* ---- answers ---- */

static void answer(const sw_env *e, int32_t token, sw_state_answer *a) {
  int32_t v = token - SW_T_NODE, color = token - SW_T_COLOR;
  a->count = 0;
  if (token == SW_T_CF) {
    *a = (sw_state_answer){1, {{SW_HEAD_VERDICT, 1}}};
  } else if (e->phase == SW_PHASE_VERDICT) {
    if (token == SW_T_STATE) *a = (sw_state_answer){1, {{SW_HEAD_VERDICT, 0}}};
  } else if (e->phase == SW_PHASE_NODE) {
    if (v >= 0 && v < e->state.n)
      *a = (sw_state_answer){2, {{SW_HEAD_VERDICT, 0}, {SW_HEAD_ITEM, v}}};
  } else if (color >= 1 && color <= e->state.colors) {
    *a = (sw_state_answer){2,
                           {{SW_HEAD_VERDICT, 0}, {SW_HEAD_VALUE, color - 1}}};
  }
}

static int32_t chosen(const sw_env *e) {
  return e->phase == SW_PHASE_COLOR ? e->node : -1;
}

const sw_state_ops sw_coloring_state = {.read_instance = read_instance,
                                        .sizes = sizes,
                                        .layout = layout,
                                        .instance = instance_of,
                                        .bytes = bytes,
                                        .capture = capture,
                                        .features = features,
                                        .graph = graph,
                                        .answer = answer,
                                        .chosen = chosen};
