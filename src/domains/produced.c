/* Data sets that are there already (see produced.h). */
#include "domains/produced.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/safetensors.h"

static int filled_in(const char *name) { return !strncmp(name, "exclude", 7); }

static void show(const json_t *value, char *text, size_t room) {
  char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
  snprintf(text, room, "%.60s", dump ? dump : "?");
  free(dump);
}

static int compare(const json_t *theirs, const json_t *ours, const char *path,
                   sw_err *err) {
  const char *name;
  json_t *mine;
  json_object_foreach((json_t *)ours, name, mine) {
    const json_t *stored = json_object_get(theirs, name);
    char a[64], b[64];
    if (!stored || filled_in(name) || json_equal(stored, mine)) continue;
    show(stored, a, sizeof a);
    show(mine, b, sizeof b);
    sw_fail(err, SW_DATA, "%s: its traces were made with %s %s, not %s", path,
            name, a, b);
    return sw_hint(err, "remove it, or choose another output directory");
  }
  return SW_OK;
}

static int check_meta(const sw_domain *domain, const sw_domain_options *options,
                      int64_t count, const sw_st_file *file, const char *path,
                      sw_err *err) {
  const char *theirs = sw_st_meta(file, "domain");
  const char *stored = sw_st_meta(file, "domain_options");
  const char *traces = sw_st_meta(file, "count");
  json_t *a = NULL, *b = NULL;
  if (!theirs || !stored || strcmp(theirs, domain->name))
    return sw_fail(err, SW_DATA, "%s: not a data set of `%s`", path,
                   domain->name);
  if (count && traces && strtoll(traces, NULL, 10) != count) {
    sw_fail(err, SW_DATA, "%s: %.20s traces, not %lld", path, traces,
            (long long)count);
    return sw_hint(err, "remove it, or choose another output directory");
  }
  char *text = sw_domain_options_json(domain, options);
  int code = text ? sw_json_read(&b, text, strlen(text), 0, NULL) : SW_MEMORY;
  if (!code) code = sw_json_read(&a, stored, strlen(stored), 0, NULL);
  if (code == SW_MEMORY) sw_fail(err, SW_MEMORY, "out of memory");
  else if (code || !json_is_object(a))
    code =
        sw_fail(err, SW_DATA, "%s: domain_options is not a JSON object", path);
  else code = compare(a, b, path, err);
  free(text);
  json_decref(a);
  json_decref(b);
  return code;
}

int sw_produced_check(const sw_domain *domain, const sw_domain_options *options,
                      int64_t count, const char *path, sw_err *err) {
  sw_st_file *file;
  SW_TRY(sw_st_open(&file, path, err));
  int code = check_meta(domain, options, count, file, path, err);
  sw_st_close(file);
  return code;
}
