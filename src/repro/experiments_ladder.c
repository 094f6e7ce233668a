/* The ladder of evidence: how much of the verdict a block already shows, and
 * whether a model can find the contradiction in the problem itself. Judged by
 * the size-matched bank first, with another instance's problem beside it, then
 * by the closed loop. An experiment of our own: the paper's formats show
 * nothing, or everything. */
#include "repro/groups.h"
#include "repro/table.h"

/* clang-format off */
#define BANK(n) "viable=2000 conflicts=500 histories=2 fewer=1 foreign=1 family=planted ratio=4.0 n=" n
#define OPEN "protocol=rebuilt verifier=model"
#define JUDGED(n) \
    MEASURE("n=" n ": bank AUROC", "bank", BANK(n), "rebuilt.auroc", ""), \
    MEASURE("n=" n ": bank AUROC, equal sizes", "bank", BANK(n), "rebuilt.auroc_within_size", ""), \
    MEASURE("n=" n ": bank AUROC, another problem", "bank", BANK(n), "foreign_problem.rebuilt.auroc", ""), \
    MEASURE("n=" n ": bank, missed", "bank", BANK(n), "rebuilt.missed_conflict_rate", NULL), \
    MEASURE("n=" n ": bank, false prunes", "bank", BANK(n), "rebuilt.false_prune_rate", NULL)
#define PLAYED \
    SOLVED("solved", OPEN), \
    SOLVED("solved, with its history", "protocol=cumulative verifier=model"), \
    SOLVED("solved, exact verifier", "protocol=rebuilt verifier=exact"), \
    SOLVED("solved, expert's variables", OPEN " variables=expert"), \
    FIGURE("missed conflicts", OPEN, "missed_conflict_rate"), \
    FIGURE("false prunes", OPEN, "false_prune_rate"), \
    NUMBER("scratchpads", OPEN, "pads"), \
    NUMBER("right scratchpads", OPEN, "right_pads"), \
    NUMBER("tokens a search", OPEN, "tokens")
#define COLUMNS_OF_RUNGS(n) COLUMNS(JUDGED(n), PLAYED, \
    CARD("validation loss", "valid_loss", ""), \
    CARD("tokens of training", "tokens", ""))

#define PLACE "none: how much of the verdict is shown"
#define OTHER "another problem: the same states with the clauses of another instance, where a verifier falls to .5"
/* Three models where the answer depends on the seed, one elsewhere. */
#define RUNG(id, text, model, ...) MODEL(id, text, model, .test = "family=planted n=12 ratio=4.0", __VA_ARGS__)
#define ONCE(id, text, model) RUNG(id, text, model, .seeds = 1)
const sw_experiment sw_experiment_evidence_ladder = {
    .id = "ladder", .section = "experiments of our own", .place = PLACE,
    .title = "3-SAT n=12: the ladder of evidence",
    .note = "the size-matched bank; " OTHER " (the clauses that evidence and touched show in the block stay)",
    .seeds = {3, 3}, .column = COLUMNS_OF_RUNGS("12"),
    .row = ROWS(ONCE("evidence", "evidence, SSA", "sat12-ssa"),
                ONCE("evidence-causal", "evidence, causal", "sat12-rotary"),
                ONCE("touched", "touched, SSA", "ladder12-touched"),
                ONCE("touched-facts", "touched, SSA, facts", "ladder12-touched-facts"),
                ONCE("touched-causal", "touched, causal", "ladder12-touched-causal"),
                RUNG("full", "full, SSA", "ladder12-full", 0),
                ONCE("full-causal", "full, causal", "ladder12-full-causal"),
                ONCE("full-block", "full, the block alone", "ladder12-full-block"),
                RUNG("mlp", "MLP, features", "ladder12-full-mlp", .seeds = 1, .note = "they hold what is left of each clause: the verdict is shown"),
                RUNG("mlp-published", "MLP, published features", "ladder12-full-mlp-published", .seeds = 1, .note = "they hold neither assignment nor clauses"),
                ONCE("gnn", "factor network", "ladder12-full-gnn"),
                ONCE("reread", "full, reread", "ladder12-reread"),
                RUNG("reread-facts", "full, reread, facts", "ladder12-reread-facts", 0),
                RUNG("self-scan", "self-scan, SSA", "ladder12-scan", 0),
                ONCE("self-scan-facts", "self-scan, SSA, facts", "ladder12-scan-facts"),
                ONCE("self-scan-causal", "self-scan, causal, facts", "ladder12-scan-causal"),
                ONCE("reread-scan", "self-scan, reread, facts", "ladder12-reread-scan"),
                ONCE("self", "self, SSA", "ladder12-self"),
                ONCE("self-causal", "self, causal", "ladder12-self-causal"),
                ONCE("reread-self", "self, reread, facts", "ladder12-reread-self")),
};

#define RUNG20(id, text, model) MODEL(id, text, model, .test = "family=planted n=20 ratio=4.0")
const sw_experiment sw_experiment_ladder_20 = {
    .id = "ladder-20", .section = "experiments of our own", .place = PLACE,
    .title = "3-SAT n=20: the ladder of evidence, touched and scratchpads",
    .note = "full: see full-by-size; " OTHER,
    .seeds = {1, 3}, .column = COLUMNS_OF_RUNGS("20"),
    .row = ROWS(RUNG20("touched", "touched, SSA", "ladder20-touched"),
                RUNG20("reread-scan", "self-scan, reread, facts", "ladder20-reread-scan"),
                RUNG20("reread-self", "self, reread, facts", "ladder20-reread-self")),
};

/* Each size has the columns of its own bank, and those of the loop. */
#define ONE(n, bank) SHIPPED("full-" n, "n=" n, "sat-full", .domain = "sat", .test = "family=planted n=" n " ratio=4.0", .columns = (bank) | 0x1ff00000)
const sw_experiment sw_experiment_full_by_size = {
    .id = "full-by-size", .section = "experiments of our own", .place = PLACE,
    .title = "3-SAT, the assignment alone: one model for n from 6 to 50",
    .note = "models/sat-full.safetensors, full under reread; " OTHER,
    .seeds = {1, 1}, .column = COLUMNS(JUDGED("12"), JUDGED("20"), JUDGED("30"), JUDGED("50"), PLAYED),
    .row = ROWS(ONE("12", 0x1f), ONE("20", 0x3e0), ONE("30", 0x7c00), ONE("50", 0xf8000)),
};

/* What its heads do, where each is strongest. */
#define LOOKS(n, name, path) MEASURE("n=" n ": " name, "attention", "viable=100 conflicts=100 family=planted ratio=4.0 n=" n, path, "")
#define SEEN(n) \
    LOOKS(n, "literal on its variable", "most_home.home"), \
    LOOKS(n, "clause's end on the clause", "most_inside.inside"), \
    LOOKS(n, "clause's opening on the least before", "most_opening_least.opening_least"), \
    LOOKS(n, "question on a falsified clause", "most_question_least.by_left.left_0"), \
    LOOKS(n, "on one with two free literals", "most_question_least.by_left.left_2"), \
    LOOKS(n, "on a satisfied one", "most_question_least.by_left.satisfied"), \
    LOOKS(n, "all tokens alike", "even.by_left.left_0"), \
    LOOKS(n, "score of a falsified clause", "most_question_least.score.left_0"), \
    LOOKS(n, "of one free literal", "most_question_least.score.left_1"), \
    LOOKS(n, "of two", "most_question_least.score.left_2"), \
    LOOKS(n, "of three", "most_question_least.score.left_3"), \
    LOOKS(n, "of a satisfied one", "most_question_least.score.satisfied")
#define HEADS_AT(n, bits) SHIPPED("heads-" n, "n=" n, "sat-full", .domain = "sat", .columns = bits)
const sw_experiment sw_experiment_full_attention = {
    .id = "full-attention", .section = "experiments of our own", .place = PLACE,
    .title = "3-SAT, the assignment alone: what the heads look at",
    .note = "models/sat-full.safetensors, mean attention of the head that looks there most (probe attention), over 100 viable and 100 conflict states of equal size and retries; score: logarithm of the question's attention on a clause less the mean over the clauses of the state",
    .seeds = {1, 1}, .column = COLUMNS(SEEN("12"), SEEN("20")),
    .row = ROWS(HEADS_AT("12", 0xfff), HEADS_AT("20", 0xfff000)),
};
/* clang-format on */
