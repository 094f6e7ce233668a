/* Figures of a SAT state and what they rest on: counters that follow a literal
 * and are put back, against counting anew; propagation against whole passes;
 * what failed literals refute against trying every assignment; the figures
 * themselves by hand on a small formula. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "base/rng.h"
#include "domains/sat/sat_figures.h"

enum { N = 10 };

/* Clauses of `least` or more literals, some with a variable twice. */
static sw_instance *draw(uint64_t seed, int32_t m, int32_t least) {
  int32_t start[90] = {0}, literal[450], used = 0;
  sw_instance *f;
  for (int32_t c = 0; c < m; c++) {
    int32_t length =
        least + (int32_t)(sw_philox_unit(seed, 1, (uint64_t)c) * 2.2);
    for (int32_t i = 0; i < length; i++, used++)
      literal[used] =
          (int32_t)(sw_philox_unit(seed, 2, (uint64_t)used) * 2 * N);
    start[c + 1] = used;
  }
  assert_int_equal(sw_sat_instance_new(&f, N, m, start, literal, NULL, NULL),
                   0);
  return f;
}

static int holds(const int8_t *value, int32_t literal) {
  return value[literal >> 1] == (literal & 1 ? -1 : 1);
}

/* Whole passes until nothing changes; 0: a clause is false. */
static int passes(const sw_instance *f, int8_t *value) {
  for (int changed = 1; changed;) {
    changed = 0;
    for (int32_t c = 0; c < f->m; c++) {
      int32_t left = -1, unset = 0, fine = 0;
      for (int32_t i = f->start[c]; i < f->start[c + 1]; i++) {
        fine |= holds(value, f->literal[i]);
        if (value[f->literal[i] >> 1]) continue;
        unset++; /* a literal that is there twice is no unit clause here */
        left = f->literal[i];
      }
      if (fine || unset > 1) continue;
      if (!unset) return 0;
      value[left >> 1] = left & 1 ? -1 : 1;
      changed = 1;
    }
  }
  return 1;
}

static int extends(const sw_instance *f, const int8_t *value) {
  for (uint32_t a = 0; a < 1u << N; a++) {
    int fits = 1;
    for (int32_t v = 0; v < N && fits; v++)
      fits = !value[v] || (value[v] > 0) == (int)(a >> v & 1);
    for (int32_t c = 0; c < f->m && fits; c++) {
      fits = 0;
      for (int32_t i = f->start[c]; i < f->start[c + 1]; i++)
        fits |= (int)(a >> (f->literal[i] >> 1) & 1) != (f->literal[i] & 1);
    }
    if (fits) return 1;
  }
  return 0;
}

/* The same as if it had been opened with these values. */
static void expect_counted(const sw_sat_rest *r) {
  sw_sat_rest anew;
  const sw_instance *f = r->formula;
  assert_true(sw_sat_rest_open(&anew, f, r->value));
  assert_memory_equal(anew.holds, r->holds, sizeof *r->holds * (size_t)f->m);
  assert_memory_equal(anew.unset, r->unset, sizeof *r->unset * (size_t)f->m);
  assert_memory_equal(anew.open, r->open, sizeof r->open);
  assert_int_equal(anew.free, r->free);
}

static void clauses_by_literal(void **state) {
  (void)state;
  sw_instance *f = draw(7, 40, 2);
  int32_t seen = 0;
  for (int32_t l = 0; l < 2 * N; l++)
    for (int32_t i = f->watch_start[l]; i < f->watch_start[l + 1]; i++) {
      int32_t c = f->clause_of[i], there = 0;
      for (int32_t k = f->start[c]; k < f->start[c + 1]; k++)
        there |= f->literal[k] == l;
      assert_true(there);
      assert_true(i == f->watch_start[l] || f->clause_of[i - 1] <= c);
      seen++;
    }
  assert_int_equal(seen, f->start[f->m]);
  assert_int_equal(f->watch_start[2 * N], f->start[f->m]);
  sw_sat_instance_free(f);
}

static void counters_follow_and_return(void **state) {
  (void)state;
  int conflicts = 0, implied = 0;
  for (uint64_t seed = 0; seed < 200; seed++) {
    sw_instance *f = draw(seed, 24, 2);
    int8_t value[N] = {0};
    sw_sat_rest r, before;
    assert_true(sw_sat_rest_open(&r, f, value));
    for (uint64_t k = 0; k < 6; k++) {
      int32_t l = (int32_t)(sw_philox_unit(seed, 3, k) * 2 * N), set = r.set;
      if (!sw_sat_rest_free(&r, l)) continue;
      memcpy(value, r.value, N);
      before = r;
      value[l >> 1] = l & 1 ? -1 : 1;
      int fine = sw_sat_rest_take(&r, l);
      expect_counted(&r);
      assert_int_equal(fine, passes(f, value));
      if (fine) assert_memory_equal(r.value, value, N);
      conflicts += !fine;
      implied += r.set - set - 1;
      if (fine && k % 2) continue; /* some are kept */
      sw_sat_rest_undo(&r, set);
      expect_counted(&r);
      assert_memory_equal(r.value, before.value, N);
      assert_memory_equal(r.holds, before.holds, sizeof *r.holds * 24);
      assert_int_equal(r.set, before.set);
      assert_int_equal(r.conflict, 0);
    }
    sw_sat_instance_free(f);
  }
  assert_true(conflicts > 20 && implied > 200);
}

static void what_is_refuted_is_dead(void **state) {
  (void)state;
  int refuted = 0, viable = 0;
  for (uint64_t seed = 0; seed < 400; seed++) {
    sw_instance *f = draw(1000 + seed, 76, 3);
    int8_t value[N] = {0};
    sw_sat_rest r;
    for (int k = 0; k < 2; k++)
      value[(int)(sw_philox_unit(seed, 4, (uint64_t)k) * N)] =
          sw_philox_unit(seed, 5, (uint64_t)k) < 0.5 ? 1 : -1;
    int dead = !extends(f, value);
    if (passes(f, value)) {
      int32_t failed = 0;
      assert_true(sw_sat_rest_open(&r, f, value));
      for (int32_t l = 0; l < 2 * N; l++) {
        int8_t with[N];
        if (value[l >> 1]) continue;
        memcpy(with, value, N);
        with[l >> 1] = l & 1 ? -1 : 1;
        failed += !passes(f, with);
      }
      assert_int_equal(sw_sat_failed_literals(&r), failed);
      int fine = sw_sat_force(&r);
      assert_true(fine || dead);
      assert_true(failed || fine);
      refuted += !fine;
      viable += !dead;
      float x[SW_SAT_FIGURES] = {0};
      sw_sat_figures(f, value, -1, 2, 1, x);
      assert_true(x[SW_SAT_FIGURE_REFUTED] == (fine ? 0 : 1));
      for (int i = 0; i < SW_SAT_FIGURES; i++) assert_true(isfinite(x[i]));
    }
    sw_sat_instance_free(f);
  }
  assert_true(refuted > 100 && viable > 40);
}

/* (a or b)(not a or b or c)(not b or c or not d)(c or d), nothing assigned. */
static void figures_by_hand(void **state) {
  (void)state;
  const int32_t start[] = {0, 2, 5, 8, 10};
  const int32_t literal[] = {0, 2, 1, 2, 4, 3, 4, 7, 4, 6};
  const int8_t value[4] = {0};
  float x[SW_SAT_FIGURES] = {0}, again[SW_SAT_FIGURES] = {0};
  sw_instance *f;
  assert_int_equal(sw_sat_instance_new(&f, 4, 4, start, literal, NULL, NULL),
                   0);
  sw_sat_figures(f, value, -1, 1, 1, x);
#define EXPECT(from, name, wanted) \
  assert_true(fabs((double)from[SW_SAT_FIGURE_##name] - (wanted)) < 1e-6)
  EXPECT(x, ASSIGNED, 0);
  EXPECT(x, DEPTH, 0.25);
  EXPECT(x, FREE, 0.04);
  EXPECT(x, TWO, 0.5);
  EXPECT(x, OPEN_FREE, 1);
  double all = 4 * log(2) + 2 * log(0.75) + 2 * log(0.875);
  EXPECT(x, EXPECTED, all / 10);
  EXPECT(x, CHAIN, 0); /* no variable with both signs in clauses of two */
  EXPECT(x, SQUARES, 1);
  EXPECT(x, MOST, 0.1);
  EXPECT(x, PURE, 0.25); /* c */
  EXPECT(x, PRODUCT, (1 * 0.2 + 1.2 * 0.2 + 0 + 1 * 0.2) / 40);
  EXPECT(x, GAP, (0.8 + 1.0 + 1.4 + 0.8) / 4);
  EXPECT(x, FAILED, 0.25); /* not c, as said below */
  EXPECT(x, FORCED, 0.25);
  EXPECT(x, FORCED_TWO, 1.0 / 3);
  EXPECT(x, REFUTED, 0);
  /* not a: b follows; not b: a, then c; not c: d, then not b, a, and the
   * second clause is false: it fails */
  sw_sat_rest r;
  assert_true(sw_sat_rest_open(&r, f, value));
  assert_true(sw_sat_rest_take(&r, 1));
  assert_int_equal(r.set, 2);
  sw_sat_rest_undo(&r, 0);
  assert_true(sw_sat_rest_take(&r, 3));
  assert_int_equal(r.set, 3);
  sw_sat_rest_undo(&r, 0);
  assert_false(sw_sat_rest_take(&r, 5));
  sw_sat_rest_undo(&r, 0);
  sw_sat_figures(f, value, 3, 1, 1, again); /* b is tried again, false */
  EXPECT(again, AGAIN, 1);
  EXPECT(again, ASSIGNED, 0.75);
  EXPECT(again, LOOSE, 1); /* d is free, and in no open clause */
  sw_sat_instance_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clauses_by_literal),
      cmocka_unit_test(counters_follow_and_return),
      cmocka_unit_test(what_is_refuted_is_dead),
      cmocka_unit_test(figures_by_hand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
