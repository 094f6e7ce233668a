/* The experiments by name, in the order of the list. Each is defined in one of
 * experiments_*.c. */
#ifndef SW_REPRO_GROUPS_H
#define SW_REPRO_GROUPS_H
#include "repro/experiment.h"

#define SW_EXPERIMENT_ROWS(X) \
  X(flagship)                 \
  X(budget)                   \
  X(transplant)               \
  X(diagnostics)              \
  X(protocols)                \
  X(sat_30)                   \
  X(heuristics)               \
  X(testseeds)                \
  X(compute)                  \
  X(randomsat)                \
  X(irrelevance)              \
  X(ladder)                   \
  X(inference_masks)          \
  X(positions)                \
  X(slots)                    \
  X(crossmask)                \
  X(factorial)                \
  X(bootstrap)                \
  X(perseed)                  \
  X(verifierswap)             \
  X(sidecar)                  \
  X(corruption)               \
  X(asymmetry)                \
  X(cliff)                    \
  X(oraclebound)              \
  X(isolated)                 \
  X(isolated_published)       \
  X(calibration)              \
  X(calibration_gc)           \
  X(coloring_budget)          \
  X(coloring_scale)           \
  X(coloring_30)              \
  X(coloring_50)              \
  X(blocks_budget)            \
  X(blocks_seeds)             \
  X(blocks_5)                 \
  X(blocks_7)                 \
  X(parsing)                  \
  X(stars)                    \
  X(starslots)                \
  X(starsweep)                \
  X(orders)                   \
  X(length)                   \
  X(padding)                  \
  X(histories)                \
  X(sat_50)                   \
  X(shipped)                  \
  X(rivals)                   \
  X(rivals_positions)         \
  X(rivals_along)             \
  X(rivals_20)                \
  X(rivals_parsing)           \
  X(rivals_coloring)          \
  X(rivals_blocks)            \
  X(families)                 \
  X(structured)               \
  X(families_50)              \
  X(proactive)                \
  X(rounds)                   \
  X(head)                     \
  X(evidence_ladder)          \
  X(ladder_20)                \
  X(full_by_size)             \
  X(full_attention)           \
  X(published_size)           \
  X(trained_rival)            \
  X(longer)                   \
  X(recipe)                   \
  X(recipe_blocks)

#define X(name) extern const sw_experiment sw_experiment_##name;
SW_EXPERIMENT_ROWS(X)
#undef X

#endif
