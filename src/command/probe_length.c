/* `statewise probe length`: accuracy and solve rate against length. */
#include <inttypes.h>
#include <stdio.h>

#include "command/commands.h"
#include "command/probe_common.h"
#include "search/loop.h"

typedef sw_length_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_LENGTH_OPTIONS)};
static const int64_t block_bins[SW_LENGTH_BLOCKS] = SW_LENGTH_BLOCK_BINS;

static double share(int64_t hits, int64_t count) {
  return count ? (double)hits / (double)count : 0;
}

static void print_text(sw_command_io *io, const void *context) {
  const session *s = context;
  sw_probe_print_data(io, &s->from);
  const sw_probe *p = &s->probe;
  fprintf(
      io->out,
      "length, %s: teacher-forced, share of blocks with every supervised token "
      "right (first token right)\n%-22s",
      p->domain_name, "model");
  for (int b = 0; b < SW_LENGTH_BLOCKS - 1; b++)
    fprintf(io->out, "    <=%-3" PRId64 "blk   ", block_bins[b]);
  fprintf(io->out, "  more\n");
  for (int m = 0; m < p->models; m++) {
    fprintf(io->out, "%-22s", p->label[m]);
    for (int b = 0; b < SW_LENGTH_BLOCKS; b++) {
      const sw_length_cell *c = &s->report[m].forced.by_block[b];
      if (c->blocks)
        fprintf(io->out, " %5.1f (%5.1f) ", 100 * share(c->exact, c->blocks),
                100 * share(c->right, c->choices));
      else fprintf(io->out, "       -      ");
    }
    fprintf(io->out, "\n");
    if (s->report[m].forced.skipped_blocks)
      fprintf(io->out, "  %" PRId64 " blocks lie beyond the position table\n",
              s->report[m].forced.skipped_blocks);
  }
  if (!s->instances || s->data) return;
  fprintf(io->out, "closed loop, %s: solved within a token budget\n",
          sw_protocol_name((sw_protocol)s->protocol));
  for (int m = 0; m < p->models; m++) {
    fprintf(io->out, "%-22s", p->label[m]);
    for (int b = 0; b < SW_LENGTH_BUDGETS; b++) {
      if (sw_length_budget[b] == INT64_MAX) fprintf(io->out, "  any:");
      else fprintf(io->out, "  %" PRId64 ":", sw_length_budget[b]);
      fprintf(io->out, " %.1f %%",
              100 * share(s->report[m].solved[b], s->report[m].instances));
    }
    fprintf(io->out, "\n");
  }
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  static const sw_probe_view view = {.measure = &sw_measure_length,
                                     .text = print_text};
  return sw_probe_main(self, io, argc, argv, &view, err);
}

const sw_command sw_command_probe_length = {
    .name = "probe length",
    .usage = "[--domain D] [--model DIR]...",
    .summary =
        "Measure accuracy and solve rate against the length of the dialogue",
    .details =
        "Train on the first K blocks with `train --first-blocks K` (steps are "
        "scaled so that the "
        "number of supervised tokens stays the same) and compare with full "
        "training.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1,
    .over_ranks = 1};
