/* A program that answers for an environment (see protocol.h). A faulty request
 * gets {"error": text}; the program goes on. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"
#include "base/json_read.h"
#include "domains/outside/protocol.h"

typedef struct entry {
  int64_t id;
  void *search;
} entry;

struct sw_answerer {
  const statewise_environment *environment;
  entry *open;
  int32_t count, room;
  sw_json reply;
};

int sw_answerer_new(sw_answerer **out, const statewise_environment *environment,
                    sw_err *err) {
  sw_answerer *a = *out = calloc(1, sizeof *a);
  if (!a) return sw_no_memory(err);
  a->environment = environment;
  sw_json_to_text(&a->reply);
  return SW_OK;
}

void sw_answerer_free(sw_answerer *a) {
  if (!a) return;
  for (int32_t i = 0; i < a->count; i++) a->environment->end(a->open[i].search);
  free(a->open);
  sw_json_free(&a->reply);
  free(a);
}

/* What went wrong in answering one request. */
static int refuse(statewise_error *error, const char *text, const char *what) {
  return sw_fail((sw_err *)(void *)error, SW_USAGE, "%s%.60s", text, what);
}

static entry *find(sw_answerer *a, int64_t id) {
  for (int32_t i = 0; i < a->count; i++)
    if (a->open[i].id == id) return &a->open[i];
  return NULL;
}

static const char *text_of(const json_t *request, const char *name) {
  return json_string_value(json_object_get(request, name));
}

static void put_texts(sw_json *out, const char *name, const char *const *list) {
  sw_json_array(out, name);
  for (; list && *list; list++) sw_json_string(out, NULL, *list);
  sw_json_end(out);
}

static int hello(sw_answerer *a, sw_json *out, statewise_error *error) {
  statewise_hello h = {0};
  int code = a->environment->hello(a->environment->context, &h, error);
  if (code) return code;
  const struct {
    const char *name;
    int there;
  } has[] = {{"expert", h.expert},
             {"doomed", h.doomed},
             {"check", h.check},
             {"seed", h.seeded}};
  sw_json_string(out, "name", h.name);
  put_texts(out, "words", h.words);
  sw_json_string(out, "back", h.back);
  sw_json_array(out, "has");
  for (size_t i = 0; i < sizeof has / sizeof *has; i++)
    if (has[i].there) sw_json_string(out, NULL, has[i].name);
  sw_json_end(out);
  if (h.rules) sw_json_string(out, "rules", h.rules);
  sw_json_object(out, "limits");
  if (h.decisions > 0) sw_json_int(out, "decisions", h.decisions);
  if (h.tokens > 0) sw_json_int(out, "tokens", h.tokens);
  if (h.instances > 0) sw_json_int(out, "instances", h.instances);
  sw_json_end(out);
  if (h.verdict_shown) sw_json_bool(out, "verdict_shown", 1);
  return SW_OK;
}

static int begin(sw_answerer *a, int64_t id, const json_t *request,
                 sw_json *out, statewise_error *error) {
  const json_t *seed = json_object_get(request, "seed");
  const json_t *index = json_object_get(request, "index");
  statewise_task task = {.split = text_of(request, "split"),
                         .seed = (uint64_t)json_integer_value(seed),
                         .index = json_integer_value(index),
                         .problem = text_of(request, "problem")};
  statewise_problem problem = {0};
  void *search = NULL;
  if (find(a, id)) return refuse(error, "this search has begun before", "");
  if (!task.problem && !task.split)
    return refuse(error, "neither a split nor a problem", "");
  if (!sw_grow(&a->open, &a->room, a->count + 1, sizeof *a->open))
    return sw_no_memory((sw_err *)(void *)error);
  int code = a->environment->start(a->environment->context, &task, &search,
                                   &problem, error);
  if (code) return code;
  a->open[a->count++] = (entry){id, search};
  sw_json_string(out, "problem", problem.problem);
  if (problem.id) sw_json_string(out, "id", problem.id);
  return SW_OK;
}

static int look(sw_answerer *a, void *search, sw_json *out,
                statewise_error *error) {
  statewise_situation s = {0};
  int code = a->environment->look(search, &s, error);
  if (code) return code;
  if (s.over) {
    sw_json_string(out, "over", s.over);
    return SW_OK;
  }
  sw_json_string(out, "state", s.state);
  put_texts(out, "choices", s.choices);
  if (s.tried) put_texts(out, "tried", s.tried);
  if (s.conflict) sw_json_bool(out, "conflict", 1);
  if (s.key) sw_json_string(out, "key", s.key);
  return SW_OK;
}

static int take(sw_answerer *a, void *search, const json_t *request,
                sw_json *out, statewise_error *error) {
  const char *choice = text_of(request, "choice"), *refused = NULL;
  if (!choice) return refuse(error, "a take without a choice", "");
  int code = a->environment->take(search, choice, &refused, error);
  if (!code && refused) sw_json_string(out, "refused", refused);
  return code;
}

static int check(sw_answerer *a, void *search, sw_json *out,
                 statewise_error *error) {
  statewise_checked checked = {0};
  int code = a->environment->check(search, &checked, error);
  if (code) return code;
  sw_json_bool(out, "right", checked.right);
  if (checked.answer) sw_json_string(out, "answer", checked.answer);
  return SW_OK;
}

static void end(sw_answerer *a, entry *which) {
  a->environment->end(which->search);
  *which = a->open[--a->count];
}

/* A request of a search that is open. */
static int of_search(sw_answerer *a, const char *what, entry *which,
                     const json_t *request, sw_json *out,
                     statewise_error *error) {
  const statewise_environment *e = a->environment;
  int code = SW_OK, silent = 0, doomed = 0;
  const char *choice = NULL;
  if (!strcmp(what, "look")) return look(a, which->search, out, error);
  if (!strcmp(what, "take")) return take(a, which->search, request, out, error);
  if (!strcmp(what, "back")) {
    code = e->back(which->search, &silent, error);
    if (!code && silent) sw_json_int(out, "silent", silent);
  } else if (!strcmp(what, "expert") && e->expert) {
    code = e->expert(which->search, &choice, error);
    if (!code) sw_json_string(out, "choice", choice);
  } else if (!strcmp(what, "doomed") && e->doomed) {
    code = e->doomed(which->search, &doomed, error);
    if (!code) sw_json_bool(out, "doomed", doomed);
  } else if (!strcmp(what, "check") && e->check) {
    return check(a, which->search, out, error);
  } else if (!strcmp(what, "end")) {
    end(a, which);
  } else {
    return refuse(error, "not known here: ", what);
  }
  return code;
}

static int dispatch(sw_answerer *a, const json_t *request, sw_json *out,
                    statewise_error *error) {
  static const char *const names[] = {"new",    "look",   "take",  "back",
                                      "expert", "doomed", "check", "end"};
  if (!json_is_object(request)) return refuse(error, "not an object", "");
  if (json_object_get(request, "hello")) return hello(a, out, error);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const json_t *id = json_object_get(request, names[i]);
    if (!id) continue;
    if (!json_is_integer(id)) return refuse(error, "no number of a search", "");
    if (i == 0) return begin(a, json_integer_value(id), request, out, error);
    entry *which = find(a, json_integer_value(id));
    if (!which) return refuse(error, "this search is not open", "");
    return of_search(a, names[i], which, request, out, error);
  }
  return refuse(error, "no request that is known", "");
}

/* A request that fails has nothing but its error for a reply. */
static void answer(sw_answerer *a, const json_t *request) {
  statewise_error error = {0};
  size_t begin = a->reply.length;
  sw_json before = a->reply;
  sw_json_object(&a->reply, NULL);
  if (dispatch(a, request, &a->reply, &error)) {
    memcpy(a->reply.first, before.first, sizeof before.first);
    a->reply.depth = before.depth;
    a->reply.length = begin;
    sw_json_object(&a->reply, NULL);
    sw_json_string(&a->reply, "error",
                   error.text[0] ? error.text : "an error without a text");
  }
  sw_json_end(&a->reply);
}

/* A newline behind the reply. 0: out of memory. */
static int end_line(sw_json *json) {
  if (json->failed) return 0;
  if (json->room - json->length < 2) {
    char *grown = realloc(json->text, json->length + 2);
    if (!grown) return 0;
    json->text = grown;
    json->room = json->length + 2;
  }
  memcpy(json->text + json->length++, "\n", 2);
  return 1;
}

int sw_answerer_line(sw_answerer *a, const char *line, size_t bytes,
                     const char **reply, size_t *length, sw_err *err) {
  json_t *root;
  a->reply.length = 0;
  a->reply.depth = a->reply.failed = 0;
  if (sw_json_read(&root, line, bytes, JSON_REJECT_DUPLICATES, NULL) ==
      SW_MEMORY)
    return sw_no_memory(err);
  if (json_is_array(root)) {
    size_t i;
    json_t *request;
    sw_json_array(&a->reply, NULL);
    json_array_foreach(root, i, request) answer(a, request);
    sw_json_end(&a->reply);
  } else {
    answer(a, root); /* what is not JSON is not an object either */
  }
  json_decref(root);
  if (!end_line(&a->reply)) a->reply.failed = 1;
  *reply = a->reply.text;
  *length = a->reply.length;
  return a->reply.failed ? sw_no_memory(err) : SW_OK;
}
