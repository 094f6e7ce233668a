/* Questions: what changes an answer changes the text, all else does not. All
 * option rows of searches, measures and domains are walked, so that a new
 * option is in the text the day it is in a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "probe/measure.h"
#include "repro/cell_question.h"
#include "search/condition.h"
#include "search/question.h"

static char *asked(sw_cell_asked a) {
  char *text;
  sw_err err = {0};
  if (sw_cell_question(&a, NULL, &text, &err)) fail_msg("%s", err.text);
  return text;
}

static void check(sw_cell_asked a, sw_cell_asked b, int same, const char *of) {
  char *x = asked(a), *y = asked(b);
  if ((strcmp(x, y) == 0) != same)
    fail_msg("%s: %s\n%s\n%s", of, same ? "two questions" : "one", x, y);
  free(x);
  free(y);
}

#define SEARCH(...) ((sw_cell_asked){.source = "search", __VA_ARGS__})
#define MEASURED(...) \
  ((sw_cell_asked){.source = "measure", .measure = "bank", __VA_ARGS__})

/* A value that the option takes and that is not `not`. */
static void other_value(const sw_option *o, const char * not, char *text,
                        size_t room) {
  double low = o->low <= o->high ? o->low : 0;
  double value = not &&*not ? strtod(not, NULL) : 0;
  char name[64];
  switch (o->kind) {
    case SW_FLAG:
      snprintf(text, room, "%d", !(value != 0));
      return;
    case SW_INT:
    case SW_LONG:
      snprintf(text, room, "%.0f",
               o->low > o->high || value < o->high ? value + 1 : low);
      return;
    case SW_REAL:
      snprintf(text, room, "%.17g", value / 2 + 0.125);
      return;
    case SW_CHOICE:
      sw_choice_name(o->choices, 0, name, sizeof name);
      if (!strcmp(name, not )) sw_choice_name(o->choices, 1, name, sizeof name);
      snprintf(text, room, "%s", name);
      return;
    default:
      snprintf(text, room, "other");
  }
}

/* Every row of a table, in `settings` of a cell that else asks `plain`. */
static void walk(sw_question_kind kind, const sw_option *row, int count,
                 sw_cell_asked plain) {
  for (int i = 0; i < count; i++) {
    char value[80], set[160];
    const char *neutral = sw_question_neutral(kind, &row[i]);
    sw_cell_asked one = plain;
    int task = kind == SW_ASKS_TASK;
    const char **at = task ? &one.test : &one.settings;
    *at = set;
    other_value(&row[i], neutral, value, sizeof value);
    snprintf(set, sizeof set, "%s=%s", row[i].name, value);
    check(plain, one, sw_question_silent(kind, row[i].name), set);
    if (task || row[i].kind == SW_LIST || !*neutral) continue;
    snprintf(set, sizeof set, "%s=%s", row[i].name, neutral);
    check(plain, one, 1, set); /* as if there were no such option */
  }
}

static void every_option_counts_or_is_silent(void **state) {
  (void)state;
  walk(SW_ASKS_SEARCH, sw_condition_table, sw_condition_table_count, SEARCH(0));
  for (int m = 0; sw_measures[m]; m++)
    walk(SW_ASKS_MEASURE, sw_measures[m]->options, sw_measures[m]->option_count,
         (sw_cell_asked){.source = "measure", .measure = sw_measures[m]->name});
  for (int d = 0; sw_domains[d]; d++)
    walk(SW_ASKS_TASK, sw_domains[d]->options, sw_domains[d]->option_count,
         SEARCH(0));
}

/* The value of a line "\nWHO NAME=VALUE\n", or NULL. */
static const char *frozen_value(const char *frozen, const char *who,
                                const char *name, char value[80]) {
  char start[160];
  snprintf(start, sizeof start, "\n%s %s=", who, name);
  const char *at = strstr(frozen, start);
  if (!at) return NULL;
  at += strlen(start);
  snprintf(value, 80, "%.*s", (int)strcspn(at, "\n"), at);
  return value;
}

/* What the table's own test cannot see: a default that was changed. The lines
 * of the file say what each option meant before it existed; an option that is
 * not there yet gets its line when it is first part of a version. */
static void neutral_values_are_frozen(void **state) {
  (void)state;
  char *frozen, value[80];
  size_t bytes;
  int changed = 0, known = 0;
  sw_err err = {0};
  if (sw_read_file("tests/data/search/neutral.txt", 0, &frozen, &bytes, &err))
    fail_msg("%s", err.text);
  for (int m = -1; m < 0 || sw_measures[m]; m++) {
    const sw_option *row = m < 0 ? sw_condition_table : sw_measures[m]->options;
    const char *who = m < 0 ? "search" : sw_measures[m]->name;
    sw_question_kind kind = m < 0 ? SW_ASKS_SEARCH : SW_ASKS_MEASURE;
    int count = m < 0 ? sw_condition_table_count : sw_measures[m]->option_count;
    for (int i = 0; i < count; i++) {
      const char *now = sw_question_silent(kind, row[i].name)
                            ? "(silent)"
                            : sw_question_neutral(kind, &row[i]);
      const char *was = frozen_value(frozen, who, row[i].name, value);
      known += was != NULL;
      if (!was)
        print_message("not frozen yet: %s %s=%s\n", who, row[i].name, now);
      if (!was || !strcmp(was, now)) continue;
      changed++;
      print_error("%s %s: %s, it was %s\n", who, row[i].name, now, was);
    }
  }
  free(frozen);
  assert_true(known > 150);
  if (changed)
    fail_msg(
        "of a changed default keep the old value: a row of `special` in "
        "src/search/question.c");
}

static void synonyms_are_one_question(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
  } same[] = {{"loop=masked", "verifier=exact"},
              {"loop=open", "verifier=model"},
              {"loop=open", ""},
              {"tokens=9 loop=masked", "verifier=exact tokens=9"},
              {"on_error=rescue", "on-error=rescue"},
              {"tokens=5 tokens=9", "tokens=9"},
              {"tokens=09", "tokens=9"},
              {"verdict-shown=yes", "verdict-shown=1"},
              {"loop=open verifier=exact", "loop=masked"},
              {"width=7", "width=9"}};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    check(SEARCH(.settings = same[i].a), SEARCH(.settings = same[i].b), 1,
          same[i].a);
  /* a row's settings lie over the column's, wherever each of them stands */
  check(SEARCH(.settings = "tokens=5 loop=open", .search = "tokens=9"),
        SEARCH(.search = "loop=open tokens=9"), 1, "row over column");
  check(SEARCH(.test_seeds = "42"), SEARCH(.test_seeds = NULL), 1, "seed 42");
  check(MEASURED(.settings = "viable=1e3"), MEASURED(.settings = "viable=1e3"),
        1, "as it is");
  check(MEASURED(.mask = "ssa"), MEASURED(.settings = "eval-mask=ssa"), 1,
        "reading");
  assert_true(sw_member_same("settings", "search", NULL, "loop=masked",
                             "verifier=exact"));
  assert_true(
      sw_member_same("train", NULL, NULL, "lr=1e-3 d=64", "d=64 lr=0.001"));
  /* over a preset the default says something too */
  assert_false(sw_member_same("train", NULL, NULL, "d=128 mask=ssa", "d=128"));
  assert_false(sw_member_same("rule", NULL, NULL, "a b", "b a"));
}

/* Files of answers were once named by a chain of hashes in which these met. */
static void no_part_passes_for_another(void **state) {
  (void)state;
  check(SEARCH(.test = "x=1"), SEARCH(.mask = "x=1"), 0, "test, mask");
  check(SEARCH(.mask = "x"), SEARCH(.positions = "x"), 0, "mask, positions");
  check(MEASURED(.test = "x=1"), MEASURED(.mask = "x=1"), 0, "test, mask");
  check(MEASURED(.mask = "x"), MEASURED(.positions = "x"), 0,
        "mask, positions");
  check(SEARCH(.mask = "x) positions(y"), SEARCH(.mask = "x", .positions = "y"),
        0, "brackets");
  check(SEARCH(.settings = "verifier=a%20b"), SEARCH(.settings = "verifier=a"),
        0, "quotes");
  check(SEARCH(.test = "n=5"), SEARCH(.settings = "n=5"), 0, "test, settings");
  check(
      MEASURED(.settings = "viable=8"),
      (sw_cell_asked){
          .source = "measure", .measure = "attention", .settings = "viable=8"},
      0, "measures");
}

static char *text_by(const sw_option *row, int count, const char *const *pair) {
  sw_question_table table = {SW_ASKS_SEARCH, row, count};
  sw_question_text q;
  char *text;
  sw_err err = {0};
  if (sw_question_begin(&q, &err) ||
      sw_question_settings(&q, "search", &table, 1, pair, &err) ||
      sw_question_end(&q, &text, &err))
    fail_msg("%s", err.text);
  return text;
}

static void a_new_option_changes_no_old_question(void **state) {
  (void)state;
  enum { MORE = 100 };
  static sw_option grown[MORE];
  const char *const old[] = {"tokens", "9", "loop", "masked", NULL},
                    *const at[] = {"tokens", "9",   "loop", "masked",
                                   "aside",  "0.5", NULL},
                    *const off[] = {"tokens", "9",    "loop", "masked",
                                    "aside",  "0.25", NULL};
  int count = sw_condition_table_count;
  assert_true(count < MORE - 1);
  grown[0] = (sw_option){"aside", SW_REAL, 0, "0.5", 0, 1, "", "new"};
  memcpy(grown + 1, sw_condition_table, sizeof *grown * (size_t)count);
  char *was = text_by(sw_condition_table, count, old),
       *is = text_by(grown, count + 1, old),
       *neutral = text_by(grown, count + 1, at),
       *other = text_by(grown, count + 1, off);
  assert_string_equal(was, is);
  assert_string_equal(was, neutral);
  assert_string_not_equal(was, other);
  free(was);
  free(is);
  free(neutral);
  free(other);
}

/* Keys of stores: all options of the first stores are in them, a later one only
 * where it says something. */
static void later_options_of_a_domain_leave_keys_alone(void **state) {
  (void)state;
  const sw_domain *sat = sw_domain_find("sat");
  sw_domain_options o;
  sw_domain_defaults(sat, &o);
  char *was = sw_domain_options_json(sat, &o);
  assert_null(strstr(was, "exclude-drawn"));
  assert_non_null(strstr(was, "\"retry-mark\""));
  free(was);
  o.exclude_drawn = "1:2";
  was = sw_domain_options_json(sat, &o);
  assert_true(
      strstr(was, "exclude-drawn") ||
      !sw_options_find(sat->options, sat->option_count, "exclude-drawn"));
  free(was);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_option_counts_or_is_silent),
      cmocka_unit_test(neutral_values_are_frozen),
      cmocka_unit_test(synonyms_are_one_question),
      cmocka_unit_test(no_part_passes_for_another),
      cmocka_unit_test(a_new_option_changes_no_old_question),
      cmocka_unit_test(later_options_of_a_domain_leave_keys_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
