/* `statewise quickstart --data`: do recorded searches make a model that decides
 * by the story? SSA and causal are trained on them until they are flat, asked
 * about every step of the test searches with and without history, and about the
 * states that the searches met twice. Every stage leaves a file in OUT and is
 * resumed or taken when it is there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "command/quickstart.h"
#include "probe/measured.h"
#include "report/report.h"

static const char *const masks[] = {"ssa", "causal"};
enum { MODELS = sizeof masks / sizeof *masks };

typedef struct job {
  sw_command_io *io;
  const sw_quick_options *o;
  sw_team *team;
  char path[MODELS][1200];
  double seconds[MODELS];
  sw_probe *forced, *pairs; /* NULL: the searches meet no state twice */
  sw_progress progress;
} job;

/* ---- asking ---- */

static void begin(void *context, const char *what, int64_t total) {
  job *j = context;
  sw_progress_begin(&j->progress, j->io, (sw_progress_mode)j->o->progress, what,
                    total);
}
static void step(void *context, const char *label, int64_t done,
                 int64_t total) {
  sw_progress_show(&((job *)context)->progress, label, done, total);
}
static void end(void *context) { sw_progress_end(&((job *)context)->progress); }

static int set_number(sw_probe *p, const char *name, int64_t value,
                      sw_err *err) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  return sw_measure_set(p, name, text, err);
}

/* Both models, into OUT/NAME.json. */
static int measure(job *j, const sw_measure *what, sw_probe **session,
                   sw_err *err) {
  const char *model[MODELS];
  sw_measure_hooks hooks = {
      .context = j, .begin = begin, .step = step, .end = end};
  for (int m = 0; m < MODELS; m++) model[m] = j->path[m];
  SW_TRY(sw_measure_new(session, what, j->team, &hooks, err));
  SW_TRY(sw_measure_set(*session, "data", j->o->data, err));
  SW_TRY(set_number(*session, "seed", j->o->seed, err));
  if (what == &sw_measure_transplant)
    SW_TRY(set_number(*session, "states", j->o->pairs, err));
  SW_TRY(sw_measure_take(*session, model, MODELS, err));
  return sw_measure_write(*session, j->o->out, err);
}

/* Searches without pairs still have steps. */
static int measure_pairs(job *j, sw_err *err) {
  sw_err why = {0};
  int code = measure(j, &sw_measure_transplant, &j->pairs, &why);
  if (code && code != SW_DATA) {
    *err = why;
    return code;
  }
  if (!code) return SW_OK;
  sw_note(j->io, "no transplant: %s (%s)", why.text, why.hint);
  sw_measure_free(j->pairs);
  j->pairs = NULL;
  return SW_OK;
}

/* ---- what was found ---- */

static const sw_forced_view *view_of(const job *j, int model, int protocol) {
  const sw_forced_session *s = (const sw_forced_session *)j->forced;
  return &s->result[model].view[protocol];
}

static const sw_transplant_result *pairs_of(const job *j, int model) {
  if (!j->pairs) return NULL;
  return &((const sw_transplant_session *)j->pairs)->result[model];
}

static void print_share(FILE *out, const sw_forced_view *v, int verdict) {
  const sw_interval *i = verdict ? &v->balanced_accuracy : &v->choice_accuracy;
  if (!v->asked || isnan(i->point)) fprintf(out, " %12s", "-");
  else fprintf(out, " %10.1f %%", 100 * i->point);
}

static void print_row(const job *j, int m, int verdict) {
  FILE *out = j->io->out;
  fprintf(out, "%-8s %-18s", masks[m],
          verdict ? "go back or not" : "next word");
  for (int v = 0; v < SW_FORCED_VIEWS; v++)
    print_share(out, view_of(j, m, v), verdict);
  const sw_transplant_result *r = pairs_of(j, m);
  if (verdict || !r) fprintf(out, " %12s\n", verdict ? "" : "-");
  else fprintf(out, " %10.1f %%\n", 100 * r->verification.argmax);
}

/* Only what is left at the same positions is the history's. */
static void print_change(FILE *out, const char *when, const sw_forced_gap *g) {
  fprintf(out, "%.1f %% of the steps %s (%+.1f [%+.1f, %+.1f] points)",
          100 * (1 - g->same_choice.point), when,
          -100 * g->choice_accuracy.point, -100 * g->choice_accuracy.high,
          -100 * g->choice_accuracy.low);
}

static void print_words(const job *j, int m) {
  FILE *out = j->io->out;
  const sw_forced_session *s = (const sw_forced_session *)j->forced;
  const sw_forced_gap *g = &s->result[m].gap, *here = &s->result[m].in_place;
  const sw_transplant_result *r = pairs_of(j, m);
  if (g->exact_equal == 1 && here->exact_equal == 1) {
    fprintf(out,
            "%s gives the same answer, bit for bit, whatever came before.\n",
            masks[m]);
    return;
  }
  fprintf(out, "%s says another next word at ", masks[m]);
  print_change(out, "when its history is taken away", here);
  fprintf(out, ", and at ");
  print_change(out, "when the state moves to the front, too", g);
  fprintf(out, ".");
  if (r && r->pairs) {
    const sw_interval *i = &r->verification.argmax_interval;
    fprintf(out,
            " In the same state after another history of its own problem it "
            "agrees with itself in %.1f %%",
            100 * r->verification.argmax);
    if (r->instances > 1)
      fprintf(out, " [%.1f, %.1f]", 100 * i->low, 100 * i->high);
    fprintf(out, " of %lld pairs of %lld problems.", (long long)r->pairs,
            (long long)r->instances);
  }
  fprintf(out, "\n");
}

static void print_table(const job *j) {
  FILE *out = j->io->out;
  const sw_forced_session *s = (const sw_forced_session *)j->forced;
  char told[400];
  fprintf(out, "\n%s: %s, %lld searches, %lld steps\n", s->from.path,
          s->from.part, (long long)s->from.traces, (long long)s->steps.count);
  fprintf(out, "%-8s %-18s %12s %12s %12s %12s %12s\n", "", "", "with its",
          "without", "without,", "another's", "same state,");
  fprintf(out, "%-8s %-18s %12s %12s %12s %12s %12s\n", "model", "right",
          "history", "history", "in place", "history", "same choice");
  for (int m = 0; m < MODELS; m++) {
    print_row(j, m, 0);
    print_row(j, m, 1);
  }
  fprintf(out, "%-8s %-18s %10.1f %%\n", "floor", "the usual word",
          100 * s->floors.usual_choice);
  if (s->from.gives.token >= 0)
    fprintf(out,
            "%-8s the word %.20s tells %.1f %% of the verdicts, balanced\n",
            "floor", s->from.gives.word, 100 * s->floors.told_balanced);
  fprintf(out, "\n");
  for (int m = 0; m < MODELS; m++) print_words(j, m);
  sw_gives_words(&s->from.gives, told, sizeof told);
  if (*told)
    fprintf(out, "%s: a model that goes back has only to read it.\n", told);
}

static void row_json(const job *j, int m, sw_json *json) {
  const sw_forced_session *s = (const sw_forced_session *)j->forced;
  const sw_transplant_result *r = pairs_of(j, m);
  const sw_forced_gap *g = &s->result[m].gap;
  sw_json_object(json, NULL);
  sw_json_string(json, "model", masks[m]);
  for (int v = 0; v < SW_FORCED_VIEWS; v++) {
    const sw_forced_view *view = view_of(j, m, v);
    char key[64];
    snprintf(key, sizeof key, "choice_%s", sw_protocol_name((sw_protocol)v));
    sw_json_real(json, key, view->asked ? view->choice_accuracy.point : NAN);
    snprintf(key, sizeof key, "verdict_%s", sw_protocol_name((sw_protocol)v));
    sw_json_real(json, key, view->asked ? view->balanced_accuracy.point : NAN);
  }
  const sw_interval *here = &s->result[m].in_place.choice_accuracy;
  sw_json_real(json, "history_gap_in_place", here->point);
  sw_probe_interval_json(json, "history_gap_in_place_interval", *here);
  sw_json_real(json, "history_gap", g->choice_accuracy.point);
  sw_probe_interval_json(json, "history_gap_interval", g->choice_accuracy);
  sw_json_real(json, "same_choice_without_history", g->same_choice.point);
  sw_json_real(json, "exact_equal_rate", g->exact_equal);
  sw_json_real(json, "agreement", r ? r->verification.argmax : NAN);
  sw_json_int(json, "pairs", r ? r->pairs : 0);
  sw_json_real(json, "train_seconds", j->seconds[m]);
  sw_json_end(json);
}

static void write_json(const job *j, sw_json *json) {
  const sw_forced_session *s = (const sw_forced_session *)j->forced;
  sw_json_object(json, NULL);
  sw_probe_data_json(&s->from, json);
  sw_json_int(json, "steps", s->steps.count);
  sw_json_real(json, "usual_word_choice_accuracy", s->floors.usual_choice);
  sw_json_array(json, "rows");
  for (int m = 0; m < MODELS; m++) row_json(j, m, json);
  sw_json_end(json);
  sw_json_end(json);
}

static int show(const job *j, sw_err *err) {
  char page[1400];
  sw_json json;
  if (j->o->json) {
    sw_json_to_file(&json, j->io->out);
    write_json(j, &json);
  } else {
    print_table(j);
  }
  SW_TRY(sw_report_make(j->o->out, NULL, page, sizeof page, err));
  if (!j->o->json)
    fprintf(j->io->out, "\nEverything is in %s; the page: %s\n", j->o->out,
            page);
  return SW_OK;
}

static int all(job *j, sw_err *err) {
  const sw_quick_options *o = j->o;
  SW_TRY(sw_make_dirs(o->out, err));
  SW_TRY(sw_team_new(&j->team, o->threads, err));
  sw_train_result result = {0};
  for (int m = 0; m < MODELS; m++) {
    snprintf(j->path[m], sizeof j->path[m], "%.1000s/%s", o->out, masks[m]);
    SW_TRY(
        sw_quick_train(j->io, o, o->data, masks[m], j->path[m], &result, err));
    j->seconds[m] = result.seconds;
  }
  SW_TRY(measure(j, &sw_measure_forced, &j->forced, err));
  SW_TRY(measure_pairs(j, err));
  return show(j, err);
}

int sw_quickstart_data(sw_command_io *io, const sw_quick_options *o,
                       sw_err *err) {
  job j = {.io = io, .o = o};
  int code = all(&j, err);
  sw_measure_free(j.forced);
  sw_measure_free(j.pairs);
  sw_team_free(j.team);
  return code;
}
