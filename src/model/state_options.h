/* The options that every family has that reads states: the layout at the start
 * of its config. All but the first two come from the data. */
#ifndef SW_MODEL_STATE_OPTIONS_H
#define SW_MODEL_STATE_OPTIONS_H
#include "trace/state_layout.h"

/* clang-format off */
#define SW_STATE_OPTIONS(X)                                                    \
  X(layout.set, CHOICE, "features", "state", 0, 0, SW_FEATURE_SETS, "columns: everything the rules depend on, those of the published baseline, or (for --verifier viability) those of one choice, or figures of the state, counted or with every value tried") \
  X(layout.step, INT, "step-counter", "-1", -1, 1, "", "1: with the step counter; -1: only for published features under the preset release") \
  SW_STATE_SIZE_OPTIONS(X)                                                     \
  X(layout.features, INT, "inputs", "0", 0, 1000000, "", "width of the vector (from the data)") \
  SW_STATE_CLASS_OPTIONS(X)
#define SW_STATE_CLASS_OPTIONS(X)                                              \
  X(layout.classes[0], INT, "verdicts", "0", 0, 1000000, "", "classes of the head that says go on or back (from the data)") \
  X(layout.classes[1], INT, "items", "0", 0, 1000000, "", "classes of the head that names what is acted on (from the data)") \
  X(layout.classes[2], INT, "values", "0", 0, 1000000, "", "classes of the head that says what is done to it (from the data)")
#define SW_STATE_SIZE_OPTIONS(X)                                               \
  X(layout.n, INT, "size", "0", 0, 1000000, "", "largest instance: variables, nodes or blocks (from the data)") \
  X(layout.m, INT, "parts", "0", 0, 1000000, "", "and clauses, colours or stacks (from the data)")
/* clang-format on */

#endif
