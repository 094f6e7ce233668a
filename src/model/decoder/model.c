/* Creation, initialisation and accessors of the flat parameter block. */
#include "model/decoder/pass_memory.h"
#include <math.h>
#include <stdlib.h>
#include "base/arena.h"
#include "base/hash.h"
#include "base/rng.h"

static void initialise(sw_model *model, uint64_t seed) {
  for (int i = 0; i < model->params.tensors; i++) {
    sw_param p;
    sw_params_at(&model->config, &model->params, i, &p);
    float *w = model->weights + p.offset;
    /* Keyed by tensor and element only, so a weight's first value does not
     * depend on threads or on the order of initialisation. */
    for (int64_t k = 0; k < p.count; k++)
      w[k] =
          p.init == SW_INIT_NORMAL
              ? (float)(0.02 * sw_philox_normal(seed, (uint64_t)i, (uint64_t)k))
              : (p.init == SW_INIT_ONE ? 1.0f : 0.0f);
  }
  sw_memory_start(&model->config, seed, -10.0f,
                  model->weights + model->params.offset[SW_P_MEMORY]);
}

int sw_model_alloc(sw_model **out, const sw_model_config *config, sw_err *err) {
  *out = NULL;
  sw_model *model = calloc(1, sizeof *model);
  if (!model) return sw_fail(err, SW_MEMORY, "out of memory for a model");
  model->config = *config;
  int code = sw_config_check(&model->config, err);
  if (!code) {
    model->kernels = nn_select(NULL, err);
    code = model->kernels ? SW_OK : (err ? err->code : SW_USAGE);
  }
  if (!code) {
    sw_params_layout(&model->config, &model->params);
    model->weights =
        sw_aligned_alloc(sizeof(float) * (size_t)model->params.count);
    if (model->config.rotary)
      code = sw_rotation_new(&model->rotation,
                             model->config.d / model->config.heads, err);
    if (!code && !model->weights)
      code = sw_fail(err, SW_MEMORY, "out of memory for %lld parameters",
                     (long long)model->params.count);
  }
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
  initialise(*model, seed);
  return SW_OK;
}

static void sinusoids(float *row, int32_t rows, int32_t d) {
  const double size = 0.02 * sqrt(2.0);
  for (int32_t p = 0; p < rows; p++, row += d)
    for (int32_t i = 0; i < d; i++) {
      double angle = p * pow(10000.0, -(double)(i / 2 * 2) / d);
      row[i] = (float)(size * (i % 2 ? cos(angle) : sin(angle)));
    }
}

void sw_model_sinusoidal_positions(sw_model *model) {
  const sw_model_config *c = &model->config;
  const int64_t *offset = model->params.offset;
  sinusoids(model->weights + offset[SW_P_POSITION], c->positions, c->d);
  sinusoids(model->weights + offset[SW_P_PLACE], c->places, c->d);
  sw_model_changed(model);
}

void sw_model_free(sw_model *model) {
  if (!model) return;
  sw_rotation_free(model->rotation);
  sw_aligned_free(model->weights);
  sw_aligned_free(model->packed[SW_FORWARD]);
  sw_aligned_free(model->packed[SW_BACKWARD]);
  free(model);
}

const sw_model_config *sw_model_config_of(const sw_model *model) {
  return &model->config;
}

int64_t sw_model_param_count(const sw_model *model) {
  return model->params.count;
}

float *sw_model_params(sw_model *model) { return model->weights; }

void sw_model_changed(sw_model *model) {
  model->fresh[SW_FORWARD] = model->fresh[SW_BACKWARD] = 0;
}

uint64_t sw_model_hash(const sw_model *model) {
  /* Models of the first kind keep the hash they had before there were others:
   * stores and files know them by it. */
  const sw_model_config *c = &model->config;
  size_t known =
      c->places || c->rotary ? sizeof *c : offsetof(sw_model_config, places);
  uint64_t shape = sw_xxh64(c, known, 0);
  return sw_xxh64(model->weights, sizeof(float) * (size_t)model->params.count,
                  shape);
}
