/* Can a partial colouring be completed? Against trying every colouring, by the
 * search and by the solver behind it. */
#include "doomed_walk.h"
#include "domains/coloring/coloring_env.h"

static int fits(const sw_col_state *s, const uint8_t *color, int32_t v) {
  const sw_instance *g = s->graph;
  for (int64_t i = g->start[v]; i < g->start[v + 1]; i++)
    if (color[g->neighbor[i]] == color[v]) return 0;
  return 1;
}

/* Every colour of every node, in order of the nodes. */
static int try_all(const sw_col_state *s, uint8_t *color, int32_t v) {
  if (v == s->n) return 1;
  if (s->color[v]) return fits(s, color, v) && try_all(s, color, v + 1);
  for (int c = 1; c <= s->colors; c++) {
    color[v] = (uint8_t)c;
    if (fits(s, color, v) && try_all(s, color, v + 1)) return 1;
  }
  color[v] = 0;
  return 0;
}

static int every_colouring(sw_env *env) {
  uint8_t color[SW_COL_NODES_MAX];
  memcpy(color, env->state.color, sizeof color);
  int found = try_all(&env->state, color, 0);
  /* the search alone, the solver alone, and one after the other */
  static const int64_t nodes[] = {1 << 30, 0, 3};
  for (int k = 0; k < 3; k++) {
    sw_col_state copy = env->state;
    assert_int_equal(sw_col_complete(&copy, nodes[k]), found);
    for (int32_t v = 0; v < copy.n && found; v++) {
      assert_true(copy.color[v] && fits(&copy, copy.color, v));
      if (env->state.color[v])
        assert_int_equal(copy.color[v], env->state.color[v]);
    }
  }
  return found;
}

static void as_trying_every_colouring(void **state) {
  (void)state;
  static const char *const format[] = {"paper", "tried", "structural"};
  for (int k = 0; k < 3; k++) {
    tally t =
        check("coloring", SET("n", "9", "density", "0.8", "format", format[k]),
              60, every_colouring);
    assert_true(t.states > 300 && t.dead > 20 && t.dead < t.states);
  }
}

static void as_trying_every_colouring_of_larger_graphs(void **state) {
  (void)state;
  tally t =
      check("coloring", SET("n", "24", "density", "0.45"), 40, every_colouring);
  assert_true(t.states > 300 && t.dead > 50 && t.dead < t.states);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_trying_every_colouring),
      cmocka_unit_test(as_trying_every_colouring_of_larger_graphs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
