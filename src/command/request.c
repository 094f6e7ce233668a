/* Requests (see request.h). */
#include "command/request.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/text.h"
#include "command/commands.h"

static int add(sw_request *r, const char *text, sw_err *err) {
  char *copy = strdup(text);
  if (!copy || !sw_grow(&r->text, &r->room, r->count + 1, sizeof *r->text)) {
    free(copy);
    return sw_no_memory(err);
  }
  r->text[r->count++] = copy;
  return SW_OK;
}

/* "--name=value"; without a value "--name". */
static int add_option(sw_request *r, const char *name, const char *value,
                      sw_err *err) {
  size_t room = strlen(name) + (value ? strlen(value) : 0) + 4;
  char *text = malloc(room);
  if (!text) return sw_no_memory(err);
  snprintf(text, room, "--%s%s%s", name, value ? "=" : "", value ? value : "");
  int code = add(r, text, err);
  free(text);
  return code;
}

/* NULL: the value is a list or an object. */
static const char *scalar_text(const json_t *value, char *buffer, size_t room) {
  if (json_is_string(value)) return json_string_value(value);
  if (json_is_integer(value))
    snprintf(buffer, room, "%lld", (long long)json_integer_value(value));
  else if (json_is_real(value))
    sw_real_text(buffer, room, 17, json_real_value(value));
  else if (json_is_boolean(value))
    snprintf(buffer, room, "%d", json_is_true(value));
  else return NULL;
  return buffer;
}

static int add_value(sw_request *r, const char *name, const char *key,
                     const json_t *value, sw_err *err) {
  char number[64];
  const char *text = scalar_text(value, number, sizeof number);
  if (!text)
    return sw_fail(err, SW_USAGE, "--%.80s: a value is a text, number or flag",
                   name);
  if (!key) return add_option(r, name, text, err);
  size_t room = strlen(key) + strlen(text) + 2;
  char *pair = malloc(room);
  if (!pair) return sw_no_memory(err);
  snprintf(pair, room, "%s=%s", key, text);
  int code = add_option(r, name, pair, err);
  free(pair);
  return code;
}

static int add_values(sw_request *r, const char *name, json_t *value,
                      sw_err *err) {
  size_t at;
  const char *key;
  json_t *one;
  if (!*name ||
      strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != strlen(name))
    return sw_fail(err, SW_USAGE, "`%.80s` is no name of an option", name);
  if (json_is_null(value)) return SW_OK;
  if (json_is_array(value)) {
    json_array_foreach(value, at, one)
        SW_TRY(add_value(r, name, NULL, one, err));
    return SW_OK;
  }
  if (!json_is_object(value)) return add_value(r, name, NULL, value, err);
  json_object_foreach(value, key, one)
      SW_TRY(add_value(r, name, key, one, err));
  return SW_OK;
}

static int add_words(sw_request *r, const json_t *words, sw_err *err) {
  size_t at;
  const json_t *word;
  char number[64];
  if (!words || json_is_null(words)) return SW_OK;
  if (!json_is_array(words))
    return sw_fail(err, SW_USAGE, "a request's `args` is an array");
  SW_TRY(add(r, "--", err)); /* whatever they begin with */
  json_array_foreach(words, at, word) {
    const char *text = scalar_text(word, number, sizeof number);
    if (!text)
      return sw_fail(err, SW_USAGE, "argument %d is no text", (int)at + 1);
    SW_TRY(add(r, text, err));
  }
  return SW_OK;
}

/* "bench train" is the command bench_train. */
static int is_program_only(const char *wanted) {
  static const char *const id[] = {
#define X(id)
#define P(id) #id,
      SW_COMMANDS(X, P)
#undef P
#undef X
  };
  for (size_t i = 0; i < sizeof id / sizeof *id; i++) {
    size_t same = 0;
    while (wanted[same] && (wanted[same] == id[i][same] ||
                            (wanted[same] == ' ' && id[i][same] == '_')))
      same++;
    if (!wanted[same] && !id[i][same]) return 1;
  }
  return 0;
}

static int find_command(sw_request *r, const json_t *name, sw_err *err) {
  const char *names[128], *wanted = json_string_value(name);
  int count = 0;
  if (!wanted) return sw_fail(err, SW_USAGE, "a request names its `command`");
  r->command = sw_command_find(sw_commands, wanted);
  if (r->command) return SW_OK;
  for (; sw_commands[count] && count < 128; count++)
    names[count] = sw_commands[count]->name;
  sw_fail(err, SW_USAGE, "\"%.60s\" is not a command", wanted);
  if (is_program_only(wanted))
    return sw_hint(err, "only the program has it: statewise %s", wanted);
  const char *near = sw_nearest(wanted, names, count);
  if (near) return sw_hint(err, "did you mean \"%s\"?", near);
  return sw_hint(err, "statewise_commands() lists them");
}

static int fill(sw_request *r, json_t *root, sw_err *err) {
  const char *key;
  json_t *value;
  json_object_foreach(root, key, value) {
    if (strcmp(key, "command") && strcmp(key, "args") && strcmp(key, "options"))
      return sw_fail(err, SW_USAGE,
                     "a request has command, args and options, not `%.60s`",
                     key);
  }
  SW_TRY(find_command(r, json_object_get(root, "command"), err));
  SW_TRY(add(r, r->command->name, err));
  json_t *options = json_object_get(root, "options");
  if (options && !json_is_null(options) && !json_is_object(options))
    return sw_fail(err, SW_USAGE, "a request's `options` is an object");
  json_object_foreach(options, key, value)
      SW_TRY(add_values(r, key, value, err));
  SW_TRY(add(r, "--json", err));
  SW_TRY(add_words(r, json_object_get(root, "args"), err));
  r->argv = calloc((size_t)r->count + 1, sizeof *r->argv);
  if (!r->argv) return sw_no_memory(err);
  for (int i = 0; i < r->count; i++) r->argv[i] = r->text[i];
  r->argc = r->count;
  return SW_OK;
}

int sw_request_parse(sw_request *request, const char *json, sw_err *err) {
  json_error_t why;
  memset(request, 0, sizeof *request);
  json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, &why);
  if (!root && json_error_code(&why) == json_error_out_of_memory)
    return sw_no_memory(err);
  if (!root)
    return sw_fail(err, SW_USAGE, "the request is no JSON: %s", why.text);
  int code = json_is_object(root)
                 ? fill(request, root, err)
                 : sw_fail(err, SW_USAGE, "the request is no JSON object");
  json_decref(root);
  if (code) sw_request_free(request);
  return code;
}

void sw_request_free(sw_request *request) {
  for (int i = 0; i < request->count; i++) free(request->text[i]);
  free(request->text);
  free(request->argv);
  memset(request, 0, sizeof *request);
}
