/* The vectors of the AVX-512 set: sixteen floats. */
#ifndef SW_NN_AVX512_LANES_H
#define SW_NN_AVX512_LANES_H
#define NN_LANES 16
#include <immintrin.h>
#include "nn/vec/vec.h"

typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm;

NN_INLINE vf v_set(float x) { return _mm512_set1_ps(x); }
NN_INLINE vf v_zero(void) { return _mm512_setzero_ps(); }
NN_INLINE vf v_load(const float *p) { return _mm512_loadu_ps(p); }
NN_INLINE void v_store(float *p, vf x) { _mm512_storeu_ps(p, x); }
NN_INLINE vf v_add(vf a, vf b) { return _mm512_add_ps(a, b); }
NN_INLINE vf v_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
NN_INLINE vf v_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
NN_INLINE vf v_div(vf a, vf b) { return _mm512_div_ps(a, b); }
NN_INLINE vf v_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
NN_INLINE vf v_fms(vf a, vf b, vf c) { return _mm512_fmsub_ps(a, b, c); }
NN_INLINE vf v_nfma(vf a, vf b, vf c) { return _mm512_fnmadd_ps(a, b, c); }
NN_INLINE vf v_max(vf a, vf b) { return _mm512_max_ps(a, b); }
NN_INLINE vf v_min(vf a, vf b) { return _mm512_min_ps(a, b); }
NN_INLINE vf v_sqrt(vf a) { return _mm512_sqrt_ps(a); }
NN_INLINE vf v_round(vf a) {
  return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
NN_INLINE vf v_exponent(vf n) { return n; }
NN_INLINE vf v_scale2(vf x, vf n) { return _mm512_scalef_ps(x, n); }
NN_INLINE int v_any_below(vf a, vf b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ) != 0;
}
NN_INLINE vm m_range(int begin, int end) {
  uint32_t below_end = end >= VL ? 0xffffu : end <= 0 ? 0 : (1u << end) - 1;
  uint32_t below_begin = begin >= VL  ? 0xffffu
                         : begin <= 0 ? 0
                                      : (1u << begin) - 1;
  return (vm)(below_end & ~below_begin);
}
NN_INLINE vm m_not_below(vf a, vf b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_NLT_UQ);
}
NN_INLINE vf v_keep(vm m, vf a) { return _mm512_maskz_mov_ps(m, a); }
NN_INLINE vf v_select(vm m, vf yes, vf no) {
  return _mm512_mask_blend_ps(m, no, yes);
}
NN_INLINE vf v_load_m(vm m, const float *p) {
  return _mm512_maskz_loadu_ps(m, p);
}
NN_INLINE void v_store_m(vm m, float *p, vf x) {
  _mm512_mask_storeu_ps(p, m, x);
}
NN_INLINE float v_max_lane(vf a) { return _mm512_reduce_max_ps(a); }
NN_INLINE float v_sum_lanes(vf a) {
  __m256 y =
      _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
  __m128 x = _mm_add_ps(_mm256_castps256_ps128(y), _mm256_extractf128_ps(y, 1));
  x = _mm_add_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}
typedef __m512d vd;
NN_INLINE vd d_zero(void) { return _mm512_setzero_pd(); }
NN_INLINE vd d_low(vf a) { return _mm512_cvtps_pd(_mm512_castps512_ps256(a)); }
NN_INLINE vd d_high(vf a) {
  return _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1));
}
NN_INLINE vd d_add(vd a, vd b) { return _mm512_add_pd(a, b); }
NN_INLINE vd d_fma(vd a, vd b, vd c) { return _mm512_fmadd_pd(a, b, c); }
NN_INLINE double d_sum_lanes(vd a) {
  __m256d y =
      _mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1));
  __m128d x =
      _mm_add_pd(_mm256_castpd256_pd128(y), _mm256_extractf128_pd(y, 1));
  return _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x)));
}

/* ---- dropout's draws (nn/vec/philox.inc) ---- */

enum { PHILOX_VECTORS = 1 };
#define Q_SET(x) _mm512_set1_epi64((long long)(x))
#define Q_MUL(a, b) _mm512_mul_epu32(a, b)
#define Q_HIGH(a) _mm512_srli_epi64(a, 32)
#define Q_XOR(a, b) _mm512_xor_si512(a, b)
#define Q_XOR3(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define Q_CALLS(v) ((void)(v), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7))
#define Q_ADD(a, b) _mm512_add_epi64(a, b)
#define Q_SIGNS 0u

typedef struct drop_masks {
  vm vector[4];
} drop_masks;

NN_INLINE uint64_t drop_compare(uint32_t threshold,
                                const vi words[4][PHILOX_VECTORS],
                                drop_masks *masks) {
  uint64_t bits = 0;
  NN_UNROLL for (int i = 0; i < 4; i++) {
    vi half = _mm512_set1_epi64(0xffff), limit = Q_SET(threshold);
    vi high = _mm512_and_si512(_mm512_srli_epi64(words[i][0], 16), half);
    vi low = _mm512_and_si512(words[i][0], half);
    masks->vector[i] = (vm)(_mm512_cmpge_epu64_mask(low, limit) |
                            _mm512_cmpge_epu64_mask(high, limit) << 8);
    bits |= (uint64_t)masks->vector[i] << (16 * i);
  }
  return bits;
}
NN_INLINE vm drop_mask(const drop_masks *masks, int first, const int v) {
  return masks->vector[first + v];
}
NN_INLINE vm kept_at(const uint64_t *bits, int v) {
  return (vm)(*bits >> (16 * v));
}
NN_INLINE vf v_kept(vm m, vf x) { return v_keep(m, x); }

#include "nn/vec/x86.h"
#endif
