/* The vectors of the NEON set: eight floats in two registers. As many lanes as
 * AVX2 has and every operation rounded alike, so a model has the same bits on
 * both kinds of processor (but for results that round to the smallest normal
 * number: x86 looks after rounding whether to flush them, ARM before). */
#ifndef SW_NN_NEON_LANES_H
#define SW_NN_NEON_LANES_H
#define NN_LANES 8
#include <arm_neon.h>
#include "nn/vec/vec.h"

typedef struct vf {
  float32x4_t lo, hi;
} vf;
typedef struct vi {
  uint64x2_t lo, hi;
} vi;
typedef struct vm {
  uint32x4_t lo, hi;
} vm;
typedef struct vd {
  float64x2_t lo, hi;
} vd;

/* An operation on both halves. */
#define BOTH1(f, a) \
  { f((a).lo), f((a).hi) }
#define BOTH2(f, a, b) \
  { f((a).lo, (b).lo), f((a).hi, (b).hi) }
#define BOTH3(f, a, b, c) \
  { f((a).lo, (b).lo, (c).lo), f((a).hi, (b).hi, (c).hi) }

NN_INLINE vf v_set(float x) { return (vf){vdupq_n_f32(x), vdupq_n_f32(x)}; }
NN_INLINE vf v_zero(void) { return v_set(0); }
NN_INLINE vf v_load(const float *p) {
  return (vf){vld1q_f32(p), vld1q_f32(p + 4)};
}
NN_INLINE void v_store(float *p, vf x) {
  vst1q_f32(p, x.lo);
  vst1q_f32(p + 4, x.hi);
}
NN_INLINE vf v_add(vf a, vf b) { return (vf)BOTH2(vaddq_f32, a, b); }
NN_INLINE vf v_sub(vf a, vf b) { return (vf)BOTH2(vsubq_f32, a, b); }
NN_INLINE vf v_mul(vf a, vf b) { return (vf)BOTH2(vmulq_f32, a, b); }
NN_INLINE vf v_div(vf a, vf b) { return (vf)BOTH2(vdivq_f32, a, b); }
NN_INLINE vf v_fma(vf a, vf b, vf c) { return (vf)BOTH3(vfmaq_f32, c, a, b); }
NN_INLINE vf v_nfma(vf a, vf b, vf c) { return (vf)BOTH3(vfmsq_f32, c, a, b); }
NN_INLINE vf v_fms(vf a, vf b, vf c) {
  vf minus = BOTH1(vnegq_f32, c);
  return v_fma(a, b, minus);
}
/* The second where the two are no numbers or equal, as on x86. */
NN_INLINE float32x4_t v_max_half(float32x4_t a, float32x4_t b) {
  return vbslq_f32(vcgtq_f32(a, b), a, b);
}
NN_INLINE float32x4_t v_min_half(float32x4_t a, float32x4_t b) {
  return vbslq_f32(vcltq_f32(a, b), a, b);
}
NN_INLINE vf v_max(vf a, vf b) { return (vf)BOTH2(v_max_half, a, b); }
NN_INLINE vf v_min(vf a, vf b) { return (vf)BOTH2(v_min_half, a, b); }
NN_INLINE vf v_sqrt(vf a) { return (vf)BOTH1(vsqrtq_f32, a); }
NN_INLINE vf v_round(vf a) { return (vf)BOTH1(vrndnq_f32, a); }
/* x * 2^n for integral n in [-126, 127] and x in [0.5, 2], n given in the form
 * that v_exponent gives it. */
NN_INLINE float32x4_t v_exponent_half(float32x4_t n) {
  return vreinterpretq_f32_s32(vshlq_n_s32(vcvtnq_s32_f32(n), 23));
}
NN_INLINE float32x4_t v_scale2_half(float32x4_t x, float32x4_t exponent) {
  return vreinterpretq_f32_s32(
      vaddq_s32(vreinterpretq_s32_f32(x), vreinterpretq_s32_f32(exponent)));
}
NN_INLINE vf v_exponent(vf n) { return (vf)BOTH1(v_exponent_half, n); }
NN_INLINE vf v_scale2(vf x, vf exponent) {
  return (vf)BOTH2(v_scale2_half, x, exponent);
}
/* Whether a < b in any lane; NaN is not below. */
NN_INLINE int v_any_below(vf a, vf b) {
  vm below = BOTH2(vcltq_f32, a, b);
  return vmaxvq_u32(vorrq_u32(below.lo, below.hi)) != 0;
}
/* Lanes with begin <= lane < end (any int). */
NN_INLINE uint32x4_t m_range_half(int32x4_t lane, int begin, int end) {
  return vandq_u32(vcgeq_s32(lane, vdupq_n_s32(begin)),
                   vcltq_s32(lane, vdupq_n_s32(end)));
}
NN_INLINE vm m_range(int begin, int end) {
  const int32x4_t lane = {0, 1, 2, 3};
  return (vm){m_range_half(lane, begin, end),
              m_range_half(vaddq_s32(lane, vdupq_n_s32(4)), begin, end)};
}
/* Lanes where a < b is false: true for NaN, which must not be hidden. */
NN_INLINE vm m_not_below(vf a, vf b) {
  vm below = BOTH2(vcltq_f32, a, b);
  return (vm)BOTH1(vmvnq_u32, below);
}
NN_INLINE vf v_select(vm m, vf yes, vf no) {
  return (vf)BOTH3(vbslq_f32, m, yes, no);
}
NN_INLINE vf v_keep(vm m, vf a) { return v_select(m, a, v_zero()); }
/* x0 + x2, x1 + x3, then those: AVX2's order. */
NN_INLINE float v_sum_lanes(vf a) {
  float32x4_t four = vaddq_f32(a.lo, a.hi);
  float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
  return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}
NN_INLINE float v_max_lane(vf a) {
  float32x4_t four = v_max_half(a.lo, a.hi);
  float32x4_t two = v_max_half(four, vextq_f32(four, four, 2));
  return vgetq_lane_f32(v_max_half(two, vextq_f32(two, two, 1)), 0);
}

NN_INLINE vd d_zero(void) { return (vd){vdupq_n_f64(0), vdupq_n_f64(0)}; }
NN_INLINE vd d_of(float32x4_t a) {
  return (vd){vcvt_f64_f32(vget_low_f32(a)), vcvt_high_f64_f32(a)};
}
NN_INLINE vd d_low(vf a) { return d_of(a.lo); }
NN_INLINE vd d_high(vf a) { return d_of(a.hi); }
NN_INLINE vd d_add(vd a, vd b) { return (vd)BOTH2(vaddq_f64, a, b); }
NN_INLINE vd d_fma(vd a, vd b, vd c) { return (vd)BOTH3(vfmaq_f64, c, a, b); }
NN_INLINE double d_sum_lanes(vd a) {
  float64x2_t two = vaddq_f64(a.lo, a.hi);
  return vgetq_lane_f64(two, 0) + vgetq_lane_f64(two, 1);
}

/* The first `count` elements (0 to 4) of a half; nothing beyond is touched. */
NN_INLINE float32x4_t load_half(int count, const float *p) {
  float32x4_t none = vdupq_n_f32(0);
  if (count <= 0) return none;
  if (count == 1) return vld1q_lane_f32(p, none, 0);
  if (count >= 4) return vld1q_f32(p);
  float32x4_t two = vcombine_f32(vld1_f32(p), vget_low_f32(none));
  return count == 2 ? two : vld1q_lane_f32(p + 2, two, 2);
}
NN_INLINE void store_half(int count, float *p, float32x4_t x) {
  if (count >= 4) vst1q_f32(p, x);
  else if (count == 1) vst1q_lane_f32(p, x, 0);
  else if (count > 0) vst1_f32(p, vget_low_f32(x));
  if (count == 3) vst1q_lane_f32(p + 2, x, 2);
}
/* The first `count` elements (0 to VL); the other lanes read as zero. */
NN_INLINE vf v_load_n(int count, const float *p) {
  if (count >= VL) return v_load(p);
  return (vf){load_half(count, p),
              count > 4 ? load_half(count - 4, p + 4) : vdupq_n_f32(0)};
}
NN_INLINE void v_store_n(int count, float *p, vf x) {
  store_half(count, p, x.lo);
  if (count > 4) store_half(count - 4, p + 4, x.hi);
}
/* The first `count` of a row, a constant; `first` is their mask. */
NN_INLINE vf v_load_first(const int count, vm first, const float *p) {
  (void)first;
  return v_load_n(count, p);
}
NN_INLINE void copy_8(const float *from, float *to) {
  v_store(to, v_load(from));
}

/* Copies a 4 x 4 block, transposed: pairs of lanes, then halves. */
NN_INLINE void transpose_4x4(const float *from, ptrdiff_t from_step, float *to,
                             ptrdiff_t to_step) {
  float32x4x2_t low = vtrnq_f32(vld1q_f32(from), vld1q_f32(from + from_step));
  float32x4x2_t high = vtrnq_f32(vld1q_f32(from + 2 * from_step),
                                 vld1q_f32(from + 3 * from_step));
  NN_UNROLL for (int i = 0; i < 2; i++) {
    vst1q_f32(to + i * to_step, vcombine_f32(vget_low_f32(low.val[i]),
                                             vget_low_f32(high.val[i])));
    vst1q_f32(to + (i + 2) * to_step, vcombine_f32(vget_high_f32(low.val[i]),
                                                   vget_high_f32(high.val[i])));
  }
}
NN_INLINE void transpose_8x8(const float *from, ptrdiff_t from_step, float *to,
                             ptrdiff_t to_step) {
  NN_UNROLL for (int i = 0; i < 8; i += 4)
      NN_UNROLL for (int j = 0; j < 8; j += 4) transpose_4x4(
          from + i * from_step + j, from_step, to + j * to_step + i, to_step);
}

/* ---- dropout's draws (nn/vec/philox.inc) ---- */

enum { PHILOX_VECTORS = 2 }; /* of four calls each */
NN_INLINE vi q_set(uint64_t x) { return (vi){vdupq_n_u64(x), vdupq_n_u64(x)}; }
NN_INLINE uint64x2_t q_mul_half(uint64x2_t a, uint64x2_t b) {
  return vmull_u32(vmovn_u64(a), vmovn_u64(b));
}
NN_INLINE uint64x2_t q_high_half(uint64x2_t a) { return vshrq_n_u64(a, 32); }
NN_INLINE vi q_mul(vi a, vi b) { return (vi)BOTH2(q_mul_half, a, b); }
NN_INLINE vi q_high(vi a) { return (vi)BOTH1(q_high_half, a); }
NN_INLINE vi q_xor(vi a, vi b) { return (vi)BOTH2(veorq_u64, a, b); }
NN_INLINE vi q_add(vi a, vi b) { return (vi)BOTH2(vaddq_u64, a, b); }
NN_INLINE vi q_calls(uint64_t first) {
  return (vi){{first, first + 1}, {first + 2, first + 3}};
}
#define Q_SET(x) q_set(x)
#define Q_MUL(a, b) q_mul(a, b)
#define Q_HIGH(a) q_high(a)
#define Q_XOR(a, b) q_xor(a, b)
#define Q_XOR3(a, b, c) Q_XOR(a, Q_XOR(b, c))
#define Q_CALLS(v) q_calls(4 * (v))
#define Q_ADD(a, b) q_add(a, b)
#define Q_SIGNS 0u

typedef struct drop_masks {
  vm vector[8];
} drop_masks;

/* A vector's lanes as eight bits, and back. */
NN_INLINE uint32_t m_bits(vm m) {
  const uint32x4_t bit = {1, 2, 4, 8};
  return vaddvq_u32(
      vaddq_u32(vandq_u32(m.lo, bit), vandq_u32(m.hi, vshlq_n_u32(bit, 4))));
}
NN_INLINE vm m_of_bits(uint32_t bits) {
  const uint32x4_t bit = {1, 2, 4, 8}, all = vdupq_n_u32(bits);
  return (vm){vtstq_u32(all, bit), vtstq_u32(all, vshlq_n_u32(bit, 4))};
}

NN_INLINE uint64_t drop_compare(uint32_t threshold,
                                const vi words[4][PHILOX_VECTORS],
                                drop_masks *masks) {
  const uint32x4_t limit = vdupq_n_u32(threshold), low = vdupq_n_u32(0xffff);
  uint64_t bits = 0;
  NN_UNROLL for (int i = 0; i < 4; i++) {
    uint32x4_t first =
        vcombine_u32(vmovn_u64(words[i][0].lo), vmovn_u64(words[i][0].hi));
    uint32x4_t last =
        vcombine_u32(vmovn_u64(words[i][1].lo), vmovn_u64(words[i][1].hi));
    masks->vector[2 * i] = (vm){vcgeq_u32(vandq_u32(first, low), limit),
                                vcgeq_u32(vandq_u32(last, low), limit)};
    masks->vector[2 * i + 1] = (vm){vcgeq_u32(vshrq_n_u32(first, 16), limit),
                                    vcgeq_u32(vshrq_n_u32(last, 16), limit)};
    bits |= (uint64_t)m_bits(masks->vector[2 * i]) << (16 * i) |
            (uint64_t)m_bits(masks->vector[2 * i + 1]) << (16 * i + 8);
  }
  return bits;
}
NN_INLINE vm drop_mask(const drop_masks *masks, int first, const int v) {
  return masks->vector[first + v];
}
NN_INLINE vm kept_at(const uint64_t *bits, int v) {
  return m_of_bits((uint32_t)(*bits >> (8 * v)) & 0xff);
}
NN_INLINE vf v_kept(vm m, vf x) { return v_keep(m, x); }

#undef BOTH1
#undef BOTH2
#undef BOTH3
#endif
