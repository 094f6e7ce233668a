/* Reading members of JSON objects that other commands wrote. A member that is
 * absent or of another type gives the fallback. Paths are dotted
 * ("cumulative.auroc", "interval.0"). Inside src/report and src/repro. */
#ifndef SW_REPORT_READ_JSON_H
#define SW_REPORT_READ_JSON_H
#include <jansson.h>
#include <stdint.h>
#include "base/err.h"

/* NULL when there is no such file; SW_DATA when it is not one JSON object. */
int sw_read_json(const char *path, json_t **object, sw_err *err);
/* The value at a dotted path, or NULL. */
const json_t *sw_member(const json_t *object, const char *path);
double sw_member_real(const json_t *object, const char *path, double fallback);
/* Numbers that no int64_t holds give the fallback. */
int64_t sw_member_int(const json_t *object, const char *path, int64_t fallback);
const char *sw_member_text(const json_t *object, const char *path,
                           const char *fallback);
int sw_member_true(const json_t *object, const char *path);

#endif
