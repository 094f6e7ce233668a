/* The measure `bank`: continue-or-go-back on labelled states. */
#include <stdio.h>
#include <string.h>

#include "probe/measured.h"
#include "search/loop.h"

typedef sw_bank_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_BANK_OPTIONS)};

static int build_release(session *s, const sw_domain *domain, sw_err *err) {
  sw_release_options o = SW_RELEASE_DEFAULTS;
  SW_TRY(sw_release_task(domain, &s->probe.task, &o, err));
  if (s->instances >= 0) o.instances = s->instances;
  if (s->rollouts >= 0) o.traces = s->rollouts;
  o.seed = (uint64_t)s->probe.seed;
  o.by_activity = s->order;
  o.max_histories = s->histories;
  return sw_bank_build_release(&s->bank, &o, err);
}

int sw_probe_fair_bank(const sw_probe *probe, const sw_domain *domain,
                       const sw_domain_options *base, sw_bank_fair_options *o,
                       int fewer, sw_bank *bank, sw_err *err) {
  o->domain = domain;
  o->seed = (uint64_t)probe->seed;
  SW_TRY(sw_probe_options(probe, domain, base, &o->domain_options, err));
  int64_t most =
      o->domain_options.max_blocks > 0 ? o->domain_options.max_blocks : 96;
  if (!o->max_blocks || o->max_blocks > most) o->max_blocks = most;
  int code = sw_bank_build_fair(bank, o, err);
  return code == SW_LIMIT && fewer && bank->states > 0 ? SW_OK : code;
}

static int build_fair(session *s, const sw_domain *domain,
                      const sw_domain_options *base, sw_err *err) {
  sw_bank_fair_options o = {
      .viable = s->viable,
      .conflicts = s->conflicts,
      .max_instances = s->instances >= 0 ? s->instances : 4096,
      .rollouts = s->rollouts >= 0 ? s->rollouts : 16,
      .max_histories = s->histories,
      .error = s->bank_error,
      .max_blocks = s->blocks};
  return sw_probe_fair_bank(&s->probe, domain, base, &o, s->fewer, &s->bank,
                            err);
}

int sw_bank_session_build(session *s, const sw_domain *domain,
                          const sw_domain_options *base, sw_err *err) {
  if (s->built) return SW_OK;
  s->built = 1;
  if (s->file) return sw_bank_load(&s->bank, s->file, err);
  if (s->data) {
    if (!s->from.set.file)
      SW_TRY(sw_probe_data_open(&s->from, s->data, s->part, err));
    return sw_bank_build_data(&s->bank, &s->from, s->histories,
                              s->instances < 0 ? 0 : s->instances, err);
  }
  SW_TRY(sw_domain_searchable(domain, err));
  return s->construction ? build_release(s, domain, err)
                         : build_fair(s, domain, base, err);
}

static int ask_once(session *s, const sw_bank_asking *how, sw_asker *asker,
                    sw_bank_result *out, sw_err *err) {
  sw_probe *p = &s->probe;
  sw_bank_scores scores;
  sw_probe_begin(p, "states", s->bank.states);
  int code = sw_bank_ask(&s->bank, how, asker, &scores, sw_probe_step, s, err);
  sw_probe_end(p);
  if (code) return code;
  code = sw_bank_evaluate(&s->bank, &scores, p->resamples, (uint64_t)p->seed,
                          out, err);
  sw_bank_scores_free(&scores);
  return code;
}

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_probe *p = &s->probe;
  sw_asker *asker;
  if (s->data)
    SW_TRY(sw_probe_data_for(&s->from, s->data, s->part, loaded, err));
  SW_TRY(sw_bank_session_build(s, loaded->domain, &loaded->options, err));
  if (sw_bank_suits(&s->bank, loaded->domain, &p->options, err))
    return sw_context(err, "%s", s->file ? s->file : loaded->path);
  sw_domain_options options = loaded->options;
  options.format = s->bank.format;
  sw_bank_asking how = {
      .domain = s->construction || s->data ? NULL : loaded->domain,
      .options = &options,
      .spans = loaded->domain->token.problem_span ? loaded->domain : NULL};
  enum { AUTO, YES, NO };
  how.rebuilt_only = s->with_history == NO ||
                     (s->with_history == AUTO && sw_bank_writes_pads(&how));
  SW_TRY(sw_probe_open(p, loaded, s->path == 0, &asker, err));
  int code = ask_once(s, &how, asker, &s->result[p->models], err);
  how.foreign = s->foreign && !sw_asker_reads_states(asker);
  s->was_elsewhere[p->models] = how.foreign;
  if (!code && how.foreign)
    code = ask_once(s, &how, asker, &s->elsewhere[p->models], err);
  sw_asker_free(asker);
  return code;
}

static int finish(void *context, sw_err *err) {
  session *s = context;
  SW_TRY(sw_bank_stats_of(&s->bank, &s->stats, err));
  for (int k = 0; k < SW_BANK_TRIVIALS; k++)
    SW_TRY(sw_bank_trivial_row(&s->bank, k, s->probe.resamples,
                               (uint64_t)s->probe.seed, &s->trivial[k], err));
  return SW_OK;
}

static void head(const void *context, sw_json *json) {
  const session *s = context;
  sw_json_string(json, "domain", s->bank.domain);
  sw_probe_data_json(&s->from, json);
  sw_json_string(json, "construction", s->bank.construction);
  sw_json_string(json, "format", s->bank.format);
  sw_figures_json(sw_bank_stats_figures, &s->stats, json);
}

static void members(const void *context, int m, sw_json *json) {
  const session *s = context;
  sw_figures_json(sw_bank_figures, &s->result[m], json);
  if (!s->foreign) return;
  if (!s->was_elsewhere[m]) {
    sw_json_null(json, "foreign_problem");
    return;
  }
  sw_json_object(json, "foreign_problem");
  sw_figures_json(sw_bank_foreign_figures, &s->elsewhere[m], json);
  sw_json_end(json);
}

static void tail(const void *context, sw_json *json) {
  const session *s = context;
  sw_json_array(json, "trivial");
  for (int k = 0; k < SW_BANK_TRIVIALS; k++) {
    sw_json_object(json, NULL);
    sw_json_string(json, "label", sw_bank_trivial_name(k));
    sw_figures_json(sw_bank_row_figures, &s->trivial[k], json);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void clear(void *context) {
  session *s = context;
  sw_bank_free(&s->bank);
  sw_probe_data_close(&s->from);
}

const sw_measure sw_measure_bank = {
    .name = "bank",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .finish = finish,
    .head = head,
    .figures = sw_bank_figures,
    .of_all = sw_bank_stats_figures,
    .caption = "Verdicts on labelled states: go back or go on",
    .note =
        "Each state is asked after several histories; a probability is "
        "the mean over them.",
    .members = members,
    .tail = tail,
    .clear = clear};
