/* Formula storage (instance.h). Called by the generators and the reader. */
#include "domains/sat/sat_instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "domains/sat/tokens.h"

static int by_key(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Fills occurrence counts and the static part of the list order: most
 * occurrences first, then smallest index. */
static int rank_variables(sw_instance *f) {
  int32_t total = f->start[f->m];
  for (int32_t i = 0; i < total; i++) {
    f->watch_start[f->literal[i] + 1]++;
    f->occurrences[f->literal[i] >> 1]++;
  }
  for (int32_t l = 0; l < 2 * f->n; l++)
    f->watch_start[l + 1] += f->watch_start[l];
  for (int32_t c = f->m - 1; c >= 0; c--) /* the ends move to the starts */
    for (int32_t i = f->start[c]; i < f->start[c + 1]; i++)
      f->clause_of[--f->watch_start[f->literal[i] + 1]] = c;
  /* each end is now the start of its literal */
  memmove(f->watch_start, f->watch_start + 1,
          sizeof *f->watch_start * 2 * (size_t)f->n);
  f->watch_start[2 * f->n] = total;
  uint64_t *key = malloc(sizeof *key * (size_t)(f->n + 1));
  if (!key) return SW_MEMORY;
  for (int32_t v = 0; v < f->n; v++)
    key[v] = (uint64_t)(UINT32_MAX - (uint32_t)f->occurrences[v]) << 32 |
             (uint32_t)v;
  qsort(key, (size_t)f->n, sizeof *key, by_key);
  for (int32_t v = 0; v < f->n; v++)
    f->by_occurrence[v] = (int32_t)(uint32_t)key[v];
  free(key);
  return SW_OK;
}

int sw_sat_instance_new(sw_instance **instance, int32_t n, int32_t m,
                        const int32_t *start, const int32_t *literal,
                        const int8_t *solution, sw_err *err) {
  size_t vars = (size_t)n, clauses = (size_t)m, total = (size_t)start[m];
  size_t words = (clauses + 1) + 2 * total + (2 * vars + 1) + 2 * vars;
  size_t bytes = sizeof(sw_instance) + words * sizeof(int32_t) + vars;
  sw_instance *f = calloc(1, bytes);
  *instance = NULL;
  if (!f) return sw_no_memory_for(err, "a formula of %d clauses", m);
  f->n = n;
  f->m = m;
  f->start = (int32_t *)(f + 1);
  f->literal = f->start + clauses + 1;
  f->watch_start = f->literal + total;
  f->clause_of = f->watch_start + 2 * vars + 1;
  f->occurrences = f->clause_of + total;
  f->by_occurrence = f->occurrences + vars;
  memcpy(f->start, start, sizeof *start * (clauses + 1));
  if (total) memcpy(f->literal, literal, sizeof *literal * total);
  if (solution) {
    f->solution = (int8_t *)(f->by_occurrence + vars);
    memcpy(f->solution, solution, vars);
  }
  for (int32_t c = 0; c < m; c++)
    if (start[c + 1] - start[c] > f->longest)
      f->longest = start[c + 1] - start[c];
  f->hash =
      sw_xxh64(f->start, sizeof(int32_t) * (clauses + 1 + total), (uint64_t)n);
  if (rank_variables(f)) {
    free(f);
    return sw_no_memory_for(err, "a ranking of %d variables", n);
  }
  *instance = f;
  return SW_OK;
}

void sw_sat_instance_free(sw_instance *instance) { free(instance); }

int sw_sat_satisfies(const sw_instance *f, const int8_t *assignment) {
  for (int32_t c = 0; c < f->m; c++) {
    int satisfied = 0;
    for (int32_t i = f->start[c]; i < f->start[c + 1] && !satisfied; i++)
      satisfied = assignment[f->literal[i] >> 1] == !(f->literal[i] & 1);
    if (!satisfied) return 0;
  }
  return 1;
}

int sw_sat_fits(const sw_instance *f, char *why, size_t room) {
  enum { LONGEST_SHOWN = 3 };
  why[0] = '\0';
  if (f->n > SW_SAT_MAX_VARS)
    snprintf(why, room, "%d variables; the vocabulary names at most %d", f->n,
             SW_SAT_MAX_VARS);
  else if (f->m > SW_SAT_MAX_CLAUSES)
    snprintf(why, room, "%d clauses; the vocabulary names at most %d", f->m,
             SW_SAT_MAX_CLAUSES);
  else if (f->longest > LONGEST_SHOWN)
    snprintf(why, room,
             "a clause of %d literals; the trace formats show at most %d",
             f->longest, LONGEST_SHOWN);
  for (int32_t c = 0; c < f->m && !why[0]; c++)
    if (f->start[c] == f->start[c + 1])
      snprintf(why, room, "clause %d is empty, so there is nothing to search",
               c + 1);
  return why[0] == '\0';
}
