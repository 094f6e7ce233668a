/* Facts in the loss: a fact that says the next token is a target to the bit,
 * facts have a weight and a sum of their own, other facts are what the logits
 * say, and threads change nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../toy.h"
#include "model/decoder/pass.h"

typedef struct bed {
  sw_model *model;
  sw_team *team;
  sw_pass *pass;
  int32_t fact[TOY_MAX];
  toy t;
} bed;

enum { VOCAB = 40 };

static void bed_open(bed *b, int threads) {
  sw_model_config config = TOY_CONFIG(VOCAB, 16, 2, 4, 64, 3, 80);
  memset(b->fact, 0, sizeof b->fact);
  b->model = toy_model(&config, 5);
  assert_int_equal(sw_team_new(&b->team, threads, NULL), 0);
  assert_int_equal(sw_pass_new(&b->pass, b->model, b->team, NULL), 0);
  toy_make(&b->t, config.vocab, 17, 6, 9, 11);
  toy_mask(&b->t, &config, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE, 5);
}

static void bed_close(bed *b) {
  toy_free(&b->t);
  sw_pass_free(b->pass);
  sw_team_free(b->team);
  sw_model_free(b->model);
}

static size_t trained(const bed *b) {
  return (size_t)sw_model_net(b->model)->trained;
}

typedef struct made {
  float *gradient;
  double loss, fact_loss, decision_loss;
  int64_t targets, hits, facts, fact_hits, decisions;
} made;

static made run_with(bed *b, float weight, float fact_weight,
                     float decision_weight) {
  made m = {.gradient = calloc(trained(b), sizeof(float))};
  sw_pass_options o = {.weight[SW_LOSS_TARGET] = weight,
                       .weight[SW_LOSS_FACT] = fact_weight,
                       .weight[SW_LOSS_DECISION] = decision_weight,
                       .dropout = 0.1,
                       .seed = 3};
  assert_int_equal(sw_pass_loss(b->pass, &b->t.example, &o, m.gradient, &m.loss,
                                &m.targets, &m.hits, NULL),
                   0);
  sw_item item = {0};
  sw_pass_last_tally(b->pass, item.tally);
  m.fact_loss = item.tally[SW_LOSS_FACT].loss;
  m.facts = item.tally[SW_LOSS_FACT].count;
  m.fact_hits = item.tally[SW_LOSS_FACT].hits;
  m.decision_loss = item.tally[SW_LOSS_DECISION].loss;
  m.decisions = item.tally[SW_LOSS_DECISION].count;
  return m;
}

static made run(bed *b, float weight, float fact_weight) {
  return run_with(b, weight, fact_weight, 0);
}

/* Every third row that predicts no target gets a fact. */
static int64_t mark(bed *b, int next_token) {
  int64_t count = 0;
  b->t.example.fact = b->fact;
  for (int32_t i = 2; i + 1 < b->t.length; i += 3)
    if (!b->t.supervised[i + 1]) {
      b->fact[i] = next_token ? b->t.token[i + 1] : 1 + i % (VOCAB - 1);
      count++;
    }
  return count;
}

static void test_next_token(void **state) {
  (void)state;
  bed b;
  bed_open(&b, 1);
  int64_t count = mark(&b, 1);
  made facts = run(&b, 0.5f, 0.5f);
  for (int32_t i = 0; i + 1 < b.t.length; i++)
    if (b.fact[i]) b.t.supervised[i + 1] = 1;
  b.t.example.fact = NULL;
  made targets = run(&b, 0.5f, 0);
  assert_true(count > 5);
  assert_int_equal(facts.facts, count);
  assert_int_equal(targets.facts, 0);
  assert_int_equal(facts.targets + count, targets.targets);
  assert_int_equal(facts.hits + facts.fact_hits, targets.hits);
  assert_memory_equal(facts.gradient, targets.gradient,
                      sizeof(float) * trained(&b));
  assert_true(fabs(facts.loss + facts.fact_loss - targets.loss) < 1e-9);
  free(facts.gradient);
  free(targets.gradient);
  bed_close(&b);
}

static void test_own_weight(void **state) {
  (void)state;
  bed b;
  bed_open(&b, 1);
  mark(&b, 0);
  made both = run(&b, 0.5f, 0.25f), policy = run(&b, 0.5f, 0),
       fact = run(&b, 0, 0.25f);
  double most = 0, worst = 0;
  for (size_t i = 0; i < trained(&b); i++) {
    double sum = (double)policy.gradient[i] + (double)fact.gradient[i];
    most = fmax(most, fabs(sum));
    worst = fmax(worst, fabs(sum - (double)both.gradient[i]));
  }
  assert_true(most > 0.01);
  assert_true(worst < 1e-5 * most);
  assert_true(both.loss == policy.loss);
  assert_true(both.fact_loss == fact.fact_loss);
  free(both.gradient);
  free(policy.gradient);
  free(fact.gradient);
  bed_close(&b);
}

static void test_losses(void **state) {
  (void)state;
  bed b;
  bed_open(&b, 1);
  mark(&b, 0);
  double want = 0;
  assert_int_equal(
      sw_pass_loss(b.pass, &b.t.example, NULL, NULL, NULL, NULL, NULL, NULL),
      0);
  sw_item item = {0};
  sw_pass_last_tally(b.pass, item.tally);
  double got = item.tally[SW_LOSS_FACT].loss;
  for (int32_t i = 0; i < b.t.length; i++) {
    float z[VOCAB];
    double sum = 0;
    if (!b.fact[i]) continue;
    assert_int_equal(sw_pass_logits(b.pass, &b.t.example, &i, 1, z, NULL), 0);
    for (int v = 0; v < VOCAB; v++) sum += exp((double)z[v]);
    want += log(sum) - (double)z[b.fact[i]];
  }
  assert_true(want > 1);
  if (!(fabs(got - want) < 1e-5 * want))
    fail_msg("loss of the facts %.9g, want %.9g", got, want);
  bed_close(&b);
}

static void test_threads(void **state) {
  (void)state;
  bed one, two;
  bed_open(&one, 1);
  bed_open(&two, 2);
  mark(&one, 0);
  mark(&two, 0);
  made a = run(&one, 0.5f, 0.25f), b = run(&two, 0.5f, 0.25f);
  assert_memory_equal(a.gradient, b.gradient, sizeof(float) * trained(&one));
  assert_true(a.fact_loss == b.fact_loss);
  free(a.gradient);
  free(b.gradient);
  bed_close(&one);
  bed_close(&two);
}

/* Targets that decide have a weight of their own and stay targets: with the
 * others' weight they change no bit, and alone they are what is left when the
 * others are none. */
static void test_decisions(void **state) {
  (void)state;
  bed b;
  uint8_t decides[TOY_MAX] = {0};
  int64_t count = 0;
  bed_open(&b, 1);
  made plain = run(&b, 0.5f, 0);
  for (int32_t i = 1, seen = 0; i < b.t.length; i++)
    if (b.t.supervised[i] && seen++ % 3 == 0) decides[i] = 1, count++;
  assert_true(count > 3 && count < plain.targets);
  b.t.example.decides = decides;
  made same = run_with(&b, 0.5f, 0, 0.5f), other = run_with(&b, 0.5f, 0, 2),
       only = run_with(&b, 0, 0, 2);
  assert_int_equal(same.targets, plain.targets);
  assert_int_equal(same.decisions, count);
  assert_true(same.loss == plain.loss && other.loss == plain.loss);
  assert_true(same.decision_loss > 0 && same.decision_loss < same.loss);
  assert_memory_equal(same.gradient, plain.gradient,
                      sizeof(float) * trained(&b));
  double most = 0, worst = 0; /* 2 = .5 + .75 of what weight 2 alone gives */
  for (size_t i = 0; i < trained(&b); i++) {
    double want = (double)plain.gradient[i] + 0.75 * (double)only.gradient[i];
    most = fmax(most, fabs(want));
    worst = fmax(worst, fabs(want - (double)other.gradient[i]));
  }
  assert_true(most > 0.01);
  assert_true(worst < 1e-5 * most);
  free(plain.gradient);
  free(same.gradient);
  free(other.gradient);
  free(only.gradient);
  bed_close(&b);
}

/* A fact is a place in the logits. */
static void test_outside(void **state) {
  (void)state;
  bed b;
  bed_open(&b, 1);
  mark(&b, 0);
  int32_t at = 2;
  while (!b.fact[at]) at++;
  static const int32_t wrong[] = {VOCAB, 1633, -1};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sw_err err = {0};
    b.fact[at] = wrong[i];
    assert_int_equal(
        sw_pass_loss(b.pass, &b.t.example, NULL, NULL, NULL, NULL, NULL, &err),
        SW_DATA);
    assert_non_null(strstr(err.text, "outside the vocabulary of 40"));
    assert_true(err.hint[0]);
  }
  b.fact[at] = VOCAB - 1;
  free(run(&b, 0.5f, 0.25f).gradient);
  bed_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_next_token), cmocka_unit_test(test_own_weight),
      cmocka_unit_test(test_losses),     cmocka_unit_test(test_threads),
      cmocka_unit_test(test_decisions),  cmocka_unit_test(test_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
