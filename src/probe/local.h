/* What a head that reads only what the last decision touched knows about a
 * state (local_head.h), beside a plain head on the same model's vectors and
 * scores that need no head. The heads learn from the states of searches of the
 * expert, or of the expert and of the model itself, and are asked about states
 * of the model's searches on other instances. Two questions:
 *   exposed   does the state show a conflict?
 *   dead      of those that show none: can it still be completed? */
#ifndef SW_PROBE_LOCAL_H
#define SW_PROBE_LOCAL_H
#include "base/hooks.h"
#include "search/ask.h"
#include "probe/local_head.h"
#include "probe/metrics.h"
#include "search/condition.h"

enum { SW_LOCAL_SCORES = 12 };
typedef enum {
  SW_LOCAL_EXPOSED,
  SW_LOCAL_DEAD,
  SW_LOCAL_QUESTIONS
} sw_local_question;

typedef struct sw_local_row {
  sw_verdicts verdicts; /* rates and calibration: of the heads only */
  double precision;     /* at 0.5 */
  sw_interval auroc;    /* clustered by instance */
  int asked;            /* 0: the score does not answer this question */
} sw_local_row;

typedef struct sw_local_result {
  int64_t states, exposed, dead; /* asked about; dead: without a conflict */
  int64_t learned[2];            /* states of the expert, of both */
  int64_t touched;               /* items of the states asked about */
  const char *score[SW_LOCAL_SCORES]; /* names; NULL: no more */
  int heads;                          /* the first so many are heads */
  sw_local_row row[SW_LOCAL_QUESTIONS][SW_LOCAL_SCORES];
} sw_local_result;

typedef struct sw_local_task {
  const sw_condition *own, *expert; /* searches to play; verifier exact */
  sw_asker *asker;                  /* full passes */
  int32_t width;                    /* of its hidden vectors */
  int64_t learn, ask;               /* instances of each kind */
  int64_t resamples;
  sw_local_options options; /* of the heads */
} sw_local_task;

/* SW_USAGE: the domain does not say what a decision touches. */
int sw_local_compare(const sw_local_task *task, sw_progress_fn progress,
                     void *context, sw_local_result *out, sw_err *err);

#endif
