/* Opening trained models (see loaded.h). */
#include "search/loaded.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "domains/produce.h"

/* Every member must be a known option; its text is kept by `loaded`. */
static int read_options(sw_loaded *loaded, const char *text, sw_err *err) {
  json_error_t problem;
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
  if (!json_is_object(root)) {
    json_decref(root);
    return sw_fail(err, SW_DATA, "%s: domain_options is not a JSON object",
                   loaded->path);
  }
  const char *key;
  json_t *value;
  int code = SW_OK;
  json_object_foreach(root, key, value) {
    char number[64];
    const char *as_text = number;
    if (json_is_string(value)) as_text = json_string_value(value);
    else if (json_is_integer(value))
      snprintf(number, sizeof number, "%lld",
               (long long)json_integer_value(value));
    else if (json_is_real(value))
      snprintf(number, sizeof number, "%.17g", json_real_value(value));
    else if (json_is_boolean(value))
      snprintf(number, sizeof number, "%d", json_is_true(value));
    else continue; /* null: the default */
    if (loaded->option_texts == 32) continue;
    char *copy = strdup(as_text);
    if (!copy) code = sw_fail(err, SW_MEMORY, "out of memory");
    else {
      loaded->option_text[loaded->option_texts++] = copy;
      code = sw_domain_set_stored(loaded->domain, key, copy, &loaded->options,
                                  err);
    }
    if (code) break;
  }
  json_decref(root);
  return code;
}

/* Weights from before the data's seed was kept among the options: their runs
 * drew the data from the training seed. */
static int old_exclude_seed(sw_loaded *loaded, sw_err *err) {
  const char *seed = sw_st_meta(loaded->file, "train_seed");
  if (!seed || loaded->options.exclude_seed >= 0 || !loaded->options.exclude)
    return SW_OK;
  if (sw_domain_set(loaded->domain, "exclude-seed", seed, &loaded->options,
                    err))
    return sw_fail(err, SW_DATA, "%s: train_seed \"%.40s\" is no seed",
                   loaded->path, seed);
  return SW_OK;
}

static int need(const sw_loaded *loaded, const char *key, const char **value,
                sw_err *err) {
  *value = sw_st_meta(loaded->file, key);
  if (*value) return SW_OK;
  sw_fail(err, SW_DATA, "%s: the metadata has no `%s`", loaded->path, key);
  return sw_hint(err, "train with `statewise train`, which writes it");
}

static int open_parts(sw_loaded *loaded, sw_err *err) {
  const char *domain, *options, *label;
  SW_TRY(sw_st_open(&loaded->file, loaded->path, err));
  SW_TRY(need(loaded, "domain", &domain, err));
  SW_TRY(need(loaded, "domain_options", &options, err));
  loaded->domain = sw_domain_find(domain);
  if (!loaded->domain)
    return sw_fail(err, SW_DATA, "%s: unknown domain `%s`", loaded->path,
                   domain);
  SW_TRY(sw_reading_load(&loaded->reading, loaded->file, loaded->path, err));
  label = sw_st_meta(loaded->file, "label");
  snprintf(loaded->label, sizeof loaded->label, "%s",
           label ? label : sw_mask_name(loaded->reading.mask));
  sw_domain_defaults(loaded->domain, &loaded->options);
  SW_TRY(read_options(loaded, options, err));
  SW_TRY(old_exclude_seed(loaded, err));
  SW_TRY(loaded->domain->resolve(&loaded->options, err));
  return sw_net_read(&loaded->model, loaded->file, loaded->path, 0, err);
}

int sw_model_path(const char *path, char *file, size_t room, sw_err *err) {
  const char *form = sw_is_directory(path) ? "%s/model.safetensors" : "%s";
  if (snprintf(file, room, form, path) < (int)room) return SW_OK;
  return sw_fail(err, SW_USAGE, "%.200s...: the path is too long", path);
}

int sw_loaded_open(sw_loaded *loaded, const char *path, sw_err *err) {
  memset(loaded, 0, sizeof *loaded);
  SW_TRY(sw_model_path(path, loaded->path, sizeof loaded->path, err));
  int code = open_parts(loaded, err);
  if (code) sw_loaded_close(loaded);
  return code;
}

void sw_loaded_close(sw_loaded *loaded) {
  sw_net_free(loaded->model);
  sw_st_close(loaded->file);
  for (int i = 0; i < loaded->option_texts; i++) free(loaded->option_text[i]);
  memset(loaded, 0, sizeof *loaded);
}

int sw_shipped_model(const char *domain, char *path, size_t room, sw_err *err) {
  char program[PATH_MAX] = "";
  const char *given = getenv("STATEWISE_MODELS");
  if (given) {
    snprintf(path, room, "%s/%s.safetensors", given, domain);
    if (sw_path_exists(path)) return SW_OK;
  }
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length > 0) {
    static const char *const places[] = {"models", "../models",
                                         "../share/statewise/models"};
    program[length] = 0;
    char *slash = strrchr(program, '/');
    if (slash) *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
      snprintf(path, room, "%s/%s/%s.safetensors", program, places[i], domain);
      if (sw_path_exists(path)) return SW_OK;
    }
  }
  sw_fail(err, SW_NOFILE, "no shipped model for domain `%s` was found", domain);
  return sw_hint(err, "give --model DIR, or set STATEWISE_MODELS");
}
