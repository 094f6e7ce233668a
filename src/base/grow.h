/* Growing arrays: room doubles, so that a reused array soon stops allocating.
 */
#ifndef SW_BASE_GROW_H
#define SW_BASE_GROW_H
#include <stddef.h>
#include <stdint.h>

/* Makes room for `need` elements of `size` bytes in *array (the address of a
 * malloc'd pointer or NULL), of which *room can hold so many. New elements are
 * not initialised. 0: out of memory, nothing changed. */
int sw_grow(void *array, int32_t *room, int32_t need, size_t size);
int sw_grow64(void *array, int64_t *room, int64_t need, size_t size);

#endif
