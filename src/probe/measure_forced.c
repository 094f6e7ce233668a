/* The measure `forced`: recorded searches, step by step, under every protocol
 * (`statewise eval --data`). */
#include <stdlib.h>
#include <string.h>
#include "probe/measured.h"

typedef sw_forced_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_FORCED_OPTIONS)};
enum { ALL = SW_FORCED_VIEWS };

static int open_data(session *s, const sw_loaded *loaded, sw_err *err) {
  if (!s->data) {
    sw_fail(err, SW_USAGE, "which data set?");
    return sw_hint(err, "--data FILE, of statewise gen or import");
  }
  SW_TRY(sw_probe_data_for(&s->from, s->data, s->part, loaded, err));
  if (s->steps.count) return SW_OK;
  SW_TRY(sw_forced_steps_list(&s->steps, &s->from, err));
  sw_forced_floors_of(&s->from, &s->steps, &s->floors);
  return SW_OK;
}

static int ask_view(session *s, const sw_forced_how *how,
                    sw_forced_answer *answer, sw_err *err) {
  sw_probe *p = &s->probe;
  sw_probe_begin(p, sw_protocol_name(how->protocol), s->from.traces);
  int code = sw_forced_ask(&s->from, &s->steps, how, answer, err);
  sw_probe_end(p);
  if (code) return code;
  return sw_forced_view_of(&s->steps, answer, s->from.back, p->resamples,
                           (uint64_t)p->seed,
                           &s->result[p->models].view[how->protocol], err);
}

/* A protocol that the data cannot have is left out where all are asked for. */
static int ask_views(session *s, sw_forced_how *how, sw_forced_answer *answer,
                     sw_err *err) {
  int only = s->protocol;
  for (int v = 0; v < SW_FORCED_VIEWS; v++) {
    how->protocol = (sw_protocol)v;
    if (only != ALL && v != only) continue;
    if (v == SW_FOREIGN && only == ALL && !sw_forced_lends(&s->from)) continue;
    SW_TRY(ask_view(s, how, answer + v * s->steps.count, err));
  }
  if (only != ALL) return SW_OK;
  sw_probe *p = &s->probe;
  s->result[p->models].has_gap = 1;
  const sw_forced_answer *with = answer + SW_CUMULATIVE * s->steps.count;
  SW_TRY(sw_forced_gap_of(&s->steps, with, answer + SW_REBUILT * s->steps.count,
                          p->resamples, (uint64_t)p->seed,
                          &s->result[p->models].gap, err));
  return sw_forced_gap_of(
      &s->steps, with, answer + SW_REBUILT_IN_PLACE * s->steps.count,
      p->resamples, (uint64_t)p->seed, &s->result[p->models].in_place, err);
}

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_probe *p = &s->probe;
  sw_forced_how how = {.loaded = loaded,
                       .team = p->team,
                       .progress = sw_probe_step,
                       .context = s};
  SW_TRY(open_data(s, loaded, err));
  SW_TRY(sw_loaded_reading(loaded, p->eval_mask, p->eval_positions,
                           &how.reading, err));
  sw_forced_answer *answer =
      malloc(sizeof *answer * SW_FORCED_VIEWS * (size_t)(s->steps.count + 1));
  if (!answer) return sw_fail(err, SW_MEMORY, "out of memory for the answers");
  s->result[p->models].seen = sw_probe_data_seen(&s->from, loaded);
  int code = ask_views(s, &how, answer, err);
  free(answer);
  return code;
}

static void clear(void *context) {
  session *s = context;
  sw_forced_steps_free(&s->steps);
  sw_probe_data_close(&s->from);
}

/* ---- JSON ---- */

static void head(const void *context, sw_json *json) {
  const session *s = context;
  sw_json_string(json, "domain", s->from.domain->name);
  sw_probe_data_json(&s->from, json);
  sw_json_int(json, "steps", s->steps.count);
  sw_json_int(json, "targets", s->steps.targets);
  sw_json_int(json, "back_steps", s->steps.backs);
  sw_json_int(json, "steps_without_state", s->steps.skipped);
  sw_json_object(json, "telling_word");
  const sw_gives_away *g = &s->from.gives;
  sw_json_string(json, "word", g->token >= 0 ? g->word : NULL);
  sw_json_bool(json, "absent", g->absent);
  sw_json_real(json, "balanced_accuracy_in_training", g->balanced);
  sw_json_end(json);
  sw_json_object(json, "floors");
  sw_json_real(json, "always_on_verdict_accuracy", s->floors.onward_verdict);
  sw_json_real(json, "usual_word_choice_accuracy", s->floors.usual_choice);
  sw_json_real(json, "telling_word_verdict_accuracy", s->floors.told_verdict);
  sw_json_real(json, "telling_word_balanced_accuracy", s->floors.told_balanced);
  sw_json_end(json);
}

static double share(int64_t part, int64_t whole) {
  return whole ? (double)part / (double)whole : 0;
}

static void cells(const sw_forced_cell *cell, const int64_t *bins,
                  const char *key, const char *up_to, sw_json *json) {
  sw_json_array(json, key);
  for (int k = 0; k < SW_FORCED_BINS; k++) {
    const sw_forced_cell *c = &cell[k];
    if (!c->steps) continue;
    sw_json_object(json, NULL);
    if (bins[k] == INT64_MAX) sw_json_null(json, up_to);
    else sw_json_int(json, up_to, bins[k]);
    sw_json_int(json, "steps", c->steps);
    sw_json_real(json, "choice_accuracy", share(c->right, c->steps));
    sw_json_int(json, "backs", c->backs);
    sw_json_int(json, "backs_right", c->backs_right);
    sw_json_int(json, "onwards", c->onwards);
    sw_json_int(json, "onwards_right", c->onwards_right);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void figure(sw_json *json, const char *name, sw_interval i) {
  char key[48];
  snprintf(key, sizeof key, "%s_interval", name);
  sw_json_real(json, name, i.point);
  sw_probe_interval_json(json, key, i);
}

static void view_json(const session *s, const sw_forced_view *v,
                      const char *key, sw_json *json) {
  static const int64_t depths[] = SW_FORCED_DEPTHS,
                       lengths[] = SW_FORCED_LENGTHS;
  if (!v->asked) return;
  sw_json_object(json, key);
  sw_json_int(json, "steps", v->steps);
  sw_json_int(json, "skipped_steps", v->skipped);
#define X(name) figure(json, #name, v->name);
  SW_FORCED_FIGURES(X)
#undef X
  sw_json_real(json, "ece", v->ece);
  sw_json_real(json, "brier", v->brier);
  sw_json_int(json, "judged_steps", v->judged);
  sw_json_real(json, "viable_auroc", v->viable_auroc);
  sw_json_string(json, "verdict_shown",
                 s->from.gives.shown ? s->from.gives.word : NULL);
  cells(v->by_depth, depths, "by_depth", "up_to_depth", json);
  cells(v->by_history, lengths, "by_history", "up_to_steps_before", json);
  sw_json_end(json);
}

static void gap_json(const sw_forced_gap *g, const char *key, sw_json *json) {
  sw_json_object(json, key);
  sw_json_int(json, "steps", g->steps);
  figure(json, "choice_accuracy_gap", g->choice_accuracy);
  figure(json, "same_choice", g->same_choice);
  sw_json_real(json, "largest_back_gap", g->largest_back);
  sw_json_real(json, "exact_equal_rate", g->exact_equal);
  sw_json_end(json);
}

static void members(const void *context, int m, sw_json *json) {
  static const char *const keys[SW_FORCED_VIEWS] = {
      [SW_CUMULATIVE] = "cumulative",
      [SW_REBUILT] = "rebuilt",
      [SW_REBUILT_IN_PLACE] = "rebuilt_in_place",
      [SW_FOREIGN] = "foreign"};
  const session *s = context;
  sw_json_bool(json, "trained_on_these", s->result[m].seen);
  for (int v = 0; v < SW_FORCED_VIEWS; v++)
    view_json(s, &s->result[m].view[v], keys[v], json);
  if (!s->result[m].has_gap) return;
  gap_json(&s->result[m].gap, "history", json);
  gap_json(&s->result[m].in_place, "history_in_place", json);
}

const sw_measure sw_measure_forced = {
    .name = "forced",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .head = head,
    .members = members,
    .clear = clear};
