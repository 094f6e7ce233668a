/* A data set has its name when the columns it was gathered in have gone: who is
 * killed after that is not run again for it, and nobody else removes them. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../tiny_run.h"
#include "trace/dataset.h"

static const char *watched;
/* Temporaries when the file got its name, its own too. */
static int beside = -1;

static int temporaries(void) {
  int count = 0;
  DIR *dir = opendir(watched);
  if (!dir) return -1;
  for (struct dirent *e; (e = readdir(dir));)
    count += strstr(e->d_name, ".tmp") != NULL;
  closedir(dir);
  return count;
}

/* Stands before the system's. */
int rename(const char *from, const char *to) {
  beside = temporaries();
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

static void columns_go_first(void **state) {
  (void)state;
  char *directory = tiny_run_directory(), path[1100], hash[17];
  watched = directory;
  snprintf(path, sizeof path, "%s/data.safetensors", directory);
  sw_dataset_writer *writer;
  sw_err err = {0};
  must(sw_dataset_create(&writer, path, &err), &err);
  assert_true(temporaries() > 1);
  sw_trace t;
  sw_trace_init(&t);
  for (int b = 0; b < 3; b++) {
    sw_trace_begin_block(&t);
    for (int i = 0; i < 4; i++) sw_trace_put(&t, 1 + i, b > 0);
  }
  must(sw_dataset_append(writer, &t, &err), &err);
  sw_trace_free(&t);
  must(sw_dataset_finish(writer, NULL, 0, hash, &err), &err);
  assert_int_equal(beside, 1);
  assert_int_equal(temporaries(), 0);
  tiny_run_remove(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(columns_go_first)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
