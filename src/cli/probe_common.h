/* What the probe commands share: domain options from the command line over a
 * model's, models with their askers, and small printing helpers. */
#ifndef SW_CLI_PROBE_COMMON_H
#define SW_CLI_PROBE_COMMON_H
#include "base/progress.h"
#include "base/stats.h"
#include "cli/command.h"
#include "domains/domain.h"
#include "probe/ask.h"
#include "search/loaded.h"

/* Rows every probe with a model has. */
#define SW_PROBE_MODEL_OPTIONS(X)                                              \
  X(model, LIST, "model", "", 0, 0, "", "run directory or weights; may be repeated; default: the domain's shipped model") \
  X(eval_mask, TEXT, "eval-mask", "", 0, 0, "", "run under another mask than the trained one") \
  X(eval_positions, TEXT, "eval-positions", "", 0, 0, "", "standard or block-relative, instead of the trained ones") \
  X(threads, INT, "threads", "0", 0, 256, "", "threads; 0: all cores")         \
  X(resamples, LONG, "resamples", "1000", 0, 1e6, "", "bootstrap resamples, clustered by instance; 0: no intervals") \
  X(seed, LONG, "seed", "42", 0, 9e15, "", "seed of instances, rollouts and resamples") \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")

/* Copies the given domain options (rows of `table` whose values lie in the
 * sw_domain_options at `offset` of the parsed values) over *options. */
void sw_probe_override(const sw_option *table, int count,
                       const unsigned char *given, const void *values,
                       size_t offset, sw_domain_options *options);
/* The domain by name, or a helpful error. */
int sw_probe_domain(const char *name, const sw_domain **domain, sw_err *err);
/* Opens a model and an asker for it; mask/positions NULL: as trained. */
int sw_probe_asker(const sw_loaded *loaded, const char *mask,
                   const char *positions, int cached, sw_team *team,
                   sw_asker **asker, sw_err *err);
/* Opens each model in turn (the domain's shipped one when the list is empty) and
 * calls `fn`; `domain` (may be NULL) must be theirs. */
typedef int (*sw_probe_fn)(void *context, const sw_loaded *loaded, sw_err *err);
int sw_probe_models(const sw_list *models, const char *domain, sw_probe_fn fn,
                    void *context, sw_err *err);
void sw_probe_interval_json(sw_json *json, const char *key, sw_interval i);
/* "0.123", or "-" for NaN. */
const char *sw_probe_number(double value, int digits, char buffer[32]);

#endif
