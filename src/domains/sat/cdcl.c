/* A complete solver for formulas (cdcl.h). */
#include "domains/sat/cdcl.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/stop.h"
#include "domains/sat/cadical.h"

struct sw_cdcl {
  sw_cadical *solver;
  int32_t n;
};

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "a complete solver");
}

static int add_clauses(sw_cdcl *s, const sw_instance *f, sw_err *err) {
  int good = 1;
  for (int32_t c = 0; c < f->m && good; c++) {
    for (int32_t i = f->start[c]; i < f->start[c + 1] && good; i++)
      good = sw_cadical_add(s->solver, sw_sat_to_dimacs(f->literal[i]));
    good = good && sw_cadical_add(s->solver, 0);
    if (c % 4096 == 0 && sw_time_to_stop())
      return sw_fail_stopped(err, "the complete solver");
  }
  return good ? SW_OK : no_memory(err);
}

int sw_cdcl_new(sw_cdcl **solver, const sw_instance *f, sw_err *err) {
  sw_cdcl *s = calloc(1, sizeof *s);
  *solver = NULL;
  if (!s) return no_memory(err);
  s->solver = sw_cadical_new();
  s->n = f->n;
  int code = s->solver ? add_clauses(s, f, err) : no_memory(err);
  if (code) {
    sw_cdcl_free(s);
    return code;
  }
  *solver = s;
  return SW_OK;
}

void sw_cdcl_free(sw_cdcl *s) {
  if (!s) return;
  sw_cadical_free(s->solver);
  free(s);
}

int sw_cdcl_solve(sw_cdcl *s, const int32_t *assumed, int32_t count,
                  int conflicts, double seconds, int *verdict, sw_err *err) {
  int good = 1;
  *verdict = SW_CDCL_UNKNOWN;
  for (int32_t i = 0; i < count && good; i++)
    good = sw_cadical_assume(s->solver, sw_sat_to_dimacs(assumed[i]));
  double deadline = seconds > 0 ? sw_now() + seconds : 0;
  int answer = good ? sw_cadical_solve(s->solver, conflicts, deadline) : -1;
  if (answer < 0) return no_memory(err);
  *verdict = answer;
  return SW_OK;
}

int64_t sw_cdcl_conflicts(const sw_cdcl *s) {
  return sw_cadical_learned(s->solver);
}

/* A variable that occurs in no clause is unknown to the solver: ask only for
 * what it declared, any value will do for the rest. */
void sw_cdcl_model(sw_cdcl *s, int8_t *assignment) {
  for (int32_t v = 0; v < s->n; v++)
    assignment[v] = sw_cadical_value(s->solver, v + 1) > 0;
}

int sw_cdcl_decide(const sw_instance *f, int8_t *assignment, int *verdict,
                   sw_err *err) {
  sw_cdcl *solver;
  SW_TRY(sw_cdcl_new(&solver, f, err));
  int code = sw_cdcl_solve(solver, NULL, 0, -1, 0, verdict, err);
  if (!code && *verdict == SW_CDCL_UNKNOWN)
    code = sw_fail_stopped(err, "the complete solver");
  if (!code && *verdict == SW_CDCL_SAT && assignment)
    sw_cdcl_model(solver, assignment);
  sw_cdcl_free(solver);
  return code;
}
