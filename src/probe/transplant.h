/* History transplant (docs/probes.md): the same canonical state after really
 * different histories, in any domain. Two versions:
 *   verification  the distribution over going back and everything offered at
 *                 the state's query
 *   policy        the joint distribution over complete legal actions (viable
 *                 states only), through every query an action takes
 * Bits are compared on full-vocabulary logits at every query. */
#ifndef SW_PROBE_TRANSPLANT_H
#define SW_PROBE_TRANSPLANT_H
#include "base/hooks.h"
#include "base/json.h"
#include "search/ask.h"
#include "probe/metrics.h"
#include "probe/states.h"

enum { SW_TRANSPLANT_DEPTHS = 12 }; /* the last row collects the deeper ones */

typedef struct sw_transplant_options {
  int64_t states; /* at most that many, most histories first */
  int policy;     /* 0: verification only */
  int64_t resamples;
  uint64_t seed;
} sw_transplant_options;

/* Agreement of one version over its pairs. */
typedef struct sw_agreement {
  int64_t pairs, states;
  double argmax, symmetric_kl, cosine, kl_sd; /* means; population sd of KL */
  sw_interval argmax_interval;                /* clustered by instance */
  sw_interval entanglement;
} sw_agreement;

typedef struct sw_transplant_depth {
  int64_t pairs;
  double argmax, symmetric_kl, exact;
} sw_transplant_depth;

typedef struct sw_transplant_result {
  int64_t pairs, states, instances, skipped; /* skipped: did not fit */
  int64_t conflict_states, candidates, identical;
  int64_t queries;         /* compared, over all pairs */
  double exact_equal_rate; /* pairs with identical bits at every query */
  double exact_query_rate; /* queries with identical bits */
  int64_t path_mismatches; /* states where full and cached paths differ */
  double mean_history_gap; /* tokens, |difference| of the histories */
  double largest_logit_gap;
  sw_agreement verification, policy;
  sw_transplant_depth depth[SW_TRANSPLANT_DEPTHS + 1]; /* verification */
} sw_transplant_result;

/* `full` answers the state's query by one pass over the whole dialogue;
 * `cached` (NULL when policy is 0) answers the queries inside an action. */
int sw_transplant(const sw_states *states, const sw_domain_options *domain,
                  sw_asker *full, sw_asker *cached, int leaky,
                  const sw_transplant_options *options, sw_progress_fn progress,
                  void *context, sw_transplant_result *out, sw_err *err);

#endif
