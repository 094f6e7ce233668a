/* What several domains do alike: resolving a text option, the seeds of the
 * three streams, and leaving training instances out of a test stream. */
#ifndef SW_DOMAINS_RESOLVE_H
#define SW_DOMAINS_RESOLVE_H
#include "domains/domain.h"
#include "base/hashset.h"

/* A data set or a test stream gives up after so many instances in a row without
 * a kept trace, with the reason of the last. */
enum { SW_DROPPED_MAX = 10000 };

/* *value becomes one of `known` (NULL-terminated), `fallback` when it is
 * empty; SW_USAGE with the known names as a hint otherwise. */
int sw_resolve_text(const char **value, const char *domain, const char *option,
                    const char *const *known, const char *fallback,
                    sw_err *err);
/* Is the trace longer than the options allow? */
int sw_trace_too_long(const sw_domain_options *options, const sw_trace *trace);
/* Preset fair: seed, seed + 2^33 (validation), seed + 2^32 (test); release:
 * always the seed. */
uint64_t sw_stream_seed(const sw_domain_options *options, uint64_t seed,
                        sw_split split);
/* Adds the instances of the first options->exclude traces that training with
 * these options keeps, of the stream's own seed and of options->exclude_seed
 * (what a model was trained on, when it is asked about another seed), written
 * by the expert without errors; and those of options->exclude_drawn. */
int sw_leave_out_training(const sw_domain *domain,
                          const sw_domain_options *options, uint64_t seed,
                          sw_hashset *left_out, sw_err *err);

#endif
