/* The SAT experts, and the choices they share with the rules. An expert
 * answers the current query of an environment; error injection is the trace
 * writer's business. */
#include <math.h>
#include <string.h>

#include "domains/sat/sat_env.h"
#include "domains/sat/tokens.h"

static const char *const expert_names[] = {
#define X(id, name, text) name,
    SW_SAT_EXPERTS(X)
#undef X
};

int sw_sat_expert_find(const char *name) {
  for (int i = 0; i < SW_SAT_EXPERT_COUNT; i++)
    if (strcmp(expert_names[i], name) == 0) return i;
  return -1;
}

int32_t sw_sat_most_active(const sw_sat_search *s) {
  int32_t best = -1;
  for (int32_t v = 0; v < s->n; v++)
    if (s->value[2 * v] == 0 &&
        (best < 0 || s->activity[v] > s->activity[best] + 1e-12))
      best = v;
  return best;
}

int32_t sw_sat_key_literal(sw_env *e) {
  const sw_instance *f = e->instance;
  int32_t clause = sw_sat_env_key_clause(e);
  for (int32_t i = f->start[clause]; i < f->start[clause + 1]; i++)
    if (e->search.value[f->literal[i]] == 0) return f->literal[i];
  return -1;
}

/* Sums of powers of two are exact, so ties are real ties. */
int32_t sw_sat_jeroslow_wang(sw_env *e, int *value) {
  const sw_instance *f = e->instance;
  const sw_sat_search *s = &e->search;
  memset(e->score, 0, sizeof *e->score * 2 * (size_t)f->n);
  for (int32_t c = 0; c < f->m; c++) {
    int32_t left = 0, i = f->start[c], end = f->start[c + 1];
    for (; i < end && s->value[f->literal[i]] <= 0; i++)
      left += s->value[f->literal[i]] == 0;
    if (i < end) continue;
    double weight = ldexp(1.0, -left);
    for (i = f->start[c]; i < end; i++)
      if (s->value[f->literal[i]] == 0) e->score[f->literal[i]] += weight;
  }
  int32_t best = -1;
  double most = -1;
  for (int32_t v = 0; v < f->n; v++)
    if (s->value[2 * v] == 0 && e->score[2 * v] + e->score[2 * v + 1] > most) {
      best = v;
      most = e->score[2 * v] + e->score[2 * v + 1];
    }
  *value = best >= 0 && e->score[2 * best] >= e->score[2 * best + 1];
  return best;
}

/* First unassigned literal of the key clause that the solution makes true; an
 * injected error can leave none, then the first unassigned one. */
static int32_t solution_literal(sw_env *e) {
  const sw_instance *f = e->instance;
  int32_t clause = sw_sat_env_key_clause(e);
  for (int32_t i = f->start[clause]; i < f->start[clause + 1]; i++) {
    int32_t literal = f->literal[i];
    if (e->search.value[literal] == 0 && e->has_solution &&
        e->solution[literal >> 1] == !(literal & 1))
      return literal;
  }
  return sw_sat_key_literal(e);
}

/* The literal an expert makes true in a state with no open decision. */
static int32_t expert_literal(sw_env *e) {
  int value = 1;
  int32_t var;
  switch (e->expert) {
    case SW_SAT_EXPERT_CLAUSE:
      return sw_sat_key_literal(e);
    case SW_SAT_EXPERT_SOLUTION:
      return solution_literal(e);
    case SW_SAT_EXPERT_JW:
      var = sw_sat_jeroslow_wang(e, &value);
      break;
    default:
      var = sw_sat_most_active(&e->search);
  }
  return 2 * var + !value;
}

int32_t sw_sat_expert_choice(sw_env *e) {
  const sw_sat_search *s = &e->search;
  int32_t open = sw_sat_open_var(s);
  if (e->asking == SW_SAT_ASK_PAD) return sw_sat_pad_exact(&e->pad);
  if (sw_sat_env_in_conflict(e)) return SW_SAT_CONFLICT;
  if (e->asking == SW_SAT_ASK_VALUE) {
    if (open >= 0)
      return sw_sat_value_token(sw_sat_domain(s, open) & SW_SAT_BIT_TRUE);
    int32_t literal = expert_literal(e);
    /* The variable was chosen by another policy: try true first, as vsids
     * does. */
    if (literal >> 1 != s->selected) return SW_SAT_T;
    return sw_sat_value_token(!(literal & 1));
  }
  return SW_SAT_VARIABLE + (open >= 0 ? open : expert_literal(e) >> 1);
}
