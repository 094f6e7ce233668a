/* Collecting conversations (see logs_inside.h): messages in one shape, each
 * held once; tools; and which conversations are parts of one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "audit/logs_inside.h"
#include "base/hash.h"

enum { SHORT_TEXT = 60, MESSAGES_MOST = 5000000 };
typedef sw_log_collected collecting;

/* Is this new, and can it be a choice (one line, not empty)? */
static int is_new_name(const char *name, const json_t *names) {
  return name && *name && !name[strcspn(name, "\r\n")] &&
         !json_object_get(names, name);
}

static void note_decision(collecting *c, const json_t *m) {
  const char *tool = sw_log_tool(m);
  const char *text = json_string_value(json_object_get(m, "content"));
  if (is_new_name(tool, c->tools))
    json_object_set_new(c->tools, tool, json_true());
  if (tool) return;
  if (text && strlen(text) <= SHORT_TEXT && *text && !strchr(text, '\n'))
    json_object_set_new(c->texts, text, json_true());
  else json_object_set_new(c->texts, "", json_true());
}

/* The value with the texts that its references name; a new reference. A text
 * is not copied, however often it is named. */
static json_t *attach(const json_t *value, const json_t *attachments) {
  static const char *const begins[] = {"attachment://", "tc://"};
  size_t i;
  const char *key, *text = json_string_value(value);
  json_t *inner, *out;
  for (i = 0; i < 2 && text; i++)
    if (!strncmp(text, begins[i], strlen(begins[i]))) {
      inner = json_object_get(attachments, text + strlen(begins[i]));
      if (json_is_string(inner)) return json_incref(inner);
    }
  if (json_is_array(value)) {
    out = json_array();
    json_array_foreach((json_t *)(uintptr_t)value, i, inner)
        json_array_append_new(out, attach(inner, attachments));
    return out;
  }
  if (!json_is_object(value)) return json_incref((json_t *)(uintptr_t)value);
  out = json_object();
  json_object_foreach((json_t *)(uintptr_t)value, key, inner)
      json_object_set_new_nocheck(out, key, attach(inner, attachments));
  return out;
}

static uint64_t hash_of(const json_t *value, uint64_t seed) {
  char *text =
      json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
  uint64_t hash = text ? sw_xxh64(text, strlen(text), seed) : seed;
  free(text);
  return hash;
}

static void name_hash(uint64_t hash, char name[20]) {
  snprintf(name, 20, "%016llx", (unsigned long long)hash);
}

/* The message in the chat API's shape, a new reference; NULL: it is none. */
static json_t *shared_message(collecting *c, const json_t *recorded,
                              const json_t *attachments) {
  char name[20];
  name_hash(hash_of(recorded, 0), name);
  json_t *known = json_object_get(c->seen, name);
  if (known) return json_incref(known);
  json_t *whole = attach(recorded, attachments);
  json_t *message = sw_log_message(whole);
  json_decref(whole);
  if (message) json_object_set(c->seen, name, message);
  return message;
}

static json_t *definitions(collecting *c, const sw_log_conversation *one) {
  size_t i;
  json_t *t, *list = json_array(), *names = json_object();
  json_array_foreach((json_t *)(uintptr_t)one->tools, i, t) {
    json_t *whole = attach(t, one->attachments);
    json_t *definition = sw_log_definition(whole);
    const char *name = json_string_value(
        json_object_get(json_object_get(definition, "function"), "name"));
    if (is_new_name(name, names)) {
      json_object_set_new(names, name, json_true());
      json_array_append(list, definition);
    }
    json_decref(definition);
    json_decref(whole);
  }
  json_object_update(c->tools, names);
  json_decref(names);
  return list;
}

/* A conversation that continues an earlier one (it begins with its messages and
 * answer) takes the group of that one. Else it gets a new group. */
static void find_group(collecting *c, const json_t *messages, char *group,
                       size_t room) {
  uint64_t hash = 0;
  char name[20];
  size_t i;
  json_t *m;
  snprintf(group, room, "conversation %zu", json_array_size(c->list) + 1);
  json_array_foreach(messages, i, m) {
    hash = hash_of(m, hash);
    name_hash(hash, name);
    const char *known = json_string_value(json_object_get(c->ends, name));
    if (known) snprintf(group, room, "%s", known);
  }
  json_object_set_new(c->ends, name, json_string(group));
}

static json_t *shared_messages(collecting *c, const sw_log_conversation *one) {
  json_t *messages = json_array(), *m, *recorded;
  size_t i;
  if (json_array_size(one->messages) + (size_t)c->messages > MESSAGES_MOST)
    return messages;
  json_array_foreach((json_t *)(uintptr_t)one->messages, i, recorded) {
    m = shared_message(c, recorded, one->attachments);
    if (m) json_array_append_new(messages, m);
    else c->counts->lost++;
  }
  return messages;
}

int sw_log_collect(sw_log_collected *c, const sw_log_conversation *one) {
  json_t *messages = shared_messages(c, one), *m;
  size_t i;
  char id[80], group[96];
  json_t *last = one->answer && json_array_size(messages)
                     ? shared_message(c, one->answer, one->attachments)
                     : NULL;
  if (last) json_array_append_new(messages, last);
  if (!json_array_size(messages) ||
      (one->answer && (!last || !sw_log_is_assistant(last)))) {
    json_decref(messages);
    return 0;
  }
  json_array_foreach(messages, i, m) if (sw_log_is_assistant(m))
      note_decision(c, m);
  snprintf(id, sizeof id, "%.60s", one->id ? one->id : "");
  if (one->group) snprintf(group, sizeof group, "%s", one->group);
  else find_group(c, messages, group, sizeof group);
  c->messages += (int64_t)json_array_size(messages);
  json_array_append_new(
      c->list, json_pack("{s:o, s:o, s:s, s:s, s:b}", "messages", messages,
                         "tools", definitions(c, one), "id", id, "group", group,
                         "last", one->answer != NULL));
  c->counts->conversations++;
  return 1;
}
