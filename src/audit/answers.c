/* Reading answers (see answers.h). */
#include "audit/answers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "audit/arms.h"
#include "base/json_read.h"
#include "base/text.h"

const char *const sw_form_names[] = {
#define X(id, name, text) name,
    SW_FORMS(X)
#undef X
};
const char *const sw_form_texts[] = {
#define X(id, name, text) text,
    SW_FORMS(X)
#undef X
};

enum { LABEL_ROOM = 512 };
typedef struct labels {
  char text[SW_CASE_CHOICES][LABEL_ROOM]; /* in the order shown */
  const char *label[SW_CASE_CHOICES], *choice[SW_CASE_CHOICES];
  int count;
} labels;

static int shown_choice(const sw_audit_case *c, int order, int shown) {
  return order ? c->choices - 1 - shown : shown;
}

static void make_labels(labels *l, const sw_audit_cases *cases,
                        const sw_audit_case *c, int order) {
  l->count = c->choices;
  for (int i = 0; i < c->choices; i++) {
    int choice = shown_choice(c, order, i);
    sw_choice_label(cases, c, choice, order, l->text[i], LABEL_ROOM);
    l->label[i] = l->text[i];
    l->choice[i] = c->choice[choice];
  }
}

/* ---- the request ---- */

static json_t *enumeration(const labels *l) {
  json_t *list = json_array();
  for (int i = 0; i < l->count; i++)
    json_array_append_new(list, json_string(l->label[i]));
  return list;
}

static json_t *schema(const labels *l) {
  return json_pack("{s:s, s:{s:{s:s, s:o}}, s:[s], s:b}", "type", "object",
                   "properties", "answer", "type", "string", "enum",
                   enumeration(l), "required", "answer", "additionalProperties",
                   0);
}

/* root ::= "1" | "2" */
static char *grammar(const labels *l) {
  size_t room = 16;
  for (int i = 0; i < l->count; i++) room += 2 * strlen(l->label[i]) + 8;
  char *text = malloc(room), *at = text;
  if (!text) return NULL;
  at += sprintf(at, "root ::= ");
  for (int i = 0; i < l->count; i++) {
    at += sprintf(at, "%s\"", i ? " | " : "");
    for (const char *p = l->label[i]; *p; p++) {
      if (*p == '"' || *p == '\\') *at++ = '\\';
      *at++ = *p;
    }
    *at++ = '"';
  }
  *at = 0;
  return text;
}

static void constrain(json_t *body, sw_form form, const labels *l) {
  char *text;
  switch (form) {
    case SW_FORM_SCHEMA:
      json_object_set_new(
          body, "response_format",
          json_pack("{s:s, s:{s:s, s:b, s:o}}", "type", "json_schema",
                    "json_schema", "name", "answer", "strict", 1, "schema",
                    schema(l)));
      return;
    case SW_FORM_GRAMMAR:
      text = grammar(l);
      if (text) json_object_set_new(body, "grammar", json_string(text));
      free(text);
      return;
    case SW_FORM_STRUCTURED:
      json_object_set_new(body, "structured_outputs",
                          json_pack("{s:o}", "choice", enumeration(l)));
      return;
    case SW_FORM_TOOL:
      if (!json_object_get(body, "tools"))
        json_object_set_new(body, "tools", json_array());
      json_array_append_new(
          json_object_get(body, "tools"),
          json_pack("{s:s, s:{s:s, s:o}}", "type", "function", "function",
                    "name", "answer", "parameters", schema(l)));
      json_object_set_new(body, "tool_choice",
                          json_pack("{s:s, s:{s:s}}", "type", "function",
                                    "function", "name", "answer"));
      return;
    default:
      return;
  }
}

char *sw_manner_body(const sw_manner *m, const char *model, json_t *messages,
                     const sw_audit_cases *cases, const sw_audit_case *c,
                     int order) {
  labels *l = malloc(sizeof *l);
  json_t *body = json_object();
  char *text = NULL;
  if (l && body) {
    make_labels(l, cases, c, order);
    json_object_set_new(body, "model", json_string(model));
    json_object_set(body, "messages", messages);
    json_object_set_new(body, "max_tokens", json_integer(m->max_tokens));
    json_object_set_new(body, "temperature", json_real(m->temperature));
    if (m->top) {
      json_object_set_new(body, "logprobs", json_true());
      json_object_set_new(body, "top_logprobs", json_integer(m->top));
    }
    if (c->tools && !m->no_tools) { /* shown, but not to be called here */
      json_object_set_new(body, "tools", json_copy(c->tools));
      json_object_set_new(body, "tool_choice", json_string("none"));
    }
    constrain(body, m->form, l);
    text = json_dumps(body, JSON_COMPACT | JSON_SORT_KEYS);
  }
  json_decref(body);
  free(l);
  return text;
}

static size_t spaces(const char *text) {
  size_t n = 0;
  while (sw_is_space(text[n])) n++;
  return n;
}

static int same_text(const char *a, const char *b, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (sw_lower(a[i]) != sw_lower(b[i])) return 0;
  return 1;
}

/* ---- log-probabilities ---- */

/* A token without blanks and quotes. */
static size_t clean(const char *token, char *out, size_t room) {
  size_t n = 0;
  for (; *token; token++)
    if (!sw_is_space(*token) && *token != '"' && n + 1 < room)
      out[n++] = *token;
  out[n] = 0;
  return n;
}

/* The one label that a token says or begins; -1: none, or several. */
static int label_of(const labels *l, const char *token, int words) {
  char text[64];
  int found = -1;
  size_t n = clean(token, text, sizeof text);
  if (!n) return -1;
  for (int i = 0; i < l->count; i++) {
    int fits = words
                   ? strlen(l->label[i]) >= n && same_text(l->label[i], text, n)
                   : !strcmp(l->label[i], text);
    if (!fits) continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

/* log(exp(a) + exp(b)) */
static double log_add(double a, double b) {
  double top = a > b ? a : b;
  return isinf(top) ? top : top + log(exp(a - top) + exp(b - top));
}

/* Log-probabilities by label at one place; 0: these are none. */
static int grade(const labels *l, int words, const json_t *place, double *log_p,
                 double *lowest) {
  const json_t *top = json_object_get(place, "top_logprobs");
  double sum = 0;
  *lowest = 0;
  for (int i = 0; i < l->count; i++) log_p[i] = -INFINITY;
  for (size_t i = 0; i < json_array_size(top); i++) {
    const json_t *t = json_array_get(top, i);
    const char *token = json_string_value(json_object_get(t, "token"));
    const json_t *value = json_object_get(t, "logprob");
    double p = json_number_value(value);
    if (!token || !json_is_number(value) || !isfinite(p) || p > 1e-6) return 0;
    sum += exp(p);
    if (p < *lowest) *lowest = p;
    int label = label_of(l, token, words);
    if (label >= 0) log_p[label] = log_add(log_p[label], p);
  }
  return json_array_size(top) > 0 && sum < 1.001;
}

static int keep_grades(const labels *l, const sw_audit_case *c, int order,
                       const double *log_p, double lowest, double least,
                       sw_said *said) {
  double all = -INFINITY;
  int best = -1;
  for (int i = 0; i < l->count; i++) all = log_add(all, log_p[i]);
  if (!(exp(all) >= least)) return -1;
  said->mass = exp(all);
  for (int i = 0; i < l->count; i++) {
    int choice = shown_choice(c, order, i);
    int known = isfinite(log_p[i]);
    if (!known) said->floored = 1;
    said->p[choice] = known ? exp(log_p[i] - all) : 0;
    said->log_p[choice] = known ? log_p[i] : lowest;
    if (best < 0 || log_p[i] > log_p[best]) best = i;
  }
  said->graded = 1;
  return best;
}

/* A greedy answer is the likeliest one. Where another label is clearly
 * likelier, the log-probabilities are of something else. Noise of servers is
 * below .3 nats. */
static int prefers_another(const double *log_p, int count, int shown) {
  for (int i = 0; i < count; i++)
    if (log_p[i] > log_p[shown] + 0.5) return 1;
  return 0;
}

/* Reads the log-probabilities at the last token that says the label `shown`.
 * `shown` -1: no label was read; then at the first token, if labels hold most
 * of its weight. Returns the label. */
static int read_logprobs(const json_t *reply_choice,
                         const sw_audit_cases *cases, const sw_audit_case *c,
                         int order, const labels *l, int shown, int greedy,
                         sw_said *said) {
  const json_t *content =
      json_object_get(json_object_get(reply_choice, "logprobs"), "content");
  const json_t *place = NULL;
  double log_p[SW_CASE_CHOICES], lowest;
  for (size_t i = json_array_size(content); i-- > 0 && shown >= 0;) {
    const json_t *at = json_array_get(content, i);
    const char *token = json_string_value(json_object_get(at, "token"));
    if (token && label_of(l, token, cases->words) == shown) {
      place = at;
      break;
    }
  }
  if (shown < 0) place = json_array_get(content, 0);
  if (!place || !grade(l, cases->words, place, log_p, &lowest)) return shown;
  if (shown >= 0 && !isfinite(log_p[shown])) return shown;
  if (shown >= 0 && greedy && prefers_another(log_p, l->count, shown))
    return shown;
  int best = keep_grades(l, c, order, log_p, lowest, shown < 0 ? 0.5 : 0, said);
  return shown >= 0 ? shown : best;
}

/* ---- the reply ---- */

/* The text after the thinking; NULL: the thinking never ended. */
static const char *behind_thinking(const char *text) {
  static const char *const begins[] = {"<think>", "<thinking>", "<reasoning>"};
  static const char *const ends[] = {"</think>", "</thinking>", "</reasoning>"};
  const char *rest = text;
  int open = 0;
  for (int i = 0; i < 3; i++) {
    for (const char *at = rest; (at = strstr(at, ends[i]));)
      rest = at += strlen(ends[i]);
    open |= strstr(rest, begins[i]) != NULL;
  }
  return open ? NULL : rest;
}

/* The member `answer` of a text that is JSON, malloc'd, or a copy. */
static char *unwrap(const char *text) {
  json_t *value;
  char *out = NULL;
  if (text[spaces(text)] == '{' &&
      !sw_json_read(&value, text, strlen(text), 0, NULL)) {
    const char *answer = json_string_value(json_object_get(value, "answer"));
    if (answer) out = strdup(answer);
    json_decref(value);
  }
  return out ? out : strdup(text);
}

static const char *text_of(const json_t *message) {
  const json_t *call =
      json_array_get(json_object_get(message, "tool_calls"), 0);
  const char *arguments = json_string_value(
      json_object_get(json_object_get(call, "function"), "arguments"));
  const char *content = json_string_value(json_object_get(message, "content"));
  return arguments ? arguments : content;
}

static int64_t count_of(const json_t *usage, const char *name) {
  enum { MOST = 1000000000 };
  json_int_t n = json_integer_value(json_object_get(usage, name));
  return n < 0 ? 0 : n > MOST ? MOST : n;
}

static void read_usage(const json_t *reply, sw_said *said) {
  const json_t *usage = json_object_get(reply, "usage");
  said->prompt_tokens = count_of(usage, "prompt_tokens");
  said->answer_tokens = count_of(usage, "completion_tokens");
  said->cached_tokens = count_of(
      json_object_get(usage, "prompt_tokens_details"), "cached_tokens");
}

static int read_choice(const json_t *choice, const sw_audit_cases *cases,
                       const sw_audit_case *c, int order, int greedy,
                       sw_said *said, sw_err *err) {
  const json_t *message = json_object_get(choice, "message");
  const char *text = text_of(message);
  if (!text && !json_is_object(message))
    return sw_fail(err, SW_DATA, "the reply holds no answer");
  labels *l = malloc(sizeof *l);
  const char *rest = behind_thinking(text ? text : "");
  char *answer = unwrap(rest ? rest : "");
  if (!l || !answer) {
    free(l);
    free(answer);
    return sw_no_memory(err);
  }
  make_labels(l, cases, c, order);
  int shown = sw_said_choice(answer, l->label, l->choice, l->count);
  shown = read_logprobs(choice, cases, c, order, l, shown, greedy, said);
  said->choice = shown < 0 ? -1 : shown_choice(c, order, shown);
  if (said->choice >= 0 && !said->graded) said->p[said->choice] = 1;
  free(answer);
  free(l);
  return SW_OK;
}

int sw_said_read(const char *reply, size_t bytes, const sw_manner *manner,
                 const sw_audit_cases *cases, const sw_audit_case *c, int order,
                 sw_said *said, sw_err *err) {
  json_t *value;
  memset(said, 0, sizeof *said);
  said->choice = -1;
  int code = sw_json_read(&value, reply, bytes, 0, NULL);
  if (code == SW_MEMORY) return sw_no_memory(err);
  if (code) return sw_fail(err, SW_DATA, "the reply is no JSON");
  const json_t *choice = json_array_get(json_object_get(value, "choices"), 0);
  code = choice ? read_choice(choice, cases, c, order, manner->temperature == 0,
                              said, err)
                : sw_fail(err, SW_DATA, "the reply holds no answer");
  read_usage(value, said);
  json_decref(value);
  said->asked = !code;
  return code;
}
