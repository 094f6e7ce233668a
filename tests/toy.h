/* Small random traces, masks and models for the model tests. */
#ifndef TESTS_TOY_H
#define TESTS_TOY_H
#include "model/decoder/params.h"
#include "trace/mask.h"

/* The sizes that every model has; all else is off. */
#define TOY_CONFIG(VOCAB, D, LAYERS, HEADS, FFN, SLOTS, POSITIONS)        \
  {                                                                       \
    .vocab = VOCAB, .d = D, .layers = LAYERS, .heads = HEADS, .ffn = FFN, \
    .slots = SLOTS, .positions = POSITIONS                                \
  }

enum { TOY_MAX = 1024, TOY_BLOCKS = 64 };
typedef struct toy {
  int32_t token[TOY_MAX], position[2 * TOY_MAX];
  uint8_t supervised[TOY_MAX];
  int64_t block_start[TOY_BLOCKS];
  int64_t blocks;
  int32_t length;
  sw_mask mask;
  sw_example example;
} toy;

/* Prefix of `prefix` tokens and `blocks` blocks of 3..3+spread tokens, random
 * ids in 1..vocab-1; the last two tokens of every block are supervised. */
void toy_make(toy *t, int32_t vocab, int prefix, int blocks, int spread,
              uint64_t seed);
/* The prefix and block b (1-based) of `from`, alone. */
void toy_alone(toy *t, const toy *from, int64_t b);
/* Builds mask, positions and example for a model's config. */
void toy_mask(toy *t, const sw_model_config *config, sw_mask_kind kind,
              sw_position_kind position, int32_t window);
void toy_free(toy *t);
/* A model whose weights are large enough for logits to differ clearly. */
sw_model *toy_model(const sw_model_config *config, uint64_t seed);
/* Kernel sets this CPU has: index 0, 1, ...; NULL at the end. Selecting sets
 * STATEWISE_KERNELS for models made afterwards. */
const char *toy_kernels(int index);
/* Whether the set selected so rounds what its products multiply: then nothing
 * agrees closely with a reference, and small differences say nothing. */
int toy_rounds(void);

#endif
