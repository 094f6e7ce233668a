/* The published corruption loop (see corruption.h). */
#include "release/corruption.h"

#include <string.h>

#include "domains/sat/oracle.h"
#include "domains/sat/sat_search.h"

typedef struct play {
  sw_sat_search search;
  sw_sat_oracle oracle;
  const sw_corruption_options *options;
  sw_mt *noise;
  sw_corruption_run *run;
  sw_corruption_sums *sums;
} play;

static int satisfied(const sw_sat_search *s, int32_t clause) {
  const sw_instance *f = s->formula;
  for (int32_t i = f->start[clause]; i < f->start[clause + 1]; i++)
    if (s->value[f->literal[i]] > 0) return 1;
  return 0;
}

/* Unsatisfied clauses that contain a literal. */
static int32_t wanted(const sw_sat_search *s, int32_t literal) {
  const sw_instance *f = s->formula;
  int32_t count = 0;
  for (int32_t c = 0; c < f->m; c++) {
    int has = 0;
    for (int32_t i = f->start[c]; i < f->start[c + 1]; i++)
      has |= f->literal[i] == literal;
    count += has && !satisfied(s, c);
  }
  return count;
}

/* Most occurrences in unsatisfied clauses, then most active, then the smallest
 * index; the value that occurs more often there, true when they tie. */
static int32_t choose(const sw_sat_search *s, int *value) {
  int32_t best = -1, most = -1;
  float activity = 0;
  for (int32_t v = 0; v < s->n; v++) {
    if (s->value[2 * v]) continue;
    int32_t pos = wanted(s, 2 * v), neg = wanted(s, 2 * v + 1);
    if (pos + neg < most || (pos + neg == most && s->activity[v] <= activity))
      continue;
    best = v;
    most = pos + neg;
    activity = s->activity[v];
    *value = pos >= neg;
  }
  return best;
}

static int go_back(play *p) {
  if (p->search.depth == 0 || p->run->backtracks >= p->options->max_backtracks)
    return 0;
  sw_sat_step(&p->search, SW_SAT_BACKTRACK, 0);
  p->run->backtracks++;
  return 1;
}

/* The oracle that errs: 1 when it calls the state dead. */
static int flagged(play *p) {
  const sw_corruption_options *o = p->options;
  int64_t spent = 0;
  int dead = sw_sat_oracle_dead(&p->oracle, &p->search, -1, -1, &spent);
  p->sums->checks++;
  if (dead) {
    p->sums->dead++;
    int missed =
        o->dead_to_viable > 0 && sw_mt_random(p->noise) < o->dead_to_viable;
    p->sums->right_dead += !missed;
    return !missed;
  }
  p->sums->viable++;
  int wrong =
      o->viable_to_dead > 0 && sw_mt_random(p->noise) < o->viable_to_dead;
  p->sums->wrong_dead += wrong;
  return wrong;
}

/* One decision and the question after it. */
static void decide(play *p) {
  sw_sat_search *s = &p->search;
  int value = 0;
  int32_t var = sw_sat_open_var(s);
  if (var >= 0) value = sw_sat_domain(s, var) == SW_SAT_BIT_TRUE;
  else var = choose(s, &value);
  sw_sat_step(s, SW_SAT_SELECT, var);
  sw_sat_step(s, SW_SAT_ASSIGN, value);
  p->run->assignments++;
  sw_sat_step(s, SW_SAT_PROPAGATE, 0);
  if (s->conflict != SW_SAT_NO_CONFLICT || !flagged(p)) return;
  if (go_back(p)) p->sums->proactive++;
}

/* 1: the search goes on. */
static int iterate(play *p) {
  sw_sat_search *s = &p->search;
  while (s->pending) sw_sat_step(s, SW_SAT_PROPAGATE, 0);
  if (s->ending != SW_SAT_END_RUNNING) return 0;
  if (s->conflict != SW_SAT_NO_CONFLICT) return go_back(p);
  if (sw_sat_all_satisfied(s)) {
    p->run->solved = 1;
    return 0;
  }
  int32_t open = sw_sat_open_var(s);
  if (open >= 0 && !sw_sat_domain(s, open)) return go_back(p);
  decide(p);
  return 1;
}

int sw_corruption_play(const sw_instance *formula,
                       const sw_corruption_options *options, sw_mt *noise,
                       sw_corruption_run *run, sw_corruption_sums *sums,
                       sw_err *err) {
  play p = {.options = options, .noise = noise, .run = run, .sums = sums};
  memset(run, 0, sizeof *run);
  sw_sat_search_init(&p.search);
  int code = sw_sat_search_reset(&p.search, formula, err);
  p.search.max_steps = 6 * options->max_iterations + 10;
  if (!code) code = sw_sat_oracle_reset(&p.oracle, formula, err);
  for (int64_t i = 0; i < options->max_iterations && !code; i++)
    if (!iterate(&p)) break;
  sums->instances++;
  sums->solved += run->solved;
  sums->backtracks += run->backtracks;
  sw_sat_oracle_free(&p.oracle);
  sw_sat_search_free(&p.search);
  return code;
}

static double share(int64_t part, int64_t whole) {
  return (double)part / (double)(whole > 0 ? whole : 1);
}
double sw_corruption_alpha(const sw_corruption_sums *s) {
  return share(s->wrong_dead, s->viable);
}
double sw_corruption_precision(const sw_corruption_sums *s) {
  return share(s->right_dead, s->right_dead + s->wrong_dead);
}
double sw_corruption_recall(const sw_corruption_sums *s) {
  return share(s->right_dead, s->dead);
}
double sw_corruption_backs_per_solve(const sw_corruption_sums *s) {
  return share(s->backtracks, s->solved);
}
