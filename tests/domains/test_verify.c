/* The judges of printed answers, in every domain: right answers pass, and each
 * way of being wrong is caught, whatever the searches believe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/stop.h"
#include "domains/coloring/coloring_options.h"
#include "domains/domain.h"
#include "domains/parsing/parsing_options.h"

static int judge(const char *domain_name, const char *text,
                 const char *answer) {
  const sw_domain *domain = sw_domain_find(domain_name);
  sw_domain_options options;
  sw_err err;
  sw_domain_defaults(domain, &options);
  return domain->file.verify(text, strlen(text), &options, answer, &err);
}

static void sat_answers(void **state) {
  (void)state;
  const char *f = "c x\np cnf 3 2\n1 -2\n0 c y\n2 3 0\n%\n0\n";
  assert_int_equal(judge("sat", f, "v 1 2\nv 3 0\n"), SW_OK);
  assert_int_equal(judge("sat", f, "v -1 -2 3 0\n"), SW_OK);
  assert_int_equal(judge("sat", f, "v -1 2 3 0\n"), SW_INTERNAL);
  assert_int_equal(judge("sat", f, "v 1 -2 -3 0\n"), SW_INTERNAL);
  assert_int_equal(judge("sat", f, "v 1 0\n"), SW_INTERNAL);
  assert_int_equal(judge("sat", f, "v 1 2 3\n"), SW_INTERNAL);
  assert_int_equal(judge("sat", f, "v 1 2 -2 3 0\n"), SW_INTERNAL);
  assert_int_equal(judge("sat", "p cnf 1 1\n0\n", "v 1 0\n"), SW_INTERNAL);
  assert_int_equal(judge("sat", f, "v 1 2 3 4294967297 0\n"), SW_INTERNAL);
}

static void colorings(void **state) {
  (void)state;
  const char *g = "c x\np edge 3 2\ne 1 2\ne 2 3 7\n";
  assert_int_equal(judge("coloring", g, "v 1 1\nv 2 2\nv 3 1\n"), SW_OK);
  assert_int_equal(judge("coloring", g, "v 1 1\nv 2 2\nv 3 2\n"), SW_INTERNAL);
  assert_int_equal(judge("coloring", g, "v 1 1\nv 2 2\n"), SW_INTERNAL);
  assert_int_equal(judge("coloring", g, "v 1 1\nv 2 2\nv 2 2\n"), SW_INTERNAL);
  assert_int_equal(judge("coloring", g, "v 1 1\nv 2 2\nv 3 9\n"), SW_INTERNAL);
  assert_int_equal(judge("coloring", g, "v 1 0\nv 2 2\nv 3 1\n"), SW_INTERNAL);
}

/* The judge takes the lines that the reader takes: those of one letter. What
 * `--reading relaxed` skips is no edge to either, and no `p` line. */
static void lines_of_one_letter(void **state) {
  (void)state;
  static const char *const skipped[] = {"edges 1 1", "e1 1 1",  "arc 1 1",
                                        "e\v1 1",    "\fe 1 1", "e\f 1 1"};
  const sw_domain *domain = sw_domain_find("coloring");
  sw_domain_options options;
  sw_domain_defaults(domain, &options);
  sw_col_own_edit(&options)->reading = 0; /* relaxed */
  for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++) {
    char text[128];
    sw_instance *graph;
    sw_err err;
    snprintf(text, sizeof text, "problem 9 9\n\r\tp\tedge 2 1\r\ne 1 2\n%s",
             skipped[i]);
    assert_int_equal(
        domain->file.parse(&graph, "g", text, strlen(text), &options, &err),
        SW_OK);
    domain->instance_free(graph);
    if (judge("coloring", text, "v 1 1\nv 2 2\n"))
      fail_msg("%s is taken for an edge", skipped[i]);
    assert_int_equal(judge("coloring", text, "v 1 1\nv 2 1\n"), SW_INTERNAL);
  }
}

static void plans(void **state) {
  (void)state;
  const char *p =
      "(define (problem p) (:objects a b) (:init (ontable a) (ontable b)"
      " (clear a) (clear b) (handempty)) (:goal (on a b)))";
  assert_int_equal(judge("blocks", p, "(pick-up a)\n(stack a b)\n"), SW_OK);
  assert_int_equal(judge("blocks", p, "(pick-up b)\n(stack b a)\n"),
                   SW_INTERNAL);
  assert_int_equal(judge("blocks", p, "(stack a b)\n"), SW_INTERNAL);
  assert_int_equal(sw_domain_find("blocks")->file.verify(p, strlen(p), NULL,
                                                         "(stack a b)\n", NULL),
                   SW_INTERNAL);
}

static void derivations(void **state) {
  (void)state;
  const char *s = "f ( a )";
  assert_int_equal(
      judge("parsing", s, "v (expr (call f ( (arglist (expr (atom a))) )))\n"),
      SW_OK);
  /* another word, a missing word, a node that is no alternative, a rule that
   * does not exist, one that is never closed */
  assert_int_equal(
      judge("parsing", s, "v (expr (call g ( (arglist (expr (atom a))) )))\n"),
      SW_INTERNAL);
  assert_int_equal(judge("parsing", s, "v (expr (atom f))\n"), SW_INTERNAL);
  assert_int_equal(
      judge("parsing", s, "v (expr (atom f ( (arglist (expr (atom a))) )))\n"),
      SW_INTERNAL);
  assert_int_equal(
      judge("parsing", s, "v (expr (cell f ( (arglist (expr (atom a))) )))\n"),
      SW_INTERNAL);
  assert_int_equal(
      judge("parsing", s, "v (expr (call f ( (arglist (expr (atom a))) ))\n"),
      SW_INTERNAL);
}

/* A model's metadata must not choose a file. */
static void withheld_grammar(void **state) {
  (void)state;
  const sw_domain *domain = sw_domain_find("parsing");
  sw_domain_options options, given;
  sw_err err;
  sw_instance *instance;
  sw_domain_defaults(domain, &options);
  sw_domain_defaults(domain, &given);
  sw_parsing_own_edit(&options)->grammar = SW_PATH_WITHHELD;
  assert_int_equal(domain->file.parse(&instance, "x", "a", 1, &options, &err),
                   SW_USAGE);
  assert_non_null(strstr(err.hint, "--grammar"));
  domain->file.as_read(&options, &given); /* what `solve` read the file with */
  assert_int_equal(domain->file.parse(&instance, "x", "a", 1, &options, &err),
                   SW_OK);
  domain->instance_free(instance);
}

static int yes(void *context) {
  ++*(int *)context;
  return 1;
}

/* Searches without a bound of their own end when they are asked to. */
static void searches_stop(void **state) {
  (void)state;
  static char text[200000];
  int asked = 0, verdict = -1;
  size_t used = 0;
  for (int i = 0; i < 400; i++) { /* nested parentheses: exponential */
    text[used++] = '(';
    text[used++] = ' ';
  }
  text[used++] = 'a';
  for (int i = 0; i < 400; i++) {
    text[used++] = ' ';
    text[used++] = ')';
  }
  const sw_domain *domain = sw_domain_find("parsing");
  sw_domain_options options;
  sw_err err;
  sw_instance *sentence;
  sw_domain_defaults(domain, &options);
  assert_int_equal(domain->resolve(&options, &err), SW_OK);
  assert_int_equal(
      domain->file.parse(&sentence, "x", text, used, &options, &err), SW_OK);
  sw_stop_scope scope;
  sw_stop_enter(&scope, 0, yes, &asked);
  char *answer = NULL, note[200];
  assert_int_equal(domain->file.solve(sentence, &options, 1e9, &verdict,
                                      &answer, note, sizeof note, &err),
                   SW_OK);
  sw_stop_leave(&scope);
  assert_int_equal(verdict, 0);
  assert_true(asked > 0);
  domain->instance_free(sentence);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sat_answers),         cmocka_unit_test(colorings),
      cmocka_unit_test(lines_of_one_letter), cmocka_unit_test(plans),
      cmocka_unit_test(derivations),         cmocka_unit_test(withheld_grammar),
      cmocka_unit_test(searches_stop)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
