/* Fuzz target: any bytes as an endpoint's reply to a case with three choices
 * (the first byte: numbers or words, and the order), and as prose. What is read
 * is a choice there is, with probabilities that sum to one. */
#include <math.h>
#include "audit/answers.h"
#include "fuzz.h"

static sw_audit_cases cases;

static void prepare(void) {
  static const char text[] =
      "{\"id\":\"x\",\"situation\":\"s\",\"histories\":[],\"choices\":[\"go "
      "on\",\"go back\",\"v3\"]}";
  sw_err err;
  if (sw_audit_cases_parse(&cases, "x", text, sizeof text - 1, &err)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static const char *const label[] = {"1", "2", "3"};
  static const char *const choice[] = {"go on", "go back", "v3"};
  sw_manner manner = {.form = SW_FORM_PLAIN, .top = 20, .max_tokens = 16};
  sw_said said;
  sw_err err;
  if (!cases.count) prepare();
  if (length < 1) return 0;
  char *text = fuzz_text(bytes + 1, length - 1);
  cases.words = bytes[0] & 1;
  manner.temperature = bytes[0] & 4 ? 1 : 0;
  if (!sw_said_read(text, length - 1, &manner, &cases, cases.item,
                    bytes[0] >> 1 & 1, &said, &err)) {
    double sum = said.p[0] + said.p[1] + said.p[2];
    if (said.choice < -1 || said.choice > 2 || said.prompt_tokens < 0) abort();
    if (said.choice >= 0 && !(fabs(sum - 1) < 1e-6)) abort();
  }
  int read = sw_said_choice(text, label, choice, 3);
  if (read < -1 || read > 2) abort();
  free(text);
  return 0;
}
