/* Judging a written trace. An environment is brought to the state of every
 * block by the tokens of the trace itself. So whatever can be asked of an
 * environment (is the state dead?) can be asked about a trace. Called by
 * produce.c and by code that needs more of a state than its tokens. */
#ifndef SW_DOMAINS_JUDGE_H
#define SW_DOMAINS_JUDGE_H
#include "domains/domain.h"

/* The environment stands at the first query of decision block `block`, behind
 * its scratchpad if the format has one; token `at` of the trace answers it. */
typedef int (*sw_retrace_fn)(void *context, sw_env *env, int64_t block,
                             int64_t at, sw_err *err);
/* Visits the decision blocks in order. `env` has the rules by which the trace
 * was written (sw_retrace_env): those of the expert, or of a search. SW_DATA:
 * the trace is not one of the instance's. */
extern const sw_rules sw_rules_of_expert;
int sw_retrace(const sw_domain *domain, sw_env *env,
               const sw_instance *instance, const sw_trace *trace,
               sw_retrace_fn visit, void *context, sw_err *err);
int sw_retrace_env(sw_env **env, const sw_domain *domain,
                   const sw_domain_options *options, const sw_rules *rules,
                   sw_err *err);

/* Marks every decision block of the trace as viable or dead. SW_USAGE: the
 * domain cannot tell (sw_search_ops.truth.doomed). */
int sw_judge_trace(const sw_domain *domain, const sw_domain_options *options,
                   const sw_rules *rules, const sw_instance *instance,
                   sw_trace *trace, sw_err *err);

#endif
