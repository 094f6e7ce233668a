/* Kinds of model against each other: the same traces, instances and budgets
 * for every family. */
#include "repro/groups.h"
#include "repro/table.h"

/* The same state after other histories: are the scores the same bits? */
#define SAME_BITS                                                    \
  "states=300 instances=150 rollouts=8 blocks=24 random-choice=0.5 " \
  "rebuilt=1 per-instance=0 histories=3 policy=0 resamples=400"
/* Who says when to go back, and whether the history is shown. */
#define BOTH_VERIFIERS                                                       \
  COLUMNS(                                                                   \
      SOLVED("rebuilt, model says when", "protocol=rebuilt verifier=model"), \
      SOLVED("rebuilt, exact", "protocol=rebuilt verifier=exact"),           \
      SOLVED("cumulative, model says when",                                  \
             "protocol=cumulative verifier=model"),                          \
      SOLVED("cumulative, exact", "protocol=cumulative verifier=exact"),     \
      NUMBER("decisions, rebuilt, exact", "protocol=rebuilt verifier=exact", \
             "decisions"),                                                   \
      MEASURE("same state, same bits", "transplant", SAME_BITS,              \
              "exact_equal_rate", NULL),                                     \
      CARD("parameters", "parameters", ""),                                  \
      CARD("validation loss", "valid_loss", ""),                             \
      CARD("training time", "seconds", "s"))

/* All but the columns of the run card, which shipped models have none of. */
#define PLAYED 0x3f

/* clang-format off */
const sw_experiment sw_experiment_families = {
    .id = "families", .section = "experiments of our own", .place = "Table 1 (flagship), the rows that are no transformer, at n=30",
    .title = "3-SAT n=30, evidence format: transformers and other kinds of model",
    .note = "theirs: n=50, enriched format, rules and budgets that differ between families; ours: one set of traces, instances, rules and budgets",
    .seeds = {1, 3}, .column = BOTH_VERIFIERS,
    .row = ROWS(MODEL("ssa", "SSA", "sat30-ssa", 0),
                MODEL("causal", "causal", "sat30-causal", 0),
                MODEL("lstm-continuous", "LSTM, continuous", "sat30-lstm-continuous", 0),
                MODEL("lstm-reset", "LSTM, block-reset", "sat30-lstm-reset", 0),
                MODEL("lstm-restored", "LSTM, prefix-restored", "sat30-lstm-restored", 0),
                MODEL("linear", "linear", "sat30-linear", 0),
                MODEL("mlp", "MLP", "sat30-mlp", 0),
                MODEL("mlp-published", "MLP, published features", "sat30-mlp-published", 0),
                MODEL("gnn", "factor GNN", "sat30-gnn", 0),
                MODEL("gnn-leak", "factor GNN, conflict as an input", "sat30-gnn-leak", 0),
                MODEL("state-5k", "causal, one state a trace", "sat30-state5k", 0),
                MODEL("state-100k", "causal, 100,000 states", "sat30-state100k", 0),
                MODEL("mlp-5k", "MLP, one state a trace", "sat30-mlp5k", 0),
                MODEL("mlp-100k", "MLP, 100,000 states", "sat30-mlp100k", 0),
                MODEL("gnn-flat", "factor GNN, until flat", "sat30-gnn-flat", 0),
                MODEL("gnn-leak-flat", "factor GNN, conflict as an input, until flat", "sat30-gnn-leak-flat", 0),
                SHIPPED("ssa-shipped", "SSA as shipped", "sat", .test = "family=planted n=30 ratio=4.0", .columns = PLAYED)),
};

const sw_experiment sw_experiment_families_50 = {
    .id = "families-50", .section = "experiments of our own", .place = "Table 1 (flagship), the rows that are no transformer",
    .title = "3-SAT n=50, evidence format: kinds of model that train in minutes",
    .note = "theirs: enriched format, rules and budgets that differ between families; ours: one set of traces, instances, rules and budgets",
    .seeds = {1, 3}, .column = BOTH_VERIFIERS,
    .row = ROWS(MODEL("ssa", "SSA", "sat50-ssa", 0),
                MODEL("linear", "linear", "sat50-linear", 0),
                MODEL("mlp", "MLP", "sat50-mlp", 0),
                MODEL("mlp-published", "MLP, published features", "sat50-mlp-published", 0),
                MODEL("mlp-5k", "MLP, one state a trace", "sat50-mlp5k", 0),
                MODEL("mlp-100k", "MLP, 100,000 states", "sat50-mlp100k", 0),
                SHIPPED("ssa-shipped", "SSA as shipped", "sat", .test = "family=planted n=50 ratio=4.0", .columns = PLAYED)),
};
