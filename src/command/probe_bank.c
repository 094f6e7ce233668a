/* `statewise probe bank build|eval`: the verifier-only benchmark. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ranks.h"
#include "command/commands.h"
#include "command/probe_common.h"
#include "command/probe_guide.h"
#include "search/loop.h"

typedef sw_bank_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_BANK_OPTIONS)};

static const char *domain_name(const session *s) {
  return s->probe.domain ? s->probe.domain : "sat";
}

/* Without a model the trivial scores still say something. */
static int eval_models(session *s, sw_err *err) {
  char shipped[1024];
  sw_list *models = &s->probe.model;
  const sw_domain *domain;
  SW_TRY(sw_domain_named(domain_name(s), &domain, err));
  if (s->probe.domain) s->probe.domain = domain->name; /* that of exec: */
  if (!models->count &&
      sw_shipped_model(domain_name(s), shipped, sizeof shipped, NULL) == 0)
    models->item[models->count++] = shipped;
  if (models->count)
    return sw_measure_take(&s->probe, models->item, models->count, err);
  SW_TRY(sw_bank_session_build(s, domain, NULL, err));
  return sw_measure_bank.finish(s, err);
}

static int build_only(session *s, sw_err *err) {
  const sw_domain *domain;
  SW_TRY(sw_domain_named(domain_name(s), &domain, err));
  if (s->probe.model.count) {
    sw_loaded loaded;
    SW_TRY(sw_loaded_open(&loaded, s->probe.model.item[0], err));
    int code = sw_bank_session_build(s, loaded.domain, &loaded.options, err);
    sw_loaded_close(&loaded);
    if (code) return code;
  } else {
    SW_TRY(sw_bank_session_build(s, domain, NULL, err));
  }
  if (s->output && sw_ranks_me() == 0)
    SW_TRY(sw_bank_save(&s->bank, s->output, err));
  return sw_measure_bank.finish(s, err);
}

/* ---- printing ---- */

static void print_row(sw_command_io *io, const char *label,
                      const char *protocol, const sw_bank_row *r,
                      int calibrated) {
  char b[6][32];
  fprintf(io->out, "%-30s %-10s %7.3f%% %7.3f%% %7s %7s %7s %7s %9s\n", label,
          protocol, 100 * r->all.false_prune_rate,
          100 * r->all.missed_conflict_rate,
          sw_probe_number(r->all.auroc, 4, b[0]),
          sw_probe_number(r->all.auprc, 4, b[1]),
          calibrated ? sw_probe_number(r->all.ece, 4, b[2]) : "-",
          calibrated ? sw_probe_number(r->all.brier, 4, b[3]) : "-",
          sw_probe_number(r->auroc_within_size, 4, b[4]));
}

static void print_stats(sw_command_io *io, const session *s) {
  const sw_bank_stats *t = &s->stats;
  fprintf(io->out,
          "%s bank of %s (%s): %" PRId64 " states from %" PRId64
          " instances, %" PRId64 " viable, %" PRId64 " conflict, %" PRId64
          " retries among the viable\n",
          s->bank.construction, s->bank.domain, s->bank.format, t->states,
          t->instances, t->viable, t->conflicts, t->retries);
  fprintf(io->out,
          "histories: %" PRId64 " pairs, %" PRId64
          " of them token-distinct; %.0f tokens before the state on average\n",
          t->pairs, t->distinct_pairs, t->mean_history);
  fprintf(io->out,
          "mean size: viable %.2f, conflict %.2f; distinct inputs %" PRId64
          "; id hash %s\n",
          t->mean_size[0], t->mean_size[1], t->inputs, t->id_hash);
}

static void print_table(sw_command_io *io, const void *context) {
  const session *s = context;
  sw_probe_print_data(io, &s->from);
  const sw_probe *p = &s->probe;
  print_stats(io, s);
  fprintf(io->out, "\n%-30s %-10s %8s %8s %7s %7s %7s %7s %9s\n", "score",
          "protocol", "false pr.", "missed", "AUROC", "AUPRC", "ECE", "Brier",
          "same size");
  for (int m = 0; m < p->models; m++)
    for (int k = 0; k < SW_BANK_PROTOCOLS; k++) {
      const char *protocol = sw_protocol_name((sw_protocol)k);
      char label[128];
      if (k == SW_BANK_CUMULATIVE && !s->result[m].used) continue;
      print_row(io, p->label[m], protocol, &s->result[m].mass[k], 1);
      snprintf(label, sizeof label, "%.80s, size-free", p->label[m]);
      print_row(io, label, protocol, &s->result[m].free[k], 1);
      if (!s->was_elsewhere[m]) continue;
      snprintf(label, sizeof label, "%.80s, other problem", p->label[m]);
      print_row(io, label, protocol, &s->elsewhere[m].mass[k], 1);
    }
  for (int k = 0; k < SW_BANK_TRIVIALS; k++)
    print_row(io, sw_bank_trivial_name(k), "-", &s->trivial[k],
              k != SW_BANK_TRIVIAL_SIZE);
  for (int m = 0; s->foreign && m < p->models; m++)
    if (!s->was_elsewhere[m])
      fprintf(
          io->out,
          "%s: reads states, not tokens; it cannot be shown another instance's "
          "problem\n",
          p->label[m]);
  for (int m = 0; m < p->models; m++) {
    const sw_bank_result *r = &s->result[m];
    const sw_interval *i = r->mass[0].interval;
    if (!r->used) continue; /* never asked behind a history */
    fprintf(io->out,
            "%s: protocol gap %.6g, largest difference of a history %.3g, "
            "bit-identical across protocols %.4g %%\n",
            p->label[m], r->protocol_gap, r->largest_gap,
            100 * r->exact_equal_rate);
    fprintf(io->out,
            "  95 %%: AUROC [%.4f, %.4f], false prunes [%.3f, %.3f] %%, missed "
            "[%.3f, %.3f] %%\n",
            i[2].low, i[2].high, 100 * i[0].low, 100 * i[0].high,
            100 * i[1].low, 100 * i[1].high);
    fprintf(io->out,
            "  %" PRId64
            " distinct pairs: agreement %.4f, symmetric KL %.3g, entanglement "
            "%.3g [%.3g, %.3g]\n",
            r->pairs, r->agreement, r->symmetric_kl, r->entanglement.point,
            r->entanglement.low, r->entanglement.high);
    if (r->skipped)
      fprintf(io->out,
              "  %" PRId64 " histories did not fit the position table\n",
              r->skipped);
  }
}

static int perform(void *context, const sw_list *rest, sw_err *err) {
  session *s = context;
  const char *what = rest->count == 1 ? rest->item[0] : "";
  int building = strcmp(what, "build") == 0;
  if (!building && strcmp(what, "eval") != 0) {
    sw_fail(err, SW_USAGE,
            "probe bank does one thing at a time: build or eval");
    return sw_hint(err, "statewise probe bank eval --model DIR");
  }
  return building ? build_only(s, err) : eval_models(s, err);
}

/* `probe bank eval --guide URL`: the word `eval` says nothing there. */
static const sw_command *by_guide(int *argc, char **argv) {
  const sw_command *guide = sw_probe_guide_instead(argc, argv);
  int kept = 0;
  for (int i = 0; guide && i < *argc; i++)
    if (i == 0 || strcmp(argv[i], "eval")) argv[kept++] = argv[i];
  if (guide) *argc = kept;
  return guide;
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  static const sw_probe_view view = {
      .measure = &sw_measure_bank, .text = print_table, .perform = perform};
  return sw_probe_main(self, io, argc, argv, &view, err);
}

const sw_command sw_command_probe_bank = {
    .name = "probe bank",
    .usage = "build|eval [--bank FILE] [--model DIR]... [-o FILE]",
    .words = "build|eval",
    .summary =
        "Judge continue-or-go-back on labelled states with known histories",
    .details =
        "build writes a bank of states, each reached by several histories; "
        "eval asks models "
        "about every state, with its history (cumulative) and without "
        "(rebuilt), and prints the "
        "trivial scores in the same table. Scores: the published backtrack "
        "mass, and one that "
        "does not depend on the number of continuations (size-free).\n"
        "The fair bank has equal size distributions in both classes and at "
        "least two distinct "
        "histories per state; the release bank is the published one.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .instead = by_guide,
    .takes_task = 1,
    .over_ranks = 1};
