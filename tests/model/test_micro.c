/* The float64 micro-model published with the reference: the double reference
 * reproduces the published logits, loss, gradient norm and the parameters
 * after one AdamW step to 1e-8; and the engine agrees with the reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include "../ref_double.h"
#include "model/optim.h"

enum { LENGTH = 12, VOCAB = 11 };
static const int32_t tokens[LENGTH] = {1, 4, 3, 6, 7, 3, 8, 5, 6, 9, 3, 10};
static const int64_t starts[] = {0, 3, 8};
static const sw_model_config config = {.vocab = VOCAB,
                                       .d = 8,
                                       .layers = 2,
                                       .heads = 2,
                                       .ffn = 32,
                                       .slots = 2,
                                       .positions = 16};

static double *micro_weights(void) {
  sw_params p;
  sw_params_layout(&config, &p);
  assert_int_equal(p.layout.count, 2098);
  double *w = malloc(sizeof(double) * (size_t)p.layout.count);
  for (int i = 0; i < p.layout.tensors; i++) {
    sw_tensor t;
    sw_params_at(&config, i, &t);
    for (int64_t k = t.offset; k < t.offset + t.count; k++)
      w[k] = 0.2 * sin(0.7 * (double)k + 0.3) + (t.init == SW_INIT_ONE);
  }
  return w;
}

typedef struct micro {
  sw_mask mask;
  int32_t position[LENGTH];
  double *weights;
  ref_case c;
} micro;

static void micro_open(micro *m, sw_mask_kind kind, sw_position_kind pos) {
  sw_mask_init(&m->mask);
  assert_int_equal(
      sw_mask_build(&m->mask, kind, 2, LENGTH, starts, 3, 4, 0, NULL), 0);
  sw_reading reading = {kind, pos, 4};
  assert_int_equal(sw_reading_positions(&reading, LENGTH, starts, 3, 0, 16,
                                        m->position, NULL),
                   0);
  m->weights = micro_weights();
  m->c = (ref_case){config, m->weights, &m->mask, tokens, m->position, LENGTH};
}

static void micro_close(micro *m) {
  sw_mask_free(&m->mask);
  free(m->weights);
}

static const struct {
  sw_mask_kind mask;
  sw_position_kind position;
  double last[4], sum;
} published[] = {
    {SW_MASK_SSA,
     SW_POS_BLOCK_RELATIVE,
     {-0.085060403, -0.458489356, -0.626116997, -0.512700601},
     0.115072718},
    {SW_MASK_SSA,
     SW_POS_STANDARD,
     {0.291021031, 0.045137860, -0.221006263, -0.387947693},
     -0.128943801},
    {SW_MASK_CAUSAL_RELEASE,
     SW_POS_BLOCK_RELATIVE,
     {-0.012450742, -0.348321616, -0.527841978, -0.470430838},
     0.202131494},
    {SW_MASK_CAUSAL_RELEASE,
     SW_POS_STANDARD,
     {0.244117931, 0.013728994, -0.222822453, -0.359355977},
     0.912891417},
    {SW_MASK_CAUSAL,
     SW_POS_BLOCK_RELATIVE,
     {-0.018332182, -0.362243020, -0.543554470, -0.480881580},
     -0.058710790},
    {SW_MASK_CAUSAL,
     SW_POS_STANDARD,
     {0.241276573, 0.007679101, -0.229365275, -0.363454863},
     0.743588475},
    {SW_MASK_BLANKET,
     SW_POS_BLOCK_RELATIVE,
     {-0.208307483, -0.631131445, -0.770660544, -0.564264599},
     -4.783040380},
    {SW_MASK_BLOCK_ONLY,
     SW_POS_BLOCK_RELATIVE,
     {-0.098544741, -0.444615845, -0.591113017, -0.472278327},
     -2.395910326},
    {SW_MASK_SWA_PREFIX_RELEASE,
     SW_POS_BLOCK_RELATIVE,
     {-0.082798906, -0.439168396, -0.598409140, -0.489043025},
     0.219813716},
    {SW_MASK_REVERSE,
     SW_POS_BLOCK_RELATIVE,
     {-0.120602031, -0.498077690, -0.651982091, -0.513232437},
     -4.206911773},
};

static void assert_near(double got, double want, double within) {
  if (!(fabs(got - want) <= within))
    fail_msg("got %.12g, want %.12g (off by %g)", got, want, got - want);
}

static void test_published_logits(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
    micro m;
    double z[LENGTH * VOCAB], sum = 0;
    micro_open(&m, published[i].mask, published[i].position);
    ref_logits(&m.c, z, NULL);
    for (int j = 0; j < LENGTH * VOCAB; j++) sum += z[j];
    for (int j = 0; j < 4; j++)
      assert_near(z[(LENGTH - 1) * VOCAB + j], published[i].last[j], 1e-8);
    assert_near(sum, published[i].sum, 1e-8);
    micro_close(&m);
  }
}

static void test_verify_head(void **state) {
  (void)state;
  micro m;
  double z[LENGTH * VOCAB], verify[LENGTH * 2];
  micro_open(&m, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE);
  ref_logits(&m.c, z, verify);
  assert_near(verify[2 * LENGTH - 2], 0.057143448, 1e-8);
  assert_near(verify[2 * LENGTH - 1], 0.077735463, 1e-8);
  micro_close(&m);
}

static const struct {
  sw_mask_kind mask;
  double loss, norm, token[3], qkv[2], position, slot;
} steps[] = {
    {SW_MASK_SSA,
     2.196758215093,
     1.780163823266,
     {-0.049522436451, 0.087532689340, 0.182360918335},
     {-0.125600257254, -0.195957764700},
     0.004073170257,
     0.058803864111},
    {SW_MASK_CAUSAL_RELEASE,
     2.214910758122,
     1.768303434333,
     {-0.049522436451, 0.087532689340, 0.182360918334},
     {-0.125600255687, -0.195957792627},
     0.004073170257,
     0.058803864122},
};

static void test_training_step(void **state) {
  (void)state;
  uint8_t supervised[LENGTH] = {[6] = 1, [7] = 1, [11] = 1};
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    micro m;
    sw_params p;
    micro_open(&m, steps[i].mask, SW_POS_BLOCK_RELATIVE);
    sw_params_layout(&config, &p);
    double *g = calloc((size_t)p.layout.count, sizeof *g);
    assert_near(ref_loss(&m.c, supervised, 1.0 / 3, g) / 3, steps[i].loss,
                1e-8);
    assert_near(ref_adamw_first(&m.c, m.weights, g, 3e-4, 0.01), steps[i].norm,
                1e-8);
    const double *w = m.weights;
    for (int j = 0; j < 3; j++)
      assert_near(w[p.offset[SW_P_TOKEN] + 8 * 8 + j], steps[i].token[j], 1e-8);
    for (int j = 0; j < 2; j++)
      assert_near(w[p.offset[SW_P_QKV_W] + p.layout.layer_stride + j],
                  steps[i].qkv[j], 1e-8);
    assert_near(w[p.offset[SW_P_POSITION] + 15 * 8], steps[i].position, 1e-8);
    assert_near(w[p.offset[SW_P_SLOT]], steps[i].slot, 1e-8);
    assert_near(w[p.offset[SW_P_VERIFY_4_B]], -0.073483499113, 1e-8);
    free(g);
    micro_close(&m);
  }
}

/* The same step by the engine, in float. */
static void test_engine_step(void **state) {
  (void)state;
  uint8_t supervised[LENGTH] = {[6] = 1, [7] = 1, [11] = 1};
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    micro m;
    sw_params p;
    sw_model *model;
    sw_team *team;
    sw_pass *pass;
    sw_optim *optim;
    sw_optim_config oc = {.lr = 3e-4,
                          .beta1 = 0.9,
                          .beta2 = 0.999,
                          .eps = 1e-8,
                          .weight_decay = 0.01,
                          .clip = 1,
                          .warmup = 0,
                          .steps = 100};
    micro_open(&m, steps[i].mask, SW_POS_BLOCK_RELATIVE);
    sw_params_layout(&config, &p);
    assert_int_equal(sw_team_new(&team, 2, NULL), 0);
    assert_int_equal(sw_model_new(&model, &config, 1, NULL), 0);
    float *w = sw_model_net(model)->weights;
    for (int64_t k = 0; k < p.layout.count; k++) w[k] = (float)m.weights[k];
    assert_int_equal(sw_pass_new(&pass, model, team, NULL), 0);
    assert_int_equal(sw_optim_new(&optim, sw_model_net(model), team, &oc, NULL),
                     0);
    float *g = calloc((size_t)p.layout.count, sizeof *g);
    sw_example ex = {.token = tokens,
                     .position = m.position,
                     .supervised = supervised,
                     .length = LENGTH,
                     .mask = &m.mask,
                     .block_start = starts,
                     .blocks = 3};
    sw_pass_options o = {.weight[SW_LOSS_TARGET] = 1.0f / 3};
    double loss, norm, lr;
    assert_int_equal(sw_pass_loss(pass, &ex, &o, g, &loss, NULL, NULL, NULL),
                     0);
    sw_optim_step(optim, g, &norm, &lr);
    assert_near(loss / 3, steps[i].loss, 1e-6);
    assert_near(norm, steps[i].norm, 1e-5);
    assert_near(lr, 3e-4, 1e-12);
    assert_near((double)w[p.offset[SW_P_TOKEN] + 64], steps[i].token[0], 1e-6);
    assert_near((double)w[p.offset[SW_P_POSITION] + 120], steps[i].position,
                1e-8);
    assert_near((double)w[p.offset[SW_P_SLOT]], steps[i].slot, 1e-6);
    assert_near((double)w[p.offset[SW_P_VERIFY_4_B]], -0.073483499113, 1e-8);
    for (int64_t k = 0; k < p.layout.trained; k++)
      assert_true(g[k] == 0); /* zeroed for the next step */
    free(g);
    sw_optim_free(optim);
    sw_pass_free(pass);
    sw_model_free(model);
    sw_team_free(team);
    micro_close(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_published_logits),
      cmocka_unit_test(test_verify_head),
      cmocka_unit_test(test_training_step),
      cmocka_unit_test(test_engine_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
