/* Replies of an environment's program (see reply.h). */
#include "domains/outside/reply.h"

#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "base/json_read.h"
#include "domains/outside/process.h"

typedef enum { TEXT, TEXTS, BOOL, COUNT, LIMITS } member_type;
static const char *const type_names[] = {"a text", "a list of texts",
                                         "true or false", "a whole number",
                                         "an object of whole numbers"};

enum { MUST = 1 };
static const struct {
  const char *request, *name;
  member_type type;
  int must;
} members[] = {{"hello", "name", TEXT, MUST},
               {"hello", "words", TEXTS, MUST},
               {"hello", "back", TEXT, MUST},
               {"hello", "has", TEXTS, 0},
               {"hello", "rules", TEXT, 0},
               {"hello", "limits", LIMITS, 0},
               {"hello", "verdict_shown", BOOL, 0},
               {"new", "problem", TEXT, MUST},
               {"new", "id", TEXT, 0},
               {"look", "over", TEXT, 0},
               {"look", "state", TEXT, 0},
               {"look", "choices", TEXTS, 0},
               {"look", "tried", TEXTS, 0},
               {"look", "conflict", BOOL, 0},
               {"look", "key", TEXT, 0},
               {"take", "refused", TEXT, 0},
               {"back", "silent", COUNT, 0},
               {"expert", "choice", TEXT, MUST},
               {"doomed", "doomed", BOOL, MUST},
               {"check", "right", BOOL, MUST},
               {"check", "answer", TEXT, 0}};
enum { MEMBERS = sizeof members / sizeof *members };

static int are_texts(const json_t *list) {
  size_t i;
  json_t *item;
  if (!json_is_array(list)) return 0;
  json_array_foreach(list, i, item) if (!json_is_string(item)) return 0;
  return 1;
}

static int is_count(const json_t *value) {
  return json_is_integer(value) && json_integer_value(value) >= 0;
}

static int are_limits(const json_t *limits) {
  const char *key;
  json_t *value;
  if (!json_is_object(limits)) return 0;
  json_object_foreach(
      (json_t *)(uintptr_t)limits, key,
      value) if ((strcmp(key, "decisions") && strcmp(key, "tokens") &&
                  strcmp(key, "instances")) ||
                 !is_count(value)) return 0;
  return 1;
}

static int has_type(const json_t *value, member_type type) {
  switch (type) {
    case TEXT:
      return json_is_string(value);
    case TEXTS:
      return are_texts(value);
    case BOOL:
      return json_is_boolean(value);
    case COUNT:
      return is_count(value) && json_integer_value(value) <= INT32_MAX;
    default:
      return are_limits(value);
  }
}

/* What a reading error shows. */
typedef struct shown {
  const char *asked, *line;
} shown;

static int find(const char *request, const char *name) {
  for (int i = 0; i < MEMBERS; i++)
    if (!strcmp(members[i].request, request) && !strcmp(members[i].name, name))
      return i;
  return -1;
}

static int check_member(const sw_request *request, const char *name,
                        const json_t *value, const shown *s, sw_err *err) {
  int at = find(request->name, name);
  if (at >= 0 && has_type(value, members[at].type)) return SW_OK;
  if (at >= 0)
    return sw_process_fail(err, SW_DATA, s->asked, s->line,
                           "replied with `%s`, which is not %s", name,
                           type_names[members[at].type]);
  if (!strncmp(name, "x-", 2)) return SW_OK;
  if (strcmp(name, request->name))
    return sw_process_fail(
        err, SW_DATA, s->asked, s->line,
        "replied to \"%s\" with `%.40s`, which is not a member "
        "of such a reply",
        request->name, name);
  /* The echo of the request. */
  if (json_is_integer(value) && json_integer_value(value) == request->id)
    return SW_OK;
  return sw_process_fail(err, SW_DATA, s->asked, s->line,
                         "replied to \"%s\" of another search", name);
}

static int check_look(const json_t *reply, const shown *s, sw_err *err) {
  const char *over = json_string_value(json_object_get(reply, "over"));
  if (over) {
    if (!strcmp(over, "solved") || !strcmp(over, "exhausted") ||
        !strcmp(over, "failed"))
      return SW_OK;
    return sw_process_fail(err, SW_DATA, s->asked, s->line,
                           "says that the search is over as `%.40s`, which is "
                           "not solved, exhausted or failed",
                           over);
  }
  const char *missing = !json_object_get(reply, "state")     ? "state"
                        : !json_object_get(reply, "choices") ? "choices"
                                                             : NULL;
  return missing ? sw_process_fail(err, SW_DATA, s->asked, s->line,
                                   "replied to \"look\" without `%s`", missing)
                 : SW_OK;
}

static int check_reply(const sw_request *request, json_t *reply, const shown *s,
                       sw_err *err) {
  if (!json_is_object(reply))
    return sw_process_fail(err, SW_DATA, s->asked, s->line,
                           "replied to \"%s\" with what is not an object",
                           request->name);
  const json_t *error = json_object_get(reply, "error");
  if (error)
    return sw_process_fail(
        err, SW_DATA, s->asked, NULL, "reports an error: %.200s",
        json_is_string(error) ? json_string_value(error) : "(no text)");
  const char *name;
  json_t *value;
  json_object_foreach(reply, name, value)
      SW_TRY(check_member(request, name, value, s, err));
  for (int i = 0; i < MEMBERS; i++)
    if (members[i].must && !strcmp(members[i].request, request->name) &&
        !json_object_get(reply, members[i].name))
      return sw_process_fail(err, SW_DATA, s->asked, s->line,
                             "replied to \"%s\" without `%s`", request->name,
                             members[i].name);
  return strcmp(request->name, "look") ? SW_OK : check_look(reply, s, err);
}

static int read_root(const sw_request *request, int count, const shown *s,
                     json_t *root, json_t **reply, sw_err *err) {
  if (count == 1) {
    reply[0] = root;
    return check_reply(request, root, s, err);
  }
  /* One error may stand for all of a line. */
  if (json_is_object(root) && json_object_get(root, "error"))
    return check_reply(request, root, s, err);
  if (!json_is_array(root) || json_array_size(root) != (size_t)count)
    return sw_process_fail(err, SW_DATA, s->asked, s->line,
                           "did not reply with a list of %d to a list of %d",
                           count, count);
  for (int i = 0; i < count; i++) {
    reply[i] = json_array_get(root, (size_t)i);
    SW_TRY(check_reply(&request[i], reply[i], s, err));
  }
  return SW_OK;
}

int sw_reply_read_all(const sw_request *request, int count, const char *asked,
                      const char *line, size_t bytes, json_t **root,
                      json_t **reply, sw_err *err) {
  const shown s = {asked, line};
  json_error_t why = {0};
  int code = sw_json_read(root, line, bytes, JSON_REJECT_DUPLICATES, &why);
  if (code == SW_MEMORY) return sw_no_memory(err);
  if (code)
    return sw_process_fail(err, SW_DATA, asked, line,
                           "replied with what is not JSON: %.100s", why.text);
  code = read_root(request, count, &s, *root, reply, err);
  if (!code) return SW_OK;
  json_decref(*root);
  *root = NULL;
  return code;
}

int sw_reply_texts(const json_t *value, const char ***list, int32_t *room,
                   sw_err *err) {
  size_t count = json_array_size(value), i;
  json_t *item;
  if (count >= INT32_MAX ||
      !sw_grow(list, room, (int32_t)count + 1, sizeof **list))
    return sw_no_memory(err);
  json_array_foreach(value, i, item)(*list)[i] = json_string_value(item);
  (*list)[count] = NULL;
  return SW_OK;
}
