/* What a survey comes to: every condition against the first, beyond what a
 * repeat of the same question changes, and who is right. One value a case (the
 * mean of its orders); intervals are exact and clustered by group
 * (base/exact.h). */
#ifndef SW_AUDIT_MEASURE_H
#define SW_AUDIT_MEASURE_H
#include "audit/survey.h"
#include "base/exact.h"

/* A condition by itself. */
typedef struct sw_arm_result {
  int64_t cases, questions, unreadable, overflow, graded, known;
  sw_interval right;    /* of the readable answers where it is known */
  double prompt_tokens; /* a question, mean */
  double cacheable;     /* share of them that a prefix cache saves */
  double answer_tokens, price;
} sw_arm_result;

/* Condition b against condition a, over the cases answered under both. */
typedef struct sw_contrast {
  int a, b;
  int64_t cases, known, repeated;             /* with `right`; with a repeat */
  sw_interval shift, shift_raw, shift_repeat; /* total variation */
  sw_interval flips, flips_raw, flips_repeat; /* the choice is another */
  sw_interval gain;                           /* right under b minus under a */
  double *by_case; /* [cases of the survey] shift, NaN: not in it */
} sw_contrast;

typedef struct sw_prices {
  double in, cached, out; /* of a million tokens */
} sw_prices;

typedef struct sw_measured {
  sw_arm_result arm[SW_ARMS];
  sw_contrast contrast[2 * SW_ARMS];
  int arms, contrasts;
  int graded; /* most answers carry log-probabilities */
  int64_t unreadable, answers;
} sw_measured;

int sw_measure(sw_measured *out, const sw_survey *survey,
               const sw_prices *prices, sw_err *err);
void sw_measured_free(sw_measured *measured);
const sw_contrast *sw_contrast_find(const sw_measured *m, int a, int b);

#endif
