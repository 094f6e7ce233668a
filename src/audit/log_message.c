/* Recorded messages in the chat API's shape (see logs_inside.h). */
#include <stdlib.h>
#include <string.h>
#include "audit/logs_inside.h"

static const char *text(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static const char *role_of(const char *name) {
  static const struct {
    const char *from, *to;
  } rows[] = {{"system", "system"},       {"SystemMessage", "system"},
              {"developer", "system"},    {"user", "user"},
              {"human", "user"},          {"HumanMessage", "user"},
              {"assistant", "assistant"}, {"ai", "assistant"},
              {"AIMessage", "assistant"}, {"AIMessageChunk", "assistant"},
              {"tool", "tool"},           {"ToolMessage", "tool"},
              {"function", "tool"}};
  for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(name, rows[i].from)) return rows[i].to;
  return NULL;
}

/* A text; parts that are all texts are put together; thinking is left out. */
static json_t *content_of(const json_t *value) {
  size_t i, bytes = 0;
  json_t *part, *joined = json_string("");
  if (!json_is_array(value)) {
    json_decref(joined);
    return json_is_string(value) ? json_incref((json_t *)(uintptr_t)value)
                                 : json_null();
  }
  json_array_foreach((json_t *)(uintptr_t)value, i, part) {
    const char *kind = text(part, "type"), *words = text(part, "text");
    if (json_is_string(part)) words = json_string_value(part);
    if (kind && (!strcmp(kind, "reasoning") || !strcmp(kind, "thinking") ||
                 !strcmp(kind, "tool_use")))
      continue;
    if (!words) {
      json_decref(joined);
      return json_deep_copy(value);
    }
    json_t *longer = json_sprintf("%s%s%s", json_string_value(joined),
                                  bytes ? "\n" : "", words);
    json_decref(joined);
    joined = longer;
    bytes += strlen(words) + 1;
    if (!joined) return NULL;
  }
  return joined;
}

static json_t *arguments_of(const json_t *value) {
  if (json_is_string(value)) return json_incref((json_t *)(uintptr_t)value);
  char *dumped =
      value ? json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
  json_t *out = json_string(dumped ? dumped : "{}");
  free(dumped);
  return out;
}

static json_t *call_of(const json_t *call) {
  const json_t *function = json_object_get(call, "function");
  const char *id = text(call, "id");
  const char *name = json_is_object(function)   ? text(function, "name")
                     : json_is_string(function) ? json_string_value(function)
                                                : text(call, "name");
  const json_t *arguments = json_is_object(function)
                                ? json_object_get(function, "arguments")
                                : json_object_get(call, "arguments");
  if (!arguments) arguments = json_object_get(call, "args");
  if (!name) return NULL;
  return json_pack("{s:s, s:s, s:{s:s, s:o}}", "id", id ? id : "call", "type",
                   "function", "function", "name", name, "arguments",
                   arguments_of(arguments));
}

static json_t *calls_of(const json_t *source) {
  const json_t *list = json_object_get(source, "tool_calls");
  json_t *out = json_array(), *call;
  size_t i;
  if (!json_array_size(list))
    list = json_object_get(json_object_get(source, "additional_kwargs"),
                           "tool_calls");
  json_array_foreach((json_t *)(uintptr_t)list, i, call) {
    json_t *one = call_of(call);
    if (one) json_array_append_new(out, one);
  }
  return out;
}

json_t *sw_log_message(const json_t *m) {
  const json_t *source = m, *inner;
  const json_t *id = json_object_get(m, "id");
  const char *name = text(m, "role");
  if (!name) name = text(m, "type");
  if (json_is_object(inner = json_object_get(m, "kwargs"))) {
    source = inner;
    name = json_string_value(json_array_get(id, json_array_size(id) - 1));
  } else if (json_is_object(inner = json_object_get(m, "data"))) {
    source = inner;
  }
  const char *role = role_of(name);
  if (!role) return NULL;
  json_t *calls = calls_of(source);
  json_t *content = content_of(json_object_get(source, "content"));
  json_t *out = json_pack("{s:s, s:o}", "role", role, "content", content);
  if (out && json_array_size(calls) && !strcmp(role, "assistant"))
    json_object_set(out, "tool_calls", calls);
  else if (out && json_is_null(content))
    json_object_set_new(out, "content", json_string(""));
  json_decref(calls);
  if (out && !strcmp(role, "tool")) {
    const char *call = text(source, "tool_call_id"), *of = text(source, "name");
    json_object_set_new(out, "tool_call_id", json_string(call ? call : "call"));
    if (of) json_object_set_new(out, "name", json_string(of));
  }
  return out;
}

const char *sw_log_tool(const json_t *message) {
  const json_t *call =
      json_array_get(json_object_get(message, "tool_calls"), 0);
  return text(json_object_get(call, "function"), "name");
}
