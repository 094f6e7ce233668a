/* The experiments (see experiment.h). Numbers are the paper's, in percent
 * solved, mean and standard deviation over its seeds where it gives them. */
#include "repro/experiment.h"

#include <stddef.h>
#include <string.h>

#define SETTINGS(...) \
  (const char *const[]) { __VA_ARGS__, NULL }
#define COLUMNS(...)          \
  (const sw_repro_column[]) { \
    __VA_ARGS__, { 0 }        \
  }
#define ROWS(...)          \
  (const sw_repro_row[]) { \
    __VA_ARGS__, { 0 }     \
  }

#define CUMULATIVE(...) SETTINGS("protocol", "cumulative", __VA_ARGS__)
#define REBUILT(...) SETTINGS("protocol", "rebuilt", __VA_ARGS__)
/* Who goes back: the model (open) or the infrastructure (masked). */
#define BOTH_LOOPS                                          \
  COLUMNS({"rebuilt, open", REBUILT("loop", "open")},       \
          {"rebuilt, masked", REBUILT("loop", "masked")},   \
          {"cumulative, open", CUMULATIVE("loop", "open")}, \
          {"cumulative, masked", CUMULATIVE("loop", "masked")})
/* As the paper plays: the infrastructure goes back, limited context. */
#define PAPER_LOOP(tokens)                                                \
  COLUMNS({"cumulative", CUMULATIVE("loop", "masked", "tokens", tokens)}, \
          {"state-rebuilt", REBUILT("loop", "masked", "tokens", tokens)})
/* Domains whose loop reads the model's own going back. */
#define OPEN_LOOP(tokens)                                               \
  COLUMNS({"cumulative", CUMULATIVE("loop", "open", "tokens", tokens)}, \
          {"state-rebuilt", REBUILT("loop", "open", "tokens", tokens)})

/* Causal models learn best at half the rate (docs/training-recipes.md). */
#define SSA "mask", "ssa"
#define CAUSAL "mask", "causal", "lr", "2.5e-3"
#define NOSLOT "mask", "causal-noslot", "slots", "0", "lr", "2.5e-3"
/* clang-format off */
#define LEAKY                                                             \
  "mask", "causal-release", "position-kind", "block-relative", "release-pad-positions", \
      "1", "lr", "2.5e-3"
/* clang-format on */
/* One supervised block an item, the same number of actions in every row. */
/* clang-format off */
#define MATCHED                                                       \
  "mask", "causal", "batch", "48", "prefix-reveal", "0.5", "prefix-dropout", "0.5"
/* clang-format on */

const sw_experiment sw_experiments[] = {
    {"flagship", "flagship table, part A",
     "3-SAT n=50, enriched format: who needs its history?",
     "theirs: 5 seeds, published data; the policy copies the shown value",
     "sat-50-enriched", NULL, "first+copy", PAPER_LOOP("4096"),
     ROWS(
         {"ssa", "SSA", SETTINGS(SSA), {"28.9 ± 1.9", "93.4 ± 2.3"}},
         {"causal", "causal", SETTINGS(CAUSAL), {"16.5 ± 11.2", "4.8 ± 1.2"}},
         {"noslot", "causal without slots", SETTINGS(NOSLOT), {"8.2 ± 10.6"}})},
    {"sat-50", "none: the evidence format is ours",
     "3-SAT n=50, evidence format: the model itself goes back",
     "no row of the paper reads the model's own going back in SAT",
     "sat-50-fair", NULL, "clause+exact", BOTH_LOOPS,
     ROWS({"ssa", "SSA", SETTINGS(SSA), {0}},
          {"causal", "causal", SETTINGS(CAUSAL), {0}},
          {"noslot", "causal without slots", SETTINGS(NOSLOT), {0}},
          {"leaky", "causal as released", SETTINGS(LEAKY), {0}})},
    {"sat-30", "table of 3-SAT n=30 (one seed)",
     "3-SAT n=30: two context budgets",
     "theirs: enriched format; ours: evidence", "sat-30-fair", NULL,
     "clause+exact",
     COLUMNS({"cumulative, 4,096 tokens",
              CUMULATIVE("loop", "masked", "tokens", "4096")},
             {"cumulative, 8,192 tokens",
              CUMULATIVE("loop", "masked", "tokens", "8192")}),
     ROWS({"ssa", "SSA", SETTINGS(SSA), {"93.5", "99.0"}},
          {"causal", "causal", SETTINGS(CAUSAL), {"62.5"}})},
    {"histories", "flagship table, part B",
     "3-SAT n=30: can training on less history do what the mask does?",
     "theirs: n=50, enriched format, one supervised action in thirty; ours: "
     "evidence format, supervision matched",
     "sat-30-fair", NULL, "clause+exact", BOTH_LOOPS,
     ROWS(
         {"ssa",
          "SSA, whole traces",
          SETTINGS(SSA),
          {NULL, "93.4 ± 2.3", NULL, "28.9 ± 1.9"}},
         {"causal",
          "causal, whole traces",
          SETTINGS(CAUSAL),
          {NULL, "4.8 ± 1.2", NULL, "16.5 ± 11.2"}},
         {"full",
          "full history",
          SETTINGS(MATCHED, "history", "block-dropout", "history-p", "0"),
          {0}},
         {"block-dropout",
          "block dropout 0.5",
          SETTINGS(MATCHED, "history", "block-dropout", "history-p", "0.5"),
          {NULL, "3.8 ± 1.9", NULL, "24.8 ± 4.4"}},
         {"sliding-window",
          "sliding window 3",
          SETTINGS(MATCHED, "history", "sliding-window", "history-window", "3"),
          {NULL, "3.2 ± 0.4", NULL, "5.3 ± 1.5"}},
         {"null",
          "null history",
          SETTINGS(MATCHED, "history", "null"),
          {NULL, "4.2 ± 0.4", NULL, "4.2 ± 1.3"}},
         {"prefix-only",
          "state only",
          SETTINGS(MATCHED, "history", "prefix-only"),
          {NULL, "69.3 ± 18.1"}},
         {"transplant",
          "transplanted history",
          SETTINGS(MATCHED, "history", "transplant"),
          {0}},
         {"transplant-partial",
          "partly transplanted",
          SETTINGS(MATCHED, "history", "transplant-partial"),
          {0}},
         {"contrastive",
          "contrastive, ours",
          SETTINGS("mask", "causal", "contrastive", "1"),
          {0}},
         {"contrastive-release",
          "contrastive, as released",
          SETTINGS("mask", "causal", "contrastive", "1", "contrastive-release",
                   "1"),
          {0}})},
    {"coloring-30", "graph colouring by size, n=30", "graph colouring n=30",
     "theirs: 5 seeds; both: 8,192 tokens", "coloring-30-fair", NULL, "dsatur",
     PAPER_LOOP("8192"),
     ROWS({"ssa", "SSA", SETTINGS(SSA), {"98.3 ± 0.6"}},
          {"causal", "causal", SETTINGS(CAUSAL), {"69.9 ± 1.8"}})},
    {"coloring-50", "graph colouring by size, n=50", "graph colouring n=50",
     "theirs: 3 seeds; both: 8,192 tokens", "coloring-mixture",
     SETTINGS("n", "50", "family", "planted"), "dsatur", PAPER_LOOP("8192"),
     ROWS({"ssa", "SSA", SETTINGS(SSA), {"96.2 ± 1.5"}},
          {"causal",
           "causal",
           SETTINGS(CAUSAL, "table", "16384"),
           {"0.2 ± 0.3"}})},
    {"blocks-5", "Blocks World, multi-seed, 5 blocks", "Blocks World, 5 blocks",
     "both: 4,096 tokens; the policy is the perfect imitator", "blocks-5-fair",
     NULL, "first-untried", OPEN_LOOP("4096"),
     ROWS({"ssa", "SSA", SETTINGS(SSA), {"50.7 ± 2.9"}},
          {"causal", "causal", SETTINGS(CAUSAL), {"8.7 ± 2.4"}})},
    {"blocks-7", "Blocks World, multi-seed, 7 blocks", "Blocks World, 7 blocks",
     "both: 4,096 tokens; the policy is the perfect imitator", "blocks-7-fair",
     NULL, "first-untried", OPEN_LOOP("4096"),
     ROWS({"ssa", "SSA", SETTINGS(SSA), {"16.1 ± 3.4"}},
          {"causal", "causal", SETTINGS(CAUSAL), {"5.2 ± 1.9"}})},
    {"parsing", "figure of the protocol response, parsing",
     "backtracking parsing", "theirs: 5 seeds", "parsing-fair", NULL, "lowest",
     OPEN_LOOP("0"),
     ROWS({"ssa", "SSA", SETTINGS(SSA), {"100.0 ± 0.0", "100.0 ± 0.0"}},
          {"causal",
           "causal",
           SETTINGS(CAUSAL),
           {"99.6 ± 0.3", "59.5 ± 38.5"}})},
};
const int sw_experiment_count = sizeof sw_experiments / sizeof *sw_experiments;

const sw_experiment *sw_experiment_find(const char *id) {
  for (int i = 0; i < sw_experiment_count; i++)
    if (!strcmp(sw_experiments[i].id, id)) return &sw_experiments[i];
  return NULL;
}
