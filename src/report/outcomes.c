/* Outcomes of the closed loop, from a results.db, read-only. Conditions of
 * weights that are no longer there (an earlier training into the same
 * directory) are counted and passed over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/stop.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/store_error.h"
#include "report/report_data.h"

static int failed(sqlite3 *db, const char *path, const char *what,
                  sw_err *err) {
  int code = sw_fail_store(err, db, path, what);
  return code == SW_DATA
             ? sw_hint(err,
                       "is it a store of `statewise eval` or `quickstart`?")
             : code;
}

static void text_of(sqlite3_stmt *s, int column, char *out, size_t room) {
  const unsigned char *text = sqlite3_column_text(s, column);
  snprintf(out, room, "%s", text ? (const char *)text : "");
}

/* Index of the model with these weights; -1: a rule, -2: not here. */
static int model_of(const sw_report_data *d, const char *hash) {
  if (!*hash) return -1;
  for (int i = 0; i < d->models; i++)
    if (!strcmp(d->model[i].hash, hash)) return i;
  return -2;
}

static int load_conditions(sw_report_data *d, sqlite3 *db, const char *path,
                           sw_err *err) {
  static const char sql[] =
      "SELECT id, policy, model_hash, protocol, loop, on_error, format, split,"
      " n, seed, max_decisions, max_tokens FROM conditions ORDER BY id";
  sqlite3_stmt *s;
  int step, starved = 0;
  if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
    return failed(db, path, "cannot read the conditions", err);
  while ((step = sqlite3_step(s)) == SQLITE_ROW) {
    char hash[24];
    if (!sw_grow(&d->condition, &d->condition_room, d->conditions + 1,
                 sizeof *d->condition)) {
      sqlite3_finalize(s);
      return sw_no_memory(err);
    }
    sw_report_condition *c = &d->condition[d->conditions];
    memset(c, 0, sizeof *c);
    text_of(s, 2, hash, sizeof hash);
    c->model = model_of(d, hash);
    if (c->model < -1) {
      d->other_weights++;
      continue;
    }
    c->id = sqlite3_column_int64(s, 0);
    text_of(s, 1, c->policy, sizeof c->policy);
    text_of(s, 3, c->protocol, sizeof c->protocol);
    text_of(s, 4, c->loop, sizeof c->loop);
    text_of(s, 5, c->on_error, sizeof c->on_error);
    text_of(s, 6, c->format, sizeof c->format);
    text_of(s, 7, c->split, sizeof c->split);
    c->n = sqlite3_column_int64(s, 8);
    c->seed = sqlite3_column_int64(s, 9);
    c->max_decisions = sqlite3_column_int64(s, 10);
    c->max_tokens = sqlite3_column_int64(s, 11);
    d->conditions++;
    if ((starved = sw_store_starved(db))) break;
  }
  sqlite3_finalize(s);
  if (starved) return sw_no_memory(err);
  if (step != SQLITE_DONE)
    return failed(db, path, "cannot read the conditions", err);
  return SW_OK;
}

static int add_outcome(sw_report_condition *c, sqlite3_stmt *s) {
  if (!sw_grow(&c->outcome, &c->room, c->count + 1, sizeof *c->outcome))
    return 0;
  sw_outcome *o = &c->outcome[c->count++];
  char hash[24];
  int at = 0;
  memset(o, 0, sizeof *o);
  o->instance = sqlite3_column_int64(s, at++);
  text_of(s, at++, hash, sizeof hash);
  o->instance_hash = strtoull(hash, NULL, 16);
  o->solved = sqlite3_column_int(s, at++) != 0;
  text_of(s, at++, o->reason, sizeof o->reason);
#define X(name, since, text) o->name = sqlite3_column_int64(s, at++);
  SW_OUTCOME_COUNTERS(X)
#undef X
  o->seconds = sqlite3_column_double(s, at);
  return 1;
}

#define X(name, since, text) ", " #name
static const char select_outcomes[] =
    "SELECT instance, instance_hash, solved, reason" SW_OUTCOME_COUNTERS(
        X) ", seconds FROM outcomes WHERE condition = ? ORDER BY instance";
#undef X

static int load_condition(sw_report_condition *c, sqlite3 *db, const char *path,
                          sw_err *err) {
  sqlite3_stmt *s;
  int step = SQLITE_DONE, memory = 1;
  if (sqlite3_prepare_v2(db, select_outcomes, -1, &s, NULL) != SQLITE_OK)
    return failed(db, path, "cannot read the outcomes", err);
  sqlite3_bind_int64(s, 1, c->id);
  while (memory && (step = sqlite3_step(s)) == SQLITE_ROW)
    memory = add_outcome(c, s) && !sw_store_starved(db);
  sqlite3_finalize(s);
  if (!memory) return sw_no_memory(err);
  if (step != SQLITE_DONE)
    return failed(db, path, "cannot read the outcomes", err);
  sw_summarize(c->outcome, c->count, &c->summary);
  return SW_OK;
}

/* Conditions without a row (an evaluation stopped at once) say nothing. */
static void drop_empty(sw_report_data *d) {
  int kept = 0;
  for (int i = 0; i < d->conditions; i++)
    if (d->condition[i].count) d->condition[kept++] = d->condition[i];
    else free(d->condition[i].outcome);
  d->conditions = kept;
}

/* A view in the file may never end. */
static int stopping(void *unused) {
  (void)unused;
  return sw_time_to_stop();
}

int sw_report_load_outcomes(sw_report_data *d, const char *path, sw_err *err) {
  sqlite3 *db = NULL;
  if (!sw_path_exists(path)) return SW_OK;
  int code = SW_OK;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
    code = failed(db, path, "cannot open it", err);
  if (db) {
    sqlite3_busy_timeout(db, 10000);
    sqlite3_progress_handler(db, 10000, stopping, NULL);
  }
  if (!code) code = load_conditions(d, db, path, err);
  for (int i = 0; i < d->conditions && !code; i++)
    code = load_condition(&d->condition[i], db, path, err);
  sqlite3_close(db);
  if (!code) drop_empty(d);
  return code;
}
