/* The search for a recipe (`train --tune`): the same small grid for every mask,
 * three rates times two curricula (prefix shown from the start, or later), each
 * a quarter of the cap, chosen by validation loss and never by a search. A run
 * that diverges is worse than all others. Where the validation loss cannot
 * choose (masks that leak, no validation traces, less history in training than
 * in validation) nothing is trained. The runs stay in OUTPUT/tune, their losses
 * in OUTPUT/tune.json; the winner then trains in OUTPUT. Interrupted at any
 * moment, the same call resumes. */
#ifndef SW_TRAIN_TUNE_H
#define SW_TRAIN_TUNE_H
#include "train/trainer.h"

enum {
  SW_TUNE_RATES = 3,
  SW_TUNE_CURRICULA = 2,
  SW_TUNE_RUNS = SW_TUNE_RATES * SW_TUNE_CURRICULA
};

typedef struct sw_tune_run {
  double lr, prefix_reveal;
  sw_train_result result;
} sw_tune_run;

/* Trains one run; the caller shows it in its own way. */
typedef int (*sw_tune_train)(void *context, const sw_train_options *options,
                             sw_train_result *result, sw_err *err);

/* Sets options->lr and options->prefix_reveal to the winner's. `runs` gets the
 * whole grid, rate by rate. */
int sw_tune(sw_train_options *options, sw_tune_train train, void *context,
            sw_tune_run runs[SW_TUNE_RUNS], sw_err *err);

#endif
