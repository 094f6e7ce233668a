/* Opening trained models (see loaded.h). */
#include "search/loaded.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "domains/drawn.h"
#include "domains/of_file.h"
#include "domains/produce.h"
#include "domains/registry.h"

/* Weights from before the data's seed was kept among the options: their runs
 * drew the data from the training seed. */
static int old_exclude_seed(sw_loaded *loaded, sw_err *err) {
  const char *seed = sw_st_meta(loaded->file, "train_seed");
  if (!seed || loaded->options.exclude_seed >= 0 || !loaded->options.exclude)
    return SW_OK;
  if (sw_domain_set(loaded->domain, "exclude-seed", seed, &loaded->options,
                    err))
    return sw_fail(err, SW_DATA, "%s: train_seed \"%.40s\" is not a seed",
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

/* A file must not make an evaluation draw for hours before it begins. */
enum { EXCLUDE_MAX = 2000000 };

/* The last gate: the weights have a score for every token that the domain may
 * ask about. */
static int check_model(const sw_loaded *loaded, sw_err *err) {
  int64_t drawn = sw_drawn_total(loaded->options.exclude_drawn);
  if (drawn < 0)
    return sw_fail(err, SW_DATA, "%s: exclude-drawn `%.60s` names no streams",
                   loaded->path, loaded->options.exclude_drawn);
  if (loaded->options.exclude > EXCLUDE_MAX || drawn > EXCLUDE_MAX)
    return sw_fail(
        err, SW_LIMIT,
        "%s: %lld training instances to leave out, at most %d are",
        loaded->path,
        (long long)(drawn > EXCLUDE_MAX ? drawn : loaded->options.exclude),
        EXCLUDE_MAX);
  if (strcmp(loaded->model->family->reads, "tokens")) return SW_OK;
  int32_t has = loaded->model->outputs;
  int32_t needs = loaded->domain->vocab_size(&loaded->options);
  if (has >= needs) return SW_OK;
  sw_fail(err, SW_DATA, "%s: a vocabulary of %d tokens, domain `%s` has %d",
          loaded->path, has, loaded->domain->name, needs);
  return sw_hint(err, "these weights were trained for something else");
}

/* Weights of a domain that the program does not know have words, or their
 * tokens are numbers. */
static int open_domain(sw_loaded *loaded, const char *name, sw_err *err) {
  const sw_st_tensor *rows = sw_st_find(loaded->file, "token_embedding.weight");
  int64_t tokens = rows && rows->dims == 2 ? rows->shape[0] : 0;
  if (tokens > SW_WORDS_MAX || sw_st_meta(loaded->file, "words")) tokens = 0;
  if (!sw_domain_find(name) && !sw_st_meta(loaded->file, "words") &&
      !sw_st_meta(loaded->file, "vocab") && !tokens)
    return sw_fail(err, SW_DATA, "%s: unknown domain `%s`, and no words",
                   loaded->path, name);
  return sw_domain_of_file(loaded->file, tokens, loaded->path, &loaded->domain,
                           err);
}

static int open_parts(sw_loaded *loaded, sw_err *err) {
  const char *domain, *options, *label;
  SW_TRY(sw_st_open(&loaded->file, loaded->path, err));
  SW_TRY(need(loaded, "domain", &domain, err));
  SW_TRY(open_domain(loaded, domain, err));
  options = sw_st_meta(loaded->file, "domain_options");
  if (!options && loaded->domain->words) options = "{}";
  if (!options) SW_TRY(need(loaded, "domain_options", &options, err));
  SW_TRY(sw_reading_load(&loaded->reading, loaded->file, loaded->path, err));
  label = sw_st_meta(loaded->file, "label");
  sw_clean_text(loaded->label, sizeof loaded->label,
                label ? label : sw_mask_name(loaded->reading.mask));
  sw_domain_defaults(loaded->domain, &loaded->options);
  SW_TRY(sw_stored_read(&loaded->stored, loaded->domain, options, loaded->path,
                        &loaded->options, err));
  SW_TRY(old_exclude_seed(loaded, err));
  SW_TRY(sw_stored_blame(loaded->domain->resolve(&loaded->options, err),
                         loaded->path, err));
  SW_TRY(sw_net_read(&loaded->model, loaded->file, loaded->path, 0, err));
  return check_model(loaded, err);
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
  if (code == SW_NOFILE)
    sw_hint(err, "a run of `statewise train`, or its model.safetensors");
  return code;
}

void sw_loaded_close(sw_loaded *loaded) {
  sw_net_free(loaded->model);
  sw_st_close(loaded->file);
  sw_stored_free(&loaded->stored);
  sw_domain_release(loaded->domain);
  memset(loaded, 0, sizeof *loaded);
}

const sw_shipped sw_shipped_models[] = {
    {"sat", "sat", "sat-mixture"},
    {"sat-full", "sat", NULL},
    {"coloring", "coloring", "coloring-mixture"},
    {"blocks", "blocks", "blocks-5-fair"},
    {"parsing", "parsing", "parsing-fair"},
};
const int sw_shipped_count =
    sizeof sw_shipped_models / sizeof *sw_shipped_models;

static int no_shipped_model(const char *name, sw_err *err) {
  sw_fail(err, SW_NOFILE, "no shipped model `%s` was found", name);
  for (int i = 0; i < sw_shipped_count; i++) {
    const sw_shipped *s = &sw_shipped_models[i];
    if (s->preset && strcmp(s->name, name) == 0)
      return sw_hint(err,
                     "statewise train --preset %s -o DIR makes it; then "
                     "--model DIR, or STATEWISE_MODELS for a folder of models",
                     s->preset);
  }
  return sw_hint(err, "give --model DIR, or set STATEWISE_MODELS");
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
  return no_shipped_model(domain, err);
}

int sw_loaded_reading(const sw_loaded *loaded, const char *mask,
                      const char *positions, sw_reading *reading, sw_err *err) {
  const sw_family *f = loaded->model->family;
  int asked = (mask && *mask) || (positions && *positions);
  if (asked && strcmp(f->reads, "tokens"))
    return sw_fail(err, SW_USAGE,
                   "%s: models of the family %s read no tokens, so there is no "
                   "mask and no position to change",
                   loaded->path, f->name);
  *reading = loaded->reading;
  return sw_reading_parse(reading, mask, positions, err);
}
