/* `statewise probe local`: a head that reads what the last decision touched. */
#include <inttypes.h>
#include <stdio.h>

#include "command/commands.h"
#include "command/probe_common.h"

typedef sw_local_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_LOCAL_OPTIONS)};

static void print_question(sw_command_io *io, const sw_local_result *r,
                           sw_local_question q, const char *title) {
  const sw_verdicts *first = &r->row[q][0].verdicts;
  fprintf(io->out, "%s: %" PRId64 " states, %" PRId64 " of them\n", title,
          first->states, first->conflicts);
  for (int i = 0; i < SW_LOCAL_SCORES && r->score[i]; i++) {
    const sw_local_row *row = &r->row[q][i];
    char b[3][32];
    if (!row->asked) continue;
    fprintf(io->out, "  %-38s AUROC %s [%s, %s]", r->score[i],
            sw_probe_number(row->verdicts.auroc, 4, b[0]),
            sw_probe_number(row->auroc.low, 4, b[1]),
            sw_probe_number(row->auroc.high, 4, b[2]));
    if (i < r->heads)
      fprintf(io->out,
              "  at 0.5: precision %s, recall %.3f; ECE %.4f, Brier %.4f",
              sw_probe_number(row->precision, 3, b[0]),
              1 - row->verdicts.missed_conflict_rate, row->verdicts.ece,
              row->verdicts.brier);
    fputc('\n', io->out);
  }
}

static void print_all(sw_command_io *io, const void *context) {
  const session *s = context;
  for (int m = 0; m < s->probe.models; m++) {
    const sw_local_result *r = &s->result[m];
    fprintf(io->out,
            "%s: heads learned from %" PRId64
            " states of the expert, or from %" PRId64
            " of the expert and its own\n",
            s->probe.label[m], r->learned[0], r->learned[1]);
    print_question(io, r, SW_LOCAL_EXPOSED, "shows a conflict");
    print_question(io, r, SW_LOCAL_DEAD, "shows none, but is dead");
  }
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  static const sw_probe_view view = {.measure = &sw_measure_local,
                                     .text = print_all};
  return sw_probe_main(self, io, argc, argv, &view, err);
}

const sw_command sw_command_probe_local = {
    .name = "probe local",
    .usage = "[--domain coloring] [--model DIR]...",
    .summary = "Judge a state by what the last decision touched",
    .details =
        "The published delta-local head of graph colouring on the hidden "
        "vectors of a model, which stays as it is:\nattention from the last "
        "decision over the nodes it touched, a probability for each that no "
        "colour is left, and\ntheir noisy or. Beside it a plain head on the "
        "state's last token and scores that need no head; on states of the\n"
        "model's searches on instances that the heads have not seen.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1};
