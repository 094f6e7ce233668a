/* `statewise probe transplant`: same state, different history. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/probe_common.h"
#include "domains/produce.h"
#include "probe/transplant.h"

#define TRANSPLANT_OPTIONS(X)                                                  \
  X(domain, TEXT, "domain", "", 0, 0, "", "domain; default: the model's")      \
  X(states, LONG, "states", "600", 1, 1e7, "", "states compared")              \
  X(histories, INT, "histories", "5", 2, 64, "", "most histories per state")   \
  X(instances, LONG, "instances", "2000", 1, 1e7, "", "most instances searched for states") \
  X(rollouts, LONG, "rollouts", "10", 1, 1e6, "", "rollouts per instance")      \
  X(reorder, INT, "rebuilt", "5", 0, 64, "", "histories rebuilt per state: one without detours, the rest reordered") \
  X(per_instance, LONG, "per-instance", "12", 1, 1e6, "", "states of an instance that are rebuilt") \
  X(uniform, REAL, "random-choice", "0.15", 0, 1, "", "probability of a uniform legal choice in a rollout; 1: no expert") \
  X(early_back, REAL, "early-back", "0", 0, 1, "", "probability of going back at a viable state") \
  X(policy, FLAG, "policy", "1", 0, 0, "", "also compare the joint distribution over complete actions") \
  SW_PROBE_MODEL_OPTIONS(X)

typedef struct values {
  TRANSPLANT_OPTIONS(SW_OPTION_FIELD)
  sw_domain_options d;
} values;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(values, __VA_ARGS__)
    TRANSPLANT_OPTIONS(X)
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
  sw_transplant_result result[SW_LIST_MAX];
  char label[SW_LIST_MAX][96], domain[32], format[32];
  int models;
} session;

static void show_progress(void *context, int64_t done, int64_t total) {
  session *s = context;
  s->progress.total = total;
  if (done % 8 == 0 || done == total) sw_progress_step(&s->progress, done, NULL);
}

/* States for a model: its own domain options under the command line's. */
static int collect(session *s, const sw_loaded *loaded, sw_states *states, sw_domain_options *options,
                   sw_err *err) {
  const values *v = &s->v;
  *options = loaded->options;
  sw_probe_override(table, COUNT, s->given, v, offsetof(values, d), options);
  SW_TRY(loaded->domain->resolve(options, err));
  snprintf(s->domain, sizeof s->domain, "%s", loaded->domain->name);
  snprintf(s->format, sizeof s->format, "%s", options->format);
  sw_states_options o = {
      .domain = loaded->domain, .domain_options = *options, .seed = (uint64_t)v->seed,
      .split = SW_SPLIT_TEST, .instances = v->instances, .rollouts = v->rollouts,
      .max_blocks = options->max_blocks > 0 ? options->max_blocks : 96, .random_choice = v->uniform,
      .early_back = v->early_back, .reorder = v->reorder, .rebuild_states = v->per_instance,
      .max_histories = v->histories, .states_wanted = v->states};
  return sw_states_collect(states, &o, err);
}

static int compare(session *s, const sw_loaded *loaded, const sw_states *states,
                   const sw_domain_options *options, sw_err *err) {
  sw_asker *full = NULL, *cached = NULL;
  sw_mask_kind mask = loaded->mask;
  if (s->v.eval_mask && sw_mask_from_name(s->v.eval_mask) >= 0)
    mask = (sw_mask_kind)sw_mask_from_name(s->v.eval_mask);
  sw_transplant_options o = {.states = s->v.states, .policy = s->v.policy, .resamples = s->v.resamples,
                             .seed = (uint64_t)s->v.seed};
  int code = sw_probe_asker(loaded, s->v.eval_mask, s->v.eval_positions, 0, s->team, &full, err);
  if (!code) code = sw_probe_asker(loaded, s->v.eval_mask, s->v.eval_positions, 1, s->team, &cached, err);
  sw_progress_begin(&s->progress, (sw_progress_mode)s->v.progress, "states", s->v.states);
  if (!code)
    code = sw_transplant(states, options, full, cached, sw_mask_leaks(mask), &o, show_progress, s,
                         &s->result[s->models], err);
  sw_progress_end(&s->progress, NULL);
  sw_asker_free(full);
  sw_asker_free(cached);
  if (!code) snprintf(s->label[s->models++], sizeof s->label[0], "%.95s", loaded->label);
  return code;
}

static int probe_one(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_states states;
  sw_domain_options options;
  SW_TRY(collect(s, loaded, &states, &options, err));
  int code = compare(s, loaded, &states, &options, err);
  sw_states_free(&states);
  return code;
}

static void print_version(const char *name, const sw_agreement *a) {
  if (!a->pairs) return;
  printf("  %-13s %6" PRId64 " pairs of %5" PRId64 " states: agreement %8.4f %% [%.2f, %.2f], symmetric KL %.4g, "
         "entanglement %.4g [%.3g, %.3g]\n",
         name, a->pairs, a->states, 100 * a->argmax, 100 * a->argmax_interval.low, 100 * a->argmax_interval.high,
         a->symmetric_kl, a->entanglement.point, a->entanglement.low, a->entanglement.high);
}

static void print_text(const session *s) {
  printf("history transplant, %s (%s)\n", s->domain, s->format);
  for (int m = 0; m < s->models; m++) {
    const sw_transplant_result *r = &s->result[m];
    printf("%s: %" PRId64 " pairs of %" PRId64 " states (%" PRId64 " conflict) from %" PRId64
           " instances; histories differ by %.0f tokens on average\n",
           s->label[m], r->pairs, r->states, r->conflict_states, r->instances, r->mean_history_gap);
    printf("  bit-identical logits at every query: %.4f %% of pairs (%" PRId64 " queries; largest gap %.3g)\n",
           100 * r->exact_equal_rate, r->queries, r->largest_logit_gap);
    print_version("verification", &r->verification);
    print_version("policy", &r->policy);
    printf("  depth  pairs  agreement  symmetric KL  identical\n");
    for (int d = 0; d <= SW_TRANSPLANT_DEPTHS; d++)
      if (r->depth[d].pairs)
        printf("  %4d%s %6" PRId64 " %9.2f %% %13.4g %8.2f %%\n", d, d == SW_TRANSPLANT_DEPTHS ? "+" : " ",
               r->depth[d].pairs, 100 * r->depth[d].argmax, r->depth[d].symmetric_kl, 100 * r->depth[d].exact);
    if (r->skipped) printf("  %" PRId64 " histories did not fit the position table\n", r->skipped);
    printf("  %" PRId64 " same-state pairs seen, %" PRId64 " with identical histories left out\n", r->candidates,
           r->identical);
  }
}

static void print_json(const session *s) {
  sw_json json;
  sw_json_to_file(&json, stdout);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "domain", s->domain);
  sw_json_string(&json, "format", s->format);
  if (s->models) {
    sw_json_string(&json, "label", s->label[0]);
    sw_transplant_json(&s->result[0], &json);
  }
  sw_json_array(&json, "models");
  for (int m = 0; m < s->models; m++) {
    sw_json_object(&json, NULL);
    sw_json_string(&json, "label", s->label[m]);
    sw_transplant_json(&s->result[m], &json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
  putchar('\n');
}

static int run(const sw_command *self, int argc, char **argv) {
  session *s = calloc(1, sizeof *s);
  sw_err err = {0};
  sw_list rest = {0};
  if (!s) return sw_error_exit_code(SW_MEMORY);
  int code = sw_command_parse(self, argc, argv, &s->v, s->given, &rest);
  if (code < 0) {
    int failed = sw_team_new(&s->team, s->v.threads, &err);
    if (!failed) failed = sw_probe_models(&s->v.model, s->v.domain, probe_one, s, &err);
    code = failed ? sw_command_fail(&err) : 0;
    if (!code && s->v.json) print_json(s);
    else if (!code) print_text(s);
  }
  sw_team_free(s->team);
  free(s);
  return code;
}

const sw_command sw_command_probe_transplant = {
    .name = "probe transplant",
    .usage = "[--domain D] [--model DIR]...",
    .summary = "Compare a model's answers to one state after different histories",
    .details =
        "States are collected from seeded rollouts; where these give too few, the same state is "
        "reached again without detours and with its decisions reordered. Pairs with identical "
        "histories do not count. Bits are compared on full-vocabulary logits at every query: the "
        "state's own from one pass over the whole dialogue, those inside an action from the "
        "closed loop's cache. JSON: argmax_agreement, symmetric_kl and entanglement are the "
        "verification version's; `policy` and `verification` hold both.",
    .options = table,
    .option_count = COUNT,
    .run = run};
