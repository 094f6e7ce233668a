/* Summing up an experiment's cells (cells.c) and the statistics between them
 * (cell_tests.c): what the two share. */
#ifndef SW_REPRO_CELLS_H
#define SW_REPRO_CELLS_H
#include "repro/runner.h"

enum { SW_CELL_RESAMPLES = 2000, SW_CELL_SEED = 42 };

/* Half of the 95 % interval of a mean over model seeds and over instances that
 * all of them share: Student's over the seeds (few: resampling two or three
 * of them would reach from the least to the most and no further) and the normal
 * law's over the instances, as independent errors. `instance` (the figure of
 * each instance, on average over the seeds) may be NULL; one seed has no
 * spread. */
double sw_half_of_95(const double *seed, int seeds, const double *instance,
                     int64_t instances);

/* Do all values have the figure of single instances, equally many? */
int sw_cell_has_each(const sw_repro_cell *c);
/* The value of a seed; of a row without models, which is one for all seeds, its
 * only one; or NULL. */
const sw_repro_value *sw_cell_at(const sw_repro_cell *c, int64_t seed);

/* Fills in value, interval, p and pairs of a statistic. */
int sw_cell_statistic(const sw_repro_result *r, sw_repro_statistic_value *v,
                      sw_err *err);

#endif
