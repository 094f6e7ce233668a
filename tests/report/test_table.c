/* Tables in their three forms, with text that means something to each, and
 * the CSV quoting. Expected text is written out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/table.h"

static char *written(const sw_table *t, sw_table_form form) {
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  sw_table_write(t, form, out);
  fclose(out);
  return text;
}

static void fill(sw_table *t) {
  static const char *const heads[] = {"model", "solved | %", NULL};
  sw_table_init(t, "demo", "A & B", heads);
  sw_table_row(t);
  sw_table_put(t, 0, "a<b> & \"c\"_1");
  sw_table_percent(t, 1, 0.12345, 1);
  sw_table_row(t);
  sw_table_put(t, 0, "x|y*");
  sw_table_percent(t, 1, NAN, 1);
}

static void html_is_escaped(void **state) {
  (void)state;
  sw_table t;
  fill(&t);
  char *text = written(&t, SW_TABLE_HTML);
  assert_non_null(strstr(text, "id=\"caption-demo\">A &amp; B</p>"));
  assert_non_null(strstr(text,
                         "<th scope=\"row\">a&lt;b&gt; &amp; "
                         "&quot;c&quot;_1</th><td>12.3 %</td>"));
  assert_non_null(strstr(text, "<th scope=\"row\">x|y*</th><td>-</td>"));
  assert_null(strstr(text, "<b>"));
  free(text);
  sw_table_free(&t);
}

static void markdown_is_escaped(void **state) {
  (void)state;
  sw_table t;
  fill(&t);
  char *text = written(&t, SW_TABLE_MARKDOWN);
  assert_string_equal(text,
                      "**A & B**\n\n| model | solved \\| % |\n|---|--:|\n"
                      "| a\\<b> & \"c\"\\_1 | 12.3 % |\n| x\\|y\\* | - |\n\n");
  free(text);
  sw_table_free(&t);
}

static void latex_is_escaped(void **state) {
  (void)state;
  sw_table t;
  fill(&t);
  char *text = written(&t, SW_TABLE_LATEX);
  assert_string_equal(
      text,
      "\\begin{table}\n\\centering\n\\begin{tabular}{lr}\n\\hline\n"
      "model & solved | \\% \\\\\n\\hline\n"
      "a$<$b$>$ \\& \"c\"\\_1 & 12.3 \\% \\\\\nx|y* & - \\\\\n"
      "\\hline\n\\end{tabular}\n\\caption{A \\& "
      "B}\n\\label{tab:demo}\n\\end{table}\n\n");
  free(text);
  sw_table_free(&t);
}

static void cells_are_bounded(void **state) {
  (void)state;
  static const char *const heads[] = {"one", NULL};
  char large[500];
  sw_table t;
  memset(large, 'x', sizeof large - 1);
  large[sizeof large - 1] = 0;
  sw_table_init(&t, "demo", "", heads);
  sw_table_put(&t, 0, "no row yet");
  assert_int_equal(t.rows, 0);
  for (int i = 0; i < 100; i++) {
    sw_table_row(&t);
    sw_table_put(&t, 0, "%s", large);
    sw_table_put(&t, 1, "no such column");
  }
  assert_int_equal(t.rows, 100);
  for (int i = 0; i < 100; i++)
    assert_int_equal(strlen(t.cell[i]), SW_TABLE_CELL - 1);
  sw_table_free(&t);
}

static void csv_is_quoted(void **state) {
  (void)state;
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  sw_escape_csv(out, "plain");
  fputc('|', out);
  sw_escape_csv(out, "a,b \"c\"\n");
  /* what a spreadsheet would run as a formula becomes text */
  static const char *const formulas[] = {"=1+1", "+1", "-1", "@x", "\t=1"};
  for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
    fputc('|', out);
    sw_escape_csv(out, formulas[i]);
  }
  fclose(out);
  assert_string_equal(text,
                      "plain|\"a,b \"\"c\"\"\n\"|\"'=1+1\"|\"'+1\"|\"'-1\"|"
                      "\"'@x\"|\"'\t=1\"");
  free(text);
}

/* Ours, its interval, the paper's; a unit in the head; a rule set apart. */
static void lines_of_a_cell(void **state) {
  (void)state;
  static const char *const heads[] = {"", "solved", NULL};
  static const char *const words[SW_TABLE_FORMS] = {
      [SW_TABLE_HTML] =
          "<th scope=\"col\">solved, %</th></tr></thead>\n<tbody>\n"
          "<tr><th scope=\"row\">SSA</th><td>41.0<br><span "
          "class=\"soft\">(34.2 to 47.8)</span><br><span "
          "class=\"soft\">paper 28.9</span></td></tr>\n<tr "
          "class=\"apart\"><th scope=\"row\">a rule</th>",
      [SW_TABLE_MARKDOWN] =
          "| | solved, % |\n|---|--:|\n| SSA | 41.0 (34.2 to "
          "47.8); paper 28.9 |\n| *a rule* | 3.0 |\n\n",
      [SW_TABLE_LATEX] =
          " & solved, \\% \\\\\n\\hline\nSSA & 41.0 (34.2 to "
          "47.8); paper 28.9 \\\\\n\\hline\na rule & 3.0 \\\\\n",
      [SW_TABLE_TEXT] =
          "                              solved, %\nSSA     41.0 (34.2 to "
          "47.8); paper 28.9\na rule                              3.0\n"};
  sw_table t;
  sw_table_init(&t, "demo", NULL, heads);
  t.unit[1] = "%";
  t.apart = 1;
  sw_table_row(&t);
  sw_table_put(&t, 0, "SSA");
  sw_table_put(&t, 1, "41.0\n(34.2 to 47.8)\npaper 28.9");
  sw_table_row(&t);
  sw_table_put(&t, 0, "a rule");
  sw_table_put(&t, 1, "3.0");
  for (int form = 0; form < SW_TABLE_FORMS; form++) {
    char *text = written(&t, (sw_table_form)form);
    if (!strstr(text, words[form]))
      fail_msg("form %d:\n%s\nnot:\n%s", form, text, words[form]);
    free(text);
  }
  sw_table_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(html_is_escaped),  cmocka_unit_test(markdown_is_escaped),
      cmocka_unit_test(latex_is_escaped), cmocka_unit_test(cells_are_bounded),
      cmocka_unit_test(csv_is_quoted),    cmocka_unit_test(lines_of_a_cell),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
