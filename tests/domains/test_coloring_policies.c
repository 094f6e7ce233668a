/* Policies without a model in the release's closed loop, as published
 * (graph-coloring 3, 3.1, 17), and the rule that reads only the block. */
#include "coloring_help.h"
#include "release/coloring_layouts.h"
#include "domains/coloring/difficulty.h"

typedef struct setting {
  const char *policy, *n, *k, *p;
  uint64_t seed;
  int graphs;
  int64_t budget;
  int ablation; /* wrong masks, tried pairs in a block of their own */
} setting;

static void run(const setting *c, loop_sums *sums, char hex[41]) {
  const sw_domain *d = coloring();
  sw_domain_options o;
  options_of(&o, "release", "n", c->n, "colors", c->k, "density", c->p, NULL);
  sw_rules rules = {.release_layout = 1, .token_budget = c->budget};
  sw_stream *stream;
  sw_env *env;
  sw_err err;
  sw_sha sha;
  sw_trace t;
  sw_mt mt;
  sw_mt_seed(&mt, 0);
  sw_trace_init(&t);
  sw_sha1_init(&sha);
  memset(sums, 0, sizeof *sums);
  assert_int_equal(d->stream_new(&stream, &o, c->seed, SW_SPLIT_TEST, &err), 0);
  assert_int_equal(d->search->env_new(&env, &o, &rules, &err), 0);
  if (c->ablation) env->layout = sw_release_coloring_ablation;
  for (int i = 0; i < c->graphs; i++) {
    sw_instance *g;
    assert_int_equal(d->stream_next(stream, &g, &err), 0);
    run_loop(env, g, c->policy, &mt, INT64_MAX, &t, sums);
    digest_add(&sha, &t, 1);
    d->instance_free(g);
  }
  sw_sha_hex(&sha, hex);
  /* Every run that does not solve ends by its budget. */
  assert_int_equal(sums->solved + sums->budget, c->graphs);
  d->search->env_free(env);
  d->stream_free(stream);
  sw_trace_free(&t);
}

/* Table of 17: counts and digest of all sequences. */
static void closed_loop_digests(void **state) {
  (void)state;
  static const struct {
    setting c;
    loop_sums want;
    const char *sha;
  } rows[] = {{{"dsatur", "30", "4", ".35", 42, 200, 2048, 0},
               {.solved = 132,
                .backs = 2191,
                .decisions = 7012,
                .revisited = 312,
                .repeats = 0,
                .blocks = 9264,
                .tokens = 303416},
               "d94bc76eb89e3762b224eecc959a9b0be94414fe"},
              {{"first", "30", "4", ".35", 42, 200, 2048, 0},
               {.solved = 174,
                .backs = 1183,
                .decisions = 6800,
                .revisited = 171,
                .repeats = 0,
                .blocks = 8007,
                .tokens = 268942},
               "c4cc105eae59a4dfb17823e3385e347937de2357"},
              {{"hash", "30", "4", ".35", 42, 200, 2048, 0},
               {.solved = 1,
                .backs = 5088,
                .decisions = 8005,
                .revisited = 2614,
                .repeats = 0,
                .blocks = 13276,
                .tokens = 407571},
               "44370a442fc49d4682c5a9f86d48b021a1398257"},
              {{"hash", "12", "4", ".5", 42, 200, 2048, 0},
               {.solved = 193,
                .backs = 990,
                .decisions = 3350,
                .revisited = 547,
                .repeats = 3,
                .blocks = 4347,
                .tokens = 81695},
               "30a2b49e2aef0c3488b87643ec6bcdcf7ff23ed8"},
              {{"hash", "30", "4", ".35", 42, 200, 2048, 1},
               {.solved = 1,
                .backs = 5088,
                .decisions = 8005,
                .revisited = 2614,
                .repeats = 0,
                .blocks = -1,
                .tokens = 407571},
               "35c328f14adb6aa136da7c117638da2e69197141"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    loop_sums s;
    char hex[41];
    run(&rows[i].c, &s, hex);
    assert_string_equal(hex, rows[i].sha);
    assert_int_equal(s.solved, rows[i].want.solved);
    assert_int_equal(s.backs, rows[i].want.backs);
    assert_int_equal(s.decisions, rows[i].want.decisions);
    assert_int_equal(s.revisited, rows[i].want.revisited);
    assert_int_equal(s.repeats, rows[i].want.repeats);
    if (rows[i].want.blocks >= 0)
      assert_int_equal(s.blocks, rows[i].want.blocks);
    assert_int_equal(s.tokens, rows[i].want.tokens);
  }
}

/* Table of 3.1: solve rate and mean backtracks (-1: not published). */
static void reference_rows(void **state) {
  (void)state;
  static const struct {
    setting c;
    double rate, backs, unit; /* unit of the printed backtracks */
  } rows[] = {
      {{"dsatur", "30", "4", ".35", 42, 200, 2048, 0}, .660, 11.0, .1},
      {{"dsatur", "30", "4", ".35", 42, 200, 4096, 0}, .875, 17.6, .1},
      {{"dsatur", "30", "4", ".35", 42, 200, 8192, 0}, .960, 22.8, .1},
      {{"dsatur", "50", "4", ".35", 42, 60, 2048, 0}, 0, -1, .1},
      {{"dsatur", "50", "4", ".35", 42, 60, 4096, 0}, .783, -1, .1},
      {{"dsatur", "50", "4", ".35", 42, 60, 8192, 0}, 1, -1, .1},
      {{"dsatur", "30", "4", ".35", 1000, 200, 2048, 0}, .675, 10.7, .1},
      {{"dsatur", "30", "4", ".35", 1000, 200, 4096, 0}, .850, 17.7, .1},
      {{"dsatur", "30", "4", ".35", 1000, 200, 8192, 0}, .955, 23.9, .1},
      {{"first", "30", "4", ".35", 42, 200, 2048, 0}, .870, 5.9, .1},
      {{"first", "30", "4", ".35", 42, 200, 4096, 0}, .995, 6.7, .1},
      {{"first", "30", "4", ".35", 42, 200, 8192, 0}, 1, 7.1, .1},
      {{"first", "50", "4", ".35", 42, 60, 2048, 0}, 0, -1, .1},
      {{"first", "50", "4", ".35", 42, 60, 4096, 0}, .950, -1, .1},
      {{"first", "50", "4", ".35", 42, 60, 8192, 0}, 1, -1, .1},
      {{"smallest", "30", "4", ".35", 1000, 200, 2048, 0}, .735, 9.60, .01},
      {{"smallest", "30", "4", ".35", 1000, 200, 4096, 0}, .900, 17.96, .01},
      {{"smallest", "30", "4", ".35", 1000, 200, 8192, 0}, .975, 23.82, .01},
      {{"random", "30", "4", ".35", 42, 200, 2048, 0}, .020, 25.00, .01},
      {{"random", "30", "4", ".35", 42, 200, 4096, 0}, .045, 65.76, .01},
      {{"random", "30", "4", ".35", 42, 200, 8192, 0}, .035, 153.63, .01}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const setting *c = &rows[i].c;
    loop_sums s;
    char hex[41];
    run(c, &s, hex);
    double rate = (double)s.solved / c->graphs;
    double backs = (double)s.backs / c->graphs;
    if (rate < rows[i].rate - .00051 || rate > rows[i].rate + .00051 ||
        (rows[i].backs >= 0 && (backs < rows[i].backs - .501 * rows[i].unit ||
                                backs > rows[i].backs + .501 * rows[i].unit)))
      fail_msg("%s n=%s seed %d budget %d: %.3f / %.2f, published %.3f / %.2f",
               c->policy, c->n, (int)c->seed, (int)c->budget, rate, backs,
               rows[i].rate, rows[i].backs);
    assert_true((double)s.repeats <=
                .003 * (double)(s.revisited ? s.revisited : 1));
  }
}

/* Difficulty buckets. */
static void difficulty_buckets(void **state) {
  (void)state;
  const sw_domain *d = coloring();
  sw_domain_options o;
  options_of(&o, "release", NULL);
  sw_stream *stream;
  sw_err err;
  int bucket[5] = {0};
  int64_t sum = 0;
  assert_int_equal(d->stream_new(&stream, &o, 42, SW_SPLIT_TEST, &err), 0);
  for (int i = 0; i < 200; i++) {
    sw_instance *g;
    int64_t backs;
    assert_int_equal(d->stream_next(stream, &g, &err), 0);
    assert_int_equal(sw_col_difficulty(g, 100000, &backs), 1);
    sum += backs;
    bucket[sw_col_bucket(backs)]++;
    d->instance_free(g);
  }
  d->stream_free(stream);
  const int want[5] = {111, 20, 19, 31, 19};
  assert_memory_equal(bucket, want, sizeof want);
  assert_int_equal(sum, 1413); /* mean 7.065 */
}

/* Fair loops: the rules solve held-out graphs; `exact`, which reads nothing
 * but the block, takes the expert's action in every state. */
static void fair_loops(void **state) {
  (void)state;
  const sw_domain *d = coloring();
  {
    sw_domain_options o;
    options_of(&o, "fair", NULL);
    sw_rules rules = {0};
    sw_stream *stream;
    sw_env *env;
    sw_err err;
    sw_trace t;
    sw_mt mt;
    loop_sums expert = {0}, exact = {0}, first = {0};
    sw_mt_seed(&mt, 0);
    sw_trace_init(&t);
    assert_int_equal(d->stream_new(&stream, &o, 42, SW_SPLIT_TEST, &err), 0);
    assert_int_equal(d->search->env_new(&env, &o, &rules, &err), 0);
    for (int i = 0; i < 40; i++) {
      sw_instance *g;
      char one[41], two[41];
      assert_int_equal(d->stream_next(stream, &g, &err), 0);
      run_loop(env, g, "dsatur", &mt, 2000, &t, &expert);
      digest_one(&t, one);
      run_loop(env, g, "exact", &mt, 2000, &t, &exact);
      digest_one(&t, two);
      assert_string_equal(one, two);
      run_loop(env, g, "first", &mt, 2000, &t, &first);
      d->instance_free(g);
    }
    assert_int_equal(expert.solved, 40);
    assert_int_equal(exact.solved, 40);
    assert_int_equal(first.solved, 40);
    assert_true(first.decisions < expert.decisions);
    assert_int_equal(expert.backs, expert.conflicts);
    assert_true(expert.silent > 0);
    d->search->env_free(env);
    d->stream_free(stream);
    sw_trace_free(&t);
  }
}

/* The expert `first`: its trace is what the rule does in the masked loop. */
static void first_expert(void **state) {
  (void)state;
  const sw_domain *d = coloring();
  sw_domain_options o;
  options_of(&o, "fair", "expert", "first", "error", "0", "max-blocks", "0",
             NULL);
  sw_rules rules = {0};
  sw_stream *stream;
  sw_env *env;
  sw_err err;
  sw_trace written, walked;
  sw_mt mt;
  loop_sums sums = {0};
  sw_trace_init(&written);
  sw_trace_init(&walked);
  sw_mt_seed(&mt, 0);
  assert_int_equal(d->stream_new(&stream, &o, 42, SW_SPLIT_TRAIN, &err), 0);
  assert_int_equal(d->search->env_new(&env, &o, &rules, &err), 0);
  for (int i = 0; i < 30; i++) {
    sw_instance *g;
    char one[41], two[41];
    assert_int_equal(d->stream_next(stream, &g, &err), 0);
    assert_int_equal(d->write_trace(g, &o, &mt, &written, &err), 0);
    run_loop(env, g, "first", &mt, 2000, &walked, &sums);
    digest_one(&written, one);
    digest_one(&walked, two);
    assert_string_equal(one, two);
    d->instance_free(g);
  }
  assert_int_equal(sums.solved, 30);
  d->search->env_free(env);
  d->stream_free(stream);
  sw_trace_free(&written);
  sw_trace_free(&walked);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_loop_digests), cmocka_unit_test(reference_rows),
      cmocka_unit_test(difficulty_buckets),  cmocka_unit_test(fair_loops),
      cmocka_unit_test(first_expert),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
