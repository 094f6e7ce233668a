/* How large a test may be. Under a sanitizer, and in an emulator (tests/run.sh
 * sets STATEWISE_EMULATED), long tests take the smaller number. */
#ifndef TESTS_SIZE_H
#define TESTS_SIZE_H
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static inline int test_size(int whole, int smaller) {
  return SANITIZED || getenv("STATEWISE_EMULATED") ? smaller : whole;
}

#endif
