/* The LSTM's promises: the same bits with any number of threads, in any
 * company, from sessions with and without the cache; what each mode sees of the
 * history; and errors that say what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../toy.h"
#include "base/rng.h"
#include "model/lstm/work.h"

enum { VOCAB = 30, TABLE = 400 };

static const struct {
  int mode;
  sw_mask_kind mask;
  sw_position_kind positions;
} modes[] = {
    {SW_LSTM_CONTINUOUS, SW_MASK_CAUSAL_NOSLOT, SW_POS_STANDARD},
    {SW_LSTM_BLOCK_RESET, SW_MASK_BLOCK_ONLY, SW_POS_BLOCK_RELATIVE},
    {SW_LSTM_BLOCK_RESET, SW_MASK_BLOCK_ONLY, SW_POS_STANDARD},
    {SW_LSTM_PREFIX_RESTORED, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE},
};
enum { MODES = 4, RESTORED = 3 };

static sw_net *make_net(int mode) {
  sw_lstm_config config = {
      .vocab = VOCAB, .d = 20, .layers = 2, .positions = TABLE, .mode = mode};
  sw_net *net = NULL;
  assert_int_equal(
      sw_net_new(&net, sw_family_find("lstm"), &config, NULL, 8, NULL), 0);
  for (int64_t i = 0; i < net->count; i++)
    net->weights[i] += (float)(0.3 * sw_philox_normal(8, 99, (uint64_t)i));
  sw_net_changed(net);
  return net;
}

static void make_toy(toy *t, int m, int blocks, uint64_t seed) {
  sw_model_config config = {.positions = TABLE};
  toy_make(t, VOCAB, 13, blocks, 9, seed);
  toy_mask(t, &config, modes[m].mask, modes[m].positions, 256);
}

static sw_work *work_of(sw_net *net, sw_team **team, int threads) {
  sw_work *work = NULL;
  assert_int_equal(sw_team_new(team, threads, NULL), 0);
  assert_int_equal(sw_work_new(&work, net, *team, NULL), 0);
  return work;
}

/* ---- training ---- */

enum { ITEMS = 8 };

static void fill_items(sw_item *item, toy *t) {
  for (int i = 0; i < ITEMS; i++)
    item[i] = (sw_item){.example = t[i].example,
                        .options = {.dropout = 0.2,
                                    .seed = 1,
                                    .step = 2,
                                    .trace = (uint64_t)i,
                                    .weight[SW_LOSS_TARGET] = 0.125f}};
}

/* A step at once on 1, 2 and 3 threads, item by item, in parts, in groups. */
static void a_step_is_the_sum_of_its_items(void **state) {
  (void)state;
  for (int m = 0; m < MODES; m++) {
    sw_net *net = make_net(modes[m].mode);
    toy *t = calloc(ITEMS, sizeof *t);
    size_t bytes = sizeof(float) * (size_t)net->count;
    float *first = calloc(1, bytes), *again = calloc(1, bytes);
    double loss[ITEMS];
    for (int i = 0; i < ITEMS; i++)
      make_toy(&t[i], m, 1 + (i * 5) % 9, (uint64_t)(40 + i));
    for (int way = 0; way < 7; way++) {
      sw_team *team;
      sw_work *work = work_of(net, &team, way < 3 ? 1 + way : 2);
      sw_item item[ITEMS];
      fill_items(item, t);
      float *sum = way ? again : first;
      memset(sum, 0, bytes);
      for (int64_t i = 0; i < net->trained; i++) sum[i] = 1e-3f;
      sw_lstm_work *own = (sw_lstm_work *)work;
      if (way == 5) own->group_bytes = 100000; /* two traces or three */
      if (way == 6) own->table_bytes = 10000;  /* four */
      if (way < 3 || way > 4)
        assert_int_equal(sw_work_batch(work, item, ITEMS, sum, NULL), 0);
      for (int i = 0; i < ITEMS && way == 3; i++)
        assert_int_equal(sw_work_batch(work, item + i, 1, sum, NULL), 0);
      if (way == 4) {
        float *part[ITEMS];
        for (int i = 0; i < ITEMS; i++) {
          part[i] = malloc(bytes);
          memset(part[i], 0x55, bytes);
        }
        assert_int_equal(sw_work_parts(work, item, ITEMS, part, NULL), 0);
        for (int i = 0; i < ITEMS; i++) {
          net->kernels->add((size_t)net->trained, part[i], sum);
          free(part[i]);
        }
      }
      for (int i = 0; i < ITEMS; i++) {
        if (!way) loss[i] = item[i].tally[SW_LOSS_TARGET].loss;
        assert_true(item[i].tally[SW_LOSS_TARGET].count > 0 &&
                    item[i].flops > 0);
        assert_memory_equal(&loss[i], &item[i].tally[SW_LOSS_TARGET].loss,
                            sizeof *loss);
      }
      if (way) assert_memory_equal(again, first, bytes);
      sw_work_free(work);
      sw_team_free(team);
    }
    int64_t moved = 0;
    for (int64_t i = 0; i < net->trained; i++) moved += first[i] != 1e-3f;
    assert_true(moved > net->trained / 4);
    for (int64_t i = net->trained; i < net->count; i++)
      assert_true(first[i] == 0); /* the verify head */
    for (int i = 0; i < ITEMS; i++) toy_free(&t[i]);
    free(t), free(first), free(again);
    sw_net_free(net);
  }
}

/* ---- what a mode sees ---- */

static void last_row(sw_work *work, const toy *t, float *out) {
  sw_item item = {.example = t->example};
  int32_t row = t->length - 1;
  assert_int_equal(sw_work_rows(work, &item, &row, 1, out, NULL), 0);
}

/* Block b inside the whole trace, and alone behind the prefix; and then behind
 * another prefix. */
static void modes_see_what_they_say(void **state) {
  (void)state;
  for (int m = 0; m < MODES; m++) {
    sw_net *net = make_net(modes[m].mode);
    sw_team *team;
    sw_work *work = work_of(net, &team, 2);
    sw_model_config config = {.positions = TABLE};
    toy t, one, other;
    float inside[VOCAB], alone[VOCAB], elsewhere[VOCAB];
    make_toy(&t, m, 6, 77);
    int same = 0, same_prefix = 0, blocks = 6;
    for (int b = 1; b <= blocks; b++) {
      toy cut = t;
      sw_mask_init(&cut.mask);
      cut.length = b < blocks ? (int32_t)t.block_start[b + 1] : t.length;
      cut.blocks = b + 1;
      toy_mask(&cut, &config, modes[m].mask, modes[m].positions, 256);
      toy_alone(&one, &t, b);
      toy_mask(&one, &config, modes[m].mask, modes[m].positions, 256);
      toy_alone(&other, &t, b);
      for (int i = 0; i < 13; i++) other.token[i] = 1 + (i * 7 + b) % 29;
      toy_mask(&other, &config, modes[m].mask, modes[m].positions, 256);
      last_row(work, &cut, inside);
      last_row(work, &one, alone);
      last_row(work, &other, elsewhere);
      same += !memcmp(inside, alone, sizeof inside);
      same_prefix += !memcmp(alone, elsewhere, sizeof alone);
      toy_free(&cut), toy_free(&one), toy_free(&other);
    }
    int local = modes[m].mode != SW_LSTM_CONTINUOUS &&
                modes[m].positions == SW_POS_BLOCK_RELATIVE;
    /* The first block has no history, whatever the mode. */
    assert_int_equal(same, local ? blocks : 1);
    assert_int_equal(same_prefix,
                     modes[m].mode == SW_LSTM_BLOCK_RESET ? blocks : 0);
    toy_free(&t);
    sw_work_free(work);
    sw_team_free(team);
    sw_net_free(net);
  }
}

/* ---- sessions ---- */

enum { SEATS = 64 };

/* The dialogue of a seat as tokens: what the session should have been told. */
typedef struct told {
  int32_t token[TOY_MAX];
  int64_t start[TOY_BLOCKS];
  int32_t length, prefix;
  int64_t blocks, away; /* tokens that only positions know of */
} told;

static void ask_whole(sw_work *work, const told *d, int m, float *out) {
  sw_reading reading = {modes[m].mask, modes[m].positions, 256};
  int32_t position[TOY_MAX], row = d->length - 1;
  sw_mask mask;
  sw_mask_init(&mask);
  assert_int_equal(sw_mask_build(&mask, modes[m].mask, 0, d->length, d->start,
                                 d->blocks, 256, 0, NULL),
                   0);
  assert_int_equal(sw_reading_positions(&reading, d->length, d->start,
                                        d->blocks, 0, TABLE, position, NULL),
                   0);
  for (int32_t i = d->prefix;
       i < d->length && modes[m].positions == SW_POS_STANDARD; i++)
    position[i] += (int32_t)d->away;
  sw_item item = {.example = {.token = d->token,
                              .position = position,
                              .length = d->length,
                              .mask = &mask,
                              .block_start = d->start,
                              .blocks = d->blocks}};
  assert_int_equal(sw_work_rows(work, &item, &row, 1, out, NULL), 0);
  sw_mask_free(&mask);
}

typedef struct bed {
  int m;
  sw_net *net;
  sw_team *team;
  sw_work *work;
  sw_seats *seats[2]; /* with and without the cache */
  told *told;         /* [SEATS] */
  sw_xoshiro rng;
} bed;

static void put(bed *b, int s, int count) {
  told *d = &b->told[s];
  int32_t token[16];
  for (int i = 0; i < count; i++)
    d->token[d->length++] = token[i] =
        1 + (int32_t)sw_xoshiro_below(&b->rng, VOCAB - 1);
  for (int c = 0; c < 2; c++)
    assert_int_equal(sw_seats_push(b->seats[c], s, token, count, NULL), 0);
}

static void open_block(bed *b, int s, int history) {
  told *d = &b->told[s];
  for (int c = 0; c < 2; c++)
    assert_int_equal(sw_seats_begin_block(b->seats[c], s, history, NULL), 0);
  if (history != SW_HISTORY_KEEP) {
    d->away =
        history == SW_HISTORY_FORGET ? 0 : d->away + d->length - d->prefix;
    d->length = d->prefix;
    d->blocks = 1;
  }
  if (d->blocks == 1 || d->start[d->blocks - 1] != d->length)
    d->start[d->blocks++] = d->length;
}

static void compare(bed *b, const int32_t *seq, int count) {
  const float *got[2][SEATS];
  float want[VOCAB];
  for (int c = 0; c < 2; c++)
    assert_int_equal(sw_seats_run(b->seats[c], seq, count, got[c], NULL), 0);
  for (int i = 0; i < count; i++) {
    ask_whole(b->work, &b->told[seq[i]], b->m, want);
    assert_memory_equal(got[0][i], want, sizeof want);
    assert_memory_equal(got[1][i], want, sizeof want);
  }
}

static void open_bed(bed *b, int m, int threads) {
  b->m = m;
  b->net = make_net(modes[m].mode);
  b->work = work_of(b->net, &b->team, threads);
  b->told = calloc(SEATS, sizeof *b->told);
  sw_xoshiro_seed(&b->rng, (uint64_t)(m + threads));
  for (int c = 0; c < 2; c++) {
    sw_session_options o = {.sequences = SEATS,
                            .reading = {modes[m].mask, modes[m].positions, 256},
                            .cache_prefix = !c};
    assert_int_equal(sw_seats_new(&b->seats[c], b->net, b->team, &o, NULL), 0);
  }
  for (int s = 0; s < SEATS; s++) {
    told *d = &b->told[s];
    d->prefix = d->length = 5 + s % 9;
    d->blocks = 1;
    for (int i = 0; i < d->length; i++)
      d->token[i] = 1 + (int32_t)sw_xoshiro_below(&b->rng, VOCAB - 1);
    for (int c = 0; c < 2; c++)
      assert_int_equal(
          sw_seats_prefix(b->seats[c], s, d->token, d->length, NULL), 0);
  }
}

static void close_bed(bed *b) {
  sw_seats_free(b->seats[0]), sw_seats_free(b->seats[1]);
  sw_work_free(b->work);
  sw_team_free(b->team);
  sw_net_free(b->net);
  free(b->told);
}

/* Random dialogues in lock-step of 1, 7 and 64: blocks after each history, a
 * prefix asked alone or not, tokens taken back, asked twice, blocks that were
 * never asked about, seats that sit a round out. */
static void sessions_have_the_bits_of_passes(void **state) {
  (void)state;
  static const int widths[] = {1, 7, 64};
  for (int m = 0; m < MODES; m++)
    for (int w = 0; w < 3; w++) {
      bed b;
      open_bed(&b, m, 1 + w % 2);
      int32_t seq[SEATS];
      if (w == 1) {
        for (int i = 0; i < 7; i++) seq[i] = 6 - i;
        compare(&b, seq, 7); /* the prefix alone */
      }
      for (int round = 0; round < 6; round++) {
        int count = 0;
        for (int s = 0; s < widths[w]; s++) {
          int history = (int)sw_xoshiro_below(&b.rng, 8);
          if (b.told[s].length > 250) history = SW_HISTORY_FORGET;
          history = history < 2 ? history * 2 : SW_HISTORY_KEEP;
          /* With tokens away the dialogue starts anew for good. */
          if (b.told[s].away && history == SW_HISTORY_KEEP)
            history = SW_HISTORY_AWAY;
          open_block(&b, s, history);
          put(&b, s, 1 + (int)sw_xoshiro_below(&b.rng, 6));
          if (sw_xoshiro_below(&b.rng, 4)) seq[count++] = s;
        }
        compare(&b, seq, count);
        compare(&b, seq, count); /* nothing new */
        for (int i = 0; i < count; i++) {
          int back = (int)sw_xoshiro_below(&b.rng, 2);
          for (int c = 0; c < 2; c++)
            assert_int_equal(sw_seats_pop(b.seats[c], seq[i], back, NULL), 0);
          b.told[seq[i]].length -= back;
          /* An empty block is not asked about. */
          put(&b, seq[i], back + (int)sw_xoshiro_below(&b.rng, 3));
          assert_int_equal(sw_seats_length(b.seats[0], seq[i]),
                           b.told[seq[i]].length + b.told[seq[i]].away);
        }
        compare(&b, seq, count);
      }
      close_bed(&b);
    }
}

/* ---- errors and files ---- */

static void wrong_readings_are_refused(void **state) {
  (void)state;
  sw_net *net = make_net(SW_LSTM_PREFIX_RESTORED);
  sw_err err = {0};
  sw_reading causal = sw_reading_of(SW_MASK_CAUSAL_NOSLOT);
  assert_int_equal(sw_net_suits(net, &causal, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "prefix-restored"));
  assert_non_null(strstr(err.hint, "ssa"));
  sw_reading standard = {SW_MASK_SSA, SW_POS_STANDARD, 256};
  assert_int_equal(sw_net_suits(net, &standard, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "history"));
  sw_reading rotary = {SW_MASK_SSA, SW_POS_ROTARY, 256};
  assert_int_equal(sw_net_suits(net, &rotary, &err), SW_USAGE);
  sw_team *team;
  sw_work *work = work_of(net, &team, 1);
  sw_seats *seats = NULL;
  sw_session_options o = {.sequences = 1, .reading = causal, .cache_prefix = 1};
  assert_int_equal(sw_seats_new(&seats, net, team, &o, &err), SW_USAGE);
  assert_null(seats);
  toy t;
  sw_model_config config = {.positions = TABLE};
  toy_make(&t, VOCAB, 13, 2, 4, 1);
  toy_mask(&t, &config, SW_MASK_SWA_PREFIX, SW_POS_STANDARD, 8);
  float out[VOCAB];
  int32_t row = 3;
  sw_item item = {.example = t.example};
  assert_int_equal(sw_work_rows(work, &item, &row, 1, out, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "swa-prefix"));
  toy_mask(&t, &config, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE, 8);
  item.example = t.example;
  row = t.length;
  assert_int_equal(sw_work_rows(work, &item, &row, 1, out, &err), SW_USAGE);
  row = 3;
  t.token[2] = VOCAB;
  assert_int_equal(sw_work_rows(work, &item, &row, 1, out, &err), SW_DATA);
  t.token[2] = 1;
  t.position[2] = TABLE;
  assert_int_equal(sw_work_rows(work, &item, &row, 1, out, &err), SW_LIMIT);
  toy_free(&t);
  sw_work_free(work);
  sw_team_free(team);
  sw_net_free(net);
}

static void sessions_refuse_nonsense(void **state) {
  (void)state;
  bed b;
  sw_err err = {0};
  int32_t token[2] = {1, 1}, seq[2] = {0, 0};
  const float *scores[2];
  open_bed(&b, RESTORED, 1);
  for (int c = 0; c < 2; c++) {
    sw_seats *s = b.seats[c];
    assert_int_equal(sw_seats_push(s, 0, token, 1, &err), SW_USAGE);
    assert_int_equal(sw_seats_begin_block(s, SEATS, 1, &err), SW_USAGE);
    assert_int_equal(sw_seats_run(s, seq, 2, scores, &err), SW_USAGE);
    assert_int_equal(sw_seats_begin_block(s, 0, 1, &err), 0);
    assert_int_equal(sw_seats_pop(s, 0, 1, &err), SW_USAGE);
    token[1] = VOCAB;
    assert_int_equal(sw_seats_push(s, 0, token, 2, &err), SW_DATA);
    token[1] = 1;
    int code = 0;
    for (int i = 0; i < TABLE && !code; i++)
      code = sw_seats_push(s, 0, token, 2, &err);
    assert_int_equal(code, SW_LIMIT);
  }
  close_bed(&b);
}

/* A file of one family is not opened as another, and comes back whole. */
static void files_keep_their_family(void **state) {
  (void)state;
  char path[] = "/tmp/statewise-lstm-XXXXXX";
  int handle = mkstemp(path);
  assert_true(handle >= 0);
  close(handle);
  sw_err err = {0};
  sw_net *net = make_net(SW_LSTM_BLOCK_RESET), *back = NULL;
  assert_int_equal(sw_net_save(net, path, NULL, 0, &err), 0);
  assert_int_equal(sw_net_load(&back, path, 0, &err), 0);
  assert_ptr_equal(back->family, sw_family_find("lstm"));
  assert_true(sw_net_hash(back) == sw_net_hash(net));
  assert_int_equal(((sw_lstm_config *)back->config)->mode, SW_LSTM_BLOCK_RESET);
  sw_model_config config = TOY_CONFIG(VOCAB, 20, 2, 1, 80, 0, TABLE);
  sw_model *decoder = NULL;
  assert_int_equal(sw_model_new(&decoder, &config, 1, &err), 0);
  assert_int_equal(sw_net_copy(sw_model_net(decoder), back, path, &err),
                   SW_DATA);
  assert_non_null(strstr(err.text, "family lstm, not slot-decoder"));
  sw_net_free(back);
  /* the same tensors under the other name */
  const char *const meta[] = {"architecture", "slot-decoder"};
  assert_int_equal(sw_net_save(net, path, meta, 1, &err), 0);
  back = NULL;
  int code = sw_net_load(&back, path, 0, &err);
  assert_true(code != 0);
  assert_null(back);
  sw_model_free(decoder);
  sw_net_free(net);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_is_the_sum_of_its_items),
      cmocka_unit_test(modes_see_what_they_say),
      cmocka_unit_test(sessions_have_the_bits_of_passes),
      cmocka_unit_test(wrong_readings_are_refused),
      cmocka_unit_test(sessions_refuse_nonsense),
      cmocka_unit_test(files_keep_their_family),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
