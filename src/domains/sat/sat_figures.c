/* A state as figures (see sat_figures.h). */
#include "domains/sat/sat_figures.h"

#include <math.h>

#define AT(name) x[SW_SAT_FIGURE_##name]

static float share(double part, double of) {
  return of > 0 ? (float)(part / of) : 0;
}

/* ---- counts ---- */

typedef struct weights {
  int32_t two[2 * SW_SAT_MAX_VARS], all[2 * SW_SAT_MAX_VARS];
  double weight[2 * SW_SAT_MAX_VARS];
} weights;

static void weigh(const sw_sat_rest *r, weights *w) {
  const sw_instance *f = r->formula;
  *w = (weights){0};
  for (int32_t c = 0; c < f->m; c++) {
    if (r->holds[c]) continue;
    double own = 1;
    for (int32_t k = 2; k < r->unset[c]; k++) own /= 5;
    for (int32_t i = f->start[c]; i < f->start[c + 1]; i++) {
      if (!sw_sat_rest_free(r, f->literal[i])) continue;
      w->two[f->literal[i]] += r->unset[c] == 2;
      w->all[f->literal[i]]++;
      w->weight[f->literal[i]] += own;
    }
  }
}

static void signs(const sw_sat_rest *r, float *x) {
  weights w;
  double chain = 0, squares = 0, product = 0, gap = 0, most_product = 0;
  int32_t both = 0, pure = 0, loose = 0, most = 0, most_both = 0;
  weigh(r, &w);
  for (int32_t v = 0; v < r->formula->n; v++) {
    const int32_t *d = w.two + 2 * v, *all = w.all + 2 * v;
    const double *own = w.weight + 2 * v;
    if (r->value[v]) continue;
    int32_t less = d[0] < d[1] ? d[0] : d[1], more = d[0] + d[1] - less;
    chain += (double)d[0] * d[1];
    squares += (double)d[0] * d[0] + (double)d[1] * d[1];
    both += less > 0;
    if (more > most) most = more;
    if (less > most_both) most_both = less;
    pure += !all[0] != !all[1];
    loose += !all[0] && !all[1];
    product += own[0] * own[1];
    if (own[0] * own[1] > most_product) most_product = own[0] * own[1];
    gap += fabs(own[0] - own[1]);
  }
  AT(CHAIN) = share(chain, r->open[2]);
  AT(BOTH) = share(both, r->free);
  AT(SQUARES) = share(squares, r->free);
  AT(MOST) = (float)most / 10;
  AT(MOST_BOTH) = (float)most_both / 10;
  AT(PURE) = share(pure, r->free);
  AT(LOOSE) = share(loose, r->free);
  AT(PRODUCT) = share(product, 10.0 * r->free);
  AT(MOST_PRODUCT) = (float)(most_product / 10);
  AT(GAP) = share(gap, r->free);
}

static int32_t open_clauses(const sw_sat_rest *r) {
  int32_t sum = 0;
  for (int k = 0; k <= SW_SAT_LENGTHS; k++) sum += r->open[k];
  return sum;
}

static void counts(const sw_sat_rest *r, float *x) {
  int32_t n = r->formula->n, open = open_clauses(r);
  double expected = sw_sat_rest_expected(r);
  AT(ASSIGNED) = share(n - r->free, n);
  AT(FREE) = (float)r->free / 100;
  AT(BROKEN) = (float)r->conflict;
  AT(TWO) = share(r->open[2], n);
  AT(TWO_FREE) = share(r->open[2], r->free);
  AT(OPEN) = share(open, n);
  AT(OPEN_FREE) = share(open, r->free);
  AT(EXPECTED) = (float)(expected / 10);
  AT(EXPECTED_FREE) = share(expected, r->free);
  signs(r, x);
}

/* ---- every value tried ---- */

/* Where a value leads that fails: fewer solutions than any that does not. */
static const double NOWHERE = -100;

typedef struct tried {
  double s[2];
  int32_t implied[2];
  int failed[2];
} tried;

static void try_both(sw_sat_rest *r, int32_t var, tried *t) {
  int32_t set = r->set;
  for (int sign = 0; sign < 2; sign++) {
    t->failed[sign] = !sw_sat_rest_take(r, 2 * var + sign);
    t->implied[sign] = r->set - set - 1;
    t->s[sign] = t->failed[sign] ? NOWHERE : sw_sat_rest_expected(r);
    sw_sat_rest_undo(r, set);
  }
}

/* ln(e^a + e^b) */
static double either(const tried *t) {
  double more = fmax(t->s[0], t->s[1]), less = fmin(t->s[0], t->s[1]);
  return more + log1p(exp(less - more));
}

typedef struct survey {
  int32_t failed, failed_both, implied_most, implied_both;
  int32_t free; /* variables that were tried */
  double implied, split_least, split_mean, best_least, sides;
  int32_t force[SW_SAT_MAX_VARS], forces; /* what failed literals leave */
} survey;

static void try_all(sw_sat_rest *r, survey *out) {
  *out = (survey){.split_least = HUGE_VAL, .best_least = HUGE_VAL};
  for (int32_t v = 0; v < r->formula->n; v++) {
    tried t;
    if (r->value[v]) continue;
    try_both(r, v, &t);
    int32_t fails = t.failed[0] + t.failed[1];
    int32_t less = t.implied[t.implied[1] < t.implied[0]];
    int32_t more = t.implied[0] + t.implied[1] - less;
    double best = fmax(t.s[0], t.s[1]), split = either(&t);
    out->free++;
    out->failed += fails;
    out->failed_both += fails == 2;
    if (fails) out->force[out->forces++] = 2 * v + t.failed[0];
    out->implied += more + less;
    if (more > out->implied_most) out->implied_most = more;
    if (less > out->implied_both) out->implied_both = less;
    out->split_mean += split;
    if (split < out->split_least) out->split_least = split;
    if (best < out->best_least) out->best_least = best;
    if (!fails) out->sides += fabs(t.s[0] - t.s[1]);
  }
  if (!out->free) out->split_least = out->best_least = 0;
}

/* Sets what failed literals leave; 0: that is a conflict. */
static int force_all(sw_sat_rest *r, const survey *from) {
  if (from->failed_both) return 0;
  for (int32_t i = 0; i < from->forces; i++) {
    int32_t literal = from->force[i];
    if (r->value[literal >> 1] == (literal & 1 ? -1 : 1)) continue;
    if (r->value[literal >> 1] || !sw_sat_rest_take(r, literal)) return 0;
  }
  return 1;
}

enum { ROUNDS = 8 }; /* a limit on time; nearly all end before */

static void lookahead(sw_sat_rest *r, float *x) {
  survey now;
  int32_t free = r->free;
  try_all(r, &now);
  AT(FAILED) = share(now.failed, free);
  AT(FAILED_BOTH) = (float)now.failed_both;
  AT(IMPLIED) = share(now.implied, 20.0 * free);
  AT(IMPLIED_MOST) = (float)now.implied_most / 10;
  AT(IMPLIED_BOTH) = (float)now.implied_both / 10;
  AT(SPLIT_LEAST) = (float)(now.split_least / 10);
  AT(SPLIT_MEAN) = share(now.split_mean, 10.0 * free);
  AT(BEST_LEAST) = (float)(now.best_least / 10);
  AT(SIDES) = share(now.sides, free);
  int fine = 1;
  for (int i = 0; i < ROUNDS && fine && now.forces; i++) {
    fine = force_all(r, &now);
    if (fine) try_all(r, &now);
  }
  AT(FORCED) = share(free - r->free, free);
  AT(REFUTED) = (float)!fine;
  AT(FORCED_EXPECTED) = (float)(sw_sat_rest_expected(r) / 10);
  AT(FORCED_TWO) = share(r->open[2], r->free);
  AT(FORCED_SPLIT) = (float)(now.split_least / 10);
  AT(FORCED_SIDES) = share(now.sides, now.free);
}

void sw_sat_figures(const sw_instance *f, const int8_t *value, int32_t again,
                    int32_t depth, int ahead, float *x) {
  sw_sat_rest r;
  if (!sw_sat_rest_open(&r, f, value)) return;
  if (again >= 0 && !r.conflict) sw_sat_rest_take(&r, again);
  AT(DEPTH) = share(depth, f->n);
  AT(AGAIN) = (float)(again >= 0);
  counts(&r, x);
  if (ahead && !r.conflict) lookahead(&r, x);
  else if (ahead) AT(REFUTED) = 1;
}

int sw_sat_force(sw_sat_rest *r) {
  survey now;
  for (int i = 0; i < ROUNDS; i++) {
    try_all(r, &now);
    if (!now.forces) return 1;
    if (!force_all(r, &now)) return 0;
  }
  return 1;
}

int32_t sw_sat_failed_literals(sw_sat_rest *r) {
  int32_t failed = 0;
  for (int32_t literal = 0; literal < 2 * r->formula->n; literal++) {
    int32_t set = r->set;
    if (!sw_sat_rest_free(r, literal)) continue;
    failed += !sw_sat_rest_take(r, literal);
    sw_sat_rest_undo(r, set);
  }
  return failed;
}
