/* `statewise quickstart`: the whole effect in one command. It is an experiment
 * (src/repro) with a directory of its own: every stage leaves a file there and
 * is skipped or resumed when it is there, so an interrupted run resumes and
 * ends with the same table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "command/commands.h"
#include "command/quickstart.h"
#include "command/repro_view.h"
#include "report/read_json.h"
#include "repro/kept.h"

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(sw_quick_options, __VA_ARGS__)
    SW_QUICK_OPTIONS(X)
#undef X
};

enum {
  WITH,
  WITHOUT,
  IN_PLACE,
  AGREEMENT,
  TIME
}; /* columns of the experiment */

/* ---- the summary of the experiment's cells ---- */

static int protocols(const sw_repro_value *with, const sw_repro_value *without,
                     const sw_repro_value *in_place, sw_summary_row *row,
                     sw_err *err) {
  sw_summarize(with->outcome, with->outcomes, &row->with);
  sw_summarize(without->outcome, without->outcomes, &row->without);
  sw_summarize(in_place->outcome, in_place->outcomes, &row->in_place);
  row->has_in_place = 1;
  SW_TRY(sw_summary_gap(&row->gap_in_place, with->outcome, with->outcomes,
                        in_place->outcome, in_place->outcomes, err));
  return sw_summary_gap(&row->gap, with->outcome, with->outcomes,
                        without->outcome, without->outcomes, err);
}

static int model_row(const sw_quick_options *o, const sw_repro_result *r,
                     const sw_repro_row *model, sw_summary_row *row,
                     sw_err *err) {
  char path[1200];
  json_t *found;
  const sw_repro_value *value[TIME + 1];
  for (int c = WITH; c <= TIME; c++)
    value[c] = sw_repro_cell_of(r, model->id, c)->value;
  snprintf(row->model, sizeof row->model, "%s", model->label);
  row->has_model = 1;
  SW_TRY(protocols(value[WITH], value[WITHOUT], value[IN_PLACE], row, err));
  row->agreement = value[AGREEMENT]->value;
  row->agreement_low = value[AGREEMENT]->low;
  row->agreement_high = value[AGREEMENT]->high;
  row->train_seconds = value[TIME]->value;
  snprintf(path, sizeof path, "%s/%s/transplant.json", o->out, model->id);
  SW_TRY(sw_read_json(path, &found, err));
  row->exact_equal = sw_member_real(found, "exact_equal_rate", NAN);
  row->pairs = sw_member_int(found, "pairs", 0);
  row->states = sw_member_int(found, "states", 0);
  json_decref(found);
  return SW_OK;
}

/* A rule of the experiment: the best one that never goes back. */
static int floor_row(const sw_repro_result *r, const sw_repro_row *rule,
                     sw_summary_row *row, sw_err *err) {
  snprintf(row->model, sizeof row->model, "%s", rule->label);
  row->about =
      "never goes back, so a model that solves no more does not "
      "profit from going back";
  return protocols(sw_repro_cell_of(r, rule->id, WITH)->value,
                   sw_repro_cell_of(r, rule->id, WITHOUT)->value,
                   sw_repro_cell_of(r, rule->id, IN_PLACE)->value, row, err);
}

static int fill_summary(const sw_quick_options *o, const sw_repro_result *r,
                        sw_quick_summary *s, sw_err *err) {
  const sw_experiment *e = r->experiment;
  for (int i = 0; e->row[i].id; i++) {
    sw_summary_row *row = sw_summary_add(s);
    if (!row) return sw_no_memory(err);
    SW_TRY(e->row[i].model ? model_row(o, r, &e->row[i], row, err)
                           : floor_row(r, &e->row[i], row, err));
  }
  sw_summary_row *rule = sw_summary_add(s);
  if (!rule) return sw_no_memory(err);
  snprintf(rule->model, sizeof rule->model, "exact rule (no model)");
  rule->about = "reads the shown state and nothing else";
  return protocols(&sw_repro_cell_of(r, e->row[0].id, WITH)->exact,
                   &sw_repro_cell_of(r, e->row[0].id, WITHOUT)->exact,
                   &sw_repro_cell_of(r, e->row[0].id, IN_PLACE)->exact, rule,
                   err);
}

/* ---- printing ---- */

static void print_table(sw_command_io *io, const sw_quick_options *o,
                        const sw_quick_summary *s) {
  fprintf(io->out, "\n%-24s %13s %16s %14s %13s %10s\n", "", "solved with",
          "solved without", "without, at", "same state,", "training");
  fprintf(io->out, "%-24s %13s %16s %14s %13s %10s\n", "model", "its history",
          "its history", "its positions", "same choice", "time");
  for (int i = 0; i < s->rows; i++) {
    const sw_summary_row *r = &s->row[i];
    fprintf(io->out, "%-24s %11.1f %% %14.1f %% %12.1f %%", r->model,
            100 * r->with.solve_rate, 100 * r->without.solve_rate,
            100 * r->in_place.solve_rate);
    if (r->has_model)
      fprintf(io->out, " %11.2f %% %8.0f s\n", 100 * r->agreement,
              r->train_seconds);
    else fprintf(io->out, " %13s %10s\n", "-", "-");
  }
  fputc('\n', io->out);
  for (int i = 0; i < s->rows; i++) {
    char words[700];
    sw_summary_words(&s->row[i], sw_summary_floor(s), words, sizeof words);
    fprintf(io->out, "%s\n", words);
  }
  fprintf(io->out,
          "\nEverything is in %s; `statewise report %s` makes a page of it.\n",
          o->out, o->out);
}

static void print_json(sw_command_io *io, const sw_quick_summary *s) {
  sw_json json;
  sw_json_to_file(&json, io->out);
  sw_summary_json(s, &json);
}

int sw_quick_show(sw_command_io *io, const sw_quick_options *o,
                  const sw_quick_summary *summary, sw_err *err) {
  char path[1200];
  snprintf(path, sizeof path, "%s/summary.json", o->out);
  SW_TRY(sw_summary_write(summary, path, err));
  if (o->json) print_json(io, summary);
  else print_table(io, o, summary);
  return SW_OK;
}

/* ---- the command ---- */

static int finish(sw_command_io *io, const sw_quick_options *o,
                  const sw_repro_result *r, sw_err *err) {
  char path[1200];
  sw_quick_summary summary = {0};
  int code = fill_summary(o, r, &summary, err);
  snprintf(path, sizeof path, "%s/experiment.json", o->out);
  if (!code) code = sw_kept_write(r, "", path, err);
  if (!code) code = sw_quick_show(io, o, &summary, err);
  sw_summary_free(&summary);
  return code;
}

static int quickstart(sw_command_io *io, const sw_quick_options *o,
                      sw_err *err) {
  char steps[48], states[48], seed[48];
  snprintf(steps, sizeof steps, "steps=%lld", (long long)o->steps);
  snprintf(states, sizeof states, "states=%lld", (long long)o->pairs);
  snprintf(seed, sizeof seed, "seed=%lld", (long long)o->seed);
  sw_repro_options options = {.out = o->out,
                              .command = "statewise quickstart",
                              .settings = {o->steps > 0, {steps}},
                              .measure = {2, {states, seed}},
                              .verifier = o->verifier,
                              .seeds = 1,
                              .seed = o->seed,
                              .test_seed = o->seed,
                              .instances = o->instances,
                              .threads = o->threads,
                              .flat = 1};
  sw_repro_view view = {.io = io, .mode = (sw_progress_mode)o->progress};
  sw_repro_hooks hooks = sw_repro_view_hooks(&view);
  sw_repro_result result;
  SW_TRY(sw_experiments_load(err));
  SW_TRY(
      sw_repro_run(sw_quickstart_experiment(), &options, &hooks, &result, err));
  int code = finish(io, o, &result, err);
  sw_repro_free(&result);
  return code;
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  sw_quick_options o;
  SW_TRY(sw_command_parse_task(self, argc, argv, &o, NULL, NULL, &o.task, err));
  if (o.domain && o.data)
    return sw_fail(err, SW_USAGE, "give --domain or --data, not both");
  if (o.domain) return sw_quickstart_own(io, &o, err);
  if (!o.task.count)
    return o.data ? sw_quickstart_data(io, &o, err) : quickstart(io, &o, err);
  sw_fail(err, SW_USAGE, "--%s is an option of a domain", o.task.item[0].name);
  return sw_hint(err, "add --domain NAME");
}

const sw_command sw_command_quickstart = {
    .name = "quickstart",
    .usage = "[--out DIR] [--domain exec:COMMAND | --data FILE]",
    .summary = "See history entanglement and its cure in a few minutes",
    .details =
        "Writes a small 3-SAT data set, trains two models on the same "
        "traces, lets each search with and without its history, and shows "
        "each the same states after other histories. Safe to interrupt and "
        "run again. The table is also DIR/summary.json.\nWith --domain or "
        "--data it asks the same of your own search (docs/your-own.md): does "
        "it "
        "entangle?",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1,
    .stoppable = 1};
