/* Every record of the published parsing traces, token for token, and the
 * simulator's dialogues; the worked examples with and without TRIED. */
#include "parsing_support.h"

#include <jansson.h>

static int integer(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  assert_non_null(value);
  return json_is_boolean(value) ? json_is_true(value)
                                : (int)json_integer_value(value);
}

static sw_instance *input_of(const json_t *record, const sw_domain_options *o) {
  const json_t *words = json_object_get(record, "input");
  char text[512] = "";
  for (size_t i = 0; i < json_array_size(words); i++) {
    strcat(text, json_string_value(json_array_get(words, i)));
    strcat(text, " ");
  }
  return sentence(text, o);
}

static void expect_trace(const json_t *record, const sw_trace *trace) {
  const json_t *tokens = json_object_get(record, "tokens");
  const json_t *ids = json_object_get(record, "block_ids");
  const json_t *mask = json_object_get(record, "loss_mask");
  const char *text = json_string_value(json_object_get(record, "text"));
  int32_t *block = malloc((size_t)trace->length * sizeof *block);
  char word[32];
  assert_int_equal(json_array_size(tokens), trace->length);
  sw_trace_block_ids(trace, block);
  for (int64_t i = 0; i < trace->length; i++) {
    size_t at = (size_t)i;
    assert_int_equal(json_integer_value(json_array_get(tokens, at)),
                     trace->token[i]);
    assert_int_equal(json_integer_value(json_array_get(ids, at)), block[i]);
    assert_int_equal(json_integer_value(json_array_get(mask, at)),
                     trace->supervised[i]);
    int length = sw_domain_parsing.token_text(
        &sw_domain_parsing, trace->token[i], word, sizeof word);
    assert_memory_equal(text, word, (size_t)length);
    text += length;
    assert_int_equal(*text, i + 1 < trace->length ? ' ' : 0);
    text += *text == ' ';
  }
  free(block);
}

static void expect_request(const json_t *want, sw_env *env) {
  const sw_parse_machine *m = &env->machine;
  const char *kind = json_string_value(json_array_get(want, 0));
  const json_t *stack = json_array_get(want, 2);
  const json_t *available = json_array_get(want, 3);
  assert_string_equal(kind,
                      m->event == SW_PARSE_CHOICE ? "choice" : "backtrack");
  assert_int_equal(json_integer_value(json_array_get(want, 1)),
                   m->shown_cursor);
  assert_int_equal(json_array_size(stack), m->shown_count);
  for (int32_t i = 0; i < m->shown_count; i++)
    assert_string_equal(json_string_value(json_array_get(stack, (size_t)i)),
                        env->grammar->symbol[m->shown[i]].name);
  uint32_t set = 0;
  for (size_t i = 0; i < json_array_size(available); i++)
    set |= 1u << json_integer_value(json_array_get(available, i));
  assert_int_equal(set, sw_parse_available(m));
  /* In the release's loop the candidates are exactly these. */
  int count;
  const sw_cand *cands = sw_domain_parsing.search->candidates(env, &count);
  assert_int_equal(count, set ? __builtin_popcount(set) : 1);
  for (int i = 0; i < count; i++)
    assert_true(set ? set >> (cands[i].token - SW_PARSING_ALT) & 1
                    : cands[i].token == SW_PARSING_BACKTRACK);
}

static int preferred(const json_t *order, uint32_t available) {
  for (size_t i = 0; i < json_array_size(order); i++) {
    int a = (int)json_integer_value(json_array_get(order, i));
    if (available >> a & 1) return SW_PARSING_ALT + a;
  }
  return SW_PARSING_BACKTRACK;
}

static void expect_dialogue(const json_t *loop, const sw_domain_options *o,
                            const sw_instance *instance) {
  const sw_rules rules = {.release_layout = 1};
  const json_t *requests = json_object_get(loop, "requests");
  const char *status = json_string_value(json_object_get(loop, "status"));
  const char *why = json_string_value(json_object_get(loop, "reason"));
  sw_env *env;
  sw_trace trace;
  sw_trace_init(&trace);
  assert_int_equal(sw_domain_parsing.search->env_new(&env, o, &rules, NULL),
                   SW_OK);
  assert_int_equal(sw_domain_parsing.search->env_reset(env, instance, NULL),
                   SW_OK);
  sw_domain_parsing.search->write_prefix(env, &trace);
  sw_env_status now = SW_ENV_BLOCK_END;
  for (size_t i = 0; i < json_array_size(requests); i++) {
    const json_t *want = json_array_get(requests, i);
    assert_int_equal(now, SW_ENV_BLOCK_END);
    assert_int_equal(sw_domain_parsing.search->prompt(env, &trace),
                     SW_ENV_QUERY);
    expect_request(want, env);
    int token = preferred(json_object_get(loop, "order"),
                          sw_parse_available(&env->machine));
    assert_int_equal(json_integer_value(json_array_get(want, 4)), token);
    now = sw_domain_parsing.search->feed(env, token, &trace);
  }
  if (now == SW_ENV_BLOCK_END)
    now = sw_domain_parsing.search->prompt(env, &trace);
  assert_int_equal(now,
                   !strcmp(status, "parsed") ? SW_ENV_SOLVED : SW_ENV_FAILED);
  assert_string_equal(sw_domain_parsing.search->reason(env), why);
  assert_int_equal(integer(loop, "final_cursor"), env->machine.final_cursor);
  sw_domain_parsing.search->env_free(env);
  sw_trace_free(&trace);
}

static void golden_records(void **state) {
  (void)state;
  FILE *file = fopen("tests/data/parsing/golden.jsonl", "r");
  char *line = NULL;
  size_t room = 0;
  int records = 0, dialogues = 0;
  const sw_rules writing = {.writing_trace = 1};
  sw_domain_options o = parsing_options(1, "paper");
  sw_env *env;
  sw_trace trace;
  sw_trace_init(&trace);
  o.max_tokens = 0;
  assert_non_null(file);
  assert_int_equal(sw_domain_parsing.search->env_new(&env, &o, &writing, NULL),
                   SW_OK);
  while (getline(&line, &room, file) > 0) {
    json_t *record = json_loads(line, 0, NULL);
    const json_t *loops;
    sw_instance *instance = input_of(record, &o);
    int32_t deepest = 0;
    assert_int_equal(sw_parsing_write_trace(env, instance, &o, &trace, NULL),
                     SW_OK);
    assert_int_equal(trace.terminal == SW_TRACE_SOLVED,
                     integer(record, "success"));
    assert_int_equal(env->machine.final_cursor,
                     integer(record, "final_cursor"));
    assert_int_equal(trace.decisions, integer(record, "choices"));
    assert_int_equal(trace.backtracks, integer(record, "backtracks"));
    for (int64_t b = 1; b < trace.blocks; b++) {
      int64_t end =
          b + 1 < trace.blocks ? trace.block_start[b + 1] : trace.length - 1;
      int32_t depth =
          (int32_t)(end - trace.block_start[b]) - instance->length - 5;
      if (depth > deepest) deepest = depth;
    }
    assert_int_equal(deepest, integer(record, "max_block_stack"));
    expect_trace(record, &trace);
    loops = json_object_get(record, "loop");
    for (size_t i = 0; loops && i < json_array_size(loops); i++) {
      expect_dialogue(json_array_get(loops, i), &o, instance);
      dialogues++;
    }
    sw_domain_parsing.instance_free(instance);
    json_decref(record);
    records++;
  }
  assert_int_equal(records, 20);
  assert_true(dialogues >= 30);
  sw_domain_parsing.search->env_free(env);
  sw_trace_free(&trace);
  free(line);
  fclose(file);
}

static void expect_tokens(const char *text, const char *format, const int *want,
                          int count) {
  sw_domain_options o = parsing_options(1, format);
  sw_instance *instance = sentence(text, &o);
  sw_trace trace;
  sw_trace_init(&trace);
  assert_int_equal(
      sw_domain_parsing.write_trace(instance, &o, NULL, &trace, NULL), SW_OK);
  assert_int_equal(trace.length, count);
  for (int i = 0; i < count; i++) assert_int_equal(trace.token[i], want[i]);
  sw_trace_free(&trace);
  sw_domain_parsing.instance_free(instance);
}

#define EXPECT(text, format, ...)                                         \
  do {                                                                    \
    static const int want[] = {__VA_ARGS__};                              \
    expect_tokens(text, format, want, (int)(sizeof want / sizeof *want)); \
  } while (0)

/* Sections 6 and 11. */
static void worked_examples(void **state) {
  (void)state;
  EXPECT("a", "paper", 1, 10, 3, 4, 6, 10, 7, 60, 3, 100, 4, 10, 6, 7, 71, 67,
         72, 3, 5, 4, 6, 10, 7, 60, 3, 101, 4, 10, 6, 7, 73, 60, 74, 3, 5, 4, 6,
         10, 7, 60, 3, 105, 2);
  EXPECT("7", "paper", 1, 43, 3, 2);
  EXPECT("- ( 1 , 2 )", "paper", 1, 51, 46, 37, 50, 38, 47, 3, 4, 51, 6, 46, 37,
         50, 38, 47, 7, 60, 3, 102, 2);
  EXPECT("a", "tried", 1, 10, 3, 4, 6, 10, 7, 60, 3, 100, 4, 10, 6, 7, 71, 67,
         72, 3, 5, 4, 6, 10, 7, 60, 7, 100, 3, 101, 4, 10, 6, 7, 73, 60, 74, 3,
         5, 4, 6, 10, 7, 60, 7, 100, 101, 3, 105, 2);
}

/* Where the simulator differs from the expert. */
static void exhausted_choices(void **state) {
  (void)state;
  for (int keep = 0; keep < 2; keep++) {
    sw_domain_options o = parsing_options(1, "paper");
    sw_rules rules = {.writing_trace = keep, .release_layout = !keep};
    sw_instance *instance = sentence("( ( ) )", &o);
    sw_env *env;
    assert_int_equal(sw_domain_parsing.search->env_new(&env, &o, &rules, NULL),
                     SW_OK);
    assert_int_equal(sw_domain_parsing.search->env_reset(env, instance, NULL),
                     SW_OK);
    sw_parse_machine *m = &env->machine;
    sw_parse_take(m, 2);
    sw_parse_take(m, 2);
    assert_int_equal(m->shown_cursor, 2);
    assert_int_equal(m->shown_count, 7); /* expr , exprlist ) , exprlist ) */
    sw_parse_back(m);
    assert_int_equal(sw_parse_take(m, 3), SW_PARSE_FAILURE);
    assert_int_equal(m->shown_cursor, 2);
    assert_int_equal(m->shown_count, 5); /* expr ) , exprlist ) */
    assert_int_equal(sw_parse_back(m), SW_PARSE_FAILURE);
    assert_int_equal(m->shown_cursor, keep ? 2 : 1);
    assert_int_equal(m->shown_count, keep ? 5 : 4);
    sw_domain_parsing.search->env_free(env);
    sw_domain_parsing.instance_free(instance);
  }
}

/* What the open loop does with right and wrong answers. */
static void open_rules(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int release;
    int32_t token[4]; /* 0 ends */
    sw_env_status status;
    const char *reason;
    int64_t early, false_prunes;
  } want[] = {
      {"a", 0, {100, 5, 100}, SW_ENV_FAILED, "invalid_alt", 0, 0},
      {"a", 0, {102}, SW_ENV_FAILED, "invalid_alt", 0, 0},
      {"a", 0, {100, 101}, SW_ENV_FAILED, "missed_conflict", 0, 0},
      {"a", 0, {105}, SW_ENV_SOLVED, "parsed", 0, 0},
      {"a", 0, {5}, SW_ENV_QUERY, "", 0, 0}, /* nothing to go back to */
      {"a", 1, {5}, SW_ENV_FAILED, "parse_failed", 0, 1},
      {"( a )", 0, {102, 5}, SW_ENV_BLOCK_END, "", 1, 0}, /* doomed anyway */
      {"( a , b )", 0, {102, 5}, SW_ENV_BLOCK_END, "", 0, 1},
      {"f ( a )", 0, {105}, SW_ENV_FAILED, "input_remaining", 0, 0},
  };
  for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
    sw_domain_options o = parsing_options(0, "tried");
    sw_rules rules = {.release_layout =
                          want[k].release ? SW_LAYOUT_RELEASE_OPEN : 0};
    sw_instance *instance = sentence(want[k].text, &o);
    sw_env *env;
    sw_trace trace;
    int offered;
    int64_t extra[8];
    sw_trace_init(&trace);
    assert_int_equal(sw_domain_parsing.search->env_new(&env, &o, &rules, NULL),
                     SW_OK);
    assert_int_equal(sw_domain_parsing.search->env_reset(env, instance, NULL),
                     SW_OK);
    sw_domain_parsing.search->write_prefix(env, &trace);
    sw_env_status status = SW_ENV_BLOCK_END;
    for (int i = 0; i < 4 && want[k].token[i]; i++) {
      assert_int_equal(status, SW_ENV_BLOCK_END);
      assert_int_equal(sw_domain_parsing.search->prompt(env, &trace),
                       SW_ENV_QUERY);
      sw_domain_parsing.search->candidates(env, &offered);
      assert_int_equal(offered, 7);
      if (want[k].token[i] == 5 && !sw_domain_parsing.search->in_conflict(env))
        assert_int_equal(sw_domain_parsing.search->truth.doomed(env),
                         want[k].early);
      status = sw_domain_parsing.search->feed(env, want[k].token[i], &trace);
    }
    sw_domain_parsing.search->tell.extra(env, extra);
    assert_int_equal(status, want[k].status);
    assert_string_equal(sw_domain_parsing.search->reason(env), want[k].reason);
    assert_int_equal(extra[6], want[k].false_prunes);
    assert_int_equal(extra[7], want[k].early);
    sw_domain_parsing.search->env_free(env);
    sw_trace_free(&trace);
    sw_domain_parsing.instance_free(instance);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_records),
      cmocka_unit_test(worked_examples),
      cmocka_unit_test(exhausted_choices),
      cmocka_unit_test(open_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
