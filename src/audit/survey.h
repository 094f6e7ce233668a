/* A survey: every case under every condition, in two orders of the choices,
 * some conditions once more as their own repeat. Questions are asked several
 * at a time; nothing depends on that, and nothing is asked twice, because the
 * client keeps every answer. */
#ifndef SW_AUDIT_SURVEY_H
#define SW_AUDIT_SURVEY_H
#include "audit/answers.h"
#include "audit/arms.h"

typedef struct sw_survey_options {
  sw_manner manner;
  const sw_arm *arm;
  int arms;
  int repeats; /* further answers under the conditions marked in `repeated` */
  uint8_t repeated[SW_ARMS];
  int orders; /* 1 or 2 */
  int sample; /* 0: ask all; n: ask about n, of each condition, and count */
  int none;   /* 1: ask nothing at all */
  sw_progress_fn progress;
  sw_stop_fn stop;
  void *context;
} sw_survey_options;

/* One question of the plan. */
typedef struct sw_question_plan {
  int64_t at; /* case */
  int arm, order, repeat;
  int64_t bytes; /* of the request's messages */
  sw_said said;
} sw_question_plan;

typedef struct sw_survey {
  const sw_audit_cases *cases;
  sw_survey_options o;
  sw_question_plan *plan; /* by group, arm, case, order, repeat */
  int64_t count, asked;
  int64_t *index; /* [case][arm][order][repeat]: place in plan, -1: not asked */
  double per_byte[SW_ARMS]; /* tokens; of a dry run's estimate */
} sw_survey;

/* The condition with another history of the same situation; without it, the one
 * with histories of other cases; -1: neither. */
int sw_survey_primary(const sw_arm *arm, int arms);

int sw_survey_run(sw_survey *survey, const sw_audit_cases *cases,
                  const sw_survey_options *options, sw_client *client,
                  sw_err *err);
void sw_survey_free(sw_survey *survey);
/* NULL: not in the plan, or not asked. */
const sw_said *sw_survey_said(const sw_survey *survey, int64_t at, int arm,
                              int order, int repeat);
/* Tokens of a question: as counted, or estimated in a dry run. */
double sw_survey_tokens(const sw_survey *survey, const sw_question_plan *q);
double sw_survey_answer_tokens(const sw_survey *survey,
                               const sw_question_plan *q);

#endif
