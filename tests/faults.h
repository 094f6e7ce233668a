/* Faults at every site of a piece of work, for the test programs that include
 * this (after nothing else): an allocation that fails, a write, sync, rename or
 * close that does, and death before each call that changes a file, one after
 * the other. After each: an error that says so (or the right result, where the
 * call was not needed), no block and no file left behind, and the same work
 * then succeeds with the same result. The number of sites is printed. Under a
 * sanitizer, which stands before the same calls, NO_INJECTION is defined. */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include "inject.h"
#else
#define NO_INJECTION 1
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "base/file.h"
#include "base/hash.h"

#ifndef NO_INJECTION

typedef struct work {
  const char *name;
  int (*run)(uint64_t *result, sw_err *err); /* result: a digest, never 0 */
  void (*clean)(void);                       /* as if it had never run */
} work;
static char *watched[3]; /* directories in which no temporary may stay */

static inline uint64_t digest_of(const char *path) {
  sw_content content;
  sw_err err;
  atomic_store(&inject_left, -1); /* the work itself is done */
  if (sw_content_read(&content, path, &err)) return 0;
  uint64_t hash = sw_xxh64(content.data, content.bytes, 0);
  sw_content_free(&content);
  return hash;
}

static int temporaries(void) {
  int count = 0;
  for (int i = 0; i < 3 && watched[i]; i++) {
    DIR *dir = opendir(watched[i]);
    for (struct dirent *e; dir && (e = readdir(dir));)
      count += strstr(e->d_name, ".tmp") != NULL;
    if (dir) closedir(dir);
  }
  return count;
}

/* Runs the work once under an armed fault; the sum of all checks. */
static void check_one(const work *w, uint64_t right, long site,
                      const char *kind, int want) {
  sw_err err = {0};
  uint64_t result = 0;
  long before = inject_live;
  int code = w->run(&result, &err);
  int reached = inject_end();
  if (reached && code && !err.text[0])
    fail_msg("%s, %s %ld: an error without a text", w->name, kind, site);
  if (code && code != want && code != SW_IO)
    fail_msg("%s, %s %ld: code %d: %s", w->name, kind, site, code, err.text);
  if (!code && result != right)
    fail_msg("%s, %s %ld: another result, %llu, not %llu", w->name, kind, site,
             (unsigned long long)result, (unsigned long long)right);
  /* Fewer is possible: open_memstream's buffer is not allocated here. CaDiCaL's
   * constructors lose what they had when they are out of memory. */
  if (inject_live > before && !inject_in_new)
    fail_msg("%s, %s %ld: %ld blocks left (%s)", w->name, kind, site,
             inject_live - before, err.text);
  if (temporaries())
    fail_msg("%s, %s %ld: a temporary left", w->name, kind, site);
}

/* The result without a fault, three times: the first run also fills what
 * libraries keep for ever. */
static uint64_t without_fault(const work *w) {
  sw_err err;
  uint64_t result[3] = {0};
  for (int i = 0; i < 3; i++) {
    w->clean();
    if (w->run(&result[i], &err)) fail_msg("%s: %s", w->name, err.text);
  }
  assert_true(result[0] && result[0] == result[1] && result[1] == result[2]);
  return result[0];
}

/* Once more, from whatever was left. */
static void succeeds(const work *w, uint64_t right, const char *after,
                     long site) {
  sw_err err = {0};
  uint64_t again = 0;
  if (w->run(&again, &err) || again != right)
    fail_msg("%s after %s %ld: %s", w->name, after, site,
             err.text[0] ? err.text : "another result");
  if (temporaries())
    fail_msg("%s after %s %ld: a temporary left", w->name, after, site);
}

static inline void faults_of_memory(const work *w) {
  uint64_t right = without_fault(w);
  long site = 0;
  for (int reached = 1; reached; site += reached) {
    w->clean();
    inject_memory(site);
    check_one(w, right, site, "allocation", SW_MEMORY);
    reached = inject_hit;
  }
  w->clean();
  succeeds(w, right, "allocation", site);
  w->clean();
  print_message("%s: %ld allocations failed, each once\n", w->name, site);
}

static inline void faults_of_files(const work *w) {
  static const struct {
    int call, how;
    const char *name;
  } kinds[] = {{INJECT_WRITE, ENOSPC, "write ENOSPC"},
               {INJECT_WRITE, EIO, "write EIO"},
               {INJECT_WRITE, EINTR, "write EINTR"},
               {INJECT_WRITE, 0, "short write"},
               {INJECT_FSYNC, EIO, "fsync EIO"},
               {INJECT_FSYNC, EINTR, "fsync EINTR"},
               {INJECT_RENAME, EIO, "rename EIO"},
               {INJECT_CLOSE, EIO, "close EIO"}};
  uint64_t right = without_fault(w);
  long sites = 0;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (long site = 0;; site++, sites++) {
      w->clean();
      inject_file(kinds[k].call, site, kinds[k].how);
      check_one(w, right, site, kinds[k].name, SW_IO);
      if (!inject_hit) break;
      succeeds(w, right, kinds[k].name, site);
    }
  w->clean();
  print_message("%s: %ld file faults\n", w->name, sites);
}

/* A child does the work and is killed; we then do it again. */
static inline void kills_of(const work *w) {
  uint64_t right = without_fault(w);
  long site = 0;
  for (int killed = 1; killed; site++) {
    sw_err err;
    uint64_t unused;
    int status;
    w->clean();
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
      inject_kill(site);
      _exit(w->run(&unused, &err) != SW_OK);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (!killed && (!WIFEXITED(status) || WEXITSTATUS(status)))
      fail_msg("%s, death %ld: status %x", w->name, site, status);
    succeeds(w, right, "death", site);
  }
  w->clean();
  print_message("%s: killed before each of %ld calls\n", w->name, site - 1);
}

#endif
#endif
