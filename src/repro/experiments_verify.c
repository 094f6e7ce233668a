/* Experiments that change who says "go back". */
#include "repro/groups.h"
#include "repro/table.h"

#define VERIFY "verification"
#define UNDER(verifier) "protocol=rebuilt tokens=4096 verifier=" verifier
#define CUM_UNDER(verifier) "protocol=cumulative tokens=4096 verifier=" verifier

/* clang-format off */
const sw_experiment sw_experiment_verifierswap = {
    .id = "verifier-swap", .aliases = "T8 tab:verifier-swap", .section = VERIFY, .place = "Table 8 (verifier swap)",
    .title = "3-SAT n=50: the same policy under other verifiers",
    .note = "theirs: panel A mixes token budgets and protocols, and its `SSA token` row reads no token of the model; ours: one protocol, rebuilt states",
    .seeds = {1, 5},
    .column = COLUMNS(SOLVED("solved", "protocol=rebuilt tokens=4096"), NUMBER("backs", "protocol=rebuilt tokens=4096", "mean_backs"),
                      NUMBER("solver conflicts", "protocol=rebuilt tokens=4096", "solver_conflicts")),
    .row = ROWS(MODEL("propagation", "SSA, propagation only", "sat50e-ssa", .search = "verifier=exact", .paper = PAPER("32.2 ± 2.8", NULL, NULL)),
                MODEL("cdcl-50", "SSA, solver with 50 conflicts", "sat50e-ssa", .search = "verifier=cdcl:50", .paper = PAPER("79.1 ± 3.0", NULL, NULL), .needs = "verifier cdcl"),
                MODEL("cdcl-100", "SSA, solver with 100 conflicts", "sat50e-ssa", .search = "verifier=cdcl:100", .paper = PAPER("80.1 ± 3.0", NULL, NULL), .needs = "verifier cdcl"),
                MODEL("own", "SSA, its own going back", "sat50-ssa", .search = "verifier=model", .paper = PAPER("93.4 ± 2.3", NULL, NULL), .note = "evidence format: the enriched one does not train going back"),
                MODEL("oracle", "SSA, oracle", "sat50e-ssa", .search = "verifier=oracle", .paper = PAPER("100.0 ± 0.0", NULL, NULL)),
                MODEL("causal-propagation", "causal, propagation only", "sat50e-causal", .search = "verifier=exact", .paper = PAPER("16.5 ± 11.2", NULL, NULL)),
                MODEL("causal-oracle", "causal, oracle", "sat50e-causal", .search = "verifier=oracle", .paper = PAPER("46.3 ± 38.0", NULL, NULL))),
    .statistic = TESTS(TEST("SSA: oracle minus propagation", INSTANCES, 0, "oracle", "propagation", .paper = "71.1"),
                       TEST("causal: oracle minus propagation", INSTANCES, 0, "causal-oracle", "causal-propagation", .paper = "29.8")),
};

const sw_experiment sw_experiment_sidecar = {
    .id = "bounded-sidecar", .aliases = "T9 bounded-verification tab:bounded-verification", .section = VERIFY, .place = "Table 9 (bounded symbolic verifier)",
    .title = "3-SAT n=50: a solver beside the model, with few conflicts", .note = "theirs: cumulative, 4,096 tokens", .seeds = {1, 5},
    .column = COLUMNS(SOLVED("solved", "protocol=cumulative tokens=4096"), NUMBER("forced", "protocol=cumulative tokens=4096", "forced"),
                      FIGURE("timeouts", "protocol=cumulative tokens=4096", "timeout_rate")),
    .row = ROWS(MODEL("none", "propagation only", "sat50e-ssa", .search = "verifier=exact", .paper = PAPER("31.1 ± 2.4", "113", "53.3 ± 3.7")),
                MODEL("c10", "10 conflicts", "sat50e-ssa", .search = "verifier=sidecar:10", .paper = PAPER("45.9 ± 1.8", "276", "48.6 ± 3.3"), .needs = "verifier sidecar"),
                MODEL("c50", "50 conflicts", "sat50e-ssa", .search = "verifier=sidecar:50", .paper = PAPER("79.1 ± 3.0", "493", "20.9 ± 3.0"), .needs = "verifier sidecar"),
                MODEL("c100", "100 conflicts", "sat50e-ssa", .search = "verifier=sidecar:100", .paper = PAPER("80.1 ± 3.0", "504", "19.9 ± 3.0"), .needs = "verifier sidecar"),
                MODEL("oracle", "oracle", "sat50e-ssa", .search = "verifier=oracle", .paper = PAPER("100.0 ± 0.0", NULL, "0.0"))),
};

/* The paper's policy is an MLP; ours is the model at hand. */
#define NOISE(fp, fn) "verifier=noise:" fp "," fn ":oracle"
#define PLAIN "protocol=rebuilt decisions=1000"
#define FP(rate, text, ...) MODEL("fp-" text, "false prunes " text " %", "sat50e-ssa", .search = NOISE(rate, "0"), .paper = PAPER(__VA_ARGS__))
#define FN(rate, text, ...) MODEL("fn-" text, "missed " text " %", "sat50e-ssa", .search = NOISE("0", rate), .paper = PAPER(__VA_ARGS__))
#define NOISE_COLUMNS COLUMNS(SOLVED("solved", PLAIN), NUMBER("false-prune rate", PLAIN, "false_prune_rate"), NUMBER("precision of going back", PLAIN, "back_precision"))
#define NOISE_ROWS                                                                                                            \
    ROWS(FP("0", "0", "100.0", "0.000", "1.000"), FP("0.01", "1", "100.0", "0.012", "0.846"), FP("0.02", "2", "99.0", "0.022", "0.773"),  \
         FP("0.05", "5", "96.0", "0.050", "0.648"), FP("0.1", "10", "88.6 ± 1.3", "0.101", "0.583"), FP("0.15", "15", "70.5", "0.149", "0.563"), \
         FP("0.2", "20", "55.9 ± 2.8", "0.196", "0.529"), FP("0.3", "30", "17.4 ± 2.6", "0.303", "0.480"), FP("0.4", "40", "3.5", "0.409", "0.391"), \
         FP("0.5", "50", "0.0", "0.518", "0.325"), FN("0.1", "10", "100", NULL, NULL), FN("0.2", "20", "100", NULL, NULL),    \
         FN("0.3", "30", "100", NULL, NULL), FN("0.5", "50", "100", NULL, NULL))
const sw_experiment sw_experiment_corruption = {
    .id = "corruption", .aliases = "T12 corruption_curve tab:corruption_curve", .section = VERIFY, .place = "Table 12 (corrupted oracle)",
    .title = "3-SAT n=50: an oracle that errs", .note = "theirs: the policy is an MLP on state features, 1,000 steps; ours: SSA, 1,000 decisions", .seeds = {1, 5},
    .beside = SW_BESIDE_EXACT, .column = NOISE_COLUMNS, .row = NOISE_ROWS,
};
const sw_experiment sw_experiment_asymmetry = {
    .id = "corruption-asymmetry", .aliases = "fp-fn-asymmetry fig:fp-fn-asymmetry", .section = VERIFY, .place = "Figure (false prunes against misses)",
    .title = "Which error of a verifier hurts", .note = "the searches of Table 12", .seeds = {1, 5}, .beside = SW_BESIDE_NONE,
    .column = NOISE_COLUMNS, .row = NOISE_ROWS,
    .figure = FIGURES(PLOT("fp-fn-asymmetry", "Solved under a verifier that errs", BARS, NULL, "solved (%)", 1)),
};
#define CLIFF(domain, text, which, rate, shown) \
    MODEL(domain "-" shown, text ", false prunes " shown " %", which, .search = NOISE(rate, "0"))
const sw_experiment sw_experiment_cliff = {
    .id = "cliff", .aliases = "alpha-v-cliff fig:alpha-v-cliff", .section = VERIFY, .place = "Figure (the cliff of false prunes)",
    .title = "Solved against the false-prune rate, two domains", .note = "theirs: SAT n=50, n=100 and colouring n=30, an MLP policy; no numbers given beyond Table 12",
    .seeds = {1, 5}, .beside = SW_BESIDE_NONE, .column = NOISE_COLUMNS,
    .row = ROWS(CLIFF("sat", "SAT n=50", "sat50e-ssa", "0", "0"), CLIFF("sat", "SAT n=50", "sat50e-ssa", "0.05", "5"), CLIFF("sat", "SAT n=50", "sat50e-ssa", "0.1", "10"),
                CLIFF("sat", "SAT n=50", "sat50e-ssa", "0.2", "20"), CLIFF("sat", "SAT n=50", "sat50e-ssa", "0.3", "30"),
                CLIFF("coloring", "colouring n=30", "coloring30-ssa", "0", "0"), CLIFF("coloring", "colouring n=30", "coloring30-ssa", "0.05", "5"),
                CLIFF("coloring", "colouring n=30", "coloring30-ssa", "0.1", "10"), CLIFF("coloring", "colouring n=30", "coloring30-ssa", "0.2", "20"),
                CLIFF("coloring", "colouring n=30", "coloring30-ssa", "0.3", "30")),
    .figure = FIGURES(PLOT("alpha-v-cliff", "Solved against the rate of false prunes", BARS, NULL, "solved (%)", 1)),
};

const sw_experiment sw_experiment_oraclebound = {
    .id = "oracle-bound", .aliases = "T13 oracle_upperbound tab:oracle_upperbound", .section = VERIFY, .place = "Table 13 (oracle upper bound)",
    .title = "3-SAT n=50: going back when it shows, or when it is lost", .note = "theirs: an MLP policy, at most 500 backtracks; ours: SSA", .seeds = {1, 5},
    .beside = SW_BESIDE_EXACT,
    .column = COLUMNS(SOLVED("solved", PLAIN), NUMBER("backs per solved", PLAIN, "backs_per_solved"), NUMBER("early backs", PLAIN, "early_backs")),
    .row = ROWS(MODEL("reactive", "propagation only", "sat50e-ssa", .search = "verifier=exact", .paper = PAPER("50.8 ± 2.0", "518.3", "0")),
                MODEL("oracle", "oracle", "sat50e-ssa", .search = "verifier=oracle", .paper = PAPER("100.0 ± 0.0", "1.9", "358"))),
};

#define OWN_LOOP "protocol=rebuilt verifier=model"
const sw_experiment sw_experiment_isolated = {
    .id = "isolated-verification", .aliases = "T21 verification-experiment tab:verification-experiment", .section = VERIFY, .place = "Table 21 (isolated verification)",
    .title = "Only the verdict is the model's", .note = "theirs: a rule that reads the block scores exactly their SSA row of colouring; ours: the open loop, misses and false prunes per queried state",
    .seeds = {1, 5},
    .column = COLUMNS(FIGURE("missed conflicts", OWN_LOOP, "missed_conflict_rate"), FIGURE("repeats", OWN_LOOP, "repeat_rate"),
                      FIGURE("false prunes", OWN_LOOP, "false_prune_rate"), SOLVED("solved", OWN_LOOP)),
    .row = ROWS(MODEL("coloring-ssa", "colouring n=30, SSA", "coloring30-ssa", .paper = PAPER("0.5", "0.0", "0.0", "38.5"), .note = "paper: 100 minus its accuracy"),
                MODEL("coloring-causal", "colouring n=30, causal", "coloring30-causal", .paper = PAPER("62.8 ± 1.0", "0.2", "34.3 ± 1.1", "0.0"), .note = "paper: 100 minus its accuracy"),
                MODEL("sat-ssa", "SAT n=30, SSA", "sat30-ssa", .paper = PAPER("0.0 ± 0.0", "0.0", "0.0", "16.5"), .note = "paper: 100 minus its accuracy; evidence format"),
                MODEL("sat-causal", "SAT n=30, causal", "sat30-causal", .paper = PAPER("31.7 ± 36.3", "13.3", "30.7 ± 35.9", "12.2"), .note = "paper: 100 minus its accuracy; evidence format")),
};
/* clang-format on */
