/* Tensors and packed copies of the literal transformer (literal_net.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/literal/literal_net.h"

/* Uniform within 1/sqrt(size of the input). */
static void linear(sw_literal_net *f, const char *stem, int out, int in,
                   int matrices) {
  char name[64];
  double size = 1 / sqrt((double)in);
  sw_state_matrix *m = &f->matrix[f->matrices++];
  *m = (sw_state_matrix){.out = out, .in = in, .ld = in};
  snprintf(name, sizeof name, "%.50s.weight", stem);
  m->weight = sw_state_tensor(&f->net, name, out, in, SW_INIT_UNIFORM, size, 1);
  f->net.tensor[f->net.tensors - 1].matrices = matrices;
  snprintf(name, sizeof name, "%.50s.bias", stem);
  m->bias = sw_state_tensor(&f->net, name, out, 0, SW_INIT_UNIFORM, size, 1);
}

static void norm(sw_literal_net *f, int which, const char *stem) {
  char name[64];
  snprintf(name, sizeof name, "%.50s.weight", stem);
  f->norm[which] =
      sw_state_tensor(&f->net, name, f->config.width, 0, SW_INIT_ONE, 0, 1);
  snprintf(name, sizeof name, "%.50s.bias", stem);
  sw_state_tensor(&f->net, name, f->config.width, 0, SW_INIT_ZERO, 0, 1);
}

static void layer(sw_literal_net *f, int i) {
  int d = f->config.width;
  char stem[48];
#define STEM(name) (snprintf(stem, sizeof stem, "layers.%d." name, i), stem)
  norm(f, 1 + 2 * i, STEM("norm1"));
  linear(f, STEM("qkv"), 3 * d, d, 3);
  linear(f, STEM("project"), d, d, 1);
  norm(f, 2 + 2 * i, STEM("norm2"));
  linear(f, STEM("in"), f->config.ffn, d, 1);
  linear(f, STEM("out"), d, f->config.ffn, 1);
#undef STEM
}

static void lay_out(sw_literal_net *f) {
  const sw_literal_config *c = &f->config;
  linear(f, "input", c->width, c->layout.features, 0);
  f->sign = sw_state_tensor(&f->net, "sign.weight", 2, c->width, SW_INIT_NORMAL,
                            0.1, 1);
  f->variable = c->names
                    ? sw_state_tensor(&f->net, "variable.weight", c->layout.n,
                                      c->width, SW_INIT_NORMAL, 0.1, 1)
                    : -1;
  norm(f, 0, "input.norm");
  for (int i = 0; i < c->layers; i++) layer(f, i);
  norm(f, sw_literal_last_norm(f), "norm");
  linear(f, "heads.verdict", SW_LITERAL_CLASSES, c->width, 0);
  f->mean = sw_state_tensor(&f->net, "input.mean", c->layout.features, 0,
                            SW_INIT_ZERO, 0, 0);
  f->scale = sw_state_tensor(&f->net, "input.scale", c->layout.features, 0,
                             SW_INIT_ONE, 0, 0);
  f->net.constants = 2 * (int64_t)c->layout.features;
}

static int check(const sw_literal_config *c, sw_err *err) {
  if (c->layout.classes[SW_HEAD_VERDICT] != SW_LITERAL_CLASSES ||
      c->layout.features < 1 || c->layout.n < 1)
    return sw_fail(err, SW_DATA, "a literal transformer of %d columns",
                   c->layout.features);
  int head = c->heads > 0 ? c->width / c->heads : 0;
  if (c->heads < 1 || c->width != head * c->heads || head < 4 || head > 128 ||
      head % 4)
    return sw_fail(err, SW_USAGE,
                   "width %d and %d heads: a head has 4 to 128 columns, a "
                   "multiple of 4",
                   c->width, c->heads);
  if (c->layers < 1 || c->layers > SW_LITERAL_LAYERS || c->ffn < 1)
    return sw_fail(err, SW_USAGE, "a literal transformer of %d layers",
                   c->layers);
  return SW_OK;
}

int sw_literal_net_new(sw_net **net, const sw_family *family,
                       const sw_literal_config *config, sw_err *err) {
  *net = NULL;
  SW_TRY(check(config, err));
  const nn_kernels *kernels = nn_select(NULL, err);
  if (!kernels) return err ? err->code : SW_USAGE;
  sw_literal_net *f = calloc(1, sizeof *f);
  if (!f) return sw_no_memory_for(err, "a model");
  f->config = *config;
  f->net = (sw_net){.family = family,
                    .kernels = kernels,
                    .config = &f->config,
                    .outputs = SW_LITERAL_CLASSES,
                    .hidden = config->width};
  f->net.tensor =
      calloc(12 + 12 * (size_t)config->layers, sizeof *f->net.tensor);
  if (!f->net.tensor) {
    free(f);
    return sw_no_memory_for(err, "a model");
  }
  lay_out(f);
  f->stale = 1;
  *net = &f->net;
  return SW_OK;
}

void sw_literal_net_free(sw_net *net) {
  sw_literal_net *f = (sw_literal_net *)net;
  sw_state_unpack(f->matrix, f->matrices);
  free(f);
}

int sw_literal_pack(sw_net *net, sw_err *err) {
  sw_literal_net *f = (sw_literal_net *)net;
  return sw_state_pack(net, f->matrix, f->matrices, &f->stale, err);
}
