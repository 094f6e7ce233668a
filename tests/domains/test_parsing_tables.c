/* The reference figures of parsing: digests of sentences and traces, policies
 * without a model in both protocols, the fair test set. */
#include "parsing_support.h"

#include <math.h>

static sw_instance **draw_many(const sw_domain_options *o, sw_split split,
                               int count, sw_parsing_draws *draws) {
  sw_instance **made = calloc((size_t)count, sizeof *made);
  sw_stream *stream;
  assert_int_equal(sw_domain_parsing.stream_new(&stream, o, 42, split, NULL),
                   SW_OK);
  for (int i = 0; i < count; i++)
    assert_int_equal(sw_domain_parsing.stream_next(stream, &made[i], NULL),
                     SW_OK);
  if (draws) *draws = *sw_parsing_stream_draws(stream);
  sw_domain_parsing.stream_free(stream);
  return made;
}

static void free_many(sw_instance **made, int count) {
  for (int i = 0; i < count; i++) sw_domain_parsing.instance_free(made[i]);
  free(made);
}

static void digest_sentences(sw_instance **made, int count, char *hex) {
  char text[256];
  sw_sha sha;
  sw_sha256_init(&sha);
  for (int i = 0; i < count; i++) {
    sentence_text(made[i], text);
    strcat(text, "\n");
    sw_sha_update(&sha, text, strlen(text));
  }
  sw_sha_hex(&sha, hex);
}

/* Lengths and depths of the published sentences. */
static void test_sentences(void **state) {
  (void)state;
  static const char *const first[] = {
      "i [ v [ ( y [ 0 ] , s [ 1 ] , ( l , 3 , f , r ) ) ] ]",
      "r [ a [ i ( ( t , x , 6 ) ) ] ]",
      "z [ v [ ( b , s ( 7 , o ) , e ( 2 , z ) , ( w ) ) ] ]", "c [ - - - k ]"};
  sw_domain_options o = parsing_options(1, "paper");
  sw_parsing_draws draws;
  sw_instance **made = draw_many(&o, SW_SPLIT_TEST, 300, &draws);
  char text[256], hex[65];
  assert_int_equal(draws.draws, 1065);
  for (int i = 0; i < 4; i++) {
    sentence_text(made[i], text);
    assert_string_equal(text, first[i]);
  }
  digest_sentences(made, 300, hex);
  assert_string_equal(hex,
                      "07cd1d94fc69b52a27d7ca8c52d1796a6e366d36557894d2896d"
                      "60ebf9479d50");
  free_many(made, 300);
}

/* Sections 3 and 7: kept traces in draw order, and with the plain ones last. */
static void trace_set(void **state) {
  (void)state;
  sw_domain_options o = parsing_options(1, "paper");
  const sw_rules writing = {.writing_trace = 1};
  sw_stream *stream;
  sw_env *env;
  sw_trace trace, plain[400];
  sw_sha all, early, split;
  int kept = 0, plains = 0;
  int64_t longest = 0, no_decision = 0, kept_200 = 0;
  char hex[65];
  sw_trace_init(&trace);
  sw_sha256_init(&all);
  sw_sha256_init(&early);
  sw_sha256_init(&split);
  assert_int_equal(
      sw_domain_parsing.stream_new(&stream, &o, 42, SW_SPLIT_TRAIN, NULL),
      SW_OK);
  assert_int_equal(sw_domain_parsing.search->env_new(&env, &o, &writing, NULL),
                   SW_OK);
  while (kept < 5000) {
    sw_instance *instance;
    assert_int_equal(sw_domain_parsing.stream_next(stream, &instance, NULL),
                     SW_OK);
    int64_t draw = sw_parsing_stream_draws(stream)->draws;
    int code = sw_parsing_write_trace(env, instance, &o, &trace, NULL);
    sw_domain_parsing.instance_free(instance);
    if (code) continue;
    kept++;
    digest_tokens(&all, &trace);
    if (draw <= 200) {
      digest_tokens(&early, &trace);
      kept_200++;
    }
    if (trace.length > longest) longest = trace.length;
    no_decision += trace.decisions == 0;
    if (trace.backtracks) {
      digest_tokens(&split, &trace);
    } else {
      assert_true(plains < 400);
      plain[plains++] = trace; /* taken over; a new one is started */
      sw_trace_init(&trace);
    }
  }
  assert_int_equal(sw_parsing_stream_draws(stream)->draws, 19188);
  assert_int_equal(kept_200, 48);
  assert_int_equal(plains, 306);
  sw_sha_hex(&early, hex);
  assert_string_equal(hex,
                      "8ad0803920dc28018a98ecbe489a4c836dc79f7777118c514aac"
                      "37d51f260cce");
  sw_sha_hex(&all, hex);
  assert_string_equal(hex,
                      "4fcbe35d6acd1a318cbaea403d527e6dd971119480477f7911f7"
                      "0412ebe01866");
  for (int i = 0; i < plains; i++) {
    digest_tokens(&split, &plain[i]);
    sw_trace_free(&plain[i]);
  }
  sw_sha_hex(&split, hex);
  assert_string_equal(hex,
                      "906a60865d4512f9ccf2bfa5486814c517f0b125ac883a214059"
                      "e6e752066c47");
  assert_true(longest <= 2048);
  assert_true(no_decision > 0);
  sw_domain_parsing.stream_free(stream);
  sw_domain_parsing.search->env_free(env);
  sw_trace_free(&trace);
}

typedef struct rates {
  double solved, decisions, backs;
  int budget;
} rates;

static rates policy(sw_instance **made, int count, const sw_domain_options *o,
                    const sw_rules *rules, int rule, uint64_t seed) {
  rates r = {0, 0, 0, 0};
  sw_env *env;
  sw_trace trace;
  sw_mt mt;
  sw_trace_init(&trace);
  sw_mt_seed(&mt, seed);
  assert_int_equal(sw_domain_parsing.search->env_new(&env, o, rules, NULL),
                   SW_OK);
  for (int i = 0; i < count; i++) {
    parsing_run run = run_rule(env, made[i], rule, &mt, 2048, &trace);
    r.solved += run.solved;
    r.decisions += (double)run.decisions / count;
    r.backs += (double)run.backs / count;
    r.budget += !strcmp(run.reason, "budget");
  }
  sw_domain_parsing.search->env_free(env);
  sw_trace_free(&trace);
  return r;
}

static int near(double value, double want, double within) {
  return fabs(value - want) <= within + 1e-9;
}

/* 300 test sentences in the release's masked loop. */
static void masked_policies(void **state) {
  (void)state;
  static const struct {
    int rule;
    double cumulative, rebuilt, decisions, backs;
  } rows[] = {{SW_PARSING_RULE_LOWEST, 99.7, 100, 12.0, 5.8},
              {SW_PARSING_RULE_INDEX_FIRST, 99.3, 100, 11.9, 5.7},
              {SW_PARSING_RULE_ATOM_SECOND, 20.0, 20.0, 4.5, 2.2},
              {SW_PARSING_RULE_CALL_LAST, 31.7, 31.7, 5.3, 2.4},
              {SW_PARSING_RULE_ATOM_FIRST, 9.0, 9.0, 1.6, 0.4},
              {SW_PARSING_RULE_PAREN_FIRST, 96.0, 100, 14.3, 7.5},
              {SW_PARSING_RULE_LOOK_AHEAD, 100, 100, 6.4, 0.2}};
  sw_domain_options o = parsing_options(1, "paper");
  sw_rules cumulative = {.release_layout = 1, .token_budget = 2048};
  sw_rules rebuilt = {.release_layout = 1};
  sw_instance **made = draw_many(&o, SW_SPLIT_TEST, 1000, NULL);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    rates a = policy(made, 300, &o, &cumulative, rows[i].rule, 0);
    rates b = policy(made, 300, &o, &rebuilt, rows[i].rule, 0);
    assert_true(near(a.solved / 3, rows[i].cumulative, 0.05));
    assert_true(near(b.solved / 3, rows[i].rebuilt, 0.05));
    assert_true(near(b.decisions, rows[i].decisions, 0.0501) ||
                near(a.decisions, rows[i].decisions, 0.0501));
    assert_true(near(b.backs, rows[i].backs, 0.0501) ||
                near(a.backs, rows[i].backs, 0.0501));
    if (rows[i].rule == SW_PARSING_RULE_LOWEST) {
      assert_int_equal(a.solved, 299);
      assert_int_equal(a.budget, 1);
    }
  }
  assert_int_equal(policy(made, 200, &o, &cumulative, 0, 0).solved, 199);
  assert_int_equal(policy(made, 200, &o, &rebuilt, 0, 0).solved, 200);
  assert_int_equal(policy(made, 1000, &o, &cumulative, 0, 0).solved, 990);
  assert_int_equal(policy(made, 1000, &o, &rebuilt, 0, 0).solved, 1000);
  free_many(made, 1000);
}

static void random_policy(void **state) {
  (void)state;
  sw_domain_options o = parsing_options(1, "paper");
  sw_instance **made = draw_many(&o, SW_SPLIT_TEST, 300, NULL);
  for (int protocol = 0; protocol < 2; protocol++) {
    sw_rules rules = {.release_layout = 1, .token_budget = protocol ? 0 : 2048};
    double sum = 0, squares = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
      double rate =
          policy(made, 300, &o, &rules, SW_PARSING_RULE_RANDOM, seed).solved /
          3;
      sum += rate;
      squares += rate * rate;
    }
    assert_true(near(sum / 10, protocol ? 24.2 : 24.1, 0.0501));
    assert_true(near(sqrt((squares - sum * sum / 10) / 9), 1.6, 0.0501));
  }
  free_many(made, 300);
}

/* Prompts along the expert's path, and the open loop's rows. */
static void expert_path(void **state) {
  (void)state;
  sw_domain_options o = parsing_options(1, "paper");
  sw_instance **made = draw_many(&o, SW_SPLIT_TEST, 300, NULL);
  sw_rules open = {.release_layout = SW_LAYOUT_RELEASE_OPEN};
  sw_env *env;
  sw_trace trace;
  int64_t failures = 0, single = 0, choices = 0, choice_free = 0;
  sw_trace_init(&trace);
  assert_int_equal(sw_domain_parsing.search->env_new(&env, &o, &open, NULL),
                   SW_OK);
  for (int i = 0; i < 300; i++) {
    assert_int_equal(sw_domain_parsing.search->env_reset(env, made[i], NULL),
                     SW_OK);
    sw_trace_clear(&trace);
    sw_domain_parsing.search->write_prefix(env, &trace);
    sw_env_status status = sw_domain_parsing.search->prompt(env, &trace);
    choice_free += status == SW_ENV_SOLVED;
    while (status == SW_ENV_QUERY) {
      int left = __builtin_popcount(sw_parse_available(&env->machine));
      failures += sw_domain_parsing.search->in_conflict(env);
      single += left == 1;
      choices += left > 1;
      sw_domain_parsing.search->feed(
          env, sw_domain_parsing.search->expert_choice(env), &trace);
      status = sw_domain_parsing.search->prompt(env, &trace);
    }
    assert_int_equal(status, SW_ENV_SOLVED);
  }
  assert_int_equal(failures, 1738);
  assert_int_equal(single, 669);
  assert_int_equal(choices, 2924);
  assert_int_equal(choice_free, 11);
  assert_int_equal(
      policy(made, 300, &o, &open, SW_PARSING_RULE_NEVER_BACK, 0).solved, 14);
  sw_domain_parsing.search->env_free(env);
  sw_trace_free(&trace);
  free_many(made, 300);
}

/* The fair test set and the expert's budget stops in it. */
static void fair_test_set(void **state) {
  (void)state;
  sw_domain_options o = parsing_capped();
  sw_parsing_draws draws;
  sw_instance **made = draw_many(&o, SW_SPLIT_TEST, 300, &draws);
  char text[256], hex[65];
  assert_int_equal(draws.draws, 1381);
  assert_int_equal(draws.too_long, 1043);
  assert_int_equal(draws.excluded, 37);
  assert_int_equal(draws.choice_free, 1);
  sentence_text(made[0], text);
  assert_string_equal(
      text, "( - e , - ( q [ c ] ) , ( r [ ( 2 , l , 5 , r ) ] , 5 ) )");
  digest_sentences(made, 300, hex);
  assert_string_equal(hex,
                      "d92d0f6103e88234fb7914bf3daa94893e982f2ff0d23a7f0402"
                      "5ed56d9fcf43");
  /* The default (64 blocks, TRIED shown) gives the same test set. */
  sw_domain_options fair = parsing_options(0, NULL);
  sw_instance **again = draw_many(&fair, SW_SPLIT_TEST, 300, NULL);
  char default_hex[65];
  digest_sentences(again, 300, default_hex);
  assert_string_equal(default_hex, hex);
  free_many(again, 300);
  for (int tried = 0; tried < 2; tried++) {
    sw_domain_options free_length =
        parsing_options(0, tried ? "tried" : "paper");
    int over = 0;
    double mean = 0;
    sw_trace trace;
    sw_trace_init(&trace);
    free_length.max_blocks = 0;
    for (int i = 0; i < 300; i++) {
      assert_int_equal(sw_domain_parsing.write_trace(made[i], &free_length,
                                                     NULL, &trace, NULL),
                       SW_OK);
      assert_int_equal(trace.terminal, SW_TRACE_SOLVED);
      over += trace.length > 2048;
      mean += (double)trace.length / 300;
    }
    assert_int_equal(over, tried ? 5 : 4);
    assert_true(near(mean - 1, tried ? 691 : 676, 0.501)); /* without EOS */
    sw_trace_free(&trace);
  }
  free_many(made, 300);
}

/* With TRIED the expert's action is a function of the
 * block; the exact rule solves every sentence in the open loop. */
static void open_with_tried(void **state) {
  (void)state;
  sw_domain_options o = parsing_options(0, "tried");
  sw_instance **made = draw_many(&o, SW_SPLIT_TEST, 300, NULL);
  sw_rules open = {0};
  sw_env *env;
  sw_trace trace;
  sw_trace_init(&trace);
  assert_int_equal(
      policy(made, 300, &o, &open, SW_PARSING_RULE_LOWEST, 0).solved, 300);
  assert_int_equal(sw_domain_parsing.search->env_new(&env, &o, &open, NULL),
                   SW_OK);
  for (int i = 0; i < 300; i++) {
    parsing_run r =
        run_rule(env, made[i], SW_PARSING_RULE_LOWEST, NULL, 500, &trace);
    assert_int_equal(r.extra[0], r.extra[1]); /* every choice is hopeful */
    assert_int_equal(r.extra[6] + r.extra[7], 0);
    for (int64_t b = 1; b + 1 < trace.blocks; b++) { /* same block, same act */
      int64_t length = trace.block_start[b + 1] - trace.block_start[b];
      for (int64_t c = b + 1; c + 1 < trace.blocks; c++) {
        if (trace.block_start[c + 1] - trace.block_start[c] != length) continue;
        const int32_t *x = trace.token + trace.block_start[b];
        const int32_t *y = trace.token + trace.block_start[c];
        if (!memcmp(x, y, (size_t)(length - 1) * sizeof *x))
          assert_int_equal(x[length - 1], y[length - 1]);
      }
    }
  }
  sw_domain_parsing.search->env_free(env);
  sw_trace_free(&trace);
  free_many(made, 300);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sentences),  cmocka_unit_test(trace_set),
      cmocka_unit_test(masked_policies), cmocka_unit_test(random_policy),
      cmocka_unit_test(expert_path),     cmocka_unit_test(fair_test_set),
      cmocka_unit_test(open_with_tried),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
