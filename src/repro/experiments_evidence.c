/* A rival that has learned the task, in the setting of the paper's first table,
 * and rows of the paper's tables again, trained for longer. Experiments of our
 * own. */
#include "repro/groups.h"
#include "repro/table.h"

#define OWN "experiments of our own"

/* clang-format off */
/* Whole dialogues without a limit are long: half of the instances. */
#define FREE(protocol_) "protocol=" protocol_ " loop=masked tokens=0 instances=100"
#define WITH FREE("cumulative")
#define FRONT FREE("rebuilt")
#define IN_PLACE FREE("rebuilt-in-place")
#define OTHERS FREE("foreign")
#define SWAP "states=600 instances=600"
#define PUBLISHED_BANK "construction=release resamples=200"
#define SWAPPED(name, figure_, interval_) {.title = name, .source = SW_SOURCE_PROBE, .probe = "transplant", .settings = SWAP, .figure = figure_, .interval = interval_}
#define BANKED(name, path, interval_) {.title = name, .source = SW_SOURCE_PROBE, .probe = "bank", .settings = PUBLISHED_BANK, .figure = path, .interval = interval_, .unit = ""}
#define TRAINED CARD("validation loss", "valid_loss", ""), CARD("steps", "steps", ""), CARD("tokens of training", "tokens", ""), CARD("training time", "seconds", "s")
#define LOST(row, which, to) TEST(row ", with its history minus " which, INSTANCES, 0, row, row, .other = 1 + (to))

const sw_experiment sw_experiment_trained_rival = {
    .id = "trained-rival", .aliases = "causal-trained", .section = OWN, .place = "none: a causal model that has learned the task", .judged_in = "flagship",
    .title = "3-SAT n=50, enriched format: a causal model that has learned the task, and SSA by the same recipe",
    .note = "rotary positions, small steps of the matrices, 2,400 steps of 4 traces; the causal model of Table 1 by the preset's recipe stops on its plateau. Columns without a limit of tokens: 100 instances, the others 200",
    .seeds = {3, 5}, .beside = SW_BESIDE_EXACT,
    .column = COLUMNS(SOLVED("whole history", WITH), SOLVED("state only, moved to the front", FRONT), SOLVED("state only, left in place", IN_PLACE), SOLVED("another search's history", OTHERS),
                      SOLVED("whole history within 4,096 tokens", CUM("4096")), SOLVED("state only, 200 instances", SR("4096")), SOLVED("state only, variable drawn at random", SR_RANDOM("4096")),
                      FIGURE("at a limit, within 4,096 tokens", CUM("4096"), "timeout_rate"), FIGURE("at a limit, whole history", WITH, "timeout_rate"),
                      FIGURE("repeats, whole history", WITH, "repeat_rate"), FIGURE("repeats, moved to the front", FRONT, "repeat_rate"), FIGURE("repeats, left in place", IN_PLACE, "repeat_rate"),
                      FIGURE("repeats, another search's history", OTHERS, "repeat_rate"), FIGURE("repeats, within 4,096 tokens", CUM("4096"), "repeat_rate"),
                      NUMBER("decisions, whole history", WITH, "decisions"),
                      SWAPPED("same action, other history", "policy.argmax_agreement", "policy.argmax_interval"), SWAPPED("same verdict, other history", "verification.argmax_agreement", "verification.argmax_interval"),
                      MEASURE("identical bits, other history", "transplant", SWAP, "exact_equal_rate", NULL),
                      BANKED("bank AUROC, with", "cumulative.auroc", "cumulative.interval.auroc"), BANKED("bank AUROC, without", "rebuilt.auroc", "rebuilt.interval.auroc"),
                      MEASURE("bank AUROC at equal size", "bank", PUBLISHED_BANK, "cumulative.auroc_within_size", ""), TRAINED),
    .row = ROWS(MODEL("ssa", "SSA, rotary positions", "sat50e-rotary-ssa", .paper = PAPER(NULL, NULL, NULL, NULL, "28.9 ± 1.9", "93.4 ± 2.3", "89.5 ± 1.1")),
                MODEL("causal", "causal, rotary positions", "sat50e-rotary", .paper = PAPER(NULL, NULL, NULL, NULL, "16.5 ± 11.2", "4.8 ± 1.2", "4.0 ± 0.0")),
                MODEL("ssa-early", "SSA at the loss of causal", "sat50e-rotary-ssa", .at = "loss sat50e-rotary", .columns = 0x7f)),
    .statistic = TESTS(LOST("ssa", "moved to the front", 1), LOST("ssa", "left in place", 2), LOST("ssa", "another's", 3),
                       LOST("causal", "moved to the front", 1), LOST("causal", "left in place", 2), LOST("causal", "another's", 3),
                       TEST("SSA minus causal, state only", INSTANCES, 5, "ssa", "causal", 0), TEST("SSA minus causal, whole history", INSTANCES, 0, "ssa", "causal", 0)),
    .figure = FIGURES(PLOT("trained-rival-ways", "Four ways of showing", BARS, NULL, "solved (%)", 15)),
};

/* What stopped at a cap, on a plateau, or with a rate that never fell: the same
 * rows by a longer or a whole schedule. */
const sw_experiment sw_experiment_longer = {
    .id = "trained-longer", .aliases = "longer", .section = OWN, .place = "none: rows of Tables 1, 7, 17 and 20 trained for longer",
    .title = "Rows of the paper's tables by a longer or a whole schedule", .note = "each row's table has it by a shorter recipe; colouring: its preset's steps and cosine instead of a constant rate until the loss is flat",
    .seeds = {3, 5}, .beside = SW_BESIDE_EXACT,
    .column = COLUMNS(SOLVED("cumulative", CUM("4096")), SOLVED("state-rebuilt", SR("4096")), SOLVED("state-rebuilt, no limit of tokens", SR("0")), SOLVED("state-rebuilt, random variable", SR_RANDOM("4096")),
                      FIGURE("repeats, state-rebuilt", SR("4096"), "repeat_rate"), TRAINED),
    .row = ROWS(MODEL("coloring-50", "colouring n=50, SSA", "coloring50-ssa-cosine", .test = "n=50 family=planted", .search = "loop=masked tokens=8192", .columns = 0x1fb, .note = "the paper has 96.2 ± 1.5 cumulative, within 8,192 tokens"),
                MODEL("sat-75", "SAT n=75, SSA", "sat75-ssa-long", .note = "the paper has 11.4 ± 1.4 cumulative, within 4,096 tokens"),
                MODEL("state-only-100k", "SAT n=50, causal, state only, 100,000 states", "sat50e-state100k-long", .seeds = 1, .columns = 0x1fe, .note = "the paper has 93.0 ± 2.0 state-rebuilt and 86.0 ± 6.9 with a random variable")),
};
/* clang-format on */
