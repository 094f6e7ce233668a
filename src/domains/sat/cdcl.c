/* CaDiCaL wrapper (cdcl.h). */
#include "domains/sat/cdcl.h"

#include <ccadical.h>
#include <limits.h>
#include <stdlib.h>

#include "base/clock.h"

struct sw_cdcl {
  CCaDiCaL *solver;
  int32_t n;
  double deadline; /* sw_now() seconds; 0: none */
  int64_t learned;
};

static int out_of_time(void *state) {
  const sw_cdcl *s = state;
  return s->deadline > 0 && sw_now() > s->deadline;
}

/* The solver has no counter to ask, but it learns a clause from each conflict
 * and hands every clause it learns to this. */
static void count_learned(void *state, int *clause) {
  (void)clause;
  ((sw_cdcl *)state)->learned++;
}

int64_t sw_cdcl_conflicts(const sw_cdcl *s) { return s->learned; }

int sw_cdcl_new(sw_cdcl **solver, const sw_instance *f, sw_err *err) {
  sw_cdcl *s = calloc(1, sizeof *s);
  *solver = NULL;
  if (!s) return sw_fail(err, SW_MEMORY, "no memory for a complete solver");
  s->solver = ccadical_init();
  s->n = f->n;
  ccadical_set_option(s->solver, "quiet", 1);
  ccadical_set_terminate(s->solver, s, out_of_time);
  ccadical_set_learn(s->solver, s, INT_MAX, count_learned);
  for (int32_t c = 0; c < f->m; c++) {
    for (int32_t i = f->start[c]; i < f->start[c + 1]; i++)
      ccadical_add(s->solver, sw_sat_to_dimacs(f->literal[i]));
    ccadical_add(s->solver, 0);
  }
  *solver = s;
  return SW_OK;
}

void sw_cdcl_free(sw_cdcl *s) {
  if (!s) return;
  ccadical_release(s->solver);
  free(s);
}

int sw_cdcl_solve(sw_cdcl *s, const int32_t *assumed, int32_t count,
                  int conflicts, double seconds) {
  for (int32_t i = 0; i < count; i++)
    ccadical_assume(s->solver, sw_sat_to_dimacs(assumed[i]));
  if (conflicts >= 0) ccadical_limit(s->solver, "conflicts", conflicts);
  s->deadline = seconds > 0 ? sw_now() + seconds : 0;
  return ccadical_solve(s->solver);
}

/* A variable that occurs in no clause is unknown to the solver: ask only for
 * what it declared, any value will do for the rest. */
void sw_cdcl_model(sw_cdcl *s, int8_t *assignment) {
  for (int32_t v = 0; v < s->n; v++)
    assignment[v] = ccadical_val(s->solver, v + 1) > 0;
}

int sw_cdcl_decide(const sw_instance *f, int8_t *assignment, int *verdict,
                   sw_err *err) {
  sw_cdcl *solver;
  SW_TRY(sw_cdcl_new(&solver, f, err));
  *verdict = sw_cdcl_solve(solver, NULL, 0, -1, 0);
  if (*verdict == SW_CDCL_SAT && assignment) sw_cdcl_model(solver, assignment);
  sw_cdcl_free(solver);
  return SW_OK;
}
