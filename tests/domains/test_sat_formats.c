/* One small search, written by hand in every format. The formula and the
 * decisions are those of the `evidence` example published for it,
 * extended so that v1 = T fails: v0 T, v2 F, v1 T, conflict, v1 F, solved.
 * Supervised tokens carry a star. Also the paper's two listings. */
#include "sat_support.h"
#include "domains/sat/sat_format.h"

static const int clauses[8][3] = {{1, 2, 3},   {1, -2, 4},  {1, -3, 4},
                                  {1, 3, -4},  {1, -2, -3}, {-1, 2, 4},
                                  {-1, -2, 4}, {-1, -2, -4}};

#define BARE                                                        \
  "[PROP] C0 : +v0 +v1 +v2 SEP C1 : +v0 -v1 +v3 SEP "               \
  "C2 : +v0 -v2 +v3 SEP C3 : +v0 +v2 -v3 SEP C4 : +v0 -v1 -v2 SEP " \
  "C5 : -v0 +v1 +v3 SEP C6 : -v0 -v1 +v3 SEP C7 : -v0 -v1 -v3 SEP " \
  "[/PROP] "
/* v0 true, v2 false. */
#define SCAN3                                                      \
  "C0* :* +v0* T* +v1* U* +v2* F* C1* :* +v0* T* -v1* U* +v3* U* " \
  "C2* :* +v0* T* -v2* T* +v3* U* C3* :* +v0* T* +v2* F* -v3* U* " \
  "C4* :* +v0* T* -v1* U* -v2* T* C5* :* -v0* F* +v1* U* +v3* U* " \
  "C6* :* -v0* F* -v1* U* +v3* U* C7* :* -v0* F* -v1* U* -v3* U* "

static const struct {
  const char *format;
  int retry_mark;
  const char *text;
} expected[] = {
    {"evidence", 1,
     "STATE v0 U v1 U v2 U v3 U SEP [PROP] C0 : +v0 U +v1 U +v2 U [/PROP] v0* "
     "T* OK* v0 T "
     "STATE +v0 v1 U v2 U v3 U SEP [PROP] C5 : -v0 F +v1 U +v3 U [/PROP] v2* "
     "F* OK* v2 F "
     "STATE +v0 v1 U -v2 v3 U SEP [PROP] C5 : -v0 F +v1 U +v3 U [/PROP] v1* T* "
     "OK* v1 T "
     "STATE +v0 +v1 -v2 +v3 SEP [PROP] C7 : -v0 F -v1 F -v3 F [/PROP] "
     "CONFLICT* C7* BJ* L2 "
     "STATE +v0 v1 F -v2 v3 U SEP [PROP] C5 : -v0 F +v1 U +v3 U [/PROP] FREE "
     "v1 F v1* F* OK* v1 F SOLVED* [EOS]"},
    {"evidence", 0,
     "STATE v0 U v1 U v2 U v3 U SEP [PROP] C0 : +v0 U +v1 U +v2 U [/PROP] v0* "
     "T* OK* v0 T "
     "STATE +v0 v1 U v2 U v3 U SEP [PROP] C5 : -v0 F +v1 U +v3 U [/PROP] v2* "
     "F* OK* v2 F "
     "STATE +v0 v1 U -v2 v3 U SEP [PROP] C5 : -v0 F +v1 U +v3 U [/PROP] v1* T* "
     "OK* v1 T "
     "STATE +v0 +v1 -v2 +v3 SEP [PROP] C7 : -v0 F -v1 F -v3 F [/PROP] "
     "CONFLICT* C7* BJ* L2 "
     "STATE +v0 v1 F -v2 v3 U SEP [PROP] C5 : -v0 F +v1 U +v3 U [/PROP] v1* F* "
     "OK* v1 F SOLVED* [EOS]"},
    {"enriched", 0,
     "STATE v0 U v1 U v3 U v2 U SEP v0* T* OK* v0 T "
     "STATE v1 U v3 U v2 U SEP v2* F* OK* v2 F "
     "STATE v1 U v3 U SEP v1* T* OK* v1 T "
     "STATE SEP CONFLICT* C7* BJ* L2* "
     "STATE v1 F v3 U SEP v1* F* OK* v1 F SOLVED* [EOS]"},
    {"lexical", 1,
     "STATE v0 U v1 U v2 U v3 U SEP v0* T* OK* v0 T "
     "STATE v1 U v2 U v3 U SEP v2* F* OK* v2 F "
     "STATE v1 U v3 U SEP v1* T* OK* v1 T "
     "STATE SEP CONFLICT* C7* BJ* L2* "
     "STATE v1 F v3 U SEP v1* F* OK* v1 F SOLVED* [EOS]"},
    {"stripped", 0,
     "STATE v0 ? v1 ? v3 ? v2 ? SEP v0* T* OK* v0 T "
     "STATE v1 ? v3 ? v2 ? SEP v2* F* OK* v2 F "
     "STATE v1 ? v3 ? SEP v1* T* OK* v1 T "
     "STATE SEP CONFLICT* C7* BJ* L2* "
     "STATE v1 ? v3 ? SEP v1* F* OK* v1 F SOLVED* [EOS]"},
    {"stripped", 1,
     "STATE v0 ? v1 ? v3 ? v2 ? SEP v0* T* OK* v0 T "
     "STATE v1 ? v3 ? v2 ? SEP v2* F* OK* v2 F "
     "STATE v1 ? v3 ? SEP v1* T* OK* v1 T "
     "STATE SEP CONFLICT* C7* BJ* L2* "
     "STATE v1 ? v3 ? : v1 F SEP v1* F* OK* v1 F SOLVED* [EOS]"},
    {"minimal", 0,
     "STATE v0 v1 v3 v2 SEP v0* T* OK* v0 T "
     "STATE v1 v3 v2 SEP v2* F* OK* v2 F "
     "STATE v1 v3 SEP v1* T* OK* v1 T "
     "STATE SEP CONFLICT* C7* BJ* L2* "
     "STATE v1 v3 SEP v1* F* OK* v1 F SOLVED* [EOS]"},
    {"minimal", 1,
     "STATE v0 v1 v3 v2 SEP v0* T* OK* v0 T "
     "STATE v1 v3 v2 SEP v2* F* OK* v2 F "
     "STATE v1 v3 SEP v1* T* OK* v1 T "
     "STATE SEP CONFLICT* C7* BJ* L2* "
     "STATE v1 v3 : v1 F SEP v1* F* OK* v1 F SOLVED* [EOS]"},
    {"residual", 0,
     "STATE +v0 +v1 +v2 : +v0 -v1 +v3 : +v0 -v2 +v3 : +v0 +v2 -v3 : +v0 -v1 "
     "-v2 : "
     "-v0 +v1 +v3 : -v0 -v1 +v3 : -v0 -v1 -v3 SEP v0* T* OK* v0 T "
     "STATE +v1 +v3 : -v1 +v3 : -v1 -v3 SEP v2* F* OK* v2 F "
     "STATE +v1 +v3 : -v1 +v3 : -v1 -v3 SEP v1* T* OK* v1 T "
     "STATE CONFLICT SEP CONFLICT* C7* BJ* L2* "
     "STATE +v1 +v3 : -v1 +v3 : -v1 -v3 SEP v1* F* OK* v1 F SOLVED* [EOS]"},
    {"residual", 1,
     "STATE +v0 +v1 +v2 : +v0 -v1 +v3 : +v0 -v2 +v3 : +v0 +v2 -v3 : +v0 -v1 "
     "-v2 : "
     "-v0 +v1 +v3 : -v0 -v1 +v3 : -v0 -v1 -v3 SEP v0* T* OK* v0 T "
     "STATE +v1 +v3 : -v1 +v3 : -v1 -v3 SEP v2* F* OK* v2 F "
     "STATE +v1 +v3 : -v1 +v3 : -v1 -v3 SEP v1* T* OK* v1 T "
     "STATE CONFLICT SEP CONFLICT* C7* BJ* L2* "
     "STATE +v1 +v3 : -v1 +v3 : -v1 -v3 : v1 F SEP v1* F* OK* v1 F SOLVED* "
     "[EOS]"},
    {"prop", 0,
     "STATE v0 U v1 U v2 U v3 U SEP [PROP] C0* :* +v0* +v1* +v2* SEP* "
     "+v0* U* +v1* U* +v2* U* SEP* SAT_OK* [/PROP] v0* T* OK v0 T "
     "STATE v1 U v2 U v3 U SEP [PROP] C5* :* -v0* +v1* +v3* SEP* "
     "-v0* F* +v1* U* +v3* U* SEP* SAT_OK* [/PROP] v2* F* OK v2 F "
     "STATE v1 U v3 U SEP [PROP] C5* :* -v0* +v1* +v3* SEP* "
     "-v0* F* +v1* U* +v3* U* SEP* SAT_OK* [/PROP] v1* T* OK v1 T "
     "STATE SEP [PROP] C7* :* -v0* -v1* -v3* SEP* "
     "-v0* F* -v1* F* -v3* F* SEP* CONFLICT* [/PROP] CONFLICT* C7* BJ* L2* "
     "STATE v1 U v3 U SEP [PROP] C5* :* -v0* +v1* +v3* SEP* "
     "-v0* F* +v1* U* +v3* U* SEP* SAT_OK* [/PROP] v1* F* OK v1 F SOLVED* "
     "[EOS]"},
    {"prop", 1,
     "STATE v0 U v1 U v2 U v3 U SEP [PROP] C0* :* +v0* +v1* +v2* SEP* "
     "+v0* U* +v1* U* +v2* U* SEP* SAT_OK* [/PROP] v0* T* OK v0 T "
     "STATE v1 U v2 U v3 U SEP [PROP] C5* :* -v0* +v1* +v3* SEP* "
     "-v0* F* +v1* U* +v3* U* SEP* SAT_OK* [/PROP] v2* F* OK v2 F "
     "STATE v1 U v3 U SEP [PROP] C5* :* -v0* +v1* +v3* SEP* "
     "-v0* F* +v1* U* +v3* U* SEP* SAT_OK* [/PROP] v1* T* OK v1 T "
     "STATE SEP [PROP] C7* :* -v0* -v1* -v3* SEP* "
     "-v0* F* -v1* F* -v3* F* SEP* CONFLICT* [/PROP] CONFLICT* C7* BJ* L2* "
     "STATE v1 F v3 U SEP [PROP] C5* :* -v0* +v1* +v3* SEP* "
     "-v0* F* +v1* U* +v3* U* SEP* SAT_OK* [/PROP] v1* F* OK v1 F SOLVED* "
     "[EOS]"},
    {"full", 1,
     "STATE v0 U v1 U v2 U v3 U SEP v0* T* OK* v0 T "
     "STATE +v0 v1 U v2 U v3 U SEP v2* F* OK* v2 F "
     "STATE +v0 v1 U -v2 v3 U SEP v1* T* OK* v1 T "
     "STATE +v0 +v1 -v2 +v3 SEP CONFLICT* C7* BJ* L2 "
     "STATE +v0 v1 F -v2 v3 U SEP v1* F* OK* v1 F SOLVED* [EOS]"},
    {"touched", 1, /* eight clauses: all of them are shown */
     "STATE v0 U v1 U v2 U v3 U SEP " BARE "v0* T* OK* v0 T "
     "STATE +v0 v1 U v2 U v3 U SEP " BARE "v2* F* OK* v2 F "
     "STATE +v0 v1 U -v2 v3 U SEP " BARE "v1* T* OK* v1 T "
     "STATE +v0 +v1 -v2 +v3 SEP " BARE "CONFLICT* C7* BJ* L2 "
     "STATE +v0 v1 F -v2 v3 U SEP " BARE
     "FREE v1 F v1* F* OK* v1 F SOLVED* [EOS]"},
    {"self", 1,
     "STATE v0 U v1 U v2 U v3 U SEP [PROP] C0* :* +v0* U* +v1* U* +v2* U* "
     "[/PROP]* v0* T* OK* v0 T "
     "STATE +v0 v1 U v2 U v3 U SEP [PROP] C5* :* -v0* F* +v1* U* +v3* U* "
     "[/PROP]* v2* F* OK* v2 F "
     "STATE +v0 v1 U -v2 v3 U SEP [PROP] C5* :* -v0* F* +v1* U* +v3* U* "
     "[/PROP]* v1* T* OK* v1 T "
     "STATE +v0 +v1 -v2 +v3 SEP [PROP] C7* :* -v0* F* -v1* F* -v3* F* "
     "[/PROP]* CONFLICT* C7* BJ* L2 "
     "STATE +v0 v1 F -v2 v3 U SEP FREE v1 F [PROP] C5* :* -v0* F* +v1* U* "
     "+v3* U* [/PROP]* v1* F* OK* v1 F SOLVED* [EOS]"},
    {"self-scan", 1,
     "STATE v0 U v1 U v2 U v3 U SEP [PROP] C0* :* +v0* U* +v1* U* +v2* U* "
     "C1* :* +v0* U* -v1* U* +v3* U* C2* :* +v0* U* -v2* U* +v3* U* "
     "C3* :* +v0* U* +v2* U* -v3* U* C4* :* +v0* U* -v1* U* -v2* U* "
     "C5* :* -v0* U* +v1* U* +v3* U* C6* :* -v0* U* -v1* U* +v3* U* "
     "C7* :* -v0* U* -v1* U* -v3* U* [/PROP]* v0* T* OK* v0 T "
     "STATE +v0 v1 U v2 U v3 U SEP [PROP] C0* :* +v0* T* +v1* U* +v2* U* "
     "C1* :* +v0* T* -v1* U* +v3* U* C2* :* +v0* T* -v2* U* +v3* U* "
     "C3* :* +v0* T* +v2* U* -v3* U* C4* :* +v0* T* -v1* U* -v2* U* "
     "C5* :* -v0* F* +v1* U* +v3* U* C6* :* -v0* F* -v1* U* +v3* U* "
     "C7* :* -v0* F* -v1* U* -v3* U* [/PROP]* v2* F* OK* v2 F "
     "STATE +v0 v1 U -v2 v3 U SEP [PROP] " SCAN3 "[/PROP]* v1* T* OK* v1 T "
     "STATE +v0 +v1 -v2 +v3 SEP [PROP] C0* :* +v0* T* +v1* T* +v2* F* "
     "C1* :* +v0* T* -v1* F* +v3* T* C2* :* +v0* T* -v2* T* +v3* T* "
     "C3* :* +v0* T* +v2* F* -v3* F* C4* :* +v0* T* -v1* F* -v2* T* "
     "C5* :* -v0* F* +v1* T* +v3* T* C6* :* -v0* F* -v1* F* +v3* T* "
     "C7* :* -v0* F* -v1* F* -v3* F* [/PROP]* CONFLICT* C7* BJ* L2 "
     "STATE +v0 v1 F -v2 v3 U SEP FREE v1 F [PROP] " SCAN3
     "[/PROP]* v1* F* OK* v1 F SOLVED* [EOS]"}};

static char *print_starred(const sw_trace *t, int64_t from) {
  char *text = malloc(24 * (size_t)t->length);
  size_t used = 0;
  for (int64_t i = from; i < t->length; i++) {
    if (i > from) text[used++] = ' ';
    used += (size_t)sw_sat_token_text(NULL, t->token[i], text + used, 16);
    if (t->supervised[i]) text[used++] = '*';
  }
  text[used] = '\0';
  return text;
}

/* As an exact solver would; nothing where the format has no scratchpad. */
static void write_pad(sw_env *env, sw_trace *t) {
  const sw_search_ops *search = sw_domain_sat.search;
  while (search->pad.writes(env))
    assert_int_equal(search->feed(env, search->expert_choice(env), t),
                     SW_ENV_QUERY);
}

static void run_script(const char *format, int mark, sw_trace *t) {
  static const int script[4][2] = {{0, 1}, {2, 0}, {1, 1}, {1, 0}};
  const sw_domain *d = &sw_domain_sat;
  sw_domain_options o = unset_options(0);
  sw_rules rules = {0};
  sw_instance *f = formula3(4, 8, clauses);
  sw_env *env;
  const sw_cand *cands;
  int count;
  o.format = format;
  sw_sat_own_edit(&o)->retry_mark = mark;
  resolve(&o);
  assert_int_equal(d->search->env_new(&env, &o, &rules, NULL), SW_OK);
  assert_int_equal(d->search->env_reset(env, f, NULL), SW_OK);
  d->search->write_prefix(env, t);
  sw_env_status status = SW_ENV_BLOCK_END;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(d->search->prompt(env, t), SW_ENV_QUERY);
    write_pad(env, t);
    if (d->search->in_conflict(env)) {
      cands = d->search->candidates(env, &count);
      assert_int_equal(count, 1);
      assert_int_equal(cands[0].kind, SW_CAND_BACK);
      assert_int_equal(d->search->feed(env, SW_SAT_CONFLICT, t),
                       SW_ENV_BLOCK_END);
      assert_int_equal(d->search->prompt(env, t), SW_ENV_QUERY);
      write_pad(env, t);
      cands = d->search->candidates(env, &count);
      assert_int_equal(count, 2); /* back, or v1 */
    }
    status = d->search->feed(env, SW_SAT_VARIABLE + script[i][0], t);
    assert_int_equal(status, SW_ENV_QUERY);
    assert_int_equal(d->search->is_retry(env), i == 3);
    cands = d->search->candidates(env, &count);
    assert_int_equal(count, 2);
    assert_int_equal(cands[0].kind, i == 3 ? SW_CAND_REPEAT : SW_CAND_CONTINUE);
    status = d->search->feed(env, sw_sat_value_token(script[i][1]), t);
  }
  assert_int_equal(status, SW_ENV_SOLVED);
  assert_true(d->search->check_solution(env));
  d->search->env_free(env);
  d->instance_free(f);
}

static void test_every_format(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    sw_trace t;
    sw_trace_init(&t);
    run_script(expected[i].format, expected[i].retry_mark, &t);
    assert_int_equal(t.blocks, 6);
    char *text = print_starred(&t, t.block_start[1]);
    assert_string_equal(text, expected[i].text);
    free(text);
    sw_trace_free(&t);
  }
  for (int i = 0; sw_domain_sat.formats[i]; i++) { /* none forgotten */
    int found = 0;
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
      found |= strcmp(sw_domain_sat.formats[i], expected[k].format) == 0;
    assert_true(found);
  }
}

/* A false prune in a retry state loses the untried value unexplored. */
static void test_false_prune(void **state) {
  (void)state;
  const sw_domain *d = &sw_domain_sat;
  sw_domain_options o = unset_options(0);
  sw_rules rules = {0};
  sw_instance *f = formula3(4, 8, clauses);
  sw_env *env;
  sw_trace t;
  int64_t explicit_back, silent_back;
  sw_trace_init(&t);
  resolve(&o);
  assert_int_equal(d->search->env_new(&env, &o, &rules, NULL), SW_OK);
  assert_int_equal(d->search->env_reset(env, f, NULL), SW_OK);
  d->search->write_prefix(env, &t);
  d->search->prompt(env, &t);
  int64_t length = t.length;
  assert_int_equal(d->search->go_back(env, &t),
                   SW_ENV_QUERY); /* root: nothing */
  assert_int_equal(t.length, length);
  d->search->feed(env, SW_SAT_VARIABLE + 0, &t);
  d->search->feed(env, SW_SAT_T, &t);
  d->search->prompt(env, &t);
  assert_int_equal(d->search->go_back(env, &t), SW_ENV_BLOCK_END);
  d->search->prompt(env, &t); /* retry of v0: only F is left */
  assert_int_equal(d->search->go_back(env, &t), SW_ENV_EXHAUSTED);
  assert_string_equal(d->search->reason(env), "unsat");
  d->search->counters(env, &explicit_back, &silent_back);
  assert_int_equal(explicit_back, 2);
  assert_int_equal(silent_back, 0);
  char *text =
      print_tokens(t.token + t.block_start[2], t.length - t.block_start[2]);
  assert_string_equal(
      text,
      "STATE +v0 v1 U v2 U v3 U SEP [PROP] C5 : -v0 F +v1 U +v3 U [/PROP] "
      "CONFLICT C5 BJ L0 "
      "STATE v0 F v1 U v2 U v3 U SEP [PROP] C0 : +v0 U +v1 U +v2 U [/PROP] "
      "FREE v0 F CONFLICT C0 BJ L0 FAILED [EOS]");
  free(text);
  sw_trace_free(&t);
  d->search->env_free(env);
  d->instance_free(f);
}

/* The paper's first listing, from hand-written states. */
static const char listing1_prefix[] =
    "[BOS] [CLAUSES] C0 : +v0 -v1 +v2 SEP C1 : -v0 +v1 +v2 SEP C2 : +v0 +v1 "
    "-v2\n"
    "SEP C3 : -v0 -v1 +v2 SEP [SEARCH]";
static const char *const listing1[3] = {
    "STATE v0 U v1 U v2 U SEP [PROP] C0 : +v0 -v1 +v2 SEP +v0 U -v1 U +v2 U "
    "SEP\n"
    "SAT_OK [/PROP] v0 T OK v0 T",
    "STATE v1 U v2 U SEP [PROP] C1 : -v0 +v1 +v2 SEP -v0 F +v1 U +v2 U SEP\n"
    "SAT_OK [/PROP] v1 T OK v1 T",
    "STATE v2 U SEP [PROP] C3 : -v0 -v1 +v2 SEP -v0 F -v1 F +v2 U SEP UNIT\n"
    "[/PROP] v2 T OK v2 T SOLVED [EOS]"};
static const char listing2_prefix[] =
    "[BOS] [CLAUSES] C0 : +v0 +v1 +v2 SEP C1 : +v0 +v1 -v2 SEP C2 : +v0 -v1 "
    "+v2\n"
    "SEP C3 : +v0 -v1 -v2 SEP C4 : -v0 +v1 +v2 SEP C5 : -v0 +v1 -v2 SEP "
    "[SEARCH]";
static const char *const listing2[3] = {
    "STATE v0 U v1 U v2 U SEP [PROP] C0 : +v0 +v1 +v2 SEP +v0 U +v1 U +v2 U "
    "SEP\n"
    "SAT_OK [/PROP] v2 F OK v2 F",
    "STATE v0 U v1 U SEP [PROP] C0 : +v0 +v1 +v2 SEP +v0 U +v1 U +v2 F SEP\n"
    "SAT_OK [/PROP] v0 F OK v0 F",
    "STATE v0 U v1 U SEP [PROP] C0 : +v0 +v1 +v2 SEP +v0 F +v1 U +v2 F SEP "
    "UNIT\n"
    "[/PROP] CONFLICT C5 BJ L0 [EOS]"};

static void check_tokens(const sw_trace *t, int64_t from, const char *text) {
  int32_t want[512];
  int64_t count = parse_tokens(text, want);
  assert_int_equal(t->length - from, count);
  assert_memory_equal(t->token + from, want, sizeof(int32_t) * (size_t)count);
}

static void put_block(const sw_instance *f, const int8_t *value, int32_t var,
                      int assigned, sw_trace *t) {
  static const int32_t order[3] = {0, 1, 2};
  const sw_sat_format *prop = sw_sat_format_find("prop");
  sw_sat_view view = {.formula = f,
                      .value = value,
                      .order = order,
                      .open_var = -1,
                      .key_clause = sw_sat_key_clause(f, value)};
  sw_sat_put_state(prop, &view, t);
  sw_trace_put(t, SW_SAT_VARIABLE + var, 1);
  sw_trace_put(t, sw_sat_value_token(assigned), 1);
  sw_sat_put_ok(prop, var, assigned, t);
}

static void test_first_listing(void **state) {
  (void)state;
  static const int c[4][3] = {{1, -2, 3}, {-1, 2, 3}, {1, 2, -3}, {-1, -2, 3}};
  sw_instance *f = formula3(3, 4, c);
  int8_t value[6] = {0};
  sw_trace t;
  sw_trace_init(&t);
  sw_sat_put_prefix(f, 0, &t);
  check_tokens(&t, 0, listing1_prefix);
  for (int32_t v = 0; v < 3; v++) {
    int64_t from = t.length;
    put_block(f, value, v, 1, &t);
    if (v == 2) {
      sw_trace_put(&t, SW_SAT_SOLVED, 1);
      sw_trace_put(&t, SW_SAT_EOS, 0);
    }
    check_tokens(&t, from, listing1[v]);
    value[2 * v] = 1;
    value[2 * v + 1] = -1;
  }
  sw_trace_free(&t);
  sw_domain_sat.instance_free(f);
}

/* The second is not a real run (its last block lists v0 as free and false at
 * once): prefix and the first two blocks are written, the last is read. */
static void test_second_listing(void **state) {
  (void)state;
  static const int c[6][3] = {{1, 2, 3},   {1, 2, -3}, {1, -2, 3},
                              {1, -2, -3}, {-1, 2, 3}, {-1, 2, -3}};
  sw_instance *f = formula3(3, 6, c);
  int8_t value[6] = {0};
  int32_t tokens[64];
  sw_trace t;
  sw_trace_init(&t);
  sw_sat_put_prefix(f, 0, &t);
  check_tokens(&t, 0, listing2_prefix);
  int64_t from = t.length;
  put_block(f, value, 2, 0, &t);
  check_tokens(&t, from, listing2[0]);
  value[4] = -1;
  value[5] = 1;
  from = t.length;
  put_block(f, value, 0, 0, &t);
  check_tokens(&t, from, listing2[1]);
  int64_t count = parse_tokens(listing2[2], tokens);
  assert_int_equal(count, 27);
  assert_int_equal(tokens[22], SW_SAT_CONFLICT);
  assert_int_equal(tokens[23], SW_SAT_CLAUSE + 5);
  assert_int_equal(tokens[24], SW_SAT_BJ);
  assert_int_equal(tokens[25], SW_SAT_LEVEL);
  sw_trace_free(&t);
  sw_domain_sat.instance_free(f);
}

/* Every id prints to a word that reads back; other words are refused. */
static void test_vocabulary(void **state) {
  (void)state;
  char text[32];
  for (int32_t id = 0; id < SW_SAT_VOCAB; id++) {
    int length = sw_sat_token_text(NULL, id, text, sizeof text);
    assert_int_equal(sw_sat_token_parse(text, (size_t)length), id);
  }
  assert_int_equal(SW_SAT_VOCAB, 2030);
  assert_int_equal(SW_SAT_CLAUSE, 430);
  assert_int_equal(SW_SAT_LEVEL, 1630);
  assert_int_equal(SW_SAT_VARIABLE, 1830);
  static const char *const bad[] = {"v200", "+v200", "C1200", "L200", "v",
                                    "v-1",  "x3",    "state", "v1x"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(sw_sat_token_parse(bad[i], strlen(bad[i])), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_format), cmocka_unit_test(test_false_prune),
      cmocka_unit_test(test_first_listing),
      cmocka_unit_test(test_second_listing), cmocka_unit_test(test_vocabulary)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
