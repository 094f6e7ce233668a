/* What a pass computes is closed: every key that one of its rows sees is among
 * the rows it computes, and no run of its span lists reaches past them (behind
 * them lies memory that nothing has written). The mask itself, asked pair by
 * pair, is the judge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../toy.h"
#include "model/decoder/live_rows.h"

static const sw_model_config config = TOY_CONFIG(61, 16, 1, 2, 16, 4, 400);
static const sw_model_config slotless = TOY_CONFIG(61, 16, 1, 2, 16, 0, 400);

static int64_t check_spans(const sw_mask *mask, const sw_plan *plan) {
  int64_t seen = 0;
  for (int32_t q = plan->low; q < plan->high; q++)
    for (int32_t k = 0; k < plan->rows; k++)
      if (sw_mask_sees(mask, q, k)) {
        assert_in_range(k, plan->low, plan->high - 1);
        seen++;
      }
  for (int32_t i = 0; i < plan->spans; i++)
    for (int32_t r = 0; r < plan->span[i].runs; r++)
      assert_in_range(plan->span[i].run[r].end, 0, plan->high);
  for (int32_t i = 0; i < plan->lasts; i++)
    for (int32_t r = 0; r < plan->last[i].runs; r++)
      assert_in_range(plan->last[i].run[r].end, 0, plan->high);
  return seen;
}

static void every_key_is_computed(void **state) {
  (void)state;
  for (int kind = 0; kind < SW_MASK_COUNT; kind++) {
    if (kind == SW_MASK_RANDOM_MATCHED) continue; /* has no spans */
    const sw_model_config *c =
        kind == SW_MASK_CAUSAL_NOSLOT ? &slotless : &config;
    toy t;
    sw_plan plan = {0};
    toy_make(&t, 61, 20, 5, 9, 7);
    toy_mask(&t, c, (sw_mask_kind)kind, SW_POS_STANDARD, 6);
    int64_t second = t.block_start[2];
    const int32_t wanted[][2] = {{t.length - 3, t.length - 3},
                                 {(int32_t)second, (int32_t)second + 1},
                                 {2, (int32_t)second},
                                 {t.length - 1, 0}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
      assert_int_equal(sw_plan_build(&plan, &t.mask, wanted[i], 2, NULL), 0);
      assert_int_equal(plan.live, wanted[i][0] == wanted[i][1] ? 1 : 2);
      assert_int_equal(check_spans(&t.mask, &plan), plan.pairs);
    }
    sw_plan_free(&plan);
    toy_free(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_key_is_computed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
