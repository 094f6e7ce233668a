/* The dose curve: the same situation, after histories in which k of m past
 * turns ended in one action. How much likelier does each past use of the action
 * make it? The slope is in nats: the log-odds of the action against all others,
 * a line by least squares for every situation, the mean over them with
 * Student's interval over groups. An agent that decides by the situation is
 * flat. */
#ifndef SW_AUDIT_DOSE_H
#define SW_AUDIT_DOSE_H
#include "audit/survey.h"
#include "base/exact.h"

enum { SW_DOSES = 32 };
typedef struct sw_dose_point {
  double count;            /* past turns with the action */
  int64_t situations;      /* answered */
  sw_interval p;           /* of the action */
  sw_interval chosen;      /* how often it is what is chosen */
  double log_odds;         /* mean; NaN: no log-probabilities */
  double p_right, p_wrong; /* mean p where the action is right, and wrong */
} sw_dose_point;

typedef struct sw_dose {
  char action[256];
  sw_dose_point point[SW_DOSES];
  int points;
  int64_t situations, rising; /* with a slope above zero */
  int64_t floored, answers, unreadable, groups;
  int64_t graded; /* answers with log-probabilities; a slope in nats takes nine
                     tenths of those that were read, or it would be chosen by
                     what the model said */
  int64_t taken;  /* answers that are the action */
  int same_bits;  /* every answer is the same, bit for bit, at every dose */
  sw_interval nats;  /* slope a past turn; NaN: no log-probabilities */
  sw_interval share; /* slope of p a past turn */
  sw_interval nats_right, nats_wrong; /* where the action is right, and wrong */
  sw_interval
      moved; /* share of situations whose answer changes with the dose */
} sw_dose;

/* The counts of a file's histories, ascending, as conditions. SW_DATA: fewer
 * than two. */
int sw_dose_arms(const sw_audit_cases *cases, sw_arm *arm, int *arms,
                 sw_err *err);
/* `action` is the text of a choice that every case has. */
int sw_dose_fit(sw_dose *dose, const sw_survey *survey, const char *action,
                sw_err *err);

/* Cases to ask any chat model: a small search, `turns` past turns of which
 * 0 .. turns went back, rightly; half of the situations are dead ends. Groups
 * of four situations share their histories. */
int sw_dose_story(sw_audit_cases *cases, int64_t situations, int turns,
                  uint64_t seed, sw_err *err);
#define SW_STORY_ACTION "back"

#endif
