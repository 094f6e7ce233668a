/* What a report reads: runs (any number of them), a store with more conditions
 * than any fixed table had, JSON files of measures, and hostile versions of all
 * of these. Nothing is trained here but one tiny model, whose directory is
 * linked as often as needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../tiny_run.h"
#include "base/file.h"
#include "report/page.h"
#include "search/results.h"

enum { RUNS = 20, CONDITIONS = 100, INSTANCES = 3 };
static char *directory;

static void write_text(const char *name, const char *text) {
  char path[1200];
  sw_err err = {0};
  snprintf(path, sizeof path, "%s/%s", directory, name);
  if (sw_write_file(path, text, strlen(text), &err)) fail_msg("%s", err.text);
}

static void remove_file(const char *name) {
  char path[1200];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  unlink(path);
}

static void load(sw_report_data *d) {
  sw_err err = {0};
  if (sw_report_load(d, directory, &err)) fail_msg("%s", err.text);
}

static int has_table(const sw_made_tables *made, const char *id) {
  for (int i = 0; i < made->list.count; i++)
    if (!strcmp(made->list.table[i].id, id)) return made->list.table[i].rows;
  return 0;
}

static void every_run_is_loaded(void **state) {
  (void)state;
  sw_report_data d;
  load(&d);
  assert_int_equal(d.models, RUNS);
  for (int i = 0; i < RUNS; i++) {
    const sw_report_model *m = &d.model[i];
    assert_string_equal(m->label, "SSA");
    assert_string_equal(m->domain, "sat");
    assert_string_equal(m->mask_name, "ssa");
    assert_int_equal(m->points, 5);
    assert_int_equal(m->curve[4].step, 5);
    assert_int_equal(m->steps, 5);
    assert_true(m->parameters > 1000);
    assert_true(fabs(m->uniform - log(2030)) < 1e-12);
    assert_true(m->unigram > 0 && m->unigram < m->uniform);
    assert_int_equal(strlen(m->hash), 16);
  }
  assert_int_equal(d.summary.rows, 0); /* nothing was played */
  sw_report_free(&d);
}

/* `count` searches of a rule in the open loop, of which the first `solved` end
 * solved; the problems are told apart by `problems`. */
static void add_searches(sw_results *results, const char *rule,
                         const char *protocol, int64_t tokens,
                         uint64_t problems, int count, int solved) {
  sw_err err = {0};
  int64_t id;
  sw_condition_key key = {.domain = "sat",
                          .policy = rule,
                          .model_hash = "",
                          .format = "evidence",
                          .protocol = protocol,
                          .loop = "open",
                          .on_error = "fail",
                          .mask = "",
                          .positions = "",
                          .options = "{}",
                          .split = "test",
                          .n = 6,
                          .seed = 42,
                          .max_decisions = 500,
                          .max_tokens = tokens};
  if (sw_results_condition(results, &key, &id, &err)) fail_msg("%s", err.text);
  for (int k = 0; k < count; k++) {
    sw_outcome o = {.instance = k,
                    .instance_hash = problems + (uint64_t)k,
                    .solved = k < solved,
                    .decisions = 9};
    snprintf(o.reason, sizeof o.reason, o.solved ? "solved" : "repeat");
    assert_int_equal(sw_results_add(results, id, &o, &err), 0);
  }
}

/* Rules in both protocols; names far beyond the 64 conditions of a table. */
static void fill_store(const char *path) {
  sw_results *results;
  sw_err err = {0};
  if (sw_results_open(&results, path, &err)) fail_msg("%s", err.text);
  for (int i = 0; i < CONDITIONS; i++) {
    char name[24];
    snprintf(name, sizeof name, "rule-%d", i / 2);
    add_searches(results, name, i % 2 ? "rebuilt" : "cumulative", 0, 100,
                 INSTANCES, 1 + i % 2);
  }
  sw_results_close(results);
}

/* With and without its history are compared on the same problems under the same
 * limits, however many others were played. */
static void only_the_same_problems_are_compared(void **state) {
  (void)state;
  char path[1200];
  sw_results *results;
  sw_report_data d;
  sw_err err = {0};
  snprintf(path, sizeof path, "%s/results.db", directory);
  if (sw_results_open(&results, path, &err)) fail_msg("%s", err.text);
  add_searches(results, "both", "cumulative", 0, 100, 10, 4);
  add_searches(results, "both", "rebuilt", 0, 100, 4, 2);
  add_searches(results, "both", "rebuilt", 64, 100, 20, 9); /* other limits */
  add_searches(results, "apart", "cumulative", 0, 100, 10, 4);
  add_searches(results, "apart", "rebuilt", 0, 500, 10, 9); /* other problems */
  sw_results_close(results);
  load(&d);
  assert_int_equal(d.summary.rows, 1);
  assert_string_equal(d.summary.row[0].model, "both (rule)");
  assert_int_equal(d.summary.row[0].without.n, 4);
  assert_true(d.summary.row[0].gap.point == 0.5); /* 4 and 2 of the first 4 */
  sw_report_free(&d);
  unlink(path);
}

static void every_condition_is_loaded(void **state) {
  (void)state;
  char path[1200];
  sw_report_data d;
  sw_made_tables made;
  snprintf(path, sizeof path, "%s/results.db", directory);
  fill_store(path);
  load(&d);
  assert_int_equal(d.conditions, CONDITIONS);
  assert_int_equal(d.summary.rows, CONDITIONS / 2);
  const sw_summary_row *last = &d.summary.row[CONDITIONS / 2 - 1];
  assert_string_equal(last->model, "rule-49 (rule)");
  assert_true(fabs(last->gap.point + 1.0 / 3) < 1e-12);
  assert_int_equal(sw_report_tables_make(&made, &d, NULL), 0);
  assert_int_equal(has_table(&made, "endings"), CONDITIONS);
  assert_int_equal(has_table(&made, "summary"), CONDITIONS / 2);
  sw_report_tables_free(&made);
  sw_report_free(&d);
  unlink(path);
}

static void files_of_measures_are_tables(void **state) {
  (void)state;
  sw_report_data d;
  sw_made_tables made;
  char depths[16384] = "";
  for (int i = 0; i < 150; i++) /* more than the 64 there was room for */
    snprintf(depths + strlen(depths), sizeof depths - strlen(depths),
             "%s{\"depth\": %d, \"pairs\": 2, \"argmax_agreement\": 0.5}",
             i ? "," : "", i);
  char text[20000];
  snprintf(text, sizeof text,
           "{\"models\": [{\"label\": \"x\", \"pairs\": 7, "
           "\"argmax_agreement\": 0.875, \"by_depth\": [%s]}]}",
           depths);
  write_text("transplant-more.json", text);
  write_text(
      "bank.json",
      "{\"models\": [{\"label\": \"y\", \"rebuilt\": {\"ece\": 0.25}}]}");
  write_text("history.json", "{\"state\": {\"accuracy\": 0.5}}");
  load(&d);
  assert_int_equal(d.documents, 3);
  assert_int_equal(sw_report_tables_make(&made, &d, NULL), 0);
  assert_int_equal(has_table(&made, "transplant"), 1);
  assert_int_equal(has_table(&made, "bank"), 1); /* one protocol */
  assert_int_equal(has_table(&made, "history"), 1);
  int at = sw_report_next(&d, "transplant", -1);
  assert_int_equal(
      json_array_size(json_object_get(d.answer[at].row, "by_depth")), 150);
  assert_int_equal(sw_report_next(&d, "transplant", at), -1);
  sw_report_tables_free(&made);
  sw_report_free(&d);
}

/* Anything may stand in a file; it is an error that names the file, or it is
 * shown as text, or it is left out. The page stays whole. */
static void hostile_files_do_no_harm(void **state) {
  (void)state;
  static const char *const broken[] = {
      "", "[]", "17", "{\"models\": ", "\xff", "{\"a\": 1} {"};
  static const char *const odd[] = {
      "{\"models\": 3}",
      "{\"models\": [1, null, [], {\"label\": 5, \"pairs\": \"x\"}]}",
      "{\"models\": [{\"label\": \"<script>&\", \"pairs\": 1e300, \"states\": "
      "-1e300, \"by_depth\": [3, {\"depth\": 1e300}], \"verification\": "
      "{\"argmax_interval\": [1]}}]}",
      "{\"found\": true, \"subject\": \"<b>\", \"histories\": 5, \"steps\": "
      "[1, {\"subject\": {\"best\": [{\"p\": 1e9}]}}]}",
      "{\"found\": true}",
      "{\"cells\": [1, {\"label\": \"<i>\", \"value\": 1e308, \"seeds\": "
      "1e300, "
      "\"values\": [{}, 1]}], \"statistics\": [{}], \"title\": 7, \"rules\": "
      "1, "
      "\"models\": [{\"run\": \"../../../../etc\"}, {\"run\": 3}], "
      "\"experiment\": \"<a b='c'>\"}"};
  static const char *const names[] = {"transplant.json", "bank.json",
                                      "case.json", "experiment.json",
                                      "trees.json"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
      sw_report_data d;
      sw_err err = {0};
      write_text(names[n], broken[i]);
      assert_int_equal(sw_report_load(&d, directory, &err), SW_DATA);
      assert_non_null(strstr(err.text, names[n]));
    }
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
      sw_report_data d;
      sw_made_tables made;
      sw_drawn_list figures = {0};
      char *text;
      size_t bytes;
      write_text(names[n], odd[i]);
      load(&d);
      assert_int_equal(sw_report_tables_make(&made, &d, NULL), 0);
      FILE *out = open_memstream(&text, &bytes);
      sw_page page = {.data = &d, .tables = &made, .figures = &figures};
      assert_int_equal(sw_page_write(&page, out, NULL), 0);
      fclose(out);
      assert_null(strstr(text, "<script>"));
      assert_null(strstr(text, "<i>"));
      assert_non_null(strstr(text, "</html>"));
      free(text);
      sw_report_tables_free(&made);
      sw_report_free(&d);
    }
    remove_file(names[n]);
  }
}

static int make_runs(void **state) {
  (void)state;
  char set[1200], run[1200];
  sw_err err = {0};
  directory = tiny_run_directory();
  if (!directory) return -1;
  snprintf(set, sizeof set, "%s/data.safetensors", directory);
  snprintf(run, sizeof run, "%s/run-0", directory);
  tiny_run one = {.data = set,
                  .directory = run,
                  .mask = "ssa",
                  .label = "SSA",
                  .n = 6,
                  .traces = 30,
                  .d = 16,
                  .steps = 5};
  if (tiny_run_make(&one, &err)) {
    print_error("%s\n", err.text);
    return -1;
  }
  for (int i = 1; i < RUNS; i++) {
    char copy[1200];
    snprintf(copy, sizeof copy, "%s/run-%d", directory, i);
    if (symlink("run-0", copy)) return -1;
  }
  return 0;
}

static int clean(void **state) {
  (void)state;
  tiny_run_remove(directory);
  return 0;
}

/* A rule that never goes back has no other rule under that verifier beside it.
 */
static void rules_stand_beside_models(void **state) {
  (void)state;
  json_t *experiment = json_loads(
      "{\"rows\": [{\"id\": \"ssa\", \"model\": \"m\"}, {\"id\": \"floor\", "
      "\"rule\": \"jw+own\"}], \"cells\": [{\"row\": \"ssa\", \"value\": 1, "
      "\"rule\": 1}, {\"row\": \"floor\", \"value\": 0.72, \"rule\": 0.525}]}",
      0, NULL);
  sw_table_list list = {0};
  sw_experiment_tables(experiment, &list);
  assert_string_equal(list.table[0].head[7], "exact rule");
  assert_string_equal(sw_table_cell(&list.table[0], 0, 7), "100.0");
  assert_string_equal(sw_table_cell(&list.table[0], 1, 7), "-");
  sw_table_list_free(&list);
  json_decref(experiment);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_stand_beside_models),
      cmocka_unit_test(every_run_is_loaded),
      cmocka_unit_test(every_condition_is_loaded),
      cmocka_unit_test(only_the_same_problems_are_compared),
      cmocka_unit_test(files_of_measures_are_tables),
      cmocka_unit_test(hostile_files_do_no_harm),
  };
  return cmocka_run_group_tests(tests, make_runs, clean);
}
