/* What the files of the public C API share: the model behind a handle, and how
 * each call begins. Errors are the caller's own struct, seen as a sw_err. */
#ifndef SW_API_INNER_H
#define SW_API_INNER_H
#include <string.h>
#include "nn/nn.h"
#include "search/ask.h"
#include "search/loaded.h"
#include "statewise.h"

struct statewise {
  sw_loaded loaded;
  sw_team *team;
  sw_asker *asker; /* the full path */
};

static inline sw_err *api_error(statewise_error *error) {
  if (error) memset(error, 0, sizeof *error);
  return (sw_err *)(void *)error;
}

/* The first three pointers of a call; a call with fewer repeats one. */
static inline int api_need(sw_err *err, const char *function, const void *a,
                           const void *b, const void *c) {
  if (a && b && c) return SW_OK;
  sw_fail(err, SW_USAGE, "%s: argument %d is NULL", function,
          !a   ? 1
          : !b ? 2
               : 3);
  return sw_hint(err, "only the error may be NULL");
}

/* The kernels flush denormals to zero on every thread that runs them; the
 * caller's thread gets its own mode back when the call ends. */
static inline void api_put_back(const unsigned *mode) {
  nn_restore_float_mode(*mode);
}
#define KEEP_FLOAT_MODE                                              \
  __attribute__((cleanup(api_put_back))) const unsigned float_mode = \
      nn_float_mode();                                               \
  (void)float_mode

static inline int api_reads_tokens(const statewise *model) {
  return !strcmp(model->loaded.model->family->reads, "tokens");
}

#endif
