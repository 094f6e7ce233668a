/* Experiments as text: ours say what the old tables said in numbers, a sweep is
 * every combination, what is not bounded is refused, and nothing is lost when
 * memory runs out at any place. */
#include "../faults.h"

#include <stdio.h>

#include "base/yaml.h"
#include "repro/experiments.h"

static sw_experiment_file file;

static int read_text(const char *text, sw_err *err) {
  return sw_experiment_file_read(&file, "x.yaml", text, strlen(text), 1, err);
}

static void must_fail(const char *text, const char *words) {
  sw_err err = {0};
  if (!read_text(text, &err)) fail_msg("accepted: %s", text);
  if (!strstr(err.text, words) && !strstr(err.hint, words))
    fail_msg("%s; %s, not: %s", err.text, err.hint, words);
}

#define REST                                   \
  "columns:\n- {id: a, search: {tokens: 9}}\n" \
  "- {id: b, card: steps, unit: \"\"}\n"       \
  "- {id: c, change: {of: b, minus: a}}\n"     \
  "rows:\n- {id: r, rule: clause+exact, domain: sat, paper: {c: \"1.5\"}}\n"

static void members_are_read(void **state) {
  (void)state;
  sw_err err = {0};
  if (read_text("title: T\nfinding: \"It has {r:b} of {r:c}.\"\nseeds: {small: "
                "2, paper: "
                "4}\nbeside: none\n" REST,
                &err))
    fail_msg("%s", err.text);
  const sw_experiment *e = file.experiment;
  assert_string_equal(e->id, "x");
  assert_int_equal(e->seeds[0], 2);
  assert_int_equal(e->seeds[1], 4);
  assert_int_equal(e->beside, SW_BESIDE_NONE);
  assert_string_equal(e->finding, "It has {r:1} of {r:2}.");
  assert_int_equal(sw_experiment_columns(e), 3);
  assert_string_equal(e->column[0].settings, "tokens=9");
  assert_null(e->column[0].unit);
  assert_string_equal(e->column[1].unit, "");
  assert_int_equal(e->column[1].source, SW_SOURCE_CARD);
  assert_int_equal(e->column[2].a, 1);
  assert_int_equal(e->column[2].b, 0);
  assert_string_equal(sw_row_paper(&e->row[0], 2), "1.5");
  assert_null(sw_row_paper(&e->row[0], 0));
  sw_experiment_file_free(&file);
}

static void a_sweep_is_every_combination(void **state) {
  (void)state;
  sw_err err = {0};
  if (read_text("title: T\n"
                "models:\n"
                "- {matrix: {m: [ssa, causal], n: [5, 6]}, id: \"{m}{n}\", "
                "domain: sat, traces: 9, gen: {n: \"{n}\"}, "
                "train: [{mask: \"{m}\", lr: 1}, {lr: 0.5}]}\n"
                "columns: [{id: s, search: {}}]\n"
                "rows:\n- {id: first, rule: clause+exact, domain: sat}\n"
                "- {matrix: {m: [ssa, causal], n: [5, 6]}, id: \"{m}-{n}\", "
                "model: \"{m}{n}\", note: \"{} {n m} {m}\"}\n"
                "- {id: last, rule: clause+exact, domain: sat}\n",
                &err))
    fail_msg("%s", err.text);
  static const char *const ids[] = {"first",    "ssa-5",    "ssa-6",
                                    "causal-5", "causal-6", "last"};
  const sw_experiment *e = file.experiment;
  assert_int_equal(sw_experiment_rows(e), 6);
  for (int i = 0; i < 6; i++) assert_string_equal(e->row[i].id, ids[i]);
  assert_string_equal(e->row[3].note, "{} {n m} causal");
  assert_string_equal(file.model[3].id, "causal6");
  assert_string_equal(file.model[3].gen, "n=6");
  assert_string_equal(file.model[3].train, "mask=causal lr=1 lr=0.5");
  /* four models, one domain and number of traces */
  assert_non_null(file.preset[0].name);
  assert_null(file.preset[1].name);
  sw_experiment_file_free(&file);
}

static void what_is_not_meant_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } wrong[] = {
      {"", "an empty file"},
      {"title: T\n", "`columns` is missing"},
      {"- a\n", "has members"},
      {"title: [a]\n" REST, ":1:8: `title` is one text"},
      {"title: T\nseeds: 0\n" REST, "from 1 to 100"},
      {"title: T\ntitle: U\n" REST, ":2:1: `title` comes twice"},
      {"title: &a T\n" REST, ":1:8: anchors"},
      {"title: *a\n" REST, "aliases"},
      {"title: !x T\n" REST, "tags"},
      {"title: \"a\\0b\"\n" REST, "NUL"},
      {"title: T\n" REST "---\na: b\n", "second document"},
      {"title: T\nid: ../x\n" REST, "cannot be an experiment's id"},
      {"title: T\nfigures:\n- {id: ../x, title: t, kind: bars}\n" REST,
       "small letters"},
      {"title: T\nrows: []\ncolumns:\n- {id: a, card: steps}\n", "0 rows"},
      {"title: T\ncolumns:\n- {id: a, card: steps}\n- {id: a, card: "
       "tokens}\nrows:\n- "
       "{id: r, rule: x}\n",
       "two columns"},
      {"title: T\ncolumns:\n- {id: a}\nrows: []\n", "where from?"},
      {"title: T\ncolumns:\n- {id: a, card: steps, search: {}}\nrows: []\n",
       "one source"},
      {"title: T\ncolumns:\n- {id: a, search: {tokens: \"1 2\"}}\nrows: []\n",
       "no blanks"},
      {"title: T\ncolumns:\n- {id: a, search: {verifier: oracel}}\nrows: []\n",
       "no verifier `oracel`"},
      {"title: T\ncolumns:\n- {id: a, measure: bnak, figure: x}\nrows: []\n",
       "no measure `bnak`"},
      {"title: T\ncolumns:\n- {id: a, search: {}, figure: x}\nrows: []\n",
       "no figure `x`"},
      {"title: T\ncolumns:\n- {id: a, search: {}, figure: repeats_rate}\nrows: "
       "[]\n",
       "did you mean repeat_rate?"},
      {"title: T\ncolumns:\n- {id: a, card: valid_los}\nrows: []\n",
       "did you mean valid_loss?"},
      {"title: T\ncolumns:\n- {id: a, measure: bank, figure: "
       "rebuilt.aurok}\nrows: []\n",
       "did you mean rebuilt.auroc?"},
      {"title: T\ncolumns:\n- {id: a, measure: verify, figure: "
       "bank.unexposed.auroc}\nrows: []\n",
       "no figure `bank.unexposed.auroc`"},
      {"title: T\ncolumns:\n- {id: a, measure: bank, figure: "
       "rebuilt}\nrows: []\n",
       "no number but a view"},
      {"title: T\ncolumns:\n- {id: a, measure: bank, figure: rebuilt.auroc, "
       "interval: rebuilt.auprc}\nrows: []\n",
       "no interval `rebuilt.auprc`"},
      {"title: T\nfinding: \"{r:d} of 3\"\n" REST, "no column `d`"},
      {"title: T\nfinding: \"{s:a} of 3\"\n" REST, "no row `s`"},
      {"title: T\nfinding: \"{r}\"\n" REST, "a number is {ROW:COLUMN}"},
      {"title: T\ncolumns:\n- {id: a, card: steps}\nrows:\n- {id: r}\n",
       "who is asked"},
      {"title: T\ncolumns:\n- {id: a, card: steps}\nrows:\n- {id: r, model: "
       "no}\n",
       "no model `no`"},
      {"title: T\ncolumns:\n- {id: a, card: steps}\nrows:\n- {id: r, rule: x, "
       "mask: sss}\n",
       "no mask `sss`"},
      {"title: T\nmodels:\n- {id: m, preset: no}\n" REST, "no preset `no`"},
      {"title: T\nmodels:\n- {id: m}\n" REST, "is missing"},
      {"title: T\nmodels:\n- {id: m, domain: sat, traces: 9, gen: {stacks: "
       "3}}\n" REST,
       "no option `stacks`"},
      {"title: T\nmodels:\n- {id: m, preset: quickstart, train: {lr: "
       "fast}}\n" REST,
       "is not a number"},
      {"title: T\nmodels:\n- {matrix: {a: []}, id: m, preset: "
       "quickstart}\n" REST,
       "has no value"},
      {"title: T\nmodels:\n- {matrix: {a: [1, 2]}, id: m, preset: "
       "quickstart}\n" REST,
       "two models"},
      {"title: [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]\n", "nested deeper"},
      {"title: T\ncolumns: [{id: a, card: steps}]\nrows:\n- {matrix: {a: [1, "
       "1, 1, "
       "1, 1, 1, 1, 1, 1, 1], b: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1], c: [1, 1, 1, "
       "1, 1, 1, 1, 1, 1, 1], d: [1, 2]}, id: r, rule: x}\n",
       "more than 1000"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    must_fail(wrong[i].text, wrong[i].words);
}

static void a_test_suits_its_column(void **state) {
  (void)state;
  sw_err err = {0};
  if (read_text("title: T\ncolumns:\n- {id: solved, search: {}}\n- {id: "
                "repeats, search: {}, figure: repeat_rate}\n- {id: auroc, "
                "measure: bank, figure: rebuilt.auroc}\nrows: [{id: a, rule: "
                "clause+exact, domain: sat}]\nstatistics:\n- {title: s, "
                "column: solved, a: a, b: a}\n- {title: r, column: repeats, a: "
                "a, b: a}\n- {title: b, column: auroc, a: a, b: a}\n- {title: "
                "w, test: welch-t, column: solved, a: a, b: a}\n",
                &err))
    fail_msg("%s", err.text);
  static const sw_test_kind kinds[] = {SW_TEST_INSTANCES, SW_TEST_PAIRED_T,
                                       SW_TEST_PAIRED_T, SW_TEST_WELCH_T};
  for (int i = 0; i < 4; i++)
    assert_int_equal(file.experiment->statistic[i].kind, kinds[i]);
  sw_experiment_file_free(&file);
}

static void ours_are_all_there(void **state) {
  (void)state;
  sw_err err = {0};
  if (sw_experiments_load(&err)) fail_msg("%s", err.text);
  assert_true(sw_experiment_count() >= 69);
  assert_string_equal(sw_experiments()[0]->id, "flagship");
  assert_string_equal(sw_quickstart_experiment()->id, "quickstart");
  const sw_trained *t = sw_trained_find("sat50e-ssa");
  assert_string_equal(t->preset[1], "sat-50-release");
  assert_string_equal(sw_mined_find("judge50-round1")->from, "judge50");
  assert_null(sw_mined_find("judge50"));
  size_t bytes;
  const char *text = sw_experiment_text("T1", &bytes); /* by another name */
  assert_true(bytes > 100 && strstr(text, "id: flagship"));
  assert_null(sw_experiment_text("none", &bytes));
}

static void a_users_file_counts_while_it_is_used(void **state) {
  (void)state;
  sw_err err = {0};
  assert_int_equal(
      read_text("title: T\nid: own\nmodels:\n- {id: quick-ssa, domain: sat, "
                "traces: 7, label: mine}\n" REST,
                &err),
      SW_OK);
  assert_null(sw_experiment_find("own"));
  sw_experiments_use(&file);
  assert_ptr_equal(sw_experiment_find("own"), file.experiment);
  assert_string_equal(sw_trained_find("quick-ssa")->label, "mine");
  assert_int_equal(sw_preset_find("sat-7")->traces, 7);
  sw_experiments_use(NULL);
  assert_null(sw_experiment_find("own"));
  assert_string_equal(sw_trained_find("quick-ssa")->label, "SSA");
  assert_null(sw_preset_find("sat-7"));
  sw_experiment_file_free(&file);
}

#ifndef NO_INJECTION
static int reads(uint64_t *result, sw_err *err) {
  size_t bytes;
  const char *text = sw_experiment_text("flagship", &bytes);
  SW_TRY(sw_experiment_file_read(&file, "flagship.yaml", text, bytes, 1, err));
  *result = (uint64_t)sw_experiment_rows(file.experiment);
  sw_experiment_file_free(&file);
  return SW_OK;
}
static void nothing(void) {}

static void memory_may_run_out(void **state) {
  (void)state;
  static const work w = {"an experiment read", reads, nothing};
  sw_err err = {0};
  assert_int_equal(sw_experiments_load(&err), SW_OK);
  faults_of_memory(&w);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_are_read),
      cmocka_unit_test(a_sweep_is_every_combination),
      cmocka_unit_test(what_is_not_meant_is_refused),
      cmocka_unit_test(a_test_suits_its_column),
      cmocka_unit_test(ours_are_all_there),
      cmocka_unit_test(a_users_file_counts_while_it_is_used),
#ifndef NO_INJECTION
      cmocka_unit_test(memory_may_run_out),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
