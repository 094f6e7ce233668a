/* The state met twice, on two tiny models: histories really differ while the
 * state is the same, probabilities are probabilities, SSA's answer is the same
 * to the bit, and without a causal model nothing is claimed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../tiny_run.h"
#include "probe/case.h"

static char *directory;
static sw_loaded model[2]; /* SSA, causal */
static sw_team *team;

static void an_answer_is_sound(const sw_answer *a) {
  double sum = 0;
  assert_true(a->asked);
  assert_true(a->top > 0 && a->action[0]);
  for (int i = 0; i < a->top; i++) {
    assert_true(a->best[i].p > 0 && a->best[i].p <= 1);
    assert_true(i == 0 || a->best[i].p <= a->best[i - 1].p);
    sum += a->best[i].p;
  }
  assert_true(sum <= 1 + 1e-9);
  assert_true(strncmp(a->action, a->best[0].text, strlen(a->best[0].text)) ==
              0);
}

static void one_state_two_histories(void **state) {
  (void)state;
  sw_case_options options = {.states = 120, .instances = 100, .seed = 7};
  sw_case c;
  sw_err err = {0};
  if (sw_case_find(&c, model, 2, &options, team, &err))
    fail_msg("%s", err.text);
  assert_int_equal(c.reference, 0);
  assert_int_equal(c.subject, 1);
  assert_true(c.states > 20);
  /* 30 steps leave a causal model that looks at everything */
  assert_true(c.found);
  assert_true(c.changed > 0 && c.changed <= c.states);
  const sw_case_history *a = &c.history[0], *b = &c.history[1];
  assert_true(a->tokens != b->tokens || a->moves != b->moves ||
              memcmp(a->move, b->move, sizeof a->move) != 0);
  assert_true(a->blocks >= b->blocks);
  an_answer_is_sound(&a->subject);
  an_answer_is_sound(&b->subject);
  assert_string_not_equal(a->subject.best[0].text, b->subject.best[0].text);
  an_answer_is_sound(&a->reference);
  assert_memory_equal(&a->reference, &b->reference, sizeof a->reference);
  assert_true(c.reference_identical);
  assert_non_null(strstr(c.problem, "[CLAUSES]"));
  assert_true(strncmp(c.state, "STATE", 5) == 0);
  assert_non_null(strstr(c.words, c.conflict ? "go back" : "go on"));

  assert_true(c.steps >= 1);
  const sw_case_step *last = &c.step[c.steps - 1];
  assert_string_equal(last->state, c.state);
  assert_memory_equal(&last->subject, &a->subject, sizeof last->subject);
  assert_memory_equal(&last->reference, &a->reference, sizeof last->reference);
  for (int i = 0; i < c.steps; i++) {
    an_answer_is_sound(&c.step[i].rebuilt);
    assert_true(c.step[i].done[0] != 0);
    assert_int_equal(c.step[i].number, last->number - c.steps + 1 + i);
  }
  sw_case_free(&c);
}

static void without_a_causal_model_nothing_is_claimed(void **state) {
  (void)state;
  sw_case c;
  sw_err err = {0};
  sw_case_options options = {.states = 50, .instances = 100, .seed = 7};
  assert_int_equal(sw_case_find(&c, model, 1, &options, team, &err), 0);
  assert_int_equal(c.subject, -1);
  assert_false(c.found);
  sw_case_free(&c);
}

static int train_both(void **state) {
  (void)state;
  char set[1200], ssa[1200], causal[1200];
  sw_err err = {0};
  directory = tiny_run_directory();
  if (!directory) return -1;
  snprintf(set, sizeof set, "%s/data.safetensors", directory);
  snprintf(ssa, sizeof ssa, "%s/ssa", directory);
  snprintf(causal, sizeof causal, "%s/a-causal", directory);
  tiny_run one = {.data = set,
                  .directory = ssa,
                  .mask = "ssa",
                  .label = "SSA",
                  .n = 6,
                  .traces = 60,
                  .d = 16,
                  .steps = 30};
  tiny_run two = {.data = set,
                  .directory = causal,
                  .mask = "causal",
                  .n = 6,
                  .traces = 60,
                  .d = 16,
                  .steps = 30};
  int code = tiny_run_make(&one, &err);
  if (!code) code = tiny_run_make(&two, &err);
  if (!code) code = sw_team_new(&team, 1, &err);
  if (!code) code = sw_loaded_open(&model[0], ssa, &err);
  if (!code) code = sw_loaded_open(&model[1], causal, &err);
  if (code) print_error("%s\n", err.text);
  return code;
}

static int clean(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++)
    if (model[i].file) sw_loaded_close(&model[i]);
  sw_team_free(team);
  tiny_run_remove(directory);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_state_two_histories),
      cmocka_unit_test(without_a_causal_model_nothing_is_claimed),
  };
  return cmocka_run_group_tests(tests, train_both, clean);
}
