/* Every recorded trace of the reference, token for token: the records copied
 * into tests/data/sat, and all of them when the reference file is there. */
#include "../unpack.h"
#include "sat_support.h"
#include <jansson.h>

static sw_instance *read_formula(json_t *record) {
  json_t *clauses = json_object_get(record, "clauses");
  int32_t m = (int32_t)json_array_size(clauses), total = 0;
  int32_t *start = malloc(sizeof(int32_t) * (size_t)(m + 1));
  int32_t *literal = malloc(sizeof(int32_t) * 3 * (size_t)m);
  for (int32_t c = 0; c < m; c++) {
    json_t *clause = json_array_get(clauses, (size_t)c);
    start[c] = total;
    for (size_t i = 0; i < json_array_size(clause); i++)
      literal[total++] = sw_sat_from_dimacs(
          (int32_t)json_integer_value(json_array_get(clause, i)));
  }
  start[m] = total;
  sw_instance *f;
  int n = (int)json_integer_value(json_object_get(record, "num_vars"));
  assert_int_equal(sw_sat_instance_new(&f, n, m, start, literal, NULL, NULL),
                   0);
  free(start);
  free(literal);
  return f;
}

static int64_t number(json_t *record, const char *key) {
  return json_integer_value(json_object_get(record, key));
}

static void check_tokens(json_t *record, const sw_trace *t) {
  json_t *tokens = json_object_get(record, "tokens");
  json_t *blocks = json_object_get(record, "block_ids");
  json_t *mask = json_object_get(record, "loss_mask");
  int32_t *ids = malloc(sizeof *ids * (size_t)t->length);
  sw_trace_block_ids(t, ids);
  assert_int_equal(t->length, json_array_size(tokens));
  for (size_t i = 0; i < (size_t)t->length; i++) {
    assert_int_equal(t->token[i],
                     json_integer_value(json_array_get(tokens, i)));
    assert_int_equal(ids[i], json_integer_value(json_array_get(blocks, i)));
    assert_int_equal(t->supervised[i],
                     json_integer_value(json_array_get(mask, i)));
  }
  free(ids);
}

static void check_record(json_t *record) {
  double p_error = json_number_value(json_object_get(record, "p_error"));
  sw_domain_options o = release_options(5, 4, "planted", p_error, 0);
  sw_instance *f = read_formula(record);
  sw_trace t;
  sw_mt mt;
  sw_trace_init(&t);
  sw_mt_seed(&mt, 42);
  assert_int_equal(sw_domain_sat.write_trace(f, &o, &mt, &t, NULL), SW_OK);
  check_tokens(record, &t);
  assert_int_equal(t.decisions, number(record, "decisions"));
  assert_int_equal(t.conflicts, number(record, "conflicts"));
  assert_int_equal(t.backtracks, number(record, "backtracks"));
  assert_int_equal(t.forced_errors, number(record, "forced_errors"));
  assert_int_equal(t.propagations, number(record, "propagations"));
  const char *terminal = json_string_value(json_object_get(record, "terminal"));
  assert_int_equal(t.terminal, strcmp(terminal, "sat") == 0 ? SW_TRACE_SOLVED
                                                            : SW_TRACE_UNSAT);
  const char *text = json_string_value(json_object_get(record, "text"));
  if (text) {
    char *printed = print_tokens(t.token, t.length);
    assert_string_equal(printed, text);
    free(printed);
  }
  sw_trace_free(&t);
  sw_domain_sat.instance_free(f);
}

static int check_file(const char *path) {
  char *text = unpack_text(path), *rest = text, *line;
  assert_non_null(text);
  int count = 0;
  while ((line = unpack_line(&rest))) {
    json_t *record = json_loads(line, 0, NULL);
    assert_non_null(record);
    check_record(record);
    json_decref(record);
    count++;
  }
  free(text);
  return count;
}

static void test_all_records(void **state) {
  (void)state;
  assert_int_equal(check_file("tests/data/golden/sat-traces.jsonl.xz"), 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_records)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
