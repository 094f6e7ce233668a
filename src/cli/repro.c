/* `statewise repro`: an experiment of the paper in one command; the paper's
 * number, ours, its interval and a policy without a model in one line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "cli/progress.h"
#include "cli/commands.h"
#include "cli/stop.h"
#include "cli/train_view.h"
#include "report/table.h"
#include "repro/runner.h"

/* clang-format off */
#define OPTIONS(X)                                                             \
  X(list, FLAG, "list", "0", 0, 0, "", "list the experiments and stop")        \
  X(row, LIST, "row", "", 0, 0, "", "only this row of the experiment; may be repeated") \
  X(seeds, LONG, "seeds", "1", 1, 100, "", "models a row: training seeds 42, 43, ...") \
  X(instances, LONG, "instances", "-1", -1, 1e9, "", "test instances; -1: the domain's test size") \
  X(traces, LONG, "traces", "0", 0, 1e9, "", "training traces; 0: the preset's") \
  X(train, LIST, "train", "", 0, 0, "", "name=value: a training option over every row's; may be repeated") \
  X(verifier, TEXT, "verifier", "", 0, 0, "", "who says when to go back, instead of every column's own") \
  X(out, TEXT, "out", "out/repro", 0, 0, "", "output directory")               \
  X(threads, INT, "threads", "0", 0, 256, "", "threads; 0: all cores")         \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")
/* clang-format on */

typedef struct repro_values {
  OPTIONS(SW_OPTION_FIELD)
} repro_values;

static const sw_option options_table[] = {
#define X(...) SW_OPTION_ROW(repro_values, __VA_ARGS__)
    OPTIONS(X)
#undef X
};

typedef struct view {
  sw_progress_mode mode;
  sw_progress line;
} view;

static void begin(void *context, const char *what) {
  view *v = context;
  sw_progress_begin(&v->line, v->mode, what, 0);
}

static void end(void *context) {
  sw_progress_end(&((view *)context)->line, NULL);
}

static void step(void *context, const char *label, int64_t done,
                 int64_t total) {
  view *v = context;
  v->line.total = total;
  sw_progress_step(&v->line, done, label);
}

static int train(void *context, const sw_train_options *options, sw_err *err) {
  const view *v = context;
  sw_train_result result;
  return sw_train_shown(options, v->mode, &result, err);
}

static void list_experiments(void) {
  for (int i = 0; i < sw_experiment_count; i++) {
    const sw_experiment *e = &sw_experiments[i];
    printf("%-12s %s\n%-12s paper: %s\n%-12s rows:", e->id, e->title, "",
           e->place, "");
    for (int r = 0; e->row[r].id; r++) printf(" %s", e->row[r].id);
    printf("\n");
  }
}

static void fill_table(const sw_experiment *e, const sw_repro_result *result,
                       sw_table *t) {
  for (int i = 0; i < result->cells; i++) {
    const sw_repro_cell *c = &result->cell[i];
    sw_table_row(t);
    sw_table_put(t, 0, "%s", c->row->label);
    sw_table_put(t, 1, "%s", c->column->title);
    sw_table_put(t, 2, "%s", c->paper ? c->paper : "-");
    if (c->seeds > 1)
      sw_table_put(t, 3, "%.1f ± %.1f", 100 * c->mean, 100 * c->sd);
    else sw_table_put(t, 3, "%.1f", 100 * c->mean);
    sw_table_put(t, 4, "%.1f to %.1f", 100 * c->low, 100 * c->high);
    sw_table_put(t, 5, "%.1f", 100 * c->policy);
    sw_table_put(t, 6, "%" PRId64 " x %" PRId64, c->seeds, c->instances);
  }
  t->head[5] = e->policy;
}

static int save_table(const sw_table *t, sw_table_form form, const char *path,
                      sw_err *err) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return sw_fail(err, SW_MEMORY, "out of memory for %s", path);
  sw_table_write(t, form, out);
  int code = fclose(out) ? sw_fail(err, SW_MEMORY, "out of memory for %s", path)
                         : sw_write_file(path, text, bytes, err);
  free(text);
  return code;
}

/* Visible width: the plus-minus sign is two bytes and one column. */
static void print_cell(const char *text, int width) {
  int columns = 0;
  for (const char *p = text; *p; p++) columns += (*p & 0xC0) != 0x80;
  printf("%*s%s", width > columns ? width - columns : 0, "", text);
}

static void print_table(const sw_experiment *e, const sw_table *t) {
  printf(
      "%s\npaper: %s; %s\npercent solved; the last columns: the policy "
      "without a model, and models x instances\n\n",
      e->title, e->place, e->note);
  printf("%-26s %-25s", t->head[0], t->head[1]);
  for (int c = 2; c < t->columns; c++) print_cell(t->head[c], 16);
  printf("\n");
  for (int r = 0; r < t->rows; r++) {
    const char(*cell)[SW_TABLE_CELL] = t->cell + r * t->columns;
    printf("%-26s %-25s", cell[0], cell[1]);
    for (int c = 2; c < t->columns; c++) print_cell(cell[c], 16);
    printf("\n");
  }
}

static void print_json(const sw_experiment *e, const sw_repro_result *result) {
  sw_json json;
  sw_json_to_file(&json, stdout);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "id", e->id);
  sw_json_string(&json, "paper", e->place);
  sw_json_string(&json, "policy", e->policy);
  sw_json_array(&json, "cells");
  for (int i = 0; i < result->cells; i++) {
    const sw_repro_cell *c = &result->cell[i];
    sw_json_object(&json, NULL);
    sw_json_string(&json, "row", c->row->id);
    sw_json_string(&json, "column", c->column->title);
    sw_json_string(&json, "paper", c->paper ? c->paper : "");
    sw_json_real(&json, "solve_rate", c->mean);
    sw_json_real(&json, "sd", c->sd);
    sw_json_real(&json, "ci_low", c->low);
    sw_json_real(&json, "ci_high", c->high);
    sw_json_real(&json, "policy_solve_rate", c->policy);
    sw_json_int(&json, "seeds", c->seeds);
    sw_json_int(&json, "n", c->instances);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

static int show(const sw_experiment *e, const repro_values *v,
                const sw_repro_result *result, sw_err *err) {
  static const char *const heads[] = {"model", "searches", "paper",  "ours",
                                      "95 %",  "policy",   "models", NULL};
  char path[1200];
  sw_table t;
  sw_table_init(&t, e->id, e->title, heads);
  fill_table(e, result, &t);
  int code = t.failed ? sw_fail(err, SW_MEMORY, "out of memory") : SW_OK;
  snprintf(path, sizeof path, "%s/%s/table.md", v->out, e->id);
  if (!code) code = save_table(&t, SW_TABLE_MARKDOWN, path, err);
  snprintf(path, sizeof path, "%s/%s/table.tex", v->out, e->id);
  if (!code) code = save_table(&t, SW_TABLE_LATEX, path, err);
  if (!code && v->json) print_json(e, result);
  else if (!code) print_table(e, &t);
  sw_table_free(&t);
  return code;
}

static int find(const sw_list *rest, const sw_experiment **e, sw_err *err) {
  const char *names[64];
  int count = 0;
  for (; count < sw_experiment_count && count < 64; count++)
    names[count] = sw_experiments[count].id;
  if (rest->count != 1) {
    sw_fail(err, SW_USAGE,
            rest->count ? "one experiment at a time" : "which experiment?");
    return sw_hint(err, "statewise repro --list names them");
  }
  *e = sw_experiment_find(rest->item[0]);
  if (*e) return SW_OK;
  const char *near = sw_nearest(rest->item[0], names, count);
  sw_fail(err, SW_USAGE, "there is no experiment `%s`", rest->item[0]);
  return sw_hint(err, "did you mean %s? (statewise repro --list)",
                 near ? near : names[0]);
}

static int run(const sw_command *self, int argc, char **argv) {
  repro_values v;
  sw_list rest = {0};
  sw_err err = {0};
  int code = sw_command_parse(self, argc, argv, &v, NULL, &rest);
  if (code >= 0) return code;
  if (v.list) return list_experiments(), 0;
  const sw_experiment *e;
  if (find(&rest, &e, &err)) return sw_command_fail(&err);
  view look = {.mode = (sw_progress_mode)v.progress};
  sw_repro_options options = {.out = v.out,
                              .verifier = v.verifier,
                              .rows = v.row,
                              .settings = v.train,
                              .seeds = v.seeds,
                              .instances = v.instances,
                              .traces = v.traces,
                              .threads = v.threads};
  sw_repro_hooks hooks = {.context = &look,
                          .begin = begin,
                          .end = end,
                          .progress = step,
                          .train = train,
                          .stop = sw_stop_requested};
  sw_repro_result result;
  sw_stop_on_signals();
  if (sw_repro_run(e, &options, &hooks, &result, &err))
    return sw_command_fail(&err);
  code = show(e, &v, &result, &err) ? sw_command_fail(&err) : 0;
  sw_repro_free(&result);
  return code;
}

const sw_command sw_command_repro = {
    .name = "repro",
    .usage = "ID | --list",
    .summary = "Run an experiment of the paper: its number, ours and a rule's",
    .details =
        "Makes the traces, trains every row of the experiment and lets it "
        "search, unless that is already\nin the output directory; a stopped "
        "run goes on where it was. The interval is Wilson's, over "
        "the instances; the deviation is over seeds.\nThe table is also "
        "OUT/ID/table.md and table.tex.",
    .options = options_table,
    .option_count = sizeof options_table / sizeof *options_table,
    .run = run};
