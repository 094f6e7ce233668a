/* The search for a recipe (see tune.h). */
#include "train/tune.h"

#include <stdio.h>

#include "base/file.h"
#include "base/text.h"

/* Around the given rate, and with the prefix hidden for the given share of the
 * steps or (where none is given) 30 % of them. */
static const double RATES[SW_TUNE_RATES] = {0.5, 1, 2};
static const double USUAL_REVEAL = 0.3;

static int train_one(const sw_train_options *given, sw_tune_run *run,
                     sw_tune_train train, void *context, sw_err *err) {
  char output[1200], rate[32], reveal[32];
  sw_train_options o = *given;
  sw_real_text(rate, sizeof rate, 6, run->lr);
  sw_real_text(reveal, sizeof reveal, 6, run->prefix_reveal);
  int length = snprintf(output, sizeof output, "%s/tune/lr-%s-reveal-%s",
                        given->output, rate, reveal);
  if (length >= (int)sizeof output)
    return sw_fail(err, SW_USAGE, "%.200s...: the path is too long",
                   given->output);
  o.output = output;
  o.lr = run->lr;
  o.prefix_reveal = run->prefix_reveal;
  o.steps = (given->steps + 3) / 4;
  o.cap_tokens = (given->cap_tokens + 3) / 4;
  o.keep_every = 0;
  SW_TRY(sw_make_dirs(output, err));
  int code = train(context, &o, &run->result, err);
  /* A rate that is too high is a result: it counts as worse than all others. */
  return code == SW_DIVERGED ? SW_OK : code;
}

static int refuse(const char *why, const char *hint, sw_err *err) {
  sw_fail(err, SW_USAGE, "--tune: %s", why);
  return sw_hint(err, "%s", hint);
}

/* Can the validation loss of this plan choose a recipe? */
static int check_plan(const sw_train_plan *plan, sw_err *err) {
  const sw_train_options *o = &plan->options;
  if (!plan->valid_items)
    return refuse("there are no validation traces",
                  "give --valid-share above 0", err);
  if (sw_mask_leaks(plan->reading.mask) || (o->memory && o->memory_shared))
    return refuse(
        "the validation loss of a mask or memory that leaks says"
        " nothing",
        "give it the recipe of `causal`", err);
  if (plan->keep_last)
    return refuse("it trains on less history than validation shows",
                  "add --until flat, which validates on what it trains on",
                  err);
  return SW_OK;
}

/* What cannot be trained or compared is reported before anything is trained.
 * The curricula are planned apart; rates make no difference to a plan. */
static int check_grid(const sw_train_options *options,
                      const double reveal[SW_TUNE_CURRICULA], sw_err *err) {
  sw_dataset set;
  if (!options->data)
    return sw_fail(err, SW_USAGE, "--tune needs a data set (--data)");
  SW_TRY(sw_dataset_open(&set, options->data, err));
  int code = SW_OK;
  for (int i = 0; i < SW_TUNE_CURRICULA && !code; i++) {
    sw_train_options o = *options;
    sw_train_plan plan;
    o.prefix_reveal = reveal[i];
    code = sw_train_plan_make(&plan, &o, &set, err);
    if (!code) code = check_plan(&plan, err);
  }
  sw_dataset_close(&set);
  return code;
}

static int write_grid(const sw_train_options *o, const sw_tune_run *runs,
                      int best, sw_err *err) {
  sw_json json;
  char path[1200];
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "mask", o->mask ? o->mask : "ssa");
  sw_json_int(&json, "chosen", best);
  sw_json_array(&json, "runs");
  for (int i = 0; i < SW_TUNE_RUNS; i++) {
    const sw_train_result *r = &runs[i].result;
    sw_json_object(&json, NULL);
    sw_json_real(&json, "lr", runs[i].lr);
    sw_json_real(&json, "prefix_reveal", runs[i].prefix_reveal);
    sw_json_real(&json, "valid_loss", r->valid_loss);
    sw_json_int(&json, "steps", r->steps);
    sw_json_int(&json, "tokens", r->tokens);
    sw_json_string(&json, "ended", sw_ending_name(r->ending));
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
  snprintf(path, sizeof path, "%s/tune.json", o->output);
  int code = json.failed ? sw_no_memory(err)
                         : sw_write_file(path, json.text, json.length, err);
  sw_json_free(&json);
  return code;
}

int sw_tune(sw_train_options *options, sw_tune_train train, void *context,
            sw_tune_run runs[SW_TUNE_RUNS], sw_err *err) {
  if (!options->output || (!options->steps && !options->cap_tokens)) {
    sw_fail(err, SW_USAGE, "--tune needs -o and --steps or --cap-tokens");
    return sw_hint(err, "each of its %d runs takes a quarter of them",
                   SW_TUNE_RUNS);
  }
  double given = options->prefix_reveal;
  const double reveal[SW_TUNE_CURRICULA] = {0,
                                            given > 0 ? given : USUAL_REVEAL};
  int best = 0;
  SW_TRY(check_grid(options, reveal, err));
  for (int i = 0; i < SW_TUNE_RUNS; i++) {
    runs[i].lr = options->lr * RATES[i / SW_TUNE_CURRICULA];
    runs[i].prefix_reveal = reveal[i % SW_TUNE_CURRICULA];
    SW_TRY(train_one(options, &runs[i], train, context, err));
    if (runs[i].result.valid_loss < runs[best].result.valid_loss) best = i;
  }
  int none = runs[best].result.ending == SW_ENDED_DIVERGED;
  SW_TRY(write_grid(options, runs, none ? -1 : best, err));
  if (none) {
    sw_fail(err, SW_DIVERGED, "--tune: all %d runs diverged", SW_TUNE_RUNS);
    return sw_hint(err, "lower --lr");
  }
  options->lr = runs[best].lr;
  options->prefix_reveal = runs[best].prefix_reveal;
  return SW_OK;
}
