/* The experiments by name, in the order of the list. Each is defined in one of
 * experiments_*.c. */
#ifndef SW_REPRO_GROUPS_H
#define SW_REPRO_GROUPS_H
#include "repro/experiment.h"

#define SW_EXPERIMENT_ROWS(X) \
  X(flagship)                 \
  X(histories)                \
  X(sat_50)                   \
  X(sat_30)                   \
  X(coloring_30)              \
  X(coloring_50)              \
  X(blocks_5)                 \
  X(blocks_7)                 \
  X(parsing)

#define X(name) extern const sw_experiment sw_experiment_##name;
SW_EXPERIMENT_ROWS(X)
#undef X

#endif
