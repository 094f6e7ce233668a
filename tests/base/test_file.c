/* Files: atomic writing, packed input, limits, and what hostile or broken
 * inputs and targets lead to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>
#include "base/file.h"

/* Stands before the C library's: a disk that may only be read. */
static int read_only_disk;
int mkdir(const char *path, mode_t mode) {
  if (!read_only_disk) return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  errno = EROFS;
  return -1;
}

static char dir[] = "/tmp/statewise-f-XXXXXX";
static char target[64];
static sw_err err;

static int make_dir(void **state) {
  (void)state;
  if (!mkdtemp(dir)) return -1;
  snprintf(target, sizeof target, "%s/t", dir);
  return 0;
}

static int remove_dir(void **state) {
  (void)state;
  unlink(target);
  return rmdir(dir); /* a left temporary fails the group */
}

static void assert_content(const char *expect) {
  char *data;
  size_t bytes;
  assert_int_equal(sw_read_file(target, 0, &data, &bytes, &err), 0);
  assert_int_equal(bytes, strlen(expect));
  assert_string_equal(data, expect);
  free(data);
}

static void commit_and_abort(void **state) {
  (void)state;
  sw_out_file out;
  assert_int_equal(sw_write_file(target, "one", 3, &err), 0);
  assert_int_equal(sw_out_open(&out, target, &err), 0);
  fputs("two", out.stream);
  assert_content("one");
  sw_out_abort(&out);
  assert_content("one");
  assert_int_equal(sw_out_open(&out, target, &err), 0);
  fputs("three", out.stream);
  assert_int_equal(sw_out_commit(&out, &err), 0);
  assert_content("three");
  assert_int_equal(sw_write_file(target, "", 0, &err), 0);
  assert_content("");
}

static void two_writers_do_not_disturb_each_other(void **state) {
  (void)state;
  sw_out_file a, b;
  assert_int_equal(sw_out_open(&a, target, &err), 0);
  assert_int_equal(sw_out_open(&b, target, &err), 0);
  fputs("a", a.stream);
  fputs("b", b.stream);
  assert_int_equal(sw_out_commit(&a, &err), 0);
  assert_content("a");
  assert_int_equal(sw_out_commit(&b, &err), 0);
  assert_content("b");
}

static void bad_targets(void **state) {
  (void)state;
  sw_out_file out;
  assert_int_equal(sw_out_open(&out, dir, &err), SW_IO);
  assert_non_null(strstr(err.text, "directory"));
  assert_int_equal(sw_out_open(&out, "/nonexistent/x", &err), SW_IO);
  assert_non_null(strstr(err.hint, "directory"));
  assert_int_equal(sw_out_open(&out, "", &err), SW_USAGE);
  char deep[2000];
  memset(deep, 'x', sizeof deep - 1);
  deep[sizeof deep - 1] = 0;
  assert_int_equal(sw_out_open(&out, deep, &err), SW_LIMIT);
  /* A device is written to directly, and a full one is an error. */
  assert_int_equal(sw_write_file("/dev/null", "x", 1, &err), 0);
  if (sw_path_exists("/dev/full")) {
    assert_int_equal(sw_write_file("/dev/full", "x", 1, &err), SW_IO);
    assert_non_null(strstr(err.hint, "space"));
  }
}

static char *long_text(size_t bytes) {
  char *text = malloc(bytes + 1);
  for (size_t i = 0; i < bytes; i++) text[i] = (char)('a' + i % 23);
  text[bytes] = 0;
  return text;
}

static void reads_gzip_and_xz(void **state) {
  (void)state;
  char *text = long_text(300000);
  gzFile gz = gzopen(target, "wb");
  gzwrite(gz, text, 300000);
  gzclose(gz);
  assert_content(text);
  gz = gzopen(target, "ab"); /* a second member */
  gzwrite(gz, "end", 3);
  gzclose(gz);
  char *data;
  size_t bytes;
  assert_int_equal(sw_read_file(target, 0, &data, &bytes, &err), 0);
  assert_int_equal(bytes, 300003);
  assert_string_equal(data + 300000, "end");
  free(data);
  uint8_t packed[4096];
  size_t size = 0;
  assert_int_equal(
      lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text,
                              300000, packed, &size, sizeof packed),
      0);
  assert_int_equal(sw_write_file(target, packed, size, &err), 0);
  assert_content(text);
  /* Truncated, and over the limit after unpacking. */
  assert_int_equal(sw_write_file(target, packed, size / 2, &err), 0);
  assert_int_equal(sw_read_file(target, 0, &data, &bytes, &err), SW_DATA);
  assert_int_equal(sw_write_file(target, packed, size, &err), 0);
  assert_int_equal(sw_read_file(target, 1000, &data, &bytes, &err), SW_LIMIT);
  assert_int_equal(sw_read_file(target, 300000, &data, &bytes, &err), 0);
  free(data);
  assert_int_equal(sw_write_file(target, "\x1f\x8b\x08garbage", 10, &err), 0);
  assert_int_equal(sw_read_file(target, 0, &data, &bytes, &err), SW_DATA);
  assert_null(data);
  free(text);
}

static void limits_and_missing_files(void **state) {
  (void)state;
  char *data;
  size_t bytes;
  sw_content map;
  assert_int_equal(sw_write_file(target, "12345", 5, &err), 0);
  assert_int_equal(sw_read_file(target, 4, &data, &bytes, &err), SW_LIMIT);
  assert_int_equal(sw_read_file(target, 5, &data, &bytes, &err), 0);
  free(data);
  assert_int_equal(sw_read_file("/nonexistent", 0, &data, &bytes, &err),
                   SW_NOFILE);
  assert_int_equal(sw_read_file(dir, 0, &data, &bytes, &err), SW_NOFILE);
  assert_int_equal(sw_content_read(&map, dir, &err), SW_NOFILE);
  assert_int_equal(sw_content_read(&map, target, &err), 0);
  assert_memory_equal(map.data, "12345", 5);
  sw_content_free(&map);
  assert_int_equal(sw_write_file(target, "", 0, &err), 0);
  assert_int_equal(sw_content_read(&map, target, &err), 0);
  assert_int_equal(map.bytes, 0);
  sw_content_free(&map);
}

static void directories(void **state) {
  (void)state;
  char path[128];
  snprintf(path, sizeof path, "%s/a/b/c/", dir);
  assert_int_equal(sw_make_dirs(path, &err), 0);
  assert_true(sw_is_directory(path));
  assert_int_equal(sw_make_dirs(path, &err), 0);
  sw_write_file(target, "x", 1, &err);
  assert_int_equal(sw_make_dirs(target, &err), SW_IO);
  assert_true(sw_path_exists(target) && !sw_is_directory(target));
  static const char *const part[] = {"a/b/c", "a/b", "a"};
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", dir, part[i]);
    assert_int_equal(rmdir(path), 0);
  }
}

static void the_reason_is_the_first_one(void **state) {
  (void)state;
  char path[128];
  snprintf(path, sizeof path, "%s/new/below", dir);
  read_only_disk = 1;
  int code = sw_make_dirs(path, &err);
  int known = sw_make_dirs(dir, &err);
  read_only_disk = 0;
  assert_int_equal(code, SW_IO);
  assert_int_equal(known, SW_OK); /* it is there already */
  read_only_disk = 1;
  sw_make_dirs(path, &err);
  read_only_disk = 0;
  assert_non_null(strstr(err.text, "Read-only"));
}

/* Tapes and block devices pad archives with zero bytes; anything else behind
 * the end is damage. */
static void padded_gzip(void **state) {
  (void)state;
  char *text;
  size_t bytes;
  gzFile out = gzopen(target, "wb");
  assert_int_equal(gzputs(out, "all of it"), 9);
  gzclose(out);
  FILE *more = fopen(target, "ab");
  for (int i = 0; i < 3000; i++) fputc(0, more);
  fclose(more);
  assert_int_equal(sw_read_file(target, 0, &text, &bytes, &err), SW_OK);
  assert_string_equal(text, "all of it");
  free(text);
  more = fopen(target, "ab");
  fputc(7, more);
  fclose(more);
  assert_int_equal(sw_read_file(target, 0, &text, &bytes, &err), SW_DATA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(commit_and_abort),
      cmocka_unit_test(two_writers_do_not_disturb_each_other),
      cmocka_unit_test(bad_targets),
      cmocka_unit_test(reads_gzip_and_xz),
      cmocka_unit_test(limits_and_missing_files),
      cmocka_unit_test(directories),
      cmocka_unit_test(the_reason_is_the_first_one),
      cmocka_unit_test(padded_gzip),
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
