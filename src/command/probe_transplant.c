/* `statewise probe transplant`: same state, different history. */
#include <inttypes.h>
#include <stdio.h>

#include "command/commands.h"
#include "command/probe_common.h"
#include "command/probe_guide.h"

typedef sw_transplant_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_TRANSPLANT_OPTIONS)};

static void print_version(sw_command_io *io, const char *name,
                          const sw_agreement *a) {
  if (!a->pairs) return;
  fprintf(io->out,
          "  %-13s %6" PRId64 " pairs of %5" PRId64
          " states: agreement %8.4f %% [%.2f, %.2f], symmetric KL %.4g, "
          "entanglement %.4g [%.3g, %.3g]\n",
          name, a->pairs, a->states, 100 * a->argmax,
          100 * a->argmax_interval.low, 100 * a->argmax_interval.high,
          a->symmetric_kl, a->entanglement.point, a->entanglement.low,
          a->entanglement.high);
}

static void print_text(sw_command_io *io, const void *context) {
  const session *s = context;
  sw_probe_print_data(io, &s->from);
  const sw_probe *p = &s->probe;
  fprintf(io->out, "history transplant, %s (%s)\n", p->domain_name, p->format);
  for (int m = 0; m < p->models; m++) {
    const sw_transplant_result *r = &s->result[m];
    fprintf(io->out,
            "%s: %" PRId64 " pairs of %" PRId64 " states (%" PRId64
            " conflict) from %" PRId64
            " instances; histories differ by %.0f tokens on average\n",
            p->label[m], r->pairs, r->states, r->conflict_states, r->instances,
            r->mean_history_gap);
    fprintf(io->out,
            "  bit-identical logits at every query: %.4f %% of pairs (%" PRId64
            " queries; largest gap %.3g)\n",
            100 * r->exact_equal_rate, r->queries, r->largest_logit_gap);
    print_version(io, "verification", &r->verification);
    print_version(io, "policy", &r->policy);
    fprintf(io->out, "  depth  pairs  agreement  symmetric KL  identical\n");
    for (int d = 0; d <= SW_TRANSPLANT_DEPTHS; d++)
      if (r->depth[d].pairs)
        fprintf(io->out, "  %4d%s %6" PRId64 " %9.2f %% %13.4g %8.2f %%\n", d,
                d == SW_TRANSPLANT_DEPTHS ? "+" : " ", r->depth[d].pairs,
                100 * r->depth[d].argmax, r->depth[d].symmetric_kl,
                100 * r->depth[d].exact);
    if (r->skipped)
      fprintf(io->out,
              "  %" PRId64 " histories did not fit the position table\n",
              r->skipped);
    fprintf(io->out,
            "  %" PRId64 " same-state pairs seen, %" PRId64
            " with identical histories left out\n",
            r->candidates, r->identical);
    if (s->unlike)
      fprintf(io->out,
              "  at %" PRId64
              " states the recorded searches themselves went back after some "
              "histories only\n",
              s->unlike);
  }
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  static const sw_probe_view view = {.measure = &sw_measure_transplant,
                                     .text = print_text};
  return sw_probe_main(self, io, argc, argv, &view, err);
}

const sw_command sw_command_probe_transplant = {
    .name = "probe transplant",
    .usage = "[--domain D] [--model DIR]...",
    .summary =
        "Compare a model's answers to one state after different histories",
    .details =
        "States are collected from seeded rollouts; where these give too few, "
        "the same state is "
        "reached again without detours and with its decisions reordered. Pairs "
        "with identical "
        "histories do not count. Bits are compared on full-vocabulary logits "
        "at every query: the "
        "state's own from one pass over the whole dialogue, those inside an "
        "action from the "
        "closed loop's cache. JSON: argmax_agreement, symmetric_kl and "
        "entanglement are the "
        "verification version's; `policy` and `verification` hold both.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .instead = sw_probe_guide_instead,
    .takes_task = 1,
    .over_ranks = 1};
