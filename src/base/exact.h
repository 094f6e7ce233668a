/* Exact intervals of shares, for values between 0 and 1 that come in clusters
 * (cases of one conversation, questions about one problem).
 *
 *   share        Clopper and Pearson's interval with the effective number of
 *                clusters (Korn and Graubard 1998). Where all values are equal
 *                the width is what one more, unseen value could change, so it
 *                is never zero
 *   difference   of two shares of the same items: the two intervals put
 *                together, with their correlation (Newcombe 1998, method 10),
 *                or that of the differences' own error, whichever is wider:
 *                the first is better for rare values, the second for clusters
 *   excess       of graded values over others: the differences' own error
 *   mean         of values without bounds: Student's t over clusters
 *   AUROC        a share too: its error is that of the placements, summed by
 *                cluster (DeLong 1988, Obuchowski 1997)
 *
 * All are two-sided. `tail` is the probability that is left out at each end:
 * SW_TAIL makes 95 %. No item at all gives NaN with the widest interval. */
#ifndef SW_BASE_EXACT_H
#define SW_BASE_EXACT_H
#include "base/stats.h"

#define SW_TAIL 0.025

/* x with I_x(a, b) = p. */
double sw_beta_quantile(double p, double a, double b);
/* `hits` of `count`, neither need be whole. */
sw_interval sw_exact_share(double hits, double count, double tail);
/* Item i belongs to cluster group[i] >= 0; group NULL: each stands alone. */
sw_interval sw_share_of(const double *x, const int64_t *group, int64_t count,
                        double tail);
/* Mean of x - y, between -1 and 1. */
sw_interval sw_share_difference(const double *x, const double *y,
                                const int64_t *group, int64_t count,
                                double tail);
/* The same for graded values, where a tie of y says nothing of x. */
sw_interval sw_excess_of(const double *x, const double *y, const int64_t *group,
                         int64_t count, double tail);
sw_interval sw_mean_of(const double *x, const int64_t *group, int64_t count,
                       double tail);
/* How often an item labelled 1 scores above one labelled 0; NaN where there
 * are not both. SW_MEMORY. */
int sw_auroc_of(const double *score, const double *label, const int64_t *group,
                int64_t count, double tail, sw_interval *out, sw_err *err);

#endif
