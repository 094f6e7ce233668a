/* Verifiers: their texts, what they do in a search, and that a verdict depends
 * on the game alone - not on the width, nor on what was played before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "domains/coloring/coloring_options.h"
#include "play_help.h"

static void expect_text(const char *given, const char *canonical) {
  sw_err err = {0};
  sw_verifier *v;
  if (sw_verifier_open(&v, sw_domain_find("sat"), given, &err))
    fail_msg("%s", err.text);
  assert_string_equal(v->text, canonical);
  sw_verifier_close(v);
}

static void texts_nest_and_have_one_form(void **state) {
  (void)state;
  expect_text("never", "never");
  expect_text("exact", "exact");
  expect_text("noise:0.10,0:oracle", "noise:0.1,0:oracle");
  expect_text("noise:0.1,0:noise:0,.25:model",
              "noise:0.1,0:noise:0,0.25:model");
  expect_text("((noise:1e-1,0:(oracle)))", "noise:0.1,0:oracle");
  expect_text("head:0.12345678", "head:0.12345678");
  expect_text("random:0.12345678", "random:0.12345678");
  expect_text("size:1:1234567.5", "size:1:1234567.5");
  /* rates that differ in the last place have texts that do, and none is cut */
  expect_text("noise:0.12345678,-0:exact", "noise:0.12345678,0:exact");
  expect_text("noise:0.1,0.30000000000000004:exact",
              "noise:0.1,0.30000000000000004:exact");
}

static void expect_refused(const char *domain, const char *text,
                           const char *part, const char *hint) {
  sw_err err = {0};
  sw_verifier *v;
  assert_int_equal(sw_verifier_open(&v, sw_domain_find(domain), text, &err),
                   SW_USAGE);
  assert_null(v);
  if (!strstr(err.text, part) || !strstr(err.hint, hint))
    fail_msg("%s: %s (%s)", text, err.text, err.hint);
}

static void wrong_texts_are_refused_with_the_list(void **state) {
  (void)state;
  expect_refused("sat", "nobody", "no such verifier", "oracle");
  expect_refused("sat", "exact:3", "no arguments", "exact");
  expect_refused("sat", "noise", "0 to 1", "noise:FP,FN:INNER");
  expect_refused("sat", "noise:2,0:exact", "0 to 1", "noise");
  expect_refused("sat", "size:1:nan", "size:I:X", "size:1:20");
  expect_refused("sat", "noise:0.1,0", "noise:FP,FN:INNER", "oracle");
  expect_refused("sat", "noise:0.1,0:", "no such verifier", "exact");
  expect_refused("sat", "noise:0.1,0:nobody", "no such verifier", "exact");
  expect_refused("sat",
                 "noise:.1,0:noise:.2,0:noise:.3,0:noise:.4,0:noise:.5,0:"
                 "noise:.1,0:noise:.2,0:noise:.3,0:noise:.4,0:noise:.5,0:"
                 "noise:.1,0:noise:.2,0:noise:.3,0:noise:.4,0:noise:.5,0:"
                 "noise:.1,0:noise:.2,0:noise:.3,0:noise:.4,0:noise:.5,0:"
                 "exact",
                 "too long", "");
  expect_refused("trees", "exact", "trees", "");
  /* a domain that lacks what a verifier needs does not list it */
  sw_search_ops blind = *sw_domain_find("sat")->search;
  sw_domain without = *sw_domain_find("sat");
  blind.truth.doomed = NULL;
  blind.truth.refute = NULL;
  without.search = &blind;
  sw_err err = {0};
  sw_verifier *v;
  assert_int_equal(sw_verifier_open(&v, &without, "noise:0,0:oracle", &err),
                   SW_USAGE);
  assert_non_null(strstr(err.text, "does not have it"));
  assert_null(strstr(err.hint, "oracle"));
}

static int refused_where_shown(const char *text, const char *format) {
  const sw_domain *sat = sw_domain_find("sat");
  sw_domain_options o;
  sw_verifier *v;
  sw_err err = {0};
  sw_domain_defaults(sat, &o);
  o.format = format;
  if (sat->resolve(&o, &err) || sw_verifier_open(&v, sat, text, &err))
    fail_msg("%s", err.text);
  assert_int_equal(sw_verifier_unshown(v, &o, 1, &err), SW_OK);
  int code = sw_verifier_unshown(v, &o, 0, &err);
  if (code) {
    assert_int_equal(code, SW_USAGE);
    assert_non_null(strstr(err.text, format));
    assert_non_null(strstr(err.hint, "--verifier exact"));
  }
  sw_verifier_close(v);
  return code != 0;
}

/* The guide's own word, however deep inside, is none where it is shown. */
static void shown_verdicts_are_not_the_guides(void **state) {
  (void)state;
  static const char *const own[] = {
      "model",
      "head:0.5",
      "noise:0.1,0:model",
      "confirm:5:model",
      "confirm:5:head:0.5",
      "any:exact+head:0.5",
      "any:(noise:0,0.1:(any:never+model))+exact"};
  static const char *const others[] = {
      "never",  "exact",     "oracle",     "noise:0.1,0,unsure:exact",
      "cdcl:5", "sidecar:5", "random:0.1", "any:exact+size:1:9"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    assert_true(refused_where_shown(own[i], "prop"));
    assert_true(refused_where_shown(own[i], "residual"));
    assert_false(refused_where_shown(own[i], "evidence"));
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_false(refused_where_shown(others[i], "residual"));
}

static void two_names_for_one_must_agree(void **state) {
  (void)state;
  sw_err err = {0};
  const char *text;
  sw_loop_options o = {.loop = "masked"};
  assert_int_equal(sw_loop_verifier(&o, &text, &err), SW_OK);
  assert_string_equal(text, "exact");
  o.verifier = "exact";
  assert_int_equal(sw_loop_verifier(&o, &text, &err), SW_OK);
  o.verifier = "never";
  assert_int_equal(sw_loop_verifier(&o, &text, &err), SW_USAGE);
  o = (sw_loop_options){.loop = "closed"};
  assert_int_equal(sw_loop_verifier(&o, &text, &err), SW_USAGE);
  o = (sw_loop_options){.release_layout = 1, .verifier = "oracle"};
  sw_game game;
  sw_domain_options task;
  sw_domain_defaults(sw_domain_find("sat"), &task);
  assert_int_equal(sw_game_new(&game, sw_domain_find("sat"), &task, &o, &err),
                   SW_USAGE);
  sw_game_free(&game);
}

/* `jw+own` would not go back by itself, so the verifier alone decides. */
static sw_summary play(const char *verifier) {
  bed b;
  bed_open(&b, "sat", "clause+satisfy", 20);
  b.options.verifier = verifier;
  sw_summary s = bed_summary(&b);
  bed_close(&b);
  return s;
}

static void the_ladder_from_never_to_oracle(void **state) {
  (void)state;
  sw_summary never = play("never"), exact = play("exact"),
             oracle = play("oracle");
  assert_int_equal(never.backs + never.early_backs + never.false_prunes, 0);
  assert_true(never.missed_conflicts > 0 && never.solved < exact.solved);
  assert_int_equal(never.missed_conflicts, never.conflict_queries);
  assert_int_equal(exact.solved, 24);
  assert_int_equal(
      exact.missed_conflicts + exact.false_prunes + exact.early_backs, 0);
  assert_int_equal(exact.solver_queries, 0);
  assert_true(exact.backs > 0 && exact.verifier_calls > exact.backs);
  /* the oracle sees it coming: sooner back, fewer decisions, never wrong */
  assert_int_equal(oracle.solved, 24);
  assert_int_equal(oracle.false_prunes, 0);
  assert_true(oracle.early_backs > 0);
  assert_true(oracle.decisions < exact.decisions);
  assert_true(oracle.solver_queries > 0 && oracle.solver_conflicts > 0);
}

static void noise_errs_at_its_rates(void **state) {
  (void)state;
  sw_summary clean = play("oracle"), none = play("noise:0,0:oracle");
  assert_memory_equal(&clean, &none, sizeof clean);
  sw_summary prunes = play("noise:0.2,0:oracle");
  assert_int_equal(prunes.missed_conflicts, 0);
  /* each viable state is one draw; five deviations of slack */
  assert_true(prunes.false_prunes > 0);
  double asked = (double)prunes.viable_queries;
  double rate = (double)prunes.false_prunes / asked;
  assert_true(rate > 0.02 && rate < 0.4);
  sw_summary misses = play("noise:0,0.5:exact");
  assert_int_equal(misses.false_prunes + misses.early_backs, 0);
  assert_true(misses.missed_conflicts > 0);
  assert_true(misses.missed_conflicts < misses.conflict_queries);
}

/* Colouring in a format where a conflict may show in the middle of an action:
 * a rule that goes back exactly there writes the dialogue of `exact`. */
static void one_dialogue_is_counted_alike(void **state) {
  (void)state;
  sw_summary s[2];
  for (int i = 0; i < 2; i++) {
    bed b;
    bed_open(&b, "coloring", "dsatur", 15);
    b.task.format = "structural";
    sw_col_own_edit(&b.task)->density = 0.6;
    b.options.verifier = i ? "exact" : "model";
    s[i] = bed_summary(&b);
    bed_close(&b);
  }
  assert_int_equal(s[0].tokens, s[1].tokens);
  assert_true(s[0].backs == s[1].backs && s[0].backs > 0);
  assert_int_equal(s[0].decisions, s[1].decisions);
  assert_int_equal(s[0].retry_queries, s[1].retry_queries);
}

/* Where the chosen node has no colour left, going on overlooks the conflict; it
 * is no repeated colour, so `rescue` goes back and the search does not end. */
static void nothing_left_is_a_conflict(void **state) {
  (void)state;
  static const char *const formats[] = {"structural", "maskless", "enriched"};
  for (int i = 0; i < 3; i++) {
    bed b;
    bed_open(&b, "coloring", "random", 12);
    b.task.format = formats[i];
    sw_col_own_edit(&b.task)->density = 0.6;
    b.options.verifier = "never";
    b.options.on_error = SW_ON_ERROR_RESCUE;
    b.options.instances = 100;
    sw_outcome *o = bed_play(&b, NULL);
    int64_t missed = 0;
    for (int64_t k = 0; k < b.options.instances; k++) {
      missed += o[k].missed_conflicts;
      assert_string_not_equal(o[k].reason, "repeat");
    }
    assert_true(missed > 0);
    free(o);
    bed_close(&b);
  }
}

/* ---- nothing depends on width or resume ---- */

typedef struct store {
  const sw_outcome *from;
  int64_t known, finished;
} store;
static int known(void *context, int64_t index, sw_outcome *outcome) {
  const store *s = context;
  if (index >= s->known) return 0;
  *outcome = s->from[index];
  return 1;
}
static int finished(void *context, const sw_outcome *outcome, sw_err *err) {
  (void)outcome, (void)err;
  ((store *)context)->finished++;
  return SW_OK;
}

static void same_at_any_width_and_after_a_stop(const char *guide,
                                               const char *verifier,
                                               int variables, int shared) {
  bed b;
  bed_open(&b, "sat", guide, 20);
  b.options.verifier = verifier;
  b.options.variables = variables;
  b.options.shared_draws = shared;
  b.options.width = 1;
  sw_outcome *one = bed_play(&b, NULL);
  b.options.width = 7;
  sw_outcome *seven = bed_play(&b, NULL);
  size_t bytes = sizeof *one * (size_t)b.condition.instances;
  assert_memory_equal(one, seven, bytes);
  store s = {.from = one, .known = 9};
  sw_eval_hooks hooks = {.context = &s, .known = known, .finished = finished};
  sw_outcome *resumed = bed_play(&b, &hooks);
  assert_memory_equal(one, resumed, bytes);
  /* what all instances share must be drawn again from the first */
  assert_int_equal(s.finished, shared ? 24 : 24 - 9);
  s = (store){.from = one, .known = 24};
  free(resumed);
  resumed = bed_play(&b, &hooks);
  assert_memory_equal(one, resumed, bytes);
  assert_int_equal(s.finished, 0);
  free(one);
  free(seven);
  free(resumed);
  bed_close(&b);
}

static void results_do_not_depend_on_company(void **state) {
  (void)state;
  same_at_any_width_and_after_a_stop("clause+satisfy", "noise:0.1,0.1:oracle",
                                     SW_VARIABLES_POLICY, 0);
  same_at_any_width_and_after_a_stop("random_domain", "model",
                                     SW_VARIABLES_POLICY, 0);
  same_at_any_width_and_after_a_stop("random_domain", "model",
                                     SW_VARIABLES_POLICY, 1);
  same_at_any_width_and_after_a_stop("clause+exact", "exact",
                                     SW_VARIABLES_RANDOM, 0);
  same_at_any_width_and_after_a_stop("clause+exact", "model",
                                     SW_VARIABLES_RANDOM, 1);
}

static void somebody_else_may_name_the_variable(void **state) {
  (void)state;
  bed b;
  int64_t decisions[3];
  for (int who = 0; who < 3; who++) {
    bed_open(&b, "sat", "index+satisfy", 20);
    b.options.verifier = "exact";
    b.options.variables = who;
    sw_summary s = bed_summary(&b);
    decisions[who] = s.decisions;
    bed_close(&b);
  }
  assert_true(decisions[SW_VARIABLES_RANDOM] != decisions[SW_VARIABLES_POLICY]);
  /* the expert names the shown clause's variable, the rule its value: that is
   * the policy `clause+satisfy` */
  bed_open(&b, "sat", "clause+satisfy", 20);
  b.options.verifier = "exact";
  assert_int_equal(bed_summary(&b).decisions, decisions[SW_VARIABLES_EXPERT]);
  bed_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_nest_and_have_one_form),
      cmocka_unit_test(wrong_texts_are_refused_with_the_list),
      cmocka_unit_test(shown_verdicts_are_not_the_guides),
      cmocka_unit_test(two_names_for_one_must_agree),
      cmocka_unit_test(the_ladder_from_never_to_oracle),
      cmocka_unit_test(noise_errs_at_its_rates),
      cmocka_unit_test(one_dialogue_is_counted_alike),
      cmocka_unit_test(nothing_left_is_a_conflict),
      cmocka_unit_test(results_do_not_depend_on_company),
      cmocka_unit_test(somebody_else_may_name_the_variable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
