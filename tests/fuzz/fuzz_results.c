/* Fuzz target: a result store that somebody has edited. The input chooses the
 * tables' columns and the values in them (SQLite's own file format is tested by
 * its authors); the store must open it or refuse it, and read what is there.
 * So must the server's list of stores. */
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include "fuzz.h"
#include "search/results.h"
#include "serve/serve.h"

/* A value of any type from the input. */
static void bind_value(sqlite3_stmt *s, int at, const uint8_t **p,
                       const uint8_t *end) {
  int kind = *p < end ? *(*p)++ % 6 : 0, have = (int)(end - *p);
  int take = have < 8 ? have : 8;
  int64_t whole = 0;
  double real = 0;
  memcpy(&whole, *p, (size_t)take);
  memcpy(&real, *p, (size_t)take);
  if (kind == 0) sqlite3_bind_null(s, at);
  if (kind == 1) sqlite3_bind_int64(s, at, whole);
  if (kind == 2) sqlite3_bind_double(s, at, real);
  if (kind == 3) sqlite3_bind_blob(s, at, *p, take, SQLITE_TRANSIENT);
  if (kind >= 4)
    sqlite3_bind_text(s, at, (const char *)*p, take, SQLITE_TRANSIENT);
  *p += take;
}

static int columns_of_all; /* of a whole outcomes table */

/* 1: a column is missing; 2 to 5: another table, a view, or nothing. */
static void make_tables(sqlite3 *db, int which) {
  char sql[2048] =
      "CREATE TABLE outcomes (condition, instance, instance_hash,"
      " solved, reason";
  int columns = 5;
#define X(name, since, text)                                 \
  strcat(sql, which == 1 && columns == 7 ? "" : ", " #name); \
  columns++;
  SW_OUTCOME_COUNTERS(X)
#undef X
  strcat(sql, ", seconds)");
  columns_of_all = columns + 1;
  if (which == 2) strcpy(sql, "CREATE TABLE outcomes (a, b)");
  if (which == 3) strcpy(sql, "CREATE TABLE other (a, b)");
  if (which == 4) strcpy(sql, "CREATE VIEW outcomes AS SELECT 1 AS condition");
  if (which != 5 && sqlite3_exec(db, sql, NULL, NULL, NULL)) abort();
}

static void fill(sqlite3 *db, const uint8_t *p, const uint8_t *end) {
  sqlite3_stmt *s;
  char sql[1024] = "INSERT INTO outcomes VALUES (1, 0";
  for (int i = 2; i < columns_of_all; i++) strcat(sql, ", ?");
  strcat(sql, ")");
  if (sqlite3_prepare_v2(db, sql, -1, &s, NULL)) return;
  for (int i = 1; i <= columns_of_all - 2; i++) bind_value(s, i, &p, end);
  (void)sqlite3_step(s);
  sqlite3_finalize(s);
}

static void read_row(sw_results *results) {
  sw_condition_key key = {.domain = "sat", .policy = "p"};
  sw_outcome outcome[2];
  int64_t id;
  sw_summary summary;
  sw_err err;
  int known = sw_results_known(results, 1, 0, &outcome[0]);
  outcome[1] = outcome[0];
  if (known) {
    fuzz_touch(outcome[0].reason, strlen(outcome[0].reason));
    sw_summarize(outcome, 2, &summary);
  }
  (void)sw_results_condition(results, &key, &id, &err);
}

static sw_server server; /* offers no model; its directory holds the store */
static char store[1100];

static void clean_up(void) {
  unlink(store);
  rmdir(server.directory);
}

static void prepare(void) {
  struct stat memory;
  snprintf(server.directory, sizeof server.directory,
           "%s/statewise-fuzz-results-%d",
           stat("/dev/shm", &memory) ? "/tmp" : "/dev/shm", (int)getpid());
  mkdir(server.directory, 0700);
  snprintf(store, sizeof store, "%s/results.db", server.directory);
  atexit(clean_up);
}

/* The list of what is in the directory must be JSON, whatever the store says.
 */
static void list(void) {
  static const sw_request request = {.path = "/api/results", .rest = ""};
  sw_reply reply = {0};
  sw_serve_results(&server, &request, &reply);
  json_t *root = json_loadb(reply.body, reply.bytes, 0, NULL);
  if (reply.status != 200 || !root) abort();
  json_decref(root);
  free(reply.body);
}

/* A store that is not there yet, or is what somebody made of it. */
static void fresh_store(int which, const uint8_t *bytes, const uint8_t *end) {
  const char *name = store;
  if (!store[0]) prepare();
  unlink(store);
  sqlite3 *db;
  sw_results *results;
  sw_err err;
  if (sqlite3_open(name, &db)) abort();
  make_tables(db, which);
  fill(db, bytes, end);
  list();
  if (!sw_results_open(&results, name, &err)) {
    read_row(results);
    sw_results_close(results);
  }
  sqlite3_close(db);
}

/* A row that changes under an open store; much faster. */
static void open_store(const uint8_t *bytes, const uint8_t *end) {
  static const char name[] = "file:used?mode=memory&cache=shared";
  static sqlite3 *db;
  static sw_results *results;
  sw_err err;
  if (!db) {
    if (sqlite3_open(name, &db)) abort();
    if (sw_results_open(&results, name, &err)) abort();
    sqlite3_exec(db, "DROP TABLE outcomes", NULL, NULL, NULL);
    make_tables(db, 0); /* one that takes anything */
  }
  sqlite3_exec(db, "DELETE FROM outcomes", NULL, NULL, NULL);
  fill(db, bytes, end);
  read_row(results);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static int ready;
  if (!ready++) sqlite3_config(SQLITE_CONFIG_URI, 1);
  if (length < 1) return 0;
  if (bytes[0] & 24) open_store(bytes + 1, bytes + length);
  else fresh_store(bytes[0] % 8, bytes + 1, bytes + length);
  return 0;
}
