/* Small random traces, masks and models for the model tests; see toy.h. */
#include "toy.h"
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"

static void require(int ok) {
  if (!ok) abort();
}

void toy_make(toy *t, int32_t vocab, int prefix, int blocks, int spread,
              uint64_t seed) {
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, seed);
  memset(t, 0, sizeof *t);
  sw_mask_init(&t->mask);
  require(blocks < TOY_BLOCKS);
  for (int b = 0; b <= blocks; b++) {
    int length =
        b ? 3 + (int)sw_xoshiro_below(&rng, (uint64_t)spread + 1) : prefix;
    t->block_start[t->blocks++] = t->length;
    for (int i = 0; i < length; i++) {
      require(t->length < TOY_MAX);
      t->supervised[t->length] = b > 0 && i >= length - 2;
      t->token[t->length++] =
          1 + (int32_t)sw_xoshiro_below(&rng, (uint64_t)vocab - 1);
    }
  }
}

void toy_alone(toy *t, const toy *from, int64_t b) {
  int32_t prefix = (int32_t)from->block_start[1];
  int32_t begin = (int32_t)from->block_start[b];
  int32_t end =
      b + 1 < from->blocks ? (int32_t)from->block_start[b + 1] : from->length;
  memset(t, 0, sizeof *t);
  sw_mask_init(&t->mask);
  t->blocks = 2;
  t->block_start[1] = prefix;
  t->length = prefix + end - begin;
  memcpy(t->token, from->token, sizeof(int32_t) * (size_t)prefix);
  memcpy(t->token + prefix, from->token + begin,
         sizeof(int32_t) * (size_t)(end - begin));
}

void toy_mask(toy *t, const sw_model_config *config, sw_mask_kind kind,
              sw_position_kind position, int32_t window) {
  require(sw_mask_build(&t->mask, kind, config->slots, t->length,
                        t->block_start, t->blocks, window, 0, NULL) == 0);
  sw_reading reading = {kind, position, window};
  require(sw_reading_positions(&reading, t->length, t->block_start, t->blocks,
                               0, config->positions, t->position, NULL) == 0);
  t->example = (sw_example){.token = t->token,
                            .position = t->position,
                            .supervised = t->supervised,
                            .length = t->length,
                            .mask = &t->mask,
                            .block_start = t->block_start,
                            .blocks = t->blocks};
}

void toy_free(toy *t) { sw_mask_free(&t->mask); }

sw_model *toy_model(const sw_model_config *config, uint64_t seed) {
  sw_model *model = NULL;
  require(sw_model_new(&model, config, seed, NULL) == 0);
  float *w = sw_model_net(model)->weights;
  for (int64_t i = 0; i < sw_model_net(model)->count; i++)
    w[i] += (float)(0.1 * sw_philox_normal(seed, 99, (uint64_t)i));
  sw_model_changed(model);
  return model;
}

int toy_rounds(void) { return nn_select(NULL, NULL)->rounds; }

const char *toy_kernels(int index) {
  const char *name = nn_set_name(index);
  if (name) setenv("STATEWISE_KERNELS", name, 1);
  else unsetenv("STATEWISE_KERNELS");
  return name;
}
