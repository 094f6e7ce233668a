/* Experiments with a verifier that errs at known rates. */
#include "repro/groups.h"
#include "repro/table.h"

/* clang-format off */
#define VERIFY "verification"
#define PLAIN "protocol=rebuilt tokens=0 decisions=1000"
#define SAT50 .test = "family=planted n=50 ratio=4.0"
/* An exposed conflict is never overlooked: only the foresight errs. */
#define ERRING(how) "verifier=any:exact+noise:" how ":oracle"
#define NOISE(fp, fn) ERRING(fp "," fn ",@")
/* The rate is over states that could be completed; precision and recall over
 * those that show no conflict. */
#define NOISE_COLUMNS COLUMNS(SOLVED("solved", PLAIN), NUMBER("false-prune rate", PLAIN, "alpha_v"), NUMBER("precision", PLAIN, "prune_precision"), \
                              NUMBER("recall", PLAIN, "prune_recall"), NUMBER("decisions", PLAIN, "decisions"))

#define PLAY_MODEL(name, text, noise, ...) SHIPPED(name, text, "sat", .search = noise, SAT50, __VA_ARGS__)
#define PLAY_CLIFF(name, text, noise, ...) SHIPPED("ssa50-" name, "SAT n=50, SSA, " text, "sat", .search = noise, SAT50, __VA_ARGS__)
#define RULE_CLIFF(name, text, noise, ...) RULE_OF("sat50-" name, "SAT n=50, VSIDS rule, " text, "vsids_domain", "sat", .search = noise, SAT50, __VA_ARGS__)
#define PLAY_RULE(name, text, noise, ...) RULE_OF("rule-" name, "VSIDS rule, " text, "vsids_domain", "sat", .search = noise, SAT50)
/* The paper's ten rates of each kind, for one player. */
#define TEN_FALSE(WHO)                                                                                                         \
    WHO("fp-0", "false prunes 0 %", NOISE("0", "0"), .paper = PAPER("100.0", "0.000", "1.000", "1.000", NULL)),                \
    WHO("fp-1", "false prunes 1 %", NOISE("0.01", "0"), .paper = PAPER("100.0", "0.012", "0.846", NULL, NULL)),                \
    WHO("fp-2", "false prunes 2 %", NOISE("0.02", "0"), .paper = PAPER("99.0", "0.022", "0.773", NULL, NULL)),                 \
    WHO("fp-5", "false prunes 5 %", NOISE("0.05", "0"), .paper = PAPER("96.0", "0.050", "0.648", NULL, NULL)),                 \
    WHO("fp-10", "false prunes 10 %", NOISE("0.1", "0"), .paper = PAPER("88.6 ± 1.3", "0.101", "0.583", NULL, NULL)),          \
    WHO("fp-15", "false prunes 15 %", NOISE("0.15", "0"), .paper = PAPER("70.5", "0.149", "0.563", NULL, NULL)),               \
    WHO("fp-20", "false prunes 20 %", NOISE("0.2", "0"), .paper = PAPER("55.9 ± 2.8", "0.196", "0.529", NULL, NULL)),          \
    WHO("fp-30", "false prunes 30 %", NOISE("0.3", "0"), .paper = PAPER("17.4 ± 2.6", "0.303", "0.480", NULL, NULL)),          \
    WHO("fp-40", "false prunes 40 %", NOISE("0.4", "0"), .paper = PAPER("3.5", "0.409", "0.391", NULL, NULL)),                 \
    WHO("fp-50", "false prunes 50 %", NOISE("0.5", "0"), .paper = PAPER("0.0", "0.518", "0.325", NULL, NULL))
#define TEN_MISSED(WHO)                                                                                                        \
    WHO("fn-1", "missed 1 %", NOISE("0", "0.01"), .paper = PAPER("100", NULL, NULL, "0.992", NULL)),                           \
    WHO("fn-2", "missed 2 %", NOISE("0", "0.02"), .paper = PAPER("100", NULL, NULL, "0.981", NULL)),                           \
    WHO("fn-5", "missed 5 %", NOISE("0", "0.05"), .paper = PAPER("100", NULL, NULL, "0.949", NULL)),                           \
    WHO("fn-10", "missed 10 %", NOISE("0", "0.1"), .paper = PAPER("100", NULL, NULL, "0.910", NULL)),                          \
    WHO("fn-15", "missed 15 %", NOISE("0", "0.15"), .paper = PAPER("100", NULL, NULL, "0.868", NULL)),                         \
    WHO("fn-20", "missed 20 %", NOISE("0", "0.2"), .paper = PAPER("100", NULL, NULL, "0.818", NULL)),                          \
    WHO("fn-30", "missed 30 %", NOISE("0", "0.3"), .paper = PAPER("100", NULL, NULL, "0.711", NULL)),                          \
    WHO("fn-40", "missed 40 %", NOISE("0", "0.4"), .paper = PAPER("100", NULL, NULL, "0.589", NULL)),                          \
    WHO("fn-50", "missed 50 %", NOISE("0", "0.5"), .paper = PAPER("100", NULL, NULL, "0.480", NULL))
const sw_experiment sw_experiment_corruption = {
    .id = "corruption", .aliases = "T12 corruption_curve tab:corruption_curve", .section = VERIFY, .place = "Table 12 (corrupted oracle)",
    .title = "3-SAT n=50: an oracle that errs",
    .note = "theirs: the policy is an MLP on state features, at most 500 backtracks and 1,000 steps, and the question is also put when the formula is already satisfied; ours: the shipped SSA model, 1,000 decisions, five noise streams; rows of the VSIDS rule beside it", .seeds = {5, 5},
    .beside = SW_BESIDE_NONE, .column = NOISE_COLUMNS, .row = ROWS(TEN_FALSE(PLAY_MODEL), TEN_MISSED(PLAY_MODEL), TEN_FALSE(PLAY_RULE), TEN_MISSED(PLAY_RULE)),
};
const sw_experiment sw_experiment_asymmetry = {
    .id = "corruption-asymmetry", .judged_in = "corruption", .drawn_from = "corruption", .aliases = "fp-fn-asymmetry fig:fp-fn-asymmetry", .section = VERIFY, .place = "Figure (false prunes against misses)",
    .title = "Which error of a verifier hurts", .note = "the searches of Table 12, drawn from what is kept of `corruption`; the dashed curve is the paper's per-path bound with 20 branch points", .seeds = {5, 5}, .beside = SW_BESIDE_NONE,
    .column = NOISE_COLUMNS, .row = ROWS(TEN_FALSE(PLAY_MODEL), TEN_MISSED(PLAY_MODEL)),
    .figure = FIGURES(PLOT("fp-fn-asymmetry", "Solved under a verifier that errs", BARS, NULL, "solved (%)", 1)),
    .curve = CURVES(CURVE("asymmetry", "Solved against the rate of false prunes", 1, 0, SERIES("fp-", "SSA, n=50", 20.0))),
};

/* Ten rates of false prunes for a player and a task. */
#define RATE(who, text, rate, shown, ...) {.id = who "-" shown, .label = text ", false prunes " shown " %", .search = NOISE(rate, "0"), __VA_ARGS__}
#define CLIFF(who, text, ...)                                                                                              \
    RATE(who, text, "0", "0", __VA_ARGS__), RATE(who, text, "0.01", "1", __VA_ARGS__), RATE(who, text, "0.02", "2", __VA_ARGS__),    \
    RATE(who, text, "0.05", "5", __VA_ARGS__), RATE(who, text, "0.1", "10", __VA_ARGS__), RATE(who, text, "0.15", "15", __VA_ARGS__), \
    RATE(who, text, "0.2", "20", __VA_ARGS__), RATE(who, text, "0.3", "30", __VA_ARGS__), RATE(who, text, "0.4", "40", __VA_ARGS__), \
    RATE(who, text, "0.5", "50", __VA_ARGS__)
const sw_experiment sw_experiment_cliff = {
    .id = "cliff", .judged_in = "corruption", .aliases = "alpha-v-cliff fig:alpha-v-cliff", .section = VERIFY, .place = "Figure (the cliff of false prunes)",
    .title = "Solved against the false-prune rate: SAT n=50, SAT n=100, colouring n=30",
    .note = "theirs: an MLP policy; no numbers beyond Table 12, whose ten points are drawn, and the R2 of its fit at n=50, 0.996; ours: the VSIDS rule on SAT and the first colour in the DSATUR order on colouring, the shipped SSA model on SAT n=50; five noise streams, 200 instances. The solid curve is the multi-path fit 1 - (1 - (1 - a)^M)^R, the dashed one (1 - a)^M with M the mean number of decisions of a search without errors",
    .seeds = {5, 5}, .beside = SW_BESIDE_NONE, .column = NOISE_COLUMNS,
    .row = ROWS(TEN_FALSE(PLAY_CLIFF), TEN_FALSE(RULE_CLIFF),
                CLIFF("sat100", "SAT n=100, VSIDS rule", .rule = "vsids_domain", .domain = "sat", .test = "family=planted n=100 ratio=4.0"),
                CLIFF("coloring30", "colouring n=30, first colour", .rule = "first", .domain = "coloring", .test = "family=planted n=30")),
    .curve = CURVES(CURVE("alpha-v", "Solved against the false-prune rate of viable states", 1, 0, SERIES("sat50-", "SAT n=50, VSIDS rule", 0), SERIES("ssa50-", "SAT n=50, SSA", 0), SERIES("sat100-", "SAT n=100, VSIDS rule", 0), SERIES("coloring30-", "colouring n=30", 0)),
                    CURVE("precision", "Solved against precision", 2, 0, SERIES("sat50-", "SAT n=50, VSIDS rule", -1), SERIES("ssa50-", "SAT n=50, SSA", -1), SERIES("sat100-", "SAT n=100, VSIDS rule", -1), SERIES("coloring30-", "colouring n=30", -1))),
};

#define WAY(way, text, rate, shown) RULE_OF(way "-" shown, text ", false prunes " shown " %", "vsids_domain", "sat", .search = ERRING(rate ",0,@," way), SAT50)
#define WAYS(way, text) WAY(way, text, "0.05", "5"), WAY(way, text, "0.1", "10"), WAY(way, text, "0.2", "20"), WAY(way, text, "0.3", "30"), WAY(way, text, "0.5", "50")
#define BY_MODEL(way, text, rate, shown) SHIPPED(way "-" shown, text ", false prunes " shown " %", "sat", .search = ERRING(rate ",0,@," way), SAT50)
#define BY_SURENESS(way, text) BY_MODEL(way, text, "0.1", "10"), BY_MODEL(way, text, "0.2", "20"), BY_MODEL(way, text, "0.4", "40")
#define PHASE(rate, shown) {.id = "threshold-" shown, .label = "random 4.26, false prunes " shown " %", .rule = "vsids_domain", .domain = "sat", .search = NOISE(rate, "0"), .test = "family=phase n=50 ratio=4.26"}
const sw_experiment sw_experiment_structured = {
    .id = "structured-corruption", .section = VERIFY, .place = "the text on structured corruption and the random threshold",
    .title = "3-SAT n=50: false prunes that fall by depth, by confidence or in runs, and random formulas at the threshold",
    .note = "theirs: no numbers, only that the threshold is robust; ours: the VSIDS rule on planted formulas and on satisfiable random ones of ratio 4.26, by confidence the shipped SSA model, 1,000 decisions, five noise streams. Rates are nominal, alpha_v is what happened: by confidence little falls where the model is hardly ever unsure",
    .seeds = {5, 5}, .beside = SW_BESIDE_NONE, .column = NOISE_COLUMNS,
    .row = ROWS(WAYS("even", "even"), WAYS("deep", "more at depth"), WAYS("shallow", "more near the root"), WAYS("bursts", "in runs"),
                BY_SURENESS("unsure", "SSA, more where unsure"), BY_SURENESS("sure", "SSA, more where sure"),
                PHASE("0", "0"), PHASE("0.05", "5"), PHASE("0.1", "10"), PHASE("0.2", "20"), PHASE("0.3", "30"), PHASE("0.5", "50")),
    .curve = CURVES(CURVE("structured", "Solved against the false-prune rate of viable states", 1, 0, SERIES("even-", "even", 0), SERIES("deep-", "at depth", 0), SERIES("shallow-", "near the root", 0), SERIES("sure-", "where sure", 0), SERIES("bursts-", "in runs", 0), SERIES("threshold-", "random 4.26", 0))),
};
/* clang-format on */
