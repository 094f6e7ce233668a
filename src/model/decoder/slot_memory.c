/* A slot memory layer: read, process, write in order, with what the backward
 * pass needs kept per layer. Buffers are one block, laid out once for the
 * longest sequence seen. Memory grows as positions x registers x widths: that
 * is the price of registers that see no later token. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/rng.h"
#include "model/decoder/slot_memory_parts.h"

/* Kept per augmented layer. */
typedef struct kept {
  float *x; /* token states at the input */
  float *z_in, *z1, *z2, *z3;
  sw_mem_cross read, mix, write;
  sw_mem_ffn ffn;
} kept;

struct sw_memory {
  sw_memory_shape shape;
  const nn_kernels *kernels;
  sw_team *team;
  int32_t room;                     /* positions */
  int32_t keys;                     /* positions that may be read; 0: `room` */
  const sw_memory_stretch *stretch; /* NULL: one sequence from its start */
  int32_t stretches;
  int32_t span_length, read_spans, own_spans, write_spans;
  float *block;
  size_t bytes, scratch_floats;
  kept *layer;
  nn_span *read_span, *own_span, *write_span;
  nn_span lane; /* one register of every position */
  float *packed, *scratch, *dz;
  sw_mem_team shared; /* buffers only; members add rank, size and scratch */
};

/* ---- parameters ---- */

#define TABLE(shape)                                             \
  const int64_t D = (shape)->d, W = (shape)->width;              \
  const sw_tensor_row row[] = {SW_MEMORY_PARAMS(SW_TENSOR_ROW)}; \
  const sw_tensor_rows table = {row, SW_MEM_COUNT, 1}

void sw_memory_tensor_at(const sw_memory_shape *shape, sw_memory_param id,
                         sw_tensor *out) {
  TABLE(shape);
  sw_tensors_at(&table, (int)id, out);
}

int64_t sw_memory_layer_count(const sw_memory_shape *shape) {
  TABLE(shape);
  int64_t offset[SW_MEM_COUNT];
  sw_tensor_layout layout;
  sw_tensors_layout(&table, &layout, offset);
  return layout.count;
}

void sw_memory_init(const sw_memory_shape *shape, uint64_t seed, int layer,
                    float gate, float *block) {
  const double bound = 1 / sqrt((double)shape->d);
  const uint64_t stream = 0x6d656d6f72790000u + (uint64_t)layer; /* "memory" */
  for (int id = 0; id < SW_MEM_COUNT; id++) {
    sw_tensor t;
    sw_memory_tensor_at(shape, (sw_memory_param)id, &t);
    for (int64_t i = t.offset; i < t.offset + t.count; i++) {
      uint64_t at = (uint64_t)i;
      block[i] =
          id == SW_MEM_GATE       ? gate
          : t.init == SW_INIT_ONE ? 1.0f
          : t.init == SW_INIT_NORMAL
              ? (float)(0.01 * sw_philox_normal(seed, stream, at))
          : t.init == SW_INIT_UNIFORM
              ? (float)(bound * (2 * sw_philox_unit(seed, stream, at) - 1))
              : 0.0f;
    }
  }
}

/* ---- workspace ---- */

int sw_memory_new(sw_memory **memory, const sw_memory_shape *shape,
                  const nn_kernels *kernels, sw_team *team, sw_err *err) {
  int32_t heads = shape->heads ? shape->heads : SW_MEMORY_HEADS;
  *memory = NULL;
  if (shape->slots < 1 || shape->layers < 1 || heads < 1 ||
      shape->width % (4 * heads) != 0 || shape->width < 1)
    return sw_fail(err, SW_USAGE,
                   "slot memory needs registers, layers and a width that is a "
                   "multiple of %d, not %d, %d, %d",
                   4 * heads, shape->slots, shape->layers, shape->width);
  sw_memory *m = calloc(1, sizeof *m);
  kept *layer = calloc((size_t)shape->layers, sizeof *layer);
  if (!m || !layer) {
    free(m);
    free(layer);
    return sw_no_memory_for(err, "a slot memory");
  }
  m->shape = *shape;
  m->shape.heads = heads;
  m->kernels = kernels;
  m->team = team;
  m->layer = layer;
  *memory = m;
  return 0;
}

void sw_memory_free(sw_memory *m) {
  if (!m) return;
  sw_aligned_free(m->block);
  free(m->read_span);
  free(m->layer);
  free(m);
}

size_t sw_memory_bytes(const sw_memory *m) { return m->bytes; }

/* Hands out pieces of a block; with base NULL it only counts. */
typedef struct pieces {
  float *base;
  size_t used;
} pieces;

static float *piece(pieces *p, size_t floats) {
  float *at = p->base ? p->base + p->used : NULL;
  p->used += (floats + 15) / 16 * 16;
  return at;
}

static void lay_out_cross(pieces *p, const sw_memory_shape *s, sw_mem_cross *c,
                          size_t rows, size_t keys) {
  size_t d = (size_t)s->d, w = (size_t)s->width;
  c->norm = piece(p, rows * d);
  c->mean = piece(p, rows);
  c->rstd = piece(p, rows);
  c->q = piece(p, rows * w);
  c->k = piece(p, keys * w);
  c->v = piece(p, keys * w);
  c->att = piece(p, rows * w);
  c->lse = piece(p, rows * (size_t)s->heads);
}

/* Sets of registers: one a position, or one in all. */
static int32_t sets_of(const sw_memory *m, int32_t length) {
  return m->shape.shared ? 1 : length;
}

static int32_t rows_of(const sw_memory *m, int32_t length) {
  return sets_of(m, length) * m->shape.slots;
}

static void lay_out(sw_memory *m, pieces *p, size_t length) {
  const sw_memory_shape *s = &m->shape;
  size_t d = (size_t)s->d, w = (size_t)s->width, hidden = SW_MEMORY_FFN * w;
  size_t rows = (size_t)rows_of(m, (int32_t)length);
  size_t most = rows > length ? rows : length;
  for (int i = 0; i < s->layers; i++) {
    kept *k = &m->layer[i];
    k->x = piece(p, length * d);
    k->z_in = i == 0 ? piece(p, rows * d) : m->layer[i - 1].z3;
    k->z1 = piece(p, rows * d);
    k->z2 = piece(p, rows * d);
    k->z3 = piece(p, rows * d);
    lay_out_cross(p, s, &k->read, rows, length);
    lay_out_cross(p, s, &k->mix, rows, rows);
    lay_out_cross(p, s, &k->write, length, rows);
    k->ffn.norm = piece(p, rows * d);
    k->ffn.mean = piece(p, rows);
    k->ffn.rstd = piece(p, rows);
    k->ffn.pre = piece(p, rows * hidden);
  }
  sw_mem_team *t = &m->shared;
  t->d_norm = piece(p, most * d);
  t->d_att = piece(p, most * w);
  t->dq = piece(p, most * w);
  t->dk = piece(p, most * w);
  t->dv = piece(p, most * w);
  t->d_pre = piece(p, rows * hidden);
  t->act = piece(p, rows * hidden);
  m->dz = piece(p, rows * d);
  size_t packed = m->kernels->packed_size((int)hidden, (int)d);
  size_t other = m->kernels->packed_size((int)d, (int)hidden);
  m->packed = piece(p, packed > other ? packed : other);
  m->scratch = piece(p, m->scratch_floats * (size_t)sw_team_size(m->team));
}

/* Scratch of one member: the largest that any kernel asks for. */
static size_t scratch_floats(const sw_memory *m, int32_t length) {
  const sw_memory_shape *s = &m->shape;
  int32_t rows = rows_of(m, length), hidden = SW_MEMORY_FFN * s->width;
  int32_t wide = hidden > s->d ? hidden : s->d;
  int32_t head = s->width / s->heads;
  int32_t keys = rows > length ? rows : length;
  keys = m->keys > keys ? m->keys : keys;
  size_t a = m->kernels->attention_scratch(head, keys, 1);
  size_t f = m->kernels->attention_scratch(head, keys, 0);
  size_t g = m->kernels->gemm_tn_scratch(wide, wide, keys);
  size_t most = a > f ? a : f;
  most = g > most ? g : most;
  return (most + 15) / 16 * 16;
}

static int lay_out_spans(sw_memory *m, int32_t length, sw_err *err) {
  int32_t n = m->shape.slots;
  if (length == m->span_length) return 0;
  free(m->read_span);
  m->span_length = 0;
  m->read_span = calloc(3 * (size_t)length, sizeof *m->read_span);
  if (!m->read_span) return sw_no_memory_for(err, "%d spans", length);
  m->span_length = length;
  m->own_span = m->read_span + length;
  m->write_span = m->own_span + length;
  m->read_spans = m->own_spans = m->write_spans = sets_of(m, length);
  m->lane = (nn_span){0, length, 1, {{0, length, 1, 0}}, 0};
  if (m->shape.shared) {
    nn_run own = {0, n, 0, 0}, all = {0, length, 0, 0};
    m->read_span[0] = (nn_span){0, n, 1, {all}, 0};
    m->own_span[0] = (nn_span){0, n, 1, {own}, 0};
    m->write_span[0] = (nn_span){0, length, 1, {own}, 0};
    return 0;
  }
  for (int32_t i = 0; i < length; i++) {
    nn_run own = {i * n, (i + 1) * n, 0, 0};
    m->own_span[i] = (nn_span){i * n, (i + 1) * n, 1, {own}, 0};
    m->write_span[i] = (nn_span){i, i + 1, 1, {own}, 0};
  }
  return 0;
}

int sw_memory_reserve(sw_memory *m, int32_t length, sw_err *err) {
  if (length <= m->room) return lay_out_spans(m, length, err);
  if (length > INT32_MAX / m->shape.slots / 4)
    return sw_fail(err, SW_LIMIT, "%d positions are too many for slot memory",
                   length);
  pieces count = {NULL, 0};
  m->room = 0;
  m->scratch_floats = scratch_floats(m, length);
  lay_out(m, &count, (size_t)length);
  sw_aligned_free(m->block);
  m->bytes = count.used * sizeof(float);
  m->block = sw_aligned_alloc(m->bytes);
  if (!m->block)
    return sw_no_memory_for(err, "the registers of %d positions (%zu MB)",
                            length, m->bytes >> 20);
  pieces use = {m->block, 0};
  lay_out(m, &use, (size_t)length);
  SW_TRY(lay_out_spans(m, length, err));
  m->room = length;
  return 0;
}

size_t sw_memory_kept_floats(const sw_memory_shape *shape) {
  return 2 * (size_t)shape->width * (size_t)shape->layers;
}

int sw_memory_place(sw_memory *m, int32_t length,
                    const sw_memory_stretch *stretch, int32_t count,
                    sw_err *err) {
  int32_t n = m->shape.slots, keys = 0;
  for (int32_t i = 0; i < count; i++)
    if (stretch[i].at + stretch[i].count > keys)
      keys = stretch[i].at + stretch[i].count;
  if (keys > m->keys) { /* more scratch */
    int32_t most = length > m->room ? length : m->room;
    m->keys = keys + keys / 2;
    m->room = 0;
    SW_TRY(sw_memory_reserve(m, most, err));
  }
  SW_TRY(sw_memory_reserve(m, length, err));
  for (int32_t i = 0; i < count; i++)
    for (int32_t j = 0; j < stretch[i].count; j++) {
      nn_run past = {0, stretch[i].at + j + 1, 0, 0};
      /* Longest first: the kernels keep packed keys, and a shorter run from
       * the same start is part of a longer one. */
      m->read_span[stretch[i].first + stretch[i].count - 1 - j] =
          (nn_span){j * n, (j + 1) * n, 1, {past}, 0};
    }
  m->stretch = stretch;
  m->stretches = count;
  return SW_OK;
}

/* ---- one layer ---- */

static sw_mem_team member(const sw_memory *m, int rank, int size) {
  sw_mem_team t = m->shared;
  t.kernels = m->kernels;
  t.team = m->team;
  t.rank = rank;
  t.size = size;
  t.packed = m->packed;
  t.scratch = m->scratch + (size_t)rank * m->scratch_floats;
  return t;
}

/* Where parameter `id` lies in a layer's block. */
static size_t at(const sw_memory *m, sw_memory_param id) {
  sw_tensor t;
  sw_memory_tensor_at(&m->shape, id, &t);
  return (size_t)t.offset;
}

/* A cross-attention of this layer with its weights, gradients and shape; the
 * six tensors of each follow one another from `id` (LN_W) on. */
static sw_mem_cross cross(const sw_memory *m, const sw_mem_cross *buffers,
                          sw_memory_param id, const float *block,
                          float *d_block, int32_t rows, int32_t keys,
                          const nn_span *span, int32_t spans) {
  sw_mem_cross c = *buffers;
  const float **w[] = {&c.ln_w, &c.ln_b, &c.wq, &c.wk, &c.wv, &c.wo};
  float **dw[] = {&c.d_ln_w, &c.d_ln_b, &c.d_wq, &c.d_wk, &c.d_wv, &c.d_wo};
  for (int i = 0; i < 6; i++) {
    size_t offset = at(m, (sw_memory_param)((int)id + i));
    *w[i] = block + offset;
    *dw[i] = d_block ? d_block + offset : NULL;
  }
  c.gate = id == SW_MEM_WRITE_LN_W ? block + at(m, SW_MEM_GATE) : NULL;
  c.d_gate = c.gate && d_block ? d_block + at(m, SW_MEM_GATE) : NULL;
  c.rows = rows;
  c.keys = keys;
  c.lanes = 1;
  c.span = span;
  c.spans = spans;
  return c;
}

/* The parts of layer `index` for a sequence of `length`. */
static kept parts_of(const sw_memory *m, int index, const float *block,
                     float *d_block, int32_t length) {
  kept k = m->layer[index];
  int32_t rows = rows_of(m, length);
  k.read = cross(m, &k.read, SW_MEM_READ_LN_W, block, d_block, rows, length,
                 m->read_span, m->read_spans);
  k.read.stretch = m->stretch;
  k.read.stretches = m->stretches;
  if (!m->stretch && !m->shape.shared) {
    k.read.lanes = m->shape.slots;
    k.read.span = &m->lane;
    k.read.spans = 1;
  }
  k.read.part = 2 * (size_t)m->shape.width * (size_t)index;
  k.mix = cross(m, &k.mix, SW_MEM_MIX_LN_W, block, d_block, rows, rows,
                m->own_span, m->own_spans);
  k.write = cross(m, &k.write, SW_MEM_WRITE_LN_W, block, d_block, length, rows,
                  m->write_span, m->write_spans);
  sw_mem_ffn *f = &k.ffn;
  const float **w[] = {&f->ln_w, &f->ln_b, &f->w1, &f->b1, &f->w2, &f->b2};
  float **dw[] = {&f->d_ln_w, &f->d_ln_b, &f->d_w1,
                  &f->d_b1,   &f->d_w2,   &f->d_b2};
  for (int i = 0; i < 6; i++) {
    size_t offset = at(m, (sw_memory_param)(SW_MEM_FFN_LN_W + i));
    *w[i] = block + offset;
    *dw[i] = d_block ? d_block + offset : NULL;
  }
  f->rows = rows;
  return k;
}

void sw_memory_forward(sw_memory *m, int index, const float *first,
                       const float *block, float *x, int32_t length, int rank,
                       int size) {
  sw_mem_team t = member(m, rank, size);
  kept k = parts_of(m, index, block, NULL, length);
  size_t row = (size_t)m->shape.d * sizeof *x;
  size_t state = (size_t)m->shape.slots * (size_t)m->shape.d;
  sw_team_barrier(m->team);
  if (rank == 0) {
    memcpy(k.x, x, (size_t)length * row);
    for (int32_t i = 0; index == 0 && i < sets_of(m, length); i++)
      memcpy(k.z_in + (size_t)i * state, first, state * sizeof *x);
  }
  sw_team_barrier(m->team);
  sw_mem_cross_forward(&t, &m->shape, &k.read, k.z_in, k.x, k.z1);
  sw_mem_cross_forward(&t, &m->shape, &k.mix, k.z1, k.z1, k.z2);
  sw_mem_ffn_forward(&t, &m->shape, &k.ffn, k.z2, k.z3);
  sw_mem_cross_forward(&t, &m->shape, &k.write, k.x, k.z3, x);
}

void sw_memory_backward(sw_memory *m, int index, const float *block, float *dx,
                        int32_t length, float *d_block, float *d_first,
                        int rank, int size) {
  sw_mem_team t = member(m, rank, size);
  kept k = parts_of(m, index, block, d_block, length);
  size_t state = (size_t)m->shape.slots * (size_t)m->shape.d;
  sw_team_barrier(m->team);
  if (rank == 0 && index == m->shape.layers - 1) /* nothing reads the last Z */
    memset(m->dz, 0, (size_t)sets_of(m, length) * state * sizeof *m->dz);
  sw_team_barrier(m->team);
  sw_mem_cross_backward(&t, &m->shape, &k.write, k.x, k.z3, dx, m->dz);
  sw_mem_ffn_backward(&t, &m->shape, &k.ffn, k.z2, m->dz);
  sw_mem_cross_backward(&t, &m->shape, &k.mix, k.z1, k.z1, m->dz, m->dz);
  sw_mem_cross_backward(&t, &m->shape, &k.read, k.z_in, k.x, m->dz, dx);
  if (index == 0 && rank == 0)
    m->kernels->column_sum(sets_of(m, length), m->dz, (ptrdiff_t)state, d_first,
                           0, 0, (int)state);
  sw_team_barrier(m->team);
}
