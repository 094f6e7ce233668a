/* What only Blocks World understands among the options of a task
 * (task_options.h). */
#ifndef SW_DOMAINS_BLOCKS_OPTIONS_H
#define SW_DOMAINS_BLOCKS_OPTIONS_H
#include "domains/task_options.h"

/* clang-format off */
#define SW_BLOCKS_OPTIONS(X)                                                   \
  X(stacks, INT, "stacks", "-1", -1, 10, "", "table positions")                \
  X(error, REAL, "error", "-1", -1, 1, "", "probability of an injected expert error") \
  X(tried, TEXT, "tried", "", 0, 0, "", "how tried moves are shown: shared executed")
/* clang-format on */
SW_OWN_OPTIONS(sw_blocks_options, SW_BLOCKS_OPTIONS, sw_blocks_own)

#endif
