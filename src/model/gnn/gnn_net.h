/* The factor graph network: variables and constraints exchange messages along
 * the edges of a constraint graph (trace/factor_graph.h), and read-outs score
 * every (variable, value), going back and being done. Split over
 *   gnn_net.c       the table of tensors, packed copies
 *   gnn_pass.c      room for a graph, products
 *   gnn_forward.c   one graph forward
 *   gnn_backward.c  and backward
 *   gnn_family.c    the family behind model/family.h
 * Inside src/model only. docs/model.md has the definition.
 *
 * The first layer of a message, W [h; e] + b, is computed as W_h h once for
 * each sender plus W_e e + b once for each kind of edge, and added on the
 * edges: the sum is the same, and two thirds of the work are gone. */
#ifndef SW_MODEL_GNN_NET_H
#define SW_MODEL_GNN_NET_H
#include "model/state_net.h"
#include "trace/factor_graph.h"

enum { SW_GNN_ROUNDS = 32, SW_GNN_WIDTH = 1024 }; /* at most */

/* The layout is first: see `features` in family.h. */
typedef struct sw_gnn_config {
  sw_state_layout layout;
  int width, rounds;
  int leak; /* 1: whether there is a conflict is an input, as published */
} sw_gnn_config;

/* Matrices, or parts of one: X(name). The three of a half round follow. */
/* clang-format off */
#define SW_GNN_MATRICES(X)                                   \
  X(NODE0) X(NODE1) X(FACTOR0) X(FACTOR1) X(EDGE)            \
  X(ASSIGN_H) X(ASSIGN_V) X(GLOBAL0) X(GLOBAL1)              \
  X(GRU_FACTOR_X) X(GRU_FACTOR_H) X(GRU_NODE_X) X(GRU_NODE_H)
/* clang-format on */
enum {
#define X(name) SW_GNN_##name,
  SW_GNN_MATRICES(X)
#undef X
      SW_GNN_HALVES /* + 6 round + 3 direction + which */
};
enum { SW_GNN_SENDER, SW_GNN_KIND, SW_GNN_SECOND }; /* of a half round */
/* Norms: of the encoders, then 2 round + direction. */
enum { SW_GNN_NORM_NODE, SW_GNN_NORM_FACTOR, SW_GNN_NORM_HALVES };
/* Directions: messages to the constraints, then to the variables. */
enum { SW_GNN_TO_FACTOR, SW_GNN_TO_NODE };

typedef struct sw_gnn_net {
  sw_net net;
  sw_gnn_config config;
  sw_state_matrix *matrix;
  int matrices;
  int64_t norm[SW_GNN_NORM_HALVES + 2 * SW_GNN_ROUNDS]; /* weight, then bias */
  int64_t value;              /* embeddings of the values */
  int64_t assign, back, done; /* a row of weights, then the bias */
  int stale;
} sw_gnn_net;

static inline int sw_gnn_half(int round, int direction, int which) {
  return SW_GNN_HALVES + 6 * round + 3 * direction + which;
}
static inline int sw_gnn_half_norm(int round, int direction) {
  return SW_GNN_NORM_HALVES + 2 * round + direction;
}

int sw_gnn_net_new(sw_net **net, const sw_family *family,
                   const sw_gnn_config *config, sw_err *err);
void sw_gnn_net_free(sw_net *net);
int sw_gnn_pack(sw_net *net, sw_err *err);

#endif
