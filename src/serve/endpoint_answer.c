/* Answers of the endpoint (see endpoint.c): a document, or a stream of events
 * for clients that ask for one. The answer is one token, so a stream is short:
 * role, answer, end, and [DONE]. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "serve/endpoint_inside.h"

typedef sw_endpoint_question question;

static const char WARM[] =
    "temperature was taken as 0: the answer is the most probable choice";

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

static void chat_logprobs(sw_json *json, const question *q) {
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

static void chat_choice(sw_json *json, const question *q, const char *text) {
  sw_json_object(json, "message");
  sw_json_string(json, "role", "assistant");
  sw_json_string(json, "content", text);
  sw_json_null(json, "refusal");
  sw_json_end(json);
  chat_logprobs(json, q);
}

/* ---- one document or several ---- */

typedef struct reply_head {
  char id[48];
  int64_t created;
} reply_head;

static reply_head make_head(const question *q) {
  static uint64_t serial;
  reply_head h;
  uint64_t number = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
  snprintf(h.id, sizeof h.id, "%s-%" PRIu64, q->chat ? "chatcmpl" : "cmpl",
           number);
  h.created = (int64_t)time(NULL);
  return h;
}

static void begin(sw_json *json, const question *q, const reply_head *h) {
  const char *object = !q->chat    ? "text_completion"
                       : q->stream ? "chat.completion.chunk"
                                   : "chat.completion";
  sw_json_to_text(json);
  sw_json_object(json, NULL);
  sw_json_string(json, "id", h->id);
  sw_json_string(json, "object", object);
  sw_json_int(json, "created", h->created);
  sw_json_string(json, "model", q->offered->id);
  if (q->warm) sw_json_string(json, "note", WARM);
  sw_json_array(json, "choices");
}

static void write_usage(sw_json *json, const question *q) {
  sw_json_object(json, "usage");
  sw_json_int(json, "prompt_tokens", q->trace.length);
  sw_json_int(json, "completion_tokens", 1);
  sw_json_int(json, "total_tokens", q->trace.length + 1);
  sw_json_end(json);
}

static void write_document(const question *q, sw_reply *reply) {
  char text[16];
  sw_json json;
  reply_head h = make_head(q);
  number_of(q->best, text);
  begin(&json, q, &h);
  sw_json_object(&json, NULL);
  sw_json_int(&json, "index", 0);
  if (q->chat) chat_choice(&json, q, text);
  else text_choice(&json, q, text);
  sw_json_string(&json, "finish_reason", "stop");
  sw_json_end(&json);
  sw_json_end(&json);
  write_usage(&json, q);
  sw_json_end(&json);
  sw_reply_json(reply, 200, &json);
}

/* ---- events ---- */

enum { EVENT_ROLE, EVENT_TEXT, EVENT_END, EVENT_USAGE };

static void event_choice(sw_json *json, const question *q, int event) {
  char text[16];
  number_of(q->best, text);
  sw_json_object(json, NULL);
  sw_json_int(json, "index", 0);
  if (q->chat) {
    sw_json_object(json, "delta");
    if (event == EVENT_ROLE) sw_json_string(json, "role", "assistant");
    if (event != EVENT_END)
      sw_json_string(json, "content", event == EVENT_TEXT ? text : "");
    sw_json_end(json);
    if (event == EVENT_TEXT) chat_logprobs(json, q);
  } else if (event == EVENT_TEXT) {
    text_choice(json, q, text);
  } else {
    sw_json_string(json, "text", "");
  }
  if (event == EVENT_END) sw_json_string(json, "finish_reason", "stop");
  else sw_json_null(json, "finish_reason");
  sw_json_end(json);
}

/* One event is one line: the line ends between members become blanks. */
static int write_event(FILE *out, const question *q, const reply_head *h,
                       int event) {
  sw_json json;
  begin(&json, q, h);
  if (event != EVENT_USAGE) event_choice(&json, q, event);
  sw_json_end(&json);
  if (event == EVENT_USAGE) write_usage(&json, q);
  sw_json_end(&json);
  int whole = !json.failed && json.text;
  fputs("data: ", out);
  for (size_t i = 0; whole && i < json.length; i++)
    fputc(json.text[i] == '\n' ? ' ' : json.text[i], out);
  fputs("\n\n", out);
  sw_json_free(&json);
  return whole;
}

static void write_stream(const question *q, sw_reply *reply) {
  char *text = NULL;
  size_t bytes;
  reply_head h = make_head(q);
  FILE *out = open_memstream(&text, &bytes);
  int whole = out != NULL;
  for (int e = q->chat ? EVENT_ROLE : EVENT_TEXT; whole && e <= EVENT_END; e++)
    whole = write_event(out, q, &h, e);
  if (whole && q->usage) whole = write_event(out, q, &h, EVENT_USAGE);
  if (out) fputs("data: [DONE]\n\n", out);
  if (out && !sw_memory_close(out, &text)) whole = 0;
  if (!whole) {
    free(text);
    sw_reply_text(reply, 500, "out of memory\n");
    return;
  }
  *reply = (sw_reply){
      .status = 200, .type = "text/event-stream", .body = text, .bytes = bytes};
}

void sw_endpoint_answer(const sw_endpoint_question *q, sw_reply *reply) {
  if (q->stream) write_stream(q, reply);
  else write_document(q, reply);
}
