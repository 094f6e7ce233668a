/* `statewise probe representation` and `statewise probe visited`: hidden states
 * after different histories, and the visited-set oracle. One file because both
 * are one call and a few printed lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/probe_common.h"
#include "probe/representation.h"
#include "probe/visited.h"

#define BOTH_OPTIONS(X)                                                        \
  X(domain, TEXT, "domain", "", 0, 0, "", "domain; default: the model's")      \
  X(states, LONG, "states", "400", 1, 1e7, "", "representation: states compared") \
  X(histories, INT, "histories", "4", 2, 64, "", "representation: most histories per state") \
  X(instances, LONG, "instances", "100", 1, 1e7, "", "instances")              \
  X(protocol, CHOICE, "protocol", "rebuilt", 0, 0, "cumulative|rebuilt", "visited: what the model is shown") \
  X(intervene, FLAG, "intervene", "1", 0, 0, "", "visited: replace repeated actions (0: count them)") \
  X(decisions, LONG, "decisions", "-1", -1, 1e9, "", "visited: decision budget; -1: the domain's") \
  SW_PROBE_MODEL_OPTIONS(X)

typedef struct values {
  BOTH_OPTIONS(SW_OPTION_FIELD)
  sw_domain_options d;
} values;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(values, __VA_ARGS__)
    BOTH_OPTIONS(X)
#undef X
#define X(field, KIND, name, fallback, low, high, choices, help) \
  {name, SW_##KIND, offsetof(values, d.field), fallback, low, high, choices, help},
    SW_DOMAIN_OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table };

typedef struct session {
  values v;
  unsigned char given[COUNT];
  sw_team *team;
  sw_progress progress;
  sw_representation_result hidden[SW_LIST_MAX];
  sw_visited_result visited[SW_LIST_MAX];
  char label[SW_LIST_MAX][96];
  int models;
} session;

static void show_progress(void *context, int64_t done, int64_t total) {
  session *s = context;
  s->progress.total = total;
  sw_progress_step(&s->progress, done, NULL);
}

static int options_of(session *s, const sw_loaded *loaded, sw_domain_options *options, sw_err *err) {
  *options = loaded->options;
  sw_probe_override(table, COUNT, s->given, &s->v, offsetof(values, d), options);
  return loaded->domain->resolve(options, err);
}

static int represent_one(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_asker *asker;
  sw_states states;
  sw_states_options o = {.domain = loaded->domain, .seed = (uint64_t)s->v.seed, .split = SW_SPLIT_TEST,
                         .instances = s->v.instances, .rollouts = 6, .random_choice = .15, .reorder = 4,
                         .rebuild_states = 12, .max_histories = s->v.histories,
                         .states_wanted = s->v.states};
  SW_TRY(options_of(s, loaded, &o.domain_options, err));
  o.max_blocks = o.domain_options.max_blocks > 0 ? o.domain_options.max_blocks : 96;
  SW_TRY(sw_probe_asker(loaded, s->v.eval_mask, s->v.eval_positions, 0, s->team, &asker, err));
  int code = sw_states_collect(&states, &o, err);
  if (!code) {
    sw_progress_begin(&s->progress, (sw_progress_mode)s->v.progress, "states", s->v.states);
    code = sw_representation(&states, asker, sw_model_config_of(loaded->model)->d, s->v.states,
                             (uint64_t)s->v.seed, show_progress, s, &s->hidden[s->models], err);
    sw_progress_end(&s->progress, NULL);
    sw_states_free(&states);
  }
  sw_asker_free(asker);
  snprintf(s->label[s->models], sizeof s->label[0], "%.95s", loaded->label);
  s->models += !code;
  return code;
}

static int visit_one(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_asker *asker;
  sw_visited_options o = {.domain = loaded->domain, .seed = (uint64_t)s->v.seed, .split = SW_SPLIT_TEST,
                          .instances = s->v.instances, .max_decisions = s->v.decisions,
                          .rebuilt = s->v.protocol, .intervene = s->v.intervene};
  int64_t tokens, instances;
  SW_TRY(options_of(s, loaded, &o.domain_options, err));
  if (o.max_decisions < 0) loaded->domain->budgets(&o.domain_options, &o.max_decisions, &tokens, &instances);
  SW_TRY(sw_probe_asker(loaded, s->v.eval_mask, s->v.eval_positions, 1, s->team, &asker, err));
  sw_progress_begin(&s->progress, (sw_progress_mode)s->v.progress, "instances", s->v.instances);
  int code = sw_visited(asker, &o, show_progress, s, &s->visited[s->models], err);
  sw_progress_end(&s->progress, NULL);
  sw_asker_free(asker);
  snprintf(s->label[s->models], sizeof s->label[0], "%.95s", loaded->label);
  s->models += !code;
  return code;
}

static void hidden_json(const session *s, int m, sw_json *json) {
  const sw_representation_result *r = &s->hidden[m];
  sw_json_string(json, "label", s->label[m]);
  sw_json_int(json, "pairs", r->pairs);
  sw_json_int(json, "states", r->states);
  sw_json_int(json, "skipped_histories", r->skipped);
  sw_json_real(json, "cosine", r->cosine);
  sw_json_real(json, "lowest_cosine", r->lowest_cosine);
  sw_json_real(json, "mean_gap", r->mean_gap);
  sw_json_real(json, "largest_gap", r->largest_gap);
  sw_json_real(json, "exact_equal_rate", r->exact_equal_rate);
  sw_json_object(json, "linear");
  sw_json_int(json, "train", r->linear.train);
  sw_json_int(json, "test", r->linear.test);
  sw_json_real(json, "accuracy", r->linear.accuracy);
  sw_json_real(json, "balanced_accuracy", r->linear.balanced_accuracy);
  sw_json_real(json, "auroc", r->linear.auroc);
  sw_json_real(json, "majority", r->linear.majority);
  sw_json_end(json);
}

static void visited_json(const session *s, int m, sw_json *json) {
  const sw_visited_result *r = &s->visited[m];
  sw_json_string(json, "label", s->label[m]);
  sw_json_int(json, "instances", r->instances);
  sw_json_int(json, "solved", r->solved);
  sw_json_int(json, "decisions", r->decisions);
  sw_json_int(json, "revisited_states", r->revisits);
  sw_json_int(json, "repeated_actions", r->repeated);
  sw_json_int(json, "interventions", r->interventions);
  sw_json_int(json, "missed_conflicts", r->missed_conflicts);
  sw_json_int(json, "false_prunes", r->false_prunes);
  sw_json_int(json, "repeats", r->repeats);
  sw_json_int(json, "budget", r->budget);
}

static void print_json(const session *s, void (*members)(const session *, int, sw_json *)) {
  sw_json json;
  sw_json_to_file(&json, stdout);
  sw_json_object(&json, NULL);
  if (s->models) members(s, 0, &json);
  sw_json_array(&json, "models");
  for (int m = 0; m < s->models; m++) {
    sw_json_object(&json, NULL);
    members(s, m, &json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
  putchar('\n');
}

static void print_hidden(const session *s) {
  printf("%-22s %7s %9s %9s %10s %10s %9s   linear: balanced, AUROC (majority)\n", "model", "pairs", "cosine", "lowest",
         "mean gap", "largest", "identical");
  for (int m = 0; m < s->models; m++) {
    const sw_representation_result *r = &s->hidden[m];
    printf("%-22s %7" PRId64 " %9.6f %9.6f %10.4g %10.4g %7.2f %%   %.3f, %.3f (%.3f)\n", s->label[m], r->pairs,
           r->cosine, r->lowest_cosine, r->mean_gap, r->largest_gap, 100 * r->exact_equal_rate,
           r->linear.balanced_accuracy, r->linear.auroc, r->linear.majority);
  }
}

static void print_visited(const session *s) {
  printf("%-22s %9s %9s %9s %9s %13s %7s %7s %8s\n", "model", "solved", "decisions", "revisits", "repeated",
         "interventions", "missed", "prunes", "repeats");
  for (int m = 0; m < s->models; m++) {
    const sw_visited_result *r = &s->visited[m];
    printf("%-22s %4" PRId64 "/%-4" PRId64 " %9" PRId64 " %9" PRId64 " %9" PRId64 " %13" PRId64 " %7" PRId64
           " %7" PRId64 " %8" PRId64 "\n",
           s->label[m], r->solved, r->instances, r->decisions, r->revisits, r->repeated, r->interventions,
           r->missed_conflicts, r->false_prunes, r->repeats);
  }
}

static int run_both(const sw_command *self, int argc, char **argv, int visited) {
  session *s = calloc(1, sizeof *s);
  sw_err err = {0};
  sw_list rest = {0};
  if (!s) return sw_error_exit_code(SW_MEMORY);
  int code = sw_command_parse(self, argc, argv, &s->v, s->given, &rest);
  if (code < 0) {
    int failed = sw_team_new(&s->team, s->v.threads, &err);
    if (!failed) failed = sw_probe_models(&s->v.model, s->v.domain, visited ? visit_one : represent_one, s, &err);
    code = failed ? sw_command_fail(&err) : 0;
    if (!code && s->v.json) print_json(s, visited ? visited_json : hidden_json);
    else if (!code && visited) print_visited(s);
    else if (!code) print_hidden(s);
  }
  sw_team_free(s->team);
  free(s);
  return code;
}

static int run_representation(const sw_command *self, int argc, char **argv) { return run_both(self, argc, argv, 0); }
static int run_visited(const sw_command *self, int argc, char **argv) { return run_both(self, argc, argv, 1); }

const sw_command sw_command_probe_representation = {
    .name = "probe representation",
    .usage = "[--domain D] [--model DIR]...",
    .summary = "Compare hidden states of one state after different histories",
    .details = "Cosine and largest difference of the final hidden vector at the state's query, and a linear "
               "classifier (conflict or not) on instances it has not seen.",
    .options = table,
    .option_count = COUNT,
    .run = run_representation};

const sw_command sw_command_probe_visited = {
    .name = "probe visited",
    .usage = "[--domain D] [--model DIR]... [--no-intervene]",
    .summary = "Search with a memory of actions already taken in identical states",
    .details = "When the model picks an action it has already taken in an identical state, its best untried legal "
               "one is taken instead and counted.",
    .options = table,
    .option_count = COUNT,
    .run = run_visited};
