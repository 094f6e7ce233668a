/* Files that change while they are read: the moment is fixed by standing before
 * read(), which cuts, rewrites or replaces the file after its first piece. What
 * was read is the old file or an error that says so, never a mixture; and what
 * happens to the file afterwards does not reach what was read. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <dlfcn.h>
#else
#define NO_INTERPOSITION 1 /* the sanitizers stand there */
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../tiny_run.h"
#include "base/file.h"
#include "trace/dataset.h"

#ifdef NO_INTERPOSITION
int main(void) { return 0; }
#else

static char *directory;
static char path[1100], other[1100];
static void (*after_first_read)(void);

ssize_t read(int fd, void *data, size_t bytes) {
  static ssize_t (*next)(int, void *, size_t);
  if (!next) *(void **)(&next) = dlsym(RTLD_NEXT, "read");
  void (*then)(void) = after_first_read;
  if (then && bytes > 1) bytes /= 2; /* so that there is a second one */
  ssize_t got = next(fd, data, bytes);
  after_first_read = NULL;
  if (then) then();
  return got;
}

static void cut(void) { assert_int_equal(truncate(path, 100), 0); }
static void put_at(off_t at) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  assert_int_equal(pwrite(fd, "xxxx", 4, at), 4);
  close(fd);
}
static void rewrite(void) { put_at(40); }
static void grow(void) { put_at(70000); }
static void replace(void) { assert_int_equal(rename(other, path), 0); }

static void write_zeros(const char *name, size_t bytes) {
  sw_err err;
  char *zeros = calloc(1, bytes);
  if (sw_write_file(name, zeros, bytes, &err)) fail_msg("%s", err.text);
  free(zeros);
  usleep(20000); /* a file system's clock may be that coarse */
}

static void expect_error(void (*change)(void), const char *word) {
  sw_content content;
  sw_err err = {0};
  write_zeros(path, 65536);
  after_first_read = change;
  assert_int_equal(sw_content_read(&content, path, &err), SW_IO);
  assert_null(content.data);
  if (!strstr(err.text, word)) fail_msg("`%s`, not `%s`", err.text, word);
}

static void changed_while_read(void **state) {
  (void)state;
  expect_error(cut, "became shorter");
  expect_error(rewrite, "changed");
  expect_error(grow, "changed");
}

/* Every writer of ours replaces: a reader then has the whole old file. */
static void replaced_while_read(void **state) {
  (void)state;
  sw_content content;
  sw_err err = {0};
  write_zeros(path, 65536);
  assert_int_equal(sw_write_file(other, "new", 3, &err), SW_OK);
  after_first_read = replace;
  assert_int_equal(sw_content_read(&content, path, &err), SW_OK);
  assert_int_equal(content.bytes, 65536);
  for (size_t i = 0; i < content.bytes; i++)
    assert_int_equal(content.data[i], 0);
  sw_content_free(&content);
}

/* An open data set outlives its file. */
static void data_set_cut_afterwards(void **state) {
  (void)state;
  sw_dataset set;
  sw_err err = {0};
  unlink(path);
  assert_int_equal(tiny_data_make(path, 5, 20, &err), SW_OK);
  assert_int_equal(sw_dataset_open(&set, path, &err), SW_OK);
  assert_int_equal(truncate(path, 0), 0);
  int64_t tokens = 0;
  for (int64_t i = 0; i < set.length; i++) tokens += set.tokens[i] >= 0;
  assert_int_equal(tokens, set.length);
  assert_int_equal(set.trace_start[set.traces], set.length);
  sw_dataset_close(&set);
  /* and one that is cut while it is opened is refused */
  unlink(path);
  assert_int_equal(tiny_data_make(path, 5, 20, &err), SW_OK);
  after_first_read = cut;
  assert_int_equal(sw_dataset_open(&set, path, &err), SW_IO);
}

static int set_up(void **state) {
  (void)state;
  directory = tiny_run_directory();
  if (!directory) return -1;
  snprintf(path, sizeof path, "%s/file", directory);
  snprintf(other, sizeof other, "%s/other", directory);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  tiny_run_remove(directory);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(changed_while_read),
                                     cmocka_unit_test(replaced_while_read),
                                     cmocka_unit_test(data_set_cut_afterwards)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
#endif
