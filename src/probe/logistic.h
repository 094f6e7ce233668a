/* L2-regularised logistic regression, fitted exactly (Newton with Cholesky and
 * step halving): the linear classifier of the history and representation
 * probes. Minimises 1/2 |w|^2 + c * sum of log-losses; the intercept is not
 * penalised (scikit-learn's default objective with C = c). */
#ifndef SW_PROBE_LOGISTIC_H
#define SW_PROBE_LOGISTIC_H
#include <stdint.h>
#include "base/err.h"

typedef struct sw_logistic {
  int64_t features;
  double *weight; /* [features + 1], intercept last; malloc'd */
  int iterations;
  double gradient_norm; /* at the solution, per sample */
} sw_logistic;

/* x is [count][features] row-major; labels 0/1. */
int sw_logistic_fit(sw_logistic *model, const double *x, const uint8_t *label,
                    int64_t count, int64_t features, double c, sw_err *err);
void sw_logistic_free(sw_logistic *model);
double sw_logistic_predict(const sw_logistic *model, const double *x);

/* A classifier's scores on held-out rows, beside those of the constant one. */
typedef struct sw_linear_score {
  int64_t train, test;
  double accuracy, balanced_accuracy, auroc, majority;
} sw_linear_score;
/* Fits on rows where is_test is 0, scores on the others. */
int sw_linear_probe(const double *x, const uint8_t *label,
                    const uint8_t *is_test, int64_t count, int64_t features,
                    double c, sw_linear_score *out, sw_err *err);

#endif
