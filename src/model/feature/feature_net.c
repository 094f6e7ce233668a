/* Tensors and packed copies of the models on state features (feature_net.h).
 * The heads' matrices lie one behind the other, so that all heads are one
 * product; files have a tensor for each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/feature/feature_net.h"
#include "model/net.h"

static const char *const head_name[SW_STATE_HEADS] = {"verdict", "item",
                                                      "value"};

static int64_t put(sw_net *net, const char *name, int rows, int columns,
                   double size) {
  int64_t at =
      sw_state_tensor(net, name, rows, columns, SW_INIT_UNIFORM, size, 1);
  net->tensor[net->tensors - 1].matrices = columns > 0;
  return at;
}

static void lay_out(sw_feature_net *f) {
  const sw_feature_config *c = &f->config;
  int in = c->layout.features;
  char name[64];
  for (int i = 0; i < c->layers; i++) {
    double size = 1 / sqrt((double)in);
    sw_state_matrix *m = &f->matrix[f->matrices++];
    *m = (sw_state_matrix){.out = c->width, .in = in, .ld = in, .first = !i};
    snprintf(name, sizeof name, "layers.%d.weight", i);
    m->weight = put(&f->net, name, c->width, in, size);
    snprintf(name, sizeof name, "layers.%d.bias", i);
    m->bias = put(&f->net, name, c->width, 0, size);
    in = c->width;
  }
  sw_state_matrix *m = &f->matrix[f->matrices++];
  *m = (sw_state_matrix){
      .in = in, .ld = in, .weight = f->net.count, .first = !c->layers};
  for (int bias = 0; bias < 2; bias++) {
    if (bias) m->bias = f->net.count;
    for (int h = 0; h < SW_STATE_HEADS; h++) {
      snprintf(name, sizeof name, "heads.%s.%s", head_name[h],
               bias ? "bias" : "weight");
      put(&f->net, name, c->layout.classes[h], bias ? 0 : in,
          1 / sqrt((double)in));
      m->out += bias ? 0 : c->layout.classes[h];
    }
  }
  f->mean = sw_state_tensor(&f->net, "input.mean", c->layout.features, 0,
                            SW_INIT_ZERO, 0, 0);
  f->scale = sw_state_tensor(&f->net, "input.scale", c->layout.features, 0,
                             SW_INIT_ONE, 0, 0);
  f->net.constants = 2 * (int64_t)c->layout.features;
}

static int check(const sw_feature_config *c, sw_err *err) {
  const sw_state_layout *l = &c->layout;
  int64_t classes = 0;
  for (int h = 0; h < SW_STATE_HEADS; h++) {
    if (l->classes[h] < 1)
      return sw_fail(err, SW_DATA, "the head `%s` has no classes",
                     head_name[h]);
    classes += l->classes[h];
  }
  if (l->features < 1 || classes > 100000 || (c->layers > 0 && c->width < 1) ||
      c->layers > SW_FEATURE_LAYERS)
    return sw_fail(err, SW_DATA, "a model on %d features is not possible",
                   l->features);
  return SW_OK;
}

int sw_feature_net_new(sw_net **net, const sw_family *family,
                       const sw_feature_config *config, sw_err *err) {
  *net = NULL;
  SW_TRY(check(config, err));
  const nn_kernels *kernels = nn_select(NULL, err);
  if (!kernels) return err ? err->code : SW_USAGE;
  sw_feature_net *f = calloc(1, sizeof *f);
  if (!f) return sw_no_memory_for(err, "a model");
  f->config = *config;
  f->net = (sw_net){
      .family = family, .kernels = kernels, .config = &f->config, .plays = 1};
  f->net.tensor = calloc(2 * (size_t)config->layers + 2 * SW_STATE_HEADS + 2,
                         sizeof *f->net.tensor);
  if (!f->net.tensor) {
    free(f);
    return sw_no_memory_for(err, "a model");
  }
  lay_out(f);
  f->net.outputs = f->matrix[f->matrices - 1].out;
  f->net.hidden = f->matrix[f->matrices - 1].in;
  f->stale = 1;
  *net = &f->net;
  return SW_OK;
}

void sw_feature_net_free(sw_net *net) {
  sw_feature_net *f = (sw_feature_net *)net;
  sw_state_unpack(f->matrix, f->matrices);
  free(f);
}

int sw_feature_pack(sw_net *net, sw_err *err) {
  sw_feature_net *f = (sw_feature_net *)net;
  return sw_state_pack(net, f->matrix, f->matrices, &f->stale, err);
}
