/* The measure `local`: heads that read what the last decision touched. */
#include <string.h>

#include "probe/measured.h"
#include "search/guide_family.h"

typedef sw_local_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_LOCAL_OPTIONS)};

/* Searches go back at exposed conflicts; the second half never says anything,
 * but asks for scores there too. */
static const char VERIFIER[] = "any:exact+noise:0,1:model";

static int condition(const session *s, sw_guide *guide, sw_condition *c,
                     sw_err *err) {
  sw_condition_options o;
  sw_condition_defaults(&o);
  o.seed = s->probe.seed;
  o.instances = s->learn + s->instances;
  o.verifier = VERIFIER;
  o.on_error = SW_ON_ERROR_RESCUE;
  return sw_condition_make(c, &o, guide, &s->probe.options, err);
}

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_probe *p = &s->probe;
  sw_guide *own = NULL, *expert = NULL;
  sw_condition by_own, by_expert;
  sw_asker *asker = NULL;
  sw_guide_setup setup = {.mask = p->eval_mask, .positions = p->eval_positions};
  if (strcmp(loaded->model->family->reads, "tokens"))
    return sw_fail(err, SW_USAGE,
                   "%s reads %s: there are no vectors of a block's tokens",
                   loaded->path, loaded->model->family->reads);
  int code = sw_guide_model(&own, loaded, &setup, p->team, err);
  if (!code) code = sw_guide_expert(&expert, loaded->domain, err);
  if (!code) code = condition(s, own, &by_own, err);
  if (!code) code = condition(s, expert, &by_expert, err);
  if (!code) code = sw_probe_open(p, loaded, 0, &asker, err);
  sw_local_task task = {.own = &by_own,
                        .expert = &by_expert,
                        .asker = asker,
                        .width = loaded->model->hidden,
                        .learn = s->learn,
                        .ask = s->instances,
                        .resamples = p->resamples,
                        .options = {.focus = s->focus,
                                    .positive = s->positive,
                                    .rate = s->rate,
                                    .batch = 32,
                                    .epochs = s->epochs,
                                    .seed = (uint64_t)p->seed}};
  sw_probe_begin(p, "instances", s->learn + s->instances);
  if (!code)
    code =
        sw_local_compare(&task, sw_probe_step, s, &s->result[p->models], err);
  sw_probe_end(p);
  sw_asker_free(asker);
  sw_guide_close(own);
  sw_guide_close(expert);
  return code;
}

static void question_json(const sw_local_result *r, sw_local_question q,
                          const char *key, sw_json *json) {
  sw_json_array(json, key);
  for (int i = 0; i < SW_LOCAL_SCORES && r->score[i]; i++) {
    const sw_local_row *row = &r->row[q][i];
    if (!row->asked) continue;
    sw_json_object(json, NULL);
    sw_json_string(json, "score", r->score[i]);
    sw_json_int(json, "states", row->verdicts.states);
    sw_json_int(json, "positive", row->verdicts.conflicts);
    sw_json_real(json, "auroc", row->verdicts.auroc);
    sw_probe_interval_json(json, "auroc_interval", row->auroc);
    if (i < r->heads) {
      sw_json_real(json, "precision", row->precision);
      sw_json_real(json, "recall", 1 - row->verdicts.missed_conflict_rate);
      sw_json_real(json, "ece", row->verdicts.ece);
      sw_json_real(json, "brier", row->verdicts.brier);
    }
    sw_json_end(json);
  }
  sw_json_end(json);
}

/* What a table shows: both heads, and the best that needs none. */
static void summary_json(const sw_local_result *r, sw_json *json) {
  static const char *const key[][3] = {
      {"plain_auroc_exposed", "local_auroc_exposed", "trivial_auroc_exposed"},
      {"plain_auroc_dead", "local_auroc_dead", "trivial_auroc_dead"}};
  for (int q = 0; q < SW_LOCAL_QUESTIONS; q++) {
    const sw_local_row *row = r->row[q];
    int local = 1, best = r->heads;
    while (local + 1 < r->heads && !row[local].asked) local++;
    for (int i = best + 1; i < SW_LOCAL_SCORES && r->score[i]; i++)
      if (row[i].verdicts.auroc > row[best].verdicts.auroc) best = i;
    sw_json_real(json, key[q][0], row[0].verdicts.auroc);
    sw_json_real(json, key[q][1], row[local].verdicts.auroc);
    sw_json_real(json, key[q][2], row[best].verdicts.auroc);
    sw_json_string(json, q ? "trivial_dead" : "trivial_exposed",
                   r->score[best]);
  }
}

static void members(const void *context, int m, sw_json *json) {
  const session *s = context;
  const sw_local_result *r = &s->result[m];
  sw_json_int(json, "states", r->states);
  sw_json_int(json, "exposed_states", r->exposed);
  sw_json_int(json, "dead_states", r->dead);
  sw_json_int(json, "touched", r->touched);
  sw_json_int(json, "learned_expert", r->learned[0]);
  sw_json_int(json, "learned_both", r->learned[1]);
  summary_json(r, json);
  question_json(r, SW_LOCAL_EXPOSED, "exposed", json);
  question_json(r, SW_LOCAL_DEAD, "dead", json);
}

const sw_measure sw_measure_local = {
    .name = "local",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .members = members};
