/* The measure `trees`: traversal by models trained on tree traces. Given
 * several stars, the retrieval estimate of the k = 4 model of each encoding
 * predicts the others (r^k). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "probe/measured.h"

typedef sw_trees_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_TREES_OPTIONS)};

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_trees_row *r = &s->result[s->probe.models];
  if (loaded->domain != &sw_domain_trees)
    return sw_fail(err, SW_USAGE, "%s is a model of %s, not of trees",
                   loaded->path, loaded->domain->name);
  sw_tree_eval eval = {.model = loaded->model,
                       .team = s->probe.team,
                       .options = &s->probe.options,
                       .reading = loaded->reading,
                       .seed = (uint64_t)s->probe.seed,
                       .split = (sw_split)s->split,
                       .trees = s->instances,
                       .free_trees = s->free,
                       .truncate = s->truncate};
  const char *step = sw_st_meta(loaded->file, "step");
  snprintf(r->path, sizeof r->path, "%s", loaded->path);
  snprintf(r->step, sizeof r->step, "%s", step ? step : "?");
  const sw_trees_options *own = sw_trees_own(&s->probe.options);
  snprintf(r->family, sizeof r->family, "%s", own->family);
  snprintf(r->format, sizeof r->format, "%s", s->probe.options.format);
  r->k = own->arity > 0 ? own->arity : 0;
  int code = sw_tree_evaluate(&eval, &r->scores, err);
  if (code) sw_context(err, "%s", loaded->path);
  return code;
}

double sw_trees_retrieval(const session *s, int m) {
  const sw_trees_row *row = &s->result[m];
  for (int i = 0; row->k > 0 && i < s->probe.models; i++)
    if (s->result[i].k == 4 && !strcmp(s->result[i].format, row->format))
      return sw_tree_retrieval(sw_tree_all_correct(&s->result[i].scores));
  return NAN;
}

/* ---- what it finds ---- */

static double ratio(double part, int64_t whole) {
  return whole > 0 ? part / (double)whole : NAN;
}

static int64_t decision_count(const sw_tree_scores *s) {
  return s->decisions[0] + s->decisions[1];
}

#define R sw_trees_row
#define OF(name, expression)                               \
  static double name(const void *found) {                  \
    const sw_tree_scores *s = &((const R *)found)->scores; \
    return expression;                                     \
  }
OF(inputs, ratio((double)s->inputs, s->trees))
OF(token_accuracy, ratio((double)s->tokens_right, s->tokens))
OF(token_loss, ratio(s->token_loss, s->tokens))
OF(decision_accuracy, sw_tree_decision_rate(s, -1))
OF(continue_accuracy, sw_tree_decision_rate(s, 0))
OF(return_accuracy, sw_tree_decision_rate(s, 1))
OF(all_correct, sw_tree_all_correct(s))
OF(decision_power,
   pow(decision_accuracy(found), ratio((double)decision_count(s), s->trees)))
OF(policy_accuracy, ratio((double)s->policy_right, s->policy))
OF(policy_loss, sw_tree_policy_loss(s))
OF(verifier_loss, sw_tree_verifier_loss(s, 0))
OF(verifier_loss_balanced, sw_tree_verifier_loss(s, 1))
OF(perfect_rate, sw_tree_perfect_rate(s))
OF(prefix_tokens, ratio((double)s->prefix_tokens, s->free_trees))
OF(prefix_fraction, ratio(s->prefix_fraction, s->free_trees))

static void decisions(const void *found, sw_json *json) {
  sw_json_int(json, "decisions", decision_count(&((const R *)found)->scores));
}

#define WHOLE(m, name, heading, help) \
  { SW_FIGURE(COUNT, R, scores.m, name, heading, help) }
#define REAL(KIND, fn, SHOWN, heading_, help_)                                 \
  {                                                                            \
    .name = #fn, .kind = SW_FIGURE_##KIND, .heading = heading_, .help = help_, \
    .real = fn, .shown = SHOWN                                                 \
  }
#define WORD(m, name_, SHOWN, heading_, help_)                                 \
  {                                                                            \
    .name = name_, .kind = SW_FIGURE_TEXT, .heading = heading_, .help = help_, \
    .write = m, .shown = SHOWN                                                 \
  }
#define TEXT(m, name)                                  \
  static void m(const void *found, sw_json *json) {    \
    sw_json_string(json, name, ((const R *)found)->m); \
  }
TEXT(path, "model")
TEXT(step, "step")
TEXT(family, "family")
TEXT(format, "format")
static void leaves(const void *found, sw_json *json) {
  const R *row = found;
  if (row->k) sw_json_int(json, "k", row->k);
  else sw_json_null(json, "k");
}

static const sw_figure figures[] = {
    WORD(path, "model", 0, "model", "its file"),
    WORD(step, "step", 0, "step", "training step of the weights"),
    WORD(family, "family", 1, "family", "of the trees"),
    WORD(format, "format", 2, "encoding", "of the traces"),
    {.name = "k",
     .kind = SW_FIGURE_COUNT,
     .heading = "k",
     .help = "leaves of a star; null: a random tree",
     .write = leaves,
     .shown = 3},
    WHOLE(trees, "trees", "trees", "teacher-forced trees"),
    REAL(MEAN, inputs, 0, "tokens", "tokens that the model reads, a tree"),
    REAL(SHARE, token_accuracy, 0, "tokens right", "supervised tokens"),
    REAL(SCORE, token_loss, 0, "token loss", "nats a supervised token"),
    {.name = "decisions",
     .kind = SW_FIGURE_COUNT,
     .heading = "decisions",
     .help = "continue or return",
     .write = decisions},
    REAL(SHARE, decision_accuracy, 4, "decisions right", "of all of them"),
    REAL(SHARE, continue_accuracy, 0, "continue right", "of those to continue"),
    REAL(SHARE, return_accuracy, 0, "return right", "of those to return"),
    WHOLE(all_correct, "all_correct_traces", "all right",
          "traces with no wrong decision"),
    REAL(SHARE, all_correct, 5, "all right", "of the traces"),
    REAL(SHARE, decision_power, 0, "power",
         "what independent errors of that rate would leave all right"),
    REAL(SHARE, policy_accuracy, 0, "policy right", "which way to go"),
    REAL(SCORE, policy_loss, 7, "policy loss", "nats a choice of the way"),
    REAL(SCORE, verifier_loss, 8, "return loss", "nats a return decision"),
    REAL(SCORE, verifier_loss_balanced, 0, "return loss, balanced",
         "mean over the two classes"),
    WHOLE(free_trees, "free_trees", "free trees", "free-running trees"),
    WHOLE(perfect, "perfect_traces", "perfect", "of them without an error"),
    REAL(SHARE, perfect_rate, 9, "perfect, free-running", "of these trees"),
    REAL(MEAN, prefix_tokens, 0, "right tokens",
         "before the first wrong one, on average"),
    REAL(SHARE, prefix_fraction, 0, "right prefix",
         "the same as a share of the trace"),
    {.name = "retrieval",
     .kind = SW_FIGURE_SHARE,
     .heading = "retrieval (r)",
     .help = "fourth root of `all_correct` of the k = 4 star asked beside it"},
    {.name = "predicted_all_correct",
     .kind = SW_FIGURE_SHARE,
     .heading = "predicted (r^k)",
     .help = "what it predicts for this k",
     .shown = 6},
    {0}};
#undef R

static void members(const void *context, int m, sw_json *json) {
  const session *s = context;
  const sw_trees_row *row = &s->result[m];
  double r = sw_trees_retrieval(s, m);
  sw_figures_json(figures, row, json);
  sw_json_real(json, "retrieval", r);
  sw_json_real(json, "predicted_all_correct", sw_tree_prediction(r, row->k));
}

const sw_measure sw_measure_trees = {
    .name = "trees",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .figures = figures,
    .caption =
        "Tree traversal: return decisions, whole traces, and the "
        "prediction from k = 4",
    .members = members};
