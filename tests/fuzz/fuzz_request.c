/* Fuzz target: a command and its options as JSON, as the C API and Python give
 * them. What is accepted is a command and a list of words. */
#include "command/request.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  sw_request request = {0};
  sw_err err;
  char *text = fuzz_text(bytes, length);
  if (!sw_request_parse(&request, text, &err)) {
    if (!request.command || request.argc < 1) abort();
    for (int i = 0; i < request.argc; i++)
      fuzz_touch(request.argv[i], strlen(request.argv[i]));
    sw_request_free(&request);
  }
  free(text);
  return 0;
}
