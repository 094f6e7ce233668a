/* The counting kernel set; see profile.h. Threads count into tables of their
 * own, found by a thread-local index, which are added up when they are read. */
#include "nn/profile.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "nn/peak.h"

enum { THREADS_MAX = 64, ROWS_MAX = 96 };

typedef struct table {
  int rows;
  nn_profile_row row[ROWS_MAX];
} table;

static const nn_kernels *inner; /* what the counting set calls */
static nn_kernels counting;
static int started;
static table tables[THREADS_MAX];
static _Atomic int threads;
static _Thread_local int own = -1;

/* Adds one call to this thread's row of its kind; beyond the tables' room (more
 * threads or kinds than any bench has) calls go uncounted. */
static void count(const char *kernel, const char *with, int n, int k,
                  double from, double flops, double elements) {
  double seconds = peak_clock() - from;
  if (own < 0) own = atomic_fetch_add(&threads, 1);
  if (own >= THREADS_MAX) return;
  table *t = &tables[own];
  int i = 0;
  while (i < t->rows && (t->row[i].kernel != kernel || t->row[i].with != with ||
                         t->row[i].n != n || t->row[i].k != k))
    i++;
  if (i == ROWS_MAX) return;
  nn_profile_row *row = &t->row[i];
  if (i == t->rows) {
    *row = (nn_profile_row){.kernel = kernel, .with = with, .n = n, .k = k};
    t->rows++;
  }
  row->calls++;
  row->seconds += seconds;
  row->flops += flops;
  row->elements += elements;
}

/* Kernels whose cost is rows * columns: the call, and how many elements. */
#define CALL(kernel, arguments, with, amount)              \
  do {                                                     \
    double from = peak_clock();                            \
    inner->kernel arguments;                               \
    count(#kernel, with, 0, 0, from, 0, (double)(amount)); \
  } while (0)

static const char dropout[] = "dropout", plain[] = "";

static const char *drop_of(const nn_dropout *drop) {
  return drop && drop->threshold ? dropout : plain;
}

static void pack_nt(int n, int k, const float *src, ptrdiff_t ld, float *packed,
                    int begin, int end) {
  CALL(pack_nt, (n, k, src, ld, packed, begin, end), plain,
       (double)k * (end - begin));
}
static void pack_nn(int n, int k, const float *src, ptrdiff_t ld, float *packed,
                    int begin, int end) {
  CALL(pack_nn, (n, k, src, ld, packed, begin, end), plain,
       (double)k * (end - begin));
}

static const char *epilogue_of(const nn_epilogue *e) {
  static const char bias[] = "bias", gelu[] = "gelu", residual[] = "residual",
                    gelu_drop[] = "gelu, dropout",
                    residual_drop[] = "residual, dropout";
  if (!e) return plain;
  if (e->pre) return e->drop.threshold ? gelu_drop : gelu;
  if (e->residual) return e->drop.threshold ? residual_drop : residual;
  return bias;
}

static void gemm(int m, int n, int k, const float *a, ptrdiff_t lda,
                 const float *packed, float *c, ptrdiff_t ldc, int accumulate,
                 const nn_epilogue *e) {
  double from = peak_clock();
  inner->gemm(m, n, k, a, lda, packed, c, ldc, accumulate, e);
  count("gemm", epilogue_of(e), n, k, from, 2.0 * m * n * k, 0);
}

/* The depth is the number of tokens: many values, one row. */
static void gemm_tn(int m, int n, int k, const float *a, ptrdiff_t lda,
                    const float *b, ptrdiff_t ldb, float *c, ptrdiff_t ldc,
                    int accumulate, int begin, int end, float *scratch) {
  double from = peak_clock();
  inner->gemm_tn(m, n, k, a, lda, b, ldb, c, ldc, accumulate, begin, end,
                 scratch);
  count("gemm_tn", plain, n, m, from, 2.0 * k * n * (end - begin), 0);
}
static void column_sum(int rows, const float *dy, ptrdiff_t ld, float *db,
                       int accumulate, int begin, int end) {
  CALL(column_sum, (rows, dy, ld, db, accumulate, begin, end), plain,
       (double)rows * (end - begin));
}

/* Unmasked pairs of the query rows [begin, end). */
static double pairs_of(const nn_attention *a, int32_t begin, int32_t end) {
  double pairs = 0;
  for (int32_t s = 0; s < a->span_count; s++) {
    const nn_span *span = &a->spans[s];
    int32_t from = span->begin > begin ? span->begin : begin;
    int32_t to = span->end < end ? span->end : end;
    for (int32_t q = from; q < to; q++)
      for (int32_t r = 0; r < span->runs; r++) {
        const nn_run *run = &span->run[r];
        int32_t self = q + a->key_of_query + span->shift, low = run->begin,
                high = run->end;
        if (run->causal && self + 1 < high) high = self + 1;
        if (run->window && self - run->window + 1 > low)
          low = self - run->window + 1;
        if (high > low) pairs += high - low;
      }
  }
  return pairs;
}

static void attention_forward(const nn_attention *a, int32_t begin, int32_t end,
                              float *scratch) {
  double from = peak_clock();
  inner->attention_forward(a, begin, end, scratch);
  double seconds = peak_clock() - from, pairs = pairs_of(a, begin, end);
  count("attention_forward", drop_of(&a->drop), 0, 0, peak_clock() - seconds,
        4 * pairs * a->head_dim, 0);
}
static void attention_backward(const nn_attention *a, float *scratch) {
  double from = peak_clock();
  inner->attention_backward(a, scratch);
  double seconds = peak_clock() - from, pairs = pairs_of(a, 0, INT32_MAX);
  count("attention_backward", drop_of(&a->drop), 0, 0, peak_clock() - seconds,
        10 * pairs * a->head_dim, 0);
}

static void layer_norm(int rows, int d, const float *x, const float *w,
                       const float *b, float *y, float *mean, float *rstd) {
  CALL(layer_norm, (rows, d, x, w, b, y, mean, rstd), plain, (double)rows * d);
}
static void layer_norm_dx(int rows, int d, const float *dy, const float *x,
                          const float *w, const float *mean, const float *rstd,
                          float *dx) {
  CALL(layer_norm_dx, (rows, d, dy, x, w, mean, rstd, dx), plain,
       (double)rows * d);
}
static void layer_norm_dwb(int rows, int d, const float *dy, const float *x,
                           const float *mean, const float *rstd, float *dw,
                           float *db, int begin, int end) {
  CALL(layer_norm_dwb, (rows, d, dy, x, mean, rstd, dw, db, begin, end), plain,
       (double)rows * (end - begin));
}
static void gelu_backward(int rows, int n, const float *dy, ptrdiff_t lddy,
                          const float *z, ptrdiff_t ldz, float *dz,
                          ptrdiff_t lddz, float *h, ptrdiff_t ldh,
                          const nn_dropout *drop, uint32_t row0) {
  CALL(gelu_backward, (rows, n, dy, lddy, z, ldz, dz, lddz, h, ldh, drop, row0),
       drop_of(drop), (double)rows * n);
}
static void gelu_forward(size_t size, const float *z, float *y) {
  CALL(gelu_forward, (size, z, y), plain, size);
}
static void dropout_scale(int rows, int n, const float *x, ptrdiff_t ldx,
                          float scale, const nn_dropout *drop, uint32_t row0,
                          float *y, ptrdiff_t ldy) {
  CALL(dropout_scale, (rows, n, x, ldx, scale, drop, row0, y, ldy),
       drop_of(drop), (double)rows * n);
}
static void lstm_forward(int d, float *gates, const float *recurrent,
                         const float *c_before, float *c, float *h) {
  CALL(lstm_forward, (d, gates, recurrent, c_before, c, h), plain, d);
}
static void lstm_backward(int d, float *gates, const float *c_before,
                          const float *c, const float *dh,
                          const float *dh_after, float *dc) {
  CALL(lstm_backward, (d, gates, c_before, c, dh, dh_after, dc), plain, d);
}
static void cross_entropy(int rows, int n, float *logits, ptrdiff_t ld,
                          const int32_t *target, float weight, double *loss) {
  CALL(cross_entropy, (rows, n, logits, ld, target, weight, loss), plain,
       (double)rows * n);
}
static void adamw(size_t size, float *w, float *g, float *m, float *v, float lr,
                  float beta1, float beta2, float eps, float decay, float c1,
                  float c2, float clip) {
  CALL(adamw, (size, w, g, m, v, lr, beta1, beta2, eps, decay, c1, c2, clip),
       plain, size);
}
static double sum_squares(size_t size, const float *x) {
  double from = peak_clock(), sum = inner->sum_squares(size, x);
  count("sum_squares", plain, 0, 0, from, 0, (double)size);
  return sum;
}
static void add(size_t size, const float *x, float *y) {
  CALL(add, (size, x, y), plain, size);
}

void nn_profile_start(void) { started = 1; }

const nn_kernels *nn_profile_wrap(const nn_kernels *set) {
  if (!started) return set;
  inner = set;
  counting = *set;
  counting.pack_nt = pack_nt;
  counting.pack_nn = pack_nn;
  counting.gemm = gemm;
  counting.gemm_tn = gemm_tn;
  counting.column_sum = column_sum;
  counting.attention_forward = attention_forward;
  counting.attention_backward = attention_backward;
  counting.layer_norm = layer_norm;
  counting.layer_norm_dx = layer_norm_dx;
  counting.layer_norm_dwb = layer_norm_dwb;
  counting.gelu_backward = gelu_backward;
  counting.gelu_forward = gelu_forward;
  counting.dropout_scale = dropout_scale;
  counting.lstm_forward = lstm_forward;
  counting.lstm_backward = lstm_backward;
  counting.cross_entropy = cross_entropy;
  counting.adamw = adamw;
  counting.sum_squares = sum_squares;
  counting.add = add;
  return &counting;
}

void nn_profile_clear(void) { memset(tables, 0, sizeof tables); }

static int by_cost(const void *x, const void *y) {
  const nn_profile_row *a = x, *b = y;
  return a->seconds < b->seconds ? 1 : a->seconds > b->seconds ? -1 : 0;
}

int nn_profile_read(nn_profile_row *out, int room) {
  table all = {0};
  for (int t = 0; t < THREADS_MAX; t++)
    for (int i = 0; i < tables[t].rows; i++) {
      const nn_profile_row *from = &tables[t].row[i];
      int at = 0;
      while (at < all.rows &&
             (all.row[at].kernel != from->kernel ||
              all.row[at].with != from->with || all.row[at].n != from->n ||
              all.row[at].k != from->k))
        at++;
      if (at == ROWS_MAX) continue;
      if (at == all.rows) {
        all.row[all.rows++] = *from;
        continue;
      }
      all.row[at].calls += from->calls;
      all.row[at].seconds += from->seconds;
      all.row[at].flops += from->flops;
      all.row[at].elements += from->elements;
    }
  qsort(all.row, (size_t)all.rows, sizeof *all.row, by_cost);
  int rows = all.rows < room ? all.rows : room;
  memcpy(out, all.row, sizeof *out * (size_t)rows);
  return rows;
}
