/* The tests' oracle: the portable kernels compiled a second time with `double`
 * in place of `float`, under the names nn_*_f64. Finite differences vouch for
 * it (test_oracle.c); the float kernel sets are compared with it. Include this
 * before anything else that includes nn/nn.h. */
#ifndef SW_TESTS_NN_ORACLE_H
#define SW_TESTS_NN_ORACLE_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/rng.h"

#define float double
#define nn_run nn_run_f64
#define nn_span nn_span_f64
#define nn_dropout nn_dropout_f64
#define nn_epilogue nn_epilogue_f64
#define nn_panels nn_panels_f64
#define NN_STRETCHES NN_STRETCHES_F64
#define nn_attention nn_attention_f64
#define nn_kernels nn_kernels_f64
#define nn_select nn_select_f64
#define nn_set_float_mode nn_set_float_mode_f64
#define nn_portable oracle
#include "nn/ref/portable.c"
#undef float
#undef nn_run
#undef nn_span
#undef nn_dropout
#undef nn_epilogue
#undef nn_panels
#undef NN_STRETCHES
#undef nn_attention
#undef nn_kernels
#undef nn_select
#undef nn_set_float_mode
#undef nn_portable
#undef SW_NN_NN_H
#include "nn/nn.h"
#include "nn/ref/bf16.h"

/* ---- random data, doubles of floats, error measures ---- */

static uint64_t draw_index;
static inline double draw(void) { /* standard normal, reproducible */
  return sw_philox_normal(7, 11, draw_index++);
}
static inline int draw_below(int bound) {
  return (int)(sw_philox_u64(7, 12, draw_index++) % (uint64_t)bound);
}

static inline void *room(size_t count, size_t size) {
  void *block = sw_aligned_alloc(count * size + 64);
  assert_non_null(block);
  memset(block, 0, count * size + 64);
  return block;
}
static inline float *floats(size_t count) { return room(count, sizeof(float)); }
static inline double *doubles(size_t count) {
  return room(count, sizeof(double));
}
static inline float *random_floats(size_t count, double spread) {
  float *x = floats(count);
  for (size_t i = 0; i < count; i++) x[i] = (float)(spread * draw());
  return x;
}
static inline double *widened(const float *x, size_t count) {
  double *y = doubles(count);
  for (size_t i = 0; i < count; i++) y[i] = x[i];
  return y;
}
static inline float *copied(const float *x, size_t count) {
  float *y = floats(count);
  memcpy(y, x, count * sizeof *y);
  return y;
}

/* Makes them what the set's products read of them, so that the oracle reads
 * the same. That sets round as they should is a test of its own. */
static inline float *operands(const nn_kernels *set, float *x, size_t count) {
  for (size_t i = 0; set->rounds && i < count; i++) x[i] = bf16_rounded(x[i]);
  return x;
}

/* Squared error over squared size. */
static inline double nmse(const float *x, const double *truth, size_t count) {
  double error = 0, size = 0;
  for (size_t i = 0; i < count; i++) {
    error += (x[i] - truth[i]) * (x[i] - truth[i]);
    size += truth[i] * truth[i];
  }
  return error / (size > 0 ? size : 1);
}
#define assert_close(x, truth, count, limit)                                  \
  do {                                                                        \
    double close_error = nmse(x, truth, count);                               \
    if (!(close_error <= (limit)))                                            \
      fail_msg("%s: NMSE %.3g above %.3g", #x, close_error, (double)(limit)); \
  } while (0)

static inline nn_dropout_f64 dropout_f64(const nn_dropout *d) {
  nn_dropout_f64 wide = {
      {d->key[0], d->key[1]}, d->stream, d->threshold, d->scale};
  return wide;
}

/* For every set that this CPU can run; the first is the portable one. */
#define EACH_SET(k)                \
  const nn_kernels *k;             \
  assert_non_null(nn_set_name(0)); \
  for (int each = 0;               \
       nn_set_name(each) && (k = nn_select(nn_set_name(each), NULL)); each++)

static const nn_dropout some_dropout = {{3, 5}, 77, 6554, 1.0f / 0.9f};

#endif
