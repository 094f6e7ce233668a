/* Padding control (docs/probes.md): does what stands between the prefix and the
 * current block change the choice? Early states of held-out searches, asked
 * once with nothing in between (or with their own history) and once with
 * complete decision blocks of unrelated searches in between. */
#ifndef SW_PROBE_PADDING_H
#define SW_PROBE_PADDING_H
#include "base/hooks.h"
#include "search/ask.h"
#include "probe/states.h"

typedef struct sw_padding_options {
  int64_t trials;
  int64_t blocks;  /* foreign blocks inserted (3) */
  int64_t latest;  /* states up to this block number (8) */
  int own_history; /* baseline: 0 prefix and block, 1 own history */
  uint64_t seed;
} sw_padding_options;

typedef struct sw_padding_result {
  int64_t trials, skipped;     /* skipped: did not fit the position table */
  double agreement;            /* same best continuation */
  double verdict_agreement;    /* same best answer, going back included */
  double symmetric_kl, cosine; /* over continuations; of the logits */
  double exact_equal_rate;     /* full-vocabulary logits bit-identical */
  double largest_logit_gap;
} sw_padding_result;
int sw_padding(const sw_states *states, const sw_domain_options *domain,
               sw_asker *asker, const sw_padding_options *options,
               sw_progress_fn progress, void *context, sw_padding_result *out,
               sw_err *err);

#endif
