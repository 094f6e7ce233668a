/* The table of kernels of a bench run; see bench_profile.h. */
#include "command/bench_profile.h"
#include <stdio.h>

void sw_bench_profile_take(sw_bench_profile *p, double seconds, double rounds) {
  if (p->seconds == 0 || seconds < p->seconds) {
    p->rows = nn_profile_read(p->row, sizeof p->row / sizeof *p->row);
    p->seconds = seconds;
    p->rounds = rounds;
  }
  nn_profile_clear();
}

static void name_of(const nn_profile_row *row, char *name, size_t room) {
  if (row->n) snprintf(name, room, "%s %d x %d", row->kernel, row->n, row->k);
  else snprintf(name, room, "%s", row->kernel);
}

/* Seconds of all threads that no kernel has. */
static double outside(const sw_bench_profile *p, int threads) {
  double rest = p->seconds * threads;
  for (int i = 0; i < p->rows; i++) rest -= p->row[i].seconds / p->rounds;
  return rest;
}

static void print_row(sw_command_io *io, const nn_profile_row *r, double rounds,
                      double all, double peak) {
  char name[64];
  name_of(r, name, sizeof name);
  fprintf(io->out, "  %-26s %-18s %8.0f %9.3f %6.1f%% ", name, r->with,
          (double)r->calls / rounds, 1e3 * r->seconds / rounds,
          100 * r->seconds / rounds / all);
  double rate = 1e-9 * r->flops / r->seconds;
  if (r->flops > 0)
    fprintf(io->out, "%9.3f %8.1f %6.1f%%\n", 1e-9 * r->flops / rounds, rate,
            100 * rate / peak);
  else
    fprintf(io->out, "%9s %8.3f ns an element\n", "",
            1e9 * r->seconds / (r->elements > 0 ? r->elements : 1));
}

void sw_bench_profile_print(sw_command_io *io, const sw_bench_profile *p,
                            const char *round, int threads, double peak) {
  double all = p->seconds * threads;
  fprintf(io->out, "  %-26s %-18s %8s %9s %7s %9s %8s %7s\n", "kernel", "with",
          "calls", "ms", "share", "GFLOP", "GFLOP/s", "peak");
  for (int i = 0; i < p->rows; i++)
    print_row(io, &p->row[i], p->rounds, all, peak / threads);
  fprintf(io->out, "  %-26s %-18s %8s %9.3f %6.1f%%\n", "outside the kernels",
          "", "", 1e3 * outside(p, threads), 100 * outside(p, threads) / all);
  fprintf(
      io->out,
      "  milliseconds of %d threads a %s; peak: of one thread, %.1f GFLOP/s\n",
      threads, round, peak / threads);
}

void sw_bench_profile_json(const sw_bench_profile *p, sw_json *json,
                           int threads, double peak) {
  double all = p->seconds * threads;
  sw_json_array(json, "profile");
  for (int i = 0; i < p->rows; i++) {
    char name[64];
    const nn_profile_row *r = &p->row[i];
    name_of(r, name, sizeof name);
    sw_json_object(json, NULL);
    sw_json_string(json, "kernel", name);
    sw_json_string(json, "with", r->with);
    sw_json_real(json, "calls", (double)r->calls / p->rounds);
    sw_json_real(json, "seconds", r->seconds / p->rounds);
    sw_json_real(json, "share", r->seconds / p->rounds / all);
    sw_json_real(json, "useful_gflop", 1e-9 * r->flops / p->rounds);
    sw_json_real(json, "elements", r->elements / p->rounds);
    sw_json_real(json, "ratio", 1e-9 * r->flops / r->seconds * threads / peak);
    sw_json_end(json);
  }
  sw_json_end(json);
  sw_json_real(json, "outside_kernels_share", outside(p, threads) / all);
}
