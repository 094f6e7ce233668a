/* The yardstick of the `bench` commands: what the machine's cores
 * reach with independent fused multiply-adds, measured in the same run, with
 * every used core busy at once. */
#ifndef SW_COMMAND_BENCH_PEAK_H
#define SW_COMMAND_BENCH_PEAK_H
#include "base/threads.h"
#include "nn/nn.h"

/* Sum over the team's members in GFLOP/s; best of a few tries. */
double sw_bench_peak(sw_team *team, const nn_kernels *kernels);
/* The same of this moment: one try of about `seconds`. */
double sw_bench_peak_now(sw_team *team, const nn_kernels *kernels,
                         double seconds);

/* The kernel set of a bench. The project's bars are stated for AVX2 against the
 * AVX2 peak, so that is the default everywhere; training itself takes the
 * fastest set of the CPU. STATEWISE_KERNELS comes before both. */
/* clang-format off */
#define SW_BENCH_KERNELS(X) \
  X(kernels, TEXT, "kernels", "avx2", 0, 0, "", "kernel set: portable, avx2, avx512, avx512bf16 or neon (training: see STATEWISE_KERNELS)")
/* clang-format on */
int sw_bench_kernels(const char *name, sw_err *err);

#endif
