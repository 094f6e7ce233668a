/* Fuzz target: any text through the PDDL reader. A problem that is accepted and
 * small is planned, and the plan must pass the checker. */
#include "domains/blocks/blocks_search.h"
#include "fuzz.h"

static void plan(const sw_pddl *p) {
  sw_pddl_plan found = {0};
  sw_err err;
  int optimal;
  char *text = NULL;
  int64_t actions;
  if (sw_blocks_plan(p, 64, &found, &optimal, &err)) abort();
  if (sw_pddl_plan_text(p, &found, &text, &err)) abort();
  if (sw_pddl_plan_check(p, "plan", text, strlen(text), &actions, &err))
    abort();
  free(text);
  sw_pddl_plan_free(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *text = (char *)fuzz_copy(bytes, length);
  sw_pddl *p;
  sw_err err;
  (void)sw_pddl_looks_like(NULL, "x", text, length);
  if (!sw_pddl_read(&p, "fuzz", text, length, &err)) {
    if (!p->impossible && p->n <= 6) plan(p);
    sw_pddl_free(p);
  }
  free(text);
  return 0;
}
