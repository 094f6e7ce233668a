/* Streams that were drawn from (see drawn.h). */
#include "domains/drawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "domains/stored.h"

/* A number of at most 18 digits; 0: there is none. */
static int read_number(const char **at, int64_t *value) {
  int digits = 0;
  for (*value = 0; **at >= '0' && **at <= '9' && digits < 18; digits++)
    *value = 10 * *value + (*(*at)++ - '0');
  return digits;
}

/* The next stream: 1, at the end 0, -1 where there is something else. */
static int next_stream(const char **at, int64_t *seed, int64_t *instances) {
  if (!*at || !**at) return 0;
  if (!read_number(at, seed) || *(*at)++ != ':' || !read_number(at, instances))
    return -1;
  if (!**at) return 1;
  return *(*at)++ == ',' && **at ? 1 : -1;
}

int64_t sw_drawn_total(const char *drawn) {
  int64_t seed, instances, total = 0;
  int more;
  while ((more = next_stream(&drawn, &seed, &instances)) > 0)
    if (__builtin_add_overflow(total, instances, &total)) return -1;
  return more ? -1 : total;
}

static int leave_out(const sw_domain *domain, const sw_domain_options *options,
                     uint64_t seed, int64_t instances, sw_hashset *left_out,
                     sw_err *err) {
  sw_stream *stream;
  SW_TRY(domain->stream_new(&stream, options, seed, SW_SPLIT_TRAIN, err));
  int code = SW_OK;
  for (int64_t i = 0; i < instances && !code; i++) {
    sw_instance *instance;
    code = domain->stream_next(stream, &instance, err);
    if (code) break;
    if (sw_hashset_add(left_out, domain->instance_hash(instance)) < 0)
      code = sw_no_memory(err);
    else if (sw_time_to_stop())
      code = sw_fail_stopped(err, "leaving out the training instances");
    domain->instance_free(instance);
  }
  domain->stream_free(stream);
  return code;
}

int sw_drawn_leave_out(const sw_domain *domain,
                       const sw_domain_options *options, sw_hashset *left_out,
                       sw_err *err) {
  const char *at = options->exclude_drawn;
  int64_t seed, instances;
  if (sw_drawn_total(at) < 0) {
    sw_fail(err, SW_USAGE, "%s: --exclude-drawn `%.60s` names no streams",
            domain->name, at);
    return sw_hint(err, "SEED:INSTANCES, separated by commas");
  }
  while (next_stream(&at, &seed, &instances) > 0)
    SW_TRY(
        leave_out(domain, options, (uint64_t)seed, instances, left_out, err));
  return SW_OK;
}

static int copied(const char *text, char **drawn, sw_err *err) {
  *drawn = strdup(text);
  return *drawn ? SW_OK : sw_no_memory(err);
}

int sw_drawn_of_set(const sw_domain *domain, const sw_dataset *set,
                    const char *path, char **drawn, sw_err *err) {
  const char *meta = sw_dataset_meta(set, "domain_options");
  const char *split = sw_dataset_meta(set, "split");
  const char *seed = sw_dataset_meta(set, "seed");
  const char *attempts = sw_dataset_meta(set, "attempts");
  int64_t from = 0, count = 0;
  sw_domain_options theirs;
  sw_stored stored = {0};
  *drawn = NULL;
  sw_domain_defaults(domain, &theirs);
  int code =
      sw_stored_read(&stored, domain, meta ? meta : "", path, &theirs, err);
  if (!code && theirs.exclude_drawn)
    code = copied(theirs.exclude_drawn, drawn, err);
  sw_stored_free(&stored);
  if (code || *drawn) return code;
  if (split && strcmp(split, "train")) return copied("", drawn, err);
  /* Older files kept the draws of the last stream only. */
  if (sw_dataset_meta(set, "streams") || !seed || !attempts ||
      !read_number(&seed, &from) || !read_number(&attempts, &count)) {
    sw_fail(err, SW_USAGE,
            "%s: does not say how many instances were drawn for it", path);
    return sw_hint(err, "make it again: a test must leave all of them out");
  }
  *drawn = sw_drawn_and(NULL, (uint64_t)from, count);
  return *drawn ? SW_OK : sw_no_memory(err);
}

char *sw_drawn_and(const char *drawn, uint64_t seed, int64_t instances) {
  char *text;
  int some = drawn && *drawn;
  return asprintf(&text, "%s%s%llu:%lld", some ? drawn : "", some ? "," : "",
                  (unsigned long long)seed, (long long)instances) < 0
             ? NULL
             : text;
}
