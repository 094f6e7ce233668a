/* What a set that rounds (nn_kernels.rounds) computes, in plain C: the
 * definition that its products are compared with to the bit. VDPBF16PS does the
 * same: products of bfloat16 are exact in a fused step, every step rounds once,
 * to nearest even, and flushes what is too small for a normal number. */
#ifndef SW_NN_REF_BF16_H
#define SW_NN_REF_BF16_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline float bf16_flushed(float x) {
  return isnormal(x) || isinf(x) || isnan(x) ? x : copysignf(0, x);
}

/* The nearest bfloat16, ties to even; a NaN stays one. */
static inline float bf16_rounded(float x) {
  uint32_t bits;
  x = bf16_flushed(x);
  memcpy(&bits, &x, sizeof bits);
  if (isnan(x)) bits |= 1u << 22;
  else bits += 0x7fff + (bits >> 16 & 1);
  bits &= 0xffff0000u;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* c + the sum over i < k of a[i*a_step] * b[i*b_step]: pairs ascend, and of a
 * pair the later product comes first. */
static inline float bf16_sum(int k, const float *a, ptrdiff_t a_step,
                             const float *b, ptrdiff_t b_step, float c) {
  for (int i = 0; i < k; i += 2)
    for (int j = i + 1; j >= i; j--) {
      float x = j < k ? bf16_rounded(a[j * a_step]) : 0;
      float y = j < k ? bf16_rounded(b[j * b_step]) : 0;
      c = bf16_flushed(fmaf(x, y, bf16_flushed(c)));
    }
  return c;
}

#endif
