/* The hashes of a condition's test instances: a stored outcome counts only
 * where its instance is the one that is asked now. Instances of one stream are
 * drawn once for all conditions in a row that ask them. */
#ifndef SW_SEARCH_DRAWN_INSTANCES_H
#define SW_SEARCH_DRAWN_INSTANCES_H
#include "search/condition.h"

typedef struct sw_drawn_instances { /* all 0: none yet */
  char *key;                        /* domain, options, seed and split */
  uint64_t *hash;
  int64_t count;
} sw_drawn_instances;

/* Afterwards hash[0 .. condition->instances) are those of this condition. */
int sw_drawn_instances_of(sw_drawn_instances *drawn,
                          const sw_condition *condition, sw_err *err);
void sw_drawn_instances_free(sw_drawn_instances *drawn);

#endif
