/* What false prunes do to a search, in formulas: a solution path on which M
 * viable states are judged survives with (1 - a)^M when each is pruned with
 * probability a; with R such paths at hand the search survives when one of them
 * does. Used by the curves of experiments and by the tests of the theory. */
#ifndef SW_PROBE_SURVIVAL_H
#define SW_PROBE_SURVIVAL_H

/* (1 - rate)^judgements: the per-path bound. */
double sw_path_survival(double rate, double judgements);
/* 1 - (1 - (1 - rate)^judgements)^paths: the multi-path model. */
double sw_paths_survival(double rate, double judgements, double paths);
/* The rate at which a path of so many judgements survives with probability
 * `share`: 1 - share^(1 / judgements). */
double sw_critical_rate(double share, double judgements);

typedef struct sw_survival_fit {
  double judgements, paths; /* M_eff, R_eff */
  double r2;                /* share of the variance of y explained */
} sw_survival_fit;
/* Least squares of the multi-path model to points (rate, solved share). 0:
 * fewer than three points, or all alike. */
int sw_survival_fitted(const double *rate, const double *solved, int count,
                       sw_survival_fit *fit);

#endif
