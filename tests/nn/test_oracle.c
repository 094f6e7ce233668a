/* Finite differences of the double oracle: every backward kernel against its
 * forward one, at random points and with dropout. */
#include "attention_case.h"

/* d(sum of weight * f(x)) / dx[i] by a central difference, f run by `fn`. */
typedef double objective(void *context);
static double slope(objective *fn, void *context, double *x) {
  const double step = 1e-5, keep = *x;
  *x = keep + step;
  double high = fn(context);
  *x = keep - step;
  double low = fn(context);
  *x = keep;
  return (high - low) / (2 * step);
}
static void assert_slope(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-7 * (1 + fabs(expected))))
    fail_msg("gradient %.12g, difference %.12g", found, expected);
}

static double attention_objective(void *context) {
  wide_case *w = context;
  double sum = 0;
  oracle.attention_forward(&w->a, 0, w->rows, w->scratch);
  for (int r = 0; r < w->rows; r++)
    for (int d = 0; d < w->a.head_dim; d++)
      sum += w->out[r * w->a.ldo + d] * w->dout[r * w->a.lddo + d];
  return sum;
}

static void attention_gradients(void **state) {
  (void)state;
  static const int blocks[] = {3, 4};
  for (int kind = 0; kind < 2; kind++)
    for (int dropping = 0; dropping < 2; dropping++) {
      attention_case c = {0};
      wide_case w;
      c.spans = kind ? window_spans(c.span, 4, 10, 3)
                     : ssa_spans(c.span, 2, 5, blocks, 2);
      case_data(&c, 14, 8);
      nn_dropout drop = some_dropout;
      drop.threshold = 20000;
      wide_new(&w, &c, dropping ? &drop : NULL);
      attention_objective(&w);
      oracle.attention_backward(&w.a, w.scratch);
      double *x[] = {w.q, w.k, w.v}, *dx[] = {w.dq, w.dk, w.dv};
      for (int part = 0; part < 3; part++)
        for (int r = 0; r < c.rows; r++)
          for (int d = 0; d < c.head_dim; d++)
            assert_slope(dx[part][r * c.ld + d], slope(attention_objective, &w,
                                                       &x[part][r * c.ld + d]));
      wide_free(&w);
      case_free(&c);
    }
}

enum { ROWS = 5, WIDTH = 12 };
typedef struct row_case {
  double x[ROWS * WIDTH], w[WIDTH], b[WIDTH], y[ROWS * WIDTH], dy[ROWS * WIDTH],
      mean[ROWS], rstd[ROWS];
  int32_t target[ROWS];
  nn_dropout_f64 drop;
} row_case;

static row_case random_rows(void) {
  row_case c = {.drop = dropout_f64(&some_dropout)};
  c.drop.threshold = 20000;
  for (int i = 0; i < ROWS * WIDTH; i++) c.x[i] = draw(), c.dy[i] = draw();
  for (int i = 0; i < WIDTH; i++) c.w[i] = draw(), c.b[i] = draw();
  for (int i = 0; i < ROWS; i++) c.target[i] = draw_below(WIDTH);
  return c;
}
static double weighted(const row_case *c) {
  double sum = 0;
  for (int i = 0; i < ROWS * WIDTH; i++) sum += c->y[i] * c->dy[i];
  return sum;
}
static double norm_objective(void *context) {
  row_case *c = context;
  oracle.layer_norm(ROWS, WIDTH, c->x, c->w, c->b, c->y, c->mean, c->rstd);
  return weighted(c);
}
static void layer_norm_gradients(void **state) {
  (void)state;
  row_case c = random_rows();
  double dx[ROWS * WIDTH] = {0}, dw[WIDTH] = {0}, db[WIDTH] = {0};
  norm_objective(&c);
  oracle.layer_norm_dx(ROWS, WIDTH, c.dy, c.x, c.w, c.mean, c.rstd, dx);
  oracle.layer_norm_dwb(ROWS, WIDTH, c.dy, c.x, c.mean, c.rstd, dw, db, 0,
                        WIDTH);
  for (int i = 0; i < ROWS * WIDTH; i++)
    assert_slope(dx[i], slope(norm_objective, &c, &c.x[i]));
  for (int i = 0; i < WIDTH; i++) {
    assert_slope(dw[i], slope(norm_objective, &c, &c.w[i]));
    assert_slope(db[i], slope(norm_objective, &c, &c.b[i]));
  }
}

static double gelu_objective(void *context) {
  row_case *c = context;
  oracle.gelu_forward(ROWS * WIDTH, c->x, c->y);
  oracle.dropout_scale(ROWS, WIDTH, c->y, WIDTH, 1, &c->drop, 9, c->y, WIDTH);
  return weighted(c);
}
static void gelu_gradients(void **state) {
  (void)state;
  row_case c = random_rows();
  double dz[ROWS * WIDTH], h[ROWS * WIDTH];
  gelu_objective(&c);
  oracle.gelu_backward(ROWS, WIDTH, c.dy, WIDTH, c.x, WIDTH, dz, WIDTH, h,
                       WIDTH, &c.drop, 9);
  assert_memory_equal(h, c.y, sizeof h);
  for (int i = 0; i < ROWS * WIDTH; i++)
    assert_slope(dz[i], slope(gelu_objective, &c, &c.x[i]));
}

static double entropy_objective(void *context) {
  row_case *c = context;
  double loss[ROWS], sum = 0;
  memcpy(c->y, c->x, sizeof c->y);
  oracle.cross_entropy(ROWS, WIDTH, c->y, WIDTH, c->target, 0.25, loss);
  for (int r = 0; r < ROWS; r++) sum += 0.25 * loss[r];
  return sum;
}
static void cross_entropy_gradients(void **state) {
  (void)state;
  row_case c = random_rows();
  double gradient[ROWS * WIDTH];
  entropy_objective(&c);
  memcpy(gradient, c.y, sizeof gradient);
  for (int i = 0; i < ROWS * WIDTH; i++)
    assert_slope(gradient[i], slope(entropy_objective, &c, &c.x[i]));
}

/* One step of AdamW worked out by hand: w = 1, g = 0.5 (clipped by 0.1), first
 * step, so that m-hat = g and sqrt(v-hat) = |g|. */
static void adamw_first_step(void **state) {
  (void)state;
  double w = 1, g = 0.5, m = 0, v = 0;
  oracle.adamw(1, &w, &g, &m, &v, 0.01, 0.9, 0.999, 1e-8, 0.01 * 0.1, 1 / 0.1,
               1 / 0.001, 0.1);
  assert_true(fabs(m - 0.005) < 1e-15 && fabs(v - 2.5e-6) < 1e-15 && g == 0);
  assert_true(fabs(w - (0.999 - 0.01 * 0.05 / (0.05 + 1e-8))) < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attention_gradients),
      cmocka_unit_test(layer_norm_gradients),
      cmocka_unit_test(gelu_gradients),
      cmocka_unit_test(cross_entropy_gradients),
      cmocka_unit_test(adamw_first_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
