/* The list of results: a store whose rows never come to an end holds up neither
 * the answer nor, with it, the end of the server; others are listed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../tiny_run.h"
#include "base/clock.h"
#include "base/file.h"
#include "serve/serve.h"

static char *directory;

static void make_store(const char *folder, const char *outcomes) {
  char path[1200];
  sqlite3 *db;
  sw_err err;
  snprintf(path, sizeof path, "%s/%s", directory, folder);
  assert_int_equal(sw_make_dirs(path, &err), SW_OK);
  strncat(path, "/results.db", sizeof path - strlen(path) - 1);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(
      sqlite3_exec(db,
                   "CREATE TABLE conditions (id, domain, policy, protocol,"
                   " loop, format, n);"
                   "INSERT INTO conditions VALUES (1, 'sat', 'who', 'rebuilt',"
                   " 'open', 'evidence', 5)",
                   NULL, NULL, NULL),
      SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, outcomes, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
}

static void endless_store(void **state) {
  (void)state;
  sw_server server = {0};
  sw_request request = {.path = "", .rest = "", .body = ""};
  sw_reply reply = {.status = 500};
  make_store("a",
             "CREATE VIEW outcomes AS WITH RECURSIVE r(i) AS (SELECT 0"
             " UNION ALL SELECT i + 1 FROM r) SELECT 1 AS condition,"
             " 1 AS solved, i AS decisions FROM r");
  make_store("b",
             "CREATE TABLE outcomes (condition, solved, decisions);"
             "INSERT INTO outcomes VALUES (1, 1, 7)");
  snprintf(server.directory, sizeof server.directory, "%s", directory);
  double began = sw_now();
  sw_serve_results(&server, &request, &reply);
  assert_true(sw_now() - began < 30);
  assert_int_equal(reply.status, 200);
  assert_non_null(strstr(reply.body, "b/results.db"));
  free(reply.body);
}

static int set_up(void **state) {
  (void)state;
  directory = tiny_run_directory();
  return directory ? 0 : -1;
}
static int tear_down(void **state) {
  (void)state;
  tiny_run_remove(directory);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(endless_store)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
