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

static void a_wrong_script_is_named(void **state) {
  (void)state;
  if (no_gnuplot()) skip();
  char *svg;
  sw_err err = {0};
  assert_int_equal(sw_plot("demo", 300, 200, "plto nonsense\n", &svg, &err),
                   SW_INTERNAL);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_picture_comes_back),
      cmocka_unit_test(a_wrong_script_is_named),
      cmocka_unit_test(a_missing_gnuplot_is_named),
      cmocka_unit_test(large_scripts_do_not_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
