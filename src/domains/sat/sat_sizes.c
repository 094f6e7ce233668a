/* Sizes of a SAT state, which need no learning: what a verdict on states must
 * be better than. Each is the larger the likelier the state is dead. */
#include "domains/sat/sat_env.h"

const char *const sw_sat_size_names[] = {"assigned variables",
                                         "clauses with two free literals",
                                         "minus clauses not satisfied", NULL};

void sw_sat_env_sizes(const sw_env *env, double *out) {
  const sw_sat_search *s = &env->search;
  const sw_instance *f = s->formula;
  int32_t open = 0, two = 0;
  for (int32_t c = 0; c < f->m; c++) {
    int32_t unset = 0, i = f->start[c], end = f->start[c + 1];
    for (; i < end && s->value[f->literal[i]] <= 0; i++)
      unset += s->value[f->literal[i]] == 0;
    open += i == end;
    two += i == end && unset == 2;
  }
  out[0] = s->trail_size;
  out[1] = two;
  out[2] = -(double)open;
}
