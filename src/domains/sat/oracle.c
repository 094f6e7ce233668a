/* Is a state dead? (see oracle.h) */
#include "domains/sat/oracle.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/stop.h"

int sw_sat_oracle_reset(sw_sat_oracle *o, const sw_instance *f, sw_err *err) {
  sw_cdcl_free(o->solver);
  o->solver = NULL;
  o->trouble = SW_OK;
  if (f->n > o->room) {
    int8_t *witness = realloc(o->witness, (size_t)f->n);
    if (witness) o->witness = witness;
    int32_t *assumed =
        realloc(o->assumed, sizeof *assumed * ((size_t)f->n + 2));
    if (assumed) o->assumed = assumed;
    int8_t *value = realloc(o->value, 2 * (size_t)f->n);
    if (value) o->value = value;
    if (!witness || !assumed || !value)
      return sw_no_memory_for(err, "%d variables", f->n);
    o->room = f->n;
  }
  o->has_witness = f->solution != NULL;
  if (f->solution) memcpy(o->witness, f->solution, (size_t)f->n);
  return SW_OK;
}

void sw_sat_oracle_free(sw_sat_oracle *o) {
  sw_cdcl_free(o->solver);
  free(o->witness);
  free(o->assumed);
  free(o->value);
  memset(o, 0, sizeof *o);
}

/* What must hold: the trail, what is left of the open decision, the literal.
 * -1: nothing is left. */
static int32_t assume(sw_sat_oracle *o, const sw_sat_search *s,
                      int32_t literal) {
  int32_t count = s->trail_size, open = sw_sat_open_var(s);
  memcpy(o->assumed, s->trail, sizeof *o->assumed * (size_t)count);
  if (open >= 0) {
    int left = sw_sat_domain(s, open);
    if (!left) return -1;
    if (left != SW_SAT_BIT_BOTH)
      o->assumed[count++] = 2 * open + (left == SW_SAT_BIT_FALSE);
  }
  if (literal >= 0) o->assumed[count++] = literal;
  return count;
}

static int agrees(const sw_sat_oracle *o, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    if (o->witness[o->assumed[i] >> 1] != !(o->assumed[i] & 1)) return 0;
  return 1;
}

/* Puts the question; the verdict, or SW_CDCL_UNKNOWN. */
static int ask(sw_sat_oracle *o, sw_cdcl *solver, int32_t count, int limit) {
  int verdict,
      code = sw_cdcl_solve(solver, o->assumed, count, limit, 0, &verdict, NULL);
  if (!code && verdict == SW_CDCL_UNKNOWN && (limit < 0 || sw_time_to_stop()))
    code = SW_STOPPED;
  if (code) o->trouble = code;
  return code ? SW_CDCL_UNKNOWN : verdict;
}

/* Without a limit. */
static int decide(sw_sat_oracle *o, const sw_sat_search *s, int32_t count,
                  int64_t *spent) {
  if (o->has_witness && agrees(o, count)) return 0;
  int code = o->solver ? SW_OK : sw_cdcl_new(&o->solver, s->formula, NULL);
  if (code) return o->trouble = code, 0;
  int64_t before = sw_cdcl_conflicts(o->solver);
  int verdict = ask(o, o->solver, count, -1);
  *spent += sw_cdcl_conflicts(o->solver) - before;
  if (verdict == SW_CDCL_SAT) {
    sw_cdcl_model(o->solver, o->witness);
    o->has_witness = 1;
  }
  return verdict == SW_CDCL_UNSAT;
}

/* The literal that a clause forces, -1: it forces none, -2: it is falsified. */
static int32_t forced_by(const sw_instance *f, const int8_t *value, int32_t c) {
  int32_t unit = -2;
  for (int32_t i = f->start[c]; i < f->start[c + 1]; i++) {
    int32_t literal = f->literal[i];
    if (value[literal] > 0) return -1;
    if (value[literal] == 0 && unit != literal)
      unit = unit == -2 ? literal : -1;
    if (unit == -1) return -1;
  }
  return unit;
}

/* 1: unit propagation of what is assumed falsifies a clause. The solver's own
 * propagation is no use here: without conflicts to spend it ignores its
 * assumptions. */
static int propagates_to_conflict(sw_sat_oracle *o, const sw_instance *f,
                                  int32_t count) {
  memset(o->value, 0, 2 * (size_t)f->n);
  for (int32_t i = 0; i < count; i++) {
    int32_t literal = o->assumed[i];
    if (o->value[literal] < 0) return 1;
    o->value[literal] = 1;
    o->value[literal ^ 1] = -1;
  }
  for (int moved = 1; moved;) {
    moved = 0;
    for (int32_t c = 0; c < f->m; c++) {
      int32_t literal = forced_by(f, o->value, c);
      if (literal == -2) return 1;
      if (literal == -1) continue;
      o->value[literal] = 1;
      o->value[literal ^ 1] = -1;
      moved = 1;
    }
  }
  return 0;
}

int sw_sat_oracle_dead(sw_sat_oracle *o, const sw_sat_search *s,
                       int32_t literal, int64_t conflicts, int64_t *spent) {
  if (s->conflict != SW_SAT_NO_CONFLICT) return 1;
  int32_t count = assume(o, s, literal);
  if (count < 0) return 1;
  if (conflicts < 0) return decide(o, s, count, spent);
  if (propagates_to_conflict(o, s->formula, count)) return 1;
  sw_cdcl *solver;
  if (conflicts == 0) return 0;
  int code = sw_cdcl_new(&solver, s->formula, NULL);
  if (code) return o->trouble = code, 0;
  int verdict =
      ask(o, solver, count, conflicts < INT_MAX ? (int)conflicts : INT_MAX);
  *spent += sw_cdcl_conflicts(solver);
  sw_cdcl_free(solver);
  return verdict == SW_CDCL_UNSAT;
}
