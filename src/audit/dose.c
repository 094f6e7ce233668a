/* The dose curve (see dose.h). */
#include "audit/dose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- doses as conditions ---- */

/* A dose is a count; two histories with one name are the same dose. */
static int add_arm(sw_arm *arm, int *arms, const sw_history *h, sw_err *err) {
  for (int i = 0; i < *arms; i++)
    if (!strcmp(arm[i].history, h->name)) return SW_OK;
  if (*arms == SW_DOSES)
    return sw_fail(err, SW_DATA, "more than %d histories have a `count`",
                   SW_DOSES);
  if (strlen(h->name) + 9 > SW_ARM_NAME)
    return sw_fail(err, SW_DATA, "history `%.60s`: the name is too long",
                   h->name);
  sw_arm *a = &arm[(*arms)++];
  memset(a, 0, sizeof *a);
  a->kind = SW_ARM_HISTORY;
  snprintf(a->history, sizeof a->history, "%s", h->name);
  snprintf(a->name, sizeof a->name, "history:%.54s", h->name);
  return SW_OK;
}

static double count_of(const sw_audit_cases *cases, const sw_arm *arm) {
  for (int64_t i = 0; i < cases->count; i++) {
    const sw_history *h = sw_audit_case_find(&cases->item[i], arm->history);
    if (h && !isnan(h->count)) return h->count;
  }
  return NAN;
}

int sw_dose_arms(const sw_audit_cases *cases, sw_arm *arm, int *arms,
                 sw_err *err) {
  *arms = 0;
  for (int64_t i = 0; i < cases->count; i++) {
    const sw_audit_case *c = &cases->item[i];
    for (int h = 0; h < c->histories; h++)
      if (!isnan(c->history[h].count))
        SW_TRY(add_arm(arm, arms, &c->history[h], err));
  }
  for (int i = 1; i < *arms; i++) /* by count */
    for (int k = i;
         k > 0 && count_of(cases, &arm[k]) < count_of(cases, &arm[k - 1]);
         k--) {
      sw_arm swap = arm[k];
      arm[k] = arm[k - 1];
      arm[k - 1] = swap;
    }
  if (*arms >= 2 && count_of(cases, &arm[0]) < count_of(cases, &arm[*arms - 1]))
    return SW_OK;
  sw_fail(err, SW_DATA, "--dose needs histories with different counts");
  return sw_hint(err,
                 "a history's `count` says how many of its turns ended in"
                 " the action");
}

/* ---- one situation ---- */

static int action_of(const sw_audit_case *c, const char *action) {
  for (int i = 0; i < c->choices; i++)
    if (!strcmp(c->choice[i], action)) return i;
  return -1;
}

/* Log-odds of the action against all other choices together. */
static double odds_of(const sw_said *said, int action, int choices) {
  double rest = -INFINITY;
  for (int i = 0; i < choices; i++) {
    double p = said->log_p[i];
    if (i == action) continue;
    rest = isinf(rest) ? p : fmax(rest, p) + log1p(exp(-fabs(rest - p)));
  }
  return said->log_p[action] - rest;
}

typedef struct sums {
  double n, x, y, xx, xy;
} sums;

static void add(sums *s, double x, double y) {
  s->n++;
  s->x += x;
  s->y += y;
  s->xx += x * x;
  s->xy += x * y;
}

static double slope_of(const sums *s) {
  double spread = s->n * s->xx - s->x * s->x;
  return s->n > 1 && spread > 0 ? (s->n * s->xy - s->x * s->y) / spread : NAN;
}

typedef struct fitting {
  const sw_survey *s;
  sw_dose *d;
  double *nats, *share, *nats_right, *nats_wrong, *moved;
  int64_t *of, *g_nats, *g_share, *g_right, *g_wrong;
  int64_t n_nats, n_share, n_right, n_wrong;
  int varies; /* an answer of the current situation differs from its first */
} fitting;

/* Does this answer differ in any bit from that at the first dose? */
static int differs(const sw_said *a, const sw_said *b, int choices) {
  return a->choice != b->choice || a->graded != b->graded ||
         memcmp(a->log_p, b->log_p, sizeof *a->log_p * (size_t)choices) != 0;
}

/* The answer at the lowest dose that the situation has. */
static const sw_said *first_said(const sw_survey *s, int64_t at, int order) {
  const sw_said *said = NULL;
  for (int k = 0; k < s->o.arms && !said; k++)
    said = sw_survey_said(s, at, k, order, 0);
  return said;
}

static void note(fitting *f, int64_t at, int action, int dose, sums *odds,
                 sums *p) {
  const sw_audit_case *c = &f->s->cases->item[at];
  double x = f->d->point[dose].count;
  for (int o = 0; o < f->s->o.orders; o++) {
    const sw_said *said = sw_survey_said(f->s, at, dose, o, 0);
    const sw_said *first = first_said(f->s, at, o);
    if (!said) continue;
    f->d->answers++;
    if (said->choice < 0) {
      f->d->unreadable++;
      f->d->same_bits = 0;
      continue;
    }
    add(p, x, said->p[action]);
    if (differs(said, first, c->choices)) f->varies = 1;
    if (first->choice != said->choice) f->moved[f->d->situations] = 1;
    f->d->floored += said->floored;
    f->d->graded += said->graded;
    f->d->taken += said->choice == action;
    if (said->graded) add(odds, x, odds_of(said, action, c->choices));
  }
}

static void fit_case(fitting *f, int64_t at, int action) {
  sums odds = {0}, p = {0};
  f->moved[f->d->situations] = 0;
  f->varies = 0;
  for (int k = 0; k < f->d->points; k++) note(f, at, action, k, &odds, &p);
  double nats = slope_of(&odds), share = slope_of(&p);
  if (f->varies) f->d->same_bits = 0;
  else { /* a rounding error is not a slope */ nats = isnan(nats) ? nats : 0;
    share = isnan(share) ? share : 0;
  }
  const uint8_t *right = f->s->cases->item[at].right;
  if (!isnan(nats)) {
    f->g_nats[f->n_nats] = f->of[at];
    f->nats[f->n_nats++] = nats;
    if (right && right[action]) {
      f->g_right[f->n_right] = f->of[at];
      f->nats_right[f->n_right++] = nats;
    } else if (right) {
      f->g_wrong[f->n_wrong] = f->of[at];
      f->nats_wrong[f->n_wrong++] = nats;
    }
  }
  if (isnan(share)) return;
  f->g_share[f->n_share] = f->of[at];
  f->share[f->n_share++] = share;
  f->d->rising += (isnan(nats) ? share : nats) > 0;
  f->d->situations++;
}

/* ---- one dose ---- */

static void fit_point(fitting *f, int dose, const char *action) {
  sw_dose_point *q = &f->d->point[dose];
  double odds = 0, right[2] = {0}, n[2] = {0}, graded = 0;
  double *p = f->share, *chosen = f->moved;
  int64_t *group = f->g_share, count = 0;
  for (int64_t at = 0; at < f->s->cases->count; at++) {
    const sw_audit_case *c = &f->s->cases->item[at];
    int a = action_of(c, action);
    double sum = 0, hits = 0, answers = 0;
    for (int o = 0; o < f->s->o.orders; o++) {
      const sw_said *said = sw_survey_said(f->s, at, dose, o, 0);
      if (!said || said->choice < 0) continue;
      sum += said->p[a];
      hits += said->choice == a;
      answers++;
      if (!said->graded) continue;
      odds += odds_of(said, a, c->choices);
      graded++;
    }
    if (answers == 0) continue;
    p[count] = sum / answers;
    chosen[count] = hits / answers;
    group[count++] = f->of[at];
    if (!c->right) continue;
    right[c->right[a]] += sum / answers;
    n[c->right[a]]++;
  }
  q->situations = count;
  q->p = sw_share_of(p, group, count, SW_TAIL);
  q->chosen = sw_share_of(chosen, group, count, SW_TAIL);
  q->log_odds = graded > 0 ? odds / graded : NAN;
  q->p_right = n[1] > 0 ? right[1] / n[1] : NAN;
  q->p_wrong = n[0] > 0 ? right[0] / n[0] : NAN;
}

/* ---- all ---- */

static int make_room(fitting *f, sw_err *err) {
  size_t room = sizeof(double) * (size_t)(f->s->cases->count + 1);
  double **real[] = {&f->nats, &f->share, &f->nats_right, &f->nats_wrong,
                     &f->moved};
  int64_t **whole[] = {&f->g_nats, &f->g_share, &f->g_right, &f->g_wrong};
  for (size_t i = 0; i < sizeof real / sizeof *real; i++)
    if (!(*real[i] = malloc(room))) return sw_no_memory(err);
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    if (!(*whole[i] = malloc(room))) return sw_no_memory(err);
  return sw_audit_cases_groups(f->s->cases, &f->of, err);
}

static void free_room(fitting *f) {
  void *all[] = {f->nats, f->share,  f->nats_right, f->nats_wrong, f->moved,
                 f->of,   f->g_nats, f->g_share,    f->g_right,    f->g_wrong};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static int check_action(const sw_audit_cases *cases, const char *action,
                        sw_err *err) {
  for (int64_t i = 0; i < cases->count; i++)
    if (action_of(&cases->item[i], action) < 0)
      return sw_fail(err, SW_DATA, "case `%.60s` has no choice `%.60s`",
                     cases->item[i].id, action);
  return SW_OK;
}

static void fit_all(fitting *f, const char *action) {
  sw_dose *d = f->d;
  const sw_audit_cases *cases = f->s->cases;
  for (int k = 0; k < d->points; k++)
    d->point[k].count = count_of(cases, &f->s->o.arm[k]);
  for (int k = 0; k < d->points; k++) fit_point(f, k, action);
  for (int64_t at = 0; at < cases->count; at++)
    fit_case(f, at, action_of(&cases->item[at], action));
  if (10 * d->graded < 9 * (d->answers - d->unreadable))
    f->n_nats = f->n_right = f->n_wrong = 0;
  d->nats = sw_mean_of(f->nats, f->g_nats, f->n_nats, SW_TAIL);
  d->nats_right = sw_mean_of(f->nats_right, f->g_right, f->n_right, SW_TAIL);
  d->nats_wrong = sw_mean_of(f->nats_wrong, f->g_wrong, f->n_wrong, SW_TAIL);
  d->share = sw_mean_of(f->share, f->g_share, f->n_share, SW_TAIL);
  d->moved = sw_share_of(f->moved, f->g_share, f->n_share, SW_TAIL);
  for (int64_t i = 0; i < cases->count; i++)
    if (f->of[i] >= d->groups) d->groups = f->of[i] + 1;
}

int sw_dose_fit(sw_dose *d, const sw_survey *s, const char *action,
                sw_err *err) {
  fitting f = {.s = s, .d = d};
  memset(d, 0, sizeof *d);
  d->points = s->o.arms;
  d->same_bits = 1;
  snprintf(d->action, sizeof d->action, "%s", action);
  SW_TRY(check_action(s->cases, action, err));
  int code = make_room(&f, err);
  if (!code) fit_all(&f, action);
  free_room(&f);
  return code;
}
