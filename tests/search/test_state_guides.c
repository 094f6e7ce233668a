/* Models that read states, from training to play: the same bits for any number
 * of threads and after a stop; the same games in any company, with and without
 * the cache and under both protocols; the same answer after every history; and
 * files that do not belong are refused. The rows say which families. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../tiny_run.h"
#include "base/file.h"
#include "play_help.h"
#include "probe/transplant.h"
#include "search/guide_family.h"
#include "train/trainer.h"

static const struct {
  const char *family, *domain;
  int n, batch, steps;
  const char *option[2]; /* of the model */
} row[] = {
    {"linear", "sat", 8, 64, 60, {NULL}},
    {"mlp", "sat", 8, 64, 60, {"width=32"}},
    {"mlp", "sat", 8, 64, 60, {"width=32", "features=published"}},
    {"mlp", "coloring", 10, 64, 60, {"width=32"}},
    {"linear", "blocks", 4, 64, 60, {NULL}},
    {"factor-gnn", "sat", 8, 16, 30, {"width=16", "rounds=2"}},
    {"factor-gnn", "coloring", 10, 16, 30, {"width=16", "rounds=2"}},
};
enum { ROWS = sizeof row / sizeof *row };

static char *directory;
static char data_path[ROWS][1200], run_path[ROWS][1200];

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

static int make_data(int i, sw_err *err) {
  const sw_domain *domain = sw_domain_find(row[i].domain);
  sw_domain_options o;
  sw_produce_options produce = {.count = 80, .seed = 5, .threads = 1};
  sw_produce_stats stats;
  sw_domain_defaults(domain, &o);
  o.n = row[i].n;
  SW_TRY(domain->resolve(&o, err));
  return sw_produce(domain, &o, &produce, data_path[i], NULL, &stats, err);
}

static int setup(void **state) {
  (void)state;
  sw_err err = {0};
  directory = tiny_run_directory();
  if (!directory) return -1;
  for (int i = 0; i < ROWS; i++) {
    snprintf(data_path[i], sizeof data_path[i], "%s/%d.safetensors", directory,
             i);
    snprintf(run_path[i], sizeof run_path[i], "%s/run%d", directory, i);
    if (make_data(i, &err)) return -1;
  }
  return 0;
}

static int teardown(void **state) {
  (void)state;
  tiny_run_remove(directory);
  return 0;
}

typedef struct watch {
  int64_t stop_at, seen;
  double first, last;
} watch;
static void on_step(void *context, const sw_train_report *r) {
  watch *w = context;
  if (r->step == 1) w->first = r->loss;
  w->last = r->loss;
  w->seen = r->step;
}
static int on_stop(void *context) {
  const watch *w = context;
  return w->stop_at && w->seen >= w->stop_at;
}

static int train(int i, const char *output, int threads, watch *w,
                 sw_err *err) {
  sw_train_hooks hooks = {.context = w, .step = on_step, .stop = on_stop};
  sw_train_result result;
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = data_path[i];
  o.output = output;
  o.architecture = row[i].family;
  for (int k = 0; k < 2 && row[i].option[k]; k++)
    o.model_option.item[o.model_option.count++] = row[i].option[k];
  o.batch = row[i].batch;
  o.steps = row[i].steps;
  o.lr = 3e-3;
  o.threads = threads;
  o.valid_limit = 8;
  return sw_train(&o, &hooks, &result, err);
}

static void same_file(const char *a, const char *b) {
  char path[1300], *text[2];
  size_t bytes[2];
  const char *where[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/model.safetensors", where[i]);
    assert_int_equal(sw_read_file(path, 1 << 26, &text[i], &bytes[i], NULL), 0);
  }
  assert_int_equal(bytes[0], bytes[1]);
  assert_memory_equal(text[0], text[1], bytes[0]);
  free(text[0]);
  free(text[1]);
}

static void trained_to_the_bit(void **state) {
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    sw_err err = {0};
    watch whole = {0}, cut = {.stop_at = row[i].steps / 3}, rest = {0};
    char again[1300];
    snprintf(again, sizeof again, "%s/again%d", directory, i);
    must(train(i, run_path[i], 1, &whole, &err), &err);
    assert_int_equal(whole.seen, row[i].steps);
    if (!(whole.last < 0.9 * whole.first))
      fail_msg("%s on %s: loss %g after %g", row[i].family, row[i].domain,
               whole.last, whole.first);
    assert_int_equal(train(i, again, 2, &cut, &err), SW_STOPPED);
    must(train(i, again, 2, &rest, &err), &err);
    assert_int_equal(rest.seen, row[i].steps);
    same_file(run_path[i], again);
  }
}

static void played_alike(void **state) {
  (void)state;
  static const struct {
    int width, no_cache, protocol;
  } way[] = {{1, 0, SW_REBUILT},
             {7, 0, SW_REBUILT},
             {64, 0, SW_REBUILT},
             {64, 1, SW_REBUILT},
             {5, 0, SW_CUMULATIVE}};
  for (int i = 0; i < ROWS; i++) {
    sw_err err = {0};
    sw_loaded loaded;
    sw_team *team;
    sw_outcome *first = NULL;
    must(sw_loaded_open(&loaded, run_path[i], &err), &err);
    must(sw_team_new(&team, 1, &err), &err);
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
      sw_guide_setup setup_of = {.no_cache = way[k].no_cache};
      bed b = {.task = loaded.options};
      sw_condition_defaults(&b.options);
      b.options.instances = 20;
      b.options.on_error = SW_ON_ERROR_RESCUE;
      b.options.width = way[k].width;
      b.options.protocol = way[k].protocol;
      b.options.max_decisions = 40;
      must(sw_guide_model(&b.guide, &loaded, &setup_of, team, &err), &err);
      assert_string_equal(b.guide->ops->name, row[i].family);
      assert_string_equal(b.guide->mask, "");
      sw_outcome *o = bed_play(&b, NULL);
      int64_t decisions = 0;
      for (int at = 0; at < 20; at++) decisions += o[at].decisions;
      assert_true(decisions > 40);
      if (first) assert_memory_equal(first, o, 20 * sizeof *o);
      if (first) free(o);
      else first = o;
      bed_close(&b);
    }
    free(first);
    sw_team_free(team);
    sw_loaded_close(&loaded);
  }
}

/* The same state after different histories: the same bits, by both paths. */
static void history_is_nothing(void **state) {
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    sw_err err = {0};
    sw_loaded loaded;
    sw_team *team;
    sw_states states;
    sw_asker *asker[2];
    sw_transplant_result result;
    must(sw_loaded_open(&loaded, run_path[i], &err), &err);
    must(sw_team_new(&team, 1, &err), &err);
    sw_states_options o = {.domain = loaded.domain,
                           .domain_options = loaded.options,
                           .seed = 3,
                           .split = SW_SPLIT_TEST,
                           .instances = 30,
                           .rollouts = 6,
                           .max_blocks = 24,
                           .random_choice = 0.5,
                           .reorder = 1,
                           .max_histories = 3,
                           .states_wanted = 40};
    must(sw_states_collect(&states, &o, &err), &err);
    for (int cached = 0; cached < 2; cached++) {
      sw_ask_options ask = {.model = loaded.model,
                            .reading = loaded.reading,
                            .cached = cached,
                            .domain = loaded.domain,
                            .domain_options = &loaded.options};
      must(sw_asker_new(&asker[cached], &ask, team, &err), &err);
    }
    sw_transplant_options t = {.states = 40, .policy = 1, .seed = 1};
    must(sw_transplant(&states, &loaded.options, asker[0], asker[1], 0, &t,
                       NULL, NULL, &result, &err),
         &err);
    if (result.pairs < 10 || result.exact_equal_rate < 1 ||
        result.exact_query_rate < 1 || result.path_mismatches > 0)
      fail_msg("%s on %s: %d pairs, %g equal, %g queries, %g paths differ",
               row[i].family, row[i].domain, (int)result.pairs,
               result.exact_equal_rate, result.exact_query_rate,
               result.path_mismatches);
    sw_asker_free(asker[0]);
    sw_asker_free(asker[1]);
    sw_states_free(&states);
    sw_team_free(team);
    sw_loaded_close(&loaded);
  }
}

/* A weight file with other words in its metadata. */
static int open_changed(const char *run, const char *key, const char *value,
                        sw_err *err) {
  sw_st_file *file;
  char path[1300];
  const char *meta[128];
  sw_st_spec spec[64] = {{0}};
  int pairs = 0, tensors;
  sw_loaded loaded;
  snprintf(path, sizeof path, "%s/model.safetensors", run);
  must(sw_st_open(&file, path, err), err);
  for (int i = 0; i < sw_st_meta_count(file); i++) {
    const char *k, *v;
    sw_st_meta_at(file, i, &k, &v);
    if (!strcmp(k, "weights_xxh64")) continue;
    meta[2 * pairs] = k;
    meta[2 * pairs++ + 1] = strcmp(k, key) ? v : value;
  }
  tensors = sw_st_count(file);
  assert_true(tensors <= 64 && pairs <= 64);
  for (int i = 0; i < tensors; i++) {
    const sw_st_tensor *t = sw_st_at(file, i);
    spec[i] = (sw_st_spec){
        .name = t->name, .dtype = t->dtype, .dims = t->dims, .data = t->data};
    for (int d = 0; d < t->dims; d++) spec[i].shape[d] = t->shape[d];
  }
  snprintf(path, sizeof path, "%s/changed.safetensors", directory);
  must(sw_st_write(path, spec, tensors, meta, pairs, err), err);
  sw_st_close(file);
  int code = sw_loaded_open(&loaded, path, err);
  if (code) return code;
  sw_guide *guide = NULL;
  code = sw_guide_model(&guide, &loaded, NULL, NULL, err);
  sw_guide_close(guide);
  sw_loaded_close(&loaded);
  return code;
}

static void strangers_are_refused(void **state) {
  (void)state;
  sw_err err = {0};
  char path[1300];
  must(open_changed(run_path[1], "label", "mine", &err), &err);
  /* one family's weights as another's */
  assert_int_equal(open_changed(run_path[1], "architecture", "linear", &err),
                   SW_DATA);
  assert_non_null(strstr(err.text, "heads.verdict.weight"));
  assert_int_equal(
      open_changed(run_path[1], "architecture", "slot-decoder", &err), SW_DATA);
  assert_int_equal(open_changed(run_path[1], "features", "none", &err),
                   SW_DATA);
  /* features of another domain, or of none */
  assert_int_equal(open_changed(run_path[1], "size", "9", &err), SW_DATA);
  assert_non_null(strstr(err.text, "are not a state of the domain `sat`"));
  assert_int_equal(open_changed(run_path[3], "domain_options", "{}", &err), 0);
  assert_int_equal(
      open_changed(run_path[4], "domain", "parsing", &err) == SW_OK, 0);
  /* training that begins with another family's weights */
  snprintf(path, sizeof path, "%s/bad", directory);
  sw_train_options o;
  sw_train_result result;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = data_path[0];
  o.output = path;
  o.architecture = "mlp";
  o.init = run_path[0];
  o.threads = 1;
  assert_int_equal(sw_train(&o, NULL, &result, &err), SW_DATA);
  assert_non_null(strstr(err.text, "family linear"));
}

/* An instance that is larger than the model's inputs ends the game. */
static void too_large(void **state) {
  (void)state;
  sw_err err = {0};
  sw_loaded loaded;
  bed b = {0};
  must(sw_loaded_open(&loaded, run_path[1], &err), &err);
  b.task = loaded.options;
  b.task.n = 12;
  sw_condition_defaults(&b.options);
  b.options.instances = 2;
  must(sw_guide_model(&b.guide, &loaded, NULL, NULL, &err), &err);
  sw_outcome *o = bed_play(&b, NULL);
  assert_int_equal(o[0].solved, 0);
  assert_int_equal(o[0].decisions, 0);
  free(o);
  bed_close(&b);
  sw_loaded_close(&loaded);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trained_to_the_bit),
      cmocka_unit_test(played_alike),
      cmocka_unit_test(history_is_nothing),
      cmocka_unit_test(strangers_are_refused),
      cmocka_unit_test(too_large),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
