/* How the published colouring programs wrote their sequences where they differ
 * from one another: faults, kept so that their sequences can be reproduced. An
 * environment of domains/coloring follows one through env->layout. */
#ifndef SW_RELEASE_COLORING_LAYOUTS_H
#define SW_RELEASE_COLORING_LAYOUTS_H
#include "domains/coloring/coloring_env.h"

/* Training traces of the small vocabulary (394 rows). */
extern const sw_col_layout sw_release_coloring_small;
/* The evaluator of the ablations: masks with the wrong bit order, which
 * overflow, and the tried pairs in a block of their own. */
extern const sw_col_layout sw_release_coloring_ablation;
/* The transplant program: those masks, and failed pairs only. */
extern const sw_col_layout sw_release_coloring_transplant;

#endif
