/* Is an existing data set the one that would be produced now? A preset that has
 * changed must not train on its old traces under the same name. */
#ifndef SW_DOMAINS_PRODUCED_H
#define SW_DOMAINS_PRODUCED_H
#include "domains/domain.h"

/* The first option whose value in `stored` (domain_options of a file) differs
 * from `options` (resolved). An option that the file does not have is newer and
 * stands for its default. Options that `counts` leaves out are ignored. */
typedef struct sw_option_change {
  char name[40]; /* "": none */
  char theirs[64], ours[64];
} sw_option_change;
int sw_produced_change(const sw_domain *domain,
                       const sw_domain_options *options, const char *stored,
                       const char *path, int (*counts)(const char *name),
                       sw_option_change *change, sw_err *err);

/* What the file must be beside its options. */
typedef struct sw_produced_want {
  int64_t count;        /* traces; 0: any number */
  const uint64_t *seed; /* of the stream; NULL: any */
  int viability;        /* 1: its states are judged */
} sw_produced_want;
/* `options` are resolved. SW_DATA names the first thing that differs; what a
 * test must leave out does not count, the writer fills it in. */
int sw_produced_check(const sw_domain *domain, const sw_domain_options *options,
                      const sw_produced_want *want, const char *path,
                      sw_err *err);

#endif
