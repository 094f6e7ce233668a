/* `statewise probe forced`, which is `eval --data` too: recorded searches step
 * by step. The work is the measure `forced`. */
#include "command/probe_forced.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "command/commands.h"
#include "command/probe_common.h"

typedef sw_forced_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_FORCED_OPTIONS)};

/* ---- printing ---- */

static void print_data(sw_command_io *io, const session *s) {
  sw_probe_print_data(io, &s->from);
  fprintf(io->out, "%" PRId64 " steps, %" PRId64 " go back\n", s->steps.count,
          s->steps.backs);
  if (s->steps.skipped)
    fprintf(io->out,
            "%" PRId64
            " steps are left out: no state stands before the first "
            "target\n",
            s->steps.skipped);
}

static void print_percent(FILE *out, sw_interval i) {
  if (isnan(i.point)) fprintf(out, " %21s", "-");
  else if (isnan(i.low)) fprintf(out, " %21.1f", 100 * i.point);
  else
    fprintf(out, " %6.1f [%5.1f, %5.1f]", 100 * i.point, 100 * i.low,
            100 * i.high);
}

static void print_view(FILE *out, const char *label, const char *protocol,
                       const sw_forced_view *v) {
  char b[2][32];
  fprintf(out, "%-20.20s %-17s", label, protocol);
  print_percent(out, v->choice_accuracy);
  print_percent(out, v->step_accuracy);
  print_percent(out, v->balanced_accuracy);
  fprintf(out, " %7s %7s\n", sw_probe_number(v->auroc.point, 4, b[0]),
          sw_probe_number(v->ece, 4, b[1]));
}

static void print_floor(FILE *out, const char *what, double choice,
                        double balanced) {
  char b[2][32];
  fprintf(out, "%-38s %6s %14s %21s %6s\n", what,
          sw_probe_number(100 * choice, 1, b[0]), "", "",
          sw_probe_number(100 * balanced, 1, b[1]));
}

static void print_cells(FILE *out, const char *what, const int64_t *bins,
                        const sw_forced_cell *with,
                        const sw_forced_cell *without) {
  for (int k = 0; k < SW_FORCED_BINS; k++) {
    char top[32] = "more";
    if (!with[k].steps && !without[k].steps) continue;
    if (bins[k] != INT64_MAX)
      snprintf(top, sizeof top, "up to %" PRId64, bins[k]);
    fprintf(out, "  %-13s %-9s %8" PRId64 " steps", what, top,
            without[k].steps);
    for (int i = 0; i < 2; i++) {
      const sw_forced_cell *c = i ? &without[k] : &with[k];
      if (c->steps)
        fprintf(out, "  %s %5.1f %%", i ? "without" : "with history",
                100 * (double)c->right / (double)c->steps);
    }
    fprintf(out, "\n");
  }
}

static void print_gap(FILE *out, const char *what, const sw_forced_gap *g) {
  fprintf(out,
          "  %-15s same first word at %.2f %% of the steps, accuracy %+.2f "
          "[%+.2f, %+.2f] points, P(go back) changes by %.3g at most, "
          "identical bits %.4g %%\n",
          what, 100 * g->same_choice.point, 100 * g->choice_accuracy.point,
          100 * g->choice_accuracy.low, 100 * g->choice_accuracy.high,
          g->largest_back, 100 * g->exact_equal);
}

static void print_model(sw_command_io *io, const session *s, int m) {
  static const int64_t depths[] = SW_FORCED_DEPTHS,
                       lengths[] = SW_FORCED_LENGTHS;
  const sw_forced_view *v = s->result[m].view;
  if (!s->result[m].has_gap) return;
  fprintf(io->out, "%s, with its history against\n", s->probe.label[m]);
  print_gap(io->out, "none", &s->result[m].gap);
  print_gap(io->out, "none, in place", &s->result[m].in_place);
  if (s->result[m].seen)
    fprintf(io->out,
            "  it was trained on this set: no test of what it has not seen\n");
  if (v[SW_CUMULATIVE].skipped)
    fprintf(io->out, "  %" PRId64 " steps did not fit the position table\n",
            v[SW_CUMULATIVE].skipped);
  print_cells(io->out, "depth", depths, v[SW_CUMULATIVE].by_depth,
              v[SW_REBUILT].by_depth);
  print_cells(io->out, "steps before", lengths, v[SW_CUMULATIVE].by_history,
              v[SW_REBUILT].by_history);
}

static void print_table(sw_command_io *io, const void *context) {
  const session *s = context;
  print_data(io, s);
  fprintf(io->out, "\n%-20s %-17s %21s %21s %21s %7s %7s\n", "model", "shown",
          "first word right", "whole step right", "verdict, balanced", "AUROC",
          "ECE");
  for (int m = 0; m < s->probe.models; m++)
    for (int v = 0; v < SW_FORCED_VIEWS; v++)
      if (s->result[m].view[v].asked)
        print_view(io->out, s->probe.label[m], sw_protocol_name((sw_protocol)v),
                   &s->result[m].view[v]);
  print_floor(io->out, "always the usual word", s->floors.usual_choice,
              s->from.back < 0 ? (double)NAN : .5);
  if (s->from.gives.token >= 0) {
    char what[64];
    snprintf(what, sizeof what, "the word %.24s %s", s->from.gives.word,
             s->from.gives.absent ? "absent" : "present");
    print_floor(io->out, what, (double)NAN, s->floors.told_balanced);
  }
  fprintf(io->out, "\n");
  for (int m = 0; m < s->probe.models; m++) print_model(io, s, m);
}

static int perform(void *context, const sw_list *rest, sw_err *err) {
  session *s = context;
  if (rest->count)
    return sw_fail(err, SW_USAGE, "unexpected argument \"%.60s\"",
                   rest->item[0]);
  if (s->probe.model.count || s->probe.domain)
    return sw_probe_ask_models(&s->probe, err);
  sw_fail(err, SW_USAGE, "no model is named");
  return sw_hint(err, "--model DIR, a run of statewise train");
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  static const sw_probe_view view = {
      .measure = &sw_measure_forced, .text = print_table, .perform = perform};
  return sw_probe_main(self, io, argc, argv, &view, err);
}

const sw_command sw_command_probe_forced = {
    .name = "probe forced",
    .usage = "--data FILE --model DIR...",
    .summary = "Ask models about every step of recorded searches",
    .details =
        "Teacher-forced: at every step a model is shown what the search had "
        "done\n(cumulative), problem and state alone (rebuilt, in place), or "
        "another search's\nhistory (foreign), and answers the step's words. "
        "Floors stand below the models.\nNo rules are needed, so this works "
        "for data of any domain. `eval --data` is this\ncommand.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1,
    .stoppable = 1};

const sw_command *sw_eval_data_instead(int *argc, char **argv) {
  for (int i = 1; i < *argc; i++)
    if (!strcmp(argv[i], "--data") || !strncmp(argv[i], "--data=", 7))
      return &sw_command_probe_forced;
  return NULL;
}
