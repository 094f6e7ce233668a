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

static void compare(const json_t *theirs, json_t *ours,
                    int (*counts)(const char *name), sw_option_change *change) {
  const char *name;
  json_t *mine;
  json_object_foreach(ours, name, mine) {
    const json_t *stored = json_object_get(theirs, name);
    if (!stored || !counts(name) || json_equal(stored, mine)) continue;
    snprintf(change->name, sizeof change->name, "%s", name);
    show(stored, change->theirs, sizeof change->theirs);
    show(mine, change->ours, sizeof change->ours);
    return;
  }
}

int sw_produced_change(const sw_domain *domain,
                       const sw_domain_options *options, const char *stored,
                       const char *path, int (*counts)(const char *name),
                       sw_option_change *change, sw_err *err) {
  json_t *theirs = NULL, *ours = NULL;
  memset(change, 0, sizeof *change);
  char *text = sw_domain_options_json(domain, options);
  int code =
      text ? sw_json_read(&ours, text, strlen(text), 0, NULL) : SW_MEMORY;
  if (!code) code = sw_json_read(&theirs, stored, strlen(stored), 0, NULL);
  if (code == SW_MEMORY) sw_fail(err, SW_MEMORY, "out of memory");
  else if (code || !json_is_object(theirs))
    code =
        sw_fail(err, SW_DATA, "%s: domain_options is not a JSON object", path);
  else compare(theirs, ours, counts, change);
  free(text);
  json_decref(theirs);
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
