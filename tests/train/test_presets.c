/* Presets are data: every row must name a domain, resolve under it, set only
 * options that exist, and carry a unique name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "domains/produce.h"
#include "train/preset.h"

static void every_row_is_valid(void **state) {
  (void)state;
  assert_true(sw_preset_count > 0);
  for (int i = 0; i < sw_preset_count; i++) {
    const sw_preset *p = &sw_presets[i];
    sw_err err = {0};
    const sw_domain *domain = sw_domain_find(p->domain);
    assert_non_null(domain);
    sw_domain_options options;
    sw_domain_defaults(domain, &options);
    if (sw_apply_settings(domain->options, domain->option_count,
                          p->domain_settings, NULL, &options, &err) ||
        domain->resolve(&options, &err))
      fail_msg("%s: %s", p->name, err.text);
    sw_train_options train;
    sw_options_defaults(sw_train_table, sw_train_table_count, &train);
    if (sw_apply_settings(sw_train_table, sw_train_table_count,
                          p->train_settings, NULL, &train, &err))
      fail_msg("%s: %s", p->name, err.text);
    assert_true(p->traces > 0);
    for (int j = 0; j < i; j++)
      assert_string_not_equal(p->name, sw_presets[j].name);
  }
}

static void given_options_come_before_the_preset(void **state) {
  (void)state;
  sw_train_options train;
  unsigned char given[256] = {0};
  char data[256];
  sw_err err = {0};
  sw_options_defaults(sw_train_table, sw_train_table_count, &train);
  for (int i = 0; i < sw_train_table_count; i++)
    given[i] = !strcmp(sw_train_table[i].name, "d");
  train.d = 64;
  assert_int_equal(
      sw_preset_apply("sat-50-fair", given, &train, data, sizeof data, &err),
      SW_OK);
  assert_int_equal(train.d, 64);
  assert_int_equal(train.layers, 2);
  assert_string_equal(train.data, "out/data/sat-50-fair-42.safetensors");
  assert_int_equal(
      sw_preset_apply("sat-50-fare", given, &train, data, sizeof data, &err),
      SW_USAGE);
  assert_non_null(strstr(err.hint, "sat-50-fair"));
}

/* parsing-fair has a table for its own positions; rotary ones have none. */
static void the_presets_table_goes_with_its_positions(void **state) {
  (void)state;
  sw_train_options train;
  unsigned char given[256] = {0};
  char data[256];
  sw_err err = {0};
  static const struct {
    const char *kind;
    int given_table, table;
  } row[] = {{"rotary", 0, 0},
             {"none", 0, 0},
             {"block-relative", 0, 1024},
             {"rotary", 77, 77}}; /* told when training begins */
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    sw_options_defaults(sw_train_table, sw_train_table_count, &train);
    train.position_kind = row[k].kind;
    train.table = row[k].given_table;
    for (int i = 0; i < sw_train_table_count; i++)
      given[i] =
          !strcmp(sw_train_table[i].name, "position-kind") ||
          (row[k].given_table && !strcmp(sw_train_table[i].name, "table"));
    assert_int_equal(
        sw_preset_apply("parsing-fair", given, &train, data, sizeof data, &err),
        SW_OK);
    assert_int_equal(train.table, row[k].table);
  }
}

/* A data set of before must not stand for the preset of now. */
static void a_data_set_of_other_options_is_refused(void **state) {
  (void)state;
  const sw_produce_hooks hooks = {0};
  const sw_preset *found = sw_preset_find("coloring-20-fair");
  char directory[] = "/tmp/statewise-preset-XXXXXX", path[128];
  sw_err err = {0};
  assert_non_null(found);
  assert_non_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/data.safetensors", directory);
  sw_preset now = *found;
  now.traces = 3;
  assert_int_equal(sw_preset_data(&now, path, 42, NULL, &hooks, &err), SW_OK);
  assert_int_equal(sw_preset_data(&now, path, 42, NULL, &hooks, &err), SW_OK);
  sw_preset other = now;
  other.traces = 4;
  assert_int_equal(sw_preset_data(&other, path, 42, NULL, &hooks, &err),
                   SW_DATA);
  assert_non_null(strstr(err.text, "3 traces, not 4"));
  other = now;
  other.domain_settings = (const char *const[]){
      "preset", "fair", "loss",    "action", "expert", "first",
      "n",      "20",   "density", "0.4",    NULL};
  assert_int_equal(sw_preset_data(&other, path, 42, NULL, &hooks, &err),
                   SW_DATA);
  assert_non_null(strstr(err.text, "density 0.5, not 0.4"));
  assert_non_null(strstr(err.text, path));
  other.domain = "parsing";
  other.domain_settings = (const char *const[]){"preset", "fair", NULL};
  assert_int_equal(sw_preset_data(&other, path, 42, NULL, &hooks, &err),
                   SW_DATA);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(directory), 0);
}

/* Takes `"name": value, ` out of the metadata of a data set, as if it had been
 * written before the option came; the header keeps its length. */
static void forget_option(const char *path, const char *member) {
  char *text;
  size_t bytes, length = strlen(member);
  sw_err err = {0};
  assert_int_equal(sw_read_file(path, 0, &text, &bytes, &err), SW_OK);
  char *at = memmem(text, bytes, member, length);
  assert_non_null(at);
  memset(at, ' ', length);
  assert_int_equal(sw_write_file(path, text, bytes, &err), SW_OK);
  free(text);
}

/* An option that the file does not know of is at its default there. */
static void an_option_that_came_later_counts(void **state) {
  (void)state;
  const sw_produce_hooks hooks = {0};
  const sw_preset *found = sw_preset_find("sat-12-fair");
  char directory[] = "/tmp/statewise-preset-XXXXXX", path[128];
  sw_err err = {0};
  assert_non_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/data.safetensors", directory);
  sw_preset now = *found, other;
  now.traces = 3;
  assert_int_equal(sw_preset_data(&now, path, 42, NULL, &hooks, &err), SW_OK);
  forget_option(path, "\\\"layout\\\": \\\"prefix\\\", ");
  forget_option(path, "\\\"retry-mark\\\": 1, ");
  assert_int_equal(sw_preset_data(&now, path, 42, NULL, &hooks, &err), SW_OK);
  other = now;
  other.domain_settings = (const char *const[]){"preset", "fair",   "n", "12",
                                                "layout", "reread", NULL};
  assert_int_equal(sw_preset_data(&other, path, 42, NULL, &hooks, &err),
                   SW_DATA);
  assert_non_null(strstr(err.text, "layout \"prefix\", not \"reread\""));
  other.domain_settings = (const char *const[]){"preset",     "fair", "n", "12",
                                                "retry-mark", "0",    NULL};
  assert_int_equal(sw_preset_data(&other, path, 42, NULL, &hooks, &err),
                   SW_DATA);
  assert_non_null(strstr(err.text, "retry-mark 1, not 0"));
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(directory), 0);
}

/* A preset that learns verdicts needs them in the traces that are there. */
static void traces_without_verdicts_are_refused(void **state) {
  (void)state;
  const sw_produce_hooks hooks = {0};
  const sw_preset *found = sw_preset_find("sat-12-fair");
  char directory[] = "/tmp/statewise-preset-XXXXXX", path[128];
  sw_err err = {0};
  assert_non_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/data.safetensors", directory);
  sw_preset plain = *found, judged;
  plain.traces = 3;
  judged = plain;
  judged.train_settings = (const char *const[]){"verify", "1", NULL};
  assert_int_equal(sw_preset_data(&plain, path, 42, NULL, &hooks, &err), SW_OK);
  assert_int_equal(sw_preset_data(&judged, path, 42, NULL, &hooks, &err),
                   SW_DATA);
  assert_non_null(strstr(err.text, "not judged"));
  assert_int_equal(unlink(path), 0);
  assert_int_equal(sw_preset_data(&judged, path, 42, NULL, &hooks, &err),
                   SW_OK);
  assert_int_equal(sw_preset_data(&judged, path, 42, NULL, &hooks, &err),
                   SW_OK);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(directory), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_valid),
      cmocka_unit_test(given_options_come_before_the_preset),
      cmocka_unit_test(the_presets_table_goes_with_its_positions),
      cmocka_unit_test(a_data_set_of_other_options_is_refused),
      cmocka_unit_test(an_option_that_came_later_counts),
      cmocka_unit_test(traces_without_verdicts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
