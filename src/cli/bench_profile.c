/* The table of kernels of a bench run; see bench_profile.h. */
#include "cli/bench_profile.h"
#include <stdio.h>

enum { ROWS = 96 };

static void name_of(const nn_profile_row *row, char *name, size_t room) {
  if (row->n) snprintf(name, room, "%s %d x %d", row->kernel, row->n, row->k);
  else snprintf(name, room, "%s", row->kernel);
}

void sw_bench_profile_print(const sw_bench_whole *w) {
  nn_profile_row row[ROWS];
  int rows = nn_profile_read(row, ROWS);
  double all = w->seconds * w->threads, sum = 0, rounds = (double)w->rounds;
  double peak = w->peak / w->threads; /* of one thread */
  printf("  %-26s %-18s %8s %9s %7s %9s %8s %7s\n", "kernel", "with", "calls",
         "ms", "share", "GFLOP", "GFLOP/s", "peak");
  for (int i = 0; i < rows; i++) {
    char name[64];
    const nn_profile_row *r = &row[i];
    name_of(r, name, sizeof name);
    sum += r->seconds;
    printf("  %-26s %-18s %8.0f %9.3f %6.1f%% ", name, r->with,
           (double)r->calls / rounds, 1e3 * r->seconds / rounds,
           100 * r->seconds / all);
    if (r->flops > 0)
      printf("%9.3f %8.1f %6.1f%%\n", 1e-9 * r->flops / rounds,
             1e-9 * r->flops / r->seconds, 1e-7 * r->flops / r->seconds / peak);
    else
      printf("%9s %8.3f ns an element\n", "",
             1e9 * r->seconds / (r->elements > 0 ? r->elements : 1));
  }
  printf("  %-26s %-18s %8s %9.3f %6.1f%%\n", "outside the kernels", "", "",
         1e3 * (all - sum) / rounds, 100 * (all - sum) / all);
  printf(
      "  milliseconds of all %d threads a %s; peak: of one thread, %.1f "
      "GFLOP/s\n",
      w->threads, w->round, peak);
}

void sw_bench_profile_json(sw_json *json, const sw_bench_whole *w) {
  nn_profile_row row[ROWS];
  int rows = nn_profile_read(row, ROWS);
  double all = w->seconds * w->threads, sum = 0, rounds = (double)w->rounds;
  sw_json_array(json, "profile");
  for (int i = 0; i < rows; i++) {
    char name[64];
    const nn_profile_row *r = &row[i];
    name_of(r, name, sizeof name);
    sum += r->seconds;
    sw_json_object(json, NULL);
    sw_json_string(json, "kernel", name);
    sw_json_string(json, "with", r->with);
    sw_json_real(json, "calls", (double)r->calls / rounds);
    sw_json_real(json, "seconds", r->seconds / rounds);
    sw_json_real(json, "share", r->seconds / all);
    sw_json_real(json, "useful_gflop", 1e-9 * r->flops / rounds);
    sw_json_real(json, "elements", r->elements / rounds);
    sw_json_real(json, "ratio",
                 1e-9 * r->flops / r->seconds * w->threads / w->peak);
    sw_json_end(json);
  }
  sw_json_end(json);
  sw_json_real(json, "outside_kernels_share", (all - sum) / all);
}
