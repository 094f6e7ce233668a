/* Files of recorded conversations, of every shape that is read (see logs.h). */
#include "audit/logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include "audit/logs_inside.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/text.h"

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

/* ---- values ---- */

typedef sw_log_collected collecting;

static void add_request(collecting *c, const json_t *v, const char *id) {
  const json_t *request = json_object_get(v, "request");
  const json_t *choice = json_array_get(
      json_object_get(json_object_get(v, "response"), "choices"), 0);
  sw_log_conversation one = {.messages = json_object_get(request, "messages"),
                             .tools = json_object_get(request, "tools"),
                             .answer = json_object_get(choice, "message"),
                             .id = id};
  if (!one.answer || !sw_log_collect(c, &one)) c->counts->no_answer++;
}

static int is_message(const json_t *m) {
  json_t *one = json_is_object(m) ? sw_log_message(m) : NULL;
  json_decref(one);
  return one != NULL;
}

static void add_value(collecting *c, const json_t *v, int depth);

static void add_each(collecting *c, const json_t *list, int depth) {
  size_t i;
  json_t *inner;
  json_array_foreach((json_t *)(uintptr_t)list, i, inner)
      add_value(c, inner, depth + 1);
}

/* Looks for conversations in a JSON value, from the outside in. */
static void add_value(collecting *c, const json_t *v, int depth) {
  const json_t *samples = json_object_get(v, "samples");
  const json_t *values = json_object_get(v, "values");
  const char *id = json_string_value(json_object_get(v, "id"));
  sw_log_conversation one = {.messages = json_object_get(v, "messages"),
                             .tools = json_object_get(v, "tools"),
                             .id = id};
  if (json_is_array(v) && is_message(json_array_get(v, 0))) one.messages = v;
  if (depth > 4) c->counts->strange++;
  else if (json_is_array(samples)) add_each(c, samples, depth);
  else if (json_object_get(v, "events") || json_object_get(v, "epoch"))
    sw_log_add_sample(c, v);
  else if (json_is_array(one.messages) && sw_log_collect(c, &one)) return;
  else if (json_is_array(v)) add_each(c, v, depth);
  else if (json_is_object(json_object_get(v, "request"))) add_request(c, v, id);
  else if (json_is_object(values)) add_value(c, values, depth + 1);
  else c->counts->strange++;
}

static int add_text(collecting *c, const char *text, size_t bytes,
                    sw_err *err) {
  json_t *value;
  int code = sw_json_read(&value, text, bytes, 0, NULL);
  if (code == SW_MEMORY) return sw_no_memory(err);
  if (!code) add_value(c, value, 0);
  json_decref(value);
  return code ? SW_DATA : SW_OK;
}

/* Samples are samples/NAME.json; those of log version 3 are folders. */
static int take_member(void *context, const sw_zip_member *m, sw_err *err) {
  collecting *c = context;
  const char *why = m->why, *in_folder;
  if (strncmp(m->name, "samples/", 8)) return SW_OK;
  if ((in_folder = strchr(m->name + 8, '/'))) {
    if (strcmp(in_folder, "/sample.json")) return SW_OK;
    why = "it is in chunks (log version 3)";
  }
  if (!why) {
    if (!add_text(c, m->text, m->bytes, err)) return SW_OK;
    return sw_fail(err, SW_DATA, "%s: %s is no JSON", c->path, m->name);
  }
  if (!c->counts->unread++)
    snprintf(c->counts->unread_why, sizeof c->counts->unread_why,
             "%.120s: %.100s: %.60s", c->path, m->name, why);
  return SW_OK;
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
  c->seen = json_object();
  c->ends = json_object();
  return c->list && c->tools && c->texts && c->seen && c->ends
             ? SW_OK
             : sw_no_memory(err);
}

static int finish(collecting *c, sw_audit_cases *cases, const sw_log_options *o,
                  int code, sw_err *err) {
  if (!code) code = sw_log_cut_cases(cases, c, o, err);
  json_decref(c->list);
  json_decref(c->tools);
  json_decref(c->texts);
  json_decref(c->seen);
  json_decref(c->ends);
  if (code || cases->count) return code;
  char said[800];
  sw_log_say(c->counts, said, sizeof said);
  sw_fail(err, SW_DATA, "%s: nothing to ask about. %.700s", c->path, said);
  return sw_hint(err, c->counts->unread
                          ? "write the log as JSON: inspect log convert --to "
                            "json --output-dir DIR FILE"
                          : "--state says what of a conversation is the "
                            "situation");
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

enum { FOLDERS_DEEP = 8 };

static int collect_directory(collecting *c, const char *path, int depth,
                             sw_err *err) {
  struct dirent **entry;
  int count, code;
  SW_TRY(sw_list_directory(path, &entry, &count, err));
  code = SW_OK;
  for (int i = 0; i < count; i++) {
    char file[1200];
    snprintf(file, sizeof file, "%.900s/%.255s", path, entry[i]->d_name);
    if (!code && is_log(entry[i]->d_name)) code = collect_file(c, file, err);
    else if (!code && entry[i]->d_type == DT_DIR &&
             entry[i]->d_name[0] != '.' && depth < FOLDERS_DEEP)
      code = collect_directory(c, file, depth + 1, err);
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
    code = sw_is_directory(path) ? collect_directory(&c, path, 0, err)
                                 : collect_file(&c, path, err);
  return finish(&c, cases, o, code, err);
}
