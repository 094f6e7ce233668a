/* Sizes of a SAT state, which need no learning: what a verdict on states must
 * be better than. Each is the larger the likelier the state is dead. The last
 * two try every value that is left. */
#include "domains/sat/sat_env.h"
#include "domains/sat/sat_figures.h"

enum { ASSIGNED, TWO, OPEN, EXPECTED, FAILED, REFUTED };
const char *const sw_sat_size_names[] = {
    [ASSIGNED] = "assigned variables",
    [TWO] = "clauses with two free literals",
    [OPEN] = "minus clauses not satisfied",
    [EXPECTED] = "minus logarithm of expected solutions",
    [FAILED] = "failed literals",
    [REFUTED] = "refuted by failed literals",
    NULL};

static double count(const sw_sat_search *s, int two) {
  const sw_instance *f = s->formula;
  int32_t all = 0, of_two = 0;
  for (int32_t c = 0; c < f->m; c++) {
    int32_t unset = 0, i = f->start[c], end = f->start[c + 1];
    for (; i < end && s->value[f->literal[i]] <= 0; i++)
      unset += s->value[f->literal[i]] == 0;
    all += i == end;
    of_two += i == end && unset == 2;
  }
  return two ? of_two : all;
}

/* With the value that is left of one tried again, and what follows from it. */
static double ahead(const sw_sat_search *s, int which) {
  sw_sat_rest r;
  int8_t value[SW_SAT_MAX_VARS];
  int32_t again = sw_sat_open_var(s);
  if (s->n > SW_SAT_MAX_VARS) return 0;
  for (int32_t v = 0; v < s->n; v++) value[v] = s->value[2 * v];
  if (!sw_sat_rest_open(&r, s->formula, value)) return 0;
  if (again >= 0 && !r.conflict) {
    int positive = (sw_sat_domain(s, again) & SW_SAT_BIT_TRUE) != 0;
    sw_sat_rest_take(&r, 2 * again + !positive);
  }
  if (which == EXPECTED) return -sw_sat_rest_expected(&r);
  if (r.conflict) return which == REFUTED ? 1 : 2.0 * s->n;
  return which == REFUTED ? !sw_sat_force(&r) : sw_sat_failed_literals(&r);
}

double sw_sat_env_size(const sw_env *env, int which) {
  const sw_sat_search *s = &env->search;
  if (which == ASSIGNED) return s->trail_size;
  if (which == TWO) return count(s, 1);
  if (which == OPEN) return -count(s, 0);
  return ahead(s, which);
}
