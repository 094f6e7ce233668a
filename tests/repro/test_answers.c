/* Answers: a value that one table asked stands in every table that asks the
 * same of the same subject, and in no other; files say what is in memory; two
 * trainings of a recipe stay apart; what is damaged is told with its line. */
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
#include "repro/answers.h"
#include "repro/kept.h"
#include "search/condition.h"
#include "table.h"

#define ASKED "protocol=cumulative loop=open tokens=64"
#define PLACE .section = "toys", .place = "nowhere", .title = "A toy"
enum { INSTANCES = 4 };

static const sw_experiment has = {
    .id = "has",
    PLACE,
    .seeds = {3, 3},
    .beside = SW_BESIDE_ALL,
    .column = COLUMNS(SOLVED("solved", ASKED),
                      NUMBER("decisions", ASKED, "decisions"),
                      CARD("size", "parameters", "")),
    .row = ROWS(MODEL("other", "", "blocks5-ssa", 0),
                MODEL("theirs", "", "blocks7-ssa", 0))};

/* The same asked in other words, the row's tokens over the column's. */
static sw_repro_column columns[4];
static sw_repro_row rows[2];
static sw_experiment lacks;

static void tables(void) {
  columns[0] = (sw_repro_column)NUMBER(
      "steps", "tokens=9 protocol=cumulative loop=open", "decisions");
  columns[1] =
      (sw_repro_column)SOLVED("share", "loop=open protocol=cumulative");
  columns[2] = (sw_repro_column)CHANGE("change", 0, 1);
  rows[0] =
      (sw_repro_row)MODEL("mine", "", "blocks7-ssa", .search = "tokens=64");
  lacks = (sw_experiment){.id = "lacks",
                          PLACE,
                          .seeds = {2, 2},
                          .column = columns,
                          .row = rows,
                          .beside = SW_BESIDE_EXACT};
}

/* ---- results and sets ---- */

static char *directory;
static sw_err err;

static void must(int code) {
  if (code) fail_msg("%s (%s)", err.text, err.hint);
}

static void add_value(sw_repro_cell *c, int64_t seed, double value, int by) {
  c->value = realloc(c->value, sizeof *c->value * ((size_t)c->values + 1));
  sw_repro_value *v = &c->value[c->values++];
  *v = (sw_repro_value){.seed = seed, .value = value, .origin = by};
  v->low = v->high = NAN;
  if (c->column == 2) return; /* of the run card */
  v->outcomes = INSTANCES;
  v->each = calloc(INSTANCES, sizeof *v->each);
  for (int i = 0; i < INSTANCES; i++)
    v->each[i] = c->column ? value + i : i < value * INSTANCES;
}

/* How a run differs from the plain one. */
typedef struct made {
  const char *weights, *date, *over;
  double base;
  int counting; /* 0: today's; -1: not said */
  int bare;
} made;

/* Row `row` and seeds 42 and 123, each by a run of its own, into a set. */
static int take(sw_answers *a, const sw_experiment *e, int row, made how) {
  sw_answers none;
  sw_repro_result r;
  sw_answers_begin(&none);
  must(sw_answers_fill(&none, e, &r, &err));
  sw_answers_free(&none);
  free(r.origin);
  r.origin = calloc(2, sizeof *r.origin);
  r.model = calloc(2, sizeof *r.model);
  r.origins = r.models = 2;
  for (int s = 0; s < 2; s++) {
    sw_repro_origin *o = &r.origin[s];
    snprintf(o->command, sizeof o->command, "%s run %d", e->id, s);
    snprintf(o->date, sizeof o->date, "%s", how.date ? how.date : "2026-01-02");
    snprintf(o->over, sizeof o->over, "%s", how.over ? how.over : "");
    o->counting = how.counting ? how.counting : SW_COUNTING;
    if (how.counting < 0) o->counting = 0;
    r.model[s] = (sw_repro_model){.row = &e->row[row],
                                  .trained = sw_trained_find(e->row[row].model),
                                  .seed = sw_repro_seed(s),
                                  .loss = NAN,
                                  .origin = s};
    snprintf(r.model[s].hash, sizeof r.model[s].hash, "%s",
             how.weights ? how.weights : "0123");
    for (int i = 0; i < r.cells; i++) {
      sw_repro_cell *c = &r.cell[i];
      if (c->row != &e->row[row] || sw_column_follows(&e->column[c->column]))
        continue;
      add_value(c, sw_repro_seed(s), how.base + s * 0.25, s);
      if (how.bare) {
        free(c->value[s].each);
        c->value[s].each = NULL;
        c->value[s].low = 0.125;
      }
      for (int b = 0; b < SW_REPRO_ROLES; b++) c->beside[b] = 0.5;
    }
  }
  int code = sw_answers_take(a, &r, &err);
  sw_repro_free(&r);
  return code;
}

static sw_answers set_of(made how) {
  sw_answers a;
  sw_answers_begin(&a);
  must(take(&a, &has, 1, how));
  return a;
}

static sw_repro_result filled(const sw_answers *a, const sw_experiment *e) {
  sw_repro_result r;
  must(sw_answers_fill(a, e, &r, &err));
  return r;
}

/* How many seeds the other table finds. */
static int finds(const sw_answers *a) {
  sw_repro_result r = filled(a, &lacks);
  int count = sw_repro_cell_of(&r, "mine", 0)->values;
  assert_int_equal(count, rows[0].columns == 1
                              ? count
                              : sw_repro_cell_of(&r, "mine", 1)->values);
  sw_repro_free(&r);
  return count;
}

static int there(const sw_asker *k, const sw_repro_row *row, int64_t seed) {
  int found;
  must(sw_asker_has(k, row, seed, &found, &err));
  return found;
}

/* ---- questions ---- */

static void what_one_asked_stands_in_another(void **state) {
  (void)state;
  tables();
  sw_answers a = set_of((made){.base = 0.25});
  sw_repro_result r = filled(&a, &lacks);
  const sw_repro_cell *steps = sw_repro_cell_of(&r, "mine", 0),
                      *share = sw_repro_cell_of(&r, "mine", 1);
  for (int s = 0; s < 2; s++) {
    char run[40];
    snprintf(run, sizeof run, "has run %d", s);
    assert_int_equal(share->value[s].seed, sw_repro_seed(s));
    assert_true(share->value[s].value == 0.25 + s * 0.25);
    assert_int_equal(share->value[s].outcomes, INSTANCES);
    assert_true(share->value[s].each[1] == s);
    assert_true(steps->value[s].each[3] == 3.25 + s * 0.25);
    assert_string_equal(r.origin[share->value[s].origin].command, run);
  }
  assert_true(share->mean == 0.375);
  assert_true(sw_repro_cell_of(&r, "mine", 2)->value[0].value == 0);
  assert_int_equal(r.models, 2);
  assert_string_equal(r.model[0].hash, "0123");
  assert_string_equal(r.model[1].run, "models/blocks7-ssa-123");
  /* rules beside are those that the table shows */
  assert_true(share->beside[SW_REPRO_rule] == 0.5);
  assert_true(isnan(share->beside[SW_REPRO_ceiling]));
  assert_int_equal(sw_kept_state_of(&r), SW_KEPT);
  sw_repro_free(&r);
  /* the table that asked shows only what its row has */
  r = filled(&a, &has);
  assert_int_equal(sw_repro_cell_of(&r, "theirs", 0)->values, 2);
  assert_int_equal(sw_repro_cell_of(&r, "other", 0)->values, 0);
  assert_int_equal(sw_kept_state_of(&r), SW_PARTIAL);
  sw_repro_free(&r);
  sw_answers_free(&a);
}

static void another_question_is_not_answered(void **state) {
  (void)state;
  tables();
  sw_answers a = set_of((made){.base = 0.25});
#define WITH(change)                \
  do {                              \
    tables();                       \
    assert_int_equal(finds(&a), 2); \
    change;                         \
    assert_int_equal(finds(&a), 0); \
  } while (0)
  WITH(rows[0].model = "blocks7-causal");
  WITH(rows[0].mask = "causal");
  WITH(rows[0].positions = "sinusoidal");
  WITH(rows[0].test = "n=5");
  WITH(rows[0].at = "step 5");
  WITH(rows[0].search = "tokens=65");
  WITH(rows[0].search = NULL); /* the column's own tokens */
  WITH(columns[1].settings = "loop=masked protocol=cumulative");
  WITH(columns[1].settings = "loop=open"); /* one less */
  WITH(columns[1].settings = ASKED " variables=random");
  WITH(columns[1].figure = "repeat_rate");
  WITH(columns[1].test_seeds = "100 200");
  WITH(columns[1].source = SW_SOURCE_PROBE);
#undef WITH
  /* `open` is what there is without a word: the same question */
  tables();
  columns[1].settings = "protocol=cumulative";
  assert_int_equal(finds(&a), 2);
  columns[1].settings = "protocol=cumulative verifier=model";
  assert_int_equal(finds(&a), 2);
  /* a column that does not apply to the row need not be answered */
  columns[1].figure = "repeat_rate";
  rows[0].columns = 1;
  assert_int_equal(finds(&a), 2);
  /* a run card does not see the settings of the row's searches */
  columns[0] = (sw_repro_column)CARD("weights", "parameters", "");
  rows[0].search = "tokens=65";
  assert_int_equal(finds(&a), 2);
  sw_answers_free(&a);
}

/* Repetitions and judges are part of a question. */
static void repetitions_are_questions(void **state) {
  (void)state;
  sw_answers a;
  sw_asker k;
  sw_repro_row row = RULE("r", "r", "first", .domain = "sat",
                          .search = "verifier=noise:0.1,0,@:oracle");
  char *one, *two, *text;
  tables();
  lacks.row = &row;
  sw_answers_begin(&a);
  sw_asker_begin(&k, &a, &lacks, SW_SCALE_SMALL, "");
  must(sw_asker_question(&k, &row, &columns[1], 1, NULL, &one, &err));
  must(sw_asker_question(&k, &row, &columns[1], 2, NULL, &two, &err));
  assert_non_null(strstr(two, "noise:0.1,0,2:oracle"));
  assert_string_not_equal(one, two);
  row.model = "blocks7-ssa"; /* a model's repetition is its seed's place */
  must(sw_asker_question(&k, &row, &columns[1], 123, NULL, &text, &err));
  assert_string_equal(text, two);
  free(text);
  row.search = "verifier=viability:#judge50:0.9";
  must(sw_asker_question(&k, &row, &columns[1], 42, NULL, &text, &err));
  assert_non_null(strstr(text, "viability:#?:0.9")); /* nobody is kept */
  free(text);
  sw_subject *judge = sw_answers_add_subject(&a, "judge50-42-ab");
  const sw_trained *t = sw_trained_find("judge50");
  sw_kept_member member[SW_KEPT_MEMBERS];
  int count = sw_kept_model_members(t, SW_SCALE_SMALL, member);
  judge->model = "judge50";
  judge->seed = 42;
  const char **to[] = {&judge->preset, &judge->gen, &judge->train,
                       &judge->recipe};
  for (int i = 0; i < count; i++) *to[i] = member[i].text;
  must(sw_asker_question(&k, &row, &columns[1], 42, NULL, &text, &err));
  assert_non_null(strstr(text, "viability:#judge50-42-ab:0.9"));
  free(text);
  free(one);
  free(two);
  sw_answers_free(&a);
}

/* ---- counting, sizes, scales ---- */

static void older_counts_are_found_where_there_are_no_newer(void **state) {
  (void)state;
  tables();
  sw_answers a = set_of((made){.base = 0.25, .counting = -1});
  sw_repro_result r = filled(&a, &has);
  const sw_repro_value *v = sw_repro_cell_of(&r, "theirs", 0)->value;
  assert_true(v->value == 0.25);
  assert_int_equal(r.origin[v->origin].counting, 0);
  sw_repro_free(&r);
  must(take(&a, &has, 1, (made){.base = 0.5}));
  r = filled(&a, &has);
  v = sw_repro_cell_of(&r, "theirs", 0)->value;
  assert_true(v->value == 0.5);
  assert_int_equal(r.origin[v->origin].counting, SW_COUNTING);
  sw_repro_free(&r);
  sw_answers_free(&a);
}

static void other_sizes_are_other_questions(void **state) {
  (void)state;
  tables();
  sw_answers a = set_of((made){.base = 0.25, .over = "instances=4 traces=9"});
  assert_int_equal(finds(&a), 0); /* the other table has its own sizes */
  sw_repro_result r = filled(&a, &has);
  assert_int_equal(sw_repro_cell_of(&r, "theirs", 0)->values, 2);
  sw_repro_free(&r);
  sw_asker k;
  sw_asker_begin(&k, &a, &lacks, SW_SCALE_SMALL, "instances=4 traces=9");
  assert_string_equal(k.made, "traces=9");
  assert_string_equal(k.asked, "instances=4");
  assert_true(there(&k, rows, 42));
  sw_asker_begin(&k, &a, &lacks, SW_SCALE_SMALL, "instances=5 traces=9");
  assert_false(there(&k, rows, 42));
  sw_asker_begin(&k, &a, &lacks, SW_SCALE_SMALL, "instances=4");
  assert_false(there(&k, rows, 42));
  sw_asker_begin(&k, &a, &lacks, SW_SCALE_PAPER, "instances=4 traces=9");
  assert_false(there(&k, rows, 42));
  /* and never stand in one table */
  assert_int_equal(take(&a, &has, 1, (made){.base = 0.5}), SW_USAGE);
  assert_non_null(strstr(err.text, "instances=4"));
  sw_answers_free(&a);
}

/* ---- subjects ---- */

static double first_of(const sw_answers *a, const sw_experiment *e,
                       const char *row) {
  sw_repro_result r = filled(a, e);
  const sw_repro_cell *c = sw_repro_cell_of(&r, row, 1);
  double value = c->values ? c->value[0].value : NAN;
  sw_repro_free(&r);
  return value;
}

static void two_trainings_are_two_subjects(void **state) {
  (void)state;
  tables();
  sw_answers a = set_of((made){.base = 0.25});
  must(take(&a, &lacks, 0, (made){.base = 0.75, .weights = "4567"}));
  /* each table takes its own */
  assert_true(first_of(&a, &has, "theirs") == 0.25);
  assert_true(first_of(&a, &lacks, "mine") == 0.75);
  /* trained again, the table takes the new one, and the old is kept */
  must(take(&a, &has, 1, (made){.base = 0.5, .weights = "89ab"}));
  assert_true(first_of(&a, &has, "theirs") == 0.5);
  assert_non_null(sw_answers_subject(&a, "blocks7-ssa-42-0123"));
  assert_int_equal(sw_answers_subject(&a, "blocks7-ssa-42-0123")->pins, 0);
  sw_answers_free(&a);
}

static void never_a_column_of_each(void **state) {
  (void)state;
  tables();
  sw_answers a = set_of((made){.base = 0.25});
  columns[1].figure = "timeout_rate"; /* of another training only */
  static sw_repro_column one[3];
  one[0] = columns[1];
  sw_experiment third = lacks;
  third.id = "third";
  third.column = one;
  must(take(&a, &third, 0, (made){.base = 0.5, .weights = "4567"}));
  assert_int_equal(finds(&a), 0);
  sw_answers_free(&a);
}

static void another_recipe_is_stale(void **state) {
  (void)state;
  tables();
  sw_answers a = set_of((made){.base = 0.25});
  sw_subject *s = (sw_subject *)sw_answers_subject(&a, "blocks7-ssa-42-0123");
  assert_null(sw_subject_stale(s));
  s->train = "lr=1";
  assert_string_equal(sw_subject_stale(s), "train");
  sw_repro_result r = filled(&a, &has); /* pinned: shown, and told */
  assert_int_equal(sw_repro_cell_of(&r, "theirs", 0)->values, 2);
  assert_int_equal(r.older, 1);
  sw_repro_free(&r);
  assert_int_equal(finds(&a), 1); /* nobody else takes it */
  sw_asker k;
  sw_asker_begin(&k, &a, &has, SW_SCALE_SMALL, "");
  assert_false(there(&k, &has.row[1], 42));
  assert_true(there(&k, &has.row[1], 123));
  s->train =
      ((sw_subject *)sw_answers_subject(&a, "blocks7-ssa-123-0123"))->train;
  s->preset_hash = "0123456789abcdef";
  assert_string_equal(sw_subject_stale(s), "preset");
  s->preset_hash = NULL;
  s->model = "no-such-model";
  assert_string_equal(sw_subject_stale(s), "model");
  sw_answers_free(&a);
}

static void what_says_more_stays(void **state) {
  (void)state;
  tables();
  sw_answers a = set_of((made){.base = 0.25});
  must(take(&a, &has, 1, (made){.base = 0.25, .bare = 1}));
  sw_repro_result r = filled(&a, &has);
  assert_non_null(sw_repro_cell_of(&r, "theirs", 0)->value[0].each);
  sw_repro_free(&r);
  must(take(&a, &has, 1, (made){.base = 0.5, .date = "2026-01-01"}));
  assert_true(first_of(&a, &has, "theirs") == 0.25); /* an earlier run */
  must(take(&a, &has, 1, (made){.base = 0.5, .bare = 1}));
  r = filled(&a, &has);
  const sw_repro_value *v = sw_repro_cell_of(&r, "theirs", 0)->value;
  assert_true(v->value == 0.5 && !v->each && v->low == 0.125);
  sw_repro_free(&r);
  sw_answers_free(&a);
}

/* ---- files ---- */

static char *text_of(const char *name) {
  char path[400], *text;
  size_t bytes;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  must(sw_read_file(path, 0, &text, &bytes, &err));
  return text;
}

static void files_say_what_is_in_memory(void **state) {
  (void)state;
  static const char *const names[] = {"origins.jsonl", "subjects.jsonl",
                                      "answers/blocks7-ssa-42-0123.jsonl",
                                      "one.jsonl"};
  char path[400], *before[4];
  tables();
  sw_answers a = set_of((made){.base = 0.25}), b;
  sw_answer_statistic bare = {"has", "a minus b", 1, -2, 3, NAN, 4};
  assert_true(sw_answers_add_statistic(&a, &bare));
  snprintf(path, sizeof path, "%s/one.jsonl", directory);
  must(sw_answers_write(&a, directory, &err));
  must(sw_answers_write_file(&a, path, &err));
  for (int i = 0; i < 4; i++) before[i] = text_of(names[i]);
  sw_answers_begin(&b);
  must(sw_answers_read(&b, directory, &err));
  assert_true(first_of(&b, &lacks, "mine") == 0.25);
  assert_int_equal(b.statistics, 1);
  for (int i = 0; i < b.subjects; i++) b.subject[i].changed = 1;
  must(sw_answers_write(&b, directory, &err));
  must(sw_answers_write_file(&b, path, &err));
  for (int i = 0; i < 4; i++) {
    char *now = text_of(names[i]);
    assert_string_equal(before[i], now);
    free(now);
    free(before[i]);
  }
  sw_answers_free(&b);
  sw_answers_begin(&b); /* a shard's one file says the same */
  must(sw_answers_read_file(&b, path, &err));
  assert_true(first_of(&b, &lacks, "mine") == 0.25);
  sw_answers_free(&b);
  sw_answers_free(&a);
}

static void damage_is_told_with_its_line(void **state) {
  (void)state;
  static const char *const bad[] = {
      "{",
      "[1]",
      "{}",
      "{\"of\": \"../x\", \"question\": \"q\"}",
      "{\"of\": \".hidden\", \"question\": \"q\"}",
      "{\"subject\": \"a/b\"}",
      "{\"subject\": \"\"}",
      "{\"of\": \"x\"}"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[200];
    sw_answers a;
    snprintf(text, sizeof text, "{\"subject\": \"x\"}\n\n%s\n", bad[i]);
    sw_answers_begin(&a);
    assert_int_equal(
        sw_answers_parse(&a, "here.jsonl", text, strlen(text), &err), SW_DATA);
    assert_non_null(strstr(err.text, "here.jsonl:3"));
    sw_answers_free(&a);
  }
}

static int prepare(void **state) {
  (void)state;
  directory = tiny_run_directory();
  return directory ? 0 : -1;
}

static int clean(void **state) {
  (void)state;
  tiny_run_remove(directory);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_one_asked_stands_in_another),
      cmocka_unit_test(another_question_is_not_answered),
      cmocka_unit_test(repetitions_are_questions),
      cmocka_unit_test(older_counts_are_found_where_there_are_no_newer),
      cmocka_unit_test(other_sizes_are_other_questions),
      cmocka_unit_test(two_trainings_are_two_subjects),
      cmocka_unit_test(never_a_column_of_each),
      cmocka_unit_test(another_recipe_is_stale),
      cmocka_unit_test(what_says_more_stays),
      cmocka_unit_test(files_say_what_is_in_memory),
      cmocka_unit_test(damage_is_told_with_its_line),
  };
  return cmocka_run_group_tests(tests, prepare, clean);
}
