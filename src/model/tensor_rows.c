/* Tables of parameters as tensors (see tensor_rows.h). */
#include "model/tensor_rows.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"

static int64_t size_of(const sw_tensor_row *row) {
  return row->inner ? row->outer * row->inner : row->outer;
}

/* Rows from `row` on that repeat together: those of a layer, or one. */
static int group_of(const sw_tensor_rows *t, int row) {
  int end = row + 1;
  if (t->row[row].scope != SW_ROW_LAYER) return 1;
  while (end < t->rows && t->row[end].scope == SW_ROW_LAYER) end++;
  return end - row;
}

/* One tensor after the other, in file order. */
typedef struct cursor {
  const sw_tensor_rows *t;
  int row, layer, first, group; /* the group at hand: its first row, its size */
  int64_t at;                   /* where the tensor begins */
} cursor;

static cursor begin(const sw_tensor_rows *t) {
  return (cursor){.t = t, .group = t->rows ? group_of(t, 0) : 0};
}

static void next(cursor *c) {
  const sw_tensor_rows *t = c->t;
  c->at += size_of(&t->row[c->row]);
  if (++c->row < c->first + c->group) return;
  int layered = t->row[c->first].scope == SW_ROW_LAYER;
  if (layered && ++c->layer < t->layers) {
    c->row = c->first;
    return;
  }
  c->layer = 0;
  c->first = c->row;
  if (c->row < t->rows) c->group = group_of(t, c->row);
}

static int is_tensor(const sw_tensor_row *row) {
  return row->scope != SW_ROW_IF_ANY || size_of(row) > 0;
}

void sw_tensors_layout(const sw_tensor_rows *t, sw_tensor_layout *out,
                       int64_t *offset) {
  SW_ASSERT(t && t->rows >= 0 && t->layers >= 0 && out && offset);
  memset(out, 0, sizeof *out);
  for (cursor c = begin(t); c.row < t->rows; next(&c)) {
    const sw_tensor_row *row = &t->row[c.row];
    if (c.layer == 0) {
      offset[c.row] = c.at;
      if (row->scope == SW_ROW_LAYER) out->layer_stride += size_of(row);
      if (row->scope == SW_ROW_LAYER && c.row == c.first)
        out->layer_begin = c.at;
    }
    out->tensors += is_tensor(row);
    out->count += size_of(row);
    if (row->trained) out->trained += size_of(row);
  }
}

/* The row's name, with the number of its layer where it says %d. */
static void name_tensor(const sw_tensor_row *row, int layer, char name[64]) {
  const char *hole = strstr(row->name, "%d");
  if (hole)
    snprintf(name, 64, "%.*s%d%s", (int)(hole - row->name), row->name, layer,
             hole + 2);
  else snprintf(name, 64, "%s", row->name);
}

int sw_tensors_at(const sw_tensor_rows *t, int index, sw_tensor *out) {
  SW_ASSERT(t && out && index >= 0);
  for (cursor c = begin(t); c.row < t->rows; next(&c)) {
    const sw_tensor_row *row = &t->row[c.row];
    if (!is_tensor(row) || index-- > 0) continue;
    *out = (sw_tensor){.dims = row->inner ? 2 : 1,
                       .shape = {row->outer, row->inner},
                       .offset = c.at,
                       .count = size_of(row),
                       .init = row->init,
                       .trained = row->trained != 0,
                       .decay = 1,
                       .matrices = row->matrices};
    name_tensor(row, c.layer, out->name);
    return c.row;
  }
  SW_ASSERT(!"a tensor past the last");
  return -1;
}
