/* Errors, arenas, growing arrays, JSON and threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/grow.h"
#include "base/json.h"
#include "base/text.h"
#include "base/threads.h"

static void errors(void **state) {
  (void)state;
  sw_err err;
  assert_int_equal(sw_fail(&err, SW_DATA, "%s:%d: bad\nline", "f", 3), SW_DATA);
  assert_string_equal(err.text, "f:3: bad line");
  assert_string_equal(err.hint, "");
  assert_int_equal(sw_hint(&err, "try %d", 4), SW_DATA);
  assert_int_equal(sw_context(&err, "reading"), SW_DATA);
  assert_string_equal(err.text, "reading: f:3: bad line");
  assert_string_equal(err.hint, "try 4");
  /* Controls of a terminal in one byte, in two, in three, and what is no UTF-8;
   * other text stays. */
  sw_fail(&err, SW_DATA,
          "a\x1b[2Jb\xc2\x9b"
          "2Jc\xe2\x80\xae"
          "d\x9b"
          "e\x7f");
  assert_string_equal(err.text, "a [2Jb?2Jc?d?e ");
  sw_hint(&err, "\xc3\xa9\xc2\x85\xc2\xa0\xe2\x82\xac");
  assert_string_equal(err.hint, "\xc3\xa9?\xc2\xa0\xe2\x82\xac");
  sw_context(&err, "\xc2\x9b");
  assert_string_equal(err.text, "?: a [2Jb?2Jc?d?e ");
  assert_int_equal(sw_plain_length("\xe2\x82\xac", 3), 3);
  assert_int_equal(sw_plain_length("\xe2\x82\xac", 2), 0);
  assert_int_equal(sw_plain_length("", 4), 0);
  /* Without an error object only the code comes back. */
  assert_int_equal(sw_fail(NULL, SW_IO, "x"), SW_IO);
  assert_int_equal(sw_hint(NULL, "x"), SW_IO);
  char wide[2000];
  memset(wide, 'a', sizeof wide - 1);
  wide[sizeof wide - 1] = 0;
  sw_fail(&err, SW_DATA, "%s", wide);
  assert_int_equal(sw_context(&err, "%s", wide), SW_DATA);
  assert_int_equal(strlen(err.text), sizeof err.text - 1);
  assert_int_equal(sw_error_exit_code(SW_OK), 0);
  assert_int_equal(sw_error_exit_code(SW_USAGE), 64);
  for (int code = 1; code <= 8; code++)
    assert_true(sw_error_exit_code(code) >= 64);
}

static void arenas(void **state) {
  (void)state;
  sw_arena arena;
  sw_arena_init(&arena, 1000);
  for (int round = 0; round < 3; round++) {
    char *before = NULL;
    for (size_t i = 1; i < 300; i += 7) {
      char *block = sw_arena_zalloc(&arena, i);
      assert_int_equal((uintptr_t)block % 64, 0);
      for (size_t k = 0; k < i; k++) assert_int_equal(block[k], 0);
      memset(block, 0x5a, i);
      if (before) assert_int_equal(before[0], 0x5a);
      before = block;
    }
    sw_arena_reset(&arena);
    assert_int_equal(arena.used, 0);
  }
  assert_true(arena.peak > 43 * 64);
  /* After a reset everything fits one chunk: the same work allocates nothing.
   */
  const void *chunk = arena.chunks;
  for (size_t i = 1; i < 300; i += 7) sw_arena_alloc(&arena, i);
  assert_ptr_equal(arena.chunks, chunk);
  assert_string_equal(sw_arena_strdup(&arena, "text"), "text");
  assert_null(sw_arena_alloc(&arena, SIZE_MAX - 8));
  sw_arena_free(&arena);
  void *large = sw_aligned_alloc((size_t)5 << 20);
  assert_int_equal((uintptr_t)large % 64, 0);
  sw_aligned_free(large);
  assert_null(sw_aligned_alloc(SIZE_MAX - 3));
}

/* What the writer writes, another program's parser reads back. */
static void json_reads_back(void **state) {
  (void)state;
  static const double reals[] = {0.1,    1e300,   -3,
                                 5e-324, 1.0 / 3, 123456789012345678.0};
  sw_json json;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "s", "a\"b\\c\n\t\x01\x7f \xc3\xa9");
  sw_json_string(&json, "bad", "x\xff\xc0y");
  sw_json_string(&json, "c1", "\xc2\x9bz\xe2\x80\xa8");
  sw_json_string(&json, "null", NULL);
  sw_json_int(&json, "i", INT64_MIN);
  sw_json_array(&json, "r");
  for (int i = 0; i < 6; i++) sw_json_real(&json, NULL, reals[i]);
  sw_json_real(&json, NULL, (double)NAN);
  sw_json_float9(&json, NULL, (double)0.1f);
  sw_json_end(&json);
  sw_json_object(&json, "empty");
  sw_json_end(&json);
  sw_json_bool(&json, "t", 1);
  sw_json_end(&json);
  assert_int_equal(json.failed, 0);
  json_error_t why;
  json_t *root = json_loads(json.text, 0, &why);
  assert_non_null(root);
  assert_string_equal(json_string_value(json_object_get(root, "s")),
                      "a\"b\\c\n\t\x01\x7f \xc3\xa9");
  assert_string_equal(json_string_value(json_object_get(root, "bad")),
                      "x\xef\xbf\xbd\xef\xbf\xbdy");
  /* what a terminal obeys is escaped, and the same text */
  assert_non_null(strstr(json.text, "\"\\u009bz\\u2028\""));
  assert_string_equal(json_string_value(json_object_get(root, "c1")),
                      "\xc2\x9bz\xe2\x80\xa8");
  assert_true(json_is_null(json_object_get(root, "null")));
  assert_true(json_integer_value(json_object_get(root, "i")) == INT64_MIN);
  const json_t *r = json_object_get(root, "r");
  for (size_t i = 0; i < 6; i++)
    assert_true(json_number_value(json_array_get(r, i)) == reals[i]);
  assert_true(json_is_null(json_array_get(r, 6)));
  assert_true((float)json_number_value(json_array_get(r, 7)) == 0.1f);
  json_decref(root);
  sw_json_free(&json);
}

static void json_misuse_is_reported(void **state) {
  (void)state;
  sw_json json;
  sw_json_to_text(&json);
  sw_json_end(&json);
  assert_int_equal(json.failed, 1);
  sw_json_free(&json);
  sw_json_to_text(&json);
  for (int i = 0; i < 65; i++) sw_json_array(&json, NULL);
  assert_int_equal(json.failed, 1);
  sw_json_free(&json);
}

typedef struct tally {
  sw_team *team;
  int visits[64];
  long sums[8], rounds;
} tally;

/* Every member adds up what all members wrote before the barrier. */
static void region(void *context, int rank, int size) {
  tally *t = context;
  for (int round = 0; round < 200; round++) {
    t->visits[rank] = round + rank;
    sw_team_barrier(t->team);
    for (int r = 0; r < size; r++) t->sums[rank] += t->visits[r];
    sw_team_barrier(t->team);
  }
}

static void teams(void **state) {
  (void)state;
  for (int size = 1; size <= 5; size++) {
    tally t = {0};
    assert_int_equal(sw_team_new(&t.team, size, NULL), 0);
    assert_int_equal(sw_team_size(t.team), size);
    for (int again = 0; again < 20; again++) sw_team_run(t.team, region, &t);
    long expect = 20L * (size * 19900L + 200L * size * (size - 1) / 2);
    for (int r = 0; r < size; r++) assert_int_equal(t.sums[r], expect);
    sw_team_free(t.team);
  }
  sw_team *team;
  assert_int_equal(sw_team_new(&team, -1, NULL), SW_USAGE);
  assert_int_equal(sw_team_new(&team, 0, NULL), 0);
  assert_int_equal(sw_team_size(team), sw_cpu_count());
  sw_team_free(team);
}

static void shares_cover_everything_once(void **state) {
  (void)state;
  for (size_t count = 0; count < 70; count += 3)
    for (size_t grain = 1; grain <= 16; grain *= 2)
      for (int size = 1; size <= 9; size++) {
        size_t next = 0, begin, end;
        for (int rank = 0; rank < size; rank++) {
          sw_share(count, grain, rank, size, &begin, &end);
          assert_int_equal(begin, next);
          assert_true(end >= begin && (end == count || end % grain == 0));
          next = end;
        }
        assert_int_equal(next, count);
      }
}

static void arrays_grow_and_keep_what_they_hold(void **state) {
  (void)state;
  int32_t *small = NULL, room = 0;
  double *large = NULL;
  int64_t room64 = 0;
  for (int32_t i = 0; i < 1000; i++) {
    assert_true(sw_grow(&small, &room, i + 1, sizeof *small));
    assert_true(sw_grow64(&large, &room64, i + 1, sizeof *large));
    assert_true(room > i && room64 > i);
    small[i] = i;
    large[i] = i;
  }
  for (int32_t i = 0; i < 1000; i++)
    assert_true(small[i] == i && large[i] == i);
  /* What cannot be is refused, and nothing has changed. */
  int32_t *was = small, had = room;
  double *was64 = large;
  int64_t had64 = room64;
  assert_false(sw_grow(&small, &room, INT32_MAX, sizeof *small));
  assert_false(sw_grow64(&large, &room64, INT64_MAX / 8, sizeof *large));
  assert_true(small == was && room == had);
  assert_true(large == was64 && room64 == had64);
  free(small);
  free(large);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors),
      cmocka_unit_test(arenas),
      cmocka_unit_test(json_reads_back),
      cmocka_unit_test(json_misuse_is_reported),
      cmocka_unit_test(teams),
      cmocka_unit_test(shares_cover_everything_once),
      cmocka_unit_test(arrays_grow_and_keep_what_they_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
