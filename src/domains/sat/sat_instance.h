/* A CNF formula as the SAT domain keeps it: read-only after creation, one heap
 * block. Clauses of any length >= 0; literals are 2 v + (1 when negated), in
 * the order they were drawn or read (the order is part of the data: traces
 * depend on it). */
#ifndef SW_DOMAINS_SAT_INSTANCE_H
#define SW_DOMAINS_SAT_INSTANCE_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "domains/domain.h"

struct sw_instance {
  int32_t n, m;           /* variables, clauses */
  int32_t longest;        /* literals of the longest clause */
  int32_t *start;         /* [m+1] first literal of each clause */
  int32_t *literal;       /* [start[m]] */
  int32_t *watch_start;   /* [2n+1] prefix sums of the literals' counts */
  int32_t *clause_of;     /* [start[m]] clauses by literal, from watch_start */
  int32_t *occurrences;   /* [n] of the variable, either sign */
  int32_t *by_occurrence; /* [n] variables, most occurrences first */
  int8_t *solution;       /* [n] 0/1 of a known solution, or NULL */
  uint64_t hash;          /* of n and the clauses, in order */
  char note[160];         /* what the reader overlooked, or "" */
};

/* Copies. `literal` holds codes in [0, 2n); `solution` may be NULL. */
int sw_sat_instance_new(sw_instance **instance, int32_t n, int32_t m,
                        const int32_t *start, const int32_t *literal,
                        const int8_t *solution, sw_err *err);
void sw_sat_instance_free(sw_instance *instance);

/* Does the assignment (one 0/1 per variable; any other value: unassigned)
 * make a literal of every clause true? Scans all clauses: the judge that
 * shares nothing with the search. */
int sw_sat_satisfies(const sw_instance *instance, const int8_t *assignment);

/* 1 when the vocabulary (and the three-literal formats) can show it, else 0
 * and one readable sentence. */
int sw_sat_fits(const sw_instance *instance, char *why, size_t room);

static inline int32_t sw_sat_from_dimacs(int32_t literal) {
  return literal > 0 ? 2 * (literal - 1) : 2 * (-literal - 1) + 1;
}
static inline int32_t sw_sat_to_dimacs(int32_t literal) {
  return literal & 1 ? -(literal >> 1) - 1 : (literal >> 1) + 1;
}

#endif
