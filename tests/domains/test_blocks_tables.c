/* The reference tables of Blocks World: policies without a model in both
 * loops, data set figures and digests. Rows that need minutes are in the long
 * tier (STATEWISE_LONG). */
#include "blocks_support.h"

#include <math.h>

static const int SEEDS[5] = {42, 123, 456, 789, 2024};

static sw_instance **draw_many(const sw_domain_options *o, int seed,
                               sw_split split, int count,
                               sw_blocks_draws *draws) {
  sw_instance **made = calloc((size_t)count, sizeof *made);
  sw_stream *stream;
  assert_int_equal(
      sw_domain_blocks.stream_new(&stream, o, (uint64_t)seed, split, NULL),
      SW_OK);
  for (int i = 0; i < count; i++)
    assert_int_equal(sw_domain_blocks.stream_next(stream, &made[i], NULL),
                     SW_OK);
  if (draws) *draws = *sw_blocks_stream_draws(stream);
  sw_domain_blocks.stream_free(stream);
  return made;
}

static void free_many(sw_instance **made, int count) {
  for (int i = 0; i < count; i++) sw_domain_blocks.instance_free(made[i]);
  free(made);
}

/* Percent solved of 200 by one rule in the release's loop, and repeats over
 * revisits. */
static double release_cell(int n, int seed, int64_t budget, int rule,
                           double *repeat, double *mean_backs) {
  sw_domain_options o = blocks_resolved(1, n);
  sw_rules rules = {.release_layout = 1, .token_budget = budget};
  sw_instance **made = draw_many(&o, seed, SW_SPLIT_TEST, 200, NULL);
  sw_env *env;
  sw_mt mt;
  sw_trace trace;
  int solved = 0;
  int64_t repeats = 0, revisits = 0, backs = 0;
  sw_trace_init(&trace);
  sw_mt_seed(&mt, (uint64_t)seed);
  assert_int_equal(sw_domain_blocks.search->env_new(&env, &o, &rules, NULL),
                   SW_OK);
  for (int i = 0; i < 200; i++) {
    blocks_run r = run_release(env, made[i], rule, &mt, 500, &trace);
    solved += r.solved;
    repeats += r.extra[4];
    revisits += r.extra[2];
    backs += r.backs;
  }
  sw_domain_blocks.search->env_free(env);
  sw_trace_free(&trace);
  free_many(made, 200);
  *repeat = (double)repeats / (double)(revisits ? revisits : 1);
  *mean_backs = (double)backs / 200;
  return solved / 2.0;
}

typedef struct cell {
  double mean, std;
} cell;

/* Mean and sample deviation over the five test seeds. */
static void release_policies(void **state) {
  (void)state;
  static const struct {
    int rule;
    double low, high;
    cell want[4];
  } rows[] = {{SW_BLOCKS_RULE_FIRST_LEGAL,
               0.97,
               0.98,
               {{12.5, 2.9}, {12.5, 2.9}, {8.9, 3.0}, {8.9, 3.0}}},
              {SW_BLOCKS_RULE_RANDOM_LEGAL,
               0.28,
               0.30,
               {{37.7, 3.2}, {46.6, 3.3}, {18.1, 3.6}, {16.9, 2.6}}},
              {SW_BLOCKS_RULE_RANDOM_UNTRIED,
               0,
               0,
               {{40.1, 4.7}, {52.9, 3.4}, {19.7, 4.0}, {18.6, 2.7}}},
              {SW_BLOCKS_RULE_FIRST_UNTRIED,
               0,
               0,
               {{47.2, 4.1}, {55.9, 4.4}, {23.5, 3.7}, {28.7, 3.0}}}};
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
    for (int column = 0; column < 4; column++) {
      double sum = 0, squares = 0, repeats = 0, repeat, backs;
      for (int s = 0; s < 5; s++) {
        double rate =
            release_cell(column < 2 ? 5 : 7, SEEDS[s], column % 2 ? 4096 : 2048,
                         rows[row].rule, &repeat, &backs);
        sum += rate;
        squares += rate * rate;
        repeats += repeat;
      }
      double mean = sum / 5, std = sqrt((squares - sum * sum / 5) / 4);
      assert_near(mean, rows[row].want[column].mean, 0.0501);
      assert_near(std, rows[row].want[column].std, 0.0501);
      assert_true(repeats / 5 >= rows[row].low - 0.005);
      assert_true(repeats / 5 <= rows[row].high + 0.005);
    }
}

/* Mean backtracks of the imitator; start = goal shares. */
static void release_details(void **state) {
  (void)state;
  double repeat, backs, sum[2] = {0, 0};
  release_cell(5, 42, 2048, SW_BLOCKS_RULE_FIRST_UNTRIED, &repeat, &backs);
  assert_near(backs, 2.1, 0.0501);
  release_cell(5, 42, 4096, SW_BLOCKS_RULE_FIRST_UNTRIED, &repeat, &backs);
  assert_near(backs, 6.8, 0.0501);
  for (int s = 0; s < 5; s++)
    for (int k = 0; k < 2; k++) {
      sw_domain_options o = blocks_resolved(1, k ? 7 : 5);
      sw_instance **made = draw_many(&o, SEEDS[s], SW_SPLIT_TEST, 200, NULL);
      for (int i = 0; i < 200; i++)
        sum[k] += sw_blocks_same(&made[i]->start, &made[i]->goal);
      free_many(made, 200);
    }
  assert_near(sum[0] / 10, 7.5, 0.0501);
  assert_near(sum[1] / 10, 5.1, 0.0501);
}

/* The same loop with the shared TRIED lists is the expert. */
static void release_with_shared_lists(void **state) {
  (void)state;
  static const struct {
    int n;
    int64_t budget;
    double solved, backs;
  } rows[] = {{5, 2048, 46.5, 15.9}, {5, 4096, 60.0, 29.1},
              {7, 2048, 21.5, 17.9}, {7, 4096, 25.0, 35.0},
              {5, 0, 88.5, -1},      {7, 0, 30.5, -1}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    sw_domain_options o = blocks_resolved(1, rows[k].n);
    sw_blocks_own_edit(&o)->tried = "shared";
    sw_rules rules = {.release_layout = 1, .token_budget = rows[k].budget};
    sw_instance **made = draw_many(&o, 42, SW_SPLIT_TEST, 200, NULL);
    sw_env *env;
    sw_trace trace;
    double solved = 0, backs = 0;
    sw_trace_init(&trace);
    assert_int_equal(sw_domain_blocks.search->env_new(&env, &o, &rules, NULL),
                     SW_OK);
    for (int i = 0; i < 200; i++) {
      blocks_run r = run_release(env, made[i], SW_BLOCKS_RULE_FIRST_UNTRIED,
                                 NULL, 500, &trace);
      solved += r.solved;
      backs += (double)r.backs;
    }
    assert_near(solved / 2, rows[k].solved, 0.0501);
    if (rows[k].backs >= 0) assert_near(backs / 200, rows[k].backs, 0.0501);
    sw_domain_blocks.search->env_free(env);
    sw_trace_free(&trace);
    free_many(made, 200);
  }
}

static void fair_policies_of(int n, const double want[4][3],
                             const double backs[3], int trivial, int excluded) {
  sw_domain_options o = blocks_capped(n);
  sw_blocks_draws draws;
  sw_instance **made = draw_many(&o, 42, SW_SPLIT_TEST, 200, &draws);
  static const int64_t budgets[3] = {2048, 4096, 0};
  static const int rules_of[4] = {
      SW_BLOCKS_RULE_FIRST_LEGAL, SW_BLOCKS_RULE_RANDOM_LEGAL,
      SW_BLOCKS_RULE_RANDOM_UNTRIED, SW_BLOCKS_RULE_FIRST_UNTRIED};
  sw_rules rules = {0};
  sw_env *env;
  sw_trace trace;
  assert_int_equal(draws.trivial, trivial);
  assert_int_equal(draws.excluded, excluded);
  sw_trace_init(&trace);
  assert_int_equal(sw_domain_blocks.search->env_new(&env, &o, &rules, NULL),
                   SW_OK);
  for (int row = 0; row < 4; row++)
    for (int column = 0; column < 3; column++) {
      sw_mt mt;
      double solved = 0, went_back = 0;
      sw_mt_seed(&mt, 0);
      for (int i = 0; i < 200; i++) {
        blocks_run r = run_fair(env, made[i], rules_of[row], &mt, 500,
                                budgets[column], &trace);
        solved += r.solved;
        went_back += (double)r.backs;
        if (r.solved) assert_true(sw_domain_blocks.search->check_solution(env));
      }
      assert_near(solved / 2, want[row][column], 1e-9);
      if (row == 3) assert_near(went_back / 200, backs[column], 0.0501);
    }
  sw_domain_blocks.search->env_free(env);
  sw_trace_free(&trace);
  free_many(made, 200);
}

/* Test set and policies; the exclusion set is 5,000 kept traces. */
static void fair_policies_5(void **state) {
  (void)state;
  static const double want[4][3] = {{4.0, 4.0, 4.0},
                                    {27.0, 38.0, 55.5},
                                    {27.0, 41.5, 70.0},
                                    {34.5, 53.0, 85.0}};
  static const double backs[3] = {19.7, 35.6, 66.3};
  fair_policies_of(5, want, backs, 20, 67);
}

static void fair_policies_7(void **state) {
  (void)state;
  static const double want[4][3] = {{1.5, 1.5, 1.5},
                                    {14.0, 13.5, 14.5},
                                    {11.5, 15.5, 10.0},
                                    {9.0, 11.5, 19.0}};
  static const double backs[3] = {21.0, 40.9, 105.2};
  fair_policies_of(7, want, backs, 9, 1);
}

typedef struct set_stats {
  int64_t solved, kept, kept_4096, zero_steps, no_back, tokens, supervised,
      backs, longest, total_backs_kept;
  char digest[65], digest_500[65];
} set_stats;

/* Writes traces until `attempts` draws or `keep` kept ones are done; when
 * `full`, also counts what the expert solves beyond the length limit. */
static set_stats make_set(const sw_domain_options *o, int64_t attempts,
                          int64_t keep, int full, sw_blocks_draws *draws) {
  set_stats s = {0};
  const sw_rules writing = {.writing_trace = 1};
  sw_domain_options free_length = *o;
  sw_stream *stream;
  sw_env *env;
  sw_trace trace;
  sw_sha sha, copy;
  free_length.max_tokens = 0;
  sw_sha256_init(&sha);
  sw_trace_init(&trace);
  assert_int_equal(
      sw_domain_blocks.stream_new(&stream, o, 42, SW_SPLIT_TRAIN, NULL), SW_OK);
  assert_int_equal(sw_domain_blocks.search->env_new(&env, o, &writing, NULL),
                   SW_OK);
  for (int64_t i = 0; i < attempts && s.kept < keep; i++) {
    sw_instance *instance;
    assert_int_equal(sw_domain_blocks.stream_next(stream, &instance, NULL),
                     SW_OK);
    int code = sw_blocks_write_trace(env, instance, full ? &free_length : o,
                                     NULL, &trace, NULL);
    sw_domain_blocks.instance_free(instance);
    if (code) continue;
    s.solved++;
    s.kept_4096 += trace.length <= 4096;
    if (trace.length > 2048) continue;
    s.kept++;
    s.zero_steps += trace.decisions == 0;
    s.no_back += trace.backtracks == 0;
    s.backs += trace.backtracks;
    s.tokens += trace.length;
    if (trace.length > s.longest) s.longest = trace.length;
    for (int64_t t = 0; t < trace.length; t++)
      s.supervised += trace.supervised[t];
    digest_trace(&sha, &trace);
    if (s.kept == 500) {
      copy = sha;
      sw_sha_hex(&copy, s.digest_500);
    }
  }
  sw_sha_hex(&sha, s.digest);
  if (draws) *draws = *sw_blocks_stream_draws(stream);
  sw_domain_blocks.stream_free(stream);
  sw_domain_blocks.search->env_free(env);
  sw_trace_free(&trace);
  return s;
}

/* The default limit of 96 blocks keeps other traces than 2,048 tokens do, but
 * leaves the same 200 instances for the test. */
static void default_test_set(void **state) {
  (void)state;
  sw_domain_options a = blocks_capped(5), b = blocks_resolved(0, 5);
  sw_instance **x = draw_many(&a, 42, SW_SPLIT_TEST, 200, NULL);
  sw_instance **y = draw_many(&b, 42, SW_SPLIT_TEST, 200, NULL);
  assert_int_equal(b.max_blocks, 96);
  for (int i = 0; i < 200; i++)
    assert_int_equal(sw_domain_blocks.instance_hash(x[i]),
                     sw_domain_blocks.instance_hash(y[i]));
  free_many(x, 200);
  free_many(y, 200);
}

/* n = 5: 5,000 attempts. */
static void release_set_5(void **state) {
  (void)state;
  sw_domain_options o = blocks_resolved(1, 5);
  set_stats s = make_set(&o, 5000, 5000, 1, NULL);
  assert_int_equal(s.solved, 4542);
  assert_int_equal(s.kept, 2343);
  assert_int_equal(s.kept_4096, 3089);
  assert_int_equal(s.zero_steps, 305);
  assert_near(100.0 * (double)s.no_back / 2343, 38.8, 0.0501);
  assert_near((double)s.backs / 2343, 7.03, 0.00501);
  assert_int_equal(s.tokens, 1374548);
  assert_int_equal(s.supervised, 221339);
  assert_int_equal(s.longest, 2048);
  assert_string_equal(s.digest,
                      "5e3885fa147bbcdda0b07d664c4dd21c55c96e2ac96946"
                      "55e330e5db48895192");
}

static void release_set_7(void **state) {
  (void)state;
  sw_domain_options o = blocks_resolved(1, 7);
  set_stats s = make_set(&o, 5000, 5000, 1, NULL);
  assert_int_equal(s.solved, 1264);
  assert_int_equal(s.kept, 809);
  assert_int_equal(s.kept_4096, 1011);
  assert_int_equal(s.zero_steps, 191);
  assert_near(100.0 * (double)s.no_back / 809, 65.4, 0.0501);
  assert_near((double)s.backs / 809, 2.62, 0.00501);
  assert_int_equal(s.tokens, 217299);
  assert_int_equal(s.supervised, 30931);
  assert_int_equal(s.longest, 1812);
  assert_string_equal(s.digest,
                      "f9bff1d8b8b142a4a7b98b3b67165db4332ed9a5b7f2ca"
                      "e1f5150014d39b653d");
}

/* 5,000 kept traces of the fair stream. */
static void fair_set(int n, int64_t draw_count, int64_t trivial, int64_t solved,
                     int64_t tokens, int64_t supervised, const char *first,
                     const char *all) {
  sw_domain_options o = blocks_capped(n);
  sw_blocks_draws draws;
  int full = solved > 0;
  set_stats s = make_set(&o, INT64_MAX, 5000, full, &draws);
  assert_int_equal(draws.draws, draw_count);
  assert_int_equal(draws.trivial, trivial);
  if (full) assert_int_equal(s.solved, solved);
  assert_int_equal(s.tokens, tokens);
  assert_int_equal(s.supervised, supervised);
  assert_string_equal(s.digest_500, first);
  assert_string_equal(s.digest, all);
}

static void fair_set_5(void **state) {
  (void)state;
  fair_set(5, 12437, 796, getenv("STATEWISE_LONG") ? 10488 : 0, 3361031, 542833,
           "34171a6d997d6f6fadf78a59cc32569d41c10e50ab508f545ea87b0da2d40ba0",
           "ee6699eb71f643a1fb47a6e671d8714f0668d54e443e125cf75756f3213cff9b");
}

static void fair_set_7(void **state) {
  (void)state;
  fair_set(7, 41131, 1429, getenv("STATEWISE_LONG") ? 8583 : 0, 1966291, 286322,
           "d171049e591b8d9fa69e38ae69db32d5bb7e6bbb30077db32b3647b9d8964071",
           "71a7b338594cf970e7a19f004a9e8f6a12833b225c28877a9edc6a5924aaded3");
}

/* How often start equals goal; number of states. */
static void generator_shares(void **state) {
  (void)state;
  static const struct {
    int n, draws, same;
  } want[] = {{5, 1000, 72}, {7, 600, 34}};
  for (int k = 0; k < 2; k++) {
    sw_domain_options o = blocks_resolved(1, want[k].n);
    sw_instance **made = draw_many(&o, 42, SW_SPLIT_TRAIN, want[k].draws, NULL);
    int same = 0;
    for (int i = 0; i < want[k].draws; i++)
      same += sw_blocks_same(&made[i]->start, &made[i]->goal);
    assert_int_equal(same, want[k].same);
    free_many(made, want[k].draws);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(release_policies),
      cmocka_unit_test(release_details),
      cmocka_unit_test(release_with_shared_lists),
      cmocka_unit_test(fair_policies_5),
      cmocka_unit_test(fair_policies_7),
      cmocka_unit_test(default_test_set),
      cmocka_unit_test(release_set_5),
      cmocka_unit_test(release_set_7),
      cmocka_unit_test(fair_set_5),
      cmocka_unit_test(fair_set_7),
      cmocka_unit_test(generator_shares),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
