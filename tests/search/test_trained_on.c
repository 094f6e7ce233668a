/* Test instances are never those a model was trained on, whatever seed the
 * test stream has: the data set names its seed and its number of traces, the
 * weights carry them, and the stream leaves them out. Sets of several streams,
 * of searches and of an expert with errors name what was drawn for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashset.h"
#include "domains/drawn.h"
#include "domains/produce.h"
#include "domains/stored.h"
#include "search/loaded.h"
#include "search/played.h"
#include "../tiny_run.h"
#include "train/trainer.h"

enum { TRACES = 150, DATA_SEED = 7, TRAIN_SEED = 9, TEST_SEED = 90001 };

static void ok(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

/* A data set of so small a task that streams meet often, and a model of it. */
static void train_on(const char *domain, const char *n, const char *directory) {
  const sw_domain *d = sw_domain_find(domain);
  sw_domain_options task;
  sw_err err = {0};
  char data[1100];
  snprintf(data, sizeof data, "%s/data.safetensors", directory);
  sw_domain_defaults(d, &task);
  ok(sw_domain_set(d, "n", n, &task, &err), &err);
  ok(sw_domain_set(d, "exclude", "5", &task, &err), &err);
  ok(sw_domain_set(d, "too-long", "cut", &task, &err), &err); /* all kept */
  ok(d->resolve(&task, &err), &err);
  sw_produce_options produce = {.count = TRACES, .seed = DATA_SEED};
  sw_produce_stats stats;
  ok(sw_produce(d, &task, &produce, data, NULL, &stats, &err), &err);
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = data;
  o.output = directory;
  o.d = 8;
  o.layers = o.heads = 1;
  o.slots = 2;
  o.batch = 2;
  o.steps = 1;
  o.seed = TRAIN_SEED;
  o.valid_limit = 1;
  sw_train_hooks hooks = {0};
  sw_train_result result;
  ok(sw_train(&o, &hooks, &result, &err), &err);
}

/* Instances of the training stream's first draws that the test stream offers.
 */
static int meet_drawn(const sw_domain *d, const sw_domain_options *task,
                      uint64_t seed, int64_t drawn) {
  sw_hashset trained = {0};
  sw_err err = {0};
  sw_stream *stream;
  sw_instance *instance;
  int met = 0;
  ok(d->stream_new(&stream, task, seed, SW_SPLIT_TRAIN, &err), &err);
  for (int64_t i = 0; i < drawn; i++) {
    ok(d->stream_next(stream, &instance, &err), &err);
    assert_true(sw_hashset_add(&trained, d->instance_hash(instance)) >= 0);
    d->instance_free(instance);
  }
  d->stream_free(stream);
  ok(d->stream_new(&stream, task, TEST_SEED, SW_SPLIT_TEST, &err), &err);
  for (int i = 0; i < 200; i++) {
    ok(d->stream_next(stream, &instance, &err), &err);
    met += sw_hashset_has(&trained, d->instance_hash(instance));
    d->instance_free(instance);
  }
  d->stream_free(stream);
  sw_hashset_free(&trained);
  return met;
}

static int meet(const sw_domain *d, const sw_domain_options *task) {
  return meet_drawn(d, task, DATA_SEED, TRACES);
}

static void check(const char *domain, const char *n) {
  char *directory = tiny_run_directory();
  sw_loaded loaded;
  sw_err err = {0};
  assert_non_null(directory);
  train_on(domain, n, directory);
  ok(sw_loaded_open(&loaded, directory, &err), &err);
  assert_int_equal(loaded.options.exclude, TRACES);
  assert_int_equal(loaded.options.exclude_seed, DATA_SEED);
  assert_int_equal(meet(loaded.domain, &loaded.options), 0);
  /* The streams would meet if nobody said what the model was trained on. */
  sw_domain_options unknown = loaded.options;
  unknown.exclude_seed = -1;
  assert_true(meet(loaded.domain, &unknown) > 0);
  sw_loaded_close(&loaded);
  tiny_run_remove(directory);
}

static void blocks(void **state) {
  (void)state;
  check("blocks", "4");
}

static void parsing(void **state) {
  (void)state;
  check("parsing", "12");
}

/* ---- what the rule of `exclude` does not reach ---- */

typedef struct made_by {
  const char *domain, *n, *error, *rule; /* error, rule: or NULL */
  const char *before;                    /* a set that comes first, or NULL */
  uint64_t seed;
} made_by;

/* Traces so short that many are dropped. */
static int64_t make_set(const made_by *m, const char *path) {
  const sw_domain *d = sw_domain_find(m->domain);
  sw_domain_options task;
  sw_err err = {0};
  sw_domain_defaults(d, &task);
  ok(sw_domain_set(d, "n", m->n, &task, &err), &err);
  ok(sw_domain_set(d, "exclude", "5", &task, &err), &err);
  if (d->search) ok(sw_domain_set(d, "max-blocks", "5", &task, &err), &err);
  if (m->error) ok(sw_domain_set(d, "error", m->error, &task, &err), &err);
  ok(d->resolve(&task, &err), &err);
  sw_played played = {.domain = d,
                      .options = &task,
                      .rule = m->rule,
                      .verifier = "exact",
                      .seed = m->seed};
  sw_produce_options produce = {
      .count = TRACES, .seed = m->seed, .before = m->before};
  sw_produce_stats stats;
  if (m->rule) {
    produce.write = sw_played_write;
    produce.context = &played;
    produce.played = m->rule;
  }
  ok(sw_produce(d, &task, &produce, path, NULL, &stats, &err), &err);
  return stats.attempts;
}

/* No instance that was drawn for the set is tested on; without what the set
 * says of its draws some would be. */
static void check_drawn(const char *domain, const char *path, int streams,
                        const uint64_t *seed, const int64_t *drawn) {
  const sw_domain *d = sw_domain_find(domain);
  sw_domain_options task;
  sw_stored stored = {0};
  sw_dataset set;
  sw_err err = {0};
  ok(sw_dataset_open(&set, path, &err), &err);
  sw_domain_defaults(d, &task);
  ok(sw_stored_read(&stored, d, sw_dataset_meta(&set, "domain_options"), path,
                    &task, &err),
     &err);
  ok(d->resolve(&task, &err), &err);
  sw_domain_options silent = task;
  silent.exclude_drawn = NULL;
  int unsaid = 0;
  for (int i = 0; i < streams; i++) {
    assert_int_equal(meet_drawn(d, &task, seed[i], drawn[i]), 0);
    unsaid += meet_drawn(d, &silent, seed[i], drawn[i]);
  }
  assert_true(unsaid > 0);
  sw_stored_free(&stored);
  sw_dataset_close(&set);
}

static void several_streams(void **state) {
  (void)state;
  static const made_by tasks[] = {{.domain = "blocks", .n = "4"},
                                  {.domain = "parsing", .n = "12"},
                                  {.domain = "trees", .n = "6"}};
  char *directory = tiny_run_directory(), path[3][1100];
  assert_non_null(directory);
  for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
    uint64_t seed[3];
    int64_t drawn[3];
    for (int k = 0; k < 3; k++) {
      made_by m = tasks[i];
      snprintf(path[k], sizeof path[k], "%s/%s%d", directory, m.domain, k);
      m.seed = seed[k] = DATA_SEED + 1000 * (uint64_t)k;
      if (k) m.before = path[k - 1];
      drawn[k] = make_set(&m, path[k]);
    }
    check_drawn(tasks[i].domain, path[2], 3, seed, drawn);
  }
  tiny_run_remove(directory);
}

static void searches_and_errors(void **state) {
  (void)state;
  static const made_by tasks[] = {
      {.domain = "blocks", .n = "4", .rule = "goal-aware"},
      {.domain = "blocks", .n = "4", .error = "0.4"},
      {.domain = "parsing", .n = "9", .rule = "expert"}};
  char *directory = tiny_run_directory(), path[1100];
  assert_non_null(directory);
  for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
    made_by m = tasks[i];
    uint64_t seed = m.seed = DATA_SEED;
    snprintf(path, sizeof path, "%s/%d", directory, (int)i);
    int64_t drawn = make_set(&m, path);
    check_drawn(m.domain, path, 1, &seed, &drawn);
  }
  tiny_run_remove(directory);
}

/* Trees whose trace is too long are dropped: the first traces are not of the
 * first trees. */
static void dropped_trees(void **state) {
  (void)state;
  enum { KEPT = 3000 };
  const sw_domain *d = sw_domain_find("trees");
  sw_domain_options task;
  sw_produce_stats stats;
  sw_err err = {0};
  sw_domain_defaults(d, &task);
  ok(sw_domain_set(d, "arity", "2", &task, &err), &err);
  ok(sw_domain_set(d, "format", "cover", &task, &err), &err);
  ok(sw_domain_set(d, "max-tokens", "22", &task, &err), &err);
  task.exclude = KEPT;
  ok(d->resolve(&task, &err), &err);
  sw_produce_options produce = {.count = KEPT, .seed = DATA_SEED};
  ok(sw_produce(d, &task, &produce, NULL, NULL, &stats, &err), &err);
  assert_true(stats.dropped > 10);
  sw_hashset kept = {0};
  sw_stream *stream;
  sw_instance *tree;
  sw_trace trace;
  sw_trace_init(&trace);
  ok(d->stream_new(&stream, &task, DATA_SEED, SW_SPLIT_TRAIN, &err), &err);
  for (int64_t i = 0; i < stats.attempts; i++) {
    ok(d->stream_next(stream, &tree, &err), &err);
    sw_trace_clear(&trace);
    if (!d->write_trace(tree, &task, NULL, &trace, &err))
      assert_true(sw_hashset_add(&kept, d->instance_hash(tree)) >= 0);
    d->instance_free(tree);
  }
  d->stream_free(stream);
  ok(d->stream_new(&stream, &task, DATA_SEED, SW_SPLIT_TEST, &err), &err);
  for (int i = 0; i < 200; i++) {
    ok(d->stream_next(stream, &tree, &err), &err);
    assert_false(sw_hashset_has(&kept, d->instance_hash(tree)));
    d->instance_free(tree);
  }
  d->stream_free(stream);
  sw_trace_free(&trace);
  sw_hashset_free(&kept);
}

static void streams_are_read_strictly(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "7",    "7:",      ":3",
      "7:3,", ",7:3",    "7:3;",
      "-7:3", "7:3 8:1", "7:9999999999999999999"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(sw_drawn_total(wrong[i]), -1);
  assert_int_equal(sw_drawn_total(NULL), 0);
  assert_int_equal(sw_drawn_total(""), 0);
  assert_int_equal(sw_drawn_total("7:3,18446744:40"), 43);
  const sw_domain *d = sw_domain_find("blocks");
  sw_domain_options task;
  sw_stream *stream;
  sw_err err = {0};
  sw_domain_defaults(d, &task);
  task.exclude_drawn = wrong[0];
  ok(d->resolve(&task, &err), &err);
  assert_int_equal(d->stream_new(&stream, &task, 1, SW_SPLIT_TEST, &err),
                   SW_USAGE);
}

/* The shipped models were written before data sets named their seed. */
static void older_weights_name_their_training_seed(void **state) {
  (void)state;
  static const char *const domains[] = {"blocks", "parsing"};
  for (int i = 0; i < 2; i++) {
    char path[1200];
    sw_loaded loaded;
    sw_err err = {0};
    snprintf(path, sizeof path, "models/%s.safetensors", domains[i]);
    ok(sw_loaded_open(&loaded, path, &err), &err);
    assert_int_equal(loaded.options.exclude, 5000);
    assert_int_equal(loaded.options.exclude_seed, 42);
    sw_loaded_close(&loaded);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks),
      cmocka_unit_test(parsing),
      cmocka_unit_test(several_streams),
      cmocka_unit_test(searches_and_errors),
      cmocka_unit_test(dropped_trees),
      cmocka_unit_test(streams_are_read_strictly),
      cmocka_unit_test(older_weights_name_their_training_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
