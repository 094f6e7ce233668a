/* Matrix products of every kernel set: against the double oracle, in odd
 * sizes, with every epilogue; and bitwise independence of company. */
#include "oracle.h"

typedef struct shape {
  int m, n, k;
} shape;
static const shape shapes[] = {{1, 1, 1},     {7, 16, 4},     {6, 17, 5},
                               {13, 33, 70},  {97, 65, 31},   {3, 250, 300},
                               {64, 48, 513}, {101, 130, 259}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* C += A.B and the same with B stored the other way round. */
static void products_match_the_oracle(void **state) {
  (void)state;
  EACH_SET(set)
  for (int s = 0; s < SHAPES; s++)
    for (int form = 0; form < 4; form++) {
      int m = shapes[s].m, n = shapes[s].n, k = shapes[s].k, nt = form & 1;
      int accumulate = form >> 1, ldb = (nt ? k : n) + 3, lda = k + 1,
          ldc = n + 2;
      size_t b_size = (size_t)(nt ? n : k) * (size_t)ldb;
      float *a = operands(set, random_floats((size_t)(m * lda), 1),
                          (size_t)(m * lda)),
            *b = operands(set, random_floats(b_size, 1), b_size);
      float *c = random_floats((size_t)(m * ldc), 1);
      float *packed = floats(set->packed_size(n, k));
      double *aw = widened(a, (size_t)(m * lda)), *bw = widened(b, b_size);
      double *cw = widened(c, (size_t)(m * ldc)),
             *pw = doubles(oracle.packed_size(n, k));
      int half = n / 2 / set->pack_grain * set->pack_grain;
      void (*pack)(int, int, const float *, ptrdiff_t, float *, int, int) =
          nt ? set->pack_nt : set->pack_nn;
      pack(n, k, b, ldb, packed, half, n); /* in two parts, as threads do */
      pack(n, k, b, ldb, packed, 0, half);
      (nt ? oracle.pack_nt : oracle.pack_nn)(n, k, bw, ldb, pw, 0, n);
      set->gemm(m, n, k, a, lda, packed, c, ldc, accumulate, NULL);
      oracle.gemm(m, n, k, aw, lda, pw, cw, ldc, accumulate, NULL);
      assert_close(c, cw, (size_t)(m * ldc), 1e-12);
      sw_aligned_free(a), sw_aligned_free(b), sw_aligned_free(c),
          sw_aligned_free(packed);
      sw_aligned_free(aw), sw_aligned_free(bw), sw_aligned_free(cw),
          sw_aligned_free(pw);
    }
}

typedef struct problem {
  int m, n, k;
  float *a, *packed, *bias, *residual, *pre, *c;
} problem;

static problem make_problem(const nn_kernels *set, int m, int n, int k) {
  problem p = {.m = m, .n = n, .k = k};
  float *b = random_floats((size_t)(n * k), 0.3);
  p.a = random_floats((size_t)(m * k), 0.3);
  p.bias = random_floats((size_t)n, 1);
  p.residual = random_floats((size_t)(m * n), 1);
  p.pre = floats((size_t)(m * n));
  p.c = floats((size_t)(m * n));
  p.packed = floats(set->packed_size(n, k));
  set->pack_nt(n, k, b, k, p.packed, 0, n);
  sw_aligned_free(b);
  return p;
}
static void free_problem(problem *p) {
  float *parts[] = {p->a, p->packed, p->bias, p->residual, p->pre, p->c};
  for (int i = 0; i < 6; i++) sw_aligned_free(parts[i]);
}

enum { EPILOGUES = 8 };
/* Bits of `form`: 1 dropout, 2 GELU with pre-activation, 4 residual. */
static nn_epilogue epilogue_of(const problem *p, int form, float *c, float *pre,
                               const float *residual, uint32_t row0) {
  nn_epilogue e = {.bias = p->bias, .scale = 0.4f, .row0 = row0};
  if (form & 1) e.drop = some_dropout;
  if (form & 2) e.pre = pre;
  if (form & 4) e.residual = residual;
  (void)c;
  return e;
}

/* The epilogue is checked by doing its steps one after the other in double. */
static void epilogues_do_what_they_say(void **state) {
  (void)state;
  EACH_SET(set) for (int form = 0; form < EPILOGUES; form++) {
    problem p = make_problem(set, 19, 150, 40);
    size_t count = (size_t)(p.m * p.n);
    set->gemm(p.m, p.n, p.k, p.a, p.k, p.packed, p.c, p.n, 0, NULL);
    double *expected = doubles(count), *x = doubles(count);
    for (size_t i = 0; i < count; i++) {
      x[i] = (double)p.c[i] + p.bias[i % (size_t)p.n];
      expected[i] = form & 2 ? 0.5 * x[i] * (1 + erf(x[i] * sqrt(0.5))) : x[i];
    }
    if (form & 1) {
      nn_dropout_f64 wide = dropout_f64(&some_dropout);
      oracle.dropout_scale(p.m, p.n, expected, p.n, 1, &wide, 1000, expected,
                           p.n);
    }
    if (form & 4)
      for (size_t i = 0; i < count; i++)
        expected[i] = p.residual[i] + (double)0.4f * expected[i];
    float *in_place = copied(p.residual, count); /* C is the residual itself */
    nn_epilogue e = epilogue_of(&p, form, in_place, p.pre, in_place, 1000);
    set->gemm(p.m, p.n, p.k, p.a, p.k, p.packed, in_place, p.n, 0, &e);
    assert_close(in_place, expected, count, 1e-12);
    if (form & 2) assert_close(p.pre, x, count, 1e-12);
    sw_aligned_free(expected), sw_aligned_free(x), sw_aligned_free(in_place);
    free_problem(&p);
  }
}

static void rows_do_not_see_their_company(void **state) {
  (void)state;
  static const int batches[] = {1, 2, 7, 64, 97, 130};
  EACH_SET(set) for (int form = 0; form < EPILOGUES; form++) {
    problem p = make_problem(set, 200, 70, 300);
    size_t count = (size_t)(p.m * p.n);
    nn_epilogue e = epilogue_of(&p, form, p.c, p.pre, p.residual, 5);
    set->gemm(p.m, p.n, p.k, p.a, p.k, p.packed, p.c, p.n, 0, &e);
    for (int b = 0; b < 6; b++) {
      float *c = floats(count), *pre = floats(count);
      for (int row = 0; row < p.m; row += batches[b]) {
        int rows = p.m - row < batches[b] ? p.m - row : batches[b];
        e = epilogue_of(&p, form, c, pre + row * p.n, p.residual + row * p.n,
                        5 + (uint32_t)row);
        set->gemm(rows, p.n, p.k, p.a + row * p.k, p.k, p.packed, c + row * p.n,
                  p.n, 0, &e);
      }
      assert_memory_equal(c, p.c, count * sizeof *c);
      if (form & 2) assert_memory_equal(pre, p.pre, count * sizeof *pre);
      sw_aligned_free(c), sw_aligned_free(pre);
    }
    free_problem(&p);
  }
}

/* Both vector sets make the same fused chains, so they agree to the bit. */
static void vector_sets_agree_bitwise(void **state) {
  (void)state;
  sw_err err;
  const nn_kernels *x = nn_select("avx2", &err), *y = nn_select("avx512", &err);
  if (!x || !y) skip();
  for (int s = 0; s < SHAPES; s++) {
    int m = shapes[s].m, n = shapes[s].n, k = shapes[s].k;
    float *a = random_floats((size_t)(m * k), 1),
          *b = random_floats((size_t)(k * n), 1);
    float *w = random_floats((size_t)(m * n), 1), *c[2];
    for (int i = 0; i < 2; i++) {
      const nn_kernels *set = i ? y : x;
      float *packed = floats(set->packed_size(n, k));
      c[i] = floats((size_t)(m * n));
      set->pack_nn(n, k, b, n, packed, 0, n);
      set->gemm(m, n, k, a, k, packed, c[i], n, 0, NULL);
      sw_aligned_free(packed);
    }
    assert_memory_equal(c[0], c[1], (size_t)(m * n) * sizeof(float));
    for (int i = 0; i < 2; i++) { /* dB[k x n] = A^T . W */
      const nn_kernels *set = i ? y : x;
      float *scratch = floats(set->gemm_tn_scratch(k, n, m)),
            *out = copied(b, (size_t)(k * n));
      set->gemm_tn(k, n, m, a, k, w, n, out, n, 1, 0, k, scratch);
      sw_aligned_free(c[i]), sw_aligned_free(scratch);
      c[i] = out;
    }
    assert_memory_equal(c[0], c[1], (size_t)(k * n) * sizeof(float));
    sw_aligned_free(a), sw_aligned_free(b), sw_aligned_free(w);
    sw_aligned_free(c[0]), sw_aligned_free(c[1]);
  }
}

/* Sets that round: every product is bf16_sum of what it was given. */
static void rounding_sets_do_what_is_defined(void **state) {
  (void)state;
  int found = 0;
  EACH_SET(set)
  for (int s = 0; set->rounds && s < SHAPES; s++) {
    int m = shapes[s].m, n = shapes[s].n, k = shapes[s].k;
    float *a = random_floats((size_t)(m * k), 1),
          *b = random_floats((size_t)(k * n), 1),
          *packed = floats(set->packed_size(n, k)),
          *scratch = floats(set->gemm_tn_scratch(k, n, m));
    float *c = random_floats((size_t)(m * n), 1),
          *want = copied(c, (size_t)(m * n));
    a[0] = 1e-39f, b[0] = 0x1.01p0f; /* flushed; a tie */
    set->pack_nn(n, k, b, n, packed, 0, n);
    set->gemm(m, n, k, a, k, packed, c, n, 1, NULL);
    for (int i = 0; i < m * n; i++)
      want[i] = bf16_sum(k, a + i / n * k, 1, b + i % n, n, want[i]);
    assert_memory_equal(c, want, (size_t)(m * n) * sizeof *c);
    float *db = copied(b, (size_t)(k * n)),
          *db_want = copied(b, (size_t)(k * n));
    set->gemm_tn(k, n, m, a, k, c, n, db, n, 1, 0, k, scratch);
    for (int i = 0; i < k * n; i++)
      db_want[i] = bf16_sum(m, a + i / n, k, c + i % n, n, db_want[i]);
    assert_memory_equal(db, db_want, (size_t)(k * n) * sizeof *db);
    sw_aligned_free(a), sw_aligned_free(b), sw_aligned_free(packed);
    sw_aligned_free(scratch), sw_aligned_free(c), sw_aligned_free(want);
    sw_aligned_free(db), sw_aligned_free(db_want);
    found++;
  }
  if (!found) skip();
}

/* Longer sums than a set rounds at once, with what comes after them. */
static void long_sums_match_the_oracle(void **state) {
  (void)state;
  enum { M = 9, N = 5, K = 65536 + 4099 };
  EACH_SET(set) {
    float *a = operands(set, random_floats(M * K, 1), M * K),
          *b = operands(set, random_floats(N * K, 0.01), N * K), bias[N],
          *packed = floats(set->packed_size(N, K)), c[M * N];
    double *aw = widened(a, M * K), *bw = widened(b, N * K), cw[M * N],
           *pw = doubles(oracle.packed_size(N, K)), biasw[N];
    for (int i = 0; i < N; i++) biasw[i] = bias[i] = (float)draw();
    nn_epilogue e = {.bias = bias, .scale = 1};
    nn_epilogue_f64 ew = {.bias = biasw, .scale = 1};
    set->pack_nt(N, K, b, K, packed, 0, N);
    oracle.pack_nt(N, K, bw, K, pw, 0, N);
    set->gemm(M, N, K, a, K, packed, c, N, 0, &e);
    oracle.gemm(M, N, K, aw, K, pw, cw, N, 0, &ew);
    assert_close(c, cw, M * N, 1e-10);
    sw_aligned_free(a), sw_aligned_free(b), sw_aligned_free(packed);
    sw_aligned_free(aw), sw_aligned_free(bw), sw_aligned_free(pw);
  }
}

static void weight_gradients_match_the_oracle(void **state) {
  (void)state;
  EACH_SET(set)
  for (int s = 0; s < SHAPES; s++)
    for (int accumulate = 0; accumulate < 2; accumulate++) {
      int m = shapes[s].m, n = shapes[s].n, k = shapes[s].k * 3, lda = m + 5,
          ldb = n + 1;
      size_t c_size = (size_t)(m * n);
      size_t a_size = (size_t)(k * lda), b_size = (size_t)(k * ldb);
      float *a = operands(set, random_floats(a_size, 1), a_size),
            *b = operands(set, random_floats(b_size, 1), b_size);
      float *c = random_floats(c_size, 1), *split = copied(c, c_size);
      size_t need = set->gemm_tn_scratch(m, n, k);
      float *scratch = floats(need + 1);
      scratch[need] = 123.0f; /* nothing may be written beyond */
      double *aw = widened(a, a_size), *bw = widened(b, b_size);
      double *cw = widened(c, c_size);
      set->gemm_tn(m, n, k, a, lda, b, ldb, c, n, accumulate, 0, m, scratch);
      oracle.gemm_tn(m, n, k, aw, lda, bw, ldb, cw, n, accumulate, 0, m, NULL);
      assert_close(c, cw, c_size, 1e-12);
      int cut = draw_below(m + 1); /* weight rows shared by two threads */
      set->gemm_tn(m, n, k, a, lda, b, ldb, split, n, accumulate, cut, m,
                   scratch);
      set->gemm_tn(m, n, k, a, lda, b, ldb, split, n, accumulate, 0, cut,
                   scratch);
      assert_memory_equal(split, c, c_size * sizeof *c);
      assert_true(scratch[need] == 123.0f);
      sw_aligned_free(a), sw_aligned_free(b), sw_aligned_free(c),
          sw_aligned_free(split);
      sw_aligned_free(scratch), sw_aligned_free(aw), sw_aligned_free(bw),
          sw_aligned_free(cw);
    }
}

static void no_tokens_give_a_zero_gradient(void **state) {
  (void)state;
  EACH_SET(set) {
    float c[12], scratch_source = 0,
                 *scratch = floats(set->gemm_tn_scratch(3, 4, 0));
    for (int i = 0; i < 12; i++) c[i] = 1;
    set->gemm_tn(3, 4, 0, &scratch_source, 3, &scratch_source, 4, c, 4, 1, 0, 3,
                 scratch);
    for (int i = 0; i < 12; i++) assert_true(c[i] == 1);
    set->gemm_tn(3, 4, 0, &scratch_source, 3, &scratch_source, 4, c, 4, 0, 0, 3,
                 scratch);
    for (int i = 0; i < 12; i++) assert_true(c[i] == 0);
    sw_aligned_free(scratch);
  }
}

static void column_sums_split_anywhere(void **state) {
  (void)state;
  enum { ROWS = 57, N = 83, LD = 90 };
  EACH_SET(set) {
    float *dy = random_floats(ROWS * LD, 1), whole[N], parts[N];
    double expected[N];
    for (int j = 0; j < N; j++) {
      whole[j] = parts[j] = (float)j;
      expected[j] = j;
      for (int r = 0; r < ROWS; r++) expected[j] += dy[r * LD + j];
    }
    set->column_sum(ROWS, dy, LD, whole, 1, 0, N);
    assert_close(whole, expected, N, 1e-12);
    set->column_sum(ROWS, dy, LD, parts, 1, 0, 13);
    set->column_sum(ROWS, dy, LD, parts, 1, 13, N);
    assert_memory_equal(parts, whole, sizeof whole);
    sw_aligned_free(dy);
  }
}

int main(void) {
  nn_set_float_mode();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_match_the_oracle),
      cmocka_unit_test(epilogues_do_what_they_say),
      cmocka_unit_test(rows_do_not_see_their_company),
      cmocka_unit_test(vector_sets_agree_bitwise),
      cmocka_unit_test(rounding_sets_do_what_is_defined),
      cmocka_unit_test(long_sums_match_the_oracle),
      cmocka_unit_test(weight_gradients_match_the_oracle),
      cmocka_unit_test(no_tokens_give_a_zero_gradient),
      cmocka_unit_test(column_sums_split_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
