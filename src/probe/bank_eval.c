/* Scoring a state bank (see bank_eval.h). */
#include "probe/bank_eval.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "scoring the bank");
}

/* ---- tables ---- */

/* Does a state count in the main table? The repaired bank keeps retries apart.
 */
static int counts(const sw_bank *bank, int64_t state) {
  return strcmp(bank->construction, "fair") != 0 || !bank->retry[state];
}

typedef struct columns {
  double *score;
  uint8_t *label;
  int64_t *instance;
  int32_t *size;
  int64_t count;
} columns;

static void columns_free(columns *c) {
  free(c->score);
  free(c->label);
  free(c->instance);
  free(c->size);
}

static int columns_alloc(columns *c, int64_t states, sw_err *err) {
  size_t n = (size_t)states + 1;
  memset(c, 0, sizeof *c);
  c->score = malloc(sizeof *c->score * n);
  c->label = malloc(n);
  c->instance = malloc(sizeof *c->instance * n);
  c->size = malloc(sizeof *c->size * n);
  if (c->score && c->label && c->instance && c->size) return 0;
  columns_free(c);
  return no_memory(err);
}

static void columns_put(columns *c, const sw_bank *bank, int64_t state,
                        double score) {
  c->score[c->count] = score;
  c->label[c->count] = bank->label[state];
  c->instance[c->count] = bank->instance[state];
  c->size[c->count++] = bank->size[state];
}

/* AUROC over pairs of equal size. */
static double within_size(const columns *c) {
  double sum = 0, pairs = 0;
  for (int64_t i = 0; i < c->count; i++) {
    if (!c->label[i]) continue;
    for (int64_t j = 0; j < c->count; j++) {
      if (c->label[j] || c->size[i] != c->size[j]) continue;
      pairs++;
      sum += c->score[i] > c->score[j]    ? 1
             : c->score[i] == c->score[j] ? .5
                                          : 0;
    }
  }
  return pairs > 0 ? sum / pairs : NAN;
}

static int fill_row(const columns *c, int64_t resamples, uint64_t seed,
                    sw_bank_row *row, sw_err *err) {
  double ece;
  row->history_false_prune = row->history_missed = row->retry_false_prune = NAN;
  SW_TRY(sw_verdicts_of(c->score, c->label, c->count, &row->all, err));
  SW_TRY(sw_ece(c->score, c->label, c->count, SW_ECE_BINS, row->curve,
                &row->bins, &ece, err));
  row->auroc_within_size = within_size(c);
  if (c->count == 0) {
    memset(row->interval, 0, sizeof row->interval);
    return 0;
  }
  return sw_verdict_intervals(c->score, c->label, c->instance, c->count,
                              resamples, seed, row->interval, err);
}

/* Mean over the histories that fit; NaN when none does. */
static double state_score(const sw_bank *bank, const double *score,
                          int64_t state) {
  double sum = 0;
  int64_t used = 0;
  for (int64_t h = bank->probe_history[state];
       h < bank->probe_history[state + 1]; h++)
    if (!isnan(score[h])) {
      sum += score[h];
      used++;
    }
  return used ? sum / (double)used : NAN;
}

/* Rates over single histories, where averaging could hide a flip. */
static void history_rates(const sw_bank *bank, const double *score,
                          sw_bank_row *row) {
  int64_t seen[2] = {0, 0}, wrong[2] = {0, 0}, retries = 0, pruned = 0;
  for (int64_t s = 0; s < bank->states; s++)
    for (int64_t h = bank->probe_history[s]; h < bank->probe_history[s + 1];
         h++) {
      if (isnan(score[h])) continue;
      if (!counts(bank, s)) {
        retries++;
        pruned += score[h] > .5;
        continue;
      }
      int y = bank->label[s];
      seen[y]++;
      wrong[y] += y ? score[h] <= .5 : score[h] > .5;
    }
  row->history_false_prune = seen[0] ? (double)wrong[0] / (double)seen[0] : 0;
  row->history_missed = seen[1] ? (double)wrong[1] / (double)seen[1] : 0;
  row->retry_false_prune = retries ? (double)pruned / (double)retries : NAN;
}

static int score_row(const sw_bank *bank, const double *score,
                     int64_t resamples, uint64_t seed, sw_bank_row *row,
                     sw_err *err) {
  columns c;
  SW_TRY(columns_alloc(&c, bank->states, err));
  for (int64_t s = 0; s < bank->states; s++) {
    double mean = state_score(bank, score, s);
    if (counts(bank, s) && !isnan(mean)) columns_put(&c, bank, s, mean);
  }
  int code = fill_row(&c, resamples, seed, row, err);
  if (!code) history_rates(bank, score, row);
  columns_free(&c);
  return code;
}

/* Agreement, KL and entanglement over pairs of distinct histories of a state.
 */
static int pair_figures(const sw_bank *bank, const double *mass,
                        int64_t resamples, uint64_t seed, sw_bank_result *out,
                        sw_err *err) {
  int64_t room = 0, n = 0, agree = 0;
  double kl = 0;
  for (int64_t s = 0; s < bank->states; s++) {
    int64_t k = bank->probe_history[s + 1] - bank->probe_history[s];
    room += k * (k - 1) / 2;
  }
  double *squared = malloc(sizeof *squared * (size_t)(room + 1));
  int64_t *cluster = malloc(sizeof *cluster * (size_t)(room + 1));
  int code = squared && cluster ? 0 : no_memory(err);
  for (int64_t s = 0; s < bank->states && !code; s++)
    for (int64_t a = bank->probe_history[s]; a < bank->probe_history[s + 1];
         a++)
      for (int64_t b = a + 1; b < bank->probe_history[s + 1]; b++) {
        if (isnan(mass[a]) || isnan(mass[b]) ||
            sw_bank_same_history(bank, a, b))
          continue;
        double gap = sw_bernoulli_symmetric_kl(mass[a], mass[b]);
        agree += (mass[a] > .5) == (mass[b] > .5);
        kl += gap;
        out->unequal += gap > 1e-3;
        squared[n] = (mass[a] - mass[b]) * (mass[a] - mass[b]);
        cluster[n++] = bank->instance[s];
      }
  out->pairs = n;
  out->agreement = n ? (double)agree / (double)n : NAN;
  out->symmetric_kl = n ? kl / (double)n : NAN;
  out->entanglement = (sw_interval){NAN, NAN, NAN};
  if (!code && n)
    code = sw_entanglement(squared, cluster, n, resamples, seed,
                           &out->entanglement, err);
  free(squared);
  free(cluster);
  return code;
}

int sw_bank_evaluate(const sw_bank *bank, const sw_bank_scores *s,
                     int64_t resamples, uint64_t seed, sw_bank_result *out,
                     sw_err *err) {
  memset(out, 0, sizeof *out);
  out->states = bank->states;
  out->skipped = s->skipped;
  for (int p = 0; p < SW_BANK_PROTOCOLS; p++) {
    SW_TRY(score_row(bank, s->mass[p], resamples, seed, &out->mass[p], err));
    SW_TRY(score_row(bank, s->free[p], resamples, seed, &out->free[p], err));
  }
  out->used = out->mass[SW_BANK_CUMULATIVE].all.states;
  out->protocol_gap = out->used ? out->mass[SW_BANK_CUMULATIVE].all.auroc -
                                      out->mass[SW_BANK_REBUILT].all.auroc
                                : NAN;
  for (int64_t h = 0; h < s->histories; h++) {
    double gap = fabs(s->mass[0][h] - s->mass[1][h]);
    if (gap > out->largest_gap) out->largest_gap = gap; /* NaN compares false */
  }
  if (!out->used) out->largest_gap = NAN;
  out->exact_equal_rate =
      s->compared ? (double)s->exact_equal / (double)s->compared : NAN;
  SW_TRY(sw_bank_theory(bank, s->mass[SW_BANK_CUMULATIVE], seed, &out->theory,
                        err));
  return pair_figures(bank, s->mass[SW_BANK_CUMULATIVE], resamples, seed, out,
                      err);
}

static const char *const trivial_names[] = {
#define X(id, name) name,
    SW_BANK_TRIVIAL(X)
#undef X
};
const char *sw_bank_trivial_name(int which) { return trivial_names[which]; }

int sw_bank_trivial_row(const sw_bank *bank, int which, int64_t resamples,
                        uint64_t seed, sw_bank_row *out, sw_err *err) {
  columns c;
  int64_t conflicts = 0, used = 0;
  SW_TRY(columns_alloc(&c, bank->states, err));
  for (int64_t s = 0; s < bank->states; s++)
    if (counts(bank, s)) {
      used++;
      conflicts += bank->label[s];
    }
  for (int64_t s = 0; s < bank->states; s++) {
    if (!counts(bank, s)) continue;
    double k = (double)(bank->probe_allowed[s + 1] - bank->probe_allowed[s]);
    double score = which == SW_BANK_TRIVIAL_CONSTANT ? 1 / (1 + k)
                   : which == SW_BANK_TRIVIAL_SIZE   ? 1 / (1.0 + bank->size[s])
                                                     : (2 * conflicts > used);
    columns_put(&c, bank, s, score);
  }
  memset(out, 0, sizeof *out);
  int code = fill_row(&c, resamples, seed, out, err);
  columns_free(&c);
  return code;
}
