/* Cases and the reader of their file (see cases.h). */
#include "audit/cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/grow.h"
#include "base/json_read.h"

/* ---- the list ---- */

static void history_free(sw_history *h) {
  free(h->name);
  for (int o = 0; o < SW_CASE_ORDERS; o++) {
    json_decref(h->messages[o]);
    json_decref(h->situation[o]);
  }
}

void sw_audit_case_free(sw_audit_case *c) {
  free(c->id);
  free(c->group);
  json_decref(c->system);
  json_decref(c->situation);
  json_decref(c->tools);
  for (int i = 0; i < c->histories; i++) history_free(&c->history[i]);
  free(c->history);
  for (int i = 0; i < c->choices; i++) free(c->choice[i]);
  free(c->choice);
  free(c->right);
  memset(c, 0, sizeof *c);
}

void sw_audit_cases_free(sw_audit_cases *cases) {
  for (int64_t i = 0; i < cases->count; i++)
    sw_audit_case_free(&cases->item[i]);
  free(cases->item);
  free(cases->other);
  memset(cases, 0, sizeof *cases);
}

sw_audit_case *sw_audit_cases_add(sw_audit_cases *cases) {
  if (!sw_grow64(&cases->item, &cases->room, cases->count + 1,
                 sizeof *cases->item))
    return NULL;
  sw_audit_case *c = &cases->item[cases->count++];
  memset(c, 0, sizeof *c);
  return c;
}

sw_history *sw_audit_case_history(sw_audit_case *c, const char *name) {
  sw_history *grown =
      realloc(c->history, sizeof *grown * (size_t)(c->histories + 1));
  if (!grown) return NULL;
  c->history = grown;
  sw_history *h = &grown[c->histories];
  memset(h, 0, sizeof *h);
  h->count = NAN;
  h->name = strdup(name);
  if (!h->name) return NULL;
  c->histories++;
  return h;
}

int sw_audit_case_choose(sw_audit_case *c, const char *choice) {
  char **grown = realloc(c->choice, sizeof *grown * (size_t)(c->choices + 1));
  if (!grown) return 0;
  c->choice = grown;
  grown[c->choices] = strdup(choice);
  if (!grown[c->choices]) return 0;
  c->choices++;
  return 1;
}

const sw_history *sw_audit_case_find(const sw_audit_case *c, const char *name) {
  for (int i = 0; i < c->histories; i++)
    if (!strcmp(c->history[i].name, name)) return &c->history[i];
  return NULL;
}

int sw_audit_cases_groups(const sw_audit_cases *cases, int64_t **group,
                          sw_err *err) {
  *group = malloc(sizeof **group * (size_t)(cases->count + 1));
  json_t *seen = json_object();
  int code = *group && seen ? SW_OK : sw_no_memory(err);
  for (int64_t i = 0; i < cases->count && !code; i++) {
    const char *name = cases->item[i].group;
    json_t *known = json_object_get(seen, name);
    (*group)[i] =
        known ? json_integer_value(known) : (json_int_t)json_object_size(seen);
    if (!known &&
        json_object_set_new_nocheck(seen, name, json_integer((*group)[i])))
      code = sw_no_memory(err);
  }
  json_decref(seen);
  return code;
}

json_t *sw_message_json(const char *role, const char *text) {
  json_t *m = json_object();
  if (!m || json_object_set_new(m, "role", json_string(role)) ||
      json_object_set_new(m, "content", json_string(text))) {
    json_decref(m);
    return NULL;
  }
  return m;
}

/* ---- messages ---- */

static int wrong(sw_err *err, const char *what) {
  return sw_fail(err, SW_DATA, "%s", what);
}

int sw_messages_check(const json_t *list, sw_err *err) {
  static const char *const roles[] = {"system",    "developer", "user",
                                      "assistant", "tool",      "function"};
  size_t i;
  json_t *m;
  if (!json_is_array(list)) return wrong(err, "is no list of messages");
  json_array_foreach(list, i, m) {
    const char *role = json_string_value(json_object_get(m, "role"));
    const json_t *content = json_object_get(m, "content");
    size_t r = 0;
    while (role && r < sizeof roles / sizeof *roles && strcmp(role, roles[r]))
      r++;
    if (!role || r == sizeof roles / sizeof *roles)
      return sw_fail(err, SW_DATA,
                     "message %zu needs a role: system, developer, user, "
                     "assistant or tool",
                     i + 1);
    if (content && !json_is_string(content) && !json_is_array(content) &&
        !json_is_null(content))
      return sw_fail(err, SW_DATA, "the content of message %zu is no text",
                     i + 1);
    if (!json_is_string(content) && !json_is_array(content) &&
        !json_object_get(m, "tool_calls"))
      return sw_fail(err, SW_DATA, "message %zu has no content", i + 1);
  }
  return SW_OK;
}

/* ---- the members of a case ---- */

/* A list of messages; a text stands for one message of that role. */
static int take_messages(json_t *value, const char *name, const char *role,
                         json_t **out, sw_err *err) {
  if (json_is_string(value)) {
    *out = json_array();
    if (!*out || json_array_append_new(
                     *out, sw_message_json(role, json_string_value(value))))
      return sw_no_memory(err);
    return SW_OK;
  }
  if (sw_messages_check(value, err)) return sw_context(err, "`%s`", name);
  *out = json_incref(value);
  return SW_OK;
}

static int take_text(const json_t *value, const char *name, char **out,
                     sw_err *err) {
  if (!json_is_string(value) || !json_string_length(value) ||
      strlen(json_string_value(value)) != json_string_length(value))
    return sw_fail(err, SW_DATA, "`%s` is no text", name);
  *out = strdup(json_string_value(value));
  return *out ? SW_OK : sw_no_memory(err);
}

static int take_history(sw_audit_case *c, json_t *value, sw_err *err) {
  const char *key;
  json_t *member, *messages = json_object_get(value, "messages");
  const char *name = json_string_value(json_object_get(value, "name"));
  const json_t *count = json_object_get(value, "count");
  if (!json_is_object(value)) return wrong(err, "a history is an object");
  if (!name || !*name) return wrong(err, "a history needs a `name`");
  if (!messages) return sw_fail(err, SW_DATA, "`%s` has no `messages`", name);
  if (sw_audit_case_find(c, name))
    return sw_fail(err, SW_DATA, "there are two histories `%.60s`", name);
  json_object_foreach(value, key, member) {
    if (strcmp(key, "name") && strcmp(key, "messages") &&
        strcmp(key, "count") && strncmp(key, "x-", 2))
      return sw_fail(err, SW_DATA, "a history has no member `%.60s`", key);
  }
  if (count && !json_is_number(count))
    return wrong(err, "the `count` of a history is a number");
  sw_history *h = sw_audit_case_history(c, name);
  if (!h) return sw_no_memory(err);
  if (count) h->count = json_number_value(count);
  return take_messages(messages, name, "user", &h->messages[0], err);
}

static int take_histories(sw_audit_case *c, const json_t *list, sw_err *err) {
  size_t i;
  json_t *value;
  if (!json_is_array(list)) return wrong(err, "`histories` is no list");
  if (json_array_size(list) > SW_CASE_HISTORIES)
    return sw_fail(err, SW_DATA, "more than %d histories", SW_CASE_HISTORIES);
  json_array_foreach(list, i, value) SW_TRY(take_history(c, value, err));
  return SW_OK;
}

static int take_choices(sw_audit_case *c, const json_t *list, sw_err *err) {
  size_t i;
  json_t *value;
  if (json_array_size(list) < 2 || json_array_size(list) > SW_CASE_CHOICES)
    return sw_fail(err, SW_DATA, "`choices` is a list of 2 to %d texts",
                   SW_CASE_CHOICES);
  json_array_foreach(list, i, value) {
    const char *text = json_string_value(value);
    if (!text || !*text || strchr(text, '\n') ||
        strlen(text) != json_string_length(value))
      return sw_fail(err, SW_DATA, "choice %zu is not one line of text", i + 1);
    for (int k = 0; k < c->choices; k++)
      if (!strcmp(c->choice[k], text))
        return sw_fail(err, SW_DATA, "choice `%.60s` appears twice", text);
    if (!sw_audit_case_choose(c, text)) return sw_no_memory(err);
  }
  return SW_OK;
}

static int mark_right(sw_audit_case *c, const json_t *value, sw_err *err) {
  const char *text = json_string_value(value);
  for (int i = 0; text && i < c->choices; i++)
    if (!strcmp(c->choice[i], text)) {
      c->right[i] = 1;
      return SW_OK;
    }
  return sw_fail(err, SW_DATA, "`right` says `%.60s`, which is not a choice",
                 text ? text : "something that is not text");
}

/* One choice or a list of them. */
static int take_right(sw_audit_case *c, const json_t *value, sw_err *err) {
  size_t i;
  json_t *one;
  c->right = calloc((size_t)c->choices, 1);
  if (!c->right) return sw_no_memory(err);
  if (!json_is_array(value)) return mark_right(c, value, err);
  if (!json_array_size(value)) return wrong(err, "`right` is empty");
  json_array_foreach(value, i, one) SW_TRY(mark_right(c, one, err));
  return SW_OK;
}

static int check_members(const json_t *value, sw_err *err) {
  static const char *const known[] = {"id",        "group", "system",
                                      "situation", "tools", "histories",
                                      "choices",   "right", "sufficient"};
  const char *key;
  json_t *member;
  if (!json_is_object(value)) return wrong(err, "a case is a JSON object");
  json_object_foreach((json_t *)(uintptr_t)value, key, member) {
    size_t k = 0;
    while (k < sizeof known / sizeof *known && strcmp(key, known[k])) k++;
    if (k == sizeof known / sizeof *known && strncmp(key, "x-", 2)) {
      sw_fail(err, SW_DATA, "a case has no member `%.60s`", key);
      return sw_hint(err, "members of your own begin with `x-`");
    }
  }
  return SW_OK;
}

static int take_rest(sw_audit_case *c, const json_t *value, sw_err *err) {
  json_t *system = json_object_get(value, "system");
  json_t *situation = json_object_get(value, "situation");
  json_t *tools = json_object_get(value, "tools");
  const json_t *choices = json_object_get(value, "choices");
  const json_t *right = json_object_get(value, "right");
  const json_t *sufficient = json_object_get(value, "sufficient");
  if (system)
    SW_TRY(take_messages(system, "system", "system", &c->system, err));
  else if (!(c->system = json_array())) return sw_no_memory(err);
  SW_TRY(take_messages(situation, "situation", "user", &c->situation, err));
  if (!json_array_size(c->situation)) return wrong(err, "`situation` is empty");
  if (tools && !json_is_array(tools)) return wrong(err, "`tools` is no list");
  if (sufficient && !json_is_boolean(sufficient))
    return wrong(err, "`sufficient` is true or false");
  c->sufficient = !sufficient ? 0 : json_is_true(sufficient) ? 1 : -1;
  c->tools = json_incref(tools);
  SW_TRY(take_histories(c, json_object_get(value, "histories"), err));
  SW_TRY(take_choices(c, choices, err));
  return right && !json_is_null(right) ? take_right(c, right, err) : SW_OK;
}

static int take_case(sw_audit_cases *cases, const json_t *value, sw_err *err) {
  static const char *const needed[] = {"id", "situation", "histories",
                                       "choices"};
  SW_TRY(check_members(value, err));
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (!json_object_get(value, needed[i]))
      return sw_fail(err, SW_DATA, "a case needs `%s`", needed[i]);
  sw_audit_case *c = sw_audit_cases_add(cases);
  if (!c) return sw_no_memory(err);
  const json_t *group = json_object_get(value, "group");
  SW_TRY(take_text(json_object_get(value, "id"), "id", &c->id, err));
  if (group) SW_TRY(take_text(group, "group", &c->group, err));
  else if (!(c->group = strdup(c->id))) return sw_no_memory(err);
  return take_rest(c, value, err);
}

/* ---- the file ---- */

static int read_line(sw_audit_cases *cases, json_t *ids, const char *line,
                     size_t bytes, sw_err *err) {
  json_t *value;
  json_error_t why;
  int code = sw_json_read(&value, line, bytes, JSON_REJECT_DUPLICATES, &why);
  if (code == SW_MEMORY) return sw_no_memory(err);
  if (code) return sw_fail(err, SW_DATA, "no JSON: %s", why.text);
  code = take_case(cases, value, err);
  json_decref(value);
  if (code) return code;
  const char *id = cases->item[cases->count - 1].id;
  if (json_object_get(ids, id))
    return sw_fail(err, SW_DATA, "there are two cases `%.60s`", id);
  return json_object_set_new_nocheck(ids, id, json_true()) ? sw_no_memory(err)
                                                           : SW_OK;
}

int sw_audit_cases_parse(sw_audit_cases *cases, const char *path,
                         const char *text, size_t bytes, sw_err *err) {
  const char *end = text + bytes;
  json_t *ids = json_object();
  int code = ids ? SW_OK : sw_no_memory(err);
  for (int64_t line = 1; text < end && !code; line++) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t length = (size_t)((stop ? stop : end) - text), blank = 0;
    while (blank < length && strchr(" \t\r", text[blank]) && text[blank])
      blank++;
    if (blank < length) code = read_line(cases, ids, text, length, err);
    if (code) sw_context(err, "%s:%lld", path, (long long)line);
    text += length + (stop != NULL);
  }
  json_decref(ids);
  if (!code && !cases->count)
    code = sw_fail(err, SW_DATA, "%s: there is no case in it", path);
  return code;
}

int sw_audit_cases_load(sw_audit_cases *cases, const char *path, sw_err *err) {
  char *text;
  size_t bytes;
  SW_TRY(sw_read_file(path, 0, &text, &bytes, err));
  int code = sw_audit_cases_parse(cases, path, text, bytes, err);
  free(text);
  return code;
}
