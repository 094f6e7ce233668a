/* The published SAT rollouts and state bank: token digests, counts, id hashes
 * and the published worked example. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/hash.h"
#include "domains/produce.h"
#include "domains/sat/sat_instance.h"
#include "domains/sat/sat_options.h"
#include "domains/sat/tokens.h"
#include "probe/bank_build.h"
#include "probe/metrics.h"
#include "release/rollouts.h"

static void ok(int code, const sw_err *err) {
  if (code) fail_msg("error %d: %s", code, err->text);
}

static void digest(const sw_trace *t, char hex[41]) {
  sw_sha sha;
  sw_sha1_init(&sha);
  for (int64_t i = 0; i < t->length; i++) {
    char piece[16];
    int n = snprintf(piece, sizeof piece, i ? ",%d" : "%d", t->token[i]);
    sw_sha_update(&sha, piece, (size_t)n);
  }
  sw_sha_hex(&sha, hex);
}

static sw_stream *formulas(void) {
  sw_domain_options d;
  sw_err err = {0};
  sw_stream *stream;
  const sw_domain *sat = sw_domain_find("sat");
  sw_domain_defaults(sat, &d);
  d.preset = 1;
  d.n = 50;
  sw_sat_own_edit(&d)->ratio = 4.0;
  sw_sat_own_edit(&d)->family = "planted";
  ok(sat->resolve(&d, &err), &err);
  ok(sat->stream_new(&stream, &d, 42, SW_SPLIT_TRAIN, &err), &err);
  return stream;
}

static void test_rollout_vectors(void **state) {
  (void)state;
  const struct {
    int i, j, activity;
    int64_t tokens, blocks, points;
    const char *sha;
  } row[] = {
      {0, 0, 0, 3322, 30, 24, "544d93e4d84988ff5d6eccd23dffadc97146eac1"},
      {0, 1, 0, 2302, 16, 16, "4b40aa1ce7c1a3be91e1577dc3f0553f08dde1de"},
      {0, 0, 1, 3322, 30, 24, "afc20584cc49a64f759c4f054a5f01da90493ae9"},
      {1, 0, 0, 2683, 26, 23, "a2b61668befbaf19a9e01fc83ae05eaef89455cd"},
      {2, 2, 0, 4037, 38, 26, "7605ee7b877844765d157d32b8b24eb4a6a79d0a"}};
  const sw_domain *sat = sw_domain_find("sat");
  sw_stream *stream = formulas();
  sw_instance *formula[3];
  sw_err err = {0};
  for (int i = 0; i < 3; i++)
    ok(sat->stream_next(stream, &formula[i], &err), &err);
  sw_arena arena;
  sw_trace trace;
  sw_arena_init(&arena, 1 << 20);
  sw_trace_init(&trace);
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    sw_sat_rollout_options o = {sw_sat_tie_seed(42, row[k].i, row[k].j), 4096,
                                row[k].activity};
    sw_sat_point *point;
    int64_t count, viable = 0;
    char hex[41];
    ok(sw_sat_rollout(formula[row[k].i], &o, &trace, &arena, &point, &count,
                      &err),
       &err);
    for (int64_t p = 0; p < count; p++) viable += !point[p].label;
    digest(&trace, hex);
    assert_string_equal(hex, row[k].sha);
    assert_int_equal(trace.length, row[k].tokens);
    assert_int_equal(trace.blocks - 1, row[k].blocks);
    assert_int_equal(viable, row[k].points);
    free(point);
  }
  for (int i = 0; i < 3; i++) sat->instance_free(formula[i]);
  sat->stream_free(stream);
  sw_trace_free(&trace);
  sw_arena_free(&arena);
}

/* Four variables, two tie seeds, one state with two histories. */
static void test_worked_example(void **state) {
  (void)state;
  const int clause[7][3] = {{-3, -2, -1}, {-3, -1, 2}, {-2, -4, 1}, {-3, 1, -4},
                            {4, 3, -2},   {3, -4, 1},  {1, -3, -4}};
  int32_t start[8], literal[21];
  for (int c = 0; c < 7; c++)
    for (int k = 0; k < 3; k++)
      literal[3 * c + k] = sw_sat_from_dimacs(clause[c][k]);
  for (int c = 0; c <= 7; c++) start[c] = 3 * c;
  sw_instance *formula;
  sw_err err = {0};
  ok(sw_sat_instance_new(&formula, 4, 7, start, literal, NULL, &err), &err);
  const int32_t a[] = {6,    1830, 17, 1831, 17,   1832, 17,   1833, 17,   3,
                       1830, 15,   10, 1830, 15,   6,    1831, 17,   1832, 17,
                       1833, 17,   3,  1832, 16,   10,   1832, 16,   6,    1831,
                       17,   1833, 17, 3,    1833, 15,   10,   1833, 15,   11};
  const int32_t b[] = {
      6,    1830, 17,   1831, 17, 1832, 17,   1833, 17,   3,    1830, 15,   10,
      1830, 15,   6,    1831, 17, 1832, 17,   1833, 17,   3,    1832, 15,   10,
      1832, 15,   6,    1833, 17, 3,    14,   431,  13,   1631, 6,    1831, 17,
      1832, 16,   1833, 17,   3,  1832, 16,   10,   1832, 16,   6,    1831, 17,
      1833, 17,   3,    1831, 16, 10,   1831, 16,   11};
  const char *key =
      "(((0, 1), (2, -1)), ((1, (-1, 1)), (3, (-1, 1))), False, 2, ())";
  sw_arena arena;
  sw_trace trace;
  sw_arena_init(&arena, 1 << 16);
  sw_trace_init(&trace);
  for (int which = 0; which < 2; which++) {
    sw_sat_rollout_options o = {which ? 9 : 0, 4096, 0};
    sw_sat_point *point;
    int64_t count;
    ok(sw_sat_rollout(formula, &o, &trace, &arena, &point, &count, &err), &err);
    assert_int_equal(trace.block_start[1], 45);
    assert_int_equal(trace.length - 45, which ? sizeof b / 4 : sizeof a / 4);
    assert_memory_equal(trace.token + 45, which ? b : a,
                        which ? sizeof b : sizeof a);
    const sw_sat_point *last = &point[count - 1];
    assert_string_equal(last->signature, key);
    assert_int_equal(last->block, which ? 5 : 3);
    assert_int_equal(last->actions, 4);
    const sw_sat_action_pair want[] = {{1, -1}, {1, 1}, {3, -1}, {3, 1}};
    assert_memory_equal(last->action, want, sizeof want);
    if (which) {
      assert_int_equal(point[2].label, 1);
      assert_string_equal(point[2].signature, "('conflict', (6, 1833, 17, 3))");
      assert_string_equal(point[3].signature,
                          "(((0, 1),), ((1, (-1, 1)), (2, (-1, 1)), (3, (-1, "
                          "1))), False, 2, ((2, 1),))");
    }
    free(point);
  }
  sw_sat_instance_free(formula);
  sw_trace_free(&trace);
  sw_arena_free(&arena);
}

static void build(sw_bank *bank, int64_t instances, int64_t traces) {
  sw_release_options o = SW_RELEASE_DEFAULTS;
  sw_err err = {0};
  o.instances = instances;
  o.traces = traces;
  ok(sw_bank_build_release(bank, &o, &err), &err);
}

static void test_small_bank(void **state) {
  (void)state;
  sw_bank bank;
  sw_bank_stats s;
  build(&bank, 25, 4);
  assert_int_equal(sw_bank_stats_of(&bank, &s, NULL), 0);
  assert_int_equal(s.states, 188);
  assert_int_equal(s.viable, 167);
  assert_int_equal(s.conflicts, 21);
  assert_int_equal(s.pairs, 378);
  assert_string_equal(s.id_hash, "7e2aba438ebb8d93e9e60ce49b0854963ccea0a7");
  const double depth[] = {1, 3, 4.25}, size[] = {42, 47, 49};
  assert_memory_equal(s.depth_quartile, depth, sizeof depth);
  assert_memory_equal(s.size_quartile, size, sizeof size);
  char id[41];
  int64_t first_conflict = -1, root = -1;
  for (int64_t p = 0; p < bank.states; p++) {
    if (bank.label[p] && first_conflict < 0) first_conflict = p;
    if (bank.instance[p] == 0) root = p; /* the root state sorts last */
  }
  sw_bank_id_hex(&bank, root, id);
  assert_string_equal(id, "fcfc4f31d68897853aff35fcb6ac7b95c717f212");
  sw_bank_id_hex(&bank, first_conflict, id);
  assert_string_equal(id, "eebc4c4e9389dcea4662affd2331e233151f5f2e");
  assert_int_equal(bank.instance[first_conflict], 3);
  assert_int_equal(bank.depth[first_conflict], 10);
  assert_int_equal(bank.size[first_conflict], 29);
  sw_bank_free(&bank);
}

static void check_counts(int64_t instances, int64_t traces, int64_t viable,
                         int64_t conflicts, int64_t pairs) {
  sw_bank bank;
  sw_bank_stats s;
  build(&bank, instances, traces);
  assert_int_equal(sw_bank_stats_of(&bank, &s, NULL), 0);
  assert_int_equal(s.viable, viable);
  assert_int_equal(s.conflicts, conflicts);
  assert_int_equal(s.pairs, pairs);
  sw_bank_free(&bank);
}

static void test_other_banks(void **state) {
  (void)state;
  check_counts(100, 4, 588, 61, 1364);
  check_counts(50, 10, 836, 118, 2190);
}

/* Published yields of transplant pairs: candidates, identical, kept. */
static void test_transplant_pairs(void **state) {
  (void)state;
  const struct {
    int64_t instances, traces, candidates, identical, pairs;
  } row[] = {{25, 4, 355, 259, 96},
             {10, 10, 961, 706, 255},
             {100, 4, 1299, 1009, 290},
             {200, 4, 2630, 2078, 552}};
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    sw_release_options o = SW_RELEASE_DEFAULTS;
    sw_release_pairs p;
    sw_err err = {0};
    o.instances = row[k].instances;
    o.traces = row[k].traces;
    ok(sw_release_count_pairs(&o, &p, &err), &err);
    assert_int_equal(p.candidates, row[k].candidates);
    assert_int_equal(p.identical, row[k].identical);
    assert_int_equal(p.pairs, row[k].pairs);
  }
}

/* Scores of rules without a model on the bank. */
static void trivial(const sw_bank *bank, const char *rule, sw_verdicts *v) {
  double *score = malloc(sizeof *score * (size_t)bank->states);
  for (int64_t p = 0; p < bank->states; p++) {
    double k = (double)(bank->probe_allowed[p + 1] - bank->probe_allowed[p]);
    score[p] = strcmp(rule, "size") == 0 ? -bank->size[p] : 1 / (1 + k);
  }
  assert_int_equal(sw_verdicts_of(score, bank->label, bank->states, v, NULL),
                   0);
  free(score);
}

static void near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.6g is not %.6g", a, b);
}

/* The paper's bank: 200 formulas, four rollouts each. */
static void test_paper_bank(void **state) {
  (void)state;
  sw_bank bank, again;
  sw_bank_stats s;
  sw_err err = {0};
  build(&bank, 200, 4);
  assert_int_equal(sw_bank_stats_of(&bank, &s, NULL), 0);
  assert_int_equal(s.states, 1325);
  assert_int_equal(s.viable, 1201);
  assert_int_equal(s.conflicts, 124);
  assert_int_equal(s.pairs, 2768);
  assert_int_equal(s.pairs - s.distinct_pairs, 2108);
  assert_int_equal(s.inputs, 1232);
  assert_string_equal(s.id_hash, "b0556dc78eaa2e1a623f9b62cd2f2ddaff9f6e8e");
  const double depth[] = {1, 2, 4}, size[] = {43, 47, 49};
  assert_memory_equal(s.depth_quartile, depth, sizeof depth);
  assert_memory_equal(s.size_quartile, size, sizeof size);
  assert_int_equal(s.histories_of[2], 947);
  assert_int_equal(s.histories_of[3], 149);
  assert_int_equal(s.histories_of[4], 229);
  near(s.mean_history, 484, .5);
  near(s.mean_size[0], 45.5, .05);
  near(s.mean_size[1], 22.5, .05);
  sw_verdicts v;
  trivial(&bank, "constant", &v);
  near(v.auroc, .870, 5e-4);
  near(v.auprc_stable, .263, 5e-4);
  near(v.auprc, .267, 5e-4);
  near(v.ece, .117, 5e-4);
  near(v.brier, .108, 5e-4);
  near(v.false_prune_rate, 0, 0);
  near(v.missed_conflict_rate, 1, 0);
  trivial(&bank, "size", &v);
  near(v.auroc, .969, 5e-4);
  near(v.auprc_stable, .618, 5e-4);
  char path[64];
  snprintf(path, sizeof path, "/tmp/sw-bank-%d.safetensors", (int)getpid());
  ok(sw_bank_save(&bank, path, &err), &err);
  ok(sw_bank_load(&again, path, &err), &err);
/* clang-format off */
#define X(name, type, dtype, text)                                              \
  assert_int_equal(again.count[SW_BANK_COL_##name], bank.count[SW_BANK_COL_##name]); \
  assert_memory_equal(again.name, bank.name, sizeof(type) * (size_t)bank.count[SW_BANK_COL_##name]);
  /* clang-format on */
  SW_BANK_COLUMNS(X)
#undef X
  assert_string_equal(again.options, bank.options);
  assert_int_equal(again.back_token, SW_SAT_CONFLICT);
  unlink(path);
  sw_bank_free(&bank);
  sw_bank_free(&again);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rollout_vectors),
                                     cmocka_unit_test(test_worked_example),
                                     cmocka_unit_test(test_small_bank),
                                     cmocka_unit_test(test_other_banks),
                                     cmocka_unit_test(test_paper_bank),
                                     cmocka_unit_test(test_transplant_pairs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
