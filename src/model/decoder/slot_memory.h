/* Slot memory: read-process-write registers beside the token states
 * (docs/trees.md). After each layer of the upper half, every position i has its
 * own n registers Z_i, carried upward from layer to layer (first: learned E):
 *   read     Z_i attends to the token states X_0 .. X_i
 *   process  the registers of Z_i attend to each other, then a feed-forward
 *   write    X_i attends to Z_i and adds the result times sigmoid(gate)
 * So nothing at position i depends on later tokens (the leak-free mode; one
 * pass serves all positions). Rows of Z are position-major: row i * n + s.
 * Run on the tokens 0..i alone, shared registers are the published rule.
 *
 * This file knows nothing of the transformer around it: the pass calls forward
 * after a layer and backward before its gradient, from all members of a team,
 * with all rows of X. Results do not depend on the number of members. */
#ifndef SW_MODEL_SLOT_MEMORY_H
#define SW_MODEL_SLOT_MEMORY_H
#include <stdint.h>
#include "base/err.h"
#include "base/threads.h"
#include "model/tensor_rows.h"
#include "nn/nn.h"

enum {
  SW_MEMORY_HEADS = 8, /* unless the shape says otherwise */
  SW_MEMORY_FFN = 4    /* times the width */
};

/* Parameters of one augmented layer, in the order of its flat block, with the
 * columns of model/tensor_rows.h: D model width, W module width. NORMAL is
 * N(0, 0.01), UNIFORM within 1/sqrt(D); the gate starts where it is told to. */
#define SW_MEMORY_PARAMS(X)                                   \
  X(READ_LN_W, "read.ln.weight", ONCE, D, 0, ONE, 1, 0)       \
  X(READ_LN_B, "read.ln.bias", ONCE, D, 0, ZERO, 1, 0)        \
  X(READ_Q, "read.q.weight", ONCE, W, D, NORMAL, 1, 0)        \
  X(READ_K, "read.k.weight", ONCE, W, D, NORMAL, 1, 0)        \
  X(READ_V, "read.v.weight", ONCE, W, D, NORMAL, 1, 0)        \
  X(READ_O, "read.o.weight", ONCE, D, W, ZERO, 1, 0)          \
  X(MIX_LN_W, "process.ln.weight", ONCE, D, 0, ONE, 1, 0)     \
  X(MIX_LN_B, "process.ln.bias", ONCE, D, 0, ZERO, 1, 0)      \
  X(MIX_Q, "process.q.weight", ONCE, W, D, NORMAL, 1, 0)      \
  X(MIX_K, "process.k.weight", ONCE, W, D, NORMAL, 1, 0)      \
  X(MIX_V, "process.v.weight", ONCE, W, D, NORMAL, 1, 0)      \
  X(MIX_O, "process.o.weight", ONCE, D, W, ZERO, 1, 0)        \
  X(FFN_LN_W, "ffn.ln.weight", ONCE, D, 0, ONE, 1, 0)         \
  X(FFN_LN_B, "ffn.ln.bias", ONCE, D, 0, ZERO, 1, 0)          \
  X(FFN_IN_W, "ffn.in.weight", ONCE, 4 * W, D, UNIFORM, 1, 0) \
  X(FFN_IN_B, "ffn.in.bias", ONCE, 4 * W, 0, UNIFORM, 1, 0)   \
  X(FFN_OUT_W, "ffn.out.weight", ONCE, D, 4 * W, ZERO, 1, 0)  \
  X(FFN_OUT_B, "ffn.out.bias", ONCE, D, 0, ZERO, 1, 0)        \
  X(WRITE_LN_W, "write.ln.weight", ONCE, D, 0, ONE, 1, 0)     \
  X(WRITE_LN_B, "write.ln.bias", ONCE, D, 0, ZERO, 1, 0)      \
  X(WRITE_Q, "write.q.weight", ONCE, W, D, NORMAL, 1, 0)      \
  X(WRITE_K, "write.k.weight", ONCE, W, D, NORMAL, 1, 0)      \
  X(WRITE_V, "write.v.weight", ONCE, W, D, NORMAL, 1, 0)      \
  X(WRITE_O, "write.o.weight", ONCE, D, W, ZERO, 1, 0)        \
  X(GATE, "write.gate", ONCE, 1, 0, ZERO, 1, 0)

typedef enum {
#define X(id, ...) SW_MEM_##id,
  SW_MEMORY_PARAMS(X)
#undef X
      SW_MEM_COUNT
} sw_memory_param;

typedef struct sw_memory_shape {
  int32_t slots;  /* registers a position, n */
  int32_t d;      /* width of token states and registers */
  int32_t width;  /* of the module's attention */
  int32_t layers; /* augmented layers */
  int32_t shared; /* 1: one set of registers for all positions, which reads
                     the whole sequence. It LEAKS later tokens, and is here to
                     show what that does. */
  int32_t heads;  /* of the module's attention; 0: SW_MEMORY_HEADS */
} sw_memory_shape;

/* Parameter `id`; its offset is in the layer's flat block. */
void sw_memory_tensor_at(const sw_memory_shape *shape, sw_memory_param id,
                         sw_tensor *out);
int64_t sw_memory_layer_count(const sw_memory_shape *shape); /* floats */
/* Start values of one layer's block; pure in (seed, layer). */
void sw_memory_init(const sw_memory_shape *shape, uint64_t seed, int layer,
                    float gate, float *block);

/* Workspace for one sequence at a time. */
typedef struct sw_memory sw_memory;
int sw_memory_new(sw_memory **memory, const sw_memory_shape *shape,
                  const nn_kernels *kernels, sw_team *team, sw_err *err);
void sw_memory_free(sw_memory *memory);
size_t sw_memory_bytes(const sw_memory *memory);
/* Makes room for `length` positions; called outside the team's region. */
int sw_memory_reserve(sw_memory *memory, int32_t length, sw_err *err);

/* For sessions: positions that go on with sequences whose earlier ones were
 * computed before. What later positions read of a position is kept: for each
 * augmented layer a key and a value of the width. */
typedef struct sw_memory_stretch {
  int32_t first, count; /* positions of x */
  int32_t at;           /* place of the first in its sequence */
  float *kept;          /* of the sequence's place 0 */
} sw_memory_stretch;
/* Floats kept of a position. */
size_t sw_memory_kept_floats(const sw_memory_shape *shape);
/* Instead of sw_memory_reserve: the next forward calls are about the `length`
 * positions of these stretches, which follow one another. They stay where they
 * are until then. Not for shared registers. */
int sw_memory_place(sw_memory *memory, int32_t length,
                    const sw_memory_stretch *stretch, int32_t count,
                    sw_err *err);

/* By every member: augmented layer `index` (0 first) on x [length x d] in
 * place. `first` is E [slots x d], `block` the layer's parameters. Layers run
 * in ascending order. Starts and ends with a barrier. */
void sw_memory_forward(sw_memory *memory, int index, const float *first,
                       const float *block, float *x, int32_t length, int rank,
                       int size);
/* By every member, in descending order after all forward calls: dx holds the
 * gradient of the layer's output and becomes that of its input; the gradients
 * of `block` are stored (not added), and with index 0 that of `first`. */
void sw_memory_backward(sw_memory *memory, int index, const float *block,
                        float *dx, int32_t length, float *d_block,
                        float *d_first, int rank, int size);

#endif
