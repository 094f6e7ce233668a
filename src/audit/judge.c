/* The verdict and its words (see judge.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "audit/judge_inside.h"

enum { FEW_CASES = 20 };
#define TOO_MANY_UNREADABLE 0.1
#define ALWAYS_THE_SAME 0.97
#define HARDLY 0.05 /* a change that is too small to matter */
#define BARELY 0.01 /* a real shift that is too small to matter */
#define DRAWN 0.02  /* from this share of changes on repeat on: drawn */

const char *const sw_found_names[] = {
#define X(id, name) name,
    SW_FINDINGS(X)
#undef X
};

/* ---- pieces of sentences ---- */

typedef struct words {
  char text[80];
} words;

static words percent(const sw_interval *i) {
  words w;
  snprintf(w.text, sizeof w.text, "%.1f %% [%.1f, %.1f]", 100 * i->point,
           100 * i->low, 100 * i->high);
  return w;
}

static words points(const sw_interval *i) {
  words w;
  snprintf(w.text, sizeof w.text, "%+.1f points [%+.1f, %+.1f]", 100 * i->point,
           100 * i->low, 100 * i->high);
  return w;
}

static int arm_of(const sw_survey *s, sw_arm_kind kind) {
  for (int i = 1; i < s->o.arms; i++)
    if (s->o.arm[i].kind == kind) return i;
  return -1;
}

static const sw_contrast *against_own(const sw_survey *s, const sw_measured *m,
                                      sw_arm_kind kind) {
  int arm = arm_of(s, kind);
  return arm > 0 ? sw_contrast_find(m, 0, arm) : NULL;
}

/* ---- the finding ---- */

/* Does clearing change the number of right answers? -1: surely fewer, 1: surely
 * more. */
static int clearing(const sw_contrast *none) {
  if (!none || none->known < 2) return 0;
  return none->sure_gain.high < 0 ? -1 : none->sure_gain.low > 0;
}

/* Examples serve as well as the history: they surely lift what clearing cost,
 * and are not surely below the history. */
static int examples_do(const sw_survey *s, const sw_measured *m) {
  int none = arm_of(s, SW_ARM_NONE), demo = arm_of(s, SW_ARM_DEMO);
  const sw_contrast *lift =
      none > 0 && demo > 0 ? sw_contrast_find(m, none, demo) : NULL;
  const sw_contrast *own = demo > 0 ? sw_contrast_find(m, 0, demo) : NULL;
  return lift && own && lift->sure_gain.low > 0 && !(own->gain.high < 0);
}

static int surely_flips(const sw_contrast *k) {
  return k && k->cases && k->sure_flips.low > 0;
}

static int surely_shifts(const sw_contrast *k, int graded) {
  return k && k->cases && graded && k->sure_shift.low > BARELY;
}

/* A change under any condition but examples, which are meant to change. */
static const sw_contrast *other_change(const sw_conclusion *v,
                                       const sw_survey *s,
                                       const sw_measured *m) {
  for (int i = 0; i < m->contrasts; i++) {
    const sw_contrast *k = &m->contrast[i];
    if (k->a || k == v->primary || s->o.arm[k->b].kind == SW_ARM_DEMO) continue;
    if (surely_flips(k) || surely_shifts(k, m->graded)) return k;
  }
  return NULL;
}

/* The largest mean shift of the probabilities that is not excluded. Where
 * answers are drawn and no probabilities are given, two conditions differ by
 * the sum of (p - q)^2 / 2 more often than repeats do, and the total variation
 * is at most the root of that times half the number of choices. */
static double largest_shift(const sw_survey *s, const sw_contrast *k,
                            int graded) {
  int choices = 2;
  const sw_interval *i = graded ? &k->shift : &k->flips;
  /* An estimate below zero is chance: there is nothing below no change. */
  double high = fmax(i->point, 0) + i->high - i->point;
  if (graded || !k->repeated || k->flips_repeat.point < DRAWN) return high;
  for (int64_t at = 0; at < s->cases->count; at++)
    if (s->cases->item[at].choices > choices)
      choices = s->cases->item[at].choices;
  return fmin(1, sqrt(high * choices / 2));
}

static sw_found find(const sw_conclusion *v, const sw_survey *s,
                     const sw_measured *m) {
  const sw_gate *g = &v->gate;
  const sw_contrast *k = v->primary;
  int effect = clearing(against_own(s, m, SW_ARM_NONE));
  if (g->unreadable > TOO_MANY_UNREADABLE ||
      g->worst_unreadable > TOO_MANY_UNREADABLE)
    return SW_FOUND_UNREADABLE;
  if (s->cases->count < FEW_CASES) return SW_FOUND_TOO_FEW;
  if (g->same >= ALWAYS_THE_SAME) return SW_FOUND_ONE_ANSWER;
  if (g->known && !g->beats) return SW_FOUND_CANNOT;
  if (effect < 0)
    return examples_do(s, m) ? SW_FOUND_EXAMPLES : SW_FOUND_HISTORY;
  if (effect > 0) return SW_FOUND_HELPS;
  if (surely_flips(k)) return SW_FOUND_CHANGES;
  if (surely_shifts(k, m->graded)) return SW_FOUND_SHIFTS;
  if (v->elsewhere) return SW_FOUND_ELSEWHERE;
  if (!k || k->cases < FEW_CASES) return SW_FOUND_TOO_FEW;
  return largest_shift(s, k, m->graded) < HARDLY ? SW_FOUND_SITUATION
                                                 : SW_FOUND_OPEN;
}

/* ---- the headline ---- */

typedef struct marks {
  int64_t enough, lacking, all;
} marks;

static marks marks_of(const sw_survey *s) {
  marks m = {0, 0, s->cases->count};
  for (int64_t i = 0; i < m.all; i++) {
    m.enough += s->cases->item[i].sufficient > 0;
    m.lacking += s->cases->item[i].sufficient < 0;
  }
  return m;
}

/* What the marks add to "the answer depends on the history". */
static const char *fault_tail(const sw_conclusion *v, const sw_survey *s) {
  marks m = marks_of(s);
  if (!m.enough && !m.lacking) return "";
  if (v->enough.cases && v->enough.sure_flips.low > 0)
    return ", also where the situation says enough";
  return ", though not surely where the situation says enough";
}

/* How often the answer changes, the same for all findings. */
static void say_changes(const sw_conclusion *v, const sw_survey *s, char *text,
                        size_t room) {
  const sw_contrast *k = v->primary;
  char repeat[60] = "";
  text[0] = 0;
  if (!k || !k->cases) return;
  if (k->repeated)
    snprintf(repeat, sizeof repeat, " (%.1f %% on repeat)",
             100 * k->flips_repeat.point);
  snprintf(text, room, "%s of %lld decisions change under %s%s: ",
           percent(&k->flips_raw).text, (long long)k->cases,
           s->o.arm[k->b].kind == SW_ARM_OTHER
               ? "the history of another case, of the same form"
               : "another history that reached the same situation",
           repeat);
}

static void say_refusal(sw_conclusion *v, const char *model, char *text,
                        size_t room) {
  const sw_gate *g = &v->gate;
  switch (v->found) {
    case SW_FOUND_UNREADABLE:
      snprintf(text, room,
               "%.1f %% of the answers of %s could not be read, so nothing can "
               "be said of its history.",
               100 * fmax(g->unreadable, g->worst_unreadable), model);
      return;
    case SW_FOUND_ONE_ANSWER:
      snprintf(text, room,
               "%s gives the same answer, %s, to %.1f %% of all questions, so "
               "nothing can be said of its history.",
               model, g->same_is, 100 * g->same);
      return;
    case SW_FOUND_CANNOT:
      snprintf(text, room,
               "%s cannot do this task, so nothing can be said of its history: "
               "it is right in %s, always answering %s in %.1f %%, guessing in "
               "%.1f %%.",
               model, percent(&g->right).text, g->constant_is,
               100 * g->constant, 100 * g->guess);
      return;
    default:
      snprintf(text, room,
               "Too few cases to say whether %s decides by the situation.",
               model);
  }
}

/* What the user could do: the first condition that shortens the history. */
static void say_cleared(const sw_survey *s, const sw_measured *m, char *text,
                        size_t room) {
  static const sw_arm_kind kinds[] = {SW_ARM_CLEAR, SW_ARM_LAST, SW_ARM_NONE};
  const sw_contrast *k = NULL;
  text[0] = 0;
  for (int i = 0; i < 3 && (!k || !k->cases); i++)
    k = against_own(s, m, kinds[i]);
  if (!k || !k->cases || !(m->arm[0].prompt_tokens > 0)) return;
  const sw_arm_result *own = &m->arm[0], *cleared = &m->arm[k->b];
  int priced = own->price > 0;
  double cost = priced ? cleared->price / own->price
                       : cleared->prompt_tokens / own->prompt_tokens;
  const char *of = priced ? "cost" : "tokens";
  if (k->known > 1)
    snprintf(text, room,
             " `%s` changes right answers by %s at %.0f %% of the %s.",
             s->o.arm[k->b].name, points(&k->gain).text, 100 * cost, of);
  else
    snprintf(text, room,
             " `%s` changes %s of the decisions at %.0f %% of the %s.",
             s->o.arm[k->b].name, percent(&k->flips_raw).text, 100 * cost, of);
}

static void say_tail(const sw_conclusion *v, const sw_survey *s,
                     const sw_measured *m, char *text, size_t room) {
  static const char *const tail[] = {
      [SW_FOUND_CHANGES] = "the answer depends on the history",
      [SW_FOUND_HELPS] = "clearing the context makes more answers right",
      [SW_FOUND_HISTORY] =
          "clearing the context makes fewer answers right: it "
          "needs its history",
      [SW_FOUND_EXAMPLES] =
          "clearing the context makes fewer answers right, and balanced "
          "examples make up for it: it needs examples, not its history",
      [SW_FOUND_OPEN] =
          "this is too little to say whether the history matters"};
  const sw_contrast *k = v->primary;
  switch (v->found) {
    case SW_FOUND_SHIFTS:
      snprintf(text, room,
               "the history shifts the probabilities of the answers by %s "
               "beyond a repeat, which seldom changes the answer",
               points(&k->shift).text);
      return;
    case SW_FOUND_ELSEWHERE:
      snprintf(text, room,
               "that is not sure, but the answer depends on what stands before "
               "the situation (`%s` changes %s)",
               s->o.arm[v->elsewhere->b].name,
               percent(&v->elsewhere->flips_raw).text);
      return;
    case SW_FOUND_CHANGES:
      snprintf(text, room, "%s%s", tail[v->found], fault_tail(v, s));
      return;
    case SW_FOUND_SITUATION:
      snprintf(text, room,
               "it decides by the situation: at most %.1f points of %s change "
               "beyond a repeat",
               100 * largest_shift(s, k, m->graded),
               m->graded ? "probability" : "the decisions");
      return;
    default:
      snprintf(text, room, "%s", tail[v->found]);
  }
}

static void say_headline(sw_conclusion *v, const sw_survey *s,
                         const sw_measured *m, const char *model) {
  char changes[300], tail[300], cleared[300];
  if (v->found <= SW_FOUND_CANNOT) {
    say_refusal(v, model, v->headline, sizeof v->headline);
    return;
  }
  say_changes(v, s, changes, sizeof changes);
  say_tail(v, s, m, tail, sizeof tail);
  say_cleared(s, m, cleared, sizeof cleared);
  snprintf(v->headline, sizeof v->headline, "%s%s.%s", changes, tail, cleared);
}

/* ---- what else follows ---- */

static int says_change(sw_found found) {
  return found == SW_FOUND_CHANGES || found == SW_FOUND_SHIFTS ||
         found == SW_FOUND_ELSEWHERE;
}

/* A change is a fault only where the situation holds all there is to know; a
 * right answer that is known does not say that. */
static void say_fault(sw_conclusion *v, const sw_survey *s, const char *judge) {
  marks m = marks_of(s);
  char *text = v->more[0], who[160] = "The marks say";
  size_t room = sizeof v->more[0];
  if (!says_change(v->found)) return;
  if (judge) snprintf(who, sizeof who, "The judge (%.120s) says", judge);
  if (m.enough == m.all)
    snprintf(text, room,
             "%s of all situations that they hold all that the answer depends "
             "on, so each change is a fault.",
             who);
  else if (!m.enough && !m.lacking && !judge)
    snprintf(text, room,
             "A change is not a fault by itself: the situation may lack what "
             "the history told. --sufficient takes your marks, or asks a "
             "judge.");
  else if (!m.enough || !v->enough.cases)
    snprintf(text, room,
             "%s of none of %lld situations that it holds all that the answer "
             "depends on, so a change may be right.",
             who, (long long)m.all);
  else
    snprintf(text, room,
             "%s of %lld of %lld situations that they hold all that the answer "
             "depends on. %s of these decisions change (%s beyond a repeat)%s",
             who, (long long)m.enough, (long long)m.all,
             percent(&v->enough.flips_raw).text, points(&v->enough.flips).text,
             v->enough.sure_flips.low > 0
                 ? ", and there each change is a fault."
                 : ": no sure fault. Other changes may be right, because those "
                   "situations may lack what the history told.");
}

double sw_cases_needed(double noise, double change) {
  /* 95 % and 80 % of a normal distribution; change against both repeats */
  const double z = 1.959964 + 0.841621;
  double variance = noise * (1 - noise) * 1.5;
  return ceil(z * z * variance / (change * change));
}

static void say_needed(sw_conclusion *v, const sw_survey *s,
                       const sw_measured *m) {
  const sw_contrast *k = v->primary;
  double noise = k && k->repeated ? k->flips_repeat.point : 0;
  if (!k || !k->cases || v->found <= SW_FOUND_CANNOT) return;
  if (noise >= DRAWN && !m->graded) {
    snprintf(v->more[1], sizeof v->more[1],
             "Its answers differ by themselves in %.0f %% of the repeats. To "
             "see 5 points above that takes about %.0f cases (there are %lld), "
             "and 5 points there are a shift of about %.0f: without "
             "log-probabilities a smaller one stays hidden (now: up to %.0f).",
             100 * noise, sw_cases_needed(noise, HARDLY),
             (long long)s->cases->count, 100 * sqrt(HARDLY),
             100 * largest_shift(s, k, 0));
  } else if (v->found == SW_FOUND_OPEN) {
    const sw_interval *i = m->graded ? &k->shift : &k->flips;
    double half = (i->high - i->low) / 2;
    snprintf(v->more[1], sizeof v->more[1],
             "About %.0f cases would tell a change of 5 points from none.",
             ceil((double)k->cases * half * half / (HARDLY * HARDLY)));
  }
}

static void say_rest(sw_conclusion *v, const sw_survey *s,
                     const sw_measured *m) {
  if (v->found <= SW_FOUND_CANNOT) return;
  if (v->primary && m->graded && v->found != SW_FOUND_SHIFTS)
    snprintf(v->more[2], sizeof v->more[2],
             "The probabilities of the answers shift by %s beyond a repeat.",
             points(&v->primary->shift).text);
  if (v->gate.arm)
    snprintf(v->more[3], sizeof v->more[3],
             "Under its own history it is not above a player of one answer; "
             "under `%s` it is.",
             s->o.arm[v->gate.arm].name);
  else if (v->found == SW_FOUND_HISTORY && arm_of(s, SW_ARM_DEMO) < 0)
    snprintf(v->more[3], sizeof v->more[3],
             "Balanced examples were not asked, so examples might do as well "
             "as the history (condition demo:4).");
}

int sw_judge(sw_conclusion *v, const sw_survey *s, const sw_measured *m,
             const char *model, const char *judge, sw_err *err) {
  int primary = sw_survey_primary(s->o.arm, s->o.arms);
  memset(v, 0, sizeof *v);
  SW_TRY(sw_gate_measure(&v->gate, s, m, err));
  v->primary = primary > 0 ? sw_contrast_find(m, 0, primary) : NULL;
  v->elsewhere = other_change(v, s, m);
  if (v->primary) {
    SW_TRY(sw_measure_part(&v->enough, s, v->primary, 1, err));
    SW_TRY(sw_measure_part(&v->lacking, s, v->primary, -1, err));
  }
  v->found = find(v, s, m);
  say_headline(v, s, m, model);
  say_fault(v, s, judge);
  say_needed(v, s, m);
  say_rest(v, s, m);
  return SW_OK;
}
