/* `--profile` of the benches: what nn/profile.h counted during the fastest
 * round, as a table or JSON. Shares are of all threads' wall time; what is in
 * no kernel is waiting at barriers, copies and plans. */
#ifndef SW_COMMAND_BENCH_PROFILE_H
#define SW_COMMAND_BENCH_PROFILE_H
#include "command/io.h"
#include "base/json.h"
#include "nn/profile.h"

#define SW_BENCH_PROFILE \
  "also show time, useful FLOPs and share of the peak of every kernel"

typedef struct sw_bench_profile {
  nn_profile_row row[96];
  int rows;
  double seconds; /* of a round; 0: nothing taken yet */
  double rounds;  /* how many the rows hold */
} sw_bench_profile;

/* Keeps what was counted since the last call when these `rounds` of `seconds`
 * each are the fastest so far, and counts anew. */
void sw_bench_profile_take(sw_bench_profile *profile, double seconds,
                           double rounds);
/* `round` is what a round is called; peak: GFLOP/s of all threads. */
void sw_bench_profile_print(sw_command_io *io, const sw_bench_profile *profile,
                            const char *round, int threads, double peak);
void sw_bench_profile_json(const sw_bench_profile *profile, sw_json *json,
                           int threads, double peak);

#endif
