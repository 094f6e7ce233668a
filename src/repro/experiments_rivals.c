/* Rivals at their best: models that read history, trained until their loss is
 * flat, and what is left of them when the history is taken away in three ways.
 * Experiments of our own: the paper has no such table. */
#include "repro/groups.h"
#include "repro/table.h"

#define OWN "experiments of our own"
#define NONE "none: rivals trained until they stop improving"
#define NOTE                                                               \
  "same traces, same rule for the end of training; the grid of rates and " \
  "curricula is in results/tune"

/* clang-format off */
#define WAYS \
    SOLVED("with its history", "protocol=cumulative verifier=model"), \
    SOLVED("without: moved to the front", "protocol=rebuilt verifier=model"), \
    SOLVED("without: left in place", "protocol=rebuilt-in-place verifier=model"), \
    SOLVED("another search's history", "protocol=foreign verifier=model"), \
    SOLVED("exact verifier, with", "protocol=cumulative verifier=exact"), \
    SOLVED("exact verifier, without", "protocol=rebuilt verifier=exact"), \
    SOLVED("exact verifier, in place", "protocol=rebuilt-in-place verifier=exact"), \
    FIGURE("repeats, with", "protocol=cumulative verifier=model", "repeat_rate"), \
    FIGURE("repeats, without", "protocol=rebuilt verifier=model", "repeat_rate"), \
    FIGURE("false prunes, with", "protocol=cumulative verifier=model", "false_prune_rate"), \
    FIGURE("false prunes, without", "protocol=rebuilt verifier=model", "false_prune_rate"), \
    FIGURE("missed conflicts, with", "protocol=cumulative verifier=model", "missed_conflict_rate"), \
    FIGURE("missed conflicts, without", "protocol=rebuilt verifier=model", "missed_conflict_rate"), \
    FIGURE("out of decisions or context, with", "protocol=cumulative verifier=model", "timeout_rate")
#define SWAPPED "states=500 instances=300"
#define ASKED \
    {.title = "same verdict, other history", .source = SW_SOURCE_PROBE, .probe = "transplant", .settings = SWAPPED, .figure = "verification.argmax_agreement", .interval = "verification.argmax_interval"}, \
    {.title = "same action, other history", .source = SW_SOURCE_PROBE, .probe = "transplant", .settings = SWAPPED, .figure = "policy.argmax_agreement", .interval = "policy.argmax_interval"}, \
    MEASURE("identical bits, other history", "transplant", SWAPPED, "exact_equal_rate", NULL), \
    MEASURE("same choice after foreign blocks", "padding", "trials=300 latest=8 blocks=3", "agreement", NULL)
#define BANKED \
    MEASURE("bank AUROC, with", "bank", "viable=1000 conflicts=250", "cumulative.auroc", ""), \
    MEASURE("bank AUROC, without", "bank", "viable=1000 conflicts=250", "rebuilt.auroc", "")
#define TRAINED CARD("validation loss", "valid_loss", ""), CARD("tokens of training", "tokens", "")

#define LOST(row) TEST(row ", with minus without", INSTANCES, 0, row, row, .other = 2), TEST(row ", with minus in place", INSTANCES, 0, row, row, .other = 3)

const sw_experiment sw_experiment_rivals = {
    .id = "rivals", .section = OWN, .place = NONE, .title = "3-SAT n=12, evidence format: every model until its loss is flat",
    .note = NOTE, .seeds = {3, 5}, .column = COLUMNS(WAYS, ASKED, BANKED, TRAINED),
    .row = ROWS(MODEL("ssa", "SSA", "sat12-ssa", 0), MODEL("causal", "causal, standard positions", "sat12-causal", 0),
                MODEL("rotary", "causal, rotary positions", "sat12-rotary", 0),
                MODEL("ssa-early", "SSA at the loss of causal", "sat12-ssa", .at = "loss sat12-causal")),
    .statistic = TESTS(LOST("ssa"), LOST("causal"), LOST("rotary"),
                       TEST("SSA minus causal, with", INSTANCES, 0, "ssa", "causal", 0), TEST("SSA minus rotary, with", INSTANCES, 0, "ssa", "rotary", 0),
                       TEST("SSA minus causal, without", INSTANCES, 1, "ssa", "causal", 0), TEST("SSA minus rotary, without", INSTANCES, 1, "ssa", "rotary", 0)),
    .figure = FIGURES(PLOT("rivals-ways", "Three ways to take the history away", BARS, NULL, "solved (%)", 15)),
};

const sw_experiment sw_experiment_rivals_positions = {
    .id = "rivals-positions", .section = OWN, .place = NONE, .title = "3-SAT n=12: other positions, no slots, as released",
    .note = NOTE, .seeds = {1, 3}, .column = COLUMNS(WAYS, ASKED, BANKED, TRAINED),
    .row = ROWS(MODEL("relative", "causal, block-relative positions", "sat12-relative", 0), MODEL("both", "causal, both positions", "sat12-both", 0),
                MODEL("none", "causal, no positions", "sat12-none", 0), MODEL("noslot", "causal without slots", "sat12-noslot", 0),
                MODEL("leaky", "causal as released", "sat12-leaky", .note = "its validation loss means nothing: it takes causal's steps")),
    .statistic = TESTS(LOST("relative"), LOST("both"), LOST("none"), LOST("noslot"), LOST("leaky")),
};

/* One seed: figures against the loss of the moment. */
#define AT(id, model, step) MODEL(id "-" step, id " at step " step, model, .at = "step " step)
const sw_experiment sw_experiment_rivals_along = {
    .id = "rivals-along", .section = OWN, .place = NONE, .title = "3-SAT n=12: does a rival forget its history as it gets better?",
    .note = NOTE, .seeds = {1, 3}, .beside = SW_BESIDE_EXACT, .column = COLUMNS(WAYS, ASKED, BANKED, TRAINED),
    .row = ROWS(AT("causal", "sat12-causal", "500"), AT("causal", "sat12-causal", "1000"), AT("causal", "sat12-causal", "1500"), AT("causal", "sat12-causal", "2000"),
                AT("causal", "sat12-causal", "3000"), MODEL("causal-end", "causal at its end", "sat12-causal", 0),
                AT("rotary", "sat12-rotary", "250"), AT("rotary", "sat12-rotary", "500"), AT("rotary", "sat12-rotary", "750"), AT("rotary", "sat12-rotary", "1000"),
                AT("rotary", "sat12-rotary", "1500"), MODEL("rotary-end", "rotary at its end", "sat12-rotary", 0)),
    .figure = FIGURES(PLOT("along-ways", "With its history, and three ways to take it away", BARS, NULL, "solved (%)", 15)),
};

/* Elsewhere SSA and the better rival by the grid of n=12, where rotary positions
 * have a third of the validation loss at the same steps (results/tune). */
#define TWO(ssa, rotary) MODEL("ssa", "SSA", ssa, 0), MODEL("rotary", "causal, rotary positions", rotary, 0)
#define LOST_BOTH LOST("ssa"), LOST("rotary")
const sw_experiment sw_experiment_rivals_20 = {
    .id = "rivals-20", .section = OWN, .place = NONE, .title = "3-SAT n=20, evidence format: every model until its loss is flat",
    .note = "the recipes of n=12", .seeds = {2, 3}, .column = COLUMNS(WAYS, ASKED, BANKED, TRAINED),
    .row = ROWS(TWO("sat20-ssa", "sat20-rotary")), .statistic = TESTS(LOST_BOTH),
};
const sw_experiment sw_experiment_rivals_parsing = {
    .id = "rivals-parsing", .section = OWN, .place = NONE, .title = "backtracking parsing: every model until its loss is flat",
    .note = "the paper has 99.6 with and 59.5 without history for its causal model", .seeds = {2, 3}, .column = COLUMNS(WAYS, ASKED, TRAINED),
    .row = ROWS(TWO("parsing-rival-ssa", "parsing-rival-rotary")), .statistic = TESTS(LOST_BOTH),
};
const sw_experiment sw_experiment_rivals_coloring = {
    .id = "rivals-coloring", .section = OWN, .place = NONE, .title = "graph colouring n=20: every model until its loss is flat",
    .note = "the paper has n=30 and n=50; density 0.5, since at its 0.35 a rule that never goes back solves 99.0 of graphs of this size", .seeds = {1, 3}, .column = COLUMNS(WAYS, ASKED, TRAINED),
    .row = ROWS(TWO("coloring20-ssa", "coloring20-rotary")), .statistic = TESTS(LOST_BOTH),
};
const sw_experiment sw_experiment_rivals_blocks = {
    .id = "rivals-blocks", .section = OWN, .place = NONE, .title = "Blocks World, 5 blocks: every model until its loss is flat",
    .note = "the paper has 8.7 for its causal model", .seeds = {1, 3}, .column = COLUMNS(WAYS, ASKED, TRAINED),
    .row = ROWS(TWO("blocks5-rival-ssa", "blocks5-rival-rotary")), .statistic = TESTS(LOST_BOTH),
};

/* ---- what comes with the program ---- */
const sw_experiment sw_experiment_shipped = {
    .id = "shipped", .section = OWN, .place = "none: the models in models/", .title = "The shipped models",
    .note = "one model per domain, as it comes with the program", .seeds = {1, 1},
    .column = COLUMNS(SOLVED("without history", "protocol=rebuilt verifier=model"), SOLVED("with its history", "protocol=cumulative verifier=model"),
                      SOLVED("exact verifier, without history", "protocol=rebuilt verifier=exact"), NUMBER("decisions, without history", "protocol=rebuilt verifier=model", "decisions"),
                      FIGURE("false prunes", "protocol=rebuilt verifier=model", "false_prune_rate"), FIGURE("missed conflicts", "protocol=rebuilt verifier=model", "missed_conflict_rate"),
                      FIGURE("repeats", "protocol=rebuilt verifier=model", "repeat_rate")),
    .row = ROWS(SHIPPED("sat-50", "3-SAT n=50, ratio 4.0", "sat", .test = "family=planted n=50 ratio=4.0"), SHIPPED("sat-20", "3-SAT n=20, ratio 4.0", "sat", .test = "family=planted n=20 ratio=4.0"),
                SHIPPED("coloring-30", "graph colouring n=30", "coloring", .test = "family=planted n=30"), SHIPPED("coloring-50", "graph colouring n=50", "coloring", .test = "family=planted n=50"),
                SHIPPED("blocks-5", "Blocks World, 5 blocks", "blocks", .test = "n=5 max-blocks=600 too-long=cut"), SHIPPED("parsing", "backtracking parsing", "parsing", .test = "")),
};
/* clang-format on */
