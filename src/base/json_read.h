/* Reading JSON (jansson), with out of memory told from damage: jansson itself
 * reports many failed allocations as syntax errors. Used by everything that
 * reads JSON. */
#ifndef SW_BASE_JSON_READ_H
#define SW_BASE_JSON_READ_H
#include <jansson.h>
#include "base/err.h"

/* SW_OK, SW_DATA (why->text says what is wrong) or SW_MEMORY; no error text is
 * written. *value is NULL unless SW_OK; json_decref() it. `flags` are
 * jansson's; `why` may be NULL. */
int sw_json_read(json_t **value, const char *text, size_t bytes, size_t flags,
                 json_error_t *why);

/* Foreign JSON that may hold `most` values at most (names of members count
 * too): SW_LIMIT beyond, before anything is built of it. */
int sw_json_read_bounded(json_t **value, const char *text, size_t bytes,
                         int64_t most);

#endif
