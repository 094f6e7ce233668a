/* The LSTM's numbers: sizes, scores and gradients against the double reference
 * in every mode and kernel set, dropout included, and the reference against
 * finite differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../ref_lstm.h"
#include "../toy.h"
#include "base/rng.h"
#include "model/lstm/rows.h"

static const sw_mask_kind masks[] = {SW_MASK_CAUSAL_NOSLOT, SW_MASK_BLOCK_ONLY,
                                     SW_MASK_SSA, SW_MASK_REVERSE};
enum { MASKS = 4 };
static const int mode_of_mask[MASKS] = {SW_LSTM_CONTINUOUS, SW_LSTM_BLOCK_RESET,
                                        SW_LSTM_PREFIX_RESTORED,
                                        SW_LSTM_CONTINUOUS};

static sw_net *make_net(sw_lstm_config config, uint64_t seed) {
  sw_net *net = NULL;
  assert_int_equal(
      sw_net_new(&net, sw_family_find("lstm"), &config, NULL, seed, NULL), 0);
  for (int64_t i = 0; i < net->count; i++) /* biases and norms too */
    net->weights[i] += (float)(0.15 * sw_philox_normal(seed, 99, (uint64_t)i));
  sw_net_changed(net);
  return net;
}

static double *as_double(const sw_net *net) {
  double *out = malloc(sizeof *out * (size_t)net->count);
  for (int64_t i = 0; i < net->count; i++) out[i] = (double)net->weights[i];
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

static void toy_for(toy *t, int32_t positions, int vocab, int blocks,
                    sw_mask_kind mask, uint64_t seed) {
  sw_model_config config = {.positions = positions};
  toy_make(t, vocab, 11, blocks, 9, seed);
  toy_mask(t, &config, mask, positions ? SW_POS_BLOCK_RELATIVE : SW_POS_NONE,
           256);
}

static void sizes_are_the_published(void **state) {
  (void)state;
  sw_lstm_config c = {
      .vocab = 1880, .d = 256, .layers = 4, .positions = 4096, .mode = 1};
  sw_net *net = NULL;
  assert_int_equal(sw_net_new(&net, sw_family_find("lstm"), &c, NULL, 1, NULL),
                   0);
  assert_int_equal(net->count, 3702530);
  assert_int_equal(net->count - net->trained, 66818); /* the verify head */
  assert_int_equal(net->tensors, 2 + 4 * 4 + 2 + 6);
  int64_t at = 0;
  for (int i = 0; i < net->tensors; i++) {
    assert_int_equal(net->tensor[i].offset, at);
    at += net->tensor[i].count;
  }
  assert_int_equal(at, net->count);
  assert_string_equal(net->tensor[2].name, "lstm.weight_ih_l0");
  assert_string_equal(net->tensor[17].name, "lstm.bias_hh_l3");
  double most = 0; /* within 1/sqrt(256), and close to it */
  for (int64_t i = 0; i < net->tensor[2].count; i++)
    most = fmax(most, fabs((double)net->weights[net->tensor[2].offset + i]));
  assert_true(most <= 1.0 / 16 && most > 0.99 / 16);
  sw_net_free(net);
}

static ref_lstm reference(const sw_net *net, const double *weights,
                          const toy *t) {
  const sw_lstm_config *c = net->config;
  return (ref_lstm){.net = net,
                    .weights = weights,
                    .vocab = c->vocab,
                    .d = c->d,
                    .layers = c->layers,
                    .positions = c->positions,
                    .example = &t->example};
}

static const sw_lstm_config shapes[] = {
    {40, 16, 2, 90, 0}, {33, 21, 1, 90, 0}, {25, 8, 4, 0, 0}};
enum { SHAPES = 3 };

/* All rows, in an odd order, some twice. */
static void scores_match(void **state) {
  (void)state;
  for (int set = 0; toy_kernels(set); set++)
    for (int s = 0; s < SHAPES; s++)
      for (int m = 0; m < MASKS; m++) {
        if (toy_rounds()) continue;
        sw_lstm_config config = shapes[s];
        config.mode = mode_of_mask[m];
        sw_net *net = make_net(config, 3);
        double *weights = as_double(net);
        sw_team *team;
        sw_work *work;
        toy t;
        toy_for(&t, config.positions, config.vocab, 4, masks[m], 5);
        assert_int_equal(sw_team_new(&team, 1 + m % 2, NULL), 0);
        assert_int_equal(sw_work_new(&work, net, team, NULL), 0);
        ref_lstm c = reference(net, weights, &t);
        size_t n = (size_t)t.length, v = (size_t)config.vocab,
               d = (size_t)config.d;
        double *want = calloc(n * v, sizeof *want),
               *hidden = calloc(n * d, sizeof *hidden);
        float *got = calloc((n + 2) * v, sizeof *got),
              *states = calloc(n * d, sizeof *states);
        int32_t rows[TOY_MAX + 2];
        for (int32_t i = 0; i < t.length; i++) rows[i] = t.length - 1 - i;
        rows[t.length] = 3;
        rows[t.length + 1] = t.length - 1;
        sw_item item = {.example = t.example};
        ref_lstm_logits(&c, want, hidden);
        assert_int_equal(
            sw_work_rows(work, &item, rows, t.length + 2, got, NULL), 0);
        for (int32_t i = 0; i < t.length + 2; i++)
          assert_true(relative(got + (size_t)i * v, want + (size_t)rows[i] * v,
                               (int64_t)v) < 2e-6);
        for (int32_t i = 0; i < t.length; i++) rows[i] = i;
        assert_int_equal(
            sw_work_hidden(work, &item, rows, t.length, states, NULL), 0);
        assert_true(relative(states, hidden, (int64_t)(n * d)) < 2e-6);
        free(want), free(hidden), free(got), free(states), free(weights);
        toy_free(&t);
        sw_work_free(work);
        sw_team_free(team);
        sw_net_free(net);
      }
  toy_kernels(99);
}

/* The factors of the documented draws. */
static double *factors(const sw_item *item, int layer, int site, int d) {
  const nn_kernels *k = nn_select("portable", NULL);
  uint64_t key = sw_philox_u64(item->options.seed, item->options.step,
                               item->options.trace);
  nn_dropout drop = {{(uint32_t)key, (uint32_t)(key >> 32)},
                     (uint32_t)layer << 16 | (uint32_t)site << 8,
                     (uint32_t)lrint(item->options.dropout * 65536),
                     (float)(1 / (1 - item->options.dropout))};
  int rows = item->example.length;
  size_t count = (size_t)(rows * d);
  float *ones = malloc(sizeof *ones * count);
  double *out = malloc(sizeof *out * count);
  for (size_t i = 0; i < count; i++) ones[i] = 1;
  k->dropout_scale(rows, d, ones, d, 1, &drop, 0, ones, d);
  for (size_t i = 0; i < count; i++) out[i] = (double)ones[i];
  free(ones);
  return out;
}

/* The gradient of an item in double, added to `sum`; returns the loss. */
static double reference_item(const sw_net *net, const double *weights,
                             const toy *t, const sw_item *item, double *sum) {
  const sw_lstm_config *c = net->config;
  ref_lstm ref = reference(net, weights, t);
  double *embed = NULL, *between = NULL;
  size_t each = (size_t)(t->length * c->d);
  if (item->options.dropout > 0) {
    embed = factors(item, 0, SW_LSTM_DROP_EMBED, c->d);
    between = malloc(sizeof *between * each * (size_t)c->layers);
    for (int l = 0; l + 1 < c->layers; l++) {
      double *one = factors(item, l, SW_LSTM_DROP_BETWEEN, c->d);
      memcpy(between + (size_t)l * each, one, sizeof *one * each);
      free(one);
    }
    ref.drop_embed = embed;
    ref.drop_between = between;
  }
  double loss =
      ref_lstm_loss(&ref, (double)item->options.weight[SW_LOSS_TARGET], sum);
  free(embed), free(between);
  return loss;
}

/* Items of different lengths in one step, tensor by tensor. `blocks` of the
 * last one, of which every token is supervised. */
static void check_gradient(const sw_lstm_config *config, int m, double dropout,
                           int threads, int blocks) {
  enum { ITEMS = 4 };
  sw_net *net = make_net(*config, 7);
  double *weights = as_double(net), *want = calloc((size_t)net->count, 8);
  float *got = calloc((size_t)net->count, sizeof *got);
  sw_team *team;
  sw_work *work;
  toy *t = calloc(ITEMS, sizeof *t);
  sw_item item[ITEMS];
  double loss[ITEMS];
  assert_int_equal(sw_team_new(&team, threads, NULL), 0);
  assert_int_equal(sw_work_new(&work, net, team, NULL), 0);
  for (int i = 0; i < ITEMS; i++) {
    toy_for(&t[i], config->positions, config->vocab,
            i == ITEMS - 1 ? blocks : 2 + 2 * i, masks[m], (uint64_t)(20 + i));
    if (i == 1) t[i].supervised[4] = 1; /* in the prefix */
    if (i == ITEMS - 1) memset(t[i].supervised, 1, (size_t)t[i].length);
    item[i] = (sw_item){.example = t[i].example,
                        .options = {.dropout = dropout,
                                    .seed = 3,
                                    .step = 9,
                                    .trace = (uint64_t)i,
                                    .weight[SW_LOSS_TARGET] = 0.25f}};
    loss[i] = reference_item(net, weights, &t[i], &item[i], want);
  }
  assert_int_equal(sw_work_batch(work, item, ITEMS, got, NULL), 0);
  for (int i = 0; i < ITEMS; i++)
    assert_true(fabs(item[i].tally[SW_LOSS_TARGET].loss - loss[i]) <
                2e-6 * loss[i]);
  for (int i = 0; i < net->tensors; i++) {
    const sw_tensor *tensor = &net->tensor[i];
    double off =
        relative(got + tensor->offset, want + tensor->offset, tensor->count);
    if (!(off < 1e-5))
      fail_msg("%s, mask %s: off by %g", tensor->name, sw_mask_name(masks[m]),
               off);
  }
  for (int i = 0; i < ITEMS; i++) toy_free(&t[i]);
  free(t), free(weights), free(want), free(got);
  sw_work_free(work);
  sw_team_free(team);
  sw_net_free(net);
}

static void gradients_match(void **state) {
  (void)state;
  for (int set = 0; toy_kernels(set); set++)
    for (int s = 0; s < SHAPES; s++)
      for (int m = 0; m < MASKS; m++) {
        if (toy_rounds()) continue;
        sw_lstm_config config = shapes[s];
        config.mode = mode_of_mask[m];
        check_gradient(&config, m, 0, 1, 1);
        check_gradient(&config, m, 0.3, 2, 5);
      }
  toy_kernels(99);
}

/* More rows than a piece of the weights' gradients has, more scored ones than
 * have logits at a time. */
static void long_items_match(void **state) {
  (void)state;
  for (int m = 0; m < MASKS; m++) {
    sw_lstm_config config = {17, 8, 2, 90, mode_of_mask[m]};
    check_gradient(&config, m, 0.2, 1 + m % 2, 62);
  }
}

/* More blocks than run in lock-step at a time: the sum over many traces is that
 * of each. */
static void many_lanes_match(void **state) {
  (void)state;
  enum { ITEMS = 8 };
  sw_lstm_config config = {17, 8, 2, 90, SW_LSTM_PREFIX_RESTORED};
  sw_net *net = make_net(config, 7);
  size_t bytes = sizeof(float) * (size_t)net->count;
  float *all = calloc(1, bytes), *each = calloc(1, bytes);
  sw_team *team;
  sw_work *work;
  toy *t = calloc(ITEMS, sizeof *t);
  sw_item item[ITEMS];
  int64_t blocks = 0;
  assert_int_equal(sw_team_new(&team, 1, NULL), 0);
  assert_int_equal(sw_work_new(&work, net, team, NULL), 0);
  for (int i = 0; i < ITEMS; i++) {
    toy_for(&t[i], 90, 17, 40 + i, SW_MASK_SSA, (uint64_t)(60 + i));
    item[i] = (sw_item){.example = t[i].example,
                        .options = {.weight[SW_LOSS_TARGET] = 1}};
    blocks += t[i].blocks;
    assert_int_equal(sw_work_batch(work, &item[i], 1, each, NULL), 0);
  }
  assert_true(blocks > SW_LSTM_LANES);
  assert_int_equal(sw_work_batch(work, item, ITEMS, all, NULL), 0);
  assert_memory_equal(all, each, bytes);
  for (int i = 0; i < ITEMS; i++) toy_free(&t[i]);
  free(t), free(all), free(each);
  sw_work_free(work);
  sw_team_free(team);
  sw_net_free(net);
}

/* An objective of the caller's: half the squares of some scores, so that their
 * gradient is the scores. */
static int squares(void *context, float *logits, int32_t count, int32_t vocab,
                   sw_err *err) {
  double *sum = context;
  (void)err;
  for (int32_t i = 0; i < count * vocab; i++)
    *sum += 0.5 * (double)logits[i] * (double)logits[i];
  return SW_OK;
}

static void custom_is_the_derivative(void **state) {
  (void)state;
  sw_lstm_config config = shapes[0];
  config.mode = SW_LSTM_PREFIX_RESTORED;
  sw_net *net = make_net(config, 7);
  sw_team *team;
  sw_work *work;
  toy t;
  toy_for(&t, config.positions, config.vocab, 3, SW_MASK_SSA, 4);
  assert_int_equal(sw_team_new(&team, 2, NULL), 0);
  assert_int_equal(sw_work_new(&work, net, team, NULL), 0);
  sw_item item = {.example = t.example};
  int32_t rows[] = {t.length - 1, 12, 12};
  float *gradient = calloc((size_t)net->count, sizeof *gradient);
  double sum = 0;
  assert_int_equal(
      sw_work_custom(work, &item, rows, 3, squares, &sum, gradient, NULL), 0);
  assert_true(sum > 0 && item.flops > 0);
  /* along a random direction */
  double slope = 0, side[2] = {0, 0}, step = 1e-3;
  float *first = malloc(sizeof *first * (size_t)net->count);
  memcpy(first, net->weights, sizeof *first * (size_t)net->count);
  for (int k = 0; k < 2; k++) {
    for (int64_t i = 0; i < net->trained; i++) {
      double way = sw_philox_normal(4, 4, (uint64_t)i);
      if (!k) slope += way * (double)gradient[i];
      net->weights[i] = (float)((double)first[i] + (k ? step : -step) * way);
    }
    sw_net_changed(net);
    assert_int_equal(
        sw_work_custom(work, &item, rows, 3, squares, &side[k], NULL, NULL), 0);
  }
  assert_true(fabs((side[1] - side[0]) / (2 * step) - slope) <
              2e-3 * fabs(slope));
  free(gradient), free(first);
  toy_free(&t);
  sw_work_free(work);
  sw_team_free(team);
  sw_net_free(net);
}

/* The reference itself, in every mode and with dropout. */
static void reference_is_the_derivative(void **state) {
  (void)state;
  for (int m = 0; m < MASKS; m++) {
    sw_lstm_config config = {13, 5, 2, 60, mode_of_mask[m]};
    sw_net *net = make_net(config, 2);
    double *weights = as_double(net), *gradient = calloc((size_t)net->count, 8);
    toy t;
    toy_for(&t, 60, 13, 3, masks[m], 6);
    sw_item item = {.example = t.example,
                    .options = {.dropout = m % 2 ? 0.3 : 0,
                                .weight[SW_LOSS_TARGET] = 1,
                                .trace = 5}};
    reference_item(net, weights, &t, &item, gradient);
    for (int64_t i = 0; i < net->trained; i += 7) {
      double side[2], was = weights[i];
      for (int k = 0; k < 2; k++) {
        weights[i] = was + (k ? 1e-5 : -1e-5);
        side[k] = reference_item(net, weights, &t, &item, NULL);
      }
      weights[i] = was;
      assert_true(fabs((side[1] - side[0]) / 2e-5 - gradient[i]) <
                  1e-7 + 1e-6 * fabs(gradient[i]));
    }
    free(weights), free(gradient);
    toy_free(&t);
    sw_net_free(net);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_are_the_published),
      cmocka_unit_test(scores_match),
      cmocka_unit_test(gradients_match),
      cmocka_unit_test(long_items_match),
      cmocka_unit_test(many_lanes_match),
      cmocka_unit_test(custom_is_the_derivative),
      cmocka_unit_test(reference_is_the_derivative),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
