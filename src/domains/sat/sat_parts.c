/* The parts of a SAT trace (sw_domain.token.parts): which clause a token
 * belongs to, what is left of that clause, and where the state tells a
 * literal's value. Read from the tokens, as a model has to. */
#include "domains/sat/sat_format.h"
#include "domains/sat/tokens.h"

int sw_sat_problem_span(const sw_domain *domain, const int32_t *token,
                        int64_t count, int64_t *from, int64_t *to) {
  (void)domain;
  int64_t i = 0;
  while (i < count && token[i] != SW_SAT_CLAUSES) i++;
  *from = i;
  while (i < count && token[i] != SW_SAT_SEARCH) i++;
  *to = i + 1;
  return i < count;
}

/* A variable in the state: where it stands, and the literal that is true. */
typedef struct seen {
  int32_t at, wide, truth; /* at -1: not shown; truth 0: unassigned */
} seen;

static int is_literal(int32_t token) {
  return token >= SW_SAT_POSITIVE && token < SW_SAT_CLAUSE;
}
static int32_t variable_of(int32_t literal) {
  return (literal - SW_SAT_POSITIVE) % SW_SAT_MAX_VARS;
}

/* Between STATE and SEP an assigned variable is its true literal, any other one
 * itself with a mark behind it. */
static void read_state(const sw_trace *t, seen *var) {
  int64_t at = t->block_start[t->blocks - 1];
  for (int32_t v = 0; v < SW_SAT_MAX_VARS; v++) var[v] = (seen){.at = -1};
  if (at >= t->length || t->token[at] != SW_SAT_STATE) return;
  for (; at < t->length && t->token[at] != SW_SAT_SEP; at++) {
    int32_t token = t->token[at];
    if (is_literal(token))
      var[variable_of(token)] = (seen){(int32_t)at, 1, token};
    else if (token >= SW_SAT_VARIABLE && token < SW_SAT_VOCAB)
      var[token - SW_SAT_VARIABLE] = (seen){(int32_t)at, 2, 0};
  }
}

/* The clause `C_k : l ... SEP` that begins at `at`; where it ends, or 0 when
 * there is none or a variable of it is not in the state. */
static int64_t read_clause(const sw_trace *t, int64_t at, int64_t end,
                           const seen *var, int32_t item, sw_part *part) {
  int64_t first = at + 2, sep = first;
  int32_t left = 0;
  if (t->token[at] < SW_SAT_CLAUSE || t->token[at] >= SW_SAT_LEVEL) return 0;
  if (sep >= end || t->token[at + 1] != SW_SAT_COLON) return 0;
  for (; sep < end && is_literal(t->token[sep]); sep++) {
    const seen *v = &var[variable_of(t->token[sep])];
    if (v->at < 0) return 0;
    part[sep].home = v->at;
    part[sep].wide = v->wide;
    if (v->truth == t->token[sep]) left = SW_PART_DONE;
    else if (!v->truth && left != SW_PART_DONE) left++;
  }
  if (sep == end || sep == first || t->token[sep] != SW_SAT_SEP) return 0;
  for (int64_t i = at; i <= sep; i++) {
    part[i].item = item;
    part[i].left = left;
  }
  return sep + 1;
}

int32_t sw_sat_parts(const sw_domain *domain, const sw_trace *t,
                     sw_part *part) {
  seen var[SW_SAT_MAX_VARS];
  int64_t from, to, block = t->blocks - 1;
  int32_t items = 0;
  for (int64_t i = 0; i < t->length; i++)
    part[i] = (sw_part){.item = -1, .home = -1};
  if (block < 1) return 0;
  read_state(t, var);
  int64_t begin = t->block_start[block];
  if (!sw_sat_problem_span(domain, t->token + begin, t->length - begin, &from,
                           &to)) {
    begin = 0;
    if (!sw_sat_problem_span(domain, t->token, t->block_start[1], &from, &to))
      return 0;
  }
  int64_t at = begin + from + 1, end = begin + to - 1;
  while (at < end) {
    at = read_clause(t, at, end, var, items, part);
    if (!at) return 0;
    items++;
  }
  return items;
}
