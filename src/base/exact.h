/* Exact intervals of shares, for values between 0 and 1 that come in clusters
 * (cases of one conversation, questions about one problem).
 *
 *   share        Clopper and Pearson's interval with the effective number of
 *                clusters (Korn and Graubard 1998). Where all values are equal
 *                the width is what one more, unseen value could change, so it
 *                is never zero
 *   difference   of two shares of the same items: the two intervals put
 *                together, with their correlation (Newcombe 1998, method 10)
 *   mean         of values without bounds: Student's t over clusters
 *
 * All are two-sided, 95 %. No item at all gives NaN with the widest interval.
 */
#ifndef SW_BASE_EXACT_H
#define SW_BASE_EXACT_H
#include "base/stats.h"

/* x with I_x(a, b) = p. */
double sw_beta_quantile(double p, double a, double b);
/* `hits` of `count`, neither need be whole. */
sw_interval sw_exact_share(double hits, double count);
/* Item i belongs to cluster group[i] >= 0; group NULL: each stands alone. */
sw_interval sw_share_of(const double *x, const int64_t *group, int64_t count);
/* Mean of x - y, between -1 and 1. */
sw_interval sw_share_difference(const double *x, const double *y,
                                const int64_t *group, int64_t count);
sw_interval sw_mean_of(const double *x, const int64_t *group, int64_t count);

#endif
