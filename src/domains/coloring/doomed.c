/* Can the current partial colouring be completed? Exact, so that going back
 * from a lost state without an exposed contradiction can be told from a false
 * prune. A small complete search on a copy of the state runs first; CaDiCaL
 * settles what it leaves open. A completion found once is kept and answers for
 * every state that agrees with it. Only at a stop (base/stop.h), or without
 * memory, does an undecided state count as completable; the environment then
 * reports it (trouble). */
#include <string.h>
#include "base/stop.h"
#include "domains/coloring/coloring_env.h"
#include "domains/sat/cadical.h"

enum { NODES = 5000 }; /* of the search, before the solver is asked */

/* 1 completed (s is then the colouring), 0 impossible, -1 not settled. */
static int search(sw_col_state *s, int64_t *nodes) {
  if (s->wiped > 0) return 0;
  if (s->depth == s->n) return 1;
  if (--*nodes < 0) return -1;
  int32_t best = -1, best_left = 0;
  for (int32_t v = 0; v < s->n; v++) {
    int32_t left = sw_col_count(s->domain[v]);
    if (!s->color[v] && (best < 0 || left < best_left)) {
      best = v;
      best_left = left;
    }
  }
  unsigned colors = s->domain[best];
  for (; colors; colors &= colors - 1) {
    sw_col_assign(s, best, sw_col_lowest(colors));
    int result = search(s, nodes);
    if (result > 0) return 1;
    sw_col_back(s);
    if (result) return result;
  }
  return 0;
}

static int variable(int32_t v, int32_t c) {
  return v * SW_COL_COLORS_MAX + c; /* c from 1 */
}

/* Every uncoloured node takes a colour of its domain, neighbours not the same.
 * 0: out of memory. */
static int encode(sw_cadical *sat, const sw_col_state *s) {
  const sw_instance *g = s->graph;
  int good = 1;
  for (int32_t v = 0; v < s->n && good; v++) {
    if (s->color[v]) continue;
    for (int32_t c = 1; c <= s->colors && good; c++)
      if (s->domain[v] & sw_col_bit(c))
        good = sw_cadical_add(sat, variable(v, c));
    good = good && sw_cadical_add(sat, 0);
    for (int64_t i = g->start[v]; i < g->start[v + 1]; i++) {
      int32_t u = g->neighbor[i];
      for (int32_t c = 1; c <= s->colors && u > v && !s->color[u] && good; c++)
        good = sw_cadical_add(sat, -variable(v, c)) &&
               sw_cadical_add(sat, -variable(u, c)) && sw_cadical_add(sat, 0);
    }
  }
  return good;
}

/* As search(), by the solver; -1: it was time to stop, or no memory. */
static int ask_solver(sw_col_state *s) {
  sw_cadical *sat = sw_cadical_new();
  int answer = sat && encode(sat, s) ? sw_cadical_solve(sat, -1, 0) : 0;
  for (int32_t v = 0; v < s->n && answer == 10; v++)
    for (int32_t c = s->colors; c >= 1 && !s->color[v]; c--)
      if ((s->domain[v] & sw_col_bit(c)) &&
          sw_cadical_value(sat, variable(v, c)) > 0)
        s->color[v] = (uint8_t)c;
  sw_cadical_free(sat);
  return answer == 10 ? 1 : answer == 20 ? 0 : -1;
}

int sw_col_complete(sw_col_state *s, int64_t nodes) {
  sw_col_state copy = *s;
  int found = search(&copy, &nodes);
  if (found > 0) memcpy(s->color, copy.color, sizeof s->color);
  return found < 0 ? ask_solver(s) : found;
}

static int agrees(const sw_env *env) {
  for (int32_t v = 0; v < env->state.n; v++)
    if (env->state.color[v] && env->state.color[v] != env->witness[v]) return 0;
  return env->has_witness;
}

int sw_col_env_doomed(sw_env *env) {
  if (env->phase == SW_PHASE_ENDED || sw_col_in_conflict(env)) return 0;
  if (agrees(env)) return 0;
  sw_col_state copy = env->state;
  int found = sw_col_complete(&copy, NODES);
  if (found > 0) {
    memcpy(env->witness, copy.color, sizeof env->witness);
    env->has_witness = 1;
  }
  if (found < 0) env->trouble = sw_time_to_stop() ? SW_STOPPED : SW_MEMORY;
  return found == 0;
}

int sw_col_env_trouble(const sw_env *env, sw_err *err) {
  return sw_trouble_told(env->trouble, err);
}
