/* safetensors: round trips, alignment of what we write, and one bad input for
 * every check of the reader, each with the words its message must contain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../unpack.h"
#include "base/safetensors.h"

static char dir[] = "/tmp/statewise-st-XXXXXX";
static char target[64];

static int make_dir(void **state) {
  (void)state;
  if (!mkdtemp(dir)) return -1;
  snprintf(target, sizeof target, "%s/w.safetensors", dir);
  return 0;
}

static int remove_dir(void **state) {
  (void)state;
  unlink(target);
  return rmdir(dir);
}

static int parse(const char *header, size_t data_bytes, sw_err *err) {
  size_t length = strlen(header);
  uint64_t size = length;
  unsigned char *bytes = calloc(1, 8 + length + data_bytes);
  memcpy(bytes, &size, 8);
  memcpy(bytes + 8, header, length);
  sw_st_file *file;
  int code = sw_st_parse(&file, bytes, 8 + length + data_bytes, "x", err);
  if (!code) sw_st_close(file);
  else assert_null(file);
  free(bytes);
  return code;
}

#define T(name, dtype, shape, range)                        \
  "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":[" shape \
  "],\"data_offsets\":[" range "]}"

static void accepts_what_is_right(void **state) {
  (void)state;
  sw_err err;
  assert_int_equal(parse("{}", 0, &err), 0);
  assert_int_equal(parse("{}      ", 0, &err), 0);
  assert_int_equal(parse("{" T("a", "F32", "2,3", "0,24") "}", 24, &err), 0);
  assert_int_equal(parse("{" T("s", "F64", "", "0,8") "}", 8, &err), 0);
  assert_int_equal(parse("{" T("e", "F32", "0,9", "0,0") "}", 0, &err), 0);
  assert_int_equal(
      parse("{" T("b", "U8", "3", "4,7") "," T("a", "I32", "1", "0,4") "}", 7,
            &err),
      0);
  assert_int_equal(parse("{\"__metadata__\":{\"k\":\"v\"}}", 0, &err), 0);
}

static void rejects_what_is_wrong(void **state) {
  (void)state;
  static const struct {
    const char *header;
    size_t data;
    int code;
    const char *word;
  } bad[] = {
      {"", 0, SW_DATA, "header"},
      {"[]", 0, SW_DATA, "not an object"},
      {"{\"a\"", 0, SW_DATA, "header byte"},
      {"{} {}", 0, SW_DATA, "header byte"},
      {"{" T("a", "F32", "1", "0,4") "," T("a", "F32", "1", "0,4") "}", 4,
       SW_DATA, "duplicate"},
      {"{\"__metadata__\":{\"k\":1}}", 0, SW_DATA, "not a string"},
      {"{\"__metadata__\":[]}", 0, SW_DATA, "__metadata__"},
      {"{\"a\":3}", 0, SW_DATA, "not described"},
      {"{\"a\":{}}", 0, SW_DATA, "dtype"},
      {"{" T("a", "F31", "1", "0,4") "}", 4, SW_DATA, "dtype"},
      {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, SW_DATA,
       "no shape"},
      {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, SW_DATA, "data_offsets"},
      {"{" T("a", "F32", "1", "0") "}", 4, SW_DATA, "data_offsets"},
      {"{" T("a", "F32", "1", "0,4,8") "}", 4, SW_DATA, "data_offsets"},
      {"{" T("a", "F32", "1", "0.0,4.0") "}", 4, SW_DATA, "data_offsets"},
      {"{" T("a", "F32", "-1", "0,4") "}", 4, SW_DATA, "dimension 0"},
      {"{" T("a", "F32", "1.5", "0,4") "}", 4, SW_DATA, "dimension 0"},
      {"{" T("a", "F32", "1,1,1,1,1,1,1,1,1", "0,4") "}", 4, SW_LIMIT,
       "dimensions"},
      {"{" T("a", "F32", "4294967296,4294967296", "0,4") "}", 4, SW_DATA,
       "overflows"},
      {"{" T("a", "F32", "4611686018427387904", "0,4") "}", 4, SW_DATA,
       "overflows"},
      {"{" T("a", "F32", "99999999999999999999", "0,4") "}", 4, SW_DATA,
       "header byte"},
      {"{" T("a", "F32", "2", "0,4") "}", 4, SW_DATA, "needs 8"},
      {"{" T("a", "F32", "1", "0,8") "}", 8, SW_DATA, "needs 4"},
      {"{" T("a", "F32", "1", "4,0") "}", 4, SW_DATA, "bytes 4 to 0"},
      {"{" T("a", "F32", "1", "-4,0") "}", 4, SW_DATA, "bytes -4"},
      {"{" T("a", "F32", "2", "0,8") "}", 4, SW_DATA, "of 4"},
      {"{" T("a", "F32", "1", "0,4") "," T("b", "F32", "1", "2,6") "}", 6,
       SW_DATA, "inside"},
      {"{" T("a", "F32", "1", "0,4") "," T("b", "F32", "1", "0,4") "}", 4,
       SW_DATA, "inside"},
      {"{" T("a", "F32", "1", "0,4") "," T("b", "F32", "1", "8,12") "}", 12,
       SW_DATA, "after the end"},
      {"{" T("a", "F32", "1", "4,8") "}", 8, SW_DATA, "after the end"},
      {"{" T("a", "F32", "1", "0,4") "}", 9, SW_DATA, "5 bytes after"},
      {"{}", 1, SW_DATA, "1 bytes after"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    sw_err err = {0};
    int code = parse(bad[i].header, bad[i].data, &err);
    if (code != bad[i].code || !strstr(err.text, bad[i].word))
      fail_msg("row %zu: code %d, \"%s\"", i, code, err.text);
  }
}

static void rejects_bad_lengths(void **state) {
  (void)state;
  sw_err err;
  sw_st_file *file;
  unsigned char bytes[64] = {0};
  for (size_t n = 0; n < 8; n++)
    assert_int_equal(sw_st_parse(&file, bytes, n, "x", &err), SW_DATA);
  uint64_t huge = UINT64_MAX;
  memcpy(bytes, &huge, 8);
  assert_int_equal(sw_st_parse(&file, bytes, 64, "x", &err), SW_DATA);
  huge = 57;
  memcpy(bytes, &huge, 8);
  assert_int_equal(sw_st_parse(&file, bytes, 64, "x", &err), SW_DATA);
  assert_non_null(strstr(err.hint, "truncated"));
  size_t large = ((size_t)16 << 20) + 100;
  unsigned char *wide = calloc(1, large);
  huge = large - 8;
  memcpy(wide, &huge, 8);
  assert_int_equal(sw_st_parse(&file, wide, large, "x", &err), SW_LIMIT);
  free(wide);
}

static void every_truncation_is_an_error(void **state) {
  (void)state;
  const float data[4] = {1, 2, 3, 4};
  sw_st_spec spec[2] = {{"a", SW_ST_F32, 1, {4}, data, NULL},
                        {"b", SW_ST_U8, 1, {3}, "abc", NULL}};
  assert_int_equal(sw_st_write(target, spec, 2, NULL, 0, NULL), 0);
  char *bytes;
  size_t length;
  assert_int_equal(sw_read_file(target, 0, &bytes, &length, NULL), 0);
  for (size_t n = 0; n < length; n++) {
    sw_st_file *file;
    unsigned char *part =
        malloc(n ? n : 1); /* exact size: ASan sees overruns */
    memcpy(part, bytes, n);
    assert_int_not_equal(sw_st_parse(&file, part, n, "x", NULL), 0);
    free(part);
  }
  free(bytes);
}

static void round_trip_and_alignment(void **state) {
  (void)state;
  float big[32];
  double wide[3] = {0.5, -2, 1e-3};
  int64_t odd[1] = {-7};
  for (int i = 0; i < 32; i++) big[i] = (float)i / 3;
  sw_st_spec spec[4] = {{"odd", SW_ST_I64, 1, {1}, odd, NULL},
                        {"wide", SW_ST_F64, 2, {1, 3}, wide, NULL},
                        {"big", SW_ST_F32, 2, {2, 16}, big, NULL},
                        {"none", SW_ST_F32, 2, {0, 5}, NULL, NULL}};
  const char *meta[] = {"who", "a \"quoted\" \\ name\n", "d", "32"};
  sw_err err;
  assert_int_equal(sw_st_write(target, spec, 4, meta, 2, &err), 0);
  sw_st_file *file;
  assert_int_equal(sw_st_open(&file, target, &err), 0);
  assert_int_equal(sw_st_count(file), 4);
  assert_string_equal(sw_st_meta(file, "who"), meta[1]);
  assert_string_equal(sw_st_meta(file, "d"), "32");
  assert_null(sw_st_meta(file, "other"));
  assert_int_equal(sw_st_meta_count(file), 2);
  const sw_st_tensor *t = sw_st_find(file, "big");
  assert_int_equal((uintptr_t)t->data % 64, 0);
  assert_int_equal(t->dims, 2);
  assert_int_equal(t->shape[1], 16);
  assert_memory_equal(t->data, big, sizeof big);
  float out[3];
  assert_int_equal(sw_st_copy_f32(sw_st_find(file, "wide"), out, 3, &err), 0);
  assert_true(out[0] == 0.5f && out[1] == -2 && out[2] == 1e-3f);
  assert_int_equal(sw_st_find(file, "none")->count, 0);
  assert_memory_equal(sw_st_find(file, "odd")->data, odd, 8);
  assert_null(sw_st_find(file, "absent"));
  assert_int_equal(sw_st_copy_f32(sw_st_find(file, "wide"), out, 2, &err),
                   SW_DATA);
  assert_int_equal(sw_st_copy_f32(sw_st_find(file, "odd"), out, 1, &err),
                   SW_DATA);
  sw_st_close(file);
}

static void non_finite_weights_are_named(void **state) {
  (void)state;
  const float values[3] = {1, (float)NAN, 2};
  const double wide[2] = {1, 1e300}; /* not finite as a float */
  sw_st_spec spec[2] = {{"w", SW_ST_F32, 1, {3}, values, NULL},
                        {"x", SW_ST_F64, 1, {2}, wide, NULL}};
  sw_err err;
  assert_int_equal(sw_st_write(target, spec, 2, NULL, 0, &err), 0);
  sw_st_file *file;
  assert_int_equal(sw_st_open(&file, target, &err), 0);
  float out[3];
  assert_int_equal(sw_st_copy_f32(sw_st_find(file, "w"), out, 3, &err),
                   SW_DATA);
  assert_non_null(strstr(err.text, "\"w\": element 1"));
  assert_int_equal(sw_st_copy_f32(sw_st_find(file, "x"), out, 2, &err),
                   SW_DATA);
  sw_st_close(file);
}

static void writer_refuses_nonsense(void **state) {
  (void)state;
  const float one = 1;
  sw_st_spec twice[2] = {{"a", SW_ST_F32, 1, {1}, &one, NULL},
                         {"a", SW_ST_F32, 1, {1}, &one, NULL}};
  sw_st_spec negative = {"a", SW_ST_F32, 1, {-1}, &one, NULL};
  sw_st_spec reserved = {"__metadata__", SW_ST_F32, 1, {1}, &one, NULL};
  sw_st_spec missing = {"a", SW_ST_F32, 1, {1}, NULL, "/nonexistent/part"};
  sw_write_file(target, "old", 3, NULL);
  assert_int_equal(sw_st_write(target, twice, 2, NULL, 0, NULL), SW_USAGE);
  assert_int_equal(sw_st_write(target, &negative, 1, NULL, 0, NULL), SW_USAGE);
  assert_int_equal(sw_st_write(target, &reserved, 1, NULL, 0, NULL), SW_USAGE);
  assert_int_equal(sw_st_write(target, &missing, 1, NULL, 0, NULL), SW_IO);
  char *bytes;
  size_t length;
  sw_read_file(target, 0, &bytes, &length, NULL);
  assert_string_equal(bytes, "old");
  free(bytes);
}

static void golden_file(void **state) {
  (void)state;
  char *path = unpack_file("tests/data/golden/model-tiny.safetensors.xz");
  assert_non_null(path);
  sw_st_file *file;
  sw_err err;
  assert_int_equal(sw_st_open(&file, path, &err), 0);
  assert_string_equal(sw_st_meta(file, "d_model"), "32");
  assert_int_equal(sw_st_find(file, "input.ids")->shape[1], 35);
  sw_st_close(file);
  unpack_remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accepts_what_is_right),
      cmocka_unit_test(rejects_what_is_wrong),
      cmocka_unit_test(rejects_bad_lengths),
      cmocka_unit_test(every_truncation_is_an_error),
      cmocka_unit_test(round_trip_and_alignment),
      cmocka_unit_test(non_finite_weights_are_named),
      cmocka_unit_test(writer_refuses_nonsense),
      cmocka_unit_test(golden_file),
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
