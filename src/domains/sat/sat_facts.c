/* Facts on the way to a SAT verdict (sw_domain.facts), for training that asks
 * for them: at a literal of a clause that a decision block shows after its
 * state, the literal's value there (T, F or U); at the SEP behind the clause's
 * last literal, the clause's: T when a literal is true, F when all are false;
 * and at the colon before its first, what the clauses before it come to: F when
 * one of them is falsified, else T. The last is the verdict itself, asked for
 * all along, because a model that knows every clause need not find out by
 * itself how to look for a falsified one.
 * A function of the block alone, so it reads tokens and no instance. Blocks
 * that show no bare clause after the state have no facts. */
#include "domains/sat/sat_format.h"
#include "domains/sat/tokens.h"

static int is_literal(int32_t token) {
  return token >= SW_SAT_POSITIVE && token < SW_SAT_CLAUSE;
}
static int32_t opposite(int32_t literal) {
  return literal < SW_SAT_NEGATIVE ? literal + SW_SAT_MAX_VARS
                                   : literal - SW_SAT_MAX_VARS;
}

/* Values of all literals, by token, from what stands between STATE and SEP: an
 * assigned variable is there as the literal that is true. Returns where SEP
 * is. */
static int64_t read_state(const sw_trace *t, int64_t at, int64_t end,
                          int32_t *value) {
  for (int32_t l = SW_SAT_POSITIVE; l < SW_SAT_CLAUSE; l++) value[l] = SW_SAT_U;
  for (; at < end && t->token[at] != SW_SAT_SEP; at++)
    if (is_literal(t->token[at])) {
      value[t->token[at]] = SW_SAT_T;
      value[opposite(t->token[at])] = SW_SAT_F;
    }
  return at;
}

/* A clause whose C_k stands at `at`: `C_k : l l l SEP`, without marks. */
static void clause_facts(const sw_trace *t, int64_t at, int64_t end,
                         const int32_t *value, int *falsified, int32_t *fact) {
  int any_true = 0, all_false = 1;
  int64_t first = at + 2, sep = first;
  if (sep >= end || t->token[at + 1] != SW_SAT_COLON) return;
  while (sep < end && is_literal(t->token[sep])) sep++;
  if (sep == end || t->token[sep] != SW_SAT_SEP || sep == first) return;
  fact[first - 1] = *falsified ? SW_SAT_F : SW_SAT_T;
  for (at = first; at < sep; at++) {
    fact[at] = value[t->token[at]];
    any_true |= fact[at] == SW_SAT_T;
    all_false &= fact[at] == SW_SAT_F;
  }
  fact[sep] = any_true ? SW_SAT_T : all_false ? SW_SAT_F : SW_SAT_U;
  *falsified |= all_false;
}

void sw_sat_facts(const sw_trace *t, int32_t *fact) {
  int32_t value[SW_SAT_CLAUSE]; /* by token */
  for (int64_t b = 1; b < t->blocks; b++) {
    int64_t at = t->block_start[b], end = sw_trace_block_end(t, b);
    int falsified = 0;
    if (at >= end || t->token[at] != SW_SAT_STATE) continue;
    for (at = read_state(t, at, end, value); at < end; at++) {
      if (t->supervised[at]) break; /* the policy's own words */
      if (t->token[at] >= SW_SAT_CLAUSE && t->token[at] < SW_SAT_LEVEL)
        clause_facts(t, at, end, value, &falsified, fact);
    }
  }
}
