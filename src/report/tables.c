/* The tables of a report (see tables.h). */
#include "report/tables.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/read_json.h"

#define HEADS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- tables of functions ---- */

static void put_rate(sw_table *t, int column, const sw_summary *s) {
  sw_table_put(t, column, "%.1f %% [%.1f, %.1f]", 100 * s->solve_rate,
               100 * s->ci_low, 100 * s->ci_high);
}

static void make_summary(const sw_report_data *d, sw_table_list *list) {
  sw_table *t = sw_table_add(
      list, "summary",
      "Solved in the open loop, with 95 % intervals, and agreement on the same "
      "state",
      HEADS("model", "solved with its history", "solved without it",
            "same state, same choice", "identical bits", "training time"));
  for (int i = 0; i < d->summary.rows; i++) {
    const sw_summary_row *r = &d->summary.row[i];
    sw_table_row(t);
    sw_table_put(t, 0, "%s", r->model);
    put_rate(t, 1, &r->with);
    put_rate(t, 2, &r->without);
    int has = r->has_model && !isnan(r->agreement);
    sw_table_percent(t, 3, has ? r->agreement : NAN, 2);
    sw_table_percent(t, 4, has ? r->exact_equal : NAN, 2);
    if (r->has_model && !isnan(r->train_seconds))
      sw_table_put(t, 5, "%.0f s", r->train_seconds);
    else sw_table_put(t, 5, "-");
  }
}

static void put_share(sw_table *t, int column, int64_t part, int64_t whole) {
  if (!whole) sw_table_put(t, column, "-");
  else
    sw_table_put(t, column, "%.1f %% (%" PRId64 " of %" PRId64 ")",
                 100 * (double)part / (double)whole, part, whole);
}

static void make_endings(const sw_report_data *d, sw_table_list *list) {
  sw_table *t = sw_table_add(
      list, "endings", "Errors per queried state of their kind",
      HEADS("policy", "protocol", "loop", "instances", "solved", "false prunes",
            "missed conflicts", "repeated failures", "decisions"));
  t->texts = 3;
  for (int i = 0; i < d->conditions; i++) {
    const sw_report_condition *c = &d->condition[i];
    const sw_summary *s = &c->summary;
    sw_table_row(t);
    sw_table_put(t, 0, "%s", c->policy);
    sw_table_put(t, 1, "%s", c->protocol);
    sw_table_put(t, 2, "%s", c->loop);
    sw_table_put(t, 3, "%" PRId64, s->n);
    sw_table_percent(t, 4, s->solve_rate, 1);
    put_share(t, 5, s->false_prunes, s->viable_queries);
    put_share(t, 6, s->missed_conflicts, s->conflict_queries);
    put_share(t, 7, s->repeats, s->retry_queries);
    sw_table_number(t, 8, s->mean_decisions, 1);
  }
}

static void make_training(const sw_report_data *d, sw_table_list *list) {
  sw_table *t = sw_table_add(
      list, "training", "Models and training",
      HEADS("model", "mask", "positions", "parameters", "steps", "tokens",
            "training loss", "validation loss", "training time"));
  t->texts = 3;
  for (int i = 0; i < d->models; i++) {
    const sw_report_model *m = &d->model[i];
    sw_table_row(t);
    sw_table_put(t, 0, "%s", m->label);
    sw_table_put(t, 1, "%s", m->mask_name);
    sw_table_put(t, 2, "%s", m->positions);
    sw_table_put(t, 3, "%" PRId64, m->parameters);
    sw_table_put(t, 4, "%" PRId64, m->steps);
    sw_table_put(t, 5, "%" PRId64, m->tokens);
    sw_table_number(t, 6, m->train_loss, 4);
    sw_table_number(t, 7, m->valid_loss, 4);
    if (isnan(m->train_seconds)) sw_table_put(t, 8, "-");
    else sw_table_put(t, 8, "%.0f s", m->train_seconds);
  }
}

/* Own experiments have no numbers of the paper, few have all four rules. */
static void make_experiments(const sw_report_data *d, sw_table_list *list) {
  int from = list->count;
  for (int i = -1; (i = sw_report_next_document(d, "experiment", i)) >= 0;)
    sw_experiment_tables(d->document[i].root, list);
  for (int i = from; i < list->count; i++) sw_table_squeeze(&list->table[i]);
}

/* ---- the rows ---- */

#define COLUMNS(...) ((const sw_report_column[]){__VA_ARGS__, {NULL, NULL, 0}})
#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* clang-format off */
const sw_report_table sw_report_tables[] = {
    {.id = "summary", .make = make_summary, .leads = 1},
    {.id = "experiments", .make = make_experiments, .leads = 1},
    {.id = "endings", .make = make_endings},
    {.id = "forced", .kind = "forced", .caption = "Recorded searches, step by step: is the next word right, and the verdict (go back or go on)?",
     .note = "Rebuilt: problem and state alone. Foreign: the history of another search. Floors stand in forced.json.",
     .parts = PARTS("cumulative|with history", "rebuilt|without", "rebuilt_in_place|without, in place", "foreign|another's history"),
     .column = COLUMNS({"steps", "steps", SW_COLUMN_COUNT}, {"next word right", "choice_accuracy", SW_COLUMN_PERCENT},
                       {"95 % interval", "choice_accuracy_interval", SW_COLUMN_INTERVAL},
                       {"whole step right", "step_accuracy", SW_COLUMN_PERCENT},
                       {"verdict, balanced", "balanced_accuracy", SW_COLUMN_PERCENT},
                       {"AUROC", "auroc", SW_COLUMN_NUMBER}, {"ECE", "ece", SW_COLUMN_NUMBER})},
    {.id = "transplant", .kind = "transplant",
     .caption = "History transplant: the same state after really different histories",
     .column = COLUMNS({"pairs", "pairs", SW_COLUMN_COUNT}, {"states", "states", SW_COLUMN_COUNT},
                       {"same choice", "argmax_agreement", SW_COLUMN_PERCENT},
                       {"95 % interval", "verification.argmax_interval", SW_COLUMN_INTERVAL},
                       {"identical bits", "exact_equal_rate", SW_COLUMN_PERCENT},
                       {"symmetric KL", "symmetric_kl", SW_COLUMN_SHORT},
                       {"entanglement", "entanglement", SW_COLUMN_SHORT})},
    {.id = "calibration", .kind = "bank", .caption = "Verdicts on labelled states: go back or go on",
     .note = "Each state is asked after several histories; a probability is the mean over them.",
     .parts = PARTS("cumulative|with history", "rebuilt|without"),
     .column = COLUMNS({"calibration error (ECE)", "ece", SW_COLUMN_NUMBER}, {"Brier score", "brier", SW_COLUMN_NUMBER},
                       {"AUROC", "auroc", SW_COLUMN_NUMBER},
                       {"false prunes", "false_prune_rate", SW_COLUMN_PERCENT},
                       {"missed conflicts", "missed_conflict_rate", SW_COLUMN_PERCENT})},
    {.id = "padding", .kind = "padding", .caption = "Foreign blocks before the state: is the choice the same?",
     .column = COLUMNS({"trials", "trials", SW_COLUMN_COUNT}, {"same choice", "agreement", SW_COLUMN_PERCENT},
                       {"same answer", "verdict_agreement", SW_COLUMN_PERCENT},
                       {"symmetric KL", "symmetric_kl", SW_COLUMN_SHORT},
                       {"identical bits", "exact_equal_rate", SW_COLUMN_PERCENT})},
    {.id = "length", .kind = "length", .caption = "Accuracy on expert traces, by whole actions and by choices",
     .column = COLUMNS({"traces", "traces", SW_COLUMN_COUNT}, {"whole action right", "action_exact", SW_COLUMN_PERCENT},
                       {"choice right", "choice_accuracy", SW_COLUMN_PERCENT})},
    {.id = "representation", .kind = "representation", .caption = "Hidden states of one state after different histories",
     .column = COLUMNS({"pairs", "pairs", SW_COLUMN_COUNT}, {"cosine", "cosine", SW_COLUMN_NUMBER},
                       {"lowest cosine", "lowest_cosine", SW_COLUMN_NUMBER},
                       {"largest gap", "largest_gap", SW_COLUMN_SHORT},
                       {"identical bits", "exact_equal_rate", SW_COLUMN_PERCENT},
                       {"linear probe, balanced", "linear.balanced_accuracy", SW_COLUMN_PERCENT},
                       {"majority", "linear.majority", SW_COLUMN_PERCENT})},
    {.id = "visited", .kind = "visited", .caption = "Search with a memory of actions taken in identical states",
     .column = COLUMNS({"instances", "instances", SW_COLUMN_COUNT}, {"solved", "solved", SW_COLUMN_COUNT},
                       {"decisions", "decisions", SW_COLUMN_COUNT},
                       {"states met again", "revisited_states", SW_COLUMN_COUNT},
                       {"actions repeated", "repeated_actions", SW_COLUMN_COUNT},
                       {"interventions", "interventions", SW_COLUMN_COUNT})},
    {.id = "verify", .kind = "verify", .caption = "Which states are dead: the verify head beside the policy and the best score without a model",
     .parts = PARTS("rollouts|own searches", "bank|bank"),
     .column = COLUMNS({"states", "states", SW_COLUMN_COUNT}, {"dead", "dead", SW_COLUMN_COUNT},
                       {"AUROC", "head_auroc", SW_COLUMN_NUMBER}, {"AUROC, no conflict shown", "head_auroc_unexposed", SW_COLUMN_NUMBER},
                       {"policy", "policy_auroc_unexposed", SW_COLUMN_NUMBER}, {"without a model", "trivial_auroc_unexposed", SW_COLUMN_NUMBER},
                       {"which", "trivial_score", SW_COLUMN_TEXT},
                       {"false prunes at 0.5", "false_prune_rate", SW_COLUMN_PERCENT}, {"missed", "missed_rate", SW_COLUMN_PERCENT},
                       {"ECE", "ece", SW_COLUMN_NUMBER})},
    {.id = "attention", .kind = "attention", .caption = "What the heads look at on the way to a verdict: mean attention, for each question the head that looks there most",
     .note = "An item is a clause; home: a literal's variable in the state; least: the item with the fewest choices left.",
     .parts = PARTS("most_home|literal on its home", "most_inside|end of an item on the item", "most_opening_least|opening of an item on the least before",
                    "most_question_least|question on the least item", "even|all tokens alike"),
     .column = COLUMNS({"layer", "layer", SW_COLUMN_COUNT}, {"head", "head", SW_COLUMN_COUNT}, {"literal on its home", "home", SW_COLUMN_NUMBER},
                       {"end on its item", "inside", SW_COLUMN_NUMBER}, {"opening on the least before", "opening_least", SW_COLUMN_NUMBER},
                       {"on another", "opening_other", SW_COLUMN_NUMBER}, {"question on an item with nothing left", "by_left.left_0", SW_COLUMN_NUMBER},
                       {"one choice", "by_left.left_1", SW_COLUMN_NUMBER}, {"two", "by_left.left_2", SW_COLUMN_NUMBER},
                       {"three", "by_left.left_3", SW_COLUMN_NUMBER}, {"satisfied", "by_left.satisfied", SW_COLUMN_NUMBER})},
    {.id = "history", .kind = "history", .caption = "Does history add to the state for a linear classifier?",
     .parts = PARTS("state|state", "history|history", "state_and_history|state and history"),
     .column = COLUMNS({"accuracy", "accuracy", SW_COLUMN_PERCENT}, {"balanced", "balanced_accuracy", SW_COLUMN_PERCENT},
                       {"AUROC", "auroc", SW_COLUMN_NUMBER})},
    {.id = "trees", .kind = "trees", .caption = "Tree traversal: return decisions, whole traces, and the prediction from k = 4",
     .column = COLUMNS({"family", "family", SW_COLUMN_TEXT}, {"encoding", "format", SW_COLUMN_TEXT},
                       {"k", "k", SW_COLUMN_COUNT}, {"decisions right", "decision_accuracy", SW_COLUMN_PERCENT},
                       {"all right", "all_correct", SW_COLUMN_PERCENT},
                       {"predicted (r^k)", "predicted_all_correct", SW_COLUMN_PERCENT},
                       {"policy loss", "policy_loss", SW_COLUMN_NUMBER},
                       {"return loss", "verifier_loss", SW_COLUMN_NUMBER},
                       {"perfect, free-running", "perfect_rate", SW_COLUMN_PERCENT})},
    {.id = "training", .make = make_training},
};
/* clang-format on */
const int sw_report_table_count =
    sizeof sw_report_tables / sizeof *sw_report_tables;

/* ---- tables of measures ---- */

static void put_member(sw_table *t, int column, const json_t *row,
                       const sw_report_column *c) {
  double value = sw_member_real(row, c->path, NAN);
  if (c->form == SW_COLUMN_TEXT)
    sw_table_put(t, column, "%s", sw_member_text(row, c->path, "-"));
  else if (c->form == SW_COLUMN_INTERVAL) {
    const json_t *pair = sw_member(row, c->path);
    double low = sw_member_real(pair, "0", NAN);
    double high = sw_member_real(pair, "1", NAN);
    if (isnan(low) || isnan(high)) sw_table_put(t, column, "-");
    else sw_table_put(t, column, "[%.1f, %.1f]", 100 * low, 100 * high);
  } else if (isnan(value)) sw_table_put(t, column, "-");
  else if (c->form == SW_COLUMN_COUNT) sw_table_put(t, column, "%.0f", value);
  else if (c->form == SW_COLUMN_PERCENT) sw_table_percent(t, column, value, 2);
  else if (c->form == SW_COLUMN_SHORT) sw_table_put(t, column, "%.3g", value);
  else sw_table_number(t, column, value, 4);
}

/* The word that tells the verdict in the data that an answer is about; NULL:
 * none does. Every table of such data says so. */
static const char *telling_word(const sw_report_data *d, int answer) {
  return sw_member_text(d->document[d->answer[answer].document].root,
                        "verdict_shown", NULL);
}

static int is_told(const sw_report_data *d, const char *kind) {
  for (int i = -1; (i = sw_report_next(d, kind, i)) >= 0;)
    if (telling_word(d, i)) return 1;
  return 0;
}

static void put_answer(sw_table *t, const sw_report_table *spec,
                       const char *label, const json_t *row, const char *part,
                       const char *told) {
  int at = 0;
  sw_table_row(t);
  sw_table_put(t, at++, "%s", label);
  if (part) sw_table_put(t, at++, "%s", strchr(part, '|') + 1);
  for (int c = 0; spec->column[c].head; c++, at++)
    put_member(t, at, row, &spec->column[c]);
  if (told) sw_table_put(t, at, "%s", told);
}

static void make_measured(const sw_report_table *spec, const sw_report_data *d,
                          sw_table_list *list) {
  const char *heads[SW_TABLE_COLUMNS + 1] = {"model"};
  int count = 1;
  if (spec->parts) heads[count++] = "shown";
  for (int c = 0; spec->column[c].head && count < SW_TABLE_COLUMNS; c++)
    heads[count++] = spec->column[c].head;
  int told = is_told(d, spec->kind);
  if (told && count < SW_TABLE_COLUMNS) heads[count] = "verdict shown by";
  sw_table *t = sw_table_add(list, spec->id, spec->caption, heads);
  t->note = spec->note;
  t->texts = spec->parts ? 2 : 1;
  for (int i = -1; (i = sw_report_next(d, spec->kind, i)) >= 0;) {
    const sw_report_answer *a = &d->answer[i];
    const char *word = told ? telling_word(d, i) : NULL;
    if (told && !word) word = "-";
    if (!spec->parts) put_answer(t, spec, a->label, a->row, NULL, word);
    for (int p = 0; spec->parts && spec->parts[p]; p++) {
      char member[48];
      snprintf(member, sizeof member, "%.*s", (int)strcspn(spec->parts[p], "|"),
               spec->parts[p]);
      const json_t *row = json_object_get(a->row, member);
      if (json_is_object(row))
        put_answer(t, spec, a->label, row, spec->parts[p], word);
    }
  }
}

/* ---- all of them ---- */

/* Tables without a row say nothing. */
static void drop_empty(sw_table_list *list, int from) {
  int kept = from;
  for (int i = from; i < list->count; i++) {
    if (list->table[i].rows || list->table[i].failed)
      list->table[kept++] = list->table[i];
    else sw_table_free(&list->table[i]);
  }
  list->count = kept;
}

int sw_report_tables_make(sw_made_tables *made, const sw_report_data *data,
                          sw_err *err) {
  memset(made, 0, sizeof *made);
  for (int leads = 1; leads >= 0; leads--) {
    int from = made->list.count;
    for (int i = 0; i < sw_report_table_count; i++) {
      const sw_report_table *spec = &sw_report_tables[i];
      if (spec->leads != leads) continue;
      if (spec->make) spec->make(data, &made->list);
      else make_measured(spec, data, &made->list);
    }
    drop_empty(&made->list, from);
    if (leads) made->leading = made->list.count;
  }
  if (!sw_table_list_failed(&made->list)) return SW_OK;
  sw_report_tables_free(made);
  return sw_fail(err, SW_MEMORY, "out of memory");
}

void sw_report_tables_free(sw_made_tables *made) {
  sw_table_list_free(&made->list);
}

void sw_report_tables_write(const sw_made_tables *made, sw_table_form form,
                            FILE *out) {
  for (int i = 0; i < made->list.count; i++)
    sw_table_write(&made->list.table[i], form, out);
}
