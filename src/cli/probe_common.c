/* Shared by the probe commands (see probe_common.h). */
#include "cli/probe_common.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "domains/produce.h"

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
  sw_ask_options o = {
      .model = loaded->model, .reading = loaded->reading, .cached = cached};
  SW_TRY(sw_reading_parse(&o.reading, mask, positions, err));
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
  sw_progress_begin(&probe->line, (sw_progress_mode)probe->progress, what,
                    total);
}

void sw_probe_step(void *session, const char *label, int64_t done,
                   int64_t total) {
  sw_probe *probe = session;
  sw_progress_show(&probe->line, label, done, total);
}

void sw_probe_done(sw_probe *probe, const sw_loaded *loaded) {
  snprintf(probe->label[probe->models++], sizeof probe->label[0], "%.95s",
           loaded->label);
}

/* ---- the command ---- */

static int ask_model(void *session, const sw_probe_kind *kind, const char *path,
                     const sw_loaded *loaded, sw_err *err) {
  sw_probe *p = session;
  if (p->domain && strcmp(p->domain, loaded->domain->name) != 0)
    return sw_fail(err, SW_USAGE, "%s is a model for `%s`, not `%s`", path,
                   loaded->domain->name, p->domain);
  SW_TRY(
      sw_probe_options(p, loaded->domain, &loaded->options, &p->options, err));
  snprintf(p->domain_name, sizeof p->domain_name, "%s", loaded->domain->name);
  snprintf(p->format, sizeof p->format, "%s", p->options.format);
  SW_TRY(kind->ask(session, loaded, err));
  sw_probe_done(p, loaded);
  return 0;
}

static int ask_models(void *session, const sw_probe_kind *kind, sw_err *err) {
  sw_probe *p = session;
  const sw_domain *found;
  char shipped[1024];
  sw_list models = p->model;
  if (p->domain || !models.count)
    SW_TRY(sw_domain_named(p->domain, &found, err));
  if (!models.count) {
    SW_TRY(sw_shipped_model(p->domain, shipped, sizeof shipped, err));
    models.item[models.count++] = shipped;
  }
  for (int i = 0; i < models.count; i++) {
    sw_loaded loaded;
    SW_TRY(sw_loaded_open(&loaded, models.item[i], err));
    int code = ask_model(session, kind, models.item[i], &loaded, err);
    sw_loaded_close(&loaded);
    if (code) return code;
  }
  return 0;
}

static void model_json(const void *session, const sw_probe_kind *kind, int m,
                       sw_json *json) {
  const sw_probe *p = session;
  sw_json_string(json, "label", p->label[m]);
  kind->members(session, m, json);
}

static void print_json(const void *session, const sw_probe_kind *kind) {
  const sw_probe *p = session;
  sw_json json;
  sw_json_to_file(&json, stdout);
  sw_json_object(&json, NULL);
  if (kind->head) kind->head(session, &json);
  if (p->models) model_json(session, kind, 0, &json);
  sw_json_array(&json, "models");
  for (int m = 0; m < p->models; m++) {
    sw_json_object(&json, NULL);
    model_json(session, kind, m, &json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  if (kind->tail) kind->tail(session, &json);
  sw_json_end(&json);
}

int sw_probe_main(const sw_command *self, int argc, char **argv,
                  const sw_probe_kind *kind) {
  sw_err err = {0};
  sw_list rest = {0};
  sw_probe *p = calloc(1, kind->bytes + (size_t)self->option_count);
  if (!p) return sw_error_exit_code(SW_MEMORY);
  p->command = self;
  p->given = (unsigned char *)p + kind->bytes;
  int code = sw_command_parse_task(self, argc, argv, p, p->given, &rest,
                                   self->takes_task ? &p->task : NULL);
  if (code < 0) {
    int failed = sw_team_new(&p->team, p->threads, &err);
    if (!failed)
      failed = kind->perform ? kind->perform(p, &rest, &err)
                             : ask_models(p, kind, &err);
    code = failed ? sw_command_fail(&err) : 0;
    if (!code && p->json) print_json(p, kind);
    else if (!code) kind->text(p);
  }
  if (kind->clear) kind->clear(p);
  sw_team_free(p->team);
  free(p);
  return code;
}

/* ---- printing ---- */

void sw_probe_interval_json(sw_json *json, const char *key, sw_interval i) {
  sw_json_array(json, key);
  sw_json_float9(json, NULL, i.low);
  sw_json_float9(json, NULL, i.high);
  sw_json_end(json);
}

const char *sw_probe_number(double value, int digits, char buffer[32]) {
  if (isnan(value)) return "-";
  snprintf(buffer, 32, "%.*f", digits, value);
  return buffer;
}
