/* `statewise probe representation` and `statewise probe visited`: hidden states
 * after different histories, and the visited-set oracle. One file because both
 * are one call and a few printed lines. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/probe_common.h"
#include "probe/representation.h"
#include "probe/visited.h"

/* clang-format off */
#define BOTH_OPTIONS(X)                                                        \
  X(states, LONG, "states", "400", 1, 1e7, "", "representation: states compared") \
  X(histories, INT, "histories", "4", 2, 64, "", "representation: most histories per state") \
  X(instances, LONG, "instances", "100", 1, 1e7, "", "instances")              \
  X(protocol, CHOICE, "protocol", "rebuilt", 0, 0, "cumulative|rebuilt", "visited: what the model is shown") \
  X(intervene, FLAG, "intervene", "1", 0, 0, "", "visited: replace repeated actions (0: count them)") \
  X(decisions, LONG, "decisions", "-1", -1, 1e9, "", "visited: decision budget; -1: the domain's")
/* clang-format on */

typedef struct session {
  sw_probe probe;
  BOTH_OPTIONS(SW_OPTION_FIELD)
  sw_representation_result hidden[SW_LIST_MAX];
  sw_visited_result visited[SW_LIST_MAX];
} session;

static const sw_option table[] = {SW_PROBE_TABLE(BOTH_OPTIONS)};
enum { COUNT = sizeof table / sizeof *table };

static int represent(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_probe *p = &s->probe;
  sw_asker *asker;
  sw_states states;
  sw_states_options o = {
      .domain = loaded->domain,
      .domain_options = p->options,
      .seed = (uint64_t)p->seed,
      .split = SW_SPLIT_TEST,
      .instances = s->instances,
      .rollouts = 6,
      .max_blocks = p->options.max_blocks > 0 ? p->options.max_blocks : 96,
      .random_choice = .15,
      .reorder = 4,
      .rebuild_states = 12,
      .max_histories = s->histories,
      .states_wanted = s->states};
  SW_TRY(sw_probe_open(p, loaded, 0, &asker, err));
  int code = sw_states_collect(&states, &o, err);
  if (!code) {
    sw_probe_begin(p, "states", s->states);
    code = sw_representation(
        &states, asker, sw_model_config_of(loaded->model)->d, s->states,
        (uint64_t)p->seed, sw_probe_step, s, &s->hidden[p->models], err);
    sw_progress_end(&p->line, NULL);
    sw_states_free(&states);
  }
  sw_asker_free(asker);
  return code;
}

static int visit(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_probe *p = &s->probe;
  sw_asker *asker;
  sw_visited_options o = {.domain = loaded->domain,
                          .domain_options = p->options,
                          .seed = (uint64_t)p->seed,
                          .split = SW_SPLIT_TEST,
                          .instances = s->instances,
                          .max_decisions = s->decisions,
                          .rebuilt = s->protocol,
                          .intervene = s->intervene};
  int64_t tokens, instances;
  if (o.max_decisions < 0)
    loaded->domain->search->budgets(&o.domain_options, &o.max_decisions,
                                    &tokens, &instances);
  SW_TRY(sw_probe_open(p, loaded, 1, &asker, err));
  sw_probe_begin(p, "instances", s->instances);
  int code =
      sw_visited(asker, &o, sw_probe_step, s, &s->visited[p->models], err);
  sw_progress_end(&p->line, NULL);
  sw_asker_free(asker);
  return code;
}

static void hidden_json(const void *context, int m, sw_json *json) {
  const session *s = context;
  const sw_representation_result *r = &s->hidden[m];
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

static void visited_json(const void *context, int m, sw_json *json) {
  const session *s = context;
  const sw_visited_result *r = &s->visited[m];
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

static void print_hidden(const void *context) {
  const session *s = context;
  printf(
      "%-22s %7s %9s %9s %10s %10s %9s   linear: balanced, AUROC (majority)\n",
      "model", "pairs", "cosine", "lowest", "mean gap", "largest", "identical");
  for (int m = 0; m < s->probe.models; m++) {
    const sw_representation_result *r = &s->hidden[m];
    printf("%-22s %7" PRId64
           " %9.6f %9.6f %10.4g %10.4g %7.2f %%   %.3f, %.3f (%.3f)\n",
           s->probe.label[m], r->pairs, r->cosine, r->lowest_cosine,
           r->mean_gap, r->largest_gap, 100 * r->exact_equal_rate,
           r->linear.balanced_accuracy, r->linear.auroc, r->linear.majority);
  }
}

static void print_visited(const void *context) {
  const session *s = context;
  printf("%-22s %9s %9s %9s %9s %13s %7s %7s %8s\n", "model", "solved",
         "decisions", "revisits", "repeated", "interventions", "missed",
         "prunes", "repeats");
  for (int m = 0; m < s->probe.models; m++) {
    const sw_visited_result *r = &s->visited[m];
    printf("%-22s %4" PRId64 "/%-4" PRId64 " %9" PRId64 " %9" PRId64
           " %9" PRId64 " %13" PRId64 " %7" PRId64 " %7" PRId64 " %8" PRId64
           "\n",
           s->probe.label[m], r->solved, r->instances, r->decisions,
           r->revisits, r->repeated, r->interventions, r->missed_conflicts,
           r->false_prunes, r->repeats);
  }
}

static int run_representation(const sw_command *self, int argc, char **argv) {
  static const sw_probe_kind kind = {.bytes = sizeof(session),
                                     .ask = represent,
                                     .text = print_hidden,
                                     .members = hidden_json};
  return sw_probe_main(self, argc, argv, &kind);
}

static int run_visited(const sw_command *self, int argc, char **argv) {
  static const sw_probe_kind kind = {.bytes = sizeof(session),
                                     .ask = visit,
                                     .text = print_visited,
                                     .members = visited_json};
  return sw_probe_main(self, argc, argv, &kind);
}

const sw_command sw_command_probe_representation = {
    .name = "probe representation",
    .usage = "[--domain D] [--model DIR]...",
    .summary = "Compare hidden states of one state after different histories",
    .details =
        "Cosine and largest difference of the final hidden vector at the "
        "state's query, and a linear "
        "classifier (conflict or not) on instances it has not seen.",
    .options = table,
    .option_count = COUNT,
    .run = run_representation,
    .takes_task = 1};

const sw_command sw_command_probe_visited = {
    .name = "probe visited",
    .usage = "[--domain D] [--model DIR]... [--no-intervene]",
    .summary =
        "Search with a memory of actions already taken in identical states",
    .details =
        "When the model picks an action it has already taken in an identical "
        "state, its best untried legal "
        "one is taken instead and counted.",
    .options = table,
    .option_count = COUNT,
    .run = run_visited,
    .takes_task = 1};
