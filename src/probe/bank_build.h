/* The two constructions of a state bank.
 *   release  the published one, exactly (src/release): SAT rollouts with random
 * polarity, states keyed by text, histories that may be identical fair     the
 * repaired one, for any domain: on-distribution rollouts through the domain
 * interface, at least two token-distinct histories each, equal size
 * distributions in both classes, no label in the last token, conflicts told by
 * the environment */
#ifndef SW_PROBE_BANK_BUILD_H
#define SW_PROBE_BANK_BUILD_H
#include "base/err.h"
#include "domains/domain.h"
#include "probe/bank.h"
#include "probe/states.h"
#include "release/rollouts.h"

int sw_bank_build_release(sw_bank *bank, const sw_release_options *options,
                          sw_err *err);

typedef struct sw_bank_fair_options {
  const sw_domain *domain;
  sw_domain_options domain_options; /* resolved by the builder */
  uint64_t seed;
  int64_t viable, conflicts; /* states wanted of each class; viable is a
                                multiple of conflicts */
  int64_t max_instances;     /* give up after that many */
  int64_t rollouts;          /* per instance */
  int max_histories;
  double error;       /* probability of a random legal choice */
  int64_t max_blocks; /* of a rollout */
} sw_bank_fair_options;
/* SW_LIMIT when max_instances do not yield the wanted states (the bank then
 * holds what was found). */
int sw_bank_build_fair(sw_bank *bank, const sw_bank_fair_options *options,
                       sw_err *err);

/* The states of recorded searches that occur after two histories; 0 instances:
 * all. */
int sw_bank_build_data(sw_bank *bank, const sw_probe_data *data,
                       int max_histories, int64_t instances, sw_err *err);

#endif
