/* Shared by the probe commands (see probe_common.h). */
#include "cli/probe_common.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t bytes_of(sw_option_kind kind) {
  switch (kind) {
    case SW_TEXT: return sizeof(char *);
    case SW_REAL: return sizeof(double);
    case SW_LONG: return sizeof(int64_t);
    case SW_LIST: return sizeof(sw_list);
    default: return sizeof(int);
  }
}

void sw_probe_override(const sw_option *table, int count, const unsigned char *given,
                       const void *values, size_t offset, sw_domain_options *options) {
  for (int i = 0; i < count; i++) {
    size_t at = table[i].offset;
    if (!given[i] || at < offset || at >= offset + sizeof *options) continue;
    memcpy((char *)options + (at - offset), (const char *)values + at, bytes_of(table[i].kind));
  }
}

int sw_probe_domain(const char *name, const sw_domain **domain, sw_err *err) {
  *domain = name ? sw_domain_find(name) : NULL;
  if (*domain) return 0;
  if (name) sw_fail(err, SW_USAGE, "unknown domain `%s`", name);
  else sw_fail(err, SW_USAGE, "which domain?");
  char names[200] = "";
  for (int i = 0; sw_domains[i]; i++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, " %s", sw_domains[i]->name);
  }
  return sw_hint(err, "give --domain NAME or --model DIR; one of:%s", names);
}

int sw_probe_asker(const sw_loaded *loaded, const char *mask, const char *positions, int cached,
                   sw_team *team, sw_asker **asker, sw_err *err) {
  sw_ask_options o = {.model = loaded->model, .mask = loaded->mask, .positions = loaded->positions,
                      .window = loaded->window, .cached = cached};
  if (mask) {
    int kind = sw_mask_from_name(mask);
    if (kind < 0) return sw_fail(err, SW_USAGE, "unknown mask `%s`", mask);
    o.mask = (sw_mask_kind)kind;
  }
  if (positions) {
    int kind = sw_position_from_name(positions);
    if (kind < 0) return sw_fail(err, SW_USAGE, "unknown positions `%s`", positions);
    o.positions = (sw_position_kind)kind;
  }
  return sw_asker_new(asker, &o, team, err);
}

static int with_model(const char *path, const char *domain, sw_probe_fn fn, void *context, sw_err *err) {
  sw_loaded loaded;
  SW_TRY(sw_loaded_open(&loaded, path, err));
  int code;
  if (domain && strcmp(domain, loaded.domain->name) != 0)
    code = sw_fail(err, SW_USAGE, "%s is a model for `%s`, not `%s`", path, loaded.domain->name, domain);
  else
    code = fn(context, &loaded, err);
  sw_loaded_close(&loaded);
  return code;
}

int sw_probe_models(const sw_list *models, const char *domain, sw_probe_fn fn, void *context, sw_err *err) {
  const sw_domain *found;
  if (domain || !models->count) SW_TRY(sw_probe_domain(domain, &found, err));
  if (!models->count) {
    char shipped[1024];
    SW_TRY(sw_shipped_model(domain, shipped, sizeof shipped, err));
    return with_model(shipped, domain, fn, context, err);
  }
  for (int i = 0; i < models->count; i++) SW_TRY(with_model(models->item[i], domain, fn, context, err));
  return 0;
}

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
