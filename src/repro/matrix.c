/* The training matrix: every model that an experiment needs, once. Experiments
 * refer to a row by its id, so that a model is trained once whatever it is
 * asked. The recipe of the small scale comes over the preset's (causal models
 * learn best at half the rate, docs/training-recipes.md). */
#include <stddef.h>
#include <string.h>
#include "repro/experiment.h"

#define HALF_RATE "lr=2.5e-3"
#define NOSLOT "mask=causal-noslot slots=0"
/* The causal mask of the release: slots that read everything, block-relative
 * positions, padding counted as prefix. */
#define LEAKY \
  "mask=causal-release position-kind=block-relative release-pad-positions=1"
/* One supervised block per item, the same number of actions in every row. */
#define MATCHED "batch=48 prefix-reveal=0.5 prefix-dropout=0.5"

/* clang-format off */
const sw_trained sw_matrix[] = {
    /* id, label, {small preset, published preset}, gen, train, recipe, {hours} */
    {"quick-ssa", "SSA", {"quickstart"}, NULL, "mask=ssa", NULL, {0.02, 0.02}, NULL},
    {"quick-causal", "causal (fair)", {"quickstart"}, NULL, "mask=causal", NULL, {0.02, 0.02}, NULL},
    {"quick-leaky", "causal (release)", {"quickstart"}, NULL, LEAKY, NULL, {0.02, 0.02}, NULL},

    {"sat50e-ssa", "SSA", {"sat-50-enriched", "sat-50-release"}, NULL, "mask=ssa", NULL, {0.3, 60}, NULL},
    {"sat50e-causal", "causal", {"sat-50-enriched", "sat-50-release"}, NULL, "mask=causal", HALF_RATE, {0.8, 110}, NULL},
    {"sat50e-noslot", "causal without slots", {"sat-50-enriched", "sat-50-release"}, NULL, NOSLOT, HALF_RATE, {0.8, 105}, NULL},

    {"sat50-ssa", "SSA", {"sat-50-fair"}, NULL, "mask=ssa", NULL, {0.1, 0.1}, NULL},
    {"sat50-causal", "causal", {"sat-50-fair"}, NULL, "mask=causal", HALF_RATE, {0.2, 0.2}, NULL},
    {"sat50-noslot", "causal without slots", {"sat-50-fair"}, NULL, NOSLOT, HALF_RATE, {0.2, 0.2}, NULL},
    {"sat50-leaky", "causal as released", {"sat-50-fair"}, NULL, LEAKY, HALF_RATE, {0.2, 0.2}, NULL},

    {"sat30-ssa", "SSA", {"sat-30-fair", "sat-30-release"}, NULL, "mask=ssa", NULL, {0.1, 25}, NULL},
    {"sat30-causal", "causal", {"sat-30-fair", "sat-30-release"}, NULL, "mask=causal", HALF_RATE, {0.15, 40}, NULL},
    {"sat30-full", "full history", {"sat-30-fair"}, NULL, "mask=causal history=block-dropout history-p=0", MATCHED, {0.15, 0.15}, NULL},
    {"sat30-dropout", "block dropout 0.5", {"sat-30-fair"}, NULL, "mask=causal history=block-dropout history-p=0.5", MATCHED, {0.15, 0.15}, NULL},
    {"sat30-window", "sliding window 3", {"sat-30-fair"}, NULL, "mask=causal history=sliding-window history-window=3", MATCHED, {0.15, 0.15}, NULL},
    {"sat30-null", "null history", {"sat-30-fair"}, NULL, "mask=causal history=null", MATCHED, {0.15, 0.15}, NULL},
    {"sat30-state", "state only", {"sat-30-fair"}, NULL, "mask=causal history=prefix-only", MATCHED, {0.15, 0.15}, NULL},
    {"sat30-transplant", "transplanted history", {"sat-30-fair"}, NULL, "mask=causal history=transplant", MATCHED, {0.15, 0.15}, NULL},
    {"sat30-partial", "partly transplanted", {"sat-30-fair"}, NULL, "mask=causal history=transplant-partial", MATCHED, {0.15, 0.15}, NULL},
    {"sat30-contrastive", "contrastive, ours", {"sat-30-fair"}, NULL, "mask=causal contrastive=1", NULL, {0.3, 0.3}, NULL},
    {"sat30-contrastive-release", "contrastive, as released", {"sat-30-fair"}, NULL, "mask=causal contrastive=1 contrastive-release=1", NULL, {0.3, 0.3}, NULL},

    {"coloring30-ssa", "SSA", {"coloring-30-fair", "coloring-30-release"}, NULL, "mask=ssa", NULL, {0.1, 20}, NULL},
    {"coloring30-causal", "causal", {"coloring-30-fair", "coloring-30-release"}, NULL, "mask=causal", HALF_RATE, {0.15, 30}, NULL},
    {"coloring50-ssa", "SSA", {"coloring-mixture", "coloring-50-release"}, NULL, "mask=ssa", NULL, {0.15, 45}, NULL},
    {"coloring50-causal", "causal", {"coloring-mixture", "coloring-50-release"}, NULL, "mask=causal table=16384", HALF_RATE, {0.3, 80}, NULL},
    {"blocks5-ssa", "SSA", {"blocks-5-fair", "blocks-5-release"}, NULL, "mask=ssa", NULL, {0.15, 6}, NULL},
    {"blocks5-causal", "causal", {"blocks-5-fair", "blocks-5-release"}, NULL, "mask=causal", HALF_RATE, {0.4, 8}, NULL},
    {"blocks7-ssa", "SSA", {"blocks-7-fair", "blocks-7-release"}, NULL, "mask=ssa", NULL, {0.15, 10}, NULL},
    {"blocks7-causal", "causal", {"blocks-7-fair", "blocks-7-release"}, NULL, "mask=causal", HALF_RATE, {0.6, 14}, NULL},
    {"parsing-ssa", "SSA", {"parsing-fair", "parsing-release"}, NULL, "mask=ssa", NULL, {0.04, 5}, NULL},
    {"parsing-causal", "causal", {"parsing-fair", "parsing-release"}, NULL, "mask=causal", HALF_RATE, {0.04, 7}, NULL},
    {0}};
/* clang-format on */

const sw_trained *sw_trained_find(const char *id) {
  for (int i = 0; sw_matrix[i].id; i++)
    if (!strcmp(sw_matrix[i].id, id)) return &sw_matrix[i];
  return NULL;
}
