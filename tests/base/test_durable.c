/* What is on the disk when, and who may take a temporary away: syncs and locks
 * are watched by standing before the system's calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "base/file.h"

static char dir[] = "/tmp/statewise-d-XXXXXX";
static char synced[8][PATH_MAX]; /* what was synced, in order */
static int syncs;
static int locks_that_fail, lock_failure; /* an errno */
static char unlocked[PATH_MAX];           /* the last file of such a lock */

static void name_of(int fd, char *name) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, name, PATH_MAX - 1);
  name[length > 0 ? length : 0] = 0;
}

#pragma GCC visibility push(default)
int fsync(int fd) {
  int (*next)(int);
  *(void **)(&next) = dlsym(RTLD_NEXT, "fsync");
  if (syncs < 8) name_of(fd, synced[syncs++]);
  return next(fd);
}
int flock(int fd, int operation) {
  int (*next)(int, int);
  *(void **)(&next) = dlsym(RTLD_NEXT, "flock");
  if (!locks_that_fail) return next(fd, operation);
  locks_that_fail--;
  name_of(fd, unlocked);
  errno = lock_failure;
  return -1;
}
#pragma GCC visibility pop

static int make_dir(void **state) {
  (void)state;
  return mkdtemp(dir) ? 0 : -1;
}
static int remove_dir(void **state) {
  (void)state;
  return rmdir(dir); /* a left temporary fails the group */
}

/* Each new directory is synced into the one above it, old ones are not. */
static void new_directories_are_durable(void **state) {
  (void)state;
  sw_err err = {0};
  char path[128], above[128];
  snprintf(path, sizeof path, "%s/a/b", dir);
  snprintf(above, sizeof above, "%s/a", dir);
  syncs = 0;
  assert_int_equal(sw_make_dirs(path, &err), 0);
  assert_int_equal(syncs, 2);
  assert_string_equal(synced[0], dir);
  assert_string_equal(synced[1], above);
  assert_int_equal(sw_make_dirs(path, &err), 0);
  assert_int_equal(syncs, 2);
  assert_int_equal(rmdir(path) | rmdir(above), 0);
}

/* A cleaner that holds the lock is about to remove the file: another one is
 * written to. */
static void a_cleaner_takes_no_temporary_in_use(void **state) {
  (void)state;
  sw_err err = {0};
  sw_out_file out;
  char path[128], *text;
  size_t bytes;
  snprintf(path, sizeof path, "%s/target", dir);
  locks_that_fail = 2;
  lock_failure = EWOULDBLOCK;
  assert_int_equal(sw_out_open(&out, path, &err), 0);
  assert_int_equal(locks_that_fail, 0);
  assert_string_not_equal(out.temp, unlocked);
  fputs("whole", out.stream);
  assert_int_equal(sw_out_commit(&out, &err), 0);
  assert_int_equal(sw_read_file(path, 0, &text, &bytes, &err), 0);
  assert_string_equal(text, "whole");
  free(text);
  sw_remove_temporaries(dir); /* as the cleaner would have */
  assert_int_equal(unlink(path), 0);
}

/* Where there are no locks, files are written without. */
static void no_locks_are_no_hindrance(void **state) {
  (void)state;
  sw_err err = {0};
  char path[128];
  snprintf(path, sizeof path, "%s/target", dir);
  locks_that_fail = 1;
  lock_failure = ENOLCK;
  assert_int_equal(sw_write_file(path, "x", 1, &err), 0);
  assert_int_equal(locks_that_fail, 0);
  assert_int_equal(unlink(path), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(new_directories_are_durable),
      cmocka_unit_test(a_cleaner_takes_no_temporary_in_use),
      cmocka_unit_test(no_locks_are_no_hindrance),
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
