/* Fault injection for one test program, by interposition: the program's own
 * malloc family and file calls stand before those of the C library, for every
 * library it uses. Arm a fault, run something, and see where the counters are.
 *   inject_memory(n)       the n-th allocation from now fails
 *   inject_file(call, n, how)  the n-th such call fails with errno `how`
 *                          (0: a short write)
 *   inject_end()           disarms; 1 when the fault was reached
 *   inject_live            blocks allocated and not freed
 * Included by exactly one file. Not usable under sanitizers, which interpose
 * the same calls. */
#ifndef TESTS_INJECT_H
#define TESTS_INJECT_H
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static _Atomic long inject_live, inject_left = -1;
static _Atomic int inject_hit;
enum { INJECT_WRITE, INJECT_FSYNC, INJECT_RENAME, INJECT_CLOSE, INJECT_CALLS };
static _Atomic long inject_calls_left[INJECT_CALLS] = {-1, -1, -1, -1};
static int inject_how;

/* Does this call fail? Counts down while armed. */
static int due(_Atomic long *left) {
  if (atomic_load(left) < 0) return 0;
  if (atomic_fetch_sub(left, 1) != 0) return 0;
  atomic_store(left, -1);
  atomic_store(&inject_hit, 1);
  return 1;
}

static void inject_memory(long n) {
  atomic_store(&inject_hit, 0);
  atomic_store(&inject_left, n);
}

static void inject_file(int call, long n, int how) {
  inject_how = how;
  atomic_store(&inject_hit, 0);
  atomic_store(&inject_calls_left[call], n);
}

static int inject_end(void) {
  atomic_store(&inject_left, -1);
  for (int i = 0; i < INJECT_CALLS; i++)
    atomic_store(&inject_calls_left[i], -1);
  return atomic_load(&inject_hit);
}

static void *counted(void *block) {
  if (block) atomic_fetch_add(&inject_live, 1);
  else errno = ENOMEM;
  return block;
}

void *malloc(size_t bytes) {
  return counted(due(&inject_left) ? NULL : __libc_malloc(bytes));
}
void *calloc(size_t count, size_t bytes) {
  return counted(due(&inject_left) ? NULL : __libc_calloc(count, bytes));
}
void *realloc(void *block, size_t bytes) {
  if (!block) return malloc(bytes);
  if (due(&inject_left)) return errno = ENOMEM, NULL;
  return __libc_realloc(block, bytes);
}
void *aligned_alloc(size_t unit, size_t bytes) {
  return counted(due(&inject_left) ? NULL : __libc_memalign(unit, bytes));
}
int posix_memalign(void **block, size_t unit, size_t bytes) {
  *block = aligned_alloc(unit, bytes);
  return *block ? 0 : ENOMEM;
}
void free(void *block) {
  if (block) atomic_fetch_sub(&inject_live, 1);
  __libc_free(block);
}

/* The C library's own call, looked up once. */
static void *next_of(_Atomic(void *) *kept, const char *name) {
  void *found = atomic_load(kept);
  if (!found) atomic_store(kept, found = dlsym(RTLD_NEXT, name));
  return found;
}
#define NEXT(name)             \
  static _Atomic(void *) kept; \
  __typeof__(name) *next;      \
  *(void **)(&next) = next_of(&kept, #name)

ssize_t write(int fd, const void *data, size_t bytes) {
  NEXT(write);
  if (due(&inject_calls_left[INJECT_WRITE])) {
    if (inject_how) return errno = inject_how, -1;
    bytes = (bytes + 1) / 2;
  }
  return next(fd, data, bytes);
}
int fsync(int fd) {
  NEXT(fsync);
  if (due(&inject_calls_left[INJECT_FSYNC])) return errno = inject_how, -1;
  return next(fd);
}
int rename(const char *from, const char *to) {
  NEXT(rename);
  if (due(&inject_calls_left[INJECT_RENAME])) return errno = inject_how, -1;
  return next(from, to);
}
int close(int fd) {
  NEXT(close);
  int code = next(fd);
  if (due(&inject_calls_left[INJECT_CLOSE])) return errno = inject_how, -1;
  return code;
}

#endif
