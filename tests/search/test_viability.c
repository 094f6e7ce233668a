/* The verifier `viability:FILE:TAU` and the records it is trained on: labels of
 * choices against trying every assignment, the nine columns by hand on a small
 * formula, and a verifier that goes back more often the lower TAU is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "domains/produce.h"
#include "domains/sat/sat_env.h"
#include "search/condition.h"
#include "search/evaluate.h"
#include "search/guide_family.h"
#include "search/loaded.h"
#include "train/records.h"
#include "train/trainer.h"

static char dir[] = "/tmp/statewise-viability-XXXXXX";
static char data[64], run[64];

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s (%s)", err->text, err->hint);
}

static const sw_domain *task(sw_domain_options *o) {
  const sw_domain *sat = sw_domain_find("sat");
  sw_domain_defaults(sat, o);
  sw_domain_set(sat, "n", "9", o, NULL);
  sw_domain_set(sat, "family", "phase", o, NULL);
  assert_int_equal(sat->resolve(o, NULL), 0);
  return sat;
}

static int set_up(void **state) {
  (void)state;
  sw_domain_options o;
  sw_produce_stats stats;
  if (!mkdtemp(dir)) return -1;
  snprintf(data, sizeof data, "%s/data.safetensors", dir);
  snprintf(run, sizeof run, "%s/run", dir);
  const sw_domain *sat = task(&o);
  sw_produce_options p = {.count = 40, .seed = 5, .threads = 1, .viability = 1};
  return sw_produce(sat, &o, &p, data, NULL, &stats, NULL);
}

static int tear_down(void **state) {
  (void)state;
  char command[96];
  snprintf(command, sizeof command, "rm -rf %s", dir);
  return system(command);
}

typedef struct captured { /* as sat_features.c lays it out */
  int32_t open, open_value, conflict, depth;
  int8_t value[];
} captured;

/* Is there a solution that agrees with the state and makes the choice? */
static int extends(const sw_instance *f, const captured *c, int32_t choice) {
  for (uint32_t a = 0; a < 1u << f->n; a++) {
    int fits = (int)(a >> (choice >> 1) & 1) == (choice & 1);
    if (c->open >= 0) fits &= (int)(a >> c->open & 1) == c->open_value;
    for (int32_t v = 0; v < f->n && fits; v++)
      fits = c->value[v] == 0 || (c->value[v] > 0) == (int)(a >> v & 1);
    for (int32_t k = 0; k < f->m && fits; k++) {
      int holds = 0;
      for (int32_t i = f->start[k]; i < f->start[k + 1]; i++)
        holds |= (int)(a >> (f->literal[i] >> 1) & 1) != (f->literal[i] & 1);
      fits = holds;
    }
    if (fits) return 1;
  }
  return 0;
}

static void labels_of_choices(void **state) {
  (void)state;
  sw_dataset set;
  sw_err err = {0};
  int dead[2] = {0};
  must(sw_dataset_open(&set, data, &err), &err);
  for (int judged = 0; judged < 2; judged++) {
    sw_records r;
    must(sw_records_open(&r, &set, &err), &err);
    r.choices = 1;
    r.judged = judged;
    must(sw_records_make(&r, 0, &err), &err);
    assert_true(r.count > 200);
    for (int64_t i = 0; i < r.count; i++) {
      const sw_state_record *x = &r.record[i];
      const captured *c = (const captured *)(r.bytes + x->state);
      int can = extends(r.instance[x->trace], c, x->step);
      assert_int_equal(c->value[x->step >> 1], 0);
      assert_true(x->target[1] < 0 && x->target[2] < 0);
      if (judged) assert_int_equal(x->target[0], !can);
      else if (x->target[0]) assert_false(can); /* propagation proves it */
      dead[judged] += x->target[0];
    }
    sw_records_close(&r);
  }
  assert_true(dead[0] > 20 && dead[1] > dead[0]);
  sw_dataset_close(&set);
}

/* (a or b or c)(not a or b or d)(not b or c or not d), b true already; what
 * does c = true, or d = true, make of it? */
static void nine_columns(void **state) {
  (void)state;
  const sw_state_ops *ops = sw_domain_find("sat")->state;
  const int32_t start[] = {0, 3, 6, 9}, literal[] = {0, 2, 4, 1, 2, 6, 3, 4, 7};
  sw_instance *f;
  assert_int_equal(sw_sat_instance_new(&f, 4, 3, start, literal, NULL, NULL),
                   0);
  captured *c = calloc(1, ops->bytes(f));
  c->open = -1;
  c->value[1] = 1;
  sw_state_layout l = {.set = SW_FEATURES_CHOICE, .n = 4, .m = 3};
  assert_int_equal(ops->layout(&l, NULL), 0);
  assert_int_equal(l.features, 9);
  float x[9];
  const float third = 1.0f / 3;
  ops->features(f, c, 2 * 2 + 1, &l, x); /* c true: everything holds */
  const float c_true[] = {0.5f, 3, 1, 0, 0, 0, 2 * third, 0, 1};
  for (int i = 0; i < 9; i++) assert_true(x[i] == c_true[i]);
  ops->features(f, c, 2 * 3 + 1, &l, x); /* d true: the third is unit */
  const float d_true[] = {0.5f, 3, 2 * third, third, 0, 0, third, third, 1};
  for (int i = 0; i < 9; i++) assert_true(x[i] == d_true[i]);
  assert_true(ops->choice_open(f, c, 4) && !ops->choice_open(f, c, 2));
  c->open = 0;
  c->open_value = 1;
  assert_true(ops->choice_open(f, c, 1) && !ops->choice_open(f, c, 0));
  free(c);
  sw_domain_find("sat")->instance_free(f);
}

/* Every open choice of a state, in order, and the same labels. */
static void all_choices(void **state) {
  (void)state;
  sw_dataset set;
  sw_err err = {0};
  sw_records some, all;
  must(sw_dataset_open(&set, data, &err), &err);
  sw_records *both[] = {&some, &all};
  for (int i = 0; i < 2; i++) {
    must(sw_records_open(both[i], &set, &err), &err);
    both[i]->choices = both[i]->judged = 1;
    both[i]->all_choices = i;
    must(sw_records_make(both[i], 0, &err), &err);
  }
  assert_true(all.count > some.count);
  const sw_state_ops *ops = sw_domain_find("sat")->state;
  for (int64_t i = 0; i < all.count;) {
    const sw_state_record *x = &all.record[i];
    const sw_instance *f = all.instance[x->trace];
    for (int32_t c = 0; c < 2 * f->n; c++) {
      if (!ops->choice_open(f, all.bytes + x->state, c)) continue;
      assert_true(i < all.count && all.record[i].state == x->state);
      assert_int_equal(all.record[i].step, c);
      i++;
    }
  }
  for (int64_t i = 0, k = 0; i < some.count; i++, k++) {
    while (all.record[k].state != some.record[i].state ||
           all.record[k].step != some.record[i].step)
      k++;
    assert_int_equal(all.record[k].target[0], some.record[i].target[0]);
  }
  for (int i = 0; i < 2; i++) sw_records_close(both[i]);
  sw_dataset_close(&set);
}

static const struct {
  const char *setting[6];
} judge_of[] = {{{"architecture=mlp", "model-option=features=choice",
                  "model-option=width=16", "batch=32", "steps=150"}},
                {{"architecture=literal-transformer", "model-option=width=16",
                  "model-option=depth=1", "batch=16", "steps=80"}},
                {{"architecture=mlp", "model-option=features=counts",
                  "model-option=width=16", "batch=32", "steps=150"}},
                {{"architecture=mlp", "model-option=features=lookahead",
                  "model-option=width=16", "batch=32", "steps=150"}}};

typedef struct stopper {
  int64_t seen, at;
} stopper;
static void on_step(void *context, const sw_train_report *r) {
  ((stopper *)context)->seen = r->step;
}
static int on_stop(void *context) {
  const stopper *s = context;
  return s->at && s->seen >= s->at;
}

static int train(int which, const char *output, int threads, int64_t stop_at,
                 sw_err *err) {
  sw_train_options t;
  sw_train_result trained;
  stopper s = {.at = stop_at};
  sw_train_hooks hooks = {.context = &s, .step = on_step, .stop = on_stop};
  sw_options_defaults(sw_train_table, sw_train_table_count, &t);
  for (int i = 0; judge_of[which].setting[i]; i++) {
    must(sw_options_set_pair(sw_train_table, sw_train_table_count,
                             judge_of[which].setting[i], &t, err),
         err);
    if (!i) must(sw_train_drop_shape(&t, NULL, err), err);
  }
  t.verify = 1;
  t.lr = 3e-3;
  t.data = data;
  t.output = output;
  t.threads = threads;
  return sw_train(&t, &hooks, &trained, err);
}

static void goes_back(int which) {
  sw_err err = {0};
  int64_t queries[3];
  /* trying every value leaves little to doubt: its scores are near 0 or 1 */
  static const char *const usual[] = {"0.2", "0.8", "1"}, *const sure[] = {
                                                              "0.01", "0.99",
                                                              "1"};
  const char *const *tau = which == 3 ? sure : usual;
  snprintf(run, sizeof run, "%s/run%d", dir, which);
  must(train(which, run, 1, 0, &err), &err);
  for (int i = 0; i < 3; i++) {
    char text[120];
    sw_domain_options o;
    sw_condition c;
    sw_condition_options co;
    sw_guide *guide;
    sw_outcome outcome[20];
    sw_summary sum;
    const sw_domain *sat = task(&o);
    snprintf(text, sizeof text, "confirm:20:viability:%s:%s", run, tau[i]);
    sw_condition_defaults(&co);
    co.verifier = text;
    co.instances = 20;
    must(sw_guide_named(&guide, sat, "clause+exact", &err), &err);
    must(sw_condition_make(&c, &co, guide, &o, &err), &err);
    assert_null(strstr(c.verifier, run)); /* known by its weights */
    must(sw_evaluate(&c, NULL, outcome, &err), &err);
    sw_summarize(outcome, 20, &sum);
    assert_int_equal(sum.false_prunes, 0);
    assert_int_equal(sum.solved, 20);
    queries[i] = sum.solver_queries;
    sw_guide_close(guide);
  }
  assert_true(queries[0] > queries[1] && queries[1] >= queries[2]);
  assert_int_equal(queries[2], 0);
}

static void goes_back_by_threshold(void **state) {
  (void)state;
  goes_back(0);
}

static void literals_go_back_by_threshold(void **state) {
  (void)state;
  goes_back(1);
}

static void counts_go_back_by_threshold(void **state) {
  (void)state;
  goes_back(2);
}

static void lookahead_goes_back_by_threshold(void **state) {
  (void)state;
  goes_back(3);
}

/* Figures have one answer, the verdict; what the trace does next is not asked.
 */
static void figures_ask_for_the_verdict(void **state) {
  (void)state;
  sw_dataset set;
  sw_err err = {0};
  sw_records r;
  int64_t dead = 0, judged = 0;
  must(sw_dataset_open(&set, data, &err), &err);
  must(sw_records_open(&r, &set, &err), &err);
  r.judged = r.verdicts = 1;
  must(sw_records_make(&r, 0, &err), &err);
  for (int64_t i = 0; i < r.count; i++) {
    const sw_state_record *x = &r.record[i];
    int64_t block = set.trace_block[x->trace] + x->step;
    assert_true(x->target[1] < 0 && x->target[2] < 0);
    assert_int_equal(x->target[0], set.viability[block] == SW_DEAD);
    dead += x->target[0];
    judged++;
  }
  assert_true(dead > 20 && judged - dead > 20);
  sw_records_close(&r);
  sw_dataset_close(&set);
}

/* Two threads, and stopped on the way: the same weights; and it judges only. */
static void literals_to_the_bit(void **state) {
  (void)state;
  sw_err err = {0};
  char again[80], path[2][100], *text[2];
  size_t bytes[2];
  sw_loaded loaded;
  sw_guide *guide;
  sw_team *team;
  snprintf(again, sizeof again, "%s/again", dir);
  assert_int_equal(train(1, again, 2, 30, &err), SW_STOPPED);
  must(train(1, again, 2, 0, &err), &err);
  snprintf(path[0], sizeof path[0], "%s/run1/model.safetensors", dir);
  snprintf(path[1], sizeof path[1], "%s/model.safetensors", again);
  for (int i = 0; i < 2; i++)
    must(sw_read_file(path[i], 1 << 26, &text[i], &bytes[i], &err), &err);
  assert_int_equal(bytes[0], bytes[1]);
  assert_memory_equal(text[0], text[1], bytes[0]);
  free(text[0]);
  free(text[1]);
  must(sw_loaded_open(&loaded, again, &err), &err);
  must(sw_team_new(&team, 1, &err), &err);
  assert_int_equal(sw_guide_model(&guide, &loaded, NULL, team, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "judges choices and does not play"));
  sw_team_free(team);
  sw_loaded_close(&loaded);
}

/* A model that has no answer does not say "viable": without that its verifier
 * would be `exact` under another name. */
static void what_it_cannot_judge_is_an_error(void **state) {
  (void)state;
  sw_err err = {0};
  sw_net *net;
  sw_loaded loaded;
  char text[120], file[96];
  snprintf(file, sizeof file, "%s/broken.safetensors", dir);
  snprintf(run, sizeof run, "%s/run0", dir);
  must(sw_loaded_open(&loaded, run, &err), &err);
  net = loaded.model;
  for (int64_t i = 0; i < net->count; i++) net->weights[i] = 3e38f;
  const char *meta[] = {
      "domain",         "sat", "mask", "ssa", "position_kind", "block-relative",
      "domain_options", "{}"};
  must(sw_net_save(net, file, meta, 4, &err), &err);
  sw_loaded_close(&loaded);
  snprintf(text, sizeof text, "viability:%s:0.5", file);
  sw_domain_options o;
  sw_condition c;
  sw_condition_options co;
  sw_guide *guide;
  sw_outcome outcome[2];
  const sw_domain *sat = task(&o);
  sw_condition_defaults(&co);
  co.verifier = text;
  co.instances = 2;
  must(sw_guide_named(&guide, sat, "clause+exact", &err), &err);
  must(sw_condition_make(&c, &co, guide, &o, &err), &err);
  assert_int_equal(sw_evaluate(&c, NULL, outcome, &err), SW_DATA);
  assert_non_null(strstr(err.text, "not a number"));
  sw_guide_close(guide);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_of_choices),
      cmocka_unit_test(all_choices),
      cmocka_unit_test(nine_columns),
      cmocka_unit_test(goes_back_by_threshold),
      cmocka_unit_test(literals_go_back_by_threshold),
      cmocka_unit_test(counts_go_back_by_threshold),
      cmocka_unit_test(lookahead_goes_back_by_threshold),
      cmocka_unit_test(figures_ask_for_the_verdict),
      cmocka_unit_test(literals_to_the_bit),
      cmocka_unit_test(what_it_cannot_judge_is_an_error)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
