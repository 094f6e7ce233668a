/* The cell of an LSTM in every kernel set: against the double oracle, over a
 * dense range of the gates, for bitwise independence of the width, and its
 * gradient against finite differences of the oracle. */
#include "oracle.h"

static const int widths[] = {4, 7, 16, 96, 130, 256};
enum { WIDTHS = 6 };

static void cell_matches(void **state) {
  (void)state;
  EACH_SET(set) for (int w = 0; w < WIDTHS; w++) {
    int d = widths[w];
    size_t n = (size_t)d;
    float *gates = random_floats(4 * n, 2),
          *recurrent = random_floats(4 * n, 1), *before = random_floats(n, 1),
          *c = floats(n), *h = floats(n);
    double *gw = widened(gates, 4 * n), *rw = widened(recurrent, 4 * n),
           *bw = widened(before, n), *cw = doubles(n), *hw = doubles(n);
    set->lstm_forward(d, gates, recurrent, before, c, h);
    oracle.lstm_forward(d, gw, rw, bw, cw, hw);
    assert_close(gates, gw, 4 * n, 1e-13);
    assert_close(c, cw, n, 1e-13);
    assert_close(h, hw, n, 1e-13);
    float *dh = random_floats(n, 1), *after = random_floats(n, 1),
          *dc = random_floats(n, 1);
    double *dhw = widened(dh, n), *aw = widened(after, n),
           *dcw = widened(dc, n);
    set->lstm_backward(d, gates, before, c, dh, after, dc);
    oracle.lstm_backward(d, gw, bw, cw, dhw, aw, dcw);
    assert_close(gates, gw, 4 * n, 1e-12);
    assert_close(dc, dcw, n, 1e-12);
    float *f[] = {gates, recurrent, before, c, h, dh, after, dc};
    double *g[] = {gw, rw, bw, cw, hw, dhw, aw, dcw};
    for (int i = 0; i < 8; i++) sw_aligned_free(f[i]), sw_aligned_free(g[i]);
  }
}

/* With i and o open and f shut, c is g: the gates' values and h = tanh(g) of
 * every x of a dense range, small ones and the ends included. */
static void values_are_accurate(void **state) {
  (void)state;
  enum { D = 256, SWEEPS = 400 };
  EACH_SET(set) for (int sweep = 0; sweep < SWEEPS; sweep++) {
    float gates[4 * D] = {0}, zero[4 * D] = {0}, c[D], h[D], x[D];
    for (int j = 0; j < D; j++) {
      double at = (sweep * D + j) / (double)(SWEEPS * D); /* 0 to 1 */
      double size = sweep % 2 ? 40 * (at - 0.5) : pow(10, -20 + 20 * at);
      x[j] = (float)(j % 2 ? -size : size);
      gates[j] = gates[D + j] = gates[2 * D + j] = gates[3 * D + j] = x[j];
    }
    set->lstm_forward(D, gates, zero, zero, c, h);
    for (int j = 0; j < D; j++) {
      double sigmoid = 1 / (1 + exp(-(double)x[j])), top = tanh((double)x[j]);
      assert_true(fabs(gates[j] - sigmoid) <= 4e-7 * sigmoid);
      assert_true(fabs(gates[D + j] - sigmoid) <= 4e-7 * sigmoid);
      assert_true(fabs(gates[2 * D + j] - top) <= 4e-7 * fabs(top));
      assert_true(fabs(gates[3 * D + j] - sigmoid) <= 4e-7 * sigmoid);
    }
  }
}

/* What is not a number stays none, and infinities saturate. */
static void ends_are_kept(void **state) {
  (void)state;
  enum { D = 16 };
  EACH_SET(set) {
    float gates[4 * D] = {0}, zero[4 * D] = {0}, c[D], h[D];
    gates[2 * D + 3] = NAN;
    gates[1] = INFINITY;
    gates[2] = -INFINITY;
    gates[2 * D + 1] = INFINITY;
    gates[2 * D + 4] = -INFINITY;
    set->lstm_forward(D, gates, zero, zero, c, h);
    assert_true(isnan(h[3]));
    assert_true(!isnan(h[0]) && !isnan(h[5]));
    assert_true(gates[1] == 1 && gates[2] == 0);
    assert_true(gates[2 * D + 1] == 1 && gates[2 * D + 4] == -1);
  }
}

/* An element's bits depend neither on its place in the row nor on the width. */
static void elements_stand_alone(void **state) {
  (void)state;
  enum { D = 131 };
  EACH_SET(set) {
    float *gates = random_floats(4 * D, 2),
          *recurrent = random_floats(4 * D, 1), *before = random_floats(D, 1),
          *first = copied(gates, 4 * D);
    float c[D], h[D], dh[D], after[D], dc[D], dc_all[D];
    for (int j = 0; j < D; j++)
      dh[j] = (float)draw(), after[j] = (float)draw(),
      dc[j] = dc_all[j] = (float)draw();
    set->lstm_forward(D, gates, recurrent, before, c, h);
    float *values = copied(gates, 4 * D);
    set->lstm_backward(D, gates, before, c, dh, after, dc_all);
    for (int j = 0; j < D; j++) {
      float own[4], rec[4], c1, h1, dc1 = dc[j];
      for (int g = 0; g < 4; g++)
        own[g] = first[g * D + j], rec[g] = recurrent[g * D + j];
      set->lstm_forward(1, own, rec, before + j, &c1, &h1);
      assert_memory_equal(&c1, c + j, sizeof c1);
      assert_memory_equal(&h1, h + j, sizeof h1);
      for (int g = 0; g < 4; g++)
        assert_memory_equal(own + g, values + g * D + j, sizeof *own);
      set->lstm_backward(1, own, before + j, &c1, dh + j, after + j, &dc1);
      for (int g = 0; g < 4; g++)
        assert_memory_equal(own + g, gates + g * D + j, sizeof *own);
      assert_memory_equal(&dc1, dc_all + j, sizeof dc1);
    }
    float *f[] = {gates, recurrent, before, first, values};
    for (int i = 0; i < 5; i++) sw_aligned_free(f[i]);
  }
}

/* The oracle itself: d(dh . h + dc . c) by finite differences. */
static void oracle_is_the_derivative(void **state) {
  (void)state;
  enum { D = 3 };
  double in[4 * D], recurrent[4 * D] = {0}, before[D], dh[D], after[D], dc[D];
  for (int j = 0; j < 4 * D; j++) in[j] = draw();
  for (int j = 0; j < D; j++)
    before[j] = draw(), dh[j] = draw(), after[j] = draw(), dc[j] = draw();
  double gates[4 * D], c[D], h[D], back[D];
  memcpy(gates, in, sizeof in);
  memcpy(back, dc, sizeof dc);
  oracle.lstm_forward(D, gates, recurrent, before, c, h);
  oracle.lstm_backward(D, gates, before, c, dh, after, back);
  for (int p = 0; p < 5 * D; p++) {
    double value[2];
    for (int side = 0; side < 2; side++) {
      double g[4 * D], b[D], c1[D], h1[D];
      memcpy(g, in, sizeof in);
      memcpy(b, before, sizeof b);
      *(p < 4 * D ? &g[p] : &b[p - 4 * D]) += side ? 1e-6 : -1e-6;
      oracle.lstm_forward(D, g, recurrent, b, c1, h1);
      value[side] = 0;
      for (int j = 0; j < D; j++)
        value[side] += (dh[j] + after[j]) * h1[j] + dc[j] * c1[j];
    }
    double slope = (value[1] - value[0]) / 2e-6;
    double got = p < 4 * D ? gates[p] : back[p - 4 * D];
    assert_true(fabs(slope - got) < 1e-8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cell_matches),
      cmocka_unit_test(values_are_accurate),
      cmocka_unit_test(ends_are_kept),
      cmocka_unit_test(elements_stand_alone),
      cmocka_unit_test(oracle_is_the_derivative),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
