/* Outcomes in SQLite: one row an instance and condition (docs/results.md).
 * Rows are inserted in transactions; a row is never written twice, so an
 * evaluation that was killed goes on where its last commit was. */
#ifndef SW_SEARCH_RESULTS_H
#define SW_SEARCH_RESULTS_H
#include "search/evaluate.h"

typedef struct sw_results sw_results;
int sw_results_open(sw_results **results, const char *path, sw_err *err);
void sw_results_close(sw_results *results); /* commits */

typedef struct sw_result_key {
  const char *domain, *policy, *model_hash, *format, *protocol, *loop,
      *on_error, *mask, *positions, *options, *split; /* options: JSON */
  int64_t n, seed, train_seed, max_decisions, max_tokens;
} sw_result_key;
/* The id of the condition, created when new. */
int sw_results_condition(sw_results *results, const sw_result_key *key,
                         int64_t *id, sw_err *err);
/* 1 when the row exists and was read into *outcome. */
int sw_results_known(sw_results *results, int64_t condition, int64_t instance,
                     sw_outcome *outcome);
/* Inserts a row; commits at least every second. */
int sw_results_add(sw_results *results, int64_t condition,
                   const sw_outcome *outcome, sw_err *err);
int sw_results_commit(sw_results *results, sw_err *err);
/* Commits when the open transaction is a second old: called where time passes
 * between outcomes, so that no other writer waits long. */
int sw_results_tick(sw_results *results, sw_err *err);

#endif
