/* Tensors and packed copies of the models on state features (feature_net.h).
 * The heads' matrices lie one behind the other, so that all heads are one
 * product; files have a tensor for each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/feature/feature_net.h"
#include "model/net.h"

static const char *const head_name[SW_STATE_HEADS] = {"verdict", "item",
                                                      "value"};

static void put(sw_net *net, const char *name, int dims, int64_t rows,
                int64_t columns, sw_init init, double size, int trained) {
  sw_tensor *t = &net->tensor[net->tensors++];
  snprintf(t->name, sizeof t->name, "%s", name);
  t->dims = dims;
  t->shape[0] = rows;
  t->shape[1] = columns;
  t->count = dims == 2 ? rows * columns : rows;
  t->offset = net->count;
  t->init = init;
  t->size = size;
  t->trained = t->decay = trained;
  t->matrices = trained && dims == 2;
  net->count += t->count;
  net->trained += trained ? t->count : 0;
}

static void lay_out(sw_feature_net *f) {
  const sw_feature_config *c = &f->config;
  int in = c->layout.features;
  char name[64];
  for (int i = 0; i < c->layers; i++) {
    double size = 1 / sqrt((double)in);
    sw_feature_matrix *m = &f->matrix[f->matrices++];
    *m = (sw_feature_matrix){.out = c->width, .in = in};
    m->weight = f->net.count;
    snprintf(name, sizeof name, "layers.%d.weight", i);
    put(&f->net, name, 2, c->width, in, SW_INIT_UNIFORM, size, 1);
    m->bias = f->net.count;
    snprintf(name, sizeof name, "layers.%d.bias", i);
    put(&f->net, name, 1, c->width, 0, SW_INIT_UNIFORM, size, 1);
    in = c->width;
  }
  sw_feature_matrix *m = &f->matrix[f->matrices++];
  *m = (sw_feature_matrix){.in = in, .weight = f->net.count};
  for (int bias = 0; bias < 2; bias++) {
    if (bias) m->bias = f->net.count;
    for (int h = 0; h < SW_STATE_HEADS; h++) {
      snprintf(name, sizeof name, "heads.%s.%s", head_name[h],
               bias ? "bias" : "weight");
      put(&f->net, name, 2 - bias, c->layout.classes[h], in, SW_INIT_UNIFORM,
          1 / sqrt((double)in), 1);
      m->out += bias ? 0 : c->layout.classes[h];
    }
  }
  f->mean = f->net.count;
  put(&f->net, "input.mean", 1, c->layout.features, 0, SW_INIT_ZERO, 0, 0);
  f->scale = f->net.count;
  put(&f->net, "input.scale", 1, c->layout.features, 0, SW_INIT_ONE, 0, 0);
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
  if (!f) return sw_fail(err, SW_MEMORY, "out of memory for a model");
  f->config = *config;
  f->net = (sw_net){
      .family = family, .kernels = kernels, .config = &f->config, .plays = 1};
  f->net.tensor = calloc(2 * (size_t)config->layers + 2 * SW_STATE_HEADS + 2,
                         sizeof *f->net.tensor);
  if (!f->net.tensor) {
    free(f);
    return sw_fail(err, SW_MEMORY, "out of memory for a model");
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
  for (int i = 0; i < f->matrices; i++) {
    sw_aligned_free(f->matrix[i].forward);
    sw_aligned_free(f->matrix[i].back);
  }
  free(f);
}

int sw_feature_pack(sw_feature_net *f, sw_err *err) {
  const nn_kernels *k = f->net.kernels;
  if (!f->stale) return SW_OK;
  for (int i = 0; i < f->matrices; i++) {
    sw_feature_matrix *m = &f->matrix[i];
    const float *w = f->net.weights + m->weight;
    if (!m->forward)
      m->forward =
          sw_aligned_alloc(sizeof(float) * k->packed_size(m->out, m->in));
    if (!m->back && i)
      m->back = sw_aligned_alloc(sizeof(float) * k->packed_size(m->in, m->out));
    if (!m->forward || (i && !m->back))
      return sw_fail(err, SW_MEMORY, "out of memory for packed weights");
    k->pack_nt(m->out, m->in, w, m->in, m->forward, 0, m->out);
    if (i) k->pack_nn(m->in, m->out, w, m->in, m->back, 0, m->in);
  }
  f->stale = 0;
  return SW_OK;
}
