/* `statewise report`: a page, tables and CSV files of a directory of runs. */
#include <stdio.h>
#include "cli/progress.h"
#include "cli/commands.h"
#include "report/report.h"

/* clang-format off */
#define OPTIONS(X)                                                             \
  X(viable, LONG, "viable", "400", 0, 1e6, "", "calibration: viable states; 0: no calibration unless DIR/bank.json is there") \
  X(conflicts, LONG, "conflicts", "100", 0, 1e6, "", "calibration: conflict states") \
  X(states, LONG, "states", "200", 0, 1e6, "", "states asked to find one where only the history changes the choice") \
  X(seed, LONG, "seed", "42", 0, 9e15, "", "seed of states and rollouts")      \
  X(threads, INT, "threads", "0", 0, 256, "", "threads; 0: all cores")         \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object with the page's path")
/* clang-format on */

typedef struct values {
  OPTIONS(SW_OPTION_FIELD)
} values;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(values, __VA_ARGS__)
    OPTIONS(X)
#undef X
};

typedef struct view {
  sw_progress progress;
  int64_t done;
} view;

static void show_stage(void *context, const char *what) {
  view *v = context;
  sw_progress_step(&v->progress, v->done++, what);
}

static int report(const values *v, const char *directory, sw_err *err) {
  view look = {0};
  char page[1300];
  sw_report_options o = {.bank_viable = (long)v->viable,
                         .bank_conflicts = (long)v->conflicts,
                         .case_states = (long)v->states,
                         .seed = (unsigned long long)v->seed,
                         .threads = v->threads};
  sw_report_hooks hooks = {.context = &look, .stage = show_stage};
  sw_progress_begin(&look.progress, (sw_progress_mode)v->progress, "report", 5);
  int code = sw_report_make(directory, &o, &hooks, page, sizeof page, err);
  sw_progress_end(&look.progress, NULL);
  if (code) return code;
  if (v->json) {
    sw_json json;
    sw_json_to_file(&json, stdout);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "page", page);
    sw_json_end(&json);
  } else {
    printf("%s\n", page);
  }
  return SW_OK;
}

static int run(const sw_command *self, int argc, char **argv) {
  values v;
  sw_list rest = {0};
  sw_err err = {0};
  int done = sw_command_parse(self, argc, argv, &v, NULL, &rest);
  if (done >= 0) return done;
  int code;
  if (rest.count > 1) {
    code = sw_fail(&err, SW_USAGE, "a report is of one directory");
    sw_hint(&err, "statewise report [DIR]");
  } else {
    code = report(&v, rest.count ? rest.item[0] : "out/quickstart", &err);
  }
  return code ? sw_command_fail(&err) : 0;
}

const sw_command sw_command_report = {
    .name = "report",
    .usage = "[DIR]",
    .summary = "Make a page, tables and CSV files of a directory of runs",
    .details =
        "DIR (default out/quickstart) holds run directories of `statewise "
        "train` with their "
        "transplant.json, and results.db. Writes DIR/report/index.html (one "
        "page that needs no "
        "other file and no network), tables.md, tables.tex, *.csv, and the "
        "plots as *.svg. "
        "Calibration is taken from DIR/bank.json (`statewise probe bank eval "
        "--json`) or measured "
        "on a small state bank. Plots are drawn by gnuplot.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run};
