/* Models on state features: `linear` (three heads on the standardised input)
 * and `mlp` (hidden layers with ReLU in between). Split over
 *   feature_net.c     the table of tensors, packed copies
 *   feature_pass.c    rows forward and backward
 *   feature_family.c  both families behind model/family.h
 * Inside src/model only. */
#ifndef SW_MODEL_FEATURE_NET_H
#define SW_MODEL_FEATURE_NET_H
#include "model/state_net.h"

enum { SW_FEATURE_LAYERS = 8 }; /* hidden ones, at most */

/* The layout is first: see `features` in family.h. */
typedef struct sw_feature_config {
  sw_state_layout layout;
  int width, layers; /* of the hidden layers; 0 layers: linear */
} sw_feature_config;

typedef struct sw_feature_net {
  sw_net net;
  sw_feature_config config;
  sw_state_matrix matrix[SW_FEATURE_LAYERS + 1]; /* the last one: all heads */
  int matrices;
  int64_t mean, scale; /* offsets */
  int stale;           /* the packed copies */
} sw_feature_net;

int sw_feature_net_new(sw_net **net, const sw_family *family,
                       const sw_feature_config *config, sw_err *err);
void sw_feature_net_free(sw_net *net);
/* Packs what is stale. */
int sw_feature_pack(sw_net *net, sw_err *err);

/* One member's room for `rows` rows at once. */
typedef struct sw_feature_pass {
  int32_t rows;
  const float **row;                   /* [rows] the features of each */
  float *input;                        /* [rows][features] standardised */
  float *layer[SW_FEATURE_LAYERS + 1]; /* [rows][out] after ReLU; scores */
  float *slope[2];                     /* [rows][widest] */
  float *product;                      /* gemm_tn_scratch */
  size_t bytes;
} sw_feature_pass;

int sw_feature_pass_room(sw_feature_pass *pass, const sw_feature_net *net,
                         int32_t rows, sw_err *err);
void sw_feature_pass_free(sw_feature_pass *pass);
/* Scores of the first rows of pass->row, in pass->layer[matrices - 1]; hidden
 * vectors in the one before. */
void sw_feature_forward(sw_feature_pass *pass, const sw_feature_net *net,
                        int32_t rows);
/* Loss and gradient of an item after its forward pass: part is overwritten. */
void sw_feature_loss(sw_feature_pass *pass, const sw_feature_net *net,
                     sw_item *item, float *part);
double sw_feature_flops(const sw_feature_net *net, int64_t rows, int backward);

#endif
