/* Is the data set that is there the one that would be made? A preset that has
 * changed since must not train on the traces of before under the same name. */
#ifndef SW_DOMAINS_PRODUCED_H
#define SW_DOMAINS_PRODUCED_H
#include "domains/domain.h"

/* `options` are resolved; `count` 0: any number of traces. SW_DATA names the
 * first option that differs. Options that the file does not know came later and
 * do not count, nor does what a test must leave out, which the writer fills in.
 */
int sw_produced_check(const sw_domain *domain, const sw_domain_options *options,
                      int64_t count, const char *path, sw_err *err);

#endif
