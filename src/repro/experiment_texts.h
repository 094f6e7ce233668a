/* The experiments inside the program, in the order of the list: a line for each
 * experiments/ID.yaml. */
#ifndef SW_REPRO_EXPERIMENT_TEXTS_H
#define SW_REPRO_EXPERIMENT_TEXTS_H
#include <stddef.h>

/* clang-format off */
/* X(symbol, id) */
#define SW_EXPERIMENT_TEXTS(X) \
  X(flagship, "flagship") \
  X(training_budget, "training-budget") \
  X(transplant, "transplant") \
  X(diagnostics, "diagnostics") \
  X(protocols, "protocols") \
  X(sat_30, "sat-30") \
  X(heuristics, "heuristics") \
  X(test_seeds, "test-seeds") \
  X(compute, "compute") \
  X(random_sat, "random-sat") \
  X(history_irrelevance, "history-irrelevance") \
  X(scaffold_ladder, "scaffold-ladder") \
  X(inference_masks, "inference-masks") \
  X(mask_positions, "mask-positions") \
  X(slots, "slots") \
  X(cross_mask, "cross-mask") \
  X(factorial, "factorial") \
  X(bootstrap, "bootstrap") \
  X(seeds, "seeds") \
  X(verifier_swap, "verifier-swap") \
  X(bounded_sidecar, "bounded-sidecar") \
  X(corruption, "corruption") \
  X(corruption_asymmetry, "corruption-asymmetry") \
  X(cliff, "cliff") \
  X(oracle_bound, "oracle-bound") \
  X(isolated_verification, "isolated-verification") \
  X(isolated_published, "isolated-published") \
  X(calibration, "calibration") \
  X(calibration_coloring, "calibration-coloring") \
  X(coloring_budget, "coloring-budget") \
  X(coloring_scale, "coloring-scale") \
  X(coloring_30, "coloring-30") \
  X(coloring_50, "coloring-50") \
  X(blocks_budget, "blocks-budget") \
  X(blocks_seeds, "blocks-seeds") \
  X(blocks_5, "blocks-5") \
  X(blocks_7, "blocks-7") \
  X(parsing, "parsing") \
  X(star_trees, "star-trees") \
  X(star_slots, "star-slots") \
  X(star_sweep, "star-sweep") \
  X(tree_orders, "tree-orders") \
  X(length, "length") \
  X(padding, "padding") \
  X(histories, "histories") \
  X(sat_50, "sat-50") \
  X(shipped, "shipped") \
  X(rivals, "rivals") \
  X(rivals_positions, "rivals-positions") \
  X(rivals_along, "rivals-along") \
  X(rivals_20, "rivals-20") \
  X(rivals_parsing, "rivals-parsing") \
  X(rivals_coloring, "rivals-coloring") \
  X(rivals_blocks, "rivals-blocks") \
  X(families, "families") \
  X(structured_corruption, "structured-corruption") \
  X(families_50, "families-50") \
  X(proactive, "proactive") \
  X(hard_negatives, "hard-negatives") \
  X(verify_head, "verify-head") \
  X(ladder, "ladder") \
  X(ladder_20, "ladder-20") \
  X(full_by_size, "full-by-size") \
  X(full_attention, "full-attention") \
  X(published_size, "published-size") \
  X(trained_rival, "trained-rival") \
  X(rival_by_decision, "rival-by-decision") \
  X(trained_longer, "trained-longer") \
  X(recipe, "recipe") \
  X(recipe_blocks, "recipe-blocks")
/* clang-format on */

typedef struct sw_text_inside {
  const char *id;
  const char *begin, *end;
} sw_text_inside;
/* Those of the list, then `quickstart` and `models`; ends with id NULL. */
extern const sw_text_inside sw_experiment_texts[];

#endif
