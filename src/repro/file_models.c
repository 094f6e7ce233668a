/* `models:` of an experiment's file: what is trained (see experiment_file.h).
 * A model names a preset, or a domain with the number of traces to train on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/domain.h"
#include "domains/registry.h"
#include "repro/experiments.h"
#include "repro/file_fields.h"

/* A model, and what its other members say. */
typedef struct model {
  sw_trained trained;
  const char *domain;
  int traces;
} model;

#define FIELD(key, KIND, member, need) \
  { key, SW_FIELD_##KIND, offsetof(model, member), NULL, need }
#define OTHER(key) \
  { key, SW_FIELD_OTHER, 0, NULL, 0 }
static const sw_field model_fields[] = {
    FIELD("id", TEXT, trained.id, 1),
    FIELD("label", TEXT, trained.label, 0),
    OTHER("preset"),
    FIELD("domain", TEXT, domain, 0),
    FIELD("traces", INT, traces, 0),
    OTHER("gen"),
    FIELD("data", TEXT, trained.data, 0),
    FIELD("train", TRAINING, trained.train, 0),
    FIELD("recipe", TRAINING, trained.recipe, 0),
    OTHER("hours"),
    FIELD("needs", TEXT, trained.needs, 0),
    OTHER("mined")};
enum { MODEL_FIELDS = sizeof model_fields / sizeof *model_fields };

static const sw_field mined_fields[] = {
    {"from", SW_FIELD_TEXT, offsetof(sw_mined, from), NULL, 0},
    {"rule", SW_FIELD_TEXT, offsetof(sw_mined, rule), NULL, 1},
    {"verifier", SW_FIELD_TEXT, offsetof(sw_mined, verifier), NULL, 1}};

/* It becomes part of paths. */
static int check_id(sw_file_reader *r, const sw_yaml *map, const char *id,
                    const sw_trained *before) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  const sw_yaml *at = sw_yaml_member(map, "id");
  size_t length = strlen(id);
  if (!length || length > 60 || strspn(id, letters) != length || *id == '.' ||
      *id == '-') {
    sw_yaml_fail(r->err, r->name, at, "`%.80s` cannot be a model's id", id);
    return sw_hint(r->err, "letters, digits, `-`, `_` and `.`, at most 60");
  }
  for (const sw_trained *t = r->file->model; t < before; t++)
    if (!strcmp(t->id, id))
      return sw_yaml_fail(r->err, r->name, at, "two models are called `%s`",
                          id);
  return SW_OK;
}

static int unknown_preset(sw_file_reader *r, const sw_yaml *node) {
  const char *names[128];
  int count = 0;
  for (; count < sw_preset_count && count < 128; count++)
    names[count] = sw_presets[count].name;
  return sw_field_unknown(r, node, 0, "preset", node->text, names, count);
}

static int read_presets(sw_file_reader *r, const sw_yaml *node, sw_trained *t) {
  const sw_yaml *scale[SW_SCALES];
  SW_TRY(sw_field_scales(r, node, scale));
  for (int s = 0; s < SW_SCALES; s++) {
    if (!scale[s]) continue;
    SW_TRY(sw_field_text(r, scale[s], &t->preset[s]));
    if (!sw_preset_find(t->preset[s])) return unknown_preset(r, scale[s]);
  }
  if (t->preset[SW_SCALE_SMALL]) return SW_OK;
  return sw_yaml_fail(r->err, r->name, node, "a preset for `small` is missing");
}

static int read_hours(sw_file_reader *r, const sw_yaml *node, sw_trained *t) {
  const sw_yaml *scale[SW_SCALES];
  SW_TRY(sw_field_scales(r, node, scale));
  for (int s = 0; s < SW_SCALES; s++)
    if (scale[s]) SW_TRY(sw_field_number(r, scale[s], 0, &t->hours[s]));
  if (!scale[SW_SCALE_PAPER]) t->hours[1] = t->hours[0];
  return SW_OK;
}

/* A preset of its own: models of one domain and number of traces share it, and
 * so the data set that it names. */
static int own_preset(sw_file_reader *r, const sw_yaml *map, const model *m,
                      sw_trained *t) {
  static const char *const nothing[] = {NULL};
  char name[80];
  int at = 0;
  const sw_yaml *domain = sw_yaml_member(map, "domain");
  if (!m->domain || (m->traces < 1 && !t->data)) {
    sw_yaml_fail(r->err, r->name, map,
                 "model `%s`: `preset`, or `domain` with `traces` or `data`, "
                 "is missing",
                 t->id);
    return sw_hint(r->err, "statewise train --list shows the presets");
  }
  if (!sw_domain_find(m->domain)) {
    const sw_domain *all[64];
    const char *names[64];
    int count = sw_domain_list(all, 64);
    for (int i = 0; i < count && i < 64; i++) names[i] = all[i]->name;
    return sw_field_unknown(r, domain, 0, "domain", m->domain, names,
                            count < 64 ? count : 64);
  }
  snprintf(name, sizeof name, "%.60s-%d", m->domain, m->traces);
  for (; r->file->preset[at].name; at++)
    if (!strcmp(r->file->preset[at].name, name)) break;
  if (!r->file->preset[at].name)
    r->file->preset[at] =
        (sw_preset){.name = sw_arena_strdup(&r->file->arena, name),
                    .summary = "of an experiment's file",
                    .domain = m->domain,
                    .domain_settings = nothing,
                    .traces = m->traces,
                    .train_settings = nothing};
  t->preset[SW_SCALE_SMALL] = r->file->preset[at].name;
  return t->preset[0] ? SW_OK : sw_no_memory_for(r->err, "%s", r->name);
}

static int read_mined(sw_file_reader *r, const sw_yaml *node,
                      const sw_trained *t) {
  sw_mined one = {.id = t->id};
  int at = 0;
  SW_TRY(sw_fields_read(r, node, mined_fields, 3, &one));
  while (r->file->mined[at].id) at++;
  r->file->mined[at] = one;
  return SW_OK;
}

/* Options of the model's own domain. */
static int read_gen(sw_file_reader *r, const sw_yaml *node, sw_trained *t) {
  const sw_preset *preset = sw_preset_find(t->preset[0]);
  for (const sw_preset *p = r->file->preset; !preset && p->name; p++)
    if (!strcmp(p->name, t->preset[0])) preset = p;
  const sw_domain *domain = preset ? sw_domain_find(preset->domain) : NULL;
  if (!domain)
    return sw_yaml_fail_key(r->err, r->name, node,
                            "the domain of `%s` is not known", t->id);
  sw_question_table table = {SW_ASKS_TASK, domain->options,
                             domain->option_count};
  return sw_field_settings(r, node, &table, 1, &t->gen);
}

static int read_model(sw_file_reader *r, const sw_yaml *map, sw_trained *t) {
  model m = {.domain = NULL};
  SW_TRY(sw_fields_read(r, map, model_fields, MODEL_FIELDS, &m));
  const sw_yaml *preset = sw_yaml_member(map, "preset"),
                *hours = sw_yaml_member(map, "hours"),
                *mined = sw_yaml_member(map, "mined");
  SW_TRY(check_id(r, map, m.trained.id, t));
  *t = m.trained;
  if (!t->label) t->label = t->id;
  if (hours) SW_TRY(read_hours(r, hours, t));
  if (mined) SW_TRY(read_mined(r, mined, t));
  if (preset && (m.domain || m.traces)) {
    sw_yaml_fail_key(r->err, r->name, preset,
                     "a preset has its own domain and traces");
    return sw_hint(r->err, "leave out `preset`, or `domain` and `traces`");
  }
  SW_TRY(preset ? read_presets(r, preset, t) : own_preset(r, map, &m, t));
  const sw_yaml *gen = sw_yaml_member(map, "gen");
  return gen ? read_gen(r, gen, t) : SW_OK;
}

int sw_file_models(sw_file_reader *r, sw_yaml *list) {
  sw_arena *arena = &r->file->arena;
  if (list) SW_TRY(sw_file_expand(r, list));
  size_t count = list ? (size_t)list->count : 0;
  r->file->model = SW_ARENA_NEW(arena, sw_trained, count + 1);
  r->file->mined = SW_ARENA_NEW(arena, sw_mined, count + 1);
  r->file->preset = SW_ARENA_NEW(arena, sw_preset, count + 1);
  if (!r->file->model || !r->file->mined || !r->file->preset)
    return sw_no_memory_for(r->err, "%s", r->name);
  sw_trained *t = r->file->model;
  for (const sw_yaml *n = list ? list->first : NULL; n; n = n->next)
    SW_TRY(read_model(r, n, t++));
  return SW_OK;
}
