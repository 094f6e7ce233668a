/* A complete solver (CaDiCaL) behind a few calls: filtering of generated
 * formulas, "does this assignment extend to a solution?" queries, and the last
 * resort of `solve`. One object per formula; queries are incremental. Used by
 * one thread at a time. */
#ifndef SW_DOMAINS_SAT_CDCL_H
#define SW_DOMAINS_SAT_CDCL_H
#include <stdint.h>
#include "base/err.h"
#include "domains/sat/sat_instance.h"

typedef struct sw_cdcl sw_cdcl;
enum { SW_CDCL_UNKNOWN = 0, SW_CDCL_SAT = 10, SW_CDCL_UNSAT = 20 };

int sw_cdcl_new(sw_cdcl **solver, const sw_instance *formula, sw_err *err);
void sw_cdcl_free(sw_cdcl *solver);
/* Solves under `count` assumed literals (codes of instance.h). Gives up with
 * SW_CDCL_UNKNOWN after `conflicts` conflicts (-1: no limit; 0: propagation
 * only) or `seconds` (0: no limit). */
int sw_cdcl_solve(sw_cdcl *solver, const int32_t *assumed, int32_t count,
                  int conflicts, double seconds);
/* Conflicts since the object was made, counted by the clauses learned. */
int64_t sw_cdcl_conflicts(const sw_cdcl *solver);
/* After SW_CDCL_SAT: 0/1 for every variable of the formula. */
void sw_cdcl_model(sw_cdcl *solver, int8_t *assignment);

/* One-off answer for a formula; `assignment` may be NULL. */
int sw_cdcl_decide(const sw_instance *formula, int8_t *assignment, int *verdict,
                   sw_err *err);

#endif
