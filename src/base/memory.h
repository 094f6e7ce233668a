/* How much memory there is for more, so that work can be cut to it instead of
 * being ended by the system. */
#ifndef SW_BASE_MEMORY_H
#define SW_BASE_MEMORY_H
#include <stdint.h>

/* Bytes that this process may still take: the least of what the machine has
 * left, of its control group's limit and of its own (RLIMIT_AS). */
int64_t sw_memory_left(void);

#endif
