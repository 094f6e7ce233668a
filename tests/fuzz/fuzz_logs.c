/* Fuzz target: any bytes as recorded conversations (JSON, JSON Lines, a zip
 * file); the first byte says what the situation is. Every decision is counted
 * once, and every case that was cut can be asked. */
#include "audit/arms.h"
#include "audit/logs.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static const char *const states[] = {"last-user", "last-tool", "system+last",
                                       "/a/0"};
  if (length < 1) return 0;
  uint8_t *copy = fuzz_copy(bytes + 1, length - 1);
  sw_audit_cases cases = {0};
  sw_log_options o = {0};
  sw_log_counts n;
  sw_err err;
  if (sw_log_state_parse(&o, states[bytes[0] % 4], &err)) abort();
  int code = sw_logs_parse(&cases, "fuzz", (const char *)copy, length - 1, &o,
                           &n, &err);
  if (!code && (n.cut != cases.count ||
                n.decisions != n.cut + n.no_history + n.no_state + n.no_choice +
                                   n.not_taken))
    abort();
  for (int64_t at = 0; at < cases.count && at < 4 && !code; at++) {
    static const char *const names[] = {"own", "none", "other", "concat"};
    for (int i = 0; i < 4; i++) {
      sw_arm arm;
      json_t *messages;
      if (sw_arm_parse(&arm, names[i], &err)) abort();
      if (!sw_arm_applies(&arm, &cases, at)) continue;
      if (sw_arm_messages(&arm, &cases, at, i & 1, &messages, &err)) abort();
      json_decref(messages);
    }
  }
  sw_audit_cases_free(&cases);
  free(copy);
  return 0;
}
