/* Policies without a model: a variable rule, a value rule, and whether they go
 * back exactly when a conflict is exposed or never. Where the format has a
 * scratchpad they write what an exact solver would. The names say it:
 * "random+copy" never goes back, "random+copy+exact" does. The short names are
 * the usual heuristics (docs/sat.md) and the experts as policies. */
#include <stddef.h>

#include "domains/sat/sat_env.h"
#include "domains/sat/tokens.h"

typedef enum {
  VAR_random,     /* uniform over the legal ones */
  VAR_index,      /* smallest index */
  VAR_first,      /* first in the format's list order */
  VAR_occurrence, /* most occurrences in the formula */
  VAR_vsids,      /* most active, smallest index */
  VAR_jw,         /* two-sided Jeroslow-Wang */
  VAR_clause,     /* first free literal of the clause shown */
  VAR_ranked      /* most active, most occurrences, smallest index */
} variable_rule;
typedef enum {
  VAL_true,    /* always true */
  VAL_copy,    /* the domain token where the format shows one, else true */
  VAL_satisfy, /* makes the clause shown true; a retry takes what is left */
  VAL_own,     /* the variable rule's own preference; a retry as above */
  VAL_uniform  /* uniform over the legal values */
} value_rule;

#define ROW(X, var, val)                    \
  X(#var "+" #val, VAR_##var, VAL_##val, 0) \
  X(#var "+" #val "+exact", VAR_##var, VAL_##val, 1)
#define ROWS(X, var) \
  ROW(X, var, true) ROW(X, var, copy) ROW(X, var, satisfy) ROW(X, var, own)
/* clang-format off */
#define RULES(X)                                     \
  X("clause+exact", VAR_clause, VAL_satisfy, 1)      \
  X("vsids+exact", VAR_vsids, VAL_own, 1)            \
  X("jw+exact", VAR_jw, VAL_own, 1)                  \
  X("vsids_domain", VAR_ranked, VAL_own, 1)          \
  X("occurrence_domain", VAR_occurrence, VAL_own, 1) \
  X("random_domain", VAR_random, VAL_own, 1)         \
  X("pure_random", VAR_random, VAL_uniform, 1)       \
  ROWS(X, random)                                    \
  ROWS(X, index)                                     \
  ROWS(X, first)                                     \
  ROWS(X, occurrence)                                \
  ROWS(X, vsids)                                     \
  ROWS(X, jw)                                        \
  ROWS(X, clause)
/* clang-format on */

static const struct rule {
  variable_rule variable;
  value_rule value;
  int exact;
} rules[] = {
#define X(name, variable, value, exact) {variable, value, exact},
    RULES(X)
#undef X
};
const char *const sw_sat_rule_names[] = {
#define X(name, variable, value, exact) name,
    RULES(X)
#undef X
        NULL};

static int32_t first_free(const sw_sat_search *s, const int32_t *order) {
  for (int32_t i = 0; i < s->n; i++) {
    int32_t var = order ? order[i] : i;
    if (s->value[2 * var] == 0) return var;
  }
  return -1;
}

/* The draw is made also when only the open variable is legal. */
static int32_t random_variable(const sw_sat_search *s, int32_t open,
                               sw_mt *mt) {
  int32_t count = 0;
  for (int32_t v = 0; v < s->n; v++) count += s->value[2 * v] == 0;
  if (open >= 0) count = 1;
  if (count == 0) return -1;
  int32_t skip = (int32_t)sw_mt_below(mt, (uint32_t)count);
  if (open >= 0) return open;
  for (int32_t v = 0; v < s->n; v++)
    if (s->value[2 * v] == 0 && skip-- == 0) return v;
  return -1;
}

static int32_t choose_variable(sw_env *e, variable_rule rule, sw_mt *mt) {
  const sw_sat_search *s = &e->search;
  int32_t open = sw_sat_open_var(s), literal;
  int own;
  if (rule == VAR_random) return random_variable(s, open, mt);
  if (open >= 0) return open;
  switch (rule) {
    case VAR_first:
      return first_free(s, e->format->by_activity ? s->order : NULL);
    case VAR_ranked:
      return first_free(s, s->order);
    case VAR_occurrence:
      return first_free(s, e->instance->by_occurrence);
    case VAR_vsids:
      return sw_sat_most_active(s);
    case VAR_jw:
      return sw_sat_jeroslow_wang(e, &own);
    case VAR_clause:
      literal = sw_sat_key_literal(e);
      return literal >= 0 ? literal >> 1 : first_free(s, NULL);
    default:
      return first_free(s, NULL);
  }
}

/* The sign of `var` in the clause shown; true when it is not there. */
static int satisfying_value(sw_env *e, int32_t var) {
  const sw_instance *f = e->instance;
  int32_t clause = sw_sat_env_key_clause(e);
  for (int32_t i = f->start[clause]; i < f->start[clause + 1]; i++)
    if (f->literal[i] >> 1 == var) return !(f->literal[i] & 1);
  return 1;
}

static int own_value(sw_env *e, variable_rule rule, int32_t var, sw_mt *mt) {
  const int32_t *start = e->instance->watch_start;
  int value = 1;
  switch (rule) {
    case VAR_random:
      return (int)sw_mt_below(mt, 2);
    case VAR_occurrence:
      return start[2 * var + 1] - start[2 * var] >=
             start[2 * var + 2] - start[2 * var + 1];
    case VAR_jw:
      return sw_sat_jeroslow_wang(e, &value) == var ? value : 1;
    case VAR_clause:
      return satisfying_value(e, var);
    default:
      return 1;
  }
}

static int format_shows_retry(const sw_env *e) {
  return e->retry_mark || e->format->list == SW_SAT_LIST_PAIRS ||
         e->format->list == SW_SAT_LIST_ALL;
}

static int choose_value(sw_env *e, const struct rule *rule, sw_mt *mt) {
  const sw_sat_search *s = &e->search;
  int32_t var = s->selected;
  int domain = sw_sat_domain(s, var), both = domain == SW_SAT_BIT_BOTH;
  int left = (domain & SW_SAT_BIT_TRUE) != 0;
  switch (rule->value) {
    case VAL_copy:
      return both || !format_shows_retry(e) ? 1 : left;
    case VAL_satisfy:
      return both ? satisfying_value(e, var) : left;
    case VAL_own:
      return both ? own_value(e, rule->variable, var, mt) : left;
    case VAL_uniform: {
      int drawn = (int)sw_mt_below(mt, both ? 2 : 1);
      return both ? drawn : left;
    }
    default:
      return 1;
  }
}

int32_t sw_sat_rule_choice(sw_env *e, int index, sw_mt *mt) {
  const struct rule *rule = &rules[index];
  if (e->asking == SW_SAT_ASK_PAD) return sw_sat_pad_exact(&e->pad);
  if (e->asking == SW_SAT_ASK_VALUE)
    return sw_sat_value_token(choose_value(e, rule, mt));
  if (rule->exact && sw_sat_env_in_conflict(e)) return SW_SAT_CONFLICT;
  int32_t var = choose_variable(e, rule->variable, mt);
  return var >= 0 ? SW_SAT_VARIABLE + var : SW_SAT_CONFLICT;
}
