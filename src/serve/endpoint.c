/* The endpoint: GET /v1/models, POST /v1/completions and
 * /v1/chat/completions, in the shape that the usual clients expect. Our models
 * know no English: a prompt must be a conversation as search/words.h writes it.
 * The answer is the number of the most probable choice, with the choices'
 * log-probabilities on request. Whatever else is asked for gets 400 and a
 * reason. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/json_read.h"
#include "search/pick.h"
#include "serve/serve.h"

enum { TOP_MAX = 20 };

typedef struct question {
  sw_book *book;
  sw_messages messages;
  sw_trace trace;
  int32_t candidate[SW_WORDS_CHOICES], count;
  double log_p[SW_WORDS_CHOICES];
  int order[SW_WORDS_CHOICES]; /* candidates, most probable first */
  int best, top;               /* top: log-probabilities wanted; 0: none */
  int chat;
} question;

void sw_serve_models(void *context, const sw_request *request,
                     sw_reply *reply) {
  const sw_server *server = context;
  sw_json json;
  (void)request;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "object", "list");
  sw_json_array(&json, "data");
  for (int32_t i = 0; i < server->shelf.count; i++) {
    const sw_book *b = server->shelf.book[i];
    sw_json_object(&json, NULL);
    sw_json_string(&json, "id", b->id);
    sw_json_string(&json, "object", "model");
    sw_json_int(&json, "created", 0);
    sw_json_string(&json, "owned_by", "statewise");
    sw_json_string(&json, "domain", b->loaded.domain->name);
    sw_json_string(&json, "mask", sw_mask_name(b->loaded.reading.mask));
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
  sw_reply_json(reply, 200, &json);
}

/* ---- reading a request ---- */

static int wrong(sw_err *err, const char *what) {
  return sw_fail(err, SW_USAGE, "%s", what);
}

/* Settings that would need another kind of answer than the one there is. */
static int check_settings(const json_t *body, sw_err *err) {
  const json_t *temperature = json_object_get(body, "temperature");
  const json_t *n = json_object_get(body, "n");
  const json_t *most = json_object_get(body, "max_tokens");
  if (!most) most = json_object_get(body, "max_completion_tokens");
  if (temperature && !json_is_null(temperature) &&
      (!json_is_number(temperature) || json_number_value(temperature) != 0))
    return wrong(err,
                 "temperature must be 0: the answer is the most probable"
                 " choice");
  if (n && !json_is_null(n) &&
      (!json_is_integer(n) || json_integer_value(n) != 1))
    return wrong(err, "n must be 1");
  if (json_is_true(json_object_get(body, "stream")))
    return wrong(err, "stream is not offered");
  if (most && !json_is_null(most) &&
      (!json_is_integer(most) || json_integer_value(most) < 1))
    return wrong(err, "max_tokens must be at least 1");
  return SW_OK;
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

static int read_messages(question *q, const json_t *list, sw_err *err) {
  if (!json_is_array(list) || !json_array_size(list))
    return wrong(err, "messages must be a list of messages");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *m = json_array_get(list, i);
    const char *role = json_string_value(json_object_get(m, "role"));
    const json_t *text = json_object_get(m, "content");
    int r = 0;
    if (role && !strcmp(role, "developer")) role = "system";
    while (role && r < 3 && strcmp(role, sw_role_name((sw_role)r))) r++;
    if (!role || r == 3 || !json_is_string(text))
      return sw_fail(err, SW_USAGE,
                     "message %zu needs a role (system, user or assistant) and"
                     " a text as content",
                     i + 1);
    sw_messages_add(&q->messages, (sw_role)r, json_string_value(text),
                    json_string_length(text));
  }
  return q->messages.failed ? sw_fail(err, SW_MEMORY, "out of memory") : SW_OK;
}

/* The model named, or the only one, or the one whose rules these are. */
static int find_book(question *q, const sw_server *server, const json_t *body,
                     sw_err *err) {
  const char *name = json_string_value(json_object_get(body, "model"));
  if (name) {
    q->book = sw_shelf_find(&server->shelf, name);
    if (q->book) return SW_OK;
    sw_fail(err, SW_NOFILE, "there is no model `%.80s`", name);
    return sw_hint(err, "GET /v1/models lists those there are");
  }
  for (int32_t i = 0; i < server->shelf.count; i++)
    if (server->shelf.count == 1 ||
        sw_language_owns(server->shelf.book[i]->language, &q->messages)) {
      q->book = server->shelf.book[i];
      return SW_OK;
    }
  return wrong(err, "which model? name one of GET /v1/models");
}

static int read_question(question *q, const sw_server *server,
                         const json_t *body, sw_err *err) {
  if (!json_is_object(body)) return wrong(err, "the body is no JSON object");
  SW_TRY(check_settings(body, err));
  SW_TRY(read_top(q, body, err));
  if (q->chat) {
    SW_TRY(read_messages(q, json_object_get(body, "messages"), err));
  } else {
    const json_t *prompt = json_object_get(body, "prompt");
    if (!json_is_string(prompt)) return wrong(err, "prompt must be one text");
    SW_TRY(sw_messages_split(&q->messages, json_string_value(prompt), err));
  }
  SW_TRY(find_book(q, server, body, err));
  return sw_words_read(q->book->language, &q->messages, &q->trace, q->candidate,
                       &q->count, err);
}

/* ---- answering ---- */

static int answer(question *q, sw_err *err) {
  const float *logits;
  pthread_mutex_lock(&q->book->lock);
  int code = sw_book_ask(q->book, &q->trace, &logits, err);
  if (!code) q->best = sw_pick_tokens(q->candidate, q->count, logits, q->log_p);
  pthread_mutex_unlock(&q->book->lock);
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

static void number_of(int index, char text[16]) {
  snprintf(text, 16, "%d", index + 1);
}

static void one_logprob(sw_json *json, const question *q, int index) {
  char text[16];
  number_of(index, text);
  sw_json_string(json, "token", text);
  sw_json_real(json, "logprob", q->log_p[index]);
  sw_json_array(json, "bytes");
  for (const char *p = text; *p; p++) sw_json_int(json, NULL, *p);
  sw_json_end(json);
}

static void chat_choice(sw_json *json, const question *q, const char *text) {
  sw_json_object(json, "message");
  sw_json_string(json, "role", "assistant");
  sw_json_string(json, "content", text);
  sw_json_end(json);
  if (!q->top) {
    sw_json_null(json, "logprobs");
    return;
  }
  sw_json_object(json, "logprobs");
  sw_json_array(json, "content");
  sw_json_object(json, NULL);
  one_logprob(json, q, q->best);
  sw_json_array(json, "top_logprobs");
  for (int i = 0; i < q->top && i < q->count; i++) {
    sw_json_object(json, NULL);
    one_logprob(json, q, q->order[i]);
    sw_json_end(json);
  }
  sw_json_end(json);
  sw_json_end(json);
  sw_json_end(json);
  sw_json_end(json);
}

static void text_choice(sw_json *json, const question *q, const char *text) {
  sw_json_string(json, "text", text);
  if (!q->top) {
    sw_json_null(json, "logprobs");
    return;
  }
  sw_json_object(json, "logprobs");
  sw_json_array(json, "tokens");
  sw_json_string(json, NULL, text);
  sw_json_end(json);
  sw_json_array(json, "token_logprobs");
  sw_json_real(json, NULL, q->log_p[q->best]);
  sw_json_end(json);
  sw_json_array(json, "top_logprobs");
  sw_json_object(json, NULL);
  for (int i = 0; i < q->top && i < q->count; i++) {
    char number[16];
    number_of(q->order[i], number);
    sw_json_real(json, number, q->log_p[q->order[i]]);
  }
  sw_json_end(json);
  sw_json_end(json);
  sw_json_array(json, "text_offset");
  sw_json_int(json, NULL, 0);
  sw_json_end(json);
  sw_json_end(json);
}

static void write_answer(const question *q, sw_reply *reply) {
  static uint64_t serial;
  char text[16], id[48];
  sw_json json;
  uint64_t number = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
  snprintf(id, sizeof id, "%s-%" PRIu64, q->chat ? "chatcmpl" : "cmpl", number);
  number_of(q->best, text);
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "id", id);
  sw_json_string(&json, "object",
                 q->chat ? "chat.completion" : "text_completion");
  sw_json_int(&json, "created", (int64_t)time(NULL));
  sw_json_string(&json, "model", q->book->id);
  sw_json_array(&json, "choices");
  sw_json_object(&json, NULL);
  sw_json_int(&json, "index", 0);
  if (q->chat) chat_choice(&json, q, text);
  else text_choice(&json, q, text);
  sw_json_string(&json, "finish_reason", "stop");
  sw_json_end(&json);
  sw_json_end(&json);
  sw_json_object(&json, "usage");
  sw_json_int(&json, "prompt_tokens", q->trace.length);
  sw_json_int(&json, "completion_tokens", 1);
  sw_json_int(&json, "total_tokens", q->trace.length + 1);
  sw_json_end(&json);
  sw_json_end(&json);
  sw_reply_json(reply, 200, &json);
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
  if (!code) write_answer(q, reply);
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
