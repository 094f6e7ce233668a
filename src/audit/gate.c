/* The gate (see judge.h): which baselines stand beside the model, and does the
 * model beat them? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "audit/judge_inside.h"

typedef struct table {
  double *x, *y;
  int64_t *group, *of, count;
} table;

static int make_table(table *t, const sw_survey *s, sw_err *err) {
  size_t room = sizeof(double) * (size_t)(s->cases->count * s->o.orders + 1);
  t->x = malloc(room);
  t->y = malloc(room);
  t->group = malloc(room);
  if (!t->x || !t->y || !t->group) return sw_no_memory(err);
  return sw_audit_cases_groups(s->cases, &t->of, err);
}

static void free_table(table *t) {
  free(t->x);
  free(t->y);
  free(t->group);
  free(t->of);
}

/* ---- players of one answer ---- */

static int text_at(const sw_audit_case *c, const char *text) {
  for (int i = 0; i < c->choices; i++)
    if (!strcmp(c->choice[i], text)) return i;
  return -1;
}

/* A player takes the place-th choice shown, the last one, or the choice of that
 * text. */
enum { PLACE_LAST = SW_CASE_CHOICES };
typedef struct player {
  int place;        /* PLACE_LAST, or -1: by text */
  const char *text; /* of a choice */
} player;

static int plays(const player *p, const sw_audit_case *c, int order) {
  if (p->place < 0) return text_at(c, p->text);
  if (p->place == PLACE_LAST) return order ? 0 : c->choices - 1;
  if (p->place >= c->choices) return -1;
  return order ? c->choices - 1 - p->place : p->place;
}

static void name_player(const player *p, char name[96]) {
  if (p->place < 0) snprintf(name, 96, "`%.60s`", p->text);
  else if (p->place == PLACE_LAST) snprintf(name, 96, "the last choice");
  else snprintf(name, 96, "choice number %d", p->place + 1);
}

/* Fills the table with right answers of model (x) and baseline (y), one row per
 * answer of the model under the gate's condition. player NULL: the baseline
 * guesses. */
static void fill(table *t, const sw_survey *s, int arm, const player *p) {
  t->count = 0;
  for (int64_t at = 0; at < s->cases->count; at++) {
    const sw_audit_case *c = &s->cases->item[at];
    for (int o = 0; o < s->o.orders && c->right; o++) {
      const sw_said *said = sw_survey_said(s, at, arm, o, 0);
      if (!said || said->choice < 0) continue;
      int taken = p ? plays(p, c, o) : -1;
      double share = 0;
      for (int i = 0; i < c->choices; i++) share += c->right[i];
      t->x[t->count] = c->right[said->choice];
      t->y[t->count] = p ? taken >= 0 && c->right[taken] : share / c->choices;
      t->group[t->count++] = t->of[at];
    }
  }
}

static void try_player(table *t, const sw_survey *s, const player *p,
                       sw_gate *g) {
  fill(t, s, g->arm, p);
  double right = sw_mean(t->y, t->count);
  if (right < g->constant) return;
  g->constant = right;
  name_player(p, g->constant_is);
  g->over_constant =
      sw_share_difference(t->x, t->y, t->group, t->count, SW_TAIL);
}

/* ---- one choice told from the others ---- */

/* Of the first case's choices, one that every case has and that is right in
 * some and wrong in others, as equally as can be; NULL: none. */
static const char *verdict_choice(const sw_survey *s) {
  const sw_audit_case *first = s->cases->item;
  const char *best = NULL;
  int64_t nearest = INT64_MAX;
  for (int i = 0; i < first->choices; i++) {
    int64_t right = 0, known = 0;
    for (int64_t at = 0; at < s->cases->count; at++) {
      const sw_audit_case *c = &s->cases->item[at];
      int k = text_at(c, first->choice[i]);
      if (k < 0) known = INT64_MIN / 2;
      if (k < 0 || !c->right) continue;
      right += c->right[k];
      known++;
    }
    int64_t gap = llabs(2 * right - known);
    if (known < 2 || !right || right == known || gap >= nearest) continue;
    nearest = gap;
    best = first->choice[i];
  }
  return best;
}

static int measure_auroc(table *t, const sw_survey *s, sw_gate *g,
                         sw_err *err) {
  const char *choice = s->cases->count ? verdict_choice(s) : NULL;
  g->auroc = (sw_interval){NAN, NAN, NAN};
  t->count = 0;
  for (int64_t at = 0; at < s->cases->count && choice; at++) {
    const sw_audit_case *c = &s->cases->item[at];
    int k = text_at(c, choice);
    double sum = 0, n = 0;
    for (int o = 0; o < s->o.orders && c->right; o++) {
      const sw_said *said = sw_survey_said(s, at, g->arm, o, 0);
      if (!said || said->choice < 0) continue;
      sum += said->p[k];
      n++;
    }
    if (n == 0) continue;
    t->x[t->count] = sum / n;
    t->y[t->count] = c->right[k];
    t->group[t->count++] = t->of[at];
  }
  if (t->count < 2) return SW_OK;
  snprintf(g->auroc_is, sizeof g->auroc_is, "%.90s", choice);
  return sw_auroc_of(t->x, t->y, t->group, t->count, SW_TAIL, &g->auroc, err);
}

/* ---- the model's own most frequent answer ---- */

static void try_same(const sw_survey *s, const player *p, sw_gate *g) {
  int64_t all = 0, hits = 0;
  for (int64_t i = 0; i < s->count; i++) {
    const sw_question_plan *q = &s->plan[i];
    if (!q->said.asked || q->said.choice < 0) continue;
    all++;
    hits += plays(p, &s->cases->item[q->at], q->order) == q->said.choice;
  }
  double share = all ? (double)hits / (double)all : 0;
  if (share <= g->same) return;
  g->same = share;
  name_player(p, g->same_is);
}

static void try_one(table *t, const sw_survey *s, const player *p, sw_gate *g) {
  if (g->known) try_player(t, s, p, g);
  try_same(s, p, g);
}

static void for_players(table *t, const sw_survey *s, sw_gate *g) {
  const sw_audit_case *first = s->cases->item;
  player last = {PLACE_LAST, NULL};
  for (int i = 0; s->cases->count && i < first->choices; i++) {
    player by_place = {i, NULL}, by_text = {-1, first->choice[i]};
    try_one(t, s, &by_place, g);
    try_one(t, s, &by_text, g);
  }
  try_one(t, s, &last, g);
}

static int measure_at(table *t, const sw_survey *s, sw_gate *g, sw_err *err) {
  fill(t, s, g->arm, NULL);
  g->known = t->count;
  g->right = sw_share_of(t->x, t->group, t->count, SW_TAIL);
  g->guess = sw_mean(t->y, t->count);
  g->over_guess = sw_share_difference(t->x, t->y, t->group, t->count, SW_TAIL);
  g->over_constant = (sw_interval){NAN, -1, 1};
  for_players(t, s, g);
  SW_TRY(measure_auroc(t, s, g, err));
  g->beats =
      (g->over_constant.low > 0 && g->over_guess.low > 0) || g->auroc.low > 0.5;
  return SW_OK;
}

/* A history can spoil what a model could do without it. A model that fails
 * under its own history is tested again with none. */
int sw_gate_measure(sw_gate *g, const sw_survey *s, const sw_measured *m,
                    sw_err *err) {
  table t = {0};
  memset(g, 0, sizeof *g);
  int code = make_table(&t, s, err);
  if (!code) code = measure_at(&t, s, g, err);
  for (int i = 1; i < s->o.arms && !code; i++) {
    sw_gate again = {.arm = i};
    if (g->beats || !g->known || s->o.arm[i].kind != SW_ARM_NONE) continue;
    code = measure_at(&t, s, &again, err);
    if (again.beats) *g = again;
  }
  g->unreadable = m->answers ? (double)m->unreadable / (double)m->answers : 0;
  g->worst_unreadable = m->worst_unreadable;
  free_table(&t);
  return code;
}
