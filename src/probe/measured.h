/* The sessions of the measures: their options and results, for the code that
 * prints them (src/command/probe_*.c). The work is in measure_*.c. */
#ifndef SW_PROBE_MEASURED_H
#define SW_PROBE_MEASURED_H
#include "probe/attention.h"
#include "probe/dead_states.h"
#include "probe/bank_build.h"
#include "probe/bank_eval.h"
#include "probe/case.h"
#include "probe/forced.h"
#include "probe/length.h"
#include "probe/measure.h"
#include "probe/padding.h"
#include "probe/representation.h"
#include "probe/transplant.h"
#include "probe/trees_metrics.h"
#include "probe/visited.h"

/* clang-format off */
/* Measures that can take their states from a data set (probe/data.h). */
#define SW_DATA_OPTIONS(X)                                                     \
  X(data, TEXT, "data", "", 0, 0, "", "data set whose searches are asked about") \
  X(part, CHOICE, "part", "auto", 0, 0, SW_DATA_PARTS, "which of them; auto: those that test, or all")

#define SW_TRANSPLANT_OPTIONS(X)                                               \
  SW_DATA_OPTIONS(X)                                                           \
  X(states, LONG, "states", "600", 1, 1e7, "", "states compared")              \
  SW_HISTORIES_ROW(X, "5")   \
  SW_INSTANCES_ROW(X, "2000", "most instances searched for states") \
  X(rollouts, LONG, "rollouts", "10", 1, 1e6, "", "rollouts per instance")      \
  X(blocks, LONG, "blocks", "0", 0, 1e6, "", "most blocks of a rollout; 0: as many as a training trace") \
  X(reorder, INT, "rebuilt", "5", 0, 64, "", "histories rebuilt per state: one without detours, the rest reordered") \
  X(per_instance, LONG, "per-instance", "12", 0, 1e6, "", "states of an instance that are rebuilt; 0: all") \
  X(uniform, REAL, "random-choice", "0.15", 0, 1, "", "probability of a uniform legal choice in a rollout; 1: no expert") \
  X(early_back, REAL, "early-back", "0", 0, 1, "", "probability of going back at a viable state") \
  X(policy, FLAG, "policy", "1", 0, 0, "", "also compare the joint distribution over complete actions")

#define SW_BANK_OPTIONS(X)                                                     \
  SW_DATA_OPTIONS(X)                                                           \
  X(construction, CHOICE, "construction", "fair", 0, 0, "fair|release", "repaired, or exactly as published (sat)") \
  X(file, TEXT, "bank", "", 0, 0, "", "eval: the bank file; default: build one in memory") \
  X(output, TEXT, "out", "", 0, 0, "output", "build: the file to write (-o)")  \
  X(instances, LONG, "instances", "-1", -1, 1e7, "", "instances (release: 200; fair: at most 4096)") \
  X(rollouts, LONG, "rollouts", "-1", -1, 1e6, "", "rollouts per instance (release: 4; fair: 16)") \
  X(viable, LONG, "viable", "2000", 1, 1e7, "", "fair: viable states, matched in size: a multiple of --conflicts") \
  X(conflicts, LONG, "conflicts", "500", 1, 1e7, "", "fair: conflict states")  \
  X(blocks, LONG, "blocks", "0", 0, 1e6, "", "fair: most blocks of a rollout; 0: as many as a training trace") \
  X(fewer, FLAG, "fewer", "0", 0, 0, "", "fair: too few states of a class are no error") \
  SW_HISTORIES_ROW(X, "4")   \
  X(bank_error, REAL, "random-choice", "0.15", 0, 1, "", "fair: probability of a random legal choice in a rollout") \
  X(order, CHOICE, "order", "lexical", 0, 0, "lexical|vsids", "release: order of the state's variables") \
  X(path, CHOICE, "path", "cached", 0, 0, "cached|full", "how a model is asked: as in the closed loop, or one full pass") \
  X(with_history, CHOICE, "with-history", "auto", 0, 0, "auto|yes|no", "eval: also behind every history; auto: not where the model writes a scratchpad, which costs as much each time") \
  X(foreign, FLAG, "foreign", "0", 0, 0, "", "eval: also with the problem of another instance, where a verifier falls to chance (models that read tokens)")

#define SW_ATTENTION_OPTIONS(X)                                                \
  X(viable, LONG, "viable", "100", 1, 1e6, "", "viable states, matched in size: a multiple of --conflicts") \
  X(conflicts, LONG, "conflicts", "100", 1, 1e6, "", "conflict states")        \
  SW_INSTANCES_ROW(X, "4096", "most instances searched for states") \
  X(rollouts, LONG, "rollouts", "16", 1, 1e6, "", "rollouts per instance")     \
  X(fewer, FLAG, "fewer", "0", 0, 0, "", "too few states of a class are no error") \
  X(items, INT, "items", "8", 1, 10000, "", "items of a state (clauses) whose own tokens are asked what they look at")

#define SW_PADDING_OPTIONS(X)                                                  \
  SW_DATA_OPTIONS(X)                                                           \
  X(trials, LONG, "trials", "600", 1, 1e7, "", "trials per model")             \
  X(blocks, LONG, "blocks", "3", 1, 1e6, "", "foreign decision blocks inserted") \
  X(latest, LONG, "latest", "8", 1, 1e6, "", "states up to this block number") \
  X(baseline, CHOICE, "baseline", "empty", 0, 0, "empty|history", "compared with: prefix and block alone, or the state's own history") \
  X(instances, LONG, "instances", "40", 2, 1e6, "", "held-out instances")      \
  X(path, CHOICE, "path", "full", 0, 0, "cached|full", "how the model is asked")

#define SW_LENGTH_OPTIONS(X)                                                   \
  SW_DATA_OPTIONS(X)                                                           \
  X(traces, LONG, "traces", "100", 1, 1e7, "", "held-out expert traces, teacher-forced") \
  X(instances, LONG, "instances", "50", 0, 1e6, "", "instances of the closed loop; 0: none") \
  X(protocol, CHOICE, "protocol", "cumulative", 0, 0, "cumulative|rebuilt", "closed loop: what the model is shown")

#define SW_REPRESENTATION_OPTIONS(X)                                           \
  SW_DATA_OPTIONS(X)                                                           \
  X(states, LONG, "states", "400", 1, 1e7, "", "states compared")              \
  SW_HISTORIES_ROW(X, "4")   \
  SW_INSTANCES_ROW(X, "100", "instances")

#define SW_VISITED_OPTIONS(X)                                                  \
  SW_INSTANCES_ROW(X, "100", "instances")              \
  X(protocol, CHOICE, "protocol", "rebuilt", 0, 0, "cumulative|rebuilt", "what the model is shown") \
  X(intervene, FLAG, "intervene", "1", 0, 0, "", "replace repeated actions (0: count them)") \
  X(decisions, LONG, "decisions", "-1", -1, 1e9, "", "decision budget; -1: the domain's")

#define SW_VERIFY_OPTIONS(X)                                                   \
  SW_INSTANCES_ROW(X, "50", "instances that the model searches") \
  X(bank_states, LONG, "bank-states", "200", 0, 1e6, "", "states of each class of the repaired bank; 0: no bank") \
  X(bank_file, TEXT, "bank", "", 0, 0, "", "a bank written by `probe bank build`, instead of building one") \
  X(judge, TEXT, "judge", "", 0, 0, "", "instead of the model's verify head: a model that judges states (as for --verifier viability)")

#define SW_CASE_OPTIONS(X)                                                     \
  X(states, LONG, "states", "200", 1, 1e6, "", "states asked to find one where only the history changes the choice") \
  X(instances, LONG, "instances", "100", 1, 1e6, "", "most instances searched for states")

#define SW_FORCED_OPTIONS(X)                                                   \
  SW_DATA_OPTIONS(X)                                                           \
  X(protocol, CHOICE, "protocol", "all", 0, 0, "cumulative|rebuilt|rebuilt-in-place|foreign|all", "what the model is shown")

#define SW_TREES_OPTIONS(X)                                                    \
  X(instances, LONG, "instances", "1000", 1, 50000, "", "teacher-forced test trees") \
  X(free, LONG, "free", "200", 0, 50000, "", "free-running test trees (not for cover)") \
  X(split, CHOICE, "split", "test", 0, 0, "train|valid|test", "which stream")  \
  X(truncate, FLAG, "truncate", "0", 0, 0, "", "one pass a token over the tokens before it: nothing can leak; slow")
/* clang-format on */

typedef struct sw_transplant_session {
  sw_probe probe;
  SW_TRANSPLANT_OPTIONS(SW_OPTION_FIELD)
  sw_probe_data from; /* of --data */
  int64_t unlike;     /* states.h */
  sw_transplant_result result[SW_LIST_MAX];
} sw_transplant_session;

typedef struct sw_bank_session {
  sw_probe probe;
  SW_BANK_OPTIONS(SW_OPTION_FIELD)
  sw_probe_data from; /* of --data */
  sw_bank bank;
  int built;
  sw_bank_stats stats;
  sw_bank_row trivial[SW_BANK_TRIVIALS];
  sw_bank_result result[SW_LIST_MAX];
  /* --foreign; a model that reads states cannot be shown another problem */
  sw_bank_result elsewhere[SW_LIST_MAX];
  int was_elsewhere[SW_LIST_MAX];
} sw_bank_session;
/* Loads or builds the bank, for the options of a model (NULL: the domain's
 * defaults), unless it is there. */
int sw_bank_session_build(sw_bank_session *s, const sw_domain *domain,
                          const sw_domain_options *base, sw_err *err);

/* A fair bank by the options of a measure, `base` those of a model (NULL: the
 * domain's defaults). Seed, domain and its options are filled in; `max_blocks`
 * is a further limit, 0: none. */
int sw_probe_fair_bank(const sw_probe *probe, const sw_domain *domain,
                       const sw_domain_options *base, sw_bank_fair_options *o,
                       int fewer, sw_bank *bank, sw_err *err);

typedef struct sw_attention_session {
  sw_probe probe;
  SW_ATTENTION_OPTIONS(SW_OPTION_FIELD)
  sw_attention_result result[SW_LIST_MAX];
} sw_attention_session;

typedef struct sw_padding_session {
  sw_probe probe;
  SW_PADDING_OPTIONS(SW_OPTION_FIELD)
  sw_probe_data from; /* of --data */
  sw_padding_result result[SW_LIST_MAX];
} sw_padding_session;

enum { SW_LENGTH_BUDGETS = 6 };
extern const int64_t sw_length_budget[SW_LENGTH_BUDGETS]; /* INT64_MAX: any */
typedef struct sw_length_report {
  sw_length_result forced;
  int64_t instances, solved[SW_LENGTH_BUDGETS]; /* within each token budget */
} sw_length_report;
typedef struct sw_length_session {
  sw_probe probe;
  SW_LENGTH_OPTIONS(SW_OPTION_FIELD)
  sw_probe_data from; /* of --data */
  sw_length_report report[SW_LIST_MAX];
} sw_length_session;

typedef struct sw_representation_session {
  sw_probe probe;
  SW_REPRESENTATION_OPTIONS(SW_OPTION_FIELD)
  sw_probe_data from; /* of --data */
  sw_representation_result result[SW_LIST_MAX];
} sw_representation_session;

typedef struct sw_visited_session {
  sw_probe probe;
  SW_VISITED_OPTIONS(SW_OPTION_FIELD)
  sw_visited_result result[SW_LIST_MAX];
} sw_visited_session;

typedef struct sw_verify_session {
  sw_probe probe;
  SW_VERIFY_OPTIONS(SW_OPTION_FIELD)
  sw_dead_result rollouts[SW_LIST_MAX], bank[SW_LIST_MAX];
} sw_verify_session;

typedef struct sw_case_session {
  sw_probe probe;
  SW_CASE_OPTIONS(SW_OPTION_FIELD)
  sw_case found;
} sw_case_session;

typedef struct sw_forced_session {
  sw_probe probe;
  SW_FORCED_OPTIONS(SW_OPTION_FIELD)
  sw_probe_data from;
  sw_forced_steps steps;
  sw_forced_floors floors;
  struct {
    sw_forced_view view[SW_FORCED_VIEWS]; /* by sw_protocol */
    sw_forced_gap gap, in_place; /* cumulative against rebuilt, in place */
    int has_gap, seen;           /* seen: trained on what it was asked about */
  } result[SW_LIST_MAX];
} sw_forced_session;

typedef struct sw_trees_row {
  char path[1024], step[24], family[16], format[32];
  int32_t k; /* leaves of a star; 0: a random tree */
  sw_tree_scores scores;
} sw_trees_row;
typedef struct sw_trees_session {
  sw_probe probe;
  SW_TREES_OPTIONS(SW_OPTION_FIELD)
  sw_trees_row result[SW_LIST_MAX];
} sw_trees_session;
/* The retrieval of the first k = 4 star with the same encoding as row m; NAN:
 * there is none. */
double sw_trees_retrieval(const sw_trees_session *s, int m);

#endif
