/* Masks against two independent statements of who sees whom: the worked
 * example with its printed patterns, and a dense definition written straight
 * from the table, on many shapes. Positions against their two examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "trace/mask.h"

/* 2 slots, block ids 0 0 0 1 1 1 2 2 2, window 3; one column a mask. */
static const struct {
  sw_mask_kind kind;
  const char *rows;
} golden[] = {
    {SW_MASK_SSA,
     "11111000000 11111000000 11100000000 11110000000 11111000000 11111100000 "
     "11111110000 11111111000 11111000100 11111000110 11111000111"},
    {SW_MASK_CAUSAL_RELEASE,
     "11111111111 11111111111 11100000000 11110000000 11111000000 11111100000 "
     "11111110000 11111111000 11111111100 11111111110 11111111111"},
    {SW_MASK_BLANKET,
     "11111000000 11111000000 11100000000 11110000000 11111000000 11000100000 "
     "11000110000 11000111000 11000000100 11000000110 11000000111"},
    {SW_MASK_BLOCK_ONLY,
     "11111000000 11111000000 11100000000 11110000000 11111000000 00000100000 "
     "00000110000 00000111000 00000000100 00000000110 00000000111"},
    {SW_MASK_SWA_PREFIX_RELEASE,
     "11111111111 11111111111 11111000000 11111000000 11111000000 11111100000 "
     "11111110000 11111111000 11111011100 11111001110 11111000111"},
    {SW_MASK_REVERSE,
     "11111000000 11111000000 11100000000 11110000000 11111000000 11000100000 "
     "11000110000 11000111000 11000111100 11000111110 11000111111"},
    {SW_MASK_SWA,
     "11111000000 11111000000 11100000000 11110000000 11111000000 11000100000 "
     "11000110000 11000111000 11000011100 11000001110 11000000111"},
};

static void worked_example(void **state) {
  (void)state;
  const int64_t start[3] = {0, 3, 6};
  sw_mask mask;
  sw_mask_init(&mask);
  for (size_t g = 0; g < sizeof golden / sizeof *golden; g++) {
    assert_int_equal(
        sw_mask_build(&mask, golden[g].kind, 2, 9, start, 3, 3, 0, NULL), 0);
    for (int q = 0; q < 11; q++)
      for (int k = 0; k < 11; k++)
        assert_int_equal(sw_mask_sees(&mask, q, k),
                         golden[g].rows[q * 12 + k] == '1');
  }
  sw_mask_free(&mask);
}

/* The table again, as a predicate on regions and token indices. Region -1 is a
 * slot, 0 the prefix, b a block; i and j count tokens. */
static int defined(sw_mask_kind kind, int rq, int i, int rk, int j,
                   int window) {
  int slot_key = rk < 0, prefix_key = rk == 0, before = !slot_key && j <= i;
  int in_window = before && i - j < window;
  if (rq < 0) {
    if (kind == SW_MASK_CAUSAL_RELEASE || kind == SW_MASK_SWA_PREFIX_RELEASE)
      return 1;
    return slot_key || prefix_key;
  }
  if (rq == 0) {
    if (kind == SW_MASK_SWA_PREFIX_RELEASE) return slot_key || prefix_key;
    return slot_key || (prefix_key && before);
  }
  switch (kind) {
    case SW_MASK_SSA:
      return slot_key || prefix_key || (rk == rq && before);
    case SW_MASK_CAUSAL:
    case SW_MASK_CAUSAL_NOSLOT:
    case SW_MASK_CAUSAL_RELEASE:
      return slot_key || before;
    case SW_MASK_BLANKET:
      return slot_key || (rk == rq && before);
    case SW_MASK_BLOCK_ONLY:
      return rk == rq && before;
    case SW_MASK_SWA_PREFIX:
    case SW_MASK_SWA_PREFIX_RELEASE:
      return slot_key || prefix_key || in_window;
    case SW_MASK_REVERSE:
      return slot_key || (rk > 0 && before);
    case SW_MASK_SWA:
      return slot_key || (rk > 0 && in_window);
    default:
      return 0;
  }
}

static int region_of(int row, int slots, const int64_t *start, int blocks) {
  int b = -1;
  if (row < slots) return -1;
  while (b + 1 < blocks && start[b + 1] <= row - slots) b++;
  return b;
}

static void check_shape(sw_mask *mask, sw_mask_kind kind, int slots,
                        const int64_t *start, int blocks, int length,
                        int window) {
  assert_int_equal(
      sw_mask_build(mask, kind, slots, length, start, blocks, window, 0, NULL),
      0);
  int64_t pairs = 0;
  int next = 0, rows = slots + length;
  for (int s = 0; s < mask->spans; s++) {
    const sw_span *span = &mask->span[s];
    assert_int_equal(span->begin, next);
    assert_true(span->end > span->begin && span->runs >= 1);
    next = span->end;
    for (int r = 0; r < span->runs; r++) {
      assert_true(span->run[r].begin < span->run[r].end);
      assert_true(span->run[r].end <= rows);
      if (r) assert_true(span->run[r - 1].end <= span->run[r].begin);
    }
  }
  assert_int_equal(next, rows);
  for (int q = 0; q < rows; q++) {
    int rq = region_of(q, slots, start, blocks), seen = 0;
    int32_t key[64];
    assert_true(rows <= 64);
    int32_t count = sw_mask_keys(mask, q, key);
    assert_int_equal(sw_mask_keys(mask, q, NULL), count);
    for (int k = 0; k < rows; k++) {
      int rk = region_of(k, slots, start, blocks);
      int expect = defined(kind, rq, q - slots, rk, k - slots, window);
      assert_int_equal(sw_mask_sees(mask, q, k), expect);
      if (expect) assert_true(seen < count && key[seen] == k);
      seen += expect;
    }
    assert_true(seen > 0);
    assert_int_equal(count, seen);
    pairs += seen;
  }
  assert_int_equal(sw_mask_pairs(mask), pairs);
}

static void all_masks_all_shapes(void **state) {
  (void)state;
  static const struct {
    int blocks, length;
    int64_t start[6];
  } shape[] = {{1, 1, {0}},
               {1, 7, {0}},
               {2, 2, {0, 1}},
               {2, 9, {0, 8}},
               {2, 9, {0, 1}},
               {3, 9, {0, 3, 6}},
               {4, 20, {0, 5, 6, 13}},
               {3, 8, {0, 0, 4}},
               {4, 10, {0, 3, 3, 7}},
               {6, 33, {0, 7, 11, 12, 20, 32}}};
  static const int windows[] = {1, 2, 3, 6, 100};
  sw_mask mask;
  sw_mask_init(&mask);
  for (int kind = 0; kind < SW_MASK_RANDOM_MATCHED; kind++)
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
      for (int slots = 0; slots <= 3; slots += slots ? 1 : 2)
        for (size_t w = 0; w < 5; w++)
          if (kind != SW_MASK_CAUSAL_NOSLOT || slots == 0)
            check_shape(&mask, (sw_mask_kind)kind, slots, shape[s].start,
                        shape[s].blocks, shape[s].length, windows[w]);
  sw_mask_free(&mask);
}

static void random_matched(void **state) {
  (void)state;
  const int64_t start[4] = {0, 5, 9, 14};
  sw_mask mask, again, ssa, release;
  sw_mask_init(&mask);
  sw_mask_init(&again);
  sw_mask_init(&ssa);
  sw_mask_init(&release);
  for (int slots = 0; slots <= 2; slots += 2) {
    sw_mask_build(&mask, SW_MASK_RANDOM_MATCHED, slots, 20, start, 4, 0, 7,
                  NULL);
    sw_mask_build(&again, SW_MASK_RANDOM_MATCHED, slots, 20, start, 4, 0, 7,
                  NULL);
    sw_mask_build(&ssa, SW_MASK_SSA, slots, 20, start, 4, 0, 0, NULL);
    sw_mask_build(&release, SW_MASK_CAUSAL_RELEASE, slots, 20, start, 4, 0, 0,
                  NULL);
    size_t cells = (size_t)(slots + 20) * (size_t)(slots + 20);
    assert_memory_equal(mask.dense, again.dense, cells);
    for (int q = 0; q < slots + 20; q++) {
      int count = 0, expect = 0;
      for (int k = 0; k < slots + 20; k++) {
        count += sw_mask_sees(&mask, q, k);
        expect += sw_mask_sees(&ssa, q, k);
        if (sw_mask_sees(&mask, q, k))
          assert_true(sw_mask_sees(&release, q, k));
      }
      assert_int_equal(count, expect);
    }
    assert_int_equal(sw_mask_pairs(&mask), sw_mask_pairs(&ssa));
    sw_mask_build(&again, SW_MASK_RANDOM_MATCHED, slots, 20, start, 4, 0, 8,
                  NULL);
    assert_memory_not_equal(mask.dense, again.dense, cells);
  }
  /* The dense table goes away when the mask is used for another kind. */
  sw_mask_build(&again, SW_MASK_CAUSAL, 0, 20, start, 4, 0, 0, NULL);
  assert_null(again.dense);
  assert_int_equal(sw_mask_pairs(&again), 210);
  sw_mask_free(&mask);
  sw_mask_free(&again);
  sw_mask_free(&ssa);
  sw_mask_free(&release);
}

/* A block's runs in a long trace are those of (prefix, block), shifted. */
static void block_local_runs_do_not_depend_on_company(void **state) {
  (void)state;
  const int64_t start[5] = {0, 6, 10, 17, 20}, alone[2] = {0, 6};
  sw_mask whole, part;
  sw_mask_init(&whole);
  sw_mask_init(&part);
  for (int kind = 0; kind < SW_MASK_COUNT; kind++) {
    if (!sw_mask_block_local((sw_mask_kind)kind)) continue;
    sw_mask_build(&whole, (sw_mask_kind)kind, 2, 25, start, 5, 0, 0, NULL);
    for (int b = 1; b < 5; b++) {
      int64_t size = (b < 4 ? start[b + 1] : 25) - start[b];
      sw_mask_build(&part, (sw_mask_kind)kind, 2, 6 + size, alone, 2, 0, 0,
                    NULL);
      const sw_span *x = &whole.span[b + 1], *y = &part.span[2];
      assert_int_equal(x->runs, y->runs);
      for (int r = 0; r < x->runs; r++)
        assert_int_equal(x->run[r].end - x->run[r].begin,
                         y->run[r].end - y->run[r].begin);
    }
  }
  sw_mask_free(&whole);
  sw_mask_free(&part);
}

static void wrong_requests(void **state) {
  (void)state;
  const int64_t good[2] = {0, 3}, late[2] = {1, 3}, down[3] = {0, 5, 4},
                far[2] = {0, 10};
  sw_mask mask;
  sw_err err;
  sw_mask_init(&mask);
  assert_int_equal(
      sw_mask_build(&mask, SW_MASK_CAUSAL_NOSLOT, 2, 9, good, 2, 0, 0, &err),
      SW_USAGE);
  assert_int_equal(
      sw_mask_build(&mask, SW_MASK_SWA_PREFIX, 2, 9, good, 2, 0, 0, &err),
      SW_USAGE);
  assert_int_equal(sw_mask_build(&mask, SW_MASK_SSA, 2, 9, late, 2, 0, 0, &err),
                   SW_DATA);
  assert_int_equal(sw_mask_build(&mask, SW_MASK_SSA, 2, 9, down, 3, 0, 0, &err),
                   SW_DATA);
  assert_non_null(strstr(err.text, "block 2"));
  assert_int_equal(sw_mask_build(&mask, SW_MASK_SSA, 2, 9, far, 2, 0, 0, &err),
                   SW_DATA);
  assert_int_equal(sw_mask_build(&mask, SW_MASK_SSA, 2, 9, good, 0, 0, 0, &err),
                   SW_DATA);
  assert_int_equal(
      sw_mask_build(&mask, SW_MASK_SSA, 2, INT64_MAX, good, 2, 0, 0, &err),
      SW_LIMIT);
  sw_mask_free(&mask);
}

static void names(void **state) {
  (void)state;
  assert_int_equal(SW_MASK_COUNT, 11);
  for (int i = 0; i < SW_MASK_COUNT; i++)
    assert_int_equal(sw_mask_from_name(sw_mask_name((sw_mask_kind)i)), i);
  assert_int_equal(sw_mask_from_name("full"), -1);
  int leaks = 0;
  for (int i = 0; i < SW_MASK_COUNT; i++)
    leaks += sw_mask_leaks((sw_mask_kind)i);
  assert_int_equal(leaks, 3);
  assert_true(sw_mask_leaks(SW_MASK_CAUSAL_RELEASE));
}

/* Can a token's state depend on a later token, through any number of layers?
 * The closure of "sees", from the built mask alone. */
static int sees_later(sw_mask_kind kind) {
  enum { PREFIX = 3, LENGTH = 9, ROWS = LENGTH + 2 };
  const int64_t start[3] = {0, PREFIX, 6};
  int slots = sw_mask_has_slots(kind) ? 2 : 0, rows = slots + LENGTH, found = 0;
  uint8_t reach[ROWS][ROWS] = {{0}};
  sw_mask mask;
  sw_mask_init(&mask);
  assert_int_equal(
      sw_mask_build(&mask, kind, slots, LENGTH, start, 3, 3, 1, NULL), 0);
  for (int q = 0; q < rows; q++)
    for (int k = 0; k < rows; k++)
      reach[q][k] = (uint8_t)sw_mask_sees(&mask, q, k);
  for (int m = 0; m < rows; m++)
    for (int q = 0; q < rows; q++)
      for (int k = 0; k < rows; k++) reach[q][k] |= reach[q][m] & reach[m][k];
  /* Slots may read all of the prefix, so only block tokens count. */
  for (int q = slots; q < rows; q++)
    for (int k = q + 1; k < rows; k++)
      found |= k >= slots + PREFIX && reach[q][k];
  sw_mask_free(&mask);
  return found;
}

static void leaks_are_what_the_mask_does(void **state) {
  (void)state;
  for (int i = 0; i < SW_MASK_COUNT; i++)
    assert_int_equal(sw_mask_leaks((sw_mask_kind)i),
                     sees_later((sw_mask_kind)i));
}

static void an_added_mask_is_one_row(void **state) {
  (void)state;
  static const sw_mask_row row = {.name = "own-and-slots-window",
                                  .slots = SW_READS_SLOTS,
                                  .prefix = SW_READS_OWN,
                                  .block = SW_READS_SLOTS | SW_READS_OWN,
                                  .windowed = 1,
                                  .text = "a test's mask"};
  const int64_t start[3] = {0, 2, 5};
  char words[80];
  int kind = sw_mask_add(&row);
  assert_int_equal(kind, sw_mask_from_name(row.name));
  assert_true(kind >= SW_MASK_COUNT);
  assert_int_equal(sw_mask_add(&row), -1); /* the name is taken */
  assert_true(sw_mask_block_local((sw_mask_kind)kind));
  assert_false(sw_mask_leaks((sw_mask_kind)kind));
  sw_mask_words((sw_mask_kind)kind, SW_REGION_PREFIX, words, sizeof words);
  assert_string_equal(words, "itself so far");
  sw_mask mask;
  sw_mask_init(&mask);
  assert_int_equal(
      sw_mask_build(&mask, (sw_mask_kind)kind, 1, 7, start, 3, 0, 0, NULL),
      SW_USAGE); /* it needs a window */
  assert_int_equal(
      sw_mask_build(&mask, (sw_mask_kind)kind, 1, 7, start, 3, 2, 0, NULL), 0);
  /* row 5 is token 4, the last of block 1 (rows 3..5) */
  static const uint8_t sees[8] = {1, 0, 0, 0, 1, 1, 0, 0};
  for (int k = 0; k < 8; k++)
    assert_int_equal(sw_mask_sees(&mask, 5, k), sees[k]);
  assert_false(sw_mask_sees(&mask, 0, 1)); /* its slots read slots only */
  sw_mask_free(&mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worked_example),
      cmocka_unit_test(all_masks_all_shapes),
      cmocka_unit_test(random_matched),
      cmocka_unit_test(block_local_runs_do_not_depend_on_company),
      cmocka_unit_test(wrong_requests),
      cmocka_unit_test(names),
      cmocka_unit_test(leaks_are_what_the_mask_does),
      cmocka_unit_test(an_added_mask_is_one_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
