/* What a survey comes to: every condition against the first, beyond what a
 * repeat of the same question changes, and who is right. One value a case (the
 * mean of its orders); intervals are exact and clustered by group
 * (base/exact.h).
 *
 * "Beyond repeat" is the change between two conditions minus the mean change
 * within each, where both are repeated. Its expectation is zero where nothing
 * changes and never below, whatever the noise of either side. */
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

/* Several comparisons stand on a page, so a verdict needs more than one
 * interval of 95 %: it rests on those of 99.5 %. */
#define SW_SURE_TAIL 0.0025

/* Condition b against condition a, over the cases answered under both. */
typedef struct sw_contrast {
  int a, b;
  int64_t cases, known, repeated;             /* with `right`; with a repeat */
  sw_interval shift, shift_raw, shift_repeat; /* total variation */
  sw_interval flips, flips_raw, flips_repeat; /* the choice is another */
  sw_interval gain;                           /* right under b minus under a */
  sw_interval sure_shift, sure_flips, sure_gain; /* at SW_SURE_TAIL */
  double *by_case; /* [cases of the survey] shift, NaN: not in it */
} sw_contrast;

/* The same contrast over a part of the cases. */
typedef struct sw_contrast_part {
  int64_t cases;
  sw_interval flips_raw, flips, sure_flips;
} sw_contrast_part;

typedef struct sw_prices {
  double in, cached, out; /* of a million tokens */
} sw_prices;

typedef struct sw_measured {
  sw_arm_result arm[SW_ARMS];
  sw_contrast contrast[2 * SW_ARMS];
  int arms, contrasts;
  int graded; /* most answers carry log-probabilities */
  int64_t unreadable, answers;
  double worst_unreadable; /* share that is sure under some condition */
} sw_measured;

int sw_measure(sw_measured *out, const sw_survey *survey,
               const sw_prices *prices, sw_err *err);
void sw_measured_free(sw_measured *measured);
/* The cases whose `sufficient` is that. */
int sw_measure_part(sw_contrast_part *part, const sw_survey *survey,
                    const sw_contrast *contrast, int sufficient, sw_err *err);
const sw_contrast *sw_contrast_find(const sw_measured *m, int a, int b);

#endif
