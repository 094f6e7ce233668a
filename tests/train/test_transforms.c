/* History reductions: the published worked example, supervision counts of both
 * versions, purity in (seed, epoch, index), donors, and the corners. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "train/transforms.h"

/* "101 102 | 11 12 | 31* 32*": a trace from text; * marks a supervised token.
 */
static void parse(sw_trace *trace, const char *text) {
  sw_trace_clear(trace);
  sw_trace_begin_block(trace);
  for (const char *p = text; *p;) {
    if (*p == ' ') {
      p++;
      continue;
    }
    if (*p == '|') {
      sw_trace_begin_block(trace);
      p++;
      continue;
    }
    char *end;
    long token = strtol(p, &end, 10);
    sw_trace_put(trace, (int32_t)token, *end == '*');
    p = *end == '*' ? end + 1 : end;
  }
}

static void expect(const sw_trace *got, const char *text) {
  sw_trace want;
  sw_trace_init(&want);
  parse(&want, text);
  assert_int_equal(got->length, want.length);
  assert_int_equal(got->blocks, want.blocks);
  for (int64_t i = 0; i < want.length; i++) {
    assert_int_equal(got->token[i], want.token[i]);
    assert_int_equal(got->supervised[i], want.supervised[i]);
  }
  for (int64_t b = 0; b < want.blocks; b++)
    assert_int_equal(got->block_start[b], want.block_start[b]);
  sw_trace_free(&want);
}

static const char SOURCE[] = "101 102 | 11 12 | 21 22 | 31* 32* 33";

static void test_worked_example(void **state) {
  (void)state;
  sw_trace source, donor, out;
  sw_trace_init(&source);
  sw_trace_init(&donor);
  sw_trace_init(&out);
  parse(&source, SOURCE);
  parse(&donor, "101 999 | 111 112 | 121 122 | 77 78");
  int64_t c = sw_current_block(&source);
  assert_int_equal(c, 3);
  assert_int_equal(sw_transplant_history(&source, c, &donor, &out, NULL), 0);
  expect(&out, "101 102 | 111 112 | 121 122 | 31* 32* 33");
  sw_history_options o = {.kind = SW_HISTORY_NULL, .placeholder = 500};
  sw_draw draw = {1, 1, 0};
  assert_int_equal(sw_reduce_history(&source, c, &o, &draw, NULL), 0);
  expect(&source, "101 102 | 500 500 | 500 500 | 31* 32* 33");
  parse(&source, SOURCE);
  o = (sw_history_options){.kind = SW_HISTORY_SLIDING_WINDOW, .window = 2};
  assert_int_equal(sw_reduce_history(&source, c, &o, &draw, NULL), 0);
  expect(&source, "101 102 | 0 0 | 21 22 | 31* 32* 33");
  parse(&source, SOURCE);
  o = (sw_history_options){.kind = SW_HISTORY_PREFIX_ONLY};
  assert_int_equal(sw_reduce_history(&source, c, &o, &draw, NULL), 0);
  expect(&source, "101 102 | 31* 32* 33");
  parse(&source, SOURCE);
  o = (sw_history_options){.kind = SW_HISTORY_BLOCK_DROPOUT, .probability = 1};
  assert_int_equal(sw_reduce_history(&source, c, &o, &draw, NULL), 0);
  expect(&source, "101 102 | 0 0 | 0 0 | 31* 32* 33");
  sw_trace_free(&source);
  sw_trace_free(&donor);
  sw_trace_free(&out);
}

static void test_corners(void **state) {
  (void)state;
  sw_trace t;
  sw_trace_init(&t);
  sw_draw draw = {1, 1, 0};
  sw_history_options o = {.kind = SW_HISTORY_NULL, .placeholder = 9};
  parse(&t, "1 2 | 3* 4");
  assert_int_equal(sw_reduce_history(&t, sw_current_block(&t), &o, &draw, NULL),
                   0);
  expect(&t, "1 2 | 3* 4"); /* one decision block: unchanged */
  parse(&t, "1 2");
  assert_int_equal(sw_current_block(&t), 0);
  parse(&t, "1 | 2 | 3 | 4"); /* nothing supervised: the last block */
  assert_int_equal(sw_current_block(&t), 3);
  parse(&t, "1 | 2* | 3* | 4"); /* what follows the current block is blanked */
  assert_int_equal(sw_current_block(&t), 2);
  assert_int_equal(sw_reduce_history(&t, 2, &o, &draw, NULL), 0);
  expect(&t, "1 | 9 | 3* | 9");
  sw_err err;
  parse(&t, "1 | 2* | 3* | 4");
  assert_int_equal(sw_reduce_history(&t, 4, &o, &draw, &err), SW_USAGE);
  assert_int_equal(sw_transplant_history(&t, 4, &t, &t, &err), SW_USAGE);
  for (int k = 0; k < SW_HISTORY_COUNT; k++)
    assert_int_equal(sw_history_from_name(sw_history_name((sw_history_kind)k)),
                     k);
  assert_int_equal(sw_history_from_name("nothing"), -1);
  sw_trace_free(&t);
}

/* A small data set: trace t has t % 4 + 2 decision blocks, each supervising its
 * second token; the tokens name trace and block. */
enum { TRACES = 12 };
static int blocks_in(int t) { return t % 4 + 2; }

static void make_set(sw_dataset *set, char path[64]) {
  snprintf(path, 64, "/tmp/sw-transforms-%d.safetensors", (int)getpid());
  sw_dataset_writer *writer;
  sw_trace t;
  sw_trace_init(&t);
  assert_int_equal(sw_dataset_create(&writer, path, NULL), 0);
  for (int k = 0; k < TRACES; k++) {
    sw_trace_clear(&t);
    sw_trace_begin_block(&t);
    for (int i = 0; i < 3; i++) sw_trace_put(&t, 1 + i, 0);
    for (int b = 1; b <= blocks_in(k); b++) {
      sw_trace_begin_block(&t);
      sw_trace_put(&t, 1000 * (k + 1) + b, 0);
      sw_trace_put(&t, 1000 * (k + 1) + 100 + b, 1);
    }
    t.n = k;
    assert_int_equal(sw_dataset_append(writer, &t, NULL), 0);
  }
  sw_trace_free(&t);
  char hash[17];
  const char *meta[] = {"domain", "sat"};
  assert_int_equal(sw_dataset_finish(writer, meta, 1, hash, NULL), 0);
  assert_int_equal(sw_dataset_open(set, path, NULL), 0);
}

static int64_t supervised_in(const sw_trace *t) {
  int64_t sum = 0;
  for (int64_t i = 0; i < t->length; i++) sum += t->supervised[i];
  return sum;
}

static int64_t total_supervised(const sw_dataset *set, sw_history_options o,
                                int64_t *items) {
  sw_history *h;
  sw_trace t;
  int64_t sum = 0;
  sw_trace_init(&t);
  assert_int_equal(sw_history_new(&h, set, NULL, 0, &o, NULL), 0);
  *items = sw_history_items(h);
  for (int64_t i = 0; i < *items; i++) {
    assert_int_equal(sw_history_item(h, i, 0, &t, NULL, NULL), 0);
    sum += supervised_in(&t);
  }
  sw_history_free(h);
  sw_trace_free(&t);
  return sum;
}

/* Every reduction supervises the same tokens once in the matched version; the
 * release's version shrinks supervision with the history. */
static void test_supervision(void **state) {
  (void)state;
  sw_dataset set;
  char path[64];
  int64_t items, all = 0;
  make_set(&set, path);
  for (int k = 0; k < TRACES; k++) all += blocks_in(k);
  assert_int_equal(sw_supervised_tokens(&set, NULL, 0, 0), all);
  assert_int_equal(sw_supervised_tokens(&set, NULL, 0, 2), 2 * TRACES);
  for (int kind = 0; kind < SW_HISTORY_COUNT; kind++) {
    sw_history_options o = {.kind = (sw_history_kind)kind,
                            .matched = 1,
                            .probability = .5,
                            .window = 2,
                            .placeholder = 7,
                            .seed = 3};
    assert_int_equal(total_supervised(&set, o, &items), all);
    assert_int_equal(items, all);
    o.matched = 0;
    int64_t sum = total_supervised(&set, o, &items);
    assert_int_equal(items, TRACES);
    if (kind == SW_HISTORY_FULL) assert_int_equal(sum, all);
    if (kind == SW_HISTORY_NULL || kind == SW_HISTORY_PREFIX_ONLY)
      assert_int_equal(sum, TRACES);
    if (kind == SW_HISTORY_SLIDING_WINDOW) assert_int_equal(sum, 2 * TRACES);
    if (kind == SW_HISTORY_BLOCK_DROPOUT)
      assert_true(sum > TRACES && sum < all);
  }
  sw_dataset_close(&set);
  unlink(path);
}

static void test_matched_items(void **state) {
  (void)state;
  sw_dataset set;
  char path[64];
  make_set(&set, path);
  sw_history *h;
  sw_trace t;
  int64_t source;
  sw_trace_init(&t);
  sw_history_options o = {
      .kind = SW_HISTORY_NULL, .matched = 1, .placeholder = 7};
  int64_t some[] = {1, 3}; /* traces of 3 and 5 decision blocks */
  assert_int_equal(sw_history_new(&h, &set, some, 2, &o, NULL), 0);
  assert_int_equal(sw_history_items(h), 8);
  assert_int_equal(sw_history_item(h, 1, 0, &t, &source, NULL), 0);
  assert_int_equal(source, 1);
  expect(&t, "1 2 3 | 7 7 | 2002 2102*");
  assert_int_equal(sw_history_item(h, 3, 0, &t, &source, NULL), 0);
  assert_int_equal(source, 3);
  expect(&t, "1 2 3 | 4001 4101*");
  assert_int_equal(t.n, 3);
  assert_int_equal(sw_history_item(h, 8, 0, &t, NULL, NULL), SW_USAGE);
  sw_history_free(h);
  o.max_blocks = 2;
  assert_int_equal(sw_history_new(&h, &set, some, 2, &o, NULL), 0);
  assert_int_equal(sw_history_items(h), 4);
  sw_history_free(h);
  int64_t wrong[] = {TRACES};
  assert_int_equal(sw_history_new(&h, &set, wrong, 1, &o, NULL), SW_USAGE);
  o.probability = 2;
  assert_int_equal(sw_history_new(&h, &set, NULL, 0, &o, NULL), SW_USAGE);
  sw_trace_free(&t);
  sw_dataset_close(&set);
  unlink(path);
}

/* A donor is another trace with enough blocks; the draw changes with the epoch,
 * is the same for the same key, and honours the token limit. */
static void test_transplants(void **state) {
  (void)state;
  sw_dataset set;
  char path[64];
  make_set(&set, path);
  sw_trace t, again;
  sw_trace_init(&t);
  sw_trace_init(&again);
  sw_history *h;
  sw_history_options o = {
      .kind = SW_HISTORY_TRANSPLANT_FULL, .probability = 1, .seed = 5};
  assert_int_equal(sw_history_new(&h, &set, NULL, 0, &o, NULL), 0);
  int seen[TRACES] = {0}, donors = 0;
  for (int64_t epoch = 0; epoch < 60; epoch++) {
    assert_int_equal(sw_history_item(h, 3, epoch, &t, NULL, NULL), 0);
    assert_int_equal(t.blocks, 6);
    assert_int_equal(t.token[t.length - 2], 4005); /* own current block */
    assert_int_equal(supervised_in(&t), 1);
    int donor = t.token[t.block_start[1]] / 1000 - 1;
    assert_int_not_equal(donor, 3);
    assert_true(blocks_in(donor) >= 4);
    for (int b = 1; b <= 4; b++)
      assert_int_equal(t.token[t.block_start[b]], 1000 * (donor + 1) + b);
    donors += !seen[donor]++;
    assert_int_equal(sw_history_item(h, 3, epoch, &again, NULL, NULL), 0);
    assert_int_equal(again.length, t.length);
    assert_memory_equal(again.token, t.token,
                        sizeof(int32_t) * (size_t)t.length);
  }
  assert_int_equal(donors, 5); /* of six traces with four or more blocks */
  sw_history_free(h);
  o.max_tokens = 5; /* nothing fits: unchanged */
  assert_int_equal(sw_history_new(&h, &set, NULL, 0, &o, NULL), 0);
  assert_int_equal(sw_history_item(h, 3, 0, &t, NULL, NULL), 0);
  assert_int_equal(supervised_in(&t), 5);
  sw_history_free(h);
  o = (sw_history_options){
      .kind = SW_HISTORY_TRANSPLANT_PARTIAL, .probability = .5, .seed = 5};
  assert_int_equal(sw_history_new(&h, &set, NULL, 0, &o, NULL), 0);
  int own = 0, foreign = 0;
  for (int64_t epoch = 0; epoch < 40; epoch++) {
    assert_int_equal(sw_history_item(h, 3, epoch, &t, NULL, NULL), 0);
    for (int b = 1; b <= 4; b++) {
      int mine = t.token[t.block_start[b]] == 4000 + b;
      assert_int_equal(t.token[t.block_start[b]] % 1000, b);
      own += mine;
      foreign += !mine;
    }
  }
  assert_true(own > 50 && foreign > 50);
  sw_history_free(h);
  sw_trace_free(&t);
  sw_trace_free(&again);
  sw_dataset_close(&set);
  unlink(path);
}

static void test_pairs(void **state) {
  (void)state;
  sw_dataset set;
  char path[64];
  make_set(&set, path);
  sw_trace source, pair;
  sw_trace_init(&source);
  sw_trace_init(&pair);
  sw_history *h;
  int64_t current;
  sw_history_options o = {.kind = SW_HISTORY_FULL, .seed = 5};
  assert_int_equal(sw_history_new(&h, &set, NULL, 0, &o, NULL), 0);
  assert_int_equal(sw_history_pair(h, 1, 2, 0, &source, &pair, &current, NULL),
                   0);
  assert_int_equal(current, 4);
  assert_int_equal(pair.blocks, 5);
  assert_int_equal(pair.token[pair.block_start[4] + 1], 3104);
  assert_int_not_equal(pair.token[pair.block_start[1]],
                       source.token[source.block_start[1]]);
  int seen[6] = {0};
  for (int64_t epoch = 0; epoch < 40; epoch++) {
    assert_int_equal(
        sw_history_pair(h, 0, 3, epoch, &source, &pair, &current, NULL), 0);
    assert_true(current >= 1 && current <= 5);
    seen[current] = 1;
    assert_int_equal(supervised_in(&source), 5);
    assert_int_equal(pair.blocks, current + 1);
    assert_int_equal(pair.token[pair.length - 1], 4100 + current);
  }
  for (int b = 1; b <= 5; b++) assert_int_equal(seen[b], 1);
  sw_history_free(h);
  sw_trace_free(&source);
  sw_trace_free(&pair);
  sw_dataset_close(&set);
  unlink(path);
}

static void test_matched_epochs(void **state) {
  (void)state;
  assert_int_equal(sw_matched_epochs(30, 789, 245), 97); /* 96.6 */
  assert_int_equal(sw_matched_epochs(1, 5, 2), 2);       /* 2.5: to even */
  assert_int_equal(sw_matched_epochs(1, 7, 2), 4);       /* 3.5: to even */
  assert_int_equal(sw_matched_epochs(1, 1, 10), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_worked_example),
      cmocka_unit_test(test_corners),
      cmocka_unit_test(test_supervision),
      cmocka_unit_test(test_matched_items),
      cmocka_unit_test(test_transplants),
      cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_matched_epochs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
