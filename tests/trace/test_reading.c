/* Readings: names, files, position ids, and that nothing is clamped silently.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "trace/reading.h"

static void ids_by_hand(void **state) {
  (void)state;
  const int64_t start[3] = {0, 3, 5};
  static const int32_t standard[7] = {0, 1, 2, 3, 4, 5, 6},
                       relative[7] = {0, 1, 2, 3, 4, 3, 4},
                       first[7] = {512, 513, 514, 0, 1, 0, 1},
                       padded[5] = {0, 1, 2, 7, 8},
                       padded_end[5] = {0, 1, 2, 7, 7};
  const struct {
    sw_position_kind kind;
    const int32_t *ids;
    int64_t rows;
  } rows[] = {{SW_POS_STANDARD, standard, 7},
              {SW_POS_BLOCK_RELATIVE, relative, 5},
              {SW_POS_BLOCK_FIRST, first, 515}};
  int32_t out[7];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sw_reading r = {.positions = rows[i].kind};
    int64_t need;
    int32_t table = (int32_t)rows[i].rows;
    assert_int_equal(sw_reading_need(&r, 7, start, 3, &need, NULL), 0);
    assert_int_equal(need, rows[i].rows);
    assert_int_equal(sw_reading_positions(&r, 7, start, 3, 0, table, out, NULL),
                     0);
    assert_memory_equal(out, rows[i].ids, sizeof out);
    /* one row less: an error, not a clamped id */
    assert_int_equal(
        sw_reading_positions(&r, 7, start, 3, 0, table - 1, out, NULL),
        SW_LIMIT);
  }
  /* The release's padding error may run over the end, and stays there. */
  sw_reading r = {.positions = SW_POS_BLOCK_RELATIVE};
  assert_int_equal(sw_reading_positions(&r, 5, start, 2, 4, 0, out, NULL), 0);
  assert_memory_equal(out, padded, sizeof padded);
  assert_int_equal(sw_reading_positions(&r, 5, start, 2, 4, 8, out, NULL), 0);
  assert_memory_equal(out, padded_end, sizeof padded_end);
}

/* A block longer than block-first's room would get the prefix's ids. */
static void a_long_block_does_not_reach_the_prefix(void **state) {
  (void)state;
  enum { PREFIX = 4, LENGTH = PREFIX + SW_POS_BLOCK_ROOM + 1 };
  const int64_t start[2] = {0, PREFIX};
  static int32_t out[LENGTH];
  sw_reading r = {.positions = SW_POS_BLOCK_FIRST};
  sw_err err = {0};
  int64_t need, id;
  assert_int_equal(sw_reading_need(&r, LENGTH, start, 2, &need, &err),
                   SW_LIMIT);
  assert_non_null(strstr(err.text, "512"));
  assert_int_equal(
      sw_reading_positions(&r, LENGTH, start, 2, 0, 100000, out, NULL),
      SW_LIMIT);
  assert_int_equal(
      sw_reading_positions(&r, LENGTH - 1, start, 2, 0, 100000, out, NULL), 0);
  assert_int_equal(out[LENGTH - 2], SW_POS_BLOCK_ROOM - 1);
  assert_int_equal(out[0], SW_POS_BLOCK_ROOM);
  assert_int_equal(sw_reading_next(&r, PREFIX, 1, PREFIX, SW_POS_BLOCK_ROOM - 1,
                                   1, 100000, &id, NULL),
                   0);
  assert_int_equal(sw_reading_next(&r, PREFIX, 1, PREFIX, SW_POS_BLOCK_ROOM - 1,
                                   2, 100000, &id, NULL),
                   SW_LIMIT);
}

static void names_and_words(void **state) {
  (void)state;
  sw_reading r = sw_reading_of(SW_MASK_SSA);
  sw_err err = {0};
  char text[120];
  assert_int_equal(r.positions, SW_POS_BLOCK_RELATIVE);
  assert_int_equal(sw_reading_of(SW_MASK_CAUSAL).positions, SW_POS_STANDARD);
  assert_true(sw_reading_block_local(&r));
  assert_int_equal(sw_reading_parse(&r, NULL, "standard", &err), 0);
  assert_int_equal(r.mask, SW_MASK_SSA);
  assert_false(sw_reading_block_local(&r));
  assert_int_equal(sw_reading_parse(&r, "swa-prefix", NULL, &err), 0);
  r.window = 7;
  sw_reading_print(&r, text, sizeof text);
  assert_string_equal(text, "mask swa-prefix, positions standard, window 7");
  assert_int_equal(sw_reading_parse(&r, "sssa", NULL, &err), SW_USAGE);
  assert_non_null(strstr(err.hint, "random-matched"));
  assert_int_equal(sw_reading_parse(&r, NULL, "rotary?", &err), SW_USAGE);
  assert_non_null(strstr(err.hint, "standard block-relative block-first"));
  assert_int_equal(r.mask, SW_MASK_SWA_PREFIX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ids_by_hand),
      cmocka_unit_test(a_long_block_does_not_reach_the_prefix),
      cmocka_unit_test(names_and_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
