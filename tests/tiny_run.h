/* A tiny trained model for tests: a small data set and a few steps of training,
 * as `statewise gen` and `statewise train` would leave them in a directory. */
#ifndef TESTS_TINY_RUN_H
#define TESTS_TINY_RUN_H
#include "base/err.h"

typedef struct tiny_run {
  const char *data;      /* produced when it is not there */
  const char *directory; /* the run directory */
  const char *mask, *label;
  int n, traces, d, steps;
  const char *domain; /* NULL: sat */
  double verify;      /* weight of a verify head; 0: none */
} tiny_run;

/* A SAT data set at `path`, unless one is there. 0, or an error code. */
int tiny_data_make(const char *path, int n, int traces, sw_err *err);
/* 0, or an error code with the text in *err. */
int tiny_run_make(const tiny_run *run, sw_err *err);
/* A fresh directory below the temporary one; removed by tiny_run_remove. */
char *tiny_run_directory(void); /* free() it */
void tiny_run_remove(char *directory);

#endif
