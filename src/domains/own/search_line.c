/* Reading a search from a line of JSON (see search_line.h). */
#include "domains/own/search_line.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/json_read.h"
#include "base/options.h"
#include "base/text.h"
#include "trace/dataset.h"

static const char *const search_members[] = {
#define X(name, help) #name,
    SW_SEARCH_MEMBERS(X)
#undef X
};
static const char *const step_members[] = {
#define X(name, help) #name,
    SW_STEP_MEMBERS(X)
#undef X
};
enum {
  SEARCH_MEMBERS = sizeof search_members / sizeof *search_members,
  STEP_MEMBERS = sizeof step_members / sizeof *step_members
};

void sw_search_line_init(sw_search_line *line) {
  memset(line, 0, sizeof *line);
  sw_trace_init(&line->trace);
}

void sw_search_line_free(sw_search_line *line) { sw_trace_free(&line->trace); }

/* Unknown members are refused, except the user's own (`x-...`). */
static int check_members(const json_t *object, const char *const *known,
                         int count, sw_err *err) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    int i = 0;
    while (i < count && strcmp(known[i], key) != 0) i++;
    if (i < count || !strncmp(key, "x-", 2)) continue;
    char all[160] = "";
    for (i = 0; i < count; i++) {
      size_t used = strlen(all);
      snprintf(all + used, sizeof all - used, " %s", known[i]);
    }
    const char *near = sw_nearest(key, known, count);
    sw_fail(err, SW_DATA, "unknown member \"%.60s\"", key);
    return near ? sw_hint(err, "did you mean \"%s\"? Your own: \"x-...\"", near)
                : sw_hint(err, "known:%s; your own begin with x-", all);
  }
  return SW_OK;
}

static int put_word(const sw_search_reader *r, const char *word, size_t bytes,
                    int supervised, sw_trace *trace, sw_err *err) {
  int32_t token;
  if (!r->vocabulary) {
    SW_TRY(sw_words_intern(r->words, word, bytes, &token, err));
  } else if ((token = sw_words_find(r->words, word, bytes)) < 0) {
    SW_TRY(sw_word_check(word, bytes, err));
    sw_fail(err, SW_DATA, "the word \"%.*s\" is not in the vocabulary of %s",
            (int)(bytes > 60 ? 60 : bytes), word, r->vocabulary);
    return sw_hint(err, "a model has no row for a word it has never seen");
  }
  sw_trace_put(trace, token, supervised);
  return SW_OK;
}

static int put_text(const sw_search_reader *r, const json_t *text,
                    int supervised, sw_trace *trace, sw_err *err) {
  const char *at = json_string_value(text);
  const char *end = at + json_string_length(text);
  while (at < end) {
    const char *begin = at;
    while (at < end && !sw_is_space(*at)) at++;
    if (at > begin)
      SW_TRY(put_word(r, begin, (size_t)(at - begin), supervised, trace, err));
    while (at < end && sw_is_space(*at)) at++;
  }
  return SW_OK;
}

/* The words of a member, appended; how many. */
static int put_words(const sw_search_reader *r, const json_t *value,
                     const char *name, int supervised, sw_trace *trace,
                     int64_t *count, sw_err *err) {
  int64_t before = trace->length;
  size_t i;
  json_t *item;
  if (json_is_string(value)) {
    SW_TRY(put_text(r, value, supervised, trace, err));
  } else if (json_is_array(value)) {
    json_array_foreach(value, i, item) {
      if (!json_is_string(item))
        return sw_fail(err, SW_DATA, "\"%s\"[%zu] is not a text", name, i);
      SW_TRY(put_word(r, json_string_value(item), json_string_length(item),
                      supervised, trace, err));
    }
  } else {
    return sw_fail(err, SW_DATA, "\"%s\" is %s, but words are needed", name,
                   value ? "no text" : "missing");
  }
  if (trace->length > INT32_MAX)
    return sw_fail(err, SW_LIMIT, "a search of more than 2^31 words");
  *count = trace->length - before;
  return SW_OK;
}

static int number(const json_t *object, const char *name, int64_t most,
                  int32_t *value, sw_err *err) {
  const json_t *member = json_object_get(object, name);
  if (!member) return SW_OK;
  if (!json_is_integer(member) || json_integer_value(member) < 0 ||
      json_integer_value(member) > most)
    return sw_fail(err, SW_DATA, "\"%s\" is not a whole number from 0 to %lld",
                   name, (long long)most);
  *value = (int32_t)json_integer_value(member);
  return SW_OK;
}

static int verdict(const json_t *step, sw_viability *viability, sw_err *err) {
  const json_t *viable = json_object_get(step, "viable");
  *viability = SW_UNJUDGED;
  if (!viable || json_is_null(viable)) return SW_OK;
  if (!json_is_boolean(viable))
    return sw_fail(err, SW_DATA, "\"viable\" is not true, false or null");
  *viability = json_is_true(viable) ? SW_VIABLE : SW_DEAD;
  return SW_OK;
}

static int read_targets(const json_t *step, int64_t begin, int64_t count,
                        sw_trace *trace, sw_err *err) {
  const json_t *targets = json_object_get(step, "targets");
  size_t i;
  json_t *item;
  if (!json_is_array(targets))
    return sw_fail(err, SW_DATA, "\"targets\" is not a list of places");
  json_array_foreach(targets, i, item) {
    json_int_t place = json_is_integer(item) ? json_integer_value(item) : -1;
    if (place < 0 || place >= count)
      return sw_fail(err, SW_DATA,
                     "\"targets\"[%zu] is not a place among %lld words", i,
                     (long long)count);
    trace->supervised[begin + place] = 1;
  }
  return SW_OK;
}

/* {"words", "targets"}. */
static int read_whole(const sw_search_reader *r, const json_t *step,
                      sw_trace *trace, int32_t *query, sw_err *err) {
  int64_t count, begin = trace->length;
  if (json_object_get(step, "state") || json_object_get(step, "action"))
    return sw_fail(err, SW_DATA, "\"words\" stands beside state or action");
  SW_TRY(put_words(r, json_object_get(step, "words"), "words", 0, trace, &count,
                   err));
  if (trace->failed) return SW_OK;
  SW_TRY(read_targets(step, begin, count, trace, err));
  *query = (int32_t)count;
  for (int64_t i = count; i-- > 0;)
    if (trace->supervised[begin + i]) *query = (int32_t)i;
  return number(step, "query", count, query, err);
}

static int read_step(const sw_search_reader *r, const json_t *step,
                     sw_search_line *line, sw_err *err) {
  sw_trace *trace = &line->trace;
  int64_t state, action;
  int32_t query = 0;
  sw_viability viability;
  if (!json_is_object(step)) return sw_fail(err, SW_DATA, "is not an object");
  SW_TRY(check_members(step, step_members, STEP_MEMBERS, err));
  SW_TRY(verdict(step, &viability, err));
  sw_trace_begin_block(trace);
  if (json_object_get(step, "words")) {
    SW_TRY(read_whole(r, step, trace, &query, err));
  } else {
    SW_TRY(put_words(r, json_object_get(step, "state"), "state", 0, trace,
                     &state, err));
    SW_TRY(put_words(r, json_object_get(step, "action"), "action", 1, trace,
                     &action, err));
    if (!state || !action) {
      sw_fail(err, SW_DATA, "\"%s\" has no words", state ? "action" : "state");
      return sw_hint(err, "one word that says so, such as NONE, is enough");
    }
    query = (int32_t)state;
  }
  if (json_object_get(step, "query") && !json_object_get(step, "words"))
    return sw_fail(err, SW_DATA, "\"query\" belongs to \"words\"");
  if (trace->failed) return SW_OK;
  sw_trace_judge(trace, trace->blocks - 1, viability, query);
  line->verdicts += viability != SW_UNJUDGED;
  return SW_OK;
}

static int read_steps(const sw_search_reader *r, const json_t *steps,
                      sw_search_line *line, sw_err *err) {
  size_t i;
  json_t *step;
  if (!json_is_array(steps))
    return sw_fail(err, SW_DATA, "\"steps\" is %s",
                   steps ? "not a list" : "missing");
  json_array_foreach(steps, i, step) {
    if (read_step(r, step, line, err))
      return sw_context(err, "step %zu", i + 1);
  }
  return SW_OK;
}

/* Steps whose first target is the word for going back, and the others. */
static void count_steps(const sw_search_reader *r, sw_trace *trace) {
  int32_t back = sw_words_find(r->words, r->back, strlen(r->back));
  trace->decisions = trace->conflicts = 0;
  for (int64_t b = 1; b < trace->blocks; b++) {
    int64_t i = trace->block_start[b], end = sw_trace_block_end(trace, b);
    while (i < end && !trace->supervised[i]) i++;
    if (i == end) continue;
    if (trace->token[i] == back) trace->conflicts++;
    else trace->decisions++;
  }
}

static int read_end(const json_t *root, sw_trace *trace, sw_err *err) {
  const json_t *solved = json_object_get(root, "solved");
  const json_t *terminal = json_object_get(root, "terminal");
  if (solved && !json_is_boolean(solved))
    return sw_fail(err, SW_DATA, "\"solved\" is not true or false");
  trace->terminal = json_is_true(solved) ? SW_TRACE_SOLVED : SW_TRACE_RUNNING;
  if (!terminal) return SW_OK;
  int end = json_is_string(terminal)
                ? sw_choice_index(SW_TRACE_ENDS, json_string_value(terminal))
                : -1;
  if (end < 0) {
    sw_fail(err, SW_DATA, "\"terminal\" is not an end of a search");
    return sw_hint(err, "one of " SW_TRACE_ENDS);
  }
  if (solved && json_is_true(solved) != (end == SW_TRACE_SOLVED))
    return sw_fail(err, SW_DATA, "\"solved\" and \"terminal\" disagree");
  trace->terminal = end;
  return SW_OK;
}

static int read_place(const json_t *root, sw_search_line *line, sw_err *err) {
  const json_t *group = json_object_get(root, "group");
  const json_t *part = json_object_get(root, "part");
  line->part = -1;
  line->group = 0;
  if (group) {
    if (!json_is_string(group) && !json_is_integer(group))
      return sw_fail(err, SW_DATA, "\"group\" is neither text nor a number");
    char text[32];
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT,
             json_integer_value(group));
    line->group =
        json_is_string(group)
            ? sw_xxh64(json_string_value(group), json_string_length(group), 21)
            : sw_xxh64(text, strlen(text), 21);
    line->group |= 1;
  }
  if (!part) return SW_OK;
  for (int p = 0; p < SW_PARTS && json_is_string(part); p++)
    if (!strcmp(json_string_value(part), sw_part_name(p))) line->part = p;
  return line->part >= 0
             ? SW_OK
             : sw_fail(err, SW_DATA, "\"part\" is not train, valid or test");
}

static int read_search(const sw_search_reader *r, const json_t *root,
                       sw_search_line *line, sw_err *err) {
  sw_trace *trace = &line->trace;
  int64_t words;
  if (!json_is_object(root))
    return sw_fail(err, SW_DATA, "is not a JSON object");
  SW_TRY(check_members(root, search_members, SEARCH_MEMBERS, err));
  sw_trace_begin_block(trace);
  SW_TRY(put_words(r, json_object_get(root, "problem"), "problem", 0, trace,
                   &words, err));
  if (!words) return sw_fail(err, SW_DATA, "\"problem\" has no words");
  if (json_object_get(root, "targets") && !trace->failed)
    SW_TRY(read_targets(root, 0, words, trace, err));
  if (!trace->failed) {
    sw_trace_judge(trace, 0, SW_UNJUDGED, 0);
    line->problem =
        sw_xxh64(trace->token, sizeof *trace->token * (size_t)words, 22);
  }
  trace->n = (int32_t)words;
  SW_TRY(read_steps(r, json_object_get(root, "steps"), line, err));
  SW_TRY(read_end(root, trace, err));
  SW_TRY(read_place(root, line, err));
  if (!trace->failed) count_steps(r, trace);
  SW_TRY(number(root, "n", INT32_MAX, &trace->n, err));
  SW_TRY(number(root, "decisions", INT32_MAX, &trace->decisions, err));
  SW_TRY(number(root, "conflicts", INT32_MAX, &trace->conflicts, err));
  return trace->failed ? sw_no_memory(err) : SW_OK;
}

int sw_search_line_read(const sw_search_reader *r, const char *text,
                        size_t bytes, sw_search_line *line, sw_err *err) {
  json_error_t why;
  json_t *root;
  sw_trace_clear(&line->trace);
  line->verdicts = 0;
  int code = sw_json_read(&root, text, bytes, JSON_REJECT_DUPLICATES, &why);
  if (code == SW_MEMORY) return sw_no_memory(err);
  if (code)
    return sw_fail(err, SW_DATA, "not JSON: %s (column %d)", why.text,
                   why.column);
  code = read_search(r, root, line, err);
  json_decref(root);
  return code;
}
