/* The experiments and models that there are: those inside the program, read
 * from experiments/ once, and one file of a user's at a time. */
#ifndef SW_REPRO_EXPERIMENTS_H
#define SW_REPRO_EXPERIMENTS_H
#include "repro/experiment_file.h"

/* Reads ours, unless they are: to have errors told. */
int sw_experiments_load(sw_err *err);
/* Ours, in the order of the list; NULL-terminated. Without memory for them the
 * lists are empty, and the next call tries again. */
const sw_experiment *const *sw_experiments(void);
int sw_experiment_count(void);
const sw_experiment *sw_quickstart_experiment(void); /* in no list; or NULL */
const sw_trained *sw_matrix(void);                   /* ends with id NULL */
const sw_mined *sw_mined_models(void);               /* likewise */

/* By id or alias; the user's first. NULL: unknown. */
const sw_experiment *sw_experiment_find(const char *id);
const sw_trained *sw_trained_find(const char *id);
const sw_mined *sw_mined_find(const char *id); /* NULL: as others */

/* From now on a user's file counts too (NULL: no longer): its experiment, its
 * models and their presets. Nothing may run meanwhile. */
void sw_experiments_use(const sw_experiment_file *file);
const sw_experiment_file *sw_experiments_used(void); /* or NULL */

/* The text of one of ours as it stands in experiments/ID.yaml, or NULL. */
const char *sw_experiment_text(const char *id, size_t *bytes);

#endif
