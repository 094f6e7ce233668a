/* Going back before a conflict shows: a proposer says which states look dead,
 * a bounded solver confirms, and nothing that can be completed is ever left.
 * What a proposer is worth is what it saves at equal solver conflicts. */
#include "repro/groups.h"
#include "repro/table.h"

/* clang-format off */
#define VERIFY "verification"
#define PLAIN "protocol=rebuilt tokens=0 decisions=1000"
#define PHASE(n) .test = "family=phase n=" n " ratio=4.26"
/* Three players; J is the model of the matrix that judges their states. */
#define SSA50(name, text, verifier) SHIPPED("ssa50-" name, "n=50, SSA as shipped, " text, "sat", .search = "verifier=" verifier, PHASE("50"), .columns = 0x3f)
#define SSA75(name, text, verifier) SHIPPED("ssa75-" name, "n=75, SSA as shipped, " text, "sat", .search = "verifier=" verifier, PHASE("75"), .columns = 0x3f)
#define HEAD50(name, text, verifier) MODEL("head50-" name, "n=50, SSA with a verify head, " text, "sat50h-ssa", .search = "verifier=" verifier, PHASE("50"), .columns = 0x3f)
#define RULE50(name, text, verifier) RULE_OF("rule50-" name, "n=50, clause rule, " text, "clause+exact", "sat", .search = "verifier=" verifier, PHASE("50"))
#define RULE75(name, text, verifier) RULE_OF("rule75-" name, "n=75, clause rule, " text, "clause+exact", "sat", .search = "verifier=" verifier, PHASE("75"))
/* Made on a machine that did other things too: without the time. */
#define FIGS50(name, text, verifier) RULE_OF("rule50-" name, "n=50, clause rule, " text, "clause+exact", "sat", .search = "verifier=" verifier, PHASE("50"), .columns = 0x3f)
#define FIGS75(name, text, verifier) RULE_OF("rule75-" name, "n=75, clause rule, " text, "clause+exact", "sat", .search = "verifier=" verifier, PHASE("75"), .columns = 0x3f)
#define LEARNED(WHO, J, tau, shown) WHO("learned-" shown, "learned on traces, TAU 0." shown, "confirm:50:viability:#" J ":" tau)
#define STATES(WHO, J, tau, shown) WHO("states-" shown, "learned on searches, TAU 0." shown, "confirm:50:viability:#" J ":" tau)
/* Attention over all open literals: named variables as published, without
 * names, and the published labels (does it propagate to a conflict). */
#define LITERALS(WHO, J, kind, text, tau, shown) WHO(kind "-" shown, text ", TAU 0." shown, "confirm:50:viability:#" J ":" tau)
#define LITERALS_ALL(WHO, J, kind, text)                                                                                 \
    LITERALS(WHO, J, kind, text, "0.5", "50"), LITERALS(WHO, J, kind, text, "0.7", "70"), LITERALS(WHO, J, kind, text, "0.8", "80"), \
    LITERALS(WHO, J, kind, text, "0.9", "90"), LITERALS(WHO, J, kind, text, "0.95", "95")
#define STATES_ALL(WHO, J)                                                                                               \
    STATES(WHO, J, "0.1", "10"), STATES(WHO, J, "0.2", "20"), STATES(WHO, J, "0.3", "30"), STATES(WHO, J, "0.4", "40"),   \
    STATES(WHO, J, "0.5", "50"), STATES(WHO, J, "0.6", "60"), STATES(WHO, J, "0.7", "70"), STATES(WHO, J, "0.8", "80")
#define AT_RANDOM(WHO, share, shown) WHO("random-" shown, "at random, " shown " %", "confirm:50:random:" share)
#define BY_DEPTH(WHO, depth) WHO("depth-" depth, "from depth " depth " on", "confirm:50:depth:" depth)
#define ENDS(WHO) WHO("exact", "propagation only", "exact"), WHO("every", "solver at every state", "cdcl:50"), WHO("oracle", "oracle", "oracle")
#define LEARNED_ALL(WHO, J)                                                                                              \
    LEARNED(WHO, J, "0.3", "30"), LEARNED(WHO, J, "0.5", "50"), LEARNED(WHO, J, "0.7", "70"), LEARNED(WHO, J, "0.8", "80"), \
    LEARNED(WHO, J, "0.9", "90"), LEARNED(WHO, J, "0.95", "95"), LEARNED(WHO, J, "0.98", "98")
#define BLIND(WHO)                                                                                                       \
    AT_RANDOM(WHO, "0.1", "10"), AT_RANDOM(WHO, "0.2", "20"), AT_RANDOM(WHO, "0.3", "30"), AT_RANDOM(WHO, "0.4", "40"),   \
    AT_RANDOM(WHO, "0.5", "50"), AT_RANDOM(WHO, "0.7", "70"),                                                             \
    BY_DEPTH(WHO, "2"), BY_DEPTH(WHO, "3"), BY_DEPTH(WHO, "4"), BY_DEPTH(WHO, "5"), BY_DEPTH(WHO, "6"), BY_DEPTH(WHO, "7"), BY_DEPTH(WHO, "8")
/* An MLP on figures of the state, with every value tried or only counted. */
#define BY_FIGURES(WHO, tau, shown) WHO("figures-" shown, "learned on figures, TAU 0." shown, "confirm:50:viability:#figures75:" tau)
#define BY_FIGURES_ALL(WHO)                                                                                                 \
    BY_FIGURES(WHO, "0.3", "30"), BY_FIGURES(WHO, "0.5", "50"), BY_FIGURES(WHO, "0.6", "60"), BY_FIGURES(WHO, "0.7", "70"), BY_FIGURES(WHO, "0.8", "80"), BY_FIGURES(WHO, "0.9", "90")
#define COUNTED(WHO, tau, shown) WHO("counts-" shown, "learned on counts, TAU 0." shown, "confirm:50:viability:#counts75:" tau)
#define COUNTED_ALL(WHO) COUNTED(WHO, "0.3", "30"), COUNTED(WHO, "0.5", "50"), COUNTED(WHO, "0.7", "70"), COUNTED(WHO, "0.8", "80")
/* What failed literals refute, confirmed or taken as the proof that it is. */
#define REFUTED(WHO) WHO("refuted", "refuted by failed literals", "confirm:50:size:6:1"), WHO("alone", "refuted by failed literals, no solver", "any:exact+size:6:1")
#define FAILED(WHO, least) WHO("failed-" least, "at least " least " failed literals", "confirm:50:size:5:" least)
#define OR_TWO(WHO, least) WHO("either-" least, "refuted, or at least " least " clauses of two", "confirm:50:any:size:6:1+size:2:" least)
/* The guide's own verify head. */
#define BY_HEAD(WHO, tau, shown) WHO("head-" shown, "its verify head, TAU 0." shown, "confirm:50:head:" tau)
/* One number: the clauses with two free literals. */
#define BY_SIZE(WHO, least) WHO("two-" least, "at least " least " clauses of two", "confirm:50:size:2:" least)
#define ALL(WHO, J) ENDS(WHO), LEARNED_ALL(WHO, J), BLIND(WHO)
/* A model takes longer than a rule. */
#define FEW(WHO, J)                                                                                                      \
    ENDS(WHO), LEARNED(WHO, J, "0.8", "80"), LEARNED(WHO, J, "0.9", "90"), LEARNED(WHO, J, "0.95", "95"),                 \
    AT_RANDOM(WHO, "0.2", "20"), AT_RANDOM(WHO, "0.3", "30"), AT_RANDOM(WHO, "0.5", "50"), BY_DEPTH(WHO, "4"), BY_DEPTH(WHO, "5"), BY_DEPTH(WHO, "6")
#define TRADE(who, text)                                                                                                    \
    CURVE(who "-trade", text ": decisions against the solver's conflicts", 5, 1, SERIES(who "-states-", "learned on searches", -1), SERIES(who "-learned-", "learned on traces", -1), SERIES(who "-random-", "at random", -1), \
          SERIES(who "-depth-", "by depth", -1), SERIES(who "-every", "every state", -1), SERIES(who "-two-", "by clauses of two", -1))
#define TRADE_FIGURES                                                                                                    \
    CURVE("rule75-figures", "n=75, clause rule: figures of the state", 5, 1, SERIES("rule75-figures-", "learned on figures", -1), SERIES("rule75-counts-", "learned on counts", -1), SERIES("rule75-two-", "by clauses of two", -1), \
          SERIES("rule75-refuted", "refuted by failed literals", -1), SERIES("rule75-either-", "refuted, or by clauses of two", -1), SERIES("rule75-failed-", "by failed literals", -1))
#define TRADE_SSA75                                                                                                      \
    CURVE("ssa75-trade", "n=75, SSA as shipped: decisions against the solver's conflicts", 5, 1, SERIES("ssa75-figures-", "learned on figures", -1), SERIES("ssa75-random-", "at random", -1), \
          SERIES("ssa75-depth-", "by depth", -1), SERIES("ssa75-every", "every state", -1), SERIES("ssa75-two-", "by clauses of two", -1), SERIES("ssa75-refuted", "refuted by failed literals", -1))
#define TRADE_HEAD50                                                                                                     \
    CURVE("head50-trade", "n=50, SSA with a verify head: decisions against the solver's conflicts", 5, 1, SERIES("head50-head-", "its verify head", -1), SERIES("head50-random-", "at random", -1), \
          SERIES("head50-depth-", "by depth", -1), SERIES("head50-every", "every state", -1), SERIES("head50-two-", "by clauses of two", -1))
/* A figure has six colours: the literal transformer has one of its own. */
#define TRADE_LITERALS                                                                                                   \
    CURVE("rule50-literals", "n=50, clause rule: attention over literals", 5, 1, SERIES("rule50-literals-", "literal transformer", -1), SERIES("rule50-unnamed-", "without names", -1), SERIES("rule50-propagated-", "published labels", -1), \
          SERIES("rule50-learned-", "learned on traces", -1), SERIES("rule50-states-", "learned on searches", -1), SERIES("rule50-two-", "by clauses of two", -1))
/* In decisions; the rivals are those next above in conflicts. */
#define AHEAD(text, who, depth, share)                                                                                   \
    TEST(text ": learned on traces (TAU 0.90) minus propagation only", INSTANCES, 1, who "-learned-90", who "-exact"),               \
    TEST(text ": learned on traces (TAU 0.95) minus from depth " depth " on", INSTANCES, 1, who "-learned-95", who "-depth-" depth), \
    TEST(text ": learned on traces (TAU 0.95) minus at random, " share " %", INSTANCES, 1, who "-learned-95", who "-random-" share)
const sw_experiment sw_experiment_proactive = {
    .id = "proactive", .aliases = "proactive-verification", .section = VERIFY, .place = "none: the paper leaves learned proactive verification open",
    .title = "Random 3-SAT at ratio 4.26: going back before a conflict shows",
    .note = "a proposer names states that look dead and a complete solver with 50 conflicts confirms, so nothing viable is pruned. Learned on traces: an MLP on nine figures of a literal (presets sat-50-judge, sat-75-judge; 300 judged traces of the expert, half a minute of training). Learned on searches: an MLP on whole states (sat-50-states, sat-75-states; 3,000 judged searches of the clause rule under confirm:50:random:0.3, a minute of training). Literal transformer: attention over all open literals on the same traces (sat-50-literals; with an embedding of every variable as published, without, and with the published labels, whether a literal propagates to a conflict). Learned on figures: an MLP on 36 figures of a state that name no variable, with every value tried (sat-75-figures, for n=50 too; the same searches, a minute of training); on counts: on those 21 of them that try nothing. SSA: the shipped model, made by the preset sat-mixture (20 to 100 variables); with a verify head: the same, trained on beside its policy at n=50 (sat-50-head). Failed literals propagate to a conflict; refuted: setting what they leave, again and again, ends in one, a proof without a solver. TAU is the threshold. At random and by depth do not look at the state; the clauses with two free literals, the failed ones and refuted are numbers that need no learning. Conflicts, calls and seconds are means of one instance; the oracle keeps what its solver learned, the bounded solver begins anew at every state; 200 satisfiable formulas, 1,000 decisions",
    .seeds = {1, 5}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(SOLVED("solved", PLAIN), NUMBER("decisions", PLAIN, "decisions"), NUMBER("early backs", PLAIN, "early_backs"), NUMBER("false prunes", PLAIN, "false_prunes"),
                      NUMBER("verifier calls", PLAIN, "verifier_calls"), NUMBER("solver conflicts", PLAIN, "solver_conflicts"),
                      {.title = "seconds in the verifier", .settings = PLAIN, .figure = "verifier_seconds", .unit = "s"}),
    .row = ROWS(ALL(RULE50, "judge50"), STATES_ALL(RULE50, "states50"), BY_SIZE(RULE50, "10"), BY_SIZE(RULE50, "15"), BY_SIZE(RULE50, "20"), BY_SIZE(RULE50, "25"), BY_SIZE(RULE50, "28"), BY_SIZE(RULE50, "30"), BY_SIZE(RULE50, "35"), BY_SIZE(RULE50, "40"),
                LITERALS_ALL(RULE50, "literals50", "literals", "literals"), LITERALS_ALL(RULE50, "literals50-unnamed", "unnamed", "literals, no names"),
                LITERALS_ALL(RULE50, "literals50-propagation", "propagated", "literals, published labels"),
                ALL(RULE75, "judge75"), STATES_ALL(RULE75, "states75"), BY_SIZE(RULE75, "10"), BY_SIZE(RULE75, "15"), BY_SIZE(RULE75, "20"), BY_SIZE(RULE75, "25"), BY_SIZE(RULE75, "30"), BY_SIZE(RULE75, "35"), BY_SIZE(RULE75, "40"),
                FEW(SSA50, "judge50"), STATES(SSA50, "states50", "0.3", "30"), STATES(SSA50, "states50", "0.5", "50"), BY_SIZE(SSA50, "20"), BY_SIZE(SSA50, "30"),
                LITERALS(SSA50, "literals50", "literals", "literals", "0.9", "90"), LITERALS(SSA50, "literals50-unnamed", "unnamed", "literals, no names", "0.9", "90"),
                BY_FIGURES(FIGS50, "0.5", "50"), BY_FIGURES(FIGS50, "0.7", "70"), BY_FIGURES(FIGS50, "0.9", "90"), REFUTED(FIGS50),
                BY_FIGURES_ALL(FIGS75), COUNTED_ALL(FIGS75), REFUTED(FIGS75), FAILED(FIGS75, "2"), FAILED(FIGS75, "5"), FAILED(FIGS75, "10"),
                OR_TWO(FIGS75, "25"), OR_TWO(FIGS75, "30"), OR_TWO(FIGS75, "35"), OR_TWO(FIGS75, "40"),
                BY_FIGURES(SSA50, "0.7", "70"), REFUTED(SSA50),
                ENDS(SSA75), BY_FIGURES(SSA75, "0.5", "50"), BY_FIGURES(SSA75, "0.7", "70"), BY_FIGURES(SSA75, "0.9", "90"), LEARNED(SSA75, "judge75", "0.9", "90"), LEARNED(SSA75, "judge75", "0.95", "95"),
                AT_RANDOM(SSA75, "0.2", "20"), AT_RANDOM(SSA75, "0.3", "30"), BY_DEPTH(SSA75, "5"), BY_DEPTH(SSA75, "6"), BY_DEPTH(SSA75, "7"),
                BY_SIZE(SSA75, "25"), BY_SIZE(SSA75, "30"), REFUTED(SSA75),
                ENDS(HEAD50), BY_HEAD(HEAD50, "0.7", "70"), BY_HEAD(HEAD50, "0.8", "80"), BY_HEAD(HEAD50, "0.9", "90"),
                AT_RANDOM(HEAD50, "0.2", "20"), BY_DEPTH(HEAD50, "4"), BY_DEPTH(HEAD50, "6"), BY_SIZE(HEAD50, "20"), BY_SIZE(HEAD50, "30")),
    .statistic = TESTS(AHEAD("n=50, clause rule", "rule50", "6", "20"), AHEAD("n=75, clause rule", "rule75", "7", "20"), AHEAD("n=50, SSA", "ssa50", "6", "20"),
                       TEST("n=50, SSA with a verify head: its head (TAU 0.80) minus propagation only", INSTANCES, 1, "head50-head-80", "head50-exact"),
                       TEST("n=50, SSA with a verify head: its head (TAU 0.80) minus from depth 6 on", INSTANCES, 1, "head50-head-80", "head50-depth-6"),
                       TEST("n=50, SSA with a verify head: its head (TAU 0.80) minus at random, 20 %", INSTANCES, 1, "head50-head-80", "head50-random-20"),
                       TEST("n=75, SSA: learned on figures (TAU 0.70) minus propagation only", INSTANCES, 1, "ssa75-figures-70", "ssa75-exact"),
                       TEST("n=75, SSA: learned on figures (TAU 0.70) minus from depth 7 on", INSTANCES, 1, "ssa75-figures-70", "ssa75-depth-7"),
                       TEST("n=75, SSA: learned on figures (TAU 0.70) minus at random, 20 %", INSTANCES, 1, "ssa75-figures-70", "ssa75-random-20"),
                       TEST("n=75, SSA: learned on figures (TAU 0.70) minus at least 30 clauses of two", INSTANCES, 1, "ssa75-figures-70", "ssa75-two-30"),
                       TEST("n=75, clause rule: learned on figures (TAU 0.70) minus at least 25 clauses of two", INSTANCES, 1, "rule75-figures-70", "rule75-two-25"),
                       TEST("n=75, clause rule: learned on figures (TAU 0.70) minus refuted by failed literals", INSTANCES, 1, "rule75-figures-70", "rule75-refuted"),
                       TEST("n=75, clause rule: learned on figures (TAU 0.60) minus refuted, or at least 25 clauses of two", INSTANCES, 1, "rule75-figures-60", "rule75-either-25"),
                       TEST("n=50, clause rule: learned on figures (TAU 0.70) minus learned on searches (TAU 0.50)", INSTANCES, 1, "rule50-figures-70", "rule50-states-50"),
                       TEST("n=50, clause rule: literal transformer without names (TAU 0.90) minus learned on traces (TAU 0.95)", INSTANCES, 1, "rule50-unnamed-90", "rule50-learned-95"),
                       TEST("n=50, clause rule: literal transformer without names (TAU 0.90) minus at least 28 clauses of two", INSTANCES, 1, "rule50-unnamed-90", "rule50-two-28"),
                       TEST("n=50, clause rule: literal transformer without names (TAU 0.90) minus from depth 6 on", INSTANCES, 1, "rule50-unnamed-90", "rule50-depth-6"),
                       TEST("n=50, clause rule: learned on searches (TAU 0.50) minus at least 30 clauses of two", INSTANCES, 1, "rule50-states-50", "rule50-two-30"),
                       TEST("n=50, clause rule: learned on searches (TAU 0.50) minus from depth 6 on", INSTANCES, 1, "rule50-states-50", "rule50-depth-6"),
                       TEST("n=75, clause rule: learned on traces (TAU 0.90) minus at least 25 clauses of two", INSTANCES, 1, "rule75-learned-90", "rule75-two-25")),
    .curve = CURVES(TRADE("rule50", "n=50, clause rule"), TRADE("rule75", "n=75, clause rule"), TRADE("ssa50", "n=50, SSA as shipped"), TRADE_LITERALS, TRADE_FIGURES, TRADE_SSA75, TRADE_HEAD50),
};

/* Rounds of hard negatives: each judge has also seen the states of searches
 * under the one before it. Alone, so that its mistakes show; then confirmed. */
#define ALONE(round, J, tau, shown) RULE_OF("round" round "-" shown, "round " round ", TAU 0." shown, "clause+exact", "sat", .search = "verifier=viability:#" J ":" tau, PHASE("50"))
#define CONFIRMED(round, J) RULE_OF("confirmed-" round, "round " round ", TAU 0.90, confirmed", "clause+exact", "sat", .search = "verifier=confirm:50:viability:#" J ":0.9", PHASE("50"))
#define ROUND(round, J)                                                                                                  \
    ALONE(round, J, "0.5", "50"), ALONE(round, J, "0.7", "70"), ALONE(round, J, "0.8", "80"), ALONE(round, J, "0.9", "90"), \
    ALONE(round, J, "0.95", "95"), ALONE(round, J, "0.98", "98"), ALONE(round, J, "0.99", "99"), CONFIRMED(round, J)
#define BESIDE_AT(kind, text, J, tau, shown) RULE_OF(kind "-" shown, text ", TAU 0." shown, "clause+exact", "sat", .search = "verifier=viability:#" J ":" tau, PHASE("50"))
#define BESIDE(kind, text, J)                                                                                            \
    BESIDE_AT(kind, text, J, "0.9", "90"), BESIDE_AT(kind, text, J, "0.95", "95"), BESIDE_AT(kind, text, J, "0.98", "98"), BESIDE_AT(kind, text, J, "0.99", "99")
const sw_experiment sw_experiment_rounds = {
    .id = "hard-negatives", .aliases = "on-policy-rounds", .section = VERIFY, .place = "the text on rounds of hard negatives (no numbers)",
    .title = "Random 3-SAT n=50 at ratio 4.26: a learned verifier on its own, in rounds",
    .note = "theirs: a threshold of 0.05 on viability, rounds 0 to 3, said to be best in round 2 and to collapse in round 3; no numbers. Ours: the MLP of `proactive` says alone when to go back; round 0 is trained on 300 traces of the expert, each further round on 300 more searches of the clause rule under the judge before it at TAU 0.9, all states judged by the complete solver. Beside it the literal transformer of `proactive`, trained once. One bad verdict at a viable state loses a solution, so what counts is the share of false prunes",
    .seeds = {1, 5}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(SOLVED("solved", PLAIN), FIGURE("false prunes", PLAIN, "false_prune_rate"), NUMBER("precision", PLAIN, "prune_precision"), NUMBER("decisions", PLAIN, "decisions"),
                      NUMBER("early backs", PLAIN, "early_backs"), NUMBER("solver conflicts", PLAIN, "solver_conflicts")),
    .row = ROWS(ROUND("0", "judge50"), ROUND("1", "judge50-round1"), ROUND("2", "judge50-round2"), ROUND("3", "judge50-round3"),
                BESIDE("literals", "literals", "literals50"), BESIDE("unnamed", "literals, no names", "literals50-unnamed"), BESIDE("propagated", "literals, published labels", "literals50-propagation")),
    .curve = CURVES(CURVE("rounds", "Solved against precision", 2, 0, SERIES("round0-", "round 0", -1), SERIES("round1-", "round 1", -1), SERIES("round2-", "round 2", -1), SERIES("round3-", "round 3", -1)),
                    CURVE("literals", "Solved against precision: attention over literals", 2, 0, SERIES("round0-", "MLP, round 0", -1), SERIES("round2-", "MLP, round 2", -1), SERIES("literals-", "literal transformer", -1), SERIES("unnamed-", "without names", -1), SERIES("propagated-", "published labels", -1))),
};

/* The verify head by itself, beside scores that need none: of the states that
 * show no conflict, where only looking ahead helps. The places are those of
 * dead_states.c and sat_sizes.c. */
#define OF(text, part, n, path) MEASURE(text, "verify", "family=phase ratio=4.26 instances=25 bank-states=150 n=" n, part "." path, "")
#define AUROC(text, part, n, which) {.title = text, .source = SW_SOURCE_PROBE, .probe = "verify", .settings = "family=phase ratio=4.26 instances=25 bank-states=150 n=" n, \
                                     .figure = part ".unexposed." which ".auroc", .interval = part ".unexposed." which ".auroc_interval", .unit = ""}
#define SHARE_OF(text, part, n, path) MEASURE(text, "verify", "family=phase ratio=4.26 instances=25 bank-states=150 n=" n, part "." path, NULL)
#define JUDGED(where, part, n)                                                                                           \
    OF("states, " where, part, n, "states"), SHARE_OF("missed at 0.5, " where, part, n, "unexposed.0.missed_rate"), SHARE_OF("false prunes at 0.5, " where, part, n, "unexposed.0.false_prune_rate"), \
    SHARE_OF("false prunes at 0.9, " where, part, n, "thresholds.7.false_prune_rate"), SHARE_OF("dead caught at 0.9, " where, part, n, "thresholds.7.recall"), \
    OF("ECE, " where, part, n, "unexposed.0.ece"), OF("Brier, " where, part, n, "unexposed.0.brier"),                     \
    AUROC("AUROC, " where, part, n, "0"), AUROC("AUROC of the policy's share of going back, " where, part, n, "1"), AUROC("AUROC of depth, " where, part, n, "2"), \
    AUROC("AUROC of assigned variables, " where, part, n, "3"), AUROC("AUROC of clauses of two, " where, part, n, "4"),    \
    AUROC("AUROC of failed literals, " where, part, n, "7"), AUROC("AUROC of refuted by them, " where, part, n, "8")
#define HEADS_NOTE "of states without a conflict shown, on the searches of the model itself (going back at conflicts only) and on the repaired bank; 25 formulas, 150 states of each class in the bank; intervals clustered by formula. Rates at thresholds of 0.5 and 0.9. The model is that of `recipe`, trained on with a verify head for 100 steps of four judged traces of n=50 (sat-50-head)"
const sw_experiment sw_experiment_head = {
    .id = "verify-head", .section = VERIFY, .place = "none: the verify head on states", .title = "Random 3-SAT n=50 at ratio 4.26: the verify head, beside scores that need none",
    .note = HEADS_NOTE, .seeds = {1, 3}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(JUDGED("searches", "rollouts", "50"), JUDGED("bank", "bank", "50")),
    .row = ROWS(MODEL("head", "SSA, its verify head", "sat50h-ssa")),
};
/* clang-format on */
