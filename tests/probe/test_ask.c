/* Asking a model: both paths answer alike, and what the position table does not
 * hold is refused on both, never answered with other positions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "../toy.h"
#include "probe/ask.h"

enum { VOCAB = 40, PREFIX = 9, BLOCK = 7 };

static void write_trace(sw_trace *t, int blocks) {
  sw_trace_init(t);
  for (int b = 0; b <= blocks; b++) {
    sw_trace_begin_block(t);
    for (int i = 0; i < (b ? BLOCK : PREFIX); i++)
      sw_trace_put(t, 1 + (11 * b + 3 * i) % (VOCAB - 1), 0);
  }
}

/* Asks with a table of `rows` rows on one path; the logits, if any, go to
 * `out`. */
static int ask_with(sw_position_kind positions, int32_t rows, int cached,
                    const sw_trace *t, float *out) {
  sw_model_config config = {.vocab = VOCAB,
                            .d = 16,
                            .layers = 2,
                            .heads = 2,
                            .slots = 2,
                            .positions = rows};
  sw_model *model = toy_model(&config, 3);
  sw_team *team;
  sw_asker *asker;
  const float *logits;
  assert_int_equal(sw_team_new(&team, 1, NULL), 0);
  sw_ask_options o = {.model = sw_model_net(model),
                      .reading = {SW_MASK_SSA, positions, 0},
                      .cached = cached};
  assert_int_equal(sw_asker_new(&asker, &o, team, NULL), 0);
  int code = sw_ask(asker, t, 0, &logits, NULL);
  assert_int_equal(sw_ask_fits(asker, t), code == 0);
  if (!code) memcpy(out, logits, sizeof *out * VOCAB);
  sw_asker_free(asker);
  sw_team_free(team);
  sw_model_free(model);
  return code;
}

static void the_table_must_hold_the_trace(void **state) {
  (void)state;
  sw_trace t;
  write_trace(&t, 3);
  const int32_t need[SW_POS_COUNT] = {
      [SW_POS_STANDARD] = PREFIX + 3 * BLOCK,
      [SW_POS_BLOCK_RELATIVE] = PREFIX + BLOCK,
      [SW_POS_BLOCK_FIRST] = SW_POS_BLOCK_ROOM + PREFIX};
  for (int p = 0; p < SW_POS_COUNT; p++) {
    float full[VOCAB], cached[VOCAB];
    if (sw_position_row_of((sw_position_kind)p)->enters != SW_ENTERS_TABLE)
      continue; /* nothing to be too short */
    assert_int_equal(ask_with((sw_position_kind)p, need[p], 0, &t, full), 0);
    assert_int_equal(ask_with((sw_position_kind)p, need[p], 1, &t, cached), 0);
    assert_memory_equal(full, cached, sizeof full);
    assert_int_equal(ask_with((sw_position_kind)p, need[p] - 1, 0, &t, full),
                     SW_LIMIT);
    assert_int_equal(ask_with((sw_position_kind)p, need[p] - 1, 1, &t, cached),
                     SW_LIMIT);
  }
  sw_trace_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_must_hold_the_trace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
