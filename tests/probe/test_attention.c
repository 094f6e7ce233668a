/* What heads look at: weights written by hand and added up by hand, and a model
 * whose queries are zero, so that every head looks at each token of its block
 * alike and all figures are shares of token counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../toy.h"
#include "domains/sat/sat_options.h"
#include "model/decoder/internal.h"
#include "probe/attention.h"
#include "probe/bank_build.h"

extern const sw_domain sw_domain_sat;

static void near(double got, double want) {
  if (!(fabs(got - want) < 1e-6)) fail_msg("%.9g is not %.9g", got, want);
}

/* Tokens: 0 prefix, 1-2 state (two variables), then three items of four tokens
 * (opening, two literals, end) with 2, 0 and no choice left, 15 the question.
 */
enum { LENGTH = 16, HEADS = 2 };
static void write_parts(sw_part *part) {
  static const int32_t left[] = {2, 0, SW_PART_DONE};
  for (int i = 0; i < LENGTH; i++) part[i] = (sw_part){.item = -1, .home = -1};
  for (int i = 3; i < 15; i++) {
    int at = (i - 3) % 4;
    part[i] = (sw_part){(i - 3) / 4, left[(i - 3) / 4], -1, 0};
    if (at == 1 || at == 2) part[i].home = part[i].wide = at;
  }
}

static void by_hand(void **state) {
  (void)state;
  sw_part part[LENGTH];
  sw_attention_result r = {0};
  float w[HEADS * (LENGTH + 1)];
  write_parts(part);
  /* one slot in front; head 1 looks at one token, head 2 at the first four */
  for (int at = 3; at < LENGTH; at++) {
    int rows = at + 2;
    int target = at == 15                ? 8 /* the contradiction */
                 : part[at].home >= 0    ? part[at].home
                 : part[at - 1].home > 0 ? at - 1
                 : at == 11              ? 7 /* its opening */
                                         : 0;
    memset(w, 0, sizeof w);
    w[1 + target] = 1;
    for (int i = 0; i < 4; i++) w[rows + 1 + i] = 0.25F;
    sw_attention_shape shape = {1, HEADS, 1, rows};
    assert_int_equal(
        sw_attention_add(&r, part, 3, at, at == 15, &shape, w, NULL), 0);
  }
  assert_int_equal(r.states, 1);
  assert_int_equal(r.literals, 6);
  assert_int_equal(r.ends, 3);
  assert_int_equal(r.openings, 1); /* of the third item alone */
  assert_int_equal(r.states_of[0], 1);
  assert_int_equal(r.items[0], 1);
  assert_int_equal(r.items[2], 1);
  assert_int_equal(r.items[SW_LEFT_DONE], 1);
  sw_attention_finish(&r);
  near(r.head[0].home, 1);
  near(r.head[0].inside, 1);
  near(r.head[0].opening_least, 1);
  near(r.head[0].opening_other, 0);
  near(r.head[0].question_least, 1);
  near(r.head[0].question_other, 0);
  near(r.head[0].by_left[0], 1);
  near(r.head[0].by_left[2], 0);
  assert_true(isnan(r.head[0].by_left[1])); /* there was none */
  /* head 2: homes are one token at 1, or two from 2 on; 3 is in item 0 */
  near(r.head[1].home, (3 * 0.25 + 3 * 0.5) / 6);
  near(r.head[1].inside, 0.25 / 3);
  near(r.head[1].opening_other, 0.25);
  near(r.head[1].question_other, 0.125);
  near(r.head[1].by_left[2], 0.25);
  /* scores: the logarithm less its mean over the three items */
  double low = log(1e-30), mean = (log(0.25) + 2 * low) / 3;
  near(r.head[1].score[2], log(0.25) - mean);
  near(r.head[1].score[0], low - mean);
  near(r.head[2].question_least, 4.0 / 17); /* even */
  sw_attention_free(&r);

  sw_attention_shape wrong = {1, HEADS, 1, LENGTH};
  sw_err err = {0};
  assert_int_equal(sw_attention_add(&r, part, 3, 15, 1, &wrong, w, &err),
                   SW_INTERNAL);
}

/* ---- a model that looks at everything alike ---- */

enum { IN_FRONT, IN_BLOCKS }; /* where the problem stands */

static void build(sw_bank *bank, int layout) {
  sw_domain_options options;
  sw_bank_fair_options o = {.domain = &sw_domain_sat,
                            .seed = 5,
                            .viable = 12,
                            .conflicts = 6,
                            .max_instances = 400,
                            .rollouts = 16,
                            .max_histories = 2,
                            .error = 0.15,
                            .max_blocks = 40};
  sw_err err = {0};
  sw_domain_defaults(&sw_domain_sat, &options);
  options.n = 8;
  options.format = "full";
  sw_sat_own_edit(&options)->layout = layout;
  if (sw_domain_sat.resolve(&options, &err)) fail_msg("%s", err.text);
  o.domain_options = options;
  if (sw_bank_build_fair(bank, &o, &err)) fail_msg("%s", err.text);
}

static sw_model *even_model(void) {
  sw_model_config config = {.vocab = sw_domain_sat.vocab_size(NULL),
                            .d = 32,
                            .layers = 2,
                            .heads = 2,
                            .ffn = 32,
                            .slots = 0,
                            .rotary = 1};
  sw_model *model = toy_model(&config, 3);
  for (int layer = 0; layer < config.layers; layer++) {
    float *w = sw_model_net(model)->weights +
               model->params.layout.layer_stride * layer;
    memset(w + model->params.offset[SW_P_QKV_W], 0, sizeof(float) * 32 * 32);
    memset(w + model->params.offset[SW_P_QKV_B], 0, sizeof(float) * 32);
  }
  sw_model_changed(model);
  return model;
}

/* Shares of tokens, counted on the states themselves; blocks do not see the
 * prefix. */
typedef struct share {
  double home, end, item[SW_LEFTS];
  int64_t homes, ends, items[SW_LEFTS];
} share;

static void count_state(const sw_bank *bank, int64_t s, share *out) {
  static sw_part part[4096];
  sw_trace t;
  sw_trace_init(&t);
  assert_int_equal(sw_bank_input(bank, s, bank->probe_history[s], 1, &t, NULL),
                   0);
  int32_t items = sw_domain_sat.token.parts(&sw_domain_sat, &t, part);
  int64_t block = t.block_start[1];
  assert_true(items > 0);
  for (int64_t i = block; i + 1 < t.length; i++) {
    double seen = (double)(i + 1 - block);
    if (part[i].home >= 0) {
      out->home += part[i].wide / seen;
      out->homes++;
    } else if (part[i - 1].home >= 0) { /* C : l l l SEP */
      int64_t first = i;
      while (part[first - 1].item == part[i].item) first--;
      out->end += (double)(i + 1 - first) / seen;
      out->ends++;
      int left = sw_left_class(part[i].left);
      out->item[left] += (double)(i + 1 - first) / (double)(t.length - block);
      out->items[left]++;
    }
  }
  sw_trace_free(&t);
}

/* Asks the even model about all states of a bank. */
static void ask(const sw_bank *bank, sw_attention_result *r) {
  sw_team *team;
  sw_err err = {0};
  sw_model *model = even_model();
  assert_int_equal(sw_team_new(&team, 1, NULL), 0);
  sw_ask_options o = {.model = sw_model_net(model),
                      .reading = {SW_MASK_BLOCK_ONLY, SW_POS_ROTARY, 0}};
  sw_attention_task task = {
      .bank = bank, .domain = &sw_domain_sat, .items = 1000};
  assert_int_equal(sw_asker_new(&task.full, &o, team, NULL), 0);
  o.cached = 1;
  assert_int_equal(sw_asker_new(&task.cached, &o, team, NULL), 0);
  if (sw_attention_ask(&task, NULL, NULL, r, &err)) fail_msg("%s", err.text);
  sw_asker_free(task.cached);
  sw_asker_free(task.full);
  sw_team_free(team);
  sw_model_free(model);
}

static void shares_of_tokens(void **state) {
  (void)state;
  sw_bank bank = {0};
  sw_attention_result r;
  share want = {0};
  build(&bank, IN_BLOCKS);
  ask(&bank, &r);
  for (int64_t s = 0; s < bank.states; s++) count_state(&bank, s, &want);
  assert_int_equal(r.states, bank.states);
  assert_int_equal(r.literals, want.homes);
  assert_int_equal(r.ends, want.ends);
  assert_int_equal(r.states_of[0], 6); /* the conflict states */
  assert_int_equal(r.facts[SW_FACT_LITERAL], want.homes);
  assert_int_equal(r.facts[SW_FACT_ITEM], want.ends);
  for (int h = 0; h < 4; h++) {
    near(r.head[h].home, want.home / (double)want.homes);
    near(r.head[h].inside, want.end / (double)want.ends);
    for (int c = 0; c < SW_LEFTS; c++) {
      assert_int_equal(r.items[c], want.items[c]);
      if (!r.items[c]) continue;
      near(r.head[h].by_left[c], want.item[c] / (double)want.items[c]);
      assert_true(fabs(r.head[h].score[c]) < 1e-4);
    }
    near(r.head[h].question_least, r.head[h].question_other);
    near(r.head[h].opening_least, r.head[h].opening_other);
  }
  sw_attention_free(&r);
  sw_bank_free(&bank);
}

/* The facts of a problem in front are names of clauses: no values of literals,
 * and none is asked for. */
static void problem_in_front(void **state) {
  (void)state;
  sw_bank bank = {0};
  sw_attention_result r;
  build(&bank, IN_FRONT);
  ask(&bank, &r);
  assert_int_equal(r.states, bank.states);
  assert_int_equal(r.literals, 0);
  for (int k = 0; k < SW_FACT_COUNT; k++) assert_int_equal(r.facts[k], 0);
  sw_attention_free(&r);
  sw_bank_free(&bank);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_hand),
      cmocka_unit_test(shares_of_tokens),
      cmocka_unit_test(problem_in_front),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
