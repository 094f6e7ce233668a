/* Random streams. Four generators, each with published test vectors:
 *   sw_philox  Philox4x32-10, stateless: dropout, data order, initialisation
 *   sw_xoshiro xoshiro256++, seeded by splitmix64: our own generators
 *   sw_mt      MT19937 with CPython's `random.Random` derivations
 *   sw_pcg     PCG64 (XSL-RR 128/64) + SeedSequence, NumPy's default_rng
 * The last two exist to reproduce the specs' instances bit for bit. */
#ifndef SW_BASE_RNG_H
#define SW_BASE_RNG_H
#include <stddef.h>
#include <stdint.h>

/* Philox4x32-10: out = bijection(counter; key). */
void sw_philox4x32(const uint32_t counter[4], const uint32_t key[2],
                   uint32_t out[4]);
/* A 64-bit draw that is a pure function of (seed, stream, index). */
uint64_t sw_philox_u64(uint64_t seed, uint64_t stream, uint64_t index);
/* Uniform in [0,1) and standard normal (Box-Muller on doubles), same keying. */
double sw_philox_unit(uint64_t seed, uint64_t stream, uint64_t index);
double sw_philox_normal(uint64_t seed, uint64_t stream, uint64_t index);
/* Stateless permutation of 0..count-1: fills order[] from (seed, stream). */
void sw_philox_shuffle(uint64_t seed, uint64_t stream, int64_t *order,
                       int64_t count);

uint64_t sw_splitmix64(uint64_t *state);
typedef struct sw_xoshiro {
  uint64_t s[4];
} sw_xoshiro;
void sw_xoshiro_seed(sw_xoshiro *rng, uint64_t seed);
uint64_t sw_xoshiro_next(sw_xoshiro *rng);
double sw_xoshiro_unit(sw_xoshiro *rng);
uint64_t sw_xoshiro_below(sw_xoshiro *rng, uint64_t bound); /* unbiased */

typedef struct sw_mt {
  uint32_t state[624];
  int index;
} sw_mt;
void sw_mt_seed(sw_mt *rng, uint64_t seed); /* random.Random(seed) */
uint32_t sw_mt_u32(sw_mt *rng);
uint32_t sw_mt_bits(sw_mt *rng, int bits); /* 1..32 */
double sw_mt_random(sw_mt *rng);
uint32_t sw_mt_below(sw_mt *rng, uint32_t bound); /* draws even for 1 */
int64_t sw_mt_randint(sw_mt *rng, int64_t low, int64_t high); /* inclusive */
void sw_mt_shuffle_i32(sw_mt *rng, int32_t *values, size_t count);
/* Pool-method sample without replacement of m out of 0..n-1 (n <= 4096). */
void sw_mt_sample(sw_mt *rng, int32_t n, int32_t m, int32_t *out);

typedef struct sw_pcg {
  unsigned __int128 state, inc;
  uint32_t spare;
  int has_spare;
} sw_pcg;
void sw_seed_sequence(uint64_t seed, uint64_t out[4]);
void sw_pcg_seed(sw_pcg *rng, uint64_t seed); /* default_rng(seed) */
uint64_t sw_pcg_u64(sw_pcg *rng);
uint32_t sw_pcg_u32(sw_pcg *rng);
double sw_pcg_random(sw_pcg *rng);
uint32_t sw_pcg_bounded(sw_pcg *rng, uint32_t highest); /* uniform 0..highest */

#endif
