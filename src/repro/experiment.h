/* The paper's experiments as data. An experiment is a preset (traces and
 * training options), rows (what is trained, as settings over the preset's) and
 * columns (how each model searches); the paper's figure of a cell stands beside
 * it. `statewise repro ID` trains and plays what is missing and prints one line
 * a cell: paper, ours, interval, and what a policy without a model does there.
 * A new experiment is a row of the table in experiments.c. */
#ifndef SW_REPRO_EXPERIMENT_H
#define SW_REPRO_EXPERIMENT_H

enum { SW_REPRO_COLUMNS = 4 };

typedef struct sw_repro_column {
  const char *title;
  const char *const
      *loop; /* name, value, ..., NULL: loop options (search/loop.h) */
} sw_repro_column;

typedef struct sw_repro_row {
  const char *id; /* of --row, and of the run directory */
  const char *label;
  const char *const *train; /* name, value, ..., NULL, over the preset's */
  const char *paper[SW_REPRO_COLUMNS]; /* "93.4 ± 2.3" %; NULL: not there */
} sw_repro_row;

typedef struct sw_experiment {
  const char *id;
  const char *place; /* in the paper */
  const char *title;
  const char *note;        /* how the paper's set-up differs from ours */
  const char *preset;      /* train/preset.h */
  const char *const *test; /* domain options of the test instances where they
                              are not the preset's; NULL: they are */
  const char *policy;      /* without a model, played in every column */
  const sw_repro_column *column; /* ends with a NULL title */
  const sw_repro_row *row;       /* ends with a NULL id */
} sw_experiment;

extern const sw_experiment sw_experiments[];
extern const int sw_experiment_count;
const sw_experiment *sw_experiment_find(const char *id); /* NULL: unknown */

#endif
