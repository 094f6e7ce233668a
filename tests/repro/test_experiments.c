/* Experiments are data: every one must name a preset and a policy that exist,
 * set only options that exist, and carry figures that are numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "repro/experiment.h"
#include "search/score.h"
#include "train/preset.h"

static int columns_of(const sw_experiment *e) {
  int columns = 0;
  while (e->column[columns].title) columns++;
  return columns;
}

static void every_experiment_resolves(void **state) {
  (void)state;
  assert_true(sw_experiment_count > 0);
  for (int i = 0; i < sw_experiment_count; i++) {
    const sw_experiment *e = &sw_experiments[i];
    sw_err err = {0};
    const sw_preset *preset = sw_preset_find(e->preset);
    assert_non_null(preset);
    const sw_domain *domain = sw_domain_find(preset->domain);
    assert_non_null(domain);
    if (sw_rule_find(domain, e->policy) < 0)
      fail_msg("%s: no policy %s", e->id, e->policy);
    sw_domain_options options;
    sw_domain_defaults(domain, &options);
    if (e->test && sw_apply_settings(domain->options, domain->option_count,
                                     e->test, NULL, &options, &err))
      fail_msg("%s: %s", e->id, err.text);
    assert_in_range(columns_of(e), 1, SW_REPRO_COLUMNS);
    for (int c = 0; e->column[c].title; c++) {
      sw_condition_options loop;
      sw_condition_defaults(&loop);
      if (sw_apply_settings(sw_condition_table, sw_condition_table_count,
                            e->column[c].loop, NULL, &loop, &err))
        fail_msg("%s, %s: %s", e->id, e->column[c].title, err.text);
    }
    assert_ptr_equal(sw_experiment_find(e->id), e); /* ids are unique */
  }
  assert_null(sw_experiment_find("nothing"));
}

/* Two rows whose settings give the same training options, in every option of
 * the table but the label. */
static int same_training(const sw_repro_row *a, const sw_repro_row *b) {
  char *text[2];
  for (int i = 0; i < 2; i++) {
    sw_err err = {0};
    sw_train_options train;
    sw_json json;
    sw_options_defaults(sw_train_table, sw_train_table_count, &train);
    if (sw_apply_settings(sw_train_table, sw_train_table_count,
                          (i ? b : a)->train, NULL, &train, &err))
      fail_msg("%s", err.text);
    train.label = NULL;
    sw_json_to_text(&json);
    sw_json_object(&json, NULL);
    sw_options_json(sw_train_table, sw_train_table_count, &train, &json);
    sw_json_end(&json);
    assert_false(json.failed);
    text[i] = strdup(json.text);
    sw_json_free(&json);
  }
  int same = strcmp(text[0], text[1]) == 0;
  free(text[0]);
  free(text[1]);
  return same;
}

static void every_row_trains_something_else(void **state) {
  (void)state;
  for (int i = 0; i < sw_experiment_count; i++) {
    const sw_experiment *e = &sw_experiments[i];
    assert_non_null(e->row[0].id);
    for (int r = 0; e->row[r].id; r++) {
      sw_err err = {0};
      sw_train_options train;
      sw_options_defaults(sw_train_table, sw_train_table_count, &train);
      if (sw_apply_settings(sw_train_table, sw_train_table_count,
                            e->row[r].train, NULL, &train, &err))
        fail_msg("%s, %s: %s", e->id, e->row[r].id, err.text);
      assert_true(sw_mask_from_name(train.mask) >= 0);
      for (int other = 0; other < r; other++) {
        assert_string_not_equal(e->row[r].id, e->row[other].id);
        if (same_training(&e->row[r], &e->row[other]))
          fail_msg("%s: %s and %s train the same", e->id, e->row[r].id,
                   e->row[other].id);
      }
    }
  }
}

/* "93.4 ± 2.3" or "93.4": a percentage, then at most a deviation. */
static int is_figure(const char *text) {
  char *end;
  double mean = strtod(text, &end);
  if (end == text || mean < 0 || mean > 100) return 0;
  if (!*end) return 1;
  if (strncmp(end, " ± ", strlen(" ± "))) return 0;
  text = end + strlen(" ± ");
  double sd = strtod(text, &end);
  return end != text && !*end && sd >= 0 && sd < 100;
}

static void figures_are_numbers_of_a_column(void **state) {
  (void)state;
  int figures = 0;
  for (int i = 0; i < sw_experiment_count; i++) {
    const sw_experiment *e = &sw_experiments[i];
    for (int r = 0; e->row[r].id; r++)
      for (int c = 0; c < SW_REPRO_COLUMNS; c++) {
        const char *paper = e->row[r].paper[c];
        if (!paper) continue;
        figures++;
        assert_true(c < columns_of(e));
        if (!is_figure(paper))
          fail_msg("%s, %s: `%s`", e->id, e->row[r].id, paper);
      }
  }
  assert_true(figures > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_experiment_resolves),
      cmocka_unit_test(every_row_trains_something_else),
      cmocka_unit_test(figures_are_numbers_of_a_column),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
