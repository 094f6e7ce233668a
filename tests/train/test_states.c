/* States of traces as numbers: records are what the tokens say, in every format
 * that has an environment; the published columns are where they were published;
 * what cannot be read is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../tiny_run.h"
#include "domains/produce.h"
#include "domains/sat/sat_env.h"
#include "domains/sat/tokens.h"
#include "train/records.h"
#include "train/trainer.h"

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

static char *directory;
static int setup(void **state) {
  (void)state;
  directory = tiny_run_directory();
  return directory ? 0 : -1;
}
static int teardown(void **state) {
  (void)state;
  tiny_run_remove(directory);
  return 0;
}

/* A data set of a few traces; settings are NAME VALUE pairs, NULL at the end.
 */
static void open_data(sw_dataset *set, const char *name, int traces,
                      const char *const *settings) {
  sw_err err = {0};
  char path[1200];
  const sw_domain *domain = sw_domain_find(name);
  sw_domain_options o;
  sw_produce_options produce = {.count = traces, .seed = 11, .threads = 1};
  sw_produce_stats stats;
  snprintf(path, sizeof path, "%s/data.safetensors", directory);
  sw_domain_defaults(domain, &o);
  for (int i = 0; settings && settings[i]; i += 2)
    must(sw_domain_set(domain, settings[i], settings[i + 1], &o, &err), &err);
  must(domain->resolve(&o, &err), &err);
  must(sw_produce(domain, &o, &produce, path, NULL, &stats, &err), &err);
  must(sw_dataset_open(set, path, &err), &err);
}

/* ---- the published columns, derived by hand ---- */

/* (0 or not 1 or 2) and (1 or 3 or not 0) and (not 1 or not 2 or not 3). */
static sw_instance *formula(void) {
  static const int32_t start[] = {0, 3, 6, 9},
                       literal[] = {0, 3, 4, 2, 6, 1, 3, 5, 7};
  sw_err err = {0};
  sw_instance *f;
  must(sw_sat_instance_new(&f, 4, 3, start, literal, NULL, &err), &err);
  return f;
}

static void choose(sw_env *env, sw_trace *t, int variable, int value) {
  const sw_search_ops *s = sw_domain_find("sat")->search;
  if (s->prompt(env, t) != SW_ENV_QUERY) fail_msg("no query");
  if (variable < 0) {
    s->go_back(env, t);
    return;
  }
  s->feed(env, SW_SAT_VARIABLE + variable, t);
  s->feed(env, value ? SW_SAT_T : SW_SAT_F, t);
}

static void published_by_hand(void **state) {
  (void)state;
  sw_err err = {0};
  const sw_domain *sat = sw_domain_find("sat");
  const sw_state_ops *ops = sat->state;
  sw_domain_options o;
  sw_rules rules = {0};
  sw_env *env;
  sw_trace t;
  sw_instance *f = formula();
  sw_state_layout l = {.set = SW_FEATURES_PUBLISHED, .step = 1, .n = 5, .m = 4};
  char bytes[256] = {0};
  float x[100];
  sw_domain_defaults(sat, &o);
  must(sw_domain_set(sat, "format", "lexical", &o, &err), &err);
  must(sat->resolve(&o, &err), &err);
  must(sat->search->env_new(&env, &o, &rules, &err), &err);
  must(sat->search->env_reset(env, f, &err), &err);
  sw_trace_init(&t);
  sat->search->write_prefix(env, &t);
  /* Variable 1 true, variable 0 true: nothing is forced. Back: 0 is open and
   * may only be false. */
  choose(env, &t, 1, 1);
  choose(env, &t, 0, 1);
  choose(env, &t, -1, 0);
  assert_true(ops->bytes(f) <= sizeof bytes);
  ops->capture(env, bytes);
  must(ops->layout(&l, &err), &err);
  assert_int_equal(l.features, 8 * 5 + 11 + 3 * 4);
  ops->features(f, bytes, 4, &l, x);
  float want[63] = {0};
  want[0 + 2] = 1; /* variable 0 shows F, first of three */
  want[0 + 7] = 1;
  want[16] = 1; /* variable 2 is U, second of three */
  want[16 + 6] = 0.5f;
  want[16 + 7] = 1;
  want[24] = 1; /* variable 3 is U, last */
  want[24 + 6] = 1;
  want[24 + 7] = 1;
  want[40] = 1 - 3.0f / 5; /* three of five are listed */
  want[41] = 3.0f / 5;
  want[42] = 4; /* the step, raw and over n */
  want[43] = 4.0f / 5;
  want[44] = 3.0f / 4;         /* clauses */
  want[45] = 2.0f / 5;         /* U */
  want[47] = 1.0f / 5;         /* F */
  want[51 + 1] = 1.0f / 3;     /* clause 0: 0 is false, the rest is hidden */
  want[51 + 2] = 2.0f / 3;     /* (assigned variables count as unresolved) */
  want[51 + 3] = 1.0f / 3;     /* clause 1: not 0 is true */
  want[51 + 3 + 2] = 2.0f / 3; /* the others are unresolved */
  want[51 + 6 + 2] = 1;        /* clause 2 */
  for (int i = 0; i < 63; i++)
    if (x[i] != want[i]) fail_msg("column %d: %g, not %g", i, x[i], want[i]);
  l.step = 0; /* fair */
  must(ops->layout(&l, &err), &err);
  assert_int_equal(l.features, 61);
  ops->features(f, bytes, 4, &l, x);
  assert_true(x[42] == want[44] && x[49] == want[51]);
  l = (sw_state_layout){
      .set = SW_FEATURES_PUBLISHED, .step = 1, .n = 50, .m = 200};
  must(ops->layout(&l, &err), &err);
  assert_int_equal(l.features, 1011);
  sw_trace_free(&t);
  sat->search->env_free(env);
  sw_sat_instance_free(f);
}

/* ---- records are what the tokens say ---- */

/* The block of the format `evidence` that a record was made of. */
static void check_evidence(const sw_records *r, int64_t i,
                           const sw_state_layout *l) {
  const sw_state_record *rec = &r->record[i];
  const sw_dataset *set = r->set;
  int64_t block = set->trace_block[rec->trace] + rec->step;
  const int32_t *token = set->tokens + set->block_start[block];
  const int32_t *end = set->tokens + set->block_start[block + 1];
  float *x = malloc(sizeof *x * (size_t)l->features);
  sw_records_features(r, i, l, x);
  int32_t n = r->instance[rec->trace]->n;
  for (token++; *token != SW_SAT_SEP; token++) {
    int32_t free_variable = *token - SW_SAT_VARIABLE;
    int32_t yes = *token - SW_SAT_POSITIVE, no = *token - SW_SAT_NEGATIVE;
    if (free_variable >= 0 && free_variable < n)
      assert_true(x[8 * free_variable] == 1);
    else if (yes >= 0 && yes < n) assert_true(x[8 * yes + 1] == 1);
    else if (no >= 0 && no < n) assert_true(x[8 * no + 2] == 1);
  }
  float places = 0;
  for (; token < end && *token != SW_SAT_PROP_END; token++) {
    int32_t yes = *token - SW_SAT_POSITIVE, no = *token - SW_SAT_NEGATIVE;
    if (yes >= 0 && yes < n) assert_true(x[8 * yes + 5] == 1);
    if (no >= 0 && no < n) assert_true(x[8 * no + 6] == 1);
  }
  for (int32_t v = 0; v < n; v++) places += x[8 * v + 7];
  assert_true(places > 1.99f && places < 2.01f); /* 1/3 + 2/3 + 1 */
  if (token + 1 < end && token[1] == SW_SAT_FREE) {
    assert_true(
        x[8 * (token[2] - SW_SAT_VARIABLE) + (token[3] == SW_SAT_T ? 3 : 4)] ==
        1);
    token += 3;
  }
  /* the answer follows */
  if (token[1] == SW_SAT_CONFLICT) {
    assert_int_equal(rec->target[0], 1);
    assert_int_equal(rec->target[1], -1);
  } else {
    assert_int_equal(rec->target[0], 0);
    assert_int_equal(rec->target[1], token[1] - SW_SAT_VARIABLE);
    assert_int_equal(rec->target[2], token[2] == SW_SAT_T);
  }
  free(x);
}

static void evidence(void **state) {
  (void)state;
  static const char *const settings[] = {"n", "10", NULL};
  sw_err err = {0};
  sw_dataset set;
  sw_records r;
  sw_state_layout l = {0};
  int backs = 0, open = 0;
  open_data(&set, "sat", 60, settings);
  must(sw_records_open(&r, &set, &err), &err);
  must(sw_records_sizes(&r, &l.n, &l.m, &err), &err);
  assert_int_equal(l.n, 10);
  assert_int_equal(l.m, 40);
  must(r.domain->state->layout(&l, &err), &err);
  must(sw_records_make(&r, 1, &err), &err);
  int solved = 0;
  for (int64_t i = 0; i < r.count; i++) {
    solved += r.record[i].solved;
    if (r.record[i].solved) continue;
    check_evidence(&r, i, &l);
    backs += r.record[i].target[0] == 1;
    open += r.record[i].step > 1;
  }
  int ends = 0;
  for (int64_t i = 0; i < set.traces; i++)
    ends += set.terminal[i] == SW_TRACE_SOLVED;
  assert_int_equal(solved, ends);
  assert_int_equal(r.count - solved, set.blocks - set.traces);
  assert_true(backs > 20 && open > 100);
  sw_records_close(&r);
  sw_dataset_close(&set);
}

/* Every format of every domain that has states: the replay follows the trace
 * token by token (or fails), and each decision has an answer. */
static void every_format(void **state) {
  (void)state;
  static const char *const domains[] = {"sat", "coloring", "blocks", NULL};
  for (int d = 0; domains[d]; d++) {
    const sw_domain *domain = sw_domain_find(domains[d]);
    for (int k = 0; domain->formats[k]; k++) {
      const char *settings[] = {"n",      d == 0 ? "9" : d == 1 ? "30" : "4",
                                "format", domain->formats[k],
                                "error",  "0.3",
                                NULL};
      sw_err err = {0};
      sw_dataset set;
      sw_records r;
      int heads[SW_STATE_HEADS] = {0}, backs = 0;
      open_data(&set, domains[d], 25, settings);
      must(sw_records_open(&r, &set, &err), &err);
      must(sw_records_make(&r, 0, &err), &err);
      for (int64_t i = 0; i < r.count; i++) {
        for (int h = 0; h < SW_STATE_HEADS; h++)
          heads[h] += r.record[i].target[h] >= 0;
        backs += r.record[i].target[0] == 1;
      }
      if (r.count < 60 || heads[0] < 50 || heads[1] < 40 || heads[2] < 40 ||
          backs < 1)
        fail_msg("%s %s: %d records, %d %d %d answers, %d go back", domains[d],
                 domain->formats[k], (int)r.count, heads[0], heads[1], heads[2],
                 backs);
      sw_records_close(&r);
      sw_dataset_close(&set);
    }
  }
}

/* A trace that is not the search's own is refused at the token. */
static void another_search(void **state) {
  (void)state;
  static const char *const settings[] = {"n", "8", NULL};
  sw_err err = {0};
  sw_dataset set;
  sw_records r;
  open_data(&set, "sat", 3, settings);
  int32_t *token = (int32_t *)(uintptr_t)set.tokens; /* the reader's copy */
  int64_t at = set.block_start[set.trace_block[1] + 2] + 1;
  int32_t was = token[at];
  token[at] = was == SW_SAT_POSITIVE ? SW_SAT_NEGATIVE : SW_SAT_POSITIVE;
  must(sw_records_open(&r, &set, &err), &err);
  assert_int_equal(sw_records_make(&r, 0, &err), SW_DATA);
  assert_non_null(strstr(err.text, "trace 1"));
  assert_non_null(strstr(err.text, "does not follow"));
  sw_records_close(&r);
  token[at] = was;
  token[set.trace_start[2] + 3] = SW_SAT_SEP; /* no formula any more */
  must(sw_records_open(&r, &set, &err), &err);
  assert_int_equal(sw_records_make(&r, 0, &err), SW_DATA);
  assert_non_null(strstr(err.text, "prefix is not a formula"));
  sw_records_close(&r);
  sw_dataset_close(&set);
}

/* ---- plans that are not possible ---- */

static int plan_of(const sw_dataset *set, const char *family,
                   const char *option, const char *history, sw_err *err) {
  sw_train_options o;
  sw_train_plan plan;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.architecture = family;
  if (option) o.model_option = (sw_list){1, {option}};
  if (history) o.history = history;
  return sw_train_plan_make(&plan, &o, set, err);
}

static void refused(void **state) {
  (void)state;
  static const char *const small[] = {"n", "8", NULL};
  sw_err err = {0};
  sw_dataset set;
  open_data(&set, "parsing", 5, NULL);
  assert_int_equal(plan_of(&set, "mlp", NULL, NULL, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "`parsing` cannot be read as numbers"));
  sw_dataset_close(&set);
  open_data(&set, "coloring", 5, small);
  assert_int_equal(plan_of(&set, "mlp", "features=published", NULL, &err),
                   SW_USAGE);
  assert_non_null(strstr(err.text, "no published state features"));
  sw_dataset_close(&set);
  open_data(&set, "sat", 5, small);
  assert_int_equal(plan_of(&set, "mlp", NULL, "null", &err), SW_USAGE);
  assert_non_null(strstr(err.text, "see no history"));
  assert_int_equal(plan_of(&set, "mlp", "features=best", NULL, &err), SW_USAGE);
  assert_int_equal(plan_of(&set, "mlp", "step-counter=1", NULL, &err),
                   SW_USAGE);
  must(plan_of(&set, "mlp", NULL, NULL, &err), &err);
  must(plan_of(&set, "linear", "features=published", NULL, &err), &err);
  sw_dataset_close(&set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_by_hand), cmocka_unit_test(evidence),
      cmocka_unit_test(every_format),      cmocka_unit_test(another_search),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
