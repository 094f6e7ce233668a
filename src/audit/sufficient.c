/* Marks of sufficient situations, and the judge (see sufficient.h). */
#include "audit/sufficient.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "audit/arms_inside.h"
#include "base/file.h"
#include "base/json_read.h"

void sw_sufficient_all(sw_audit_cases *cases) {
  for (int64_t i = 0; i < cases->count; i++) cases->item[i].sufficient = 1;
}

/* ---- a file of marks ---- */

static int mark(sw_audit_cases *cases, const json_t *ids, const json_t *line,
                sw_err *err) {
  const char *id = json_string_value(json_object_get(line, "id"));
  const json_t *says = json_object_get(line, "sufficient");
  const json_t *at = id ? json_object_get(ids, id) : NULL;
  if (!id || !says)
    return sw_fail(err, SW_DATA, "a mark has an `id` and `sufficient`");
  if (!at) return sw_fail(err, SW_DATA, "there is no case `%.60s`", id);
  if (!json_is_boolean(says) && !json_is_null(says))
    return sw_fail(err, SW_DATA, "`sufficient` is true, false or null");
  if (!json_is_null(says))
    cases->item[json_integer_value(at)].sufficient =
        json_is_true(says) ? 1 : -1;
  return SW_OK;
}

static int mark_lines(sw_audit_cases *cases, const json_t *ids,
                      const char *path, const char *text, size_t bytes,
                      sw_err *err) {
  const char *end = text + bytes;
  int code = SW_OK;
  for (int64_t line = 1; text < end && !code; line++) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t length = (size_t)((stop ? stop : end) - text);
    json_t *value = NULL;
    if (length > 1) {
      code = sw_json_read(&value, text, length, 0, NULL);
      if (code == SW_DATA) sw_fail(err, SW_DATA, "no JSON");
      else if (!code) code = mark(cases, ids, value, err);
      if (code) sw_context(err, "%s:%lld", path, (long long)line);
      json_decref(value);
    }
    text += length + (stop != NULL);
  }
  return code;
}

int sw_sufficient_parse(sw_audit_cases *cases, const char *name,
                        const char *text, size_t bytes, sw_err *err) {
  json_t *ids = json_object();
  for (int64_t i = 0; i < cases->count && ids; i++)
    json_object_set_new_nocheck(ids, cases->item[i].id, json_integer(i));
  int code =
      ids ? mark_lines(cases, ids, name, text, bytes, err) : sw_no_memory(err);
  json_decref(ids);
  return code;
}

int sw_sufficient_read(sw_audit_cases *cases, const char *path, sw_err *err) {
  char *text;
  size_t bytes;
  SW_TRY(sw_read_file(path, 0, &text, &bytes, err));
  int code = sw_sufficient_parse(cases, path, text, bytes, err);
  free(text);
  return code;
}

/* ---- the judge ---- */

static const char RULES[] =
    "You judge whether a question can be answered from what it shows. You do "
    "not answer the question itself.";
static const char ENOUGH[] = "it says enough";
static const char LACKS[] = "something said earlier is needed";

static char *question_about(const sw_audit_case *c) {
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return NULL;
  fputs("An agent is shown this, and nothing of what was said before:\n\n",
        out);
  sw_arm_write_plain(out, c->system);
  sw_arm_write_plain(out, c->situation);
  fputs("It chooses one of these:\n", out);
  for (int i = 0; i < c->choices; i++) fprintf(out, "- %s\n", c->choice[i]);
  fputs(
      "\nDoes what is shown say enough to make the right choice, or does that "
      "take something that was said earlier?",
      out);
  return sw_memory_close(out, &text) ? text : NULL;
}

static int add_question(sw_audit_cases *asked, const sw_audit_case *c,
                        sw_err *err) {
  sw_audit_case *q = sw_audit_cases_add(asked);
  char *text = q ? question_about(c) : NULL;
  if (q) {
    q->id = strdup(c->id);
    q->group = strdup(c->group);
    q->system = json_pack("[o]", sw_message_json("system", RULES));
    q->situation =
        text ? json_pack("[o]", sw_message_json("user", text)) : NULL;
  }
  free(text);
  return q && q->id && q->group && q->system && q->situation &&
                 sw_audit_case_choose(q, ENOUGH) &&
                 sw_audit_case_choose(q, LACKS)
             ? SW_OK
             : sw_no_memory(err);
}

/* 1, -1 where both orders agree; else 0. */
static int said_of(sw_sufficiency *s, int64_t at) {
  int sum = 0;
  for (int order = 0; order < 2; order++) {
    const sw_said *said = sw_survey_said(&s->survey, at, 0, order, 0);
    if (!said || said->choice < 0) s->unreadable++;
    else sum += said->choice ? -1 : 1;
  }
  return sum == 2 ? 1 : sum == -2 ? -1 : 0;
}

int sw_sufficient_ask(sw_sufficiency *s, sw_audit_cases *cases,
                      const sw_survey_options *options, sw_client *judge,
                      sw_err *err) {
  static sw_arm none = {.kind = SW_ARM_NONE, .name = "judge"};
  sw_survey_options o = *options;
  int64_t at = 0;
  snprintf(s->judge, sizeof s->judge, "%s", sw_client_model(judge));
  for (int64_t i = 0; i < cases->count; i++)
    if (!cases->item[i].sufficient)
      SW_TRY(add_question(&s->cases, &cases->item[i], err));
  o.arm = &none;
  o.arms = 1;
  o.orders = 2;
  o.manner = (sw_manner){.form = SW_FORM_COUNT};
  SW_TRY(sw_manner_find(&o.manner, judge, NULL, err));
  o.manner.max_tokens = o.manner.form == SW_FORM_PLAIN ? 512 : 16;
  SW_TRY(sw_survey_run(&s->survey, &s->cases, &o, judge, err));
  for (int64_t i = 0; i < cases->count && !o.sample && !o.none; i++)
    if (!cases->item[i].sufficient)
      cases->item[i].sufficient = said_of(s, at++);
  return SW_OK;
}

void sw_sufficient_count(sw_sufficiency *s, const sw_audit_cases *cases) {
  s->enough = s->lacking = s->open = 0;
  for (int64_t i = 0; i < cases->count; i++) {
    int says = cases->item[i].sufficient;
    *(says > 0 ? &s->enough : says < 0 ? &s->lacking : &s->open) += 1;
  }
}

void sw_sufficiency_free(sw_sufficiency *s) {
  sw_survey_free(&s->survey);
  sw_audit_cases_free(&s->cases);
  memset(s, 0, sizeof *s);
}

/* ---- the marks as a file ---- */

static json_t *mark_json(const sw_audit_case *c) {
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return NULL;
  sw_arm_write_plain(out, c->situation);
  if (!sw_memory_close(out, &text)) return NULL;
  json_t *says = !c->sufficient ? json_null() : json_boolean(c->sufficient > 0);
  json_t *line = json_pack("{s:s, s:o, s:s}", "id", c->id, "sufficient", says,
                           "situation", text);
  free(text);
  return line;
}

int sw_sufficient_write(const sw_audit_cases *cases, const char *path,
                        sw_err *err) {
  sw_out_file file;
  int code = SW_OK;
  SW_TRY(sw_out_open(&file, path, err));
  for (int64_t i = 0; i < cases->count && !code; i++) {
    json_t *line = mark_json(&cases->item[i]);
    if (!line) code = sw_no_memory(err);
    else json_dumpf(line, file.stream, JSON_COMPACT);
    json_decref(line);
    fputc('\n', file.stream);
  }
  if (!code) return sw_out_commit(&file, err);
  sw_out_abort(&file);
  return code;
}
