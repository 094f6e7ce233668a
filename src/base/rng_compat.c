/* The generators of two other libraries, bit for bit: MT19937 with CPython's
 * derivations (random.Random) and PCG64 seeded by SeedSequence (NumPy's
 * default_rng). The domains need them to reproduce published instances. */
#include "base/rng.h"

enum { MT_WORDS = 624, MT_MIDDLE = 397 };

static void mt_init(sw_mt *rng, uint32_t seed) {
  rng->state[0] = seed;
  for (uint32_t i = 1; i < MT_WORDS; i++) {
    uint32_t before = rng->state[i - 1];
    rng->state[i] = 1812433253u * (before ^ before >> 30) + i;
  }
  rng->index = MT_WORDS;
}

/* CPython seeds by array with the 32-bit little-endian words of the seed. */
void sw_mt_seed(sw_mt *rng, uint64_t seed) {
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t keys = key[1] ? 2 : 1;
  mt_init(rng, 19650218u);
  uint32_t *s = rng->state;
  uint32_t i = 1, j = 0;
  for (int k = 0; k < MT_WORDS; k++) {
    s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1664525u) + key[j] + j;
    if (++i >= MT_WORDS) s[0] = s[MT_WORDS - 1], i = 1;
    if (++j >= keys) j = 0;
  }
  for (int k = 0; k < MT_WORDS - 1; k++) {
    s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1566083941u) - i;
    if (++i >= MT_WORDS) s[0] = s[MT_WORDS - 1], i = 1;
  }
  s[0] = 0x80000000u;
}

static void mt_refill(sw_mt *rng) {
  uint32_t *s = rng->state;
  for (int i = 0; i < MT_WORDS; i++) {
    uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % MT_WORDS] & 0x7fffffffu);
    s[i] = s[(i + MT_MIDDLE) % MT_WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
  }
  rng->index = 0;
}

uint32_t sw_mt_u32(sw_mt *rng) {
  if (rng->index >= MT_WORDS) mt_refill(rng);
  uint32_t y = rng->state[rng->index++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}

uint32_t sw_mt_bits(sw_mt *rng, int bits) {
  return sw_mt_u32(rng) >> (32 - bits);
}

double sw_mt_random(sw_mt *rng) {
  uint32_t a = sw_mt_u32(rng) >> 5, b = sw_mt_u32(rng) >> 6;
  return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
}

uint32_t sw_mt_below(sw_mt *rng, uint32_t bound) {
  int bits = 0;
  while (bits < 32 && bound >> bits) bits++;
  if (!bits) return 0;
  uint32_t value;
  do {
    value = sw_mt_bits(rng, bits);
  } while (value >= bound);
  return value;
}

int64_t sw_mt_randint(sw_mt *rng, int64_t low, int64_t high) {
  return low + sw_mt_below(rng, (uint32_t)(high - low + 1));
}

void sw_mt_shuffle_i32(sw_mt *rng, int32_t *values, size_t count) {
  for (size_t i = count; i-- > 1;) {
    uint32_t j = sw_mt_below(rng, (uint32_t)i + 1);
    int32_t held = values[i];
    values[i] = values[j];
    values[j] = held;
  }
}

void sw_mt_sample(sw_mt *rng, int32_t n, int32_t m, int32_t *out) {
  int32_t pool[4096];
  if (n > 4096) n = 4096;
  if (m > n) m = n;
  for (int32_t i = 0; i < n; i++) pool[i] = i;
  for (int32_t t = 0; t < m; t++) {
    uint32_t j = sw_mt_below(rng, (uint32_t)(n - t));
    out[t] = pool[j];
    pool[j] = pool[n - t - 1];
  }
}

static uint32_t hashmix(uint32_t x, uint32_t *constant) {
  x ^= *constant;
  *constant *= 0x931e8875u;
  x *= *constant;
  return x ^ x >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y) {
  uint32_t r = 0xca01f9ddu * x - 0x4973f715u * y;
  return r ^ r >> 16;
}

void sw_seed_sequence(uint64_t seed, uint64_t out[4]) {
  uint32_t pool[4], constant = 0x43b0d7e5u;
  for (int i = 0; i < 4; i++) {
    uint32_t word = i < 2 ? (uint32_t)(seed >> 32 * i) : 0;
    pool[i] = hashmix(word, &constant);
  }
  for (int s = 0; s < 4; s++)
    for (int d = 0; d < 4; d++)
      if (d != s) pool[d] = mix(pool[d], hashmix(pool[s], &constant));
  uint32_t word[8], output = 0x8b51f9ddu;
  for (int i = 0; i < 8; i++) {
    uint32_t x = pool[i % 4] ^ output;
    output *= 0x58f38dedu;
    x *= output;
    word[i] = x ^ x >> 16;
  }
  for (int i = 0; i < 4; i++)
    out[i] = (uint64_t)word[2 * i + 1] << 32 | word[2 * i];
}

static void pcg_step(sw_pcg *rng) {
  const unsigned __int128 multiplier =
      (unsigned __int128)0x2360ED051FC65DA4u << 64 | 0x4385DF649FCCF645u;
  rng->state = rng->state * multiplier + rng->inc;
}

void sw_pcg_seed(sw_pcg *rng, uint64_t seed) {
  uint64_t w[4];
  sw_seed_sequence(seed, w);
  rng->inc = ((unsigned __int128)w[2] << 64 | w[3]) << 1 | 1;
  rng->state = 0;
  rng->spare = 0;
  rng->has_spare = 0;
  pcg_step(rng);
  rng->state += (unsigned __int128)w[0] << 64 | w[1];
  pcg_step(rng);
}

uint64_t sw_pcg_u64(sw_pcg *rng) {
  pcg_step(rng);
  uint64_t high = (uint64_t)(rng->state >> 64), x = high ^ (uint64_t)rng->state;
  unsigned by = (unsigned)(high >> 58);
  return x >> by | x << (-by & 63);
}

/* One 64-bit draw serves two 32-bit ones; 64-bit draws leave the spare be. */
uint32_t sw_pcg_u32(sw_pcg *rng) {
  if (rng->has_spare) {
    rng->has_spare = 0;
    return rng->spare;
  }
  uint64_t x = sw_pcg_u64(rng);
  rng->spare = (uint32_t)(x >> 32);
  rng->has_spare = 1;
  return (uint32_t)x;
}

double sw_pcg_random(sw_pcg *rng) {
  return (double)(sw_pcg_u64(rng) >> 11) * 0x1p-53;
}

uint32_t sw_pcg_bounded(sw_pcg *rng, uint32_t highest) {
  if (!highest) return 0;
  if (highest == UINT32_MAX) return sw_pcg_u32(rng);
  uint32_t range = highest + 1;
  uint64_t m = (uint64_t)sw_pcg_u32(rng) * range;
  if ((uint32_t)m < range) {
    uint32_t threshold = (UINT32_MAX - highest) % range;
    while ((uint32_t)m < threshold) m = (uint64_t)sw_pcg_u32(rng) * range;
  }
  return (uint32_t)(m >> 32);
}
