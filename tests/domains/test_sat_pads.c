/* Scratchpads and the other rungs of the ladder: which clauses `touched` shows,
 * what is counted of a pad that is wrong, cut off or blind to the conflict, and
 * that whoever writes perfect pads solves everything. */
#include "sat_support.h"
#include "domains/sat/sat_format.h"
#include "search/condition.h"
#include "search/score.h"

/* ---- touched ---- */

static const int many[10][3] = {{1, 2, 3},   {-1, 2, 3}, {1, 4, 5},  {-1, 3, 4},
                                {2, 4, 5},   {1, -3, 4}, {-1, 2, 5}, {-2, 3, 4},
                                {-1, 2, -1}, {1, -2, -5}};

/* The ids shown when the literals of `value` are so. */
static void check_touched(const int8_t value[10], const char *ids) {
  sw_instance *f = formula3(5, 10, many);
  sw_trace t;
  char text[64] = "";
  sw_trace_init(&t);
  sw_sat_view view = {.formula = f, .value = value, .open_var = -1};
  sw_sat_put_state(sw_sat_format_find("touched"), &view, &t);
  for (int64_t i = 0; i < t.length; i++) {
    int32_t c = t.token[i] - SW_SAT_CLAUSE;
    size_t used = strlen(text);
    if (c >= 0 && c < 10)
      snprintf(text + used, sizeof text - used, " %d", (int)c);
  }
  assert_string_equal(text, ids);
  sw_trace_free(&t);
  sw_domain_sat.instance_free(f);
}

static void test_touched(void **state) {
  (void)state;
  static const int8_t none[10] = {0}, one[10] = {1, -1},
                      two[10] = {1, -1, -1, 1};
  /* Three free literals each: the lowest ids. */
  check_touched(none, " 0 1 2 3 4 5 6 7");
  /* v0 true. No true literal: C8 (one free), C1 C3 C6 (two), C4 C7 (three);
   * C0 and C2 are satisfied and fill up. */
  check_touched(one, " 0 1 2 3 4 6 7 8");
  /* v1 false too. C8 is falsified; C1 C6 (one free), C3 C4 (two); the rest is
   * satisfied. */
  check_touched(two, " 0 1 2 3 4 5 6 8");
  sw_instance *f = formula3(5, 10, many);
  sw_trace t;
  sw_trace_init(&t);
  sw_sat_view view = {.formula = f, .value = two, .open_var = -1};
  sw_sat_put_state(sw_sat_format_find("touched"), &view, &t);
  char *text = print_tokens(t.token, t.length);
  assert_string_equal(
      text,
      "STATE +v0 -v1 v2 U v3 U v4 U SEP [PROP] C0 : +v0 +v1 +v2 SEP "
      "C1 : -v0 +v1 +v2 SEP C2 : +v0 +v3 +v4 SEP C3 : -v0 +v2 +v3 SEP "
      "C4 : +v1 +v3 +v4 SEP C5 : +v0 -v2 +v3 SEP C6 : -v0 +v1 +v4 SEP "
      "C8 : -v0 +v1 -v0 SEP [/PROP]");
  free(text);
  sw_trace_free(&t);
  sw_domain_sat.instance_free(f);
}

/* ---- wrong pads ---- */

static const int small[8][3] = {{1, 2, 3},   {1, -2, 4},  {1, -3, 4},
                                {1, 3, -4},  {1, -2, -3}, {-1, 2, 4},
                                {-1, -2, 4}, {-1, -2, -4}};

typedef struct desk {
  sw_env *env;
  sw_instance *formula;
  sw_trace trace;
} desk;

static void open_desk(desk *k, const char *format) {
  sw_domain_options o = unset_options(0);
  sw_rules rules = {0};
  o.format = format;
  resolve(&o);
  k->formula = formula3(4, 8, small);
  sw_trace_init(&k->trace);
  assert_int_equal(sw_domain_sat.search->env_new(&k->env, &o, &rules, NULL),
                   SW_OK);
  assert_int_equal(sw_domain_sat.search->env_reset(k->env, k->formula, NULL),
                   SW_OK);
  sw_domain_sat.search->write_prefix(k->env, &k->trace);
  sw_domain_sat.search->prompt(k->env, &k->trace);
}

static void close_desk(desk *k) {
  sw_domain_sat.search->env_free(k->env);
  sw_domain_sat.instance_free(k->formula);
  sw_trace_free(&k->trace);
}

static void write_words(desk *k, const char *words) {
  int32_t token[64];
  int64_t count = parse_tokens(words, token);
  for (int64_t i = 0; i < count; i++) {
    assert_true(sw_domain_sat.search->pad.writes(k->env));
    sw_domain_sat.search->feed(k->env, token[i], &k->trace);
  }
}

/* written, right, malformed, missed since the environment was reset */
static void check_counts(desk *k, const int64_t want[4]) {
  int64_t got[SW_PADS_COUNTS];
  sw_domain_sat.search->pad.counts(k->env, got);
  for (int i = 0; i < 4; i++) assert_int_equal(got[i], want[i]);
}

/* One pad at the root, where C0 is the clause to write. */
static void check_pad(const char *format, const char *words, int right,
                      int malformed) {
  desk k;
  open_desk(&k, format);
  write_words(&k, words);
  assert_false(sw_domain_sat.search->pad.writes(k.env));
  check_counts(&k, (int64_t[]){1, right, malformed, 0});
  close_desk(&k);
}

static void test_counted(void **state) {
  (void)state;
  check_pad("self", "C0 : +v0 U +v1 U +v2 U [/PROP]", 1, 0);
  check_pad("self", "C0 : +v0 T +v1 U +v2 U [/PROP]", 0, 0); /* not true */
  check_pad("self", "C3 : +v0 U +v2 U -v3 U [/PROP]", 0, 0); /* another one */
  check_pad("self", "C0 : +v0 U +v1 U [/PROP]", 0, 0);
  check_pad("self", "[/PROP]", 0, 1);
  check_pad("self", "C0 +v0 U +v1 U +v2 U [/PROP]", 0, 1);
  check_pad("self", "C0 : +v0 +v1 U +v2 U [/PROP]", 0, 1);
  check_pad("self", "C0 : CONFLICT [/PROP]", 0, 1);
  check_pad("self", "C0 : +v0 U C1 : +v0 U [/PROP]", 0, 1); /* one clause */
  check_pad("self-scan", "C0 : +v0 U C1 : +v0 U [/PROP]", 0, 0);
  check_pad("self", /* 32 tokens: cut off */
            "C0 : +v0 U +v0 U +v0 U +v0 U +v0 U +v0 U +v0 U +v0 U +v0 U +v0 U "
            "+v0 U +v0 U +v0 U +v0 U +v0 U",
            0, 1);
}

/* At the limit the environment closes the pad and asks for the verdict. */
static void test_cut_off(void **state) {
  (void)state;
  desk k;
  open_desk(&k, "self");
  int64_t from = k.trace.length;
  for (int i = 0; i < 32; i++) {
    assert_true(sw_domain_sat.search->pad.writes(k.env));
    sw_domain_sat.search->feed(k.env, SW_SAT_EOS, &k.trace);
  }
  assert_int_equal(k.trace.length, from + 33);
  assert_int_equal(k.trace.token[from + 32], SW_SAT_PROP_END);
  int count;
  const sw_cand *c = sw_domain_sat.search->candidates(k.env, &count);
  assert_int_equal(count, 5);
  assert_int_equal(c[0].kind, SW_CAND_BACK);
  close_desk(&k);
}

/* v0 T, v2 F, v1 T: C7 is falsified. */
static void to_conflict(desk *k, const char *format) {
  static const int script[3][2] = {{0, 1}, {2, 0}, {1, 1}};
  const sw_search_ops *search = sw_domain_sat.search;
  open_desk(k, format);
  for (int i = 0; i < 3; i++) {
    write_words(k, "[/PROP]");
    search->feed(k->env, SW_SAT_VARIABLE + script[i][0], &k->trace);
    search->feed(k->env, sw_sat_value_token(script[i][1]), &k->trace);
    assert_int_equal(search->prompt(k->env, &k->trace), SW_ENV_QUERY);
  }
  assert_true(search->in_conflict(k->env));
}

static void check_last(const char *format, const char *words, int right,
                       int malformed, int missed) {
  desk k;
  to_conflict(&k, format);
  write_words(&k, words);
  assert_false(sw_domain_sat.search->pad.writes(k.env));
  check_counts(&k, (int64_t[]){4, right, 3 + malformed, missed});
  close_desk(&k);
}
static void check_missed(const char *format, const char *words, int right,
                         int missed) {
  check_last(format, words, right, 0, missed);
}

static void test_missed(void **state) {
  (void)state;
  check_missed("self", "C7 : -v0 F -v1 F -v3 F [/PROP]", 1, 0);
  check_missed("self", "C7 : -v0 F -v1 F -v3 T [/PROP]", 0, 1);
  check_missed("self", "C6 : -v0 F -v1 F +v3 F [/PROP]", 0, 1); /* is true */
  check_missed("self", "C5 : -v0 F -v1 F -v3 F [/PROP]", 0, 1); /* not C5 */
  check_missed("self-scan", "C7 : -v0 F -v1 F -v3 F [/PROP]", 0, 0);
  check_missed("self-scan",
               "C6 : -v0 F -v1 F +v3 T C7 : -v0 F -v1 F -v3 F "
               "[/PROP]",
               0, 0);
}

/* A pad of another form that shows the conflict all the same is not blind. */
static void test_shown_in_another_form(void **state) {
  (void)state;
  static const char shows[] = "C7 : -v0 F -v1 F -v3 F";
  char words[400];
  for (int i = 0; i < 2; i++) {
    const char *format = i ? "self-scan" : "self";
    snprintf(words, sizeof words, "%s SEP [/PROP]", shows);
    check_last(format, words, 0, 1, 0);
    snprintf(words, sizeof words, "C0 : +v0 +v1 T %s [/PROP]", shows);
    check_last(format, words, 0, 1, 0);
    snprintf(words, sizeof words, "C0 : SEP T -v1 %s [/PROP]", shows);
    check_last(format, words, 0, 1, 0);
    snprintf(words, sizeof words, "C0 %s [/PROP]", shows);
    check_last(format, words, 0, 1, 0);
    /* the clause itself is not whole */
    check_last(format, "C7 : -v0 F SEP -v1 F -v3 F [/PROP]", 0, 1, 1);
    check_last(format, "C7 : -v0 F -v1 F -v3 SEP [/PROP]", 0, 1, 1);
    check_last(format, "SEP -v0 F -v1 F -v3 F [/PROP]", 0, 1, 1);
  }
  /* 32 tokens: cut off behind its last mark, and before it */
  snprintf(words, sizeof words,
           "SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP "
           "SEP SEP SEP SEP SEP SEP SEP SEP %s",
           shows);
  check_last("self", words, 0, 1, 0);
  snprintf(words, sizeof words,
           "SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP SEP "
           "SEP SEP SEP SEP SEP SEP SEP SEP SEP C7 : -v0 F -v1 F -v3");
  check_last("self", words, 0, 1, 1);
}

/* ---- the closed loop ---- */

static void play(const char *format, const char *rule, int layout,
                 sw_summary *out) {
  sw_domain_options o = unset_options(0);
  sw_condition_options options;
  sw_condition c;
  sw_score_row row;
  sw_guide *guide;
  sw_err err = {0};
  o.n = 12;
  o.format = format;
  sw_sat_own_edit(&o)->layout = layout;
  sw_condition_defaults(&options);
  options.instances = 100;
  if (sw_guide_named(&guide, &sw_domain_sat, rule, &err) ||
      sw_condition_make(&c, &options, guide, &o, &err) ||
      sw_score(&c, NULL, NULL, &row, &err))
    fail_msg("%s", err.text);
  *out = row.summary;
  sw_score_free(&row);
  sw_guide_close(guide);
}

static void test_perfect_pads(void **state) {
  static const char *const rungs[] = {"touched", "full", "self-scan", "self"};
  (void)state;
  sw_summary plain;
  play("full", "clause+exact", 0, &plain);
  assert_int_equal(plain.solved, 100);
  assert_int_equal(plain.pads, 0);
  for (size_t i = 0; i < 4; i++)
    for (int layout = 0; layout < 2; layout++) {
      sw_summary s;
      play(rungs[i], "clause+exact", layout, &s);
      assert_int_equal(s.solved, 100);
      assert_int_equal(s.missed_conflicts + s.false_prunes + s.repeats, 0);
      /* The same searches, whatever is shown. */
      assert_int_equal(s.decisions, plain.decisions);
      assert_int_equal(s.backs, plain.backs);
      assert_int_equal(s.conflict_queries, plain.conflict_queries);
      assert_int_equal(s.verifier_calls, plain.verifier_calls);
      int writes = i >= 2;
      assert_int_equal(s.pads, writes ? s.blocks : 0);
      assert_int_equal(s.right_pads, s.pads);
      assert_int_equal(s.malformed_pads + s.missed_pads, 0);
    }
}

/* Who never goes back misses the conflict that its own pad shows. */
static void test_blind_to_the_pad(void **state) {
  (void)state;
  sw_summary s;
  play("self", "clause+satisfy", 0, &s);
  assert_true(s.missed_conflicts > 0);
  assert_int_equal(s.missed_pads, 0);
}

static int refused(const char *format, const char *verifier, int allowed) {
  sw_domain_options o = unset_options(0);
  sw_condition_options options;
  sw_condition c;
  sw_guide *guide;
  sw_err err = {0};
  o.n = 12;
  o.format = format;
  sw_condition_defaults(&options);
  options.verifier = verifier;
  options.verdict_shown = allowed;
  assert_int_equal(sw_guide_named(&guide, &sw_domain_sat, "clause+exact", &err),
                   SW_OK);
  int code = sw_condition_make(&c, &options, guide, &o, &err);
  sw_guide_close(guide);
  if (code) assert_int_equal(code, SW_USAGE);
  return code != 0;
}

static void test_shown_verdicts(void **state) {
  (void)state;
  for (int i = 0; sw_domain_sat.formats[i]; i++) {
    const char *format = sw_domain_sat.formats[i];
    int shown = !strcmp(format, "prop") || !strcmp(format, "residual");
    assert_int_equal(refused(format, "model", 0), shown);
    assert_int_equal(refused(format, "noise:0.1,0:model", 0), shown);
    assert_int_equal(refused(format, "model", 1), 0);
    assert_int_equal(refused(format, "exact", 0), 0);
  }
}

/* ---- the layout reread ---- */

static void test_reread(void **state) {
  (void)state;
  sw_instance *f = formula3(4, 8, small);
  sw_trace t;
  sw_trace_init(&t);
  sw_sat_put_prefix(f, 1, &t);
  assert_int_equal(t.length, 1);
  assert_int_equal(t.token[0], SW_SAT_BOS);
  int8_t value[8] = {1, -1};
  sw_sat_view view = {
      .formula = f, .value = value, .open_var = -1, .reread = 1};
  sw_sat_put_state(sw_sat_format_find("full"), &view, &t);
  char *text = print_tokens(t.token + 1, t.length - 1);
  assert_string_equal(
      text,
      "STATE +v0 v1 U v2 U v3 U SEP [CLAUSES] C0 : +v0 +v1 +v2 SEP "
      "C1 : +v0 -v1 +v3 SEP C2 : +v0 -v2 +v3 SEP C3 : +v0 +v2 -v3 SEP "
      "C4 : +v0 -v1 -v2 SEP C5 : -v0 +v1 +v3 SEP C6 : -v0 -v1 +v3 SEP "
      "C7 : -v0 -v1 -v3 SEP [SEARCH]");
  free(text);
  sw_trace_free(&t);
  sw_domain_sat.instance_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_touched),
      cmocka_unit_test(test_counted),
      cmocka_unit_test(test_cut_off),
      cmocka_unit_test(test_missed),
      cmocka_unit_test(test_shown_in_another_form),
      cmocka_unit_test(test_perfect_pads),
      cmocka_unit_test(test_blind_to_the_pad),
      cmocka_unit_test(test_shown_verdicts),
      cmocka_unit_test(test_reread)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
