/* Growing, cutting and querying traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "trace/trace.h"

static void fill(sw_trace *trace, int blocks, int each) {
  for (int b = 0; b < blocks; b++) {
    sw_trace_begin_block(trace);
    for (int i = 0; i < each; i++)
      sw_trace_put(trace, b * 1000 + i, i == each - 1);
  }
}

static void grows_and_keeps(void **state) {
  (void)state;
  sw_trace trace;
  sw_trace_init(&trace);
  fill(&trace, 100, 37);
  assert_int_equal(trace.failed, 0);
  assert_int_equal(trace.blocks, 100);
  assert_int_equal(trace.length, 3700);
  for (int i = 0; i < 3700; i++) {
    assert_int_equal(trace.token[i], i / 37 * 1000 + i % 37);
    assert_int_equal(trace.supervised[i], i % 37 == 36);
    assert_int_equal(sw_trace_block_of(&trace, i), i / 37);
  }
  int32_t ids[3700];
  sw_trace_block_ids(&trace, ids);
  for (int i = 0; i < 3700; i++) assert_int_equal(ids[i], i / 37);
  sw_trace_free(&trace);
}

static void clear_keeps_the_memory(void **state) {
  (void)state;
  sw_trace trace;
  sw_trace_init(&trace);
  fill(&trace, 10, 100);
  trace.n = 5;
  const int32_t *token = trace.token;
  const int64_t *start = trace.block_start;
  sw_trace_clear(&trace);
  assert_int_equal(trace.length + trace.blocks + trace.n, 0);
  fill(&trace, 10, 100);
  assert_ptr_equal(trace.token, token);
  assert_ptr_equal(trace.block_start, start);
  sw_trace_free(&trace);
}

static void truncates_at_a_block(void **state) {
  (void)state;
  sw_trace trace;
  sw_trace_init(&trace);
  fill(&trace, 5, 7);
  sw_trace_truncate_blocks(&trace, 9);
  assert_int_equal(trace.length, 35);
  sw_trace_truncate_blocks(&trace, 3);
  assert_int_equal(trace.blocks, 3);
  assert_int_equal(trace.length, 21);
  sw_trace_free(&trace);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grows_and_keeps),
      cmocka_unit_test(clear_keeps_the_memory),
      cmocka_unit_test(truncates_at_a_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
