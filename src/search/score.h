/* A scored row: one policy under one condition, through the result store when
 * there is one (instances already stored are not played again). What `eval`,
 * `quickstart` and the report print. */
#ifndef SW_SEARCH_SCORE_H
#define SW_SEARCH_SCORE_H
#include "base/hooks.h"
#include "search/results.h"

typedef struct sw_score_row {
  char label[96], verifier[SW_VERIFIER_TEXT];
  const char *role; /* why it stands there (`floor`, ...); NULL: it was asked
                       for. The caller's. */
  int is_model;
  sw_outcome *outcomes; /* malloc'd, count = summary.n */
  sw_summary summary;
  int64_t left_out; /* problems passed over now: they were trained on */
  double seconds, decisions_per_s;
} sw_score_row;

typedef struct sw_score_hooks {
  void *context;
  sw_progress_fn progress;
  sw_stop_fn stop;
} sw_score_hooks;

/* `results` may be NULL. */
int sw_score(const sw_condition *condition, sw_results *results,
             const sw_score_hooks *hooks, sw_score_row *row, sw_err *err);
void sw_score_free(sw_score_row *row);
/* The members of the open JSON object that scripts rely on. */
void sw_score_json(const sw_score_row *row, sw_json *json);

#endif
