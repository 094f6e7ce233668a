/* Our own streams: Philox4x32-10 (stateless, keyed by what a draw is for) and
 * xoshiro256++ seeded by splitmix64. The generators that reproduce other
 * libraries' streams are in rng_compat.c. */
#include "base/rng.h"
#include "base/check.h"
#include <math.h>

void sw_philox4x32(const uint32_t counter[4], const uint32_t key[2],
                   uint32_t out[4]) {
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; round++) {
    uint64_t a = (uint64_t)0xD2511F53u * c0;
    uint64_t b = (uint64_t)0xCD9E8D57u * c2;
    c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)b;
    c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)a;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

/* Four words for (seed, stream, index): counter = (index, stream). */
static void philox_words(uint64_t seed, uint64_t stream, uint64_t index,
                         uint32_t out[4]) {
  uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32),
                         (uint32_t)stream, (uint32_t)(stream >> 32)};
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  sw_philox4x32(counter, key, out);
}

uint64_t sw_philox_u64(uint64_t seed, uint64_t stream, uint64_t index) {
  uint32_t w[4];
  philox_words(seed, stream, index, w);
  return (uint64_t)w[1] << 32 | w[0];
}

static double unit_of(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

double sw_philox_unit(uint64_t seed, uint64_t stream, uint64_t index) {
  return unit_of(sw_philox_u64(seed, stream, index));
}

double sw_philox_normal(uint64_t seed, uint64_t stream, uint64_t index) {
  uint32_t w[4];
  philox_words(seed, stream, index, w);
  /* 1 - u lies in (0, 1], so the logarithm is finite. */
  double radius = sqrt(-2.0 * log(1.0 - unit_of((uint64_t)w[1] << 32 | w[0])));
  double angle = 6.283185307179586477 * unit_of((uint64_t)w[3] << 32 | w[2]);
  return radius * cos(angle);
}

/* Uniform below `bound` from 64 random bits by multiply-shift; the rejection
 * draws go on through `next`. */
typedef uint64_t (*next_fn)(void *state);
static uint64_t below(next_fn next, void *state, uint64_t bound) {
  if (bound <= 1) return 0;
  uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    unsigned __int128 m = (unsigned __int128)next(state) * bound;
    if ((uint64_t)m >= threshold) return (uint64_t)(m >> 64);
  }
}

typedef struct philox_walk {
  uint64_t seed, stream, index;
} philox_walk;
static uint64_t philox_next(void *state) {
  philox_walk *walk = state;
  return sw_philox_u64(walk->seed, walk->stream, walk->index++);
}

void sw_philox_shuffle(uint64_t seed, uint64_t stream, int64_t *order,
                       int64_t count) {
  SW_ASSERT(count >= 0 && (order || !count));
  philox_walk walk = {seed, stream, 0};
  for (int64_t i = 0; i < count; i++) order[i] = i;
  for (int64_t i = count - 1; i > 0; i--) {
    int64_t j = (int64_t)below(philox_next, &walk, (uint64_t)i + 1);
    int64_t held = order[i];
    order[i] = order[j];
    order[j] = held;
  }
}

uint64_t sw_splitmix64(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

void sw_xoshiro_seed(sw_xoshiro *rng, uint64_t seed) {
  for (int i = 0; i < 4; i++) rng->s[i] = sw_splitmix64(&seed);
}

static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

uint64_t sw_xoshiro_next(sw_xoshiro *rng) {
  uint64_t *s = rng->s;
  uint64_t result = rotate(s[0] + s[3], 23) + s[0];
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

double sw_xoshiro_unit(sw_xoshiro *rng) {
  return unit_of(sw_xoshiro_next(rng));
}

static uint64_t xoshiro_next(void *state) { return sw_xoshiro_next(state); }

uint64_t sw_xoshiro_below(sw_xoshiro *rng, uint64_t bound) {
  SW_ASSERT(bound > 0);
  return below(xoshiro_next, rng, bound);
}
