/* A family and a mask of a test's own, each one row, in everything that knows
 * families and masks: trained, stopped and resumed to the same bits, saved,
 * loaded, described, asked by the probes, played in the closed loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../tiny_run.h"
#include "../toy_family.h"
#include "base/file.h"
#include "play_help.h"
#include "search/ask.h"
#include "search/guide_family.h"
#include "train/trainer.h"

typedef struct fixture {
  char *directory;
  char data[1100], run[1100], again[1100];
} fixture;

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

static int setup(void **state) {
  static fixture f;
  sw_err err = {0};
  f.directory = tiny_run_directory();
  if (!f.directory) return -1;
  snprintf(f.data, sizeof f.data, "%s/data.safetensors", f.directory);
  snprintf(f.run, sizeof f.run, "%s/run", f.directory);
  snprintf(f.again, sizeof f.again, "%s/again", f.directory);
  must(tiny_data_make(f.data, 6, 40, &err), &err);
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  tiny_run_remove(((fixture *)*state)->directory);
  return 0;
}

static sw_train_options options_of(const fixture *f, const char *output) {
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = f->data;
  o.output = output;
  o.architecture = "toy-bag";
  o.d = 12;
  o.batch = 4;
  o.steps = 20;
  o.lr = 0.05;
  o.dropout = 0;
  o.optimizer = SW_OPTIM_MUON; /* its head is a matrix, its bias not decayed */
  o.threads = 1;
  o.valid_limit = 4;
  return o;
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

static int train(const sw_train_options *o, watch *w, sw_err *err) {
  sw_train_hooks hooks = {.context = w, .step = on_step, .stop = on_stop};
  sw_train_result result;
  return sw_train(o, &hooks, &result, err);
}

static void same_file(const char *a, const char *b) {
  char path[2][1200], *text[2];
  size_t bytes[2];
  const char *directory[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    snprintf(path[i], sizeof path[i], "%s/model.safetensors", directory[i]);
    assert_int_equal(sw_read_file(path[i], 1 << 24, &text[i], &bytes[i], NULL),
                     0);
  }
  assert_int_equal(bytes[0], bytes[1]);
  assert_memory_equal(text[0], text[1], bytes[0]);
  free(text[0]);
  free(text[1]);
}

static void trains_and_resumes(void **state) {
  const fixture *f = *state;
  sw_err err = {0};
  watch whole = {0}, cut = {.stop_at = 7}, rest = {0};
  assert_int_equal(sw_family_add(&toy_family), 0);
  assert_int_equal(sw_family_add(&toy_family), -1); /* the name is taken */
  sw_train_options o = options_of(f, f->run);
  must(train(&o, &whole, &err), &err);
  assert_int_equal(whole.seen, 20);
  assert_true(whole.last < 0.8 * whole.first);
  o = options_of(f, f->again);
  o.threads = 2;
  assert_int_equal(train(&o, &cut, &err), SW_STOPPED);
  assert_int_equal(cut.seen, 7);
  must(train(&o, &rest, &err), &err);
  assert_int_equal(rest.seen, 20);
  same_file(f->run, f->again);
}

static void options_are_its_own(void **state) {
  const fixture *f = *state;
  sw_err err = {0};
  sw_dataset set;
  sw_train_plan plan;
  char sizes[120];
  must(sw_dataset_open(&set, f->data, &err), &err);
  sw_train_options o = options_of(f, f->run);
  o.model_option = (sw_list){1, {"shy=1"}};
  must(sw_train_plan_make(&plan, &o, &set, &err), &err);
  sw_net_sizes(plan.family, &plan.config, sizes, sizeof sizes);
  assert_string_equal(sizes, "vocab 2030, d 12, shy 1");
  assert_string_equal(sw_train_plan_label(&plan), "toy-bag");
  o.model_option = (sw_list){1, {"bold=1"}};
  assert_int_equal(sw_train_plan_make(&plan, &o, &set, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "bold"));
  o = options_of(f, f->run);
  o.heads = 8; /* it has none */
  assert_int_equal(sw_train_plan_make(&plan, &o, &set, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "--heads"));
  o = options_of(f, f->run);
  o.contrastive = 1;
  assert_int_equal(sw_train_plan_make(&plan, &o, &set, &err), SW_USAGE);
  o = options_of(f, f->run);
  o.architecture = "toy-bug";
  assert_int_equal(sw_train_plan_make(&plan, &o, &set, &err), SW_USAGE);
  assert_non_null(strstr(err.hint, "toy-bag"));
  sw_dataset_close(&set);
}

/* Both paths of the probes answer alike, and the hidden vectors are there. */
static void asked(const sw_loaded *loaded, sw_team *team) {
  sw_err err = {0};
  sw_trace t;
  sw_trace_init(&t);
  for (int b = 0; b < 3; b++) {
    sw_trace_begin_block(&t);
    for (int i = 0; i < 5; i++) sw_trace_put(&t, 30 + 3 * b + i, 0);
  }
  const float *row[2], *hidden;
  sw_asker *asker[2];
  int32_t last = 14;
  for (int cached = 0; cached < 2; cached++) {
    sw_ask_options o = {
        .model = loaded->model, .reading = loaded->reading, .cached = cached};
    must(sw_asker_new(&asker[cached], &o, team, &err), &err);
    must(sw_ask(asker[cached], &t, &row[cached], &err), &err);
  }
  assert_memory_equal(row[0], row[1],
                      sizeof(float) * (size_t)loaded->model->outputs);
  must(sw_ask_hidden(asker[0], &t, &last, 1, &hidden, &err), &err);
  assert_true(hidden[0] != 0);
  sw_asker_free(asker[0]);
  sw_asker_free(asker[1]);
  sw_trace_free(&t);
}

static void plays(const sw_loaded *loaded, const char *kind, sw_team *team) {
  sw_err err = {0};
  bed b = {0};
  b.task = loaded->options;
  sw_condition_defaults(&b.options);
  b.options.instances = 10;
  b.options.loop = "masked";
  b.options.on_error = SW_ON_ERROR_RESCUE;
  must(sw_guide_model(&b.guide, loaded, NULL, team, &err), &err);
  assert_string_equal(b.guide->ops->name, kind);
  sw_summary one = bed_summary(&b);
  assert_int_equal(one.n, 10);
  assert_true(one.solved > 0 && one.decisions > 10);
  b.options.width = 3; /* no result depends on the company */
  sw_summary three = bed_summary(&b);
  assert_int_equal(one.decisions, three.decisions);
  assert_int_equal(one.solved, three.solved);
  bed_close(&b);
}

static void is_loaded_and_played(void **state) {
  const fixture *f = *state;
  sw_err err = {0};
  sw_loaded loaded;
  sw_team *team;
  char sizes[120];
  must(sw_loaded_open(&loaded, f->run, &err), &err);
  must(sw_team_new(&team, 1, &err), &err);
  assert_ptr_equal(loaded.model->family, &toy_family);
  assert_string_equal(loaded.label, "toy-bag");
  sw_net_sizes(loaded.model->family, loaded.model->config, sizes, sizeof sizes);
  assert_string_equal(sizes, "vocab 2030, d 12");
  assert_int_equal(loaded.model->count, 2 * 2030 * 12 + 2030);
  char hash[24];
  snprintf(hash, sizeof hash, "%016llx",
           (unsigned long long)sw_net_hash(loaded.model));
  assert_string_equal(hash, sw_st_meta(loaded.file, "weights_xxh64"));
  asked(&loaded, team);
  plays(&loaded, "toy-bag", team);
  sw_team_free(team);
  sw_loaded_close(&loaded);
}

/* A file that lacks a tensor, has a wrong size, or is another family's. */
static void wrong_files(void **state) {
  const fixture *f = *state;
  sw_err err = {0};
  sw_net *net;
  char path[1200];
  float weights[8] = {0};
  snprintf(path, sizeof path, "%s/wrong.safetensors", f->directory);
  sw_st_spec spec = {.name = "embedding",
                     .dtype = SW_ST_F32,
                     .dims = 2,
                     .shape = {4, 2},
                     .data = weights};
  const char *meta[] = {"architecture", "toy-bag", "vocab", "4", "d", "2",
                        "shy",          "0"};
  must(sw_st_write(path, &spec, 1, meta, 4, &err), &err);
  assert_int_equal(sw_net_load(&net, path, 0, &err), SW_DATA);
  assert_non_null(strstr(err.text, "head"));
  meta[3] = "1000000"; /* shapes are compared before 8 GB are allocated */
  meta[5] = "1024";
  must(sw_st_write(path, &spec, 1, meta, 4, &err), &err);
  assert_int_equal(sw_net_load(&net, path, 0, &err), SW_DATA);
  assert_non_null(strstr(err.text, "embedding"));
  meta[1] = "toy-bug";
  must(sw_st_write(path, &spec, 1, meta, 4, &err), &err);
  assert_int_equal(sw_net_load(&net, path, 0, &err), SW_DATA);
  assert_non_null(strstr(err.text, "toy-bug"));
  assert_null(net);
  sw_train_options o = options_of(f, path);
  snprintf(path, sizeof path, "%s/decoder", f->directory);
  o.architecture = "slot-decoder";
  o.d = 16;
  o.output = path;
  o.init = f->run; /* the weights of a bag */
  watch w = {0};
  assert_int_equal(train(&o, &w, &err), SW_DATA);
  assert_non_null(strstr(err.text, "family toy-bag"));
}

/* One row of a mask: a block sees itself and the slots, the slots only
 * themselves. */
static const sw_mask_row toy_mask_row = {
    .name = "toy-blind",
    .slots = SW_READS_SLOTS,
    .prefix = SW_READS_SLOTS | SW_READS_OWN,
    .block = SW_READS_SLOTS | SW_READS_OWN,
    .text = "blocks that never hear of the problem"};

static void a_mask_is_one_row(void **state) {
  const fixture *f = *state;
  sw_err err = {0};
  sw_loaded loaded;
  sw_team *team;
  watch w = {0};
  char path[1200], words[80];
  assert_true(sw_mask_add(&toy_mask_row) >= SW_MASK_COUNT);
  snprintf(path, sizeof path, "%s/blind", f->directory);
  sw_train_options o = options_of(f, path);
  o.architecture = "slot-decoder";
  o.mask = "toy-blind";
  o.d = 16;
  o.layers = 1;
  o.heads = 2;
  o.slots = 2;
  o.lr = 3e-3;
  must(train(&o, &w, &err), &err);
  assert_true(w.last < w.first);
  must(sw_loaded_open(&loaded, path, &err), &err);
  must(sw_team_new(&team, 1, &err), &err);
  assert_string_equal(loaded.label, "toy-blind");
  assert_int_equal(loaded.reading.positions, SW_POS_BLOCK_RELATIVE);
  sw_mask_words(loaded.reading.mask, SW_REGION_BLOCK, words, sizeof words);
  assert_string_equal(words, "slots, itself so far");
  plays(&loaded, "slot-decoder", team);
  sw_team_free(team);
  sw_loaded_close(&loaded);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trains_and_resumes),
      cmocka_unit_test(options_are_its_own),
      cmocka_unit_test(is_loaded_and_played),
      cmocka_unit_test(wrong_files),
      cmocka_unit_test(a_mask_is_one_row),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
