/* Domain options from files (see stored.h). */
#include "domains/stored.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/grow.h"
#include "base/text.h"

/* A member as text; NULL: null, the default. */
static const char *text_of(const json_t *value, char *number, size_t room) {
  if (json_is_string(value)) return json_string_value(value);
  if (json_is_integer(value))
    snprintf(number, room, "%lld", (long long)json_integer_value(value));
  else if (json_is_real(value))
    sw_real_text(number, room, 17, json_real_value(value));
  else if (json_is_boolean(value))
    snprintf(number, room, "%d", json_is_true(value));
  else return NULL;
  return number;
}

static int keep(sw_stored *s, const char *text, const char **kept,
                sw_err *err) {
  char *copy = NULL;
  if (!sw_grow(&s->text, &s->room, s->count + 1, sizeof *s->text) ||
      !(copy = strdup(text)))
    return sw_no_memory(err);
  *kept = s->text[s->count++] = copy;
  return SW_OK;
}

int sw_stored_blame(int code, const char *path, sw_err *err) {
  if (code == SW_OK || code == SW_MEMORY) return code;
  if (code == SW_USAGE) code = SW_DATA;
  sw_context(err, "%s: domain_options", path);
  if (err) err->code = code;
  return code;
}

int sw_stored_read(sw_stored *s, const sw_domain *domain, const char *text,
                   const char *path, sw_domain_options *options, sw_err *err) {
  json_t *root;
  if (sw_json_read(&root, text, strlen(text), JSON_REJECT_DUPLICATES, NULL) ==
      SW_MEMORY)
    return sw_no_memory_for(err, "%s", path);
  if (!json_is_object(root)) {
    json_decref(root);
    return sw_fail(err, SW_DATA, "%s: domain_options is not a JSON object",
                   path);
  }
  const char *key, *kept = NULL;
  json_t *value;
  int code = SW_OK;
  json_object_foreach(root, key, value) {
    char number[64];
    const char *as_text = text_of(value, number, sizeof number);
    if (!as_text) continue;
    /* A file must not choose which other files are read. */
    if (!strcmp(key, "grammar") && *as_text) as_text = SW_PATH_WITHHELD;
    code = keep(s, as_text, &kept, err);
    if (!code) code = sw_domain_set_stored(domain, key, kept, options, err);
    if (code) break;
  }
  json_decref(root);
  return sw_stored_blame(code, path, err);
}

void sw_stored_free(sw_stored *s) {
  for (int i = 0; i < s->count; i++) free(s->text[i]);
  free(s->text);
  memset(s, 0, sizeof *s);
}
