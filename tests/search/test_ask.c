/* Asking a model: both paths answer alike, what the position table does not
 * hold is refused on both, never answered with other positions, and a state of
 * a bank is asked about as the closed loop asks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "../toy.h"
#include "base/argmax.h"
#include "search/ask.h"
#include "probe/bank_eval.h"

enum { VOCAB = 40, PREFIX = 9, BLOCK = 7 };

static void write_trace(sw_trace *t, int blocks) {
  sw_trace_init(t);
  for (int b = 0; b <= blocks; b++) {
    sw_trace_begin_block(t);
    for (int i = 0; i < (b ? BLOCK : PREFIX); i++)
      sw_trace_put(t, 1 + (11 * b + 3 * i) % (VOCAB - 1), 0);
  }
}

/* Asks with a table of `rows` rows on one path; the logits, if any, go to
 * `out`. */
static int ask_with(sw_position_kind positions, int32_t rows, int cached,
                    const sw_trace *t, float *out) {
  sw_model_config config = {.vocab = VOCAB,
                            .d = 16,
                            .layers = 2,
                            .heads = 2,
                            .slots = 2,
                            .positions = rows};
  sw_model *model = toy_model(&config, 3);
  sw_team *team;
  sw_asker *asker;
  const float *logits;
  assert_int_equal(sw_team_new(&team, 1, NULL), 0);
  sw_ask_options o = {.model = sw_model_net(model),
                      .reading = {SW_MASK_SSA, positions, 0},
                      .cached = cached};
  assert_int_equal(sw_asker_new(&asker, &o, team, NULL), 0);
  int code = sw_ask(asker, t, &logits, NULL);
  assert_int_equal(sw_ask_fits(asker, t), code == 0);
  if (!code) memcpy(out, logits, sizeof *out * VOCAB);
  sw_asker_free(asker);
  sw_team_free(team);
  sw_model_free(model);
  return code;
}

static void the_table_must_hold_the_trace(void **state) {
  (void)state;
  sw_trace t;
  write_trace(&t, 3);
  const int32_t need[SW_POS_COUNT] = {
      [SW_POS_STANDARD] = PREFIX + 3 * BLOCK,
      [SW_POS_BLOCK_RELATIVE] = PREFIX + BLOCK,
      [SW_POS_BLOCK_FIRST] = SW_POS_BLOCK_ROOM + PREFIX};
  for (int p = 0; p < SW_POS_COUNT; p++) {
    float full[VOCAB], cached[VOCAB];
    if (sw_position_row_of((sw_position_kind)p)->enters != SW_ENTERS_TABLE)
      continue; /* nothing to be too short */
    assert_int_equal(ask_with((sw_position_kind)p, need[p], 0, &t, full), 0);
    assert_int_equal(ask_with((sw_position_kind)p, need[p], 1, &t, cached), 0);
    assert_memory_equal(full, cached, sizeof full);
    assert_int_equal(ask_with((sw_position_kind)p, need[p] - 1, 0, &t, full),
                     SW_LIMIT);
    assert_int_equal(ask_with((sw_position_kind)p, need[p] - 1, 1, &t, cached),
                     SW_LIMIT);
  }
  sw_trace_free(&t);
}

/* A search's blocks up to `blocks`, of one of several problems. */
static void write_search(sw_trace *t, int problem, int blocks) {
  sw_trace_clear(t);
  for (int b = 0; b <= blocks; b++) {
    sw_trace_begin_block(t);
    for (int i = 0; i < (b ? BLOCK : PREFIX); i++)
      sw_trace_put(t, 1 + (11 * b + 3 * i + 5 * problem) % (VOCAB - 1), 0);
  }
}

/* Whatever the seats remember, and whichever is taken, the answers are those of
 * a full pass. */
static void what_is_remembered_changes_nothing(void **state) {
  (void)state;
  static const int order[][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 4}, {2, 1},
                                 {1, 3}, {0, 2}, {3, 4}, {2, 2}, {0, 5},
                                 {1, 1}, {3, 5}, {3, 0}, {3, 1}, {0, 5}};
  static const sw_mask_kind mask[] = {SW_MASK_CAUSAL, SW_MASK_SSA};
  for (int m = 0; m < 2; m++) {
    sw_model_config config = TOY_CONFIG(VOCAB, 16, 2, 2, 32, 2, 64);
    sw_model *model = toy_model(&config, 3);
    sw_team *team;
    sw_asker *asker[4];
    sw_trace t;
    assert_int_equal(sw_team_new(&team, 1, NULL), 0);
    for (int i = 0; i < 4; i++) {
      sw_ask_options o = {.model = sw_model_net(model),
                          .reading = {mask[m], SW_POS_BLOCK_RELATIVE, 0},
                          .cached = i > 0,
                          .seats = i > 1 ? 3 : 1,
                          .skips_unseen = i == 3};
      assert_int_equal(sw_asker_new(&asker[i], &o, team, NULL), 0);
    }
    sw_trace_init(&t);
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
      const float *z[4];
      write_search(&t, order[k][0], order[k][1]);
      for (int i = 0; i < 4; i++) {
        assert_int_equal(sw_ask(asker[i], &t, &z[i], NULL), 0);
        assert_memory_equal(z[0], z[i], sizeof(float) * VOCAB);
      }
    }
    for (int i = 0; i < 4; i++) sw_asker_free(asker[i]);
    sw_trace_free(&t);
    sw_team_free(team);
    sw_model_free(model);
  }
}

static void no_number_is_an_error(void **state) {
  (void)state;
  sw_model_config config = TOY_CONFIG(VOCAB, 16, 1, 2, 32, 2, 64);
  sw_model *model = toy_model(&config, 3);
  sw_net *net = sw_model_net(model);
  sw_team *team;
  sw_trace t;
  sw_err err = {0};
  for (int64_t i = 0; i < net->count; i++) net->weights[i] = NAN;
  sw_net_changed(net);
  write_trace(&t, 2);
  assert_int_equal(sw_team_new(&team, 1, NULL), 0);
  for (int cached = 0; cached < 2; cached++) {
    const float *z;
    sw_asker *asker;
    sw_ask_options o = {.model = net,
                        .reading = {SW_MASK_SSA, SW_POS_BLOCK_RELATIVE, 0},
                        .cached = cached};
    assert_int_equal(sw_asker_new(&asker, &o, team, NULL), 0);
    assert_int_equal(sw_ask(asker, &t, &z, &err), SW_DATA);
    assert_non_null(strstr(err.text, "is not a number"));
    sw_asker_free(asker);
  }
  sw_trace_free(&t);
  sw_team_free(team);
  sw_model_free(model);
}

/* The first state of the first instance, [PROP] its last token. */
static void open_pad(const sw_domain *domain, sw_domain_options *o,
                     sw_instance **instance, sw_env **env, sw_trace *trace) {
  sw_stream *stream;
  sw_rules rules = {0};
  sw_domain_defaults(domain, o);
  o->n = 6;
  o->format = "self";
  assert_int_equal(domain->resolve(o, NULL), SW_OK);
  assert_int_equal(domain->stream_new(&stream, o, 1, SW_SPLIT_TEST, NULL),
                   SW_OK);
  assert_int_equal(domain->stream_next(stream, instance, NULL), SW_OK);
  domain->stream_free(stream);
  sw_trace_init(trace);
  assert_int_equal(domain->search->env_new(env, o, &rules, NULL), SW_OK);
  assert_int_equal(domain->search->env_reset(*env, *instance, NULL), SW_OK);
  domain->search->write_prefix(*env, trace);
  domain->search->prompt(*env, trace);
}

/* A model that never ends its scratchpad: the verdict of the bank is asked
 * behind the same tokens as that of the search. */
static void a_pad_is_cut_off_as_in_the_loop(void **state) {
  (void)state;
  enum { LIMIT = 32, GO_ON = 20 };
  const sw_domain *domain = sw_domain_find("sat");
  sw_domain_options options;
  sw_instance *instance;
  sw_env *env;
  sw_trace t;
  sw_bank bank;
  sw_team *team;
  sw_asker *asker;
  const float *z;
  sw_err err = {0};
  open_pad(domain, &options, &instance, &env, &t);
  int32_t vocab = domain->vocab_size(&options), allowed = GO_ON;
  sw_bank_init(&bank, "sat", "fair", "self", domain->back_token);
  sw_bank_add_instance(&bank, t.token, t.block_start[1]);
  sw_bank_begin_state(&bank, 0, 0, 0, 0, 6, "x");
  sw_bank_add_history(&bank, &t, 1, t.length - 1, 0);
  sw_bank_allow(&bank, allowed);
  sw_bank_end_state(&bank);
  assert_int_equal(sw_bank_check(&bank, &err), SW_OK);

  sw_model_config config = TOY_CONFIG(vocab, 16, 1, 2, 32, 2, 512);
  sw_model *model = toy_model(&config, 3);
  assert_int_equal(sw_team_new(&team, 1, NULL), 0);
  sw_ask_options o = {.model = sw_model_net(model),
                      .reading = {SW_MASK_SSA, SW_POS_BLOCK_RELATIVE, 0},
                      .cached = 1};
  assert_int_equal(sw_asker_new(&asker, &o, team, &err), 0);
  int64_t from = t.length;
  while (domain->search->pad.writes(env)) {
    assert_int_equal(sw_ask(asker, &t, &z, &err), 0);
    domain->search->feed(env, (int32_t)sw_argmax(z, vocab), &t);
  }
  assert_int_equal(t.length - from, LIMIT + 1);
  double mass, free_score;
  assert_int_equal(sw_ask(asker, &t, &z, &err), 0);
  sw_bank_score_logits(z, vocab, bank.back_token, &allowed, 1, &mass,
                       &free_score);
  sw_bank_scores scores;
  sw_bank_asking how = {.domain = domain, .options = &options};
  assert_int_equal(sw_bank_ask(&bank, &how, asker, &scores, NULL, NULL, &err),
                   0);
  for (int p = 0; p < SW_BANK_PROTOCOLS; p++)
    assert_memory_equal(scores.mass[p], &mass, sizeof mass);
  sw_bank_scores_free(&scores);
  how.rebuilt_only = 1; /* the same answer, and none behind the history */
  assert_true(sw_bank_writes_pads(&how));
  assert_int_equal(sw_bank_ask(&bank, &how, asker, &scores, NULL, NULL, &err),
                   0);
  assert_memory_equal(scores.mass[SW_BANK_REBUILT], &mass, sizeof mass);
  assert_true(isnan(scores.mass[SW_BANK_CUMULATIVE][0]));
  assert_int_equal(scores.compared, 0);
  sw_bank_scores_free(&scores);
  sw_asker_free(asker);
  sw_team_free(team);
  sw_model_free(model);
  sw_bank_free(&bank);
  domain->search->env_free(env);
  domain->instance_free(instance);
  sw_trace_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_must_hold_the_trace),
      cmocka_unit_test(what_is_remembered_changes_nothing),
      cmocka_unit_test(no_number_is_an_error),
      cmocka_unit_test(a_pad_is_cut_off_as_in_the_loop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
