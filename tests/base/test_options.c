/* The option parser: every kind, every way to give a value, every error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "base/options.h"

#define OPTIONS(X)                                                   \
  X(verbose, FLAG, "verbose", "0", 0, 0, "", "talk")                 \
  X(cache, FLAG, "cache", "1", 0, 0, "", "keep things")              \
  X(n, INT, "n", "50", 1, 4096, "", "size")                          \
  X(seed, LONG, "seed", "42", 1, 0, "", "seed, unlimited")           \
  X(rate, REAL, "rate", "0.15", 0, 1, "", "rate")                    \
  X(output, TEXT, "out", "", 0, 0, "output", "file")                 \
  X(mask, CHOICE, "mask", "ssa", 0, 0, "causal|ssa|blanket", "mask") \
  X(max_blocks, INT, "max-blocks", "-1", -1, 9, "", "blocks")        \
  X(models, LIST, "model", "base", 0, 0, "", "models")

typedef struct values {
  OPTIONS(SW_OPTION_FIELD)
} values;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(values, __VA_ARGS__)
    OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table };

static values got;
static unsigned char given[COUNT];
static sw_list rest;
static int help;
static sw_err err;

static int parse(const char *line) {
  static char text[512];
  static char *argv[32];
  int argc = 0;
  snprintf(text, sizeof text, "cmd %s", line);
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
    argv[argc++] = word;
  memset(&err, 0, sizeof err);
  sw_options_defaults(table, COUNT, &got);
  return sw_options_parse(table, COUNT, argc, argv, &got, given, NULL, &rest,
                          &help, &err);
}

static void defaults(void **state) {
  (void)state;
  assert_int_equal(parse(""), 0);
  assert_true(!got.verbose && got.cache && got.n == 50 && got.seed == 42);
  assert_true(got.rate == 0.15 && got.mask == 1 && got.max_blocks == -1);
  assert_null(got.output);
  assert_int_equal(got.models.count, 1);
  assert_string_equal(got.models.item[0], "base");
  for (int i = 0; i < COUNT; i++) assert_int_equal(given[i], 0);
}

static void every_form(void **state) {
  (void)state;
  assert_int_equal(
      parse("--verbose --no-cache --n 7 --seed=-9000000000 --rate .5 -o x.st "
            "--mask blanket --model a --model=b one --set max_blocks=3 - -5 "
            "-- --n"),
      0);
  assert_true(got.verbose && !got.cache && got.n == 7 &&
              got.seed == -9000000000);
  assert_true(got.rate == .5 && got.mask == 2 && got.max_blocks == 3);
  assert_string_equal(got.output, "x.st");
  assert_int_equal(got.models.count, 2);
  assert_string_equal(got.models.item[1], "b");
  assert_int_equal(rest.count, 4);
  assert_string_equal(rest.item[0], "one");
  assert_string_equal(rest.item[2], "-5");
  assert_string_equal(rest.item[3], "--n");
  for (int i = 0; i < COUNT; i++) assert_int_equal(given[i], 1);
  assert_int_equal(parse("--cache=0 --verbose=1"), 0);
  assert_true(got.verbose && !got.cache);
  assert_int_equal(parse("--max_blocks 4"), 0);
  assert_int_equal(got.max_blocks, 4);
  assert_int_equal(parse("--output older.st"), 0); /* the name of before */
  assert_string_equal(got.output, "older.st");
}

static void help_stops(void **state) {
  (void)state;
  assert_int_equal(parse("--help --nonsense"), 0);
  assert_int_equal(help, 1);
  assert_int_equal(parse("-h"), 0);
  assert_int_equal(help, 1);
}

static void errors(void **state) {
  (void)state;
  static const struct {
    const char *line, *text, *hint;
  } row[] = {
      {"--verbos", "unknown option --verbos", "--verbose"},
      {"--ouptut x", "unknown option --ouptut", "--out?"},
      {"--max-block 3", "--max-block", "--max-blocks"},
      {"--zzzzzzz 3", "unknown option", "--help"},
      {"--n=many", "not a whole number", ""},
      {"--n 3x", "not a whole number", ""},
      {"--n 0", "0 is outside 1 to 4096", ""},
      {"--n 5000", "outside", ""},
      {"--n 99999999999", "fits", ""},
      {"--seed 99999999999999999999", "fits", ""},
      {"--rate 1.5", "outside 0 to 1", ""},
      {"--rate nan", "not a number", ""},
      {"--rate x", "not a number", ""},
      {"--mask full", "not one of", "causal|ssa|blanket"},
      {"--verbose=2", "not 0 or 1", ""},
      {"--no-n", "unknown option --no-n", ""},
      {"--n", "needs a value", ""},
      {"--set n", "expected name=value", ""},
      {"--set m=3", "unknown option --m", ""},
      {"-x", "unknown option -x", "two dashes"},
      {"-o", "needs a value", ""},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    int code = parse(row[i].line);
    if (code != SW_USAGE || !strstr(err.text, row[i].text) ||
        !strstr(err.hint, row[i].hint))
      fail_msg("%s: %d \"%s\" \"%s\"", row[i].line, code, err.text, err.hint);
  }
}

static void no_positional_where_none_is_wanted(void **state) {
  (void)state;
  char word[] = "x", name[] = "cmd";
  char *argv[] = {name, word};
  sw_options_defaults(table, COUNT, &got);
  assert_int_equal(sw_options_parse(table, COUNT, 2, argv, &got, NULL, NULL,
                                    NULL, NULL, &err),
                   SW_USAGE);
}

static void too_many_values(void **state) {
  (void)state;
  char name[] = "cmd", option[] = "--model=x";
  char *argv[100] = {name};
  for (int i = 1; i < 100; i++) argv[i] = option;
  sw_options_defaults(table, COUNT, &got);
  assert_int_equal(sw_options_parse(table, COUNT, 65, argv, &got, NULL, NULL,
                                    &rest, NULL, &err),
                   0);
  assert_int_equal(sw_options_parse(table, COUNT, 100, argv, &got, NULL, NULL,
                                    &rest, NULL, &err),
                   SW_USAGE);
}

static void json_and_help(void **state) {
  (void)state;
  sw_json json;
  parse("--n 7 --mask causal");
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_options_json(table, COUNT, &got, &json);
  sw_json_end(&json);
  assert_string_equal(json.text,
                      "{\"verbose\": false, \"cache\": true, \"n\": 7, "
                      "\"seed\": 42, \"rate\": 0.15, \"out\": null, "
                      "\"mask\": \"causal\", \"max-blocks\": -1, "
                      "\"model\": [\"base\"]}");
  sw_json_free(&json);
  char *text;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  sw_options_help(table, COUNT, out);
  fclose(out);
  assert_non_null(strstr(text, "  -o, --out TEXT"));
  assert_non_null(strstr(text, "  --no-cache"));
  assert_non_null(strstr(text, "mask: causal|ssa|blanket (default ssa)"));
  assert_null(strstr(text, "default -1"));
  free(text);
}

static void choices_and_names(void **state) {
  (void)state;
  char name[8];
  assert_int_equal(sw_choice_index("a|bc|d", "bc"), 1);
  assert_int_equal(sw_choice_index("a|bc|d", "b"), -1);
  assert_int_equal(sw_choice_index("a|bc|d", ""), -1);
  assert_string_equal(sw_choice_name("a|bc|d", 2, name, sizeof name), "d");
  assert_string_equal(sw_choice_name("a|bc|d", 9, name, sizeof name), "");
  const char *const words[] = {"train", "trace", "transplant"};
  assert_string_equal(sw_nearest("trian", words, 3), "train");
  assert_string_equal(sw_nearest("trans", words, 3), "transplant");
  assert_null(sw_nearest("report", words, 3));
}

/* Names of a table that is chosen later are collected as text, in the order
 * given; the command's own come before them. */
static void options_for_later(void **state) {
  (void)state;
  static const sw_option others[] = {
      {"ratio", SW_REAL, 0, "-1", -1, 9, "", "a number"},
      {"n", SW_INT, 0, "-1", -1, 9, "", "hidden by the command's n"},
      {"too-long", SW_TEXT, 0, "", 0, 0, "", "a text"}};
  sw_later later = {.table = others, .count = 3};
  char *argv[] = {"x",     "--ratio=word", "--n",     "5",
                  "--set", "too_long=cut", "--ratio", "4"};
  sw_options_defaults(table, COUNT, &got);
  assert_int_equal(sw_options_parse(table, COUNT, 8, argv, &got, given, &later,
                                    &rest, NULL, &err),
                   0);
  assert_int_equal(got.n, 5);
  assert_int_equal(later.pairs.count, 3);
  assert_string_equal(later.pairs.item[0].name, "ratio");
  assert_string_equal(later.pairs.item[0].value, "word");
  assert_string_equal(later.pairs.item[1].name, "too-long");
  assert_string_equal(later.pairs.item[1].value, "cut");
  assert_string_equal(later.pairs.item[2].value, "4");
  /* An unknown name is compared with both tables. */
  char *wrong[] = {"x", "--ratoi", "4"};
  assert_int_equal(sw_options_parse(table, COUNT, 3, wrong, &got, given, &later,
                                    &rest, NULL, &err),
                   SW_USAGE);
  assert_string_equal(err.hint, "did you mean --ratio?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults),
      cmocka_unit_test(options_for_later),
      cmocka_unit_test(every_form),
      cmocka_unit_test(help_stops),
      cmocka_unit_test(errors),
      cmocka_unit_test(no_positional_where_none_is_wanted),
      cmocka_unit_test(too_many_values),
      cmocka_unit_test(json_and_help),
      cmocka_unit_test(choices_and_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
