/* New names for old weights (train --init-names). Rows of tokens that training
 * never showed do not stay as they were drawn. Scores are products with the
 * same table, and every target pushes all other rows the same way, so unseen
 * rows end far out and alike. Weights that are then trained with more variables
 * learn the new names one by one, late or never. Here an unseen name begins
 * along the directions in which learned names differ: as far out as they are
 * and far from all of them. So what reads a name finds a distinct one. */
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
