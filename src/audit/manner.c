/* Finding out how answers can be constrained (see answers.h): the model is
 * asked to greet, and forced to say a word that it never would. A server that
 * ignores the field answers 200 and greets. */
#include <stdlib.h>
#include <string.h>
#include "audit/answers.h"

enum { PROBE_TOKENS = 24 };

/* Two words that no model says by itself. */
static int make_probe(sw_audit_cases *cases, sw_err *err) {
  sw_audit_case *c = sw_audit_cases_add(cases);
  cases->words = 1;
  if (c && sw_audit_case_choose(c, "zqxv") && sw_audit_case_choose(c, "vqjz"))
    return SW_OK;
  return sw_no_memory(err);
}

typedef struct probing {
  const sw_manner *manner;
  const sw_audit_cases *cases;
  sw_said said;
} probing;

static int usable(const char *reply, size_t bytes, void *context,
                  int64_t tokens[2], sw_err *err) {
  probing *p = context;
  int code = sw_said_read(reply, bytes, p->manner, p->cases, p->cases->item, 0,
                          &p->said, err);
  tokens[0] = p->said.prompt_tokens;
  tokens[1] = p->said.answer_tokens;
  return code;
}

/* 1 in *works: the endpoint takes the request (`forced`: and obeys it). */
static int try_one(const sw_manner *manner, sw_client *client,
                   const sw_audit_cases *cases, int forced, int *works,
                   sw_err *err) {
  probing p = {.manner = manner, .cases = cases};
  json_t *messages = json_array();
  json_t *greet = sw_message_json("user", "Say hello.");
  *works = 0;
  if (!messages || json_array_append_new(messages, greet)) {
    json_decref(messages);
    return sw_no_memory(err);
  }
  char *body = sw_manner_body(manner, sw_client_model(client), messages, cases,
                              cases->item, 0);
  json_decref(messages);
  if (!body) return sw_no_memory(err);
  sw_post post = {
      .body = body, .salt = "", .tolerant = 1, .usable = usable, .context = &p};
  int code = sw_client_post(client, 0, &post, err);
  free(body);
  if (!code && post.status == 200) *works = forced ? p.said.choice >= 0 : 1;
  return code;
}

/* As many log-probabilities as it gives: 100 where that is allowed, because a
 * label may be unlikely; 20 is what most allow. */
static int find_top(sw_manner *manner, sw_client *client,
                    const sw_audit_cases *cases, sw_err *err) {
  static const int tries[] = {100, 20};
  int works = 0;
  sw_manner m = {.form = SW_FORM_PLAIN, .max_tokens = 1};
  for (size_t i = 0; i < sizeof tries / sizeof *tries && !works; i++) {
    m.top = tries[i];
    SW_TRY(try_one(&m, client, cases, 0, &works, err));
  }
  manner->top = works ? m.top : 0;
  if (works) return SW_OK;
  m.top = 0;
  SW_TRY(try_one(&m, client, cases, 0, &works, err));
  /* Our own endpoint refuses to greet, but gives log-probabilities. */
  if (!works) {
    manner->top = 20;
    manner->own_words = 1;
  }
  return SW_OK;
}

/* The first way that the endpoint obeys, with the tools that its questions
 * will have. */
static int find_form(sw_manner *manner, sw_client *client,
                     const sw_audit_cases *cases, sw_err *err) {
  int works = 0;
  for (int f = 0; f < SW_FORM_PLAIN && !works; f++) {
    sw_manner m = {.form = (sw_form)f, .max_tokens = PROBE_TOKENS};
    SW_TRY(try_one(&m, client, cases, 1, &works, err));
    if (works) manner->form = (sw_form)f;
  }
  return SW_OK;
}

/* Some servers take no tools beside a constrained answer, or none at all. An
 * answer that can be read comes first, so tools are then left out. */
static int find_without_tools(sw_manner *manner, sw_client *client,
                              sw_audit_cases *cases, sw_err *err) {
  int works;
  json_t *tools = cases->item->tools;
  sw_manner m = {.form = manner->form, .max_tokens = PROBE_TOKENS};
  cases->item->tools = NULL;
  int code = manner->form == SW_FORM_COUNT
                 ? find_form(manner, client, cases, err)
                 : SW_OK;
  manner->no_tools = m.form == SW_FORM_COUNT && manner->form != m.form;
  cases->item->tools = tools;
  if (code || manner->no_tools) return code;
  if (m.form == SW_FORM_COUNT) m.form = SW_FORM_PLAIN;
  SW_TRY(try_one(&m, client, cases, 0, &works, err));
  manner->no_tools = !works;
  return SW_OK;
}

int sw_manner_find(sw_manner *manner, sw_client *client, json_t *tools,
                   sw_err *err) {
  sw_audit_cases cases = {0};
  int code = make_probe(&cases, err);
  if (!code && manner->top < 0) code = find_top(manner, client, &cases, err);
  if (!code) cases.item->tools = json_incref(tools);
  int open = manner->form == SW_FORM_COUNT;
  if (!code && open) code = find_form(manner, client, &cases, err);
  if (!code && tools && (!open || manner->form == SW_FORM_COUNT))
    code = find_without_tools(manner, client, &cases, err);
  if (manner->form == SW_FORM_COUNT) manner->form = SW_FORM_PLAIN;
  sw_audit_cases_free(&cases);
  return code;
}
