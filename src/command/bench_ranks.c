/* Measurements between ranks (see bench_ranks.h). */
#include "command/bench_ranks.h"
#include <stdlib.h>
#include "base/clock.h"
#include "base/ranks.h"

enum { BYTES = 32 << 20, TRIES = 5, TURNS = 100 };

int sw_bench_sum(double mine, double *sum, sw_err *err) {
  int ranks = sw_ranks_count();
  double *all = calloc((size_t)ranks, sizeof *all);
  size_t *begin = calloc((size_t)ranks + 1, sizeof *begin);
  int code = all && begin ? SW_OK : sw_no_memory(err);
  for (int r = 0; r <= ranks && begin; r++) begin[r] = (size_t)r;
  if (!code) all[sw_ranks_me()] = mine;
  if (!code) code = sw_ranks_join(all, sizeof *all, begin, err);
  *sum = 0;
  for (int r = 0; r < ranks && !code; r++) *sum += all[r];
  free(all);
  free(begin);
  return code;
}

/* Bytes to rank 1 and back; the other ranks look on. */
static int there_and_back(char *data, size_t bytes, size_t *begin,
                          double *seconds, sw_err *err) {
  int ranks = sw_ranks_count();
  double from = sw_now();
  begin[0] = begin[1] = 0;
  for (int r = 2; r <= ranks; r++) begin[r] = bytes;
  SW_TRY(sw_ranks_deal(data, 1, begin, err));
  SW_TRY(sw_ranks_collect(data, 1, begin, err));
  double now = sw_now() - from;
  if (now / 2 < *seconds) *seconds = now / 2;
  return SW_OK;
}

int sw_bench_link_measure(sw_bench_link *link, sw_err *err) {
  int ranks = sw_ranks_count();
  double large = 1e9, unused;
  char *data = calloc(1, BYTES);
  size_t *begin = calloc((size_t)ranks + 1, sizeof *begin);
  int code = data && begin ? SW_OK : sw_no_memory(err);
  link->latency = 1e9;
  for (int i = 0; i < TURNS && !code; i++)
    code = there_and_back(data, 8, begin, &link->latency, err);
  for (int i = 0; i < TRIES && !code; i++)
    code = there_and_back(data, BYTES, begin, &large, err);
  if (!code) code = sw_bench_sum(0, &unused, err);
  link->bandwidth = BYTES / large;
  free(data);
  free(begin);
  return code;
}
