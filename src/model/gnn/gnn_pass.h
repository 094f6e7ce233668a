/* One graph through the factor graph network, by one member of a team. What the
 * backward pass needs is kept by half round; everything else is scratch. Room
 * grows to the largest graph seen. Inside src/model/gnn only. */
#ifndef SW_MODEL_GNN_PASS_H
#define SW_MODEL_GNN_PASS_H
#include "model/gnn/gnn_net.h"

/* What is kept of a half round, from `senders` to `receivers`. */
typedef struct sw_gnn_kept {
  float *sender;      /* [senders][d] W_h h */
  float *kind;        /* [kinds][d] W_e e + b */
  float *sum;         /* [edges][d] before the norm */
  float *mean, *rstd; /* [edges] */
  float *heard;       /* [receivers][d] sums of messages */
  float *gate;        /* [receivers][3 d] r, z, n */
  float *recall;      /* [receivers][d] state part of n, before r */
  float *after;       /* [receivers][d] the new state */
} sw_gnn_kept;

/* An encoder: first layer, its norm, what follows. */
typedef struct sw_gnn_encoded {
  float *first, *mean, *rstd, *norm, *state;
} sw_gnn_encoded;

typedef struct sw_gnn_pass {
  int32_t nodes, factors, edges, kinds, rounds; /* that there is room for */
  sw_gnn_encoded encoded[2];                    /* nodes, factors */
  float *kind_state;                            /* [kinds][d] */
  sw_gnn_kept *kept;                            /* [2 rounds] */
  float *assign_node, *assign_value;            /* [nodes][d], [values][d] */
  float *pooled, *global; /* [d] before and after global.1's ReLU */
  float *output;          /* [outputs] */
  /* scratch */
  float *edge[3];     /* [edges][d] */
  float *wide[2];     /* [nodes or factors][3 d] */
  float *slope[2][2]; /* [nodes, factors][d], now and next */
  float *sent;        /* [nodes or factors][d] */
  float *small[3];    /* [kinds or values][d] */
  float *product;
  void *block;
  size_t bytes;
} sw_gnn_pass;

int sw_gnn_pass_room(sw_gnn_pass *pass, const sw_gnn_net *net,
                     const sw_graph *graph, sw_err *err);
void sw_gnn_pass_free(sw_gnn_pass *pass);

/* Dropout of the messages: one stream for each half round of each graph. */
typedef struct sw_gnn_drop {
  double rate; /* 0: none */
  uint32_t key[2];
  uint32_t graph; /* of the item */
} sw_gnn_drop;
nn_dropout sw_gnn_drop_at(const sw_gnn_drop *drop, int round, int direction);

/* Scores of the graph in pass->output. */
void sw_gnn_forward(sw_gnn_pass *pass, const sw_gnn_net *net,
                    const sw_graph *graph, const sw_gnn_drop *drop);
/* The choice that a target names, as a place in the output; -1: it names none,
 * or a variable alone (in some formats a retry names it, finds that no value is
 * left and goes back). */
static inline int32_t sw_gnn_pair(const sw_gnn_net *g, const int32_t *target) {
  int32_t item = target[SW_HEAD_ITEM], value = target[SW_HEAD_VALUE];
  if (target[SW_HEAD_VERDICT] || item < 0 || value < 0) return -1;
  return item * g->config.layout.classes[SW_HEAD_VALUE] + value;
}
/* Loss of a graph after its forward pass; with `part` its gradient is added
 * there. target: verdict (0 assign, 1 back, 2 done), variable, value; what it
 * names is open. */
typedef struct sw_gnn_answer {
  double loss;
  int hit;
} sw_gnn_answer;
sw_gnn_answer sw_gnn_loss(sw_gnn_pass *pass, const sw_gnn_net *net,
                          const sw_graph *graph, const sw_gnn_drop *drop,
                          const int32_t *target, float weight, float *part);
double sw_gnn_flops(const sw_gnn_net *net, const sw_graph *graph, int backward);

/* ---- products (gnn_pass.c) ---- */
/* y[rows][out] = x W^T + b; with `more`, added to y (and no bias). */
void sw_gnn_apply(const sw_gnn_net *net, int matrix, int rows, const float *x,
                  float *y, int more);
/* dx[rows][in] (+)= dy W. */
void sw_gnn_back(const sw_gnn_net *net, int matrix, int rows, const float *dy,
                 float *dx, int more);
/* dW += dy^T x and db += sum of dy. */
void sw_gnn_learn(sw_gnn_pass *pass, const sw_gnn_net *net, int matrix,
                  int rows, const float *dy, const float *x, float *part);
/* The ends of an edge in a direction. */
static inline int32_t sw_gnn_from(const sw_graph *g, int direction, int32_t e) {
  return direction == SW_GNN_TO_FACTOR ? g->edge_node[e] : g->edge_factor[e];
}
static inline int32_t sw_gnn_to(const sw_graph *g, int direction, int32_t e) {
  return direction == SW_GNN_TO_FACTOR ? g->edge_factor[e] : g->edge_node[e];
}
/* States of one side before half round (round, direction): 0 nodes, 1 factors.
 */
const float *sw_gnn_state(const sw_gnn_pass *pass, int side, int round,
                          int direction);
/* The first layer of a message on every edge, after ReLU and dropout. */
void sw_gnn_first(const sw_gnn_pass *pass, const sw_gnn_net *net,
                  const sw_graph *graph, const sw_gnn_drop *drop, int round,
                  int direction, float *out);

#endif
