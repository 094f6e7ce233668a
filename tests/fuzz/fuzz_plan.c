/* Fuzz target: any text through the plan checker, against a fixed problem. */
#include "domains/blocks/pddl.h"
#include "fuzz.h"

static const char problem_text[] =
    "(define (problem p) (:objects a b c d) (:init (on a b) (ontable b)"
    " (ontable c) (holding d) (clear a) (clear c)) (:goal (and (on b c)"
    " (on c d) (clear b) (handempty))))";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static sw_pddl *problem;
  sw_err err;
  if (!problem &&
      sw_pddl_read(&problem, "p", problem_text, sizeof problem_text - 1, &err))
    abort();
  char *text = (char *)fuzz_copy(bytes, length);
  int64_t actions;
  (void)sw_pddl_plan_check(problem, "fuzz", text, length, &actions, &err);
  free(text);
  return 0;
}
