/* Fuzz target: any bytes as a file of cases. What is accepted is asked under
 * every condition that applies, in both orders: questions can be written, and
 * every choice has a label of its own. Then the same bytes are read as marks of
 * these cases (a line of a case may have both members of a mark). */
#include "audit/answers.h"
#include "audit/arms.h"
#include "audit/sufficient.h"
#include "fuzz.h"

static const char *const names[] = {
    "own",    "own2",  "none",   "last:1",     "clear_tool_uses:keep=1",
    "concat", "other", "demo:4", "history:own"};

static void ask(const sw_audit_cases *cases, int64_t at, const sw_arm *arm,
                int order) {
  static const sw_form forms[] = {SW_FORM_SCHEMA, SW_FORM_GRAMMAR,
                                  SW_FORM_TOOL};
  json_t *messages;
  sw_err err;
  if (sw_arm_messages(arm, cases, at, order, &messages, &err)) abort();
  sw_manner manner = {.form = forms[at % 3], .top = 5, .max_tokens = 4};
  char *body =
      sw_manner_body(&manner, "m", messages, cases, &cases->item[at], order);
  if (!body || !json_array_size(messages)) abort();
  free(body);
  json_decref(messages);
  if (sw_arm_cacheable(arm, cases, at) < 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  uint8_t *copy = fuzz_copy(bytes, length);
  sw_audit_cases cases = {0};
  sw_err err;
  int code =
      sw_audit_cases_parse(&cases, "fuzz", (const char *)copy, length, &err);
  if (!code && !cases.count) abort();
  for (int64_t at = 0; at < cases.count && at < 4 && !code; at++)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      sw_arm arm;
      if (sw_arm_parse(&arm, names[i], &err)) abort();
      if (!sw_arm_applies(&arm, &cases, at)) continue;
      cases.words = (int)(i & 1);
      for (int order = 0; order < 2; order++) ask(&cases, at, &arm, order);
    }
  if (!code)
    sw_sufficient_parse(&cases, "fuzz", (const char *)copy, length, &err);
  for (int64_t at = 0; at < cases.count && !code; at++)
    if (cases.item[at].sufficient < -1 || cases.item[at].sufficient > 1)
      abort();
  sw_audit_cases_free(&cases);
  free(copy);
  return 0;
}
