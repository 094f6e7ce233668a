/* Scores of tree traces from made-up logits, where every figure can be counted
 * by hand, and the rates and the r^k prediction made of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "probe/trees_metrics.h"

enum { VOCAB = 145 };

typedef struct fixture {
  sw_instance *tree;
  sw_tree_format format;
  sw_trace trace;
  sw_tree_marks marks;
  float *logits; /* one row a supervised token */
  int rows;
} fixture;

/* Logits: `margin` for the true token, 0 for the others. */
static void open_fixture(fixture *f, const char *text, const char *format,
                         float margin) {
  memset(f, 0, sizeof *f);
  assert_int_equal(sw_tree_parse(&f->tree, "t", text, strlen(text), NULL), 0);
  assert_int_equal(sw_tree_format_from_name(format, &f->format), 0);
  sw_trace_init(&f->trace);
  assert_int_equal(
      sw_tree_write(f->tree, &f->format, &f->trace, &f->marks, NULL), 0);
  f->logits = calloc((size_t)f->trace.length * VOCAB, sizeof *f->logits);
  assert_non_null(f->logits);
  for (int64_t i = 0; i < f->trace.length; i++)
    if (f->trace.supervised[i])
      f->logits[f->rows++ * VOCAB + f->trace.token[i]] = margin;
}

static void close_fixture(fixture *f) {
  free(f->logits);
  sw_tree_marks_free(&f->marks);
  sw_trace_free(&f->trace);
  sw_tree_free(f->tree);
}

/* The logits of token `index` of the trace. */
static float *row_of(const fixture *f, int64_t index) {
  int row = 0;
  for (int64_t i = 0; i < index; i++) row += f->trace.supervised[i];
  return f->logits + row * VOCAB;
}

static void score(const fixture *f, sw_tree_scores *s) {
  sw_tree_score_trace(f->tree, &f->format, &f->trace, &f->marks, f->logits,
                      VOCAB, s);
}

static void near(double value, double expected) {
  if (!(fabs(value - expected) < 1e-6))
    fail_msg("%.9g, expected %.9g", value, expected);
}

static void test_perfect_and_uniform_loss(void **state) {
  (void)state;
  fixture f;
  sw_tree_scores s = {0};
  open_fixture(&f, "(0 (5) (9) (7) (2))", "simple", 3);
  score(&f, &s);
  assert_int_equal(s.tokens, 19); /* 9 visits of 2 tokens, FINISH */
  assert_int_equal(s.tokens_right, 19);
  assert_int_equal(s.inputs, 35);
  assert_int_equal(s.policy, 4);
  assert_int_equal(s.decisions[0], 3);
  assert_int_equal(s.decisions[1], 1);
  assert_int_equal(s.all_correct, 1);
  double loss = log(exp(3) + 144) - 3;
  near(sw_tree_policy_loss(&s), loss);
  near(sw_tree_verifier_loss(&s, 0), loss);
  near(sw_tree_verifier_loss(&s, 1), loss);
  near(sw_tree_decision_rate(&s, -1), 1);
  close_fixture(&f);
}

/* FINISH one return too early: one wrong decision, balanced and natural loss
 * differ because the classes are 3 to 1. */
static void test_one_wrong_decision(void **state) {
  (void)state;
  fixture f;
  sw_tree_scores s = {0};
  open_fixture(&f, "(0 (5) (9) (7) (2))", "simple", 3);
  score(&f, &s);
  /* prefix 15, START DFS, then 2 tokens a visit; after the third return */
  int64_t third = 17 + 2 * 7;
  assert_int_equal(f.trace.token[third], SW_TREE_POSITION);
  row_of(&f, third)[SW_TREE_FINISH] = 5;
  score(&f, &s);
  assert_int_equal(s.trees, 2);
  assert_int_equal(s.all_correct, 1);
  near(sw_tree_all_correct(&s), 0.5);
  near(sw_tree_decision_rate(&s, 0), 5.0 / 6);
  near(sw_tree_decision_rate(&s, 1), 1);
  near(sw_tree_decision_rate(&s, -1), 7.0 / 8);
  double good = log(exp(3) + 144) - 3, bad = log(exp(3) + exp(5) + 143) - 3;
  near(sw_tree_verifier_loss(&s, 0), (7 * good + bad) / 8);
  near(sw_tree_verifier_loss(&s, 1), ((5 * good + bad) / 6 + good) / 2);
  near(sw_tree_policy_loss(&s), good);
  close_fixture(&f);
}

/* Away from the root the label decides: another child's label is the wrong
 * token but the right decision. */
static void test_wrong_child_right_decision(void **state) {
  (void)state;
  fixture f;
  sw_tree_scores s = {0};
  open_fixture(&f, "(0 (1) (2 (3) (4)) (5))", "simple", 3);
  /* START DFS 0 1 0 2 3 2 [4]: the label of the 7th visit */
  int64_t at = 18 + 2 + 2 * 6 + 1;
  assert_int_equal(f.trace.token[at], SW_TREE_LABEL0 + 4);
  row_of(&f, at)[SW_TREE_LABEL0 + 3] = 4;
  score(&f, &s);
  assert_int_equal(s.decisions[0] + s.decisions[1], 5);
  assert_int_equal(s.all_correct, 1);
  assert_int_equal(s.policy, 5);
  assert_int_equal(s.policy_right, 4);
  row_of(&f, at)[SW_TREE_LABEL0 + 5] = 6; /* no child of 2: wrong */
  score(&f, &s);
  assert_int_equal(s.all_correct, 1);
  assert_int_equal(s.trees, 2);
  close_fixture(&f);
}

static void test_verbose_decisions(void **state) {
  (void)state;
  fixture f;
  sw_tree_scores s = {0};
  open_fixture(&f, "(0 (1) (2 (3) (4)) (5))", "verbose", 3);
  score(&f, &s);
  assert_int_equal(s.all_correct, 1);
  assert_int_equal(s.policy, 5);
  for (int i = 0; i < f.marks.count; i++)
    if (f.marks.item[i].kind == SW_TREE_RETURN && f.marks.item[i].node != 0) {
      assert_int_equal(f.trace.token[f.marks.item[i].index], SW_TREE_BACKTRACK);
      row_of(&f, f.marks.item[i].index)[SW_TREE_GOTO] = 9;
    }
  score(&f, &s);
  assert_int_equal(s.all_correct, 1);
  assert_int_equal(s.decisions_right[1], 3); /* 2 + the root's of the second */
  close_fixture(&f);
}

static void test_rates_without_data(void **state) {
  (void)state;
  sw_tree_scores s = {0};
  assert_true(isnan(sw_tree_all_correct(&s)));
  assert_true(isnan(sw_tree_policy_loss(&s)));
  assert_true(isnan(sw_tree_verifier_loss(&s, 1)));
  assert_true(isnan(sw_tree_perfect_rate(&s)));
}

static void test_prediction(void **state) {
  (void)state;
  near(sw_tree_retrieval(0.6561), 0.9);
  near(sw_tree_prediction(0.9, 4), 0.6561);
  near(sw_tree_prediction(sw_tree_retrieval(0.6561), 16), 0.18530202);
  near(sw_tree_prediction(1, 128), 1);
  assert_true(isnan(sw_tree_prediction(NAN, 0)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_perfect_and_uniform_loss),
      cmocka_unit_test(test_one_wrong_decision),
      cmocka_unit_test(test_wrong_child_right_decision),
      cmocka_unit_test(test_verbose_decisions),
      cmocka_unit_test(test_rates_without_data),
      cmocka_unit_test(test_prediction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
