/* Cutting recorded conversations into cases: each decision with its situation,
 * the history before it and what could have been done (see logs.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "audit/logs_inside.h"
#include "base/json_read.h"

static const char REPLY[] = "answer without a tool";
enum { FEW_TEXTS = 12 };

typedef struct cutting {
  sw_audit_cases *cases;
  const sw_log_options *o;
  const sw_log_collected *c;
  const json_t *messages, *tools;
  const char *group;
  char id[96];
} cutting;

static const char *role_of_message(const json_t *m) {
  const char *role = json_string_value(json_object_get(m, "role"));
  return role ? role : "";
}

int sw_log_is_assistant(const json_t *m) {
  return !strcmp(role_of_message(m), "assistant");
}

static const char *role_at(const cutting *k, size_t i) {
  return role_of_message(json_array_get(k->messages, i));
}

/* Where the situation of the decision at `at` begins; 0: it has none (the
 * first message is never a situation behind a history). */
static size_t situation_start(const cutting *k, size_t at, size_t system) {
  size_t i = at;
  switch (k->o->state) {
    case SW_STATE_LAST_USER:
      while (i > system && strcmp(role_at(k, i - 1), "user")) i--;
      return i > system ? i - 1 : SIZE_MAX;
    case SW_STATE_LAST_TOOL:
      while (i > system && !strcmp(role_at(k, i - 1), "tool")) i--;
      return i < at && i > system &&
                     sw_log_tool(json_array_get(k->messages, i - 1))
                 ? i - 1
                 : SIZE_MAX;
    default:
      return at > system ? at - 1 : SIZE_MAX;
  }
}

/* The value at a JSON pointer of a message's content, as text. */
static json_t *point_at(const json_t *message, const char *pointer) {
  const json_t *content = json_object_get(message, "content");
  const char *text = json_string_value(content);
  json_t *parsed = NULL;
  char key[256];
  if (text && sw_json_read(&parsed, text, strlen(text), 0, NULL)) return NULL;
  const json_t *at = parsed ? parsed : message;
  while (at && *pointer == '/') {
    size_t n = strcspn(++pointer, "/"), used = 0;
    for (size_t i = 0; i < n && used + 1 < sizeof key; i++) {
      int escaped = pointer[i] == '~' && i + 1 < n;
      key[used++] = !escaped ? pointer[i] : pointer[++i] == '1' ? '/' : '~';
    }
    key[used] = 0;
    pointer += n;
    at = !json_is_array(at) ? json_object_get(at, key)
         : key[strspn(key, "0123456789")]
             ? NULL
             : json_array_get(at, (size_t)atol(key));
  }
  char *dumped = at && !json_is_string(at)
                     ? json_dumps(at, JSON_COMPACT | JSON_ENCODE_ANY)
                     : NULL;
  const char *said = dumped ? dumped : json_string_value(at);
  json_t *out = said ? sw_message_json("user", said) : NULL;
  free(dumped);
  json_decref(parsed);
  return out;
}

/* The situation's messages; a result of a tool without its call is told as
 * text. */
static json_t *situation_of(const cutting *k, size_t from, size_t at) {
  json_t *list = json_array();
  if (k->o->state == SW_STATE_POINTER) {
    json_t *m = point_at(json_array_get(k->messages, at - 1), k->o->pointer);
    if (m) json_array_append_new(list, m);
    return list;
  }
  for (size_t i = from; i < at; i++) {
    json_t *m = json_array_get(k->messages, i);
    const char *text = json_string_value(json_object_get(m, "content"));
    if (i == from && !strcmp(role_at(k, i), "tool") && text)
      json_array_append_new(list, sw_message_json("user", text));
    else json_array_append(list, m);
  }
  return list;
}

static int choose_call(sw_audit_case *c, const char *name) {
  char text[200];
  snprintf(text, sizeof text, "call %.150s", name);
  return sw_audit_case_choose(c, text);
}

/* What could have been done: a call of each tool that the model was offered
 * (else of each that occurs) or an answer; where there are no tools, the few
 * short texts that are ever answered. 0: no memory. */
static int choose(const cutting *k, sw_audit_case *c) {
  const char *name;
  size_t i, texts = json_object_size(k->c->texts),
            offered = json_array_size(k->tools),
            called = offered ? offered : json_object_size(k->c->tools);
  json_t *value;
  if (called >= SW_CASE_CHOICES) return 1;
  json_array_foreach(k->tools, i, value) {
    name = json_string_value(
        json_object_get(json_object_get(value, "function"), "name"));
    if (!choose_call(c, name)) return 0;
  }
  if (!offered) json_object_foreach(k->c->tools, name, value) {
      if (!choose_call(c, name)) return 0;
    }
  if (called) return sw_audit_case_choose(c, REPLY);
  if (texts < 2 || texts > FEW_TEXTS || json_object_get(k->c->texts, ""))
    return 1;
  json_object_foreach(k->c->texts, name, value) {
    if (!sw_audit_case_choose(c, name)) return 0;
  }
  return 1;
}

static json_t *slice(const json_t *list, size_t from, size_t to) {
  json_t *out = json_array();
  for (size_t i = from; i < to && out; i++)
    json_array_append(out, json_array_get(list, i));
  return out;
}

/* Calls at the end whose results are cut off: endpoints refuse them, so they
 * are told as text. */
static void tell_cut_calls(json_t *history) {
  size_t n = json_array_size(history), at = n;
  while (at &&
         strcmp(role_of_message(json_array_get(history, at - 1)), "assistant"))
    at--;
  const json_t *last = at ? json_array_get(history, at - 1) : NULL;
  if (json_array_size(json_object_get(last, "tool_calls")) <= n - at) return;
  for (size_t i = at - 1; i < n; i++)
    json_array_set_new(history, i, sw_log_told(json_array_get(history, i)));
}

/* One decision; what cannot be cut is counted and leaves no case. */
static int cut(cutting *k, size_t at, sw_log_counts *n, sw_err *err) {
  size_t system = 0;
  char id[160];
  while (system < at && !strcmp(role_at(k, system), "system")) system++;
  size_t from = situation_start(k, at, system);
  n->decisions++;
  if (from == SIZE_MAX) {
    n->no_state++;
    return SW_OK;
  }
  if (from <= system) {
    n->no_history++;
    return SW_OK;
  }
  if (k->o->most && n->cut >= k->o->most) {
    n->not_taken++;
    return SW_OK;
  }
  json_t *situation = situation_of(k, from, at);
  if (!json_array_size(situation)) {
    json_decref(situation);
    n->no_state++;
    return SW_OK;
  }
  sw_audit_case *c = sw_audit_cases_add(k->cases);
  snprintf(id, sizeof id, "%.90s:%zu", k->id, at + 1);
  sw_history *h = c ? sw_audit_case_history(c, "own") : NULL;
  if (c) c->situation = situation;
  else json_decref(situation);
  if (!h || !(c->id = strdup(id)) || !(c->group = strdup(k->group)) ||
      !(c->system = slice(k->messages, 0, system)) ||
      !(h->messages[0] = slice(k->messages, system, from)) || !choose(k, c))
    return sw_no_memory(err);
  tell_cut_calls(h->messages[0]);
  if (json_array_size(k->tools))
    c->tools = json_incref((json_t *)(uintptr_t)k->tools);
  if (c->choices >= 2) {
    n->cut++;
    return SW_OK;
  }
  n->no_choice++;
  sw_audit_case_free(c);
  k->cases->count--;
  return SW_OK;
}

int sw_log_cut_cases(sw_audit_cases *cases, const sw_log_collected *c,
                     const sw_log_options *o, sw_err *err) {
  size_t i;
  json_t *one;
  json_array_foreach(c->list, i, one) {
    cutting k = {.cases = cases,
                 .o = o,
                 .c = c,
                 .messages = json_object_get(one, "messages"),
                 .tools = json_object_get(one, "tools"),
                 .group = json_string_value(json_object_get(one, "group"))};
    const char *id = json_string_value(json_object_get(one, "id"));
    int only_last = json_is_true(json_object_get(one, "last"));
    size_t count = json_array_size(k.messages);
    snprintf(k.id, sizeof k.id, "%.60s%s#%zu", id, *id ? " " : "", i + 1);
    for (size_t at = only_last && count ? count - 1 : 0; at < count; at++)
      if (sw_log_is_assistant(json_array_get(k.messages, at)))
        SW_TRY(cut(&k, at, c->counts, err));
  }
  return SW_OK;
}
