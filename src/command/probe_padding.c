/* `statewise probe padding`: foreign blocks between prefix and state. */
#include <inttypes.h>
#include <stdio.h>

#include "command/commands.h"
#include "command/probe_common.h"
#include "command/probe_guide.h"

typedef sw_padding_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_PADDING_OPTIONS)};

static void print_text(sw_command_io *io, const void *context) {
  const session *s = context;
  sw_probe_print_data(io, &s->from);
  const sw_probe *p = &s->probe;
  fprintf(io->out,
          "padding control, %s: %" PRId64
          " foreign blocks before the state; baseline: %s\n",
          p->domain_name, s->blocks,
          s->baseline ? "the state's own history" : "prefix and block alone");
  fprintf(io->out, "%-22s %7s %11s %11s %12s %9s %11s\n", "model", "trials",
          "same choice", "same answer", "symmetric KL", "cosine", "identical");
  for (int m = 0; m < p->models; m++) {
    const sw_padding_result *r = &s->result[m];
    fprintf(
        io->out, "%-22s %7" PRId64 " %9.2f %% %9.2f %% %12.4g %9.6f %9.2f %%\n",
        p->label[m], r->trials, 100 * r->agreement, 100 * r->verdict_agreement,
        r->symmetric_kl, r->cosine, 100 * r->exact_equal_rate);
    if (r->skipped)
      fprintf(io->out, "  %" PRId64 " trials did not fit the position table\n",
              r->skipped);
  }
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  static const sw_probe_view view = {.measure = &sw_measure_padding,
                                     .text = print_text};
  return sw_probe_main(self, io, argc, argv, &view, err);
}

const sw_command sw_command_probe_padding = {
    .name = "probe padding",
    .usage = "[--domain D] [--model DIR]... [--blocks N]",
    .summary =
        "Insert unrelated blocks before a state and see whether the choice "
        "changes",
    .details =
        "Early states (up to --latest blocks) of held-out searches. A model "
        "that decides by the "
        "state alone keeps its choice, and under a block-local mask its logits "
        "bit for bit.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .instead = sw_probe_guide_instead,
    .takes_task = 1,
    .over_ranks = 1};
