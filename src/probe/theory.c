/* The terms of the theory (see theory.h). Rows are sorted by a name, and what a
 * group of equal names has in common is written beside each of its rows. */
#include "probe/theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"

typedef struct named {
  uint64_t name;
  int64_t row;
} named;

typedef struct work {
  const sw_theory_row *row;
  int64_t count;
  named *by;                      /* [count] scratch */
  double *y_s, *y_t, *y_th, *f_t; /* [count] conditional means */
  uint8_t *label;                 /* [count] as it is, or dealt out */
} work;

static int by_name(const void *a, const void *b) {
  const named *x = a, *y = b;
  if (x->name != y->name) return x->name < y->name ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

typedef enum { BY_STATE, BY_TRACE, BY_BOTH } grouping;

static int64_t sort_rows(work *w, grouping how) {
  int64_t groups = 0;
  for (int64_t i = 0; i < w->count; i++) {
    uint64_t both[2] = {w->row[i].trace, w->row[i].history};
    w->by[i].row = i;
    w->by[i].name = how == BY_STATE   ? w->row[i].state
                    : how == BY_TRACE ? both[0]
                                      : sw_xxh64(both, sizeof both, 0);
  }
  qsort(w->by, (size_t)w->count, sizeof *w->by, by_name);
  for (int64_t i = 0; i < w->count; i++)
    groups += i == 0 || w->by[i].name != w->by[i - 1].name;
  return groups;
}

static int64_t group_end(const work *w, int64_t first) {
  int64_t end = first + 1;
  while (end < w->count && w->by[end].name == w->by[first].name) end++;
  return end;
}

static double value_of(const work *w, int64_t at, int scores) {
  int64_t row = w->by[at].row;
  return scores ? w->row[row].score : w->label[row];
}

/* Writes each group's mean label (or score) beside its rows; the mean of equal
 * numbers is exactly that number. */
static int64_t condition(work *w, grouping how, int scores, double *out) {
  int64_t groups = sort_rows(w, how);
  for (int64_t a = 0, b; a < w->count; a = b) {
    double first = value_of(w, a, scores), sum = 0;
    b = group_end(w, a);
    for (int64_t i = a; i < b; i++) sum += value_of(w, i, scores) - first;
    for (int64_t i = a; i < b; i++)
      out[w->by[i].row] = first + sum / (double)(b - a);
  }
  return groups;
}

static double entropy(double p) {
  return p <= 0 || p >= 1 ? 0 : -p * log(p) - (1 - p) * log(1 - p);
}

/* I(Y;H|T) of the labels in w->label, and the least losses. */
static double information(work *w, sw_theory *out) {
  double shown = 0, history = 0, risk[2] = {0, 0}, n = (double)w->count;
  condition(w, BY_TRACE, 0, w->y_t);
  condition(w, BY_BOTH, 0, w->y_th);
  for (int64_t i = 0; i < w->count; i++) {
    shown += entropy(w->y_t[i]) / n;
    history += entropy(w->y_th[i]) / n;
    risk[0] += fmin(w->y_t[i], 1 - w->y_t[i]) / n;
    risk[1] += fmin(w->y_th[i], 1 - w->y_th[i]) / n;
  }
  if (out) {
    out->log_loss_shown = shown;
    out->log_loss_history = history;
    out->risk_shown = risk[0];
    out->risk_history = risk[1];
  }
  return shown - history;
}

/* Deals the labels of each trace out among its rows. */
static void deal(work *w, uint64_t seed) {
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, seed);
  sort_rows(w, BY_TRACE);
  for (int64_t a = 0, b; a < w->count; a = b) {
    b = group_end(w, a);
    for (int64_t i = b - 1; i > a; i--) {
      int64_t k = a + (int64_t)sw_xoshiro_below(&rng, (uint64_t)(i - a + 1));
      uint8_t swap = w->label[w->by[i].row];
      w->label[w->by[i].row] = w->label[w->by[k].row];
      w->label[w->by[k].row] = swap;
    }
  }
}

/* Every redraw of every row's history, half its squared difference. */
static double redraw(work *w) {
  double sum = 0;
  sort_rows(w, BY_TRACE);
  for (int64_t a = 0, b; a < w->count; a = b) {
    double own = 0;
    b = group_end(w, a);
    for (int64_t i = a; i < b; i++)
      for (int64_t k = a; k < b; k++) {
        double gap = w->row[w->by[i].row].score - w->row[w->by[k].row].score;
        own += gap * gap / 2;
      }
    sum += own / (double)(b - a);
  }
  return sum / (double)w->count;
}

static void decompose(work *w, sw_theory *out) {
  double n = (double)w->count;
  out->states = condition(w, BY_STATE, 0, w->y_s);
  out->traces = condition(w, BY_TRACE, 0, w->y_t);
  out->histories = condition(w, BY_BOTH, 0, w->y_th);
  condition(w, BY_TRACE, 1, w->f_t);
  for (int64_t i = 0; i < w->count; i++) {
    double y = w->row[i].label, f = w->row[i].score;
    double own = y - w->y_s[i], hidden = w->y_s[i] - w->y_t[i];
    double off = w->y_t[i] - w->f_t[i], moved = f - w->f_t[i];
    out->loss += (y - f) * (y - f) / n;
    out->irreducible += own * own / n;
    out->aliasing += hidden * hidden / n;
    out->approximation += off * off / n;
    out->entanglement += moved * moved / n;
    out->cross += -2 * (w->y_th[i] - w->y_t[i]) * moved / n;
  }
}

static void fill(work *w, uint64_t seed, sw_theory *out) {
  out->rows = w->count;
  if (!w->count) return;
  for (int64_t i = 0; i < w->count; i++) w->label[i] = w->row[i].label != 0;
  decompose(w, out);
  out->redrawn = redraw(w);
  out->information = information(w, out);
  out->risk_bound = sqrt(fmax(out->information, 0) / 2);
  deal(w, seed);
  out->information_shuffled = information(w, NULL);
}

int sw_theory_of(const sw_theory_row *row, int64_t count, uint64_t seed,
                 sw_theory *out, sw_err *err) {
  size_t n = (size_t)count + 1;
  double *means = malloc(sizeof *means * 4 * n);
  work w = {.row = row, .count = count};
  memset(out, 0, sizeof *out);
  w.by = malloc(sizeof *w.by * n);
  w.label = malloc(n);
  int good = means && w.by && w.label;
  if (good) {
    w.y_s = means;
    w.y_t = means + n;
    w.y_th = means + 2 * n;
    w.f_t = means + 3 * n;
    fill(&w, seed, out);
  }
  free(means);
  free(w.by);
  free(w.label);
  return good ? SW_OK : sw_no_memory(err);
}
