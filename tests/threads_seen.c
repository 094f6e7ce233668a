/* Stands before pthread_create in every test program and notes that the
 * program started a thread: it makes the file that STATEWISE_THREADS_SEEN
 * names. tests/run.sh then knows which tests `make tsan` needs. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                      void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*start)(void *), void *argument) {
  const char *path = getenv("STATEWISE_THREADS_SEEN");
  int file = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644) : -1;
  if (file >= 0) close(file);
  union { /* C has no cast from an object's pointer to a function's */
    void *object;
    create_fn *function;
  } next = {dlsym(RTLD_NEXT, "pthread_create")};
  return next.function(thread, attributes, start, argument);
}
