/* What `bench train` measures of a job of several ranks: the peak of all
 * together, and the link between the first two. */
#ifndef SW_COMMAND_BENCH_RANKS_H
#define SW_COMMAND_BENCH_RANKS_H
#include "command/bench_peak.h"

/* The sum over ranks of this rank's `mine`; ranks meet here. */
int sw_bench_sum(double mine, double *sum, sw_err *err);

typedef struct sw_bench_link {
  double latency;   /* seconds of a message of eight bytes */
  double bandwidth; /* bytes a second, of 32 MB */
} sw_bench_link;
int sw_bench_link_measure(sw_bench_link *link, sw_err *err);

#endif
