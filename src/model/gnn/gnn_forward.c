/* One graph forward (see gnn_pass.h). Sums over edges are in the order of the
 * edges, so a graph has the same bits in any company. */
#include <math.h>
#include <string.h>

#include "model/gnn/gnn_pass.h"

static void relu(float *x, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (x[i] < 0) x[i] = 0;
}

static void encode(sw_gnn_pass *p, const sw_gnn_net *g, int side,
                   const float *feature, int rows) {
  sw_gnn_encoded *e = &p->encoded[side];
  int first = side ? SW_GNN_FACTOR0 : SW_GNN_NODE0, d = g->config.width;
  const float *w =
      g->net.weights + g->norm[side ? SW_GNN_NORM_FACTOR : SW_GNN_NORM_NODE];
  sw_gnn_apply(g, first, rows, feature, e->first, 0);
  g->net.kernels->layer_norm(rows, d, e->first, w, w + d, e->norm, e->mean,
                             e->rstd);
  relu(e->norm, (size_t)rows * (size_t)d);
  sw_gnn_apply(g, first + 1, rows, e->norm, e->state, 0);
}

/* 1 / (1 + exp(-x)) in place, by way of `scratch`. */
static void sigmoid(const nn_kernels *k, float *x, size_t count,
                    float *scratch) {
  for (size_t i = 0; i < count; i++) scratch[i] = -x[i];
  k->exp_array(count, scratch, scratch);
  for (size_t i = 0; i < count; i++) x[i] = 1 / (1 + scratch[i]);
}

/* The receivers' new states: r and z from both sums, n with the state part
 * damped by r. */
static void gru(sw_gnn_pass *p, const sw_gnn_net *g, sw_gnn_kept *k,
                const float *state, int rows, int first) {
  const nn_kernels *n = g->net.kernels;
  size_t d = (size_t)g->config.width;
  float *heard = p->wide[0], *own = p->wide[1];
  sw_gnn_apply(g, first, rows, k->heard, heard, 0);
  sw_gnn_apply(g, first + 1, rows, state, own, 0);
  for (size_t r = 0; r < (size_t)rows; r++) {
    float *gate = k->gate + 3 * d * r, *recall = k->recall + d * r;
    const float *a = heard + 3 * d * r, *b = own + 3 * d * r;
    for (size_t i = 0; i < 2 * d; i++) gate[i] = a[i] + b[i];
    memcpy(recall, b + 2 * d, sizeof *recall * d);
  }
  for (size_t r = 0; r < (size_t)rows; r++)
    sigmoid(n, k->gate + 3 * d * r, 2 * d, own + 3 * d * r);
  for (size_t r = 0; r < (size_t)rows; r++) {
    float *gate = k->gate + 3 * d * r, *x = own + 3 * d * r;
    const float *recall = k->recall + d * r, *a = heard + 3 * d * r + 2 * d;
    for (size_t i = 0; i < d; i++) x[i] = 2 * (a[i] + gate[i] * recall[i]);
    n->exp_array(d, x, x); /* tanh(y) = 1 - 2 / (exp(2 y) + 1) */
    for (size_t i = 0; i < d; i++) gate[2 * d + i] = 1 - 2 / (x[i] + 1);
    for (size_t i = 0; i < d; i++)
      k->after[d * r + i] =
          (1 - gate[d + i]) * gate[2 * d + i] + gate[d + i] * state[d * r + i];
  }
}

static void half_round(sw_gnn_pass *p, const sw_gnn_net *g, const sw_graph *gr,
                       const sw_gnn_drop *drop, int round, int direction) {
  sw_gnn_kept *k = &p->kept[2 * round + direction];
  int from = direction == SW_GNN_TO_FACTOR ? 0 : 1; /* side of the senders */
  int count[2] = {gr->nodes, gr->factors};
  size_t d = (size_t)g->config.width;
  const float *sender = sw_gnn_state(p, from, round, direction);
  const float *w = g->net.weights + g->norm[sw_gnn_half_norm(round, direction)];
  sw_gnn_apply(g, sw_gnn_half(round, direction, SW_GNN_SENDER), count[from],
               sender, k->sender, 0);
  sw_gnn_apply(g, sw_gnn_half(round, direction, SW_GNN_KIND), gr->kinds,
               p->kind_state, k->kind, 0);
  sw_gnn_first(p, g, gr, drop, round, direction, p->edge[0]);
  sw_gnn_apply(g, sw_gnn_half(round, direction, SW_GNN_SECOND), gr->edges,
               p->edge[0], k->sum, 0);
  for (int32_t e = 0; e < gr->edges; e++)
    for (size_t i = 0; i < d; i++)
      k->sum[d * (size_t)e + i] +=
          sender[d * (size_t)sw_gnn_from(gr, direction, e) + i];
  g->net.kernels->layer_norm(gr->edges, (int)d, k->sum, w, w + d, p->edge[1],
                             k->mean, k->rstd);
  memset(k->heard, 0, sizeof *k->heard * d * (size_t)count[!from]);
  for (int32_t e = 0; e < gr->edges; e++)
    for (size_t i = 0; i < d; i++)
      k->heard[d * (size_t)sw_gnn_to(gr, direction, e) + i] +=
          p->edge[1][d * (size_t)e + i];
  gru(p, g, k, sw_gnn_state(p, !from, round, direction), count[!from],
      from ? SW_GNN_GRU_NODE_X : SW_GNN_GRU_FACTOR_X);
}

static float dot(const float *w, const float *x, size_t d) {
  float sum = w[d]; /* the bias lies behind the row */
  for (size_t i = 0; i < d; i++) sum += w[i] * x[i];
  return sum;
}

/* Scores of the assignable values; all other scores are minus infinity. */
static void assign(sw_gnn_pass *p, const sw_gnn_net *g, const sw_graph *gr,
                   const float *node) {
  size_t d = (size_t)g->config.width;
  int32_t values = g->config.layout.classes[SW_HEAD_VALUE];
  sw_gnn_apply(g, SW_GNN_ASSIGN_H, gr->nodes, node, p->assign_node, 0);
  sw_gnn_apply(g, SW_GNN_ASSIGN_V, values, g->net.weights + g->value,
               p->assign_value, 0);
  for (int32_t i = 0; i < g->net.outputs; i++) p->output[i] = -INFINITY;
  for (int32_t v = 0; v < gr->nodes; v++)
    for (int32_t a = 0; a < gr->values; a++) {
      const float *x = p->assign_node + d * (size_t)v;
      const float *y = p->assign_value + d * (size_t)a;
      float *sum = p->small[0];
      if (!gr->open[gr->values * v + a]) continue;
      for (size_t i = 0; i < d; i++) {
        sum[i] = x[i] + y[i];
        if (sum[i] < 0) sum[i] = 0;
      }
      p->output[values * v + a] = dot(g->net.weights + g->assign, sum, d);
    }
}

void sw_gnn_forward(sw_gnn_pass *p, const sw_gnn_net *g, const sw_graph *gr,
                    const sw_gnn_drop *drop) {
  size_t d = (size_t)g->config.width;
  float global[SW_GRAPH_GLOBAL];
  encode(p, g, 0, gr->node, gr->nodes);
  encode(p, g, 1, gr->factor, gr->factors);
  sw_gnn_apply(g, SW_GNN_EDGE, gr->kinds, gr->kind, p->kind_state, 0);
  for (int r = 0; r < g->config.rounds; r++)
    for (int k = 0; k < 2; k++) half_round(p, g, gr, drop, r, k);
  const float *node = sw_gnn_state(p, 0, g->config.rounds, 0);
  assign(p, g, gr, node);
  memcpy(global, gr->global, sizeof global);
  if (!g->config.leak) global[SW_GRAPH_CONFLICT] = 0;
  sw_gnn_apply(g, SW_GNN_GLOBAL0, 1, global, p->pooled, 0);
  float *mean = p->small[0];
  memset(mean, 0, sizeof *mean * d);
  for (int32_t v = 0; v < gr->nodes; v++)
    for (size_t i = 0; i < d; i++) mean[i] += node[d * (size_t)v + i];
  for (size_t i = 0; i < d; i++) p->pooled[i] += mean[i] / (float)gr->nodes;
  sw_gnn_apply(g, SW_GNN_GLOBAL1, 1, p->pooled, p->global, 0);
  relu(p->global, d);
  p->output[g->net.outputs - 2] = dot(g->net.weights + g->back, p->global, d);
  p->output[g->net.outputs - 1] = dot(g->net.weights + g->done, p->global, d);
}
