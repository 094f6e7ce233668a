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
#define COLUMNS_OF_RUNGS COLUMNS(JUDGED("12"), PLAYED, \
    CARD("validation loss", "valid_loss", ""), \
    CARD("tokens of training", "tokens", ""))

#define SIZE .test = "family=planted n=12 ratio=4.0"
const sw_experiment sw_experiment_evidence_ladder = {
    .id = "ladder", .section = "experiments of our own", .place = "none: how much of the verdict is shown",
    .title = "3-SAT n=12: the ladder of evidence",
    .note = "the size-matched bank; another problem: the same states with the clauses of another instance, where a verifier falls to .5",
    .seeds = {1, 3}, .column = COLUMNS_OF_RUNGS,
    .row = ROWS(MODEL("evidence", "evidence, SSA", "sat12-ssa", SIZE),
                MODEL("touched", "touched, SSA", "ladder12-touched", SIZE),
                MODEL("touched-facts", "touched, SSA, facts", "ladder12-touched-facts", SIZE),
                MODEL("full", "full, SSA", "ladder12-full", SIZE),
                MODEL("reread", "full, reread", "ladder12-reread", SIZE),
                MODEL("reread-facts", "full, reread, facts", "ladder12-reread-facts", SIZE),
                MODEL("self", "self, SSA", "ladder12-self", SIZE),
                MODEL("self-scan", "self-scan, SSA", "ladder12-scan", SIZE),
                MODEL("reread-self", "self, reread, facts", "ladder12-reread-self", SIZE)),
};

/* Each size has the columns of its own bank, and those of the loop. */
#define ONE(n, bank) SHIPPED("full-" n, "n=" n, "sat-full", .domain = "sat", .test = "family=planted n=" n " ratio=4.0", .columns = (bank) | 0x7fc00)
const sw_experiment sw_experiment_full_by_size = {
    .id = "full-by-size", .section = "experiments of our own", .place = "none: how much of the verdict is shown",
    .title = "3-SAT, the assignment alone: one model for n from 6 to 20",
    .note = "models/sat-full.safetensors, full under reread; another problem: the same states with the clauses of another instance, where a verifier falls to .5",
    .seeds = {1, 1}, .column = COLUMNS(JUDGED("12"), JUDGED("20"), PLAYED),
    .row = ROWS(ONE("12", 0x1f), ONE("20", 0x3e0)),
};
/* clang-format on */
