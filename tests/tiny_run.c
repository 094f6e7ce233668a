/* Tiny data sets and models for tests (see tiny_run.h). */
#include "tiny_run.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "domains/produce.h"
#include "train/trainer.h"

static int make_data(const char *name, const char *path, int n, int traces,
                     sw_err *err) {
  if (sw_path_exists(path)) return SW_OK;
  const sw_domain *domain = sw_domain_find(name);
  sw_domain_options options;
  sw_domain_defaults(domain, &options);
  options.n = n;
  SW_TRY(domain->resolve(&options, err));
  sw_produce_options produce = {.count = traces, .seed = 5};
  sw_produce_stats stats;
  return sw_produce(domain, &options, &produce, path, NULL, &stats, err);
}

int tiny_data_make(const char *path, int n, int traces, sw_err *err) {
  return make_data("sat", path, n, traces, err);
}

int tiny_run_make(const tiny_run *run, sw_err *err) {
  SW_TRY(make_data(run->domain ? run->domain : "sat", run->data, run->n,
                   run->traces, err));
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = run->data;
  o.output = run->directory;
  o.mask = run->mask;
  o.label = run->label ? run->label : run->mask;
  o.d = run->d;
  o.layers = 2;
  o.heads = 2;
  o.slots = 2;
  o.batch = 4;
  o.steps = run->steps;
  o.lr = 3e-3;
  o.dropout = 0;
  o.valid_limit = 4;
  o.verify = run->verify;
  sw_train_hooks hooks;
  sw_train_result result;
  memset(&hooks, 0, sizeof hooks);
  return sw_train(&o, &hooks, &result, err);
}

char *tiny_run_directory(void) {
  const char *base = getenv("TMPDIR");
  char path[1024];
  /* in memory where that is possible: the disk is not what is tested */
  if (!base) base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
  snprintf(path, sizeof path, "%s/statewise-test-XXXXXX", base);
  return mkdtemp(path) ? strdup(path) : NULL;
}

static int drop(const char *path, const struct stat *status, int type,
                struct FTW *walk) {
  (void)status;
  (void)type;
  (void)walk;
  return remove(path);
}

void tiny_run_remove(char *directory) {
  if (directory) nftw(directory, drop, 16, FTW_DEPTH | FTW_PHYS);
  free(directory);
}
