/* Calibration: from DIR/bank.json (`statewise probe bank eval --json`), or
 * from a small state bank that is built and asked here. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/file.h"
#include "probe/bank_build.h"
#include "probe/bank_eval.h"
#include "report/report_data.h"
#include "report/read_json.h"
#include "search/loop.h"

static void read_figures(const json_t *row, sw_bank_figures *f) {
  size_t at;
  json_t *bin;
  if (!json_is_object(row)) return;
  f->has = 1;
  f->ece = sw_member_real(row, "ece", NAN);
  f->brier = sw_member_real(row, "brier", NAN);
  f->auroc = sw_member_real(row, "auroc", NAN);
  f->false_prune = sw_member_real(row, "false_prune_rate", NAN);
  f->missed = sw_member_real(row, "missed_conflict_rate", NAN);
  json_array_foreach(json_object_get(row, "reliability"), at, bin) {
    if (f->bins == SW_REPORT_BINS) return;
    f->bin[f->bins++] =
        (sw_bin_row){.mean_score = sw_member_real(bin, "mean_score", NAN),
                     .mean_label = sw_member_real(bin, "mean_label", NAN),
                     .count = sw_member_int(bin, "count", 0)};
  }
}

int sw_report_load_bank(sw_report_data *d, sw_err *err) {
  char path[1200];
  json_t *object, *row;
  size_t at;
  snprintf(path, sizeof path, "%s/bank.json", d->directory);
  SW_TRY(sw_read_json(path, &object, err));
  if (!object) return SW_OK;
  json_array_foreach(json_object_get(object, "models"), at, row) {
    const char *label = sw_member_text(row, "label", "");
    for (int i = 0; i < d->models; i++)
      if (!strcmp(label, d->model[i].loaded.label))
        for (int p = 0; p < 2; p++)
          read_figures(json_object_get(row, sw_protocol_name((sw_protocol)p)),
                       &d->model[i].bank[p]);
  }
  d->bank_states = sw_member_int(object, "states", 0);
  json_decref(object);
  return SW_OK;
}

static void copy_figures(const sw_bank_row *row, sw_bank_figures *f) {
  *f = (sw_bank_figures){.has = 1,
                         .ece = row->all.ece,
                         .brier = row->all.brier,
                         .auroc = row->all.auroc,
                         .false_prune = row->all.false_prune_rate,
                         .missed = row->all.missed_conflict_rate,
                         .bins = row->bins};
  for (int b = 0; b < row->bins && b < SW_REPORT_BINS; b++)
    f->bin[b] = (sw_bin_row){.mean_score = row->curve[b].mean_score,
                             .mean_label = row->curve[b].mean_label,
                             .count = row->curve[b].count};
}

static int ask_model(sw_report_model *m, const sw_bank *bank, uint64_t seed,
                     sw_team *team, sw_err *err) {
  sw_ask_options o = {
      .model = m->loaded.model, .reading = m->loaded.reading, .cached = 1};
  sw_asker *asker;
  sw_bank_scores scores;
  sw_bank_result result;
  SW_TRY(sw_asker_new(&asker, &o, team, err));
  int code = sw_bank_ask(bank, asker, &scores, NULL, NULL, err);
  if (!code) {
    code = sw_bank_evaluate(bank, &scores, 0, seed, &result, err);
    sw_bank_scores_free(&scores);
  }
  sw_asker_free(asker);
  if (code) return code;
  copy_figures(&result.mass[SW_BANK_CUMULATIVE], &m->bank[0]);
  copy_figures(&result.mass[SW_BANK_REBUILT], &m->bank[1]);
  return SW_OK;
}

int sw_report_make_bank(sw_report_data *d, int64_t viable, int64_t conflicts,
                        uint64_t seed, sw_team *team, sw_err *err) {
  const sw_loaded *first = &d->model[0].loaded;
  if (d->bank_states || !first->domain->search) return SW_OK;
  int32_t blocks = first->options.max_blocks;
  sw_bank_fair_options o = {
      .domain = first->domain,
      .domain_options = first->options,
      .seed = seed,
      .viable = viable,
      .conflicts = conflicts,
      .max_instances = 2000,
      .rollouts = 8,
      .max_histories = 2,
      .error = 0.15,
      .max_blocks = blocks > 0 && blocks < 24 ? blocks : 24};
  sw_bank bank;
  memset(&bank, 0, sizeof bank);
  int code = sw_bank_build_fair(&bank, &o, err);
  /* Too few states of a class: what was found is still worth a figure. */
  if (code == SW_LIMIT && bank.states > 0) code = SW_OK;
  for (int i = 0; i < d->models && !code; i++)
    if (d->model[i].loaded.domain == first->domain)
      code = ask_model(&d->model[i], &bank, seed, team, err);
  if (!code) d->bank_states = bank.states;
  sw_bank_free(&bank);
  return code;
}
