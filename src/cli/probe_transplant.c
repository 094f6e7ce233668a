/* `statewise probe transplant`: same state, different history. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/probe_common.h"
#include "probe/transplant.h"

/* clang-format off */
#define TRANSPLANT_OPTIONS(X)                                                  \
  X(states, LONG, "states", "600", 1, 1e7, "", "states compared")              \
  X(histories, INT, "histories", "5", 2, 64, "", "most histories per state")   \
  X(instances, LONG, "instances", "2000", 1, 1e7, "", "most instances searched for states") \
  X(rollouts, LONG, "rollouts", "10", 1, 1e6, "", "rollouts per instance")      \
  X(reorder, INT, "rebuilt", "5", 0, 64, "", "histories rebuilt per state: one without detours, the rest reordered") \
  X(per_instance, LONG, "per-instance", "12", 1, 1e6, "", "states of an instance that are rebuilt") \
  X(uniform, REAL, "random-choice", "0.15", 0, 1, "", "probability of a uniform legal choice in a rollout; 1: no expert") \
  X(early_back, REAL, "early-back", "0", 0, 1, "", "probability of going back at a viable state") \
  X(policy, FLAG, "policy", "1", 0, 0, "", "also compare the joint distribution over complete actions")
/* clang-format on */

typedef struct session {
  sw_probe probe;
  TRANSPLANT_OPTIONS(SW_OPTION_FIELD)
  sw_transplant_result result[SW_LIST_MAX];
} session;

static const sw_option table[] = {SW_PROBE_TABLE(TRANSPLANT_OPTIONS)};

static int collect(const session *s, const sw_loaded *loaded, sw_states *states,
                   sw_err *err) {
  const sw_domain_options *options = &s->probe.options;
  sw_states_options o = {
      .domain = loaded->domain,
      .domain_options = *options,
      .seed = (uint64_t)s->probe.seed,
      .split = SW_SPLIT_TEST,
      .instances = s->instances,
      .rollouts = s->rollouts,
      .max_blocks = options->max_blocks > 0 ? options->max_blocks : 96,
      .random_choice = s->uniform,
      .early_back = s->early_back,
      .reorder = s->reorder,
      .rebuild_states = s->per_instance,
      .max_histories = s->histories,
      .states_wanted = s->states};
  return sw_states_collect(states, &o, err);
}

static int compare(session *s, const sw_loaded *loaded, const sw_states *states,
                   sw_err *err) {
  sw_probe *p = &s->probe;
  sw_asker *full = NULL, *cached = NULL;
  int leaky = sw_mask_leaks(sw_probe_mask(p, loaded));
  sw_transplant_options o = {.states = s->states,
                             .policy = s->policy,
                             .resamples = p->resamples,
                             .seed = (uint64_t)p->seed};
  int code = sw_probe_open(p, loaded, 0, &full, err);
  if (!code) code = sw_probe_open(p, loaded, 1, &cached, err);
  sw_probe_begin(p, "states", s->states);
  if (!code)
    code = sw_transplant(states, &p->options, full, cached, leaky, &o,
                         sw_probe_step, s, &s->result[p->models], err);
  sw_progress_end(&p->line, NULL);
  sw_asker_free(full);
  sw_asker_free(cached);
  return code;
}

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_states states;
  SW_TRY(collect(s, loaded, &states, err));
  int code = compare(s, loaded, &states, err);
  sw_states_free(&states);
  return code;
}

static void print_version(const char *name, const sw_agreement *a) {
  if (!a->pairs) return;
  printf("  %-13s %6" PRId64 " pairs of %5" PRId64
         " states: agreement %8.4f %% [%.2f, %.2f], symmetric KL %.4g, "
         "entanglement %.4g [%.3g, %.3g]\n",
         name, a->pairs, a->states, 100 * a->argmax,
         100 * a->argmax_interval.low, 100 * a->argmax_interval.high,
         a->symmetric_kl, a->entanglement.point, a->entanglement.low,
         a->entanglement.high);
}

static void print_text(const void *context) {
  const session *s = context;
  const sw_probe *p = &s->probe;
  printf("history transplant, %s (%s)\n", p->domain_name, p->format);
  for (int m = 0; m < p->models; m++) {
    const sw_transplant_result *r = &s->result[m];
    printf("%s: %" PRId64 " pairs of %" PRId64 " states (%" PRId64
           " conflict) from %" PRId64
           " instances; histories differ by %.0f tokens on average\n",
           p->label[m], r->pairs, r->states, r->conflict_states, r->instances,
           r->mean_history_gap);
    printf("  bit-identical logits at every query: %.4f %% of pairs (%" PRId64
           " queries; largest gap %.3g)\n",
           100 * r->exact_equal_rate, r->queries, r->largest_logit_gap);
    print_version("verification", &r->verification);
    print_version("policy", &r->policy);
    printf("  depth  pairs  agreement  symmetric KL  identical\n");
    for (int d = 0; d <= SW_TRANSPLANT_DEPTHS; d++)
      if (r->depth[d].pairs)
        printf("  %4d%s %6" PRId64 " %9.2f %% %13.4g %8.2f %%\n", d,
               d == SW_TRANSPLANT_DEPTHS ? "+" : " ", r->depth[d].pairs,
               100 * r->depth[d].argmax, r->depth[d].symmetric_kl,
               100 * r->depth[d].exact);
    if (r->skipped)
      printf("  %" PRId64 " histories did not fit the position table\n",
             r->skipped);
    printf("  %" PRId64 " same-state pairs seen, %" PRId64
           " with identical histories left out\n",
           r->candidates, r->identical);
  }
}

static void head_json(const void *context, sw_json *json) {
  const session *s = context;
  sw_json_string(json, "domain", s->probe.domain_name);
  sw_json_string(json, "format", s->probe.format);
}

static void result_json(const void *context, int m, sw_json *json) {
  const session *s = context;
  sw_transplant_json(&s->result[m], json);
}

static int run(const sw_command *self, int argc, char **argv) {
  static const sw_probe_kind kind = {.bytes = sizeof(session),
                                     .ask = ask,
                                     .text = print_text,
                                     .head = head_json,
                                     .members = result_json};
  return sw_probe_main(self, argc, argv, &kind);
}

const sw_command sw_command_probe_transplant = {
    .name = "probe transplant",
    .usage = "[--domain D] [--model DIR]...",
    .summary =
        "Compare a model's answers to one state after different histories",
    .details =
        "States are collected from seeded rollouts; where these give too few, "
        "the same state is "
        "reached again without detours and with its decisions reordered. Pairs "
        "with identical "
        "histories do not count. Bits are compared on full-vocabulary logits "
        "at every query: the "
        "state's own from one pass over the whole dialogue, those inside an "
        "action from the "
        "closed loop's cache. JSON: argmax_agreement, symmetric_kl and "
        "entanglement are the "
        "verification version's; `policy` and `verification` hold both.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1};
