/* Plots: a picture comes back, its stand-in colours become variables or fixed
 * colours, its ids are its own, and a missing or refusing gnuplot is an error
 * that says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/figures.h"
#include "report/plot.h"

static const char script[] =
    "set border 3 lc rgb '" SW_PLOT_INK "'\nset grid lc rgb '" SW_PLOT_RULE
    "'\n"
    "$d << EOD\n1 2\n2 3\nEOD\n"
    "plot $d using 1:2 with linespoints pt 7 lc rgb '#030303' title 'a<b & "
    "c'\n";

static int no_gnuplot(void) {
  return system("command -v gnuplot >/dev/null 2>&1") != 0;
}

static void a_picture_comes_back(void **state) {
  (void)state;
  if (no_gnuplot()) skip();
  char *svg;
  sw_err err = {0};
  if (sw_plot("demo", 300, 200, script, &svg, &err)) fail_msg("%s", err.text);
  assert_non_null(strstr(svg, "<svg"));
  assert_non_null(strstr(svg, "rgb(  1,   1,   1)"));

  char *page = sw_plot_inlined(svg, "demo", "A demo");
  assert_true(strncmp(page, "<svg role=\"img\" aria-label=\"A demo\"", 35) ==
              0);
  assert_non_null(strstr(page, "var(--ink)"));
  assert_non_null(strstr(page, "var(--rule)"));
  assert_non_null(strstr(page, "var(--series-1)"));
  assert_non_null(strstr(page, "href='#demo-gpPt6'"));
  assert_null(strstr(page, "rgb("));
  assert_null(strstr(page, "http"));
  assert_null(strstr(page, "xlink"));
  assert_null(strstr(page, "a<b")); /* gnuplot escapes titles */
  free(page);

  char *file = sw_plot_standalone(svg);
  assert_true(strncmp(file, "<?xml", 5) == 0);
  assert_null(strstr(file, "rgb(  1,   1,   1)"));
  assert_non_null(strstr(file, "#2f6fb5"));
  assert_null(strstr(file, "var("));
  free(file);
  free(svg);
}

/* Pointing at a number says it, without a script; a plot's own name is not
 * said.
 */
static void numbers_are_titles(void **state) {
  (void)state;
  if (no_gnuplot()) skip();
  char *svg;
  sw_err err = {0};
  if (sw_plot(
          "demo", 300, 200,
          "$d << EOD\n1 2 \"SSA, solved: 2\"\nEOD\nplot $d using 1:2:3 with "
          "labels hypertext point pt 7 lc rgb '#fe010101' notitle\n",
          &svg, &err))
    fail_msg("%s", err.text);
  char *page = sw_plot_inlined(svg, "demo", "A demo");
  assert_non_null(strstr(page, "<title>SSA, solved: 2</title>"));
  assert_null(strstr(page, "onmousemove"));
  assert_null(strstr(page, "_plot_1</title>"));
  free(page);
  free(svg);
}

static void a_colour_belongs_to_a_model(void **state) {
  (void)state;
  static const char *const few[] = {"causal", "state only", "SSA"},
                           *const many[] = {"SSA", "causal", "a", "b",
                                            "c",   "d",      "e", "f"};
  int color[8];
  sw_plot_colors(few, 3, color);
  assert_int_equal(color[0], 1);
  assert_int_equal(color[1], 2);
  assert_int_equal(color[2], 0);
  sw_plot_colors(many, 8, color);
  for (int i = 2; i < 8; i++) assert_in_range(color[i], 2, 5);
}

static void a_wrong_script_is_named(void **state) {
  (void)state;
  if (no_gnuplot()) skip();
  char *svg;
  sw_err err = {0};
  assert_int_equal(sw_plot("demo", 300, 200, "plto nonsense\n", &svg, &err),
                   SW_DATA);
  assert_null(svg);
  assert_non_null(strstr(err.text, "gnuplot"));
}

static void a_missing_gnuplot_is_named(void **state) {
  (void)state;
  char *svg, *path = strdup(getenv("PATH"));
  sw_err err = {0};
  setenv("PATH", "/nonexistent", 1);
  int code = sw_plot("demo", 300, 200, script, &svg, &err);
  setenv("PATH", path, 1);
  free(path);
  assert_int_equal(code, SW_NOFILE);
  assert_null(svg);
  assert_non_null(strstr(err.text, "gnuplot"));
  assert_non_null(strstr(err.hint, "gnuplot-nox"));
}

/* More than a pipe holds, both ways. */
static void large_scripts_do_not_block(void **state) {
  (void)state;
  if (no_gnuplot()) skip();
  char *text, *svg;
  size_t bytes;
  sw_err err = {0};
  FILE *out = open_memstream(&text, &bytes);
  fputs("$d << EOD\n", out);
  for (int i = 0; i < 40000; i++) fprintf(out, "%d %d\n", i, i * 7919 % 1000);
  fputs("EOD\nplot $d using 1:2 with points pt 7\n", out);
  fclose(out);
  assert_true(bytes > 300000);
  if (sw_plot("demo", 300, 200, text, &svg, &err)) fail_msg("%s", err.text);
  assert_true(strlen(svg) > 1000000);
  free(svg);
  free(text);
}

/* A row without the first column: its bar stands in the second one's place and
 * has the second one's colour. */
static void a_missing_column_keeps_its_place(void **state) {
  (void)state;
  static const char text[] =
      "{\"columns\": [{\"title\": \"one\"}, {\"title\": \"two\"}],"
      " \"cells\": ["
      "{\"row\": \"a\", \"label\": \"A\", \"column_index\": 0, \"value\": 0.5},"
      "{\"row\": \"a\", \"label\": \"A\", \"column_index\": 1, \"value\": "
      "0.25},"
      "{\"row\": \"b\", \"label\": \"B\", \"column_index\": 1, \"value\": "
      "0.75}]}";
  static const char drawn[] =
      "{\"id\": \"f\", \"kind\": \"bars\", \"columns\": [0, 1]}";
  json_t *experiment = json_loads(text, 0, NULL);
  json_t *figure = json_loads(drawn, 0, NULL);
  char *plot = NULL;
  size_t bytes;
  FILE *out = open_memstream(&plot, &bytes);
  assert_true(sw_experiment_figure(experiment, figure, out));
  fclose(out);
  assert_non_null(strstr(plot, "-0.2000 50 50 50 0 328965 \"A, -: 50\"\n"));
  assert_non_null(strstr(plot, "0.2000 25 25 25 1 328965 \"A, -: 25\"\n"));
  assert_non_null(strstr(plot, "1.2000 75 75 75 1 394758 \"B, -: 75\"\n"));
  free(plot);
  json_decref(experiment);
  json_decref(figure);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_picture_comes_back),
      cmocka_unit_test(numbers_are_titles),
      cmocka_unit_test(a_colour_belongs_to_a_model),
      cmocka_unit_test(a_wrong_script_is_named),
      cmocka_unit_test(a_missing_gnuplot_is_named),
      cmocka_unit_test(large_scripts_do_not_block),
      cmocka_unit_test(a_missing_column_keeps_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
