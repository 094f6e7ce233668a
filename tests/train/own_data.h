/* What test programs of training share: a directory of their own with a small
 * SAT data set in it, made once and removed at the end. */
#ifndef TESTS_TRAIN_OWN_DATA_H
#define TESTS_TRAIN_OWN_DATA_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "../tiny_run.h"

static char *directory;
static char data[1100];

static inline void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

static inline int open_data(int traces) {
  sw_err err = {0};
  directory = tiny_run_directory();
  if (!directory) return -1;
  snprintf(data, sizeof data, "%s/data", directory);
  must(tiny_data_make(data, 6, traces, &err), &err);
  return 0;
}

static inline int teardown(void **state) {
  (void)state;
  tiny_run_remove(directory);
  return 0;
}

#endif
