/* Fuzz target: any bytes through the gzip and xz unpacker, with a small limit.
 */
#include "base/file.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  uint8_t *copy = fuzz_copy(bytes, length);
  char *text;
  size_t got;
  sw_err err;
  enum { LIMIT = 1 << 16 };
  if (!sw_unpack("fuzz", copy, length, LIMIT, &text, &got, &err)) {
    if (got > LIMIT + 1 && got != length) abort();
    fuzz_touch(text, got + 1);
    free(text);
  }
  free(copy);
  return 0;
}
