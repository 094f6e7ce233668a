/* Verifiers that ask a complete solver: cdcl, sidecar, confirm; and any, which
 * joins two. What they mean is said by other verifiers that must play the same
 * game, outcome for outcome. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "play_help.h"

static void expect_text(const char *given, const char *canonical) {
  sw_err err = {0};
  sw_verifier *v;
  if (sw_verifier_open(&v, sw_domain_find("sat"), given, &err))
    fail_msg("%s", err.text);
  assert_string_equal(v->text, canonical);
  sw_verifier_close(v);
}

static void texts_have_one_form(void **state) {
  (void)state;
  expect_text("cdcl:0050", "cdcl:50");
  expect_text("cdcl:0000000000005", "cdcl:5");
  expect_text("cdcl:00000000000000000000", "cdcl:0");
  expect_text("sidecar:0", "sidecar:0");
  expect_text("confirm:10:(noise:.5,0:(model))",
              "confirm:10:noise:0.5,0:model");
  expect_text("any:(model)+(sidecar:50)", "any:model+sidecar:50");
  expect_text("any:exact+any:model+cdcl:1", "any:exact+any:model+cdcl:1");
  expect_text("any:(any:exact+model)+cdcl:1", "any:(any:exact+model)+cdcl:1");
  expect_text("any:(noise:0,0:any:exact+model)+never",
              "any:(noise:0,0:any:exact+model)+never");
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

static void wrong_texts_are_refused(void **state) {
  (void)state;
  expect_refused("sat", "cdcl", "number of conflicts", "cdcl:C");
  expect_refused("sat", "cdcl:-1", "number of conflicts", "cdcl:C");
  expect_refused("sat", "cdcl:5x", "cdcl:C", "cdcl:50");
  expect_refused("sat", "cdcl:1000000001", "number of conflicts", "cdcl:C");
  expect_refused("sat", "depth:x", "number of decisions", "depth:D");
  expect_refused("sat", "size:2", "size:I:X", "size:1:20");
  expect_refused("sat", "size:2:x", "size:I:X", "size:1:20");
  expect_refused("sat", "size:7:1", "sizes 1 to 6", "assigned variables");
  expect_refused("sat", "size:0:1", "sizes 1 to 6", "assigned variables");
  expect_refused("sat", "cdcl:99999999999999999999", "number of conflicts", "");
  expect_refused("sat", "cdcl:0001000000000000005", "number of conflicts", "");
  expect_refused("sat", "sidecar:1,2", "sidecar:C", "sidecar:50");
  expect_refused("sat", "confirm:5", "confirm:C:INNER", "confirm:50:model");
  expect_refused("sat", "confirm:5:", "no such verifier", "confirm:C:INNER");
  expect_refused("sat", "confirm:5:nobody", "no such verifier", "any:A+B");
  expect_refused("sat", "any:model", "any:A+B", "any:exact+model");
  expect_refused("sat", "any:model+", "no such verifier", "any:A+B");
  expect_refused("sat", "any:(model+exact)", "any:A+B", "");
  /* other domains have no such solver: not listed, also inside another one */
  static const char *const domains[] = {"coloring", "blocks", "parsing"};
  static const char *const texts[] = {"cdcl:5", "sidecar:5", "confirm:5:model",
                                      "any:exact+cdcl:5"};
  for (int d = 0; d < 3; d++) {
    char names[300];
    sw_verifier_names(sw_domain_find(domains[d]), names, sizeof names);
    assert_null(strstr(names, "cdcl"));
    assert_null(strstr(names, "confirm"));
    assert_non_null(strstr(names, "any:A+B"));
    for (int t = 0; t < 4; t++)
      expect_refused(domains[d], texts[t], "does not have it", "exact");
  }
}

/* Outcomes of 24 formulas; what the verifier was asked and what it cost may be
 * left out of a comparison. */
static sw_outcome *outcomes(const char *verifier, int n) {
  bed b;
  bed_open(&b, "sat", "clause+satisfy", n);
  b.options.verifier = verifier;
  sw_outcome *o = bed_play(&b, NULL);
  bed_close(&b);
  return o;
}

static void expect_same(const char *one, const char *other, int costs) {
  sw_outcome *a = outcomes(one, 20), *b = outcomes(other, 20);
  for (int i = 0; i < 24 && !costs; i++)
    a[i].solver_queries = b[i].solver_queries = a[i].solver_conflicts =
        b[i].solver_conflicts = 0;
  for (int i = 0; i < 24; i++)
    if (memcmp(&a[i], &b[i], sizeof *a))
      fail_msg("%s and %s differ on instance %d", one, other, i);
  free(a);
  free(b);
}

static sw_summary summary(const char *verifier, int n) {
  sw_summary s;
  sw_outcome *o = outcomes(verifier, n);
  sw_summarize(o, 24, &s);
  free(o);
  return s;
}

/* Always proposing: never, with every verdict turned round. */
#define ALWAYS "noise:1,0:never"

static void noise_at_rate_zero_changes_nothing(void **state) {
  (void)state;
  expect_same("noise:0,0:never", "never", 1);
  expect_same("noise:0,0:exact", "exact", 1);
  expect_same("noise:0,0:model", "model", 1);
  expect_same("noise:0,0:oracle", "oracle", 1);
  expect_same("noise:0,0:cdcl:5", "cdcl:5", 1);
  expect_same("noise:0,0:sidecar:5", "sidecar:5", 1);
  expect_same("noise:0,0:confirm:5:model", "confirm:5:model", 1);
  expect_same("noise:0,0:any:model+sidecar:5", "any:model+sidecar:5", 1);
  /* what draws inside draws as it would alone */
  expect_same("noise:0,0:noise:0.1,0.1:oracle", "noise:0.1,0.1:oracle", 1);
}

/* Another stream, and other places, at about the same rate. */
static void noise_has_streams_and_ways(void **state) {
  (void)state;
  expect_text("noise:0.1,0,0:oracle", "noise:0.1,0:oracle");
  expect_text("noise:0.1,0,7,deep:oracle", "noise:0.1,0,7,deep:oracle");
  expect_text("noise:0.1,0,bursts,07:oracle", "noise:0.1,0,7,bursts:oracle");
  expect_text("noise:0.1,0,even:oracle", "noise:0.1,0:oracle");
  expect_refused("sat", "noise:0.1,0,sideways:oracle", "noise:FP,FN:INNER",
                 "oracle");
  expect_refused("sat", "noise:0.1,0,:oracle", "noise:FP,FN:INNER", "oracle");
  sw_outcome *one = outcomes("noise:0.2,0,1:oracle", 20),
             *two = outcomes("noise:0.2,0,2:oracle", 20);
  assert_memory_not_equal(one, two, sizeof *one * 24);
  free(one);
  free(two);
  static const char *const way[] = {"even", "deep", "shallow", "bursts"};
  for (int k = 0; k < 4; k++) {
    char text[60];
    snprintf(text, sizeof text, "noise:0,0,3,%s:oracle", way[k]);
    expect_same(text, "oracle", 1);
    snprintf(text, sizeof text, "noise:0.15,0,3,%s:oracle", way[k]);
    sw_summary s = summary(text, 30);
    double asked = (double)(s.viable_queries - s.early_backs);
    double rate = (double)s.false_prunes / asked;
    if (rate < 0.06 || rate > 0.3) fail_msg("%s: %g", text, rate);
    assert_int_equal(s.missed_conflicts, 0);
  }
  /* one that looks at the guide's scores */
  sw_summary sure = summary("noise:0.5,0,sure:oracle", 20);
  assert_true(sure.false_prunes > 0);
}

static void cdcl_lies_between_exact_and_oracle(void **state) {
  (void)state;
  sw_summary exact = summary("exact", 30), none = summary("cdcl:0", 30),
             some = summary("cdcl:3", 30), many = summary("cdcl:1000000", 30),
             oracle = summary("oracle", 30);
  assert_int_equal(none.solver_conflicts, 0);
  assert_true(none.early_backs > 0); /* a retry is seen before it is made */
  assert_true(none.decisions < exact.decisions);
  assert_true(some.decisions < none.decisions);
  assert_true(some.solver_conflicts > 0 &&
              some.solver_conflicts <= 3 * some.solver_queries);
  assert_true(many.decisions <= some.decisions);
  assert_int_equal(many.decisions, oracle.decisions);
  assert_int_equal(many.backs, oracle.backs);
  assert_int_equal(exact.solved + none.solved + some.solved + many.solved, 96);
  assert_int_equal(none.false_prunes + some.false_prunes + many.false_prunes,
                   0);
}

static void a_sidecar_forces_what_is_left(void **state) {
  (void)state;
  sw_summary exact = summary("exact", 30), none = summary("sidecar:0", 30),
             many = summary("sidecar:1000000", 30);
  assert_true(none.forced > 0 && many.forced > 0);
  assert_true(none.early_backs > 0); /* both values propagate to a conflict */
  assert_true(none.decisions < exact.decisions);
  assert_int_equal(none.false_prunes + many.false_prunes, 0);
  /* a satisfiable formula is never left: there is no wrong turn to take back */
  assert_int_equal(many.solved, 24);
  assert_int_equal(many.backs + many.silent_backs + many.early_backs, 0);
  /* what the guide prefers anyway is not counted as forced */
  assert_true(many.forced < many.decisions);
  assert_int_equal(many.solver_queries, 2 * many.decisions);
}

/* A proof without a solver: one number that needs nobody to confirm it. */
static void failed_literals_refute_only_the_dead(void **state) {
  (void)state;
  sw_summary exact = summary("exact", 30),
             some = summary("any:exact+size:6:1", 30);
  assert_true(some.early_backs > 0 && some.decisions < exact.decisions);
  assert_int_equal(some.false_prunes, 0);
  assert_int_equal(some.solved, exact.solved);
  expect_same("any:exact+size:6:1", "confirm:1000000:size:6:1", 0);
}

static void confirm_prunes_nothing_viable(void **state) {
  (void)state;
  /* with a proposer that always fires it is the solver itself */
  expect_same("confirm:5:" ALWAYS, "cdcl:5", 1);
  expect_same("confirm:1000000:" ALWAYS, "cdcl:1000000", 1);
  /* with one that never does it is propagation */
  expect_same("confirm:5:never", "exact", 1);
  /* one number: every state has 0 assigned variables or more, and no formula
   * has so many clauses; in between some states are asked about */
  expect_same("confirm:5:size:1:0", "cdcl:5", 1);
  expect_same("confirm:5:size:2:100000", "exact", 1);
  sw_summary some = summary("confirm:50:size:2:12", 30),
             every = summary("cdcl:50", 30);
  assert_int_equal(some.false_prunes, 0);
  assert_in_range(some.solver_queries, 1, every.solver_queries - 1);
  /* with a solver that proves nothing beyond propagation nothing is lost */
  expect_same("confirm:0:" ALWAYS, "cdcl:0", 1);
  /* what is proposed at random: fewer questions, no viable state lost */
  sw_summary half = summary("confirm:50:noise:0.5,0:never", 30),
             alone = summary("noise:0.5,0:exact", 30),
             all = summary("cdcl:50", 30), exact = summary("exact", 30);
  assert_true(alone.false_prunes > 0);
  assert_int_equal(half.false_prunes, 0);
  assert_int_equal(half.solved, 24);
  assert_true(half.early_backs > 0);
  assert_true(half.decisions > all.decisions &&
              half.decisions < exact.decisions);
  /* a force is confirmed too */
  expect_same("confirm:7:sidecar:7", "sidecar:7", 0);
  /* sidecar:50 forces what a solver without conflicts cannot confirm */
  sw_summary forced = summary("sidecar:50", 30),
             doubted = summary("confirm:0:sidecar:50", 30);
  assert_true(doubted.forced < forced.forced);
}

static void any_of_two(void **state) {
  (void)state;
  expect_same("any:never+exact", "exact", 1);
  expect_same("any:exact+never", "exact", 1);
  expect_same("any:exact+cdcl:5", "cdcl:5", 1);
  expect_same("any:never+(any:never+oracle)", "oracle", 1);
  expect_same("any:never+sidecar:5", "sidecar:5", 1);
  expect_same("any:sidecar:5+never", "sidecar:5", 1);
  /* the second is asked where the first goes on */
  sw_summary both = summary("any:noise:0.2,0:never+oracle", 20);
  assert_true(both.false_prunes > 0 && both.early_backs > 0);
  assert_int_equal(both.missed_conflicts, 0);
  /* two noises beside each other draw apart: together they fire more often */
  sw_summary one = summary("confirm:0:noise:0.3,0:never", 20),
             two = summary(
                 "confirm:0:any:(noise:0.3,0:never)+(noise:0.3,0:never)", 20);
  assert_true(two.solver_queries * 10 > one.solver_queries * 13);
}

static void results_do_not_depend_on_width(void **state) {
  (void)state;
  static const char *const verifiers[] = {
      "sidecar:5", "confirm:5:noise:0.3,0:model", "any:model+sidecar:5"};
  for (int k = 0; k < 3; k++) {
    bed b;
    bed_open(&b, "sat", "clause+satisfy", 20);
    b.options.verifier = verifiers[k];
    b.options.width = 1;
    sw_outcome *one = bed_play(&b, NULL);
    b.options.width = 7;
    sw_outcome *seven = bed_play(&b, NULL);
    assert_memory_equal(one, seven, sizeof *one * 24);
    free(one);
    free(seven);
    bed_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_have_one_form),
      cmocka_unit_test(wrong_texts_are_refused),
      cmocka_unit_test(noise_at_rate_zero_changes_nothing),
      cmocka_unit_test(noise_has_streams_and_ways),
      cmocka_unit_test(cdcl_lies_between_exact_and_oracle),
      cmocka_unit_test(a_sidecar_forces_what_is_left),
      cmocka_unit_test(failed_literals_refute_only_the_dead),
      cmocka_unit_test(confirm_prunes_nothing_viable),
      cmocka_unit_test(any_of_two),
      cmocka_unit_test(results_do_not_depend_on_width),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
