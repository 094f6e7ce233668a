/* Tensors and packed copies of the factor graph network (gnn_net.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/gnn/gnn_net.h"
#include "model/net.h"

static int64_t put(sw_net *net, const char *stem, const char *name, int rows,
                   int columns, sw_init init, double size) {
  char full[64];
  snprintf(full, sizeof full, "%.50s.%s", stem, name);
  int64_t at = sw_state_tensor(net, full, rows, columns, init, size, 1);
  net->tensor[net->tensors - 1].matrices = columns > 1 && rows > 1;
  return at;
}

/* weight and bias of one layer, uniform within 1/sqrt(size of the input). */
static sw_state_matrix linear(sw_gnn_net *g, const char *stem, int out,
                              int in) {
  double size = 1 / sqrt((double)in);
  sw_state_matrix m = {.out = out, .in = in, .ld = in};
  m.weight = put(&g->net, stem, "weight", out, in, SW_INIT_UNIFORM, size);
  m.bias = put(&g->net, stem, "bias", out, 0, SW_INIT_UNIFORM, size);
  return m;
}

static void norm(sw_gnn_net *g, int which, const char *stem) {
  int d = g->config.width;
  g->norm[which] = put(&g->net, stem, "weight", d, 0, SW_INIT_ONE, 0);
  put(&g->net, stem, "bias", d, 0, SW_INIT_ZERO, 0);
}

/* A layer on two things side by side, as two matrices of `width` columns; the
 * second one carries the bias. */
static void split(const sw_state_matrix *both, sw_state_matrix *first,
                  sw_state_matrix *second) {
  *first = *second = *both;
  first->in = second->in = both->in / 2;
  first->bias = -1;
  second->weight += first->in;
}

static void encoder(sw_gnn_net *g, const char *name, int in, int first,
                    int which) {
  char stem[48];
  int d = g->config.width;
  snprintf(stem, sizeof stem, "%s.0", name);
  g->matrix[first] = linear(g, stem, d, in);
  snprintf(stem, sizeof stem, "%s.norm", name);
  norm(g, which, stem);
  snprintf(stem, sizeof stem, "%s.1", name);
  g->matrix[first + 1] = linear(g, stem, d, d);
}

static void message(sw_gnn_net *g, int round, int direction) {
  char stem[48];
  int d = g->config.width, at = sw_gnn_half(round, direction, 0);
  const char *name = direction == SW_GNN_TO_FACTOR ? "to_factor" : "to_node";
  snprintf(stem, sizeof stem, "%s.%d.0", name, round);
  sw_state_matrix both = linear(g, stem, d, 2 * d);
  split(&both, &g->matrix[at + SW_GNN_SENDER], &g->matrix[at + SW_GNN_KIND]);
  snprintf(stem, sizeof stem, "%s.%d.1", name, round);
  g->matrix[at + SW_GNN_SECOND] = linear(g, stem, d, d);
  snprintf(stem, sizeof stem, "%s.%d.norm", name, round);
  norm(g, sw_gnn_half_norm(round, direction), stem);
}

/* Gates r, z, n one below the other, of the input and of the state. */
static void gru(sw_gnn_net *g, const char *stem, int first) {
  int d = g->config.width;
  double size = 1 / sqrt((double)d);
  static const char *const part[2] = {"input", "state"};
  for (int k = 0; k < 2; k++) {
    char name[48];
    snprintf(name, sizeof name, "%s.%s", stem, part[k]);
    sw_state_matrix m = {.out = 3 * d, .in = d, .ld = d};
    m.weight = put(&g->net, name, "weight", 3 * d, d, SW_INIT_UNIFORM, size);
    m.bias = put(&g->net, name, "bias", 3 * d, 0, SW_INIT_UNIFORM, size);
    g->net.tensor[g->net.tensors - 2].matrices = 3;
    g->matrix[first + k] = m;
  }
}

static void lay_out(sw_gnn_net *g) {
  int d = g->config.width;
  encoder(g, "node", SW_GRAPH_NODE, SW_GNN_NODE0, SW_GNN_NORM_NODE);
  encoder(g, "factor", SW_GRAPH_FACTOR, SW_GNN_FACTOR0, SW_GNN_NORM_FACTOR);
  g->matrix[SW_GNN_EDGE] = linear(g, "edge", d, SW_GRAPH_EDGE);
  for (int r = 0; r < g->config.rounds; r++)
    for (int k = 0; k < 2; k++) message(g, r, k);
  gru(g, "gru_factor", SW_GNN_GRU_FACTOR_X);
  gru(g, "gru_node", SW_GNN_GRU_NODE_X);
  g->value = put(&g->net, "value", "weight",
                 g->config.layout.classes[SW_HEAD_VALUE], d, SW_INIT_NORMAL, 1);
  sw_state_matrix both = linear(g, "assign.0", d, 2 * d);
  split(&both, &g->matrix[SW_GNN_ASSIGN_H], &g->matrix[SW_GNN_ASSIGN_V]);
  g->assign = linear(g, "assign.1", 1, d).weight;
  g->matrix[SW_GNN_GLOBAL0] = linear(g, "global.0", d, SW_GRAPH_GLOBAL);
  g->matrix[SW_GNN_GLOBAL1] = linear(g, "global.1", d, d);
  g->back = linear(g, "back", 1, d).weight;
  g->done = linear(g, "done", 1, d).weight;
}

static int check(const sw_gnn_config *c, sw_err *err) {
  const sw_state_layout *l = &c->layout;
  int64_t pairs = (int64_t)l->classes[SW_HEAD_ITEM] * l->classes[SW_HEAD_VALUE];
  if (c->width < 4 || c->width > SW_GNN_WIDTH || c->rounds < 1 ||
      c->rounds > SW_GNN_ROUNDS || pairs < 1 || pairs > 100000)
    return sw_fail(err, SW_DATA,
                   "a network of width %d, %d rounds and %lld choices is not "
                   "possible",
                   c->width, c->rounds, (long long)pairs);
  return SW_OK;
}

int sw_gnn_net_new(sw_net **net, const sw_family *family,
                   const sw_gnn_config *config, sw_err *err) {
  *net = NULL;
  SW_TRY(check(config, err));
  const nn_kernels *kernels = nn_select(NULL, err);
  if (!kernels) return err ? err->code : SW_USAGE;
  sw_gnn_net *g = calloc(1, sizeof *g);
  if (!g) return sw_no_memory_for(err, "a model");
  g->config = *config;
  g->net = (sw_net){.family = family,
                    .kernels = kernels,
                    .config = &g->config,
                    .hidden = config->width,
                    .plays = 1};
  g->net.outputs = config->layout.classes[SW_HEAD_ITEM] *
                       config->layout.classes[SW_HEAD_VALUE] +
                   2;
  g->matrices = sw_gnn_half(config->rounds, 0, 0);
  g->matrix = calloc((size_t)g->matrices, sizeof *g->matrix);
  g->net.tensor =
      calloc(48 + 12 * (size_t)config->rounds, sizeof *g->net.tensor);
  if (!g->matrix || !g->net.tensor) {
    free(g->net.tensor);
    free(g->matrix);
    free(g);
    return sw_no_memory_for(err, "a model");
  }
  lay_out(g);
  g->stale = 1;
  *net = &g->net;
  return SW_OK;
}

void sw_gnn_net_free(sw_net *net) {
  sw_gnn_net *g = (sw_gnn_net *)net;
  sw_state_unpack(g->matrix, g->matrices);
  free(g->matrix);
  free(g);
}

int sw_gnn_pack(sw_net *net, sw_err *err) {
  sw_gnn_net *g = (sw_gnn_net *)net;
  return sw_state_pack(net, g->matrix, g->matrices, &g->stale, err);
}
