/* Representation probe (docs/probes.md): hidden states at the query of one
 * state after different histories (cosine, largest difference), and what a
 * linear classifier reads from them: conflict or not, on instances it has not
 * seen. */
#ifndef SW_PROBE_REPRESENTATION_H
#define SW_PROBE_REPRESENTATION_H
#include "base/hooks.h"
#include "search/ask.h"
#include "probe/logistic.h"
#include "probe/states.h"

typedef struct sw_representation_result {
  int64_t pairs, states, samples, skipped;
  double cosine, lowest_cosine; /* mean and lowest over pairs */
  double mean_gap, largest_gap; /* of max |h_A - h_B| */
  double exact_equal_rate;
  sw_linear_score linear; /* conflict states against viable ones */
} sw_representation_result;
/* At most `most` states; the mask must not leak. */
int sw_representation(const sw_states *states, sw_asker *asker, int32_t width,
                      int64_t most, uint64_t seed, sw_progress_fn progress,
                      void *context, sw_representation_result *out,
                      sw_err *err);

#endif
