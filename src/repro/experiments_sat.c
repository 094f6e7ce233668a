/* Experiments on 3-SAT: formats, masks, seeds, test streams, calibration. */
#include "repro/groups.h"
#include "repro/table.h"

#define SAT "3-SAT"
#define MASKS "masks and formats"

/* clang-format off */
const sw_experiment sw_experiment_ladder = {
    .id = "scaffold-ladder", .aliases = "T6 tab:scaffold-ladder", .section = MASKS, .place = "Table 6 (trace format by mask)",
    .title = "3-SAT n=50: how much of the state the block shows", .note = "theirs: residual formula of 25 clauses; rebuilt states are undefined where the block shows no state; ours: traces of the residual and stripped rows end after 64 and 80 blocks, more than 4,096 tokens show",
    .seeds = {1, 5},
    .column = COLUMNS(SOLVED("cumulative", CUM("4096")), FIGURE("timeouts, cumulative", CUM("4096"), "timeout_rate"),
                      SOLVED("state-rebuilt", SR("4096")), FIGURE("timeouts, state-rebuilt", SR("4096"), "timeout_rate")),
    .row = ROWS(MODEL("enriched-ssa", "enriched, SSA", "sat50e-ssa", .paper = PAPER("28.9 ± 1.9", "70.3", "93.4 ± 2.3", "6.6")),
                MODEL("enriched-causal", "enriched, causal", "sat50e-causal", .paper = PAPER("16.5 ± 11.2", "46.7", "4.8 ± 1.2", "0.0")),
                MODEL("residual-ssa", "residual, SSA", "sat50r-ssa", .paper = PAPER("4.7 ± 0.5", "0.0", "4.7 ± 0.5", "0.0")),
                MODEL("residual-causal", "residual, causal", "sat50r-causal", .paper = PAPER("19.8 ± 4.0", "60.5", "4.1 ± 1.4", "0.0")),
                MODEL("stripped-ssa", "stripped, SSA", "sat50s-ssa", .paper = PAPER("4.7 ± 1.3", "0.0", NULL, NULL), .columns = 3),
                MODEL("stripped-causal", "stripped, causal", "sat50s-causal", .paper = PAPER("18.2 ± 4.0", "25.1", NULL, NULL), .columns = 3)),
};

/* Ours play that stream too. */
#define STREAM_42(pooled) "paper: its number on test stream 42 (Table 1); in its Table 7 stands " pooled ", pooled over three other streams"
#define RULES_LOOP "protocol=rebuilt loop=masked decisions=4096"
const sw_experiment sw_experiment_heuristics = {
    .id = "heuristics", .aliases = "T7 heuristic-baselines tab:heuristic-baselines", .section = SAT, .place = "Table 7 (rule-based heuristics)",
    .title = "3-SAT: rules against models", .note = "theirs: rules have 4,096 decisions, models 4,096 tokens; ours: traces of random formulas end after 48 blocks (n=50) and 32 (n=75), more than 4,096 tokens show; planted ones after 240",
    .seeds = {1, 5}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(SOLVED("solved", RULES_LOOP)),
    .row = ROWS(RULE("occurrence-50", "occurrence, n=50 planted", "occurrence_domain", .paper = PAPER("100")),
                RULE("vsids-50", "VSIDS, n=50 planted", "vsids_domain", .paper = PAPER("100")),
                RULE("random-50", "random, n=50 planted", "pure_random", .paper = PAPER("100")),
                RULE("occurrence-50r", "occurrence, n=50 random", "occurrence_domain", .test = "family=phase ratio=4.26", .paper = PAPER("100")),
                RULE("vsids-50r", "VSIDS, n=50 random", "vsids_domain", .test = "family=phase ratio=4.26", .paper = PAPER("100")),
                RULE("random-50r", "random, n=50 random", "pure_random", .test = "family=phase ratio=4.26", .paper = PAPER("100")),
                RULE("occurrence-75", "occurrence, n=75 random", "occurrence_domain", .test = "n=75 family=phase ratio=4.26", .paper = PAPER("100")),
                RULE("vsids-75", "VSIDS, n=75 random", "vsids_domain", .test = "n=75 family=phase ratio=4.26", .paper = PAPER("100")),
                RULE("random-75", "random, n=75 random", "pure_random", .test = "n=75 family=phase ratio=4.26", .paper = PAPER("57.5")),
                MODEL("ssa-50", "SSA, state-rebuilt, n=50 planted", "sat50e-ssa", .search = "decisions=500 tokens=4096", .paper = PAPER("93.4 ± 2.3"), .note = STREAM_42("92.2 ± 2.6")),
                MODEL("causal-50", "causal, state-rebuilt, n=50 planted", "sat50e-causal", .search = "decisions=500 tokens=4096", .paper = PAPER("4.8 ± 1.2"), .note = STREAM_42("4.3 ± 1.2")),
                MODEL("ssa-50-cum", "SSA, cumulative, n=50 planted", "sat50e-ssa", .search = CUM("4096") " decisions=500", .paper = PAPER("28.9 ± 1.9"), .note = STREAM_42("35.9 ± 2.7")),
                MODEL("causal-50-cum", "causal, cumulative, n=50 planted", "sat50e-causal", .search = CUM("4096") " decisions=500", .paper = PAPER("16.5 ± 11.2"), .note = STREAM_42("21.7 ± 13.3")),
                MODEL("ssa-50r-cum", "SSA, cumulative, n=50 random", "sat50x-ssa", .search = CUM("4096") " decisions=500", .paper = PAPER("25.6 ± 1.6")),
                MODEL("causal-50r-cum", "causal, cumulative, n=50 random", "sat50x-causal", .search = CUM("4096") " decisions=500", .paper = PAPER("16.0 ± 7.2")),
                MODEL("ssa-75-cum", "SSA, cumulative, n=75 random", "sat75-ssa", .search = CUM("4096") " decisions=500", .paper = PAPER("11.4 ± 1.4")),
                MODEL("causal-75-cum", "causal, cumulative, n=75 random", "sat75-causal", .search = CUM("4096") " decisions=500", .paper = PAPER("6.4 ± 4.7")),
                MODEL("mlp", "MLP on state features, n=50 planted", "sat50e-mlp", .paper = PAPER("99.2 ± 0.8"),
                      .note = "theirs: values that have failed are not on offer, the step counter is an input; ours: a repeated value ends the search, no step counter")),
};

const sw_experiment sw_experiment_slots = {
    .id = "slots", .aliases = "T20 slot-mask-factorial tab:slot-mask-factorial", .section = MASKS, .place = "Table 20 (slots by mask)",
    .title = "Do slots matter, and to whom?", .note = "theirs: 32 slots; ours: 8", .seeds = {3, 5},
    .column = COLUMNS(SOLVED("cumulative", "protocol=cumulative loop=masked")),
    .row = ROWS(MODEL("sat-ssa", "SAT, SSA, slots", "sat50e-ssa", .search = "tokens=4096", .paper = PAPER("28.9 ± 1.9")),
                MODEL("sat-ssa-0", "SAT, SSA, no slots", "sat50e-ssa0", .search = "tokens=4096", .paper = PAPER("34.1 ± 2.0")),
                MODEL("sat-causal", "SAT, causal, slots", "sat50e-causal", .search = "tokens=4096", .paper = PAPER("16.5 ± 11.2")),
                MODEL("sat-causal-0", "SAT, causal, no slots", "sat50e-noslot", .seeds = 1, .search = "tokens=4096", .paper = PAPER("8.2 ± 10.6")),
                MODEL("coloring-ssa", "colouring, SSA, slots", "coloring30-ssa", .search = "tokens=2048", .paper = PAPER("51.3 ± 3.1")),
                MODEL("coloring-ssa-0", "colouring, SSA, no slots", "coloring30-ssa0", .search = "tokens=2048", .paper = PAPER("57.5 ± 7.7")),
                MODEL("coloring-causal", "colouring, causal, slots", "coloring30-causal", .search = "tokens=2048", .paper = PAPER("34.3 ± 4.7")),
                MODEL("coloring-causal-0", "colouring, causal, no slots", "coloring30-noslot", .search = "tokens=2048", .paper = PAPER("34.2 ± 4.8"))),
    .statistic = TESTS(TEST("SAT, SSA: without slots minus with", PAIRED_T, 0, "sat-ssa-0", "sat-ssa", .paper = "5.2"),
                       TEST("SAT, causal: without slots minus with", PAIRED_T, 0, "sat-causal-0", "sat-causal", .paper = "-8.3"),
                       TEST("SAT: SSA minus causal, slots", PAIRED_T, 0, "sat-ssa", "sat-causal", .paper = "12.4"),
                       TEST("SAT: SSA minus causal, no slots", PAIRED_T, 0, "sat-ssa-0", "sat-causal-0", .paper = "25.9"),
                       TEST("colouring, SSA: without slots minus with", PAIRED_T, 0, "coloring-ssa-0", "coloring-ssa", .paper = "6.2"),
                       TEST("colouring, causal: without slots minus with", PAIRED_T, 0, "coloring-causal-0", "coloring-causal", .paper = "-0.1"),
                       TEST("colouring: SSA minus causal, slots", PAIRED_T, 0, "coloring-ssa", "coloring-causal", .paper = "17.0"),
                       TEST("colouring: SSA minus causal, no slots", PAIRED_T, 0, "coloring-ssa-0", "coloring-causal-0", .paper = "23.3"),
                       TEST("SAT, SSA: without slots minus with, by instance", INSTANCES, 0, "sat-ssa-0", "sat-ssa", 0),
                       TEST("SAT, causal: without slots minus with, by instance", INSTANCES, 0, "sat-causal-0", "sat-causal", 0),
                       TEST("SAT: SSA minus causal, slots, by instance", INSTANCES, 0, "sat-ssa", "sat-causal", 0),
                       TEST("SAT: SSA minus causal, no slots, by instance", INSTANCES, 0, "sat-ssa-0", "sat-causal-0", 0),
                       TEST("colouring, SSA: without slots minus with, by instance", INSTANCES, 0, "coloring-ssa-0", "coloring-ssa", 0),
                       TEST("colouring, causal: without slots minus with, by instance", INSTANCES, 0, "coloring-causal-0", "coloring-causal", 0),
                       TEST("colouring: SSA minus causal, slots, by instance", INSTANCES, 0, "coloring-ssa", "coloring-causal", 0),
                       TEST("colouring: SSA minus causal, no slots, by instance", INSTANCES, 0, "coloring-ssa-0", "coloring-causal-0", 0)),
};

const sw_experiment sw_experiment_crossmask = {
    .id = "cross-mask", .aliases = "T22 crossmask tab:crossmask", .section = MASKS, .place = "Table 22 (cross-mask evaluation)",
    .title = "Trained under one mask, run under another", .note = "theirs: one seed", .seeds = {1, 1},
    .column = COLUMNS(SOLVED("cumulative", "protocol=cumulative loop=masked")),
    .row = ROWS(MODEL("sat-bb", "SAT, blanket run as blanket", "sat30e-blanket", .search = "tokens=4096", .paper = PAPER("61.5")),
                MODEL("sat-ss", "SAT, selective run as selective", "sat30e-ssa", .search = "tokens=4096", .paper = PAPER("59.0")),
                MODEL("sat-bs", "SAT, blanket run as selective", "sat30e-blanket", .search = "tokens=4096", .mask = "ssa", .paper = PAPER("27.0")),
                MODEL("sat-sb", "SAT, selective run as blanket", "sat30e-ssa", .search = "tokens=4096", .mask = "blanket", .paper = PAPER("10.5")),
                MODEL("coloring-bb", "colouring, blanket run as blanket", "coloring30-blanket", .search = "tokens=2048", .paper = PAPER("47.0")),
                MODEL("coloring-ss", "colouring, selective run as selective", "coloring30-ssa", .search = "tokens=2048", .paper = PAPER("47.5")),
                MODEL("coloring-bs", "colouring, blanket run as selective", "coloring30-blanket", .search = "tokens=2048", .mask = "ssa", .paper = PAPER("4.5")),
                MODEL("coloring-sb", "colouring, selective run as blanket", "coloring30-ssa", .search = "tokens=2048", .mask = "blanket", .paper = PAPER("4.0"))),
};

#define MARKED "ours: the block shows which value is left at a retry (retry-mark), which theirs strips; not judged"
#define HELPED "colours were replaced in every search that was solved, so that the row says little of the model"
const sw_experiment sw_experiment_factorial = {
    .id = "factorial", .aliases = "T23 tab:factorial", .section = MASKS, .place = "Table 23 (mask by trace format)",
    .title = "Blanket or selective, enriched or stripped", .note = "theirs: 5 seeds; colouring: theirs shows the legal colours in either format and offers no others; ours keeps each format as it was trained, and a colour that is not legal, or has failed, is replaced by the best one that is neither, for the rules beside it too (their floor misses no conflict then)", .seeds = {1, 5},
    .column = COLUMNS(SOLVED("cumulative", "protocol=cumulative loop=masked")),
    .row = ROWS(MODEL("coloring-eb", "colouring, enriched, blanket", "coloring30e-blanket", .search = "tokens=2048 on-error=rescue", .paper = PAPER("49.5 ± 4.6"), .unjudged = 1, .note = HELPED),
                MODEL("coloring-es", "colouring, enriched, selective", "coloring30e-ssa", .search = "tokens=2048 on-error=rescue", .paper = PAPER("48.8 ± 4.3"), .unjudged = 1, .note = HELPED),
                MODEL("coloring-sb", "colouring, stripped, blanket", "coloring30s-blanket", .search = "tokens=2048 on-error=rescue", .paper = PAPER("53.4 ± 2.4"), .unjudged = 1, .note = HELPED),
                MODEL("coloring-ss", "colouring, stripped, selective", "coloring30s-ssa", .search = "tokens=2048 on-error=rescue", .paper = PAPER("53.0 ± 1.2"), .unjudged = 1, .note = HELPED),
                MODEL("sat-eb", "SAT, enriched, blanket", "sat30e-blanket", .search = "tokens=4096", .paper = PAPER("64.8 ± 2.0")),
                MODEL("sat-es", "SAT, enriched, selective", "sat30e-ssa", .search = "tokens=4096", .paper = PAPER("61.9 ± 3.1")),
                MODEL("sat-sb", "SAT, stripped, blanket", "sat30s-blanket", .search = "tokens=4096", .paper = PAPER("13.1 ± 2.5"), .unjudged = 1, .note = MARKED),
                MODEL("sat-ss", "SAT, stripped, selective", "sat30s-ssa", .search = "tokens=4096", .paper = PAPER("13.9 ± 1.5"), .unjudged = 1, .note = MARKED)),
    .statistic = TESTS(TEST("colouring: interaction of mask and format", INTERACTION, 0, "coloring-eb", "coloring-es", .c = "coloring-sb", .d = "coloring-ss", .paper = "0.3 (p .925)"),
                       TEST("SAT: interaction of mask and format", INTERACTION, 0, "sat-eb", "sat-es", .c = "sat-sb", .d = "sat-ss", .paper = "3.7 (p .139)"),
                       TEST("colouring, enriched: blanket minus selective", INSTANCES, 0, "coloring-eb", "coloring-es", .paper = "0.7"),
                       TEST("SAT, enriched: blanket minus selective", INSTANCES, 0, "sat-eb", "sat-es", .paper = "2.9"),
                       TEST("colouring, stripped: blanket minus selective", INSTANCES, 0, "coloring-sb", "coloring-ss", .paper = "0.4"),
                       TEST("SAT, stripped: blanket minus selective", INSTANCES, 0, "sat-sb", "sat-ss", .paper = "-0.8")),
};

#define PER_SEED_ROWS                                                                                                                       \
    ROWS(MODEL("coloring-selective", "colouring, selective", "coloring30-ssa", .search = "tokens=2048", .paper = PAPER("51.3 ± 3.1")),      \
         MODEL("coloring-blanket", "colouring, blanket", "coloring30-blanket", .search = "tokens=2048", .paper = PAPER("47.9 ± 3.5")),      \
         MODEL("coloring-causal", "colouring, causal", "coloring30-causal", .search = "tokens=2048", .paper = PAPER("34.3 ± 4.7")),         \
         MODEL("coloring-swa", "colouring, sliding window", "coloring30-swa", .search = "tokens=2048", .paper = PAPER("41.2 ± 3.5")),       \
         MODEL("sat-selective", "SAT, selective", "sat30e-ssa", .search = "tokens=4096", .paper = PAPER("61.9 ± 3.1")),                     \
         MODEL("sat-blanket", "SAT, blanket", "sat30e-blanket", .search = "tokens=4096", .paper = PAPER("64.8 ± 2.0")),                     \
         MODEL("sat-causal", "SAT, causal", "sat30e-causal", .search = "tokens=4096", .paper = PAPER("54.1 ± 2.9")),                        \
         MODEL("sat-swa", "SAT, sliding window", "sat30e-swa", .search = "tokens=4096", .paper = PAPER("46.9 ± 21.0")))
const sw_experiment sw_experiment_bootstrap = {
    .id = "bootstrap", .aliases = "T24 bootstrap-cis tab:bootstrap-cis", .section = MASKS, .place = "Table 24 (bootstrap intervals)",
    .title = "Differences between masks, seeds resampled in common",
    .note = "theirs: the better of selective and blanket is called SSA in each resample, five seeds; ours: selective, three seeds, whose resampled interval is little more than their range: Student's over seeds and instances stands below it", .seeds = {3, 5},
    .column = COLUMNS(SOLVED("cumulative", "protocol=cumulative loop=masked")), .row = PER_SEED_ROWS,
    .statistic = TESTS(TEST("colouring: SSA minus causal", SEEDS, 0, "coloring-selective", "coloring-causal", .paper = "17.0 [12.9, 21.6]"),
                       TEST("colouring: selective minus blanket", SEEDS, 0, "coloring-selective", "coloring-blanket", .paper = "3.4 [0.0, 7.5]"),
                       TEST("colouring: SSA minus sliding window", SEEDS, 0, "coloring-selective", "coloring-swa", .paper = "10.1 [7.8, 13.2]"),
                       TEST("SAT: SSA minus causal", SEEDS, 0, "sat-selective", "sat-causal", .paper = "10.7 [7.5, 14.1]"),
                       TEST("SAT: selective minus blanket", SEEDS, 0, "sat-selective", "sat-blanket", .paper = "-2.9 [-4.4, -1.3]"),
                       TEST("SAT: SSA minus sliding window", SEEDS, 0, "sat-selective", "sat-swa", .paper = "17.9 [8.3, 35.0]"),
                       TEST("colouring: SSA minus causal, by instance", INSTANCES, 0, "coloring-selective", "coloring-causal", 0),
                       TEST("colouring: selective minus blanket, by instance", INSTANCES, 0, "coloring-selective", "coloring-blanket", 0),
                       TEST("colouring: SSA minus sliding window, by instance", INSTANCES, 0, "coloring-selective", "coloring-swa", 0),
                       TEST("SAT: SSA minus causal, by instance", INSTANCES, 0, "sat-selective", "sat-causal", 0),
                       TEST("SAT: selective minus blanket, by instance", INSTANCES, 0, "sat-selective", "sat-blanket", 0),
                       TEST("SAT: SSA minus sliding window, by instance", INSTANCES, 0, "sat-selective", "sat-swa", 0)),
};
const sw_experiment sw_experiment_perseed = {
    .id = "seeds", .judged_in = "bootstrap", .aliases = "perseed fig:perseed fig:perseed-gc fig:perseed-sat", .section = MASKS, .place = "Figure (per seed)", .title = "Solve rates seed by seed",
    .note = "the models of Table 24", .seeds = {3, 5}, .column = COLUMNS(SOLVED("cumulative", "protocol=cumulative loop=masked")), .row = PER_SEED_ROWS,
    .figure = FIGURES(PLOT("perseed", "Every model, by seed", SEEDS, NULL, "solved (%)", 0)),
};

const sw_experiment sw_experiment_testseeds = {
    .id = "test-seeds", .aliases = "T25 multi-instance-seed tab:multi-instance-seed", .section = SAT, .place = "Table 25 (several test seeds)",
    .title = "3-SAT n=50: other test instances", .note = "theirs: 5 model seeds", .seeds = {1, 5},
    .column = COLUMNS({.title = "test seed 100", .settings = "", .test_seeds = "100"}, {.title = "test seed 200", .settings = "", .test_seeds = "200"},
                      {.title = "test seed 300", .settings = "", .test_seeds = "300"}, {.title = "pooled", .settings = "", .test_seeds = "100 200 300"}),
    .row = ROWS(MODEL("ssa-cum", "SSA, cumulative", "sat50e-ssa", .search = CUM("4096"), .paper = PAPER("35.4 ± 2.7", "34.4 ± 1.6", "37.9 ± 2.9", "35.9 ± 2.7")),
                MODEL("causal-cum", "causal, cumulative", "sat50e-causal", .search = CUM("4096"), .paper = PAPER("19.8 ± 13.7", "22.2 ± 14.5", "23.1 ± 14.8", "21.7 ± 13.3")),
                MODEL("ssa-sr", "SSA, state-rebuilt", "sat50e-ssa", .search = SR("4096"), .paper = PAPER("90.9 ± 2.4", "94.1 ± 2.2", "91.6 ± 2.5", "92.2 ± 2.6")),
                MODEL("causal-sr", "causal, state-rebuilt", "sat50e-causal", .search = SR("4096"), .paper = PAPER("3.6 ± 1.1", "4.4 ± 1.2", "4.8 ± 1.3", "4.3 ± 1.2"))),
};

const sw_experiment sw_experiment_compute = {
    .id = "compute", .aliases = "T26 compute-accounting tab:compute-accounting", .section = SAT, .place = "Table 26 (compute accounting)",
    .title = "3-SAT n=50: what a search costs", .note = "theirs: D forward passes of up to 8,192 tokens (cumulative) or about 1,300 (state-rebuilt); D about 30 for SSA, 95 for the MLP; ours: states at which the model was asked (it reads on for each token that it chooses there)",
    .seeds = {1, 5}, .beside = SW_BESIDE_EXACT,
    .column = COLUMNS(NUMBER("decisions, cumulative", CUM("4096"), "decisions"), NUMBER("tokens, cumulative", CUM("4096"), "tokens"),
                      NUMBER("decisions, state-rebuilt", SR("4096"), "decisions"), NUMBER("tokens, state-rebuilt", SR("4096"), "tokens"),
                      {.title = "seconds, state-rebuilt", .settings = SR("4096"), .figure = "seconds", .unit = "s"}, CARD("parameters", "parameters", ""),
                      NUMBER("states asked, cumulative", CUM("4096"), "states_asked"), NUMBER("states asked, state-rebuilt", SR("4096"), "states_asked")),
    .row = ROWS(MODEL("ssa", "SSA", "sat50e-ssa", .paper = PAPER("30", NULL, NULL, NULL, NULL, NULL, NULL, NULL)), MODEL("causal", "causal", "sat50e-causal", 0),
                MODEL("mlp", "MLP on state features", "sat50e-mlp", .paper = PAPER(NULL, NULL, "95", NULL, NULL, NULL, NULL, NULL),
                      .note = "it reads a vector of about a thousand numbers, so its tokens are those of the dialogue that it is not shown")),
};

const sw_experiment sw_experiment_randomsat = {
    .id = "random-sat", .aliases = "T27 tab:random-sat", .section = SAT, .place = "Table 27 (random 3-SAT)",
    .title = "3-SAT n=50: planted at 4.0 or random at 4.26", .note = "theirs: 5 seeds; both: trained and tested on the same family; ours: traces of random formulas end after 48 blocks, little more than 4,096 tokens show, planted ones after 240, so that the difference is of both", .seeds = {1, 5},
    .column = COLUMNS(SOLVED("cumulative", CUM("4096"))),
    .row = ROWS(MODEL("ssa-planted", "SSA, planted", "sat50e-ssa", .paper = PAPER("28.9 ± 1.9")), MODEL("ssa-random", "SSA, random", "sat50x-ssa", .paper = PAPER("25.6 ± 1.6")),
                MODEL("swa-planted", "sliding window, planted", "sat50e-swa", .paper = PAPER("28.2 ± 1.8")), MODEL("swa-random", "sliding window, random", "sat50x-swa", .paper = PAPER("21.4 ± 2.8")),
                MODEL("causal-planted", "causal, planted", "sat50e-causal", .paper = PAPER("16.5 ± 11.2")), MODEL("causal-random", "causal, random", "sat50x-causal", .paper = PAPER("16.0 ± 7.2"))),
    .statistic = TESTS(TEST("SSA: random minus planted", WELCH_T, 0, "ssa-random", "ssa-planted", .paper = "-3.3"),
                       TEST("sliding window: random minus planted", WELCH_T, 0, "swa-random", "swa-planted", .paper = "-6.8"),
                       TEST("causal: random minus planted", WELCH_T, 0, "causal-random", "causal-planted", .paper = "-0.5")),
};

#define LINEAR "states=400 instances=300"
#define LINEAR_ON(name, what) {.title = name, .source = SW_SOURCE_TRACES, .settings = "preset=sat-50-release traces=500 block-number=1", .figure = what}
const sw_experiment sw_experiment_irrelevance = {
    .id = "history-irrelevance", .aliases = "T28 tab:history-irrelevance", .section = SAT, .place = "Table 28 (history irrelevance)",
    .title = "A linear classifier on hidden states: is the state a conflict?",
    .note = "theirs: accuracy on hidden states of training formulas; ours: held-out instances, with the majority rate beside it. The row without a model: logistic regression on features of the state, and with counts of the history added, as published (500 traces, split by trace, the block number among the state's features); all of it is about what always saying the majority gives",
    .seeds = {1, 5}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(MEASURE("accuracy", "representation", LINEAR, "linear.accuracy", NULL), MEASURE("balanced accuracy", "representation", LINEAR, "linear.balanced_accuracy", NULL),
                      MEASURE("always the majority", "representation", LINEAR, "linear.majority", NULL), MEASURE("AUROC", "representation", LINEAR, "linear.auroc", ""),
                      LINEAR_ON("features of the state", "state"), LINEAR_ON("features of state and history", "both"), CHANGE("what the history adds", 4, 5),
                      LINEAR_ON("balanced, state", "state_balanced"), LINEAR_ON("balanced, state and history", "both_balanced"), LINEAR_ON("majority of the traces", "majority")),
    .row = ROWS(MODEL("ssa", "SSA", "sat50e-ssa", .paper = PAPER("89.6 ± 0.4", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), .columns = 15), MODEL("causal", "causal", "sat50e-causal", .paper = PAPER("92.4 ± 0.2", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), .columns = 15),
                RULE("features", "no model: a linear classifier of features", "clause+exact", .columns = 0x3f0, .paper = PAPER(NULL, NULL, NULL, NULL, "81.6 ± 0.1", "83.0 ± 0.4", "1.4 ± 0.3", NULL, NULL, NULL))),
};

#define BANK "construction=release resamples=200"
#define FAIR_BANK "viable=1000 conflicts=250 fewer=1 resamples=200"
#define BANKED(name, how, part, which) {.title = name ", " part, .source = SW_SOURCE_PROBE, .probe = "bank", .settings = how, .figure = part "." which, .interval = part ".interval." which, .unit = ""}
#define BANKED_ALL(how, part) \
    BANKED("false prunes", how, part, "false_prune_rate"), BANKED("missed", how, part, "missed_conflict_rate"), BANKED("AUROC", how, part, "auroc"), \
    BANKED("AUPRC", how, part, "auprc"), BANKED("ECE", how, part, "ece"), BANKED("Brier", how, part, "brier")
#define BANK_COLUMNS(how) COLUMNS(BANKED_ALL(how, "cumulative"), BANKED_ALL(how, "rebuilt"), MEASURE("AUROC at equal size", "bank", how, "cumulative.auroc_within_size", ""))
const sw_experiment sw_experiment_calibration = {
    .id = "calibration", .aliases = "T29 verifier-calibration tab:verifier-calibration", .section = "verification", .place = "Table 29 (verifier calibration), 3-SAT",
    .title = "3-SAT n=50: going back as a classifier, on the published bank of states",
    .note = "a model that knows nothing reaches AUROC .870 on this bank, counting unassigned variables .969; the last column compares states of equal size only",
    .seeds = {1, 5}, .beside = SW_BESIDE_NONE, .column = BANK_COLUMNS(BANK),
    .row = ROWS(MODEL("ssa", "SSA", "sat50e-ssa", .paper = PAPER("0.092 ± 0.011", "0.536 ± 0.237", "0.904 ± 0.020", "0.392 ± 0.098", "0.104 ± 0.020", "0.110 ± 0.019", "0.092 ± 0.011", "0.536 ± 0.237", "0.904 ± 0.020", "0.392 ± 0.098", "0.104 ± 0.020", "0.110 ± 0.019", NULL)),
                MODEL("causal", "causal", "sat50e-causal", .paper = PAPER("0.029 ± 0.010", "0.510 ± 0.064", "0.944 ± 0.007", "0.539 ± 0.038", "0.041 ± 0.007", "0.057 ± 0.005", "0.027 ± 0.029", "0.986 ± 0.027", "0.772 ± 0.096", "0.188 ± 0.039", "0.091 ± 0.013", "0.094 ± 0.012", NULL)),
                MODEL("block-only", "current block only", "sat50e-block", .paper = PAPER("0.122 ± 0.008", "0.421 ± 0.120", "0.807 ± 0.025", "0.228 ± 0.020", "0.180 ± 0.041", "0.125 ± 0.020", "0.122 ± 0.008", "0.421 ± 0.120", "0.807 ± 0.025", "0.228 ± 0.020", "0.180 ± 0.041", "0.125 ± 0.020", NULL)),
                MODEL("dropout-5", "block dropout 0.5", "sat50e-dropout5", .paper = PAPER("0.029 ± 0.006", "0.515 ± 0.114", "0.942 ± 0.015", "0.548 ± 0.075", "0.038 ± 0.007", "0.056 ± 0.008", "0.015 ± 0.014", "0.993 ± 0.012", "0.735 ± 0.084", "0.171 ± 0.044", "0.090 ± 0.014", "0.090 ± 0.006", NULL)),
                MODEL("dropout-9", "block dropout 0.9", "sat50e-dropout9", .paper = PAPER("0.028 ± 0.016", "0.722 ± 0.145", "0.911 ± 0.021", "0.427 ± 0.090", "0.055 ± 0.015", "0.070 ± 0.011", "0.008 ± 0.006", "0.996 ± 0.008", "0.800 ± 0.019", "0.198 ± 0.023", "0.086 ± 0.012", "0.088 ± 0.004", NULL)),
                MODEL("lstm", "LSTM", "sat50e-lstm", .paper = PAPER("0.050 ± 0.025", "0.288 ± 0.068", "0.938 ± 0.020", "0.604 ± 0.135", "0.048 ± 0.020", "0.056 ± 0.018", "0.089 ± 0.014", "0.851 ± 0.196", "0.832 ± 0.059", "0.237 ± 0.077", "0.127 ± 0.014", "0.129 ± 0.016", NULL),
                      .note = "theirs: 4 layers of 256; ours: 2 layers of 128 at the small scale"),
                MODEL("contrastive", "contrastive causal", "sat50e-contrastive", .paper = PAPER("0.002 ± 0.000", "1.000 ± 0.000", "0.863 ± 0.005", "0.241 ± 0.001", "0.088 ± 0.000", "0.087 ± 0.000", "0.002 ± 0.000", "1.000 ± 0.000", "0.865 ± 0.001", "0.241 ± 0.001", "0.088 ± 0.000", "0.087 ± 0.000", NULL)),
                MODEL("contrastive-ssa", "contrastive SSA", "sat50e-contrastive-ssa", .paper = PAPER("0.001 ± 0.001", "1.000 ± 0.000", "0.866 ± 0.001", "0.242 ± 0.001", "0.087 ± 0.000", "0.087 ± 0.000", "0.001 ± 0.001", "1.000 ± 0.000", "0.866 ± 0.001", "0.242 ± 0.001", "0.087 ± 0.000", "0.087 ± 0.000", NULL)),
                MODEL("null", "null history", "sat50e-null", .paper = PAPER("0.053 ± 0.027", "0.830 ± 0.234", "0.887 ± 0.029", "0.301 ± 0.071", "0.080 ± 0.026", "0.087 ± 0.015", "0.024 ± 0.019", "1.000 ± 0.000", "0.854 ± 0.015", "0.243 ± 0.011", "0.100 ± 0.010", "0.094 ± 0.007", NULL)),
                MODEL("window", "sliding window 3", "sat50e-window", .paper = PAPER("0.089 ± 0.010", "0.798 ± 0.090", "0.863 ± 0.011", "0.253 ± 0.012", "0.107 ± 0.015", "0.094 ± 0.006", "0.070 ± 0.014", "1.000 ± 0.000", "0.843 ± 0.007", "0.234 ± 0.004", "0.110 ± 0.007", "0.100 ± 0.003", NULL))),
};
const sw_experiment sw_experiment_calibration_gc = {
    .id = "calibration-coloring", .section = "verification", .place = "Table 29 (verifier calibration), graph colouring",
    .title = "Graph colouring n=30: going back as a classifier", .note = "theirs: the last token tells the two classes apart; ours: the repaired bank",
    .seeds = {1, 5}, .beside = SW_BESIDE_NONE, .column = BANK_COLUMNS(FAIR_BANK),
    .row = ROWS(MODEL("ssa", "SSA", "coloring30-ssa", .paper = PAPER("0.000 ± 0.000", "0.965 ± 0.029", "1.000 ± 0.000", "1.000 ± 0.000", "0.337 ± 0.024", "0.312 ± 0.041", "0.000 ± 0.000", "0.968 ± 0.024", "1.000 ± 0.000", "1.000 ± 0.001", "0.347 ± 0.014", "0.329 ± 0.024", NULL)),
                MODEL("causal", "causal", "coloring30-causal", .paper = PAPER("0.000 ± 0.000", "1.000 ± 0.000", "0.987 ± 0.011", "0.963 ± 0.028", "0.371 ± 0.001", "0.368 ± 0.003", "0.047 ± 0.028", "0.984 ± 0.016", "0.880 ± 0.008", "0.650 ± 0.026", "0.376 ± 0.026", "0.377 ± 0.016", NULL))),
};
/* clang-format on */
