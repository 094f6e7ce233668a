/* The quickstart, the flagship, and the experiments of single domains. Numbers
 * are the paper's: percent solved, mean and standard deviation over its seeds
 * where it gives them. */
#include "repro/groups.h"
#include "repro/table.h"

#define FOUR_LOOPS                                                     \
  COLUMNS(SOLVED("rebuilt, open", "protocol=rebuilt loop=open"),       \
          SOLVED("rebuilt, masked", "protocol=rebuilt loop=masked"),   \
          SOLVED("cumulative, open", "protocol=cumulative loop=open"), \
          SOLVED("cumulative, masked", "protocol=cumulative loop=masked"))
#define PAPER_LOOP(tokens)                     \
  COLUMNS(SOLVED("cumulative", CUM(tokens)),   \
          SOLVED("state-rebuilt", SR(tokens)), \
          COSTS("cumulative", CUM(tokens)),    \
          COSTS("state-rebuilt", SR(tokens)), SIZES)
#define OPEN_LOOP(tokens)                           \
  COLUMNS(SOLVED("cumulative", CUM_OPEN(tokens)),   \
          SOLVED("state-rebuilt", SR_OPEN(tokens)), \
          COSTS("cumulative", CUM_OPEN(tokens)),    \
          COSTS("state-rebuilt", SR_OPEN(tokens)), SIZES)

#define OWN "experiments of our own"
#define MAIN "main results"

/* clang-format off */
const sw_experiment sw_quickstart_experiment = {
    .id = "quickstart", .section = OWN, .place = "none: a small version of the flagship",
    .title = "3-SAT n=8: with and without history",
    .note = "small models, evidence format, the model itself goes back; the rival reads its history and is trained until it solves with it",
    .seeds = {1, 1}, .beside = SW_BESIDE_EXACT,
    .column = COLUMNS(SOLVED("with its history", "protocol=cumulative verifier=model"),
                      SOLVED("without its history", "protocol=rebuilt verifier=model"),
                      SOLVED("without, at its positions", "protocol=rebuilt-in-place verifier=model"),
                      {.title = "same state, same choice", .source = SW_SOURCE_PROBE, .probe = "transplant",
                       .settings = "states=500 instances=200 rollouts=8 blocks=24 random-choice=0.5 rebuilt=1 per-instance=0 histories=3 policy=0 resamples=400",
                       .figure = "argmax_agreement", .interval = "verification.argmax_interval"},
                      CARD("training time", "seconds", "s")),
    .row = ROWS(MODEL("ssa", "SSA", "quick-ssa", 0),
                MODEL("causal", "causal", "quick-causal", 0),
                RULE("floor", "never back (no model)", "jw+own", .search = "verifier=never", .columns = 7)),
    .statistic = TESTS(TEST("SSA, with minus without", INSTANCES, 0, "ssa", "ssa", .other = 2),
                       TEST("causal, with minus without", INSTANCES, 0, "causal", "causal", .other = 2),
                       TEST("causal, with minus without at its positions", INSTANCES, 0, "causal", "causal", .other = 3)),
};

/* Bits of the columns behind the four of the paper. */
#define REBUILT_COSTS (0x3ffu << 12)
#define BOTH_COSTS (0x3ffffu << 4)
const sw_experiment sw_experiment_flagship = {
    .id = "flagship", .aliases = "T1 protocol-bridge tab:flagship tab:protocol-bridge", .section = MAIN,
    .place = "Table 1 (flagship)",
    .title = "3-SAT n=50, enriched format: who needs its history?",
    .note = "theirs: published data and sizes, one supervised action in thirty where the history is reduced; ours: disjoint test instances; rows of reduced history see a quarter of the actions of the state-only rows",
    .seeds = {3, 5},
    .column = COLUMNS(SOLVED("cumulative", CUM("4096")), SOLVED("state-rebuilt", SR("4096")),
                      SOLVED("state-rebuilt, random variable", SR_RANDOM("4096")),
                      CHANGE("change without history", 0, 1), COSTS("cumulative", CUM("4096")), COSTS("state-rebuilt", SR("4096")), SIZES),
    .row = ROWS(MODEL("ssa", "SSA", "sat50e-ssa", .paper = PAPER("28.9 ± 1.9", "93.4 ± 2.3", "89.5 ± 1.1", "64.5")),
                MODEL("causal", "causal", "sat50e-causal", .paper = PAPER("16.5 ± 11.2", "4.8 ± 1.2", "4.0 ± 0.0", "-11.7")),
                MODEL("noslot", "causal without slots", "sat50e-noslot", .seeds = 1),
                MODEL("state-only", "causal, state only", "sat50e-state", .seeds = 1, .paper = PAPER(NULL, "69.3 ± 18.1", "44.9 ± 8.9", NULL), .columns = 6 | REBUILT_COSTS,
                      .note = "one block of each trace, as theirs; ours: with the prefix hidden at first, until the loss is flat"),
                MODEL("state-only-100k", "causal, state only, 100,000 states", "sat50e-state100k", .seeds = 1, .paper = PAPER(NULL, "93.0 ± 2.0", "86.0 ± 6.9", NULL), .columns = 6 | REBUILT_COSTS),
                MODEL("mlp", "MLP on state features", "sat50e-mlp", .paper = PAPER(NULL, "99.2 ± 0.8", "100.0 ± 0.0", NULL), .columns = 6 | REBUILT_COSTS,
                      .note = "theirs: 4,096 decisions, values that have failed are not on offer, the step counter is an input, validation on states of training formulas; ours: the budget of the other rows, no step counter, validation on other formulas"),
                MODEL("block-dropout", "block dropout 0.5", "sat50e-dropout5", .seeds = 1, .paper = PAPER("24.8 ± 4.4", "3.8 ± 1.9", NULL, "-21.0"), .columns = 11 | BOTH_COSTS),
                MODEL("sliding-window", "sliding window 3", "sat50e-window", .seeds = 1, .paper = PAPER("5.3 ± 1.5", "3.2 ± 0.4", NULL, "-2.1"), .columns = 11 | BOTH_COSTS),
                MODEL("null", "null history", "sat50e-null", .seeds = 1, .paper = PAPER("4.2 ± 1.3", "4.2 ± 0.4", NULL, "0.1"), .columns = 11 | BOTH_COSTS),
                MODEL("lstm", "LSTM", "sat50e-lstm", .seeds = 1, .paper = PAPER("6.8 ± 3.6", "3.1 ± 0.9", NULL, "-3.7"), .columns = 11 | BOTH_COSTS,
                      .note = "theirs: 4 layers of 256, positions that count everything; ours: 2 layers of 128 at the small scale, the same positions")),
    .statistic = TESTS(TEST("SSA minus causal, cumulative", PAIRED_T, 0, "ssa", "causal", 0),
                       TEST("SSA minus causal, state-rebuilt", PAIRED_T, 1, "ssa", "causal", 0),
                       TEST("SSA, state-rebuilt minus cumulative", INSTANCES, 1, "ssa", "ssa", .other = 1, .paper = "64.5"),
                       TEST("causal, state-rebuilt minus cumulative", INSTANCES, 1, "causal", "causal", .other = 1, .paper = "-11.7")),
    .figure = FIGURES(PLOT("flagship-protocols", "With and without history", BARS, NULL, "solved (%)", 7)),
};

const sw_experiment sw_experiment_budget = {
    .id = "training-budget", .aliases = "T2 training-budget-main tab:training-budget-main", .section = MAIN,
    .place = "Table 2 (training budget)", .title = "What each model was trained on",
    .note = "theirs: 5,000 traces and about 150,000 actions, 5,000 states, or 100,000 states; ours: what the run card counted; tokens are states for the MLPs and graphs for the GNN",
    .seeds = {1, 1}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(CARD("steps", "steps", ""), CARD("tokens", "tokens", ""), CARD("parameters", "parameters", ""),
                      CARD("seconds", "seconds", "s"), CARD("validation loss", "valid_loss", "")),
    .row = ROWS(MODEL("ssa", "SSA", "sat50e-ssa", 0), MODEL("causal", "causal", "sat50e-causal", 0),
                MODEL("state-only", "causal, state only", "sat50e-state", 0),
                MODEL("state-only-100k", "causal, state only, 100,000 states", "sat50e-state100k", 0),
                MODEL("mlp", "MLP on state features", "sat50e-mlp", 0), MODEL("mlp-5k", "MLP, one state a trace", "sat50e-mlp5k", 0),
                MODEL("mlp-100k", "MLP, 100,000 states", "sat50e-mlp100k", 0),
                MODEL("gnn", "factor GNN", "sat50e-gnn", 0)),
};

#define SWAP "states=600 instances=600"
const sw_experiment sw_experiment_transplant = {
    .id = "transplant", .aliases = "T3 transplant-metrics tab:transplant-metrics", .section = MAIN,
    .place = "Table 3 (history transplant)", .title = "The same state after another history",
    .note = "theirs: pairs with identical histories counted too, SAT without going back as a choice, divergence of SSA 5.6e-14 where ours is 0; ours: both versions, distinct histories only",
    .seeds = {3, 5}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS({.title = "same action", .source = SW_SOURCE_PROBE, .probe = "transplant", .settings = SWAP, .figure = "policy.argmax_agreement", .interval = "policy.argmax_interval"},
                      MEASURE("symmetric KL, action", "transplant", SWAP, "policy.symmetric_kl", ""),
                      {.title = "same verdict", .source = SW_SOURCE_PROBE, .probe = "transplant", .settings = SWAP, .figure = "verification.argmax_agreement", .interval = "verification.argmax_interval"},
                      MEASURE("identical bits", "transplant", SWAP, "exact_equal_rate", NULL),
                      {.title = "pairs", .source = SW_SOURCE_PROBE, .probe = "transplant", .settings = SWAP, .figure = "pairs", .unit = "", .counts = 1}),
    .row = ROWS(MODEL("sat-ssa", "SAT n=50, SSA", "sat50e-ssa", .paper = PAPER("100.000 ± 0.000", NULL, NULL, NULL, "28420")),
                MODEL("sat-causal", "SAT n=50, causal", "sat50e-causal", .paper = PAPER("71.44 ± 7.62", "1.26 ± 0.22", NULL, NULL, "28420")),
                MODEL("sat-noslot", "SAT n=50, causal without slots", "sat50e-noslot", .seeds = 1),
                MODEL("coloring-ssa", "colouring n=30, SSA", "coloring30-ssa", .paper = PAPER("100.0", NULL, NULL, NULL, "458")),
                MODEL("coloring-causal", "colouring n=30, causal", "coloring30-causal", .paper = PAPER("89.1", "0.16", NULL, NULL, "458"))),
};

const sw_experiment sw_experiment_diagnostics = {
    .id = "diagnostics", .aliases = "T4 tab:diagnostics", .section = MAIN,
    .place = "Table 4 (model-level diagnostics)", .title = "Other explanations of the advantage, ruled out one by one",
    .note = "theirs: visited-set oracle without an intervention; hidden states invariant under SSA, not under causal; a causal model whose blocks hold the whole assignment (here: format `full`) 99.1 % right offline and at most 2 % in search, which no row here is; ours offline: blocks of which every supervised token is right",
    .seeds = {1, 5},
    .column = COLUMNS(MEASURE("interventions", "visited", "instances=50", "interventions", ""),
                      MEASURE("lowest cosine of hidden states", "representation", "states=300", "lowest_cosine", ""),
                      MEASURE("largest difference of hidden states", "representation", "states=300", "largest_gap", ""),
                      MEASURE("actions right offline", "length", "traces=60 instances=0", "action_exact", NULL),
                      SOLVED("state-rebuilt", SR("4096"))),
    .row = ROWS(MODEL("ssa", "SSA", "sat50e-ssa", .paper = PAPER("0", NULL, NULL, NULL, NULL)),
                MODEL("causal", "causal (its blocks show the whole state)", "sat50e-causal", 0)),
};

const sw_experiment sw_experiment_sat_50 = {
    .id = "sat-50", .section = OWN, .place = "none: the evidence format is ours",
    .title = "3-SAT n=50, evidence format: the model itself goes back",
    .note = "no row of the paper reads the model's own going back in SAT", .seeds = {1, 5},
    .column = FOUR_LOOPS,
    .row = ROWS(MODEL("ssa", "SSA", "sat50-ssa", 0), MODEL("causal", "causal", "sat50-causal", 0),
                MODEL("noslot", "causal without slots", "sat50-noslot", 0),
                MODEL("leaky", "causal as released", "sat50-leaky", 0)),
};

#define WITHIN(tokens, shown) \
    SOLVED("cumulative, " shown " tokens", CUM(tokens)), FIGURE("timeouts, " shown, CUM(tokens), "timeout_rate"), \
    FIGURE("wrongly exhausted, " shown, CUM(tokens), "exhausted_rate"), \
    NUMBER("decisions, " shown, CUM(tokens), "decisions"), NUMBER("backs, " shown, CUM(tokens), "mean_backs")
const sw_experiment sw_experiment_sat_30 = {
    .id = "sat-30", .aliases = "T5 ssa-sat tab:ssa-sat", .section = "3-SAT", .place = "Table 5: 3-SAT n=30 (one seed)",
    .title = "3-SAT n=30: two context budgets", .note = "both: enriched format, one seed", .seeds = {1, 1},
    .column = COLUMNS(WITHIN("4096", "4,096"), WITHIN("8192", "8,192")),
    .row = ROWS(MODEL("ssa", "SSA", "sat30e-ssa", .paper = PAPER("93.5", "6.5", "0.0", "22.5", "14.1", "99.0", "1.0", "0.0", "25.4", "16.6")),
                MODEL("causal", "causal", "sat30e-causal", .paper = PAPER("62.5", "2.0", "35.5", "18.5", "11.3", NULL, NULL, NULL, NULL, NULL))),
};

const sw_experiment sw_experiment_histories = {
    .id = "histories", .section = OWN, .place = "Table 1 (flagship), part B, at n=30",
    .title = "3-SAT n=30: can training on less history do what the mask does?",
    .note = "theirs: n=50, enriched format, one supervised action in thirty; ours: evidence format, supervision matched",
    .seeds = {1, 5}, .column = FOUR_LOOPS,
    .row = ROWS(MODEL("ssa", "SSA, whole traces", "sat30-ssa", .paper = PAPER(NULL, "93.4 ± 2.3", NULL, "28.9 ± 1.9")),
                MODEL("causal", "causal, whole traces", "sat30-causal", .paper = PAPER(NULL, "4.8 ± 1.2", NULL, "16.5 ± 11.2")),
                MODEL("full", "full history", "sat30-full", 0),
                MODEL("block-dropout", "block dropout 0.5", "sat30-dropout", .paper = PAPER(NULL, "3.8 ± 1.9", NULL, "24.8 ± 4.4")),
                MODEL("sliding-window", "sliding window 3", "sat30-window", .paper = PAPER(NULL, "3.2 ± 0.4", NULL, "5.3 ± 1.5")),
                MODEL("null", "null history", "sat30-null", .paper = PAPER(NULL, "4.2 ± 0.4", NULL, "4.2 ± 1.3")),
                MODEL("prefix-only", "state only", "sat30-state", .paper = PAPER(NULL, "69.3 ± 18.1", NULL, NULL)),
                MODEL("transplant", "transplanted history", "sat30-transplant", 0),
                MODEL("transplant-partial", "partly transplanted", "sat30-partial", 0),
                MODEL("contrastive", "contrastive, ours", "sat30-contrastive", 0),
                MODEL("contrastive-release", "contrastive, as released", "sat30-contrastive-release", 0)),
};

const sw_experiment sw_experiment_coloring_30 = {
    .id = "coloring-30", .judged_in = "coloring-scale", .section = "graph colouring", .place = "Table 17 (by size), n=30", .title = "graph colouring n=30",
    .note = "theirs: 5 seeds; both: 8,192 tokens", .seeds = {1, 5}, .column = PAPER_LOOP("8192"),
    .row = ROWS(MODEL("ssa", "SSA", "coloring30-ssa", .paper = PAPER("98.3 ± 0.6", NULL)),
                MODEL("causal", "causal", "coloring30-causal", .paper = PAPER("69.9 ± 1.8", NULL))),
};

const sw_experiment sw_experiment_coloring_50 = {
    .id = "coloring-50", .judged_in = "coloring-scale", .section = "graph colouring", .place = "Table 17 (by size), n=50", .title = "graph colouring n=50",
    .note = "theirs: 3 seeds; both: 8,192 tokens; ours: trained on graphs of 20 to 50 nodes and mean degree 7 to 13", .seeds = {1, 3}, .column = PAPER_LOOP("8192"),
    .row = ROWS(MODEL("ssa", "SSA", "coloring50-ssa", .test = "n=50 family=planted", .paper = PAPER("96.2 ± 1.5", NULL)),
                MODEL("causal", "causal", "coloring50-causal", .test = "n=50 family=planted", .paper = PAPER("0.2 ± 0.3", NULL))),
};

const sw_experiment sw_experiment_blocks_5 = {
    .id = "blocks-5", .judged_in = "blocks-seeds", .section = "Blocks World", .place = "Table 15 (multi-seed), 5 blocks", .title = "Blocks World, 5 blocks",
    .note = "both: 4,096 tokens; the causal model's traces end after 208 blocks, about what that shows, SSA's are whole searches", .seeds = {1, 5}, .column = OPEN_LOOP("4096"),
    .row = ROWS(MODEL("ssa", "SSA", "blocks5-ssa", .paper = PAPER("50.7 ± 2.9", NULL)),
                MODEL("causal", "causal", "blocks5-causal", .paper = PAPER("8.7 ± 2.4", NULL))),
};

const sw_experiment sw_experiment_blocks_7 = {
    .id = "blocks-7", .judged_in = "blocks-seeds", .section = "Blocks World", .place = "Table 15 (multi-seed), 7 blocks", .title = "Blocks World, 7 blocks",
    .note = "both: 4,096 tokens; the causal model's traces end after 208 blocks, about what that shows, SSA's are whole searches", .seeds = {1, 5}, .column = OPEN_LOOP("4096"),
    .row = ROWS(MODEL("ssa", "SSA", "blocks7-ssa", .paper = PAPER("16.1 ± 3.4", NULL)),
                MODEL("causal", "causal", "blocks7-causal", .paper = PAPER("5.2 ± 1.9", NULL))),
};

const sw_experiment sw_experiment_parsing = {
    .id = "parsing", .judged_in = "protocols", .section = "parsing", .place = "figure of the protocol response, parsing", .title = "backtracking parsing",
    .note = "theirs: 5 seeds; both: standard positions for the causal model; ours: rotary positions for SSA, 20,000 traces", .seeds = {1, 5}, .column = OPEN_LOOP("0"),
    .row = ROWS(MODEL("ssa", "SSA", "parsing-rival-ssa", .paper = PAPER("100.0 ± 0.0", "100.0 ± 0.0")),
                MODEL("causal", "causal", "parsing-rival-causal", .paper = PAPER("99.6 ± 0.3", "59.5 ± 38.5"))),
};
/* clang-format on */
