/* One vocabulary for vectors of 8 (AVX2) and 16 floats (AVX-512), so that every
 * vector kernel is written once. Included by exactly one .c file per kernel
 * set, which defines NN_LANES first; everything is static, so two sets never
 * share compiled code. Masks (vm) are lane masks in the set's native form. */
#ifndef SW_NN_VEC_VEC_H
#define SW_NN_VEC_VEC_H
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define NN_INLINE static inline __attribute__((always_inline, unused))
#define NN_UNROLL _Pragma("GCC unroll 64")

enum { VL = NN_LANES }; /* floats in a vector */

NN_INLINE int min_int(int a, int b) { return a < b ? a : b; }
NN_INLINE int max_int(int a, int b) { return a > b ? a : b; }
NN_INLINE int round_up(int a, int step) { return (a + step - 1) / step * step; }

#if NN_LANES == 8

typedef __m256 vf;
typedef __m256i vi;
typedef __m256i vm;

NN_INLINE vf v_set(float x) { return _mm256_set1_ps(x); }
NN_INLINE vf v_zero(void) { return _mm256_setzero_ps(); }
NN_INLINE vf v_load(const float *p) { return _mm256_loadu_ps(p); }
NN_INLINE void v_store(float *p, vf x) { _mm256_storeu_ps(p, x); }
NN_INLINE vf v_add(vf a, vf b) { return _mm256_add_ps(a, b); }
NN_INLINE vf v_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
NN_INLINE vf v_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
NN_INLINE vf v_div(vf a, vf b) { return _mm256_div_ps(a, b); }
NN_INLINE vf v_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
NN_INLINE vf v_fms(vf a, vf b, vf c) { return _mm256_fmsub_ps(a, b, c); }
NN_INLINE vf v_nfma(vf a, vf b, vf c) { return _mm256_fnmadd_ps(a, b, c); }
NN_INLINE vf v_max(vf a, vf b) { return _mm256_max_ps(a, b); }
NN_INLINE vf v_min(vf a, vf b) { return _mm256_min_ps(a, b); }
NN_INLINE vf v_sqrt(vf a) { return _mm256_sqrt_ps(a); }
NN_INLINE vf v_round(vf a) {
  return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* x * 2^n for integral n in [-126, 127] and x in [0.5, 2], n given in the form
 * that v_exponent gives it. */
NN_INLINE vf v_exponent(vf n) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtps_epi32(n), 23));
}
NN_INLINE vf v_scale2(vf x, vf exponent) {
  return _mm256_castsi256_ps(
      _mm256_add_epi32(_mm256_castps_si256(x), _mm256_castps_si256(exponent)));
}
/* Whether a < b in any lane; NaN is not below. */
NN_INLINE int v_any_below(vf a, vf b) {
  return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)) != 0;
}
NN_INLINE vi v_lane_index(void) {
  return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
}
/* Lanes with begin <= lane < end (any int). */
NN_INLINE vm m_range(int begin, int end) {
  vi lane = v_lane_index();
  return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(begin), lane),
                             _mm256_cmpgt_epi32(_mm256_set1_epi32(end), lane));
}
/* Lanes where a < b is false: true for NaN, which must not be hidden. */
NN_INLINE vm m_not_below(vf a, vf b) {
  return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_NLT_UQ));
}
NN_INLINE vf v_keep(vm m, vf a) {
  return _mm256_and_ps(_mm256_castsi256_ps(m), a);
}
NN_INLINE vf v_select(vm m, vf yes, vf no) {
  return _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(m));
}
NN_INLINE vf v_load_m(vm m, const float *p) { return _mm256_maskload_ps(p, m); }
NN_INLINE void v_store_m(vm m, float *p, vf x) { _mm256_maskstore_ps(p, m, x); }
NN_INLINE float v_max_lane(vf a) {
  __m128 x = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  x = _mm_max_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
}
/* Sum of the lanes as a fixed tree: halves, quarters, pairs. */
NN_INLINE float v_sum_lanes(vf a) {
  __m128 x = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  x = _mm_add_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}
typedef __m256d vd;
NN_INLINE vd d_zero(void) { return _mm256_setzero_pd(); }
NN_INLINE vd d_low(vf a) { return _mm256_cvtps_pd(_mm256_castps256_ps128(a)); }
NN_INLINE vd d_high(vf a) {
  return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));
}
NN_INLINE vd d_add(vd a, vd b) { return _mm256_add_pd(a, b); }
NN_INLINE vd d_fma(vd a, vd b, vd c) { return _mm256_fmadd_pd(a, b, c); }
NN_INLINE double d_sum_lanes(vd a) {
  __m128d x =
      _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x)));
}

#else

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

#endif

/* The first `count` elements (0 to VL); the other lanes read as zero. */
NN_INLINE vf v_load_n(int count, const float *p) {
  return count >= VL ? v_load(p) : v_load_m(m_range(0, count), p);
}
NN_INLINE void v_store_n(int count, float *p, vf x) {
  if (count >= VL) v_store(p, x);
  else v_store_m(m_range(0, count), p, x);
}

#endif
