/* The vectors of the AVX2 set: eight floats. */
#ifndef SW_NN_AVX2_LANES_H
#define SW_NN_AVX2_LANES_H
#define NN_LANES 8
#include <immintrin.h>
#include "nn/vec/vec.h"

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

/* ---- dropout's draws (nn/vec/philox.inc) ---- */

enum { PHILOX_VECTORS = 2 }; /* of four calls each */
#define Q_SET(x) _mm256_set1_epi64x((long long)(x))
#define Q_MUL(a, b) _mm256_mul_epu32(a, b)
#define Q_HIGH(a) _mm256_srli_epi64(a, 32)
#define Q_XOR(a, b) _mm256_xor_si256(a, b)
#define Q_XOR3(a, b, c) Q_XOR(a, Q_XOR(b, c))
/* Calls 0 1 4 5 and 2 3 6 7: merging the vectors' low halves with one shuffle
 * then gives the calls in order. */
#define Q_CALLS(v) \
  ((v) == 0 ? _mm256_setr_epi64x(0, 1, 4, 5) : _mm256_setr_epi64x(2, 3, 6, 7))
#define Q_ADD(a, b) _mm256_add_epi64(a, b)
/* Comparisons are of signed halves only, so the two words that end with a key
 * get their halves' signs with it. */
#define Q_SIGNS 0x80008000u

/* Of vectors 2i and 2i + 1: the signs of their lanes' low and high halves. */
typedef struct drop_masks {
  vi pair[4];
} drop_masks;

NN_INLINE uint64_t drop_compare(uint32_t threshold,
                                const vi words[4][PHILOX_VECTORS],
                                drop_masks *masks) {
  uint32_t half[2];
  const vi most = _mm256_set1_epi16((short)((threshold - 1) ^ 0x8000));
  NN_UNROLL for (int i = 0; i < 4; i++) {
    vi all = _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(words[i][0]),
                          _mm256_castsi256_ps(words[i][1]), 0x88));
    if (i % 2) all = _mm256_xor_si256(all, _mm256_set1_epi32((int)Q_SIGNS));
    masks->pair[i] = _mm256_cmpgt_epi16(all, most);
  }
  NN_UNROLL for (int i = 0; i < 2; i++) half[i] =
      (uint32_t)_mm256_movemask_epi8(
          _mm256_packs_epi16(masks->pair[2 * i], masks->pair[2 * i + 1]));
  return half[0] | (uint64_t)half[1] << 32;
}
/* Of vector first + v; first is even. */
NN_INLINE vm drop_mask(const drop_masks *masks, int first, const int v) {
  vi pair = masks->pair[first / 2 + v / 2];
  return v % 2 ? pair : _mm256_slli_epi32(pair, 16);
}
/* Of the word's four bytes a half, two are a pair of vectors', lanes 0 to 3 in
 * one of them and 4 to 7 in the other, the vectors' bits in turns. */
NN_INLINE vm kept_at(const uint64_t *bits, int v) {
#define LANES(b) \
  { 31 - b, 29 - b, 27 - b, 25 - b, 15 - b, 13 - b, 11 - b, 9 - b }
  static const uint32_t up[4][8] = {LANES(0), LANES(1), LANES(8), LANES(9)};
#undef LANES
  vi all = _mm256_castps_si256(
      _mm256_broadcast_ss((const float *)(const void *)bits + v / 4));
  return _mm256_sllv_epi32(all, _mm256_loadu_si256((const void *)up[v % 4]));
}
/* x, or zero where the mask's sign bit is not set; other bits do not matter. */
NN_INLINE vf v_kept(vm m, vf x) {
  return _mm256_blendv_ps(v_zero(), x, _mm256_castsi256_ps(m));
}

#include "nn/vec/x86.h"
#endif
