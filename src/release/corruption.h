/* The published corruption experiment of SAT: a search that asks, after every
 * decision, an oracle that errs at given rates, and goes back when it says
 * "dead". Kept as published, because its numbers must come out exactly: the
 * VSIDS-like policy, one noise stream through all instances, a draw only where
 * a rate is positive, the question also put when the formula is already
 * satisfied. The experiments of `repro` use the closed loop with `noise`
 * instead. Called by its tests. */
#ifndef SW_RELEASE_CORRUPTION_H
#define SW_RELEASE_CORRUPTION_H
#include <stdint.h>
#include "base/err.h"
#include "base/rng.h"
#include "domains/domain.h"

typedef struct sw_corruption_options {
  double viable_to_dead, dead_to_viable;
  int64_t max_iterations, max_backtracks; /* published: 1000 and 500 */
} sw_corruption_options;

/* One instance. */
typedef struct sw_corruption_run {
  int solved;
  int64_t backtracks, assignments;
} sw_corruption_run;

/* Sums over instances. */
typedef struct sw_corruption_sums {
  int64_t instances, solved, backtracks, proactive, checks;
  int64_t viable, wrong_dead; /* questions about viable states; of them wrong */
  int64_t dead, right_dead;   /* about dead ones; of them seen */
} sw_corruption_sums;

/* Plays one formula with draws of `noise`; adds to *sums. */
int sw_corruption_play(const sw_instance *formula,
                       const sw_corruption_options *options, sw_mt *noise,
                       sw_corruption_run *run, sw_corruption_sums *sums,
                       sw_err *err);
/* Shares with the published denominators (at least 1). */
double sw_corruption_alpha(const sw_corruption_sums *sums);
double sw_corruption_precision(const sw_corruption_sums *sums);
double sw_corruption_recall(const sw_corruption_sums *sums);
double sw_corruption_backs_per_solve(const sw_corruption_sums *sums);

#endif
