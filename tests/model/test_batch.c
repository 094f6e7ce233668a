/* A batch's gradient and losses have the same bits as one trace after the
 * other, whatever the number of threads and however large the batch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../toy.h"
#include "base/threads.h"
#include "model/decoder/batch.h"
#include "model/decoder/internal.h"

enum { COUNT = 13 }; /* more than the late ones of two members */

typedef struct bed {
  sw_model *model;
  sw_team *team;
  sw_pass *pass;
  sw_batch *batch;
  float *gradient;
  size_t params;
  toy trace[COUNT];
  sw_batch_item item[COUNT];
} bed;

/* Traces of unequal lengths and masks; the fourth has no target. */
static void open_bed(bed *b, const sw_model_config *config, int threads) {
  static const sw_mask_kind kinds[] = {SW_MASK_SSA, SW_MASK_CAUSAL,
                                       SW_MASK_RANDOM_MATCHED};
  b->model = toy_model(config, 5);
  assert_int_equal(sw_team_new(&b->team, threads, NULL), 0);
  assert_int_equal(sw_pass_new(&b->pass, b->model, b->team, NULL), 0);
  assert_int_equal(sw_batch_new(&b->batch, b->pass, NULL), 0);
  b->params = (size_t)sw_model_net(b->model)->count;
  b->gradient = calloc(b->params, sizeof(float));
  assert_non_null(b->gradient);
  for (int i = 0; i < COUNT; i++) {
    toy_make(&b->trace[i], config->vocab, 15 + 9 * (i % 4), 2 + i % 3, 10,
             (uint64_t)i);
    toy_mask(&b->trace[i], config,
             config->memory ? SW_MASK_CAUSAL_NOSLOT : kinds[i % 3],
             SW_POS_BLOCK_RELATIVE, 8);
    if (i == 3)
      memset(b->trace[i].supervised, 0, sizeof b->trace[i].supervised);
    b->item[i] = (sw_batch_item){.example = b->trace[i].example,
                                 .options = {.dropout = 0.2,
                                             .seed = 3,
                                             .trace = (uint64_t)i,
                                             .weight[SW_LOSS_TARGET] = 0.1f}};
  }
}

static void close_bed(bed *b) {
  for (int i = 0; i < COUNT; i++) toy_free(&b->trace[i]);
  free(b->gradient);
  sw_batch_free(b->batch);
  sw_pass_free(b->pass);
  sw_team_free(b->team);
  sw_model_free(b->model);
}

static void same_bits(const sw_model_config *config, int least, int most) {
  for (int threads = least; threads <= most; threads++) {
    bed one, many;
    open_bed(&one, config, 1);
    open_bed(&many, config, threads);
    for (int round = 0; round < 2; round++) { /* the second adds to the first */
      for (int i = 0; i < COUNT; i++)
        assert_int_equal(
            sw_pass_loss(one.pass, &one.item[i].example, &one.item[i].options,
                         one.gradient, &one.item[i].tally[SW_LOSS_TARGET].loss,
                         &one.item[i].tally[SW_LOSS_TARGET].count,
                         &one.item[i].tally[SW_LOSS_TARGET].hits, NULL),
            0);
      assert_int_equal(
          sw_batch_loss(many.batch, many.item, COUNT, many.gradient, NULL), 0);
      assert_memory_equal(one.gradient, many.gradient,
                          one.params * sizeof(float));
      for (int i = 0; i < COUNT; i++) {
        assert_true(one.item[i].tally[SW_LOSS_TARGET].loss ==
                    many.item[i].tally[SW_LOSS_TARGET].loss);
        assert_int_equal(one.item[i].tally[SW_LOSS_TARGET].count,
                         many.item[i].tally[SW_LOSS_TARGET].count);
        assert_int_equal(one.item[i].tally[SW_LOSS_TARGET].hits,
                         many.item[i].tally[SW_LOSS_TARGET].hits);
        assert_true((many.item[i].flops > 0) ==
                    (many.item[i].tally[SW_LOSS_TARGET].count > 0));
      }
    }
    assert_int_equal(one.item[3].tally[SW_LOSS_TARGET].count, 0);
    assert_true(one.item[2].tally[SW_LOSS_TARGET].count > 0 &&
                one.item[2].tally[SW_LOSS_TARGET].loss > 0);
    close_bed(&one);
    close_bed(&many);
  }
}

static void test_whole_traces(void **unused) {
  (void)unused;
  sw_model_config config = TOY_CONFIG(40, 32, 3, 2, 0, 3, 200);
  for (int set = 0; toy_kernels(set); set++) same_bits(&config, 1, 3);
  toy_kernels(99);
}

static void test_with_memory(void **unused) {
  (void)unused;
  sw_model_config config = TOY_CONFIG(40, 32, 2, 2, 0, 0, 200);
  config.memory = 2;
  config.memory_width = 32;
  same_bits(&config, 1, 3);
}

/* A model whose gradients do not fit beside each other: rounds of a few
 * traces, and (with the larger table) one trace after the other. */
static void test_rounds(void **unused) {
  (void)unused;
  sw_model_config config = TOY_CONFIG(40, 32, 1, 2, 0, 0, 80000);
  same_bits(&config, 2, 2);
  config.positions = 200000;
  same_bits(&config, 2, 2);
}

/* Gradients by themselves, added to what came before in the order of the
 * items: the second half of a batch computed elsewhere changes no bit. */
static void test_parts(void **unused) {
  (void)unused;
  sw_model_config config = TOY_CONFIG(40, 32, 3, 2, 0, 3, 200);
  for (int threads = 1; threads <= 3; threads++)
    for (int first = 0; first <= COUNT; first++) {
      bed one, other;
      float *part[COUNT] = {0};
      open_bed(&one, &config, 1);
      open_bed(&other, &config, threads);
      for (int i = first; i < COUNT; i++) {
        part[i] = malloc(sizeof(float) * one.params);
        assert_non_null(part[i]);
        memset(part[i], 0x5a, sizeof(float) * one.params);
      }
      assert_int_equal(
          sw_batch_loss(one.batch, one.item, COUNT, one.gradient, NULL), 0);
      assert_int_equal(
          sw_batch_loss(other.batch, other.item, first, other.gradient, NULL),
          0);
      assert_int_equal(sw_batch_parts(other.batch, other.item + first,
                                      COUNT - first, part + first, NULL),
                       0);
      size_t trained = (size_t)one.model->params.layout.trained;
      for (int i = first; i < COUNT; i++) {
        for (size_t k = 0; k < trained; k++) other.gradient[k] += part[i][k];
        assert_true(one.item[i].tally[SW_LOSS_TARGET].loss ==
                    other.item[i].tally[SW_LOSS_TARGET].loss);
        free(part[i]);
      }
      assert_memory_equal(one.gradient, other.gradient,
                          trained * sizeof(float));
      close_bed(&one);
      close_bed(&other);
    }
}

/* Forward only, and the error of the first bad item. */
static void test_losses_and_errors(void **unused) {
  (void)unused;
  sw_model_config config = TOY_CONFIG(40, 32, 2, 2, 0, 0, 200);
  bed b;
  sw_err err = {0};
  open_bed(&b, &config, 2);
  for (int i = 0; i < COUNT; i++) b.item[i].options.dropout = 0;
  assert_int_equal(sw_batch_loss(b.batch, b.item, COUNT, NULL, NULL), 0);
  for (int i = 0; i < COUNT; i++) {
    double loss;
    assert_int_equal(
        sw_pass_loss(b.pass, &b.item[i].example, &b.item[i].options, NULL,
                     &loss, NULL, NULL, NULL),
        0);
    assert_true(loss == b.item[i].tally[SW_LOSS_TARGET].loss);
  }
  b.trace[5].token[2] = 41;
  b.trace[6].token[2] = 43;
  assert_int_equal(sw_batch_loss(b.batch, b.item, COUNT, b.gradient, &err),
                   SW_DATA);
  assert_non_null(strstr(err.text, "token 41"));
  assert_int_equal(sw_batch_loss(b.batch, b.item, 0, NULL, &err), 0);
  close_bed(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_traces),
      cmocka_unit_test(test_with_memory),
      cmocka_unit_test(test_rounds),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_losses_and_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
