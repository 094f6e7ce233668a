/* Facts on the way to a SAT verdict: which tokens have one, and what it says,
 * against lines written by hand. */
#include "sat_support.h"
#include "domains/sat/sat_format.h"

static void put(sw_trace *t, const char *words, int64_t own_words) {
  int32_t token[256];
  int64_t count = parse_tokens(words, token);
  sw_trace_begin_block(t);
  for (int64_t i = 0; i < count; i++)
    sw_trace_put(t, token[i], i >= count - own_words);
}

/* The facts of a prefix and one block, token by token, `-` where there is
 * none. */
static void check_both(const char *prefix, const char *block, int64_t own_words,
                       const char *want) {
  sw_trace t;
  int32_t fact[256] = {0};
  char got[1024] = "";
  sw_trace_init(&t);
  put(&t, prefix, 0);
  put(&t, block, own_words);
  assert_false(t.failed);
  sw_sat_facts(NULL, &t, fact);
  for (int64_t i = 0; i < t.length; i++) {
    size_t used = strlen(got);
    char word[16] = "-";
    if (fact[i]) sw_sat_token_text(NULL, fact[i], word, sizeof word);
    snprintf(got + used, sizeof got - used, "%s%s", i ? " " : "", word);
  }
  assert_string_equal(got, want);
  sw_trace_free(&t);
}

static void check(const char *block, int64_t own_words, const char *want) {
  char both[1024];
  snprintf(both, sizeof both, "- %s", want); /* [BOS] has none */
  check_both("[BOS]", block, own_words, both);
}

static void test_values(void **state) {
  (void)state;
  /* v2 is free, although its remaining value is shown beside it */
  check(
      "STATE +v0 -v1 v2 T SEP [CLAUSES] C0 : +v0 +v1 +v2 SEP "
      "C1 : -v0 +v1 -v2 SEP C2 : -v2 +v2 -v0 SEP C3 : -v0 +v1 +v1 SEP "
      "C4 : -v1 -v2 +v2 SEP C5 : +v1 -v0 +v1 SEP [SEARCH] CONFLICT C3 BJ",
      3,
      "- - - - - - - T T T F U T T T F F U L1 C1 L1 U U F L2 C1 L1 F F F L0 "
      "C3 L0 T U U T C3 L0 F F F L0 - - - -");
}

/* Formats that do not show the whole assignment: nothing is known of clauses
 * with a variable that is not there, nor where clauses stand in its place. */
static void test_parts_of_an_assignment(void **state) {
  (void)state;
  check("STATE v1 U v2 U SEP [CLAUSES] C0 : +v0 +v1 +v2 SEP [SEARCH] +v1 T", 2,
        "- - - - - - - - - - - - - - - -");
  check(
      "STATE -v0 +v1 : +v0 -v1 : SEP [CLAUSES] C0 : -v0 +v1 -v1 SEP [SEARCH] "
      "+v1 T",
      2, "- - - - - - - - - - - - - - - - - -");
  check("STATE v0 U v1 F SEP [CLAUSES] C0 : +v0 -v1 +v0 SEP [SEARCH] +v1 T", 2,
        "- - - - - - - T T U U U L3 - - -");
}

/* Clauses that a scratchpad behind them copies: their literals know where they
 * stand, what is left of them is asked as ever. */
static void test_names_before_a_pad(void **state) {
  (void)state;
  check(
      "STATE +v0 -v1 v2 T SEP [CLAUSES] C0 : +v0 +v1 +v2 SEP "
      "C1 : -v0 +v1 -v2 SEP [SEARCH] [PROP] C0 : +v0 T",
      4, "- - - - - - - T T C0 C0 C0 T T T C1 C1 C1 L1 - - - - - -");
}

static void test_marks_have_no_facts(void **state) {
  (void)state;
  /* a clause that the block marks itself, and one that the policy writes */
  check("STATE +v0 v1 U SEP C0 : +v0 T -v1 U +v1 U", 0,
        "- - - - - - - - - - - - -");
  check("STATE -v0 v1 U SEP [PROP] C0 : +v0 -v1 +v1 SEP", 6,
        "- - - - - - - - - - - -");
  check("[PROP] C0 : +v0 -v1 +v1 SEP", 0, "- - - - - - -");
  check("STATE -v0 SEP C0 : +v0 -v1", 0, "- - - - - - -");
  check("STATE -v0 SEP C0 : SEP", 0, "- - - - - -");
}

/* The problem in front: a literal knows its clause. A block's own literals are
 * another matter, and so are literals before any clause. */
static void test_problem_in_front(void **state) {
  (void)state;
  check_both("[BOS] [CLAUSES] C0 : +v0 -v1 +v2 SEP C7 : -v0 SEP [SEARCH]",
             "STATE +v0 v1 U v2 U SEP [PROP] C0 : +v0 T", 4,
             "- - - - C0 C0 C0 - - - C7 - - - - - - - - - - - - - -");
  check_both("[BOS] +v0", "STATE +v0", 0, "- - - -");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_parts_of_an_assignment),
      cmocka_unit_test(test_names_before_a_pad),
      cmocka_unit_test(test_marks_have_no_facts),
      cmocka_unit_test(test_problem_in_front),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
