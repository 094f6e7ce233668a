/* Verifier metrics (see metrics.h). Every ranking metric starts from one stable
 * ascending order; sums run in double, in that order. */
#include "probe/metrics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int check(const double *score, int64_t count, sw_err *err) {
  for (int64_t i = 0; i < count; i++)
    if (!isfinite(score[i]))
      return sw_fail(err, SW_DATA, "score %lld is %g, not a finite number",
                     (long long)i, score[i]);
  return 0;
}

/* The stable ascending order, or an error; free() it. */
static int sorted_order(const double *score, int64_t count, int64_t **order,
                        sw_err *err) {
  SW_TRY(check(score, count, err));
  *order = malloc(sizeof **order * (size_t)(count + 1));
  if (!*order || sw_order_stable(score, count, *order)) {
    free(*order);
    return sw_no_memory_for(err, "metrics of %lld states", (long long)count);
  }
  return 0;
}

static int64_t positives_of(const uint8_t *label, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) sum += label[i] != 0;
  return sum;
}

/* Mann-Whitney: each tie group adds pos * (negatives below + half its own).
 * Counted in doubled integers, so the value is exact. */
static double auroc_of(const double *score, const uint8_t *label,
                       const int64_t *order, int64_t count) {
  int64_t pos = positives_of(label, count), neg = count - pos;
  if (pos == 0 || neg == 0) return 0;
  double twice = 0;
  int64_t below = 0;
  for (int64_t i = 0; i < count;) {
    int64_t j = i, p = 0;
    for (; j < count && score[order[j]] == score[order[i]]; j++)
      p += label[order[j]] != 0;
    int64_t q = j - i - p;
    twice += (double)(p * (2 * below + q));
    below += q;
    i = j;
  }
  return twice / 2 / ((double)pos * (double)neg);
}

/* Descending over tie groups; precision after the whole group counts for each
 * conflict in it. */
static double auprc_of(const double *score, const uint8_t *label,
                       const int64_t *order, int64_t count) {
  int64_t pos = positives_of(label, count), seen = 0, found = 0;
  if (pos == 0) return 0;
  double sum = 0;
  for (int64_t i = count; i > 0;) {
    int64_t j = i, p = 0;
    for (; j > 0 && score[order[j - 1]] == score[order[i - 1]]; j--)
      p += label[order[j - 1]] != 0;
    seen += i - j;
    found += p;
    sum += (double)p * (double)found / (double)seen;
    i = j;
  }
  return sum / (double)pos;
}

/* Descending, ties in input order: walk tie groups from the top, each group
 * forwards (the ascending order is stable). */
static double auprc_stable_of(const double *score, const uint8_t *label,
                              const int64_t *order, int64_t count) {
  int64_t pos = positives_of(label, count), rank = 0, found = 0;
  if (pos == 0) return 0;
  double sum = 0;
  for (int64_t i = count; i > 0;) {
    int64_t j = i;
    while (j > 0 && score[order[j - 1]] == score[order[i - 1]]) j--;
    for (int64_t k = j; k < i; k++) {
      rank++;
      if (!label[order[k]]) continue;
      found++;
      sum += (double)found / (double)rank;
    }
    i = j;
  }
  return sum / (double)pos;
}

static double ece_of(const double *score, const uint8_t *label,
                     const int64_t *order, int64_t count, int bins,
                     sw_reliability_bin *curve, int *used) {
  int64_t number = bins < count ? bins : count, start = 0;
  double total = 0;
  for (int64_t b = 0; b < number; b++) {
    int64_t size = count / number + (b < count % number), hits = 0;
    double sum = 0;
    for (int64_t k = start; k < start + size; k++) {
      sum += score[order[k]];
      hits += label[order[k]] != 0;
    }
    double ms = sum / (double)size, my = (double)hits / (double)size;
    total += (double)size / (double)count * fabs(ms - my);
    if (curve)
      curve[b] = (sw_reliability_bin){
          score[order[start]], score[order[start + size - 1]], ms, my, size};
    start += size;
  }
  if (used) *used = (int)number;
  return total;
}

#define RANKED(name)                                                      \
  int sw_##name(const double *score, const uint8_t *label, int64_t count, \
                double *out, sw_err *err) {                               \
    int64_t *order;                                                       \
    SW_TRY(sorted_order(score, count, &order, err));                      \
    *out = name##_of(score, label, order, count);                         \
    free(order);                                                          \
    return 0;                                                             \
  }
RANKED(auroc)
RANKED(auprc)
RANKED(auprc_stable)

int sw_ece(const double *score, const uint8_t *label, int64_t count, int bins,
           sw_reliability_bin *curve, int *used, double *out, sw_err *err) {
  int64_t *order;
  if (bins < 1) return sw_fail(err, SW_USAGE, "calibration with %d bins", bins);
  SW_TRY(sorted_order(score, count, &order, err));
  *out = ece_of(score, label, order, count, bins, curve, used);
  free(order);
  return 0;
}

double sw_brier(const double *score, const uint8_t *label, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; i++) {
    double gap = score[i] - (label[i] ? 1.0 : 0.0);
    sum += gap * gap;
  }
  return count > 0 ? sum / (double)count : 0;
}

static void rates_of(const double *score, const uint8_t *label, int64_t count,
                     sw_verdicts *out) {
  int64_t pruned = 0, missed = 0, pos = positives_of(label, count);
  for (int64_t i = 0; i < count; i++) {
    pruned += !label[i] && score[i] > 0.5;
    missed += label[i] && score[i] <= 0.5;
  }
  out->states = count;
  out->conflicts = pos;
  out->false_prune_rate =
      count > pos ? (double)pruned / (double)(count - pos) : 0;
  out->missed_conflict_rate = pos > 0 ? (double)missed / (double)pos : 0;
}

int sw_verdicts_of(const double *score, const uint8_t *label, int64_t count,
                   sw_verdicts *out, sw_err *err) {
  int64_t *order;
  memset(out, 0, sizeof *out);
  SW_TRY(sorted_order(score, count, &order, err));
  rates_of(score, label, count, out);
  out->auroc = auroc_of(score, label, order, count);
  out->auprc = auprc_of(score, label, order, count);
  out->auprc_stable = auprc_stable_of(score, label, order, count);
  out->ece = ece_of(score, label, order, count, SW_ECE_BINS, NULL, NULL);
  out->brier = sw_brier(score, label, count);
  free(order);
  return 0;
}

/* ---- intervals ---- */

typedef struct resample_space {
  const double *score;
  const uint8_t *label;
  double *s;
  uint8_t *y;
  int64_t room;
  int failed;
} resample_space;

static void verdict_statistic(const void *context, const int64_t *item,
                              int64_t count, double *out) {
  resample_space *space = *(resample_space *const *)context;
  if (count > space->room) {
    double *s = realloc(space->s, sizeof *s * (size_t)count);
    if (s) space->s = s;
    uint8_t *y = realloc(space->y, (size_t)count);
    if (y) space->y = y;
    if (!s || !y) space->failed = 1;
    else space->room = count;
  }
  for (int k = 0; k < SW_VERDICT_INTERVALS; k++) out[k] = NAN;
  if (space->failed) return;
  for (int64_t i = 0; i < count; i++) {
    space->s[i] = space->score[item[i]];
    space->y[i] = space->label[item[i]];
  }
  sw_verdicts v;
  if (sw_verdicts_of(space->s, space->y, count, &v, NULL)) {
    space->failed = 1;
    return;
  }
  int viable = v.conflicts<v.states, conflict = v.conflicts> 0;
  if (viable) out[0] = v.false_prune_rate;
  if (conflict) out[1] = v.missed_conflict_rate;
  if (viable && conflict) out[2] = v.auroc;
  if (conflict) out[3] = v.auprc;
  out[4] = v.ece;
  out[5] = v.brier;
}

int sw_verdict_intervals(const double *score, const uint8_t *label,
                         const int64_t *cluster, int64_t count,
                         int64_t resamples, uint64_t seed,
                         sw_interval out[SW_VERDICT_INTERVALS], sw_err *err) {
  SW_TRY(check(score, count, err));
  resample_space space = {score, label, NULL, NULL, 0, 0}, *address = &space;
  sw_bootstrap_options options = {cluster, resamples, seed};
  int code = sw_bootstrap(count, SW_VERDICT_INTERVALS, verdict_statistic,
                          &address, &options, out, err);
  if (!code && space.failed)
    code = sw_no_memory_for(err, "bootstrap of %lld states", (long long)count);
  free(space.s);
  free(space.y);
  return code;
}

/* ---- distances ---- */

static double floored(double p) {
  return p < SW_PROB_FLOOR ? SW_PROB_FLOOR : p;
}

double sw_kl(const double *p, const double *q, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; i++) {
    double a = floored(p[i]), b = floored(q[i]);
    sum += a * (log(a) - log(b));
  }
  return sum;
}

double sw_symmetric_kl(const double *p, const double *q, int64_t count) {
  return 0.5 * (sw_kl(p, q, count) + sw_kl(q, p, count));
}

static double clamped(double p) {
  double high = 1 - SW_PROB_FLOOR;
  return p < SW_PROB_FLOOR ? SW_PROB_FLOOR : p > high ? high : p;
}

double sw_bernoulli_kl(double p, double q) {
  p = clamped(p);
  q = clamped(q);
  return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q));
}

double sw_bernoulli_symmetric_kl(double p, double q) {
  return 0.5 * (sw_bernoulli_kl(p, q) + sw_bernoulli_kl(q, p));
}

double sw_balanced_accuracy(const double *score, const uint8_t *label,
                            int64_t count, double threshold) {
  int64_t pos = positives_of(label, count), hit = 0, reject = 0;
  for (int64_t i = 0; i < count; i++) {
    hit += label[i] && score[i] > threshold;
    reject += !label[i] && score[i] <= threshold;
  }
  if (pos == 0 || pos == count)
    return count ? (double)(hit + reject) / (double)count : 0;
  return 0.5 *
         ((double)hit / (double)pos + (double)reject / (double)(count - pos));
}

static void half_mean(const void *context, const int64_t *item, int64_t count,
                      double *out) {
  const double *squared = context;
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += squared[item[i]];
  out[0] = count > 0 ? 0.5 * sum / (double)count : NAN;
}

int sw_entanglement(const double *squared, const int64_t *cluster,
                    int64_t pairs, int64_t resamples, uint64_t seed,
                    sw_interval *out, sw_err *err) {
  SW_TRY(check(squared, pairs, err));
  sw_bootstrap_options options = {cluster, resamples, seed};
  return sw_bootstrap(pairs, 1, half_mean, squared, &options, out, err);
}

int sw_quartile_of(double value, const double threshold[3]) {
  return 1 + (threshold[0] < value) + (threshold[1] < value) +
         (threshold[2] < value);
}

int sw_quartile_thresholds(const double *values, int64_t count,
                           double threshold[3], sw_err *err) {
  double *copy = malloc(sizeof *copy * (size_t)(count + 1));
  if (!copy)
    return sw_no_memory_for(err, "quartiles of %lld values", (long long)count);
  if (count > 0) memcpy(copy, values, sizeof *copy * (size_t)count);
  sw_sort_doubles(copy, count);
  for (int k = 0; k < 3; k++)
    threshold[k] = count ? sw_quantile_sorted(copy, count, .25 * (k + 1)) : 0;
  free(copy);
  return 0;
}
