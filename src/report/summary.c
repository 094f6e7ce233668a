/* The main table as words and as JSON (see summary.h). */
#include "report/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"

sw_summary_row *sw_summary_add(sw_quick_summary *summary) {
  if (!sw_grow(&summary->row, &summary->room, summary->rows + 1,
               sizeof *summary->row))
    return NULL;
  sw_summary_row *row = &summary->row[summary->rows++];
  memset(row, 0, sizeof *row);
  return row;
}

void sw_summary_free(sw_quick_summary *summary) {
  free(summary->row);
  memset(summary, 0, sizeof *summary);
}

int sw_same_problem(const sw_outcome *a, const sw_outcome *b) {
  return a->instance == b->instance && a->instance_hash == b->instance_hash;
}

int sw_summary_gap(sw_interval *gap, const sw_outcome *with, int64_t count,
                   const sw_outcome *without, int64_t others, sw_err *err) {
  enum { RESAMPLES = 2000, SEED = 42 };
  double *difference = malloc(sizeof *difference * (size_t)(count + 1));
  int64_t pairs = 0;
  if (!difference) return sw_no_memory(err);
  for (int64_t i = 0, k = 0; i < count; i++) { /* both ascend by instance */
    while (k < others && without[k].instance < with[i].instance) k++;
    if (k < others && sw_same_problem(&with[i], &without[k]))
      difference[pairs++] = with[i].solved - without[k].solved;
  }
  sw_bootstrap_options o = {.resamples = RESAMPLES, .seed = SEED};
  int code = sw_bootstrap_mean(difference, pairs, &o, gap, err);
  free(difference);
  return code;
}

/* "x % with and y % without its history". */
static void both(const sw_summary_row *row, char *text, size_t room) {
  int used =
      snprintf(text, room, "%.1f %% with and %.1f %% without its history",
               100 * row->with.solve_rate, 100 * row->without.solve_rate);
  if (row->has_in_place && used > 0 && (size_t)used < room)
    snprintf(text + used, room - (size_t)used,
             " (%.1f %% when the block keeps its positions)",
             100 * row->in_place.solve_rate);
}

/* "by 12.0 points (95 %: 7.5 to 16.5)". */
static void by(const sw_interval *gap, char *text, size_t room) {
  double sign = gap->point < 0 ? -1 : 1;
  double low = 100 * sign * gap->low, high = 100 * sign * gap->high;
  snprintf(text, room, "%.1f points (95 %%: %.1f to %.1f)",
           100 * sign * gap->point, low < high ? low : high,
           low < high ? high : low);
}

/* "0.0 to 40.0 points", of the two rates that both() gives; and beside it, of
 * the searches in place. */
static void range_of(const sw_summary_row *row, char *text, size_t room) {
  int used = snprintf(text, room, "%.1f to %.1f points", 100 * row->gap.low,
                      100 * row->gap.high);
  if (row->has_in_place && used > 0 && (size_t)used < room)
    snprintf(text + used, room - (size_t)used, "; in place %.1f to %.1f",
             100 * row->gap_in_place.low, 100 * row->gap_in_place.high);
}

static int leaves_zero_out(const sw_interval *gap) {
  return gap->low > 0 || gap->high < 0;
}

double sw_summary_floor(const sw_quick_summary *summary) {
  double floor = NAN;
  int rules = 0;
  for (int i = 0; i < summary->rows; i++) {
    const sw_summary_row *row = &summary->row[i];
    if (row->has_model) continue;
    rules++;
    if (!(floor <= row->with.solve_rate)) floor = row->with.solve_rate;
  }
  return rules > 1 ? floor : NAN;
}

/* With its history and without it, by the intervals. */
static int is_below(const sw_summary_row *row, double floor) {
  return row->with.ci_high < floor && row->without.ci_high < floor;
}

void sw_summary_words(const sw_summary_row *row, double floor, char *text,
                      size_t room) {
  char solved[160], gap[96], moved[96], range[96];
  double changed = 100 * (1 - row->agreement);
  const sw_interval *own = row->has_in_place ? &row->gap_in_place : &row->gap;
  int swayed = row->agreement_high < 1;
  both(row, solved, sizeof solved);
  by(own, gap, sizeof gap);
  by(&row->gap, moved, sizeof moved);
  range_of(row, range, sizeof range);
  if (!row->has_model)
    snprintf(text, room,
             "%s: solves %.1f %% with and %.1f %% without history; it %s.",
             row->model, 100 * row->with.solve_rate,
             100 * row->without.solve_rate,
             row->about ? row->about : "is a rule without a model");
  else if (row->exact_equal >= 1)
    snprintf(text, room,
             "%s: decides by the state. It solves %s, and its answers are "
             "bit-identical on all %lld pairs of different histories.",
             row->model, solved, (long long)row->pairs);
  else if (is_below(row, floor))
    snprintf(text, room,
             "%s: has not learned this search. It solves %s, less than the "
             "weakest rule beside it (%.1f %%), so nothing can be said of its "
             "history.",
             row->model, solved, 100 * floor);
  else if (leaves_zero_out(own))
    snprintf(text, room,
             "%s: history entanglement%s. It solves %s, a difference of %s%s, "
             "and changes its mind on the same state in %.1f %% of the pairs.",
             row->model, own->high < 0 ? ", and the history does harm" : "",
             solved, gap, row->has_in_place ? " by the history alone" : "",
             changed);
  else if (leaves_zero_out(&row->gap))
    snprintf(text, room,
             "%s: depends on where a state stands (its positions). It solves "
             "%s: moving the block makes a difference of %s, and the history "
             "alone none that these searches tell (95 %%: %.1f to %.1f "
             "points). It changes its mind on the same state after another "
             "history in %.1f %% of the pairs.",
             row->model, solved, moved, 100 * own->low, 100 * own->high,
             changed);
  else if (swayed)
    snprintf(text, room,
             "%s: history entanglement. It changes its mind on the same state "
             "in %.1f %% of the pairs; it solves %s, and these searches are "
             "too few to tell the two rates apart (95 %% of the difference: "
             "%s).",
             row->model, changed, solved, range);
  else
    snprintf(text, room,
             "%s: no effect of the history was seen. It solves %s (95 %% of "
             "the difference: %s), with the same choice on "
             "the same state in %.2f %% of the pairs.",
             row->model, solved, range, 100 * row->agreement);
}

static void real_or_null(sw_json *json, const char *key, int applies,
                         double value) {
  if (applies) sw_json_real(json, key, value);
  else sw_json_null(json, key);
}

static void write_row(sw_json *json, const sw_summary_row *r, double floor) {
  char words[700];
  sw_json_object(json, NULL);
  sw_json_string(json, "model", r->model);
  sw_json_real(json, "solve_cumulative", r->with.solve_rate);
  sw_json_real(json, "solve_cumulative_low", r->with.ci_low);
  sw_json_real(json, "solve_cumulative_high", r->with.ci_high);
  sw_json_real(json, "solve_rebuilt", r->without.solve_rate);
  sw_json_real(json, "solve_rebuilt_low", r->without.ci_low);
  sw_json_real(json, "solve_rebuilt_high", r->without.ci_high);
  sw_json_real(json, "solve_difference", r->gap.point);
  sw_json_real(json, "solve_difference_low", r->gap.low);
  sw_json_real(json, "solve_difference_high", r->gap.high);
  if (r->has_in_place) {
    sw_json_real(json, "solve_rebuilt_in_place", r->in_place.solve_rate);
    sw_json_real(json, "solve_difference_in_place", r->gap_in_place.point);
    sw_json_real(json, "solve_difference_in_place_low", r->gap_in_place.low);
    sw_json_real(json, "solve_difference_in_place_high", r->gap_in_place.high);
  }
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
  sw_summary_words(r, floor, words, sizeof words);
  sw_json_string(json, "words", words);
  sw_json_end(json);
}

void sw_summary_json(const sw_quick_summary *summary, sw_json *json) {
  sw_json_object(json, NULL);
  sw_json_array(json, "rows");
  for (int i = 0; i < summary->rows; i++)
    write_row(json, &summary->row[i], sw_summary_floor(summary));
  sw_json_end(json);
  sw_json_end(json);
}

int sw_summary_write(const sw_quick_summary *summary, const char *path,
                     sw_err *err) {
  sw_json json;
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  sw_json_to_file(&json, file.stream);
  sw_summary_json(summary, &json);
  return sw_out_commit(&file, err);
}
