/* Free-running generation of tree traces, many trees in lock-step through one
 * cached session. Trees are added one by one; a full batch runs at once. Used
 * by trees_metrics.c only. */
#ifndef SW_PROBE_TREES_GENERATE_H
#define SW_PROBE_TREES_GENERATE_H
#include "probe/trees_metrics.h"

typedef struct sw_tree_runner sw_tree_runner;
int sw_tree_runner_new(sw_tree_runner **runner, const sw_tree_eval *eval,
                       const sw_tree_format *format, sw_tree_scores *scores,
                       sw_err *err);
/* The tree is written at once and not kept. */
int sw_tree_runner_add(sw_tree_runner *runner, const sw_instance *tree,
                       sw_err *err);
int sw_tree_runner_finish(sw_tree_runner *runner, sw_err *err);
void sw_tree_runner_free(sw_tree_runner *runner);

#endif
