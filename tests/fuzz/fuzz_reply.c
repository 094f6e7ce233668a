/* Fuzz target: any bytes as what an endpoint replied (or a cache file holds).
 * The first byte says which call and how many choices were offered. */
#include <math.h>
#include "fuzz.h"
#include "base/text.h"
#include "remote/reply.h"

/* Sums of counts must not overflow. */
static int a_count(int64_t n) { return n < 0 || n > INT32_MAX; }

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static sw_remote_answer answer;
  if (length < 1) return 0;
  int chat = bytes[0] & 1, choices = 1 + bytes[0] / 2;
  char *body = (char *)fuzz_copy(bytes + 1, length - 1);
  char *text = fuzz_text(bytes + 1, length - 1);
  char said[64], message[32], code[16];
  int64_t tokens;
  sw_err err;
  if (!sw_reply_read(body, length - 1, chat, choices, &answer, &tokens, said,
                     sizeof said, &err)) {
    if (answer.choice < 0 || answer.choice > choices) abort();
    if (answer.has_logprobs &&
        (!answer.choice || !isfinite(answer.log_p[answer.choice - 1])))
      abort();
    for (int i = 0; i < choices && answer.has_logprobs; i++)
      if (answer.log_p[i] > answer.log_p[answer.choice - 1]) abort();
    if (a_count(answer.prompt_tokens) || a_count(tokens)) abort();
    for (size_t i = 0, n; said[i]; i += n) /* it is sent back as JSON */
      if (!(n = sw_utf8_length((const unsigned char *)said + i))) abort();
  }
  sw_reply_trouble(body, length - 1, message, sizeof message, code,
                   sizeof code);
  fuzz_touch(message, strlen(message));
  fuzz_touch(code, strlen(code));
  int choice = sw_reply_choice(text, choices);
  if (choice < 0 || choice > choices) abort();
  free(text);
  free(body);
  return 0;
}
