/* Scored rows (see score.h). */
#include "search/score.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/ranks.h"
#include "search/evaluate.h"
#include "search/score_ranks.h"

typedef struct scoring {
  sw_results *results;
  const uint64_t *asked_hash; /* of the instances; NULL: nothing is stored */
  int64_t condition_id, done, total, fresh_decisions;
  const sw_score_hooks *hooks;
  const char *label;
  sw_shared_score shared; /* among the ranks of the job */
} scoring;

static void tell(scoring *s) {
  s->done++;
  if (s->hooks->progress)
    s->hooks->progress(s->hooks->context, s->label, s->done, s->total);
}

static int stored(void *context, int64_t index, sw_outcome *outcome) {
  scoring *s = context;
  if (!s->asked_hash ||
      !sw_results_known(s->results, s->condition_id, index, outcome) ||
      outcome->instance_hash != s->asked_hash[index])
    return 0;
  tell(s);
  return 1;
}

/* In a job of several ranks, instances of other ranks count as known. */
static int known(void *context, int64_t index, sw_outcome *outcome) {
  scoring *s = context;
  if (s->shared.ranks == 1) return stored(context, index, outcome);
  return s->shared.me || s->shared.settled[index];
}

static int deal(void *context, int64_t *index) {
  return sw_shared_score_deal(&((scoring *)context)->shared, index);
}

static int finished(void *context, const sw_outcome *outcome, sw_err *err) {
  scoring *s = context;
  if (s->shared.me) return sw_shared_score_post(&s->shared, outcome, err);
  tell(s);
  s->fresh_decisions += outcome->decisions;
  return s->results ? sw_results_add(s->results, s->condition_id, outcome, err)
                    : SW_OK;
}

static int asked_to_stop(void *context) {
  scoring *s = context;
  /* Called at every decision, so other writers get at the store here. */
  if (s->results) (void)sw_results_tick(s->results, NULL);
  return s->hooks->stop && s->hooks->stop(s->hooks->context);
}

static int stop(void *context) {
  return sw_shared_score_stop(&((scoring *)context)->shared);
}

/* Drawing instances takes time, so it is done where there is something to
 * compare with. */
static int open_condition(scoring *s, const sw_condition *c, sw_err *err) {
  sw_condition_key key;
  sw_outcome any;
  if (!s->results) return SW_OK;
  SW_TRY(sw_condition_key_of(c, &key, err));
  int code = sw_results_condition(s->results, &key, &s->condition_id, err);
  sw_condition_key_free(&key);
  for (int64_t i = 0; i < c->instances && !code && sw_ranks_me() == 0; i++)
    if (sw_results_known(s->results, s->condition_id, i, &any))
      return sw_results_instances(s->results, c, &s->asked_hash, err);
  return code;
}

int sw_score(const sw_condition *condition, sw_results *results,
             const sw_score_hooks *hooks, sw_score_row *row, sw_err *err) {
  static const sw_score_hooks none;
  memset(row, 0, sizeof *row);
  snprintf(row->label, sizeof row->label, "%s", condition->guide->label);
  snprintf(row->verifier, sizeof row->verifier, "%s", condition->verifier);
  row->is_model = condition->guide->hash[0] != 0;
  row->outcomes =
      calloc((size_t)condition->instances + 1, sizeof *row->outcomes);
  if (!row->outcomes) return sw_no_memory(err);
  scoring s = {.results = results,
               .total = condition->instances,
               .hooks = hooks ? hooks : &none,
               .label = row->label};
  s.shared = (sw_shared_score){
      .in_order = condition->shared_draws && sw_condition_draws(condition),
      .outcomes = row->outcomes,
      .instances = condition->instances,
      .context = &s,
      .take = finished,
      .asked = asked_to_stop};
  int code = open_condition(&s, condition, err);
  if (!code) code = sw_shared_score_begin(&s.shared, stored, &s, err);
  sw_eval_hooks eval = {.context = &s,
                        .known = known,
                        .finished = finished,
                        .stop = stop,
                        .left_out = &row->left_out};
  if (s.shared.ranks > 1 && !s.shared.in_order) {
    eval.deal = deal;
    eval.most_seats = s.shared.most_seats;
  }
  double begin = sw_now();
  if (!code) {
    code = sw_evaluate(condition, &eval, row->outcomes, err);
    code = sw_shared_score_end(&s.shared, code, err);
  }
  sw_shared_score_free(&s.shared);
  row->seconds = sw_now() - begin;
  if (results) {
    int committed = sw_results_commit(results, code ? NULL : err);
    if (!code) code = committed;
  }
  if (code) {
    sw_score_free(row);
    return code;
  }
  if (s.fresh_decisions && row->seconds > 0)
    row->decisions_per_s = (double)s.fresh_decisions / row->seconds;
  sw_summarize(row->outcomes, condition->instances, &row->summary);
  return SW_OK;
}

void sw_score_free(sw_score_row *row) {
  free(row->outcomes);
  row->outcomes = NULL;
}

/* How often searches ended for a reason, and which was the first. */
typedef struct ending {
  const char *reason;
  int64_t first, count;
} ending;

static int by_reason(const void *a, const void *b) {
  const ending *x = a, *y = b;
  int order = strcmp(x->reason, y->reason);
  return order ? order : (x->first > y->first) - (x->first < y->first);
}

static int by_first(const void *a, const void *b) {
  const ending *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

/* Each reason once, in the order of first instances. A store may hold millions
 * of outcomes with reasons of its own. 0: out of memory. */
static int write_endings(const sw_outcome *outcomes, int64_t n, sw_json *json) {
  ending *list = malloc(sizeof *list * (size_t)(n + 1));
  int64_t kinds = 0;
  if (!list) return 0;
  for (int64_t i = 0; i < n; i++) list[i] = (ending){outcomes[i].reason, i, 1};
  qsort(list, (size_t)n, sizeof *list, by_reason);
  for (int64_t i = 0; i < n; i++)
    if (kinds && !strcmp(list[kinds - 1].reason, list[i].reason))
      list[kinds - 1].count++;
    else list[kinds++] = list[i];
  qsort(list, (size_t)kinds, sizeof *list, by_first);
  for (int64_t i = 0; i < kinds; i++)
    sw_json_int(json, list[i].reason, list[i].count);
  free(list);
  return 1;
}

void sw_score_json(const sw_score_row *row, sw_json *json) {
  const sw_summary *s = &row->summary;
  sw_json_string(json, "policy", row->label);
  sw_json_string(json, "verifier", row->verifier);
  if (row->role) sw_json_string(json, "role", row->role);
  if (row->left_out) sw_json_int(json, "left_out", row->left_out);
  sw_json_real(json, "solve_rate", s->solve_rate);
  sw_json_int(json, "n", s->n);
  sw_json_real(json, "ci_low", s->ci_low);
  sw_json_real(json, "ci_high", s->ci_high);
  sw_json_real(json, "mean_decisions", s->mean_decisions);
  sw_json_real(json, "mean_backtracks", s->mean_backs);
  sw_json_real(json, "repeat_rate", s->repeat_rate);
  sw_json_real(json, "missed_conflict_rate", s->missed_conflict_rate);
  sw_json_real(json, "false_prune_rate", s->false_prune_rate);
  sw_json_real(json, "timeout_rate", s->timeout_rate);
  sw_json_real(json, "decisions_per_s", row->decisions_per_s);
  sw_json_object(json, "solved_within");
  static const int64_t marks[] = {30, 100, 500, 4096};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    char key[16];
    snprintf(key, sizeof key, "%" PRId64, marks[i]);
    sw_json_real(json, key, sw_solved_within(row->outcomes, s->n, marks[i]));
  }
  sw_json_end(json);
  sw_json_object(json, "counts");
#define X(name, since, text) sw_json_int(json, #name, s->name);
  SW_OUTCOME_COUNTERS(X)
#undef X
  sw_json_end(json);
  sw_json_object(json, "endings");
  if (!write_endings(row->outcomes, s->n, json)) json->failed = 1;
  sw_json_end(json);
}
