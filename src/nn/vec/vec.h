/* What the vector source asks of a kernel set, apart from the vectors: those
 * are in a lanes.h of each set, which every kernels.c includes exactly once.
 * Everything is static, so two sets never share compiled code.
 *
 * A lanes.h offers vectors of VL floats (vf), of 64-bit integers (vi), of
 * doubles (vd) and lane masks in the set's native form (vm), the operations on
 * them, and the comparisons that dropout's draws end with. Sets of equally many
 * lanes compute the same bits: also sums over lanes have their order. */
#ifndef SW_NN_VEC_VEC_H
#define SW_NN_VEC_VEC_H
#include <stddef.h>
#include <stdint.h>

#define NN_INLINE static inline __attribute__((always_inline, unused))
#define NN_UNROLL _Pragma("GCC unroll 64")

enum { VL = NN_LANES }; /* floats in a vector */

NN_INLINE int min_int(int a, int b) { return a < b ? a : b; }
NN_INLINE int max_int(int a, int b) { return a > b ? a : b; }
NN_INLINE int round_up(int a, int step) { return (a + step - 1) / step * step; }

#endif
