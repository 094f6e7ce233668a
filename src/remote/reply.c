/* What an endpoint says, read with suspicion (see client.h and reply.h). The
 * text decides; log-probabilities are believed only where they fit it: numbers
 * that are no logarithms of probabilities, or that prefer another choice than
 * the one that was said, are dropped. */
#include "remote/reply.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include "base/json_read.h"
#include "base/text.h"

/* ---- the number in a text ---- */

static int number_at(const char *at, const char **end) {
  int value = 0;
  for (; sw_is_digit(*at); at++)
    if (value < 100000) value = 10 * value + (*at - '0');
  *end = at;
  return value;
}

static int of_a_word(char c) { return sw_is_letter(c) || sw_is_digit(c); }

/* A whole number by itself: not part of a word, a decimal or another name. */
static int stands_alone(const char *text, const char *begin, const char *end) {
  if (begin > text && (of_a_word(begin[-1]) || strchr(".-+", begin[-1])))
    return 0;
  if (of_a_word(*end)) return 0;
  return !((*end == '.' || *end == ',') && sw_is_digit(end[1]));
}

int sw_reply_choice(const char *text, int choices) {
  int only = 0, several = 0, first = 1;
  for (const char *at = text; *at;) {
    if (!sw_is_digit(*at)) {
      if (sw_is_letter(*at)) first = 0;
      at++;
      continue;
    }
    const char *end;
    int value = number_at(at, &end);
    if (stands_alone(text, at, end) && value >= 1 && value <= choices) {
      if (first) return value; /* the answer begins with it */
      if (only && only != value) several = 1;
      only = value;
    }
    at = end;
    first = 0;
  }
  return several ? 0 : only;
}

/* The number a token is, blanks around it allowed; 0: it is none. */
static int token_number(const char *token, int choices) {
  const char *end;
  while (sw_is_space(*token)) token++;
  if (!sw_is_digit(*token) || *token == '0') return 0;
  int value = number_at(token, &end);
  while (sw_is_space(*end)) end++;
  return *end || value > choices ? 0 : value;
}

/* ---- log-probabilities ---- */

static void note(sw_remote_answer *a, const char *token, const json_t *value,
                 int choices, int *bad) {
  int number = token ? token_number(token, choices) : 0;
  if (!number) return;
  double p = json_number_value(value);
  if (!json_is_number(value) || !isfinite(p) || p > 1e-6) {
    *bad = 1;
    return;
  }
  /* Several spellings (" 3" and "3"): the likelier one. */
  if (p > a->log_p[number - 1]) a->log_p[number - 1] = p;
}

static const char *chat_logprobs(const json_t *choice, sw_remote_answer *a,
                                 int choices, int *bad) {
  const json_t *first = json_array_get(
      json_object_get(json_object_get(choice, "logprobs"), "content"), 0);
  const json_t *top = json_object_get(first, "top_logprobs");
  for (size_t i = 0; i < json_array_size(top); i++) {
    const json_t *t = json_array_get(top, i);
    note(a, json_string_value(json_object_get(t, "token")),
         json_object_get(t, "logprob"), choices, bad);
  }
  return json_string_value(json_object_get(first, "token"));
}

static const char *text_logprobs(const json_t *choice, sw_remote_answer *a,
                                 int choices, int *bad) {
  const json_t *l = json_object_get(choice, "logprobs");
  json_t *top = json_array_get(json_object_get(l, "top_logprobs"), 0);
  const char *token;
  json_t *value;
  json_object_foreach(top, token, value) note(a, token, value, choices, bad);
  return json_string_value(json_array_get(json_object_get(l, "tokens"), 0));
}

static void read_logprobs(const json_t *choice, int chat, int choices,
                          sw_remote_answer *a) {
  int bad = 0;
  double sum = 0;
  for (int i = 0; i < choices; i++) a->log_p[i] = -INFINITY;
  const char *said = chat ? chat_logprobs(choice, a, choices, &bad)
                          : text_logprobs(choice, a, choices, &bad);
  /* A number written in several tokens has no log-probability of its own. */
  if (bad || !said || !a->choice || token_number(said, choices) != a->choice)
    return;
  double mine = a->log_p[a->choice - 1];
  for (int i = 0; i < choices; i++) {
    if (a->log_p[i] > mine) return;
    sum += exp(a->log_p[i]);
  }
  a->has_logprobs = isfinite(mine) && sum < 1.001;
}

/* ---- the reply ---- */

static int shape(sw_err *err, const char *what) {
  return sw_fail(err, SW_DATA, "the reply %s", what);
}

/* A count that the endpoint reports; sums of it are kept. */
static int64_t count_of(const json_t *usage, const char *name) {
  enum { MOST = 1000000000 };
  json_int_t count = json_integer_value(json_object_get(usage, name));
  return count < 0 ? 0 : count > MOST ? MOST : count;
}

/* Copies whole characters of a text, as many as fit, because it is sent
 * back. */
static void keep_text(char *out, size_t room, const char *text) {
  size_t used = 0, next;
  while (text[used] &&
         (next = sw_utf8_length((const unsigned char *)text + used)) &&
         used + next < room)
    used += next;
  memcpy(out, text, used);
  out[used] = 0;
}

int sw_reply_read(const char *body, size_t bytes, int chat, int choices,
                  sw_remote_answer *a, int64_t *answer_tokens, char *text,
                  size_t room, sw_err *err) {
  memset(a, 0, sizeof *a);
  if (choices > SW_REMOTE_CHOICES)
    return sw_fail(err, SW_LIMIT, "%d choices are too many", choices);
  json_t *reply;
  int read = sw_json_read_bounded(&reply, body, bytes, SW_REPLY_VALUES);
  if (read == SW_MEMORY) return sw_no_memory(err);
  if (read == SW_LIMIT) return shape(err, "holds too many values");
  if (read) return shape(err, "is not JSON");
  const json_t *choice = json_array_get(json_object_get(reply, "choices"), 0);
  const json_t *said =
      chat ? json_object_get(json_object_get(choice, "message"), "content")
           : json_object_get(choice, "text");
  const json_t *usage = json_object_get(reply, "usage");
  int code = SW_OK;
  if (!json_is_string(said)) {
    code = shape(err, "holds no answer");
  } else {
    keep_text(text, room, json_string_value(said));
    a->choice = sw_reply_choice(json_string_value(said), choices);
    read_logprobs(choice, chat, choices, a);
    a->prompt_tokens = count_of(usage, "prompt_tokens");
    *answer_tokens = count_of(usage, "completion_tokens");
  }
  json_decref(reply);
  return code;
}

void sw_reply_trouble(const char *body, size_t bytes, char *message,
                      size_t room, char *code, size_t code_room) {
  json_t *reply;
  (void)sw_json_read_bounded(&reply, body, bytes, SW_REPLY_VALUES);
  const json_t *error = json_object_get(reply, "error");
  const char *text = json_string_value(json_object_get(error, "message"));
  const char *kind = json_string_value(json_object_get(error, "code"));
  if (!text) text = json_string_value(error);
  /* llama-server's code is a number, and its type the word. */
  if (!kind) kind = json_string_value(json_object_get(error, "type"));
  /* vLLM's older replies have no `error` around them. */
  if (!text) text = json_string_value(json_object_get(reply, "message"));
  snprintf(message, room, "%s", text ? text : "");
  snprintf(code, code_room, "%s", kind ? kind : "");
  json_decref(reply);
}

int sw_reply_overflow(const char *code, const char *message) {
  static const char *const codes[] = {
      "context_length_exceeded", "exceed_context_size_error",
      "string_above_max_length", "context_window_exceeded"};
  static const char *const words[] = {"maximum context length",
                                      "exceeds the available context size",
                                      "prompt is too long", "context window"};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (!strcmp(code, codes[i])) return 1;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(message, words[i])) return 1;
  return 0;
}
