/* Cases from searches of a domain, compiled in or another program's
 * (--domain exec:): states that several searches reached in different ways,
 * told in words (search/words.h). Every list of choices, those of the history
 * too, stands in two orders, so that going back is not always number 1. Going
 * back is right at a contradiction and, where the domain can tell, at every
 * state that has no solution; elsewhere everything but going back is. */
#ifndef SW_AUDIT_SEARCHES_H
#define SW_AUDIT_SEARCHES_H
#include "audit/cases.h"
#include "domains/domain.h"

typedef struct sw_searches_options {
  const sw_domain *domain;
  const sw_domain_options *task; /* resolved */
  int64_t states;                /* at most */
  uint64_t seed;
  int dose; /* 1: every number of past go-backs is a history of its own, with
               that count; 0: two histories of most equal length */
} sw_searches_options;

/* `back`: what going back is called. SW_DATA: no state was reached in two
 * ways. */
int sw_audit_searches(sw_audit_cases *cases, const sw_searches_options *options,
                      char back[SW_PHRASE_ROOM], sw_err *err);

#endif
