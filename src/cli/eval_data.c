/* `statewise eval --data`: teacher-forced evaluation (see eval_data.h). The
 * work is the measure `forced`. */
#include "cli/eval_data.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/commands.h"
#include "cli/probe_common.h"

typedef sw_forced_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_FORCED_OPTIONS)};

int sw_eval_data_wanted(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--data") || !strncmp(argv[i], "--data=", 7)) return 1;
  return 0;
}

/* ---- printing ---- */

static void print_data(const session *s) {
  const sw_probe_data *d = &s->from;
  char words[400];
  printf("%s: %s, %" PRId64 " searches of %" PRId64 " groups, %" PRId64
         " steps (%" PRId64 " go back)\n",
         d->path,
         strcmp(d->part, "all") ? d->part
         : d->set.part          ? "all parts"
                                : "everything (its traces say no part)",
         d->traces, d->clusters, s->steps.count, s->steps.backs);
  if (s->steps.skipped)
    printf("%" PRId64
           " steps are left out: no state stands before the first "
           "target\n",
           s->steps.skipped);
  sw_gives_words(&d->gives, words, sizeof words);
  if (*words) printf("%s\n", words);
}

static void print_percent(sw_interval i) {
  if (isnan(i.point)) printf(" %21s", "-");
  else if (isnan(i.low)) printf(" %21.1f", 100 * i.point);
  else
    printf(" %6.1f [%5.1f, %5.1f]", 100 * i.point, 100 * i.low, 100 * i.high);
}

static void print_view(const char *label, const char *protocol,
                       const sw_forced_view *v) {
  char b[2][32];
  printf("%-20.20s %-17s", label, protocol);
  print_percent(v->choice_accuracy);
  print_percent(v->step_accuracy);
  print_percent(v->balanced_accuracy);
  printf(" %7s %7s\n", sw_probe_number(v->auroc.point, 4, b[0]),
         sw_probe_number(v->ece, 4, b[1]));
}

static void print_floor(const char *what, double choice, double balanced) {
  char b[2][32];
  printf("%-38s %6s %14s %21s %6s\n", what,
         sw_probe_number(100 * choice, 1, b[0]), "", "",
         sw_probe_number(100 * balanced, 1, b[1]));
}

static void print_cells(const char *what, const int64_t *bins,
                        const sw_forced_cell *with,
                        const sw_forced_cell *without) {
  for (int k = 0; k < SW_FORCED_BINS; k++) {
    char top[32] = "more";
    if (!with[k].steps && !without[k].steps) continue;
    if (bins[k] != INT64_MAX)
      snprintf(top, sizeof top, "up to %" PRId64, bins[k]);
    printf("  %-13s %-9s %8" PRId64 " steps", what, top, without[k].steps);
    for (int i = 0; i < 2; i++) {
      const sw_forced_cell *c = i ? &without[k] : &with[k];
      if (c->steps)
        printf("  %s %5.1f %%", i ? "without" : "with history",
               100 * (double)c->right / (double)c->steps);
    }
    printf("\n");
  }
}

static void print_model(const session *s, int m) {
  static const int64_t depths[] = SW_FORCED_DEPTHS,
                       lengths[] = SW_FORCED_LENGTHS;
  const sw_forced_view *v = s->result[m].view;
  const sw_forced_gap *g = &s->result[m].gap;
  if (!s->result[m].has_gap) return;
  printf(
      "%s: the first word is the same with and without history at %.2f %% "
      "of the steps; accuracy with minus without %+.2f [%+.2f, %+.2f] "
      "points; largest change of P(go back) %.3g; identical bits %.4g %%\n",
      s->probe.label[m], 100 * g->same_choice.point,
      100 * g->choice_accuracy.point, 100 * g->choice_accuracy.low,
      100 * g->choice_accuracy.high, g->largest_back, 100 * g->exact_equal);
  if (s->result[m].seen)
    printf("  it was trained on this set: no test of what it has not seen\n");
  if (v[SW_CUMULATIVE].skipped)
    printf("  %" PRId64 " steps did not fit the position table\n",
           v[SW_CUMULATIVE].skipped);
  print_cells("depth", depths, v[SW_CUMULATIVE].by_depth,
              v[SW_REBUILT].by_depth);
  print_cells("steps before", lengths, v[SW_CUMULATIVE].by_history,
              v[SW_REBUILT].by_history);
}

static void print_table(const void *context) {
  const session *s = context;
  print_data(s);
  printf("\n%-20s %-17s %21s %21s %21s %7s %7s\n", "model", "shown",
         "first word right", "whole step right", "verdict, balanced", "AUROC",
         "ECE");
  for (int m = 0; m < s->probe.models; m++)
    for (int v = 0; v < SW_FORCED_VIEWS; v++)
      if (s->result[m].view[v].asked)
        print_view(s->probe.label[m], sw_protocol_name((sw_protocol)v),
                   &s->result[m].view[v]);
  print_floor("always the usual word", s->floors.usual_choice,
              s->from.back < 0 ? (double)NAN : .5);
  if (s->from.gives.token >= 0) {
    char what[64];
    snprintf(what, sizeof what, "the word %.24s %s", s->from.gives.word,
             s->from.gives.absent ? "absent" : "present");
    print_floor(what, (double)NAN, s->floors.told_balanced);
  }
  printf("\n");
  for (int m = 0; m < s->probe.models; m++) print_model(s, m);
}

int sw_eval_data(int argc, char **argv) {
  static const sw_probe_view view = {.measure = &sw_measure_forced,
                                     .text = print_table};
  static const sw_command self = {
      .name = "eval",
      .usage = "--data FILE --model DIR...",
      .summary = "Ask models about every step of recorded searches",
      .details =
          "Teacher-forced: at every step a model is shown what the search had "
          "done\n(cumulative), problem and state alone (rebuilt, in place), or "
          "another search's\nhistory (foreign), and answers the step's words. "
          "Floors stand below the models.\nNo rules are needed, so this works "
          "for data of any domain.",
      .options = table,
      .option_count = sizeof table / sizeof *table,
      .takes_task = 1};
  return sw_probe_main(&self, argc, argv, &view);
}
