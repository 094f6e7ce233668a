/* FMA peak of a team; see bench_peak.h. */
#include <string.h>
#include <stdlib.h>
#include "command/bench_peak.h"

enum { MEMBERS_MAX = 256, TRIES = 5 };

typedef struct peak_job {
  sw_team *team;
  const nn_kernels *kernels;
  double seconds;
  double gflops[MEMBERS_MAX];
} peak_job;

static void region(void *context, int rank, int size) {
  peak_job *job = context;
  (void)size;
  sw_team_barrier(job->team); /* all cores start together */
  if (rank < MEMBERS_MAX)
    job->gflops[rank] = job->kernels->fma_peak(job->seconds);
}

double sw_bench_peak_now(sw_team *team, const nn_kernels *kernels,
                         double seconds) {
  peak_job job = {.team = team, .kernels = kernels, .seconds = seconds};
  double sum = 0;
  sw_team_run(team, region, &job);
  for (int r = 0; r < sw_team_size(team) && r < MEMBERS_MAX; r++)
    sum += job.gflops[r];
  return sum;
}

double sw_bench_peak(sw_team *team, const nn_kernels *kernels) {
  double best = 0;
  for (int i = 0; i < TRIES; i++) {
    double now = sw_bench_peak_now(team, kernels, 0.05);
    best = now > best ? now : best;
  }
  return best;
}

int sw_bench_kernels(const char *name, sw_err *err) {
  if (getenv("STATEWISE_KERNELS") || !name) return SW_OK;
  if (!nn_select(name, err)) {
    if (strcmp(name, "avx2")) return err ? err->code : SW_USAGE;
    return SW_OK; /* a CPU without AVX2: what it has */
  }
  setenv("STATEWISE_KERNELS", name, 1);
  return SW_OK;
}
