/* `statewise quickstart --domain`: does a search of one's own entangle? Traces
 * of its expert, a model with state-local attention and one that sees the whole
 * history, both trained until they are flat, searches with and without history,
 * and the same states after other histories. Every stage leaves a file in OUT
 * and is resumed or taken when it is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "command/commands.h"
#include "command/quickstart.h"
#include "domains/produce.h"
#include "domains/produced.h"
#include "domains/registry.h"
#include "probe/measured.h"
#include "report/report.h"
#include "search/guide_family.h"
#include "search/score.h"

enum { WAYS = 3 };
static const int ways[WAYS] = {SW_CUMULATIVE, SW_REBUILT, SW_REBUILT_IN_PLACE};
static const char *const masks[] = {"ssa", "causal"};

typedef struct own {
  sw_command_io *io;
  const sw_quick_options *o;
  const sw_domain *domain;
  sw_domain_options task;
  sw_team *team;
  sw_results *results;
  sw_progress progress;
  sw_quick_summary summary;
  sw_loaded kept; /* the rules' task is this model's, texts and all */
  char data[1200];
  double best_loss; /* of the models so far; 0: none */
} own;

static void show(void *context, const char *label, int64_t done,
                 int64_t total) {
  sw_progress_show(context, label, done, total);
}

/* ---- traces ---- */

/* Traces that stop early leave the positions behind untrained. */
static void warn_of_cuts(const own *q, const sw_produce_stats *s) {
  if (s->cut * 10 > s->kept)
    sw_note(q->io,
            "warning: %lld of %lld traces are cut at %d blocks; a search with "
            "its history ends where the longest trace does (--max-blocks)",
            (long long)s->cut, (long long)s->kept, q->task.max_blocks);
}

static int make_data(own *q, sw_err *err) {
  const sw_quick_options *o = q->o;
  uint64_t seed = (uint64_t)o->seed;
  snprintf(q->data, sizeof q->data, "%.1000s/data.safetensors", o->out);
  const sw_produced_want want = {.count = o->traces, .seed = &seed};
  if (sw_path_exists(q->data))
    return sw_produced_check(q->domain, &q->task, &want, q->data, err);
  const sw_produce_options produce = {
      .count = o->traces, .seed = seed, .threads = o->threads};
  sw_produce_hooks hooks = {&q->progress, show, q->io->stop};
  sw_produce_stats stats;
  SW_TRY(sw_make_parents(q->data, err));
  sw_progress_begin(&q->progress, q->io, (sw_progress_mode)o->progress,
                    "traces", o->traces);
  int code =
      sw_produce(q->domain, &q->task, &produce, q->data, &hooks, &stats, err);
  sw_progress_end(&q->progress);
  if (!code) warn_of_cuts(q, &stats);
  return code;
}

/* Are enough problems left that were not trained on? Checked before the hours
 * of training. */
static int need_test_problems(own *q, sw_err *err) {
  const sw_domain *domain = q->domain;
  const uint64_t seed = (uint64_t)q->o->seed;
  sw_domain_options task = q->task;
  sw_stream *stream;
  if (task.exclude > 0) {
    task.exclude = (int)q->o->traces;
    task.exclude_seed = q->o->seed;
  }
  SW_TRY(domain->stream_new(&stream, &task, seed, SW_SPLIT_TEST, err));
  int code = SW_OK;
  for (int64_t i = 0; i < q->o->instances && !code; i++) {
    sw_instance *instance;
    code = domain->stream_next(stream, &instance, err);
    if (!code) domain->instance_free(instance);
  }
  domain->stream_free(stream);
  return code;
}

/* ---- a model ---- */

/* Plays one guide in the three ways; a rule reads only the state, so its three
 * results are equal. */
static int search(own *q, sw_guide *guide, const sw_domain_options *task,
                  const char *verifier, sw_summary_row *row, sw_err *err) {
  sw_score_row score[WAYS] = {{.label = ""}};
  int code = SW_OK;
  for (int w = 0; w < WAYS && !code; w++) {
    sw_condition c;
    sw_condition_options options;
    sw_condition_defaults(&options);
    options.protocol = ways[w];
    options.verifier = verifier;
    options.verdict_shown = q->o->verdict_shown;
    options.instances = q->o->instances;
    options.seed = q->o->seed;
    sw_score_hooks hooks = {&q->progress, show, q->io->stop};
    code = sw_condition_make(&c, &options, guide, task, err);
    if (code) break;
    sw_progress_begin(&q->progress, q->io, (sw_progress_mode)q->o->progress,
                      "searches", c.instances);
    code = sw_score(&c, q->results, &hooks, &score[w], err);
    sw_progress_end(&q->progress);
  }
  if (!code) {
    row->with = score[0].summary;
    row->without = score[1].summary;
    row->in_place = score[2].summary;
    row->has_in_place = 1;
    code = sw_summary_gap(&row->gap, score[0].outcomes, score[0].summary.n,
                          score[1].outcomes, score[1].summary.n, err);
  }
  if (!code)
    code = sw_summary_gap(&row->gap_in_place, score[0].outcomes,
                          score[0].summary.n, score[2].outcomes,
                          score[2].summary.n, err);
  for (int w = 0; w < WAYS; w++) sw_score_free(&score[w]);
  return code;
}

static int transplant(own *q, const char *path, sw_summary_row *row,
                      sw_err *err) {
  char number[32];
  sw_probe *p;
  SW_TRY(sw_measure_new(&p, &sw_measure_transplant, q->team, NULL, err));
  snprintf(number, sizeof number, "%lld", (long long)q->o->pairs);
  int code = sw_measure_set(p, "states", number, err);
  snprintf(number, sizeof number, "%lld", (long long)q->o->seed);
  if (!code) code = sw_measure_set(p, "seed", number, err);
  for (int i = 0; i < q->o->task.count && !code; i++)
    code = sw_measure_set(p, q->o->task.item[i].name, q->o->task.item[i].value,
                          err);
  if (!code) code = sw_measure_take(p, &path, 1, err);
  if (!code) code = sw_measure_write(p, path, err);
  if (!code) {
    const sw_transplant_result *r = ((sw_transplant_session *)p)->result;
    row->agreement = r->policy.argmax;
    row->agreement_low = r->policy.argmax_interval.low;
    row->agreement_high = r->policy.argmax_interval.high;
    row->exact_equal = r->exact_equal_rate;
    row->pairs = r->pairs;
    row->states = r->states;
    if (!r->pairs)
      sw_note(q->io,
              "warning: no state was met after two different "
              "histories; `key` of look says which states are the same");
  }
  sw_measure_free(p);
  return code;
}

static int model_row(own *q, const char *mask, sw_err *err) {
  char path[1200];
  sw_train_result result = {.valid_loss = q->best_loss};
  sw_loaded loaded;
  sw_guide *guide = NULL;
  sw_summary_row *row = sw_summary_add(&q->summary);
  if (!row) return sw_no_memory(err);
  snprintf(path, sizeof path, "%.1000s/%s", q->o->out, mask);
  SW_TRY(sw_quick_train(q->io, q->o, q->data, mask, path, &result, err));
  snprintf(row->model, sizeof row->model, "%s", mask);
  row->has_model = 1;
  q->best_loss = result.valid_loss;
  row->train_seconds = result.seconds;
  SW_TRY(sw_loaded_open(&loaded, path, err));
  sw_domain_options task = loaded.options;
  int code = sw_domain_apply(q->domain, &q->o->task, &task, err);
  if (!code) code = sw_guide_model(&guide, &loaded, NULL, q->team, err);
  if (!code) code = search(q, guide, &task, q->o->verifier, row, err);
  sw_guide_close(guide);
  if (!q->kept.model) { /* the rules face the same problems */
    q->task = task;
    q->kept = loaded;
  } else {
    sw_loaded_close(&loaded);
  }
  return code ? code : transplant(q, path, row, err);
}

/* ---- rules beside them ---- */

static int rule_row(own *q, const char *rule, const char *verifier,
                    const char *about, sw_err *err) {
  sw_guide *guide;
  sw_summary_row *row = sw_summary_add(&q->summary);
  if (!row) return sw_no_memory(err);
  snprintf(row->model, sizeof row->model, "%s, %s", rule, verifier);
  row->about = about;
  SW_TRY(sw_guide_named(&guide, q->domain, rule, err));
  int code = search(q, guide, &q->task, verifier, row, err);
  sw_guide_close(guide);
  return code;
}

static int rule_rows(own *q, sw_err *err) {
  const sw_search_ops *s = q->domain->search;
  if (s->rule.onward)
    SW_TRY(rule_row(q, s->rule.onward, "never",
                    "never goes back: a model that solves no more does not "
                    "profit from going back",
                    err));
  return s->rule.exact ? rule_row(q, s->rule.exact, "exact",
                                  "is what the models imitate", err)
                       : SW_OK;
}

static int prepare(own *q, sw_err *err) {
  char path[1200];
  SW_TRY(sw_domain_named(q->o->domain, &q->domain, err));
  SW_TRY(sw_domain_searchable(q->domain, err));
  if (!q->domain->search->rule.exact) {
    sw_fail(err, SW_USAGE, "`%s` has no expert to learn from", q->domain->name);
    return sw_hint(err, "`expert` in the has of its hello; or gen --play");
  }
  sw_domain_defaults(q->domain, &q->task);
  SW_TRY(sw_domain_apply(q->domain, &q->o->task, &q->task, err));
  SW_TRY(q->domain->resolve(&q->task, err));
  SW_TRY(sw_make_dirs(q->o->out, err));
  SW_TRY(sw_team_new(&q->team, q->o->threads, err));
  snprintf(path, sizeof path, "%.1000s/results.db", q->o->out);
  return sw_results_open(&q->results, path, err);
}

static int all(own *q, sw_err *err) {
  char page[1400];
  SW_TRY(prepare(q, err));
  SW_TRY(make_data(q, err));
  SW_TRY(need_test_problems(q, err));
  for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
    SW_TRY(model_row(q, masks[i], err));
  SW_TRY(rule_rows(q, err));
  SW_TRY(sw_results_commit(q->results, err));
  SW_TRY(sw_quick_show(q->io, q->o, &q->summary, err));
  SW_TRY(sw_report_make(q->o->out, NULL, page, sizeof page, err));
  sw_note(q->io, "the page: %s", page);
  return SW_OK;
}

int sw_quickstart_own(sw_command_io *io, const sw_quick_options *o,
                      sw_err *err) {
  own q = {.io = io, .o = o};
  int code = all(&q, err);
  if (q.kept.model) sw_loaded_close(&q.kept);
  sw_summary_free(&q.summary);
  sw_results_close(q.results);
  sw_team_free(q.team);
  return code;
}
