/* What the fuzz targets share. A target is one file fuzz_NAME.c with
 * libFuzzer's entry point; `make fuzz` links it with libFuzzer, `make test`
 * with replay.c, which feeds it the seeds (and any corpus) once. Seeds are in
 * seeds/NAME, words worth trying in NAME.dict. */
#ifndef SW_TESTS_FUZZ_H
#define SW_TESTS_FUZZ_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* A heap block of exactly `length` bytes, so that a sanitizer sees the first
 * byte read behind it. */
static inline uint8_t *fuzz_copy(const uint8_t *bytes, size_t length) {
  uint8_t *copy = malloc(length ? length : 1);
  if (!copy) abort();
  if (length) memcpy(copy, bytes, length);
  return copy;
}

/* The same with a closing NUL, for readers that want text. */
static inline char *fuzz_text(const uint8_t *bytes, size_t length) {
  char *copy = malloc(length + 1);
  if (!copy) abort();
  if (length) memcpy(copy, bytes, length);
  copy[length] = 0;
  return copy;
}

/* The bytes as a file in memory; the same name every time. */
static inline const char *fuzz_file(const uint8_t *bytes, size_t length) {
  static int fd = -1;
  static char name[64];
  if (fd < 0) {
    fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0) abort();
    int n = 0, digits[8], v = fd;
    do digits[n++] = v % 10;
    while ((v /= 10));
    strcpy(name, "/proc/self/fd/");
    size_t at = strlen(name);
    while (n) name[at++] = (char)('0' + digits[--n]);
  }
  if (ftruncate(fd, 0) || pwrite(fd, bytes, length, 0) != (ssize_t)length)
    abort();
  return name;
}

/* Reads a byte range so that a sanitizer checks it. */
static inline void fuzz_touch(const void *data, size_t bytes) {
  static volatile unsigned sink;
  const unsigned char *p = data;
  unsigned sum = 0;
  for (size_t i = 0; i < bytes; i++) sum += p[i];
  sink = sink + sum;
}

/* "header, newline, data" as a safetensors file with the right length in front,
 * so that mutations reach the checks behind the JSON without having to guess
 * eight matching bytes. NULL: there is no newline. */
static inline uint8_t *fuzz_tensors(const uint8_t *bytes, size_t length,
                                    size_t *whole) {
  const uint8_t *newline = length ? memchr(bytes, '\n', length) : NULL;
  if (!newline) return NULL;
  uint64_t header = (uint64_t)(newline - bytes);
  size_t data = length - (size_t)header - 1;
  *whole = 8 + (size_t)header + data;
  uint8_t *built = malloc(*whole);
  if (!built) abort();
  memcpy(built, &header, 8);
  memcpy(built + 8, bytes, (size_t)header);
  memcpy(built + 8 + header, newline + 1, data);
  return built;
}

#endif
