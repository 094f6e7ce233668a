/* A value that one table keeps of a model stands for another that asks the
 * same, with all that is known of it. */
#include "two_tables.h"

static void what_fits_is_taken_over(void **state) {
  (void)state;
  told t;
  tables();
  json_t *source = kept_of(&has, 1, 0.25);
  json_t *got = shared(source, NULL, NULL, 0, &t);
  assert_non_null(got);
  assert_int_equal(t.count, 2);
  assert_string_equal(t.line[1], "lacks: mine, seed 123 as kept in has");
  for (int s = 0; s < 2; s++) {
    char run[40];
    const json_t *steps = value_at(got, rows, "steps", (size_t)s);
    const json_t *share = value_at(got, rows, "share", (size_t)s);
    const json_t *model =
        json_array_get(json_object_get(got, "models"), (size_t)s);
    snprintf(run, sizeof run, "has run %d", s);
    assert_int_equal(sw_member_int(share, "seed", 0), sw_repro_seed(s));
    assert_true(sw_member_real(share, "value", -1) == 0.25 + s * 0.25);
    assert_int_equal(sw_member_int(share, "instances", 0), INSTANCES);
    assert_string_equal(sw_member_text(share, "each", ""), s ? "1100" : "1000");
    assert_string_equal(sw_member_text(steps, "each", ""),
                        s ? "0.5 1.5 2.5 3.5 " : "0.25 1.25 2.25 3.25 ");
    assert_string_equal(run_of(got, share), run);
    assert_string_equal(run_of(got, steps), run);
    assert_string_equal(run_of(got, model), run);
    assert_string_equal(sw_member_text(model, "row", ""), "mine");
    assert_string_equal(sw_member_text(model, "model", ""), "blocks7-ssa");
    assert_string_equal(sw_member_text(model, "weights", ""), "0123");
    assert_true(
        sw_kept_has(got, &lacks, rows, SW_SCALE_SMALL, sw_repro_seed(s)));
  }
  assert_int_equal(json_array_size(json_object_get(got, "made_by")), 2);
  assert_int_equal(json_array_size(json_object_get(got, "models")), 2);
  /* what follows is not copied; rules beside are those that the table shows */
  const json_t *cell = sw_kept_cell(got, rows, "share");
  assert_null(sw_kept_cell(got, rows, "change"));
  assert_true(sw_member_real(cell, "rule", -1) == 0.5);
  assert_true(sw_member_real(cell, "ceiling", -1) == -1);
  /* once there, it is not taken again */
  assert_null(shared(source, NULL, got, 0, &t));
  /* summed up */
  sw_repro_result r = {.experiment = &lacks};
  sw_err err = {0};
  t.count = 0;
  assert_int_equal(sw_kept_merge(&r, got, &t, hear, &err), 0);
  assert_int_equal(t.count, 0);
  const sw_repro_cell *c = sw_repro_cell_of(&r, "mine", 1);
  assert_int_equal(c->values, 2);
  assert_true(c->mean == 0.375 && c->value[1].each[1] == 1);
  assert_string_equal(r.origin[c->value[1].origin].command, "has run 1");
  assert_true(sw_repro_cell_of(&r, "mine", 2)->value[0].value == 0);
  sw_repro_free(&r);
  json_decref(got);
  json_decref(source);
}

/* One seed of its own: only the other comes, behind the runs that there are. */
static void what_is_there_stays(void **state) {
  (void)state;
  told t;
  tables();
  json_t *source = kept_of(&has, 1, 0.25), *mine = kept_of(&lacks, 0, 0.75);
  for (int c = 0; c < 2; c++)
    json_array_remove(
        json_object_get(sw_kept_cell(mine, rows, columns[c].title), "values"),
        1);
  json_array_remove(json_object_get(mine, "models"), 1);
  json_t *got = shared(source, NULL, mine, 0, &t);
  assert_int_equal(t.count, 1);
  assert_true(sw_member_real(value_at(got, rows, "share", 0), "value", -1) ==
              0.75);
  assert_string_equal(run_of(got, value_at(got, rows, "share", 0)),
                      "lacks run 0");
  assert_true(sw_member_real(value_at(got, rows, "share", 1), "value", -1) ==
              0.5);
  assert_string_equal(run_of(got, value_at(got, rows, "share", 1)),
                      "has run 1");
  assert_null(value_at(got, rows, "share", 2));
  /* the object that was given is as it was */
  assert_null(value_at(mine, rows, "share", 1));
  json_decref(got);
  json_decref(source);
  json_decref(mine);
}

/* The first table that has all of a seed; never a column of each. */
static void one_source_for_a_seed(void **state) {
  (void)state;
  told t;
  tables();
  json_t *source = kept_of(&has, 1, 0.25), *two = kept_of(&second, 1, 0.5);
  json_array_remove(
      json_object_get(sw_kept_cell(source, &has.row[1], "solved"), "values"),
      1);
  json_t *got = shared(source, two, NULL, 0, &t);
  assert_int_equal(t.count, 2);
  assert_string_equal(t.line[0], "lacks: mine, seed 42 as kept in has");
  assert_string_equal(t.line[1], "lacks: mine, seed 123 as kept in second");
  for (int c = 0; c < 2; c++) {
    const json_t *value = value_at(got, rows, columns[c].title, 1);
    assert_true(sw_member_real(value, "value", -1) == 0.75);
    assert_string_equal(run_of(got, value), "second run 1");
  }
  json_decref(got);
  second.drawn_from = "has"; /* what it has is another's */
  got = shared(source, two, NULL, 0, &t);
  second.drawn_from = NULL;
  assert_int_equal(t.count, 1);
  json_decref(got);
  json_decref(source);
  json_decref(two);
}

/* A file of before: one value without single instances, whose number and
 * interval are the cell's, and one run without a list. */
static void an_old_file_serves_too(void **state) {
  (void)state;
  told t;
  tables();
  json_t *source = kept_of(&has, 1, 0.25);
  json_object_del(source, "made_by");
  json_object_set_new(source, "command", json_string("long ago"));
  json_array_remove(json_object_get(source, "models"), 1);
  for (int c = 0; c < 3; c++) {
    json_t *cell = sw_kept_cell(source, &has.row[1], has.column[c].title);
    json_array_remove(json_object_get(cell, "values"), 1);
    json_object_set_new(cell, "instances", json_integer(200));
    json_object_set_new(cell, "low", json_real(0.125));
    json_object_set_new(cell, "high", json_real(0.375));
    json_t *value = value_at(source, &has.row[1], has.column[c].title, 0);
    json_object_del(value, "instances");
    json_object_del(value, "each");
    json_object_del(value, "by");
  }
  json_t *got = shared(source, NULL, NULL, 0, &t);
  assert_int_equal(t.count, 1);
  assert_string_equal(run_of(got, value_at(got, rows, "share", 0)), "long ago");
  sw_repro_result r = {.experiment = &lacks};
  sw_err err = {0};
  assert_int_equal(sw_kept_merge(&r, got, &t, hear, &err), 0);
  const sw_repro_cell *c = sw_repro_cell_of(&r, "mine", 1);
  assert_int_equal(c->instances, 200);
  assert_true(c->low == 0.125 && c->high == 0.375);
  sw_repro_free(&r);
  json_decref(got);
  json_decref(source);
}

/* What today's tables leave out gives way: the value of an older recipe for its
 * own seed always, all of an older row or column where that is asked for. */
static void outdated_values_give_way(void **state) {
  (void)state;
  told t;
  tables();
  json_t *source = kept_of(&has, 1, 0.25), *mine = kept_of(&lacks, 0, 0.75);
  json_object_set_new(json_array_get(json_object_get(mine, "models"), 0),
                      "train", json_string("lr=1"));
  json_t *got = shared(source, NULL, mine, 0, &t);
  assert_int_equal(t.count, 1);
  assert_string_equal(t.line[0], "lacks: mine, seed 42 as kept in has");
  assert_int_equal(json_array_size(json_object_get(got, "models")), 2);
  assert_int_equal(json_array_size(json_object_get(
                       sw_kept_cell(got, rows, "share"), "values")),
                   2);
  assert_true(sw_kept_has(got, &lacks, rows, SW_SCALE_SMALL, 42));
  assert_true(sw_kept_has(got, &lacks, rows, SW_SCALE_SMALL, 123));
  json_decref(got);
  json_decref(mine);
  /* the seed that nobody has now goes with its entry */
  json_array_remove(
      json_object_get(sw_kept_cell(source, &has.row[1], "solved"), "values"),
      0);
  for (int column = 0; column < 2; column++) {
    mine = kept_of(&lacks, 0, 0.75);
    json_object_set_new(
        json_array_get(json_object_get(mine, column ? "columns" : "rows"), 0),
        column ? "settings" : "search", json_string("tokens=1"));
    assert_null(shared(source, NULL, mine, 0, &t));
    got = shared(source, NULL, mine, 1, &t);
    assert_int_equal(t.count, 1);
    assert_true(sw_member_real(value_at(got, rows, "steps", 0), "value", -1) ==
                0.5);
    assert_null(value_at(got, rows, "steps", 1));
    assert_int_equal(json_array_size(json_object_get(got, "models")),
                     column ? 2 : 1); /* another column still has the seed */
    assert_true(sw_kept_has(got, &lacks, rows, SW_SCALE_SMALL, 123));
    assert_false(sw_kept_has(got, &lacks, rows, SW_SCALE_SMALL, 42));
    json_decref(got);
    json_decref(mine);
  }
  json_decref(source);
}

/* The plan, from files: what is shared is not missing, and a damaged file is
 * an error where it is wanted, not elsewhere. */
static void the_plan_counts_it_as_kept(void **state) {
  (void)state;
  static const sw_experiment *const only[] = {&lacks};
  static const sw_experiment *const damaged[] = {&second};
  static const sw_list any;
  char path[300];
  sw_err err = {0};
  sw_todo plan;
  sw_kept_shelf shelf = {.experiment = all, .directory = directory};
  tables();
  lacks.seeds[0] = 3;
  json_t *source = kept_of(&has, 1, 0.25);
  snprintf(path, sizeof path, "%s/has.json", directory);
  assert_int_equal(json_dump_file(source, path, 0), 0);
  json_decref(source);
  snprintf(path, sizeof path, "%s/second.json", directory);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("{\"cells\":", file);
  fclose(file);
  if (sw_kept_shelf_read(&shelf, &err)) fail_msg("%s", err.text);
  assert_non_null(shelf.kept[0]);
  assert_null(shelf.kept[1]);
  if (sw_todo_make(&plan, &shelf, only, 1, &any, &err))
    fail_msg("%s", err.text);
  assert_int_equal(plan.tasks, 1);
  assert_int_equal(plan.task[0].seed, 456);
  sw_todo_free(&plan);
  assert_null(shelf.kept[2]);
  assert_int_equal(sw_todo_make(&plan, &shelf, damaged, 1, &any, &err),
                   SW_DATA);
  /* runs to come of other sizes make their own */
  shelf.over = "traces=9";
  assert_int_equal(sw_todo_make(&plan, &shelf, only, 1, &any, &err), SW_OK);
  assert_int_equal(plan.tasks, 3);
  sw_todo_free(&plan);
  sw_kept_shelf_free(&shelf);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_fits_is_taken_over),
      cmocka_unit_test(what_is_there_stays),
      cmocka_unit_test(one_source_for_a_seed),
      cmocka_unit_test(an_old_file_serves_too),
      cmocka_unit_test(outdated_values_give_way),
      cmocka_unit_test(the_plan_counts_it_as_kept),
  };
  return cmocka_run_group_tests(tests, prepare, clean);
}
