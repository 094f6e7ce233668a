/* The list of kernel sets, best first (the order nn_select tries them in); one
 * that rounds its operands is taken only when it is named.
 * X(name, table, function that says whether the CPU has it). */
#ifndef SW_NN_SETS_H
#define SW_NN_SETS_H
#include "nn/nn.h"

#if defined(__x86_64__)
#define NN_SETS(X)                             \
  X("avx512", nn_avx512, cpu_has_avx512)       \
  X("avx512bf16", nn_avx512bf16, cpu_has_bf16) \
  X("avx2", nn_avx2, cpu_has_avx2)             \
  X("portable", nn_portable, any_cpu)
#define NN_SET_NAMES "avx512, avx512bf16, avx2, portable"
#elif defined(__aarch64__)
#define NN_SETS(X)            \
  X("neon", nn_neon, any_cpu) \
  X("portable", nn_portable, any_cpu)
#define NN_SET_NAMES "neon, portable"
#else
#define NN_SETS(X) X("portable", nn_portable, any_cpu)
#define NN_SET_NAMES "portable"
#endif

extern const nn_kernels nn_portable, nn_avx2, nn_avx512, nn_avx512bf16, nn_neon;

#endif
