/* What one table keeps stands for another only where all fits: here one thing
 * at a time does not, in the tables or in the files. */
#include "two_tables.h"

static int takes(json_t *source, json_t *mine) {
  told t;
  json_t *got = shared(source, NULL, mine, 1, &t);
  json_decref(got);
  assert_true(!got == !t.count);
  return t.count;
}

static void another_question_is_not_answered(void **state) {
  (void)state;
  tables();
  json_t *source = kept_of(&has, 1, 0.25);
#define WITH(change)                          \
  do {                                        \
    tables();                                 \
    assert_int_equal(takes(source, NULL), 2); \
    change;                                   \
    assert_int_equal(takes(source, NULL), 0); \
  } while (0)
  WITH(rows[0].model = "blocks7-causal");
  WITH(rows[0].mask = "causal");
  WITH(rows[0].positions = "sinusoidal");
  WITH(rows[0].test = "n=5");
  WITH(rows[0].at = "step 5");
  WITH(rows[0].domain = "blocks");
  WITH(rows[0].search = "tokens=65");
  WITH(rows[0].search = NULL); /* the column's own tokens */
  WITH(columns[1].settings = "loop=masked protocol=cumulative");
  WITH(columns[1].settings = "loop=open"); /* one less */
  WITH(columns[1].settings = ASKED " variables=random");
  WITH(columns[1].figure = "repeat_rate");
  WITH(columns[1].test_seeds = "100 200");
  WITH(columns[1].interval = "interval");
  WITH(columns[1].source = SW_SOURCE_PROBE);
  WITH(lacks.drawn_from = "has");
#undef WITH
  /* `open` is what there is without a word: the same question */
  tables();
  columns[1].settings = "protocol=cumulative";
  assert_int_equal(takes(source, NULL), 2);
  columns[1].settings = "protocol=cumulative verifier=model";
  assert_int_equal(takes(source, NULL), 2);
  /* a column that does not apply to the row need not be answered */
  columns[1].figure = "repeat_rate";
  lacks.drawn_from = NULL;
  rows[0].columns = 1;
  assert_int_equal(takes(source, NULL), 2);
  /* a run card does not see the settings of the row's searches */
  columns[0] = (sw_repro_column)CARD("weights", "parameters", "");
  rows[0].search = "tokens=65";
  assert_int_equal(takes(source, NULL), 2);
  json_decref(source);
}

/* A member of the source's file set to another text; what is then taken. */
static int takes_with(const char *list, size_t at, const char *name,
                      const char *text) {
  json_t *source = kept_of(&has, 1, 0.25);
  json_t *item =
      list ? json_array_get(json_object_get(source, list), at) : source;
  assert_non_null(item);
  json_object_set_new(item, name, json_string(text));
  int count = takes(source, NULL);
  json_decref(source);
  return count;
}

static void other_files_are_not_used(void **state) {
  (void)state;
  tables();
  assert_int_equal(takes_with("made_by", 0, "date", "2020-01-01"), 2);
  assert_int_equal(takes_with("made_by", 0, "over", "instances=9"), 0);
  assert_int_equal(takes_with(NULL, 0, "scale", "paper"), 0);
  assert_int_equal(takes_with("models", 0, "train", "lr=1"), 1);
  assert_int_equal(takes_with("models", 1, "recipe", "lr=1"), 1);
  assert_int_equal(takes_with("models", 1, "preset_hash", "01"), 1);
  assert_int_equal(takes_with("rows", 1, "search", "tokens=1"), 0);
  assert_int_equal(takes_with("columns", 0, "settings", "tokens=1"), 0);
  /* one column without the seed, even one that is not asked for here */
  for (int c = 0; c < 3; c++) {
    json_t *source = kept_of(&has, 1, 0.25);
    const json_t *cell = sw_kept_cell(source, &has.row[1], has.column[c].title);
    json_array_remove(json_object_get(cell, "values"), 0);
    assert_int_equal(takes(source, NULL), 1);
    json_decref(source);
  }
  /* sizes are those of the table's own file */
  json_t *source = kept_of(&has, 1, 0.25), *mine = kept_of(&lacks, 0, 0.75);
  json_array_clear(json_object_get(mine, "models"));
  assert_int_equal(takes(source, mine), 2);
  json_object_set_new(json_array_get(json_object_get(mine, "made_by"), 0),
                      "over", json_string("traces=9"));
  assert_int_equal(takes(source, mine), 0);
  json_object_set_new(json_array_get(json_object_get(source, "made_by"), 0),
                      "over", json_string("traces=9"));
  assert_int_equal(takes(source, mine), 2);
  json_decref(mine);
  json_decref(source);
}

/* A member of one item of a kept file set to another text: is it today's? */
static int is_todays_with(const char *list, size_t at, const char *name,
                          const char *text) {
  json_t *kept = kept_of(&has, 1, 0.25);
  json_t *item = json_array_get(json_object_get(kept, list), at);
  assert_non_null(item);
  if (text) json_object_set_new(item, name, json_string(text));
  int todays = sw_kept_is_todays(kept, &has);
  json_decref(kept);
  return todays;
}

/* A row or column that is gone, a question or a training that is another; what
 * is not there yet does not matter (kept_of has one row of two). */
static void older_settings_are_told(void **state) {
  (void)state;
  json_t *kept = kept_of(&has, 1, 0.25);
  size_t done = 0;
  while (strcmp(
      sw_member_text(json_array_get(json_object_get(kept, "cells"), done),
                     "state", ""),
      "done"))
    done++;
  json_decref(kept);
  assert_int_equal(is_todays_with("cells", done, NULL, NULL), 1);
  assert_int_equal(is_todays_with("cells", done, "row", "gone"), 0);
  assert_int_equal(is_todays_with("cells", done, "column", "gone"), 0);
  assert_int_equal(is_todays_with("rows", 1, "search", "tokens=1"), 0);
  assert_int_equal(is_todays_with("columns", 0, "settings", "tokens=1"), 0);
  assert_int_equal(is_todays_with("models", 0, "row", "gone"), 0);
  assert_int_equal(is_todays_with("models", 0, "train", "lr=1"), 0);
  assert_int_equal(is_todays_with("models", 1, "preset_hash", "01"), 0);
  assert_int_equal(is_todays_with("models", 1, "weights", "01"), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_question_is_not_answered),
      cmocka_unit_test(other_files_are_not_used),
      cmocka_unit_test(older_settings_are_told),
  };
  return cmocka_run_group_tests(tests, prepare, clean);
}
