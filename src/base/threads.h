/* A fixed team of threads for SPMD regions: every member runs the same
 * function with its rank, and meets the others at barriers. Work is split
 * statically (sw_share), no atomics add results, so nothing depends on the
 * number of threads. Barriers spin briefly, then sleep. After fork() a team of
 * the parent starts members of its own in the child at its next region. */
#ifndef SW_BASE_THREADS_H
#define SW_BASE_THREADS_H
#include <stddef.h>
#include "base/err.h"

typedef struct sw_team sw_team;
typedef void (*sw_team_fn)(void *context, int rank, int size);

int sw_team_new(sw_team **team, int size, sw_err *err); /* 0 = all cores */
void sw_team_free(sw_team *team);
int sw_team_size(const sw_team *team); /* as made: no region has more */
void sw_team_run(sw_team *team, sw_team_fn fn, void *context);
void sw_team_barrier(sw_team *team);            /* inside fn, by all members */
int sw_cpu_count(void);                         /* this process may use */
const char *sw_team_check(const sw_team *team); /* base/check.h */
/* That many processes have the same cores: each takes its part of them. */
void sw_cpu_divide(int processes);

/* The half-open share of `count` items of rank, in multiples of `grain`. */
void sw_share(size_t count, size_t grain, int rank, int size, size_t *begin,
              size_t *end);

#endif
