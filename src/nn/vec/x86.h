/* What the AVX2 and the AVX-512 set have in common; the end of their lanes.h.
 */
#ifndef SW_NN_VEC_X86_H
#define SW_NN_VEC_X86_H

/* The first `count` elements (0 to VL); the other lanes read as zero. */
NN_INLINE vf v_load_n(int count, const float *p) {
  return count >= VL ? v_load(p) : v_load_m(m_range(0, count), p);
}
NN_INLINE void v_store_n(int count, float *p, vf x) {
  if (count >= VL) v_store(p, x);
  else v_store_m(m_range(0, count), p, x);
}
/* The first `count` of a row, a constant; `first` is their mask. */
NN_INLINE vf v_load_first(const int count, vm first, const float *p) {
  (void)count;
  return v_load_m(first, p);
}

/* Eight floats, also where a vector is longer. */
NN_INLINE void copy_8(const float *from, float *to) {
  _mm256_storeu_ps(to, _mm256_loadu_ps(from));
}

/* Copies an 8 x 8 block, transposed: pairs of lanes, fours, then halves. */
NN_INLINE void transpose_8x8(const float *from, ptrdiff_t from_step, float *to,
                             ptrdiff_t to_step) {
  __m256 row[8], pair[8], four[8];
  NN_UNROLL for (int i = 0; i < 8; i++) row[i] =
      _mm256_loadu_ps(from + i * from_step);
  NN_UNROLL for (int i = 0; i < 8; i += 2) {
    pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
    pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
  }
  NN_UNROLL for (int i = 0; i < 8; i += 4)
      NN_UNROLL for (int j = 0; j < 2; j++) {
    four[i + 2 * j] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0x44);
    four[i + 2 * j + 1] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0xee);
  }
  NN_UNROLL for (int i = 0; i < 4; i++) {
    _mm256_storeu_ps(to + i * to_step,
                     _mm256_permute2f128_ps(four[i], four[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * to_step,
                     _mm256_permute2f128_ps(four[i], four[i + 4], 0x31));
  }
}

#endif
