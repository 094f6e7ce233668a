/* Sessions of decoders with slot memory: the bits of a pass over the whole
 * sequence, with and without the cache, in lock-step of any width, on one
 * thread or two, however the pending rows are cut; shared registers by the
 * published rule; and the refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "../toy.h"
#include "base/rng.h"
#include "../size.h"

enum { VOCAB = 19, TABLE = 160, SEATS = 64, LONGEST = 150 };

typedef struct told { /* what a seat has been shown */
  int32_t token[LONGEST];
  int64_t start[LONGEST];
  int32_t length, prefix;
  int64_t blocks;
} told;

typedef struct bed {
  sw_model *model;
  sw_team *team;
  sw_pass *pass;
  sw_session *session[2]; /* with and without the cache */
  told *told;
  sw_xoshiro rng;
  int seats;
} bed;

static sw_model_config shape(int registers, int shared) {
  return (sw_model_config){.vocab = VOCAB,
                           .d = 32,
                           .layers = 3,
                           .heads = 4,
                           .ffn = 40,
                           .positions = TABLE,
                           .memory = registers,
                           .memory_width = 32,
                           .memory_shared = shared};
}

static int32_t draw(bed *b) {
  return 1 + (int32_t)sw_xoshiro_below(&b->rng, VOCAB - 1);
}

static void open_bed(bed *b, const sw_model_config *config, int seats,
                     int threads, int prefix) {
  memset(b, 0, sizeof *b);
  b->model = toy_model(config, 5);
  sw_model_set_memory_gate(b->model, 0.5f);
  sw_model_changed(b->model);
  b->seats = seats;
  b->told = calloc((size_t)seats, sizeof *b->told);
  sw_xoshiro_seed(&b->rng, (uint64_t)(seats + threads));
  assert_int_equal(sw_team_new(&b->team, threads, NULL), 0);
  assert_int_equal(sw_pass_new(&b->pass, b->model, b->team, NULL), 0);
  for (int c = 0; c < 2; c++) {
    sw_session_options o = {.sequences = seats,
                            .reading = sw_reading_of(SW_MASK_CAUSAL_NOSLOT),
                            .cache_prefix = !c};
    assert_int_equal(
        sw_session_new(&b->session[c], b->model, b->team, &o, NULL), 0);
  }
  for (int s = 0; s < seats; s++) {
    told *d = &b->told[s];
    d->blocks = 1;
    d->prefix = d->length = prefix + s % 5;
    for (int i = 0; i < d->length; i++) d->token[i] = draw(b);
    for (int c = 0; c < 2; c++)
      assert_int_equal(
          sw_session_prefix(b->session[c], s, d->token, d->length, NULL), 0);
  }
}

static void close_bed(bed *b) {
  sw_session_free(b->session[0]), sw_session_free(b->session[1]);
  sw_pass_free(b->pass);
  sw_team_free(b->team);
  sw_model_free(b->model);
  free(b->told);
}

static void put(bed *b, int s, int count) {
  told *d = &b->told[s];
  for (int i = 0; i < count; i++) {
    d->token[d->length] = draw(b);
    for (int c = 0; c < 2; c++)
      assert_int_equal(
          sw_session_push(b->session[c], s, &d->token[d->length], 1, NULL), 0);
    d->length++;
  }
}

static void open_block(bed *b, int s, int keep) {
  told *d = &b->told[s];
  for (int c = 0; c < 2; c++)
    assert_int_equal(sw_session_begin_block(b->session[c], s, keep, NULL), 0);
  if (!keep) {
    d->length = d->prefix;
    d->blocks = 1;
  }
  d->start[d->blocks++] = d->length;
}

static void ask_whole(bed *b, const told *d, float *out) {
  sw_mask mask;
  int32_t position[LONGEST], last = d->length - 1;
  sw_mask_init(&mask);
  assert_int_equal(sw_mask_build(&mask, SW_MASK_CAUSAL_NOSLOT, 0, d->length,
                                 d->start, d->blocks, 0, 0, NULL),
                   0);
  for (int i = 0; i < d->length; i++) position[i] = i;
  sw_example ex = {.token = d->token,
                   .position = position,
                   .length = d->length,
                   .mask = &mask,
                   .block_start = d->start,
                   .blocks = d->blocks};
  assert_int_equal(sw_pass_logits(b->pass, &ex, &last, 1, out, NULL), 0);
  sw_mask_free(&mask);
}

static void compare(bed *b, const int32_t *seq, int count) {
  const float *got[2][SEATS];
  float want[VOCAB];
  for (int c = 0; c < 2; c++)
    assert_int_equal(sw_session_run(b->session[c], seq, count, got[c], NULL),
                     0);
  for (int i = 0; i < count; i++) {
    ask_whole(b, &b->told[seq[i]], want);
    assert_memory_equal(got[0][i], want, sizeof want);
    assert_memory_equal(got[1][i], want, sizeof want);
  }
}

/* Some rounds of a search in every seat. */
static void play(bed *b, int rounds) {
  int32_t seq[SEATS];
  for (int round = 0; round < rounds; round++) {
    int count = 0;
    for (int s = 0; s < b->seats; s++) {
      open_block(b, s, b->told[s].length < 100 && sw_xoshiro_below(&b->rng, 4));
      put(b, s, 1 + (int)sw_xoshiro_below(&b->rng, 6));
      if (sw_xoshiro_below(&b->rng, 4)) seq[count++] = s;
    }
    compare(b, seq, count);
    for (int i = 0; i < count; i++) { /* a token back, others instead */
      int back = (int)sw_xoshiro_below(&b->rng, 2);
      for (int c = 0; c < 2; c++)
        assert_int_equal(sw_session_pop(b->session[c], seq[i], back, NULL), 0);
      b->told[seq[i]].length -= back;
      put(b, seq[i], (int)sw_xoshiro_below(&b->rng, 3));
    }
    compare(b, seq, count);
    compare(b, seq, count); /* nothing new */
  }
}

static void bits_are_those_of_a_pass(void **state) {
  (void)state;
  static const int seats[] = {1, 7, 64};
  for (int set = 0; toy_kernels(set); set++)
    for (int w = 0; w < 3; w++) {
      sw_model_config config = shape(3, 0);
      bed b;
      config.memory_heads = w == 1 ? 2 : 0;
      open_bed(&b, &config, seats[w], 1 + w % 2, 9);
      play(&b, w == 2 ? test_size(2, 1) : test_size(5, 2));
      close_bed(&b);
    }
  toy_kernels(99);
}

/* So many registers that a prefix goes through in several pieces. */
static void long_stretches_are_cut(void **state) {
  (void)state;
  sw_model_config config = shape(512, 0);
  bed b;
  open_bed(&b, &config, 2, 2, 37);
  play(&b, 1);
  close_bed(&b);
}

static void shared_registers_follow_the_rule(void **state) {
  (void)state;
  sw_model_config config = shape(3, 1);
  bed b;
  open_bed(&b, &config, 7, 2, 9);
  play(&b, 3);
  close_bed(&b);
}

/* A token changes what comes after it, through the registers alone too. */
static void registers_count(void **state) {
  (void)state;
  sw_model_config config = shape(3, 0);
  bed b;
  int32_t seq[] = {0};
  const float *got;
  float open[VOCAB];
  open_bed(&b, &config, 1, 1, 9);
  open_block(&b, 0, 1);
  put(&b, 0, 3);
  assert_int_equal(sw_session_run(b.session[0], seq, 1, &got, NULL), 0);
  memcpy(open, got, sizeof open);
  sw_model_set_memory_gate(b.model, -100.0f); /* shut */
  sw_model_changed(b.model);
  assert_int_equal(sw_session_run(b.session[1], seq, 1, &got, NULL), 0);
  assert_memory_not_equal(open, got, sizeof open);
  close_bed(&b);
}

static void what_is_refused(void **state) {
  (void)state;
  sw_model_config config = shape(3, 0);
  sw_model *model = toy_model(&config, 1);
  sw_team *team;
  sw_err err = {0};
  sw_seats *seats = NULL;
  assert_int_equal(sw_team_new(&team, 1, NULL), 0);
  sw_session_options o = {
      .sequences = 1, .reading = sw_reading_of(SW_MASK_SSA), .cache_prefix = 1};
  sw_net *net = sw_model_net(model);
  assert_int_equal(sw_seats_new(&seats, net, team, &o, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "slot memory"));
  o.reading = sw_reading_of(SW_MASK_CAUSAL_NOSLOT);
  assert_true(net->plays);
  assert_int_equal(sw_seats_new(&seats, net, team, &o, &err), 0);
  sw_attention_shape shown;
  assert_int_equal(sw_seats_attention(seats, 0, &shown, NULL, &err), SW_USAGE);
  sw_seats_free(seats);
  sw_team_free(team);
  sw_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bits_are_those_of_a_pass),
      cmocka_unit_test(long_stretches_are_cut),
      cmocka_unit_test(shared_registers_follow_the_rule),
      cmocka_unit_test(registers_count),
      cmocka_unit_test(what_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
