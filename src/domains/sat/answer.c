/* Answers of `solve` for SAT: the printed assignment, and a complete search
 * without a model for formulas of any size. */
#include "domains/sat/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/stop.h"
#include "domains/sat/cdcl.h"
#include "domains/sat/sat_env.h"

enum { NUMBERS_A_LINE = 12 };

void sw_sat_assignment(const sw_sat_search *s, int8_t *assignment) {
  for (int32_t v = 0; v < s->n; v++)
    assignment[v] = s->value[2 * v] ? s->value[2 * v] > 0 : 2;
}

int sw_sat_format_answer(const sw_instance *f, const int8_t *assignment,
                         char **text, sw_err *err) {
  *text = NULL;
  if (!sw_sat_satisfies(f, assignment))
    return sw_fail(err, SW_INTERNAL,
                   "a claimed solution leaves a clause false");
  size_t room = 16 * ((size_t)f->n + 2) + 16, used = 0;
  char *out = malloc(room);
  if (!out) return sw_no_memory_for(err, "the answer");
  for (int32_t v = 0; v <= f->n; v++) {
    int last = v == f->n;
    const char *lead = v == 0 ? "v" : v % NUMBERS_A_LINE == 0 ? "\nv" : "";
    int number = last ? 0 : assignment[v] == 0 ? -(v + 1) : v + 1;
    used += (size_t)snprintf(out + used, room - used, "%s %d", lead, number);
  }
  snprintf(out + used, room - used, "\n");
  *text = out;
  return SW_OK;
}

int sw_sat_answer(const sw_env *e, char **text, sw_err *err) {
  int8_t *assignment = malloc((size_t)e->instance->n + 1);
  *text = NULL;
  if (!assignment) return sw_no_memory_for(err, "the answer");
  sw_sat_assignment(&e->search, assignment);
  int code = sw_sat_format_answer(e->instance, assignment, text, err);
  free(assignment);
  return code;
}

/* One step of a complete search under Jeroslow-Wang. */
static void jw_step(sw_env *e) {
  sw_sat_search *s = &e->search;
  int32_t open = sw_sat_open_var(s);
  int value, left;
  if (s->pending) {
    sw_sat_step(s, SW_SAT_PROPAGATE, 0);
  } else if (s->conflict != SW_SAT_NO_CONFLICT) {
    sw_sat_step(s, s->depth ? SW_SAT_BACKTRACK : SW_SAT_DONE, 0);
  } else if (open >= 0 && (left = sw_sat_domain(s, open)) == 0) {
    sw_sat_step(s, SW_SAT_BACKTRACK, 0);
  } else if (sw_sat_all_satisfied(s)) {
    sw_sat_step(s, SW_SAT_DONE, 0);
  } else {
    int32_t var = open >= 0 ? open : sw_sat_jeroslow_wang(e, &value);
    if (open >= 0) value = (left & SW_SAT_BIT_TRUE) != 0;
    sw_sat_step(s, SW_SAT_SELECT, var);
    sw_sat_step(s, SW_SAT_ASSIGN, value);
    e->decisions++;
  }
}

/* The two searches take turns, each for twice the time of its turn before:
 * what one of them answers soon is answered soon, whatever the time limit. */
static const double first_turn = 0.05;

static void jw_turn(sw_env *e, double seconds) {
  double until = sw_now() + seconds;
  while (e->search.ending == SW_SAT_END_RUNNING && sw_now() < until &&
         !sw_time_to_stop())
    jw_step(e);
}

static int take_turns(sw_env *e, sw_cdcl **solver, const sw_instance *f,
                      double seconds, int *verdict, sw_err *err) {
  double deadline = seconds > 0 ? sw_now() + seconds : 0;
  for (double turn = first_turn; *verdict == SW_CDCL_UNKNOWN; turn *= 2) {
    double left = deadline > 0 ? deadline - sw_now() : 2 * turn;
    jw_turn(e, left < turn ? left : turn);
    if (e->search.ending == SW_SAT_END_SAT) *verdict = SW_CDCL_SAT;
    if (e->search.ending == SW_SAT_END_UNSAT) *verdict = SW_CDCL_UNSAT;
    if (*verdict || sw_time_to_stop()) break;
    if (deadline > 0) left = deadline - sw_now();
    if (left <= 0) break;
    if (!*solver) SW_TRY(sw_cdcl_new(solver, f, err));
    SW_TRY(sw_cdcl_solve(*solver, NULL, 0, -1, left < turn ? left : turn,
                         verdict, err));
  }
  return SW_OK;
}

static int solve_both(sw_env *e, const sw_instance *f, double seconds,
                      int8_t *assignment, int *verdict, char *note, size_t room,
                      sw_err *err) {
  sw_cdcl *solver = NULL;
  SW_TRY(sw_sat_search_reset(&e->search, f, err));
  e->instance = f;
  int code = take_turns(e, &solver, f, seconds, verdict, err);
  int by_jw = e->search.ending == SW_SAT_END_SAT ||
              e->search.ending == SW_SAT_END_UNSAT;
  if (!code && *verdict == SW_CDCL_SAT) {
    if (by_jw) sw_sat_assignment(&e->search, assignment);
    else sw_cdcl_model(solver, assignment);
  }
  snprintf(note, room, "Jeroslow-Wang search, %lld decisions%s",
           (long long)e->decisions, solver && !by_jw ? ", and CDCL" : "");
  sw_cdcl_free(solver);
  return code;
}

int sw_sat_solve_direct(const sw_instance *f, const sw_domain_options *options,
                        double seconds, int *verdict, char **text, char *note,
                        size_t room, sw_err *err) {
  (void)options;
  *verdict = SW_CDCL_UNKNOWN;
  *text = NULL;
  size_t vars = (size_t)f->n + 1;
  int8_t *assignment = malloc(vars);
  sw_env *e = calloc(1, sizeof *e);
  if (e) e->score = malloc(sizeof *e->score * 2 * vars);
  int code = SW_OK;
  if (!assignment || !e || !e->score)
    code = sw_no_memory_for(err, "solving %d variables", f->n);
  if (code == SW_OK)
    code = solve_both(e, f, seconds, assignment, verdict, note, room, err);
  if (code == SW_OK && *verdict == SW_CDCL_SAT)
    code = sw_sat_format_answer(f, assignment, text, err);
  sw_sat_env_free(e);
  free(assignment);
  /* Stopped before there was an answer: that is "unknown", not a failure. */
  return code == SW_STOPPED ? SW_OK : code;
}
