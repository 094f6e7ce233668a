/* Fuzz target: any bytes through the gzip and xz unpacker, with a small limit,
 * and line by line. */
#include "base/file.h"
#include "base/lines.h"
#include "fuzz.h"

static void by_line(const char *path) {
  sw_lines *lines;
  sw_err err;
  const char *line;
  size_t bytes;
  enum { LONGEST = 1 << 12, MOST = 1000 };
  if (sw_lines_open(&lines, path, LONGEST, &err)) return;
  for (int i = 0; i < MOST; i++) {
    if (sw_lines_next(lines, &line, &bytes, &err) || !line) break;
    if (bytes > LONGEST) abort();
    fuzz_touch(line, bytes + 1);
  }
  sw_lines_close(lines);
}

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
  by_line(fuzz_file(bytes, length));
  return 0;
}
