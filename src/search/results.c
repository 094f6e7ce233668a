/* The outcome store (see results.h). Column lists come from the counter table,
 * so a new counter needs no change here. */
#include "search/results.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/store_error.h"
#include "base/text.h"
#include "search/drawn_instances.h"

struct sw_results {
  sqlite3 *db;
  sqlite3_stmt *insert, *select;
  int in_transaction;
  int starved;  /* a query about columns failed */
  double began; /* the transaction */
  sw_drawn_instances drawn;
  char path[1024];
};

#define X(name, TYPE) ", " #name
static const char key_names[] = "id" SW_CONDITION_KEY(X);
#undef X
#define X(name, TYPE) ", " #name " " #TYPE " NOT NULL"
static const char key_columns[] = "id INTEGER PRIMARY KEY" SW_CONDITION_KEY(X);
#undef X

static const char outcomes_table[] =
    "CREATE TABLE IF NOT EXISTS outcomes (condition INTEGER NOT NULL"
    " REFERENCES conditions(id), instance INTEGER NOT NULL, instance_hash"
    " TEXT NOT NULL, solved INTEGER NOT NULL, reason TEXT NOT NULL"
#define X(name, since, text) ", " #name " INTEGER NOT NULL DEFAULT 0"
    SW_OUTCOME_COUNTERS(X)
#undef X
#define X(name, since, text) ", " #name " REAL NOT NULL DEFAULT 0"
        SW_OUTCOME_TIMES(X)
#undef X
            ", PRIMARY KEY (condition, instance))"
            " WITHOUT ROWID;";

static const char columns[] = "instance_hash, solved, reason"
#define X(name, since, text) ", " #name
    SW_OUTCOME_COUNTERS(X) SW_OUTCOME_TIMES(X);
#undef X

static const char marks[] = "?, ?, ?"
#define X(name, since, text) ", ?"
    SW_OUTCOME_COUNTERS(X) SW_OUTCOME_TIMES(X);
#undef X

static const char instead[] =
    "instance_hash = excluded.instance_hash, solved = excluded.solved,"
    " reason = excluded.reason"
#define X(name, since, text) ", " #name " = excluded." #name
    SW_OUTCOME_COUNTERS(X) SW_OUTCOME_TIMES(X);
#undef X

static int failed(const sw_results *r, const char *what, sw_err *err) {
  return sw_fail_store(err, r->db, r->path, what);
}

/* A file with other tables than ours belongs to another program and is left
 * alone. An empty or missing file becomes a store. */
static int check_owner(sw_results *r, sw_err *err) {
  sqlite3_stmt *s;
  int64_t ours = 0, all = 0;
  if (sqlite3_prepare_v2(r->db,
                         "SELECT count(*), coalesce(sum(name IN ('conditions',"
                         " 'outcomes')), 0) FROM sqlite_master"
                         " WHERE type IN ('table', 'view', 'trigger')",
                         -1, &s, NULL) != SQLITE_OK)
    return failed(r, "cannot read the file", err);
  int code = sqlite3_step(s);
  if (code == SQLITE_ROW) {
    all = sqlite3_column_int64(s, 0);
    ours = sqlite3_column_int64(s, 1);
  }
  sqlite3_finalize(s);
  if (code != SQLITE_ROW) return failed(r, "cannot read the file", err);
  if (all == ours) return SW_OK; /* a killed process may have made one */
  sw_fail(err, SW_DATA, "%s: is a database of something else", r->path);
  return sw_hint(err, "choose another file for the result store (--db)");
}

static int run_sql(sw_results *r, const char *sql, const char *what,
                   sw_err *err) {
  if (sqlite3_exec(r->db, sql, NULL, NULL, NULL) == SQLITE_OK) return SW_OK;
  return failed(r, what, err);
}

/* SQL that is put together: freed by sqlite3_free. */
static int run_made(sw_results *r, char *sql, const char *what, sw_err *err) {
  if (!sql) return sw_no_memory(err);
  int code = run_sql(r, sql, what, err);
  sqlite3_free(sql);
  return code;
}

static int has_column(sw_results *r, const char *table, const char *column) {
  int code = sqlite3_table_column_metadata(r->db, NULL, table, column, NULL,
                                           NULL, NULL, NULL, NULL);
  if (code != SQLITE_OK && sw_store_starved(r->db)) r->starved = 1;
  return code == SQLITE_OK;
}

static int make_conditions(sw_results *r, sw_err *err) {
  return run_made(
      r,
      sqlite3_mprintf("CREATE TABLE IF NOT EXISTS conditions (%s, UNIQUE (%s))",
                      key_columns, key_names + strlen("id, ")),
      "cannot create the tables", err);
}

static int read_version(sw_results *r, int *version, sw_err *err) {
  sqlite3_stmt *s;
  if (sqlite3_prepare_v2(r->db, "PRAGMA user_version", -1, &s, NULL) !=
      SQLITE_OK)
    return failed(r, "this is not a result store", err);
  int code = sqlite3_step(s);
  *version = sqlite3_column_int(s, 0);
  sqlite3_finalize(s);
  return code == SQLITE_ROW ? SW_OK
                            : failed(r, "this is not a result store", err);
}

static int set_up(sw_results *r, sw_err *err) {
  int version = 0;
  SW_TRY(read_version(r, &version, err));
  if (version > SW_RESULTS_SCHEMA) {
    sw_fail(err, SW_DATA, "%s: schema %d is newer than this program's %d",
            r->path, version, (int)SW_RESULTS_SCHEMA);
    return sw_hint(err, "use the newer program, or another --db");
  }
  if (has_column(r, "conditions", "id")) {
    sw_fail(err, SW_DATA, "%s: schema %d is older than this program's %d",
            r->path, version, (int)SW_RESULTS_SCHEMA);
    return sw_hint(err, "another --db, or remove the file");
  }
  if (r->starved) return sw_no_memory(err);
  SW_TRY(make_conditions(r, err));
  SW_TRY(run_sql(r, outcomes_table, "cannot create the tables", err));
  return run_made(
      r, sqlite3_mprintf("PRAGMA user_version = %d", (int)SW_RESULTS_SCHEMA),
      "cannot create the tables", err);
}

/* Everything is written or nothing, by one process at a time. */
static int make_tables(sw_results *r, sw_err *err) {
  SW_TRY(run_sql(r, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
                 "cannot create the tables", err));
  int version = 0;
  SW_TRY(read_version(r, &version, err));
  if (version == SW_RESULTS_SCHEMA) return SW_OK;
  SW_TRY(run_sql(r, "BEGIN IMMEDIATE", "cannot begin a transaction", err));
  int code = set_up(r, err);
  if (!code) return run_sql(r, "COMMIT", "cannot commit", err);
  sqlite3_exec(r->db, "ROLLBACK", NULL, NULL, NULL);
  return code;
}

static int prepare(sw_results *r, sw_err *err) {
  char sql[4096];
  SW_TRY(check_owner(r, err));
  SW_TRY(make_tables(r, err));
  snprintf(sql, sizeof sql,
           "INSERT INTO outcomes (condition, instance, %s) VALUES (?, ?, %s)"
           " ON CONFLICT (condition, instance) DO UPDATE SET %s"
           " WHERE outcomes.instance_hash <> excluded.instance_hash",
           columns, marks, instead);
  if (sqlite3_prepare_v2(r->db, sql, -1, &r->insert, NULL) != SQLITE_OK)
    return failed(r, "this file has another schema", err);
  snprintf(sql, sizeof sql,
           "SELECT %s FROM outcomes WHERE condition = ? AND instance = ?",
           columns);
  if (sqlite3_prepare_v2(r->db, sql, -1, &r->select, NULL) != SQLITE_OK)
    return failed(r, "this file has another schema", err);
  return SW_OK;
}

int sw_results_open(sw_results **results, const char *path, sw_err *err) {
  sw_results *r = calloc(1, sizeof *r);
  if (!r) return sw_no_memory(err);
  snprintf(r->path, sizeof r->path, "%s", path);
  int code = SW_OK;
  if (sqlite3_open(path, &r->db) != SQLITE_OK)
    code = failed(r, "cannot open the result store", err);
  else {
    sqlite3_busy_timeout(r->db, 10000);
    code = prepare(r, err);
  }
  if (code) {
    sw_results_close(r);
    return code;
  }
  *results = r;
  return SW_OK;
}

void sw_results_close(sw_results *results) {
  if (!results) return;
  if (results->in_transaction) (void)sw_results_commit(results, NULL);
  sqlite3_finalize(results->insert);
  sqlite3_finalize(results->select);
  sqlite3_close(results->db);
  sw_drawn_instances_free(&results->drawn);
  free(results);
}

int sw_results_commit(sw_results *results, sw_err *err) {
  if (!results->in_transaction) return SW_OK;
  if (sqlite3_get_autocommit(results->db)) { /* SQLite gave it up */
    results->in_transaction = 0;
    sw_fail(err, SW_IO, "%s: the last outcomes were not stored", results->path);
    return sw_hint(err, "run the same command again; the others are kept");
  }
  if (sqlite3_exec(results->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
    return failed(results, "cannot commit", err);
  results->in_transaction = 0;
  return SW_OK;
}

static void bind_TEXT(sqlite3_stmt *s, int at, const char *value) {
  sqlite3_bind_text(s, at, value ? value : "", -1, SQLITE_TRANSIENT);
}
static void bind_INTEGER(sqlite3_stmt *s, int at, int64_t value) {
  sqlite3_bind_int64(s, at, value);
}

int sw_results_condition(sw_results *r, const sw_condition_key *key,
                         int64_t *id, sw_err *err) {
#define NAME(name, TYPE) ", " #name
#define MARK(name, TYPE) ", ?"
#define SAME(name, TYPE) " AND " #name " = ?"
  static const char *const sql[2] = {
      "INSERT OR IGNORE INTO conditions (id" SW_CONDITION_KEY(
          NAME) ") VALUES (NULL" SW_CONDITION_KEY(MARK) ")",
      "SELECT id FROM conditions WHERE 1" SW_CONDITION_KEY(SAME)};
#undef NAME
#undef MARK
#undef SAME
  SW_TRY(sw_results_commit(r, err));
  for (int step = 0; step < 2; step++) {
    sqlite3_stmt *s;
    int at = 0;
    if (sqlite3_prepare_v2(r->db, sql[step], -1, &s, NULL) != SQLITE_OK)
      return failed(r, "this file has another schema", err);
#define X(name, TYPE) bind_##TYPE(s, ++at, key->name);
    SW_CONDITION_KEY(X)
#undef X
    int code = sqlite3_step(s);
    if (step == 1 && code == SQLITE_ROW) *id = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    if (code != (step ? SQLITE_ROW : SQLITE_DONE))
      return failed(r, "cannot store the condition", err);
  }
  return SW_OK;
}

/* What an edited store may hold: no text at all, and numbers that no search
 * counts to (and that cannot be added up). */
static const char *text_of(sqlite3_stmt *s, int column) {
  const char *text = (const char *)sqlite3_column_text(s, column);
  return text ? text : "";
}
static int64_t count_of(sqlite3_stmt *s, int column) {
  const int64_t most = INT64_C(1) << 40;
  int64_t count = sqlite3_column_int64(s, column);
  return count < 0 ? 0 : count > most ? most : count;
}

int sw_results_known(sw_results *r, int64_t condition, int64_t instance,
                     sw_outcome *outcome) {
  SW_ASSERT(r && instance >= 0 && outcome);
  sqlite3_stmt *s = r->select;
  sqlite3_reset(s);
  sqlite3_bind_int64(s, 1, condition);
  sqlite3_bind_int64(s, 2, instance);
  if (sqlite3_step(s) != SQLITE_ROW) {
    sqlite3_reset(s);
    return 0;
  }
  int at = 0;
  memset(outcome, 0, sizeof *outcome);
  outcome->instance = instance;
  outcome->instance_hash = strtoull(text_of(s, at++), NULL, 16);
  outcome->solved = sqlite3_column_int(s, at++) != 0;
  sw_clean_text(outcome->reason, sizeof outcome->reason, text_of(s, at++));
#define X(name, since, text) outcome->name = count_of(s, at++);
  SW_OUTCOME_COUNTERS(X)
#undef X
#define X(name, since, text) outcome->name = sqlite3_column_double(s, at++);
  SW_OUTCOME_TIMES(X)
#undef X
  sqlite3_reset(s);
  return 1;
}

int sw_results_instances(sw_results *r, const sw_condition *condition,
                         const uint64_t **hash, sw_err *err) {
  SW_TRY(sw_drawn_instances_of(&r->drawn, condition, err));
  *hash = r->drawn.hash;
  return SW_OK;
}

int sw_results_add(sw_results *r, int64_t condition, const sw_outcome *outcome,
                   sw_err *err) {
  SW_ASSERT(condition >= 0);
  SW_CHECK(sw_outcome_check(outcome));
  sqlite3_stmt *s = r->insert;
  char hash[17];
  int at = 0;
  if (!r->in_transaction) {
    if (sqlite3_exec(r->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
      return failed(r, "cannot begin a transaction", err);
    r->in_transaction = 1;
    r->began = sw_now();
  }
  snprintf(hash, sizeof hash, "%016llx",
           (unsigned long long)outcome->instance_hash);
  sqlite3_reset(s);
  bind_INTEGER(s, ++at, condition);
  bind_INTEGER(s, ++at, outcome->instance);
  bind_TEXT(s, ++at, hash);
  bind_INTEGER(s, ++at, outcome->solved);
  bind_TEXT(s, ++at, outcome->reason);
#define X(name, since, text) bind_INTEGER(s, ++at, outcome->name);
  SW_OUTCOME_COUNTERS(X)
#undef X
#define X(name, since, text) sqlite3_bind_double(s, ++at, outcome->name);
  SW_OUTCOME_TIMES(X)
#undef X
  int code = sqlite3_step(s);
  sqlite3_reset(s);
  if (code != SQLITE_DONE) return failed(r, "cannot store an outcome", err);
  return sw_results_tick(r, err);
}

int sw_results_tick(sw_results *r, sw_err *err) {
  return sw_now() - r->began > 1.0 ? sw_results_commit(r, err) : SW_OK;
}
