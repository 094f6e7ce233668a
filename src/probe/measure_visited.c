/* The measure `visited`: the visited-set oracle in the closed loop. */
#include "probe/measured.h"
#include "search/guide_family.h"

typedef sw_visited_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_VISITED_OPTIONS)};

#define F(...) SW_FIGURE(COUNT, sw_visited_result, __VA_ARGS__)
static const sw_figure figures[] = {
    {F(instances, "instances", "instances", "instances searched"), .shown = 1},
    {F(solved, "solved", "solved", "of them solved"), .shown = 2},
    {F(decisions, "decisions", "decisions", "actions of all searches"),
     .shown = 3},
    {F(revisits, "revisited_states", "states met again",
       "states that were seen before"),
     .shown = 4},
    {F(repeated, "repeated_actions", "actions repeated",
       "choices already taken in an identical state"),
     .shown = 5},
    {F(interventions, "interventions", "interventions",
       "of them, replaced by the best untried action"),
     .shown = 6},
    {F(missed_conflicts, "missed_conflicts", "missed conflicts",
       "went on at a conflict")},
    {F(false_prunes, "false_prunes", "false prunes",
       "went back from a state that could be completed")},
    {F(early_backs, "early_backs", "early backs",
       "went back from a lost state that showed no conflict")},
    {F(repeats, "repeats", "repeats",
       "picked a failed or illegal value where a choice had failed before")},
    {F(budget, "budget", "decision budget", "decisions allowed a search")},
    {0}};

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_probe *p = &s->probe;
  sw_guide *guide;
  sw_condition c;
  sw_condition_options o;
  sw_guide_setup setup = {.mask = p->eval_mask, .positions = p->eval_positions};
  sw_condition_defaults(&o);
  o.seed = p->seed;
  o.instances = s->instances;
  o.max_decisions = s->decisions;
  o.max_tokens = 0;
  o.protocol = s->protocol;
  SW_TRY(sw_guide_model(&guide, loaded, &setup, p->team, err));
  int code = sw_condition_make(&c, &o, guide, &p->options, err);
  sw_probe_begin(p, "instances", s->instances);
  if (!code)
    code = sw_visited(&c, s->intervene, sw_probe_step, s, &s->result[p->models],
                      err);
  sw_probe_end(p);
  sw_guide_close(guide);
  return code;
}

const sw_measure sw_measure_visited = {
    .name = "visited",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .figures = figures,
    SW_MEASURE_RESULT(session, result),
    .caption = "Search with a memory of actions taken in identical states"};
