/* SAT searches against a complete solver, the experts as policies, the
 * instance families, and answers of any size. */
#include "sat_support.h"
#include <math.h>
#include "domains/sat/cdcl.h"
#include "domains/sat/dimacs.h"

static int is_long(void) { return getenv("STATEWISE_LONG") != NULL; }

/* The expert as a policy in the open loop, to the end. */
static sw_env_status follow_expert(sw_env *env, const sw_instance *f,
                                   sw_trace *t, int64_t limit) {
  const sw_domain *d = &sw_domain_sat;
  assert_int_equal(d->search->env_reset(env, f, NULL), SW_OK);
  sw_env_status status = SW_ENV_BLOCK_END;
  while (status == SW_ENV_BLOCK_END && env->decisions < limit) {
    sw_trace_clear(t);
    sw_trace_begin_block(t);
    status = d->search->prompt(env, t);
    while (status == SW_ENV_QUERY)
      status = d->search->feed(env, d->search->expert_choice(env), t);
  }
  return status;
}

static sw_env *expert_env(const char *expert) {
  sw_domain_options o = unset_options(0);
  sw_rules rules = {0};
  sw_env *env;
  o.expert = expert;
  resolve(&o);
  assert_int_equal(sw_domain_sat.search->env_new(&env, &o, &rules, NULL),
                   SW_OK);
  return env;
}

static int ask(sw_cdcl *solver, const int32_t *assumed, int32_t count,
               int conflicts, double seconds) {
  int verdict;
  assert_int_equal(
      sw_cdcl_solve(solver, assumed, count, conflicts, seconds, &verdict, NULL),
      SW_OK);
  return verdict;
}

static void test_agrees_with_cdcl(void **state) {
  (void)state;
  const char *experts[4] = {"clause", "vsids", "jw", "solution"};
  int count = is_long() ? 2000 : 400, sat = 0, unsat = 0;
  sw_env *env[4];
  sw_trace t;
  sw_mt mt;
  sw_trace_init(&t);
  sw_mt_seed(&mt, 11);
  for (int k = 0; k < 4; k++) env[k] = expert_env(experts[k]);
  for (int i = 0; i < count; i++) {
    sw_domain_options o = unset_options(0);
    o.n = 5 + (int)sw_mt_below(&mt, 36);
    sw_sat_own_edit(&o)->ratio = 3 + 3 * sw_mt_random(&mt);
    sw_sat_own_edit(&o)->family = "random";
    resolve(&o);
    sw_stream *stream = open_stream(&o, (uint64_t)i);
    sw_instance *f = next_instance(stream);
    int verdict;
    int8_t model[64];
    assert_int_equal(sw_cdcl_decide(f, model, &verdict, NULL), SW_OK);
    sw_env *e = env[i % 4];
    sw_env_status status = follow_expert(e, f, &t, INT64_MAX);
    if (verdict == SW_CDCL_SAT) {
      assert_true(sw_sat_satisfies(f, model));
      assert_int_equal(status, SW_ENV_SOLVED);
      assert_true(sw_domain_sat.search->check_solution(e));
      sat++;
    } else {
      assert_int_equal(verdict, SW_CDCL_UNSAT);
      assert_int_equal(status, SW_ENV_EXHAUSTED);
      unsat++;
    }
    sw_domain_sat.instance_free(f);
    sw_domain_sat.stream_free(stream);
  }
  print_message("%d satisfiable, %d unsatisfiable\n", sat, unsat);
  assert_true(sat > count / 5 && unsat > count / 5);
  for (int k = 0; k < 4; k++) sw_domain_sat.search->env_free(env[k]);
  sw_trace_free(&t);
}

static void test_experts_as_policies(void **state) {
  (void)state;
  static const char *const experts[] = {"clause", "vsids", "jw", "solution"};
  double mean[4];
  sw_trace t;
  sw_trace_init(&t);
  for (int k = 0; k < 4; k++) {
    sw_domain_options o = unset_options(0);
    o.n = 50;
    resolve(&o);
    sw_stream *stream = NULL;
    assert_int_equal(
        sw_domain_sat.stream_new(&stream, &o, 42, SW_SPLIT_TEST, NULL), SW_OK);
    sw_env *env = expert_env(experts[k]);
    int64_t decisions = 0;
    for (int i = 0; i < 200; i++) {
      sw_instance *f = next_instance(stream);
      assert_int_equal(follow_expert(env, f, &t, 500), SW_ENV_SOLVED);
      assert_true(sw_domain_sat.search->check_solution(env));
      decisions += env->decisions;
      sw_domain_sat.instance_free(f);
    }
    mean[k] = (double)decisions / 200;
    print_message("%-8s 200 of 200 solved, mean decisions %.2f\n", experts[k],
                  mean[k]);
    sw_domain_sat.search->env_free(env);
    sw_domain_sat.stream_free(stream);
  }
  assert_true(mean[3] < mean[2] && mean[2] < mean[0] && mean[0] < mean[1]);
  sw_trace_free(&t);
}

static void test_bounded_queries(void **state) {
  (void)state;
  static const int c[4][3] = {{1, 2, 3}, {-1, 2, 3}, {1, -2, 3}, {-1, -2, 3}};
  sw_instance *f = formula3(4, 4, c);
  sw_cdcl *solver;
  assert_int_equal(sw_cdcl_new(&solver, f, NULL), SW_OK);
  int32_t not_v2 = 2 * 2 + 1, v2 = 2 * 2, v3 = 2 * 3;
  assert_int_equal(ask(solver, &v2, 1, -1, 0), SW_CDCL_SAT);
  assert_int_equal(ask(solver, &not_v2, 1, -1, 0), SW_CDCL_UNSAT);
  assert_int_equal(ask(solver, &v3, 1, -1, 10), SW_CDCL_SAT);
  int8_t model[4];
  sw_cdcl_model(solver, model); /* v3 occurs in no clause */
  assert_int_equal(model[3], 1);
  assert_true(sw_sat_satisfies(f, model));
  sw_cdcl_free(solver);
  sw_domain_sat.instance_free(f);
  /* A hard formula is given up after few conflicts. */
  sw_domain_options o = unset_options(0);
  o.n = 150;
  sw_sat_own_edit(&o)->ratio = 4.26;
  sw_sat_own_edit(&o)->family = "random";
  resolve(&o);
  sw_stream *stream = open_stream(&o, 5);
  f = next_instance(stream);
  assert_int_equal(sw_cdcl_new(&solver, f, NULL), SW_OK);
  assert_int_equal(ask(solver, NULL, 0, 1, 0), SW_CDCL_UNKNOWN);
  assert_int_not_equal(ask(solver, NULL, 0, -1, 0), SW_CDCL_UNKNOWN);
  sw_cdcl_free(solver);
  sw_domain_sat.instance_free(f);
  sw_domain_sat.stream_free(stream);
}

static void check_family(const char *family, int n, double low, double high,
                         int verdict) {
  sw_domain_options o = unset_options(0);
  int smallest = 1 << 30, largest = 0;
  double least = 1e9, most = 0;
  sw_sat_own_edit(&o)->family = family;
  o.n = n;
  resolve(&o);
  sw_stream *stream = open_stream(&o, 3);
  for (int i = 0; i < 60; i++) {
    sw_instance *f = next_instance(stream);
    int got;
    assert_int_equal(sw_cdcl_decide(f, NULL, &got, NULL), SW_OK);
    if (verdict) assert_int_equal(got, verdict);
    if (f->solution) assert_true(sw_sat_satisfies(f, f->solution));
    if (f->n < smallest) smallest = f->n;
    if (f->n > largest) largest = f->n;
    double ratio = (double)f->m / f->n;
    if (ratio < least) least = ratio;
    if (ratio > most) most = ratio;
    for (int32_t c = 0; c < f->m; c++) {
      const int32_t *l = f->literal + f->start[c];
      assert_int_equal(f->start[c + 1] - f->start[c], 3);
      assert_true(l[0] >> 1 != l[1] >> 1 && l[0] >> 1 != l[2] >> 1 &&
                  l[1] >> 1 != l[2] >> 1);
    }
    sw_domain_sat.instance_free(f);
  }
  assert_true(least >= low - 0.06 && most <= high);
  if (strcmp(family, "mixture") == 0) {
    assert_true(smallest >= 20 && smallest < 25 && largest > 45 &&
                largest <= 50);
    assert_true(most - least > 0.8);
  } else {
    assert_true(smallest == n && largest == n);
  }
  sw_domain_sat.stream_free(stream);
}

static void test_families(void **state) {
  (void)state;
  check_family("planted", 30, 4.0, 4.0, SW_CDCL_SAT);
  check_family("random", 30, 4.26, 4.26, 0);
  check_family("phase", 30, 4.26, 4.26, SW_CDCL_SAT);
  check_family("unsat", 30, 5.0, 5.0, SW_CDCL_UNSAT);
  check_family("mixture", 50, 3.5, 4.5, SW_CDCL_SAT);
}

/* fair: three disjoint streams, at the published offsets; release: one. */
static void test_splits(void **state) {
  (void)state;
  for (int preset = 0; preset < 2; preset++) {
    sw_domain_options o = unset_options(preset);
    uint64_t hash[3];
    o.n = 20;
    resolve(&o);
    for (int split = 0; split < 3; split++) {
      sw_stream *stream;
      assert_int_equal(
          sw_domain_sat.stream_new(&stream, &o, 42, (sw_split)split, NULL),
          SW_OK);
      sw_instance *f = next_instance(stream);
      hash[split] = sw_domain_sat.instance_hash(f);
      sw_domain_sat.instance_free(f);
      sw_domain_sat.stream_free(stream);
    }
    assert_int_equal(hash[0] == hash[1], preset);
    assert_int_equal(hash[0] == hash[2], preset);
    assert_int_equal(hash[1] == hash[2], preset);
    if (preset) continue;
    sw_stream *stream = open_stream(&o, 42 + (UINT64_C(1) << 32));
    sw_instance *f = next_instance(stream);
    assert_true(sw_domain_sat.instance_hash(f) == hash[SW_SPLIT_TEST]);
    sw_domain_sat.instance_free(f);
    sw_domain_sat.stream_free(stream);
  }
}

/* Same assignment by another order: same key; another open value: another. */
static void test_state_key(void **state) {
  (void)state;
  static const int c[2][3] = {{1, 2, 3}, {-1, 4, 5}};
  const sw_domain *d = &sw_domain_sat;
  sw_instance *f = formula3(5, 2, c);
  uint64_t key[3][2];
  sw_trace t;
  sw_trace_init(&t);
  for (int k = 0; k < 3; k++) {
    sw_env *env = expert_env("clause");
    d->search->env_reset(env, f, NULL);
    sw_trace_begin_block(&t);
    for (int i = 0; i < 2; i++) {
      d->search->prompt(env, &t);
      d->search->feed(env, SW_SAT_VARIABLE + (k == 1 ? 2 - i : 1 + i), &t);
      d->search->feed(env, SW_SAT_F, &t);
    }
    d->search->prompt(env, &t);
    if (k == 2) {
      d->search->go_back(env, &t);
      d->search->prompt(env, &t);
    }
    d->search->state_key(env, key[k]);
    assert_int_equal(d->search->depth(env), 2);
    d->search->env_free(env);
  }
  assert_memory_equal(key[0], key[1], sizeof key[0]);
  assert_memory_not_equal(key[0], key[2], sizeof key[0]);
  sw_trace_free(&t);
  d->instance_free(f);
}

static int direct(const char *text, double seconds, char **answer) {
  sw_instance *f;
  sw_err err = {0};
  int verdict;
  char note[200];
  assert_int_equal(
      sw_dimacs_parse(&f, "x", text, strlen(text), SW_DIMACS_NORMAL, NULL),
      SW_OK);
  if (sw_domain_sat.file.solve(f, NULL, seconds, &verdict, answer, note,
                               sizeof note, &err))
    fail_msg("%s", err.text);
  assert_non_null(strstr(note, "Jeroslow-Wang"));
  sw_sat_instance_free(f);
  return verdict;
}

/* "There is no smallest number": every linear order of n things has a first
 * one. Easy for clause learning, far too much for a search that learns nothing;
 * answered at all only if both get their turns before the time is over. */
static void test_searches_take_turns(void **state) {
  (void)state;
  enum { N = 24 };
  char *text, *answer;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  int variable[N][N], count = 0;
  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++) {
      variable[i][j] = ++count;
      variable[j][i] = -count;
    }
  fprintf(out, "p cnf %d %d\n", count, N * (N - 1) * (N - 2) + N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        if (i != j && j != k && i != k)
          fprintf(out, "%d %d %d 0\n", -variable[i][j], -variable[j][k],
                  variable[i][k]);
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < N; i++)
      if (i != j) fprintf(out, "%d ", variable[i][j]);
    fputs("0\n", out);
  }
  fclose(out);
  assert_int_equal(direct(text, 20, &answer), SW_CDCL_UNSAT);
  assert_null(answer);
  free(text);
}

static void test_solve_direct(void **state) {
  (void)state;
  char *answer;
  assert_int_equal(direct("p cnf 3 3\n1 0\n-1 -2 0\n2 3 0\n", 5, &answer),
                   SW_CDCL_SAT);
  assert_string_equal(answer, "v 1 -2 3 0\n");
  free(answer);
  assert_int_equal(
      direct("p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n", 5, &answer),
      SW_CDCL_UNSAT);
  assert_null(answer);
  assert_int_equal(direct("p cnf 0 0\n", 5, &answer), SW_CDCL_SAT);
  assert_string_equal(answer, "v 0\n");
  free(answer);
  assert_int_equal(direct("p cnf 3000 2\n3000 -1 7 9 0\n-3000 0\n", 5, &answer),
                   SW_CDCL_SAT);
  assert_non_null(strstr(answer, " -3000"));
  free(answer);
}

/* A formula beyond the vocabulary is refused by environments, with the why. */
static void test_environment_refuses(void **state) {
  (void)state;
  const char *text = "p cnf 201 1\n1 2 0\n";
  sw_instance *f;
  sw_err err = {0};
  assert_int_equal(
      sw_dimacs_parse(&f, "x", text, strlen(text), SW_DIMACS_NORMAL, NULL),
      SW_OK);
  sw_env *env = expert_env("clause");
  assert_int_equal(sw_domain_sat.search->env_reset(env, f, &err), SW_LIMIT);
  assert_non_null(strstr(err.text, "201 variables"));
  sw_domain_sat.search->env_free(env);
  sw_sat_instance_free(f);
}

static void test_resolve(void **state) {
  (void)state;
  sw_domain_options o = unset_options(0);
  sw_err err = {0};
  resolve(&o);
  assert_string_equal(o.format, "evidence");
  assert_string_equal(o.expert, "clause");
  assert_string_equal(o.too_long, "cut");
  assert_true(o.n == 50 && sw_sat_own_edit(&o)->ratio == 4.0 &&
              sw_sat_own_edit(&o)->error == 0.15 && o.max_blocks == 64 &&
              sw_sat_own_edit(&o)->retry_mark == 1);
  o = unset_options(0);
  o.n = 75;
  resolve(&o);
  assert_string_equal(sw_sat_own_edit(&o)->family, "phase");
  assert_true(sw_sat_own_edit(&o)->ratio == 4.26);
  o = unset_options(0);
  o.format = "enriched";
  resolve(&o);
  assert_string_equal(o.expert, "vsids");
  o = unset_options(0);
  o.format = "enrichd";
  assert_int_equal(sw_domain_sat.resolve(&o, &err), SW_USAGE);
  assert_non_null(strstr(err.hint, "enriched"));
  o = unset_options(0);
  o.n = 2;
  assert_int_equal(sw_domain_sat.resolve(&o, &err), SW_USAGE);
}

/* Cut traces end at a block boundary and count what they kept. */
static void test_cut(void **state) {
  (void)state;
  sw_domain_options o = unset_options(0), whole;
  o.max_blocks = 10;
  resolve(&o);
  whole = o;
  whole.max_blocks = 0;
  sw_stream *stream = open_stream(&o, 42);
  sw_trace a, b;
  sw_mt mt;
  int cut = 0;
  sw_trace_init(&a);
  sw_trace_init(&b);
  for (int i = 0; i < 20; i++) {
    sw_instance *f = next_instance(stream);
    sw_mt_seed(&mt, 1);
    assert_int_equal(sw_domain_sat.write_trace(f, &whole, &mt, &a, NULL),
                     SW_OK);
    sw_mt_seed(&mt, 1);
    assert_int_equal(sw_domain_sat.write_trace(f, &o, &mt, &b, NULL), SW_OK);
    assert_memory_equal(a.token, b.token, sizeof(int32_t) * (size_t)b.length);
    assert_int_equal(b.decisions + b.conflicts, b.blocks - 1);
    if (a.blocks > 11) {
      cut++;
      assert_int_equal(b.terminal, SW_TRACE_CUT);
      assert_int_equal(b.blocks, 11);
      assert_int_equal(b.length, a.block_start[11]);
    } else {
      assert_int_equal(b.length, a.length);
      assert_int_equal(b.terminal, SW_TRACE_SOLVED);
    }
    o.max_tokens = (int)a.block_start[3]; /* room for two whole blocks */
    sw_mt_seed(&mt, 1);
    assert_int_equal(sw_domain_sat.write_trace(f, &o, &mt, &b, NULL), SW_OK);
    assert_int_equal(b.length, a.block_start[3]);
    o.max_tokens = 0;
    sw_domain_sat.instance_free(f);
  }
  assert_true(cut > 5);
  sw_trace_free(&a);
  sw_trace_free(&b);
  sw_domain_sat.stream_free(stream);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees_with_cdcl),
                                     cmocka_unit_test(test_experts_as_policies),
                                     cmocka_unit_test(test_bounded_queries),
                                     cmocka_unit_test(test_families),
                                     cmocka_unit_test(test_splits),
                                     cmocka_unit_test(test_state_key),
                                     cmocka_unit_test(test_searches_take_turns),
                                     cmocka_unit_test(test_solve_direct),
                                     cmocka_unit_test(test_environment_refuses),
                                     cmocka_unit_test(test_resolve),
                                     cmocka_unit_test(test_cut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
