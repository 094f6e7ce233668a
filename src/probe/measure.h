/* A measure: one question put to trained models, with its own options and one
 * JSON object as the answer. `statewise probe NAME` asks it, prints it and can
 * leave it as NAME.json in a directory; an experiment takes a figure of it as a
 * column. A measure's session begins with an sw_probe, which holds what all of
 * them have; its own options and a result for each model follow:
 *
 *   typedef struct session {
 *     sw_probe probe;
 *     MY_OPTIONS(SW_OPTION_FIELD)
 *     my_result result[SW_LIST_MAX];
 *   } session;
 *   static const sw_option table[] = {SW_MEASURE_TABLE(MY_OPTIONS)};
 *
 * What it finds is one table of figures (base/figure.h): JSON, columns of a
 * report, what experiments select and docs/figures.md come from it. A new
 * measure is one such file and one row of SW_MEASURES. */
#ifndef SW_PROBE_MEASURE_H
#define SW_PROBE_MEASURE_H
#include "base/figure.h"
#include "base/hooks.h"
#include "base/json.h"
#include "base/options.h"
#include "base/stats.h"
#include "domains/domain.h"
#include "search/ask.h"
#include "search/loaded.h"

/* name of the variable */
#define SW_MEASURES(X) \
  X(transplant)        \
  X(bank)              \
  X(attention)         \
  X(padding)           \
  X(length)            \
  X(representation)    \
  X(visited)           \
  X(verify)            \
  X(case)              \
  X(forced)            \
  X(trees)

/* Rows every measure has; `output` and below are for the command line. */
/* clang-format off */
#define SW_PROBE_MODEL_OPTIONS(X)                                              \
  X(model, LIST, "model", "", 0, 0, "", "run directory or weights; may be repeated; default: the domain's shipped model") \
  X(eval_mask, TEXT, "eval-mask", "", 0, 0, "", "run under another mask than the trained one") \
  X(eval_positions, TEXT, "eval-positions", "", 0, 0, "", "run with other positions than the trained ones") \
  X(resamples, LONG, "resamples", "1000", 0, 1e6, "", "bootstrap resamples, clustered by instance; 0: no intervals") \
  SW_SEED_ROW(X, "42", "seed of instances, rollouts and resamples") \
  X(into, TEXT, "into", "", 0, 0, "", "also leave the JSON in this directory, where `report` finds it") \
  SW_THREADS_ROW(X, "threads; 0: all cores")         \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")

/* A table: --domain, own rows and those above; the options of the domain may be
 * given too. The struct must be called `session`. */
#define SW_MEASURE_TABLE(OWN)                                                  \
  SW_MEASURE_ROW(domain, TEXT, "domain", "", 0, 0, "", "domain; default: the model's") \
  OWN(SW_MEASURE_OWN_ROW)                                                      \
  SW_PROBE_MODEL_OPTIONS(SW_MEASURE_ROW)
/* clang-format on */
#define SW_MEASURE_OWN_ROW(...) SW_OPTION_ROW(session, __VA_ARGS__)
#define SW_MEASURE_ROW(field, ...) \
  SW_OPTION_ROW(session, probe.field, __VA_ARGS__)

/* Callbacks for progress while a measure runs; each may be NULL. */
typedef struct sw_measure_hooks {
  void *context;
  void (*begin)(void *context, const char *what, int64_t total);
  sw_progress_fn step;
  void (*end)(void *context);
} sw_measure_hooks;

struct sw_measure;
typedef struct sw_probe {
  const char *domain; /* --domain, or NULL */
  SW_PROBE_MODEL_OPTIONS(SW_OPTION_FIELD)
  sw_pairs task; /* options of the domain, as given */
  /* Identify the answer, so that it can be found again (search/question.h); may
   * be NULL. */
  const char *question, *weights;
  const struct sw_measure *measure;
  unsigned char *given; /* one byte an option of the measure */
  sw_team *team;        /* the caller's */
  sw_measure_hooks hooks;
  sw_domain_options
      options; /* of the model at hand, the given ones over its own */
  char domain_name[64], format[32]; /* of the last model */
  char label[SW_LIST_MAX][96];
  int models; /* those done; the index of the one at hand */
} sw_probe;

typedef struct sw_measure {
  const char *name; /* NAME of `probe NAME` and of NAME.json */
  size_t bytes;     /* of the session */
  const sw_option *options;
  int option_count;
  /* Asks one model; its result goes to index probe.models. */
  int (*ask)(void *session, const sw_loaded *loaded, sw_err *err);
  /* Replaces `ask`: asks all models at once and calls sw_probe_done for
   * each. */
  int (*together)(void *session, const sw_loaded *loaded, int count,
                  sw_err *err);
  int (*finish)(void *session, sw_err *err); /* after the models, or NULL */
  /* Figures of one model. They read a struct in the session: entry m of the
   * array at offset `result`. The table of a report gets the caption. */
  const sw_figure *figures;
  size_t result, result_bytes;
  const char *caption, *note;
  const sw_figure *of_all; /* figures of the session, or NULL */
  /* Members of the JSON object: before the models (or NULL: `of_all`), of model
   * m (the first model's stand at the top too; NULL: `figures`), after the
   * models (or NULL). */
  void (*head)(const void *session, sw_json *json);
  void (*members)(const void *session, int m, sw_json *json);
  void (*tail)(const void *session, sw_json *json);
  void (*clear)(void *session); /* or NULL */
} sw_measure;

#define SW_MEASURE_RESULT(session, array) \
  .result = offsetof(session, array),     \
  .result_bytes = sizeof((session *)0)->array[0]

#define X(name) extern const sw_measure sw_measure_##name;
SW_MEASURES(X)
#undef X
extern const sw_measure *const sw_measures[];        /* NULL-terminated */
const sw_measure *sw_measure_find(const char *name); /* NULL: unknown */

/* A session with the defaults. */
int sw_measure_new(sw_probe **session, const sw_measure *measure, sw_team *team,
                   const sw_measure_hooks *hooks, sw_err *err);
void sw_measure_free(sw_probe *session);
/* One option, as on the command line: the measure's or its domain's. */
int sw_measure_set(sw_probe *session, const char *name, const char *value,
                   sw_err *err);
/* Asks these models (run directories or weight files), then finishes. */
int sw_measure_take(sw_probe *session, const char *const *model, int count,
                    sw_err *err);
/* The answer as one JSON object, and as the file DIRECTORY/NAME.json. */
void sw_measure_json(const sw_probe *session, sw_json *json);
int sw_measure_write(const sw_probe *session, const char *directory,
                     sw_err *err);
int sw_measure_write_as(const sw_probe *session, const char *directory,
                        const char *name, sw_err *err);

/* ---- for measures ---- */

/* Domain options: `base` (NULL: the defaults) under the given ones, resolved.
 */
int sw_probe_options(const sw_probe *probe, const sw_domain *domain,
                     const sw_domain_options *base, sw_domain_options *options,
                     sw_err *err);
/* An asker for a model; mask/positions NULL: as trained. */
int sw_probe_asker(const sw_loaded *loaded, const char *mask,
                   const char *positions, int cached, sw_team *team,
                   sw_asker **asker, sw_err *err);
/* ... under the session's mask and positions; the mask it then runs under. */
int sw_probe_open(const sw_probe *probe, const sw_loaded *loaded, int cached,
                  sw_asker **asker, sw_err *err);
sw_mask_kind sw_probe_mask(const sw_probe *probe, const sw_loaded *loaded);
/* Progress: sw_probe_step is a callback whose context is the session. */
void sw_probe_begin(sw_probe *probe, const char *what, int64_t total);
void sw_probe_step(void *session, const char *label, int64_t done,
                   int64_t total);
void sw_probe_end(sw_probe *probe);
/* A model is done: keeps its label and goes on to the next index. */
void sw_probe_done(sw_probe *probe, const sw_loaded *loaded);
void sw_probe_interval_json(sw_json *json, const char *key, sw_interval i);

#endif
