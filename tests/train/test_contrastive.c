/* The contrastive objective: value and gradient against finite differences, on
 * logits (double) and through a model (directional derivatives, with and
 * without dropout), selection of targets in both versions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../tiny_run.h"
#include "domains/produce.h"
#include "train/trainer.h"
#include "base/rng.h"
#include "model/decoder/model.h"
#include "train/contrastive.h"
#include "train/feed.h"

static void ok(int code, const sw_err *err) {
  if (code) fail_msg("error %d: %s", code, err->text);
}
static void near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance))
    fail_msg("%.12g is not %.12g (tolerance %g)", a, b, tolerance);
}

enum { V = 7 };

/* Both branches of ce CE(z) + cep CE(o) + skl SKL(z, o). */
static double total(const double *z, const double *o, double ce, double cep,
                    double skl) {
  double a, b, s, unused;
  sw_contrastive_row(z, o, V, 2, 0, 0, &a, &s, NULL);
  sw_contrastive_row(o, NULL, V, 2, 0, 0, &b, &unused, NULL);
  return ce * a + cep * b + skl * s;
}

static void test_values(void **state) {
  (void)state;
  /* p = (.5 .3 .2), q = (.4 .4 .2): the worked example of symmetric KL */
  const double z[3] = {log(.5), log(.3), log(.2)},
               o[3] = {log(.4), log(.4), log(.2)};
  double ce, skl;
  sw_contrastive_row(z, o, 3, 1, 1, 1, &ce, &skl, NULL);
  near(ce, -log(.3), 1e-12);
  near(skl, .025541, 5e-7);
  sw_contrastive_row(o, z, 3, 1, 1, 1, &ce, &skl, NULL);
  near(skl, .025541, 5e-7);
  double g[3];
  sw_contrastive_row(z, z, 3, 1, 0, 1, &ce, &skl,
                     g); /* equal branches: no pull */
  for (int i = 0; i < 3; i++) near(g[i], 0, 1e-15);
}

static void test_row_gradient(void **state) {
  (void)state;
  for (uint64_t trial = 0; trial < 20; trial++) {
    double z[V], o[V], gz[V], go[V], ce, skl;
    for (uint64_t i = 0; i < V; i++) {
      z[i] = 2 * sw_philox_normal(1, trial, i);
      o[i] = 2 * sw_philox_normal(2, trial, i);
    }
    double wz = .7, wo = .4, ws = 1.3, h = 1e-5;
    sw_contrastive_row(z, o, V, 2, wz, ws, &ce, &skl, gz);
    sw_contrastive_row(o, z, V, 2, wo, ws, &ce, &skl, go);
    for (int i = 0; i < V; i++) {
      double keep = z[i];
      z[i] = keep + h;
      double up = total(z, o, wz, wo, ws);
      z[i] = keep - h;
      double down = total(z, o, wz, wo, ws);
      z[i] = keep;
      near(gz[i], (up - down) / (2 * h), 1e-8);
      keep = o[i];
      o[i] = keep + h;
      up = total(z, o, wz, wo, ws);
      o[i] = keep - h;
      down = total(z, o, wz, wo, ws);
      o[i] = keep;
      near(go[i], (up - down) / (2 * h), 1e-8);
    }
  }
}

/* Prefix of 3, then blocks of a SAT layout: STATE v U SEP | v T OK. */
static void make_trace(sw_trace *t, int blocks, int32_t salt) {
  sw_trace_clear(t);
  sw_trace_begin_block(t);
  for (int i = 0; i < 3; i++) sw_trace_put(t, 1 + i, 0);
  for (int b = 1; b <= blocks; b++) {
    int last = b == blocks;
    int32_t var = 1830 + (last ? 5 : salt + b);
    const int32_t token[] = {6, var, 17, 3, var, 15, 10};
    sw_trace_begin_block(t);
    for (int i = 0; i < 7; i++) sw_trace_put(t, token[i], i >= 4);
  }
}

/* The published action tokens of SAT. */
static sw_token_set published(void) {
  sw_token_set set = NULL;
  sw_err err = {0};
  ok(sw_release_actions("sat", &set, &err), &err);
  return set;
}

static void test_select(void **state) {
  (void)state;
  sw_token_set sat = published();
  sw_trace a, b;
  sw_err err = {0};
  sw_contrastive_rows r = {0};
  sw_trace_init(&a);
  sw_trace_init(&b);
  make_trace(&a, 3, 10);
  make_trace(&b, 3, 50);
  ok(sw_contrastive_select(&r, &a, &b, 3, sat, &err), &err);
  assert_int_equal(r.source, 2); /* variable and T; OK is not in the set */
  assert_int_equal(r.pair, 2);
  assert_int_equal(r.source_row[0], a.block_start[3] + 3);
  assert_int_equal(r.source_target[1], 15);
  ok(sw_contrastive_select(&r, &a, &b, 3, NULL, &err), &err);
  assert_int_equal(r.source, 9); /* the whole source is supervised */
  assert_int_equal(r.pair, 3);
  assert_int_equal(r.source_partner[0], -1);
  assert_int_equal(r.source_partner[6], 0);
  assert_int_equal(r.pair_partner[2], 8);
  b.token[b.block_start[3] + 5] = 16; /* another value: not a pair */
  assert_int_equal(sw_contrastive_select(&r, &a, &b, 3, sat, &err), SW_DATA);
  assert_int_equal(sw_contrastive_select(&r, &a, &b, 4, sat, &err), SW_USAGE);
  /* a conflict block has no release target but BJ */
  sw_trace_begin_block(&a);
  sw_trace_begin_block(&b);
  const int32_t conflict[] = {6, 3, 14, 431, 13, 1631};
  for (int i = 0; i < 6; i++) {
    sw_trace_put(&a, conflict[i], i >= 2);
    sw_trace_put(&b, conflict[i], i >= 2);
  }
  ok(sw_contrastive_select(&r, &a, &b, 4, sat, &err), &err);
  assert_int_equal(r.pair, 1);
  assert_int_equal(r.pair_target[0], 13);
  ok(sw_contrastive_select(&r, &a, &b, 4, NULL, &err), &err);
  assert_int_equal(r.pair, 4);
  sw_contrastive_rows_free(&r);
  sw_trace_free(&a);
  sw_trace_free(&b);
}

typedef struct fixture {
  sw_model *model;
  sw_team *team;
  sw_pass *pass;
  sw_work *work;
  sw_prepared source, pair;
  sw_contrastive_rows rows;
  sw_contrastive_weights weights;
  sw_pass_options options;
} fixture;

static sw_example example_of(const sw_prepared *p) {
  return (sw_example){.token = p->trace.token,
                      .position = p->position,
                      .supervised = p->trace.supervised,
                      .length = (int32_t)p->trace.length,
                      .mask = &p->mask};
}

static double value(fixture *f, float *gradient, sw_contrastive_sums *sums) {
  sw_err err = {0};
  sw_contrastive_sums local = {0};
  sw_item a = {.example = example_of(&f->source), .options = f->options};
  sw_item b = {.example = example_of(&f->pair), .options = f->options};
  b.options.trace = ~f->options.trace;
  ok(sw_contrastive_pass(f->work, &a, &b, &f->rows, &f->weights, gradient,
                         gradient, &local, &err),
     &err);
  if (sums) *sums = local;
  return sw_contrastive_value(&local, &f->weights);
}

static void set_up(fixture *f, int release, double dropout) {
  sw_err err = {0};
  sw_model_config config = {.vocab = 2030,
                            .d = 16,
                            .layers = 2,
                            .heads = 2,
                            .ffn = 32,
                            .slots = 2,
                            .positions = 64};
  memset(f, 0, sizeof *f);
  ok(sw_model_new(&f->model, &config, 3, &err), &err);
  /* a larger initialisation, so that distributions are far from uniform */
  float *w = sw_model_net(f->model)->weights;
  for (int64_t i = 0; i < sw_model_net(f->model)->count; i++) w[i] *= 3;
  sw_model_changed(f->model);
  ok(sw_team_new(&f->team, 1, &err), &err);
  ok(sw_pass_new(&f->pass, f->model, f->team, &err), &err);
  ok(sw_work_new(&f->work, sw_model_net(f->model), f->team, &err), &err);
  sw_prepared_init(&f->source);
  sw_prepared_init(&f->pair);
  make_trace(&f->source.trace, 3, 10);
  make_trace(&f->pair.trace, 3, 50);
  sw_reading reading = sw_reading_of(SW_MASK_CAUSAL);
  ok(sw_prepare(&f->source, &reading, 2, 0, 64, 0, &err), &err);
  ok(sw_prepare(&f->pair, &reading, 2, 0, 64, 0, &err), &err);
  ok(sw_contrastive_select(&f->rows, &f->source.trace, &f->pair.trace, 3,
                           release ? published() : NULL, &err),
     &err);
  f->weights = release ? (sw_contrastive_weights){.5, .5, .5}
                       : (sw_contrastive_weights){1.0 / 9, 0, 1.0 / 3};
  f->options = (sw_pass_options){.dropout = dropout,
                                 .seed = 5,
                                 .step = 2,
                                 .trace = 1,
                                 .weight[SW_LOSS_TARGET] = 1};
}

static void tear_down(fixture *f) {
  sw_contrastive_rows_free(&f->rows);
  sw_prepared_free(&f->source);
  sw_prepared_free(&f->pair);
  sw_work_free(f->work);
  sw_pass_free(f->pass);
  sw_team_free(f->team);
  sw_model_free(f->model);
}

/* Derivative along random directions, central differences at two steps
 * (Richardson), against the inner product with the gradient. */
static void check_directions(int release, double dropout, int only_skl) {
  fixture f;
  set_up(&f, release, dropout);
  if (only_skl) f.weights = (sw_contrastive_weights){0, 0, 1};
  int64_t n = sw_model_net(f.model)->count;
  float *gradient = calloc((size_t)n, sizeof *gradient),
        *w = sw_model_net(f.model)->weights;
  float *keep = malloc(sizeof *keep * (size_t)n);
  sw_contrastive_sums sums;
  double with = value(&f, gradient, &sums), without = value(&f, NULL, NULL);
  near(with, without, 1e-6 * fabs(with));
  assert_true(sums.skl > 1e-3 && sums.ce_source > .1);
  memcpy(keep, w, sizeof *keep * (size_t)n);
  for (uint64_t trial = 0; trial < 4; trial++) {
    double slope[2], inner = 0, scale = 0;
    for (int64_t i = 0; i < n; i++) {
      double u = sw_philox_normal(9, trial, (uint64_t)i) * .01 + gradient[i];
      inner += u * gradient[i];
      scale += u * u;
    }
    for (int k = 0; k < 2; k++) {
      double h = (k ? 2e-3 : 4e-3) / sqrt(scale), side[2];
      for (int s = 0; s < 2; s++) {
        for (int64_t i = 0; i < n; i++) {
          double u =
              sw_philox_normal(9, trial, (uint64_t)i) * .01 + gradient[i];
          w[i] = (float)(keep[i] + (s ? -h : h) * u);
        }
        sw_model_changed(f.model);
        side[s] = value(&f, NULL, NULL);
      }
      slope[k] = (side[0] - side[1]) / (2 * h);
    }
    double best = (4 * slope[1] - slope[0]) / 3;
    /* the divergence alone is small: single precision shows earlier */
    near(best / inner, 1, only_skl ? 3e-3 : 1e-4);
  }
  memcpy(w, keep, sizeof *keep * (size_t)n);
  free(keep);
  free(gradient);
  tear_down(&f);
}

static void test_model_gradient_release(void **state) {
  (void)state;
  check_directions(1, 0, 0);
}
static void test_model_gradient_ours(void **state) {
  (void)state;
  check_directions(0, 0, 0);
}
static void test_model_gradient_dropout(void **state) {
  (void)state;
  check_directions(0, .2, 0);
  check_directions(0, .2, 1);
  check_directions(1, 0, 1);
}

/* lambda 0 and no pair loss: the ordinary loss and its gradient. */
static void test_reduces_to_loss(void **state) {
  (void)state;
  fixture f;
  sw_err err = {0};
  set_up(&f, 0, 0);
  f.weights = (sw_contrastive_weights){1, 0, 0};
  int64_t n = sw_model_net(f.model)->count, targets, hits;
  float *a = calloc((size_t)n, sizeof *a), *b = calloc((size_t)n, sizeof *b);
  sw_contrastive_sums sums;
  double loss, mine = value(&f, a, &sums);
  sw_example source = example_of(&f.source);
  ok(sw_pass_loss(f.pass, &source, &f.options, b, &loss, &targets, &hits, &err),
     &err);
  assert_int_equal(targets, 9);
  assert_int_equal(sums.hits, hits);
  near(mine, loss, 1e-5 * loss);
  double gap = 0, size = 0;
  for (int64_t i = 0; i < n; i++) {
    gap += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    size += (double)b[i] * b[i];
  }
  assert_true(size > 0 && gap < 1e-9 * size);
  free(a);
  free(b);
  tear_down(&f);
}

/* Nothing was published for Blocks World: its ids are not SAT's. */
static void test_release_refuses_other_domains(void **state) {
  (void)state;
  const sw_domain *blocks = sw_domain_find("blocks");
  char *directory = tiny_run_directory(), data[1100];
  sw_domain_options task;
  sw_err err = {0};
  assert_non_null(directory);
  snprintf(data, sizeof data, "%s/data.safetensors", directory);
  sw_domain_defaults(blocks, &task);
  ok(sw_domain_set(blocks, "n", "3", &task, &err), &err);
  ok(blocks->resolve(&task, &err), &err);
  sw_produce_options produce = {.count = 8, .seed = 1};
  sw_produce_stats stats;
  ok(sw_produce(blocks, &task, &produce, data, NULL, &stats, &err), &err);
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = data;
  o.output = directory;
  o.d = 8;
  o.layers = o.heads = 1;
  o.slots = 2;
  o.batch = 2;
  o.steps = 1;
  o.contrastive = 1;
  o.contrastive_release = 1;
  sw_train_hooks hooks = {0};
  sw_train_result result;
  assert_int_equal(sw_train(&o, &hooks, &result, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "blocks"));
  o.contrastive_release = 0; /* ours needs no such set */
  ok(sw_train(&o, &hooks, &result, &err), &err);
  tiny_run_remove(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_row_gradient),
      cmocka_unit_test(test_select),
      cmocka_unit_test(test_release_refuses_other_domains),
      cmocka_unit_test(test_model_gradient_release),
      cmocka_unit_test(test_model_gradient_ours),
      cmocka_unit_test(test_model_gradient_dropout),
      cmocka_unit_test(test_reduces_to_loss)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
