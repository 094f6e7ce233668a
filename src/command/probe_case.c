/* `statewise probe case`: one state met twice. */
#include <inttypes.h>
#include <stdio.h>

#include "command/commands.h"
#include "command/probe_common.h"

typedef sw_case_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_CASE_OPTIONS)};

static void print_answer(sw_command_io *io, const char *label,
                         const sw_answer *a) {
  if (!a->asked)
    fprintf(io->out, "  %s: the history does not fit its positions\n", label);
  else
    fprintf(io->out, "  %s: %s (%.1f %%)\n", label, a->action,
            100 * a->best[0].p);
}

static void print_history(sw_command_io *io, const session *s, int which) {
  const sw_case *c = &s->found;
  const sw_case_history *h = &c->history[which];
  fprintf(io->out, "after %" PRId64 " steps, %" PRId64 " tokens:", h->blocks,
          h->tokens);
  for (int i = 0; i < h->moves; i++)
    fprintf(io->out, "%s %s", i ? "," : "", h->move[i]);
  fprintf(io->out, "\n");
  print_answer(io, s->probe.label[c->subject], &h->subject);
  if (c->reference >= 0)
    print_answer(io, s->probe.label[c->reference], &h->reference);
}

static void print_text(sw_command_io *io, const void *context) {
  const session *s = context;
  const sw_case *c = &s->found;
  if (c->subject < 0) {
    fprintf(io->out, "no model here can see its history: nothing to swap\n");
    return;
  }
  fprintf(io->out,
          "%s: the choice changed with the history at %" PRId64 " of %" PRId64
          " states\n",
          s->probe.label[c->subject], c->changed, c->states);
  if (!c->found) return;
  fprintf(io->out, "the state, at depth %d%s: %s\n", c->depth,
          c->conflict ? ", a conflict" : "", c->words ? c->words : c->state);
  for (int i = 0; i < 2; i++) print_history(io, s, i);
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  static const sw_probe_view view = {.measure = &sw_measure_case,
                                     .text = print_text};
  return sw_probe_main(self, io, argc, argv, &view, err);
}

const sw_command sw_command_probe_case = {
    .name = "probe case",
    .usage = "--model DIR... [--into DIR]",
    .summary = "Find one state where only the history changes a model's choice",
    .details =
        "Among the models, the first that can see its history is asked, beside "
        "the first that cannot. "
        "The state shown is the one where the choice changes most surely, if "
        "possible between going on "
        "and going back, after short histories; the search that led there is "
        "part of the JSON, which "
        "`report` turns into a page (--into DIR leaves it as DIR/case.json).",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1};
