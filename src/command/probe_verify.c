/* `statewise probe verify`: a verify head against scores that need none. */
#include <inttypes.h>
#include <stdio.h>

#include "command/commands.h"
#include "command/probe_common.h"

typedef sw_verify_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_VERIFY_OPTIONS)};

static void print_part(sw_command_io *io, const sw_dead_result *r,
                       sw_dead_part part, const char *title) {
  const sw_verdicts *head = &r->row[part][0].verdicts;
  fprintf(io->out, "%s: %" PRId64 " states, %" PRId64 " dead\n", title,
          head->states, head->conflicts);
  for (int i = 0; i < SW_DEAD_SCORES && r->score[i]; i++) {
    const sw_dead_row *row = &r->row[part][i];
    char b[3][32];
    fprintf(io->out, "  %-32s AUROC %s [%s, %s]", r->score[i],
            sw_probe_number(row->verdicts.auroc, 4, b[0]),
            sw_probe_number(row->auroc.low, 4, b[1]),
            sw_probe_number(row->auroc.high, 4, b[2]));
    if (i == 0)
      fprintf(io->out,
              "  at 0.5: false prunes %.1f %%, missed %.1f %%; ECE %.4f, "
              "Brier %.4f",
              100 * head->false_prune_rate, 100 * head->missed_conflict_rate,
              head->ece, head->brier);
    fputc('\n', io->out);
  }
}

static void print_result(sw_command_io *io, const sw_dead_result *r) {
  print_part(io, r, SW_DEAD_ALL, "all states");
  print_part(io, r, SW_DEAD_UNEXPOSED, "states that show no conflict");
  fprintf(io->out, "  tau          ");
  for (int t = 0; t < SW_DEAD_THRESHOLDS; t++)
    fprintf(io->out, " %6.2f", r->sweep[t].tau);
  fprintf(io->out, "\n  false prunes %%");
  for (int t = 0; t < SW_DEAD_THRESHOLDS; t++)
    fprintf(io->out, " %5.1f%s", 100 * r->sweep[t].false_prune_rate, " ");
  fprintf(io->out, "\n  dead caught %% ");
  for (int t = 0; t < SW_DEAD_THRESHOLDS; t++)
    fprintf(io->out, " %5.1f%s", 100 * r->sweep[t].recall, " ");
  fputc('\n', io->out);
}

static void print_all(sw_command_io *io, const void *context) {
  const session *s = context;
  for (int m = 0; m < s->probe.models; m++) {
    fprintf(io->out, "%s, states of its own searches (%" PRId64 " instances)\n",
            s->probe.label[m], s->rollouts[m].instances);
    print_result(io, &s->rollouts[m]);
    if (!s->bank[m].states) continue;
    fprintf(io->out, "%s, states of the bank (%" PRId64 " instances)\n",
            s->probe.label[m], s->bank[m].instances);
    print_result(io, &s->bank[m]);
  }
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  static const sw_probe_view view = {.measure = &sw_measure_verify,
                                     .text = print_all};
  return sw_probe_main(self, io, argc, argv, &view, err);
}

const sw_command sw_command_probe_verify = {
    .name = "probe verify",
    .usage = "[--domain D] [--model DIR]... [--judge DIR] [--bank FILE]",
    .summary = "Ask a verify head which states are dead",
    .details =
        "On the states of the model's own searches and on those of the "
        "repaired bank (problem and state shown): how\nwell the head ranks "
        "dead above viable states, beside the policy's share of going back "
        "and sizes that need no\nmodel; false prunes and misses by threshold; "
        "calibration. The domain's complete solver says what is dead. With "
        "--judge a model that reads states is asked\ninstead of the head, "
        "about "
        "the states of --model's searches.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1};
