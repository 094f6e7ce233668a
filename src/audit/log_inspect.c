/* Samples of Inspect's logs (see logs.h). Of a sample these members are read:
 *
 *   id, messages           the conversation, where no model was called
 *   events                 those with "event": "model" hold "input", "tools"
 *                          and "output": a finished decision each
 *   attachments            texts by hash; a text over 100 characters in an
 *                          event is "attachment://HASH" instead
 *   events_data.messages   newer logs: all messages once; an event's
 *   (or message_pool)      "input_refs" are pairs [from, to) of places in it
 *
 * A sample of log version 3 is spread over several members; it is counted as
 * not read (logs.c). */
#include <stdio.h>
#include <string.h>
#include "audit/logs_inside.h"

enum { INPUT_MOST = 100000 };

static const json_t *pool_of(const json_t *sample) {
  const json_t *pool =
      json_object_get(json_object_get(sample, "events_data"), "messages");
  return pool ? pool : json_object_get(sample, "message_pool");
}

/* The messages of a range of the pool; 0: there is no such range. */
static int append_range(json_t *list, const json_t *pool, const json_t *range) {
  const json_t *from = json_array_get(range, 0), *to = json_array_get(range, 1);
  json_int_t end = json_integer_value(to);
  if (!json_is_integer(from) || !json_is_integer(to) ||
      json_integer_value(from) < 0 || end > (json_int_t)json_array_size(pool))
    return 0;
  for (json_int_t i = json_integer_value(from); i < end; i++)
    if (json_array_size(list) >= INPUT_MOST ||
        json_array_append(list, json_array_get(pool, (size_t)i)))
      return 0;
  return 1;
}

/* What the model was sent, a new reference; NULL: it cannot be known. */
static json_t *input_of(const json_t *event, const json_t *pool) {
  const json_t *refs = json_object_get(event, "input_refs");
  size_t i;
  json_t *range;
  if (!json_is_array(refs)) return json_incref(json_object_get(event, "input"));
  json_t *list = json_array();
  json_array_foreach((json_t *)(uintptr_t)refs, i, range) {
    if (append_range(list, pool, range)) continue;
    json_decref(list);
    return NULL;
  }
  return list;
}

static const json_t *answer_of(const json_t *event) {
  const json_t *choice = json_array_get(
      json_object_get(json_object_get(event, "output"), "choices"), 0);
  return json_object_get(choice, "message");
}

static void name_sample(const json_t *sample, char *name, size_t room) {
  const json_t *id = json_object_get(sample, "id");
  if (json_is_integer(id))
    snprintf(name, room, "%lld", (long long)json_integer_value(id));
  else
    snprintf(name, room, "%.60s",
             json_is_string(id) ? json_string_value(id) : "sample");
}

void sw_log_add_sample(sw_log_collected *c, const json_t *sample) {
  const json_t *pool = pool_of(sample);
  char name[64], group[96];
  size_t i;
  json_t *e;
  int called = 0;
  sw_log_conversation one = {
      .attachments = json_object_get(sample, "attachments"), .id = name};
  name_sample(sample, name, sizeof name);
  /* Decisions of one problem stand or fall together. */
  snprintf(group, sizeof group, "%lld:%s", (long long)c->counts->files, name);
  one.group = group;
  json_object_clear(c->seen);
  json_array_foreach(json_object_get(sample, "events"), i, e) {
    const char *kind = json_string_value(json_object_get(e, "event"));
    if (!kind || strcmp(kind, "model")) continue;
    json_t *input = input_of(e, pool);
    one.messages = input;
    one.answer = answer_of(e);
    one.tools = json_object_get(e, "tools");
    called = 1;
    if (!one.answer || !sw_log_collect(c, &one)) c->counts->no_answer++;
    json_decref(input);
  }
  if (!called) {
    one.messages = json_object_get(sample, "messages");
    one.answer = one.tools = NULL;
    if (!sw_log_collect(c, &one)) c->counts->strange++;
  }
  json_object_clear(c->seen);
}
