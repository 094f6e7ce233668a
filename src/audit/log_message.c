/* Recorded messages in the chat API's shape (see logs_inside.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "audit/logs_inside.h"
#include "base/file.h"

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

/* Thinking is not sent again, and calls are stored elsewhere. */
static int is_left_out(const char *kind) {
  static const char *const kinds[] = {"reasoning", "thinking", "tool_use",
                                      "redacted_thinking"};
  for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(kind, kinds[i])) return 1;
  return 0;
}

/* A part that is not text: a picture in the chat API's shape, else its name. */
static json_t *part_of(const json_t *part) {
  const char *kind = text(part, "type"), *words = text(part, "text");
  const char *image = text(part, "image");
  if (json_is_string(part)) words = json_string_value(part);
  if (words) return json_pack("{s:s, s:s}", "type", "text", "text", words);
  if (image)
    return json_pack("{s:s, s:{s:s}}", "type", "image_url", "image_url", "url",
                     image);
  if (kind && !strcmp(kind, "image_url")) return json_deep_copy(part);
  return json_pack("{s:s, s:o}", "type", "text", "text",
                   json_sprintf("[%s]", kind ? kind : "part"));
}

/* Parts that are all texts as one text. */
static json_t *joined(const json_t *parts) {
  size_t i, bytes = 0;
  char *all = NULL;
  json_t *part;
  FILE *out = open_memstream(&all, &bytes);
  if (!out) return NULL;
  json_array_foreach((json_t *)(uintptr_t)parts, i, part) {
    const char *words = text(part, "text");
    if (json_is_string(part)) words = json_string_value(part);
    fprintf(out, "%s%s", ftell(out) > 0 ? "\n" : "", words ? words : "");
  }
  json_t *value = sw_memory_close(out, &all) ? json_string(all) : NULL;
  free(all);
  return value;
}

static json_t *content_of(const json_t *value) {
  size_t i;
  int all_texts = 1;
  json_t *part, *kept;
  if (json_is_string(value)) return json_incref((json_t *)(uintptr_t)value);
  if (!json_is_array(value)) return json_null();
  kept = json_array();
  json_array_foreach((json_t *)(uintptr_t)value, i, part) {
    if (is_left_out(text(part, "type"))) continue;
    all_texts &= json_is_string(part) || text(part, "text");
    json_array_append_new(kept, part_of(part));
  }
  json_t *out = all_texts ? joined(kept) : json_incref(kept);
  json_decref(kept);
  return out;
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
    const char *wrong = text(json_object_get(source, "error"), "message");
    if (!of) of = text(source, "function");
    /* Inspect tells the model this instead of what the tool returned. */
    if (wrong)
      json_object_set_new(out, "content", json_sprintf("Error: %s", wrong));
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

json_t *sw_log_definition(const json_t *t) {
  const char *name = text(t, "name");
  const json_t *parameters = json_object_get(t, "parameters");
  if (!parameters) parameters = json_object_get(t, "input_schema");
  if (json_is_object(json_object_get(t, "function"))) return json_deep_copy(t);
  if (!name) return NULL;
  json_t *function = json_pack("{s:s}", "name", name);
  json_object_set(function, "description", json_object_get(t, "description"));
  json_object_set(function, "parameters", (json_t *)(uintptr_t)parameters);
  return json_pack("{s:s, s:o}", "type", "function", "function", function);
}

json_t *sw_log_told(const json_t *m) {
  const char *said = text(m, "content");
  const char *role = text(m, "role");
  char *all = NULL;
  size_t bytes, i;
  json_t *call, *out = NULL;
  FILE *to = open_memstream(&all, &bytes);
  if (!to) return NULL;
  if (said) fputs(said, to);
  json_array_foreach(json_object_get(m, "tool_calls"), i, call) {
    const json_t *function = json_object_get(call, "function");
    const char *name = text(function, "name"),
               *with = text(function, "arguments");
    fprintf(to, "%s[calls %s %s]", ftell(to) > 0 ? "\n" : "", name ? name : "",
            with ? with : "");
  }
  if (sw_memory_close(to, &all))
    out = sw_message_json(
        role && !strcmp(role, "assistant") ? "assistant" : "user", all);
  free(all);
  return out;
}
