/* The action tokens of the published contrastive objective: its loss counts
 * these targets and no others. Called by src/train. */
#ifndef SW_RELEASE_ACTIONS_H
#define SW_RELEASE_ACTIONS_H
#include "base/err.h"
#include "domains/domain.h"

typedef int (*sw_token_set)(int32_t token); /* 1: in the set */
/* SW_USAGE with a hint where nothing was published for the domain. */
int sw_release_actions(const char *domain, sw_token_set *actions, sw_err *err);

#endif
