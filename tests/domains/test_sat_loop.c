/* The published closed-loop vectors, through the environment in the release's
 * layout with the smallest possible loop: rule policies, token digests and the
 * heuristics. Also: the loop in the training layout keeps that layout. */
#include "sat_support.h"

typedef struct outcome {
  const char *reason;
  int decisions, backtracks, conflicts;
  int64_t length; /* context at the last value query */
  int last_block;
  char sha1[41];
} outcome;

static int rule_index(const char *name) {
  for (int i = 0; sw_domain_sat.search->rule.names[i]; i++)
    if (strcmp(sw_domain_sat.search->rule.names[i], name) == 0) return i;
  fail_msg("no rule %s", name);
  return -1;
}

/* One search under a rule. rebuilt: the context is the prefix and the current
 * block. digest: keep the hash of the context at the last value query. */
static outcome play(sw_env *env, const sw_instance *f, int rule, sw_mt *mt,
                    int rebuilt, int max_decisions, int digest) {
  const sw_domain *d = &sw_domain_sat;
  outcome o = {.reason = "max_steps"};
  sw_trace t;
  sw_trace_init(&t);
  assert_int_equal(d->search->env_reset(env, f, NULL), SW_OK);
  d->search->write_prefix(env, &t);
  for (int step = 0; step < max_decisions; step++) {
    if (rebuilt) sw_trace_truncate_blocks(&t, 1);
    sw_env_status status = d->search->prompt(env, &t);
    if (status == SW_ENV_QUERY)
      status = d->search->feed(env, d->search->rule.choose(env, rule, mt), &t);
    if (status == SW_ENV_QUERY) {
      if (digest) {
        token_sha1(t.token, t.length, o.sha1);
        o.length = t.length;
        o.last_block = (int)t.blocks - 1;
      }
      status = d->search->feed(env, d->search->rule.choose(env, rule, mt), &t);
    }
    if (status == SW_ENV_BLOCK_END) continue;
    o.reason = d->search->reason(env);
    if (status == SW_ENV_SOLVED) assert_true(d->search->check_solution(env));
    break;
  }
  int64_t explicit_back, silent_back;
  d->search->counters(env, &explicit_back, &silent_back);
  o.decisions = (int)env->decisions;
  o.conflicts = (int)env->conflicts;
  o.backtracks = (int)(explicit_back + silent_back);
  sw_trace_free(&t);
  return o;
}

static sw_env *release_env(const sw_domain_options *o, int64_t budget) {
  sw_rules rules = {.release_layout = 1, .token_budget = budget};
  sw_env *env;
  assert_int_equal(sw_domain_sat.search->env_new(&env, o, &rules, NULL), SW_OK);
  return env;
}

typedef struct row {
  const char *rule;
  int rebuilt, count, solved;
  double decisions, backtracks;
  const char *ending;
  int ended;
} row;

static void check_row(const row *r) {
  sw_domain_options o = release_options(50, 4.0, "planted", 0, 0);
  sw_env *env = release_env(&o, 4096);
  sw_stream *stream = open_stream(&o, 42);
  sw_mt mt;
  int solved = 0, ended = 0;
  int64_t decisions = 0, backtracks = 0;
  sw_mt_seed(&mt, 42);
  for (int i = 0; i < r->count; i++) {
    sw_instance *f = next_instance(stream);
    outcome got = play(env, f, rule_index(r->rule), &mt, r->rebuilt, 500, 0);
    solved += strcmp(got.reason, "solved") == 0;
    ended += r->ending && strcmp(got.reason, r->ending) == 0;
    decisions += got.decisions;
    backtracks += got.backtracks;
    sw_domain_sat.instance_free(f);
  }
  print_message("%-18s %s N %d solved %d dec %.3f bt %.3f %s %d\n", r->rule,
                r->rebuilt ? "SR " : "cum", r->count, solved,
                (double)decisions / r->count, (double)backtracks / r->count,
                r->ending ? r->ending : "-", ended);
  assert_int_equal(solved, r->solved);
  assert_int_equal(ended, r->ended);
  assert_int_equal(decisions, (int64_t)(r->decisions * r->count + 0.5));
  assert_int_equal(backtracks, (int64_t)(r->backtracks * r->count + 0.5));
  sw_domain_sat.stream_free(stream);
  sw_domain_sat.search->env_free(env);
}

static void test_rule_table(void **state) {
  (void)state;
  static const row table[] = {
      {"random+copy", 1, 200, 180, 153.665, 139.59, "max_steps", 20},
      {"random+true", 1, 200, 8, 8.385, 0.96, "invalid_assign", 192},
      {"first+true", 1, 200, 12, 6.335, 0.94, "invalid_assign", 188},
      {"first+copy", 1, 100, 100, 43.70, 31.23, NULL, 0},
      {"first+copy", 0, 100, 60, 25.29, 15.60, "budget", 40},
      {"first+copy", 1, 200, 200, 45.16, 32.805, NULL, 0},
      {"first+copy", 0, 200, 115, 25.52, 16.085, "budget", 85},
      {"index+copy", 1, 200, 178, 166.765, 152.93, "max_steps", 22},
      {"index+true", 1, 200, 8, 8.22, 0.96, "invalid_assign", 192},
      {"occurrence+copy", 1, 200, 200, 43.74, 31.315, NULL, 0}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    check_row(&table[i]);
}

static void test_token_digests(void **state) {
  (void)state;
  static const struct {
    const char *reason;
    int decisions, conflicts, backtracks, length, block;
    const char *sha1;
  } want[4] = {{"solved", 19, 1, 1, 2445, 19,
                "6ced7d93adb412132a62877cf95bfa9149349a13"},
               {"budget", 32, 13, 25, 4072, 32,
                "2472e37852f2ed0eff17989d7cd7c509cfd51a77"},
               {"budget", 34, 14, 26, 4075, 34,
                "0e878aee20395463e0314a3525bfa17a6d257b6a"},
               {"solved", 25, 8, 12, 3082, 25,
                "f517acac145344d1ed8963208a4d71fc06184d37"}};
  sw_domain_options o = release_options(50, 4.0, "planted", 0, 0);
  sw_env *env = release_env(&o, 4096);
  sw_stream *stream = open_stream(&o, 42);
  for (int i = 0; i < 4; i++) {
    sw_instance *f = next_instance(stream);
    outcome got = play(env, f, rule_index("first+copy"), NULL, 0, 500, 1);
    assert_string_equal(got.reason, want[i].reason);
    assert_int_equal(got.decisions, want[i].decisions);
    assert_int_equal(got.conflicts, want[i].conflicts);
    assert_int_equal(got.backtracks, want[i].backtracks);
    assert_int_equal(got.length, want[i].length);
    assert_int_equal(got.last_block, want[i].block);
    assert_string_equal(got.sha1, want[i].sha1);
    sw_domain_sat.instance_free(f);
  }
  sw_domain_sat.stream_free(stream);
  sw_domain_sat.search->env_free(env);
}

static void check_heuristic(const char *name, const int want[8][2]) {
  sw_domain_options o = release_options(50, 4.0, "planted", 0, 0);
  sw_env *env = release_env(&o, 0);
  sw_stream *stream = open_stream(&o, 42);
  for (int i = 0; i < 8; i++) {
    sw_instance *f = next_instance(stream);
    sw_mt mt;
    sw_mt_seed(&mt, 42 + (uint64_t)i);
    outcome got = play(env, f, rule_index(name), &mt, 1, 4096, 0);
    assert_string_equal(got.reason, "solved");
    assert_int_equal(got.decisions, want[i][0]);
    assert_int_equal(got.backtracks, want[i][1]);
    sw_domain_sat.instance_free(f);
  }
  sw_domain_sat.stream_free(stream);
  sw_domain_sat.search->env_free(env);
}

static void test_heuristics(void **state) {
  (void)state;
  static const int vsids[8][2] = {{19, 1},  {47, 33}, {35, 26},   {25, 12},
                                  {54, 41}, {10, 1},  {161, 148}, {34, 21}};
  static const int occurrence[8][2] = {{15, 0}, {13, 2}, {68, 59}, {37, 26},
                                       {23, 7}, {13, 1}, {15, 1},  {33, 16}};
  static const int random_domain[8][2] = {{218, 202}, {104, 88},   {111, 95},
                                          {59, 44},   {160, 143},  {164, 158},
                                          {302, 293}, {1227, 1212}};
  static const int pure_random[8][2] = {{414, 400}, {159, 143},  {88, 69},
                                        {91, 79},   {43, 20},    {225, 215},
                                        {548, 536}, {1161, 1149}};
  check_heuristic("vsids_domain", vsids);
  check_heuristic("occurrence_domain", occurrence);
  check_heuristic("random_domain", random_domain);
  check_heuristic("pure_random", pure_random);
}

/* First 40 instances: the published means. */
static void test_heuristic_means(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double decisions, backtracks;
  } rows[] = {{"vsids_domain", 46.700, 34.075},
              {"occurrence_domain", 37.475, 23.200}};
  for (int r = 0; r < 2; r++) {
    sw_domain_options o = release_options(50, 4.0, "planted", 0, 0);
    sw_env *env = release_env(&o, 0);
    sw_stream *stream = open_stream(&o, 42);
    int decisions = 0, backtracks = 0;
    for (int i = 0; i < 40; i++) {
      sw_instance *f = next_instance(stream);
      outcome got = play(env, f, rule_index(rows[r].name), NULL, 1, 4096, 0);
      decisions += got.decisions;
      backtracks += got.backtracks;
      sw_domain_sat.instance_free(f);
    }
    assert_int_equal(decisions, (int)(rows[r].decisions * 40 + 0.5));
    assert_int_equal(backtracks, (int)(rows[r].backtracks * 40 + 0.5));
    sw_domain_sat.stream_free(stream);
    sw_domain_sat.search->env_free(env);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rule_table),
                                     cmocka_unit_test(test_token_digests),
                                     cmocka_unit_test(test_heuristics),
                                     cmocka_unit_test(test_heuristic_means)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
