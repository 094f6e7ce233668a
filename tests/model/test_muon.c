/* Muon's direction against matrices whose orthogonal factor is known, and a
 * step against the same arithmetic written out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/rng.h"
#include "model/decoder/internal.h"
#include "model/muon.h"
#include "nn/nn.h"

enum { MOST = 96 };

typedef struct bench {
  const nn_kernels *kernels;
  float w[MOST * MOST], g[MOST * MOST], m[MOST * MOST];
  float *scratch;
} bench;

static void open_bench(bench *b, const char *set) {
  memset(b, 0, sizeof *b);
  b->kernels = nn_select(set, NULL);
  b->scratch = sw_aligned_alloc(sizeof(float) * 8 * MOST * MOST);
}

/* One step of lr 1 from zero weights without momentum: minus the direction. */
static void direction(bench *b, int rows, int cols) {
  sw_muon_matrix x = {0, rows, cols};
  sw_muon_rates rates = {.lr = 1, .clip = 1};
  memset(b->w, 0, sizeof b->w);
  memset(b->m, 0, sizeof b->m);
  sw_muon_step(b->kernels, &x, b->w, b->g, b->m, &rates, b->scratch);
}

/* A Householder reflection I - 2 u u^T: orthogonal, dense, known. */
static void reflection(double *q, int n, uint64_t seed) {
  double u[MOST], norm = 0;
  for (int i = 0; i < n; i++) {
    u[i] = sw_philox_normal(seed, 1, (uint64_t)i);
    norm += u[i] * u[i];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      q[i * n + j] = (i == j) - 2 * u[i] * u[j] / norm;
}

/* G = P S Q^T with singular values S from 0.3 to 3: the direction's singular
 * vectors are P and Q, and every singular value lies within 0.6 to 1.3. */
static void check_known(const char *set, int rows, int cols) {
  static double p[MOST * MOST], q[MOST * MOST];
  static bench b;
  int rank = rows < cols ? rows : cols, large = rows < cols ? cols : rows;
  open_bench(&b, set);
  reflection(p, rows, 5);
  reflection(q, cols, 6);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      double sum = 0;
      for (int k = 0; k < rank; k++)
        sum += p[i * rows + k] * (0.3 + 2.7 * k / rank) * q[j * cols + k];
      b.g[i * cols + j] = (float)sum;
    }
  direction(&b, rows, cols);
  double size = 0.2 * sqrt((double)large);
  for (int k = 0; k < rank; k++)
    for (int l = 0; l < rank; l++) {
      double value = 0; /* (P^T D Q)[k][l] */
      for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
          value -= p[i * rows + k] * b.w[i * cols + j] * q[j * cols + l] / size;
      if (k == l ? !(value > 0.6 && value < 1.3)
                 : fabs(value) > (b.kernels->rounds ? 0.02 : 2e-4))
        fail_msg("%s %d x %d: element %d,%d of P^T D Q is %g", set, rows, cols,
                 k, l, value);
    }
  for (int i = 0; i < rows * cols; i++) assert_true(b.g[i] == 0);
  sw_aligned_free(b.scratch);
}

static void test_direction(void **unused) {
  (void)unused;
  const char *set;
  for (int s = 0; (set = nn_set_name(s)); s++) {
    check_known(set, 32, 32);
    check_known(set, 16, 96);
    check_known(set, 96, 16);
    check_known(set, 20, 28);
  }
}

/* A scaled gradient gives the same step, a zero gradient only decays, and
 * momentum keeps the last direction. */
static void test_step(void **unused) {
  (void)unused;
  static bench a, b;
  enum { N = 24 };
  sw_muon_matrix x = {0, N, N};
  sw_muon_rates still = {.lr = 0.5f, .decay = 0.25f, .beta = 0.9f, .clip = 1};
  open_bench(&a, NULL);
  open_bench(&b, NULL);
  for (int i = 0; i < N * N; i++) {
    a.g[i] = (float)sw_philox_normal(3, 1, (uint64_t)i);
    b.g[i] = 4 * a.g[i]; /* a power of two: the same bits after scaling */
  }
  direction(&a, N, N);
  direction(&b, N, N);
  assert_memory_equal(a.w, b.w, sizeof a.w);
  for (int i = 0; i < N * N; i++) b.w[i] = (float)(i % 5), b.m[i] = 0;
  sw_muon_step(b.kernels, &x, b.w, b.g, b.m, &still, b.scratch);
  for (int i = 0; i < N * N; i++) assert_true(b.w[i] == 0.75f * (float)(i % 5));
  /* momentum alone (the gradient is zero by now) still moves a */
  still.decay = 0;
  float before = a.w[1];
  sw_muon_step(a.kernels, &x, a.w, a.g, a.m, &still, a.scratch);
  assert_true(a.w[1] != before);
  sw_aligned_free(a.scratch);
  sw_aligned_free(b.scratch);
}

/* The listed matrices are those of the parameter table, whole and apart. */
static void test_matrices(void **unused) {
  (void)unused;
  sw_model_config config = {.vocab = 20,
                            .d = 16,
                            .layers = 3,
                            .heads = 2,
                            .ffn = 40,
                            .slots = 2,
                            .positions = 30};
  sw_model *model = NULL;
  assert_int_equal(sw_model_new(&model, &config, 1, NULL), 0);
  int n = sw_muon_matrices(sw_model_net(model), NULL), seen = 0;
  sw_muon_matrix *list = calloc((size_t)n, sizeof *list);
  assert_int_equal(sw_muon_matrices(sw_model_net(model), list), n);
  for (int t = 0; t < model->params.layout.tensors; t++) {
    sw_tensor p;
    sw_params_at(&config, t, &p);
    if (strncmp(p.name, "blocks.", 7) || p.dims != 2) continue;
    for (int64_t at = p.offset; at < p.offset + p.count; seen++) {
      assert_true(seen < n);
      assert_int_equal(list[seen].offset, at);
      assert_int_equal(list[seen].cols, p.shape[1]);
      at += (int64_t)list[seen].rows * list[seen].cols;
    }
  }
  assert_int_equal(seen, n);
  free(list);
  sw_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_direction),
                                     cmocka_unit_test(test_step),
                                     cmocka_unit_test(test_matrices)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
