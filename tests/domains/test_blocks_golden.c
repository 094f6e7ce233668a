/* Every record of the published Blocks World traces, token for token, with the
 * counters of the release's loop; the worked example; the first instances. */
#include "blocks_support.h"

#include <jansson.h>

static void expect_stacks(const json_t *stacks, const sw_blocks_state *state) {
  uint16_t blocks[64];
  assert_int_equal(json_array_size(stacks), state->stacks);
  for (int32_t s = 0; s < state->stacks; s++) {
    const json_t *want = json_array_get(stacks, (size_t)s);
    int32_t height = sw_blocks_stack(state, s, blocks);
    assert_int_equal(json_array_size(want), height);
    for (int32_t i = 0; i < height; i++)
      assert_int_equal(json_integer_value(json_array_get(want, (size_t)i)),
                       blocks[i]);
  }
}

static int integer(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  assert_non_null(value);
  return json_is_boolean(value) ? json_is_true(value)
                                : (int)json_integer_value(value);
}

static sw_instance *draw(const sw_domain_options *o, int seed, int index) {
  sw_stream *stream;
  sw_instance *instance = NULL;
  assert_int_equal(sw_domain_blocks.stream_new(&stream, o, (uint64_t)seed,
                                               SW_SPLIT_TRAIN, NULL),
                   SW_OK);
  for (int i = 0; i <= index; i++) {
    if (instance) sw_domain_blocks.instance_free(instance);
    assert_int_equal(sw_domain_blocks.stream_next(stream, &instance, NULL),
                     SW_OK);
  }
  sw_domain_blocks.stream_free(stream);
  return instance;
}

static void expect_text(const sw_trace *trace, const char *want) {
  char word[32];
  for (int64_t i = 0; i < trace->length; i++) {
    int length = sw_domain_blocks.token_text(&sw_domain_blocks, trace->token[i],
                                             word, sizeof word);
    assert_memory_equal(want, word, (size_t)length);
    want += length;
    assert_int_equal(*want, i + 1 < trace->length ? ' ' : 0);
    want += *want == ' ';
  }
}

static void expect_trace(const json_t *record, const sw_trace *trace) {
  const json_t *tokens = json_object_get(record, "tokens");
  const json_t *ids = json_object_get(record, "block_ids");
  const json_t *mask = json_object_get(record, "loss_mask");
  int32_t *block = malloc((size_t)trace->length * sizeof *block);
  assert_int_equal(json_array_size(tokens), trace->length);
  sw_trace_block_ids(trace, block);
  for (int64_t i = 0; i < trace->length; i++) {
    size_t at = (size_t)i;
    assert_int_equal(json_integer_value(json_array_get(tokens, at)),
                     trace->token[i]);
    assert_int_equal(json_integer_value(json_array_get(ids, at)), block[i]);
    assert_int_equal(json_integer_value(json_array_get(mask, at)),
                     trace->supervised[i]);
  }
  free(block);
  expect_text(trace, json_string_value(json_object_get(record, "text")));
}

static void expect_loop(const json_t *record, const char *name, int rule,
                        const sw_domain_options *o,
                        const sw_instance *instance) {
  const json_t *want = json_object_get(json_object_get(record, "loop"), name);
  const sw_rules rules = {.release_layout = 1, .token_budget = 2048};
  sw_env *env;
  sw_trace trace;
  sw_trace_init(&trace);
  assert_int_equal(sw_domain_blocks.search->env_new(&env, o, &rules, NULL),
                   SW_OK);
  blocks_run r = run_release(env, instance, rule, NULL,
                             integer(record, "max_steps"), &trace);
  const char *reason =
      json_string_value(json_object_get(want, "termination_reason"));
  assert_string_equal(!strcmp(r.reason, "budget") ? "max_seq_len" : r.reason,
                      reason);
  assert_int_equal(r.solved, integer(want, "solved"));
  assert_int_equal(r.steps, integer(want, "steps"));
  assert_int_equal(r.extra[1], integer(want, "total_decisions"));
  assert_int_equal(r.backs, integer(want, "backtracks"));
  assert_int_equal(r.extra[2], integer(want, "revisited_state_decisions"));
  assert_int_equal(r.extra[4], integer(want, "repeat_errors"));
  assert_int_equal(trace.blocks - 1, integer(want, "max_block_id"));
  sw_domain_blocks.search->env_free(env);
  sw_trace_free(&trace);
}

static void golden_records(void **state) {
  (void)state;
  FILE *file = fopen("tests/data/blocks/golden.jsonl", "r");
  char *line = NULL;
  size_t room = 0;
  int records = 0;
  assert_non_null(file);
  while (getline(&line, &room, file) > 0) {
    json_t *record = json_loads(line, 0, NULL);
    assert_non_null(record);
    sw_domain_options o = blocks_resolved(1, integer(record, "num_blocks"));
    o.max_tokens = 0; /* unsolved and long searches are recorded too */
    sw_instance *instance =
        draw(&o, integer(record, "seed"), integer(record, "index"));
    expect_stacks(json_object_get(record, "start"), &instance->start);
    expect_stacks(json_object_get(record, "goal"), &instance->goal);
    const sw_rules writing = {.writing_trace = 1};
    sw_env *env;
    sw_trace trace;
    sw_trace_init(&trace);
    assert_int_equal(sw_domain_blocks.search->env_new(&env, &o, &writing, NULL),
                     SW_OK);
    assert_int_equal(
        sw_blocks_expert_trace(env, instance, &o, integer(record, "max_steps"),
                               NULL, &trace, NULL),
        SW_OK);
    assert_int_equal(trace.terminal == SW_TRACE_SOLVED,
                     integer(record, "solved"));
    assert_int_equal(trace.decisions + trace.backtracks,
                     integer(record, "steps"));
    assert_int_equal(trace.backtracks, integer(record, "backtracks"));
    expect_trace(record, &trace);
    expect_loop(record, "first_legal", SW_BLOCKS_RULE_FIRST_LEGAL, &o,
                instance);
    expect_loop(record, "first_untried", SW_BLOCKS_RULE_FIRST_UNTRIED, &o,
                instance);
    sw_domain_blocks.search->env_free(env);
    sw_trace_free(&trace);
    sw_domain_blocks.instance_free(instance);
    json_decref(record);
    records++;
  }
  assert_int_equal(records, 16);
  free(line);
  fclose(file);
}

/* First instances of seed 42 with steps, backtracks and tokens. */
static void first_instances(void **state) {
  (void)state;
  static const struct {
    int n, index, solved, steps, backs, tokens;
  } want[] = {{5, 0, 1, 437, 124, 8943}, {5, 1, 1, 67, 16, 1346},
              {5, 2, 1, 4, 1, 100},      {5, 3, 1, 249, 66, 5009},
              {5, 4, 1, 0, 0, 25},       {5, 8, 1, 1, 0, 40},
              {7, 0, 0, 500, -1, -1},    {7, 3, 1, 0, 0, 29}};
  sw_trace trace;
  sw_trace_init(&trace);
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    const sw_rules writing = {.writing_trace = 1};
    sw_domain_options o = blocks_resolved(1, want[i].n);
    o.max_tokens = 0;
    sw_instance *instance = draw(&o, 42, want[i].index);
    sw_env *env;
    assert_int_equal(sw_domain_blocks.search->env_new(&env, &o, &writing, NULL),
                     SW_OK);
    assert_int_equal(
        sw_blocks_expert_trace(env, instance, &o, 500, NULL, &trace, NULL),
        SW_OK);
    assert_int_equal(trace.terminal == SW_TRACE_SOLVED, want[i].solved);
    assert_int_equal(trace.decisions + trace.backtracks, want[i].steps);
    if (want[i].backs >= 0) assert_int_equal(trace.backtracks, want[i].backs);
    if (want[i].tokens >= 0) assert_int_equal(trace.length, want[i].tokens);
    sw_domain_blocks.search->env_free(env);
    sw_domain_blocks.instance_free(instance);
  }
  sw_trace_free(&trace);
}

/* The worked example. */
static void worked_example(void **state) {
  (void)state;
  static const int want[] = {
      1,  5,  30, 23, 31, 24, 20, 22, 32, 21, 3,  4,  30, 23, 21, 31, 24,
      20, 22, 32, 13, 3,  6,  21, 30, 31, 4,  30, 23, 31, 24, 20, 22, 21,
      32, 13, 3,  6,  23, 30, 31, 10, 23, 31, 30, 23, 31, 32, 11, 4,  30,
      13, 31, 24, 20, 22, 21, 23, 32, 13, 3,  7,  10, 23, 30, 31, 23, 30,
      32, 21, 31, 30, 11, 4,  30, 23, 31, 24, 20, 22, 21, 32, 13, 3,  6,
      21, 31, 32, 4,  30, 23, 31, 24, 20, 22, 32, 21, 3,  8,  2};
  sw_domain_options o = blocks_resolved(1, 5);
  sw_instance *instance = draw(&o, 42, 2);
  sw_trace trace;
  int supervised = 0;
  sw_trace_init(&trace);
  assert_int_equal(
      sw_domain_blocks.write_trace(instance, &o, NULL, &trace, NULL), SW_OK);
  assert_int_equal(trace.length, sizeof want / sizeof *want);
  for (int64_t i = 0; i < trace.length; i++) {
    assert_int_equal(trace.token[i], want[i]);
    supervised += trace.supervised[i];
  }
  assert_int_equal(supervised, 14);
  assert_int_equal(trace.blocks, 6);
  sw_trace_free(&trace);
  sw_domain_blocks.instance_free(instance);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_records),
      cmocka_unit_test(first_instances),
      cmocka_unit_test(worked_example),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
