/* The two constructions of a state bank.
 *   release  the published one, exactly: SAT rollouts with random polarity,
 *            states keyed by text, histories that may be identical
 *   fair     the repaired one, for any domain: on-distribution rollouts through
 *            the domain interface, at least two token-distinct histories each,
 *            equal size distributions in both classes, no label in the last
 *            token, conflicts told by the environment */
#ifndef SW_PROBE_BANK_BUILD_H
#define SW_PROBE_BANK_BUILD_H
#include "base/err.h"
#include "domains/domain.h"
#include "probe/bank.h"

typedef struct sw_bank_release_options {
  int64_t instances, traces; /* 200 and 4 in the paper's bank */
  int n;
  double ratio;
  uint64_t seed;
  int64_t max_tokens;               /* 4096 */
  int by_activity;                  /* 0: variables in index order */
  int min_histories, max_histories; /* 2 and 4 */
} sw_bank_release_options;
#define SW_BANK_RELEASE_DEFAULTS \
  { 200, 4, 50, 4.0, 42, 4096, 0, 2, 4 }
int sw_bank_build_release(sw_bank *bank, const sw_bank_release_options *options,
                          sw_err *err);

typedef struct sw_bank_fair_options {
  const sw_domain *domain;
  sw_domain_options domain_options; /* resolved by the builder */
  uint64_t seed;
  int64_t viable, conflicts; /* states wanted of each class */
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

#endif
