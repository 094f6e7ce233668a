/* Conditions (see arms.h). */
#include "audit/arms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "audit/arms_inside.h"
#include "base/file.h"
#include "base/text.h"

static const char CLEARED[] = "[cleared]";

/* ---- names ---- */

static int number(const char *text, int64_t low, int64_t *value, sw_err *err) {
  if (sw_text_integer(text, low, 1000000, value)) return SW_OK;
  return sw_fail(err, SW_USAGE, "`%.40s` is not a number of messages or tokens",
                 text);
}

static int parse_clear(sw_arm *arm, const char *text, sw_err *err) {
  char part[64];
  while (*text) {
    size_t length = strcspn(text, ",");
    snprintf(part, sizeof part, "%.*s", (int)(length < 60 ? length : 60), text);
    if (!strncmp(part, "keep=", 5))
      SW_TRY(number(part + 5, 0, &arm->count, err));
    else if (!strncmp(part, "trigger=", 8))
      SW_TRY(number(part + 8, 0, &arm->trigger, err));
    else
      return sw_fail(err, SW_USAGE, "clear_tool_uses takes keep= and trigger=");
    text += length + (text[length] == ',');
  }
  return SW_OK;
}

static int unknown(const char *text, sw_err *err) {
  sw_fail(err, SW_USAGE, "there is no condition `%.60s`", text);
  return sw_hint(err,
                 "one of own, own2, history:NAME, none, last:N, "
                 "clear_tool_uses:keep=K, concat, other, demo:N");
}

int sw_arm_parse(sw_arm *arm, const char *text, sw_err *err) {
  static const struct {
    const char *name;
    sw_arm_kind kind;
    int64_t count; /* the value when none is given; -1: one is required */
  } rows[] = {
      {"own", SW_ARM_HISTORY, 0},          {"own2", SW_ARM_HISTORY, 1},
      {"history", SW_ARM_HISTORY, -1},     {"none", SW_ARM_NONE, 0},
      {"last", SW_ARM_LAST, -1},           {"clear_tool_uses", SW_ARM_CLEAR, 3},
      {"concat", SW_ARM_CONCAT, 0},        {"other", SW_ARM_OTHER, 0},
      {"demo", SW_ARM_DEMO, SW_DEMO_LEAST}};
  size_t length = strcspn(text, ":"), i = 0;
  const char *rest = text[length] ? text + length + 1 : NULL;
  while (
      i < sizeof rows / sizeof *rows &&
      (strlen(rows[i].name) != length || strncmp(rows[i].name, text, length)))
    i++;
  if (i == sizeof rows / sizeof *rows || strlen(text) >= SW_ARM_NAME)
    return unknown(text, err);
  memset(arm, 0, sizeof *arm);
  arm->kind = rows[i].kind;
  arm->count = rows[i].count;
  snprintf(arm->name, sizeof arm->name, "%s", text);
  if (arm->count < 0 && !rest) return unknown(text, err);
  switch (arm->kind) {
    case SW_ARM_HISTORY:
      arm->which = (int)arm->count;
      if (arm->count < 0)
        snprintf(arm->history, sizeof arm->history, "%s", rest);
      else if (rest) return unknown(text, err);
      return SW_OK;
    case SW_ARM_LAST:
      return number(rest, 1, &arm->count, err);
    case SW_ARM_DEMO:
      return rest ? number(rest, SW_DEMO_LEAST, &arm->count, err) : SW_OK;
    case SW_ARM_CLEAR:
      return rest ? parse_clear(arm, rest, err) : SW_OK;
    default:
      return rest ? unknown(text, err) : SW_OK;
  }
}

/* ---- which history ---- */

static const sw_history *of_case(const sw_arm *arm, const sw_audit_case *c) {
  if (arm->history[0]) return sw_audit_case_find(c, arm->history);
  return arm->which < c->histories ? &c->history[arm->which] : NULL;
}

/* ---- demonstrations ---- */

static int same_choices(const sw_audit_case *a, const sw_audit_case *b) {
  if (a->choices != b->choices) return 0;
  for (int i = 0; i < a->choices; i++)
    if (strcmp(a->choice[i], b->choice[i])) return 0;
  return 1;
}

/* The k-th demonstration for a case: another group's, right at choice k (modulo
 * their number), not one of `used`. -1: none. */
static int64_t find_demo(const sw_audit_cases *cases, int64_t at, int k,
                         const int64_t *used) {
  const sw_audit_case *c = &cases->item[at];
  for (int64_t step = 1; step < cases->count; step++) {
    int64_t i = (at + step) % cases->count;
    const sw_audit_case *o = &cases->item[i];
    int known = 0;
    for (int u = 0; u < k; u++) known |= used[u] == i;
    if (!known && o->right && strcmp(o->group, c->group) &&
        same_choices(o, c) && o->right[k % c->choices])
      return i;
  }
  return -1;
}

static int find_demos(const sw_arm *arm, const sw_audit_cases *cases,
                      int64_t at, int64_t *used) {
  for (int k = 0; k < arm->count; k++)
    if ((used[k] = find_demo(cases, at, k, used)) < 0) return 0;
  return 1;
}

int sw_arm_applies(const sw_arm *arm, const sw_audit_cases *cases, int64_t at) {
  const sw_audit_case *c = &cases->item[at];
  switch (arm->kind) {
    case SW_ARM_HISTORY:
      return of_case(arm, c) != NULL;
    case SW_ARM_NONE:
      return 1;
    case SW_ARM_OTHER:
      return sw_arm_other(cases, at) >= 0;
    case SW_ARM_DEMO: {
      int64_t used[64];
      return arm->count <= 64 && find_demos(arm, cases, at, used);
    }
    default:
      return c->histories > 0;
  }
}

/* ---- messages ---- */

void sw_choice_label(const sw_audit_cases *cases, const sw_audit_case *c,
                     int choice, int order, char *text, size_t room) {
  if (cases->words) snprintf(text, room, "%s", c->choice[choice]);
  else
    snprintf(text, room, "%d", (order ? c->choices - 1 - choice : choice) + 1);
}

/* The text behind a situation: its choices and how to answer. */
static char *question_text(const sw_audit_cases *cases, const sw_audit_case *c,
                           int order) {
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return NULL;
  if (cases->words) fputs(cases->ask ? cases->ask : "\nAnswer ", out);
  else fputs("\n\nChoices\n", out);
  for (int i = 0; i < c->choices; i++) {
    const char *choice = c->choice[order ? c->choices - 1 - i : i];
    if (cases->words)
      fprintf(out, "%s%s",
              !i                   ? ""
              : i + 1 < c->choices ? ", "
                                   : " or ",
              choice);
    else fprintf(out, "%d. %s\n", i + 1, choice);
  }
  fputs(cases->words ? "." : "Answer with one number.", out);
  return sw_memory_close(out, &text) ? text : NULL;
}

/* The last message with the question behind its text. A last message that is
 * not the user's text is followed by a new message. */
static int put_question(json_t *list, const char *text, sw_err *err) {
  size_t last = json_array_size(list);
  json_t *m = last ? json_array_get(list, last - 1) : NULL;
  const char *role = json_string_value(json_object_get(m, "role"));
  const char *said = json_string_value(json_object_get(m, "content"));
  if (!role || strcmp(role, "user") || !said) {
    while (*text == '\n') text++;
    return json_array_append_new(list, sw_message_json("user", text))
               ? sw_no_memory(err)
               : SW_OK;
  }
  size_t room = strlen(said) + strlen(text) + 1;
  char *both = malloc(room);
  json_t *copy = json_copy(m);
  if (both) snprintf(both, room, "%s%s", said, text);
  int bad = !both || !copy ||
            json_object_set_new(copy, "content", json_string(both)) ||
            json_array_set_new(list, last - 1, json_incref(copy));
  json_decref(copy);
  free(both);
  return bad ? sw_no_memory(err) : SW_OK;
}

static int append_all(json_t *list, const json_t *more, sw_err *err) {
  return more && json_array_extend(list, (json_t *)(uintptr_t)more)
             ? sw_no_memory(err)
             : SW_OK;
}

static json_t *by_order(json_t *const pair[SW_CASE_ORDERS], int order) {
  return pair[order] ? pair[order] : pair[0];
}

/* The last `count` messages. It starts behind tool results whose calls were cut
 * off. */
static int append_last(json_t *list, const json_t *history, int64_t count,
                       sw_err *err) {
  size_t all = json_array_size(history);
  size_t at = (int64_t)all > count ? all - (size_t)count : 0;
  for (int skipping = 1; at < all; at++) {
    json_t *m = json_array_get(history, at);
    const char *role = json_string_value(json_object_get(m, "role"));
    if (skipping && at && role && !strcmp(role, "tool")) continue;
    skipping = 0;
    if (json_array_append(list, m)) return sw_no_memory(err);
  }
  return SW_OK;
}

static int is_result(const json_t *m) {
  const char *role = json_string_value(json_object_get(m, "role"));
  return role && (!strcmp(role, "tool") || !strcmp(role, "function"));
}

static int append_cleared(json_t *list, const json_t *history,
                          const sw_arm *arm, sw_err *err) {
  size_t i;
  json_t *m;
  int64_t results = 0;
  if (arm->trigger && (int64_t)sw_arm_bytes(history) / 4 <= arm->trigger)
    return append_all(list, history, err);
  json_array_foreach(history, i, m) results += is_result(m);
  json_array_foreach(history, i, m) {
    if (!is_result(m) || results-- <= arm->count) {
      if (json_array_append(list, m)) return sw_no_memory(err);
      continue;
    }
    json_t *copy = json_copy(m);
    if (!copy || json_object_set_new(copy, "content", json_string(CLEARED)) ||
        json_array_append_new(list, copy))
      return sw_no_memory(err);
  }
  return SW_OK;
}

/* A message as text to read; content that is no text is shown as JSON. */
static void write_plain(FILE *out, const json_t *m) {
  const json_t *content = json_object_get(m, "content");
  const json_t *calls = json_object_get(m, "tool_calls");
  fprintf(out, "%s: ", json_string_value(json_object_get(m, "role")));
  if (json_is_string(content)) fputs(json_string_value(content), out);
  else if (content && !json_is_null(content))
    json_dumpf(content, out, JSON_COMPACT | JSON_SORT_KEYS);
  if (calls) json_dumpf(calls, out, JSON_COMPACT | JSON_SORT_KEYS);
  fputs("\n\n", out);
}

void sw_arm_write_plain(FILE *out, const json_t *messages) {
  size_t i;
  json_t *m;
  json_array_foreach((json_t *)(uintptr_t)messages, i, m) write_plain(out, m);
}

static int append_flat(json_t *list, const json_t *history, sw_err *err) {
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return sw_no_memory(err);
  fputs("What happened so far:\n\n", out);
  sw_arm_write_plain(out, history);
  if (!sw_memory_close(out, &text)) return sw_no_memory(err);
  int bad = json_array_append_new(list, sw_message_json("user", text));
  free(text);
  return bad ? sw_no_memory(err) : SW_OK;
}

/* Situation and question, behind what is in the list. */
static int append_situation(json_t *list, const sw_audit_cases *cases,
                            int64_t at, int order, const sw_history *h,
                            sw_err *err) {
  const sw_audit_case *c = &cases->item[at];
  const json_t *situation = h ? by_order(h->situation, order) : NULL;
  SW_TRY(append_all(list, situation ? situation : c->situation, err));
  char *text = question_text(cases, c, order);
  if (!text) return sw_no_memory(err);
  int code = put_question(list, text, err);
  free(text);
  return code;
}

static int append_demos(json_t *list, const sw_arm *arm,
                        const sw_audit_cases *cases, int64_t at, int order,
                        sw_err *err) {
  int64_t used[64];
  char label[512];
  if (!find_demos(arm, cases, at, used))
    return sw_fail(err, SW_USAGE, "too few cases are known to be right");
  for (int k = 0; k < arm->count; k++) {
    const sw_audit_case *o = &cases->item[used[k]];
    int right = k % o->choices;
    SW_TRY(append_situation(list, cases, used[k], order, NULL, err));
    sw_choice_label(cases, o, right, order, label, sizeof label);
    if (json_array_append_new(list, sw_message_json("assistant", label)))
      return sw_no_memory(err);
  }
  return SW_OK;
}

static int append_before(json_t *list, const sw_arm *arm,
                         const sw_audit_cases *cases, int64_t at, int order,
                         const sw_history **own, sw_err *err) {
  const sw_audit_case *c = &cases->item[at];
  const json_t *first =
      c->histories ? by_order(c->history[0].messages, order) : NULL;
  *own = NULL;
  switch (arm->kind) {
    case SW_ARM_HISTORY:
      *own = of_case(arm, c);
      return append_all(list, *own ? by_order((*own)->messages, order) : NULL,
                        err);
    case SW_ARM_LAST:
      return append_last(list, first, arm->count, err);
    case SW_ARM_CLEAR:
      return append_cleared(list, first, arm, err);
    case SW_ARM_CONCAT:
      return append_flat(list, first, err);
    case SW_ARM_OTHER: {
      int64_t other = sw_arm_other(cases, at);
      if (other < 0) return SW_OK;
      const sw_history *h = &cases->item[other].history[0];
      return append_all(list, by_order(h->messages, order), err);
    }
    case SW_ARM_DEMO:
      return append_demos(list, arm, cases, at, order, err);
    default:
      return SW_OK;
  }
}

/* concat leaves one message: the flattened history and the situation. */
static int join_two(json_t *list, size_t at, sw_err *err) {
  json_t *a = json_array_get(list, at), *b = json_array_get(list, at + 1);
  const char *x = json_string_value(json_object_get(a, "content"));
  const char *y = json_string_value(json_object_get(b, "content"));
  const char *role = json_string_value(json_object_get(b, "role"));
  if (!x || !y || !role || strcmp(role, "user")) return SW_OK;
  size_t room = strlen(x) + strlen(y) + 1;
  char *both = malloc(room);
  if (!both) return sw_no_memory(err);
  snprintf(both, room, "%s%s", x, y);
  int bad = json_array_set_new(list, at, sw_message_json("user", both)) ||
            json_array_remove(list, at + 1);
  free(both);
  return bad ? sw_no_memory(err) : SW_OK;
}

int sw_arm_messages(const sw_arm *arm, const sw_audit_cases *cases, int64_t at,
                    int order, json_t **messages, sw_err *err) {
  const sw_history *own;
  json_t *list = *messages = json_array();
  if (!list) return sw_no_memory(err);
  int code = append_all(list, cases->item[at].system, err);
  size_t before = json_array_size(list);
  if (!code) code = append_before(list, arm, cases, at, order, &own, err);
  if (!code) code = append_situation(list, cases, at, order, own, err);
  if (!code && arm->kind == SW_ARM_CONCAT) code = join_two(list, before, err);
  if (code) {
    json_decref(list);
    *messages = NULL;
  }
  return code;
}

/* ---- cost ---- */

/* Older results are replaced one by one, so the history is unchanged up to the
 * result that this turn replaced. */
static size_t before_cleared(const sw_arm *arm, const json_t *history) {
  size_t i, sum = 0;
  json_t *m;
  int64_t results = 0;
  json_array_foreach(history, i, m) results += is_result(m);
  if (results <= arm->count) return sw_arm_bytes(history);
  json_array_foreach(history, i, m) {
    if (is_result(m) && results-- == arm->count + 1) break;
    const json_t *content = json_object_get(m, "content");
    sum += json_is_string(content) ? json_string_length(content) : 0;
  }
  return sum;
}

int64_t sw_arm_cacheable(const sw_arm *arm, const sw_audit_cases *cases,
                         int64_t at) {
  const sw_audit_case *c = &cases->item[at];
  size_t bytes = sw_arm_bytes(c->system);
  const sw_history *h = arm->kind == SW_ARM_HISTORY ? of_case(arm, c)
                        : c->histories              ? c->history
                                                    : NULL;
  int64_t other = arm->kind == SW_ARM_OTHER ? sw_arm_other(cases, at) : -1;
  if (other >= 0) h = cases->item[other].history;
  if (h && (arm->kind == SW_ARM_HISTORY || arm->kind == SW_ARM_OTHER))
    bytes += sw_arm_bytes(h->messages[0]);
  if (h && arm->kind == SW_ARM_CLEAR)
    bytes += before_cleared(arm, h->messages[0]);
  return (int64_t)bytes;
}
