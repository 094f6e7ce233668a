/* What a data set was drawn from, "7:3412,8:105": seeds of training streams and
 * how many instances each gave, kept or not. The option exclude-drawn; a set
 * that the rule of `exclude` (resolve.h) cannot repeat names its own there: one
 * of several streams, of searches, or of an expert with errors. Made by
 * produce.c, read by test streams. */
#ifndef SW_DOMAINS_DRAWN_H
#define SW_DOMAINS_DRAWN_H
#include "base/hashset.h"
#include "domains/domain.h"
#include "trace/dataset.h"

/* Instances of all streams; -1: not of that form. */
int64_t sw_drawn_total(const char *drawn);
/* Adds the instances of options->exclude_drawn. */
int sw_drawn_leave_out(const sw_domain *domain,
                       const sw_domain_options *options, sw_hashset *left_out,
                       sw_err *err);
/* What a set that is there was drawn from; free() it. `path` names it in
 * errors. SW_USAGE: it does not say. */
int sw_drawn_of_set(const sw_domain *domain, const sw_dataset *set,
                    const char *path, char **drawn, sw_err *err);
/* `drawn` (NULL: nothing) and one stream more; free() it, NULL: no memory. */
char *sw_drawn_and(const char *drawn, uint64_t seed, int64_t instances);

#endif
