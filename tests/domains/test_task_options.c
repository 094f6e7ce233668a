/* The option tables of the domains: each has its own, refuses what belongs to
 * another with a hint, and reads what files of the shared table hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "domains/blocks/blocks_options.h"
#include "domains/domain.h"
#include "domains/parsing/parsing_options.h"
#include "domains/sat/sat_options.h"

static void every_option_is_set_and_written(void **state) {
  (void)state;
  for (int i = 0; sw_domains[i]; i++) {
    const sw_domain *d = sw_domains[i];
    sw_domain_options o, again;
    sw_err err = {0};
    assert_true(d->option_count > 0);
    sw_domain_defaults(d, &o);
    assert_int_equal(d->resolve(&o, &err), SW_OK);
    /* What came later is written only where it says something. */
    char *text = sw_domain_options_json(d, &o);
    assert_non_null(text);
    assert_null(strstr(text, "exclude-drawn"));
    assert_null(strstr(text, "grammar-hash"));
    free(text);
    sw_domain_options said = o;
    said.exclude_drawn = "7:3";
    if (!strcmp(d->name, "parsing"))
      sw_parsing_own_edit(&said)->grammar_hash = 7;
    text = sw_domain_options_json(d, &said);
    assert_non_null(text);
    for (int k = 0; k < d->option_count; k++) {
      const sw_option *row = &d->options[k];
      char quoted[64];
      snprintf(quoted, sizeof quoted, "\"%s\":", row->name);
      if (!strstr(text, quoted)) fail_msg("%s: no %s", d->name, quoted);
      /* Rows do not overlap: setting one leaves every other as it was. */
      for (int j = 0; j < d->option_count; j++)
        if (j != k) assert_int_not_equal(row->offset, d->options[j].offset);
    }
    free(text);
    again = o;
    assert_int_equal(d->resolve(&again, &err), SW_OK);
    assert_memory_equal(&o, &again, sizeof o);
  }
}

static void a_foreign_option_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *domain, *name, *value, *owner, *own;
  } row[] = {
      {"sat", "colors", "4", "coloring", "ratio"},
      {"sat", "exclude", "10", "blocks parsing trees", "reading"},
      {"coloring", "ratio", "4", "sat", "density"},
      {"blocks", "reading", "pedantic", "sat coloring", "stacks"},
      {"parsing", "error", "0.1", "sat blocks coloring", "grammar"},
      {"trees", "max-blocks", "4", "sat blocks coloring parsing", "arity"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const sw_domain *d = sw_domain_find(row[i].domain);
    sw_domain_options o, before;
    sw_err err = {0};
    sw_domain_defaults(d, &o);
    before = o;
    assert_int_equal(sw_domain_set(d, row[i].name, row[i].value, &o, &err),
                     SW_USAGE);
    assert_memory_equal(&o, &before, sizeof o);
    assert_non_null(strstr(err.text, row[i].name));
    if (!strstr(err.hint, row[i].owner) || !strstr(err.hint, row[i].own))
      fail_msg("%s --%s: hint `%s`", row[i].domain, row[i].name, err.hint);
  }
}

/* What a file of the shared table says about another domain's options. */
static void stored_options_of_others(void **state) {
  (void)state;
  const sw_domain *d = sw_domain_find("sat");
  static const char *const empty[][2] = {
      {"colors", "-1"}, {"stacks", "-1"},     {"grammar", ""},
      {"loss", ""},     {"max_blocks", "64"}, {"exclude", "0"}};
  static const char *const said[][2] = {
      {"colors", "4"}, {"grammar", "a.txt"}, {"exclude", "5000"}};
  sw_domain_options o;
  sw_err err = {0};
  sw_domain_defaults(d, &o);
  for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
    assert_int_equal(
        sw_domain_set_stored(d, empty[i][0], empty[i][1], &o, &err), SW_OK);
  assert_int_equal(o.max_blocks, 64);
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    assert_int_equal(sw_domain_set_stored(d, said[i][0], said[i][1], &o, &err),
                     SW_DATA);
  assert_int_equal(sw_domain_set_stored(d, "nonsense", "-1", &o, &err),
                   SW_DATA);
  /* Trees kept a limit of 0 blocks, which is none. */
  d = sw_domain_find("trees");
  sw_domain_defaults(d, &o);
  assert_int_equal(sw_domain_set_stored(d, "max-blocks", "0", &o, &err), SW_OK);
  assert_int_equal(sw_domain_set_stored(d, "max-blocks", "9", &o, &err),
                   SW_DATA);
}

/* The own structs of two domains share the room but not the meaning. */
static void own_values_stay_apart(void **state) {
  (void)state;
  const sw_domain *sat = sw_domain_find("sat"),
                  *blocks = sw_domain_find("blocks");
  sw_domain_options a, b;
  sw_err err = {0};
  sw_domain_defaults(sat, &a);
  sw_domain_defaults(blocks, &b);
  assert_int_equal(sw_domain_set(sat, "ratio", "3.5", &a, &err), SW_OK);
  assert_int_equal(sw_domain_set(sat, "retry-mark", "1", &a, &err), SW_OK);
  assert_int_equal(sw_domain_set(blocks, "stacks", "4", &b, &err), SW_OK);
  sw_domain_options copy = a;
  assert_true(sw_sat_own(&copy)->ratio == 3.5);
  assert_int_equal(sw_sat_own(&copy)->retry_mark, 1);
  assert_true(sw_sat_own(&copy)->error == -1);
  assert_int_equal(sw_blocks_own(&b)->stacks, 4);
  assert_int_equal(sw_domain_set(sat, "ratio", "101", &a, &err), SW_USAGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_option_is_set_and_written),
      cmocka_unit_test(a_foreign_option_is_refused),
      cmocka_unit_test(stored_options_of_others),
      cmocka_unit_test(own_values_stay_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
