/* `statewise probe representation`: hidden states after different histories.
 */
#include <inttypes.h>
#include <stdio.h>

#include "command/commands.h"
#include "command/probe_common.h"

typedef sw_representation_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_REPRESENTATION_OPTIONS)};

static void print_hidden(sw_command_io *io, const void *context) {
  const session *s = context;
  sw_probe_print_data(io, &s->from);
  fprintf(
      io->out,
      "%-22s %7s %9s %9s %10s %10s %9s   linear: balanced, AUROC (majority)\n",
      "model", "pairs", "cosine", "lowest", "mean gap", "largest", "identical");
  for (int m = 0; m < s->probe.models; m++) {
    const sw_representation_result *r = &s->result[m];
    fprintf(io->out,
            "%-22s %7" PRId64
            " %9.6f %9.6f %10.4g %10.4g %7.2f %%   %.3f, %.3f (%.3f)\n",
            s->probe.label[m], r->pairs, r->cosine, r->lowest_cosine,
            r->mean_gap, r->largest_gap, 100 * r->exact_equal_rate,
            r->linear.balanced_accuracy, r->linear.auroc, r->linear.majority);
  }
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  static const sw_probe_view view = {.measure = &sw_measure_representation,
                                     .text = print_hidden};
  return sw_probe_main(self, io, argc, argv, &view, err);
}

const sw_command sw_command_probe_representation = {
    .name = "probe representation",
    .usage = "[--domain D] [--model DIR]...",
    .summary = "Compare hidden states of one state after different histories",
    .details =
        "Cosine and largest difference of the final hidden vector at the "
        "state's query, and a linear "
        "classifier (conflict or not) on instances it has not seen.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1,
    .over_ranks = 1};
