/* The published experiment on verification alone: the 200 planted graphs of
 * seed 42 (n = 30, 4 colours, density 0.35). A rule that reads nothing but the
 * block it is shown obtains the paper's row of the best model to the digit. The
 * numbers are the published program's, measured with the rule in the model's
 * place. */
#include "../domains/coloring_help.h"
#include "release/isolated.h"

enum { GRAPHS = 200 };

static int32_t without_tried(void *context, const int32_t *block,
                             int32_t length) {
  int32_t at = 0;
  for (int32_t i = 0; i < length; i++)
    if (block[i] == SW_T_END_TRIED) at = i + 1;
  return sw_isolated_rule(context, block + at, length - at);
}

static sw_isolated_sums play(sw_isolated_options options,
                             sw_isolated_answer answer) {
  sw_isolated_sums sums = {0};
  sw_domain_options o;
  sw_stream *stream;
  sw_err err = {0};
  options_of(&o, "release", "n", "30", NULL);
  assert_int_equal(coloring()->stream_new(&stream, &o, 42, SW_SPLIT_TEST, &err),
                   0);
  for (int i = 0; i < GRAPHS; i++) {
    sw_instance *graph;
    assert_int_equal(coloring()->stream_next(stream, &graph, &err), 0);
    assert_int_equal(
        sw_isolated_play(graph, &options, answer, NULL, &sums, &err), 0);
    coloring()->instance_free(graph);
  }
  coloring()->stream_free(stream);
  return sums;
}

static const sw_isolated_options published = {.max_steps = 500, .budget = 2048};

static void a_rule_is_the_papers_best_model(void **state) {
  (void)state;
  sw_isolated_sums s = play(published, sw_isolated_rule);
  assert_int_equal(s.open, 8105);
  assert_int_equal(s.untried, 8066);
  assert_int_equal(s.false_back, 0);
  assert_int_equal(s.retries, 66);
  assert_int_equal(s.repeats, 0);
  assert_int_equal(s.exhausted, 2908);
  assert_int_equal(s.right_back, 2879);
  assert_int_equal(s.ended[SW_ISOLATED_solved], 77);
  assert_int_equal(s.ended[SW_ISOLATED_no_selectable_node], 46);
  assert_int_equal(s.ended[SW_ISOLATED_budget], 77);
}

/* More tokens and steps solve nothing more: those 77 need no way back. */
static void the_loop_is_the_ceiling(void **state) {
  (void)state;
  sw_isolated_options long_run = {.max_steps = 5000, .budget = 8192};
  sw_isolated_sums s = play(long_run, sw_isolated_rule);
  assert_int_equal(s.ended[SW_ISOLATED_solved], 77);
  assert_int_equal(s.ended[SW_ISOLATED_no_selectable_node], 123);
  s = play(published, without_tried);
  assert_int_equal(s.ended[SW_ISOLATED_solved], 77);
  assert_int_equal(s.retries, 537);
  assert_int_equal(s.repeats, 522);
}

static void repaired_it_solves_more(void **state) {
  (void)state;
  static const struct {
    int64_t budget, steps, solved;
  } sizes[] = {{2048, 500, 129}, {4096, 5000, 172}, {8192, 5000, 191}};
  for (int i = 0; i < 3; i++) {
    sw_isolated_options o = {
        .max_steps = sizes[i].steps, .budget = sizes[i].budget, .repair = 1};
    sw_isolated_sums s = play(o, sw_isolated_rule);
    assert_int_equal(s.ended[SW_ISOLATED_solved], sizes[i].solved);
    assert_int_equal(s.false_back + s.repeats, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rule_is_the_papers_best_model),
      cmocka_unit_test(the_loop_is_the_ceiling),
      cmocka_unit_test(repaired_it_solves_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
