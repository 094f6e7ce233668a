/* The repaired bank: what makes it fair, checked on the built bank, and its
 * scores on constructed logits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stdio.h>
#include <cmocka.h>
#include "domains/produce.h"
#include "probe/bank_build.h"
#include "probe/bank_eval.h"

static void ok(int code, const sw_err *err) {
  if (code) fail_msg("error %d: %s", code, err->text);
}

static void build(sw_bank *bank, const char *format, int64_t viable,
                  int64_t conflicts) {
  sw_err err = {0};
  sw_bank_fair_options o = {.domain = sw_domain_find("sat"),
                            .seed = 7,
                            .viable = viable,
                            .conflicts = conflicts,
                            .max_instances = 256,
                            .rollouts = 12,
                            .max_histories = 4,
                            .error = .15,
                            .max_blocks = 64};
  sw_domain_defaults(o.domain, &o.domain_options);
  o.domain_options.n = 20;
  o.domain_options.format = format;
  ok(o.domain->resolve(&o.domain_options, &err), &err);
  ok(sw_bank_build_fair(bank, &o, &err), &err);
}

/* Sizes equal in distribution, distinct histories, identical state tokens, one
 * last token for both classes, conflicts only where the block shows one. */
static void test_fairness(void **state) {
  (void)state;
  sw_bank bank;
  build(&bank, "evidence", 200, 50);
  int64_t count[2][64] = {{0}}, seen[2] = {0, 0};
  for (int64_t s = 0; s < bank.states; s++) {
    int64_t first = bank.probe_history[s], last = bank.probe_history[s + 1];
    assert_true(last - first >= 2);
    int64_t size = bank.history_start[first + 1] - bank.history_start[first] -
                   bank.state_start[first];
    const int32_t *block =
        bank.tokens + bank.history_start[first] + bank.state_start[first];
    for (int64_t h = first; h < last; h++) {
      assert_int_equal(bank.history_start[h + 1] - bank.history_start[h] -
                           bank.state_start[h],
                       size);
      assert_memory_equal(
          bank.tokens + bank.history_start[h] + bank.state_start[h], block,
          sizeof(int32_t) * (size_t)size);
      for (int64_t g = h + 1; g < last; g++)
        assert_false(sw_bank_same_history(&bank, h, g));
    }
    if (bank.retry[s]) continue;
    assert_int_equal(block[size - 1], 8); /* [/PROP] in both classes */
    int all_false =
        block[size - 2] == 16 && block[size - 4] == 16 && block[size - 6] == 16;
    assert_int_equal(all_false, bank.label[s]);
    assert_int_equal(bank.probe_allowed[s + 1] - bank.probe_allowed[s],
                     bank.size[s]);
    count[bank.label[s]][bank.size[s]]++;
    seen[bank.label[s]]++;
  }
  assert_int_equal(seen[0], 200);
  assert_int_equal(seen[1], 50);
  for (int k = 0; k < 64; k++) assert_int_equal(count[0][k], 4 * count[1][k]);
  for (int k = 0; k < SW_BANK_TRIVIALS; k++) {
    sw_bank_row row;
    assert_int_equal(sw_bank_trivial_row(&bank, k, 0, 1, &row, NULL), 0);
    assert_true(row.all.auroc == .5);
    assert_int_equal(row.all.states, 250);
  }
  sw_bank_free(&bank);
}

static void test_reproducible(void **state) {
  (void)state;
  sw_bank a, b;
  sw_bank_stats x, y;
  build(&a, "enriched", 40, 20);
  build(&b, "enriched", 40, 20);
  assert_int_equal(sw_bank_stats_of(&a, &x, NULL), 0);
  assert_int_equal(sw_bank_stats_of(&b, &y, NULL), 0);
  assert_string_equal(x.id_hash, y.id_hash);
  assert_int_equal(x.conflicts, 20);
  assert_int_equal(x.viable - x.retries, 40);
  assert_int_equal(x.pairs, x.distinct_pairs);
  sw_bank_free(&a);
  sw_bank_free(&b);
}

/* What is asked for is what the bank holds, or it is not built. */
static void test_numbers(void **state) {
  (void)state;
  static const int64_t asked[][2] = {{39, 20}, {10, 20}, {0, 20}, {20, 0}};
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    sw_bank bank;
    sw_err err = {0};
    sw_bank_fair_options o = {.domain = sw_domain_find("sat"),
                              .viable = asked[i][0],
                              .conflicts = asked[i][1],
                              .max_instances = 1};
    assert_int_equal(sw_bank_build_fair(&bank, &o, &err), SW_USAGE);
    if (i == 0) assert_non_null(strstr(err.text, "39 viable"));
    if (i == 0) assert_non_null(strstr(err.hint, "--viable 40"));
    if (i == 1) assert_non_null(strstr(err.hint, "--viable 20"));
  }
}

static void near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.12g is not %.12g", a, b);
}

static void test_scores(void **state) {
  (void)state;
  const float z[5] = {0, 1, 2, 3, 500};
  const int32_t allowed[] = {0, 1, 9}; /* 9 is outside the vocabulary */
  double mass, size_free;
  sw_bank_score_logits(z, 5, 2, allowed, 3, &mass, &size_free);
  near(mass, exp(2) / (exp(2) + 1 + exp(1)), 1e-12);
  near(size_free, exp(2) / (exp(2) + (1 + exp(1)) / 2), 1e-12);
  sw_bank_score_logits(z, 5, 4, allowed, 3, &mass, &size_free);
  near(mass, 1, 1e-12);
  const float same[3] = {7, 7, 7};
  const int32_t two[] = {0, 1};
  sw_bank_score_logits(same, 3, 2, two, 2, &mass, &size_free);
  near(mass, 1.0 / 3, 1e-12);
  near(size_free, .5, 1e-12);
}

/* Hand-made answers on a hand-made bank: rates per history, agreement, gap. */
static void test_evaluate(void **state) {
  (void)state;
  sw_bank bank;
  sw_trace t;
  sw_err err = {0};
  sw_trace_init(&t);
  sw_bank_init(&bank, "sat", "fair", "evidence", 14);
  for (int s = 0; s < 3; s++) {
    int32_t prefix[] = {1, 2};
    int64_t instance = sw_bank_add_instance(&bank, prefix, 2);
    sw_bank_begin_state(&bank, instance, s == 2, s == 1, 1, 2, s ? "b" : "a");
    for (int h = 0; h < 2; h++) {
      sw_trace_clear(&t);
      sw_trace_begin_block(&t);
      sw_trace_put(&t, 1, 0);
      sw_trace_put(&t, 2, 0);
      sw_trace_begin_block(&t);
      sw_trace_put(&t, 50 + h, 0);
      sw_trace_begin_block(&t);
      sw_trace_put(&t, 60, 0);
      sw_bank_add_history(&bank, &t, 2, t.length - 1, h);
    }
    sw_bank_allow(&bank, 30);
    sw_bank_end_state(&bank);
  }
  ok(sw_bank_check(&bank, &err), &err);
  double cumulative[6] = {.9, .2, .9, .1, .8, .4},
         rebuilt[6] = {.1, .1, .1, .1, .9, .9};
  sw_bank_scores scores = {.states = 3,
                           .histories = 6,
                           .mass = {cumulative, rebuilt},
                           .free = {cumulative, rebuilt},
                           .compared = 6,
                           .exact_equal = 3};
  sw_bank_result r;
  ok(sw_bank_evaluate(&bank, &scores, 50, 1, &r, &err), &err);
  assert_int_equal(r.mass[0].all.states, 2);  /* the retry is kept apart */
  near(r.mass[0].all.false_prune_rate, 1, 0); /* mean .55 */
  near(r.mass[0].history_false_prune, .5, 0);
  near(r.mass[0].history_missed, .5, 0);
  near(r.mass[0].retry_false_prune, .5, 0);
  near(r.mass[0].all.auroc, 1, 0); /* .6 above .55 */
  near(r.protocol_gap, 0, 0);
  near(r.largest_gap, .8, 1e-12);
  near(r.exact_equal_rate, .5, 0);
  assert_int_equal(r.pairs, 3);
  near(r.agreement, 0, 0);
  near(r.entanglement.point, (.49 + .64 + .16) / 6, 1e-12);
  /* variances .1225, .16, .04 over two histories each; what is shown names the
   * instance too, so each state is known by it and no label is in doubt */
  near(r.theory.entanglement, (.1225 + .16 + .04) / 3, 1e-12);
  near(r.theory.redrawn, r.theory.entanglement, 1e-12);
  near(r.theory.approximation, (.3025 + .25 + .16) / 3, 1e-12);
  near(r.theory.loss, (.81 + .04 + .81 + .01 + .04 + .36) / 6, 1e-12);
  near(r.theory.irreducible + r.theory.aliasing + r.theory.cross +
           r.theory.information,
       0, 1e-12);
  assert_int_equal(r.theory.traces, 3);
  assert_int_equal(r.theory.rows, 6);
  sw_trace_free(&t);
  sw_bank_free(&bank);
}

/* A damaged file is refused, never trusted. */
static void test_hostile(void **state) {
  (void)state;
  sw_bank bank, read;
  sw_err err = {0};
  char path[64];
  snprintf(path, sizeof path, "/tmp/sw-fair-%d.safetensors", (int)getpid());
  build(&bank, "evidence", 20, 10);
  int64_t keep = bank.history_block[1];
  bank.history_block[1] = 1 << 20;
  assert_int_equal(sw_bank_save(&bank, path, &err), SW_DATA);
  bank.history_block[1] = keep;
  bank.state_start[0] = -5;
  assert_int_equal(sw_bank_check(&bank, &err), SW_DATA);
  bank.state_start[0] = 0;
  bank.instance[3] = 99999;
  assert_int_equal(sw_bank_check(&bank, &err), SW_DATA);
  sw_bank_free(&bank);
  assert_int_equal(sw_bank_load(&read, "/nonexistent/bank", &err), SW_NOFILE);
}

/* What a file says of itself is compared with the domain before it is used. */
static void test_suits(void **state) {
  (void)state;
  const sw_domain *sat = sw_domain_find("sat");
  sw_bank bank;
  sw_err err = {0};
  sw_domain_options o;
  sw_domain_defaults(sat, &o);
  ok(sat->resolve(&o, &err), &err);
  sw_bank_init(&bank, "sat", "fair", "evidence", sat->back_token);
  assert_int_equal(sw_bank_suits(&bank, sat, &o, &err), SW_OK);
  assert_int_equal(sw_bank_suits(&bank, sw_domain_find("blocks"), &o, &err),
                   SW_USAGE);
  static const int32_t backs[] = {-1, 0, 1900000000};
  for (int i = 0; i < 3; i++) {
    bank.back_token = backs[i];
    assert_int_equal(sw_bank_suits(&bank, sat, &o, &err), SW_DATA);
  }
  sw_bank_init(&bank, "sat", "fair", "xvidence", sat->back_token);
  assert_int_equal(sw_bank_suits(&bank, sat, &o, &err), SW_DATA);
  assert_non_null(strstr(err.text, "xvidence"));
  sw_bank_init(&bank, "sat", "fair", "", sat->back_token);
  assert_int_equal(sw_bank_suits(&bank, sat, &o, &err), SW_DATA);
}

/* The options of a model of that size: all but the named one as `build` has
 * them. */
static void model_options(sw_domain_options *o, int n, const char *name,
                          const char *value) {
  const sw_domain *sat = sw_domain_find("sat");
  sw_err err = {0};
  sw_domain_defaults(sat, o);
  o->n = n;
  o->format = "full";
  if (name) ok(sw_domain_set(sat, name, value, o, &err), &err);
  ok(sat->resolve(o, &err), &err);
}

/* A bank keeps how its blocks are written: a model that reads others is not
 * asked, one of another size is. */
static void test_written_alike(void **state) {
  (void)state;
  static const char *const other[][3] = {
      {"layout", "reread", "prefix"},
      {"retry-mark", "0", "1"},
      {"format", "touched", "full"},
  };
  const sw_domain *sat = sw_domain_find("sat");
  sw_bank built, bank;
  sw_err err = {0};
  sw_domain_options o;
  char path[64];
  snprintf(path, sizeof path, "/tmp/sw-alike-%d.safetensors", (int)getpid());
  build(&built, "full", 20, 10);
  ok(sw_bank_save(&built, path, &err), &err);
  ok(sw_bank_load(&bank, path, &err), &err);
  sw_bank_free(&built);
  model_options(&o, 20, NULL, NULL);
  ok(sw_bank_suits(&bank, sat, &o, &err), &err);
  model_options(&o, 12, "ratio", "3.5");
  ok(sw_bank_suits(&bank, sat, &o, &err), &err);
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    model_options(&o, 20, other[i][0], other[i][1]);
    assert_int_equal(sw_bank_suits(&bank, sat, &o, &err), SW_USAGE);
    for (int k = 0; k < 3; k++) assert_non_null(strstr(err.text, other[i][k]));
    assert_non_null(strstr(err.hint, other[i][0]));
  }
  free(bank.domain_options); /* a file of before says nothing of it */
  bank.domain_options = NULL;
  ok(sw_bank_save(&bank, path, &err), &err);
  sw_bank_free(&bank);
  ok(sw_bank_load(&bank, path, &err), &err);
  assert_null(bank.domain_options);
  ok(sw_bank_suits(&bank, sat, &o, &err), &err);
  bank.domain_options = strdup("[1");
  assert_int_equal(sw_bank_suits(&bank, sat, &o, &err), SW_DATA);
  sw_bank_free(&bank);
  unlink(path);
}

/* One state with so many histories that their pairs fill the memory. */
static void test_many_histories(void **state) {
  (void)state;
  enum { MANY = 17000 };
  sw_bank bank;
  sw_trace trace;
  sw_err err = {0};
  int32_t prefix[] = {1, 2};
  sw_trace_init(&trace);
  sw_trace_begin_block(&trace);
  sw_trace_put(&trace, 1, 0);
  sw_trace_begin_block(&trace);
  sw_trace_put(&trace, 3, 0);
  for (int many = 0; many < 2; many++) {
    sw_bank_init(&bank, "sat", "fair", "evidence", 5);
    sw_bank_add_instance(&bank, prefix, 2);
    sw_bank_begin_state(&bank, 0, 0, 0, 1, 1, "x");
    for (int i = 0; i < (many ? MANY : 100); i++)
      sw_bank_add_history(&bank, &trace, 1, 1, 0);
    sw_bank_end_state(&bank);
    assert_int_equal(sw_bank_check(&bank, &err), many ? SW_LIMIT : SW_OK);
    sw_bank_free(&bank);
  }
  assert_non_null(strstr(err.text, "17000 histories"));
  sw_trace_free(&trace);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fairness),
                                     cmocka_unit_test(test_reproducible),
                                     cmocka_unit_test(test_numbers),
                                     cmocka_unit_test(test_scores),
                                     cmocka_unit_test(test_evaluate),
                                     cmocka_unit_test(test_hostile),
                                     cmocka_unit_test(test_suits),
                                     cmocka_unit_test(test_written_alike),
                                     cmocka_unit_test(test_many_histories)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
