/* Which kept models stopped on a plateau: losses compare on the same traces
 * and targets only, wherever they are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "repro/plateau.h"

#define SSA "mask=ssa until=flat steps=800"
#define CAUSAL "mask=causal until=flat steps=800 lr=2.5e-3"

/* A kept model, and its loss as its run card has it. */
static void know(sw_known_losses *known, const char *weights, const char *data,
                 const char *train, double loss) {
  sw_answers answers;
  sw_answer_figure f = {
      .name = "valid_loss", .value = loss, .low = NAN, .high = NAN};
  sw_answers_begin(&answers);
  sw_subject *s = sw_answers_add_subject(&answers, "r-42");
  assert_non_null(s);
  s->model = "r";
  s->seed = 42;
  s->weights = weights;
  s->data = data;
  s->preset = "sat-50-enriched";
  s->train = train;
  if (!isnan(loss))
    assert_true(sw_answers_put(&answers, s, "source(run%20card) ", &f));
  f.value = 0.5; /* no loss */
  assert_true(sw_answers_put(&answers, s, "source(search) ", &f));
  assert_int_equal(sw_losses_of_answers(known, &answers, NULL), 0);
  sw_answers_free(&answers);
}

/* How a causal model with this loss on "d1" is said to have ended. */
static const char *ended_of(const sw_known_losses *known, const char *weights,
                            const char *ended, double loss) {
  static sw_repro_model m;
  static const sw_trained trained = {
      .id = "causal", .preset = {"sat-50-enriched", NULL}, .train = CAUSAL};
  sw_repro_result r = {.model = &m, .models = 1};
  m = (sw_repro_model){.trained = &trained, .loss = loss, .data = "d1"};
  snprintf(m.hash, sizeof m.hash, "%s", weights);
  snprintf(m.ended, sizeof m.ended, "%s", ended);
  assert_int_equal(sw_plateaus_mark(&r, known, NULL), 0);
  return m.ended;
}

static void above_the_best_loss_on_the_same_traces(void **state) {
  (void)state;
  sw_known_losses known = {0};
  assert_string_equal(ended_of(&known, "w", "flat", 1.7), "flat");
  know(&known, "a", "d1", SSA, 0.92);
  assert_string_equal(ended_of(&known, "w", "flat", 1.7), "plateau");
  assert_string_equal(ended_of(&known, "w", "flat", 0.99), "flat");
  assert_string_equal(ended_of(&known, "w", "plateau", 0.99), "flat");
  assert_string_equal(ended_of(&known, "w", "cap", 1.7), "cap");
  assert_string_equal(ended_of(&known, "w", "at 300", 1.7), "at 300");
  assert_string_equal(ended_of(&known, "w", "flat", NAN), "flat");
  sw_losses_free(&known);
}

static void what_has_other_targets_is_no_reference(void **state) {
  (void)state;
  static const struct {
    const char *data, *train;
  } other[] = {{"d2", SSA},
               {"", SSA},
               {"d1", "mask=ssa view=state-one"},
               {"d1", "mask=ssa history=null"},
               {"d1", "mask=ssa first-blocks=8"},
               {"d1", "mask=ssa verify=1"},
               {"d1", "architecture=mlp"},
               {"d1", "mask=causal-release"}, /* it leaks */
               {"d1", "no-option=1"}};
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    sw_known_losses known = {0};
    know(&known, "a", other[i].data, other[i].train, 0.92);
    assert_string_equal(ended_of(&known, "w", "flat", 1.7), "flat");
    sw_losses_free(&known);
  }
}

/* What is kept of some weights holds in every table. */
static void a_loss_is_found_where_it_is_kept(void **state) {
  (void)state;
  sw_known_losses known = {0};
  know(&known, "a", "d1", SSA, 0.92);
  know(&known, "w", "d1", CAUSAL, 1.7);
  know(&known, "v", "d1", CAUSAL, NAN);
  assert_string_equal(ended_of(&known, "w", "flat", NAN), "plateau");
  assert_string_equal(ended_of(&known, "v", "flat", NAN), "flat");
  sw_losses_free(&known);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(above_the_best_loss_on_the_same_traces),
      cmocka_unit_test(what_has_other_targets_is_no_reference),
      cmocka_unit_test(a_loss_is_found_where_it_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
