/* CaDiCaL behind a wall: the one C++ file of the tree (cadical.cc) turns its
 * exceptions into return values, and its searches end when base/stop.h says so.
 * Called by cdcl.c and by the colouring's branch_sat.c. One thread at a time.
 */
#ifndef SW_DOMAINS_SAT_CADICAL_H
#define SW_DOMAINS_SAT_CADICAL_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sw_cadical sw_cadical;

/* NULL: out of memory. */
sw_cadical *sw_cadical_new(void);
void sw_cadical_free(sw_cadical *solver);
/* Literals as in DIMACS, 0 ends a clause. After a failure of either (0: out of
 * memory) the solver can only be freed. */
int sw_cadical_add(sw_cadical *solver, int literal);
int sw_cadical_assume(sw_cadical *solver, int literal);
/* 10, 20, 0: gave up (after `conflicts`, -1: no limit; at sw_now() `deadline`,
 * 0: none; or because it was time to stop), -1: out of memory. */
int sw_cadical_solve(sw_cadical *solver, int conflicts, double deadline);
/* After 10: > 0 when the variable is true, < 0 when it is false; any value for
 * one that occurs in no clause. */
int sw_cadical_value(sw_cadical *solver, int variable);

/* Clauses learned so far. */
int64_t sw_cadical_learned(const sw_cadical *solver);

#ifdef __cplusplus
}
#endif
#endif
