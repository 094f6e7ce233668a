/* See json_read.h. A failed allocation leaves ENOMEM in errno, whatever the
 * parser makes of it. */
#include "base/json_read.h"
#include <errno.h>

int sw_json_read(json_t **value, const char *text, size_t bytes, size_t flags,
                 json_error_t *why) {
  json_error_t unused;
  errno = 0;
  *value = json_loadb(text, bytes, flags, why ? why : &unused);
  if (*value) return SW_OK;
  return errno == ENOMEM ? SW_MEMORY : SW_DATA;
}
