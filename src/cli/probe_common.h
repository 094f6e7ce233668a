/* The frame of the probe commands. They all put a question to one or more
 * models and print a table or one JSON object; they differ in the question. A
 * command's session begins with an sw_probe, which holds what all of them have;
 * its own options and a result a model follow:
 *
 *   typedef struct session {
 *     sw_probe probe;
 *     MY_OPTIONS(SW_OPTION_FIELD)
 *     my_result result[SW_LIST_MAX];
 *   } session;
 *   static const sw_option table[] = {SW_PROBE_TABLE(MY_OPTIONS)};
 *
 * (the names `session` and `probe` are those the rows expect). sw_probe_main
 * does the rest of the command. */
#ifndef SW_CLI_PROBE_COMMON_H
#define SW_CLI_PROBE_COMMON_H
#include "cli/progress.h"
#include "base/stats.h"
#include "cli/command.h"
#include "domains/domain.h"
#include "probe/ask.h"
#include "search/loaded.h"

/* Rows every probe with a model has. */
/* clang-format off */
#define SW_PROBE_MODEL_OPTIONS(X)                                              \
  X(model, LIST, "model", "", 0, 0, "", "run directory or weights; may be repeated; default: the domain's shipped model") \
  X(eval_mask, TEXT, "eval-mask", "", 0, 0, "", "run under another mask than the trained one") \
  X(eval_positions, TEXT, "eval-positions", "", 0, 0, "", "standard or block-relative, instead of the trained ones") \
  X(threads, INT, "threads", "0", 0, 256, "", "threads; 0: all cores")         \
  X(resamples, LONG, "resamples", "1000", 0, 1e6, "", "bootstrap resamples, clustered by instance; 0: no intervals") \
  X(seed, LONG, "seed", "42", 0, 9e15, "", "seed of instances, rollouts and resamples") \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")
/* clang-format on */

#define SW_PROBE_OWN_ROW(...) SW_OPTION_ROW(session, __VA_ARGS__)
#define SW_PROBE_ROW(field, ...) \
  SW_OPTION_ROW(session, probe.field, __VA_ARGS__)
/* A table: own rows and those above; the first macro also begins with
 * --domain. The command takes_task: the domain's options may be given too. */
/* clang-format off */
#define SW_PROBE_TABLE(OWN)                                                    \
  SW_PROBE_ROW(domain, TEXT, "domain", "", 0, 0, "", "domain; default: the model's") \
  SW_PROBE_ROWS(OWN)
/* clang-format on */
#define SW_PROBE_ROWS(OWN) \
  OWN(SW_PROBE_OWN_ROW)    \
  SW_PROBE_MODEL_OPTIONS(SW_PROBE_ROW)

typedef struct sw_probe {
  const char *domain; /* --domain, or NULL */
  SW_PROBE_MODEL_OPTIONS(SW_OPTION_FIELD)
  sw_pairs task; /* options of the domain, as given */
  const sw_command *command;
  unsigned char *given; /* one byte an option of the command */
  sw_team *team;
  sw_progress line;
  sw_domain_options
      options; /* of the model at hand, the given ones over its own */
  char domain_name[32], format[32]; /* of the last model */
  char label[SW_LIST_MAX][96];
  int models; /* those done; the index of the one at hand */
} sw_probe;

/* What a command adds; `session` is its own struct. */
typedef struct sw_probe_kind {
  size_t bytes; /* of the session */
  /* Asks a model; its result goes to index probe.models. */
  int (*ask)(void *session, const sw_loaded *loaded, sw_err *err);
  /* Instead of asking each model in turn, or NULL. */
  int (*perform)(void *session, const sw_list *rest, sw_err *err);
  void (*text)(const void *session);
  /* Members of the JSON object: before the models (or NULL), of model m (the
   * first model's stand at the top too), after the models (or NULL). */
  void (*head)(const void *session, sw_json *json);
  void (*members)(const void *session, int m, sw_json *json);
  void (*tail)(const void *session, sw_json *json);
  void (*clear)(void *session); /* or NULL */
} sw_probe_kind;

/* The whole command: parses, opens each model (the domain's shipped one when
 * none is named; --domain must be theirs), asks and prints. */
int sw_probe_main(const sw_command *self, int argc, char **argv,
                  const sw_probe_kind *kind);

/* Domain options: `base` (NULL: the defaults) under the command line's,
 * resolved. */
int sw_probe_options(const sw_probe *probe, const sw_domain *domain,
                     const sw_domain_options *base, sw_domain_options *options,
                     sw_err *err);
/* An asker for a model; mask/positions NULL: as trained. */
int sw_probe_asker(const sw_loaded *loaded, const char *mask,
                   const char *positions, int cached, sw_team *team,
                   sw_asker **asker, sw_err *err);
/* ... under the command's mask and positions; the mask it then runs under. */
int sw_probe_open(const sw_probe *probe, const sw_loaded *loaded, int cached,
                  sw_asker **asker, sw_err *err);
sw_mask_kind sw_probe_mask(const sw_probe *probe, const sw_loaded *loaded);
/* The progress line: sw_probe_step is the callback, the session its context. */
void sw_probe_begin(sw_probe *probe, const char *what, int64_t total);
void sw_probe_step(void *session, const char *label, int64_t done,
                   int64_t total);
/* A model is done: keeps its label and goes on to the next index. */
void sw_probe_done(sw_probe *probe, const sw_loaded *loaded);

void sw_probe_interval_json(sw_json *json, const char *key, sw_interval i);
/* "0.123", or "-" for NaN. */
const char *sw_probe_number(double value, int digits, char buffer[32]);

#endif
