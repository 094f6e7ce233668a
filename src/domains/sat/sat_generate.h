/* Instance streams of SAT (sw_domain.stream_*). */
#ifndef SW_DOMAINS_SAT_GENERATE_H
#define SW_DOMAINS_SAT_GENERATE_H
#include "domains/domain.h"

/* name, default ratio, planted, keep (10: satisfiable, 20: unsatisfiable,
 * 0: all); of mixed sizes: the smallest, else 0, and the range of ratios */
#define SW_SAT_FAMILIES(X)              \
  X("planted", 4.0, 1, 0, 0, 0, 0)      \
  X("random", 4.26, 0, 0, 0, 0, 0)      \
  X("phase", 4.26, 0, 10, 0, 0, 0)      \
  X("unsat", 5.0, 0, 20, 0, 0, 0)       \
  X("mixture", 4.0, 1, 0, 20, 3.5, 4.5) \
  X("small", 4.0, 1, 0, 6, 3.0, 5.0)

typedef struct sw_sat_family {
  const char *name;
  double ratio;
  int planted, keep, smallest;
  double lowest, highest;
} sw_sat_family;
const sw_sat_family *sw_sat_family_find(const char *name); /* NULL: unknown */

int sw_sat_stream_new(sw_stream **stream, const sw_domain_options *options,
                      uint64_t seed, sw_split split, sw_err *err);
int sw_sat_stream_next(sw_stream *stream, sw_instance **instance, sw_err *err);
void sw_sat_stream_free(sw_stream *stream);
int sw_sat_stream_skip(sw_stream *stream, sw_err *err);

#endif
