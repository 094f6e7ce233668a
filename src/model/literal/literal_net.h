/* The literal transformer: attention over the open literals of a state, each a
 * row of the nine columns of a choice (features=choice), and a verdict for each
 * of them: dead or not. The published one is a Linear(9, 64) with an embedding
 * of the variable and one of the sign, a norm, three layers of four heads, and
 * a last norm. A literal sees all others of its state and of no other. It
 * judges and does not play. Split over
 *   literal_net.c       the table of tensors, packed copies
 *   literal_pass.c      room for the rows of an item, rows forward
 *   literal_backward.c  loss and gradient
 *   literal_family.c    the family behind model/family.h
 * Inside src/model only. */
#ifndef SW_MODEL_LITERAL_NET_H
#define SW_MODEL_LITERAL_NET_H
#include "model/state_net.h"

enum { SW_LITERAL_LAYERS = 12, SW_LITERAL_CLASSES = 2 };

/* The layout is first: see `features` in family.h. */
typedef struct sw_literal_config {
  sw_state_layout layout;
  int width, layers, heads, ffn;
  int names; /* 1: the variables have embeddings of their own */
} sw_literal_config;

enum {
  SW_LITERAL_QKV,
  SW_LITERAL_PROJECT,
  SW_LITERAL_IN,
  SW_LITERAL_OUT,
  SW_LITERAL_OF_LAYER
};
/* matrix[0] reads the columns, the last one is the verdict's. */
static inline int sw_literal_matrix_of(int layer, int which) {
  return 1 + layer * SW_LITERAL_OF_LAYER + which;
}

typedef struct sw_literal_net {
  sw_net net;
  sw_literal_config config;
  sw_state_matrix matrix[2 + SW_LITERAL_LAYERS * SW_LITERAL_OF_LAYER];
  int matrices;
  int64_t sign, variable;                  /* offsets; variable -1: no names */
  int64_t norm[2 + 2 * SW_LITERAL_LAYERS]; /* of the input, two a layer, last:
                                              weight, then bias */
  int64_t mean, scale;
  int stale; /* the packed copies */
} sw_literal_net;
/* Norms: 0 the input's, 1 + 2 layer and 2 + 2 layer, and the last. */
static inline int sw_literal_last_norm(const sw_literal_net *f) {
  return 1 + 2 * f->config.layers;
}

int sw_literal_net_new(sw_net **net, const sw_family *family,
                       const sw_literal_config *config, sw_err *err);
void sw_literal_net_free(sw_net *net);
int sw_literal_pack(sw_net *net, sw_err *err);

/* What a layer keeps for the way back. */
typedef struct sw_literal_layer {
  float *input, *normed, *qkv, *attended, *middle, *normed2, *pre, *gelu;
  float *lse; /* [heads][rows] */
} sw_literal_layer;

/* One member's room for `rows` literals at once. */
typedef struct sw_literal_pass {
  int32_t rows, room, states;
  float *columns, *embedded; /* [rows][features], [rows][width] */
  sw_literal_layer layer[SW_LITERAL_LAYERS];
  float *end, *last, *score; /* before and after the last norm; scores */
  float *mean, *rstd;        /* [norms][rows] */
  float *slope[3];           /* [rows][width] */
  float *wide[2];            /* [rows][3 width or ffn] */
  float *product, *attention;
  sw_span *span; /* one a state */
  size_t bytes;
} sw_literal_pass;

int sw_literal_pass_room(sw_literal_pass *pass, const sw_literal_net *net,
                         int32_t rows, sw_err *err);
void sw_literal_pass_free(sw_literal_pass *pass);
/* Scores in pass->score, hidden vectors in pass->last. The rows of a state lie
 * together (record->state). */
void sw_literal_forward(sw_literal_pass *pass, const sw_literal_net *net,
                        const sw_record *record);
/* Loss and gradient of an item after its forward pass: part is overwritten. */
void sw_literal_loss(sw_literal_pass *pass, const sw_literal_net *net,
                     sw_item *item, float *part);
/* One head of a layer, forward part filled in. */
nn_attention sw_literal_head(const sw_literal_pass *pass,
                             const sw_literal_net *net, int layer, int head);
double sw_literal_flops(const sw_literal_net *net, const sw_record *record,
                        int backward);

#endif
