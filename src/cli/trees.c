/* `statewise trees`: evaluates models trained on tree traces and prints one row
 * a model. Given several stars, the retrieval estimate of the k = 4 model of
 * each encoding predicts the others (r^k). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/progress.h"
#include "cli/commands.h"
#include "probe/trees_metrics.h"
#include "search/loaded.h"

/* clang-format off */
#define TREES_OPTIONS(X)                                                       \
  X(instances, LONG, "instances", "1000", 1, 50000, "", "teacher-forced test trees") \
  X(free, LONG, "free", "200", 0, 50000, "", "free-running test trees (not for cover)") \
  X(seed, LONG, "seed", "42", 0, 9e15, "", "seed of the tree streams")         \
  X(split, CHOICE, "split", "test", 0, 0, "train|valid|test", "which stream")  \
  X(truncate, FLAG, "truncate", "0", 0, 0, "", "one pass a token over the tokens before it: nothing can leak; slow") \
  X(threads, INT, "threads", "0", 0, 256, "", "threads; 0: all cores")         \
  X(json, FLAG, "json", "0", 0, 0, "", "one JSON object on standard output")
/* clang-format on */

typedef struct trees_options {
  TREES_OPTIONS(SW_OPTION_FIELD)
} trees_options;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(trees_options, __VA_ARGS__)
    TREES_OPTIONS(X)
#undef X
};

typedef struct result {
  char path[1024], step[24], family[16], format[32];
  int32_t k; /* leaves of a star; 0: a random tree */
  sw_tree_scores scores;
} result;

static int evaluate_one(const trees_options *o, const char *path, sw_team *team,
                        result *r, sw_err *err) {
  sw_loaded loaded;
  SW_TRY(sw_loaded_open(&loaded, path, err));
  int code = 0;
  if (loaded.domain != &sw_domain_trees)
    code = sw_fail(err, SW_USAGE, "%s is a model of %s, not of trees", path,
                   loaded.domain->name);
  if (!code) {
    sw_tree_eval eval = {.model = loaded.model,
                         .team = team,
                         .options = &loaded.options,
                         .reading = loaded.reading,
                         .seed = (uint64_t)o->seed,
                         .split = (sw_split)o->split,
                         .trees = o->instances,
                         .free_trees = o->free,
                         .truncate = o->truncate};
    const sw_trees_options *own = sw_trees_own(&loaded.options);
    const char *step = sw_st_meta(loaded.file, "step");
    snprintf(r->path, sizeof r->path, "%s", path);
    snprintf(r->step, sizeof r->step, "%s", step ? step : "?");
    snprintf(r->family, sizeof r->family, "%s", own->family);
    snprintf(r->format, sizeof r->format, "%s", loaded.options.format);
    r->k = own->arity > 0 ? own->arity : 0;
    code = sw_tree_evaluate(&eval, &r->scores, err);
    if (code) sw_context(err, "%s", path);
  }
  sw_loaded_close(&loaded);
  return code;
}

/* r of the first k = 4 star with the same encoding; NAN: there is none. */
static double retrieval_for(const result *all, int count, const result *r) {
  for (int i = 0; r->k > 0 && i < count; i++)
    if (all[i].k == 4 && strcmp(all[i].format, r->format) == 0)
      return sw_tree_retrieval(sw_tree_all_correct(&all[i].scores));
  return NAN;
}

static void print_json(const result *all, int count) {
  sw_json json;
  sw_json_to_file(&json, stdout);
  sw_json_object(&json, NULL);
  sw_json_array(&json, "models");
  for (int i = 0; i < count; i++) {
    double r = retrieval_for(all, count, &all[i]);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "model", all[i].path);
    sw_json_string(&json, "step", all[i].step);
    sw_json_string(&json, "family", all[i].family);
    sw_json_string(&json, "format", all[i].format);
    if (all[i].k) sw_json_int(&json, "k", all[i].k);
    else sw_json_null(&json, "k");
    sw_tree_scores_json(&all[i].scores, &json);
    sw_json_real(&json, "retrieval", r);
    sw_json_real(&json, "predicted_all_correct",
                 sw_tree_prediction(r, all[i].k));
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

/* A share in per cent, or a dash. */
static const char *percent(double share, char *text, size_t room) {
  if (isnan(share)) snprintf(text, room, "-");
  else snprintf(text, room, "%.1f", 100 * share);
  return text;
}

static const char *real(double value, char *text, size_t room) {
  if (isnan(value)) snprintf(text, room, "-");
  else snprintf(text, room, "%.3f", value);
  return text;
}

static void print_row(const result *all, int count, const result *r) {
  const sw_tree_scores *s = &r->scores;
  double estimate = retrieval_for(all, count, r);
  char cell[8][24];
  int width = (int)strlen(r->path) > 28 ? (int)strlen(r->path) - 28 : 0;
  percent(sw_tree_decision_rate(s, -1), cell[0], sizeof *cell);
  percent(sw_tree_all_correct(s), cell[1], sizeof *cell);
  percent(sw_tree_prediction(estimate, r->k), cell[2], sizeof *cell);
  real(sw_tree_policy_loss(s), cell[3], sizeof *cell);
  real(sw_tree_verifier_loss(s, 0), cell[4], sizeof *cell);
  real(sw_tree_verifier_loss(s, 1), cell[5], sizeof *cell);
  percent(sw_tree_perfect_rate(s), cell[6], sizeof *cell);
  percent(s->free_trees ? s->prefix_fraction / (double)s->free_trees : NAN,
          cell[7], sizeof *cell);
  printf("%-28s %7s %-5s %-9s %4d %7.0f %6s %6s %6s %7s %7s %7s %7s %7s\n",
         r->path + width, r->step, r->family, r->format, r->k,
         (double)s->inputs / (double)s->trees, cell[0], cell[1], cell[2],
         cell[3], cell[4], cell[5], cell[6], cell[7]);
}

static void print_table(const trees_options *o, const result *all, int count) {
  printf("%-28s %7s %-5s %-9s %4s %7s %6s %6s %6s %7s %7s %7s %7s %7s\n",
         "model", "step", "trees", "encoding", "k", "tokens", "dec.%", "all%",
         "r^k%", "policy", "verify", "v.bal.", "perf.%", "prefix%");
  for (int i = 0; i < count; i++) print_row(all, count, &all[i]);
  printf("%lld trees teacher-forced, %lld free-running; losses in nats\n",
         (long long)o->instances, (long long)o->free);
}

static int evaluate_all(const trees_options *o, const sw_list *paths,
                        result *all, sw_err *err) {
  sw_team *team = NULL;
  sw_progress progress;
  int code = sw_team_new(&team, o->threads, err);
  sw_progress_begin(&progress, SW_PROGRESS_AUTO, "models", paths->count);
  for (int i = 0; i < paths->count && !code; i++) {
    code = evaluate_one(o, paths->item[i], team, &all[i], err);
    sw_progress_step(&progress, i + 1, paths->item[i]);
  }
  sw_progress_end(&progress, NULL);
  sw_team_free(team);
  return code;
}

static int run(const sw_command *self, int argc, char **argv) {
  trees_options o;
  sw_list paths = {0};
  sw_err err = {0};
  int code = sw_command_parse(self, argc, argv, &o, NULL, &paths);
  if (code >= 0) return code;
  if (paths.count == 0) {
    sw_fail(&err, SW_USAGE, "trees needs at least one model");
    sw_hint(&err, "statewise trees RUN... (directories made by train)");
    return sw_command_fail(&err);
  }
  result *all = calloc((size_t)paths.count, sizeof *all);
  if (!all) {
    sw_fail(&err, SW_MEMORY, "out of memory");
    return sw_command_fail(&err);
  }
  code = evaluate_all(&o, &paths, all, &err);
  if (!code && o.json) print_json(all, paths.count);
  else if (!code) print_table(&o, all, paths.count);
  free(all);
  return code ? sw_command_fail(&err) : 0;
}

const sw_command sw_command_trees = {
    .name = "trees",
    .usage = "MODEL... [options]",
    .summary = "test models trained on tree traversal",
    .details =
        "Each MODEL is a run directory or a weights file of domain trees. The "
        "test\n"
        "trees are those of the model's own data options. Columns: right "
        "return\n"
        "decisions, traces with all of them right, the prediction r^k from "
        "the\n"
        "k = 4 star of the same encoding (when it is among the models), mean "
        "losses\n"
        "of policy and return tokens, the return loss balanced over its two\n"
        "classes, and free-running: perfect traces and the share of the trace\n"
        "before the first wrong token.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
};
