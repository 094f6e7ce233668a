/* The survival of searches under false prunes (see survival.h). */
#include "probe/survival.h"

#include <math.h>

double sw_path_survival(double rate, double judgements) {
  return pow(1 - rate, judgements);
}

double sw_paths_survival(double rate, double judgements, double paths) {
  return 1 - pow(1 - sw_path_survival(rate, judgements), paths);
}

double sw_critical_rate(double share, double judgements) {
  return 1 - pow(share, 1 / judgements);
}

typedef struct points {
  const double *x, *y;
  int count;
} points;

/* Over the logarithms of the two parameters, which are positive. */
static double squares(const points *p, double log_m, double log_r) {
  double sum = 0;
  for (int i = 0; i < p->count; i++) {
    double off = p->y[i] - sw_paths_survival(p->x[i], exp(log_m), exp(log_r));
    sum += off * off;
  }
  return sum;
}

int sw_survival_fitted(const double *rate, const double *solved, int count,
                       sw_survival_fit *fit) {
  enum { GRID = 60, ROUNDS = 200 };
  points p = {rate, solved, count};
  double mean = 0, spread = 0, m = 0, r = 0, best = INFINITY;
  for (int i = 0; i < count; i++) mean += solved[i] / count;
  for (int i = 0; i < count; i++)
    spread += (solved[i] - mean) * (solved[i] - mean);
  if (count < 3 || !(spread > 0)) return 0;
  for (int i = 0; i < GRID; i++) /* M from 0.1 to 500, R from 0.02 to 2000 */
    for (int k = 0; k < GRID; k++) {
      double a = log(0.1) + i * log(5000) / (GRID - 1);
      double b = log(0.02) + k * log(1e5) / (GRID - 1);
      double sum = squares(&p, a, b);
      if (sum < best) best = sum, m = a, r = b;
    }
  /* then ever smaller steps in eight directions */
  for (double step = 0.2; step > 1e-9; step /= 2)
    for (int round = 0, moved = 1; moved && round < ROUNDS; round++) {
      moved = 0;
      for (int dm = -1; dm <= 1; dm++)
        for (int dr = -1; dr <= 1; dr++) {
          double sum = squares(&p, m + dm * step, r + dr * step);
          if (!(sum < best)) continue;
          best = sum;
          m += dm * step;
          r += dr * step;
          moved = 1;
        }
    }
  *fit = (sw_survival_fit){exp(m), exp(r), 1 - best / spread};
  return 1;
}
