/* Cutting recorded conversations into cases (see logs.h). */
#include "audit/logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include "audit/logs_inside.h"
#include "base/file.h"
#include "base/json_read.h"

static const char REPLY[] = "answer without a tool";
enum { FEW_TEXTS = 12, SHORT_TEXT = 60 };

static int no_memory(sw_err *err) {
  return sw_fail(err, SW_MEMORY, "out of memory");
}

int sw_log_state_parse(sw_log_options *o, const char *text, sw_err *err) {
  static const char *const names[] = {"last-user", "last-tool", "system+last"};
  for (int i = 0; i < 3; i++)
    if (!strcmp(text, names[i])) {
      o->state = (sw_log_state)i;
      return SW_OK;
    }
  o->state = SW_STATE_POINTER;
  o->pointer = text;
  if (text[0] == '/') return SW_OK;
  sw_fail(err, SW_USAGE, "there is no state `%.60s`", text);
  return sw_hint(err, "last-user, last-tool, system+last or /a/json/pointer");
}

/* ---- conversations ---- */

/* {"messages": [...], "tools": [names], "id": text, "last": only the last
 * message is a decision} */
typedef struct collecting {
  json_t *list, *tools, *texts; /* tools, texts: objects used as sets */
  sw_log_counts *counts;
  const char *path;
} collecting;

static void note_decision(collecting *c, const json_t *m) {
  const char *tool = sw_log_tool(m);
  const char *text = json_string_value(json_object_get(m, "content"));
  if (tool) json_object_set_new(c->tools, tool, json_true());
  else if (text && strlen(text) <= SHORT_TEXT && *text && !strchr(text, '\n'))
    json_object_set_new(c->texts, text, json_true());
  else json_object_set_new(c->texts, "", json_true());
}

static void note_tools(collecting *c, const json_t *tools) {
  size_t i;
  json_t *t;
  json_array_foreach((json_t *)(uintptr_t)tools, i, t) {
    const json_t *inner = json_object_get(t, "function");
    const char *name = json_string_value(
        json_object_get(json_is_object(inner) ? inner : t, "name"));
    if (name) json_object_set_new(c->tools, name, json_true());
  }
}

static int is_assistant(const json_t *m) {
  const char *role = json_string_value(json_object_get(m, "role"));
  return role && !strcmp(role, "assistant");
}

/* 1: it was one. */
static int add_conversation(collecting *c, const json_t *recorded,
                            const json_t *answer, const json_t *tools,
                            const char *id) {
  json_t *messages = json_array(), *m;
  size_t i;
  char name[80];
  int found = 0;
  json_array_foreach((json_t *)(uintptr_t)recorded, i, m) {
    json_t *one = sw_log_message(m);
    if (one) json_array_append_new(messages, one);
    found += one != NULL;
  }
  if (!found) {
    json_decref(messages);
    return 0;
  }
  json_t *last = answer ? sw_log_message(answer) : NULL;
  if (last) json_array_append_new(messages, last);
  json_array_foreach(messages, i, m) if (is_assistant(m)) note_decision(c, m);
  note_tools(c, tools);
  snprintf(name, sizeof name, "%.60s", id ? id : "");
  json_array_append_new(
      c->list, json_pack("{s:o, s:s, s:b}", "messages", messages, "id", name,
                         "last", answer != NULL));
  c->counts->conversations++;
  return 1;
}

static const json_t *first_message(const json_t *response) {
  const json_t *choice =
      json_array_get(json_object_get(response, "choices"), 0);
  return json_object_get(choice, "message");
}

/* Inspect: the model events of a sample, each a finished decision; a sample
 * without them has its messages. */
static void add_sample(collecting *c, const json_t *sample) {
  const json_t *events = json_object_get(sample, "events");
  const json_t *id = json_object_get(sample, "id");
  char name[64];
  size_t i;
  json_t *e;
  int found = 0;
  if (json_is_integer(id))
    snprintf(name, sizeof name, "%lld", (long long)json_integer_value(id));
  else
    snprintf(name, sizeof name, "%.60s",
             json_is_string(id) ? json_string_value(id) : "sample");
  json_array_foreach((json_t *)(uintptr_t)events, i, e) {
    const char *kind = json_string_value(json_object_get(e, "event"));
    const json_t *answer = first_message(json_object_get(e, "output"));
    if (kind && !strcmp(kind, "model") && answer)
      found += add_conversation(c, json_object_get(e, "input"), answer,
                                json_object_get(e, "tools"), name);
  }
  if (!found)
    add_conversation(c, json_object_get(sample, "messages"), NULL,
                     json_object_get(sample, "tools"), name);
}

static int is_message(const json_t *m) {
  json_t *one = json_is_object(m) ? sw_log_message(m) : NULL;
  json_decref(one);
  return one != NULL;
}

/* Whatever holds conversations, from the outside in. */
static void add_value(collecting *c, const json_t *v, int depth) {
  size_t i;
  json_t *inner;
  const json_t *samples = json_object_get(v, "samples");
  const json_t *messages = json_object_get(v, "messages");
  const json_t *request = json_object_get(v, "request");
  const json_t *values = json_object_get(v, "values");
  const char *id = json_string_value(json_object_get(v, "id"));
  if (depth > 4) return;
  if (json_is_array(v)) {
    if (is_message(json_array_get(v, 0))) {
      add_conversation(c, v, NULL, NULL, NULL);
      return;
    }
    json_array_foreach((json_t *)(uintptr_t)v, i, inner)
        add_value(c, inner, depth + 1);
  } else if (json_is_array(samples)) {
    json_array_foreach((json_t *)(uintptr_t)samples, i, inner)
        add_sample(c, inner);
  } else if (json_is_array(json_object_get(v, "events"))) {
    add_sample(c, v);
  } else if (json_is_array(messages)) {
    add_conversation(c, messages, NULL, json_object_get(v, "tools"), id);
  } else if (json_is_object(request)) {
    add_conversation(c, json_object_get(request, "messages"),
                     first_message(json_object_get(v, "response")),
                     json_object_get(request, "tools"), id);
  } else if (json_is_object(values)) {
    add_value(c, values, depth + 1);
  }
}

static int add_text(collecting *c, const char *text, size_t bytes,
                    sw_err *err) {
  json_t *value;
  int code = sw_json_read(&value, text, bytes, 0, NULL);
  if (code == SW_MEMORY) return no_memory(err);
  if (!code) add_value(c, value, 0);
  json_decref(value);
  return code ? SW_DATA : SW_OK;
}

static int take_member(void *context, const char *name, const char *text,
                       size_t bytes, sw_err *err) {
  collecting *c = context;
  if (strncmp(name, "samples/", 8)) return SW_OK;
  if (!add_text(c, text, bytes, err)) return SW_OK;
  return sw_fail(err, SW_DATA, "%s: %s is no JSON", c->path, name);
}

/* One value, or one a line. */
static int add_lines(collecting *c, const char *text, size_t bytes,
                     sw_err *err) {
  const char *end = text + bytes;
  for (int64_t line = 1; text < end; line++) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t length = (size_t)((stop ? stop : end) - text);
    size_t blank = strspn(text, " \t\r");
    if (blank < length) {
      int code = add_text(c, text, length, err);
      if (code == SW_DATA) {
        sw_fail(err, SW_DATA, "%s:%lld: no JSON", c->path, (long long)line);
        return sw_hint(err, "a log is one JSON value, or one a line");
      }
      SW_TRY(code);
    }
    text += length + (stop != NULL);
  }
  return SW_OK;
}

static int collect(collecting *c, const char *text, size_t bytes, sw_err *err) {
  c->counts->files++;
  if (sw_zip_is(text, bytes))
    return sw_zip_each(c->path, text, bytes, take_member, c, err);
  int code = add_text(c, text, bytes, err);
  return code == SW_DATA ? add_lines(c, text, bytes, err) : code;
}

/* ---- cutting ---- */

typedef struct cutting {
  sw_audit_cases *cases;
  const sw_log_options *o;
  const collecting *c;
  const json_t *messages;
  const char *id;
  char group[96];
} cutting;

static const char *role_at(const cutting *k, size_t i) {
  const char *role = json_string_value(
      json_object_get(json_array_get(k->messages, i), "role"));
  return role ? role : "";
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
    at = json_is_array(at) ? json_array_get(at, (size_t)atol(key))
                           : json_object_get(at, key);
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

/* What could have been done: a call of each tool or an answer; where there are
 * no tools, the few short texts that are ever answered. */
static int choose(const cutting *k, sw_audit_case *c) {
  const char *name;
  json_t *value;
  char text[200];
  size_t texts = json_object_size(k->c->texts);
  if (json_object_size(k->c->tools)) {
    json_object_foreach(k->c->tools, name, value) {
      snprintf(text, sizeof text, "call %.150s", name);
      if (c->choices < SW_CASE_CHOICES - 1 && !sw_audit_case_choose(c, text))
        return 0;
    }
    return sw_audit_case_choose(c, REPLY);
  }
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
  if (k->o->most && n->cut >= k->o->most) return SW_OK;
  json_t *situation = situation_of(k, from, at);
  if (!json_array_size(situation)) {
    json_decref(situation);
    n->no_state++;
    return SW_OK;
  }
  sw_audit_case *c = sw_audit_cases_add(k->cases);
  snprintf(id, sizeof id, "%.90s:%zu", k->group, at + 1);
  sw_history *h = c ? sw_audit_case_history(c, "own") : NULL;
  if (c) c->situation = situation;
  else json_decref(situation);
  if (!h || !(c->id = strdup(id)) || !(c->group = strdup(k->group)) ||
      !(c->system = slice(k->messages, 0, system)) ||
      !(h->messages[0] = slice(k->messages, system, from)) || !choose(k, c))
    return no_memory(err);
  if (c->choices >= 2) {
    n->cut++;
    return SW_OK;
  }
  n->no_choice++;
  sw_audit_case_free(c);
  k->cases->count--;
  return SW_OK;
}

static int cut_all(sw_audit_cases *cases, const collecting *c,
                   const sw_log_options *o, sw_err *err) {
  size_t i;
  json_t *one;
  json_array_foreach(c->list, i, one) {
    cutting k = {.cases = cases,
                 .o = o,
                 .c = c,
                 .messages = json_object_get(one, "messages")};
    const char *id = json_string_value(json_object_get(one, "id"));
    int only_last = json_is_true(json_object_get(one, "last"));
    size_t count = json_array_size(k.messages);
    if (id && *id) snprintf(k.group, sizeof k.group, "%.60s #%zu", id, i + 1);
    else snprintf(k.group, sizeof k.group, "conversation %zu", i + 1);
    for (size_t at = only_last && count ? count - 1 : 0; at < count; at++)
      if (is_assistant(json_array_get(k.messages, at)))
        SW_TRY(cut(&k, at, c->counts, err));
  }
  return SW_OK;
}

/* ---- files ---- */

static int begin(collecting *c, sw_log_counts *counts, sw_err *err) {
  memset(c, 0, sizeof *c);
  memset(counts, 0, sizeof *counts);
  c->counts = counts;
  c->list = json_array();
  c->tools = json_object();
  c->texts = json_object();
  return c->list && c->tools && c->texts ? SW_OK : no_memory(err);
}

static int finish(collecting *c, sw_audit_cases *cases, const sw_log_options *o,
                  int code, sw_err *err) {
  if (!code) code = cut_all(cases, c, o, err);
  json_decref(c->list);
  json_decref(c->tools);
  json_decref(c->texts);
  if (code || cases->count) return code;
  sw_fail(err, SW_DATA,
          "%s: none of %lld decisions in %lld conversations can be cut: %lld "
          "have no history, %lld no situation, %lld no choices",
          c->path, (long long)c->counts->decisions,
          (long long)c->counts->conversations, (long long)c->counts->no_history,
          (long long)c->counts->no_state, (long long)c->counts->no_choice);
  return sw_hint(err, "--state says what of a conversation is the situation");
}

int sw_logs_parse(sw_audit_cases *cases, const char *path, const char *text,
                  size_t bytes, const sw_log_options *o, sw_log_counts *counts,
                  sw_err *err) {
  collecting c;
  int code = begin(&c, counts, err);
  c.path = path;
  if (!code) code = collect(&c, text, bytes, err);
  return finish(&c, cases, o, code, err);
}

static int collect_file(collecting *c, const char *path, sw_err *err) {
  char *text;
  size_t bytes;
  const char *before = c->path;
  SW_TRY(sw_read_file(path, 0, &text, &bytes, err));
  c->path = path;
  int code = collect(c, text, bytes, err);
  c->path = before;
  free(text);
  return code;
}

static int is_log(const char *name) {
  static const char *const ends[] = {".json", ".jsonl", ".eval"};
  size_t n = strlen(name);
  for (int i = 0; i < 3; i++) {
    size_t m = strlen(ends[i]);
    if (n > m && !strcmp(name + n - m, ends[i])) return 1;
  }
  return 0;
}

static int collect_directory(collecting *c, const char *path, sw_err *err) {
  struct dirent **entry;
  int count, code;
  SW_TRY(sw_list_directory(path, &entry, &count, err));
  code = SW_OK;
  for (int i = 0; i < count; i++) {
    char file[1200];
    snprintf(file, sizeof file, "%.900s/%.255s", path, entry[i]->d_name);
    if (!code && is_log(entry[i]->d_name)) code = collect_file(c, file, err);
    free(entry[i]);
  }
  free(entry);
  return code;
}

int sw_logs_load(sw_audit_cases *cases, const char *path,
                 const sw_log_options *o, sw_log_counts *counts, sw_err *err) {
  collecting c;
  int code = begin(&c, counts, err);
  c.path = path;
  if (!code)
    code = sw_is_directory(path) ? collect_directory(&c, path, err)
                                 : collect_file(&c, path, err);
  return finish(&c, cases, o, code, err);
}
