/* The result store: conditions that differ in anything that changes an outcome
 * are told apart, and a store of another schema is refused. One that is busy or
 * full loses nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sqlite3.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "../tiny_run.h"
#include "base/file.h"
#include "play_help.h"

static char *directory;
static char path[1200];

static int set_up(void **state) {
  (void)state;
  directory = tiny_run_directory();
  snprintf(path, sizeof path, "%s/results.db", directory);
  return directory ? 0 : -1;
}
static int tear_down(void **state) {
  (void)state;
  tiny_run_remove(directory);
  return 0;
}

/* One number from the store. */
static int64_t number(const char *sql) {
  sqlite3 *db;
  sqlite3_stmt *s;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
    fail_msg("%s: %s", sql, sqlite3_errmsg(db));
  assert_int_equal(sqlite3_step(s), SQLITE_ROW);
  int64_t value = sqlite3_column_int64(s, 0);
  sqlite3_finalize(s);
  sqlite3_close(db);
  return value;
}

static void open_and_close(int code) {
  sw_err err = {0};
  sw_results *r = NULL;
  assert_int_equal(sw_results_open(&r, path, &err), code);
  sw_results_close(r);
}

/* A store of another schema, older or newer, is refused and stays as it is. */
static void a_store_of_another_schema_is_refused(void **state) {
  (void)state;
  static const int schema[] = {0, SW_RESULTS_SCHEMA - 1, SW_RESULTS_SCHEMA + 1};
  open_and_close(SW_OK);
  for (int i = 0; i < 3; i++) {
    char sql[64];
    sqlite3 *db;
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d", schema[i]);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    open_and_close(SW_DATA);
    assert_int_equal(number("PRAGMA user_version"), schema[i]);
  }
}

static void what_is_no_store_is_refused(void **state) {
  (void)state;
  sw_err err = {0};
  assert_int_equal(
      sw_write_file(path, "not a database, but long enough", 31, &err), SW_OK);
  open_and_close(SW_DATA);
}

/* Each changes one thing that may change an outcome. */
static void base(sw_condition_options *o) { (void)o; }
static void shared(sw_condition_options *o) { o->shared_draws = 1; }
static void never(sw_condition_options *o) { o->verifier = "never"; }
static void masked(sw_condition_options *o) { o->loop = "masked"; }
static void noise(sw_condition_options *o) { o->verifier = "noise:.1,0:exact"; }
static void drawn(sw_condition_options *o) { o->variables = 1; }
static void expert(sw_condition_options *o) { o->variables = 2; }
static void layout(sw_condition_options *o) { o->release_layout = 1; }
static void rescue(sw_condition_options *o) { o->on_error = 1; }
static void whole(sw_condition_options *o) { o->protocol = SW_CUMULATIVE; }
static void fewer(sw_condition_options *o) { o->max_decisions = 3; }
static void shorter(sw_condition_options *o) { o->max_tokens = 999; }
static void valid(sw_condition_options *o) { o->split = SW_SPLIT_VALID; }
static void seeded(sw_condition_options *o) { o->seed = 7; }
/* ... and these change none. */
static void wider(sw_condition_options *o) { o->width = 9; }
static void more(sw_condition_options *o) { o->instances = 9; }
static void open_loop(sw_condition_options *o) { o->loop = "open"; }

static void whatever_changes_an_outcome_is_in_the_key(void **state) {
  (void)state;
  static void (*const change[])(sw_condition_options *) = {
      base,  shared, never,   masked, noise,  drawn, expert, layout,   rescue,
      whole, fewer,  shorter, valid,  seeded, wider, more,   open_loop};
  enum { ALL = sizeof change / sizeof *change, SAME = 3 };
  sw_err err = {0};
  sw_results *r;
  int64_t id[ALL];
  assert_int_equal(sw_results_open(&r, path, &err), SW_OK);
  for (int i = 0; i < ALL; i++) {
    bed b;
    sw_condition_key key;
    bed_open(&b, "sat", "random+copy", 20);
    change[i](&b.options);
    bed_make(&b);
    assert_int_equal(sw_condition_key_of(&b.condition, &key, &err), SW_OK);
    assert_int_equal(sw_results_condition(r, &key, &id[i], &err), SW_OK);
    sw_condition_key_free(&key);
    bed_close(&b);
    for (int k = 0; k < i; k++) {
      int same = i >= ALL - SAME && (k == 0 || k >= ALL - SAME);
      if ((id[i] == id[k]) != same) fail_msg("conditions %d and %d", k, i);
    }
  }
  sw_results_close(r);
}

static void score(bed *b, sw_results *r, sw_outcome out[24]) {
  sw_score_row row;
  sw_err err = {0};
  if (sw_score(&b->condition, r, NULL, &row, &err)) fail_msg("%s", err.text);
  memcpy(out, row.outcomes, sizeof *out * 24);
  sw_score_free(&row);
}

/* A row whose instance is not the one asked is played anew and replaced. */
static void a_row_of_another_instance_does_not_count(void **state) {
  (void)state;
  sw_err err = {0};
  sw_results *r;
  bed b;
  sw_outcome first[24], again[24];
  bed_open(&b, "sat", "random+copy", 20);
  bed_make(&b);
  assert_int_equal(sw_results_open(&r, path, &err), SW_OK);
  score(&b, r, first);
  sw_results_close(r);
  (void)number(
      "UPDATE outcomes SET solved = 1 - solved, decisions = 77777"
      " WHERE instance < 2 RETURNING 1");
  (void)number(
      "UPDATE outcomes SET instance_hash = '0000000000000001'"
      " WHERE instance = 1 RETURNING 1");
  assert_int_equal(sw_results_open(&r, path, &err), SW_OK);
  score(&b, r, again);
  assert_int_equal(again[0].decisions, 77777); /* as stored */
  assert_int_equal(again[1].decisions, first[1].decisions);
  assert_int_equal(again[1].solved, first[1].solved);
  assert_true(again[1].instance_hash == first[1].instance_hash);
  for (int i = 2; i < 24; i++) /* not played: their times are the stored ones */
    assert_memory_equal(&again[i], &first[i], sizeof *first);
  sw_results_close(r);
  bed_close(&b);
  assert_int_equal(number("SELECT count(*) FROM outcomes WHERE instance_hash ="
                          " '0000000000000001'"),
                   0);
  assert_int_equal(number("SELECT count(*) FROM outcomes"), 24);
}

/* ---- somebody else writes ---- */

static void add_one(sw_results *r, int64_t instance, int want) {
  sw_err err = {0};
  sw_outcome o = {.instance = instance, .decisions = 3};
  assert_int_equal(sw_results_add(r, 1, &o, &err), want);
  if (!want) return;
  assert_non_null(strstr(err.text, path));
  assert_non_null(strstr(err.hint, "another process writes to it"));
}

/* A store that another process keeps locked is an error that says so, after
 * which the same rows can be stored; none is lost, none is there twice. */
static void a_busy_store_is_said_to_be_busy(void **state) {
  (void)state;
  sw_err err = {0};
  sw_results *r;
  sqlite3 *other;
  assert_int_equal(sw_results_open(&r, path, &err), SW_OK);
  add_one(r, 0, SW_OK);
  assert_int_equal(sw_results_commit(r, &err), SW_OK);
  assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
  assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                   SQLITE_OK);
  add_one(r, 1, SW_IO); /* after ten seconds */
  assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL),
                   SQLITE_OK);
  sqlite3_close(other);
  for (int64_t i = 0; i < 3; i++) add_one(r, i, SW_OK);
  sw_results_close(r);
  assert_int_equal(number("SELECT count(*) FROM outcomes"), 3);
}

/* A row that was added is committed by time, whether or not another follows:
 * nobody else has to wait for a search that takes long. */
static void a_row_is_committed_by_time(void **state) {
  (void)state;
  sw_err err = {0};
  sw_results *r;
  sqlite3 *other;
  assert_int_equal(sw_results_open(&r, path, &err), SW_OK);
  assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
  add_one(r, 0, SW_OK);
  assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                   SQLITE_BUSY);
  for (int i = 0; i < 200; i++) { /* as between two decisions of a search */
    usleep(20000);
    assert_int_equal(sw_results_tick(r, &err), SW_OK);
  }
  assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                   SQLITE_OK);
  sqlite3_close(other);
  sw_results_close(r);
}

/* A store that may not grow: what was committed stays, and where there is room
 * again, the rest follows. */
static void a_full_store_keeps_what_it_has(void **state) {
  (void)state;
  sw_err err = {0};
  sw_results *r;
  int64_t stored = 0, all = 400;
  int code = SW_OK;
  assert_int_equal(sw_results_open(&r, path, &err), SW_OK);
  struct rlimit before, small;
  getrlimit(RLIMIT_FSIZE, &before);
  small = before;
  small.rlim_cur = 64 << 10;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  for (; stored < all && !code; stored++) {
    sw_outcome o = {.instance = stored};
    snprintf(o.reason, sizeof o.reason, "solved");
    code = sw_results_add(r, 1, &o, &err);
    if (!code) code = sw_results_commit(r, &err);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  assert_int_equal(code, SW_IO);
  assert_non_null(strstr(err.text, path));
  sw_results_close(r);
  int64_t kept = number("SELECT count(*) FROM outcomes");
  assert_true(kept >= stored - 1 && kept > 0);
  assert_int_equal(sw_results_open(&r, path, &err), SW_OK);
  for (int64_t i = 0; i < all; i++) {
    sw_outcome o = {.instance = i};
    assert_int_equal(sw_results_add(r, 1, &o, &err), SW_OK);
  }
  sw_results_close(r);
  assert_int_equal(number("SELECT count(*) FROM outcomes"), all);
  assert_int_equal(number("SELECT count(*) FROM outcomes WHERE reason ="
                          " 'solved'"),
                   kept);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(a_store_of_another_schema_is_refused),
      TEST(what_is_no_store_is_refused),
      TEST(whatever_changes_an_outcome_is_in_the_key),
      TEST(a_row_of_another_instance_does_not_count),
      TEST(a_busy_store_is_said_to_be_busy),
      TEST(a_row_is_committed_by_time),
      TEST(a_full_store_keeps_what_it_has),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
