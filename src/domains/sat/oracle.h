/* Ground truth of a SAT search: can the state be extended to a solution? Asked
 * of a complete solver under the assignment so far; a solution found once is
 * kept, and answers for every state that agrees with it. Used by the
 * environment's doomed() and refute() (domain.h). */
#ifndef SW_DOMAINS_SAT_ORACLE_H
#define SW_DOMAINS_SAT_ORACLE_H
#include "domains/sat/cdcl.h"
#include "domains/sat/sat_search.h"

typedef struct sw_sat_oracle {
  sw_cdcl *solver;  /* of the present formula; NULL: not needed yet */
  int8_t *witness;  /* [room] a solution, */
  int32_t *assumed; /* [room] and literals of a question */
  int8_t *value;    /* [2 room] of literals, for propagation */
  int32_t room;
  int has_witness;
  int trouble; /* SW_MEMORY, SW_STOPPED: a question stayed open */
} sw_sat_oracle;

/* A new formula; nothing is solved yet. */
int sw_sat_oracle_reset(sw_sat_oracle *oracle, const sw_instance *formula,
                        sw_err *err);
void sw_sat_oracle_free(sw_sat_oracle *oracle);
/* 1: the state, in which `literal` is made true too (-1: none), is proven dead
 * within `conflicts` conflicts (-1: no limit, so that 0 means viable). A value
 * that has failed at the open decision may not be taken again. Adds to *spent.
 * With a limit, unit propagation comes first and costs no conflict; then every
 * question is put to a fresh solver, so that the verdict does not depend on the
 * questions before it. What cannot be found out, for want of memory or time,
 * counts as viable and is remembered in `trouble` until the next formula. */
int sw_sat_oracle_dead(sw_sat_oracle *oracle, const sw_sat_search *search,
                       int32_t literal, int64_t conflicts, int64_t *spent);

#endif
