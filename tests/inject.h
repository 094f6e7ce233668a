/* Fault injection for one test program, by interposition: the program's own
 * malloc family and file calls stand before those of the C library, for every
 * library it uses. Arm a fault, run something, and see where the counters are.
 *   inject_memory(n)       the n-th allocation from now fails
 *   inject_file(call, n, how)  the n-th such call fails with errno `how`
 *                          (0: a short write)
 *   inject_kill(n)         SIGKILL before the n-th call that changes a file
 *   inject_end()           disarms; 1 when the fault was reached
 *   inject_live            blocks allocated and not freed
 * Included by exactly one file. Not usable under sanitizers, which interpose
 * the same calls. */
#ifndef TESTS_INJECT_H
#define TESTS_INJECT_H
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
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
static int inject_in_new; /* the allocation that failed was C++'s */
static _Atomic long inject_kill_left = -1;

/* Does this call fail? Counts down while armed. */
static int due(_Atomic long *left) {
  if (atomic_load(left) < 0) return 0;
  if (atomic_fetch_sub(left, 1) != 0) return 0;
  atomic_store(left, -1);
  atomic_store(&inject_hit, 1);
  return 1;
}

static void inject_memory(long n) {
  inject_in_new = 0;
  atomic_store(&inject_hit, 0);
  atomic_store(&inject_left, n);
}

static void inject_kill(long n) { atomic_store(&inject_kill_left, n); }

/* Before every call that changes a file. */
static void mortal(void) {
  if (due(&inject_kill_left)) raise(SIGKILL);
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

/* Where the code of two libraries lies, found once: the loader's own lookup
 * would take longer than the work that is tested. */
typedef struct inject_library {
  const char *name;
  uintptr_t begin, end;
} inject_library;
static inject_library inject_jansson = {"jansson", 0, 0},
                      inject_cxx = {"libstdc++", 0, 0};

static void inject_place(inject_library *l, const struct dl_phdr_info *info) {
  if (!strstr(info->dlpi_name, l->name)) return;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    l->begin = info->dlpi_addr + part->p_vaddr;
    l->end = l->begin + part->p_memsz;
  }
}
static int inject_object(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size;
  (void)unused;
  inject_place(&inject_jansson, info);
  inject_place(&inject_cxx, info);
  return 0;
}
__attribute__((constructor)) static void inject_libraries(void) {
  dl_iterate_phdr(inject_object, NULL);
}

/* jansson's reader asserts where its buffer cannot grow, and ends the process:
 * nothing that a caller could mend. Its allocations do not fail here. */
static int comes_from(const void *caller, const inject_library *l) {
  return (uintptr_t)caller >= l->begin && (uintptr_t)caller < l->end;
}
static int memory_fails(const void *caller) {
  if (atomic_load(&inject_left) < 0 || comes_from(caller, &inject_jansson))
    return 0;
  if (!due(&inject_left)) return 0;
  inject_in_new = comes_from(caller, &inject_cxx);
  return 1;
}
#define CALLER __builtin_return_address(0)

/* Seen by the shared libraries too, whatever the program is compiled with. */
#pragma GCC visibility push(default)
void *malloc(size_t bytes) {
  return counted(memory_fails(CALLER) ? NULL : __libc_malloc(bytes));
}
void *calloc(size_t count, size_t bytes) {
  return counted(memory_fails(CALLER) ? NULL : __libc_calloc(count, bytes));
}
void *realloc(void *block, size_t bytes) {
  int failing = memory_fails(CALLER);
  if (!block) return counted(failing ? NULL : __libc_malloc(bytes));
  if (failing) return errno = ENOMEM, NULL;
  return __libc_realloc(block, bytes);
}
void *aligned_alloc(size_t unit, size_t bytes) {
  return counted(memory_fails(CALLER) ? NULL : __libc_memalign(unit, bytes));
}
int posix_memalign(void **block, size_t unit, size_t bytes) {
  *block = aligned_alloc(unit, bytes);
  return *block ? 0 : ENOMEM;
}
void free(void *block) {
  if (block) atomic_fetch_sub(&inject_live, 1);
  __libc_free(block);
}

#pragma GCC visibility pop

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

/* How many bytes are written, or -1 with errno. */
static ssize_t allowed(size_t bytes) {
  mortal();
  if (!due(&inject_calls_left[INJECT_WRITE])) return (ssize_t)bytes;
  if (inject_how) return errno = inject_how, -1;
  return (ssize_t)(bytes + 1) / 2;
}
static int fails(int call) {
  mortal();
  if (!due(&inject_calls_left[call])) return 0;
  errno = inject_how;
  return 1;
}

#pragma GCC visibility push(default)
ssize_t write(int fd, const void *data, size_t bytes) {
  NEXT(write);
  ssize_t most = allowed(bytes);
  return most < 0 ? most : next(fd, data, (size_t)most);
}
ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t at) {
  NEXT(pwrite64); /* SQLite's */
  ssize_t most = allowed(bytes);
  return most < 0 ? most : next(fd, data, (size_t)most, at);
}
int fsync(int fd) {
  NEXT(fsync);
  return fails(INJECT_FSYNC) ? -1 : next(fd);
}
int fdatasync(int fd) {
  NEXT(fdatasync);
  return fails(INJECT_FSYNC) ? -1 : next(fd);
}
int rename(const char *from, const char *to) {
  NEXT(rename);
  return fails(INJECT_RENAME) ? -1 : next(from, to);
}
int unlink(const char *path) {
  NEXT(unlink);
  mortal();
  return next(path);
}
int close(int fd) {
  NEXT(close);
  mortal();
  int code = next(fd);
  return due(&inject_calls_left[INJECT_CLOSE]) ? (errno = inject_how, -1)
                                               : code;
}

#pragma GCC visibility pop

#endif
