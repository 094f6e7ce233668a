/* Contrasts of conditions (see measure.h). */
#include "audit/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- two answers ---- */

/* The difference of two answers: of their probabilities, or of their choices
 * where one has no probabilities. */
static double variation(const sw_said *a, const sw_said *b, int choices) {
  double sum = 0;
  if (a->graded != b->graded) return a->choice != b->choice;
  for (int i = 0; i < choices; i++) sum += fabs(a->p[i] - b->p[i]);
  return sum / 2;
}

/* Answers to compare: both are there and readable. */
static int comparable(const sw_said *a, const sw_said *b) {
  return a && b && a->choice >= 0 && b->choice >= 0;
}

typedef struct pair_sum {
  double shift, flip;
  int count;
} pair_sum;

/* All answers of one case under a against all under b, in each order; of one
 * condition (a == b) each answer against the later ones. */
static pair_sum pair_of(const sw_survey *s, int64_t at, int a, int b) {
  pair_sum p = {0, 0, 0};
  int last = s->o.repeats;
  for (int o = 0; o < s->o.orders; o++)
    for (int r = 0; r <= last; r++)
      for (int q = a == b ? r + 1 : 0; q <= last; q++) {
        const sw_said *x = sw_survey_said(s, at, a, o, r);
        const sw_said *y = sw_survey_said(s, at, b, o, q);
        if (!comparable(x, y)) continue;
        p.shift += variation(x, y, s->cases->item[at].choices);
        p.flip += x->choice != y->choice;
        p.count++;
      }
  if (p.count) {
    p.shift /= p.count;
    p.flip /= p.count;
  }
  return p;
}

/* The change within a repeat: the mean over the repeated sides. Where neither
 * side was repeated, that of the first condition. */
static pair_sum noise_of(const sw_survey *s, int64_t at, int a, int b) {
  pair_sum x = pair_of(s, at, a, a), y = pair_of(s, at, b, b);
  if (!x.count && !y.count) return pair_of(s, at, 0, 0);
  if (!x.count || !y.count) return x.count ? x : y;
  return (pair_sum){(x.shift + y.shift) / 2, (x.flip + y.flip) / 2,
                    x.count + y.count};
}

/* Share of right answers of a case, over its readable orders; NaN: none. A
 * question that did not fit is not answered rightly. */
static double right_of(const sw_survey *s, int64_t at, int arm) {
  const sw_audit_case *c = &s->cases->item[at];
  double sum = 0;
  int count = 0;
  for (int o = 0; o < s->o.orders && c->right; o++) {
    const sw_said *x = sw_survey_said(s, at, arm, o, 0);
    if (!x || (x->choice < 0 && !x->overflow)) continue;
    sum += x->choice >= 0 && c->right[x->choice];
    count++;
  }
  return count ? sum / count : NAN;
}

/* ---- one condition ---- */

static double part_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

static void price_arm(sw_arm_result *r, const sw_prices *p) {
  double cached = r->prompt_tokens * r->cacheable;
  double in = r->prompt_tokens - cached;
  r->price =
      (in * p->in + cached * p->cached + r->answer_tokens * p->out) / 1e6;
}

static void tally_arm(const sw_survey *s, int arm, sw_arm_result *r) {
  double bytes = 0, saved = 0;
  for (int64_t i = 0; i < s->count; i++) {
    const sw_question_plan *q = &s->plan[i];
    if (q->arm != arm || q->repeat) continue;
    r->questions++;
    r->prompt_tokens += sw_survey_tokens(s, q);
    r->answer_tokens += (double)q->said.answer_tokens;
    bytes += (double)q->bytes;
    saved += (double)sw_arm_cacheable(&s->o.arm[arm], s->cases, q->at);
    if (!q->said.asked) continue;
    r->overflow += q->said.overflow;
    r->unreadable += !q->said.overflow && q->said.choice < 0;
    r->graded += q->said.graded;
  }
  r->prompt_tokens = part_of(r->prompt_tokens, (double)r->questions);
  r->answer_tokens = part_of(r->answer_tokens, (double)r->questions);
  r->cacheable = fmin(1, part_of(saved, bytes));
}

typedef struct columns {
  double *x, *y, *z, *w;
  int64_t *group, *of; /* of: groups of all cases */
} columns;

static void measure_arm(const sw_survey *s, int arm, columns *c,
                        sw_arm_result *r) {
  int64_t known = 0;
  for (int64_t at = 0; at < s->cases->count; at++) {
    double right = right_of(s, at, arm);
    r->cases +=
        s->index[((at * s->o.arms + arm) * s->o.orders) * (s->o.repeats + 1)] >=
        0;
    if (isnan(right)) continue;
    c->x[known] = right;
    c->group[known++] = c->of[at];
  }
  r->known = known;
  r->right = sw_share_of(c->x, c->group, known, SW_TAIL);
  tally_arm(s, arm, r);
}

/* ---- a contrast ---- */

static void measure_gain(const sw_survey *s, columns *c, sw_contrast *k) {
  for (int64_t at = 0; at < s->cases->count; at++) {
    double a = right_of(s, at, k->a), b = right_of(s, at, k->b);
    if (isnan(a) || isnan(b)) continue;
    c->x[k->known] = b;
    c->y[k->known] = a;
    c->group[k->known++] = c->of[at];
  }
  k->gain = sw_share_difference(c->x, c->y, c->group, k->known, SW_TAIL);
  k->sure_gain =
      sw_share_difference(c->x, c->y, c->group, k->known, SW_SURE_TAIL);
}

/* Without a repeat there is no noise to subtract. */
typedef sw_interval (*difference)(const double *x, const double *y,
                                  const int64_t *group, int64_t count,
                                  double tail);
static sw_interval beyond(const columns *c, const sw_contrast *k,
                          const double *x, const double *y, difference of,
                          double tail) {
  return k->repeated == k->cases ? of(x, y, c->group, k->cases, tail)
                                 : sw_share_of(x, c->group, k->cases, tail);
}

/* `only`: the cases whose mark it is; NULL: all. */
static void fill_columns(const sw_survey *s, columns *c, sw_contrast *k,
                         const int *only) {
  for (int64_t at = 0; at < s->cases->count; at++) {
    k->by_case[at] = NAN;
    if (only && s->cases->item[at].sufficient != *only) continue;
    pair_sum pair = pair_of(s, at, k->a, k->b);
    pair_sum again = noise_of(s, at, k->a, k->b);
    k->by_case[at] = pair.count ? pair.shift : NAN;
    if (!pair.count || (s->o.repeats && !again.count)) continue;
    c->x[k->cases] = pair.shift;
    c->y[k->cases] = again.shift;
    c->z[k->cases] = pair.flip;
    c->w[k->cases] = again.flip;
    c->group[k->cases++] = c->of[at];
    k->repeated += again.count > 0;
  }
}

static int measure_contrast(const sw_survey *s, columns *c, sw_contrast *k,
                            sw_err *err) {
  k->by_case = malloc(sizeof *k->by_case * (size_t)(s->cases->count + 1));
  if (!k->by_case) return sw_no_memory(err);
  fill_columns(s, c, k, NULL);
  k->shift_raw = sw_share_of(c->x, c->group, k->cases, SW_TAIL);
  k->shift_repeat = sw_share_of(c->y, c->group, k->repeated, SW_TAIL);
  k->flips_raw = sw_share_of(c->z, c->group, k->cases, SW_TAIL);
  k->flips_repeat = sw_share_of(c->w, c->group, k->repeated, SW_TAIL);
  k->shift = beyond(c, k, c->x, c->y, sw_excess_of, SW_TAIL);
  k->sure_shift = beyond(c, k, c->x, c->y, sw_excess_of, SW_SURE_TAIL);
  k->flips = beyond(c, k, c->z, c->w, sw_share_difference, SW_TAIL);
  k->sure_flips = beyond(c, k, c->z, c->w, sw_share_difference, SW_SURE_TAIL);
  measure_gain(s, c, k);
  return SW_OK;
}

static int add_contrast(const sw_survey *s, columns *c, sw_measured *m, int a,
                        int b, sw_err *err) {
  sw_contrast *k = &m->contrast[m->contrasts++];
  k->a = a;
  k->b = b;
  return measure_contrast(s, c, k, err);
}

/* ---- all ---- */

static int make_columns(const sw_survey *s, columns *c, sw_err *err) {
  size_t room = sizeof(double) * (size_t)(s->cases->count + 1);
  c->x = malloc(room);
  c->y = malloc(room);
  c->z = malloc(room);
  c->w = malloc(room);
  c->group = malloc(room);
  if (!c->x || !c->y || !c->z || !c->w || !c->group) return sw_no_memory(err);
  return sw_audit_cases_groups(s->cases, &c->of, err);
}

static void free_columns(columns *c) {
  free(c->x);
  free(c->y);
  free(c->z);
  free(c->w);
  free(c->group);
  free(c->of);
}

static int kind_at(const sw_survey *s, sw_arm_kind kind) {
  for (int i = 0; i < s->o.arms; i++)
    if (s->o.arm[i].kind == kind) return i;
  return -1;
}

int sw_measure(sw_measured *m, const sw_survey *s, const sw_prices *prices,
               sw_err *err) {
  columns c = {0};
  int64_t graded = 0;
  memset(m, 0, sizeof *m);
  m->arms = s->o.arms;
  int code = make_columns(s, &c, err);
  for (int i = 0; i < m->arms && !code; i++) {
    measure_arm(s, i, &c, &m->arm[i]);
    price_arm(&m->arm[i], prices);
    m->unreadable += m->arm[i].unreadable;
    m->answers += m->arm[i].questions - m->arm[i].overflow;
    graded += m->arm[i].graded;
    double sure = sw_exact_share((double)m->arm[i].unreadable,
                                 (double)m->arm[i].questions, SW_TAIL)
                      .low;
    m->worst_unreadable = fmax(m->worst_unreadable, sure);
  }
  m->graded = 2 * graded > m->answers;
  for (int i = 1; i < m->arms && !code; i++)
    code = add_contrast(s, &c, m, 0, i, err);
  int none = kind_at(s, SW_ARM_NONE), demo = kind_at(s, SW_ARM_DEMO);
  if (!code && none > 0 && demo > 0)
    code = add_contrast(s, &c, m, none, demo, err);
  free_columns(&c);
  return code;
}

int sw_measure_part(sw_contrast_part *part, const sw_survey *s,
                    const sw_contrast *of, int sufficient, sw_err *err) {
  columns c = {0};
  sw_contrast k = {.a = of->a, .b = of->b};
  memset(part, 0, sizeof *part);
  k.by_case = malloc(sizeof *k.by_case * (size_t)(s->cases->count + 1));
  int code = k.by_case ? make_columns(s, &c, err) : sw_no_memory(err);
  if (!code) {
    fill_columns(s, &c, &k, &sufficient);
    part->cases = k.cases;
    part->flips_raw = sw_share_of(c.z, c.group, k.cases, SW_TAIL);
    part->flips = beyond(&c, &k, c.z, c.w, sw_share_difference, SW_TAIL);
    part->sure_flips =
        beyond(&c, &k, c.z, c.w, sw_share_difference, SW_SURE_TAIL);
  }
  free(k.by_case);
  free_columns(&c);
  return code;
}

const sw_contrast *sw_contrast_find(const sw_measured *m, int a, int b) {
  for (int i = 0; i < m->contrasts; i++)
    if (m->contrast[i].a == a && m->contrast[i].b == b) return &m->contrast[i];
  return NULL;
}

void sw_measured_free(sw_measured *m) {
  for (int i = 0; i < m->contrasts; i++) free(m->contrast[i].by_case);
  memset(m, 0, sizeof *m);
}
