/* Collecting recorded conversations, of every shape that is read (see logs.h).
 */
#include "audit/logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include "audit/logs_inside.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/text.h"

enum { SHORT_TEXT = 60 };

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

typedef sw_log_collected collecting;

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
  json_array_foreach(messages, i, m) if (sw_log_is_assistant(m))
      note_decision(c, m);
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
    size_t blank = 0;
    while (blank < length && sw_is_space(text[blank])) blank++;
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
  if (!code) code = sw_log_cut_cases(cases, c, o, err);
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
