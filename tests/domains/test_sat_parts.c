/* What the tokens of a SAT trace belong to: against lines written by hand, and
 * against the facts of the same blocks, which are read by other code. */
#include "sat_support.h"
#include "domains/sat/sat_format.h"

static void write(sw_trace *t, const char *prefix, const char *block) {
  int32_t token[256];
  sw_trace_init(t);
  for (int b = 0; b < 2; b++) {
    int64_t count = parse_tokens(b ? block : prefix, token);
    sw_trace_begin_block(t);
    for (int64_t i = 0; i < count; i++) sw_trace_put(t, token[i], 0);
  }
  assert_false(t->failed);
}

/* Items with what is left of them, and homes as "place+tokens". */
static void check(const char *prefix, const char *block, int items,
                  const char *want_items, const char *want_homes) {
  sw_trace t;
  sw_part part[256];
  char got[2][1024] = {"", ""};
  write(&t, prefix, block);
  assert_int_equal(sw_sat_parts(NULL, &t, part), items);
  for (int64_t i = 0; i < t.length && items; i++) {
    char word[2][40] = {"-", "-"};
    if (part[i].item >= 0)
      snprintf(word[0], sizeof *word, "%d/%d", (int)part[i].item,
               (int)part[i].left);
    if (part[i].home >= 0)
      snprintf(word[1], sizeof *word, "%d+%d", (int)part[i].home,
               (int)part[i].wide);
    for (int k = 0; k < 2; k++) {
      size_t used = strlen(got[k]);
      snprintf(got[k] + used, sizeof got[k] - used, "%s%s", i ? " " : "",
               word[k]);
    }
  }
  assert_string_equal(got[0], want_items);
  assert_string_equal(got[1], want_homes);
  sw_trace_free(&t);
}

static void by_hand(void **state) {
  (void)state;
  /* 0 BOS, 1 STATE, 2 +v0, 3 -v1, 4 v2, 5 T, 6 SEP, 7 [CLAUSES], ... */
  check("[BOS]",
        "STATE +v0 -v1 v2 T SEP [CLAUSES] C0 : +v0 +v1 +v2 SEP C1 : -v0 +v1 "
        "-v2 SEP C4 : -v0 +v1 +v1 SEP [SEARCH] FREE v2 T",
        3,
        "- - - - - - - - 0/-1 0/-1 0/-1 0/-1 0/-1 0/-1 1/1 1/1 1/1 1/1 1/1 "
        "1/1 2/0 2/0 2/0 2/0 2/0 2/0 - - - -",
        "- - - - - - - - - - 2+1 3+1 4+2 - - - 2+1 3+1 4+2 - - - 2+1 3+1 3+1 "
        "- - - - -");
  /* the problem in front: the same items, homes behind them */
  check("[BOS] [CLAUSES] C0 : -v0 +v1 +v2 SEP [SEARCH]",
        "STATE +v0 v1 U v2 U SEP", 1,
        "- - 0/2 0/2 0/2 0/2 0/2 0/2 - - - - - - - -",
        "- - - - 10+1 11+2 13+2 - - - - - - - - -");
}

static void what_is_not_shown(void **state) {
  (void)state;
  /* an assigned variable is left out of the state; no problem; no state */
  check("[BOS] [CLAUSES] C0 : -v0 +v1 +v2 SEP [SEARCH]", "STATE v1 U v2 U SEP",
        0, "", "");
  check("[BOS]", "STATE +v0 v1 U SEP", 0, "", "");
  check("[BOS] [CLAUSES] C0 : -v0 SEP [SEARCH]", "OK", 0, "", "");
  check("[BOS] [CLAUSES] C0 -v0 SEP [SEARCH]", "STATE +v0 SEP", 0, "", "");
  check("[BOS] [CLAUSES] C0 : -v0 [SEARCH]", "STATE +v0 SEP", 0, "", "");
  check("[BOS] [CLAUSES] C0 : SEP [SEARCH]", "STATE +v0 SEP", 0, "", "");
  sw_part part[8];
  sw_trace t;
  sw_trace_init(&t);
  sw_trace_begin_block(&t);
  sw_trace_put(&t, SW_SAT_BOS, 0);
  assert_int_equal(sw_sat_parts(NULL, &t, part), 0);
  sw_trace_free(&t);
}

/* A trace that ends with block b of `from`, without its own words. */
static void cut(const sw_trace *from, int64_t b, sw_trace *out) {
  int64_t end = sw_trace_block_end(from, b);
  sw_trace_clear(out);
  sw_trace_begin_block(out);
  for (int64_t i = 0; i < from->block_start[1]; i++)
    sw_trace_put(out, from->token[i], 0);
  sw_trace_begin_block(out);
  for (int64_t i = from->block_start[b]; i < end && !from->supervised[i]; i++)
    sw_trace_put(out, from->token[i], 0);
}

/* What is left and which literals are true, told twice. */
static int64_t compare(const sw_trace *t) {
  enum { MOST = 4096 };
  static sw_part part[MOST];
  static int32_t fact[MOST];
  int64_t compared = 0;
  assert_true(t->length < MOST);
  memset(fact, 0, sizeof fact);
  sw_sat_facts(NULL, t, fact);
  assert_true(sw_sat_parts(NULL, t, part) > 0);
  for (int64_t i = 0; i < t->length; i++) {
    assert_int_equal(part[i].item >= 0, fact[i] != 0);
    if (part[i].home >= 0) {
      int32_t there = t->token[part[i].home];
      int32_t value = there >= SW_SAT_VARIABLE ? SW_SAT_U
                      : there == t->token[i]   ? SW_SAT_T
                                               : SW_SAT_F;
      assert_int_equal(value, fact[i]);
      assert_int_equal(part[i].wide, value == SW_SAT_U ? 2 : 1);
      compared++;
    } else if (part[i].item >= 0 && t->token[i] == SW_SAT_SEP) {
      assert_int_equal(
          part[i].left == SW_PART_DONE ? SW_SAT_T : SW_SAT_LEVEL + part[i].left,
          fact[i]);
      compared++;
    }
  }
  return compared;
}

static void as_the_facts(void **state) {
  (void)state;
  sw_domain_options o = unset_options(0);
  sw_err err = {0};
  sw_trace trace, one;
  sw_mt mt;
  int64_t compared = 0;
  o.n = 14;
  o.format = "full";
  sw_sat_own_edit(&o)->layout = 1;
  resolve(&o);
  sw_trace_init(&trace);
  sw_trace_init(&one);
  sw_stream *stream = open_stream(&o, 7);
  for (int i = 0; i < 20; i++) {
    sw_instance *instance = next_instance(stream);
    sw_mt_seed(&mt, (uint32_t)i);
    sw_trace_clear(&trace);
    if (sw_domain_sat.write_trace(instance, &o, &mt, &trace, &err))
      fail_msg("%s", err.text);
    for (int64_t b = 1; b < trace.blocks; b++) {
      cut(&trace, b, &one);
      if (one.length > one.block_start[1] &&
          one.token[one.block_start[1]] == SW_SAT_STATE)
        compared += compare(&one);
    }
    sw_sat_instance_free(instance);
  }
  assert_true(compared > 10000);
  sw_domain_sat.stream_free(stream);
  sw_trace_free(&trace);
  sw_trace_free(&one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_hand),
      cmocka_unit_test(what_is_not_shown),
      cmocka_unit_test(as_the_facts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
