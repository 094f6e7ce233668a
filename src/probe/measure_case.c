/* The measure `case`: one state met twice, asked of two models (case.h). */
#include "probe/measured.h"

typedef sw_case_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_CASE_OPTIONS)};

/* ---- JSON ---- */

static void answer(const char *key, const sw_answer *a, sw_json *json) {
  if (!a->asked) {
    sw_json_null(json, key);
    return;
  }
  sw_json_object(json, key);
  sw_json_string(json, "action", a->action);
  sw_json_array(json, "best");
  for (int i = 0; i < a->top; i++) {
    sw_json_object(json, NULL);
    sw_json_string(json, "text", a->best[i].text);
    sw_json_real(json, "p", a->best[i].p);
    sw_json_end(json);
  }
  sw_json_end(json);
  sw_json_end(json);
}

static void history(const sw_case_history *h, sw_json *json) {
  sw_json_object(json, NULL);
  sw_json_int(json, "blocks", h->blocks);
  sw_json_int(json, "tokens", h->tokens);
  sw_json_array(json, "moves");
  for (int i = 0; i < h->moves; i++) sw_json_string(json, NULL, h->move[i]);
  sw_json_end(json);
  sw_json_int(json, "left_out", h->left_out);
  answer("subject", &h->subject, json);
  answer("reference", &h->reference, json);
  sw_json_end(json);
}

static void step(const sw_case_step *s, sw_json *json) {
  sw_json_object(json, NULL);
  sw_json_int(json, "number", s->number);
  sw_json_int(json, "depth", s->depth);
  sw_json_bool(json, "conflict", s->conflict);
  sw_json_string(json, "state", s->state);
  sw_json_string(json, "done", s->done);
  answer("subject", &s->subject, json);
  answer("reference", &s->reference, json);
  answer("without_history", &s->rebuilt, json);
  sw_json_end(json);
}

void sw_case_json(const sw_case *c, sw_json *json) {
  sw_json_int(json, "states", c->states);
  sw_json_int(json, "changed", c->changed);
  sw_json_bool(json, "found", c->found);
  if (!c->found) return;
  sw_json_bool(json, "conflict", c->conflict);
  sw_json_int(json, "depth", c->depth);
  sw_json_string(json, "problem", c->problem);
  sw_json_string(json, "state", c->state);
  if (c->words) sw_json_string(json, "words", c->words);
  sw_json_bool(json, "reference_identical", c->reference_identical);
  sw_json_array(json, "histories");
  for (int i = 0; i < 2; i++) history(&c->history[i], json);
  sw_json_end(json);
  sw_json_array(json, "steps");
  for (int i = 0; i < c->steps; i++) step(&c->step[i], json);
  sw_json_end(json);
}

/* ---- the measure ---- */

/* A case has no summary figures: its page shows it (report/case_page.c). */
static const sw_figure figures[] = {
    {.name = "states",
     .kind = SW_FIGURE_COUNT,
     .heading = "states",
     .help = "states asked about"},
    {.name = "changed",
     .kind = SW_FIGURE_COUNT,
     .heading = "changed",
     .help = "of them where only the history changed the subject's choice"},
    {.name = "found",
     .kind = SW_FIGURE_TEXT,
     .heading = "found",
     .help = "whether there is one to show"},
    {.name = "role",
     .kind = SW_FIGURE_TEXT,
     .heading = "role",
     .help = "of a model: subject, reference or not asked"},
    {0}};

static int together(void *context, const sw_loaded *loaded, int count,
                    sw_err *err) {
  session *s = context;
  sw_case_options o = {.states = s->states,
                       .instances = s->instances,
                       .seed = (uint64_t)s->probe.seed};
  int searchable = 0;
  for (int i = 0; i < count; i++)
    searchable |= loaded[i].domain->search != NULL;
  if (count && !searchable) return sw_domain_searchable(loaded->domain, err);
  sw_probe_begin(&s->probe, "states", s->states);
  int code = sw_case_find(&s->found, loaded, count, &o, s->probe.team, err);
  sw_probe_end(&s->probe);
  for (int i = 0; i < count && !code; i++) sw_probe_done(&s->probe, &loaded[i]);
  return code;
}

static void name(const session *s, const char *key, int model, sw_json *json) {
  if (model >= 0) sw_json_string(json, key, s->probe.label[model]);
  else sw_json_null(json, key);
}

static void head(const void *context, sw_json *json) {
  const session *s = context;
  sw_json_string(json, "domain", s->probe.domain_name);
  name(s, "subject", s->found.subject, json);
  name(s, "reference", s->found.reference, json);
  sw_case_json(&s->found, json);
}

static void members(const void *context, int m, sw_json *json) {
  const session *s = context;
  sw_json_string(json, "role",
                 m == s->found.subject     ? "subject"
                 : m == s->found.reference ? "reference"
                                           : "not asked");
}

static void clear(void *context) { sw_case_free(&((session *)context)->found); }

const sw_measure sw_measure_case = {
    .name = "case",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .together = together,
    .head = head,
    .figures = figures,
    .members = members,
    .clear = clear};
