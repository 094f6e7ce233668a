/* Fuzz target: any bytes as what is left of a run: its card (is the run done?)
 * and its curve (cut at a checkpoint, and searched for weights kept on the
 * way). */
#include <stdio.h>
#include <sys/stat.h>
#include "domains/produce.h"
#include "fuzz.h"
#include "repro/job.h"
#include "train/checkpoint.h"
#include "train/run_card.h"
#include "train/trainer.h"

static char directory[64];
static const char *const files[] = {"data", "run.json", "metrics.jsonl"};

static const char *path_of(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static void clean_up(void) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    unlink(path_of(files[i]));
  rmdir(directory);
}

/* A directory in memory, with a data set for the options of the run. */
static void prepare(void) {
  struct stat memory;
  snprintf(directory, sizeof directory, "%s/statewise-fuzz-run-%d",
           stat("/dev/shm", &memory) ? "/tmp" : "/dev/shm", (int)getpid());
  mkdir(directory, 0700);
  atexit(clean_up);
  const sw_domain *sat = sw_domain_find("sat");
  sw_domain_options options;
  sw_produce_options produce = {.count = 4, .seed = 5};
  sw_produce_stats stats;
  sw_err err;
  sw_domain_defaults(sat, &options);
  options.n = 5;
  if (sat->resolve(&options, &err) ||
      sw_produce(sat, &options, &produce, path_of("data"), NULL, &stats, &err))
    abort();
}

static void put(const char *name, const uint8_t *bytes, size_t length) {
  FILE *out = fopen(path_of(name), "wb");
  if (!out || fwrite(bytes, 1, length, out) != length || fclose(out)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (!directory[0]) prepare();
  put("run.json", bytes, length);
  put("metrics.jsonl", bytes, length);
  char data[128];
  snprintf(data, sizeof data, "%s", path_of("data"));
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = data;
  o.output = directory;
  o.mask = "ssa";
  sw_train_result result = {0};
  (void)sw_run_card_done(&o, &result);
  sw_err err;
  sw_model_at_hand model = {0};
  snprintf(model.run, sizeof model.run, "%s", directory);
  const sw_repro_row row = {.id = "fuzz", .at = "step 5"};
  (void)sw_job_at(NULL, &row, &model, &err);
  if (sw_metrics_trim(directory, 5, &err)) abort();
  struct stat left;
  if (stat(path_of("metrics.jsonl"), &left) || left.st_size > (off_t)length)
    abort();
  return 0;
}
