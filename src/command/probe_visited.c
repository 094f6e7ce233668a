/* `statewise probe visited`: the visited-set oracle. */
#include <inttypes.h>
#include <stdio.h>

#include "command/commands.h"
#include "command/probe_common.h"

typedef sw_visited_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_VISITED_OPTIONS)};

static void print_visited(sw_command_io *io, const void *context) {
  const session *s = context;
  fprintf(io->out, "%-22s %9s %9s %9s %9s %13s %7s %7s %8s\n", "model",
          "solved", "decisions", "revisits", "repeated", "interventions",
          "missed", "prunes", "repeats");
  for (int m = 0; m < s->probe.models; m++) {
    const sw_visited_result *r = &s->result[m];
    fprintf(io->out,
            "%-22s %4" PRId64 "/%-4" PRId64 " %9" PRId64 " %9" PRId64
            " %9" PRId64 " %13" PRId64 " %7" PRId64 " %7" PRId64 " %8" PRId64
            "\n",
            s->probe.label[m], r->solved, r->instances, r->decisions,
            r->revisits, r->repeated, r->interventions, r->missed_conflicts,
            r->false_prunes, r->repeats);
  }
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  static const sw_probe_view view = {.measure = &sw_measure_visited,
                                     .text = print_visited};
  return sw_probe_main(self, io, argc, argv, &view, err);
}

const sw_command sw_command_probe_visited = {
    .name = "probe visited",
    .usage = "[--domain D] [--model DIR]... [--no-intervene]",
    .summary =
        "Search with a memory of actions already taken in identical states",
    .details =
        "When the model picks an action it has already taken in an identical "
        "state, its best untried legal "
        "one is taken instead and counted.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1,
    .over_ranks = 1};
