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

/* When all protocols are asked for, those that the data cannot have are left
 * out. */
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
  if (!answer) return sw_no_memory_for(err, "the answers");
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

/* ---- what it finds ---- */

#define F(...) SW_FIGURE(__VA_ARGS__)
#define R sw_forced_floors
static const sw_figure floors[] = {
    {F(SHARE, R, onward_verdict, "always_on_verdict_accuracy",
       "always on: verdicts", "verdicts right when always going on")},
    {F(SHARE, R, usual_choice, "usual_word_choice_accuracy",
       "usual word: choices", "choices right with the most usual word")},
    {F(SHARE, R, told_verdict, "telling_word_verdict_accuracy",
       "telling word: verdicts", "verdicts right by the word that tells")},
    {F(SHARE, R, told_balanced, "telling_word_balanced_accuracy",
       "telling word, balanced", "mean over the two kinds of verdicts")},
    {0}};
#undef R

static void telling_word(const void *found, sw_json *json) {
  const sw_gives_away *g = &((const session *)found)->from.gives;
  sw_json_object(json, "telling_word");
  sw_json_string(json, "word", g->token >= 0 ? g->word : NULL);
  sw_json_bool(json, "absent", g->absent);
  sw_json_real(json, "balanced_accuracy_in_training", g->balanced);
  sw_json_end(json);
}

static const sw_figure of_all[] = {
    {F(COUNT, session, steps.count, "steps", "steps", "steps of the data")},
    {F(COUNT, session, steps.targets, "targets", "targets", "words to tell")},
    {F(COUNT, session, steps.backs, "back_steps", "back steps",
       "steps that go back")},
    {F(COUNT, session, steps.skipped, "steps_without_state", "left out",
       "steps without a state")},
    {.name = "telling_word",
     .kind = SW_FIGURE_TEXT,
     .heading = "telling word",
     .help = "a word of the state that gives the verdict away",
     .write = telling_word},
    {F(GROUP, session, floors, "floors", "floors", "without a model"),
     .part = floors},
    {0}};

static void head(const void *context, sw_json *json) {
  const session *s = context;
  sw_json_string(json, "domain", s->from.domain->name);
  sw_probe_data_json(&s->from, json);
  sw_figures_json(of_all, s, json);
}

static double choice(const void *found) {
  const sw_forced_cell *c = found;
  return c->steps ? (double)c->right / (double)c->steps : 0;
}

#define R sw_forced_cell
#define CELLS(key, help_)                                                      \
  {                                                                            \
    {.name = key, .kind = SW_FIGURE_COUNT, .heading = "up to", .help = help_}, \
        {F(COUNT, R, steps, "steps", "steps", "of that many")},                \
        {.name = "choice_accuracy",                                            \
         .kind = SW_FIGURE_SHARE,                                              \
         .heading = "next word right",                                         \
         .help = "of these",                                                   \
         .real = choice},                                                      \
        {F(COUNT, R, backs, "backs", "back steps", "that go back")},           \
        {F(COUNT, R, backs_right, "backs_right", "of them right",              \
           "verdicts right")},                                                 \
        {F(COUNT, R, onwards, "onwards", "onward steps", "that go on")},       \
        {F(COUNT, R, onwards_right, "onwards_right", "of them right",          \
           "verdicts right")},                                                 \
    {                                                                          \
      0                                                                        \
    }                                                                          \
  }
static const sw_figure depth_cells[] =
    CELLS("up_to_depth", "open decisions; null: all that are more");
static const sw_figure length_cells[] =
    CELLS("up_to_steps_before", "steps before it; null: all that are more");
#undef R

#define R sw_forced_view
#define WITH(KIND, T, m, name_, SHOWN, heading, help)         \
  {F(KIND, T, m.point, name_, heading, help), .shown = SHOWN, \
   .interval = name_ "_interval"},                            \
  {                                                           \
    F(INTERVAL, T, m, name_ "_interval", "95 % interval",     \
      "of " name_ ", resampling groups")                      \
  }
static const sw_figure view[] = {
    {F(COUNT, R, steps, "steps", "steps", "steps asked about"), .shown = 1},
    {F(COUNT, R, skipped, "skipped_steps", "skipped",
       "steps that did not fit the position table")},
    WITH(SHARE, R, target_accuracy, "target_accuracy", 0, "words right",
         "words of the answer that are right"),
    WITH(SHARE, R, step_accuracy, "step_accuracy", 3, "whole step right",
         "steps with every word right"),
    WITH(SHARE, R, choice_accuracy, "choice_accuracy", 2, "next word right",
         "steps whose first word is"),
    WITH(SHARE, R, verdict_accuracy, "verdict_accuracy", 0, "verdict right",
         "go back or go on, of all steps"),
    WITH(SHARE, R, balanced_accuracy, "balanced_accuracy", 4,
         "verdict, balanced", "mean over the two kinds of verdicts"),
    WITH(SCORE, R, auroc, "auroc", 5, "AUROC",
         "a step that goes back scores higher than another"),
    {F(SCORE, R, ece, "ece", "ECE",
       "difference of what is said and what is true, over bins"),
     .shown = 6},
    {F(SCORE, R, brier, "brier", "Brier score", "mean squared error")},
    {F(COUNT, R, judged, "judged_steps", "judged steps",
       "steps with a recorded truth")},
    {F(SCORE, R, viable_auroc, "viable_auroc", "AUROC of the truth",
       "against the recorded truth instead of the recorded verdict")},
    {.name = "verdict_shown",
     .kind = SW_FIGURE_TEXT,
     .heading = "verdict shown by",
     .help = "the word of the state that gives the verdict away"},
    {.name = "by_depth",
     .kind = SW_FIGURE_SERIES,
     .heading = "by depth",
     .help = "the same by open decisions",
     .part = depth_cells},
    {.name = "by_history",
     .kind = SW_FIGURE_SERIES,
     .heading = "by history",
     .help = "the same by steps before it",
     .part = length_cells},
    {0}};
#undef R

#define R sw_forced_gap
static const sw_figure gap[] = {
    {F(COUNT, R, steps, "steps", "steps", "steps that both answered")},
    WITH(SHARE, R, choice_accuracy, "choice_accuracy_gap", 0, "difference",
         "next word right with history minus without"),
    WITH(SHARE, R, same_choice, "same_choice", 0, "same choice",
         "steps with the same next word"),
    {F(SCORE, R, largest_back, "largest_back_gap", "largest gap",
       "of the probability of going back")},
    {F(SHARE, R, exact_equal, "exact_equal_rate", "identical bits",
       "steps with the same logits, bit for bit")},
    {0}};
#undef R

#define VIEW(name_, SHOWN, heading_, help_)                                    \
  {                                                                            \
    .name = name_, .kind = SW_FIGURE_VIEW, .heading = heading_, .help = help_, \
    .part = view, .shown = SHOWN                                               \
  }
#define GAP(name_, help_)                                                    \
  {                                                                          \
    .name = name_, .kind = SW_FIGURE_GROUP, .heading = name_, .help = help_, \
    .part = gap                                                              \
  }
enum { VIEWS = 1, GAPS = VIEWS + SW_FORCED_VIEWS };
static const sw_figure figures[] = {
    {.name = "trained_on_these",
     .kind = SW_FIGURE_TEXT,
     .heading = "trained on these",
     .help = "true: these are no held-out data"},
    [VIEWS + SW_CUMULATIVE] =
        VIEW("cumulative", 1, "with history", "the whole dialogue is shown"),
    [VIEWS + SW_REBUILT] =
        VIEW("rebuilt", 2, "without", "problem and state alone"),
    [VIEWS + SW_REBUILT_IN_PLACE] =
        VIEW("rebuilt_in_place", 3, "without, in place",
             "problem and state at its own positions"),
    [VIEWS + SW_FOREIGN] = VIEW("foreign", 4, "another's history",
                                "behind the blocks of another search"),
    [GAPS] = GAP("history", "with history against without"),
    [GAPS + 1] = GAP("history_in_place", "the same at its own positions"),
    {0}};

static void cells(const sw_forced_cell *cell, const int64_t *bins,
                  const char *key, const sw_figure *row, sw_json *json) {
  sw_json_array(json, key);
  for (int k = 0; k < SW_FORCED_BINS; k++) {
    if (!cell[k].steps) continue;
    sw_json_object(json, NULL);
    if (bins[k] == INT64_MAX) sw_json_null(json, row->name);
    else sw_json_int(json, row->name, bins[k]);
    sw_figures_json(row, &cell[k], json);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void view_json(const session *s, const sw_forced_view *v,
                      const char *key, sw_json *json) {
  static const int64_t depths[] = SW_FORCED_DEPTHS,
                       lengths[] = SW_FORCED_LENGTHS;
  if (!v->asked) return;
  sw_json_object(json, key);
  sw_figures_json(view, v, json);
  sw_json_string(json, "verdict_shown",
                 s->from.gives.shown ? s->from.gives.word : NULL);
  cells(v->by_depth, depths, "by_depth", depth_cells, json);
  cells(v->by_history, lengths, "by_history", length_cells, json);
  sw_json_end(json);
}

static void gap_json(const sw_forced_gap *g, const char *key, sw_json *json) {
  sw_json_object(json, key);
  sw_figures_json(gap, g, json);
  sw_json_end(json);
}

static void members(const void *context, int m, sw_json *json) {
  const session *s = context;
  sw_json_bool(json, figures[0].name, s->result[m].seen);
  for (int v = 0; v < SW_FORCED_VIEWS; v++)
    view_json(s, &s->result[m].view[v], figures[VIEWS + v].name, json);
  if (!s->result[m].has_gap) return;
  gap_json(&s->result[m].gap, figures[GAPS].name, json);
  gap_json(&s->result[m].in_place, figures[GAPS + 1].name, json);
}

const sw_measure sw_measure_forced = {
    .name = "forced",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .head = head,
    .figures = figures,
    .of_all = of_all,
    .caption =
        "Recorded searches, step by step: is the next word right, and "
        "the verdict (go back or go on)?",
    .note =
        "Rebuilt: problem and state alone. Foreign: the history of another "
        "search. Floors stand in forced.json.",
    .members = members,
    .clear = clear};
