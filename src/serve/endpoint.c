/* The endpoint: GET /v1/models, POST /v1/completions and
 * /v1/chat/completions, in the shape that the usual clients expect. Our models
 * know no English: a prompt must be a conversation as search/words.h writes it.
 * The answer is the number of the most probable choice, with the choices'
 * log-probabilities on request, whole or as a stream of events. What would need
 * another kind of answer (tools, a schema, a temperature's draws) is refused
 * with a reason, or noted in the reply; nothing is ignored in silence. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/json_read.h"
#include "search/pick.h"
#include "serve/endpoint_inside.h"

typedef sw_endpoint_question question;

static void model_json(sw_json *json, const sw_offered_model *b) {
  sw_json_object(json, NULL);
  sw_json_string(json, "id", b->id);
  sw_json_string(json, "object", "model");
  sw_json_int(json, "created", 0);
  sw_json_string(json, "owned_by", "statewise");
  sw_json_string(json, "domain", b->loaded.domain->name);
  sw_json_string(json, "mask", sw_mask_name(b->loaded.reading.mask));
  sw_json_end(json);
}

void sw_serve_models(void *context, const sw_request *request,
                     sw_reply *reply) {
  const sw_server *server = context;
  sw_json json;
  (void)request;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "object", "list");
  sw_json_array(&json, "data");
  for (int32_t i = 0; i < server->shelf.count; i++)
    model_json(&json, server->shelf.offered[i]);
  sw_json_end(&json);
  sw_json_end(&json);
  sw_reply_json(reply, 200, &json);
}

static int no_model(const char *name, sw_err *err) {
  sw_fail(err, SW_NOFILE, "there is no model `%.80s`", name);
  return sw_hint(err, "GET /v1/models lists those there are");
}

void sw_serve_model(void *context, const sw_request *request, sw_reply *reply) {
  const sw_server *server = context;
  const sw_offered_model *offered =
      sw_shelf_find(&server->shelf, request->rest);
  sw_err err = {0};
  sw_json json;
  if (!offered) {
    no_model(request->rest, &err);
    sw_reply_error(reply, 404, "model_not_found", &err);
    return;
  }
  sw_json_to_text(&json);
  model_json(&json, offered);
  sw_reply_json(reply, 200, &json);
}

/* ---- reading a request ---- */

static int wrong(sw_err *err, const char *what) {
  return sw_fail(err, SW_USAGE, "%s", what);
}

/* Members that ask for another kind of answer than the number of a choice. */
static int check_refused(const json_t *body, sw_err *err) {
  static const char *const refused[] = {
      "tools",          "tool_choice",   "functions",
      "function_call",  "grammar",       "structured_outputs",
      "audio",          "guided_choice", "guided_regex",
      "guided_json",    "modalities",    "logit_bias",
      "guided_grammar", "suffix",        "json_schema"};
  const json_t *format = json_object_get(body, "response_format");
  const char *type = json_string_value(json_object_get(format, "type"));
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    const json_t *value = json_object_get(body, refused[i]);
    if (value && !json_is_null(value))
      return sw_fail(
          err, SW_USAGE,
          "`%s` is not offered: the answer is the number of a choice",
          refused[i]);
  }
  if (format && !json_is_null(format) && (!type || strcmp(type, "text")))
    return wrong(err,
                 "`response_format` is not offered: the answer is the "
                 "number of a choice");
  return SW_OK;
}

static int read_stream(question *q, const json_t *body, sw_err *err) {
  const json_t *stream = json_object_get(body, "stream");
  const json_t *options = json_object_get(body, "stream_options");
  if (stream && !json_is_null(stream) && !json_is_boolean(stream))
    return wrong(err, "stream must be true or false");
  q->stream = json_is_true(stream);
  q->usage = json_is_true(json_object_get(options, "include_usage"));
  return SW_OK;
}

static int check_settings(question *q, const json_t *body, sw_err *err) {
  const json_t *temperature = json_object_get(body, "temperature");
  const json_t *n = json_object_get(body, "n");
  const json_t *most = json_object_get(body, "max_tokens");
  if (!most) most = json_object_get(body, "max_completion_tokens");
  if (temperature && !json_is_null(temperature)) {
    double t = json_number_value(temperature);
    if (!json_is_number(temperature) || !(t >= 0) || t > 2)
      return wrong(err, "temperature must be between 0 and 2");
    q->warm = t > 0;
  }
  if (n && !json_is_null(n) &&
      (!json_is_integer(n) || json_integer_value(n) != 1))
    return wrong(err, "n must be 1");
  if (most && !json_is_null(most) &&
      (!json_is_integer(most) || json_integer_value(most) < 1))
    return wrong(err, "max_tokens must be at least 1");
  SW_TRY(check_refused(body, err));
  return read_stream(q, body, err);
}

/* chat: logprobs true and top_logprobs k; completions: logprobs k. */
static int read_top(question *q, const json_t *body, sw_err *err) {
  const json_t *logprobs = json_object_get(body, "logprobs");
  const json_t *top =
      q->chat ? json_object_get(body, "top_logprobs") : logprobs;
  if (!logprobs || json_is_null(logprobs) || json_is_false(logprobs))
    return SW_OK;
  if (q->chat && !json_is_true(logprobs))
    return wrong(err, "logprobs must be true or false");
  q->top = 1;
  if (!top || json_is_null(top)) return SW_OK;
  if (!json_is_integer(top) || json_integer_value(top) < 0 ||
      json_integer_value(top) > TOP_MAX)
    return wrong(err, "between 0 and 20 log-probabilities can be had");
  if (json_integer_value(top) > 1) q->top = (int)json_integer_value(top);
  return SW_OK;
}

/* A text, or parts that are all texts; malloc'd. NULL: it is something else, or
 * there is no memory. */
static char *content_text(const json_t *content) {
  size_t room = 1, used = 0;
  const json_t *part;
  for (size_t i = 0; i < json_array_size(content); i++) {
    part = json_array_get(content, i);
    const char *type = json_string_value(json_object_get(part, "type"));
    const json_t *text = json_object_get(part, "text");
    if (!type || strcmp(type, "text") || !json_is_string(text)) return NULL;
    room += json_string_length(text);
  }
  if (json_is_string(content)) return strdup(json_string_value(content));
  char *out = json_array_size(content) ? malloc(room) : NULL;
  for (size_t i = 0; out && i < json_array_size(content); i++) {
    part = json_array_get(content, i);
    const char *text = json_string_value(json_object_get(part, "text"));
    memcpy(out + used, text, strlen(text));
    used += strlen(text);
  }
  if (out) out[used] = 0;
  return out;
}

static int read_messages(question *q, const json_t *list, sw_err *err) {
  if (!json_is_array(list) || !json_array_size(list))
    return wrong(err, "messages must be a list of messages");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *m = json_array_get(list, i);
    const char *role = json_string_value(json_object_get(m, "role"));
    char *text = content_text(json_object_get(m, "content"));
    int r = 0;
    if (role && !strcmp(role, "developer")) role = "system";
    while (role && r < 3 && strcmp(role, sw_role_name((sw_role)r))) r++;
    if (!role || r == 3 || !text) {
      free(text);
      return sw_fail(err, SW_USAGE,
                     "message %zu needs a role (system, user or assistant) and"
                     " text as content",
                     i + 1);
    }
    sw_messages_add(&q->messages, (sw_role)r, text, strlen(text));
    free(text);
  }
  return q->messages.failed ? sw_no_memory(err) : SW_OK;
}

/* The model named, or the only one, or the one whose rules these are. */
static int find_book(question *q, const sw_server *server, const json_t *body,
                     sw_err *err) {
  const char *name = json_string_value(json_object_get(body, "model"));
  if (name) {
    q->offered = sw_shelf_find(&server->shelf, name);
    if (q->offered) return SW_OK;
    return no_model(name, err);
  }
  for (int32_t i = 0; i < server->shelf.count; i++)
    if (server->shelf.count == 1 ||
        sw_language_owns(server->shelf.offered[i]->language, &q->messages)) {
      q->offered = server->shelf.offered[i];
      return SW_OK;
    }
  return wrong(err, "which model? name one of GET /v1/models");
}

static int read_question(question *q, const sw_server *server,
                         const json_t *body, sw_err *err) {
  if (!json_is_object(body)) return wrong(err, "the body is no JSON object");
  SW_TRY(check_settings(q, body, err));
  SW_TRY(read_top(q, body, err));
  if (q->chat) {
    SW_TRY(read_messages(q, json_object_get(body, "messages"), err));
  } else {
    const json_t *prompt = json_object_get(body, "prompt");
    if (!json_is_string(prompt)) return wrong(err, "prompt must be one text");
    SW_TRY(sw_messages_split(&q->messages, json_string_value(prompt), err));
  }
  SW_TRY(find_book(q, server, body, err));
  return sw_words_read(q->offered->language, &q->messages, &q->trace,
                       q->candidate, &q->count, err);
}

/* ---- answering ---- */

static int answer(question *q, sw_err *err) {
  const float *logits;
  pthread_mutex_lock(&q->offered->lock);
  int code = sw_offered_ask(q->offered, &q->trace, &logits, err);
  if (!code) q->best = sw_pick_tokens(q->candidate, q->count, logits, q->log_p);
  pthread_mutex_unlock(&q->offered->lock);
  for (int i = 0; i < q->count && !code; i++) { /* insertion: few candidates */
    int at = i;
    while (at > 0 && q->log_p[q->order[at - 1]] < q->log_p[i]) {
      q->order[at] = q->order[at - 1];
      at--;
    }
    q->order[at] = i;
  }
  return code;
}

static void complete(void *server, const sw_request *request, int chat,
                     sw_reply *reply) {
  sw_err err = {0};
  json_error_t bad;
  question *q = calloc(1, sizeof *q);
  if (!q) {
    sw_reply_text(reply, 500, "out of memory\n");
    return;
  }
  q->chat = chat;
  sw_trace_init(&q->trace);
  json_t *body;
  int code = sw_json_read(&body, request->body, request->bytes,
                          JSON_REJECT_DUPLICATES, &bad);
  if (code == SW_MEMORY) sw_fail(&err, code, "out of memory");
  else if (code) sw_fail(&err, code, "the body is no JSON: %s", bad.text);
  else code = read_question(q, server, body, &err);
  if (!code) code = answer(q, &err);
  if (!code) sw_endpoint_answer(q, reply);
  else if (code == SW_NOFILE)
    sw_reply_error(reply, 404, "model_not_found", &err);
  else if (code == SW_LIMIT)
    sw_reply_error(reply, 400, "context_length_exceeded", &err);
  else if (code == SW_USAGE || code == SW_DATA)
    sw_reply_error(reply, 400, "invalid_prompt", &err);
  else {
    char name[16];
    sw_error_code(code, name);
    sw_reply_error(reply, 500, name, &err);
  }
  json_decref(body);
  sw_messages_free(&q->messages);
  sw_trace_free(&q->trace);
  free(q);
}

void sw_serve_completion(void *server, const sw_request *request,
                         sw_reply *reply) {
  complete(server, request, 0, reply);
}

void sw_serve_chat(void *server, const sw_request *request, sw_reply *reply) {
  complete(server, request, 1, reply);
}
