/* See json_read.h. A failed allocation leaves ENOMEM in errno, whatever the
 * parser makes of it. */
#include "base/json_read.h"
#include <errno.h>

/* An upper bound of the values in a JSON text: each follows one of these. */
static int64_t values(const char *text, size_t bytes) {
  int64_t count = 1;
  for (size_t i = 0; i < bytes; i++) {
    if (text[i] == '"') {
      for (i++; i < bytes && text[i] != '"'; i++)
        if (text[i] == '\\') i++;
    } else {
      count +=
          text[i] == ',' || text[i] == ':' || text[i] == '[' || text[i] == '{';
    }
  }
  return count;
}

int sw_json_read_bounded(json_t **value, const char *text, size_t bytes,
                         int64_t most) {
  *value = NULL;
  if (values(text, bytes) > most) return SW_LIMIT;
  return sw_json_read(value, text ? text : "", bytes, 0, NULL);
}

int sw_json_read(json_t **value, const char *text, size_t bytes, size_t flags,
                 json_error_t *why) {
  json_error_t unused;
  errno = 0;
  *value = json_loadb(text, bytes, flags, why ? why : &unused);
  if (*value) return SW_OK;
  return errno == ENOMEM ? SW_MEMORY : SW_DATA;
}
