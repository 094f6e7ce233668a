/* Creation of a model: its table, its flat block of parameters, accessors. */
#include "model/decoder/pass_memory.h"
#include <stdlib.h>
#include <string.h>
#include "model/embedding.h"
#include "model/families.h"
#include "model/net.h"

/* The parameter table in the form of the family interface. */
static int fill_table(sw_model *model, sw_err *err) {
  sw_net *net = &model->net;
  net->tensors = model->params.layout.tensors;
  net->tensor = calloc((size_t)net->tensors, sizeof *net->tensor);
  if (!net->tensor) return sw_no_memory_for(err, "a model");
  for (int i = 0; i < net->tensors; i++)
    sw_params_at(&model->config, i, &net->tensor[i]);
  return SW_OK;
}

static int lay_out(sw_model *model, sw_err *err) {
  sw_net *net = &model->net;
  SW_TRY(sw_config_check(&model->config, err));
  model->kernels = nn_select(NULL, err);
  if (!model->kernels) return err ? err->code : SW_USAGE;
  sw_params_layout(&model->config, &model->params);
  net->kernels = model->kernels;
  net->config = &model->config;
  net->count = model->params.layout.count;
  net->trained = model->params.layout.trained;
  net->outputs = model->config.vocab;
  net->hidden = model->config.d;
  net->slots = model->config.slots;
  net->positions = model->config.positions;
  net->plays = 1;
  net->leaks = model->config.memory_shared;
  net->verifies = model->config.verify;
  if (model->config.rotary)
    SW_TRY(sw_rotation_new(&model->rotation,
                           model->config.d / model->config.heads, err));
  SW_TRY(fill_table(model, err));
  SW_TRY(sw_net_allocate(net, err));
  model->weights = net->weights;
  return SW_OK;
}

int sw_model_alloc(sw_model **out, const sw_model_config *config, sw_err *err) {
  *out = NULL;
  sw_model *model = calloc(1, sizeof *model);
  if (!model) return sw_no_memory_for(err, "a model");
  model->net.family = &sw_family_slot_decoder;
  model->config = *config;
  int code = lay_out(model, err);
  if (code) {
    sw_model_free(model);
    return code;
  }
  *out = model;
  return SW_OK;
}

int sw_model_new(sw_model **model, const sw_model_config *config, uint64_t seed,
                 sw_err *err) {
  SW_TRY(sw_model_alloc(model, config, err));
  sw_net_start(&(*model)->net, NULL, seed);
  return SW_OK;
}

void sw_model_sinusoidal_positions(sw_model *model) {
  const sw_model_config *c = &model->config;
  const int64_t *offset = model->params.offset;
  sw_sinusoids(model->weights + offset[SW_P_POSITION], c->positions, c->d);
  sw_sinusoids(model->weights + offset[SW_P_PLACE], c->places, c->d);
  sw_model_changed(model);
}

void sw_model_free(sw_model *model) {
  if (model) sw_net_free(&model->net);
}

sw_net *sw_model_net(sw_model *model) { return &model->net; }

const sw_model_config *sw_model_config_of(const sw_model *model) {
  return &model->config;
}

void sw_model_changed(sw_model *model) {
  model->fresh[SW_FORWARD] = model->fresh[SW_BACKWARD] = 0;
}
