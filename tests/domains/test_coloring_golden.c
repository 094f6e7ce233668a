/* Every published colouring trace, token for token, with block ids,
 * supervision and counters: the small ones from tests/data, all of them when
 * the full file is there. */
#include <jansson.h>
#include "../unpack.h"
#include "coloring_help.h"
#include "release/coloring_layouts.h"

static sw_instance *graph_of(json_t *record) {
  json_t *g = json_object_get(record, "graph");
  json_t *edges = json_object_get(g, "edges");
  size_t count = json_array_size(edges);
  sw_edge *list = calloc(count + 1, sizeof *list);
  assert_non_null(list);
  for (size_t i = 0; i < count; i++) {
    json_t *e = json_array_get(edges, i);
    list[i].a = (int32_t)json_integer_value(json_array_get(e, 0));
    list[i].b = (int32_t)json_integer_value(json_array_get(e, 1));
  }
  sw_instance *graph;
  sw_err err;
  assert_int_equal(
      sw_graph_new(&graph, (int32_t)json_integer_value(json_object_get(g, "n")),
                   (int32_t)json_integer_value(json_object_get(g, "k")), list,
                   (int64_t)count, &err),
      0);
  free(list);
  return graph;
}

static int64_t option(json_t *record, const char *name) {
  return json_integer_value(
      json_object_get(json_object_get(record, "options"), name));
}

static void same_values(json_t *record, const char *field, const sw_trace *t,
                        const int32_t *ours) {
  json_t *array = json_object_get(record, field);
  assert_int_equal(json_array_size(array), t->length);
  for (int64_t i = 0; i < t->length; i++)
    if (json_integer_value(json_array_get(array, (size_t)i)) != ours[i])
      fail_msg("%s[%lld]: expected %lld, got %d", field, (long long)i,
               (long long)json_integer_value(json_array_get(array, (size_t)i)),
               ours[i]);
}

/* The published supervision rule, from the tokens alone. */
static void trainer_blocks(const sw_trace *t, int32_t *ids) {
  int32_t block = 0, after_tried = 0;
  for (int64_t i = 0; i < t->length; i++) {
    if (t->token[i] == SW_T_TRIED) {
      block++;
      after_tried = 1;
    } else if (t->token[i] == SW_T_STATE) {
      block += !after_tried;
      after_tried = 0;
    }
    ids[i] = block;
  }
}

static void same_text(json_t *record, const sw_trace *t) {
  const char *text = json_string_value(json_object_get(record, "text"));
  size_t at = 0;
  for (int64_t i = 0; i < t->length; i++) {
    char word[32];
    int length =
        coloring()->token_text(coloring(), t->token[i], word, sizeof word);
    assert_int_equal(strncmp(text + at, word, (size_t)length), 0);
    at += (size_t)length;
    assert_true(text[at] == (i + 1 < t->length ? ' ' : 0));
    at++;
  }
}

static void compare(json_t *record, const sw_trace *t) {
  int32_t *ids = malloc(sizeof *ids * (size_t)(t->length + 1));
  assert_non_null(ids);
  same_values(record, "tokens", t, t->token);
  sw_trace_block_ids(t, ids);
  same_values(record, "block_ids", t, ids);
  if (json_object_get(record, "block_ids_trainer")) {
    trainer_blocks(t, ids);
    same_values(record, "block_ids_trainer", t, ids);
  }
  if (json_is_array(json_object_get(record, "loss_mask"))) {
    for (int64_t i = 0; i < t->length; i++) ids[i] = t->supervised[i];
    same_values(record, "loss_mask", t, ids);
  }
  free(ids);
}

static void check_trace(json_t *record, const char *format) {
  sw_domain_options o;
  options_of(&o, "release", "format", format, NULL);
  sw_col_own_edit(&o)->error = json_number_value(
      json_object_get(json_object_get(record, "options"), "p_error"));
  o.max_tokens = (int)option(record, "max_seq_len");
  sw_instance *graph = graph_of(record);
  static const sw_col_layout plain;
  int small = option(record, "layout") == 394;
  sw_mt mt;
  sw_mt_seed(&mt, (uint64_t)option(record, "rng_seed"));
  sw_trace t;
  sw_trace_init(&t);
  sw_err err;
  assert_int_equal(sw_col_write_trace_as(
                       graph, &o, small ? &sw_release_coloring_small : &plain,
                       option(record, "max_steps"), &mt, &t, &err),
                   0);
  compare(record, &t);
  if (json_is_string(json_object_get(record, "text")) && !small)
    same_text(record, &t);
#define SAME(name) \
  assert_int_equal(t.name, json_integer_value(json_object_get(record, #name)))
  SAME(decisions);
  SAME(backtracks);
  SAME(forced_errors);
  sw_trace_free(&t);
  sw_graph_free(graph);
}

static void check_stats(json_t *record, const loop_sums *s) {
  json_t *stats = json_object_get(record, "stats");
#define STAT(name, value)           \
  if (json_object_get(stats, name)) \
  assert_int_equal(json_integer_value(json_object_get(stats, name)), value)
  assert_int_equal(json_is_true(json_object_get(stats, "solved")), s->solved);
  STAT("backtracks", s->backs);
  STAT("total_decisions", s->decisions);
  STAT("assignments", s->decisions);
  STAT("revisited_state_decisions", s->revisited);
  STAT("repeat_errors", s->repeats);
  STAT("max_block_id", s->blocks);
}

static void check_loop(json_t *record, const char *format) {
  sw_domain_options o;
  options_of(&o, "release", NULL);
  sw_rules rules = {0};
  int transplant = strcmp(format, "transplant") == 0;
  rules.release_layout = 1;
  rules.token_budget = option(record, transplant ? "max_seq_len" : "budget");
  const char *policy = transplant
                           ? "random-ties"
                           : json_string_value(json_object_get(
                                 json_object_get(record, "options"), "policy"));
  sw_env *env;
  sw_err err;
  sw_trace t;
  sw_mt mt;
  loop_sums sums = {0};
  assert_int_equal(coloring()->search->env_new(&env, &o, &rules, &err), 0);
  if (transplant) env->layout = sw_release_coloring_transplant;
  else if (!strcmp(format, "eval-ablation"))
    env->layout = sw_release_coloring_ablation;
  sw_trace_init(&t);
  sw_mt_seed(&mt, transplant ? (uint64_t)option(record, "tie_seed") : 0);
  sw_instance *graph = graph_of(record);
  run_loop(env, graph, policy, &mt, INT64_MAX, &t, &sums);
  compare(record, &t);
  if (!transplant) check_stats(record, &sums);
  coloring()->search->env_free(env);
  sw_trace_free(&t);
  sw_graph_free(graph);
}

/* Returns the number of records compared; e4 records are left out. */
static int check_file(const char *path) {
  char *text = unpack_text(path), *rest = text, *line;
  assert_non_null(text);
  int compared = 0;
  while ((line = unpack_line(&rest))) {
    json_error_t error;
    json_t *record = json_loads(line, 0, &error);
    assert_non_null(record);
    const char *format = json_string_value(json_object_get(record, "format"));
    if (sw_col_format_find(format)) check_trace(record, format);
    else if (strcmp(format, "eval-e4") != 0) check_loop(record, format);
    compared += strcmp(format, "eval-e4") != 0;
    json_decref(record);
  }
  free(text);
  return compared;
}

static void small_records(void **state) {
  (void)state;
  assert_int_equal(check_file("tests/data/coloring/gc-small.jsonl"), 22);
}

static void all_records(void **state) {
  (void)state;
  assert_int_equal(check_file("tests/data/golden/gc-traces.jsonl.xz"), 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_records),
      cmocka_unit_test(all_records),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
