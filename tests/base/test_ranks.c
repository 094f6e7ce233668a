/* Slices of equal cost against trying every way to cut, and what a process
 * alone sees of the functions that ranks share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "base/ranks.h"
#include "base/rng.h"

static double dearest(const double *cost, const size_t *begin, int parts) {
  double most = 0;
  for (int p = 0; p < parts; p++) {
    double sum = 0;
    for (size_t i = begin[p]; i < begin[p + 1]; i++) sum += cost[i];
    most = sum > most ? sum : most;
  }
  return most;
}

/* The least that the dearest of `parts` slices of cost[at..count] can cost. */
static double best_cut(const double *cost, size_t at, size_t count, int parts) {
  double sum = 0, best = 1e300;
  if (parts == 1) {
    for (size_t i = at; i < count; i++) sum += cost[i];
    return sum;
  }
  for (size_t end = at; end <= count; end++) {
    double rest = best_cut(cost, end, count, parts - 1);
    double most = sum > rest ? sum : rest;
    best = most < best ? most : best;
    if (end < count) sum += cost[end];
  }
  return best;
}

static void test_slices(void **unused) {
  (void)unused;
  double cost[9];
  size_t begin[7];
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, 4);
  for (int trial = 0; trial < 400; trial++) {
    size_t count = sw_xoshiro_below(&rng, 10);
    int parts = 1 + (int)sw_xoshiro_below(&rng, 6);
    for (size_t i = 0; i < count; i++)
      cost[i] = (double)(1 + sw_xoshiro_below(&rng, 50));
    sw_slices(cost, count, parts, begin);
    assert_int_equal(begin[0], 0);
    assert_int_equal(begin[parts], count);
    for (int p = 0; p < parts; p++) assert_true(begin[p] <= begin[p + 1]);
    double want = best_cut(cost, 0, count, parts);
    assert_true(dearest(cost, begin, parts) <= want * (1 + 1e-9));
  }
}

static void no_fold(void *context, size_t from, size_t to) {
  (void)from, (void)to;
  ++*(int *)context;
}

static void test_alone(void **unused) {
  (void)unused;
  sw_err err = {0}, failure = {.code = SW_DATA};
  float sum[3] = {1, 2, 3};
  size_t begin[2] = {0, 3};
  unsigned all = 0;
  int folds = 0, others_wait = 1;
  assert_int_equal(sw_ranks_start(&err), 0);
  assert_int_equal(sw_ranks_count(), 1);
  assert_int_equal(sw_ranks_me(), 0);
  assert_int_equal(sw_ranks_agree(5, &all, &err), 0);
  assert_int_equal(all, 5);
  assert_int_equal(sw_ranks_same("it", 7, &err), 0);
  assert_int_equal(sw_ranks_share(sum, sizeof sum, 0, &err), 0);
  assert_int_equal(sw_ranks_join(sum, sizeof *sum, begin, &err), 0);
  assert_int_equal(sw_ranks_collect(sum, sizeof *sum, begin, &err), 0);
  assert_int_equal(sw_ranks_deal(sum, sizeof *sum, begin, &err), 0);
  assert_int_equal(sw_ranks_fold(sum, begin, no_fold, &folds, &err), 0);
  assert_int_equal(folds, 0);
  assert_true(sum[0] == 1 && sum[1] == 2 && sum[2] == 3);
  assert_int_equal(sw_ranks_settle(NULL, &others_wait), -1);
  assert_int_equal(sw_ranks_settle(&failure, &others_wait), 0);
  assert_int_equal(others_wait, 0);
  sw_ranks_leave();
}

/* A launcher that started several copies of a program without MPI. */
static void test_copies(void **unused) {
  (void)unused;
  sw_err err = {0};
  setenv("PMI_SIZE", "3", 1);
  assert_int_equal(sw_ranks_start(&err), SW_USAGE);
  assert_non_null(strstr(err.text, "3 copies"));
  assert_non_null(strstr(err.hint, "MPI=1"));
  setenv("PMI_SIZE", "1", 1);
  assert_int_equal(sw_ranks_start(&err), 0);
  unsetenv("PMI_SIZE");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slices),
      cmocka_unit_test(test_alone),
      cmocka_unit_test(test_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
