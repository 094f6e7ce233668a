/* Can a choice still lead to the end of the sentence? Against trying every
 * alternative of every choice, twice: choosing right at once, and as a parser
 * that goes back at failures until it would have to give this choice up. */
#include "doomed_walk.h"
#include "domains/parsing/parsing_env.h"

static int right_at_once(const sw_parse_machine *at) {
  if (at->event == SW_PARSE_PARSED) return 1;
  if (at->event != SW_PARSE_CHOICE) return 0;
  int found = 0;
  for (int a = 0; a < SW_GRAMMAR_CHOICES && !found; a++) {
    sw_parse_machine copy;
    if (!(sw_parse_available(at) >> a & 1)) continue;
    sw_parse_init(&copy, at->grammar, 0);
    assert_true(sw_parse_copy(&copy, at));
    sw_parse_take(&copy, a);
    found = right_at_once(&copy);
    sw_parse_free(&copy);
  }
  return found;
}

/* `open`: frames when this choice was the last. It is given up when fewer are
 * left without its having succeeded. */
static int going_back(const sw_parse_machine *at, int32_t open, int *budget) {
  if (at->event == SW_PARSE_PARSED) return 1;
  if (at->event != SW_PARSE_CHOICE && at->event != SW_PARSE_FAILURE) return 0;
  int found = 0;
  for (int a = 0; a < SW_GRAMMAR_CHOICES && !found && --*budget > 0; a++) {
    int back = at->event == SW_PARSE_FAILURE;
    sw_parse_machine copy;
    if (back ? a > 0 : !(sw_parse_available(at) >> a & 1)) continue;
    sw_parse_init(&copy, at->grammar, 0);
    assert_true(sw_parse_copy(&copy, at));
    if (back) sw_parse_back(&copy);
    else sw_parse_take(&copy, a);
    if (!back || copy.frames >= open) found = going_back(&copy, open, budget);
    sw_parse_free(&copy);
  }
  return found;
}

static int every_choice(sw_env *env) {
  const sw_parse_machine *m = &env->machine;
  int once = right_at_once(m), budget = 3000;
  /* what a parser that goes back finds, one that chooses right finds too */
  if (going_back(m, m->frames, &budget)) assert_true(once);
  return once;
}

static void as_trying_every_choice(void **state) {
  (void)state;
  tally t = check("parsing", SET("n", "16"), 500, every_choice);
  assert_true(t.states > 600 && t.dead > 100 && t.dead < t.states);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_trying_every_choice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
