/* `--profile` of the benches: what nn/profile.h counted, as a table or JSON.
 * Shares are of all threads' wall time; what is in no kernel is waiting at
 * barriers, copies, plans and environments. */
#ifndef SW_CLI_BENCH_PROFILE_H
#define SW_CLI_BENCH_PROFILE_H
#include "base/json.h"
#include "nn/profile.h"

#define SW_BENCH_PROFILE \
  "also show time, useful FLOPs and share of the peak of every kernel"

typedef struct sw_bench_whole {
  double seconds; /* wall time of all rounds */
  int threads;
  double peak; /* GFLOP/s of all threads together */
  int64_t rounds;
  const char *round; /* what a round is called */
} sw_bench_whole;

void sw_bench_profile_print(const sw_bench_whole *whole);
void sw_bench_profile_json(sw_json *json, const sw_bench_whole *whole);

#endif
