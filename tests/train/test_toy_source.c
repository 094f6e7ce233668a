/* A family that reads no tokens: a source of a test's own makes records of the
 * traces, and the trainer, which knows neither, trains, stops and resumes. The
 * record of an item is how often each token (modulo 64) occurs in the block
 * before its first target; the answer is that target's class (modulo 8). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../tiny_run.h"
#include "train/source.h"
#include "train/trainer.h"

enum { FEATURES = 64, CLASSES = 8 };

/* ---- the source: one file ---- */

typedef struct counts {
  sw_source head;
  const sw_train_plan *plan;
  sw_feed *feed;
  sw_trace trace;
  float (*feature)[FEATURES];
  int32_t *target;
} counts;

static const sw_source_ops source_row;

static int measure(const sw_train_plan *plan, const sw_dataset *set,
                   sw_demand *demand, sw_err *err) {
  (void)plan;
  (void)set;
  (void)err;
  *demand = (sw_demand){
      .vocab = CLASSES, .features = FEATURES, .heads = 1, .classes = {CLASSES}};
  return SW_OK;
}

static int open_counts(sw_source **source, const sw_train_plan *plan,
                       sw_feed *feed, const sw_net *net, sw_err *err) {
  counts *s = calloc(1, sizeof *s);
  size_t batch = (size_t)plan->options.batch;
  (void)net;
  (void)err;
  assert_non_null(s);
  s->head.ops = &source_row;
  s->plan = plan;
  s->feed = feed;
  s->feature = calloc(batch, sizeof *s->feature);
  s->target = calloc(batch, sizeof *s->target);
  sw_trace_init(&s->trace);
  *source = &s->head;
  return SW_OK;
}

static void close_counts(sw_source *source) {
  counts *s = (counts *)source;
  sw_trace_free(&s->trace);
  free(s->feature);
  free(s->target);
  free(s);
}

static void make_record(counts *s, int32_t i, sw_item *item) {
  const sw_trace *t = &s->trace;
  memset(s->feature[i], 0, sizeof s->feature[i]);
  int64_t begin = t->blocks > 1 ? t->block_start[1] : 0, at = begin;
  while (at < t->length && !t->supervised[at]) at++;
  for (int64_t k = begin; k < at; k++)
    s->feature[i][t->token[k] % FEATURES] += 0.1f;
  s->target[i] = at < t->length ? t->token[at] % CLASSES : -1;
  *item = (sw_item){.record = {.feature = s->feature[i],
                               .features = FEATURES,
                               .target = &s->target[i],
                               .heads = 1},
                    .tally[SW_LOSS_TARGET].count = s->target[i] >= 0};
}

static int step_items(sw_source *source, int64_t step, sw_item *item,
                      sw_err *err) {
  counts *s = (counts *)source;
  for (int32_t i = 0; i < s->plan->options.batch; i++) {
    int64_t epoch, at = step * s->plan->options.batch + i;
    int64_t index = sw_feed_item(s->feed, at, &epoch);
    SW_TRY(sw_feed_load(s->feed, index, epoch, &s->trace, err));
    make_record(s, i, &item[i]);
  }
  return SW_OK;
}

static int valid_items(sw_source *source, int64_t begin, int32_t count,
                       sw_item *item, sw_err *err) {
  counts *s = (counts *)source;
  for (int32_t i = 0; i < count; i++) {
    SW_TRY(sw_feed_load_valid(s->feed, begin + i, &s->trace, err));
    make_record(s, i, &item[i]);
  }
  return SW_OK;
}

static const sw_source_ops source_row = {.name = "toy-counts",
                                         .measure = measure,
                                         .open = open_counts,
                                         .close = close_counts,
                                         .step = step_items,
                                         .valid = valid_items};

/* ---- the family: scores = W x, one file ---- */

typedef struct linear_config {
  int features, classes;
} linear_config;
static const sw_option options[] = {
    {"features", SW_INT, offsetof(linear_config, features), "1", 1, 100000, "",
     "width of the records"},
    {"classes", SW_INT, offsetof(linear_config, classes), "1", 1, 1000, "",
     "classes"}};
typedef struct linear {
  sw_net net;
  linear_config config;
} linear;
static const sw_family family_row;

static int resolve(void *config, const sw_demand *demand, sw_err *err) {
  (void)err;
  *(linear_config *)config =
      (linear_config){demand->features, demand->classes[0]};
  return SW_OK;
}

static int create(sw_net **net, const void *config, sw_err *err) {
  linear *l = calloc(1, sizeof *l);
  sw_tensor *row = calloc(1, sizeof *row);
  (void)err;
  assert_non_null(l);
  assert_non_null(row);
  l->config = *(const linear_config *)config;
  int64_t count = (int64_t)l->config.features * l->config.classes;
  *row = (sw_tensor){.name = "weight",
                     .dims = 2,
                     .shape = {l->config.classes, l->config.features},
                     .count = count,
                     .init = SW_INIT_UNIFORM,
                     .size = 0.125,
                     .trained = 1,
                     .decay = 1};
  l->net = (sw_net){.family = &family_row,
                    .kernels = nn_select(NULL, NULL),
                    .config = &l->config,
                    .tensor = row,
                    .tensors = 1,
                    .count = count,
                    .trained = count,
                    .outputs = l->config.classes};
  *net = &l->net;
  return SW_OK;
}

static void free_net(sw_net *net) { free(net); }

static int work_new(sw_work **work, sw_net *net, sw_team *team, sw_err *err) {
  (void)team;
  (void)err;
  *work = calloc(1, sizeof **work);
  assert_non_null(*work);
  (*work)->net = net;
  return SW_OK;
}

static void work_free(sw_work *work) { free(work); }

static void scores_of(const sw_net *net, const float *x, double *score) {
  const linear_config *c = net->config;
  for (int v = 0; v < c->classes; v++) {
    score[v] = 0;
    for (int i = 0; i < c->features; i++)
      score[v] += (double)net->weights[v * c->features + i] * (double)x[i];
  }
}

static int batch(sw_work *work, sw_item *item, int32_t count, float *gradient,
                 sw_err *err) {
  const linear_config *c = work->net->config;
  (void)err;
  for (int32_t k = 0; k < count; k++) {
    double score[CLASSES] = {0}, sum = 0;
    int target = item[k].record.target[0], best = 0;
    scores_of(work->net, item[k].record.feature, score);
    for (int v = 0; v < c->classes; v++) {
      sum += exp(score[v]);
      if (score[v] > score[best]) best = v;
    }
    item[k].tally[SW_LOSS_TARGET].loss = log(sum) - score[target];
    item[k].tally[SW_LOSS_TARGET].count = 1;
    item[k].tally[SW_LOSS_TARGET].hits = best == target;
    for (int v = 0; gradient && v < c->classes; v++)
      for (int i = 0; i < c->features; i++)
        gradient[v * c->features + i] +=
            item[k].options.weight[SW_LOSS_TARGET] *
            (float)(exp(score[v]) / sum - (v == target)) *
            item[k].record.feature[i];
  }
  return SW_OK;
}

static const sw_family family_row = {.name = "toy-linear",
                                     .text = "a linear model (a test's)",
                                     .reads = "toy-counts",
                                     .options = options,
                                     .option_count = 2,
                                     .config_bytes = sizeof(linear_config),
                                     .resolve = resolve,
                                     .create = create,
                                     .free = free_net,
                                     .work_new = work_new,
                                     .work_free = work_free,
                                     .batch = batch};

/* ---- what follows by itself ---- */

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

static double first_loss, last_loss;
static int64_t done, stop_at;
static void on_step(void *context, const sw_train_report *r) {
  (void)context;
  if (r->step == 1) first_loss = r->loss;
  last_loss = r->loss;
  done = r->step;
}
static int on_stop(void *context) {
  (void)context;
  return stop_at && done >= stop_at;
}

static uint64_t trained_hash(const char *data, const char *output, int64_t stop,
                             sw_err *err) {
  sw_train_options o;
  sw_train_hooks hooks = {.step = on_step, .stop = on_stop};
  sw_train_result result;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = data;
  o.output = output;
  o.architecture = "toy-linear";
  o.batch = 8;
  o.steps = 40;
  o.lr = 0.1;
  o.valid_limit = 4;
  stop_at = stop;
  done = 0;
  int code = sw_train(&o, &hooks, &result, err);
  if (stop) {
    assert_int_equal(code, SW_STOPPED);
    stop_at = 0;
    code = sw_train(&o, &hooks, &result, err);
  }
  must(code, err);
  assert_int_equal(result.tokens, 40 * 8); /* a record counts as one */
  char path[1200];
  snprintf(path, sizeof path, "%s/model.safetensors", output);
  sw_net *net;
  must(sw_net_load(&net, path, 0, err), err);
  assert_int_equal(net->count, FEATURES * CLASSES);
  uint64_t hash = sw_net_hash(net);
  sw_net_free(net);
  return hash;
}

static void records_train(void **state) {
  (void)state;
  sw_err err = {0};
  char *directory = tiny_run_directory(), data[1100], run[2][1100];
  snprintf(data, sizeof data, "%s/data.safetensors", directory);
  snprintf(run[0], sizeof run[0], "%s/whole", directory);
  snprintf(run[1], sizeof run[1], "%s/cut", directory);
  must(tiny_data_make(data, 6, 60, &err), &err);
  assert_int_equal(sw_family_add(&family_row), 0);
  /* nothing makes what it reads yet */
  sw_dataset set;
  sw_train_plan plan;
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.architecture = "toy-linear";
  must(sw_dataset_open(&set, data, &err), &err);
  assert_int_equal(sw_train_plan_make(&plan, &o, &set, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "toy-counts"));
  sw_dataset_close(&set);
  assert_int_equal(sw_source_add(&source_row), 0);
  uint64_t whole = trained_hash(data, run[0], 0, &err);
  assert_true(last_loss < 0.8 * first_loss);
  assert_true(whole == trained_hash(data, run[1], 13, &err));
  tiny_run_remove(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_train),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
