/* Room for a graph and the products of the factor graph network (gnn_pass.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/gnn/gnn_pass.h"

/* Hands out the arrays from one block. With block NULL it only measures. */
static size_t lay_out(sw_gnn_pass *p, const sw_gnn_net *g, char *block) {
  size_t d = (size_t)g->config.width, used = 0;
  size_t values = (size_t)g->config.layout.classes[SW_HEAD_VALUE];
  size_t count[2] = {(size_t)p->nodes, (size_t)p->factors};
  size_t edges = (size_t)p->edges, kinds = (size_t)p->kinds;
  size_t most = count[0] > count[1] ? count[0] : count[1];
  size_t few = kinds > values ? kinds : values;
#define PLACE(field, floats)                                  \
  do {                                                        \
    if (block) field = (float *)(void *)(block + used);       \
    used += (sizeof(float) * ((floats) + 16) + 63) / 64 * 64; \
  } while (0)
  for (int side = 0; side < 2; side++) {
    PLACE(p->encoded[side].first, count[side] * d);
    PLACE(p->encoded[side].mean, count[side]);
    PLACE(p->encoded[side].rstd, count[side]);
    PLACE(p->encoded[side].norm, count[side] * d);
    PLACE(p->encoded[side].state, count[side] * d);
    PLACE(p->slope[side][0], count[side] * d);
    PLACE(p->slope[side][1], count[side] * d);
  }
  PLACE(p->kind_state, kinds * d);
  for (int i = 0; i < 2 * p->rounds; i++) {
    sw_gnn_kept spare, *k = block ? &p->kept[i] : &spare;
    size_t from = count[i & 1], to = count[!(i & 1)];
    PLACE(k->sender, from * d);
    PLACE(k->kind, kinds * d);
    PLACE(k->sum, edges * d);
    PLACE(k->mean, edges);
    PLACE(k->rstd, edges);
    PLACE(k->heard, to * d);
    PLACE(k->gate, to * 3 * d);
    PLACE(k->recall, to * d);
    PLACE(k->after, to * d);
  }
  PLACE(p->assign_node, count[0] * d);
  PLACE(p->assign_value, values * d);
  PLACE(p->pooled, d);
  PLACE(p->global, d);
  PLACE(p->output, (size_t)g->net.outputs);
  for (int i = 0; i < 3; i++) PLACE(p->edge[i], edges * d);
  for (int i = 0; i < 2; i++) PLACE(p->wide[i], most * 3 * d);
  PLACE(p->sent, most * d);
  for (int i = 0; i < 3; i++) PLACE(p->small[i], few * d);
  size_t rows = edges > most ? edges : most;
  PLACE(p->product,
        g->net.kernels->gemm_tn_scratch(3 * (int)d, (int)d + 16, (int)rows));
#undef PLACE
  return used;
}

void sw_gnn_pass_free(sw_gnn_pass *p) {
  sw_aligned_free(p->block);
  free(p->kept);
  memset(p, 0, sizeof *p);
}

int sw_gnn_pass_room(sw_gnn_pass *p, const sw_gnn_net *g, const sw_graph *graph,
                     sw_err *err) {
  if (p->block && graph->nodes <= p->nodes && graph->factors <= p->factors &&
      graph->edges <= p->edges && graph->kinds <= p->kinds)
    return SW_OK;
#define MOST(field) graph->field > p->field ? graph->field : p->field
  sw_gnn_pass grown = {.nodes = MOST(nodes),
                       .factors = MOST(factors),
                       .edges = MOST(edges),
                       .kinds = MOST(kinds),
                       .rounds = g->config.rounds};
#undef MOST
  sw_gnn_pass_free(p);
  *p = grown;
  p->kept = calloc(2 * (size_t)p->rounds, sizeof *p->kept);
  p->bytes = lay_out(p, g, NULL);
  p->block = sw_aligned_alloc(p->bytes);
  if (!p->block || !p->kept) {
    sw_gnn_pass_free(p);
    return sw_no_memory_for(err, "a graph of %d edges", graph->edges);
  }
  lay_out(p, g, p->block);
  return SW_OK;
}

nn_dropout sw_gnn_drop_at(const sw_gnn_drop *drop, int round, int direction) {
  nn_dropout d = {.key = {drop->key[0], drop->key[1]}, .scale = 1};
  d.stream =
      (drop->graph * SW_GNN_ROUNDS + (uint32_t)round) * 2 + (uint32_t)direction;
  if (drop->rate > 0) {
    d.threshold = (uint32_t)lrint(drop->rate * 65536);
    d.scale = (float)(1 / (1 - drop->rate));
  }
  return d;
}

void sw_gnn_apply(const sw_gnn_net *g, int matrix, int rows, const float *x,
                  float *y, int more) {
  const sw_state_matrix *m = &g->matrix[matrix];
  nn_epilogue add = {.bias = g->net.weights + m->bias};
  g->net.kernels->gemm(rows, m->out, m->in, x, m->in, m->forward, y, m->out,
                       more, m->bias < 0 || more ? NULL : &add);
}

void sw_gnn_back(const sw_gnn_net *g, int matrix, int rows, const float *dy,
                 float *dx, int more) {
  const sw_state_matrix *m = &g->matrix[matrix];
  g->net.kernels->gemm(rows, m->in, m->out, dy, m->out, m->back, dx, m->in,
                       more, NULL);
}

void sw_gnn_learn(sw_gnn_pass *p, const sw_gnn_net *g, int matrix, int rows,
                  const float *dy, const float *x, float *part) {
  const sw_state_matrix *m = &g->matrix[matrix];
  g->net.kernels->gemm_tn(m->out, m->in, rows, dy, m->out, x, m->in,
                          part + m->weight, m->ld, 1, 0, m->out, p->product);
  if (m->bias >= 0)
    g->net.kernels->column_sum(rows, dy, m->out, part + m->bias, 1, 0, m->out);
}

const float *sw_gnn_state(const sw_gnn_pass *p, int side, int round,
                          int direction) {
  /* Half round 2 r + direction renews the factors (0) or the nodes (1). */
  int last = 2 * round + direction - 1; /* the last one that is done */
  if ((last & 1) == side) last--;       /* it renewed the other side */
  return last < 0 ? p->encoded[side].state : p->kept[last].after;
}

void sw_gnn_first(const sw_gnn_pass *p, const sw_gnn_net *g,
                  const sw_graph *graph, const sw_gnn_drop *drop, int round,
                  int direction, float *out) {
  const sw_gnn_kept *k = &p->kept[2 * round + direction];
  int d = g->config.width;
  for (int32_t e = 0; e < graph->edges; e++) {
    const float *a =
        k->sender + (size_t)sw_gnn_from(graph, direction, e) * (size_t)d;
    const float *b = k->kind + (size_t)graph->edge_kind[e] * (size_t)d;
    float *y = out + (size_t)e * (size_t)d;
    for (int i = 0; i < d; i++) {
      float x = a[i] + b[i];
      y[i] = x > 0 ? x : 0;
    }
  }
  nn_dropout how = sw_gnn_drop_at(drop, round, direction);
  if (how.threshold)
    g->net.kernels->dropout_scale(graph->edges, d, out, d, 1, &how, 0, out, d);
}

double sw_gnn_flops(const sw_gnn_net *g, const sw_graph *graph, int backward) {
  double d = g->config.width, count[2] = {graph->nodes, graph->factors};
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    double in = side ? SW_GRAPH_FACTOR : SW_GRAPH_NODE;
    sum += count[side] * (in * d + d * d);             /* encoders */
    sum += g->config.rounds * count[side] * 7 * d * d; /* sender, gates */
  }
  sum += 2 * g->config.rounds * (graph->edges + graph->kinds) * d * d;
  sum += count[0] * d * d + count[0] * graph->values * d + 2 * d * d;
  return 2 * sum * (backward ? 3 : 1);
}
