/* `statewise trees`: tests models trained on tree traces and prints one row
 * per model (src/probe/measure_trees.c). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "command/commands.h"
#include "command/probe_common.h"

typedef sw_trees_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_TREES_OPTIONS)};

/* A share in per cent, or a dash. */
static const char *percent(double share, char *text, size_t room) {
  if (isnan(share)) snprintf(text, room, "-");
  else snprintf(text, room, "%.1f", 100 * share);
  return text;
}

static const char *real(double value, char *text, size_t room) {
  if (isnan(value)) snprintf(text, room, "-");
  else snprintf(text, room, "%.3f", value);
  return text;
}

static void print_row(sw_command_io *io, const session *all, int m) {
  const sw_trees_row *r = &all->result[m];
  const sw_tree_scores *s = &r->scores;
  double estimate = sw_trees_retrieval(all, m);
  char cell[8][24];
  int width = (int)strlen(r->path) > 28 ? (int)strlen(r->path) - 28 : 0;
  percent(sw_tree_decision_rate(s, -1), cell[0], sizeof *cell);
  percent(sw_tree_all_correct(s), cell[1], sizeof *cell);
  percent(sw_tree_prediction(estimate, r->k), cell[2], sizeof *cell);
  real(sw_tree_policy_loss(s), cell[3], sizeof *cell);
  real(sw_tree_verifier_loss(s, 0), cell[4], sizeof *cell);
  real(sw_tree_verifier_loss(s, 1), cell[5], sizeof *cell);
  percent(sw_tree_perfect_rate(s), cell[6], sizeof *cell);
  percent(s->free_trees ? s->prefix_fraction / (double)s->free_trees : NAN,
          cell[7], sizeof *cell);
  fprintf(io->out,
          "%-28s %7s %-5s %-9s %4d %7.0f %6s %6s %6s %7s %7s %7s %7s %7s\n",
          r->path + width, r->step, r->family, r->format, r->k,
          (double)s->inputs / (double)s->trees, cell[0], cell[1], cell[2],
          cell[3], cell[4], cell[5], cell[6], cell[7]);
}

static void print_table(sw_command_io *io, const void *context) {
  const session *s = context;
  fprintf(io->out,
          "%-28s %7s %-5s %-9s %4s %7s %6s %6s %6s %7s %7s %7s %7s %7s\n",
          "model", "step", "trees", "encoding", "k", "tokens", "dec.%", "all%",
          "r^k%", "policy", "verify", "v.bal.", "perf.%", "prefix%");
  for (int i = 0; i < s->probe.models; i++) print_row(io, s, i);
  fprintf(io->out,
          "%lld trees teacher-forced, %lld free-running; losses in nats\n",
          (long long)s->instances, (long long)s->free);
}

static int perform(void *context, const sw_list *rest, sw_err *err) {
  session *s = context;
  const char *model[2 * SW_LIST_MAX];
  int count = 0;
  for (int i = 0; i < s->probe.model.count; i++)
    model[count++] = s->probe.model.item[i];
  for (int i = 0; i < rest->count; i++) model[count++] = rest->item[i];
  if (count) return sw_measure_take(&s->probe, model, count, err);
  sw_fail(err, SW_USAGE, "trees needs at least one model");
  return sw_hint(err, "statewise trees RUN... (directories made by train)");
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  static const sw_probe_view view = {
      .measure = &sw_measure_trees, .text = print_table, .perform = perform};
  return sw_probe_main(self, io, argc, argv, &view, err);
}

const sw_command sw_command_trees = {
    .name = "trees",
    .usage = "MODEL... [options]",
    .words = "MODEL...",
    .summary = "test models trained on tree traversal",
    .details =
        "Each MODEL is a run directory or a weights file of domain trees. The "
        "test\n"
        "trees are those of the model's own data options. Columns: right "
        "return\n"
        "decisions, traces with all of them right, the prediction r^k from "
        "the\n"
        "k = 4 star of the same encoding (when it is among the models), mean "
        "losses\n"
        "of policy and return tokens, the return loss balanced over its two\n"
        "classes, and free-running: perfect traces and the share of the trace\n"
        "before the first wrong token.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
};
