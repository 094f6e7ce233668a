/* The yardstick of the `bench` commands: what the machine's cores
 * reach with independent fused multiply-adds, measured in the same run, with
 * every used core busy at once. */
#ifndef SW_CLI_BENCH_PEAK_H
#define SW_CLI_BENCH_PEAK_H
#include "base/threads.h"
#include "nn/nn.h"

/* Sum over the team's members in GFLOP/s; best of a few tries. */
double sw_bench_peak(sw_team *team, const nn_kernels *kernels);

#endif
