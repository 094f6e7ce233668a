/* A toy experiment from nothing to its table: a trained row, a rule and a row
 * that cannot be run yet; columns of searches, of a counter, of a measure, of
 * the run card and of a change; statistics. And the sums by themselves, on
 * numbers whose answer is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tiny_run.h"
#include "base/file.h"
#include "report/read_json.h"
#include "report/tables.h"
#include "repro/answers.h"
#include "repro/kept.h"
#include "table.h"

enum { INSTANCES = 8 };

static const sw_experiment toy = {
    .id = "toy",
    .section = "toys",
    .place = "nowhere",
    .title = "A toy",
    .note = "none",
    .seeds = {2, 2},
    .column =
        COLUMNS(SOLVED("solved", "protocol=rebuilt loop=open"),
                NUMBER("decisions", "protocol=rebuilt loop=open", "decisions"),
                MEASURE("same choice", "padding", "trials=4 instances=4",
                        "agreement", NULL),
                CARD("parameters", "parameters", ""), CHANGE("twice", 0, 2)),
    .row = ROWS(MODEL("model", "a model", "quick-ssa",
                      .paper = PAPER("0.0", NULL, "100.0", NULL, NULL)),
                RULE("rule", "a rule", "clause+exact", .columns = 3),
                MODEL("future", "from the future", "quick-ssa",
                      .needs = "a time machine")),
    .statistic =
        TESTS(TEST("model minus rule", INSTANCES, 0, "model", "rule", 0),
              TEST("model minus itself", PAIRED_T, 3, "model", "model", 0)),
    .figure = FIGURES(PLOT("toy-bars", "Bars", BARS, NULL, "%", 1)),
};

static char *directory;
static sw_repro_result result;

static void quiet_begin(void *context, const char *what) {
  (void)context;
  (void)what;
}
static void quiet_end(void *context) { (void)context; }
static void quiet_step(void *context, const char *label, int64_t done,
                       int64_t total) {
  (void)context;
  (void)label;
  (void)done;
  (void)total;
}
static int never_stop(void *context) {
  (void)context;
  return 0;
}
static int train(void *context, const sw_train_options *options, sw_err *err) {
  sw_train_result done;
  int *runs = context;
  int code = sw_train(options, NULL, &done, err);
  *runs += !done.already_done;
  return code;
}

/* `only`: the number of seeds when models that are not there may not be
 * trained; 0: the experiment's seeds, trained. */
static int run_toy(int only, int *trained, sw_repro_result *r, sw_err *err) {
  sw_repro_hooks hooks = {.context = trained,
                          .begin = quiet_begin,
                          .end = quiet_end,
                          .progress = quiet_step,
                          .train = train,
                          .stop = never_stop};
  sw_repro_options o = {
      .out = directory,
      .settings = {5, {"steps=2", "d=16", "layers=1", "heads=2", "batch=2"}},
      .seeds = only,
      .seed = -1,
      .test_seed = 42,
      .instances = INSTANCES,
      .traces = 24,
      .trained = only > 0,
      .threads = 1};
  *trained = 0;
  return sw_repro_run(&toy, &o, &hooks, r, err);
}

static void cells_hold_what_was_found(void **state) {
  (void)state;
  assert_int_equal(result.cells, 5 + 2 + 5);
  const sw_repro_cell *solved = sw_repro_cell_of(&result, "model", 0);
  const sw_repro_cell *decisions = sw_repro_cell_of(&result, "model", 1);
  const sw_repro_cell *same = sw_repro_cell_of(&result, "model", 2);
  const sw_repro_cell *parameters = sw_repro_cell_of(&result, "model", 3);
  const sw_repro_cell *change = sw_repro_cell_of(&result, "model", 4);
  assert_int_equal(solved->values, 2);
  assert_int_equal(solved->value[0].seed, 42);
  assert_int_equal(solved->value[1].seed, 123);
  assert_int_equal(solved->instances, INSTANCES);
  for (int v = 0; v < 2; v++) {
    int64_t hits = 0, spent = 0;
    for (int i = 0; i < INSTANCES; i++) {
      hits += solved->value[v].outcome[i].solved;
      spent += solved->value[v].outcome[i].decisions;
    }
    assert_true(solved->value[v].value == (double)hits / INSTANCES);
    assert_true(decisions->value[v].value == (double)spent / INSTANCES);
    /* SSA reads no other block: what stands there changes nothing. */
    assert_true(same->value[v].value == 1);
    assert_true(change->value[v].value == 1 - solved->value[v].value);
  }
  assert_true(parameters->mean > 1000 && parameters->sd == 0);
  assert_true(solved->low <= solved->mean && solved->mean <= solved->high);
  /* the rule that reads the shown state solves them all */
  assert_true(solved->beside[SW_REPRO_rule] == 1);
  assert_string_equal(result.policy[SW_REPRO_rule], "clause+exact");
  assert_true(sw_repro_cell_of(&result, "rule", 0)->mean == 1);
  assert_null(sw_repro_cell_of(&result, "rule", 2));
  const sw_repro_cell *future = sw_repro_cell_of(&result, "future", 0);
  assert_string_equal(future->needs, "a time machine");
  assert_true(future->values == 0 && isnan(future->mean));
}

static void statistics_compare_cells(void **state) {
  (void)state;
  const sw_repro_cell *solved = sw_repro_cell_of(&result, "model", 0);
  assert_int_equal(result.statistics, 2);
  assert_int_equal(result.statistic[0].pairs, 2); /* seeds, against a rule */
  assert_true(fabs(result.statistic[0].value - (solved->mean - 1)) < 1e-12);
  assert_true(result.statistic[1].value == 0);
  assert_true(isnan(result.statistic[1].p)); /* constant differences */
}

/* Of three seeds two are trained: the third is left out, not made. */
/* The answer of a measure: its file, with two members set over. */
static void edit_answer(const char *name, json_t *value) {
  char command[1500], path[1200] = "";
  sw_err err = {0};
  json_t *answer;
  snprintf(command, sizeof command, "ls %s/models/quick-ssa-42/padding-*.json",
           directory);
  FILE *list = popen(command, "r");
  assert_non_null(fgets(path, sizeof path, list));
  pclose(list);
  path[strcspn(path, "\n")] = 0;
  assert_int_equal(sw_read_json(path, &answer, &err), 0);
  json_object_set_new(answer, "agreement", json_real(0.25));
  if (name) json_object_set_new(answer, name, value);
  assert_int_equal(json_dump_file(answer, path, 0), 0);
  json_decref(answer);
}

static double agreement(void) {
  int trained;
  sw_repro_result r;
  sw_err err = {0};
  if (run_toy(0, &trained, &r, &err)) fail_msg("%s", err.text);
  double value = sw_repro_cell_of(&r, "model", 2)->value[0].value;
  sw_repro_free(&r);
  return value;
}

/* A file counts for what it says that it answers, not for its name. */
static void an_answer_to_another_question_is_asked_again(void **state) {
  (void)state;
  edit_answer(NULL, NULL);
  assert_true(agreement() == 0.25); /* it is read */
  edit_answer("question", json_string("source(measure) measure(bank) "));
  assert_true(agreement() == 1);
  edit_answer("weights", json_string("0123"));
  assert_true(agreement() == 1);
}

static void only_what_is_trained(void **state) {
  (void)state;
  sw_repro_result some;
  sw_err err = {0};
  int trained;
  if (run_toy(3, &trained, &some, &err)) fail_msg("%s", err.text);
  assert_int_equal(trained, 0);
  assert_string_equal(err.text, "");
  const sw_repro_cell *solved = sw_repro_cell_of(&some, "model", 0);
  assert_int_equal(solved->values, 2);
  assert_int_equal(some.models, 2);
  assert_true(solved->mean == sw_repro_cell_of(&result, "model", 0)->mean);
  assert_true(sw_repro_cell_of(&some, "rule", 0)->mean == 1);
  sw_repro_free(&some);
}

static void nothing_is_done_twice(void **state) {
  (void)state;
  sw_repro_result again;
  sw_err err = {0};
  int trained;
  if (run_toy(0, &trained, &again, &err)) fail_msg("%s", err.text);
  assert_int_equal(trained, 0);
  for (int i = 0; i < result.cells; i++)
    for (int v = 0; v < result.cell[i].values; v++) {
      double a = result.cell[i].value[v].value;
      double b = again.cell[i].value[v].value;
      assert_true(a == b || (isnan(a) && isnan(b)));
    }
  sw_repro_free(&again);
}

static void count_difference(void *context, const char *text) {
  (void)text;
  ++*(int *)context;
}

static void a_kept_result_is_the_table(void **state) {
  (void)state;
  sw_err err = {0};
  json_t *kept;
  sw_table_list tables = {0};
  sw_answers answers;
  sw_repro_result again;
  int told = 0, compared;
  if (sw_kept_document(&result, &kept, &err)) fail_msg("%s", err.text);
  sw_experiment_tables(kept, &tables);
  assert_int_equal(tables.count, 2);
  const sw_table *t = &tables.table[0];
  assert_int_equal(t->rows, result.cells);
  assert_string_equal(sw_table_cell(t, 0, 0), "a model");
  assert_string_equal(sw_table_cell(t, 0, 2), "0.0");
  assert_string_equal(sw_table_cell(t, 7, 3), "needs a time machine");
  assert_string_equal(sw_table_cell(&tables.table[1], 0, 0),
                      "model minus rule");
  json_decref(kept);
  /* kept as answers and looked up again it is the same; a changed number is one
   * difference */
  sw_answers_begin(&answers);
  if (sw_answers_take(&answers, &result, &err) ||
      sw_answers_fill(&answers, &toy, &again, &err))
    fail_msg("%s", err.text);
  assert_int_equal(
      sw_kept_compare(&again, &result, &told, count_difference, &compared), 0);
  int values = 0;
  for (int i = 0; i < result.cells; i++) {
    const sw_repro_column *c = &toy.column[result.cell[i].column];
    if (!c->unit || strcmp(c->unit, "s")) values += result.cell[i].values;
  }
  assert_int_equal(compared, values);
  again.cell[0].value[1].value += 0.123;
  assert_int_equal(
      sw_kept_compare(&again, &result, &told, count_difference, NULL), 1);
  assert_int_equal(told, 1);
  /* rows that need something leave it partial */
  assert_int_equal(sw_kept_state_of(&again), SW_PARTIAL);
  assert_int_equal(again.older, 0);
  sw_repro_free(&again);
  sw_answers_free(&answers);
  sw_answers_begin(&answers);
  if (sw_answers_fill(&answers, &toy, &again, &err)) fail_msg("%s", err.text);
  assert_int_equal(sw_kept_state_of(&again), SW_NEVER_RUN);
  sw_repro_free(&again);
  sw_answers_free(&answers);
  sw_table_list_free(&tables);
}

/* ---- sums by themselves ---- */

static const sw_experiment sums = {
    .id = "sums",
    .column = COLUMNS(NUMBER("x", "", "decisions")),
    .row = ROWS(RULE("a", "a", "r", 0), RULE("b", "b", "r", 0),
                RULE("c", "c", "r", 0), RULE("d", "d", "r", 0)),
    .statistic = TESTS(
        TEST("paired", PAIRED_T, 0, "a", "b", 0),
        TEST("welch", WELCH_T, 0, "a", "b", 0),
        TEST("seeds", SEEDS, 0, "a", "b", 0),
        TEST("interaction", INTERACTION, 0, "a", "b", .c = "c", .d = "d"))};

static void known_numbers(void **state) {
  (void)state;
  enum { SEEDS = 5 };
  /* the paper's colouring, selective and causal, and two more rows */
  static const double x[4][SEEDS] = {{47.5, 55.5, 52, 52.5, 49},
                                     {36.5, 39, 34, 26.5, 35.5},
                                     {1, 2, 3, 4, 5},
                                     {1, 1, 1, 1, 1}};
  sw_repro_value value[4][SEEDS];
  sw_repro_cell cell[4];
  sw_repro_result r = {.experiment = &sums, .cell = cell, .cells = 4};
  sw_err err = {0};
  memset(value, 0, sizeof value);
  memset(cell, 0, sizeof cell);
  for (int i = 0; i < 4; i++) {
    cell[i].row = &sums.row[i];
    cell[i].value = value[i];
    cell[i].values = SEEDS;
    for (int s = 0; s < SEEDS; s++)
      value[i][s] = (sw_repro_value){
          .seed = s + 1, .value = x[i][s], .low = NAN, .high = NAN};
  }
  assert_int_equal(sw_repro_sum_up(&r, &err), 0);
  assert_true(fabs(cell[0].mean - 51.3) < 1e-9);
  assert_true(fabs(cell[0].sd - 3.134) < 1e-3);
  /* Student's interval: 51.3 -+ 2.776 * 3.134 / sqrt(5) */
  assert_true(fabs(cell[0].low - 47.409) < 2e-3);
  const sw_repro_statistic_value *s = r.statistic;
  assert_int_equal(r.statistics, 4);
  assert_true(fabs(s[0].value - 17.0) < 1e-9);
  assert_true(s[0].low < 17 && s[0].high > 17 && s[0].p < 0.01);
  assert_true(fabs(s[1].value - 17.0) < 1e-9 && s[1].p > 0 && s[1].p < 0.01);
  /* the paper's interval of the seed-paired bootstrap: [12.9, 21.6] */
  assert_true(fabs(s[2].low - 12.9) < 0.3 && fabs(s[2].high - 21.6) < 0.3);
  assert_true(isnan(s[2].p));
  assert_true(fabs(s[3].value - (17.0 - 2.0)) < 1e-9);
  free(r.statistic);
}

static const sw_experiment two = {
    .column = COLUMNS(SOLVED("solved", ""), CARD("time", "seconds", "s")),
    .row = ROWS(RULE("one", "one", "clause+exact", 0))};

/* Three models that solve all of 200: a bootstrap sees nothing vary, and a
 * second hundred instances might still not be solved. Seconds get none. */
static void all_solved_is_no_certainty(void **state) {
  (void)state;
  enum { SEEDS = 3, MANY = 200 };
  sw_repro_value value[2][SEEDS];
  sw_repro_cell cell[2];
  sw_outcome outcome[MANY];
  double each[MANY];
  sw_repro_result r = {.experiment = &two, .cell = cell, .cells = 2};
  sw_err err = {0};
  memset(value, 0, sizeof value);
  memset(cell, 0, sizeof cell);
  memset(outcome, 0, sizeof outcome);
  for (int i = 0; i < MANY; i++) each[i] = 1;
  for (int c = 0; c < 2; c++) {
    cell[c] = (sw_repro_cell){
        .row = two.row, .column = c, .value = value[c], .values = SEEDS};
    for (int s = 0; s < SEEDS; s++)
      value[c][s] = (sw_repro_value){.value = c ? 10 * s : 1,
                                     .low = NAN,
                                     .high = NAN,
                                     .outcome = c ? NULL : outcome,
                                     .outcomes = c ? 0 : MANY,
                                     .each = c ? NULL : each};
  }
  assert_int_equal(sw_repro_sum_up(&r, &err), 0);
  assert_true(cell[0].mean == 1 && cell[0].high == 1);
  assert_true(fabs(cell[0].low - 0.98116) < 1e-5); /* 1 / (1 + z^2 / 200) */
  assert_true(cell[1].mean == 10 && cell[1].sd == 10);
  assert_true(isnan(cell[1].low) && isnan(cell[1].high));
  free(r.statistic);
}

/* Values that were kept without their single instances: a share stays one, and
 * seeds that agree by chance do not make the instances certain. */
static void shares_without_instances(void **state) {
  (void)state;
  static const double share[][2] = {{0.86, 0.885}, {0.5, 0.5}, {1, 1}, {0, 0}};
  for (int i = 0; i < 4; i++) {
    sw_repro_value value[2];
    sw_repro_cell cell = {.row = two.row, .value = value, .values = 2};
    sw_repro_result r = {.experiment = &two, .cell = &cell, .cells = 1};
    sw_err err = {0};
    for (int s = 0; s < 2; s++)
      value[s] = (sw_repro_value){
          .value = share[i][s], .low = NAN, .high = NAN, .outcomes = 200};
    assert_int_equal(sw_repro_sum_up(&r, &err), 0);
    assert_true(cell.low >= 0 && cell.high <= 1 && cell.low < cell.high);
    if (i == 1) /* z sqrt(p (1 - p) / n) alone */
      assert_true(fabs(cell.high - 0.5 - 1.96 * sqrt(0.25 / 200)) < 1e-4);
    if (i == 2) assert_true(fabs(cell.low - 0.98116) < 1e-5);
    if (i == 3) assert_true(fabs(cell.high - (1 - 0.98116)) < 1e-5);
    free(r.statistic);
  }
}

static void agreement_with_the_paper(void **state) {
  (void)state;
  assert_int_equal(sw_kept_agrees("93.4 ± 2.3", 1, 0.925, 0.90, 0.95), 1);
  assert_int_equal(sw_kept_agrees("93.4 ± 2.3", 1, 0.995, 0.99, 1.00), 0);
  assert_int_equal(sw_kept_agrees("93.5", 1, 0.865, 0.85, 0.88), 0);
  assert_int_equal(sw_kept_agrees("93.5", 1, 0.900, 0.85, 0.94), 1);
  assert_int_equal(sw_kept_agrees("14.1", 0, 13.5, 12.5, 14.5), 1);
  assert_int_equal(sw_kept_agrees("14.1", 0, 5.5, 5, 6), 0);
  assert_int_equal(sw_kept_agrees("none", 0, 5.5, 5, 6), -1);
  assert_int_equal(sw_kept_agrees("14.1", 0, NAN, NAN, NAN), -1);
}

static int prepare(void **state) {
  (void)state;
  sw_err err = {0};
  int trained;
  directory = tiny_run_directory();
  if (!directory) return -1;
  int code = run_toy(0, &trained, &result, &err);
  if (code) print_error("%s\n", err.text);
  return code || trained != 2;
}

static int clean(void **state) {
  (void)state;
  sw_repro_free(&result);
  tiny_run_remove(directory);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_hold_what_was_found),
      cmocka_unit_test(statistics_compare_cells),
      cmocka_unit_test(nothing_is_done_twice),
      cmocka_unit_test(an_answer_to_another_question_is_asked_again),
      cmocka_unit_test(only_what_is_trained),
      cmocka_unit_test(a_kept_result_is_the_table),
      cmocka_unit_test(known_numbers),
      cmocka_unit_test(all_solved_is_no_certainty),
      cmocka_unit_test(shares_without_instances),
      cmocka_unit_test(agreement_with_the_paper),
  };
  return cmocka_run_group_tests(tests, prepare, clean);
}
