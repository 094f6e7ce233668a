/* Policies of the caller's (include/statewise.h: statewise_policy) as guides.
 * They are known by name in the whole process; a guide of one is opened by
 * sw_guide_named. Any thread may call these. */
#ifndef SW_SEARCH_GUIDE_GIVEN_H
#define SW_SEARCH_GUIDE_GIVEN_H
#include "search/guide.h"
#include "statewise.h"

int sw_given_add(const statewise_policy *policy, sw_err *err);
/* Guides that are open keep what they need of it, but not its context. */
void sw_given_remove(const char *name);
int sw_given_known(const char *name);
/* SW_USAGE: it is not known (any more). */
int sw_guide_given(sw_guide **guide, const sw_domain *domain, const char *name,
                   sw_err *err);

#endif
