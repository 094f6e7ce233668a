/* Arenas: one per lifetime (model, step, instance, block). Allocation is a
 * bump of a pointer; everything is released at once. All blocks are 64-byte
 * aligned and zeroed by sw_arena_zalloc. Returns NULL when out of memory.
 * An arena is used by one thread at a time. */
#ifndef SW_BASE_ARENA_H
#define SW_BASE_ARENA_H
#include <stddef.h>

typedef struct sw_arena_chunk sw_arena_chunk;
typedef struct sw_arena {
  sw_arena_chunk *chunks; /* newest first */
  size_t chunk_bytes;     /* smallest size of a new chunk */
  size_t used, peak;      /* bytes handed out; high-water mark */
} sw_arena;

void sw_arena_init(sw_arena *arena, size_t chunk_bytes);
void *sw_arena_alloc(sw_arena *arena, size_t bytes); /* uninitialised */
void *sw_arena_zalloc(sw_arena *arena, size_t bytes);
char *sw_arena_strdup(sw_arena *arena, const char *text);
void sw_arena_reset(sw_arena *arena); /* keeps the memory for reuse */
void sw_arena_free(sw_arena *arena);
const char *sw_arena_check(const sw_arena *arena); /* base/check.h */

#define SW_ARENA_NEW(arena, type, count) \
  ((type *)sw_arena_zalloc((arena), sizeof(type) * (size_t)(count)))

/* 64-byte aligned heap blocks for the few long-lived buffers outside arenas;
 * release with sw_aligned_free. Huge pages are requested above 4 MiB. */
void *sw_aligned_alloc(size_t bytes);
void sw_aligned_free(void *block);
/* Blocks with lifetimes of their own. Large ones are separate pages, so that
 * freeing one returns its memory to the system at once, whatever the heap looks
 * like. `bytes` is the size that was asked for. */
void *sw_pages_alloc(size_t bytes);
void sw_pages_free(void *block, size_t bytes);

#endif
