/* The measure `verify`: how well a verify head tells dead states from viable
 * ones, on the states of its own searches and on those of the repaired bank. */
#include <stdio.h>
#include <string.h>

#include "probe/measured.h"
#include "search/guide_family.h"
#include "search/viability.h"

typedef sw_verify_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_VERIFY_OPTIONS)};

/* The searches go back at exposed conflicts. Asking for scores that never
 * decide (head:1, or a model that is never believed) records the head's score
 * at every state, conflicts included. */
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

/* ---- what it finds ---- */

/* A table shows the head and the best score that needs no model; neither the
 * head nor the policy counts as such. */
static int best_of(const sw_dead_result *r) {
  const sw_dead_row *row = r->row[SW_DEAD_UNEXPOSED];
  int best = 2;
  for (int i = best + 1; i < SW_DEAD_SCORES && r->score[i]; i++)
    if (row[i].verdicts.auroc > row[best].verdicts.auroc) best = i;
  return best;
}

static double trivial_auroc(const void *found) {
  const sw_dead_result *r = found;
  return r->row[SW_DEAD_UNEXPOSED][best_of(r)].verdicts.auroc;
}

static void trivial_score(const void *found, sw_json *json) {
  const sw_dead_result *r = found;
  sw_json_string(json, "trivial_score", r->score[best_of(r)]);
}

#define F(...) SW_FIGURE(__VA_ARGS__)
#define R sw_dead_row
/* The scores in `all` and `unexposed` share these figures; the head has
 * more. */
enum { COMMON = 5 };
static const sw_figure score[] = {
    {.name = "score",
     .kind = SW_FIGURE_TEXT,
     .heading = "score",
     .help = "the head's is entry 0, the policy's entry 1"},
    {F(COUNT, R, verdicts.states, "states", "states", "states scored")},
    {F(COUNT, R, verdicts.conflicts, "dead", "dead", "that lead nowhere")},
    {F(SCORE, R, verdicts.auroc, "auroc", "AUROC",
       "a dead state scores higher than a viable one"),
     .interval = "auroc_interval"},
    {F(INTERVAL, R, auroc, "auroc_interval", "95 % interval",
       "resampling instances")},
    {F(SHARE, R, verdicts.false_prune_rate, "false_prune_rate",
       "false prunes at 0.5", "viable states above 0.5 (entry 0)")},
    {F(SHARE, R, verdicts.missed_conflict_rate, "missed_rate", "missed",
       "dead states below 0.5 (entry 0)")},
    {F(SCORE, R, verdicts.ece, "ece", "ECE",
       "difference of what is said and what is true (entry 0)")},
    {F(SCORE, R, verdicts.brier, "brier", "Brier score",
       "mean squared error of the probability (entry 0)")},
    {0}};
#undef R

#define ENTRY(KIND, T, m, heading, help) \
  { F(KIND, T, m, #m, heading, help) }
#define R sw_dead_threshold
static const sw_figure threshold[] = {
    ENTRY(SCORE, R, tau, "threshold", "a score above it counts as dead"),
    ENTRY(COUNT, R, flagged, "flagged", "states above it"),
    ENTRY(SHARE, R, false_prune_rate, "false prunes", "viable states above"),
    ENTRY(SHARE, R, recall, "recall", "dead states above it"),
    {0}};
#undef R
#define R sw_reliability_bin
static const sw_figure bin[] = {
    ENTRY(SCORE, R, mean_score, "said", "mean score of the bin"),
    ENTRY(SHARE, R, mean_label, "true", "share of dead states"),
    ENTRY(COUNT, R, count, "states", "states in the bin"),
    {0}};
#undef R

static void part(const sw_dead_result *r, sw_dead_part which, const char *key,
                 sw_json *json) {
  sw_figure common[COMMON + 1] = {{0}};
  memcpy(common, score, COMMON * sizeof *score);
  sw_json_array(json, key);
  for (int i = 0; i < SW_DEAD_SCORES && r->score[i]; i++) {
    sw_json_object(json, NULL);
    sw_json_string(json, score->name, r->score[i]);
    sw_figures_json(i ? common : score, &r->row[which][i], json);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void all(const void *found, sw_json *json) {
  part(found, SW_DEAD_ALL, "all", json);
}
static void unexposed(const void *found, sw_json *json) {
  part(found, SW_DEAD_UNEXPOSED, "unexposed", json);
}

static void list(const char *key, const sw_figure *row, const void *first,
                 size_t bytes, int count, sw_json *json) {
  sw_json_array(json, key);
  for (int i = 0; i < count; i++) {
    sw_json_object(json, NULL);
    sw_figures_json(row, (const char *)first + (size_t)i * bytes, json);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void thresholds(const void *found, sw_json *json) {
  const sw_dead_result *r = found;
  list("thresholds", threshold, r->sweep, sizeof *r->sweep, SW_DEAD_THRESHOLDS,
       json);
}
static void calibration(const void *found, sw_json *json) {
  const sw_dead_result *r = found;
  list("calibration", bin, r->curve, sizeof *r->curve, r->bins, json);
}

#define R sw_dead_result
#define HEAD SW_DEAD_ALL][0
#define ALONE SW_DEAD_UNEXPOSED][0
#define POLICY SW_DEAD_UNEXPOSED][1
static const sw_figure result[] = {
    {F(COUNT, R, instances, "instances", "instances", "that they come from")},
    {F(COUNT, R, states, "states", "states", "states scored"), .shown = 1},
    {F(COUNT, R, dead, "dead", "dead", "of them lead nowhere"), .shown = 2},
    {F(COUNT, R, exposed, "exposed", "exposed", "of these show a conflict")},
    {F(SCORE, R, row[HEAD].verdicts.auroc, "head_auroc", "AUROC",
       "of the head, on all states"),
     .shown = 3},
    {F(SCORE, R, row[ALONE].verdicts.auroc, "head_auroc_unexposed",
       "AUROC, no conflict shown", "of the head, where only foresight helps"),
     .shown = 4},
    {F(SCORE, R, row[POLICY].verdicts.auroc, "policy_auroc_unexposed", "policy",
       "of what the policy thinks of going back, on the same"),
     .shown = 5},
    {.name = "trivial_auroc_unexposed",
     .kind = SW_FIGURE_SCORE,
     .heading = "without a model",
     .help = "of the best score that needs none, on the same",
     .real = trivial_auroc,
     .shown = 6},
    {.name = "trivial_score",
     .kind = SW_FIGURE_TEXT,
     .heading = "which",
     .help = "which score that is",
     .write = trivial_score,
     .shown = 7},
    {F(SHARE, R, row[ALONE].verdicts.false_prune_rate, "false_prune_rate",
       "false prunes at 0.5", "viable states that the head gives above 0.5"),
     .shown = 8},
    {F(SHARE, R, row[ALONE].verdicts.missed_conflict_rate, "missed_rate",
       "missed", "dead states that the head gives below 0.5"),
     .shown = 9},
    {F(SCORE, R, row[HEAD].verdicts.ece, "ece", "ECE",
       "what the head says against what is true, on all states"),
     .shown = 10},
    {.name = "all",
     .kind = SW_FIGURE_SERIES,
     .heading = "all states",
     .help = "every score on all states",
     .write = all,
     .part = score},
    {.name = "unexposed",
     .kind = SW_FIGURE_SERIES,
     .heading = "no conflict shown",
     .help = "every score on states that show no conflict",
     .write = unexposed,
     .part = score},
    {.name = "thresholds",
     .kind = SW_FIGURE_SERIES,
     .heading = "thresholds",
     .help = "of the head on those, threshold by threshold",
     .write = thresholds,
     .part = threshold},
    {.name = "calibration",
     .kind = SW_FIGURE_SERIES,
     .heading = "calibration curve",
     .help = "of the head on all states, bins of equal mass",
     .write = calibration,
     .part = bin},
    {0}};
#undef R

static const sw_figure figures[] = {
    {.name = "rollouts",
     .kind = SW_FIGURE_VIEW,
     .heading = "own searches",
     .help = "states of the model's own searches",
     .part = result,
     .shown = 1},
    {.name = "bank",
     .kind = SW_FIGURE_VIEW,
     .heading = "bank",
     .help = "states of the repaired bank",
     .part = result,
     .shown = 2},
    {0}};

static void of_part(const sw_figure *f, const sw_dead_result *r,
                    sw_json *json) {
  sw_json_object(json, f->name);
  sw_figures_json(f->part, r, json);
  sw_json_end(json);
}

static void members(const void *context, int m, sw_json *json) {
  const session *s = context;
  of_part(&figures[0], &s->rollouts[m], json);
  if (s->bank[m].states) of_part(&figures[1], &s->bank[m], json);
}

const sw_measure sw_measure_verify = {
    .name = "verify",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .figures = figures,
    .caption =
        "Which states are dead: the verify head beside the policy and "
        "the best score without a model",
    .members = members};
