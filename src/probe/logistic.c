/* Logistic regression (see logistic.h). */
#include "probe/logistic.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "probe/metrics.h"

void sw_logistic_free(sw_logistic *m) {
  free(m->weight);
  memset(m, 0, sizeof *m);
}

static double score_of(const double *w, const double *x, int64_t d) {
  double z = w[d];
  for (int64_t k = 0; k < d; k++) z += w[k] * x[k];
  return z;
}

double sw_logistic_predict(const sw_logistic *m, const double *x) {
  return 1 / (1 + exp(-score_of(m->weight, x, m->features)));
}

/* log(1 + exp(z)) without overflow. */
static double softplus(double z) {
  return z > 0 ? z + log1p(exp(-z)) : log1p(exp(z));
}

typedef struct problem {
  const double *x;
  const uint8_t *y;
  int64_t n, d;
  double c;
} problem;

static double objective(const problem *p, const double *w) {
  double sum = 0;
  for (int64_t k = 0; k < p->d; k++) sum += 0.5 * w[k] * w[k];
  for (int64_t i = 0; i < p->n; i++) {
    double z = score_of(w, p->x + i * p->d, p->d);
    sum += p->c * (softplus(z) - (p->y[i] ? z : 0));
  }
  return sum;
}

/* Gradient and the lower triangle of the Hessian, intercept last. Features are
 * often zero: rows are skipped where they are. */
static void derivatives(const problem *p, const double *w, double *g,
                        double *h) {
  int64_t m = p->d + 1;
  memset(h, 0, sizeof *h * (size_t)(m * m));
  for (int64_t k = 0; k < p->d; k++) {
    g[k] = w[k];
    h[k * m + k] = 1;
  }
  g[p->d] = 0;
  for (int64_t i = 0; i < p->n; i++) {
    const double *x = p->x + i * p->d;
    double q = 1 / (1 + exp(-score_of(w, x, p->d)));
    double slope = p->c * (q - (p->y[i] ? 1 : 0)), curve = p->c * q * (1 - q);
    for (int64_t a = 0; a < p->d; a++) {
      if (x[a] == 0) continue;
      double scaled = curve * x[a];
      g[a] += slope * x[a];
      for (int64_t b = 0; b <= a; b++) h[a * m + b] += scaled * x[b];
      h[p->d * m + a] += scaled;
    }
    g[p->d] += slope;
    h[p->d * m + p->d] += curve;
  }
  h[p->d * m + p->d] += 1e-12; /* all labels equal: keep it definite */
}

/* Solves h s = g in place (Cholesky of the lower triangle); 0: not definite. */
static int solve(double *h, const double *g, double *s, int64_t m) {
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j <= i; j++) {
      double sum = h[i * m + j];
      for (int64_t k = 0; k < j; k++) sum -= h[i * m + k] * h[j * m + k];
      if (i == j && sum <= 0) return 0;
      h[i * m + j] = i == j ? sqrt(sum) : sum / h[j * m + j];
    }
  for (int64_t i = 0; i < m; i++) {
    double sum = g[i];
    for (int64_t k = 0; k < i; k++) sum -= h[i * m + k] * s[k];
    s[i] = sum / h[i * m + i];
  }
  for (int64_t i = m - 1; i >= 0; i--) {
    double sum = s[i];
    for (int64_t k = i + 1; k < m; k++) sum -= h[k * m + i] * s[k];
    s[i] = sum / h[i * m + i];
  }
  return 1;
}

static double norm_of(const double *g, int64_t m) {
  double sum = 0;
  for (int64_t k = 0; k < m; k++) sum += g[k] * g[k];
  return sqrt(sum);
}

static int newton(const problem *p, sw_logistic *out, double *work,
                  sw_err *err) {
  int64_t m = p->d + 1;
  double *g = work, *s = g + m, *trial = s + m, *h = trial + m;
  double value = objective(p, out->weight);
  for (out->iterations = 0; out->iterations < 100; out->iterations++) {
    derivatives(p, out->weight, g, h);
    out->gradient_norm = norm_of(g, m) / (double)p->n;
    if (out->gradient_norm < 1e-10) return 0;
    if (!solve(h, g, s, m))
      return sw_fail(err, SW_INTERNAL, "logistic regression: singular Hessian");
    double step = 1, next = value;
    for (int half = 0; half < 40; half++, step /= 2) {
      for (int64_t k = 0; k < m; k++) trial[k] = out->weight[k] - step * s[k];
      next = objective(p, trial);
      if (next <= value) break;
    }
    if (!(next < value)) return 0; /* at the precision of the sum */
    memcpy(out->weight, trial, sizeof *trial * (size_t)m);
    value = next;
  }
  return 0;
}

int sw_logistic_fit(sw_logistic *model, const double *x, const uint8_t *label,
                    int64_t count, int64_t features, double c, sw_err *err) {
  memset(model, 0, sizeof *model);
  if (count < 1 || features < 0 || !(c > 0))
    return sw_fail(err, SW_USAGE, "logistic regression of %lld rows",
                   (long long)count);
  if (!sw_all_finite(x, count * features))
    return sw_fail(err, SW_DATA, "a feature is not a finite number");
  size_t m = (size_t)features + 1;
  double *work = malloc(sizeof *work * (3 * m + m * m));
  model->features = features;
  model->weight = calloc(m, sizeof *model->weight);
  int code;
  if (!work || !model->weight) {
    code = sw_no_memory_for(err, "logistic regression");
  } else {
    problem p = {x, label, count, features, c};
    code = newton(&p, model, work, err);
  }
  free(work);
  if (code) sw_logistic_free(model);
  return code;
}

/* Packs the rows of one side; returns their number. */
static int64_t pack(const double *x, const uint8_t *label,
                    const uint8_t *is_test, int side, int64_t count,
                    int64_t features, double *rows, uint8_t *y) {
  int64_t n = 0;
  for (int64_t i = 0; i < count; i++) {
    if ((is_test[i] != 0) != side) continue;
    memcpy(rows + n * features, x + i * features, sizeof *x * (size_t)features);
    y[n++] = label[i];
  }
  return n;
}

int sw_linear_probe(const double *x, const uint8_t *label,
                    const uint8_t *is_test, int64_t count, int64_t features,
                    double c, sw_linear_score *out, sw_err *err) {
  memset(out, 0, sizeof *out);
  double *rows = malloc(sizeof *rows * (size_t)(count * features + 1));
  double *score = malloc(sizeof *score * (size_t)(count + 1));
  uint8_t *y = malloc((size_t)count + 1);
  sw_logistic model = {0};
  int code = rows && score && y ? 0 : sw_no_memory_for(err, "linear probe");
  if (!code) {
    out->train = pack(x, label, is_test, 0, count, features, rows, y);
    code = sw_logistic_fit(&model, rows, y, out->train, features, c, err);
  }
  if (!code) {
    out->test = pack(x, label, is_test, 1, count, features, rows, y);
    int64_t hits = 0, positives = 0;
    for (int64_t i = 0; i < out->test; i++) {
      score[i] = sw_logistic_predict(&model, rows + i * features);
      hits += (score[i] > .5) == (y[i] != 0);
      positives += y[i] != 0;
    }
    double n = out->test ? (double)out->test : 1;
    out->accuracy = (double)hits / n;
    out->majority =
        (double)(2 * positives > out->test ? positives
                                           : out->test - positives) /
        n;
    out->balanced_accuracy = sw_balanced_accuracy(score, y, out->test, .5);
    code = sw_auroc(score, y, out->test, &out->auroc, err);
  }
  sw_logistic_free(&model);
  free(rows);
  free(score);
  free(y);
  return code;
}
