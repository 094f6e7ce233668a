/* Producing a data set of any domain: instances from a stream, the expert's
 * trace of each, appended in stream order. In `fair` each trace has its own
 * random stream keyed by its index, so traces are written in parallel and the
 * file does not depend on the number of threads; in `release` one stream runs
 * through all attempts, dropped ones included, so they are written in order.
 * The content is a function of (domain, options, count, seed, split). */
#ifndef SW_DOMAINS_PRODUCE_H
#define SW_DOMAINS_PRODUCE_H
#include "base/hooks.h"
#include "domains/domain.h"

/* Writes a trace of instance `index` of the stream, by the rules of a search in
 * the training layout (sw_rules: all 0). */
typedef int (*sw_produce_write)(void *context, const sw_instance *instance,
                                int64_t index, sw_trace *out, sw_err *err);

typedef struct sw_produce_options {
  int64_t count;    /* traces to keep */
  int64_t attempts; /* stop after that many instances; 0: until count */
  uint64_t seed;
  sw_split split;
  int threads;            /* 0: all cores */
  int viability;          /* 1: every state is judged (sw_judge_trace) */
  sw_produce_write write; /* instead of the domain's expert; NULL: the expert */
  void *context;          /* of write */
  const char *played;     /* who writes, for the file's metadata; or NULL */
  const char *before;     /* a data set whose traces come first; or NULL */
} sw_produce_options;

typedef struct sw_produce_stats {
  int64_t attempts, kept, dropped, cut, solved;
  int64_t tokens, supervised, blocks, decisions, conflicts;
  int64_t viable, dead; /* judged states */
  int64_t earlier;      /* traces of the set before, in none of the others */
  double seconds;
  char hash[17];
} sw_produce_stats;

typedef struct sw_produce_hooks {
  void *context;
  sw_progress_fn progress;
  sw_stop_fn stop;
} sw_produce_hooks;

/* `options` are resolved. `path` NULL: produce and count, write nothing. */
int sw_produce(const sw_domain *domain, const sw_domain_options *options,
               const sw_produce_options *produce, const char *path,
               const sw_produce_hooks *hooks, sw_produce_stats *stats,
               sw_err *err);

#endif
