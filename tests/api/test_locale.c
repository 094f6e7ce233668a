/* A host program may live in a locale where a number has a comma and a blank is
 * more than a blank: the library writes and reads the same bytes there. The
 * locale is made here, by localedef(1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../tiny_run.h"
#include "base/file.h"
#include "base/json.h"
#include "base/options.h"
#include "base/text.h"
#include "search/verifier.h"
#include "statewise.h"

static char *directory;
static const char source[] =
    "LC_CTYPE\ncopy \"POSIX\"\nEND LC_CTYPE\n"
    "LC_COLLATE\ncopy \"POSIX\"\nEND LC_COLLATE\n"
    "LC_MONETARY\ncopy \"POSIX\"\nEND LC_MONETARY\n"
    "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\n"
    "END LC_NUMERIC\n"
    "LC_TIME\ncopy \"POSIX\"\nEND LC_TIME\n"
    "LC_MESSAGES\ncopy \"POSIX\"\nEND LC_MESSAGES\n";

/* 1: numbers have a comma from now on. */
static int enter_locale(void) {
  char path[1200], command[3000];
  sw_err err;
  snprintf(path, sizeof path, "%s/comma.src", directory);
  if (sw_write_file(path, source, sizeof source - 1, &err)) return 0;
  snprintf(command, sizeof command,
           "localedef -c -f ANSI_X3.4-1968 -i %s %s/comma >%s/log 2>&1", path,
           directory, directory);
  (void)!system(command); /* warns about what is missing, and writes it */
  setenv("LOCPATH", directory, 1);
  if (!setlocale(LC_ALL, "comma")) return 0;
  snprintf(path, sizeof path, "%.1f", 0.5);
  return !strcmp(path, "0,5");
}

static void train_in(const char *name) {
  char data[1200], run[1200];
  sw_err err;
  snprintf(data, sizeof data, "%s/%s.data", directory, name);
  snprintf(run, sizeof run, "%s/%s", directory, name);
  tiny_run tiny = {.data = data,
                   .directory = run,
                   .mask = "ssa",
                   .n = 6,
                   .traces = 12,
                   .d = 16,
                   .steps = 3};
  if (tiny_run_make(&tiny, &err)) fail_msg("%s", err.text);
}

static void expect_same(const char *a, const char *b) {
  char path[2][1200];
  sw_content content[2];
  sw_err err;
  snprintf(path[0], sizeof path[0], "%s/%s", directory, a);
  snprintf(path[1], sizeof path[1], "%s/%s", directory, b);
  for (int i = 0; i < 2; i++)
    if (sw_content_read(&content[i], path[i], &err)) fail_msg("%s", err.text);
  assert_int_equal(content[0].bytes, content[1].bytes);
  assert_memory_equal(content[0].data, content[1].data, content[0].bytes);
  for (int i = 0; i < 2; i++) sw_content_free(&content[i]);
}

/* Numbers as options, verifiers and JSON have them. */
static void expect_numbers(void) {
  char text[40], *end;
  sw_json json;
  sw_verifier *v;
  sw_err err;
  double value;
  assert_true(sw_text_real("0.25x", &end) == 0.25 && *end == 'x');
  assert_true(sw_text_is_real("1e-3", &value) && value == 1e-3);
  assert_false(sw_text_is_real("0,5", &value));
  sw_real_text(text, sizeof text, 6, 0.5);
  assert_string_equal(text, "0.5");
  if (sw_verifier_open(&v, sw_domain_find("sat"), "noise:0.25,0.5:exact", &err))
    fail_msg("%s", err.text);
  assert_string_equal(v->text, "noise:0.25,0.5:exact");
  sw_verifier_close(v);
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_real(&json, "x", 1234567.5);
  sw_json_end(&json);
  assert_non_null(strstr(json.text, "1234567.5"));
  sw_json_free(&json);
}

static void search_once(void) {
  char run[1200];
  statewise *model;
  statewise_search *search;
  statewise_query q;
  statewise_error error;
  const char *text = "p cnf 3 2\n1 2 3 0\n-1 -2 0\n";
  snprintf(run, sizeof run, "%s/plain", directory);
  if (statewise_open(&model, run, 1, &error)) fail_msg("%s", error.text);
  if (statewise_search_text(&search, model, text, strlen(text), &error))
    fail_msg("%s", error.text);
  assert_int_equal(statewise_search_next(search, &q, &error), 1);
  statewise_search_close(search);
  statewise_close(model);
}

static void a_comma_changes_nothing(void **state) {
  (void)state;
  train_in("plain");
  if (!enter_locale()) {
    setlocale(LC_ALL, "C");
    print_message("localedef made no locale with a comma\n");
    skip();
  }
  expect_numbers();
  train_in("comma-run");
  search_once();
  setlocale(LC_ALL, "C");
  expect_same("plain.data", "comma-run.data");
  expect_same("plain/model.safetensors", "comma-run/model.safetensors");
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_comma_changes_nothing)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
