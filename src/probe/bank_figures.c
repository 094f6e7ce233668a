/* What the measure `bank` finds, as a table of figures. */
#include "probe/measured.h"

#define F(...) SW_FIGURE(__VA_ARGS__)

/* ---- one score under one protocol ---- */

#define R sw_bank_row
/* In the order of sw_verdict_intervals. */
#define OF(k, name) \
  { F(INTERVAL, R, interval[k], name, "95 % interval", "resampling instances") }
static const sw_figure intervals[] = {OF(0, "false_prune_rate"),
                                      OF(1, "missed_conflict_rate"),
                                      OF(2, "auroc"),
                                      OF(3, "auprc"),
                                      OF(4, "ece"),
                                      OF(5, "brier"),
                                      {0}};
#undef OF

#define BIN(KIND, m, heading, help) \
  { F(KIND, sw_reliability_bin, m, #m, heading, help) }
static const sw_figure bins[] = {
    BIN(SCORE, low, "from", "lowest score of the bin"),
    BIN(SCORE, high, "to", "highest score of the bin"),
    BIN(SCORE, mean_score, "said", "mean score"),
    BIN(SHARE, mean_label, "true", "share of conflicts"),
    BIN(COUNT, count, "states", "states in the bin"),
    {0}};
#undef BIN

static void reliability(const void *found, sw_json *json) {
  const R *row = found;
  sw_json_array(json, "reliability");
  for (int b = 0; b < row->bins; b++) {
    const sw_reliability_bin *bin = &row->curve[b];
    sw_json_object(json, NULL);
    sw_json_float9(json, "low", bin->low);
    sw_json_float9(json, "high", bin->high);
    sw_json_float9(json, "mean_score", bin->mean_score);
    sw_json_float9(json, "mean_label", bin->mean_label);
    sw_json_int(json, "count", bin->count);
    sw_json_end(json);
  }
  sw_json_end(json);
}

/* One list serves each protocol and the top of the JSON object, which repeats
 * the cumulative figures. */
#define ROW_FIGURES(ROW, P)                                                  \
  {F(SHARE, ROW, P all.false_prune_rate, "false_prune_rate", "false prunes", \
     "viable states where it goes back"),                                    \
   .shown = 4, .interval = "interval.false_prune_rate"},                     \
      {F(SHARE, ROW, P all.missed_conflict_rate, "missed_conflict_rate",     \
         "missed conflicts", "conflict states where it goes on"),            \
       .shown = 5, .interval = "interval.missed_conflict_rate"},             \
      {F(SCORE, ROW, P all.auroc, "auroc", "AUROC",                          \
         "a conflict scores higher than a viable state"),                    \
       .shown = 3, .interval = "interval.auroc"},                            \
      {F(SCORE, ROW, P all.auprc, "auprc", "AUPRC", "average precision"),    \
       .interval = "interval.auprc"},                                        \
      {F(SCORE, ROW, P all.ece, "ece", "calibration error (ECE)",            \
         "difference of what is said and what is true, over bins"),          \
       .shown = 1, .interval = "interval.ece"},                              \
      {F(SCORE, ROW, P all.brier, "brier", "Brier score",                    \
         "mean squared error of the probability"),                           \
       .shown = 2, .interval = "interval.brier"},                            \
      {F(SCORE, ROW, P all.auprc_stable, "auprc_stable", "AUPRC, published", \
         "equal scores ranked in input order")},                             \
      {F(SCORE, ROW, P auroc_within_size, "auroc_within_size",               \
         "AUROC, equal size", "only pairs of states of equal size")},        \
      {F(SHARE, ROW, P history_false_prune, "history_false_prune_rate",      \
         "false prunes a history", "per history instead of per state")},     \
      {F(SHARE, ROW, P history_missed, "history_missed_conflict_rate",       \
         "missed conflicts a history", "per history instead of per state")}, \
  {                                                                          \
    F(SHARE, ROW, P retry_false_prune, "retry_false_prune_rate",             \
      "false prunes at retries", "at choices that failed before"),           \
  }

const sw_figure sw_bank_row_figures[] = {
    ROW_FIGURES(R, ),
    {.name = "interval",
     .kind = SW_FIGURE_GROUP,
     .heading = "intervals",
     .help = "95 % intervals of the six above",
     .part = intervals,
     .stored = SW_STORED_INSIDE},
    {.name = "reliability",
     .kind = SW_FIGURE_SERIES,
     .heading = "calibration curve",
     .help = "bins of equal mass by score",
     .part = bins,
     .write = reliability},
    {0}};
#undef R

/* ---- the theory's terms ---- */

#define R sw_theory
static const sw_figure theory[] = {
    {F(COUNT, R, rows, "rows", "rows", "states times histories")},
    {F(COUNT, R, states, "states", "states", "different states")},
    {F(COUNT, R, traces, "traces", "shown states", "as shown, different")},
    {F(COUNT, R, histories, "histories", "histories", "different histories")},
#define X(name, text) {F(MEAN, R, name, #name, #name, text)},
    SW_THEORY_TERMS(X)
#undef X
        {0}};
#undef R

/* ---- of a model ---- */

#define R sw_bank_result
static void reliability_with(const void *found, sw_json *json) {
  reliability(&((const R *)found)->mass[SW_BANK_CUMULATIVE], json);
}

#define PROTOCOLS(SHOWN)                                                      \
  {F(VIEW, R, mass[SW_BANK_CUMULATIVE], "cumulative", "with history",         \
     "asked after the state's history"),                                      \
   .part = sw_bank_row_figures, .shown = SHOWN},                              \
      {F(GROUP, R, free[SW_BANK_CUMULATIVE], "cumulative_size_free",          \
         "with history, free of size", "by log odds against the mean logit"), \
       .part = sw_bank_row_figures},                                          \
      {F(VIEW, R, mass[SW_BANK_REBUILT], "rebuilt", "without",                \
         "asked of problem and state alone"),                                 \
       .part = sw_bank_row_figures, .shown = 2 * SHOWN},                      \
  {                                                                           \
    F(GROUP, R, free[SW_BANK_REBUILT], "rebuilt_size_free",                   \
      "without, free of size", "by log odds against the mean logit"),         \
        .part = sw_bank_row_figures                                           \
  }

const sw_figure sw_bank_foreign_figures[] = {
    {F(GROUP, R, mass[SW_BANK_CUMULATIVE], "cumulative", "with history",
       "behind the history, with another problem"),
     .part = sw_bank_row_figures},
    {F(GROUP, R, mass[SW_BANK_REBUILT], "rebuilt", "without",
       "of another problem and the state"),
     .part = sw_bank_row_figures},
    {0}};

const sw_figure sw_bank_figures[] = {
    {F(SCORE, R, protocol_gap, "protocol_gap", "AUROC gap",
       "AUROC with history minus without")},
    {F(SCORE, R, largest_gap, "largest_gap", "largest gap",
       "of a probability between the protocols")},
    {F(SHARE, R, exact_equal_rate, "exact_equal_rate", "identical bits",
       "logits that are the same with history and without")},
    {F(SHARE, R, agreement, "agreement", "same verdict",
       "pairs of histories of one state with the same verdict")},
    {F(MEAN, R, symmetric_kl, "symmetric_kl", "symmetric KL",
       "between the verdicts of such a pair, nats")},
    {F(MEAN, R, entanglement.point, "entanglement", "entanglement",
       "variance of the verdict over histories"),
     .interval = "entanglement_interval"},
    {F(INTERVAL, R, entanglement, "entanglement_interval", "95 % interval",
       "of entanglement, resampling instances")},
    {F(COUNT, R, pairs, "pairs", "pairs", "of histories of one state")},
    {F(COUNT, R, unequal, "unequal_pairs", "unequal pairs",
       "of them with a symmetric KL above 0.001")},
    {F(COUNT, R, skipped, "skipped_histories", "skipped",
       "histories that did not fit the position table")},
    {F(GROUP, R, theory, "theory", "theory",
       "terms of the error of a verdict (docs/verifiers.md)"),
     .part = theory},
    ROW_FIGURES(R, mass[SW_BANK_CUMULATIVE].),
    {F(GROUP, R, mass[SW_BANK_CUMULATIVE], "interval", "intervals",
       "95 % intervals of the six above, with history"),
     .part = intervals},
    {.name = "reliability",
     .kind = SW_FIGURE_SERIES,
     .heading = "calibration curve",
     .help = "bins of equal mass by score, with history",
     .part = bins,
     .write = reliability_with},
    PROTOCOLS(1),
    {.name = "foreign_problem",
     .kind = SW_FIGURE_GROUP,
     .heading = "another problem",
     .help = "with the problem of another instance (--foreign)",
     .part = sw_bank_foreign_figures},
    {0}};
#undef R

/* ---- of the bank ---- */

static void id_hash(const void *found, sw_json *json) {
  sw_json_string(json, "id_hash", ((const sw_bank_stats *)found)->id_hash);
}

#define R sw_bank_stats
const sw_figure sw_bank_stats_figures[] = {
    {F(COUNT, R, states, "states", "states", "states of the bank")},
    {F(COUNT, R, viable, "viable", "viable", "that can be completed")},
    {F(COUNT, R, conflicts, "conflict", "conflicts", "that show a conflict")},
    {F(COUNT, R, retries, "retries", "retries",
       "states behind a failed choice, kept apart")},
    {F(COUNT, R, instances, "instances", "instances", "that they come from")},
    {F(COUNT, R, pairs, "history_pairs", "pairs", "of histories of a state")},
    {F(COUNT, R, distinct_pairs, "distinct_pairs", "distinct pairs",
       "of really different histories")},
    {F(COUNT, R, inputs, "distinct_inputs", "inputs",
       "different problems with states")},
    {F(MEAN, R, mean_history, "mean_history_tokens", "history, tokens",
       "tokens before the state, on average")},
    {F(MEAN, R, mean_size[0], "mean_size_viable", "size of viable states",
       "assigned variables, on average")},
    {F(MEAN, R, mean_size[1], "mean_size_conflict", "size of conflicts",
       "the same of conflict states")},
    {.name = "id_hash",
     .kind = SW_FIGURE_TEXT,
     .heading = "hash",
     .help = "of the states' ids, in order",
     .write = id_hash},
    {0}};
#undef R
