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
#define RULE50(name, text, verifier) RULE_OF("rule50-" name, "n=50, clause rule, " text, "clause+exact", "sat", .search = "verifier=" verifier, PHASE("50"))
#define RULE75(name, text, verifier) RULE_OF("rule75-" name, "n=75, clause rule, " text, "clause+exact", "sat", .search = "verifier=" verifier, PHASE("75"))
#define LEARNED(WHO, J, tau, shown) WHO("learned-" shown, "learned, TAU 0." shown, "confirm:50:viability:#" J ":" tau)
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
#define ALL(WHO, J) ENDS(WHO), LEARNED_ALL(WHO, J), BLIND(WHO)
/* A model takes longer than a rule. */
#define FEW(WHO, J)                                                                                                      \
    ENDS(WHO), LEARNED(WHO, J, "0.8", "80"), LEARNED(WHO, J, "0.9", "90"), LEARNED(WHO, J, "0.95", "95"),                 \
    AT_RANDOM(WHO, "0.2", "20"), AT_RANDOM(WHO, "0.3", "30"), AT_RANDOM(WHO, "0.5", "50"), BY_DEPTH(WHO, "4"), BY_DEPTH(WHO, "5"), BY_DEPTH(WHO, "6")
#define TRADE(who, text)                                                                                                 \
    CURVE(who "-trade", text ": decisions against the solver's conflicts", 5, 1, SERIES(who "-learned-", "learned", -1), SERIES(who "-random-", "at random", -1), \
          SERIES(who "-depth-", "by depth", -1), SERIES(who "-every", "every state", -1), SERIES(who "-exact", "propagation only", -1))
/* In decisions; the rivals are those next above in conflicts. */
#define AHEAD(text, who, depth, share)                                                                                   \
    TEST(text ": learned (TAU 0.90) minus propagation only", INSTANCES, 1, who "-learned-90", who "-exact"),               \
    TEST(text ": learned (TAU 0.95) minus from depth " depth " on", INSTANCES, 1, who "-learned-95", who "-depth-" depth), \
    TEST(text ": learned (TAU 0.95) minus at random, " share " %", INSTANCES, 1, who "-learned-95", who "-random-" share)
const sw_experiment sw_experiment_proactive = {
    .id = "proactive", .aliases = "proactive-verification", .section = VERIFY, .place = "none: the paper leaves learned proactive verification open",
    .title = "Random 3-SAT at ratio 4.26: going back before a conflict shows",
    .note = "a proposer names states that look dead and a complete solver with 50 conflicts confirms, so nothing viable is pruned. Learned: an MLP on nine figures of a literal (presets sat-50-judge, sat-75-judge), trained on 300 judged traces in less than a minute; TAU is its threshold. At random and by depth do not look at the state. Conflicts, calls and seconds are means of one instance; the oracle keeps what its solver learned, the bounded solver begins anew at every state; 200 satisfiable formulas, 1,000 decisions; exact is propagation only",
    .seeds = {1, 5}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(SOLVED("solved", PLAIN), NUMBER("decisions", PLAIN, "decisions"), NUMBER("early backs", PLAIN, "early_backs"), NUMBER("false prunes", PLAIN, "false_prunes"),
                      NUMBER("verifier calls", PLAIN, "verifier_calls"), NUMBER("solver conflicts", PLAIN, "solver_conflicts"),
                      {.title = "seconds in the verifier", .settings = PLAIN, .figure = "verifier_seconds", .unit = "s"}),
    .row = ROWS(ALL(RULE50, "judge50"), ALL(RULE75, "judge75"), FEW(SSA50, "judge50")),
    .statistic = TESTS(AHEAD("n=50, clause rule", "rule50", "6", "20"), AHEAD("n=75, clause rule", "rule75", "7", "20"), AHEAD("n=50, SSA", "ssa50", "6", "20")),
    .curve = CURVES(TRADE("rule50", "n=50, clause rule"), TRADE("rule75", "n=75, clause rule"), TRADE("ssa50", "n=50, SSA as shipped")),
};

/* Rounds of hard negatives: each judge has also seen the states of searches
 * under the one before it. Alone, so that its mistakes show; then confirmed. */
#define ALONE(round, J, tau, shown) RULE_OF("round" round "-" shown, "round " round ", TAU 0." shown, "clause+exact", "sat", .search = "verifier=viability:#" J ":" tau, PHASE("50"))
#define CONFIRMED(round, J) RULE_OF("confirmed-" round, "round " round ", TAU 0.90, confirmed", "clause+exact", "sat", .search = "verifier=confirm:50:viability:#" J ":0.9", PHASE("50"))
#define ROUND(round, J)                                                                                                  \
    ALONE(round, J, "0.5", "50"), ALONE(round, J, "0.7", "70"), ALONE(round, J, "0.8", "80"), ALONE(round, J, "0.9", "90"), \
    ALONE(round, J, "0.95", "95"), ALONE(round, J, "0.98", "98"), ALONE(round, J, "0.99", "99"), CONFIRMED(round, J)
const sw_experiment sw_experiment_rounds = {
    .id = "hard-negatives", .aliases = "on-policy-rounds", .section = VERIFY, .place = "the text on rounds of hard negatives (no numbers)",
    .title = "Random 3-SAT n=50 at ratio 4.26: a learned verifier on its own, in rounds",
    .note = "theirs: a threshold of 0.05 on viability, rounds 0 to 3, said to be best in round 2 and to collapse in round 3; no numbers. Ours: the MLP of `proactive` says alone when to go back; round 0 is trained on 300 traces of the expert, each further round on 300 more searches of the clause rule under the judge before it at TAU 0.9, all states judged by the complete solver. One bad verdict at a viable state loses a solution, so what counts is the share of false prunes",
    .seeds = {1, 5}, .beside = SW_BESIDE_NONE,
    .column = COLUMNS(SOLVED("solved", PLAIN), FIGURE("false prunes", PLAIN, "false_prune_rate"), NUMBER("precision", PLAIN, "prune_precision"), NUMBER("decisions", PLAIN, "decisions"),
                      NUMBER("early backs", PLAIN, "early_backs"), NUMBER("solver conflicts", PLAIN, "solver_conflicts")),
    .row = ROWS(ROUND("0", "judge50"), ROUND("1", "judge50-round1"), ROUND("2", "judge50-round2"), ROUND("3", "judge50-round3")),
    .curve = CURVES(CURVE("rounds", "Solved against precision", 2, 0, SERIES("round0-", "round 0", -1), SERIES("round1-", "round 1", -1), SERIES("round2-", "round 2", -1), SERIES("round3-", "round 3", -1))),
};
/* clang-format on */
