/* Facts on the way to a SAT verdict (sw_domain.token.facts), for training that
 * asks for them, about the clauses that a decision block shows after its state:
 *   at a literal, its value there: T, F or U;
 *   at the SEP behind the last, what is left of the clause: T when a literal is
 *   true, else the number of its free literals as a level, so L0 when it is
 *   falsified;
 *   at the colon before the first, the least that is left of a clause before
 *   this one (T: all are satisfied), and at C_k which clause that is (the first
 *   of several).
 * Numbers rather than "falsified or not": falsified clauses are rare, clauses
 * with one or two free literals are not, and a model that counts those right
 * needs little more. The least of all gives the verdict and the clause after
 * CONFLICT, or the clause that the expert satisfies. It is asked for at every
 * clause, because a model that knows every clause may still not learn to
 * compare them.
 * At a literal of a problem that clauses are copied from, the fact is the
 * clause that the literal stands in: for the problem in front, and instead of
 * the value in a block whose policy writes a scratchpad (it marks its literals
 * there). To copy a clause a model must find it by its name, and nothing else
 * trains keys that carry the name.
 * A function of the tokens alone, so it reads no instance. Blocks that show no
 * bare clause after the state have no facts. */
#include "domains/sat/sat_format.h"
#include "domains/sat/tokens.h"

static int is_literal(int32_t token) {
  return token >= SW_SAT_POSITIVE && token < SW_SAT_CLAUSE;
}
static int is_clause(int32_t token) {
  return token >= SW_SAT_CLAUSE && token < SW_SAT_LEVEL;
}
static int is_variable(int32_t token) {
  return token >= SW_SAT_VARIABLE && token < SW_SAT_VARIABLE + SW_SAT_MAX_VARS;
}
static int32_t opposite(int32_t literal) {
  return literal < SW_SAT_NEGATIVE ? literal + SW_SAT_MAX_VARS
                                   : literal - SW_SAT_MAX_VARS;
}

/* Values of all literals, by token, from what stands between STATE and SEP: an
 * assigned variable is there as the literal that is true, a free one by
 * its name; 0 where neither is. Returns where SEP is, or `end` where the block
 * shows clauses in place of an assignment. */
static int64_t read_state(const sw_trace *t, int64_t at, int64_t end,
                          int32_t *value) {
  for (int32_t l = SW_SAT_POSITIVE; l < SW_SAT_CLAUSE; l++) value[l] = 0;
  for (; at < end && t->token[at] != SW_SAT_SEP; at++) {
    int32_t token = t->token[at];
    if (token == SW_SAT_COLON || is_clause(token)) return end;
    if (is_literal(token)) {
      value[token] = SW_SAT_T;
      value[opposite(token)] = SW_SAT_F;
    } else if (is_variable(token)) {
      int32_t literal = token - SW_SAT_VARIABLE + SW_SAT_POSITIVE;
      value[literal] = value[opposite(literal)] = SW_SAT_U;
    }
  }
  return at;
}

/* Formats that list a part of the assignment leave literals without a value:
 * then nothing is known of a clause. */
static int knows_all(const sw_trace *t, int64_t at, int64_t end,
                     const int32_t *value) {
  for (; at < end && !t->supervised[at]; at++)
    if (is_literal(t->token[at]) && !value[t->token[at]]) return 0;
  return 1;
}

/* The clause before this one that has least left. */
typedef struct least {
  int32_t left, clause; /* tokens */
} least;

/* A clause whose C_k stands at `at`: `C_k : l l l SEP`, without marks. With
 * `names` its literals say where they stand, not what they are. */
static void clause_facts(const sw_trace *t, int64_t at, int64_t end,
                         const int32_t *value, int names, least *so_far,
                         int32_t *fact) {
  int32_t clause = t->token[at], left = SW_SAT_LEVEL;
  int64_t first = at + 2, sep = first;
  if (sep >= end || t->token[at + 1] != SW_SAT_COLON) return;
  while (sep < end && is_literal(t->token[sep])) sep++;
  if (sep == end || t->token[sep] != SW_SAT_SEP || sep == first) return;
  fact[at] = so_far->clause;
  fact[at + 1] = so_far->left;
  for (at = first; at < sep; at++) {
    int32_t is = value[t->token[at]];
    fact[at] = names ? clause : is;
    if (is == SW_SAT_T) left = SW_SAT_T;
    else if (is == SW_SAT_U && left != SW_SAT_T) left++;
  }
  fact[sep] = left;
  if (left != SW_SAT_T && (so_far->left == SW_SAT_T || left < so_far->left))
    *so_far = (least){left, clause};
}

static void problem_facts(const sw_trace *t, int64_t at, int64_t end,
                          int32_t *fact) {
  int32_t clause = 0;
  for (; at < end; at++)
    if (is_clause(t->token[at])) clause = t->token[at];
    else if (is_literal(t->token[at])) fact[at] = clause;
}

/* Does the policy write a scratchpad in this block? */
static int has_pad(const sw_trace *t, int64_t at, int64_t end) {
  for (; at + 1 < end; at++)
    if (t->token[at] == SW_SAT_PROP && t->supervised[at + 1]) return 1;
  return 0;
}

void sw_sat_facts(const sw_domain *domain, const sw_trace *t, int32_t *fact) {
  (void)domain;
  int32_t value[SW_SAT_CLAUSE]; /* by token */
  if (t->blocks)
    problem_facts(t, t->block_start[0], sw_trace_block_end(t, 0), fact);
  for (int64_t b = 1; b < t->blocks; b++) {
    int64_t at = t->block_start[b], end = sw_trace_block_end(t, b);
    least so_far = {SW_SAT_T, SW_SAT_T};
    if (at >= end || t->token[at] != SW_SAT_STATE) continue;
    int names = has_pad(t, at, end);
    at = read_state(t, at, end, value);
    if (!knows_all(t, at, end, value)) continue;
    for (; at < end; at++) {
      if (t->supervised[at]) break; /* the policy's own words */
      if (is_clause(t->token[at]))
        clause_facts(t, at, end, value, names, &so_far, fact);
    }
  }
}
