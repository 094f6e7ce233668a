/* Shared by the domains (see resolve.h). */
#include "domains/resolve.h"
#include "base/stop.h"
#include "domains/drawn.h"

#include <stdio.h>
#include <string.h>

int sw_resolve_text(const char **value, const char *domain, const char *option,
                    const char *const *known, const char *fallback,
                    sw_err *err) {
  char names[200] = "";
  if (!*value || !**value) *value = fallback;
  for (int i = 0; known[i]; i++) {
    if (!strcmp(*value, known[i])) return *value = known[i], SW_OK;
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "",
             known[i]);
  }
  int count = 0;
  while (known[count]) count++;
  sw_fail(err, SW_USAGE, "%s: unknown --%s `%s`", domain, option, *value);
  const char *near = sw_nearest(*value, known, count);
  return near ? sw_hint(err, "did you mean %s? known: %s", near, names)
              : sw_hint(err, "known: %s", names);
}

int sw_trace_too_long(const sw_domain_options *o, const sw_trace *t) {
  return (o->max_blocks > 0 && t->blocks - 1 > o->max_blocks) ||
         (o->max_tokens > 0 && t->length > o->max_tokens);
}

uint64_t sw_stream_seed(const sw_domain_options *options, uint64_t seed,
                        sw_split split) {
  if (options->preset != 0) return seed;
  return split == SW_SPLIT_TEST    ? seed + (UINT64_C(1) << 32)
         : split == SW_SPLIT_VALID ? seed + (UINT64_C(1) << 33)
                                   : seed;
}

static int leave_out(const sw_domain *domain, const sw_domain_options *options,
                     uint64_t seed, sw_hashset *left_out, sw_err *err) {
  sw_stream *train = NULL;
  sw_trace trace;
  sw_trace_init(&trace);
  /* Cut traces are kept. Only where traces are dropped must the expert write
   * them, to tell which are kept. */
  int drops = strcmp(options->too_long, "cut") != 0;
  int code = domain->stream_new(&train, options, seed, SW_SPLIT_TRAIN, err);
  int64_t dropped_in_a_row =
      0; /* instances without a trace, one after the other */
  for (int64_t kept = 0; !code && kept < options->exclude;) {
    sw_instance *instance = NULL;
    code = domain->stream_next(train, &instance, err);
    int written = code;
    if (!code && drops)
      written = domain->write_trace(instance, options, NULL, &trace, err);
    if (!written &&
        sw_hashset_add(left_out, domain->instance_hash(instance)) < 0)
      code = sw_no_memory(err);
    if (written && written != SW_LIMIT) code = written;
    kept += !written;
    dropped_in_a_row = written ? dropped_in_a_row + 1 : 0;
    if (!code && dropped_in_a_row >= SW_DROPPED_MAX) {
      code = sw_context(err,
                        "%d training traces in a row were dropped, the last"
                        " because",
                        SW_DROPPED_MAX);
      sw_hint(err,
              "longer traces (--max-tokens, --max-blocks) or none left out"
              " (--exclude 0)");
    }
    if (!code && sw_time_to_stop())
      code = sw_fail_stopped(err, "leaving out the training instances");
    if (instance) domain->instance_free(instance);
  }
  if (train) domain->stream_free(train);
  sw_trace_free(&trace);
  return code;
}

int sw_leave_out_training(const sw_domain *domain,
                          const sw_domain_options *options, uint64_t seed,
                          sw_hashset *left_out, sw_err *err) {
  if (options->exclude <= 0) return SW_OK;
  SW_TRY(sw_drawn_leave_out(domain, options, left_out, err));
  SW_TRY(leave_out(domain, options, seed, left_out, err));
  if (options->exclude_seed < 0 || (uint64_t)options->exclude_seed == seed)
    return SW_OK;
  return leave_out(domain, options, (uint64_t)options->exclude_seed, left_out,
                   err);
}
