/* Runs an experiment: whatever of its traces, models and searches is not yet in
 * the output directory is made, then every cell is summed up. Interrupted runs
 * go on where they were, because each part resumes by itself:
 *   OUT/data/PRESET.safetensors   traces, shared by experiments
 *   OUT/ID/ROW-SEED/              one training run
 *   OUT/results.db                every search */
#ifndef SW_REPRO_RUNNER_H
#define SW_REPRO_RUNNER_H
#include "base/hooks.h"
#include "repro/experiment.h"
#include "search/score.h"
#include "train/trainer.h"

enum { SW_REPRO_SEEDS = 100 };

typedef struct sw_repro_options {
  const char *out;
  sw_list rows;      /* ids of the rows wanted; none: all */
  sw_list settings;  /* "name=value": training options over every row's */
  int64_t seeds;     /* models a row: seeds 42, 43, ... */
  int64_t instances; /* -1: the domain's test size */
  int64_t traces;    /* 0: the preset's */
  int threads;
  const char *verifier; /* over every column's; NULL: theirs */
} sw_repro_options;

typedef struct sw_repro_hooks {
  void *context;
  /* Before a stage of unknown or known length, and after it. */
  void (*begin)(void *context, const char *what);
  void (*end)(void *context);
  sw_progress_fn progress;
  /* Trains, showing it in the caller's way; returns sw_train's code. */
  int (*train)(void *context, const sw_train_options *options, sw_err *err);
  sw_stop_fn stop;
} sw_repro_hooks;

/* Shares, not percent. */
typedef struct sw_repro_cell {
  const sw_repro_row *row;
  const sw_repro_column *column;
  const char *paper; /* NULL: not in the paper */
  int64_t seeds, instances;
  double mean, sd;  /* over seeds */
  double low, high; /* 95 % of the mean, over the instances */
  double policy;    /* the experiment's policy in this column */
} sw_repro_cell;

typedef struct sw_repro_result {
  sw_repro_cell *cell; /* malloc'd, row by row */
  int cells;
} sw_repro_result;

/* 0 or an error code; on error *result holds nothing. */
int sw_repro_run(const sw_experiment *experiment,
                 const sw_repro_options *options, const sw_repro_hooks *hooks,
                 sw_repro_result *result, sw_err *err);
void sw_repro_free(sw_repro_result *result);

#endif
