/* JSON files of other commands (see read_json.h). */
#include "report/read_json.h"
#include <stdlib.h>
#include "base/file.h"

int sw_read_json(const char *path, json_t **object, sw_err *err) {
  *object = NULL;
  if (!sw_path_exists(path)) return SW_OK;
  char *text;
  size_t bytes;
  json_error_t why;
  SW_TRY(sw_read_file(path, (size_t)64 << 20, &text, &bytes, err));
  *object = json_loadb(text, bytes, 0, &why);
  free(text);
  if (!*object)
    return sw_fail(err, SW_DATA, "%s:%d: %s", path, why.line, why.text);
  if (json_is_object(*object)) return SW_OK;
  json_decref(*object);
  *object = NULL;
  return sw_fail(err, SW_DATA, "%s: not a JSON object", path);
}

double sw_member_real(const json_t *object, const char *key, double fallback) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : fallback;
}
int64_t sw_member_int(const json_t *object, const char *key, int64_t fallback) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? (int64_t)json_number_value(value) : fallback;
}
const char *sw_member_text(const json_t *object, const char *key,
                           const char *fallback) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : fallback;
}
