/* Runs an experiment: whatever of its traces, models, searches and measures is
 * not yet in the output directory is made, then every cell is summed up.
 * Interrupted runs resume, because each part resumes by itself:
 *   OUT/data/NAME.safetensors   traces, shared by experiments
 *   OUT/models/NAME-SEED/       one training run, shared too, with the JSON of
 *                               what was measured of it
 *   OUT/results.db              every search
 *   OUT/ID/experiment.json      the cells (kept.h), table.md, table.tex
 * `flat` is the quickstart's layout: OUT/data.safetensors, OUT/ROW,
 * OUT/experiment.json. */
#ifndef SW_REPRO_RUNNER_H
#define SW_REPRO_RUNNER_H
#include "base/hooks.h"
#include "base/options.h"
#include "repro/experiments.h"
#include "search/outcome.h"
#include "train/trainer.h"

typedef struct sw_repro_options {
  const char *out;
  const char *command; /* that asked for it, for the record; NULL: unknown */
  sw_scale scale;
  sw_list rows;         /* ids of the rows wanted; none: all */
  sw_list settings;     /* "name=value": training options over every row's */
  sw_list measure;      /* "name=value": over those of every measure that has
                           such an option */
  const char *verifier; /* instead of every column's own, or NULL */
  int64_t seeds;        /* models per row; 0: the experiment's */
  int64_t seed;         /* of the first model; -1: the list's */
  int64_t test_seed;    /* of columns that name none */
  int64_t instances;    /* -1: the domain's test size */
  int64_t traces;       /* 0: the preset's */
  int trained;          /* 1: only models that are trained already; the cells of
                           others stay empty */
  int shard, shards;    /* only the shard-th of so many shares, from 1; shards
                           0: all */
  int threads, flat;
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

/* Where values and models come from: a run of the program. Results that are
 * kept may come from many. */
typedef struct sw_repro_origin {
  char command[1200];
  char over[900]; /* what was set over the experiment: sizes of a quick try */
  char program[40], kernels[24], machine[80], date[16];
  int64_t counting; /* version of what counters mean (search/condition.h); 0:
                       from before it was kept */
  double seconds;
} sw_repro_origin;

/* One model in one cell. */
typedef struct sw_repro_value {
  int64_t seed;        /* of the model; 0: a rule */
  double value;        /* NaN: undefined there */
  double low, high;    /* the measure's own interval, or NaN */
  sw_outcome *outcome; /* of a search, malloc'd; NULL: no search */
  int64_t outcomes;
  double *each; /* the figure for single instances, malloc'd, or NULL */
  int origin;   /* in the result's list */
} sw_repro_value;

/* Rules beside a search column. */
#define SW_REPRO_BESIDE(X)                                   \
  X(trivial, "trivial rule", "does nothing clever")          \
  X(floor, "floor", "the best rule that never goes back")    \
  X(rule, "exact rule",                                      \
    "reads the shown state exactly: the imitator's ceiling") \
  X(ceiling, "ceiling", "the best rule of the domain")
enum {
#define X(key, role, text) SW_REPRO_##key,
  SW_REPRO_BESIDE(X)
#undef X
      SW_REPRO_ROLES
};

typedef struct sw_repro_cell {
  const sw_repro_row *row;
  int column;
  const char *paper;     /* NULL: not in the paper */
  const char *needs;     /* what the program lacks; NULL: it was run */
  sw_repro_value *value; /* in order of seeds */
  int values;
  int64_t instances;
  double mean, sd;  /* over seeds; NaN: nothing was run */
  double low, high; /* 95 %, over seeds and instances; NaN: unknown */
  double beside[SW_REPRO_ROLES];
  sw_repro_value exact; /* the exact rule's searches */
} sw_repro_cell;

typedef struct sw_repro_model {
  const sw_repro_row *row;   /* the first that asks for it */
  const sw_trained *trained; /* its row of the matrix */
  int64_t seed;
  char run[300];           /* relative to OUT */
  char hash[24], data[24]; /* weights, traces */
  char ended[16];          /* how training ended, where the card says */
  double loss;             /* of validation; NaN: not known */
  char preset[24];         /* hash of the preset then, "": not kept */
  int origin;
} sw_repro_model;

typedef struct sw_repro_statistic_value {
  const sw_repro_statistic *statistic;
  double value, low, high, p;
  int pairs;
  int by_seeds;  /* 1: meant over instances, but some values have none: t over
                    the seeds in common */
  int over_both; /* 1: over instances and the seeds in common */
} sw_repro_statistic_value;

typedef struct sw_repro_result {
  const sw_experiment *experiment;
  sw_scale scale;
  sw_repro_cell *cell; /* row by row */
  int cells;
  sw_repro_model *model;
  int32_t models, model_room;
  sw_repro_statistic_value *statistic;
  int statistics;
  char policy[SW_REPRO_ROLES][120]; /* names of the rules, "" where there is
                                       none */
  sw_repro_origin *origin;          /* the first is this run */
  int32_t origins, origin_room;
  int older; /* 1: some of it is of models with another recipe than today's */
} sw_repro_result;

/* 0 or an error code; on error *result holds nothing. */
int sw_repro_run(const sw_experiment *experiment,
                 const sw_repro_options *options, const sw_repro_hooks *hooks,
                 sw_repro_result *result, sw_err *err);
void sw_repro_free(sw_repro_result *result);
/* The cell of a row and a column, or NULL. */
const sw_repro_cell *sw_repro_cell_of(const sw_repro_result *result,
                                      const char *row, int column);

/* cells.c: columns that follow from others, then means, intervals and
 * statistics of what was found; again after values were added. */
int sw_repro_sum_up(sw_repro_result *result, sw_err *err);

/* The rules beside the columns of every row that was run, by name. */
void sw_repro_name_rules(sw_repro_result *result);
/* The rule of a role beside a row, or NULL: there is none, or the experiment
 * wants none; and the settings under which it plays over the row's, or NULL. */
const char *sw_repro_rule_beside(const sw_repro_result *result,
                                 const sw_repro_row *row, int role);
const char *sw_repro_beside_more(int role);
/* The first seed under which a row's values stand; 0: it has a single value. */
int64_t sw_row_first_seed(const sw_repro_row *row);

/* origin.c: makes this run the first origin of the result, drops origins that
 * no value uses, and sorts the others, so that the list does not depend on the
 * order of the runs. */
int sw_origin_begin(sw_repro_result *result, const sw_repro_options *options,
                    sw_err *err);
int sw_origin_tidy(sw_repro_result *result, sw_err *err);
/* Sizes and settings over the experiment's, in a fixed order: the member `over`
 * of an origin. */
void sw_origin_over(const sw_repro_options *options, char *text, size_t room);

#endif
