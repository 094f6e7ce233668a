/* Streaming JSON writer to a FILE or a growing buffer. Commas and nesting are
 * kept by the writer; numbers print with enough digits to read back exactly;
 * NaN and infinities become null. A top-level value written to a FILE ends its
 * line, so callers add no newline. Reading uses jansson. */
#ifndef SW_BASE_JSON_H
#define SW_BASE_JSON_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct sw_json {
  FILE *stream; /* or NULL when writing to `text` */
  char *text;   /* malloc'd, NUL-terminated; sw_json_free releases it */
  size_t length, room;
  int depth, failed; /* failed: out of memory or a write error */
  unsigned char first[64];
} sw_json;
void sw_json_to_file(sw_json *json, FILE *stream);
void sw_json_to_text(sw_json *json);
void sw_json_free(sw_json *json);
void sw_json_object(sw_json *json, const char *key); /* key NULL in arrays */
void sw_json_array(sw_json *json, const char *key);
void sw_json_end(sw_json *json); /* closes the innermost object or array */
void sw_json_string(sw_json *json, const char *key, const char *value);
void sw_json_int(sw_json *json, const char *key, int64_t value);
void sw_json_real(sw_json *json, const char *key, double value);   /* %.17g */
void sw_json_float9(sw_json *json, const char *key, double value); /* %.9g */
void sw_json_bool(sw_json *json, const char *key, int value);
void sw_json_null(sw_json *json, const char *key);

#endif
