/* Scoring a state bank (docs/probes.md). A score is
 *   mass  p_bt = exp(z_back) / (exp(z_back) + sum over continuations exp(z)),
 *         the published backtrack mass
 *   free  z_back - log mean over continuations exp(z): free of the set's size,
 *         turned into a probability by the logistic function
 * averaged over a state's histories. Protocols: cumulative, rebuilt. */
#ifndef SW_PROBE_BANK_EVAL_H
#define SW_PROBE_BANK_EVAL_H
#include "base/figure.h"
#include "base/hooks.h"
#include "domains/domain.h"
#include "search/ask.h"
#include "probe/bank.h"
#include "probe/metrics.h"
#include "probe/theory.h"

enum { SW_BANK_CUMULATIVE, SW_BANK_REBUILT, SW_BANK_PROTOCOLS };

/* Answers of one model, NaN where an input did not fit. */
typedef struct sw_bank_scores {
  int64_t states, histories;
  double *mass[SW_BANK_PROTOCOLS]; /* [histories] */
  double *free[SW_BANK_PROTOCOLS]; /* [histories] */
  int64_t skipped; /* histories that did not fit the position table */
  int64_t
      exact_equal; /* full-vocabulary logits bit-identical across protocols */
  int64_t compared;
} sw_bank_scores;
void sw_bank_scores_free(sw_bank_scores *scores);
/* How a bank is asked about (bank_ask.c). */
typedef struct sw_bank_asking {
  const sw_domain *domain;          /* NULL: its format has no scratchpads */
  const sw_domain_options *options; /* with the bank's format */
  int foreign; /* 1: every state is shown with the problem of the next instance.
                * Labels stay, so a model that reads the problem must fall to
                * chance. */
  int rebuilt_only; /* 1: not behind its histories; those scores are NaN */
  /* Finds the problem among tokens (its problem_span); NULL: the prefix is the
   * problem. */
  const sw_domain *spans;
} sw_bank_asking;
/* Does the model write a scratchpad before its verdict? */
int sw_bank_writes_pads(const sw_bank_asking *how);
int sw_bank_ask(const sw_bank *bank, const sw_bank_asking *how, sw_asker *asker,
                sw_bank_scores *scores, sw_progress_fn progress, void *context,
                sw_err *err);
/* For callers that ask at the end of a state and do not let the model write.
 * SW_USAGE where the format has a scratchpad, because the verdict follows
 * it. */
int sw_refuse_pads(const sw_domain *domain, const char *format, sw_err *err);
/* Mass and free score of one vector of logits. */
void sw_bank_score_logits(const float *logits, int32_t vocab, int32_t back,
                          const int32_t *allowed, int64_t count, double *mass,
                          double *free_score);

/* One table row: metrics of one score under one protocol. */
typedef struct sw_bank_row {
  sw_verdicts all; /* decision and ranking, per state */
  sw_interval interval[SW_VERDICT_INTERVALS];
  double auroc_within_size; /* pairs of equal size only; NaN: no pair */
  double history_false_prune, history_missed; /* per history, not averaged */
  double retry_false_prune; /* states kept apart (fair), else NaN */
  sw_reliability_bin curve[SW_ECE_BINS];
  int bins;
} sw_bank_row;

typedef struct sw_bank_result {
  int64_t states, used, skipped;
  sw_bank_row mass[SW_BANK_PROTOCOLS], free[SW_BANK_PROTOCOLS];
  double protocol_gap;     /* AUROC(mass), cumulative minus rebuilt */
  double largest_gap;      /* of a history's mass between the protocols */
  double exact_equal_rate; /* bit-identical logits across protocols */
  double agreement, symmetric_kl; /* over pairs of distinct histories */
  int64_t pairs, unequal;         /* unequal: symmetric KL above 1e-3 */
  sw_interval entanglement;
  sw_theory theory; /* of the mass, cumulative */
} sw_bank_result;
int sw_bank_evaluate(const sw_bank *bank, const sw_bank_scores *scores,
                     int64_t resamples, uint64_t seed, sw_bank_result *out,
                     sw_err *err);

/* The theory's terms of a score by history (bank_theory.c). */
int sw_bank_theory(const sw_bank *bank, const double *mass, uint64_t seed,
                   sw_theory *out, sw_err *err);

/* Scores without a model, in the same shape: constant logits, the number of
 * continuations unassigned, and the majority class. */
#define SW_BANK_TRIVIAL(X)              \
  X(CONSTANT, "constant logits")        \
  X(SIZE, "fewer unassigned variables") \
  X(MAJORITY, "majority class")
typedef enum {
#define X(id, name) SW_BANK_TRIVIAL_##id,
  SW_BANK_TRIVIAL(X)
#undef X
      SW_BANK_TRIVIALS
} sw_bank_trivial;
const char *sw_bank_trivial_name(int which);
int sw_bank_trivial_row(const sw_bank *bank, int which, int64_t resamples,
                        uint64_t seed, sw_bank_row *out, sw_err *err);

/* Figures (bank_figures.c) of a row, of a model, of a model asked with another
 * problem, and of the bank. */
extern const sw_figure sw_bank_row_figures[], sw_bank_figures[],
    sw_bank_foreign_figures[], sw_bank_stats_figures[];

#endif
