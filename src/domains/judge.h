/* Judging a written trace: it is replayed, and the environment says of every
 * block whether its state is dead. Called by produce.c. */
#ifndef SW_DOMAINS_JUDGE_H
#define SW_DOMAINS_JUDGE_H
#include "domains/domain.h"

/* Marks every decision block of the trace as viable or dead. `rules`: those by
 * which it was written (replay.h). SW_USAGE: the domain cannot tell
 * (sw_search_ops.truth.doomed); SW_DATA: the trace is not one of the
 * instance's. */
int sw_judge_trace(const sw_domain *domain, const sw_domain_options *options,
                   const sw_rules *rules, const sw_instance *instance,
                   sw_trace *trace, sw_err *err);

#endif
