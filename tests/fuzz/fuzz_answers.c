/* Fuzz target: what an endpoint replied to a question of an audit. The first
 * byte says how it was asked (form, log-probabilities, order, words or
 * numbers). */
#include <math.h>
#include "audit/answers.h"
#include "fuzz.h"

static sw_audit_cases cases;

static void prepare(void) {
  static const char line[] =
      "{\"id\": \"a\", \"situation\": [{\"role\": \"user\", \"content\": "
      "\"?\"}], \"histories\": [{\"name\": \"own\", \"messages\": []}], "
      "\"choices\": [\"go on\", \"back\", \"stop\"]}\n";
  sw_err err;
  if (sw_audit_cases_parse(&cases, "line", line, sizeof line - 1, &err))
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static sw_said said;
  sw_err err;
  if (!length) return 0;
  if (!cases.count) prepare();
  const sw_audit_case *c = &cases.item[0];
  sw_manner manner = {(sw_form)(bytes[0] % SW_FORM_COUNT),
                      bytes[0] & 32 ? 5 : 0, 16, 0, 0};
  cases.words = bytes[0] >> 7;
  int order = bytes[0] >> 6 & 1;
  char *reply = fuzz_text(bytes + 1, length - 1);
  memset(&said, 0, sizeof said);
  if (!sw_said_read(reply, length - 1, &manner, &cases, c, order, &said,
                    &err)) {
    double sum = 0;
    if (said.choice < -1 || said.choice >= c->choices) abort();
    for (int i = 0; i < c->choices && said.graded; i++) {
      if (!(said.p[i] >= 0 && said.p[i] <= 1)) abort();
      sum += said.p[i];
    }
    if (said.graded && fabs(sum - 1) > 1e-6) abort();
    if (said.prompt_tokens < 0 || said.answer_tokens < 0) abort();
  }
  free(reply);
  return 0;
}
