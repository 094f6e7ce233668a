/* `statewise train`: options or a preset, a readable line a step, a plain log
 * beside it, and a hint when the loss shows that nothing is being learned. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "command/io.h"
#include "command/commands.h"
#include "command/describe.h"
#include "base/stop.h"
#include "command/train_view.h"
#include "train/preset.h"
#include "train/trainer.h"
#include "train/tune.h"

/* clang-format off */
#define OPTIONS(X)                                                             \
  SW_TRAIN_OPTIONS(X)                                                          \
  X(preset, TEXT, "preset", "", 0, 0, "", "a row of `statewise train --list`: data and options in one word") \
  X(list, FLAG, "list", "0", 0, 0, "", "list the presets and stop")            \
  X(tune, FLAG, "tune", "0", 0, 0, "", "first choose rate and curriculum by validation loss: three rates times two curricula, a quarter of the run each") \
  X(list_architectures, FLAG, "list-architectures", "0", 0, 0, "", "list the families of models with their options and stop") \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print the result as one JSON object")
/* clang-format on */

/* The training options come first, so that a pointer to this struct is one to
 * them. */
typedef struct train_values {
  OPTIONS(SW_OPTION_FIELD)
} train_values;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(train_values, __VA_ARGS__)
    OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table };

static void list_presets(sw_command_io *io, int as_json) {
  sw_json json;
  for (int i = 0; !as_json && i < sw_preset_count; i++)
    fprintf(io->out, "  %-18s %s\n", sw_presets[i].name, sw_presets[i].summary);
  if (!as_json) return;
  sw_json_to_file(&json, io->out);
  sw_json_object(&json, NULL);
  sw_json_array(&json, "presets");
  for (int i = 0; i < sw_preset_count; i++) {
    sw_json_object(&json, NULL);
    sw_json_string(&json, "name", sw_presets[i].name);
    sw_json_string(&json, "summary", sw_presets[i].summary);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

static void families_json(FILE *out) {
  sw_json json;
  sw_json_to_file(&json, out);
  sw_json_object(&json, NULL);
  sw_json_array(&json, "architectures");
  for (int i = 0; i < sw_family_count(); i++) {
    const sw_family *f = sw_family_at(i);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "name", f->name);
    sw_json_string(&json, "reads", f->reads);
    sw_json_string(&json, "text", f->text);
    sw_describe_options("options", f->options, f->option_count, &json);
    sw_describe_options("starts", f->starts, f->start_count, &json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

static void list_families(sw_command_io *io, int as_json) {
  if (as_json) families_json(io->out);
  for (int i = 0; !as_json && i < sw_family_count(); i++) {
    const sw_family *f = sw_family_at(i);
    fprintf(io->out, "%s (reads %s): %s\n", f->name, f->reads, f->text);
    sw_options_help(f->options, f->option_count, io->out);
    sw_options_help(f->starts, f->start_count, io->out);
  }
}

/* Options of reading tokens are refused for a model that reads none. */
static int refuse_unread(const train_values *v, const unsigned char *given,
                         sw_err *err) {
  static const char *const reading[] = {"mask", "position-kind", "window"};
  const sw_family *f;
  if (!v->architecture || !*v->architecture) return SW_OK;
  SW_TRY(sw_family_named(&f, v->architecture, err));
  if (!strcmp(f->reads, "tokens")) return SW_OK;
  for (int i = 0; i < COUNT; i++)
    for (size_t k = 0; k < sizeof reading / sizeof *reading; k++)
      if (given[i] && !strcmp(table[i].name, reading[k]))
        return sw_fail(err, SW_USAGE,
                       "--%s: models of the family %s read %s, not tokens",
                       reading[k], f->name,
                       strcmp(f->reads, "graph") ? f->reads : "graphs");
  return SW_OK;
}

static void print_json(sw_command_io *io, const sw_train_result *r,
                       const char *output) {
  sw_json json;
  sw_json_to_file(&json, io->out);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "output", output);
  sw_json_int(&json, "steps", r->steps);
  sw_json_int(&json, "tokens", r->tokens);
  sw_json_int(&json, "parameters", r->parameters);
  sw_json_string(&json, "ended", sw_ending_name(r->ending));
  sw_json_real(&json, "train_loss", r->train_loss);
  sw_json_real(&json, "valid_loss", r->valid_loss);
  sw_json_real(&json, "seconds", r->seconds);
  sw_json_end(&json);
}

typedef struct watcher {
  const sw_command_io *io;
  sw_progress_mode mode;
} watcher;

static int tune_one(void *context, const sw_train_options *options,
                    sw_train_result *result, sw_err *err) {
  const watcher *w = context;
  return sw_train_shown(w->io, options, w->mode, result, err);
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  train_values v;
  unsigned char given[COUNT] = {0};
  SW_TRY(sw_command_parse(self, argc, argv, &v, given, NULL, err));
  if (v.list) return list_presets(io, v.json), SW_OK;
  if (v.list_architectures) return list_families(io, v.json), SW_OK;
  sw_train_options options;
  sw_options_defaults(sw_train_table, sw_train_table_count, &options);
  memcpy(&options, &v, sizeof options);
  SW_TRY(refuse_unread(&v, given, err));
  char data[1100];
  if (v.preset) {
    sw_progress progress;
    sw_produce_hooks produce = {.context = &progress,
                                .progress = sw_progress_show,
                                .stop = sw_stop_asked};
    sw_progress_begin(&progress, io, (sw_progress_mode)v.progress, "traces", 0);
    SW_TRY(sw_preset_apply(v.preset, given, &options, data, sizeof data, err));
    SW_TRY(sw_preset_data(sw_preset_find(v.preset), options.data,
                          (uint64_t)options.seed, NULL, &produce, err));
    sw_progress_end(&progress);
  }
  sw_train_result result;
  if (v.tune) {
    sw_tune_run grid[SW_TUNE_RUNS];
    watcher watch = {io, (sw_progress_mode)v.progress};
    SW_TRY(sw_tune(&options, tune_one, &watch, grid, err));
  }
  SW_TRY(
      sw_train_shown(io, &options, (sw_progress_mode)v.progress, &result, err));
  if (v.json) print_json(io, &result, options.output);
  return 0;
}

const sw_command sw_command_train = {
    .name = "train",
    .usage =
        "--data FILE --mask NAME -o DIR | --preset NAME --mask NAME -o DIR",
    .summary = "Train a model on a data set of traces",
    .details =
        "Writes DIR/model.safetensors (best validation loss; the last weights "
        "where a mask that reads\nhistory trained on less of it), "
        "metrics.jsonl, train.log and run.json.\nThe same command goes on "
        "where an "
        "interrupted run stopped, to the same bits.\nExit code 75: stopped by "
        "a signal or --time-limit with a checkpoint; run it again.",
    .options = table,
    .option_count = COUNT,
    .run = run,
    .over_ranks = 1,
    .stoppable = 1};
