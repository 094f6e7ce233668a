/* The parameters of a net from a table of rows, the one way from such a table
 * to tensors (family.h): their order, names, shapes and places in the flat
 * block. A family lists its rows once:
 *   X(id, name, scope, outer, inner, init, trained, matrices)
 * A row is (outer, inner); inner 0 means a vector of `outer` elements. Rows of
 * scope LAYER follow one another in the table and repeat for every layer, each
 * layer's behind those of the one before, so that a layer's gradient is one
 * contiguous piece; their names say with %d which layer. A row of scope IF_ANY
 * is no tensor at all where it has no elements. Muon steps a tensor as so many
 * matrices, 0: not at all. */
#ifndef SW_MODEL_TENSOR_ROWS_H
#define SW_MODEL_TENSOR_ROWS_H
#include "model/family.h"

typedef enum { SW_ROW_ONCE, SW_ROW_IF_ANY, SW_ROW_LAYER } sw_row_scope;
typedef struct sw_tensor_row {
  const char *name;
  sw_row_scope scope;
  int64_t outer, inner;
  sw_init init;
  int trained, matrices;
} sw_tensor_row;
#define SW_TENSOR_ROW(id, name, scope, outer, inner, init, trained, matrices) \
  {name, SW_ROW_##scope, outer, inner, SW_INIT_##init, trained, matrices},

typedef struct sw_tensor_rows {
  const sw_tensor_row *row;
  int rows, layers;
} sw_tensor_rows;

typedef struct sw_tensor_layout {
  int tensors;
  int64_t count, trained; /* floats in all; floats the optimizer steps */
  int64_t layer_begin, layer_stride;
} sw_tensor_layout;

/* `offset`, [rows]: where each row begins, of layer 0 for a layer's. */
void sw_tensors_layout(const sw_tensor_rows *table, sw_tensor_layout *layout,
                       int64_t *offset);
/* Tensor `index` of 0..tensors-1, in file order; returns its row. The size of
 * its initial values is the caller's. */
int sw_tensors_at(const sw_tensor_rows *table, int index, sw_tensor *out);

#endif
