/* How the library reports to its caller while it works: one type for every
 * kind of work. Either may be NULL. */
#ifndef SW_BASE_HOOKS_H
#define SW_BASE_HOOKS_H
#include <stdint.h>

/* `done` of `total` steps; `label` says of what, where several things are done
 * in turn, else NULL. */
typedef void (*sw_progress_fn)(void *context, const char *label, int64_t done,
                               int64_t total);
typedef int (*sw_stop_fn)(void *context); /* 1: stop as soon as possible */

#endif
