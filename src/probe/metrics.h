/* Metrics of a verifier on labelled states, and of two answers to one state
 * (docs/probes.md). Called by the bank, transplant, padding and history
 * probes. Scores must be finite (SW_DATA otherwise); labels are 0 (viable) or 1
 * (conflict). Ties never depend on the input's order unless a function says so,
 * except where the published definition does (sw_auprc_stable, sw_ece). */
#ifndef SW_PROBE_METRICS_H
#define SW_PROBE_METRICS_H
#include <stdint.h>
#include "base/err.h"
#include "base/stats.h"

enum { SW_ECE_BINS = 15 };
#define SW_PROB_FLOOR 1e-12

/* One row of the reliability curve: an equal-mass bin of the ascending scores.
 */
typedef struct sw_reliability_bin {
  double low, high, mean_score, mean_label;
  int64_t count;
} sw_reliability_bin;

typedef struct sw_verdicts {
  int64_t states, conflicts;
  double false_prune_rate;     /* label 0 with score > 0.5 */
  double missed_conflict_rate; /* label 1 with score <= 0.5 */
  double auroc, auprc, auprc_stable, ece, brier;
} sw_verdicts;

/* P(score of a conflict > score of a viable state), ties count one half; 0
 * when a class is empty. */
int sw_auroc(const double *score, const uint8_t *label, int64_t count,
             double *out, sw_err *err);
/* Average precision; equal scores are one group (sw_auprc), or ranked in input
 * order (sw_auprc_stable, the published definition). 0 without conflicts. */
int sw_auprc(const double *score, const uint8_t *label, int64_t count,
             double *out, sw_err *err);
int sw_auprc_stable(const double *score, const uint8_t *label, int64_t count,
                    double *out, sw_err *err);
/* Expected calibration error over min(bins, count) consecutive bins of the
 * ascending, stable order; sizes differ by at most one, larger ones first.
 * `curve` (may be NULL) receives the bins; *used their number. */
int sw_ece(const double *score, const uint8_t *label, int64_t count, int bins,
           sw_reliability_bin *curve, int *used, double *out, sw_err *err);
double sw_brier(const double *score, const uint8_t *label, int64_t count);
/* All of them, with the decision at score > 0.5. */
int sw_verdicts_of(const double *score, const uint8_t *label, int64_t count,
                   sw_verdicts *out, sw_err *err);

/* Intervals of false prunes, missed conflicts, AUROC, AUPRC, ECE and Brier,
 * in that order, resampling clusters (instances). */
enum { SW_VERDICT_INTERVALS = 6 };
int sw_verdict_intervals(const double *score, const uint8_t *label,
                         const int64_t *cluster, int64_t count,
                         int64_t resamples, uint64_t seed,
                         sw_interval out[SW_VERDICT_INTERVALS], sw_err *err);

/* Half of KL(p||q) + KL(q||p), both clamped below at 1e-12, not renormalised.
 */
double sw_kl(const double *p, const double *q, int64_t count);
double sw_symmetric_kl(const double *p, const double *q, int64_t count);
double sw_bernoulli_kl(double p, double q); /* clamped to [1e-12, 1-1e-12] */
double sw_bernoulli_symmetric_kl(double p, double q);

/* Share of conflict states a backtrack score keeps below its threshold is in
 * sw_verdicts; balanced accuracy of the decision score > threshold: */
double sw_balanced_accuracy(const double *score, const uint8_t *label,
                            int64_t count, double threshold);

/* Theorem 1: E[Var(f | state)] = half the mean squared difference of f under
 * two histories of one state. `squared` has one entry a pair. */
int sw_entanglement(const double *squared, const int64_t *cluster,
                    int64_t pairs, int64_t resamples, uint64_t seed,
                    sw_interval *out, sw_err *err);

/* Quartile 1..4 of a value: 1 + number of thresholds strictly below it. */
int sw_quartile_of(double value, const double threshold[3]);
int sw_quartile_thresholds(const double *values, int64_t count,
                           double threshold[3], sw_err *err);

#endif
