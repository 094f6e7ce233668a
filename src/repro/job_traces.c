/* The linear test on traces (probe/irrelevance.h) as columns of a row without
 * a model: what a classifier that learns nothing but weights of features says
 * of the same question that models are asked (see job.h). A column's settings
 * are the preset of the traces, how many, and whether the block number is one
 * of the state's features as published; its figure is one of those below. Five
 * sets of traces are drawn and split, each with a seed of the list; a value is
 * their mean, its interval Student's over the five. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/stats.h"
#include "base/text.h"
#include "repro/figure.h"
#include "repro/job.h"

enum { FEWEST = 40 };

/* X(figure, member of the result, heading, help) */
#define FIGURES(X)                                                           \
  X("state", state.accuracy, "state", "blocks told right by the state")      \
  X("state_balanced", state.balanced_accuracy, "state, balanced",            \
    "mean over the two classes")                                             \
  X("both", both.accuracy, "state and history", "blocks told right by both") \
  X("both_balanced", both.balanced_accuracy, "state and history, balanced",  \
    "mean over the two classes")                                             \
  X("majority", state.majority, "majority",                                  \
    "accuracy of always saying the more frequent class")

const sw_figure sw_traces_figures[] = {
#define X(figure, member, heading_, help_) \
  {.name = figure, .kind = SW_FIGURE_SHARE, .heading = heading_, .help = help_},
    FIGURES(X)
#undef X
        {0}};

static double figure_of(const char *figure, const sw_irrelevance_result *r) {
#define X(name, member, heading, help) \
  if (!strcmp(figure, name)) return r->member;
  FIGURES(X)
#undef X
  return NAN;
}

typedef struct traces {
  sw_preset preset;
  int64_t block_number;
} traces;

/* "preset=NAME traces=500 block-number=1" */
static int read_traces(const sw_job *j, const char *text, traces *t,
                       sw_err *err) {
  sw_settings s;
  int code = SW_OK;
  int64_t count = 500;
  const sw_preset *preset = NULL;
  SW_TRY(sw_settings_read(&s, text, NULL, err));
  *t = (traces){0};
  for (int i = 0; i < s.count && !code; i++) {
    const char *name = s.pair[2 * i], *value = s.pair[2 * i + 1];
    int good = 1;
    if (!strcmp(name, "preset")) good = (preset = sw_preset_find(value)) != 0;
    else if (!strcmp(name, "traces"))
      good = sw_text_integer(value, 1, INT32_MAX, &count);
    else if (!strcmp(name, "block-number"))
      good = sw_text_integer(value, 0, 1, &t->block_number);
    else good = 0;
    if (!good)
      code = sw_fail(err, SW_INTERNAL, "no setting %s=%s of the linear test",
                     name, value);
  }
  sw_settings_free(&s);
  if (code) return code;
  if (!preset)
    return sw_fail(err, SW_INTERNAL, "the linear test needs a preset");
  if (j->options->traces && j->options->traces < count)
    count = j->options->traces < FEWEST ? FEWEST : j->options->traces;
  t->preset = *preset;
  t->preset.traces = count;
  return SW_OK;
}

static int test_set(sw_job *j, const traces *t, int64_t seed,
                    sw_irrelevance_result *out, sw_err *err) {
  char path[1300];
  sw_dataset set;
  sw_domain_options task;
  sw_irrelevance_options o = {.traces = t->preset.traces,
                              .max_blocks = 0,
                              .block_number = t->block_number != 0,
                              .seed = (uint64_t)seed};
  sw_produce_hooks produce = {.context = j->hooks->context,
                              .progress = j->hooks->progress,
                              .stop = j->hooks->stop};
  SW_TRY(sw_preset_task(&t->preset, &o.domain, &task, err));
  snprintf(path, sizeof path, "%s/data/%s-%" PRId64 "-%" PRId64 ".safetensors",
           j->options->out, t->preset.name, t->preset.traces, seed);
  j->hooks->begin(j->hooks->context, "traces");
  int code =
      sw_preset_data(&t->preset, path, (uint64_t)seed, NULL, &produce, err);
  j->hooks->end(j->hooks->context);
  if (code) return code;
  SW_TRY(sw_dataset_open(&set, path, err));
  code = sw_irrelevance(&set, &o, out, err);
  sw_dataset_close(&set);
  return code;
}

/* All columns of a row read the same sets of traces, which are made once. */
static int test_sets(sw_job *j, const char *settings, sw_err *err) {
  traces t;
  if (j->linear_of && !strcmp(j->linear_of, settings)) return SW_OK;
  SW_TRY(read_traces(j, settings, &t, err));
  j->linear_of = NULL;
  for (int i = 0; i < SW_LINEAR_SETS; i++)
    SW_TRY(test_set(j, &t, sw_repro_seed(i), &j->linear[i], err));
  j->linear_of = settings;
  return SW_OK;
}

int sw_job_traces(sw_job *j, const sw_repro_column *c,
                  const sw_model_at_hand *m, sw_repro_value *v, sw_err *err) {
  double x[SW_LINEAR_SETS];
  if (m->hash[0]) return SW_OK; /* a model is not asked this */
  SW_TRY(test_sets(j, c->settings, err));
  for (int i = 0; i < SW_LINEAR_SETS; i++)
    x[i] = figure_of(c->figure, &j->linear[i]);
  double half = sw_t_of_95(SW_LINEAR_SETS - 1) * sw_sd(x, SW_LINEAR_SETS) /
                sqrt(SW_LINEAR_SETS);
  v->value = sw_mean(x, SW_LINEAR_SETS);
  v->low = fmax(0, v->value - half);
  v->high = fmin(1, v->value + half);
  return SW_OK;
}
