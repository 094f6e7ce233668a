/* Outcomes in SQLite: one row per instance and condition (docs/results.md).
 * Rows are inserted in transactions; a row is never written twice for one
 * instance, so an evaluation that was killed goes on where its last commit was.
 * The columns are those of two tables, SW_CONDITION_KEY (condition.h) and
 * SW_OUTCOME_COUNTERS (outcome.h). A store of another schema is refused and
 * left alone; a new key column or counter is a new schema. */
#ifndef SW_SEARCH_RESULTS_H
#define SW_SEARCH_RESULTS_H
#include "search/condition.h"
#include "search/outcome.h"

enum { SW_RESULTS_SCHEMA = 5 }; /* PRAGMA user_version */

typedef struct sw_results sw_results;
int sw_results_open(sw_results **results, const char *path, sw_err *err);
void sw_results_close(sw_results *results); /* commits */

/* The id of the condition, created when new. */
int sw_results_condition(sw_results *results, const sw_condition_key *key,
                         int64_t *id, sw_err *err);
/* 1 when the row exists and was read into *outcome. The caller compares its
 * hash to see whether it belongs to the instance that is asked now. */
int sw_results_known(sw_results *results, int64_t condition, int64_t instance,
                     sw_outcome *outcome);
/* The hashes to compare with, of a condition; they belong to the store. */
int sw_results_instances(sw_results *results, const sw_condition *condition,
                         const uint64_t **hash, sw_err *err);
/* Inserts a row, or puts it in the place of one of another instance; commits
 * at least every second. */
int sw_results_add(sw_results *results, int64_t condition,
                   const sw_outcome *outcome, sw_err *err);
int sw_results_commit(sw_results *results, sw_err *err);
/* Commits when the open transaction is a second old: called where time passes
 * between outcomes, so that no other writer waits long. */
int sw_results_tick(sw_results *results, sw_err *err);

#endif
