/* What is left of a formula (see sat_rest.h). */
#include "domains/sat/sat_rest.h"

#include <math.h>
#include <string.h>

static int length_of(int32_t unset) {
  return unset < SW_SAT_LENGTHS ? unset : SW_SAT_LENGTHS;
}

int sw_sat_rest_open(sw_sat_rest *r, const sw_instance *f,
                     const int8_t *value) {
  if (f->n > SW_SAT_MAX_VARS || f->m > SW_SAT_MAX_CLAUSES) return 0;
  r->formula = f;
  r->set = r->free = r->conflict = 0;
  memset(r->open, 0, sizeof r->open);
  memcpy(r->value, value, (size_t)f->n);
  for (int32_t v = 0; v < f->n; v++) r->free += !value[v];
  for (int32_t c = 0; c < f->m; c++) {
    r->holds[c] = r->unset[c] = 0;
    for (int32_t i = f->start[c]; i < f->start[c + 1]; i++) {
      int8_t own = value[f->literal[i] >> 1];
      r->unset[c] += !own;
      r->holds[c] += own == (f->literal[i] & 1 ? -1 : 1);
    }
    if (!r->holds[c]) r->open[length_of(r->unset[c])]++;
    r->conflict |= !r->holds[c] && !r->unset[c];
  }
  return 1;
}

static void put(sw_sat_rest *r, int32_t literal) {
  r->value[literal >> 1] = literal & 1 ? -1 : 1;
  r->trail[r->set++] = literal;
  r->free--;
}

/* The literal left to a clause that has no counted true one: its first free
 * one. NONE: all are false. FINE: one on the trail that is not counted yet is
 * true. */
enum { NONE = -1, FINE = -2 };
static int32_t hope(const sw_sat_rest *r, int32_t c) {
  const sw_instance *f = r->formula;
  int32_t free = NONE;
  for (int32_t i = f->start[c]; i < f->start[c + 1]; i++) {
    int8_t value = r->value[f->literal[i] >> 1];
    if (value == (f->literal[i] & 1 ? -1 : 1)) return FINE;
    if (!value && free == NONE) free = f->literal[i];
  }
  return free;
}

/* Counts of a clause before and after; open clauses are counted by length. */
static void recount(sw_sat_rest *r, int32_t c, int holds, int unset) {
  if (!r->holds[c]) r->open[length_of(r->unset[c])]--;
  r->holds[c] += holds;
  r->unset[c] += unset;
  if (!r->holds[c]) r->open[length_of(r->unset[c])]++;
}

/* All clauses of a literal that has become true (by = 1), or no longer is. */
static void follow(sw_sat_rest *r, int32_t literal, int by) {
  const sw_instance *f = r->formula;
  for (int sign = 0; sign < 2; sign++) {
    int32_t at = literal ^ sign;
    for (int32_t i = f->watch_start[at]; i < f->watch_start[at + 1]; i++)
      recount(r, f->clause_of[i], sign ? 0 : by, -by);
  }
}

int sw_sat_rest_take(sw_sat_rest *r, int32_t literal) {
  const sw_instance *f = r->formula;
  int32_t next = r->set;
  put(r, literal);
  for (; next < r->set; next++) {
    int32_t gone = r->trail[next] ^ 1;
    follow(r, r->trail[next], 1); /* wholly, so that undoing is the same */
    for (int32_t i = f->watch_start[gone]; i < f->watch_start[gone + 1]; i++) {
      int32_t c = f->clause_of[i];
      if (r->holds[c] || r->unset[c] > 1) continue;
      int32_t literal_left = hope(r, c);
      if (literal_left == NONE) r->conflict = 1;
      else if (literal_left != FINE) put(r, literal_left);
    }
    if (r->conflict) break;
  }
  /* literals still waiting were never counted: only their values go */
  for (int32_t keep = next < r->set ? next + 1 : next; r->set > keep;) {
    r->value[r->trail[--r->set] >> 1] = 0;
    r->free++;
  }
  return !r->conflict;
}

void sw_sat_rest_undo(sw_sat_rest *r, int32_t set) {
  while (r->set > set) {
    int32_t literal = r->trail[--r->set];
    follow(r, literal, -1);
    r->value[literal >> 1] = 0;
    r->free++;
  }
  r->conflict = 0;
}

double sw_sat_rest_expected(const sw_sat_rest *r) {
  double sum = r->free * log(2.0);
  for (int k = 1; k <= SW_SAT_LENGTHS; k++)
    if (r->open[k]) sum += r->open[k] * log1p(-ldexp(1.0, -k));
  return sum;
}
