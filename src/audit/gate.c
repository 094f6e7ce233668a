/* The gate (see judge.h): who stands beside the model, and is it beaten? */
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
  if (!t->x || !t->y || !t->group)
    return sw_fail(err, SW_MEMORY, "out of memory");
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

/* A player takes the place-th choice shown, or the choice of that text. */
typedef struct player {
  int place;        /* -1: by text */
  const char *text; /* of a choice */
} player;

static int plays(const player *p, const sw_audit_case *c, int order) {
  if (p->place < 0) return text_at(c, p->text);
  if (p->place >= c->choices) return -1;
  return order ? c->choices - 1 - p->place : p->place;
}

/* Fills the table with right answers of model (x) and player (y), a row an
 * answer of the model. player NULL: one who guesses. */
static void fill(table *t, const sw_survey *s, const player *p) {
  t->count = 0;
  for (int64_t at = 0; at < s->cases->count; at++) {
    const sw_audit_case *c = &s->cases->item[at];
    for (int o = 0; o < s->o.orders && c->right; o++) {
      const sw_said *said = sw_survey_said(s, at, 0, o, 0);
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
  fill(t, s, p);
  double right = sw_mean(t->y, t->count);
  if (right < g->constant) return;
  g->constant = right;
  if (p->place < 0)
    snprintf(g->constant_is, sizeof g->constant_is, "`%.60s`", p->text);
  else
    snprintf(g->constant_is, sizeof g->constant_is, "choice number %d",
             p->place + 1);
  g->over_constant = sw_share_difference(t->x, t->y, t->group, t->count);
}

/* ---- one choice told from the others ---- */

typedef struct scores {
  const double *score, *label;
} scores;

static void auroc_of(const void *context, const int64_t *item, int64_t count,
                     double *out) {
  const scores *s = context;
  double pairs = 0, won = 0;
  for (int64_t i = 0; i < count; i++)
    for (int64_t k = 0; k < count; k++) {
      if (!(s->label[item[i]] > s->label[item[k]])) continue;
      double a = s->score[item[i]], b = s->score[item[k]];
      pairs++;
      won += a > b ? 1 : a < b ? 0 : 0.5;
    }
  out[0] = pairs > 0 ? won / pairs : NAN;
}

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
                         uint64_t seed, sw_err *err) {
  const char *choice = s->cases->count ? verdict_choice(s) : NULL;
  g->auroc = (sw_interval){NAN, NAN, NAN};
  t->count = 0;
  for (int64_t at = 0; at < s->cases->count && choice; at++) {
    const sw_audit_case *c = &s->cases->item[at];
    int k = text_at(c, choice);
    double sum = 0, n = 0;
    for (int o = 0; o < s->o.orders && c->right; o++) {
      const sw_said *said = sw_survey_said(s, at, 0, o, 0);
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
  scores sc = {t->x, t->y};
  sw_bootstrap_options boot = {t->group, 1000, seed};
  return sw_bootstrap(t->count, 1, auroc_of, &sc, &boot, &g->auroc, err);
}

/* ---- the model's own most frequent answer ---- */

static void try_same(const sw_survey *s, const player *p, sw_gate *g) {
  int64_t all = 0, hits = 0;
  for (int i = 0; i < s->count; i++) {
    const sw_question_plan *q = &s->plan[i];
    if (!q->said.asked || q->said.choice < 0) continue;
    all++;
    hits += plays(p, &s->cases->item[q->at], q->order) == q->said.choice;
  }
  double share = all ? (double)hits / (double)all : 0;
  if (share <= g->same) return;
  g->same = share;
  if (p->place < 0) snprintf(g->same_is, sizeof g->same_is, "`%.60s`", p->text);
  else
    snprintf(g->same_is, sizeof g->same_is, "choice number %d", p->place + 1);
}

static void for_players(table *t, const sw_survey *s, sw_gate *g) {
  const sw_audit_case *first = s->cases->item;
  for (int i = 0; s->cases->count && i < first->choices; i++) {
    player by_place = {i, NULL}, by_text = {-1, first->choice[i]};
    if (g->known) {
      try_player(t, s, &by_place, g);
      try_player(t, s, &by_text, g);
    }
    try_same(s, &by_place, g);
    try_same(s, &by_text, g);
  }
}

int sw_gate_measure(sw_gate *g, const sw_survey *s, const sw_measured *m,
                    uint64_t seed, sw_err *err) {
  table t = {0};
  memset(g, 0, sizeof *g);
  int code = make_table(&t, s, err);
  if (!code) {
    g->unreadable = m->answers ? (double)m->unreadable / (double)m->answers : 0;
    fill(&t, s, NULL);
    g->known = t.count;
    g->right = sw_share_of(t.x, t.group, t.count);
    g->guess = sw_mean(t.y, t.count);
    g->over_guess = sw_share_difference(t.x, t.y, t.group, t.count);
    g->over_constant = (sw_interval){NAN, -1, 1};
    for_players(&t, s, g);
    code = measure_auroc(&t, s, g, seed, err);
    g->beats = (g->over_constant.low > 0 && g->over_guess.low > 0) ||
               g->auroc.low > 0.5;
  }
  free_table(&t);
  return code;
}
