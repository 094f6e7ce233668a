/* Lines of streams: plain, .gz and .xz, from files and memory; what is damaged,
 * cut off or too long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "base/file.h"
#include "base/lines.h"

enum { LINES = 4000, MOST = 1 << 20 };
static char *text;
static size_t text_bytes;

/* Lines of 0 to 200 characters, so that they cross every slice. */
static int make_text(void **state) {
  (void)state;
  FILE *out = open_memstream(&text, &text_bytes);
  for (int i = 0; i < LINES; i++) {
    fprintf(out, "%d ", i);
    for (int k = 0; k < i * 7 % 200; k++) fputc('a' + (i + k) % 26, out);
    if (i < LINES - 1) fputc('\n', out); /* the last one has no end */
  }
  return fclose(out);
}

static int free_text(void **state) {
  (void)state;
  free(text);
  return 0;
}

/* Reads all lines and compares them with the text. */
static void check_all(sw_lines *lines, int times) {
  sw_err err = {0};
  for (int round = 0; round < times; round++) {
    const char *expect = text;
    for (int i = 0; i < LINES; i++) {
      const char *line;
      size_t bytes, want = strcspn(expect, "\n");
      if (sw_lines_next(lines, &line, &bytes, &err)) fail_msg("%s", err.text);
      assert_non_null(line);
      assert_int_equal(sw_lines_number(lines), round * LINES + i + 1);
      assert_int_equal(bytes, want);
      assert_memory_equal(line, expect, want);
      assert_int_equal(line[bytes], 0);
      expect += want + 1;
    }
  }
  const char *line;
  size_t bytes;
  assert_int_equal(sw_lines_next(lines, &line, &bytes, &err), 0);
  assert_null(line);
}

static size_t pack(int xz, const void *data, size_t bytes, unsigned char *out,
                   size_t room) {
  if (xz) {
    size_t at = 0;
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, data,
                                             bytes, out, &at, room),
                     LZMA_OK);
    return at;
  }
  z_stream z = {0};
  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, 0), Z_OK);
  z.next_in = (Bytef *)(uintptr_t)data;
  z.avail_in = (uInt)bytes;
  z.next_out = out;
  z.avail_out = (uInt)room;
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  deflateEnd(&z);
  return room - z.avail_out;
}

static void reads_memory_and_files(void **state) {
  (void)state;
  char path[] = "/tmp/statewise-lines-XXXXXX";
  size_t room = text_bytes * 2 + 1000;
  unsigned char *packed = malloc(room);
  sw_lines *lines;
  sw_err err;
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  for (int kind = 0; kind < 3; kind++) {
    size_t bytes = text_bytes;
    if (kind) bytes = pack(kind == 2, text, text_bytes, packed, room);
    else memcpy(packed, text, text_bytes);
    assert_int_equal(sw_lines_memory(&lines, "m", packed, bytes, MOST, &err),
                     0);
    check_all(lines, 1);
    sw_lines_close(lines);
    assert_int_equal(sw_write_file(path, packed, bytes, &err), 0);
    assert_int_equal(sw_lines_open(&lines, path, MOST, &err), 0);
    check_all(lines, 1);
    sw_lines_close(lines);
  }
  unlink(path);
  assert_int_equal(sw_lines_open(&lines, path, MOST, &err), SW_NOFILE);
  assert_null(lines);
  free(packed);
}

/* Archives one behind the other are one text. */
static void reads_archives_in_a_row(void **state) {
  (void)state;
  size_t room = text_bytes * 4 + 1000;
  unsigned char *packed = malloc(room);
  char *ended = malloc(text_bytes + 1);
  sw_lines *lines;
  sw_err err;
  memcpy(ended, text, text_bytes);
  ended[text_bytes] = '\n';
  for (int xz = 0; xz < 2; xz++) {
    size_t bytes = pack(xz, ended, text_bytes + 1, packed, room);
    bytes += pack(xz, ended, text_bytes + 1, packed + bytes, room - bytes);
    assert_int_equal(sw_lines_memory(&lines, "m", packed, bytes, MOST, &err),
                     0);
    check_all(lines, 2);
    sw_lines_close(lines);
  }
  free(packed);
  free(ended);
}

/* The error of reading to the end; SW_OK: there was none. */
static int read_all(const void *data, size_t bytes, size_t most, sw_err *err) {
  sw_lines *lines;
  const char *line;
  size_t length;
  int code = sw_lines_memory(&lines, "file", data, bytes, most, err);
  while (!code && !(code = sw_lines_next(lines, &line, &length, err)) && line)
    continue;
  sw_lines_close(lines);
  return code;
}

static void tells_damage(void **state) {
  (void)state;
  size_t room = text_bytes * 2 + 1000;
  unsigned char *packed = malloc(room);
  sw_err err;
  for (int xz = 0; xz < 2; xz++) {
    size_t bytes = pack(xz, text, text_bytes, packed, room);
    assert_int_equal(read_all(packed, bytes, MOST, &err), SW_OK);
    for (size_t cut = 7; cut < bytes; cut += bytes / 50 + 1) {
      assert_int_equal(read_all(packed, cut, MOST, &err), SW_DATA);
      assert_non_null(strstr(err.text, "damaged or truncated"));
    }
    assert_int_equal(read_all(packed, bytes - 1, MOST, &err), SW_DATA);
    memcpy(packed + bytes, "rubbish", 7);
    assert_int_equal(read_all(packed, bytes + 7, MOST, &err), SW_DATA);
    packed[bytes / 2] ^= 0x55;
    assert_int_equal(read_all(packed, bytes, MOST, &err), SW_DATA);
  }
  free(packed);
}

static void limits_the_line(void **state) {
  (void)state;
  sw_err err;
  assert_int_equal(read_all("aaa\nbbbb\ncc", 11, 4, &err), SW_OK);
  assert_int_equal(read_all("aaa\nbbbb\ncc", 11, 3, &err), SW_LIMIT);
  assert_string_equal(err.text, "file:2: a line of more than 3 bytes");
  char *wide = malloc(3 << 20); /* many slices without an end */
  memset(wide, 'x', 3 << 20);
  assert_int_equal(read_all(wide, 3 << 20, 2 << 20, &err), SW_LIMIT);
  assert_int_equal(read_all(wide, 3 << 20, 3 << 20, &err), SW_OK);
  free(wide);
  assert_int_equal(read_all("", 0, 3, &err), SW_OK);
  assert_int_equal(read_all("\n\n", 2, 0, &err), SW_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads_memory_and_files),
                                     cmocka_unit_test(reads_archives_in_a_row),
                                     cmocka_unit_test(tells_damage),
                                     cmocka_unit_test(limits_the_line)};
  return cmocka_run_group_tests(tests, make_text, free_text);
}
