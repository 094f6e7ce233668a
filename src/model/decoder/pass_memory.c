/* Glue between the decoder and its slot memory (see memory.h). */
#include "model/decoder/pass_memory.h"
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "trace/mask.h"

int sw_memory_shape_of(const sw_model_config *c, sw_memory_shape *shape) {
  if (c->memory <= 0) return 0;
  *shape = (sw_memory_shape){c->memory,        c->d,
                             c->memory_width,  c->layers - c->layers / 2,
                             c->memory_shared, c->memory_heads};
  return 1;
}

int64_t sw_memory_floats(const sw_model_config *c) {
  sw_memory_shape shape;
  if (!sw_memory_shape_of(c, &shape)) return 0;
  return (int64_t)shape.slots * shape.d +
         shape.layers * sw_memory_layer_count(&shape);
}

/* Offset of an augmented layer's block in the row. */
static int64_t block_at(const sw_memory_shape *shape, int index) {
  return (int64_t)shape->slots * shape->d +
         index * sw_memory_layer_count(shape);
}

void sw_memory_start(const sw_model_config *c, uint64_t seed, float gate,
                     float *row) {
  sw_memory_shape shape;
  if (!sw_memory_shape_of(c, &shape)) return;
  for (int i = 0; i < shape.layers; i++)
    sw_memory_init(&shape, seed, i, gate, row + block_at(&shape, i));
}

void sw_model_set_memory_gate(sw_model *model, float gate) {
  sw_memory_shape shape;
  if (!sw_memory_shape_of(&model->config, &shape)) return;
  float *row = model->weights + model->params.offset[SW_P_MEMORY];
  sw_tensor t;
  sw_memory_tensor_at(&shape, SW_MEM_GATE, &t);
  for (int i = 0; i < shape.layers; i++)
    row[block_at(&shape, i) + t.offset] = gate;
}

double sw_memory_flops(const sw_model_config *c, double rows) {
  sw_memory_shape shape;
  if (!sw_memory_shape_of(c, &shape)) return 0;
  double n = shape.slots, d = shape.d, w = shape.width;
  double z = shape.shared ? n : rows * n; /* register rows */
  double products =
      z * (2 * d * w + 4 * d * w + 2 * SW_MEMORY_FFN * w * d + 2 * d * w) +
      rows * 4 * d * w;
  double read = shape.shared ? n * rows : n * rows * (rows + 1) / 2;
  double pairs = read + z * n + rows * n;
  return shape.layers * (2 * products + 4 * w * pairs);
}

int sw_pass_memory_reserve(sw_pass *pass, const sw_example *ex, sw_err *err) {
  sw_memory_shape shape;
  if (!sw_memory_shape_of(&pass->model->config, &shape)) return SW_OK;
  if (ex->mask->kind != SW_MASK_CAUSAL_NOSLOT) {
    sw_fail(err, SW_USAGE,
            "slot memory reads every earlier token: mask %s is "
            "not possible with it",
            sw_mask_name(ex->mask->kind));
    return sw_hint(err, "use the mask causal-noslot");
  }
  if (!pass->memory) {
    pass->memory = calloc(1, sizeof *pass->memory);
    if (!pass->memory) return sw_no_memory_for(err, "a slot memory");
  }
  sw_pass_memory *m = pass->memory;
  if (!m->module)
    SW_TRY(sw_memory_new(&m->module, &shape, pass->model->kernels, pass->team,
                         err));
  size_t bytes = sizeof(float) * (size_t)sw_memory_floats(&pass->model->config);
  if (!m->gradient) m->gradient = sw_aligned_alloc(bytes);
  if (ex->length > m->room) {
    free(m->all_rows);
    m->all_rows = malloc(sizeof *m->all_rows * (size_t)ex->length);
    m->room = m->all_rows ? ex->length : 0;
    for (int32_t i = 0; i < m->room; i++) m->all_rows[i] = i;
  }
  if (!m->gradient || !m->all_rows)
    return sw_no_memory_for(err, "a slot memory");
  return sw_memory_reserve(m->module, ex->length, err);
}

void sw_pass_memory_free(sw_pass *pass) {
  if (!pass->memory) return;
  sw_memory_free(pass->memory->module);
  sw_aligned_free(pass->memory->gradient);
  free(pass->memory->all_rows);
  free(pass->memory);
}

/* The augmented layer's index, or -1. */
static int index_of(const sw_model_config *c, int layer) {
  return c->memory > 0 && layer >= c->layers / 2 ? layer - c->layers / 2 : -1;
}

int sw_memory_layer_of(const sw_model *model, int layer, const float **first,
                       const float **block) {
  int index = index_of(&model->config, layer);
  sw_memory_shape shape;
  if (index < 0 || !sw_memory_shape_of(&model->config, &shape)) return -1;
  *first = sw_weight(model, SW_P_MEMORY, 0);
  *block = *first + block_at(&shape, index);
  return index;
}

void sw_pass_memory_forward(sw_job *job, int layer, float *x, int rank,
                            int size) {
  sw_pass *pass = job->pass;
  const float *first, *block;
  int index = sw_memory_layer_of(pass->model, layer, &first, &block);
  if (index >= 0)
    sw_memory_forward(pass->memory->module, index, first, block, x,
                      job->example->length, rank, size);
}

void sw_pass_memory_backward(sw_job *job, int layer, float *dx, int rank,
                             int size) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  int index = index_of(&model->config, layer);
  sw_memory_shape shape;
  if (index < 0 || !sw_memory_shape_of(&model->config, &shape)) return;
  float *gradient = pass->memory->gradient;
  sw_memory_backward(pass->memory->module, index,
                     sw_weight(model, SW_P_MEMORY, 0) + block_at(&shape, index),
                     dx, job->example->length,
                     gradient + block_at(&shape, index), gradient, rank, size);
}

void sw_pass_memory_add(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  if (model->config.memory <= 0) return;
  size_t from, to;
  sw_share((size_t)sw_memory_floats(&model->config), 64, rank, size, &from,
           &to);
  model->kernels->add(to - from, pass->memory->gradient + from,
                      job->gradient + model->params.offset[SW_P_MEMORY] + from);
}
