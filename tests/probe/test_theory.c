/* The identities of the theory, on worlds that are made to test them: exact
 * whatever the predictor, with the terms that each world has and lacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include "base/rng.h"
#include "probe/theory.h"

enum { STATES = 60, HISTORIES = 12, ROWS = STATES * HISTORIES };

static void near_to(double value, double want, double within) {
  if (!(fabs(value - want) <= within))
    fail_msg("%.12g is not %.12g", value, want);
}

typedef struct world {
  int per_trace;    /* states that share what is shown */
  int noisy_labels; /* the label is not a function of the state */
  int telling;      /* the history tells the label */
  int reads;        /* the predictor reads the history */
} world;

static sw_theory make(const world *w, uint64_t seed) {
  static sw_theory_row row[ROWS];
  sw_theory t;
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, seed);
  int count = 0;
  for (int s = 0; s < STATES; s++) {
    int trace = s / w->per_trace;
    int own = (int)sw_xoshiro_below(&rng, 2);
    for (int h = 0; h < HISTORIES; h++) {
      int label =
          w->noisy_labels ? sw_xoshiro_unit(&rng) < 0.3 + 0.4 * own : own;
      uint64_t history = w->telling ? (uint64_t)(2 * h + label) : (uint64_t)h;
      double f = 0.2 + 0.6 * (trace % 3) / 2.0;
      if (w->reads) f += 0.05 * (double)(history % 5) - 0.1;
      row[count++] = (sw_theory_row){.state = (uint64_t)s,
                                     .trace = (uint64_t)trace,
                                     .history = history,
                                     .label = label,
                                     .score = f};
    }
  }
  assert_int_equal(sw_theory_of(row, count, 3, &t, NULL), 0);
  return t;
}

static void the_terms_add_up_in_every_world(void **state) {
  (void)state;
  for (int k = 0; k < 16; k++) {
    world w = {k & 1 ? 3 : 1, k >> 1 & 1, k >> 2 & 1, k >> 3 & 1};
    sw_theory t = make(&w, (uint64_t)k + 1);
    double sum =
        t.irreducible + t.aliasing + t.approximation + t.entanglement + t.cross;
    near_to(t.loss, sum, 1e-12);
    /* half the squared difference of redraws is the variance */
    near_to(t.redrawn, t.entanglement, 1e-12);
    /* the log loss saved is the information; the risk saved is bounded */
    near_to(t.log_loss_shown - t.log_loss_history, t.information, 1e-12);
    assert_true(t.information > -1e-12);
    double saved = t.risk_shown - t.risk_history;
    assert_true(saved > -1e-12 && saved <= t.risk_bound + 1e-12);
    /* each term is there exactly where the world has its cause */
    assert_true((t.irreducible > 1e-3) == w.noisy_labels);
    assert_true(w.per_trace > 1 ? t.aliasing > 1e-3 : t.aliasing < 1e-12);
    assert_true((t.entanglement > 1e-3) == w.reads);
    if (!w.reads) near_to(t.cross, 0, 1e-12);
    if (w.telling && w.per_trace > 1) assert_true(saved > 0.05);
    assert_int_equal(t.rows, ROWS);
    assert_int_equal(t.traces, STATES / w.per_trace);
  }
}

/* A state that says all, histories that say nothing. */
static void nothing_to_learn_from_history(void **state) {
  (void)state;
  world w = {1, 0, 0, 1};
  sw_theory t = make(&w, 5);
  near_to(t.information, 0, 1e-12);
  near_to(t.information_shuffled, 0, 1e-12);
  near_to(t.irreducible + t.aliasing, 0, 1e-12);
  near_to(t.cross, 0, 1e-12);
  assert_true(t.entanglement > 0);
}

/* Each history met once: the plug-in estimate knows all, and so it does with
 * labels dealt out at random. Histories in a few kinds: it is the truth. */
static void the_estimate_says_how_far_it_is_off(void **state) {
  (void)state;
  sw_theory_row row[600];
  sw_theory once, kinds;
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, 8);
  for (int i = 0; i < 600; i++)
    row[i] = (sw_theory_row){.state = (uint64_t)i,
                             .trace = (uint64_t)(i % 3),
                             .history = (uint64_t)i,
                             .label = (int)sw_xoshiro_below(&rng, 2)};
  assert_int_equal(sw_theory_of(row, 600, 1, &once, NULL), 0);
  near_to(once.information, once.log_loss_shown, 1e-12);
  near_to(once.information_shuffled, once.information, 1e-12);
  /* Y copies H with probability 0.9: I = log 2 - entropy(0.1) */
  for (int i = 0; i < 600; i++) {
    row[i].history = sw_xoshiro_below(&rng, 2);
    row[i].label = (int)row[i].history ^ (sw_xoshiro_unit(&rng) < 0.1);
  }
  assert_int_equal(sw_theory_of(row, 600, 1, &kinds, NULL), 0);
  near_to(kinds.information, log(2) + .1 * log(.1) + .9 * log(.9), 0.06);
  assert_true(kinds.information_shuffled < 0.02);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_terms_add_up_in_every_world),
      cmocka_unit_test(nothing_to_learn_from_history),
      cmocka_unit_test(the_estimate_says_how_far_it_is_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
