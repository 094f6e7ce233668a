/* Data sets that are there already (see produced.h). */
#include "domains/produced.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/safetensors.h"

static void show(const json_t *value, char *text, size_t room) {
  char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
  snprintf(text, room, "%.60s", dump ? dump : "?");
  free(dump);
}

/* `usual` has what `theirs` lacks; NULL: it lacks nothing. */
static void compare(const json_t *theirs, const json_t *usual, json_t *ours,
                    int (*counts)(const char *name), sw_option_change *change) {
  const char *name;
  json_t *mine;
  json_object_foreach(ours, name, mine) {
    const json_t *stored = json_object_get(theirs, name);
    if (!stored) stored = json_object_get(usual, name);
    if (!stored || !counts(name) || json_equal(stored, mine)) continue;
    snprintf(change->name, sizeof change->name, "%s", name);
    show(stored, change->theirs, sizeof change->theirs);
    show(mine, change->ours, sizeof change->ours);
    return;
  }
}

static int options_json(const sw_domain *domain,
                        const sw_domain_options *options, json_t **out) {
  char *text = sw_domain_options_json(domain, options);
  int code = text ? sw_json_read(out, text, strlen(text), 0, NULL) : SW_MEMORY;
  free(text);
  return code;
}

/* Options that are newer than the file stand at their defaults, beside the
 * other options as they are. (If others differ, that is the change.) */
static int usual_json(const sw_domain *domain, const sw_domain_options *options,
                      const json_t *theirs, json_t **out) {
  sw_domain_options usual = *options;
  int lacks = 0;
  for (int i = 0; i < domain->option_count; i++) {
    const sw_option *row = &domain->options[i];
    if (json_object_get(theirs, row->name)) continue;
    sw_options_defaults(row, 1, &usual);
    lacks = 1;
  }
  /* Defaults that contradict the other options cannot hold for a file. */
  if (!lacks || domain->resolve(&usual, NULL)) return SW_OK;
  return options_json(domain, &usual, out);
}

int sw_produced_change(const sw_domain *domain,
                       const sw_domain_options *options, const char *stored,
                       const char *path, int (*counts)(const char *name),
                       sw_option_change *change, sw_err *err) {
  json_t *theirs = NULL, *usual = NULL, *ours = NULL;
  memset(change, 0, sizeof *change);
  int code = options_json(domain, options, &ours);
  if (!code) code = sw_json_read(&theirs, stored, strlen(stored), 0, NULL);
  if (!code && json_is_object(theirs))
    code = usual_json(domain, options, theirs, &usual);
  if (code == SW_MEMORY) sw_no_memory(err);
  else if (code || !json_is_object(theirs))
    code =
        sw_fail(err, SW_DATA, "%s: domain_options is not a JSON object", path);
  else compare(theirs, usual, ours, counts, change);
  json_decref(theirs);
  json_decref(usual);
  json_decref(ours);
  return code;
}

static int not_filled_in(const char *name) {
  return strncmp(name, "exclude", 7) != 0;
}

static int check_meta(const sw_domain *domain, const sw_domain_options *options,
                      const sw_produced_want *want, const sw_st_file *file,
                      const char *path, sw_err *err) {
  const char *theirs = sw_st_meta(file, "domain");
  const char *stored = sw_st_meta(file, "domain_options");
  const char *traces = sw_st_meta(file, "count");
  const char *seed = sw_st_meta(file, "seed");
  sw_option_change change;
  if (!theirs || !stored || strcmp(theirs, domain->name))
    return sw_fail(err, SW_DATA, "%s: not a data set of `%s`", path,
                   domain->name);
  SW_TRY(sw_produced_change(domain, options, stored, path, not_filled_in,
                            &change, err));
  if (*change.name)
    sw_fail(err, SW_DATA, "%s: its traces were made with %s %s, not %s", path,
            change.name, change.theirs, change.ours);
  else if (want->count && traces && strtoll(traces, NULL, 10) != want->count)
    sw_fail(err, SW_DATA, "%s: %.20s traces, not %lld", path, traces,
            (long long)want->count);
  else if (want->seed && seed && strtoull(seed, NULL, 10) != *want->seed)
    sw_fail(err, SW_DATA, "%s: its traces were drawn from seed %.20s, not %llu",
            path, seed, (unsigned long long)*want->seed);
  else if (want->viability && !sw_st_find(file, "viability"))
    sw_fail(err, SW_DATA, "%s: its states are not judged", path);
  else return SW_OK;
  return sw_hint(err, "remove it, or choose another output directory");
}

int sw_produced_check(const sw_domain *domain, const sw_domain_options *options,
                      const sw_produced_want *want, const char *path,
                      sw_err *err) {
  sw_st_file *file;
  SW_TRY(sw_st_open(&file, path, err));
  int code = check_meta(domain, options, want, file, path, err);
  sw_st_close(file);
  return code;
}
