/* Experiments on graph colouring, Blocks World, parsing, trees and length. */
#include "repro/groups.h"
#include "repro/table.h"

#define COLORING "graph colouring"
#define BLOCKS "Blocks World"
#define TREES "trees"
#define LENGTH "length"

/* clang-format off */
/* ---- Blocks World ---- */
#define BW(tokens) SOLVED("solved, " tokens " tokens", CUM_OPEN(tokens)), FIGURE("repeats, " tokens, CUM_OPEN(tokens), "repeat_rate"), NUMBER("backs, " tokens, CUM_OPEN(tokens), "mean_backs")
const sw_experiment sw_experiment_blocks_budget = {
    .id = "blocks-budget", .aliases = "T14 ssa-bw tab:ssa-bw", .section = BLOCKS, .place = "Table 14 (budget, 5 blocks)", .title = "Blocks World, 5 blocks: two context budgets",
    .note = "theirs: one seed; the causal model's traces end after 208 blocks, about what 4,096 tokens show, SSA's are whole searches", .seeds = {1, 1}, .column = COLUMNS(BW("2048"), BW("4096")),
    .row = ROWS(MODEL("ssa", "SSA", "blocks5-ssa", .paper = PAPER("38", "4", "15.1", "53", "4", "29.7")), MODEL("causal", "causal", "blocks5-causal", .paper = PAPER("12", "33", "0.0", "12", "33", "0.0"))),
};
const sw_experiment sw_experiment_blocks_seeds = {
    .id = "blocks-seeds", .aliases = "T15 bw-7blocks tab:bw-7blocks", .section = BLOCKS, .place = "Table 15 (multi-seed)", .title = "Blocks World: 5 and 7 blocks",
    .note = "both: 4,096 tokens; the causal models' traces end after 208 blocks, about what that shows, SSA's are whole searches", .seeds = {1, 5}, .column = COLUMNS(SOLVED("cumulative", CUM_OPEN("4096"))),
    .row = ROWS(MODEL("ssa-5", "SSA, 5 blocks", "blocks5-ssa", .paper = PAPER("50.7 ± 2.9")), MODEL("causal-5", "causal, 5 blocks", "blocks5-causal", .paper = PAPER("8.7 ± 2.4")),
                MODEL("ssa-7", "SSA, 7 blocks", "blocks7-ssa", .paper = PAPER("16.1 ± 3.4")), MODEL("causal-7", "causal, 7 blocks", "blocks7-causal", .paper = PAPER("5.2 ± 1.9"))),
    .statistic = TESTS(TEST("5 blocks: SSA minus causal", PAIRED_T, 0, "ssa-5", "causal-5", .paper = "42.0 (p 2.1e-5)"),
                       TEST("7 blocks: SSA minus causal", PAIRED_T, 0, "ssa-7", "causal-7", .paper = "10.9 (p 1.3e-4)"),
                       TEST("5 blocks: SSA minus causal, by instance", INSTANCES, 0, "ssa-5", "causal-5", 0),
                       TEST("7 blocks: SSA minus causal, by instance", INSTANCES, 0, "ssa-7", "causal-7", 0)),
};

/* ---- graph colouring ---- */
#define GC(tokens) SOLVED("solved, " tokens " tokens", CUM(tokens)), FIGURE("repeats, " tokens, CUM(tokens), "repeat_rate"), NUMBER("backs, " tokens, CUM(tokens), "mean_backs")
const sw_experiment sw_experiment_coloring_budget = {
    .id = "coloring-budget", .aliases = "T16 ssa-budget-sweep tab:ssa-budget-sweep", .section = COLORING, .place = "Table 16 (budget, n=30)", .title = "Graph colouring n=30: three context budgets",
    .note = "theirs: one seed, from pre-trained weights", .seeds = {1, 1}, .column = COLUMNS(GC("2048"), GC("4096"), GC("8192")),
    .row = ROWS(MODEL("ssa", "SSA", "coloring30-ssa", .paper = PAPER("69.5", "0", "10.8", "90.0", "0", "16.3", "97.0", "0", "19.2")),
                MODEL("causal", "causal", "coloring30-causal", .paper = PAPER("68.5", "8", "10.4", "68.5", "8", "10.4", "68.5", "8", "10.4"))),
};
const sw_experiment sw_experiment_coloring_scale = {
    .id = "coloring-scale", .aliases = "T17 gc-scale tab:gc-scale", .section = COLORING, .place = "Table 17 (by size)", .title = "Graph colouring: n=30 and n=50",
    .note = "both: 8,192 tokens; theirs: 3 seeds at n=50; ours at n=50: trained on graphs of 20 to 50 nodes and mean degree 7 to 13, of which the test instances are the largest and densest", .seeds = {1, 5},
    .column = COLUMNS(SOLVED("cumulative", CUM("8192")), FIGURE("repeats", CUM("8192"), "repeat_rate")),
    .row = ROWS(MODEL("ssa-30", "SSA, n=30", "coloring30-ssa", .paper = PAPER("98.3 ± 0.6", "0")), MODEL("causal-30", "causal, n=30", "coloring30-causal", .paper = PAPER("69.9 ± 1.8", "8")),
                MODEL("ssa-50", "SSA, n=50", "coloring50-ssa", .test = "n=50 family=planted", .paper = PAPER("96.2 ± 1.5", "0")),
                MODEL("causal-50", "causal, n=50", "coloring50-causal", .test = "n=50 family=planted", .paper = PAPER("0.2 ± 0.3", "0"))),
    .statistic = TESTS(TEST("n=30: SSA minus causal", PAIRED_T, 0, "ssa-30", "causal-30", .paper = "28.4 (p 1.4e-6)"), TEST("n=50: SSA minus causal", PAIRED_T, 0, "ssa-50", "causal-50", .paper = "96.0 (p 1.2e-4)"),
                       TEST("n=30: SSA minus causal, by instance", INSTANCES, 0, "ssa-30", "causal-30", 0), TEST("n=50: SSA minus causal, by instance", INSTANCES, 0, "ssa-50", "causal-50", 0)),
};
const sw_experiment sw_experiment_inference_masks = {
    .id = "inference-masks", .aliases = "T18 ssa-ablation tab:ssa-ablation", .section = "masks and formats", .place = "Table 18 (mask at inference)", .title = "Graph colouring n=30: SSA weights under other masks",
    .note = "theirs: 2,048 tokens, from pre-trained weights", .seeds = {1, 1}, .column = COLUMNS(GC("2048")),
    .row = ROWS(MODEL("selective", "selective", "coloring30-ssa", .paper = PAPER("69.5", "0", "10.8")), MODEL("blanket", "blanket", "coloring30-ssa", .mask = "blanket", .paper = PAPER("45", "7", "15.2")),
                MODEL("causal", "causal", "coloring30-ssa", .mask = "causal", .paper = PAPER("16", "2", "22.3")), MODEL("reverse", "reverse", "coloring30-ssa", .mask = "reverse", .paper = PAPER("9", "7", "24.1")),
                MODEL("random", "random, as many pairs", "coloring30-ssa", .mask = "random-matched", .paper = PAPER("5", "2", "25.1"))),
};
const sw_experiment sw_experiment_positions = {
    .id = "mask-positions", .aliases = "T19 position-ablation tab:position-ablation", .section = "masks and formats", .place = "Table 19 (mask by positions)", .title = "Graph colouring n=30: SSA weights under other masks and positions",
    .note = "both: 2,048 tokens; theirs: weights trained under SSA with block-relative positions; ours with block-first ones, which stand in the rows of the block-relative ones (a block counts from 0, the prefix from 512): with block-relative positions our colouring models stay on a plateau, since prefixes differ in length (docs/training-recipes.md)", .seeds = {1, 1}, .column = COLUMNS(SOLVED("solved", CUM("2048")), FIGURE("repeats", CUM("2048"), "repeat_rate")),
    .row = ROWS(MODEL("causal-standard", "causal, standard", "coloring30-ssa", .mask = "causal", .positions = "standard", .paper = PAPER("16.0", "2")),
                MODEL("causal-first", "causal, block-first", "coloring30-ssa", .mask = "causal", .paper = PAPER("5.5", "9")),
                MODEL("ssa-standard", "SSA, standard", "coloring30-ssa", .positions = "standard", .paper = PAPER("72.5", "0")),
                MODEL("ssa-first", "SSA, block-first", "coloring30-ssa", .paper = PAPER("69.5", "0"))),
};

/* ---- protocols ---- */
const sw_experiment sw_experiment_protocols = {
    .id = "protocols", .aliases = "protocol-response fig:protocol-response", .section = "main results", .place = "Figure (protocol response)", .title = "Solve rates by protocol, three domains",
    .note = "theirs: 8 seeds at n=75, cumulative only; parsing on 300 instances; ours: traces of n=75 end after 32 blocks; parsing on 20,000 traces, SSA with rotary positions, causal with standard ones as theirs", .seeds = {1, 5},
    .column = COLUMNS(SOLVED("cumulative", "protocol=cumulative"), SOLVED("state-rebuilt", "protocol=rebuilt"), SOLVED("state-rebuilt, random variable", "protocol=rebuilt variables=random")),
    .row = ROWS(MODEL("sat50-ssa", "SAT n=50, SSA", "sat50e-ssa", .search = "loop=masked tokens=4096", .paper = PAPER("28.9 ± 1.9", "93.4 ± 2.3", "89.5 ± 1.1")),
                MODEL("sat50-causal", "SAT n=50, causal", "sat50e-causal", .search = "loop=masked tokens=4096", .paper = PAPER("16.5 ± 11.2", "4.8 ± 1.2", "4.0 ± 0.0")),
                MODEL("sat75-ssa", "SAT n=75, SSA", "sat75-ssa", .search = "loop=masked tokens=4096", .columns = 3, .paper = PAPER("11.4 ± 1.4", NULL, NULL)),
                MODEL("sat75-causal", "SAT n=75, causal", "sat75-causal", .search = "loop=masked tokens=4096", .columns = 3, .paper = PAPER("6.4 ± 4.7", NULL, NULL)),
                MODEL("parsing-ssa", "parsing, SSA", "parsing-rival-ssa", .columns = 3, .search = "loop=open", .paper = PAPER("100.0 ± 0.0", "100.0 ± 0.0", NULL)),
                MODEL("parsing-causal", "parsing, causal", "parsing-rival-causal", .columns = 3, .search = "loop=open", .paper = PAPER("99.6 ± 0.3", "59.5 ± 38.5", NULL))),
    .figure = FIGURES(PLOT("protocol-response", "With and without history, three domains", BARS, NULL, "solved (%)", 0), PLOT("protocol-seeds", "The same by seed", SEEDS, NULL, "solved (%)", 0)),
};

/* ---- trees ---- */
#define STAR(name, path, units) MEASURE(name, "trees", "instances=400 free=0", path, units)
const sw_experiment sw_experiment_stars = {
    .id = "star-trees", .aliases = "T10 slot-comparison-k64 tab:slot-comparison-k64", .section = TREES, .place = "Table 10 (stars, k=64)", .title = "Stars with 64 leaves: four encodings",
    .note = "theirs: all reach 99.9 % or more; epochs to 99 %: simple 20.0, copy 8.8, slots about 35, verbose below 10; ours: a fixed number of steps (verbose with Muon, the others with AdamW), registers with two heads of 16 numbers", .seeds = {1, 5}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(STAR("tokens", "inputs", ""), STAR("decisions right", "decision_accuracy", NULL), STAR("all right", "all_correct", NULL), CARD("steps", "steps", "")),
    .row = ROWS(MODEL("simple", "simple", "star64", .paper = PAPER("455", "99.9", NULL, NULL)), MODEL("copy", "copy, budget 1", "star64-copy", .paper = PAPER("520", "99.9", NULL, NULL)),
                MODEL("slots", "32 slots of memory", "star64-memory", .paper = PAPER("455", "100", NULL, NULL)), MODEL("verbose", "verbose", "star64-verbose", .paper = PAPER("7402", "100", NULL, NULL))),
};
const sw_experiment sw_experiment_starslots = {
    .id = "star-slots", .aliases = "T11 slot-scaling-k128 tab:slot-scaling-k128", .section = TREES, .place = "Table 11 (slots, k=128)", .title = "Stars with 128 leaves: does memory help?",
    .note = "theirs: also 32 slots at width 512 and 6 layers (1.8 %); ours at the small scale: registers read and written by two heads of 16 numbers (theirs: eight of 32), 70 steps of 4 with Muon (with AdamW, 100 steps of 4, two of the three rows had none right), where the row without memory has 400 of 16 with AdamW", .seeds = {1, 5}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(STAR("all right", "all_correct", NULL), STAR("policy loss", "policy_loss", ""), STAR("return loss", "verifier_loss", "")),
    .row = ROWS(MODEL("m32", "32 slots", "star128-memory32", .paper = PAPER("1.6", "1.138", "0.471")), MODEL("m64", "64 slots", "star128-memory64", .paper = PAPER("1.6", "1.141", "0.473")),
                MODEL("m128", "128 slots", "star128-memory128", .paper = PAPER("1.6", "1.146", "0.477")), MODEL("simple", "no memory", "star128", 0)),
};
const sw_experiment sw_experiment_starsweep = {
    .id = "star-sweep", .aliases = "pk-sweep fig:pk-sweep", .section = TREES, .place = "Figure (all-correct against k)", .title = "Stars: all return decisions right, by the number of leaves",
    .note = "theirs: no numbers; the prediction is r^k with r from k=4", .seeds = {1, 5}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(STAR("all right", "all_correct", NULL), STAR("decisions right", "decision_accuracy", NULL)),
    .row = ROWS(MODEL("k4", "k=4", "star4", 0), MODEL("k8", "k=8", "star8", 0), MODEL("k16", "k=16", "star16", 0), MODEL("k32", "k=32", "star32", 0), MODEL("k64", "k=64", "star64", 0), MODEL("k128", "k=128", "star128", 0)),
    .figure = FIGURES(PLOT("pk-sweep", "All return decisions right, by k", BARS, NULL, "traces (%)", 0)),
};
#define TREE(name, path, units) MEASURE(name, "trees", "instances=400 free=200", path, units)
const sw_experiment sw_experiment_orders = {
    .id = "tree-orders", .aliases = "bfs-dfs fig:bfs-dfs fig:bfs-dfs-perfect fig:bfs-dfs-correct", .section = TREES, .place = "Figure (breadth-first against depth-first)", .title = "Random trees of 20 nodes: two orders",
    .note = "theirs: curves without numbers", .seeds = {1, 5}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(TREE("perfect traces", "perfect_rate", NULL), TREE("share right before the first error", "prefix_fraction", NULL), TREE("tokens right", "token_accuracy", NULL)),
    .row = ROWS(MODEL("bfs", "breadth-first", "trees-bfs", 0), MODEL("dfs", "depth-first", "trees-dfs", 0)),
    .figure = FIGURES(PLOT("bfs-dfs", "Breadth-first against depth-first", BARS, NULL, "%", 0)),
};

/* ---- length ---- */
#define LONG(tokens, at) {.title = "solved, " tokens " tokens", .settings = CUM(tokens), .x = at}
const sw_experiment sw_experiment_length = {
    .id = "length", .aliases = "length_ood_holdout fig:length_ood_holdout", .section = LENGTH, .place = "Figure (longer than trained)", .title = "3-SAT n=50: trained on eight blocks, run on more",
    .note = "theirs: curves without numbers, 3 seeds", .seeds = {1, 3}, .beside = SW_BESIDE_EXACT,
    .column = COLUMNS(LONG("2048", 2048), LONG("4096", 4096), LONG("8192", 8192), MEASURE("actions right offline", "length", "traces=60 instances=0", "action_exact", NULL)),
    .row = ROWS(MODEL("ssa-short", "SSA, first 8 blocks", "sat50e-ssa-short", 0), MODEL("ssa", "SSA, whole traces", "sat50e-ssa", 0),
                MODEL("causal-short", "causal, first 8 blocks", "sat50e-causal-short", 0), MODEL("causal", "causal, whole traces", "sat50e-causal", 0)),
    .figure = FIGURES(PLOT("length-ood-holdout", "Solved within a context budget", LINES, "tokens", "solved (%)", 7)),
};
#define PAD "trials=600 latest=8 blocks=3"
const sw_experiment sw_experiment_padding = {
    .id = "padding", .aliases = "length_ood_padding_control fig:length_ood_padding_control", .section = LENGTH, .place = "Figure (padding control)", .title = "3-SAT n=50: unrelated blocks before the state",
    .note = "theirs: 1,800 trials exact for SSA with block-relative positions; causal \"near zero\"; whole traces not asked", .seeds = {1, 3}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(MEASURE("same choice", "padding", PAD, "agreement", NULL), MEASURE("identical bits", "padding", PAD, "exact_equal_rate", NULL), MEASURE("symmetric KL", "padding", PAD, "symmetric_kl", "")),
    .row = ROWS(MODEL("ssa-short", "SSA, first 8 blocks", "sat50e-ssa-short", .paper = PAPER("100.0", NULL, NULL)), MODEL("ssa", "SSA, whole traces", "sat50e-ssa", 0),
                MODEL("causal-short", "causal, first 8 blocks", "sat50e-causal-short", 0), MODEL("causal", "causal, whole traces", "sat50e-causal", 0)),
    .figure = FIGURES(PLOT("padding-control", "Same choice after unrelated blocks", BARS, NULL, "%", 1)),
};
/* clang-format on */
