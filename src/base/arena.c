/* Arenas and aligned blocks. A chunk is one aligned heap block with a 64-byte
 * header. sw_arena_reset turns several chunks into one of their total size, so
 * that an arena used for the same work again allocates nothing. */
#include "base/arena.h"
#include "base/check.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGN = 64 };
struct sw_arena_chunk {
  sw_arena_chunk *older;
  size_t room, used; /* bytes after the header */
};
_Static_assert(sizeof(sw_arena_chunk) <= ALIGN, "the header is one line");

static size_t round_up(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

void *sw_aligned_alloc(size_t bytes) {
  const size_t huge = (size_t)2 << 20;
  if (bytes > SIZE_MAX / 2) return NULL;
  int large = bytes >= 2 * huge;
  size_t unit = large ? huge : ALIGN;
  size_t whole = round_up(bytes ? bytes : 1, unit);
  void *block = aligned_alloc(unit, whole);
  if (block && large) (void)madvise(block, whole, MADV_HUGEPAGE);
  return block;
}

void sw_aligned_free(void *block) { free(block); }

enum { PAGES_FROM = 1 << 18, PAGE = 4096 };

void *sw_pages_alloc(size_t bytes) {
  if (bytes < PAGES_FROM) return sw_aligned_alloc(bytes);
  if (bytes > SIZE_MAX / 2) return NULL;
  size_t whole = round_up(bytes, PAGE);
  void *block = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return NULL;
  (void)madvise(block, whole, MADV_HUGEPAGE);
  return block;
}

void sw_pages_free(void *block, size_t bytes) {
  if (bytes < PAGES_FROM) sw_aligned_free(block);
  else if (block) munmap(block, round_up(bytes, PAGE));
}

void sw_arena_init(sw_arena *arena, size_t chunk_bytes) {
  SW_ASSERT(arena);
  memset(arena, 0, sizeof *arena);
  arena->chunk_bytes = chunk_bytes ? chunk_bytes : (size_t)1 << 16;
}

static sw_arena_chunk *add_chunk(sw_arena *arena, size_t room) {
  sw_arena_chunk *chunk = sw_aligned_alloc(room + ALIGN);
  if (!chunk) return NULL;
  chunk->older = arena->chunks;
  chunk->room = room;
  chunk->used = 0;
  return arena->chunks = chunk;
}

void *sw_arena_alloc(sw_arena *arena, size_t bytes) {
  SW_CHECK(sw_arena_check(arena));
  if (bytes > SIZE_MAX / 4) return NULL;
  size_t need = round_up(bytes ? bytes : 1, ALIGN);
  sw_arena_chunk *chunk = arena->chunks;
  if (!chunk || chunk->room - chunk->used < need) {
    size_t room = round_up(arena->chunk_bytes, ALIGN);
    chunk = add_chunk(arena, room > need ? room : need);
    if (!chunk) return NULL;
  }
  void *block = (char *)chunk + ALIGN + chunk->used;
  chunk->used += need;
  arena->used += need;
  if (arena->used > arena->peak) arena->peak = arena->used;
  return block;
}

void *sw_arena_zalloc(sw_arena *arena, size_t bytes) {
  SW_ASSERT(arena);
  void *block = sw_arena_alloc(arena, bytes);
  if (block) memset(block, 0, bytes);
  return block;
}

char *sw_arena_strdup(sw_arena *arena, const char *text) {
  SW_ASSERT(arena && text);
  size_t bytes = strlen(text) + 1;
  char *copy = sw_arena_alloc(arena, bytes);
  if (copy) memcpy(copy, text, bytes);
  return copy;
}

static void free_chunks(sw_arena *arena) {
  for (sw_arena_chunk *chunk = arena->chunks, *older; chunk; chunk = older) {
    older = chunk->older;
    sw_aligned_free(chunk);
  }
  arena->chunks = NULL;
}

void sw_arena_reset(sw_arena *arena) {
  SW_CHECK(sw_arena_check(arena));
  arena->used = 0;
  if (!arena->chunks) return;
  if (arena->chunks->older) {
    size_t total = 0;
    for (sw_arena_chunk *c = arena->chunks; c; c = c->older) total += c->room;
    free_chunks(arena);
    /* On failure the arena is simply empty and the next alloc tries again. */
    (void)add_chunk(arena, total);
  } else {
    arena->chunks->used = 0;
  }
}

void sw_arena_free(sw_arena *arena) {
  SW_ASSERT(arena);
  free_chunks(arena);
  arena->used = 0;
}

#ifdef SW_DEBUG
const char *sw_arena_check(const sw_arena *arena) {
  size_t used = 0;
  if (!arena) return "no arena";
  if (!arena->chunk_bytes) return "not initialised";
  for (const sw_arena_chunk *c = arena->chunks; c; c = c->older) {
    if (c->used > c->room) return "more of a chunk is used than it has";
    used += c->used;
  }
  if (used != arena->used) return "what its chunks hold is not what it counts";
  return arena->used > arena->peak ? "its peak is lower than its use" : NULL;
}
#endif
