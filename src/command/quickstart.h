/* What the ways of `statewise quickstart` share: its options and the table
 * that it ends with. */
#ifndef SW_COMMAND_QUICKSTART_H
#define SW_COMMAND_QUICKSTART_H
#include "base/options.h"
#include "command/io.h"
#include "report/summary.h"
#include "train/trainer.h"

/* clang-format off */
#define SW_QUICK_OPTIONS(X)                                                    \
  X(out, TEXT, "out", "out/quickstart", 0, 0, "", "output directory")          \
  X(domain, TEXT, "domain", "", 0, 0, "", "your own search: exec:COMMAND, or any domain with an expert; default: 3-SAT by its preset") \
  X(data, TEXT, "data", "", 0, 0, "", "your own recorded searches: a data set of statewise import") \
  X(traces, LONG, "traces", "2000", 10, 1e9, "", "with --domain: traces to train on") \
  X(width, INT, "d", "64", 8, 4096, "", "with --domain, --data: model width")          \
  X(layers, INT, "layers", "2", 1, 64, "", "with --domain, --data: layers")            \
  X(instances, LONG, "instances", "200", 1, 100000, "", "test instances")      \
  X(pairs, LONG, "states", "500", 1, 1000000, "", "states of the transplant")  \
  X(steps, LONG, "steps", "0", 0, 1e9, "", "most training steps; 0: the preset's, with --domain, --data 3000") \
  SW_SEED_ROW(X, "42", "seed of everything")               \
  X(verifier, TEXT, "verifier", "model", 0, 0, "", "what says when to go back (`statewise help verifiers`)") \
  X(verdict_shown, FLAG, "verdict-shown", "0", 0, 0, "", "with --domain: let the model decide although a word shows the verdict") \
  SW_THREADS_ROW(X, "threads; 0: all cores")         \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print summary.json instead of the table")
/* clang-format on */

typedef struct sw_quick_options {
  SW_QUICK_OPTIONS(SW_OPTION_FIELD)
  sw_pairs task; /* options of the domain, as given */
} sw_quick_options;

/* With --domain: traces, two models, searches with and without history,
 * transplant, page. What is there already is checked and taken. */
int sw_quickstart_own(sw_command_io *io, const sw_quick_options *options,
                      sw_err *err);
/* With --data: two models, every step of the recorded searches with and without
 * history, the pairs that they have, page. */
int sw_quickstart_data(sw_command_io *io, const sw_quick_options *options,
                       sw_err *err);
/* A model on `data` into the directory `path`, trained until it is flat; a note
 * where it is not, or where it is a plateau. `result` goes in with the lowest
 * validation loss of the models trained before on the same data (`valid_loss`,
 * 0: there are none). */
int sw_quick_train(sw_command_io *io, const sw_quick_options *options,
                   const char *data, const char *mask, const char *path,
                   sw_train_result *result, sw_err *err);
/* Writes OUT/summary.json, and prints it or the table made of it. */
int sw_quick_show(sw_command_io *io, const sw_quick_options *options,
                  const sw_quick_summary *summary, sw_err *err);

#endif
