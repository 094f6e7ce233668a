/* The frame of all measures (see measure.h). */
#include "probe/measure.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "domains/produce.h"
#include "domains/registry.h"

const sw_measure *const sw_measures[] = {
#define X(name) &sw_measure_##name,
    SW_MEASURES(X)
#undef X
        NULL};

const sw_measure *sw_measure_find(const char *name) {
  for (int i = 0; sw_measures[i]; i++)
    if (!strcmp(sw_measures[i]->name, name)) return sw_measures[i];
  return NULL;
}

/* ---- a session ---- */

int sw_measure_new(sw_probe **session, const sw_measure *measure, sw_team *team,
                   const sw_measure_hooks *hooks, sw_err *err) {
  size_t options = (size_t)measure->option_count;
  sw_probe *p = calloc(1, measure->bytes + options);
  *session = p;
  if (!p) return sw_no_memory(err);
  p->measure = measure;
  p->given = (unsigned char *)p + measure->bytes;
  p->team = team;
  if (hooks) p->hooks = *hooks;
  sw_options_defaults(measure->options, measure->option_count, p);
  return SW_OK;
}

void sw_measure_free(sw_probe *session) {
  if (session && session->measure->clear) session->measure->clear(session);
  free(session);
}

int sw_measure_set(sw_probe *session, const char *name, const char *value,
                   sw_err *err) {
  const sw_measure *m = session->measure;
  for (int i = 0; sw_domain_kind(i); i++) {
    const sw_option *row = sw_options_find(
        sw_domain_kind(i)->options, sw_domain_kind(i)->option_count, name);
    if (row && !sw_options_find(m->options, m->option_count, name))
      return sw_pairs_add(&session->task, row->name, value, err);
  }
  SW_TRY(
      sw_options_set(m->options, m->option_count, name, value, session, err));
  for (int i = 0; i < m->option_count; i++)
    if (!strcmp(m->options[i].name, name)) session->given[i] = 1;
  return SW_OK;
}

/* ---- asking ---- */

static int check_domain(sw_probe *p, const char *path, const sw_loaded *loaded,
                        sw_err *err) {
  if (p->domain && strcmp(p->domain, loaded->domain->name) != 0)
    return sw_fail(err, SW_USAGE, "%s is a model for `%s`, not `%s`", path,
                   loaded->domain->name, p->domain);
  SW_TRY(
      sw_probe_options(p, loaded->domain, &loaded->options, &p->options, err));
  snprintf(p->domain_name, sizeof p->domain_name, "%s", loaded->domain->name);
  snprintf(p->format, sizeof p->format, "%s", p->options.format);
  return SW_OK;
}

static int ask_each(sw_probe *p, const char *const *model, int count,
                    sw_err *err) {
  for (int i = 0; i < count; i++) {
    sw_loaded loaded;
    SW_TRY(sw_loaded_open(&loaded, model[i], err));
    int code = check_domain(p, model[i], &loaded, err);
    if (!code) code = p->measure->ask(p, &loaded, err);
    if (!code) sw_probe_done(p, &loaded);
    sw_loaded_close(&loaded);
    if (code) return code;
  }
  return SW_OK;
}

static int ask_together(sw_probe *p, const char *const *model, int count,
                        sw_err *err) {
  sw_loaded *loaded = calloc((size_t)count + 1, sizeof *loaded);
  int code = loaded ? SW_OK : sw_no_memory(err);
  int opened = 0;
  for (; opened < count && !code; opened++) {
    code = sw_loaded_open(&loaded[opened], model[opened], err);
    if (!code) code = check_domain(p, model[opened], &loaded[opened], err);
  }
  if (!code) code = p->measure->together(p, loaded, count, err);
  for (int i = 0; i < opened; i++)
    if (loaded[i].file) sw_loaded_close(&loaded[i]);
  free(loaded);
  return code;
}

int sw_measure_take(sw_probe *session, const char *const *model, int count,
                    sw_err *err) {
  const sw_measure *m = session->measure;
  if (count > SW_LIST_MAX)
    return sw_fail(err, SW_LIMIT, "%d models at once: at most %d", count,
                   SW_LIST_MAX);
  SW_TRY(m->together ? ask_together(session, model, count, err)
                     : ask_each(session, model, count, err));
  return m->finish ? m->finish(session, err) : SW_OK;
}

/* ---- the answer ---- */

static void model_json(const sw_probe *p, int m, sw_json *json) {
  sw_json_string(json, "label", p->label[m]);
  const sw_measure *measure = p->measure;
  if (measure->members) measure->members(p, m, json);
  else
    sw_figures_json(
        measure->figures,
        (const char *)p + measure->result + (size_t)m * measure->result_bytes,
        json);
}

void sw_measure_json(const sw_probe *p, sw_json *json) {
  const sw_measure *measure = p->measure;
  sw_json_object(json, NULL);
  if (p->question) sw_json_string(json, "question", p->question);
  if (p->weights) sw_json_string(json, "weights", p->weights);
  if (measure->head) measure->head(p, json);
  else if (measure->of_all) sw_figures_json(measure->of_all, p, json);
  if (p->models) model_json(p, 0, json);
  sw_json_array(json, "models");
  for (int m = 0; m < p->models; m++) {
    sw_json_object(json, NULL);
    model_json(p, m, json);
    sw_json_end(json);
  }
  sw_json_end(json);
  if (measure->tail) measure->tail(p, json);
  sw_json_end(json);
}

int sw_measure_write_as(const sw_probe *session, const char *directory,
                        const char *name, sw_err *err) {
  char path[1400];
  sw_json json;
  sw_out_file file;
  SW_TRY(sw_make_dirs(directory, err));
  snprintf(path, sizeof path, "%s/%s.json", directory, name);
  SW_TRY(sw_out_open(&file, path, err));
  sw_json_to_file(&json, file.stream);
  sw_measure_json(session, &json);
  return sw_out_commit(&file, err);
}

int sw_measure_write(const sw_probe *session, const char *directory,
                     sw_err *err) {
  return sw_measure_write_as(session, directory, session->measure->name, err);
}

/* ---- for measures ---- */

int sw_probe_options(const sw_probe *probe, const sw_domain *domain,
                     const sw_domain_options *base, sw_domain_options *options,
                     sw_err *err) {
  if (base) *options = *base;
  else sw_domain_defaults(domain, options);
  SW_TRY(sw_domain_apply(domain, &probe->task, options, err));
  return domain->resolve(options, err);
}

int sw_probe_asker(const sw_loaded *loaded, const char *mask,
                   const char *positions, int cached, sw_team *team,
                   sw_asker **asker, sw_err *err) {
  sw_ask_options o = {.model = loaded->model,
                      .cached = cached,
                      .domain = loaded->domain,
                      .domain_options = &loaded->options};
  SW_TRY(sw_loaded_reading(loaded, mask, positions, &o.reading, err));
  return sw_asker_new(asker, &o, team, err);
}

int sw_probe_open(const sw_probe *probe, const sw_loaded *loaded, int cached,
                  sw_asker **asker, sw_err *err) {
  return sw_probe_asker(loaded, probe->eval_mask, probe->eval_positions, cached,
                        probe->team, asker, err);
}

sw_mask_kind sw_probe_mask(const sw_probe *probe, const sw_loaded *loaded) {
  int kind = probe->eval_mask ? sw_mask_from_name(probe->eval_mask) : -1;
  return kind < 0 ? loaded->reading.mask : (sw_mask_kind)kind;
}

void sw_probe_begin(sw_probe *probe, const char *what, int64_t total) {
  const sw_measure_hooks *h = &probe->hooks;
  if (h->begin) h->begin(h->context, what, total);
}

void sw_probe_step(void *session, const char *label, int64_t done,
                   int64_t total) {
  const sw_measure_hooks *h = &((sw_probe *)session)->hooks;
  if (h->step) h->step(h->context, label, done, total);
}

void sw_probe_end(sw_probe *probe) {
  if (probe->hooks.end) probe->hooks.end(probe->hooks.context);
}

void sw_probe_done(sw_probe *probe, const sw_loaded *loaded) {
  snprintf(probe->label[probe->models++], sizeof probe->label[0], "%.95s",
           loaded->label);
}

void sw_probe_interval_json(sw_json *json, const char *key, sw_interval i) {
  sw_json_array(json, key);
  sw_json_float9(json, NULL, i.low);
  sw_json_float9(json, NULL, i.high);
  sw_json_end(json);
}
