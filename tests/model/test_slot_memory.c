/* Slot memory against a plain double-precision reference written from the
 * definition: outputs, gradients (central differences of the reference),
 * no look at later tokens, no dependence on threads, harmless start. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/rng.h"
#include "model/decoder/slot_memory.h"
#include "../size.h"

/* More positions than the module asks of a kernel at once. */
enum { T = 19, N = 3, D = 12, W = 32, L = 2, HIDDEN = 4 * W };
static sw_memory_shape shape = {N, D, W, L, 0, 0};
static int heads; /* what shape.heads means */

/* ---- the reference ---- */

static const double *tensor(const double *block, sw_memory_param id) {
  sw_tensor t;
  sw_memory_tensor_at(&shape, id, &t);
  return block + t.offset;
}

static void ref_norm(const double *x, const double *w, const double *b,
                     double *y) {
  double mean = 0, var = 0;
  for (int i = 0; i < D; i++) mean += x[i] / D;
  for (int i = 0; i < D; i++) var += (x[i] - mean) * (x[i] - mean) / D;
  for (int i = 0; i < D; i++)
    y[i] = (x[i] - mean) / sqrt(var + 1e-5) * w[i] + b[i];
}

/* y[out] = W x */
static void ref_linear(const double *w, const double *x, int out, int in,
                       double *y) {
  for (int o = 0; o < out; o++) {
    y[o] = 0;
    for (int i = 0; i < in; i++) y[o] += w[o * in + i] * x[i];
  }
}

/* One query against `keys` rows of memory; result [D] before residual. */
static void ref_attend(const double *block, sw_memory_param ln_w,
                       const double *s, const double *memory, int keys,
                       double *result) {
  double norm[D], q[W], k[T][W], v[T][W], att[W] = {0};
  ref_norm(s, tensor(block, ln_w), tensor(block, ln_w + 1), norm);
  ref_linear(tensor(block, ln_w + 2), norm, W, D, q);
  for (int j = 0; j < keys; j++) {
    ref_linear(tensor(block, ln_w + 3), memory + j * D, W, D, k[j]);
    ref_linear(tensor(block, ln_w + 4), memory + j * D, W, D, v[j]);
  }
  for (int h = 0; h < heads; h++) {
    int dim = W / heads;
    double p[T], sum = 0;
    for (int j = 0; j < keys; j++) {
      double score = 0;
      for (int i = 0; i < dim; i++) score += q[h * dim + i] * k[j][h * dim + i];
      sum += p[j] = exp(score / sqrt(dim));
    }
    for (int j = 0; j < keys; j++)
      for (int i = 0; i < dim; i++)
        att[h * dim + i] += p[j] / sum * v[j][h * dim + i];
  }
  ref_linear(tensor(block, ln_w + 5), att, D, W, result);
}

static void ref_feed_forward(const double *block, double *z) {
  double norm[D], hidden[HIDDEN], out[D];
  ref_norm(z, tensor(block, SW_MEM_FFN_LN_W), tensor(block, SW_MEM_FFN_LN_B),
           norm);
  ref_linear(tensor(block, SW_MEM_FFN_IN_W), norm, HIDDEN, D, hidden);
  for (int i = 0; i < HIDDEN; i++) {
    double a = hidden[i] + tensor(block, SW_MEM_FFN_IN_B)[i];
    hidden[i] = 0.5 * a * (1 + erf(a / sqrt(2)));
  }
  ref_linear(tensor(block, SW_MEM_FFN_OUT_W), hidden, D, HIDDEN, out);
  for (int i = 0; i < D; i++)
    z[i] += out[i] + tensor(block, SW_MEM_FFN_OUT_B)[i];
}

/* All layers on x[T][D], position by position as the definition reads. */
static void ref_forward(const double *first, double *const *block, double *x) {
  static double z[T][N * D];
  for (int i = 0; i < T; i++) memcpy(z[i], first, sizeof z[i]);
  for (int l = 0; l < L; l++) {
    double out[T][D];
    for (int i = 0; i < T; i++) {
      double add[N][D];
      for (int s = 0; s < N; s++)
        ref_attend(block[l], SW_MEM_READ_LN_W, z[i] + s * D, x, i + 1, add[s]);
      for (int e = 0; e < N * D; e++) z[i][e] += add[e / D][e % D];
      for (int s = 0; s < N; s++)
        ref_attend(block[l], SW_MEM_MIX_LN_W, z[i] + s * D, z[i], N, add[s]);
      for (int e = 0; e < N * D; e++) z[i][e] += add[e / D][e % D];
      for (int s = 0; s < N; s++) ref_feed_forward(block[l], z[i] + s * D);
      ref_attend(block[l], SW_MEM_WRITE_LN_W, x + i * D, z[i], N, out[i]);
    }
    double gate = 1 / (1 + exp(-*tensor(block[l], SW_MEM_GATE)));
    for (int e = 0; e < T * D; e++) x[e] += gate * out[e / D][e % D];
  }
}

/* ---- the fixture: parameters and input in one flat array ---- */

enum { FIRST = N * D, INPUT = T * D };
static int64_t layer_count, total; /* first, L blocks, input */
static double *value;
static double weight[INPUT]; /* of the loss, sum of weight * output */

static double ref_loss(const double *v) {
  double x[INPUT], sum = 0, *block[L];
  memcpy(x, v + total - INPUT, sizeof x);
  for (int l = 0; l < L; l++)
    block[l] = (double *)(uintptr_t)(v + FIRST + l * layer_count);
  ref_forward(v, block, x);
  for (int i = 0; i < INPUT; i++) sum += weight[i] * x[i];
  return sum;
}

typedef struct job {
  sw_memory *memory;
  float *v, *x, *gradient; /* gradient NULL: forward only */
} job;

static void run_member(void *context, int rank, int size) {
  job *j = context;
  for (int l = 0; l < L; l++)
    sw_memory_forward(j->memory, l, j->v, j->v + FIRST + l * layer_count, j->x,
                      T, rank, size);
  if (!j->gradient) return;
  for (int l = L - 1; l >= 0; l--)
    sw_memory_backward(j->memory, l, j->v + FIRST + l * layer_count,
                       j->gradient + total - INPUT, T,
                       j->gradient + FIRST + l * layer_count, j->gradient, rank,
                       size);
}

/* Runs forward (and backward when gradient != NULL) in float. */
static void run(const float *v, int threads, float *x, float *gradient) {
  sw_team *team = NULL;
  sw_memory *memory = NULL;
  sw_err err;
  const nn_kernels *kernels = nn_select(NULL, &err);
  assert_non_null(kernels);
  assert_int_equal(sw_team_new(&team, threads, &err), 0);
  assert_int_equal(sw_memory_new(&memory, &shape, kernels, team, &err), 0);
  assert_int_equal(sw_memory_reserve(memory, T, &err), 0);
  float *copy = malloc((size_t)total * sizeof *copy);
  assert_non_null(copy);
  memcpy(copy, v, (size_t)total * sizeof *copy);
  memcpy(x, v + total - INPUT, INPUT * sizeof *x);
  if (gradient)
    for (int i = 0; i < INPUT; i++)
      gradient[total - INPUT + i] = (float)weight[i];
  job j = {memory, copy, x, gradient};
  sw_team_run(team, run_member, &j);
  free(copy);
  sw_memory_free(memory);
  sw_team_free(team);
}

static float *as_float(void) {
  float *v = malloc((size_t)total * sizeof *v);
  assert_non_null(v);
  for (int64_t i = 0; i < total; i++) v[i] = (float)value[i];
  return v;
}

static int set_up(int asked, int meant) {
  shape.heads = asked;
  heads = meant;
  layer_count = sw_memory_layer_count(&shape);
  total = FIRST + L * layer_count + INPUT;
  value = malloc((size_t)total * sizeof *value);
  if (!value) return -1;
  for (int64_t i = 0; i < total; i++)
    value[i] = (float)(0.3 * sw_philox_normal(1, 2, (uint64_t)i));
  for (int i = 0; i < INPUT; i++)
    weight[i] = (float)sw_philox_normal(1, 3, (uint64_t)i);
  return 0;
}

static int eight_heads(void **state) {
  (void)state;
  return set_up(0, 8);
}

static int two_heads(void **state) {
  (void)state;
  return set_up(2, 2);
}

static int teardown(void **state) {
  (void)state;
  free(value);
  return 0;
}

static void test_forward(void **state) {
  (void)state;
  double expected[INPUT], *block[L];
  float x[INPUT], *v = as_float();
  memcpy(expected, value + total - INPUT, sizeof expected);
  for (int l = 0; l < L; l++) block[l] = value + FIRST + l * layer_count;
  ref_forward(value, block, expected);
  run(v, 1, x, NULL);
  for (int i = 0; i < INPUT; i++)
    if (fabs((double)x[i] - expected[i]) > 2e-5)
      fail_msg("output %d: %.9g, expected %.9g", i, (double)x[i], expected[i]);
  free(v);
}

static void test_gradients(void **state) {
  (void)state;
  float x[INPUT], *v = as_float();
  float *gradient = calloc((size_t)total, sizeof *gradient);
  assert_non_null(gradient);
  run(v, 2, x, gradient);
  int checked = 0, gates = 0;
  for (int64_t i = 0; i < total; i++) {
    int is_gate = i >= FIRST && i < total - INPUT &&
                  (i - FIRST) % layer_count == layer_count - 1;
    int in_block = i >= FIRST && i < total - INPUT;
    if (in_block && i % test_size(11, 41) && !is_gate) continue;
    double keep = value[i], step = 1e-5;
    value[i] = keep + step;
    double up = ref_loss(value);
    value[i] = keep - step;
    double down = ref_loss(value), expected = (up - down) / (2 * step);
    value[i] = keep;
    if (fabs((double)gradient[i] - expected) > 1e-4 * (1 + fabs(expected)))
      fail_msg("gradient %ld: %.9g, expected %.9g", (long)i,
               (double)gradient[i], expected);
    checked++;
    gates += is_gate && expected != 0;
  }
  assert_int_equal(gates, L);
  assert_true(checked > 500);
  free(gradient);
  free(v);
}

static void test_heads_that_do_not_fit(void **state) {
  (void)state;
  sw_memory_shape odd = shape;
  sw_memory *memory;
  sw_err err;
  odd.heads = 3;
  assert_int_equal(
      sw_memory_new(&memory, &odd, nn_select(NULL, &err), NULL, &err),
      SW_USAGE);
  assert_non_null(strstr(err.text, "multiple of 12"));
}

static void test_no_look_ahead(void **state) {
  (void)state;
  float before[INPUT], after[INPUT], *v = as_float();
  run(v, 1, before, NULL);
  for (int j = 1; j < T; j++) {
    float *changed = as_float();
    changed[total - INPUT + j * D] += 1;
    run(changed, 1, after, NULL);
    assert_memory_equal(before, after, (size_t)j * D * sizeof *before);
    assert_memory_not_equal(before + j * D, after + j * D, D * sizeof *before);
    free(changed);
  }
  /* Later positions do read earlier ones. */
  float *changed = as_float();
  changed[total - INPUT] += 1;
  run(changed, 1, after, NULL);
  assert_memory_not_equal(before + (T - 1) * D, after + (T - 1) * D,
                          D * sizeof *before);
  free(changed);
  free(v);
}

static void test_threads_change_nothing(void **state) {
  (void)state;
  float x[3][INPUT], *v = as_float(), *gradient[3];
  for (int threads = 1; threads <= 3; threads++) {
    gradient[threads - 1] = calloc((size_t)total, sizeof **gradient);
    assert_non_null(gradient[threads - 1]);
    run(v, threads, x[threads - 1], gradient[threads - 1]);
  }
  for (int i = 1; i < 3; i++) {
    assert_memory_equal(x[0], x[i], sizeof x[0]);
    assert_memory_equal(gradient[0], gradient[i],
                        (size_t)total * sizeof **gradient);
  }
  for (int i = 0; i < 3; i++) free(gradient[i]);
  free(v);
}

/* At the start the outputs are zero, so the module changes nothing, and only
 * the write's output projection has a gradient. */
static void test_start_values(void **state) {
  (void)state;
  float x[INPUT], *v = as_float();
  for (int l = 0; l < L; l++)
    sw_memory_init(&shape, 7, l, -10, v + FIRST + l * layer_count);
  run(v, 1, x, NULL);
  assert_memory_equal(x, v + total - INPUT, sizeof x);
  sw_tensor q, w1, gate;
  sw_memory_tensor_at(&shape, SW_MEM_READ_Q, &q);
  sw_memory_tensor_at(&shape, SW_MEM_FFN_IN_W, &w1);
  sw_memory_tensor_at(&shape, SW_MEM_GATE, &gate);
  assert_int_equal(gate.offset + 1, layer_count);
  assert_true(v[FIRST + gate.offset] == -10);
  double square = 0, bound = 1 / sqrt(D);
  for (int64_t i = 0; i < q.count; i++)
    square += (double)v[FIRST + q.offset + i] * (double)v[FIRST + q.offset + i];
  square = sqrt(square / (double)q.count);
  assert_true(square > 0.009 && square < 0.011);
  for (int64_t i = 0; i < w1.count; i++)
    assert_true(fabs((double)v[FIRST + w1.offset + i]) <= bound);
  free(v);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forward),
      cmocka_unit_test(test_gradients),
      cmocka_unit_test(test_no_look_ahead),
      cmocka_unit_test(test_threads_change_nothing),
      cmocka_unit_test(test_start_values),
      cmocka_unit_test(test_heads_that_do_not_fit),
  };
  return cmocka_run_group_tests(tests, eight_heads, teardown) +
         cmocka_run_group_tests(tests, two_heads, teardown);
}
