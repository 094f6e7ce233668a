/* A result as JSON (see kept.h). */
#include "repro/answers.h"
#include "repro/cell_question.h"
#include "repro/curve.h"
#include "repro/kept.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_read.h"

static void text(sw_json *json, const char *key, const char *value) {
  if (value) sw_json_string(json, key, value);
}

static void members(const sw_kept_member *member, int count, sw_json *json) {
  for (int i = 0; i < count; i++) text(json, member[i].name, member[i].text);
}

static void rows(const sw_experiment *e, sw_json *json) {
  sw_kept_member member[SW_KEPT_MEMBERS];
  sw_json_array(json, "rows");
  for (int r = 0; e->row[r].id; r++) {
    sw_json_object(json, NULL);
    sw_json_string(json, "id", e->row[r].id);
    members(member, sw_kept_row_members(&e->row[r], member), json);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void columns(const sw_experiment *e, sw_json *json) {
  sw_kept_member member[SW_KEPT_MEMBERS];
  sw_json_array(json, "columns");
  for (int c = 0; e->column[c].title; c++) {
    sw_json_object(json, NULL);
    sw_json_string(json, "title", e->column[c].title);
    members(member, sw_kept_column_members(&e->column[c], member), json);
    sw_json_real(json, "x", e->column[c].x);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void models(const sw_repro_result *r, const char *up, sw_json *json) {
  sw_kept_member member[SW_KEPT_MEMBERS];
  sw_json_array(json, "models");
  for (int i = 0; i < r->models; i++) {
    const sw_repro_model *m = &r->model[i];
    sw_json_object(json, NULL);
    sw_json_string(json, "row", m->row->id);
    if (m->trained) sw_json_string(json, "model", m->trained->id);
    /* Of a judge beside a shipped model: its own name only. */
    else if (m->row->shipped) sw_json_string(json, "shipped", m->row->shipped);
    sw_json_int(json, "seed", m->seed);
    char run[320];
    snprintf(run, sizeof run, "%s%s", up, m->run);
    if (m->run[0]) sw_json_string(json, "run", run);
    sw_json_string(json, "weights", m->hash);
    if (m->data[0]) sw_json_string(json, "data", m->data);
    if (m->ended[0]) sw_json_string(json, "ended", m->ended);
    if (!isnan(m->loss)) sw_json_real(json, "valid_loss", m->loss);
    if (m->preset[0]) sw_json_string(json, "preset_hash", m->preset);
    if (m->trained)
      members(member, sw_kept_model_members(m->trained, r->scale, member),
              json);
    sw_json_int(json, "by", m->origin);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void each(const sw_repro_value *v, sw_json *json) {
  char *line = sw_each_text(v->each, v->outcomes);
  if (line) sw_json_string(json, "each", line);
  else json->failed = 1;
  free(line);
}

static void values(const sw_repro_cell *c, int with_each, sw_json *json) {
  sw_json_array(json, "values");
  for (int i = 0; i < c->values; i++) {
    sw_json_object(json, NULL);
    const sw_repro_value *v = &c->value[i];
    sw_json_int(json, "seed", v->seed);
    sw_json_real(json, "value", v->value);
    if (!isnan(v->low)) sw_json_real(json, "low", v->low);
    if (!isnan(v->high)) sw_json_real(json, "high", v->high);
    if (v->outcomes) sw_json_int(json, "instances", v->outcomes);
    if (v->each && v->outcomes && with_each) each(v, json);
    sw_json_int(json, "by", v->origin);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void cell(const sw_repro_result *r, const sw_repro_cell *c,
                 sw_json *json) {
  static const char *const keys[] = {
#define X(key, role, text) #key,
      SW_REPRO_BESIDE(X)
#undef X
  };
  const sw_repro_column *column = &r->experiment->column[c->column];
  char state[80] = "done";
  if (c->needs) snprintf(state, sizeof state, "needs %s", c->needs);
  else if (!c->values) snprintf(state, sizeof state, "not run");
  sw_json_object(json, NULL);
  sw_json_string(json, "row", c->row->id);
  sw_json_string(json, "label", c->row->label);
  sw_json_string(json, "column", column->title);
  sw_json_int(json, "column_index", c->column);
  sw_json_string(json, "unit", column->unit ? column->unit : "%");
  text(json, "paper", c->paper);
  text(json, "note", c->row->note);
  sw_json_string(json, "state", state);
  sw_json_real(json, "value", c->mean);
  sw_json_real(json, "sd", c->sd);
  sw_json_real(json, "low", c->low);
  sw_json_real(json, "high", c->high);
  sw_json_int(json, "seeds", c->values);
  sw_json_int(json, "instances", c->instances);
  for (int b = 0; b < SW_REPRO_ROLES; b++)
    sw_json_real(json, keys[b], c->beside[b]);
  char asked[24];
  json->failed |= sw_cell_question_hash(c->row, column, asked) == SW_MEMORY;
  sw_json_string(json, "asked", asked);
  /* A column that follows from others is judged in the table that makes it. */
  int derived = sw_column_follows(column);
  int agrees = sw_kept_judge(r, c);
  if (agrees < 0) sw_json_null(json, "agrees");
  else sw_json_bool(json, "agrees", agrees);
  /* Values of single instances are left out of times, which are not compared,
   * and of differences, which are computed again. */
  values(c, !derived && (!column->unit || strcmp(column->unit, "s") != 0),
         json);
  sw_json_end(json);
}

/* Whether one of its rows is too far from the paper's. */
static int unjudged(const sw_experiment *e, const sw_repro_statistic *s) {
  const char *const ids[] = {s->a, s->b, s->c, s->d};
  for (int r = 0; e->row[r].id; r++)
    for (size_t i = 0; i < sizeof ids / sizeof *ids && e->row[r].unjudged; i++)
      if (ids[i] && !strcmp(ids[i], e->row[r].id)) return 1;
  return 0;
}

/* The questions of both cells. */
static void asked_of(const sw_experiment *e, const sw_repro_statistic *s,
                     sw_json *json) {
  const char *const ids[] = {s->a, s->b};
  const int columns[] = {s->column, s->other ? s->other - 1 : s->column};
  sw_json_array(json, "asked");
  for (int side = 0; side < 2; side++) {
    char asked[24] = "";
    for (int r = 0; e->row[r].id; r++)
      if (ids[side] && !strcmp(e->row[r].id, ids[side]))
        json->failed |=
            sw_cell_question_hash(&e->row[r], &e->column[columns[side]],
                                  asked) == SW_MEMORY;
    sw_json_string(json, NULL, asked);
  }
  sw_json_end(json);
}

static void statistics(const sw_repro_result *r, sw_json *json) {
  static const char *const tests[] = {
      "paired t over seeds", "Welch's t over seeds", "bootstrap over seeds",
      "bootstrap over instances", "interaction, t over seeds"};
  sw_json_array(json, "statistics");
  for (int i = 0; i < r->statistics; i++) {
    const sw_repro_statistic_value *v = &r->statistic[i];
    const sw_repro_column *c = &r->experiment->column[v->statistic->column];
    sw_json_object(json, NULL);
    sw_json_string(json, "title", v->statistic->title);
    sw_json_string(json, "a", v->statistic->a);
    sw_json_string(json, "b", v->statistic->b);
    asked_of(r->experiment, v->statistic, json);
    sw_json_string(json, "test",
                   v->by_seeds ? "paired t over seeds: some were kept without "
                                 "instances"
                   : v->over_both ? "paired t over seeds; interval over seeds "
                                    "and instances"
                                  : tests[v->statistic->kind]);
    text(json, "paper", v->statistic->paper);
    if (unjudged(r->experiment, v->statistic)) sw_json_bool(json, "judged", 0);
    sw_json_string(json, "unit", c->unit ? c->unit : "%");
    sw_json_real(json, "value", v->value);
    sw_json_real(json, "low", v->low);
    sw_json_real(json, "high", v->high);
    sw_json_real(json, "p", v->p);
    sw_json_int(json, "pairs", v->pairs);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void figures(const sw_repro_result *r, sw_json *json) {
  const sw_experiment *e = r->experiment;
  static const char *const kinds[] = {"lines", "bars", "seeds"};
  sw_json_array(json, "figures");
  for (int i = 0; e->figure && e->figure[i].id; i++) {
    const sw_repro_figure *f = &e->figure[i];
    sw_json_object(json, NULL);
    sw_json_string(json, "id", f->id);
    sw_json_string(json, "title", f->title);
    sw_json_string(json, "kind", kinds[f->kind]);
    text(json, "x", f->x);
    text(json, "y", f->y);
    sw_json_array(json, "columns");
    for (int c = 0; e->column[c].title; c++)
      if (!f->columns || (c < 32 && f->columns >> c & 1))
        sw_json_int(json, NULL, c);
    sw_json_end(json);
    sw_json_end(json);
  }
  sw_curves_json(r, json);
  sw_json_end(json);
}

/* Which rules stand in the columns beside ours. */
static void rules(const sw_repro_result *r, sw_json *json) {
  char words[600] = "Shares in percent.";
  sw_json_array(json, "rules");
#define X(key, name, what)                                                 \
  if (r->policy[SW_REPRO_##key][0]) {                                      \
    size_t used = strlen(words);                                           \
    sw_json_object(json, NULL);                                            \
    sw_json_string(json, "role", name);                                    \
    sw_json_string(json, "policy", r->policy[SW_REPRO_##key]);             \
    sw_json_end(json);                                                     \
    snprintf(words + used, sizeof words - used, " The %s (%s): %s.", name, \
             r->policy[SW_REPRO_##key], what);                             \
  }
  SW_REPRO_BESIDE(X)
#undef X
  sw_json_end(json);
  sw_json_string(json, "words", words);
}

/* All that differ of one member of the origins, in their order. */
static void distinct(const sw_repro_result *r, const char *key, size_t offset,
                     const char *between, sw_json *json) {
  size_t room = 1, used = 0;
  for (int i = 0; i < r->origins; i++)
    room += strlen((const char *)&r->origin[i] + offset) + 4;
  char *all = calloc(room, 1);
  if (!all) {
    json->failed = 1;
    return;
  }
  for (int i = 0; i < r->origins; i++) {
    const char *own = (const char *)&r->origin[i] + offset;
    int seen = !*own;
    for (int k = 0; k < i; k++)
      seen |= !strcmp((const char *)&r->origin[k] + offset, own);
    if (!seen)
      used += (size_t)snprintf(all + used, room - used, "%s%s",
                               used ? between : "", own);
  }
  sw_json_string(json, key, all);
  free(all);
}

/* Who made the values; their members `by` are places in this list. */
static void origins(const sw_repro_result *r, sw_json *json) {
  double seconds = 0;
  const char *date = "";
  sw_json_array(json, "made_by");
  for (int i = 0; i < r->origins; i++) {
    const sw_repro_origin *o = &r->origin[i];
    sw_json_object(json, NULL);
    sw_json_string(json, "command", o->command);
    if (*o->over) sw_json_string(json, "over", o->over);
    sw_json_string(json, "program", o->program);
    sw_json_string(json, "kernels", o->kernels);
    sw_json_string(json, "machine", o->machine);
    if (o->counting) sw_json_int(json, "counting", o->counting);
    sw_json_real(json, "seconds", o->seconds);
    sw_json_string(json, "date", o->date);
    sw_json_end(json);
    seconds += o->seconds;
    if (strcmp(o->date, date) > 0) date = o->date;
  }
  sw_json_end(json);
#define OF(member) offsetof(sw_repro_origin, member)
  distinct(r, "command", OF(command), "; ", json);
  distinct(r, "program", OF(program), ", ", json);
  distinct(r, "kernels", OF(kernels), ", ", json);
  distinct(r, "machine", OF(machine), "; ", json);
#undef OF
  sw_json_real(json, "seconds", seconds);
  sw_json_string(json, "date", date);
}

void sw_kept_json(const sw_repro_result *r, const char *up, sw_json *json) {
  const sw_experiment *e = r->experiment;
  char store[32];
  snprintf(store, sizeof store, "%sresults.db", up);
  sw_json_object(json, NULL);
  sw_json_string(json, "experiment", e->id);
  text(json, "place", e->place);
  text(json, "section", e->section);
  sw_json_string(json, "title", e->title);
  text(json, "note", e->note);
  text(json, "judged_in", e->judged_in);
  sw_json_string(json, "scale", r->scale ? "paper" : "small");
  sw_json_string(json, "results", store);
  rules(r, json);
  rows(e, json);
  columns(e, json);
  models(r, up, json);
  sw_json_array(json, "cells");
  for (int i = 0; i < r->cells; i++) cell(r, &r->cell[i], json);
  sw_json_end(json);
  statistics(r, json);
  figures(r, json);
  origins(r, json);
  sw_json_end(json);
}

int sw_kept_write(const sw_repro_result *r, const char *up, const char *path,
                  sw_err *err) {
  sw_json json;
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  sw_json_to_file(&json, file.stream);
  sw_kept_json(r, up, &json);
  if (!json.failed) return sw_out_commit(&file, err);
  sw_out_abort(&file);
  return sw_no_memory_for(err, "%s", path);
}

int sw_kept_document(const sw_repro_result *r, json_t **document, sw_err *err) {
  sw_json json;
  *document = NULL;
  sw_json_to_text(&json);
  sw_kept_json(r, "../", &json);
  int code = json.failed
                 ? SW_MEMORY
                 : sw_json_read(document, json.text, json.length, 0, NULL);
  sw_json_free(&json);
  return code ? sw_no_memory(err) : SW_OK;
}
