/* The quickstart's table as words and as JSON (see summary.h). */
#include "report/summary.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"

/* Below these a difference is called small: the half-width of the interval of
 * a proportion over 200 instances, and one disagreement in two hundred. */
#define SMALL_GAP 0.07
#define SMALL_DISAGREEMENT 0.005

void sw_summary_words(const sw_summary_row *row, char *text, size_t room) {
  double gap = row->with.solve_rate - row->without.solve_rate;
  double with = 100 * row->with.solve_rate;
  double without = 100 * row->without.solve_rate;
  double changed = 100 * (1 - row->agreement);
  if (!row->has_model) {
    snprintf(text, room,
             "%s: solves %.1f %% with and %.1f %% without history;"
             " it is the rule that reads the shown state and nothing else.",
             row->model, with, without);
  } else if (row->exact_equal >= 1 && gap <= SMALL_GAP && gap >= -SMALL_GAP) {
    snprintf(text, room,
             "%s: decides by the state. %.1f %% solved with and"
             " %.1f %% without history, and bit-identical answers on all %lld"
             " pairs of different histories.",
             row->model, with, without, (long long)row->pairs);
  } else if (gap > SMALL_GAP) {
    snprintf(text, room,
             "%s: history entanglement. It solves %.1f %% with its"
             " history and %.1f %% when the history is taken away, and changes"
             " its mind on the same state in %.1f %% of the pairs.",
             row->model, with, without, changed);
  } else if (gap < -SMALL_GAP) {
    snprintf(text, room,
             "%s: history entanglement, and the history does harm."
             " It solves %.1f %% with its history and %.1f %% without, and"
             " changes its mind on the same state in %.1f %% of the pairs.",
             row->model, with, without, changed);
  } else if (1 - row->agreement > SMALL_DISAGREEMENT) {
    snprintf(text, room,
             "%s: entangled, at little cost here. %.1f %% solved"
             " with and %.1f %% without history, but it changes its mind on the"
             " same state in %.1f %% of the pairs.",
             row->model, with, without, changed);
  } else {
    snprintf(text, room,
             "%s: no clear effect here. %.1f %% solved with and"
             " %.1f %% without history; the same choice on the same state in"
             " %.2f %% of the pairs.",
             row->model, with, without, 100 * row->agreement);
  }
}

static void real_or_null(sw_json *json, const char *key, int applies,
                         double value) {
  if (applies) sw_json_real(json, key, value);
  else sw_json_null(json, key);
}

static void write_row(sw_json *json, const sw_summary_row *r) {
  char words[512];
  sw_json_object(json, NULL);
  sw_json_string(json, "model", r->model);
  sw_json_real(json, "solve_cumulative", r->with.solve_rate);
  sw_json_real(json, "solve_cumulative_low", r->with.ci_low);
  sw_json_real(json, "solve_cumulative_high", r->with.ci_high);
  sw_json_real(json, "solve_rebuilt", r->without.solve_rate);
  sw_json_real(json, "solve_rebuilt_low", r->without.ci_low);
  sw_json_real(json, "solve_rebuilt_high", r->without.ci_high);
  real_or_null(json, "agreement", r->has_model, r->agreement);
  real_or_null(json, "agreement_low", r->has_model, r->agreement_low);
  real_or_null(json, "agreement_high", r->has_model, r->agreement_high);
  real_or_null(json, "exact_equal_rate", r->has_model, r->exact_equal);
  real_or_null(json, "train_seconds", r->has_model, r->train_seconds);
  sw_json_int(json, "instances", r->with.n);
  if (r->has_model) {
    sw_json_int(json, "pairs", r->pairs);
    sw_json_int(json, "states", r->states);
  }
  sw_json_object(json, "false_prune_rate");
  sw_json_real(json, "cumulative", r->with.false_prune_rate);
  sw_json_real(json, "rebuilt", r->without.false_prune_rate);
  sw_json_end(json);
  sw_json_object(json, "missed_conflict_rate");
  sw_json_real(json, "cumulative", r->with.missed_conflict_rate);
  sw_json_real(json, "rebuilt", r->without.missed_conflict_rate);
  sw_json_end(json);
  sw_json_object(json, "repeat_rate");
  sw_json_real(json, "cumulative", r->with.repeat_rate);
  sw_json_real(json, "rebuilt", r->without.repeat_rate);
  sw_json_end(json);
  sw_summary_words(r, words, sizeof words);
  sw_json_string(json, "words", words);
  sw_json_end(json);
}

int sw_summary_write(const sw_quick_summary *summary, const char *path,
                     sw_err *err) {
  sw_json json;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_array(&json, "rows");
  for (int i = 0; i < summary->rows; i++) write_row(&json, &summary->row[i]);
  sw_json_end(&json);
  sw_json_end(&json);
  int code = json.failed ? sw_fail(err, SW_MEMORY, "out of memory")
                         : sw_write_file(path, json.text, json.length, err);
  sw_json_free(&json);
  return code;
}
