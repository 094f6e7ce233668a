/* The measure `verify`: how well a verify head tells dead states from viable
 * ones, on the states of its own searches and on those of the repaired bank. */
#include <stdio.h>
#include <string.h>

#include "probe/measured.h"
#include "search/guide_family.h"
#include "search/viability.h"

typedef sw_verify_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_VERIFY_OPTIONS)};

/* Its searches go back at exposed conflicts; asking for scores that never
 * decide (head:1, or a model that is never believed) lets the head speak
 * everywhere, at conflicts too. */
static int search(session *s, const sw_loaded *loaded,
                  sw_viability_judge *judge, sw_err *err) {
  sw_probe *p = &s->probe;
  sw_guide *guide;
  sw_condition c;
  sw_condition_options o;
  sw_guide_setup setup = {.mask = p->eval_mask, .positions = p->eval_positions};
  sw_condition_defaults(&o);
  o.seed = p->seed;
  o.instances = s->instances;
  o.verifier = judge ? "any:exact+noise:0,1:model" : "any:exact+head:1";
  o.on_error = SW_ON_ERROR_RESCUE;
  SW_TRY(sw_guide_model(&guide, loaded, &setup, p->team, err));
  int code = sw_condition_make(&c, &o, guide, &p->options, err);
  sw_probe_begin(p, "instances", s->instances);
  if (!code)
    code = sw_dead_rollouts(&c, judge, p->resamples, sw_probe_step, s,
                            &s->rollouts[p->models], err);
  sw_probe_end(p);
  sw_guide_close(guide);
  return code;
}

static int build(session *s, const sw_loaded *loaded, sw_bank *bank,
                 sw_err *err) {
  if (s->bank_file) return sw_bank_load(bank, s->bank_file, err);
  sw_bank_fair_options o = {.domain = loaded->domain,
                            .domain_options = s->probe.options,
                            .seed = (uint64_t)s->probe.seed,
                            .viable = s->bank_states,
                            .conflicts = s->bank_states,
                            .max_instances = 4096,
                            .rollouts = 16,
                            .max_histories = 4,
                            .error = 0.15};
  int32_t blocks = o.domain_options.max_blocks;
  o.max_blocks = blocks > 0 ? blocks : 96;
  int code = sw_bank_build_fair(bank, &o, err);
  return code == SW_LIMIT && bank->states > 0 ? SW_OK : code;
}

static int refuse_pads(const sw_domain *domain, const char *format,
                       sw_err *err) {
  int code = sw_refuse_pads(domain, format, err);
  if (code) sw_hint(err, "--bank-states 0 asks about its own searches alone");
  return code;
}

static int ask_bank(session *s, const sw_loaded *loaded,
                    sw_viability_judge *judge, sw_err *err) {
  sw_probe *p = &s->probe;
  sw_bank bank;
  sw_asker *asker = NULL;
  memset(&bank, 0, sizeof bank);
  int code = build(s, loaded, &bank, err);
  if (!code && (code = sw_bank_suits(&bank, loaded->domain, &p->options, err)))
    sw_context(err, "%s", s->bank_file ? s->bank_file : loaded->path);
  if (!code) code = refuse_pads(loaded->domain, bank.format, err);
  if (!code) code = sw_probe_open(p, loaded, 1, &asker, err);
  sw_probe_begin(p, "states", bank.states);
  if (!code)
    code = sw_dead_bank(&bank, asker, judge, loaded->domain, &p->options,
                        p->resamples, (uint64_t)p->seed, sw_probe_step, s,
                        &s->bank[p->models], err);
  sw_probe_end(p);
  sw_asker_free(asker);
  sw_bank_free(&bank);
  return code;
}

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_viability_judge judge = {0}, *by = s->judge ? &judge : NULL;
  if (s->bank_states && !s->bank_file) /* before hours of searches */
    SW_TRY(refuse_pads(loaded->domain, s->probe.options.format, err));
  int code = by ? sw_viability_open(by, loaded->domain, s->judge, err) : SW_OK;
  if (!code) code = search(s, loaded, by, err);
  if (!code && (s->bank_states || s->bank_file))
    code = ask_bank(s, loaded, by, err);
  if (by) sw_viability_close(by);
  return code;
}

static void part_json(const sw_dead_result *r, sw_dead_part part,
                      const char *key, sw_json *json) {
  sw_json_array(json, key);
  for (int i = 0; i < SW_DEAD_SCORES && r->score[i]; i++) {
    const sw_dead_row *row = &r->row[part][i];
    sw_json_object(json, NULL);
    sw_json_string(json, "score", r->score[i]);
    sw_json_int(json, "states", row->verdicts.states);
    sw_json_int(json, "dead", row->verdicts.conflicts);
    sw_json_real(json, "auroc", row->verdicts.auroc);
    sw_probe_interval_json(json, "auroc_interval", row->auroc);
    if (i == 0) {
      sw_json_real(json, "false_prune_rate", row->verdicts.false_prune_rate);
      sw_json_real(json, "missed_rate", row->verdicts.missed_conflict_rate);
      sw_json_real(json, "ece", row->verdicts.ece);
      sw_json_real(json, "brier", row->verdicts.brier);
    }
    sw_json_end(json);
  }
  sw_json_end(json);
}

/* What a table shows: the head, and the best that needs no model (neither the
 * head nor the policy). */
static void summary_json(const sw_dead_result *r, sw_json *json) {
  const sw_dead_row *row = r->row[SW_DEAD_UNEXPOSED];
  int best = 2;
  for (int i = best + 1; i < SW_DEAD_SCORES && r->score[i]; i++)
    if (row[i].verdicts.auroc > row[best].verdicts.auroc) best = i;
  sw_json_real(json, "head_auroc", r->row[SW_DEAD_ALL][0].verdicts.auroc);
  sw_json_real(json, "head_auroc_unexposed", row[0].verdicts.auroc);
  sw_json_real(json, "policy_auroc_unexposed", row[1].verdicts.auroc);
  sw_json_real(json, "trivial_auroc_unexposed", row[best].verdicts.auroc);
  sw_json_string(json, "trivial_score", r->score[best]);
  sw_json_real(json, "false_prune_rate", row[0].verdicts.false_prune_rate);
  sw_json_real(json, "missed_rate", row[0].verdicts.missed_conflict_rate);
  sw_json_real(json, "ece", r->row[SW_DEAD_ALL][0].verdicts.ece);
}

static void result_json(const sw_dead_result *r, const char *key,
                        sw_json *json) {
  sw_json_object(json, key);
  sw_json_int(json, "instances", r->instances);
  sw_json_int(json, "states", r->states);
  sw_json_int(json, "dead", r->dead);
  sw_json_int(json, "exposed", r->exposed);
  summary_json(r, json);
  part_json(r, SW_DEAD_ALL, "all", json);
  part_json(r, SW_DEAD_UNEXPOSED, "unexposed", json);
  sw_json_array(json, "thresholds");
  for (int t = 0; t < SW_DEAD_THRESHOLDS; t++) {
    sw_json_object(json, NULL);
    sw_json_real(json, "tau", r->sweep[t].tau);
    sw_json_int(json, "flagged", r->sweep[t].flagged);
    sw_json_real(json, "false_prune_rate", r->sweep[t].false_prune_rate);
    sw_json_real(json, "recall", r->sweep[t].recall);
    sw_json_end(json);
  }
  sw_json_end(json);
  sw_json_array(json, "calibration");
  for (int b = 0; b < r->bins; b++) {
    sw_json_object(json, NULL);
    sw_json_real(json, "mean_score", r->curve[b].mean_score);
    sw_json_real(json, "mean_label", r->curve[b].mean_label);
    sw_json_int(json, "count", r->curve[b].count);
    sw_json_end(json);
  }
  sw_json_end(json);
  sw_json_end(json);
}

static void members(const void *context, int m, sw_json *json) {
  const session *s = context;
  result_json(&s->rollouts[m], "rollouts", json);
  if (s->bank[m].states) result_json(&s->bank[m], "bank", json);
}

const sw_measure sw_measure_verify = {
    .name = "verify",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .members = members};
