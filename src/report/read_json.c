/* JSON files of other commands (see read_json.h). */
#include "report/read_json.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/json_read.h"

int sw_read_json(const char *path, json_t **object, sw_err *err) {
  *object = NULL;
  if (!sw_path_exists(path)) return SW_OK;
  char *text;
  size_t bytes;
  json_error_t why;
  SW_TRY(sw_read_file(path, (size_t)64 << 20, &text, &bytes, err));
  int code = sw_json_read(object, text, bytes, 0, &why);
  free(text);
  if (code == SW_MEMORY) return sw_no_memory_for(err, "%s", path);
  if (code) return sw_fail(err, SW_DATA, "%s:%d: %s", path, why.line, why.text);
  if (json_is_object(*object)) return SW_OK;
  json_decref(*object);
  *object = NULL;
  return sw_fail(err, SW_DATA, "%s: not a JSON object", path);
}

const json_t *sw_member(const json_t *object, const char *path) {
  while (object && *path) {
    char key[64];
    size_t length = strcspn(path, ".");
    if (length >= sizeof key) return NULL;
    memcpy(key, path, length);
    key[length] = 0;
    object = json_is_array(object)
                 ? json_array_get(object, (size_t)strtoul(key, NULL, 10))
                 : json_object_get(object, key);
    path += length + (path[length] == '.');
  }
  return object;
}

double sw_member_real(const json_t *object, const char *path, double fallback) {
  const json_t *value = sw_member(object, path);
  return json_is_number(value) ? json_number_value(value) : fallback;
}

int64_t sw_member_int(const json_t *object, const char *path,
                      int64_t fallback) {
  const json_t *value = sw_member(object, path);
  if (json_is_integer(value)) return json_integer_value(value);
  double real = json_is_real(value) ? json_real_value(value) : NAN;
  return fabs(real) < 9e15 ? (int64_t)real : fallback;
}

const char *sw_member_text(const json_t *object, const char *path,
                           const char *fallback) {
  const char *text = json_string_value(sw_member(object, path));
  return text ? text : fallback;
}

int sw_member_true(const json_t *object, const char *path) {
  return json_is_true(sw_member(object, path));
}
