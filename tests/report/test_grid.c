/* What a grid says of rules: a number stands only beside the rows that it is
 * of. Rows under other verifiers have other numbers, and lines of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "report/kept_grid.h"

/* Three rows, two columns; `last` is what the rule has beside the last row. */
static char *grid_of(const char *last) {
  char text[900], *shown = NULL;
  size_t bytes;
  sw_table_list list = {0};
  snprintf(text, sizeof text,
           "{\"columns\":[{\"title\":\"solved\"},{\"title\":\"backs\"}],"
           "\"cells\":["
           "{\"row\":\"a\",\"label\":\"A\",\"column_index\":0,\"value\":0.5,"
           "\"rule\":0.14,\"ceiling\":0.9},"
           "{\"row\":\"a\",\"label\":\"A\",\"column_index\":1,\"value\":0.2},"
           "{\"row\":\"b\",\"label\":\"B\",\"column_index\":0,\"value\":0.6,"
           "\"rule\":0.14,\"ceiling\":0.9},"
           "{\"row\":\"c\",\"label\":\"C\",\"column_index\":0,\"value\":0.7,"
           "\"rule\":%s,\"ceiling\":0.9},"
           "{\"row\":\"d\",\"label\":\"D\",\"column_index\":0,\"value\":0.7}"
           "]}",
           last);
  json_t *kept = json_loads(text, 0, NULL);
  assert_non_null(kept);
  sw_kept_grid(kept, &list);
  FILE *out = open_memstream(&shown, &bytes);
  for (int i = 0; i < list.count; i++)
    sw_table_write(&list.table[i], SW_TABLE_MARKDOWN, out);
  fclose(out);
  assert_false(sw_table_list_failed(&list));
  sw_table_list_free(&list);
  json_decref(kept);
  return shown;
}

static void says(const char *shown, const char *line) {
  if (!strstr(shown, line)) fail_msg("no \"%s\" in:\n%s", line, shown);
}

static void one_number_for_all_rows(void **state) {
  (void)state;
  char *shown = grid_of("0.14");
  says(shown, "| *rule that reads the state exactly* | 14.0 | - |\n");
  says(shown, "| *best rule* | 90.0 | - |\n");
  free(shown);
}

static void rows_that_differ_have_lines_of_their_own(void **state) {
  (void)state;
  char *shown = grid_of("0.985");
  says(shown, "| *rule that reads the state exactly (A; B)* | 14.0 | - |\n");
  says(shown, "| *rule that reads the state exactly (C)* | 98.5 | - |\n");
  says(shown, "| *best rule* | 90.0 | - |\n");
  assert_null(strstr(shown, "exactly* |"));
  free(shown);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_number_for_all_rows),
      cmocka_unit_test(rows_that_differ_have_lines_of_their_own)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
