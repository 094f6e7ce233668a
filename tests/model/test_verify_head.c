/* The verify head: its loss and gradient against finite differences of the
 * double reference, the same bits for any number of threads and in a session,
 * invariance to history under SSA, and models without a head as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../ref_double.h"
#include "../toy.h"
#include "model/decoder/batch.h"
#include "model/decoder/verify.h"

static const double policy = 0.5, judge = 0.7;

typedef struct bed {
  sw_model *model;
  sw_team *team;
  sw_pass *pass;
  double *weights;
  uint8_t verdict[TOY_MAX];
  toy t;
  ref_case c;
} bed;

static sw_model_config config_of(int verify) {
  sw_model_config c = TOY_CONFIG(40, 16, 2, 4, 64, 3, 80);
  c.verify = verify;
  return c;
}

/* The token before each block's first target carries a verdict, by turns. */
static void judge_blocks(bed *b) {
  int turn = 0;
  memset(b->verdict, SW_UNJUDGED, sizeof b->verdict);
  for (int32_t t = 1; t < b->t.length; t++)
    if (b->t.supervised[t] && !b->t.supervised[t - 1])
      b->verdict[t - 1] = turn++ % 2 ? SW_DEAD : SW_VIABLE;
  b->t.example.verdict = b->verdict;
}

static void bed_open(bed *b, sw_mask_kind kind, int threads, int verify) {
  sw_model_config config = config_of(verify);
  b->model = toy_model(&config, 5);
  assert_int_equal(sw_team_new(&b->team, threads, NULL), 0);
  assert_int_equal(sw_pass_new(&b->pass, b->model, b->team, NULL), 0);
  int64_t n = sw_model_net(b->model)->count;
  b->weights = malloc(sizeof *b->weights * (size_t)n);
  for (int64_t i = 0; i < n; i++)
    b->weights[i] = (double)sw_model_net(b->model)->weights[i];
  toy_make(&b->t, config.vocab, 17, 6, 9, 11);
  toy_mask(&b->t, &config, kind, SW_POS_BLOCK_RELATIVE, 5);
  judge_blocks(b);
  b->c = (ref_case){config,     b->weights,    &b->t.mask,
                    b->t.token, b->t.position, b->t.length};
}

static void bed_close(bed *b) {
  toy_free(&b->t);
  free(b->weights);
  sw_pass_free(b->pass);
  sw_team_free(b->team);
  sw_model_free(b->model);
}

/* policy * sum of token losses + judge * sum of verdict losses, in double. */
static double reference(const bed *b, double *verify_sum) {
  size_t n = (size_t)b->t.length;
  double *z = malloc(sizeof *z * n * (size_t)b->c.config.vocab);
  double *v = malloc(sizeof *v * n * 2);
  ref_logits(&b->c, z, v);
  double sum = ref_loss(&b->c, b->t.supervised, 0, NULL), verify = 0;
  for (size_t t = 0; t < n; t++) {
    if (b->verdict[t] == SW_UNJUDGED) continue;
    double right = v[2 * t + (b->verdict[t] == SW_DEAD)],
           wrong = v[2 * t + (b->verdict[t] != SW_DEAD)];
    verify += log1p(exp(wrong - right));
  }
  free(z);
  free(v);
  if (verify_sum) *verify_sum = verify;
  return policy * sum + judge * verify;
}

static float *gradient_of(bed *b, double dropout) {
  float *g = calloc((size_t)sw_model_net(b->model)->count, sizeof *g);
  sw_pass_options o = {.weight[SW_LOSS_TARGET] = (float)policy,
                       .weight[SW_LOSS_VERDICT] = (float)judge,
                       .dropout = dropout,
                       .seed = 9};
  double loss;
  assert_int_equal(
      sw_pass_loss(b->pass, &b->t.example, &o, g, &loss, NULL, NULL, NULL), 0);
  return g;
}

static void test_loss(void **state) {
  (void)state;
  for (int set = 0; toy_kernels(set); set++) {
    if (toy_rounds()) continue;
    bed b;
    bed_open(&b, SW_MASK_SSA, 1, 1);
    double want;
    sw_tally tally[SW_LOSS_KINDS];
    reference(&b, &want);
    free(gradient_of(&b, 0));
    sw_pass_last_tally(b.pass, tally);
    double got = tally[SW_LOSS_VERDICT].loss;
    assert_int_equal(tally[SW_LOSS_VERDICT].count, 6);
    assert_true(tally[SW_LOSS_VERDICT].hits >= 0);
    assert_true(tally[SW_LOSS_VERDICT].hits <= 6);
    if (!(fabs(got - want) < 1e-5 * want))
      fail_msg("verify loss %.9g, want %.9g", got, want);
    bed_close(&b);
  }
}

/* Central differences of the reference at some elements of every tensor; the
 * verify head's tensors and one of the first layer must not be all zero. */
static void test_gradient(void **state) {
  (void)state;
  for (int set = 0; toy_kernels(set); set++) {
    if (toy_rounds()) continue;
    bed b;
    bed_open(&b, set % 2 ? SW_MASK_CAUSAL : SW_MASK_SSA, 1, 1);
    float *g = gradient_of(&b, 0);
    const sw_net *net = sw_model_net(b.model);
    assert_int_equal(net->trained, net->count);
    for (int i = 0; i < net->tensors; i++) {
      const sw_tensor *t = &net->tensor[i];
      double size = 0;
      for (int64_t k = 0; k < t->count; k++)
        size = fmax(size, fabs((double)g[t->offset + k]));
      if (strstr(t->name, "verify_head")) assert_true(size > 0);
      for (int64_t k = 0; k < t->count; k += 1 + t->count / 5) {
        double *w = &b.weights[t->offset + k], kept = *w, step = 1e-5;
        *w = kept + step;
        double up = reference(&b, NULL);
        *w = kept - step;
        double down = reference(&b, NULL);
        *w = kept;
        double want = (up - down) / (2 * step);
        if (!(fabs((double)g[t->offset + k] - want) < 1e-4 * size + 1e-6))
          fail_msg("%s[%lld]: %.7g, want %.7g", t->name, (long long)k,
                   (double)g[t->offset + k], want);
      }
    }
    free(g);
    bed_close(&b);
  }
}

static void test_threads_and_batches(void **state) {
  (void)state;
  bed one, two;
  bed_open(&one, SW_MASK_SSA, 1, 1);
  bed_open(&two, SW_MASK_SSA, 2, 1);
  float *a = gradient_of(&one, 0.2), *b = gradient_of(&two, 0.2);
  size_t bytes = sizeof(float) * (size_t)sw_model_net(one.model)->count;
  assert_memory_equal(a, b, bytes);
  /* twice the same trace in a batch: the sum of both, and both results */
  sw_batch *batch;
  assert_int_equal(sw_batch_new(&batch, two.pass, NULL), 0);
  sw_batch_item item[2];
  for (int i = 0; i < 2; i++)
    item[i] =
        (sw_batch_item){.example = two.t.example,
                        .options = {.weight[SW_LOSS_TARGET] = (float)policy,
                                    .weight[SW_LOSS_VERDICT] = (float)judge,
                                    .dropout = 0.2,
                                    .seed = 9}};
  float *sum = calloc(bytes, 1);
  assert_int_equal(sw_batch_loss(batch, item, 2, sum, NULL), 0);
  for (size_t i = 0; i < bytes / sizeof(float); i++)
    assert_true(sum[i] == a[i] + a[i]);
  assert_int_equal(item[0].tally[SW_LOSS_VERDICT].count, 6);
  assert_true(item[0].tally[SW_LOSS_VERDICT].loss > 0);
  assert_true(item[0].tally[SW_LOSS_VERDICT].loss ==
              item[1].tally[SW_LOSS_VERDICT].loss);
  free(sum);
  sw_batch_free(batch);
  free(a);
  free(b);
  bed_close(&one);
  bed_close(&two);
}

/* The verdict on a block after its whole history, on the block alone, and from
 * a session that has both: the same bits. */
static void test_history_and_session(void **state) {
  (void)state;
  bed b;
  bed_open(&b, SW_MASK_SSA, 1, 1);
  sw_work *work;
  sw_net *net = sw_model_net(b.model);
  assert_int_equal(sw_work_new(&work, net, b.team, NULL), 0);
  sw_session_options so = {
      .sequences = 1,
      .reading = {.mask = SW_MASK_SSA, .positions = SW_POS_BLOCK_RELATIVE},
      .cache_prefix = 1};
  sw_seats *seats;
  assert_int_equal(sw_seats_new(&seats, net, b.team, &so, NULL), 0);
  int32_t prefix = (int32_t)b.t.block_start[1], seq = 0;
  assert_int_equal(sw_seats_prefix(seats, 0, b.t.token, prefix, NULL), 0);
  for (int64_t block = 1; block < b.t.blocks; block++) {
    int64_t begin = b.t.block_start[block],
            end = block + 1 < b.t.blocks ? b.t.block_start[block + 1]
                                         : b.t.length;
    int32_t last = (int32_t)end - 1,
            alone_last = prefix + (int32_t)(end - begin) - 1;
    float after = -1, alone = -1, played = -1;
    const float *scores;
    toy single;
    sw_model_config config = config_of(1);
    toy_alone(&single, &b.t, block);
    toy_mask(&single, &config, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE, 5);
    sw_item item = {.example = b.t.example}, one = {.example = single.example};
    assert_int_equal(sw_work_verdicts(work, &item, &last, 1, &after, NULL), 0);
    assert_int_equal(sw_work_verdicts(work, &one, &alone_last, 1, &alone, NULL),
                     0);
    assert_int_equal(sw_seats_begin_block(seats, 0, 1, NULL), 0);
    assert_int_equal(sw_seats_push(seats, 0, b.t.token + begin,
                                   (int32_t)(end - begin), NULL),
                     0);
    assert_int_equal(sw_seats_run(seats, &seq, 1, &scores, NULL), 0);
    assert_int_equal(sw_seats_verdicts(seats, 1, &played, NULL), 0);
    assert_true(after > 0 && after < 1);
    assert_memory_equal(&after, &alone, sizeof after);
    assert_memory_equal(&after, &played, sizeof after);
    toy_free(&single);
  }
  sw_seats_free(seats);
  sw_work_free(work);
  bed_close(&b);
}

/* Without a trained head nothing is as with one: the optimizer leaves its
 * tensors alone, verdicts are refused, and the hash leaves the option out. */
static void test_without_head(void **state) {
  (void)state;
  bed b;
  bed_open(&b, SW_MASK_SSA, 1, 0);
  sw_net *net = sw_model_net(b.model);
  assert_true(net->trained < net->count);
  float *g = gradient_of(&b, 0);
  for (int64_t i = net->trained; i < net->count; i++) assert_true(g[i] == 0);
  sw_tally tally[SW_LOSS_KINDS];
  sw_pass_last_tally(b.pass, tally);
  assert_int_equal(tally[SW_LOSS_VERDICT].count, 0);
  sw_work *work;
  float dead;
  int32_t row = 20;
  sw_err err = {0};
  sw_item item = {.example = b.t.example};
  assert_int_equal(sw_work_new(&work, net, b.team, NULL), 0);
  assert_int_equal(sw_work_verdicts(work, &item, &row, 1, &dead, &err),
                   SW_USAGE);
  assert_non_null(strstr(err.text, "verify head"));
  sw_work_free(work);
  /* the same weights with the option on are another model */
  sw_model_config on = config_of(1);
  sw_model *other;
  assert_int_equal(sw_model_new(&other, &on, 5, NULL), 0);
  memcpy(sw_model_net(other)->weights, net->weights,
         sizeof(float) * (size_t)net->count);
  assert_true(sw_net_hash(net) != sw_net_hash(sw_model_net(other)));
  sw_model_free(other);
  /* and a policy starts one, which keeps its own first values in the head */
  assert_int_equal(sw_model_new(&other, &on, 6, NULL), 0);
  float kept = sw_model_net(other)->weights[net->count - 3];
  assert_int_equal(sw_net_copy(sw_model_net(other), net, "x", NULL), 0);
  assert_memory_equal(sw_model_net(other)->weights, net->weights,
                      sizeof(float) * (size_t)net->trained);
  assert_true(sw_model_net(other)->weights[net->count - 3] == kept);
  assert_int_equal(sw_net_copy(net, sw_model_net(other), "x", NULL), SW_DATA);
  sw_model_free(other);
  free(g);
  bed_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loss),
      cmocka_unit_test(test_gradient),
      cmocka_unit_test(test_threads_and_batches),
      cmocka_unit_test(test_history_and_session),
      cmocka_unit_test(test_without_head),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
