/* An experiment as text: YAML with rows, columns, statistics, figures and
 * models (docs/experiments.md), read into the structs of experiment.h. Ours are
 * in experiments/ and inside the program; a user's own is read the same way.
 * Settings have the names and values of the option tables and are checked by
 * them; every error names file, line and column. */
#ifndef SW_REPRO_EXPERIMENT_FILE_H
#define SW_REPRO_EXPERIMENT_FILE_H
#include "base/arena.h"
#include "repro/experiment.h"
#include "train/preset.h"

typedef struct sw_experiment_file {
  sw_arena arena;            /* holds all of it */
  sw_experiment *experiment; /* NULL: models alone */
  sw_trained *model;         /* ends with id NULL */
  sw_mined *mined;           /* likewise */
  sw_preset *preset;         /* of models that name none; ends with name NULL */
} sw_experiment_file;

/* `name` is shown in errors; an experiment without `id` takes the file's. An
 * `experiment` is wanted, or models alone. */
int sw_experiment_file_read(sw_experiment_file *file, const char *name,
                            const char *bytes, size_t count, int experiment,
                            sw_err *err);
void sw_experiment_file_free(sw_experiment_file *file);

#endif
