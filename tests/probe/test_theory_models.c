/* The theory on models, untrained: what must hold for any weights. A
 * block-local mask has no entanglement, a causal one has; the terms add up to
 * the loss; and half the squared difference between a history and one drawn in
 * its place is the variance over histories, within the interval that instances
 * allow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/rng.h"
#include "domains/produce.h"
#include "model/decoder/model.h"
#include "probe/bank_build.h"
#include "probe/bank_eval.h"

static void ok(int code, const sw_err *err) {
  if (code) fail_msg("error %d: %s", code, err->text);
}

static void build(sw_bank *bank, sw_bank_fair_options *o, const char *format,
                  int n) {
  sw_err err = {0};
  *o = (sw_bank_fair_options){.domain = sw_domain_find("sat"),
                              .seed = 7,
                              .viable = 90,
                              .conflicts = 30,
                              .max_instances = 256,
                              .rollouts = 12,
                              .max_histories = 4,
                              .error = .15,
                              .max_blocks = 24};
  sw_domain_defaults(o->domain, &o->domain_options);
  o->domain_options.n = n;
  o->domain_options.format = format;
  ok(o->domain->resolve(&o->domain_options, &err), &err);
  ok(sw_bank_build_fair(bank, o, &err), &err);
}

static void answer(const sw_bank *bank, const sw_bank_fair_options *o,
                   sw_mask_kind mask, sw_position_kind positions,
                   sw_bank_scores *scores) {
  sw_err err = {0};
  sw_model_config config = {.vocab = o->domain->vocab_size(&o->domain_options),
                            .d = 16,
                            .layers = 2,
                            .heads = 2,
                            .ffn = 32,
                            .slots = 4,
                            .positions = 4096};
  sw_model *model;
  sw_team *team;
  sw_asker *asker;
  ok(sw_model_new(&model, &config, 1, &err), &err);
  ok(sw_team_new(&team, 1, &err), &err);
  sw_ask_options ask = {.model = sw_model_net(model),
                        .reading = {mask, positions, 16}};
  ok(sw_asker_new(&asker, &ask, team, &err), &err);
  sw_bank_asking how = {0};
  ok(sw_bank_ask(bank, &how, asker, scores, NULL, NULL, &err), &err);
  sw_asker_free(asker);
  sw_team_free(team);
  sw_model_free(model);
}

/* One other history of the same state for each: half the squared difference. */
static double transplanted(const sw_bank *bank, const double *mass) {
  sw_xoshiro rng;
  double sum = 0;
  int64_t n = 0;
  sw_xoshiro_seed(&rng, 12);
  for (int64_t s = 0; s < bank->states; s++) {
    int64_t first = bank->probe_history[s],
            count = bank->probe_history[s + 1] - first;
    for (int64_t h = 0; h < count; h++) {
      int64_t other =
          (h + 1 + (int64_t)sw_xoshiro_below(&rng, (uint64_t)(count - 1))) %
          count;
      double gap = mass[first + h] - mass[first + other];
      sum += gap * gap / 2;
      n++;
    }
  }
  return sum / (double)n;
}

static void add_up(const sw_theory *t) {
  double sum = t->irreducible + t->aliasing + t->approximation +
               t->entanglement + t->cross;
  assert_true(fabs(t->loss - sum) < 1e-12);
  assert_true(fabs(t->redrawn - t->entanglement) < 1e-12);
  assert_true(fabs(t->log_loss_shown - t->log_loss_history - t->information) <
              1e-12);
  assert_true(t->risk_shown - t->risk_history <= t->risk_bound + 1e-12);
}

static void masks_that_do_and_do_not_read_history(void **state) {
  (void)state;
  sw_bank bank;
  sw_bank_fair_options o;
  sw_bank_scores scores;
  sw_bank_result r;
  sw_err err = {0};
  build(&bank, &o, "evidence", 12);
  answer(&bank, &o, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE, &scores);
  ok(sw_bank_evaluate(&bank, &scores, 200, 1, &r, &err), &err);
  add_up(&r.theory);
  assert_true(r.theory.entanglement == 0 && r.theory.cross == 0);
  assert_true(r.theory.approximation > 0);
  sw_bank_scores_free(&scores);
  answer(&bank, &o, SW_MASK_CAUSAL, SW_POS_STANDARD, &scores);
  ok(sw_bank_evaluate(&bank, &scores, 1000, 1, &r, &err), &err);
  add_up(&r.theory);
  assert_true(r.theory.entanglement > 0);
  /* the block of this format shows all of the state, and the state decides */
  assert_true(r.theory.irreducible == 0 && r.theory.aliasing == 0);
  assert_true(r.theory.information == 0);
  double drawn = transplanted(&bank, scores.mass[SW_BANK_CUMULATIVE]);
  if (!(drawn >= r.entanglement.low && drawn <= r.entanglement.high))
    fail_msg("%.3g is not in %.3g to %.3g", drawn, r.entanglement.low,
             r.entanglement.high);
  assert_true(r.entanglement.low > 0);
  sw_bank_scores_free(&scores);
  sw_bank_free(&bank);
}

/* A block that does not show the assignment: states that differ look alike, so
 * there is aliasing, which no mask takes away; the terms still add up, and what
 * the history could tell is not nothing. */
static void a_block_that_leaves_something_out(void **state) {
  (void)state;
  static const sw_mask_kind mask[] = {SW_MASK_SSA, SW_MASK_CAUSAL};
  sw_bank bank;
  sw_bank_fair_options o;
  sw_bank_result r[2];
  sw_err err = {0};
  build(&bank, &o, "minimal", 8);
  for (int k = 0; k < 2; k++) {
    sw_bank_scores scores;
    answer(&bank, &o, mask[k], k ? SW_POS_STANDARD : SW_POS_BLOCK_RELATIVE,
           &scores);
    ok(sw_bank_evaluate(&bank, &scores, 200, 1, &r[k], &err), &err);
    add_up(&r[k].theory);
    assert_true(r[k].theory.irreducible == 0); /* the state decides */
    assert_true(r[k].theory.aliasing > 1e-3);
    assert_true(r[k].theory.information > 0);
    sw_bank_scores_free(&scores);
  }
  assert_true(r[0].theory.aliasing == r[1].theory.aliasing);
  assert_true(r[0].theory.entanglement == 0 && r[0].theory.cross == 0);
  assert_true(r[1].theory.entanglement > 0 && r[1].theory.cross != 0);
  sw_bank_free(&bank);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masks_that_do_and_do_not_read_history),
      cmocka_unit_test(a_block_that_leaves_something_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
