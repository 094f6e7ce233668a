/* Segment attention of every kernel set: against the double oracle, forward and
 * backward, and the bitwise invariances the project's claims rest on. */
#include "attention_case.h"

static const int blocks[] = {17, 40, 1, 23};
static const int head_dims[] = {4, 8, 12, 16, 32, 40, 64, 96, 128};
enum { BLOCKS = 4, HEAD_DIMS = 7, SLOTS = 5, PREFIX = 139 };
static const nn_dropout no_dropout = {{0, 0}, 0, 0, 1};

static void build(attention_case *c, int kind, int head_dim) {
  int rows = SLOTS + PREFIX + 17 + 40 + 1 + 23;
  memset(c, 0, sizeof *c);
  if (kind == 0) c->spans = ssa_spans(c->span, SLOTS, PREFIX, blocks, BLOCKS);
  if (kind == 1) c->spans = window_spans(c->span, 50, rows - 50, 37);
  if (kind == 2)
    c->spans = 1, c->span[0] = (nn_span){0, rows, 1, {{0, rows, 1, 0}}, 0};
  case_data(c, rows, head_dim);
}

static void compare_with_oracle(const nn_kernels *set, int kind, int head_dim,
                                const nn_dropout *drop) {
  attention_case c;
  wide_case w;
  build(&c, kind, head_dim);
  wide_new(&w, &c, drop);
  case_run(set, &c, drop, 1);
  oracle.attention_forward(&w.a, 0, w.rows, w.scratch);
  oracle.attention_backward(&w.a, w.scratch);
  size_t count = (size_t)(c.rows * c.ld);
  /* Rounded: 2^-9 an operand, of which scores add up head_dim. */
  int loose = set->rounds;
  assert_close(c.out, w.out, count, loose ? 1e-4 : 1e-11);
  assert_close(c.lse, w.lse, (size_t)c.rows, loose ? 1e-5 : 1e-12);
  assert_close(c.dq, w.dq, count, loose ? 1e-4 : 1e-10);
  assert_close(c.dk, w.dk, count, loose ? 1e-4 : 1e-10);
  assert_close(c.dv, w.dv, count, loose ? 1e-4 : 1e-10);
  wide_free(&w);
  case_free(&c);
}

static void matches_the_oracle(void **state) {
  (void)state;
  EACH_SET(set)
  for (int kind = 0; kind < 3; kind++)
    for (int h = 0; h < HEAD_DIMS; h++)
      compare_with_oracle(set, kind, head_dims[h], NULL);
}

static void drops_what_the_oracle_drops(void **state) {
  (void)state;
  EACH_SET(set)
  for (int kind = 0; kind < 3; kind++)
    compare_with_oracle(set, kind, 32, &some_dropout);
}

/* Decisions that the forward pass left are those that backward would draw: in
 * all masks, wherever forward was split, and whatever lay there before. */
static void kept_decisions_change_nothing(void **state) {
  (void)state;
  EACH_SET(set)
  for (int kind = 0; kind < 3; kind++)
    for (int step = 7; step <= 400; step += 393) {
      attention_case c, d;
      build(&c, kind, 32);
      build(&d, kind, 32);
      case_run(set, &c, &some_dropout, 1);
      size_t count = (size_t)(c.rows * c.ld), bytes = sizeof(float) * count;
      float *in[] = {c.q, c.k, c.v, c.dout}, *to[] = {d.q, d.k, d.v, d.dout};
      for (int i = 0; i < 4; i++) memcpy(to[i], in[i], bytes);
      int words = 0;
      for (int i = 0; i < d.spans; i++)
        if (sw_span_words(&d.span[i]) > words)
          words = sw_span_words(&d.span[i]);
      float *room = floats(2 * (size_t)(words * d.rows)), *guard;
      float *scratch = guarded_scratch(set, 32, d.rows, 1, &guard);
      memset(room, kind ? 0xff : 0x00,
             sizeof(uint64_t) * (size_t)(words * d.rows));
      nn_attention a = case_attention(&d, &some_dropout);
      a.kept = (uint64_t *)(void *)room, a.ldkept = words;
      for (int row = 0; row < d.rows; row += step)
        set->attention_forward(&a, row, row + step, scratch);
      memset(d.dk, 0, bytes), memset(d.dv, 0, bytes);
      set->attention_backward(&a, scratch);
      assert_memory_equal(d.out, c.out, bytes);
      assert_memory_equal(d.dq, c.dq, bytes);
      assert_memory_equal(d.dk, c.dk, bytes);
      assert_memory_equal(d.dv, c.dv, bytes);
      assert_true(*guard == 123.0f);
      sw_aligned_free(room), sw_aligned_free(scratch);
      case_free(&c), case_free(&d);
    }
}

static void rows_can_be_split_anywhere(void **state) {
  (void)state;
  static const int steps[] = {1, 5, 64};
  EACH_SET(set)
  for (int kind = 0; kind < 3; kind++)
    for (int s = 0; s < 3; s++) {
      attention_case c;
      build(&c, kind, 32);
      case_run(set, &c, &no_dropout, 0);
      size_t bytes = sizeof(float) * (size_t)(c.rows * c.ld);
      float *out = floats(bytes / 4), *lse = floats(bytes / 4), *guard;
      float *scratch = guarded_scratch(set, 32, c.rows, 0, &guard);
      nn_attention a = case_attention(&c, NULL);
      a.out = out, a.lse = lse;
      for (int row = 0; row < c.rows; row += steps[s])
        set->attention_forward(&a, row, row + steps[s], scratch);
      assert_memory_equal(out, c.out, bytes);
      assert_memory_equal(lse, c.lse, sizeof(float) * (size_t)c.rows);
      assert_true(*guard == 123.0f);
      sw_aligned_free(out), sw_aligned_free(lse), sw_aligned_free(scratch);
      case_free(&c);
    }
}

/* Every third row of every span, gathered: the spans' shifts say where the rows
 * come from. Outputs and gradients are those of the same rows in their places,
 * with nothing flowing back from the others. */
static int gather_spans(const attention_case *c, nn_span *span, int *row) {
  int count = 0, rows = 0;
  for (int s = 0; s < c->spans; s++)
    for (int q = c->span[s].begin; q < c->span[s].end; q += 3) {
      span[count] = c->span[s];
      span[count].begin = rows, span[count].end = rows + 1;
      span[count++].shift = q - rows;
      row[rows++] = q;
    }
  return count;
}

static void check_gathered(const nn_kernels *set, int kind,
                           const nn_dropout *drop) {
  enum { ROWS_MAX = 256 };
  attention_case c;
  nn_span *span = room(ROWS_MAX, sizeof *span), in_place[ROWS_MAX];
  int row[ROWS_MAX];
  build(&c, kind, 32);
  case_run(set, &c, drop, 0);
  int count = gather_spans(&c, span, row);
  size_t width = (size_t)c.ld, bytes = sizeof(float) * width;
  float *q = floats((size_t)count * width),
        *out = floats((size_t)count * width);
  float *dout = floats((size_t)count * width), *guard;
  float *dq = floats((size_t)count * width), *lse = floats((size_t)count);
  float *dk = floats((size_t)c.rows * width);
  float *dv = floats((size_t)c.rows * width);
  for (int i = 0; i < count; i++) {
    memcpy(q + i * c.ld, c.q + row[i] * c.ld, bytes);
    memcpy(dout + i * c.ld, c.dout + row[i] * c.ld, bytes);
    in_place[i] = span[i];
    in_place[i].begin = row[i], in_place[i].end = row[i] + 1;
    in_place[i].shift = 0;
  }
  memset(dk, 0, bytes * (size_t)c.rows), memset(dv, 0, bytes * (size_t)c.rows);
  float *scratch = guarded_scratch(set, 32, c.rows, 1, &guard);
  nn_attention a = case_attention(&c, drop);
  a.spans = in_place, a.span_count = count;
  memset(c.dk, 0, bytes * (size_t)c.rows);
  memset(c.dv, 0, bytes * (size_t)c.rows);
  set->attention_backward(&a, scratch);
  a.spans = span, a.q = q, a.out = out, a.lse = lse, a.dout = dout, a.dq = dq;
  a.dk = dk, a.dv = dv;
  set->attention_forward(&a, 0, count, scratch);
  set->attention_backward(&a, scratch);
  for (int i = 0; i < count; i++) {
    assert_memory_equal(out + i * c.ld, c.out + row[i] * c.ld, 32 * 4);
    assert_memory_equal(dq + i * c.ld, c.dq + row[i] * c.ld, 32 * 4);
    assert_memory_equal(&lse[i], &c.lse[row[i]], sizeof(float));
  }
  if (!set->rounds) { /* else rows make other pairs */
    assert_memory_equal(dk, c.dk, bytes * (size_t)c.rows);
    assert_memory_equal(dv, c.dv, bytes * (size_t)c.rows);
  }
  assert_true(*guard == 123.0f);
  sw_aligned_free(q), sw_aligned_free(out), sw_aligned_free(dout);
  sw_aligned_free(dq), sw_aligned_free(lse), sw_aligned_free(dk);
  sw_aligned_free(dv), sw_aligned_free(scratch), sw_aligned_free(span);
  case_free(&c);
}

static void rows_can_be_gathered(void **state) {
  (void)state;
  EACH_SET(set)
  for (int kind = 0; kind < 3; kind++) {
    check_gathered(set, kind, &no_dropout);
    check_gathered(set, kind, &some_dropout);
  }
}

/* Keys packed beforehand, a few rows at a time as a cache grows: the same bits
 * as from the rows, and every key comes back. */
static void check_packed_keys(const nn_kernels *set, int head_dim, int step) {
  attention_case c;
  build(&c, 0, head_dim);
  case_run(set, &c, &no_dropout, 0);
  int begin[] = {0, SLOTS, SLOTS + PREFIX, SLOTS + PREFIX + blocks[0]};
  float *panel[NN_STRETCHES], *back = floats((size_t)head_dim), *guard;
  nn_panels panels;
  for (int i = 0; i < NN_STRETCHES; i++) {
    int keys = begin[i + 1] - begin[i];
    panel[i] = floats(set->panel_floats(head_dim, keys));
    for (int from = 0; from < keys; from += step) {
      int to = from + step < keys ? from + step : keys;
      set->pack_keys(head_dim, c.k + (begin[i] + from) * c.ld, c.ld, from, to,
                     panel[i]);
    }
    for (int key = 0; key < keys; key++) {
      set->unpack_key(head_dim, panel[i], key, back);
      float *want =
          operands(set, copied(c.k + (begin[i] + key) * c.ld, (size_t)head_dim),
                   (size_t)head_dim);
      assert_memory_equal(back, want, sizeof(float) * (size_t)head_dim);
      sw_aligned_free(want);
    }
    panels.begin[i] = begin[i], panels.panel[i] = panel[i];
  }
  int rows = begin[NN_STRETCHES]; /* up to the first block's end */
  float *out = floats((size_t)(c.rows * c.ld)), *none = floats(1);
  float *scratch = guarded_scratch(set, head_dim, c.rows, 0, &guard);
  nn_attention a = case_attention(&c, NULL);
  a.out = out, a.lse = NULL, a.panels = &panels, a.span_count = 3;
  a.k = none; /* must not be read */
  a.ldk = 0;
  set->attention_forward(&a, 0, rows, scratch);
  assert_memory_equal(out, c.out, sizeof(float) * (size_t)(rows * c.ld));
  assert_true(*guard == 123.0f);
  for (int i = 0; i < NN_STRETCHES; i++) sw_aligned_free(panel[i]);
  sw_aligned_free(back), sw_aligned_free(out), sw_aligned_free(none);
  sw_aligned_free(scratch);
  case_free(&c);
}

static void keys_can_be_packed_beforehand(void **state) {
  (void)state;
  static const int steps[] = {1, 7, 8, 1000};
  EACH_SET(set)
  for (int h = 0; h < HEAD_DIMS; h++)
    for (int s = 0; s < 4; s++) check_packed_keys(set, head_dims[h], steps[s]);
}

/* Rows of slots and prefix, then of block t only, out of the whole trace. */
static float *rows_of_block(const attention_case *c, const float *x, int begin,
                            int count) {
  float *y = floats((size_t)((SLOTS + PREFIX + count) * c->ld));
  memcpy(y, x, sizeof *y * (size_t)((SLOTS + PREFIX) * c->ld));
  memcpy(y + (SLOTS + PREFIX) * c->ld, x + begin * c->ld,
         sizeof *y * (size_t)(count * c->ld));
  return y;
}

/* One block alone: as (prefix, block), as a block's queries over cached keys,
 * and token after token over a growing cache. */
static void check_block(const nn_kernels *set, const attention_case *c,
                        int begin, int count) {
  int base = SLOTS + PREFIX, rows = base + count;
  size_t bytes = sizeof(float) * (size_t)(count * c->ld);
  float *q = rows_of_block(c, c->q, begin, count),
        *k = rows_of_block(c, c->k, begin, count);
  float *v = rows_of_block(c, c->v, begin, count),
        *out = floats((size_t)(rows * c->ld)), *guard;
  float *scratch = guarded_scratch(set, c->head_dim, rows, 0, &guard);
  nn_span span[SPANS_MAX];
  nn_attention a = case_attention(c, NULL);
  a.q = q, a.k = k, a.v = v, a.out = out, a.lse = NULL, a.spans = span;
  a.span_count = ssa_spans(span, SLOTS, PREFIX, &count, 1);
  set->attention_forward(&a, 0, rows, scratch);
  assert_memory_equal(out + base * c->ld, c->out + begin * c->ld, bytes);

  memset(out, 0, bytes);
  nn_span own = span[a.span_count - 1];
  own.begin = 0, own.end = count;
  a.q = q + base * c->ld, a.key_of_query = base, a.spans = &own,
  a.span_count = 1;
  set->attention_forward(&a, 0, count, scratch);
  assert_memory_equal(out, c->out + begin * c->ld, bytes);

  memset(out, 0, bytes);
  for (int i = 0; i < count; i++) {
    own.begin = 0, own.end = 1, own.run[2].end = base + i + 1;
    a.q = q + (base + i) * c->ld, a.key_of_query = base + i,
    a.out = out + i * c->ld;
    set->attention_forward(&a, 0, 1, scratch);
  }
  assert_memory_equal(out, c->out + begin * c->ld, bytes);
  assert_true(*guard == 123.0f);
  sw_aligned_free(q), sw_aligned_free(k), sw_aligned_free(v),
      sw_aligned_free(out), sw_aligned_free(scratch);
}

static void a_block_does_not_see_its_history(void **state) {
  (void)state;
  EACH_SET(set) for (int h = 0; h < HEAD_DIMS; h++) {
    attention_case c;
    build(&c, 0, head_dims[h]);
    case_run(set, &c, &no_dropout, 0);
    int row = SLOTS + PREFIX;
    for (int b = 0; b < BLOCKS; row += blocks[b++])
      check_block(set, &c, row, blocks[b]);
    case_free(&c);
  }
}

/* Bits of earlier rows do not move when a later key changes. */
static void later_keys_leave_no_trace(void **state) {
  (void)state;
  EACH_SET(set) for (int kind = 1; kind < 3; kind++) {
    attention_case c;
    build(&c, kind, 16);
    case_run(set, &c, &no_dropout, 0);
    float *before = copied(c.out, (size_t)(c.rows * c.ld));
    for (int trial = 0; trial < 20; trial++) {
      int row = 50 + draw_below(c.rows - 50);
      c.k[row * c.ld] += 100, c.v[row * c.ld] -= 50;
      case_run(set, &c, &no_dropout, 0);
      assert_memory_equal(c.out, before, sizeof(float) * (size_t)(row * c.ld));
      assert_memory_not_equal(c.out + row * c.ld, before + row * c.ld,
                              sizeof(float) * 16);
      c.k[row * c.ld] -= 100, c.v[row * c.ld] += 50;
      case_run(set, &c, &no_dropout, 0);
      memcpy(before, c.out, sizeof(float) * (size_t)(c.rows * c.ld));
    }
    sw_aligned_free(before);
    case_free(&c);
  }
}

/* More runs than the packed-run cache holds must only cost time. */
static void many_spans_are_fine(void **state) {
  (void)state;
  enum { MANY = 300, EACH = 3 };
  EACH_SET(set) {
    nn_span *span = room(MANY, sizeof *span), one[1];
    attention_case c = {0};
    case_data(&c, 20 + MANY * EACH, 8);
    for (int b = 0; b < MANY; b++)
      span[b] =
          (nn_span){20 + b * EACH,
                    20 + (b + 1) * EACH,
                    2,
                    {{0, 20, 0, 0}, {20 + b * EACH, 20 + (b + 1) * EACH, 1, 0}},
                    0};
    float *guard, *scratch = guarded_scratch(set, 8, c.rows, 1, &guard),
                  *out = floats((size_t)(c.rows * c.ld));
    nn_attention a = case_attention(&c, NULL);
    a.spans = span, a.span_count = MANY;
    set->attention_forward(&a, 0, c.rows, scratch);
    set->attention_backward(&a, scratch);
    a.out = out, a.span_count = 1, a.spans = one;
    for (int b = 0; b < MANY; b++) {
      one[0] = span[b];
      set->attention_forward(&a, 0, c.rows, scratch);
    }
    assert_memory_equal(out, c.out, sizeof *out * (size_t)(c.rows * c.ld));
    assert_true(*guard == 123.0f);
    sw_aligned_free(span), sw_aligned_free(scratch), sw_aligned_free(out);
    case_free(&c);
  }
}

int main(void) {
  nn_set_float_mode();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matches_the_oracle),
      cmocka_unit_test(drops_what_the_oracle_drops),
      cmocka_unit_test(kept_decisions_change_nothing),
      cmocka_unit_test(rows_can_be_split_anywhere),
      cmocka_unit_test(rows_can_be_gathered),
      cmocka_unit_test(keys_can_be_packed_beforehand),
      cmocka_unit_test(a_block_does_not_see_its_history),
      cmocka_unit_test(later_keys_leave_no_trace),
      cmocka_unit_test(many_spans_are_fine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
