/* New names for old weights (train --init-names). The rows of tokens that
 * training never showed are not as they were drawn: scores are products with
 * the same table, and every target pushes all other rows the same way, so that
 * those which are never pushed back end far out and alike. Weights that are
 * trained on with more variables then learn the new names one by one, late or
 * never. Here such a name begins at a point of the
 * directions along which the learned ones differ, as far out as they are and
 * far from the names that are there, so that what reads a name finds one. */
#ifndef SW_TRAIN_NEW_NAMES_H
#define SW_TRAIN_NEW_NAMES_H
#include "domains/domain.h"
#include "model/family.h"

/* How many names began anew goes to *made. SW_USAGE for a family without a
 * table of tokens and a domain without names. A kind of which all names were
 * seen, or fewer than four, is left alone. */
int sw_new_names(sw_net *net, const sw_domain *domain, uint64_t seed,
                 int64_t *made, sw_err *err);

#endif
