/* exp, erf and GELU of every kernel set against double libm, over dense ranges
 * and at the extremes; the errors documented in src/nn/vec/vmath.inc. */
#include "oracle.h"

enum { COUNT = 400000 };

static void sweep(double from, double to, float *x) {
  for (int i = 0; i < COUNT; i++)
    x[i] = (float)(from + (to - from) * i / COUNT);
}

static void exp_is_accurate(void **state) {
  (void)state;
  static const double range[][2] = {
      {-86.6, 88.72}, {-1, 1}, {-20, 0}, {-1e-4, 1e-4}};
  float *x = floats(COUNT), *y = floats(COUNT);
  EACH_SET(set) for (int r = 0; r < 4; r++) {
    double worst = 0;
    sweep(range[r][0], range[r][1], x);
    set->exp_array(COUNT, x, y);
    for (int i = 0; i < COUNT; i++)
      worst = fmax(worst, fabs(y[i] / exp(x[i]) - 1));
    if (!(worst <= 2e-7)) fail_msg("%s: relative error %.3g", set->name, worst);
  }
  sw_aligned_free(x), sw_aligned_free(y);
}

static void erf_is_accurate(void **state) {
  (void)state;
  static const double range[][2] = {{-6, 6}, {-1, 1}, {-1e-3, 1e-3}, {3.8, 4}};
  float *x = floats(COUNT), *y = floats(COUNT);
  EACH_SET(set) for (int r = 0; r < 4; r++) {
    double worst = 0;
    sweep(range[r][0], range[r][1], x);
    set->erf_array(COUNT, x, y);
    for (int i = 0; i < COUNT; i++) {
      assert_true(fabsf(y[i]) <= 1);
      if (x[i] != 0) worst = fmax(worst, fabs(y[i] / erf(x[i]) - 1));
      else assert_true(y[i] == 0);
    }
    if (!(worst <= 4e-7)) fail_msg("%s: relative error %.3g", set->name, worst);
  }
  sw_aligned_free(x), sw_aligned_free(y);
}

static void gelu_is_accurate(void **state) {
  (void)state;
  float *x = floats(COUNT), *y = floats(COUNT);
  EACH_SET(set) {
    double worst = 0;
    sweep(-12, 12, x);
    set->gelu_forward(COUNT, x, y);
    for (int i = 0; i < COUNT; i++)
      worst =
          fmax(worst, fabs(y[i] - 0.5 * x[i] * (1 + erf(x[i] * sqrt(0.5)))));
    if (!(worst <= 2e-6)) fail_msg("%s: absolute error %.3g", set->name, worst);
  }
  sw_aligned_free(x), sw_aligned_free(y);
}

static void extremes(void **state) {
  (void)state;
  const float x[] = {-INFINITY, INFINITY, NAN, -1e30f, 1e30f, 88.8f, -104, 0};
  EACH_SET(set) {
    float y[8], z[8], g[8];
    set->exp_array(8, x, y);
    set->erf_array(8, x, z);
    set->gelu_forward(8, x, g);
    assert_true(y[0] == 0 && y[1] == INFINITY && isnan(y[2]) && y[3] == 0 &&
                y[4] == INFINITY && y[5] == INFINITY && y[6] == 0 && y[7] == 1);
    assert_true(z[0] == -1 && z[1] == 1 && isnan(z[2]) && z[3] == -1 &&
                z[4] == 1 && z[7] == 0);
    assert_true(g[1] == INFINITY && isnan(g[2]) && g[3] == 0 && g[4] == 1e30f &&
                g[7] == 0);
  }
}

/* An element's value does not depend on where it stands in the array. */
static void position_does_not_matter(void **state) {
  (void)state;
  enum { N = 1003 };
  float *x = random_floats(N, 3), *whole = floats(N);
  EACH_SET(set) {
    void (*fn[])(size_t, const float *, float *) = {
        set->exp_array, set->erf_array, set->gelu_forward};
    for (int f = 0; f < 3; f++) {
      fn[f](N, x, whole);
      for (int i = 0; i < N; i++) {
        float one;
        fn[f](1, x + i, &one);
        assert_memory_equal(&one, whole + i, sizeof one);
      }
    }
  }
  sw_aligned_free(x), sw_aligned_free(whole);
}

int main(void) {
  nn_set_float_mode();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exp_is_accurate),
      cmocka_unit_test(erf_is_accurate),
      cmocka_unit_test(gelu_is_accurate),
      cmocka_unit_test(extremes),
      cmocka_unit_test(position_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
