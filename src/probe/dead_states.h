/* How well a verify head tells dead states from viable ones, and how well
 * scores do that need no model (their size, their depth, what the policy itself
 * thinks of going back). On the states of the model's own searches, and on
 * those of a bank. The ground truth is the domain's
 * (sw_search_ops.truth.doomed). */
#ifndef SW_PROBE_DEAD_STATES_H
#define SW_PROBE_DEAD_STATES_H
#include "base/hooks.h"
#include "probe/bank.h"
#include "probe/metrics.h"
#include "search/condition.h"

enum {
  SW_DEAD_SCORES = 9, /* the head's first, then those without it */
  SW_DEAD_THRESHOLDS = 10
};
/* Which states count: all, or those that show no conflict, where only looking
 * ahead helps. */
typedef enum { SW_DEAD_ALL, SW_DEAD_UNEXPOSED, SW_DEAD_PARTS } sw_dead_part;

typedef struct sw_dead_row {
  sw_verdicts verdicts; /* rates and calibration: of the head only */
  sw_interval auroc;    /* clustered by instance */
} sw_dead_row;

typedef struct sw_dead_threshold {
  double tau, false_prune_rate, recall; /* score > tau */
  int64_t flagged;
} sw_dead_threshold;

typedef struct sw_dead_result {
  int64_t states, dead, exposed, instances;
  const char *score[SW_DEAD_SCORES]; /* names; NULL: no more */
  sw_dead_row row[SW_DEAD_PARTS][SW_DEAD_SCORES];
  sw_dead_threshold sweep[SW_DEAD_THRESHOLDS]; /* the head, unexposed */
  sw_reliability_bin curve[SW_ECE_BINS];       /* the head, all */
  int bins;
} sw_dead_result;

/* Plays every instance of the condition and looks at every state. The guide
 * must have a verify head, and the verifier must need scores. `judge` gives the
 * probability that a state is dead (NULL: the guide's verify head does). */
struct sw_viability_judge;
int sw_dead_rollouts(const sw_condition *condition,
                     struct sw_viability_judge *judge, int64_t resamples,
                     sw_progress_fn progress, void *context,
                     sw_dead_result *out, sw_err *err);
/* Every state of the bank under its first history: the head is shown problem
 * and state. SW_USAGE: the domain cannot be asked about the bank's states. */
struct sw_asker;
int sw_dead_bank(const sw_bank *bank, struct sw_asker *asker,
                 struct sw_viability_judge *judge, const sw_domain *domain,
                 const sw_domain_options *options, int64_t resamples,
                 uint64_t seed, sw_progress_fn progress, void *context,
                 sw_dead_result *out, sw_err *err);

#endif
