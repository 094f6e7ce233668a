/* The engine against the double reference on random models and traces: every
 * mask (random-matched too), odd sizes, supervised prefixes, other objectives,
 * hidden states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../ref_double.h"
#include "../toy.h"
#include "../size.h"

static const sw_model_config shapes[] = {
    TOY_CONFIG(40, 16, 2, 4, 64, 3, 80), /* head dimension 4 */
    TOY_CONFIG(33, 24, 1, 3, 24, 2,
               70), /* one layer, FFN = d, odd heads, dim 8 */
    TOY_CONFIG(70, 64, 3, 1, 100, 5, 90), /* head dimension 64, odd FFN width */
    TOY_CONFIG(50, 128, 1, 1, 64, 3, 80), /* head dimension 128, the widest */
};

static double *as_double(sw_model *model) {
  int64_t n = sw_model_net(model)->count;
  double *out = malloc(sizeof *out * (size_t)n);
  for (int64_t i = 0; i < n; i++)
    out[i] = (double)sw_model_net(model)->weights[i];
  return out;
}

static double relative(const float *got, const double *want, int64_t n) {
  double off = 0, size = 0;
  for (int64_t i = 0; i < n; i++) {
    off += pow((double)got[i] - want[i], 2);
    size += pow(want[i], 2);
  }
  return size > 0 ? sqrt(off / size) : sqrt(off);
}

typedef struct bed {
  sw_model *model;
  sw_team *team;
  sw_pass *pass;
  double *weights;
  toy t;
  ref_case c;
} bed;

static void bed_open(bed *b, const sw_model_config *config, sw_mask_kind kind,
                     int threads) {
  b->model = toy_model(config, 5);
  assert_int_equal(sw_team_new(&b->team, threads, NULL), 0);
  assert_int_equal(sw_pass_new(&b->pass, b->model, b->team, NULL), 0);
  b->weights = as_double(b->model);
  toy_make(&b->t, config->vocab, 17, 4, 9, 11);
  toy_mask(&b->t, config, kind, SW_POS_BLOCK_RELATIVE, 5);
  b->c = (ref_case){*config,    b->weights,    &b->t.mask,
                    b->t.token, b->t.position, b->t.length};
}

static void bed_close(bed *b) {
  toy_free(&b->t);
  free(b->weights);
  sw_pass_free(b->pass);
  sw_team_free(b->team);
  sw_model_free(b->model);
}

static void check_loss(bed *b, const char *what) {
  int64_t n = sw_model_net(b->model)->count, targets = 0, want = 0;
  float *g = calloc((size_t)n, sizeof *g);
  double *r = calloc((size_t)n, sizeof *r), loss;
  sw_pass_options o = {.weight[SW_LOSS_TARGET] = 0.5f};
  for (int32_t t = 1; t < b->t.length; t++) want += b->t.supervised[t];
  assert_int_equal(
      sw_pass_loss(b->pass, &b->t.example, &o, g, &loss, &targets, NULL, NULL),
      0);
  double expected = ref_loss(&b->c, b->t.supervised, 0.5, r);
  assert_int_equal(targets, want);
  if (!(fabs(loss - expected) < (toy_rounds() ? 2e-3 : 1e-5) * expected))
    fail_msg("%s: loss %.9g, want %.9g", what, loss, expected);
  double off = relative(g, r, n);
  if (!(off < (toy_rounds() ? 0.05 : 2e-5)))
    fail_msg("%s: gradient off by %g", what, off);
  free(g);
  free(r);
}

static void test_every_mask(void **state) {
  (void)state;
  for (int set = 0; toy_kernels(set); set++) {
    toy_kernels(set);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
      for (int kind = 0; kind < SW_MASK_COUNT; kind++) {
        sw_model_config config = shapes[s];
        bed b;
        if (kind == SW_MASK_CAUSAL_NOSLOT) config.slots = 0;
        bed_open(&b, &config, (sw_mask_kind)kind, 1 + (int)s % 2);
        check_loss(&b, sw_mask_name((sw_mask_kind)kind));
        bed_close(&b);
      }
  }
}

/* Supervision anywhere, the prefix included: nothing may be skipped. */
static void test_supervised_prefix(void **state) {
  (void)state;
  bed b;
  bed_open(&b, &shapes[0], SW_MASK_BLOCK_ONLY, 2);
  memset(b.t.supervised, 1, (size_t)b.t.length);
  check_loss(&b, "all supervised");
  memset(b.t.supervised, 0, (size_t)b.t.length);
  b.t.supervised[3] = 1;
  check_loss(&b, "one prefix token supervised");
  bed_close(&b);
}

/* More supervised rows than logits fit in memory at once. */
static void test_many_targets(void **state) {
  (void)state;
  sw_model_config config = {.vocab = 20,
                            .d = 16,
                            .layers = 2,
                            .heads = 4,
                            .ffn = 16,
                            .slots = 2,
                            .positions = 1024};
  bed b;
  b.model = toy_model(&config, 5);
  assert_int_equal(sw_team_new(&b.team, 2, NULL), 0);
  assert_int_equal(sw_pass_new(&b.pass, b.model, b.team, NULL), 0);
  b.weights = as_double(b.model);
  toy_make(&b.t, config.vocab, 40, 46, 30, 3);
  memset(b.t.supervised, 1, (size_t)b.t.length);
  toy_mask(&b.t, &config, SW_MASK_SSA, SW_POS_STANDARD, 0);
  b.c = (ref_case){config,    b.weights,    &b.t.mask,
                   b.t.token, b.t.position, b.t.length};
  assert_true(b.t.length > 800);
  check_loss(&b, "many targets");
  bed_close(&b);
}

/* Losses without gradients, more targets than logits at once and a last piece
 * that is shared otherwise than the others: two members must not overtake each
 * other. */
static void test_many_targets_without_gradient(void **state) {
  (void)state;
  sw_model_config config = {.vocab = 700,
                            .d = 16,
                            .layers = 1,
                            .heads = 4,
                            .ffn = 16,
                            .slots = 2,
                            .positions = 1024};
  sw_model *model = toy_model(&config, 5);
  static toy t;
  toy_make(&t, config.vocab, 40, 30, 30, 3);
  memset(t.supervised, 1, (size_t)t.length);
  toy_mask(&t, &config, SW_MASK_SSA, SW_POS_STANDARD, 0);
  assert_true(t.length > 400 && t.length % 384 != 0);
  double alone = 0;
  sw_pass_options o = {.weight[SW_LOSS_TARGET] = 1};
  for (int threads = 1; threads <= 2; threads++) {
    sw_team *team;
    sw_pass *pass;
    assert_int_equal(sw_team_new(&team, threads, NULL), 0);
    assert_int_equal(sw_pass_new(&pass, model, team, NULL), 0);
    for (int run = 0; run < test_size(200, 20); run++) {
      double loss;
      int64_t targets;
      assert_int_equal(
          sw_pass_loss(pass, &t.example, &o, NULL, &loss, &targets, NULL, NULL),
          0);
      if (threads == 1 && run == 0) alone = loss;
      assert_true(loss == alone);
    }
    sw_pass_free(pass);
    sw_team_free(team);
  }
  toy_free(&t);
  sw_model_free(model);
}

/* sw_pass_custom with the cross-entropy written by the caller must give the
 * gradient of sw_pass_loss; with rows repeated, twice of it. */
typedef struct targets {
  const int32_t *token, *row;
} targets;

static int cross_entropy(void *context, float *logits, int32_t count,
                         int32_t vocab, sw_err *err) {
  const targets *t = context;
  (void)err;
  for (int32_t i = 0; i < count; i++) {
    float *z = logits + i * vocab;
    double sum = 0;
    for (int32_t j = 0; j < vocab; j++) sum += exp((double)z[j]);
    for (int32_t j = 0; j < vocab; j++)
      z[j] = (float)(exp((double)z[j]) / sum) -
             (j == t->token[t->row[i] + 1] ? 1.0f : 0.0f);
  }
  return 0;
}

static void test_custom_objective(void **state) {
  (void)state;
  bed b;
  bed_open(&b, &shapes[2], SW_MASK_SSA, 2);
  int64_t n = sw_model_net(b.model)->count;
  int32_t rows[TOY_MAX], count = 0;
  float *g = calloc((size_t)n, sizeof *g);
  double *r = calloc((size_t)n, sizeof *r);
  for (int twice = 0; twice < 2; twice++)
    for (int32_t t = 1; t < b.t.length; t++)
      if (b.t.supervised[t]) rows[count++] = t - 1;
  targets context = {b.t.token, rows};
  assert_int_equal(sw_pass_custom(b.pass, &b.t.example, NULL, rows, count,
                                  cross_entropy, &context, g, NULL),
                   0);
  ref_loss(&b.c, b.t.supervised, 2, r);
  assert_true(relative(g, r, n) < 2e-5);
  free(g);
  free(r);
  bed_close(&b);
}

static int refuse(void *context, float *logits, int32_t count, int32_t vocab,
                  sw_err *err) {
  (void)context, (void)logits, (void)count, (void)vocab;
  return sw_fail(err, SW_DATA, "no");
}

static void test_custom_failure(void **state) {
  (void)state;
  bed b;
  int32_t row = 20;
  sw_err err = {0};
  bed_open(&b, &shapes[0], SW_MASK_SSA, 2);
  int64_t n = sw_model_net(b.model)->count;
  float *g = calloc((size_t)n, sizeof *g);
  assert_int_equal(sw_pass_custom(b.pass, &b.t.example, NULL, &row, 1, refuse,
                                  NULL, g, &err),
                   SW_DATA);
  for (int64_t i = 0; i < n; i++) assert_true(g[i] == 0);
  free(g);
  bed_close(&b);
}

/* Logits are hidden states times the token table. */
static void test_hidden(void **state) {
  (void)state;
  bed b;
  bed_open(&b, &shapes[2], SW_MASK_CAUSAL, 2);
  int d = shapes[2].d, vocab = shapes[2].vocab;
  int32_t rows[2] = {30, 4};
  float *hidden = malloc(sizeof(float) * 2 * (size_t)d);
  double *z = malloc(sizeof(double) * (size_t)(b.t.length * vocab));
  sw_params p;
  sw_params_layout(&shapes[2], &p);
  ref_logits(&b.c, z, NULL);
  assert_int_equal(sw_pass_hidden(b.pass, &b.t.example, rows, 2, hidden, NULL),
                   0);
  for (int i = 0; i < 2; i++)
    for (int v = 0; v < vocab; v++) {
      double sum = 0;
      for (int k = 0; k < d; k++)
        sum += (double)hidden[i * d + k] *
               b.weights[p.offset[SW_P_TOKEN] + v * d + k];
      assert_true(fabs(sum - z[rows[i] * vocab + v]) < 1e-4);
    }
  free(hidden);
  free(z);
  bed_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_mask),
      cmocka_unit_test(test_supervised_prefix),
      cmocka_unit_test(test_many_targets),
      cmocka_unit_test(test_many_targets_without_gradient),
      cmocka_unit_test(test_custom_objective),
      cmocka_unit_test(test_custom_failure),
      cmocka_unit_test(test_hidden),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
