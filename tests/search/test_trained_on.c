/* Test instances are never those a model was trained on, whatever seed the
 * test stream has: the data set names its seed and its number of traces, the
 * weights carry them, and the stream leaves them out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashset.h"
#include "domains/produce.h"
#include "search/loaded.h"
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

/* Instances of the training data that the test stream offers. */
static int meet(const sw_domain *d, const sw_domain_options *task) {
  sw_hashset trained = {0};
  sw_err err = {0};
  sw_stream *stream;
  sw_instance *instance;
  int met = 0;
  ok(d->stream_new(&stream, task, DATA_SEED, SW_SPLIT_TRAIN, &err), &err);
  for (int i = 0; i < TRACES; i++) {
    ok(d->stream_next(stream, &instance, &err), &err);
    assert_true(sw_hashset_add(&trained, d->instance_hash(instance)) >= 0);
    d->instance_free(instance);
  }
  d->stream_free(stream);
  ok(d->stream_new(&stream, task, TEST_SEED, SW_SPLIT_TEST, &err), &err);
  for (int i = 0; i < 40; i++) {
    ok(d->stream_next(stream, &instance, &err), &err);
    met += sw_hashset_has(&trained, d->instance_hash(instance));
    d->instance_free(instance);
  }
  d->stream_free(stream);
  sw_hashset_free(&trained);
  return met;
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
      cmocka_unit_test(older_weights_name_their_training_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
