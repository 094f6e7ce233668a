/* The verdict and its words (see judge.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "audit/judge_inside.h"
#include "base/text.h"

enum { FEW_CASES = 20 };
#define TOO_MANY_UNREADABLE 0.1
#define ALWAYS_THE_SAME 0.97
#define HARDLY 0.05

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

/* Two histories that reached one situation; else those of other cases. */
static const sw_contrast *primary_of(const sw_survey *s, const sw_measured *m) {
  const sw_contrast *k = against_own(s, m, SW_ARM_HISTORY);
  return k && k->cases ? k : against_own(s, m, SW_ARM_OTHER);
}

/* ---- the finding ---- */

static int surely_changes(const sw_contrast *k, int graded) {
  return k && k->cases && ((graded && k->shift.low > 0) || k->flips.low > 0);
}

/* What clearing does to right answers: -1 surely fewer, 1 surely more. */
static int clearing(const sw_contrast *none) {
  if (!none || none->known < 2) return 0;
  return none->gain.high < 0 ? -1 : none->gain.low > 0;
}

/* Examples serve as well as the history: they surely lift what clearing cost,
 * and are not surely below the history. */
static int examples_do(const sw_survey *s, const sw_measured *m) {
  int none = arm_of(s, SW_ARM_NONE), demo = arm_of(s, SW_ARM_DEMO);
  const sw_contrast *lift =
      none > 0 && demo > 0 ? sw_contrast_find(m, none, demo) : NULL;
  const sw_contrast *own = demo > 0 ? sw_contrast_find(m, 0, demo) : NULL;
  return lift && own && lift->gain.low > 0 && !(own->gain.high < 0);
}

static sw_found find(const sw_conclusion *v, const sw_survey *s,
                     const sw_measured *m) {
  const sw_gate *g = &v->gate;
  const sw_contrast *k = v->primary;
  int effect = clearing(against_own(s, m, SW_ARM_NONE));
  if (g->unreadable > TOO_MANY_UNREADABLE) return SW_FOUND_UNREADABLE;
  if (s->cases->count < FEW_CASES) return SW_FOUND_TOO_FEW;
  if (g->same >= ALWAYS_THE_SAME) return SW_FOUND_ONE_ANSWER;
  if (g->known && !g->beats) return SW_FOUND_CANNOT;
  if (effect < 0)
    return examples_do(s, m) ? SW_FOUND_EXAMPLES : SW_FOUND_HISTORY;
  if (effect > 0) return SW_FOUND_HELPS;
  if (surely_changes(k, m->graded)) return SW_FOUND_CHANGES;
  if (!k || k->cases < FEW_CASES) return SW_FOUND_TOO_FEW;
  if (k->flips.high < HARDLY || (m->graded && k->shift.high < HARDLY))
    return SW_FOUND_SITUATION;
  return SW_FOUND_OPEN;
}

/* ---- the headline ---- */

/* How often the answer changes, the same for all findings. */
static void say_changes(const sw_conclusion *v, const sw_survey *s, char *text,
                        size_t room) {
  const sw_contrast *k = v->primary;
  text[0] = 0;
  if (!k || !k->cases) return;
  snprintf(text, room,
           "%s of %lld decisions change under %s (%.1f %% on repeat)",
           percent(&k->flips_raw).text, (long long)k->cases,
           s->o.arm[k->b].kind == SW_ARM_OTHER
               ? "the history of another case"
               : "another history that reached the same situation",
           100 * (k->repeated ? k->flips_repeat.point : 0));
}

static void say_refusal(sw_conclusion *v, const char *model, char *text,
                        size_t room) {
  const sw_gate *g = &v->gate;
  switch (v->found) {
    case SW_FOUND_UNREADABLE:
      snprintf(text, room,
               "%.1f %% of the answers of %s could not be read, so nothing can "
               "be said of its history.",
               100 * g->unreadable, model);
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

static void say_headline(sw_conclusion *v, const sw_survey *s,
                         const sw_measured *m, const char *model,
                         int sufficient) {
  static const char *const tail[] = {
      [SW_FOUND_CHANGES] = "the answer depends on the history",
      [SW_FOUND_HELPS] = "clearing the context makes more answers right",
      [SW_FOUND_HISTORY] =
          "clearing the context makes fewer answers right: it "
          "needs its history",
      [SW_FOUND_EXAMPLES] =
          "clearing the context makes fewer answers right, "
          "and balanced examples serve as well: it needs "
          "examples, not its history",
      [SW_FOUND_SITUATION] = "it decides by the situation",
      [SW_FOUND_OPEN] =
          "too little was asked to say whether the history "
          "matters"};
  char changes[300];
  say_changes(v, s, changes, sizeof changes);
  if (v->found <= SW_FOUND_CANNOT) {
    say_refusal(v, model, v->headline, sizeof v->headline);
    return;
  }
  const sw_contrast *none = against_own(s, m, SW_ARM_NONE);
  char cleared[240] = "";
  if (none && none->known > 1 && m->arm[0].prompt_tokens > 0)
    snprintf(cleared, sizeof cleared,
             " Without history: right answers %s at %.0f %% of the tokens.",
             points(&none->gain).text,
             100 * m->arm[none->b].prompt_tokens / m->arm[0].prompt_tokens);
  snprintf(v->headline, sizeof v->headline, "%s%s%s.%s",
           changes[0] ? changes : "", changes[0] ? ": " : "", tail[v->found],
           cleared);
  if (v->found == SW_FOUND_CHANGES && !sufficient && !v->gate.known)
    snprintf(v->more[0], sizeof v->more[0],
             "A change is not a fault by itself: the situation may lack what "
             "the history told. Mark situations as sufficient "
             "(--sufficient) if they hold everything.");
  else if (v->found == SW_FOUND_CHANGES)
    snprintf(v->more[0], sizeof v->more[0],
             "The situation holds all that the answer depends on, so each "
             "change is a fault.");
}

/* Pairs that make half the interval's width smaller than `aim`, at this
 * noise. */
static void say_needed(sw_conclusion *v) {
  const sw_contrast *k = v->primary;
  if (!k || v->found != SW_FOUND_OPEN || !k->cases) return;
  double half = (k->flips.high - k->flips.low) / 2;
  snprintf(v->more[1], sizeof v->more[1],
           "About %.0f cases would tell a change of 5 points from none.",
           ceil((double)k->cases * half * half / (HARDLY * HARDLY)));
}

int sw_judge(sw_conclusion *v, const sw_survey *s, const sw_measured *m,
             const char *model, int sufficient, uint64_t seed, sw_err *err) {
  memset(v, 0, sizeof *v);
  SW_TRY(sw_gate_measure(&v->gate, s, m, seed, err));
  v->primary = primary_of(s, m);
  v->found = find(v, s, m);
  say_headline(v, s, m, model, sufficient);
  say_needed(v);
  if (v->primary && m->graded && v->found > SW_FOUND_CANNOT)
    snprintf(v->more[2], sizeof v->more[2],
             "The probabilities of the answers shift by %s beyond a repeat.",
             percent(&v->primary->shift).text);
  return SW_OK;
}

/* ---- --fail-if ---- */

typedef struct condition {
  char figure[24];
  int above; /* 1: >, 0: < */
  double bound;
} condition;

static int parse(const char *text, condition *c, sw_err *err) {
  static const char *const figures[] = {"changes", "shift", "unreadable",
                                        "slope"};
  char number[40];
  size_t n = strcspn(text, " <>"), i = 0;
  const char *rest = text + n + strspn(text + n, " ");
  while (i < 4 && (strlen(figures[i]) != n || strncmp(text, figures[i], n)))
    i++;
  if (i < 4 && (*rest == '>' || *rest == '<')) {
    snprintf(c->figure, sizeof c->figure, "%s", figures[i]);
    c->above = *rest++ == '>';
    rest += strspn(rest, " ");
    snprintf(number, sizeof number, "%.38s", rest);
    size_t end = strlen(number);
    int share = end && number[end - 1] == '%';
    while (end && (number[end - 1] == '%' || number[end - 1] == ' '))
      number[--end] = 0;
    if (sw_text_is_real(number, &c->bound)) {
      if (share) c->bound /= 100;
      return SW_OK;
    }
  }
  sw_fail(err, SW_USAGE, "`%.60s` is no condition", text);
  return sw_hint(err,
                 "for example --fail-if \"changes > 5%%\"; figures are "
                 "changes, shift, unreadable and slope");
}

int sw_fail_if_check(const char *text, sw_err *err) {
  condition c;
  return parse(text, &c, err);
}

int sw_fail_if(const char *text, const sw_conclusion *v,
               const sw_interval *slope, int *fails, sw_err *err) {
  condition c;
  sw_interval figure = {NAN, NAN, NAN};
  SW_TRY(parse(text, &c, err));
  if (!strcmp(c.figure, "slope") && slope) figure = *slope;
  if (v && !strcmp(c.figure, "unreadable"))
    figure.low = figure.high = v->gate.unreadable;
  if (v && v->primary && !strcmp(c.figure, "changes"))
    figure = v->primary->flips;
  if (v && v->primary && !strcmp(c.figure, "shift")) figure = v->primary->shift;
  if (isnan(figure.low)) {
    sw_fail(err, SW_USAGE, "this audit has no figure `%s`", c.figure);
    return sw_hint(err, "slope comes with --dose, changes and shift without");
  }
  *fails = c.above ? figure.low > c.bound : figure.high < c.bound;
  return SW_OK;
}
