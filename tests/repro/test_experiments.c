/* Experiments are data: every one must name models, presets, measures, figures
 * and rules that exist, set only options that exist, carry one paper's figure
 * per column, and be found by its id and its other names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "probe/measure.h"
#include "repro/experiments.h"
#include "repro/figure.h"
#include "repro/job.h"
#include "repro/settings.h"
#include "search/condition.h"
#include "train/preset.h"

#define EACH(e) \
  for (const sw_experiment *const *at = sw_experiments(), *e; (e = *at); at++)

static void settings_exist(const char *where, const char *text,
                           const sw_option *table, int count) {
  sw_settings s;
  sw_err err = {0};
  if (sw_settings_read(&s, text, NULL, &err))
    fail_msg("%s: %s", where, err.text);
  for (int i = 0; i < s.count; i++)
    if (!sw_options_find(table, count, s.pair[2 * i]))
      fail_msg("%s: there is no option `%s`", where, s.pair[2 * i]);
  sw_settings_free(&s);
}

/* A measure also takes the options of a domain: on which task it asks. */
static void measure_settings_exist(const char *where, const char *text,
                                   const sw_measure *measure) {
  sw_settings s;
  sw_err err = {0};
  if (sw_settings_read(&s, text, NULL, &err))
    fail_msg("%s: %s", where, err.text);
  for (int i = 0; i < s.count; i++) {
    const char *name = s.pair[2 * i];
    int known =
        sw_options_find(measure->options, measure->option_count, name) != NULL;
    for (int d = 0; sw_domains[d] && !known; d++)
      known = sw_options_find(sw_domains[d]->options,
                              sw_domains[d]->option_count, name) != NULL;
    if (!known) fail_msg("%s: there is no option `%s`", where, name);
  }
  sw_settings_free(&s);
}

static const sw_domain *domain_of(const sw_trained *t) {
  const sw_preset *preset = sw_preset_find(t->preset[0]);
  return preset ? sw_domain_find(preset->domain) : NULL;
}

static void the_matrix_can_be_trained(void **state) {
  (void)state;
  int rows = 0;
  for (const sw_trained *t = sw_matrix(); t->id; t++, rows++) {
    assert_ptr_equal(sw_trained_find(t->id), t); /* ids are unique */
    const sw_domain *domain = domain_of(t);
    if (!domain) fail_msg("%s: no preset %s", t->id, t->preset[0]);
    if (t->preset[1] && !sw_preset_find(t->preset[1]))
      fail_msg("%s: no preset %s", t->id, t->preset[1]);
    settings_exist(t->id, t->gen, domain->options, domain->option_count);
    settings_exist(t->id, t->train, sw_train_table, sw_train_table_count);
    settings_exist(t->id, t->recipe, sw_train_table, sw_train_table_count);
    const char *first = t->train ? strstr(t->train, "init=#") : NULL;
    if (first && !sw_trained_find(first + strlen("init=#")))
      fail_msg("%s begins with no model: %s", t->id, first);
    assert_true(t->hours[0] > 0 && t->hours[1] > 0);
    assert_non_null(t->label);
  }
  assert_true(rows > 60);
  assert_null(sw_trained_find("nothing"));
}

/* What a row of the matrix trains, in every option: its preset, what is
 * generated, and the effective training options but the label. */
static char *training_of(const sw_trained *t) {
  sw_err err = {0};
  sw_train_options train;
  sw_settings s;
  sw_json json;
  sw_options_defaults(sw_train_table, sw_train_table_count, &train);
  const sw_preset *preset = sw_preset_find(t->preset[0]);
  if (sw_apply_settings(sw_train_table, sw_train_table_count,
                        preset->train_settings, NULL, &train, &err) ||
      sw_settings_read(&s, t->train, t->recipe, &err) ||
      sw_apply_settings(sw_train_table, sw_train_table_count, s.pair, NULL,
                        &train, &err))
    fail_msg("%s: %s", t->id, err.text);
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "preset", t->preset[0]);
  sw_json_string(&json, "gen", t->gen ? t->gen : "");
  sw_options_json(sw_train_table, sw_train_table_count, &train, &json);
  sw_json_end(&json);
  assert_false(json.failed);
  sw_settings_free(&s);
  return json.text; /* free() it */
}

static void every_row_trains_something_else(void **state) {
  (void)state;
  for (const sw_trained *a = sw_matrix(); a->id; a++) {
    if (a->needs) continue;
    char *mine = training_of(a);
    for (const sw_trained *b = sw_matrix(); b < a; b++) {
      if (b->needs) continue;
      char *other = training_of(b);
      if (!strcmp(mine, other))
        fail_msg("%s and %s train the same", a->id, b->id);
      free(other);
    }
    free(mine);
  }
}

static int same(const char *a, const char *b) {
  return a && b ? !strcmp(a, b) : a == b;
}

static void every_row_asks_something_else(void **state) {
  (void)state;
  EACH(e)
  for (int r = 0; e->row[r].id; r++)
    for (int k = 0; k < r; k++) {
      const sw_repro_row *a = &e->row[r], *b = &e->row[k];
      if (same(a->model, b->model) && same(a->rule, b->rule) &&
          same(a->search, b->search) && same(a->test, b->test) &&
          same(a->mask, b->mask) && same(a->positions, b->positions) &&
          same(a->at, b->at) &&
          (!a->columns || !b->columns || a->columns & b->columns))
        fail_msg("%s: %s and %s are the same", e->id, a->id, b->id);
    }
}

static void columns_exist(const sw_experiment *e) {
  int columns = sw_experiment_columns(e);
  assert_in_range(columns, 1, 31);
  for (int i = 0; i < columns; i++) {
    const sw_repro_column *c = &e->column[i];
    const sw_measure *measure = c->probe ? sw_measure_find(c->probe) : NULL;
    for (int k = 0; k < i; k++) /* cells are found by title */
      assert_string_not_equal(c->title, e->column[k].title);
    const sw_figure *figure = sw_column_figure(c);
    if (!sw_column_follows(c) && (!figure || !sw_figure_is_number(figure)))
      fail_msg("%s: no figure %s", e->id, c->figure);
    if (c->source == SW_SOURCE_SEARCH) {
      settings_exist(e->id, c->settings, sw_condition_table,
                     sw_condition_table_count);
    } else if (c->source == SW_SOURCE_PROBE) {
      if (!measure) fail_msg("%s: no measure %s", e->id, c->probe);
      measure_settings_exist(e->id, c->settings, measure);
      assert_non_null(c->figure);
    } else if (c->source == SW_SOURCE_CHANGE) {
      assert_true(c->a != i && c->b != i && c->a < i && c->b < i);
    } else if (c->source == SW_SOURCE_GAP) {
      assert_true(c->a < i && c->from && c->to);
    } else assert_non_null(c->figure);
  }
}

/* `#ID` in a row's verifier is a model of the matrix that judges states. */
static void judge_exists(const sw_repro_row *row) {
  const char *mark = row->search ? strchr(row->search, '#') : NULL;
  char id[64];
  if (!mark) return;
  snprintf(id, sizeof id, "%.*s", (int)strcspn(mark + 1, ":)+ "), mark + 1);
  const sw_trained *t = sw_trained_find(id);
  if (!t) fail_msg("%s: no model %s", row->id, id);
  const sw_preset *preset = sw_preset_find(t->preset[0]);
  int verdicts = 0;
  for (const char *const *s = preset->train_settings; *s; s += 2)
    verdicts |= !strcmp(s[0], "verify");
  if (!verdicts) fail_msg("%s: %s learns no verdict", row->id, id);
}

static void rows_exist(const sw_experiment *e) {
  assert_true(sw_experiment_rows(e) > 0);
  for (int r = 0; e->row[r].id; r++) {
    const sw_repro_row *row = &e->row[r];
    const sw_trained *t = row->model ? sw_trained_find(row->model) : NULL;
    for (int k = 0; k < r; k++) assert_string_not_equal(row->id, e->row[k].id);
    assert_non_null(row->label);
    const sw_domain *named =
        row->shipped || row->domain
            ? sw_domain_find(row->domain ? row->domain : row->shipped)
            : NULL;
    if ((row->model != NULL) + (row->rule != NULL) + (row->shipped != NULL) !=
        1)
      fail_msg("%s: a model, a rule or a shipped model", row->id);
    if ((row->shipped || row->domain) && !named)
      fail_msg("%s: no such domain", row->id);
    if (named)
      settings_exist(row->id, row->test, named->options, named->option_count);
    if (named && row->rule && sw_rule_find(named, row->rule) < 0)
      fail_msg("%s: no rule %s", row->id, row->rule);
    if (row->model && !t) fail_msg("%s: no model %s", e->id, row->model);
    settings_exist(row->id, row->search, sw_condition_table,
                   sw_condition_table_count);
    if (t)
      settings_exist(row->id, row->test, domain_of(t)->options,
                     domain_of(t)->option_count);
    judge_exists(row);
    if (row->mask) assert_true(sw_mask_from_name(row->mask) >= 0);
    if (row->positions) assert_true(sw_position_from_name(row->positions) >= 0);
  }
}

static void every_experiment_resolves(void **state) {
  (void)state;
  EACH(e) {
    columns_exist(e);
    rows_exist(e);
    assert_ptr_equal(sw_experiment_find(e->id), e); /* ids are unique */
    assert_non_null(e->place);
    assert_non_null(e->section);
    assert_true(e->seeds[0] >= 1 && e->seeds[1] >= 1);
    for (int c = 0; e->curve && e->curve[c].id; c++)
      for (int s = 0; e->curve[c].series[s].prefix; s++) {
        const char *prefix = e->curve[c].series[s].prefix;
        int rows = 0;
        for (int r = 0; e->row[r].id; r++)
          rows += !strncmp(e->row[r].id, prefix, strlen(prefix));
        /* a fit needs points; without one a single row is a mark */
        if (rows < (e->curve[c].series[s].bound < 0 ? 1 : 3))
          fail_msg("%s: %d rows of %s", e->id, rows, prefix);
      }
    for (int s = 0; e->statistic && e->statistic[s].title; s++) {
      const sw_repro_statistic *t = &e->statistic[s];
      const char *const names[] = {t->a, t->b, t->c, t->d};
      for (int k = 0; k < (t->kind == SW_TEST_INTERACTION ? 4 : 2); k++) {
        int known = 0;
        assert_non_null(names[k]);
        for (int r = 0; e->row[r].id; r++)
          known |= !strcmp(e->row[r].id, names[k]);
        if (!known) fail_msg("%s: no row %s", t->title, names[k]);
      }
      assert_true(t->column < sw_experiment_columns(e));
    }
  }
  assert_null(sw_experiment_find("nothing"));
  assert_string_equal(sw_experiment_find("quickstart")->id, "quickstart");
}

/* 29 tables, and the eight figures that have numbers, each once. */
static void the_whole_paper_is_there(void **state) {
  (void)state;
  static const char *const figures[] = {
      "pk-sweep",           "bfs-dfs",
      "protocol-response",  "fp-fn-asymmetry",
      "alpha-v-cliff",      "perseed",
      "length_ood_holdout", "length_ood_padding_control"};
  static const char *const ids[] = {"flagship",        "sat-50",
                                    "sat-30",          "histories",
                                    "coloring-30",     "coloring-50",
                                    "blocks-5",        "blocks-7",
                                    "parsing",         "verifier-swap",
                                    "bounded-sidecar", "corruption",
                                    "oracle-bound",    "isolated-verification",
                                    "cliff",           "rivals"};
  const sw_experiment *seen[40] = {0};
  for (int i = 1; i <= 29; i++) {
    char name[8];
    snprintf(name, sizeof name, "T%d", i);
    seen[i] = sw_experiment_find(name);
    if (!seen[i]) fail_msg("no table %s", name);
    for (int k = 1; k < i; k++) assert_ptr_not_equal(seen[i], seen[k]);
  }
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    const sw_experiment *e = sw_experiment_find(figures[i]);
    if (!e) fail_msg("no figure %s", figures[i]);
    assert_true(e->figure || e->curve);
  }
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
    if (!sw_experiment_find(ids[i])) fail_msg("no experiment %s", ids[i]);
}

/* "93.4 ± 2.3" or "93.4": a number, then at most a deviation. */
static int is_figure(const char *text, int share) {
  char *end;
  double mean = strtod(text, &end);
  if (end == text || (share && (mean < -100 || mean > 100))) return 0;
  if (!*end) return 1;
  if (strncmp(end, " ± ", strlen(" ± "))) return 0;
  text = end + strlen(" ± ");
  double sd = strtod(text, &end);
  return end != text && !*end && sd >= 0;
}

static void figures_are_numbers_of_a_column(void **state) {
  (void)state;
  int figures = 0;
  EACH(e) {
    int columns = sw_experiment_columns(e);
    for (int r = 0; e->row[r].id; r++) {
      const char *const *paper = e->row[r].paper;
      int count = 0;
      while (paper && !(paper[count] && !*paper[count])) count++;
      /* behind the paper's columns may stand what a search costs (COSTS) */
      const char *next = count < columns ? e->column[count].figure : NULL;
      if (paper && count != columns && (!next || strcmp(next, "timeout_rate")))
        fail_msg("%s, %s: %d figures for %d columns", e->id, e->row[r].id,
                 count, columns);
      for (int c = 0; c < columns; c++) {
        const char *text = sw_row_paper(&e->row[r], c);
        if (!text) continue;
        figures++;
        if (!is_figure(text, !e->column[c].unit))
          fail_msg("%s, %s: `%s`", e->id, e->row[r].id, text);
        assert_true(sw_row_has(&e->row[r], c));
      }
    }
  }
  assert_true(figures > 250);
}

static int has_paper(const sw_experiment *e, const char *figure) {
  for (int r = 0; e->row[r].id; r++)
    for (int c = 0; e->column[c].title; c++) {
      const char *own = sw_row_paper(&e->row[r], c);
      if (own && !strcmp(own, figure)) return 1;
    }
  return 0;
}

/* What is not judged where it stands is judged where it says. */
static void a_number_is_judged_somewhere(void **state) {
  (void)state;
  int elsewhere = 0;
  EACH(e) {
    if (!e->judged_in) continue;
    const sw_experiment *judge = sw_experiment_find(e->judged_in);
    if (!judge || judge->judged_in) fail_msg("%s: not judged", e->id);
    for (int r = 0; e->row[r].id; r++)
      for (int c = 0; e->column[c].title; c++) {
        const char *figure = sw_row_paper(&e->row[r], c);
        elsewhere += figure != NULL;
        if (figure && !has_paper(judge, figure))
          fail_msg("%s, %s: %s is not in %s", e->id, e->row[r].id, figure,
                   judge->id);
      }
  }
  assert_true(elsewhere > 100);
}

/* Rows that are kept elsewhere are the same there, columns too. */
static void what_is_drawn_is_there(void **state) {
  (void)state;
  EACH(e) {
    if (!e->drawn_from) continue;
    const sw_experiment *from = sw_experiment_find(e->drawn_from);
    assert_true(from && !from->drawn_from && from->seeds[0] == e->seeds[0]);
    for (int c = 0; e->column[c].title; c++) {
      assert_string_equal(e->column[c].title, from->column[c].title);
      assert_string_equal(e->column[c].settings, from->column[c].settings);
    }
    for (int r = 0; e->row[r].id; r++) {
      const sw_repro_row *other = NULL;
      for (int k = 0; from->row[k].id; k++)
        if (!strcmp(from->row[k].id, e->row[r].id)) other = &from->row[k];
      if (!other || !same(other->search, e->row[r].search) ||
          !same(other->shipped, e->row[r].shipped) ||
          !same(other->test, e->row[r].test))
        fail_msg("%s: row %s is another in %s", e->id, e->row[r].id, from->id);
    }
  }
}

/* Cells that once stood beside numbers of something else. */
static void the_papers_numbers_are_of_what_is_measured(void **state) {
  (void)state;
  const sw_experiment *e = sw_experiment_find("T21");
  for (int r = 0; e->row[r].id; r++) {
    assert_null(sw_row_paper(&e->row[r], 0)); /* accuracy is of colours */
    assert_null(sw_row_paper(&e->row[r], 1));
    assert_non_null(sw_row_paper(&e->row[r], 6)); /* false backtracks */
  }
  e = sw_experiment_find("T4");
  assert_string_equal(e->row[1].id, "causal");
  assert_null(sw_row_paper(&e->row[1], 3));
  assert_null(sw_row_paper(&e->row[1], 4));
  e = sw_experiment_find("T8");
  for (int i = 0; e->statistic[i].title; i++)
    if (e->statistic[i].paper && !strcmp(e->statistic[i].paper, "71.1")) {
      assert_string_equal(e->statistic[i].a, "enriched-oracle");
      assert_string_equal(e->statistic[i].b, "enriched-propagation");
    }
  e = sw_experiment_find("T7");
  for (int r = 0; e->row[r].id; r++) /* stream 42, as ours */
    if (!strcmp(e->row[r].id, "ssa-50-cum"))
      assert_string_equal(sw_row_paper(&e->row[r], 0), "28.9 ± 1.9");
}

static void seeds_come_in_the_papers_order(void **state) {
  (void)state;
  static const int64_t first[] = {42, 123, 456, 789, 2024, 2025, 2026};
  for (int i = 0; i < 7; i++) assert_int_equal(sw_repro_seed(i), first[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_matrix_can_be_trained),
      cmocka_unit_test(every_row_trains_something_else),
      cmocka_unit_test(every_row_asks_something_else),
      cmocka_unit_test(every_experiment_resolves),
      cmocka_unit_test(the_whole_paper_is_there),
      cmocka_unit_test(figures_are_numbers_of_a_column),
      cmocka_unit_test(a_number_is_judged_somewhere),
      cmocka_unit_test(what_is_drawn_is_there),
      cmocka_unit_test(the_papers_numbers_are_of_what_is_measured),
      cmocka_unit_test(seeds_come_in_the_papers_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
