/* What only trees understand among the options of a task (task_options.h). */
#ifndef SW_DOMAINS_TREES_OPTIONS_H
#define SW_DOMAINS_TREES_OPTIONS_H
#include "domains/task_options.h"

#define SW_TREE_TASK_OPTIONS(X)                                         \
  X(family, TEXT, "family", "", 0, 0, "", "kind of tree: bfs dfs star") \
  X(arity, INT, "arity", "-1", -1, 4096, "", "leaves of a star")
SW_OWN_OPTIONS(sw_trees_options, SW_TREE_TASK_OPTIONS, sw_trees_own)

#endif
