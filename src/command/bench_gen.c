/* `statewise bench gen`: traces a second on one core, written to disk. The
 * setting is fixed so that figures compare: SAT, n 50, ratio 4.0, enriched,
 * error .15, no cap, the release's streams. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "command/command.h"
#include "domains/produce.h"
#include "train/preset.h"

#define BENCH_GEN_OPTIONS(X)                                             \
  X(count, LONG, "count", "3000", 1, 1e7, "", "traces to write")         \
  X(repeat, INT, "repeat", "3", 1, 100, "", "runs; the best one counts") \
  X(output, TEXT, "out", "", 0, 0, "output",                             \
    "file to write; default: a temporary one, removed")                  \
  X(json, FLAG, "json", "0", 0, 1, "",                                   \
    "print one JSON object on standard output")

typedef struct bench_gen_options {
  BENCH_GEN_OPTIONS(SW_OPTION_FIELD)
} bench_gen_options;

static const sw_option option_table[] = {
#define X(...) SW_OPTION_ROW(bench_gen_options, __VA_ARGS__)
    BENCH_GEN_OPTIONS(X)
#undef X
};

static int measure(const char *path, int64_t count, sw_produce_stats *stats,
                   sw_err *err) {
  const sw_domain *domain = sw_domain_find("sat");
  sw_domain_options o;
  static const char *const settings[] = {
      "preset",   "release", "n",    "50",         "ratio", "4", "format",
      "enriched", "error",   "0.15", "max-tokens", "0",     NULL};
  sw_domain_defaults(domain, &o);
  SW_TRY(sw_apply_settings(domain->options, domain->option_count, settings,
                           NULL, &o, err));
  SW_TRY(domain->resolve(&o, err));
  sw_produce_options produce = {.count = count, .seed = 42, .threads = 1};
  return sw_produce(domain, &o, &produce, path, NULL, stats, err);
}

static int measure_best(const bench_gen_options *o, const char *path,
                        sw_produce_stats *best, sw_err *err) {
  for (int i = 0; i < o->repeat; i++) {
    sw_produce_stats stats;
    SW_TRY(measure(path, o->count, &stats, err));
    if (i == 0 || stats.seconds < best->seconds) *best = stats;
  }
  return SW_OK;
}

static void print_result(sw_command_io *io, const bench_gen_options *o,
                         const sw_produce_stats *s) {
  double traces = (double)s->kept / s->seconds;
  double tokens = (double)s->tokens / s->seconds;
  if (!o->json) {
    fprintf(io->out,
            "%.0f traces/s, %.1f million tokens/s (%lld traces, %.2f s, one "
            "core, written)\n",
            traces, tokens / 1e6, (long long)s->kept, s->seconds);
    return;
  }
  sw_json json;
  sw_json_to_file(&json, io->out);
  sw_json_object(&json, NULL);
  sw_json_real(&json, "traces_per_s", traces);
  sw_json_real(&json, "tokens_per_s", tokens);
  sw_json_int(&json, "traces", s->kept);
  sw_json_int(&json, "tokens", s->tokens);
  sw_json_real(&json, "seconds", s->seconds);
  sw_json_string(&json, "hash", s->hash);
  sw_json_end(&json);
}

static int run_bench_gen(const sw_command *self, sw_command_io *io, int argc,
                         char **argv, sw_err *err) {
  bench_gen_options o;
  sw_produce_stats best = {0};
  char path[1024];
  SW_TRY(sw_command_parse(self, argc, argv, &o, NULL, NULL, err));
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/statewise-bench-%ld.safetensors",
           folder ? folder : "/tmp", (long)getpid());
  if (o.output) snprintf(path, sizeof path, "%s", o.output);
  int code = measure_best(&o, path, &best, err);
  if (!o.output) unlink(path);
  SW_TRY(code);
  print_result(io, &o, &best);
  return 0;
}

const sw_command sw_command_bench_gen = {
    .name = "bench gen",
    .usage = "[--json]",
    .summary = "Measure trace generation on one core",
    .details =
        "SAT, n 50, ratio 4.0, enriched, error .15, no cap: drawn,\n"
        "solved, serialized, hashed and written.",
    .options = option_table,
    .option_count = sizeof option_table / sizeof option_table[0],
    .run = run_bench_gen,
};
