/* Reading members of JSON objects that other commands wrote. A member that is
 * absent or of another type gives the fallback. Inside src/report only. */
#ifndef SW_REPORT_READ_JSON_H
#define SW_REPORT_READ_JSON_H
#include <jansson.h>
#include <stdint.h>
#include "base/err.h"

/* NULL when there is no such file; SW_DATA when it is not one JSON object. */
int sw_read_json(const char *path, json_t **object, sw_err *err);
double sw_member_real(const json_t *object, const char *key, double fallback);
int64_t sw_member_int(const json_t *object, const char *key, int64_t fallback);
const char *sw_member_text(const json_t *object, const char *key,
                           const char *fallback);

#endif
