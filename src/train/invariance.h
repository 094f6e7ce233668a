/* Training steps under the contrastive invariance objective (contrastive.h):
 * the pairs of a step, their masks and positions, and one call per step. Used
 * by the trainer when --contrastive is above 0. A step is a function of (data,
 * options, seed, step), like the ordinary one. */
#ifndef SW_TRAIN_INVARIANCE_H
#define SW_TRAIN_INVARIANCE_H
#include "train/feed.h"
#include "train/spread.h"

typedef struct sw_invariance sw_invariance;
int sw_invariance_new(sw_invariance **invariance, const sw_train_plan *plan,
                      sw_feed *feed, sw_err *err);
void sw_invariance_free(sw_invariance *invariance);

typedef struct sw_invariance_report {
  double loss, accuracy, flops; /* objective; argmax hits of the source */
  int64_t targets, tokens;
} sw_invariance_report;
/* Adds the gradient of this rank's pairs, for sw_spread_step to sum up; the
 * report is of the whole step. No target at all: nothing is added (the schedule
 * still advances). */
int sw_invariance_step(sw_invariance *invariance, sw_work *work,
                       sw_spread *spread, int64_t step, float *gradient,
                       sw_invariance_report *report, sw_err *err);

#endif
