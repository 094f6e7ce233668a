/* XXH64, SHA-1 and SHA-256, from their published definitions. Input is read
 * byte by byte in little-endian (XXH) or big-endian (SHA) order, so any
 * alignment will do. */
#include "base/hash.h"
#include "base/check.h"
#include <stdio.h>
#include <string.h>

#define P1 0x9E3779B185EBCA87u
#define P2 0xC2B2AE3D27D4EB4Fu
#define P3 0x165667B19E3779F9u
#define P4 0x85EBCA77C2B2AE63u
#define P5 0x27D4EB2F165667C5u

static uint64_t rotl64(uint64_t x, int by) { return x << by | x >> (64 - by); }
static uint64_t read64(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return v;
}
static uint32_t read32(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return v;
}
static uint64_t xxh_round(uint64_t acc, uint64_t input) {
  return rotl64(acc + input * P2, 31) * P1;
}
static uint64_t xxh_merge(uint64_t h, uint64_t acc) {
  return (h ^ xxh_round(0, acc)) * P1 + P4;
}

static void xxh_begin(uint64_t v[4], uint64_t seed) {
  v[0] = seed + P1 + P2;
  v[1] = seed + P2;
  v[2] = seed;
  v[3] = seed - P1;
}

/* Whole stripes of 32 bytes; returns where they end. */
static const uint8_t *xxh_stripes(uint64_t v[4], const uint8_t *p,
                                  const uint8_t *end) {
  for (; end - p >= 32; p += 32)
    for (int i = 0; i < 4; i++) v[i] = xxh_round(v[i], read64(p + 8 * i));
  return p;
}

/* The last bytes (fewer than 32) and the final mixing. */
static uint64_t xxh_end(const uint64_t v[4], uint64_t seed, uint64_t bytes,
                        const uint8_t *p, const uint8_t *end) {
  uint64_t h = seed + P5;
  if (bytes >= 32) {
    h = rotl64(v[0], 1) + rotl64(v[1], 7) + rotl64(v[2], 12) + rotl64(v[3], 18);
    for (int i = 0; i < 4; i++) h = xxh_merge(h, v[i]);
  }
  h += bytes;
  for (; end - p >= 8; p += 8)
    h = rotl64(h ^ xxh_round(0, read64(p)), 27) * P1 + P4;
  if (end - p >= 4) {
    h = rotl64(h ^ read32(p) * P1, 23) * P2 + P3;
    p += 4;
  }
  for (; p < end; p++) h = rotl64(h ^ *p * P5, 11) * P1;
  h = (h ^ h >> 33) * P2;
  h = (h ^ h >> 29) * P3;
  return h ^ h >> 32;
}

uint64_t sw_xxh64(const void *data, size_t bytes, uint64_t seed) {
  SW_ASSERT(data || !bytes);
  const uint8_t *p = data;
  uint64_t v[4];
  xxh_begin(v, seed);
  if (!bytes) return xxh_end(v, seed, 0, NULL, NULL);
  return xxh_end(v, seed, bytes, xxh_stripes(v, p, p + bytes), p + bytes);
}

void sw_xxh_init(sw_xxh *x, uint64_t seed) {
  xxh_begin(x->v, seed);
  x->seed = seed;
  x->bytes = 0;
}

void sw_xxh_update(sw_xxh *x, const void *data, size_t bytes) {
  const uint8_t *p = data, *end = p + bytes;
  size_t kept = x->bytes % 32, take = kept ? 32 - kept : 0;
  x->bytes += bytes;
  if (take) {
    if (take > bytes) take = bytes;
    memcpy(x->rest + kept, p, take);
    p += take;
    if (kept + take < 32) return;
    xxh_stripes(x->v, x->rest, x->rest + 32);
  }
  p = xxh_stripes(x->v, p, end);
  memcpy(x->rest, p, (size_t)(end - p));
}

uint64_t sw_xxh_end(const sw_xxh *x) {
  return xxh_end(x->v, x->seed, x->bytes, x->rest, x->rest + x->bytes % 32);
}

static uint32_t rotl(uint32_t x, int by) { return x << by | x >> (32 - by); }

static uint32_t read_big(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
         p[3];
}

static void sha1_block(uint32_t h[8], const uint8_t *block) {
  uint32_t w[80];
  for (int i = 0; i < 16; i++) w[i] = read_big(block + 4 * i);
  for (int i = 16; i < 80; i++)
    w[i] = rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
  for (int i = 0; i < 80; i++) {
    uint32_t f, k;
    if (i < 20) f = (b & c) | (~b & d), k = 0x5A827999;
    else if (i < 40) f = b ^ c ^ d, k = 0x6ED9EBA1;
    else if (i < 60) f = (b & c) | (b & d) | (c & d), k = 0x8F1BBCDC;
    else f = b ^ c ^ d, k = 0xCA62C1D6;
    uint32_t t = rotl(a, 5) + f + e + k + w[i];
    e = d, d = c, c = rotl(b, 30), b = a, a = t;
  }
  h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

/* The first 32 bits of the fractional parts of the cube roots of the first 64
 * primes (FIPS 180-4, 4.2.2). */
static const uint32_t sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void sha256_block(uint32_t h[8], const uint8_t *block) {
  uint32_t w[64], v[8];
  for (int i = 0; i < 16; i++) w[i] = read_big(block + 4 * i);
  for (int i = 16; i < 64; i++) {
    uint32_t x = w[i - 15], y = w[i - 2];
    w[i] = w[i - 16] + (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + w[i - 7] +
           (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10);
  }
  memcpy(v, h, sizeof v);
  for (int i = 0; i < 64; i++) {
    uint32_t a = v[0], e = v[4];
    uint32_t t1 = v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
                  ((e & v[5]) ^ (~e & v[6])) + sha256_k[i] + w[i];
    uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +
                  ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += t1;
    v[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++) h[i] += v[i];
}

void sw_sha1_init(sw_sha *sha) {
  *sha = (sw_sha){
      .h = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0},
      .words = 5};
}

void sw_sha256_init(sw_sha *sha) {
  *sha = (sw_sha){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
                  .words = 8};
}

void sw_sha_update(sw_sha *sha, const void *data, size_t bytes) {
  const uint8_t *p = data;
  while (bytes) {
    size_t at = (size_t)(sha->bytes % 64), take = 64 - at;
    if (take > bytes) take = bytes;
    memcpy(sha->block + at, p, take);
    sha->bytes += take;
    p += take;
    bytes -= take;
    if (at + take == 64)
      (sha->words == 5 ? sha1_block : sha256_block)(sha->h, sha->block);
  }
}

void sw_sha_hex(sw_sha *sha, char *hex) {
  uint64_t bits = sha->bytes * 8;
  static const uint8_t pad[64] = {0x80};
  size_t at = (size_t)(sha->bytes % 64);
  sw_sha_update(sha, pad, at < 56 ? 56 - at : 120 - at);
  uint8_t length[8];
  for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  sw_sha_update(sha, length, 8);
  for (int i = 0; i < sha->words; i++)
    snprintf(hex + 8 * i, 9, "%08x", (unsigned)sha->h[i]);
}
