/* Inside src/model only: where the slot memory (slot_memory.h) hooks into the
 * decoder. Its parameters are one row of the table, "slot_memory": the first
 * registers E, then the blocks of the augmented layers (the upper half). */
#ifndef SW_MODEL_MEMORY_H
#define SW_MODEL_MEMORY_H
#include "model/decoder/pass.h"
#include "model/decoder/slot_memory.h"

/* What a pass adds for a model with slot memory. */
typedef struct sw_pass_memory {
  sw_memory *module;
  float *gradient;   /* of one trace, as long as the row */
  int32_t *all_rows; /* 0, 1, ...: every row of the last layer is alive */
  int32_t room;
} sw_pass_memory;

/* The shape of a model's memory; 0: it has none. */
int sw_memory_shape_of(const sw_model_config *config, sw_memory_shape *shape);
/* Which augmented layer a layer is (-1: none), and its parameters. */
int sw_memory_layer_of(const sw_model *model, int layer, const float **first,
                       const float **block);

/* All of these do nothing without slot memory. */
int sw_pass_memory_reserve(sw_pass *pass, const sw_example *example,
                           sw_err *err);
void sw_pass_memory_free(sw_pass *pass);
/* By every member, on the output rows of `layer`. */
void sw_pass_memory_forward(sw_job *job, int layer, float *x, int rank,
                            int size);
void sw_pass_memory_backward(sw_job *job, int layer, float *dx, int rank,
                             int size);
/* By every member, after the last layer's backward: adds the gradient. */
void sw_pass_memory_add(sw_job *job, int rank, int size);
/* Multiply-adds times two of one forward pass over `rows` positions. */
double sw_memory_flops(const sw_model_config *config, double rows);
/* Start values of the row (E comes from the table's own). */
void sw_memory_start(const sw_model_config *config, uint64_t seed, float gate,
                     float *row);

#endif
