/* Traces and models of an experiment (see job.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/hash.h"
#include "repro/job.h"
#include "repro/kept.h"
#include "report/read_json.h"
#include "search/played.h"

static const sw_preset *preset_of(const sw_trained *t, sw_scale scale) {
  const char *name = t->preset[scale] ? t->preset[scale] : t->preset[0];
  return sw_preset_find(name);
}

static void free_preset(sw_own_preset *p) {
  free(p->domain_settings);
  sw_settings_free(&p->gen);
}

void sw_job_presets_free(sw_job *j) {
  for (int i = 0; i < j->presets; i++) free_preset(&j->preset[i]);
  free(j->preset);
}

static int fill_preset(sw_own_preset *p, const sw_trained *t,
                       const sw_repro_options *o, sw_err *err) {
  const sw_preset *preset = preset_of(t, o->scale);
  memset(p, 0, sizeof *p);
  p->of = t;
  if (!preset) return sw_fail(err, SW_INTERNAL, "%s: no such preset", t->id);
  SW_TRY(sw_settings_read(&p->gen, t->gen, NULL, err));
  p->domain_settings = sw_settings_behind(&p->gen, preset->domain_settings);
  p->preset = *preset;
  p->preset.domain_settings = p->domain_settings;
  if (o->traces) p->preset.traces = o->traces;
  if (p->domain_settings) return SW_OK;
  free_preset(p);
  return sw_no_memory(err);
}

static int own_preset(sw_job *j, const sw_trained *t, const sw_preset **preset,
                      sw_err *err) {
  for (int i = 0; i < j->presets; i++)
    if (j->preset[i].of == t) {
      *preset = &j->preset[i].preset;
      return SW_OK;
    }
  if (!sw_grow(&j->preset, &j->preset_room, j->presets + 1, sizeof *j->preset))
    return sw_no_memory(err);
  SW_TRY(fill_preset(&j->preset[j->presets], t, j->options, err));
  *preset = &j->preset[j->presets++].preset;
  return SW_OK;
}

int sw_job_task(sw_job *j, const sw_repro_row *row, const sw_domain **domain,
                sw_domain_options *options, sw_err *err) {
  const sw_trained *t = row->model ? sw_trained_find(row->model) : NULL;
  const sw_preset *preset;
  const char *named = row->domain ? row->domain : row->shipped;
  if (named) { /* no model of the matrix: the domain's defaults */
    SW_TRY(sw_domain_named(named, domain, err));
    sw_domain_defaults(*domain, options);
    return SW_OK;
  }
  for (int i = 0; !t && j->experiment->row[i].id; i++) /* a rule: as others */
    if (j->experiment->row[i].model)
      t = sw_trained_find(j->experiment->row[i].model);
  if (!t)
    return sw_fail(err, SW_INTERNAL, "%s: no model `%s`", row->id,
                   row->model ? row->model : "-");
  SW_TRY(own_preset(j, t, &preset, err));
  return sw_preset_task(preset, domain, options, err);
}

/* ---- traces ---- */

/* Where the traces of a model are; their seeds vary with the model's. A model
 * that mines has a file of its own. */
static void data_path(sw_job *j, const sw_trained *t, const sw_preset *preset,
                      int64_t seed, char *path, size_t room) {
  char other[64] = "";
  if (sw_mined_find(t->id)) snprintf(other, sizeof other, "-%.60s", t->id);
  else if (t->gen)
    snprintf(other, sizeof other, "-%08" PRIx32,
             (uint32_t)sw_xxh64(t->gen, strlen(t->gen), 0));
  if (j->options->flat)
    snprintf(path, room, "%s/data.safetensors", j->options->out);
  else
    snprintf(path, room, "%s/data/%s%s-%" PRId64 "-%" PRId64 ".safetensors",
             j->options->out, preset->name, other, preset->traces, seed);
}

/* What a model that mines learns from (sw_mined). */
typedef struct mining {
  sw_played played;
  sw_domain_options options;
  sw_produce_options produce;
  char before[1200], verifier[1500], text[400];
} mining;

/* The model that the traces come from and that `#` stands for. */
static int mine_from(sw_job *j, const sw_mined *mined, const sw_preset *preset,
                     int64_t seed, mining *m, sw_err *err) {
  const sw_trained *from = sw_trained_find(mined->from);
  const char *mark = strchr(mined->verifier, '#');
  char run[1300];
  if (!from || !mark)
    return sw_fail(err, SW_INTERNAL, "%s: no model `%s` in the matrix",
                   mined->id, mined->from);
  SW_TRY(sw_job_trained(j, from, NULL, seed, run, sizeof run, err));
  data_path(j, from, preset, seed, m->before, sizeof m->before);
  int head = (int)(mark - mined->verifier);
  snprintf(m->verifier, sizeof m->verifier, "%.*s%s%s", head, mined->verifier,
           run, mark + 1);
  snprintf(m->text, sizeof m->text, "%s, %.*s%s%s", mined->rule, head,
           mined->verifier, mined->from, mark + 1);
  m->produce.before = m->before;
  return SW_OK;
}

/* Every round draws instances of its own: those of the traces that come first
 * would stand on both sides of the split into training and validation. */
static uint64_t seed_of_round(const sw_mined *mined, int64_t seed) {
  uint64_t round = 0;
  for (; mined && mined->from; mined = sw_mined_find(mined->from)) round++;
  return (uint64_t)seed + (round << 40);
}

static int mine(sw_job *j, const sw_mined *mined, const sw_preset *preset,
                int64_t seed, mining *m, sw_err *err) {
  memset(m, 0, sizeof *m);
  snprintf(m->verifier, sizeof m->verifier, "%s", mined->verifier);
  snprintf(m->text, sizeof m->text, "%s, %s", mined->rule, mined->verifier);
  if (mined->from) SW_TRY(mine_from(j, mined, preset, seed, m, err));
  SW_TRY(sw_preset_task(preset, &m->played.domain, &m->options, err));
  m->played.options = &m->options;
  m->played.rule = mined->rule;
  m->played.verifier = m->verifier;
  m->played.seed = seed_of_round(mined, seed);
  m->produce.write = sw_played_write;
  m->produce.context = &m->played;
  m->produce.played = m->text;
  return sw_played_check(&m->played, err);
}

static int make_data(sw_job *j, const sw_trained *t, int64_t seed, char *path,
                     size_t room, sw_err *err) {
  const sw_preset *preset;
  const sw_mined *mined = sw_mined_find(t->id);
  mining m;
  if (t->data) {
    snprintf(path, room, "%s", t->data);
    return SW_OK;
  }
  SW_TRY(own_preset(j, t, &preset, err));
  const sw_preset own = *preset; /* others may move it */
  data_path(j, t, &own, seed, path, room);
  if (mined) SW_TRY(mine(j, mined, &own, seed, &m, err));
  sw_produce_hooks produce = {.context = j->hooks->context,
                              .progress = j->hooks->progress,
                              .stop = j->hooks->stop};
  j->hooks->begin(j->hooks->context, "traces");
  int code = sw_preset_data(&own, path, seed_of_round(mined, seed),
                            mined ? &m.produce : NULL, &produce, err);
  j->hooks->end(j->hooks->context);
  return code;
}

/* ---- training ---- */

static int apply(const sw_settings *s, sw_train_options *o, sw_err *err) {
  return sw_apply_settings(sw_train_table, sw_train_table_count, s->pair, NULL,
                           o, err);
}

/* `init=#ID`: the weights of another model of the matrix with the same seed. */
static int first_weights(sw_job *j, sw_train_options *o, int64_t seed,
                         char *run, size_t room, sw_err *err) {
  if (!o->init || o->init[0] != '#') return SW_OK;
  const sw_trained *from = sw_trained_find(o->init + 1);
  if (!from)
    return sw_fail(err, SW_INTERNAL, "no model `%s` in the matrix",
                   o->init + 1);
  SW_TRY(sw_job_trained(j, from, NULL, seed, run, room, err));
  o->init = run;
  return SW_OK;
}

static int train_with(sw_job *j, const sw_trained *t,
                      const sw_settings *settings, const char *data,
                      int64_t seed, const char *run, sw_err *err) {
  char first[1300];
  sw_train_options o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = data;
  /* Twice: the preset's positions depend on the row's mask, and what the row
   * sets comes over the preset's. */
  SW_TRY(apply(settings, &o, err));
  SW_TRY(sw_preset_apply(preset_of(t, j->options->scale)->name, NULL, &o, NULL,
                         0, err));
  SW_TRY(apply(settings, &o, err));
  for (int i = 0; i < j->options->settings.count; i++)
    SW_TRY(sw_options_set_pair(sw_train_table, sw_train_table_count,
                               j->options->settings.item[i], &o, err));
  /* Sizes given for all rows are for those whose family has them. */
  SW_TRY(sw_train_drop_shape(&o, NULL, err));
  SW_TRY(first_weights(j, &o, seed, first, sizeof first, err));
  o.output = run;
  o.label = t->label;
  o.seed = seed;
  o.threads = j->options->threads;
  return j->hooks->train(j->hooks->context, &o, err);
}

static int train(sw_job *j, const sw_trained *t, const char *data, int64_t seed,
                 const char *run, sw_err *err) {
  sw_settings settings;
  SW_TRY(sw_settings_read(
      &settings, t->train,
      j->options->scale == SW_SCALE_SMALL ? t->recipe : NULL, err));
  int code = train_with(j, t, &settings, data, seed, run, err);
  sw_settings_free(&settings);
  return code;
}

/* ---- the model ---- */

static int note_model(sw_job *j, const sw_repro_row *row,
                      const sw_model_at_hand *m, sw_err *err) {
  sw_repro_result *r = j->result;
  char path[1400];
  json_t *card;
  if (!sw_grow(&r->model, &r->model_room, r->models + 1, sizeof *r->model))
    return sw_no_memory(err);
  sw_repro_model *note = &r->model[r->models++];
  memset(note, 0, sizeof *note);
  note->row = row;
  note->seed = m->seed;
  note->loss = NAN;
  snprintf(note->hash, sizeof note->hash, "%s", m->hash);
  if (row->shipped) return SW_OK; /* a file without a run */
  note->trained = sw_trained_find(row->model);
  sw_kept_preset_hash(note->trained, j->options->scale, note->preset);
  snprintf(note->run, sizeof note->run, "%s",
           m->run + strlen(j->options->out) + 1);
  snprintf(path, sizeof path, "%s/run.json", m->run);
  SW_TRY(sw_read_json(path, &card, err));
  snprintf(note->data, sizeof note->data, "%.23s",
           sw_member_text(card, "data_hash", ""));
  snprintf(note->ended, sizeof note->ended, "%.15s",
           sw_member_text(card, "ended", ""));
  note->loss = sw_member_real(card, "valid_loss", NAN);
  json_decref(card);
  if (m->at_step) note->loss = NAN; /* the card's is of other weights */
  if (m->at_step)
    snprintf(note->ended, sizeof note->ended, "at %" PRId64, m->at_step);
  return SW_OK;
}

static int open_model(sw_job *j, const sw_repro_row *row, sw_model_at_hand *m,
                      sw_err *err) {
  sw_guide_setup setup = {.mask = row->mask, .positions = row->positions};
  SW_TRY(sw_loaded_open(&m->loaded, m->weights, err));
  const char *hash = sw_st_meta(m->loaded.file, "weights_xxh64");
  snprintf(m->hash, sizeof m->hash, "%.23s", hash ? hash : "");
  int code = SW_OK;
  if (m->loaded.domain->search)
    code = sw_guide_model(&m->guide, &m->loaded, &setup, j->team, err);
  if (!code && m->guide) m->guide->train_seed = m->seed;
  if (!code) code = note_model(j, row, m, err);
  if (code) sw_job_model_close(m);
  return code;
}

static int is_trained(const char *run) {
  char path[1400];
  json_t *card;
  snprintf(path, sizeof path, "%s/run.json", run);
  if (sw_read_json(path, &card, NULL) || !card) return 0;
  int done = !strcmp(sw_member_text(card, "status", ""), "done");
  json_decref(card);
  return done;
}

int sw_job_trained(sw_job *j, const sw_trained *t, const sw_repro_row *row,
                   int64_t seed, char *run, size_t room, sw_err *err) {
  char data[1200], parent[1100];
  snprintf(parent, sizeof parent, j->options->flat ? "%s" : "%s/models",
           j->options->out);
  if (j->options->flat && row) snprintf(run, room, "%s/%s", parent, row->id);
  else
    snprintf(run, room, "%s/%s%s-%" PRId64, parent, t->id,
             j->options->scale == SW_SCALE_PAPER ? "-paper" : "", seed);
  if (j->options->trained && !is_trained(run)) {
    j->untrained = 1;
    return sw_fail(err, SW_NOFILE, "%s is not trained", run);
  }
  SW_TRY(sw_make_dirs(parent, err));
  SW_TRY(make_data(j, t, seed, data, sizeof data, err));
  return train(j, t, data, seed, run, err);
}

int sw_job_model(sw_job *j, const sw_repro_row *row, int64_t seed,
                 sw_model_at_hand *m, sw_err *err) {
  const sw_trained *t = sw_trained_find(row->model);
  memset(m, 0, sizeof *m);
  m->seed = seed;
  if (!t)
    return sw_fail(err, SW_INTERNAL, "%s: no model `%s` in the matrix", row->id,
                   row->model);
  SW_TRY(sw_job_trained(j, t, row, seed, m->run, sizeof m->run, err));
  snprintf(m->weights, sizeof m->weights, "%s/model.safetensors", m->run);
  if (row->at) SW_TRY(sw_job_at(j, row, m, err));
  return open_model(j, row, m, err);
}

int sw_job_shipped(sw_job *j, const sw_repro_row *row, sw_model_at_hand *m,
                   sw_err *err) {
  char path[1024];
  SW_TRY(sw_shipped_model(row->shipped, path, sizeof path, err));
  snprintf(m->weights, sizeof m->weights, "%s", path);
  snprintf(m->run, sizeof m->run, "%s/models/shipped-%s", j->options->out,
           row->shipped); /* for what is measured of it */
  SW_TRY(sw_make_dirs(m->run, err));
  SW_TRY(sw_loaded_open(&m->loaded, path, err));
  const char *hash = sw_st_meta(m->loaded.file, "weights_xxh64");
  snprintf(m->hash, sizeof m->hash, "%.23s", hash ? hash : "");
  int code = sw_guide_model(&m->guide, &m->loaded, NULL, j->team, err);
  if (!code) code = note_model(j, row, m, err);
  if (code) sw_job_model_close(m);
  return code;
}

void sw_job_model_close(sw_model_at_hand *m) {
  if (m->guide) sw_guide_close(m->guide);
  if (m->loaded.file) sw_loaded_close(&m->loaded);
  m->guide = NULL;
}
