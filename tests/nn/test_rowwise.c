/* Layer norm, GELU backward, dropout, cross-entropy, AdamW and sums of every
 * kernel set, against the double oracle and for bitwise independence. */
#include "oracle.h"

static const int widths[] = {4, 7, 16, 96, 128, 250, 256};
enum { WIDTHS = 7, ROWS = 23 };

static void layer_norm_matches(void **state) {
  (void)state;
  EACH_SET(set) for (int i = 0; i < WIDTHS; i++) {
    int d = widths[i];
    size_t count = (size_t)(ROWS * d), width = (size_t)d;
    float *x = random_floats(count, 2), *w = random_floats(width, 1),
          *b = random_floats(width, 1), *dy = random_floats(count, 1);
    float *y = floats(count), *dx = random_floats(count, 1),
          *dw = random_floats(width, 1), *db = random_floats(width, 1),
          mean[ROWS], rstd[ROWS];
    double *xw = widened(x, count), *ww = widened(w, width),
           *bw = widened(b, width), *dyw = widened(dy, count);
    double *yw = doubles(count), *dxw = widened(dx, count),
           *dww = widened(dw, width), *dbw = widened(db, width), mw[ROWS],
           rw[ROWS];
    set->layer_norm(ROWS, d, x, w, b, y, mean, rstd);
    oracle.layer_norm(ROWS, d, xw, ww, bw, yw, mw, rw);
    assert_close(y, yw, count, 1e-12);
    set->layer_norm_dx(ROWS, d, dy, x, w, mean, rstd, dx);
    oracle.layer_norm_dx(ROWS, d, dyw, xw, ww, mw, rw, dxw);
    assert_close(dx, dxw, count, 1e-11);
    float *dw2 = copied(dw, width), *db2 = copied(db, width);
    set->layer_norm_dwb(ROWS, d, dy, x, mean, rstd, dw, db, 0, d);
    oracle.layer_norm_dwb(ROWS, d, dyw, xw, mw, rw, dww, dbw, 0, d);
    assert_close(dw, dww, width, 1e-11);
    assert_close(db, dbw, width, 1e-11);
    set->layer_norm_dwb(ROWS, d, dy, x, mean, rstd, dw2, db2, 0, 3);
    set->layer_norm_dwb(ROWS, d, dy, x, mean, rstd, dw2, db2, 3, d);
    assert_memory_equal(dw2, dw, width * sizeof *dw);
    assert_memory_equal(db2, db, width * sizeof *db);
    float *one = floats(width); /* rows alone */
    for (int r = 0; r < ROWS; r++) {
      set->layer_norm(1, d, x + r * d, w, b, one, NULL, NULL);
      assert_memory_equal(one, y + r * d, width * sizeof *one);
    }
    float *f[] = {x, w, b, dy, y, dx, dw, db, dw2, db2, one};
    double *g[] = {xw, ww, bw, dyw, yw, dxw, dww, dbw};
    for (int j = 0; j < 11; j++) sw_aligned_free(f[j]);
    for (int j = 0; j < 8; j++) sw_aligned_free(g[j]);
  }
}

static void gelu_backward_matches(void **state) {
  (void)state;
  EACH_SET(set)
  for (int i = 0; i < WIDTHS; i++)
    for (int dropping = 0; dropping < 2; dropping++) {
      int n = widths[i], ld = n + 1;
      size_t count = (size_t)(ROWS * ld);
      float *z = random_floats(count, 2), *dy = random_floats(count, 1),
            *dz = floats(count), *h = floats(count);
      double *zw = widened(z, count), *dyw = widened(dy, count),
             *dzw = doubles(count), *hw = doubles(count);
      nn_dropout_f64 wide = dropout_f64(&some_dropout);
      set->gelu_backward(ROWS, n, dy, ld, z, ld, dz, ld, h, ld,
                         dropping ? &some_dropout : NULL, 40);
      oracle.gelu_backward(ROWS, n, dyw, ld, zw, ld, dzw, ld, hw, ld,
                           dropping ? &wide : NULL, 40);
      assert_close(dz, dzw, count, 1e-12);
      assert_close(h, hw, count, 1e-12);
      set->gelu_backward(ROWS, n, dy, ld, z, ld, dy, ld, NULL, 0,
                         dropping ? &some_dropout : NULL, 40); /* in place */
      for (int r = 0; r < ROWS; r++)
        assert_memory_equal(dy + r * ld, dz + r * ld, sizeof *dy * (size_t)n);
      sw_aligned_free(z), sw_aligned_free(dy), sw_aligned_free(dz),
          sw_aligned_free(h);
      sw_aligned_free(zw), sw_aligned_free(dyw), sw_aligned_free(dzw),
          sw_aligned_free(hw);
    }
}

/* Seven rounds, written here once more from the published description. */
static void philox7(const uint32_t counter[4], const uint32_t key[2],
                    uint32_t out[4]) {
  uint32_t c[4], k[2] = {key[0], key[1]};
  memcpy(c, counter, sizeof c);
  for (int round = 0; round < 7; round++) {
    uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
    uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                        (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
    memcpy(c, next, sizeof c);
    k[0] += 0x9E3779B9u, k[1] += 0xBB67AE85u;
  }
  memcpy(out, c, sizeof c);
}

/* The draws are those that nn.h documents, in every set. */
static void dropout_is_the_documented_one(void **state) {
  (void)state;
  enum { N = 203 };
  EACH_SET(set) {
    float *x = floats(ROWS * N);
    for (int i = 0; i < ROWS * N; i++) x[i] = 1;
    nn_dropout drop = {{0x12345678u, 0x9abcdef0u}, 0xdeadbeefu, 30000, 2};
    set->dropout_scale(ROWS, N, x, N, 3, &drop, 0xfffffff0u, x, N);
    for (uint32_t r = 0; r < ROWS; r++)
      for (uint32_t i = 0; i < N; i++) {
        uint32_t counter[4] = {8 * (i / 64) + i % 8, 0xfffffff0u + r,
                               drop.stream, 0},
                 word[4], slice = i / 8 % 8;
        philox7(counter, drop.key, word);
        uint32_t value = word[slice / 2] >> (slice % 2 ? 16 : 0) & 0xffff;
        assert_true(x[r * N + i] == (value >= drop.threshold ? 6 : 0));
      }
    sw_aligned_free(x);
  }
}

static void dropout_keeps_the_right_share(void **state) {
  (void)state;
  enum { R = 400, N = 256 };
  float *x = floats(R * N);
  EACH_SET(set) {
    for (int i = 0; i < R * N; i++) x[i] = 1;
    set->dropout_scale(R, N, x, N, 1, &some_dropout, 0, x, N);
    double kept = 0, p = 1 - some_dropout.threshold / 65536.0;
    for (int i = 0; i < R * N; i++) kept += x[i] > 0;
    assert_true(fabs(kept - R * N * p) < 4 * sqrt(R * N * p * (1 - p)));
  }
  sw_aligned_free(x);
}

static void cross_entropy_matches(void **state) {
  (void)state;
  EACH_SET(set) for (int i = 0; i < WIDTHS; i++) {
    int n = widths[i] * 8 + 5, ld = n + 2;
    size_t count = (size_t)(ROWS * ld);
    float *x = random_floats(count, 5), *one = copied(x, count);
    double *xw = widened(x, count), loss[ROWS], truth[ROWS], alone;
    int32_t target[ROWS];
    for (int r = 0; r < ROWS; r++) target[r] = draw_below(n);
    set->cross_entropy(ROWS, n, x, ld, target, 0.125f, loss);
    oracle.cross_entropy(ROWS, n, xw, ld, target, 0.125, truth);
    assert_close(x, xw, count, 1e-12);
    for (int r = 0; r < ROWS; r++) {
      assert_true(fabs(loss[r] - truth[r]) <= 1e-6 * (1 + truth[r]));
      set->cross_entropy(1, n, one + r * ld, ld, target + r, 0.125f, &alone);
      assert_memory_equal(&alone, &loss[r], sizeof alone);
      assert_memory_equal(one + r * ld, x + r * ld, sizeof *one * (size_t)n);
    }
    sw_aligned_free(x), sw_aligned_free(one), sw_aligned_free(xw);
  }
}

static void adamw_matches(void **state) {
  (void)state;
  enum { N = 1003 };
  EACH_SET(set) {
    float *w = random_floats(N, 1), *g = random_floats(N, 1),
          *m = random_floats(N, 1), *v = random_floats(N, 1);
    for (int i = 0; i < N; i++) v[i] *= v[i];
    double *ww = widened(w, N), *gw = widened(g, N), *mw = widened(m, N),
           *vw = widened(v, N);
    float *w2 = copied(w, N), *g2 = copied(g, N), *m2 = copied(m, N),
          *v2 = copied(v, N);
    const float lr = 1e-3f, b1 = 0.9f, b2 = 0.999f, eps = 1e-8f, decay = 1e-5f,
                c1 = 1.5f, c2 = 3.0f, clip = 0.7f;
    set->adamw(N, w, g, m, v, lr, b1, b2, eps, decay, c1, c2, clip);
    oracle.adamw(N, ww, gw, mw, vw, lr, b1, b2, eps, decay, c1, c2, clip);
    assert_close(w, ww, N, 1e-13);
    assert_close(m, mw, N, 1e-13);
    assert_close(v, vw, N, 1e-13);
    for (int i = 0; i < N; i++) assert_true(g[i] == 0);
    set->adamw(501, w2, g2, m2, v2, lr, b1, b2, eps, decay, c1, c2, clip);
    set->adamw(N - 501, w2 + 501, g2 + 501, m2 + 501, v2 + 501, lr, b1, b2, eps,
               decay, c1, c2, clip);
    assert_memory_equal(w2, w, N * sizeof *w);
    assert_memory_equal(m2, m, N * sizeof *m);
    assert_memory_equal(v2, v, N * sizeof *v);
    float *f[] = {w, g, m, v, w2, g2, m2, v2};
    double *d[] = {ww, gw, mw, vw};
    for (int j = 0; j < 8; j++) sw_aligned_free(f[j]);
    for (int j = 0; j < 4; j++) sw_aligned_free(d[j]);
  }
}

static void sums_match(void **state) {
  (void)state;
  enum { N = 10007 };
  EACH_SET(set) {
    float *x = random_floats(N, 1), *y = random_floats(N, 1), *z = copied(y, N);
    double exact = 0, parts = 0;
    for (int i = 0; i < N; i++) exact += (double)x[i] * x[i];
    double whole = set->sum_squares(N, x);
    assert_true(fabs(whole - exact) < 1e-12 * exact);
    for (int i = 0; i < N; i += 4096)
      parts += set->sum_squares((size_t)(N - i < 4096 ? N - i : 4096), x + i);
    assert_memory_equal(&parts, &whole, sizeof whole);
    set->add(N, x, y);
    for (int i = 0; i < N; i++) assert_true(y[i] == z[i] + x[i]);
    sw_aligned_free(x), sw_aligned_free(y), sw_aligned_free(z);
  }
}

static void choosing_a_set(void **state) {
  (void)state;
  sw_err err;
  assert_non_null(nn_select("portable", &err));
  assert_string_equal(nn_select("portable", &err)->name, "portable");
  assert_null(nn_select("sse9", &err));
  assert_int_equal(err.code, SW_USAGE);
  assert_non_null(strstr(err.text, "sse9"));
  setenv("STATEWISE_KERNELS", "portable", 1);
  assert_string_equal(nn_select(NULL, &err)->name, "portable");
  unsetenv("STATEWISE_KERNELS");
  assert_non_null(nn_select(NULL, &err));
}

int main(void) {
  nn_set_float_mode();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layer_norm_matches),
      cmocka_unit_test(gelu_backward_matches),
      cmocka_unit_test(dropout_is_the_documented_one),
      cmocka_unit_test(dropout_keeps_the_right_share),
      cmocka_unit_test(cross_entropy_matches),
      cmocka_unit_test(adamw_matches),
      cmocka_unit_test(sums_match),
      cmocka_unit_test(choosing_a_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
