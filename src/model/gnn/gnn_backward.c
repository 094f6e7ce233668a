/* Loss of a graph and its gradient (see gnn_pass.h): the forward pass the other
 * way round. */
#include <math.h>
#include <string.h>

#include "model/gnn/gnn_pass.h"

/* d += s x */
static void add_scaled(float *y, const float *x, float s, size_t count) {
  for (size_t i = 0; i < count; i++) y[i] += s * x[i];
}

/* A row of weights, then its bias: y = w x + b, whose gradient is dy. */
static void learn_row(float *part, const float *w, const float *x, float dy,
                      float *dx, size_t d) {
  add_scaled(part, x, dy, d);
  part[d] += dy;
  if (dx) add_scaled(dx, w, dy, d);
}

/* Softmax cross-entropy of `count` scores, some of them minus infinity. Returns
 * the loss; scores become gradients times weight. */
static double softmax(float *score, int count, int target, float weight) {
  float top = -INFINITY;
  double sum = 0;
  for (int i = 0; i < count; i++)
    if (score[i] > top) top = score[i];
  double loss = (double)top - (double)score[target];
  for (int i = 0; i < count; i++) sum += exp((double)score[i] - (double)top);
  loss += log(sum);
  for (int i = 0; i < count; i++) {
    double p = exp((double)score[i] - (double)top) / sum;
    score[i] = (float)((p - (i == target)) * (double)weight);
  }
  return loss;
}

/* Gradients of the read-outs. Those of the choices replace p->output; those of
 * going back and being done follow them. */
static sw_gnn_answer heads(sw_gnn_pass *p, const sw_gnn_net *g,
                           const int32_t *target, float weight) {
  int32_t pairs = g->net.outputs - 2, best = 0;
  int32_t pair = sw_gnn_pair(g, target);
  int verdict = target[SW_HEAD_VERDICT], choice;
  sw_gnn_answer a = {0};
  for (int32_t i = 1; i < pairs; i++)
    if (p->output[i] > p->output[best]) best = i;
  float three[3] = {p->output[best], p->output[pairs], p->output[pairs + 1]};
  choice = three[1] > three[0] ? 1 : 0;
  if (three[2] > three[choice]) choice = 2;
  a.hit = choice == verdict && (verdict || best == pair);
  a.loss = softmax(three, 3, verdict, weight);
  if (pair >= 0) a.loss += softmax(p->output, pairs, pair, weight);
  else memset(p->output, 0, sizeof *p->output * (size_t)pairs);
  p->output[best] += three[0];
  p->output[pairs] = three[1];
  p->output[pairs + 1] = three[2];
  return a;
}

/* From the read-outs to the gradients of the nodes' last states. */
static void back_heads(sw_gnn_pass *p, const sw_gnn_net *g, const sw_graph *gr,
                       float *dnode, float *part) {
  size_t d = (size_t)g->config.width;
  int32_t values = g->config.layout.classes[SW_HEAD_VALUE];
  const float *w = g->net.weights, *node;
  float *dhead = p->small[0], *dpooled = p->small[1], *from_node = p->sent;
  float *from_value = p->small[2], *hidden = p->wide[1];
  node = sw_gnn_state(p, 0, g->config.rounds, 0);
  memset(dhead, 0, sizeof *dhead * d);
  for (int k = 0; k < 2; k++) {
    int64_t at = k ? g->done : g->back;
    learn_row(part + at, w + at, p->global, p->output[g->net.outputs - 2 + k],
              dhead, d);
  }
  for (size_t i = 0; i < d; i++)
    if (p->global[i] <= 0) dhead[i] = 0;
  sw_gnn_learn(p, g, SW_GNN_GLOBAL1, 1, dhead, p->pooled, part);
  sw_gnn_back(g, SW_GNN_GLOBAL1, 1, dhead, dpooled, 0);
  float global[SW_GRAPH_GLOBAL];
  memcpy(global, gr->global, sizeof global);
  if (!g->config.leak) global[SW_GRAPH_CONFLICT] = 0;
  sw_gnn_learn(p, g, SW_GNN_GLOBAL0, 1, dpooled, global, part);
  for (int32_t v = 0; v < gr->nodes; v++)
    for (size_t i = 0; i < d; i++)
      dnode[d * (size_t)v + i] = dpooled[i] / (float)gr->nodes;
  memset(from_node, 0, sizeof *from_node * d * (size_t)gr->nodes);
  memset(from_value, 0, sizeof *from_value * d * (size_t)values);
  for (int32_t v = 0; v < gr->nodes; v++)
    for (int32_t a = 0; a < gr->values; a++) {
      float slope = p->output[values * v + a];
      if (!gr->open[gr->values * v + a] || slope == 0) continue;
      const float *x = p->assign_node + d * (size_t)v;
      const float *y = p->assign_value + d * (size_t)a;
      float *both = hidden + d;
      for (size_t i = 0; i < d; i++) {
        hidden[i] = x[i] + y[i] > 0 ? x[i] + y[i] : 0;
        both[i] = hidden[i] > 0 ? slope * w[g->assign + (int64_t)i] : 0;
      }
      learn_row(part + g->assign, NULL, hidden, slope, NULL, d);
      add_scaled(from_node + d * (size_t)v, both, 1, d);
      add_scaled(from_value + d * (size_t)a, both, 1, d);
    }
  sw_gnn_learn(p, g, SW_GNN_ASSIGN_H, gr->nodes, from_node, node, part);
  sw_gnn_back(g, SW_GNN_ASSIGN_H, gr->nodes, from_node, dnode, 1);
  sw_gnn_learn(p, g, SW_GNN_ASSIGN_V, values, from_value, w + g->value, part);
  sw_gnn_back(g, SW_GNN_ASSIGN_V, values, from_value, part + g->value, 1);
}

/* Through the gates: from the gradients of the new states to those of the old
 * ones (`old`, overwritten) and of the received messages (p->sent). */
static void back_gru(sw_gnn_pass *p, const sw_gnn_net *g, const sw_gnn_kept *k,
                     const float *state, int rows, int first, const float *dnew,
                     float *old, float *part) {
  size_t d = (size_t)g->config.width;
  float *dheard = p->wide[0], *dstate = p->wide[1];
  for (size_t r = 0; r < (size_t)rows; r++) {
    const float *gate = k->gate + 3 * d * r, *recall = k->recall + d * r;
    const float *h = state + d * r, *slope = dnew + d * r;
    float *a = dheard + 3 * d * r, *b = dstate + 3 * d * r;
    for (size_t i = 0; i < d; i++) {
      float reset = gate[i], keep = gate[d + i], n = gate[2 * d + i];
      float dn = slope[i] * (1 - keep) * (1 - n * n);
      a[2 * d + i] = dn;
      b[2 * d + i] = dn * reset;
      a[i] = b[i] = dn * recall[i] * reset * (1 - reset);
      a[d + i] = b[d + i] = slope[i] * (h[i] - n) * keep * (1 - keep);
      old[d * r + i] = slope[i] * keep;
    }
  }
  sw_gnn_learn(p, g, first, rows, dheard, k->heard, part);
  sw_gnn_learn(p, g, first + 1, rows, dstate, state, part);
  sw_gnn_back(g, first, rows, dheard, p->sent, 0);
  sw_gnn_back(g, first + 1, rows, dstate, old, 1);
}

/* Through the messages of a half round. p->sent holds the gradients of the
 * received messages; those of the senders' states are added to dsender. */
static void back_messages(sw_gnn_pass *p, const sw_gnn_net *g,
                          const sw_graph *gr, const sw_gnn_drop *drop,
                          int round, int direction, float *dsender,
                          float *dkind, float *part) {
  const nn_kernels *n = g->net.kernels;
  const sw_gnn_kept *k = &p->kept[2 * round + direction];
  size_t d = (size_t)g->config.width, all = d * (size_t)gr->edges;
  int from = direction == SW_GNN_TO_FACTOR ? 0 : 1;
  int senders = from ? gr->factors : gr->nodes;
  int64_t norm = g->norm[sw_gnn_half_norm(round, direction)];
  int second = sw_gnn_half(round, direction, SW_GNN_SECOND);
  int first = sw_gnn_half(round, direction, SW_GNN_SENDER);
  int kind = sw_gnn_half(round, direction, SW_GNN_KIND);
  float *dmessage = p->edge[0], *dsum = p->edge[1], *hidden = p->edge[2];
  for (int32_t e = 0; e < gr->edges; e++)
    memcpy(dmessage + d * (size_t)e,
           p->sent + d * (size_t)sw_gnn_to(gr, direction, e),
           sizeof *dmessage * d);
  memset(dsum, 0, sizeof *dsum * all);
  n->layer_norm_dx(gr->edges, (int)d, dmessage, k->sum, g->net.weights + norm,
                   k->mean, k->rstd, dsum);
  n->layer_norm_dwb(gr->edges, (int)d, dmessage, k->sum, k->mean, k->rstd,
                    part + norm, part + norm + d, 0, (int)d);
  sw_gnn_first(p, g, gr, drop, round, direction, hidden);
  sw_gnn_learn(p, g, second, gr->edges, dsum, hidden, part);
  float *dhidden = dmessage;
  sw_gnn_back(g, second, gr->edges, dsum, dhidden, 0);
  nn_dropout how = sw_gnn_drop_at(drop, round, direction);
  if (how.threshold)
    n->dropout_scale(gr->edges, (int)d, dhidden, (ptrdiff_t)d, 1, &how, 0,
                     dhidden, (ptrdiff_t)d);
  for (size_t i = 0; i < all; i++) /* dropped elements are 0 already */
    if (hidden[i] <= 0) dhidden[i] = 0;
  float *dfirst = p->wide[0], *dkinds = p->small[0];
  memset(dfirst, 0, sizeof *dfirst * d * (size_t)senders);
  memset(dkinds, 0, sizeof *dkinds * d * (size_t)gr->kinds);
  for (int32_t e = 0; e < gr->edges; e++) {
    size_t sender = (size_t)sw_gnn_from(gr, direction, e);
    add_scaled(dsender + d * sender, dsum + d * (size_t)e, 1, d);
    add_scaled(dfirst + d * sender, dhidden + d * (size_t)e, 1, d);
    add_scaled(dkinds + d * (size_t)gr->edge_kind[e], dhidden + d * (size_t)e,
               1, d);
  }
  const float *sender = sw_gnn_state(p, from, round, direction);
  sw_gnn_learn(p, g, first, senders, dfirst, sender, part);
  sw_gnn_back(g, first, senders, dfirst, dsender, 1);
  sw_gnn_learn(p, g, kind, gr->kinds, dkinds, p->kind_state, part);
  sw_gnn_back(g, kind, gr->kinds, dkinds, dkind, 1);
}

static void back_encoder(sw_gnn_pass *p, const sw_gnn_net *g, int side,
                         const float *feature, int rows, const float *dstate,
                         float *part) {
  const sw_gnn_encoded *e = &p->encoded[side];
  int first = side ? SW_GNN_FACTOR0 : SW_GNN_NODE0, d = g->config.width;
  int64_t norm = g->norm[side ? SW_GNN_NORM_FACTOR : SW_GNN_NORM_NODE];
  size_t all = (size_t)rows * (size_t)d;
  float *dnorm = p->wide[0], *dfirst = p->wide[1];
  sw_gnn_learn(p, g, first + 1, rows, dstate, e->norm, part);
  sw_gnn_back(g, first + 1, rows, dstate, dnorm, 0);
  for (size_t i = 0; i < all; i++)
    if (e->norm[i] <= 0) dnorm[i] = 0;
  memset(dfirst, 0, sizeof *dfirst * all);
  g->net.kernels->layer_norm_dx(rows, d, dnorm, e->first, g->net.weights + norm,
                                e->mean, e->rstd, dfirst);
  g->net.kernels->layer_norm_dwb(rows, d, dnorm, e->first, e->mean, e->rstd,
                                 part + norm, part + norm + d, 0, d);
  sw_gnn_learn(p, g, first, rows, dfirst, feature, part);
}

static void backward(sw_gnn_pass *p, const sw_gnn_net *g, const sw_graph *gr,
                     const sw_gnn_drop *drop, float *part) {
  size_t d = (size_t)g->config.width;
  int count[2] = {gr->nodes, gr->factors};
  float *dkind = p->small[1];
  float *slope[2] = {p->slope[0][0], p->slope[1][0]};
  float *next[2] = {p->slope[0][1], p->slope[1][1]};
  back_heads(p, g, gr, slope[0], part); /* uses it too */
  memset(dkind, 0, sizeof *dkind * d * (size_t)gr->kinds);
  memset(slope[1], 0, sizeof *slope[1] * d * (size_t)gr->factors);
  for (int i = 2 * g->config.rounds - 1; i >= 0; i--) {
    int round = i / 2, direction = i & 1, to = direction ? 0 : 1;
    back_gru(p, g, &p->kept[i], sw_gnn_state(p, to, round, direction),
             count[to], to ? SW_GNN_GRU_FACTOR_X : SW_GNN_GRU_NODE_X, slope[to],
             next[to], part);
    float *swap = slope[to];
    slope[to] = next[to];
    next[to] = swap;
    back_messages(p, g, gr, drop, round, direction, slope[!to], dkind, part);
  }
  sw_gnn_learn(p, g, SW_GNN_EDGE, gr->kinds, dkind, gr->kind, part);
  back_encoder(p, g, 0, gr->node, gr->nodes, slope[0], part);
  back_encoder(p, g, 1, gr->factor, gr->factors, slope[1], part);
}

sw_gnn_answer sw_gnn_loss(sw_gnn_pass *p, const sw_gnn_net *g,
                          const sw_graph *graph, const sw_gnn_drop *drop,
                          const int32_t *target, float weight, float *part) {
  sw_gnn_answer a = heads(p, g, target, weight);
  if (part) backward(p, g, graph, drop, part);
  return a;
}
