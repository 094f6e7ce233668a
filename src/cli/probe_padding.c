/* `statewise probe padding`: foreign blocks between prefix and state. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/probe_common.h"
#include "probe/padding.h"

/* clang-format off */
#define PADDING_OPTIONS(X)                                                     \
  X(trials, LONG, "trials", "600", 1, 1e7, "", "trials per model")             \
  X(blocks, LONG, "blocks", "3", 1, 1e6, "", "foreign decision blocks inserted") \
  X(latest, LONG, "latest", "8", 1, 1e6, "", "states up to this block number") \
  X(baseline, CHOICE, "baseline", "empty", 0, 0, "empty|history", "compared with: prefix and block alone, or the state's own history") \
  X(instances, LONG, "instances", "40", 2, 1e6, "", "held-out instances")      \
  X(path, CHOICE, "path", "full", 0, 0, "cached|full", "how the model is asked")
/* clang-format on */

typedef struct session {
  sw_probe probe;
  PADDING_OPTIONS(SW_OPTION_FIELD)
  sw_padding_result result[SW_LIST_MAX];
} session;

static const sw_option table[] = {SW_PROBE_TABLE(PADDING_OPTIONS)};

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_probe *p = &s->probe;
  sw_states states;
  sw_asker *asker;
  sw_states_options collect = {.domain = loaded->domain,
                               .domain_options = p->options,
                               .seed = (uint64_t)p->seed,
                               .split = SW_SPLIT_TEST,
                               .instances = s->instances,
                               .rollouts = 2,
                               .max_blocks = 64,
                               .random_choice = .15,
                               .max_histories = 2};
  sw_padding_options o = {.trials = s->trials,
                          .blocks = s->blocks,
                          .latest = s->latest,
                          .own_history = s->baseline,
                          .seed = (uint64_t)p->seed};
  SW_TRY(sw_probe_open(p, loaded, s->path == 0, &asker, err));
  int code = sw_states_collect(&states, &collect, err);
  if (!code) {
    sw_probe_begin(p, "trials", s->trials);
    code = sw_padding(&states, &p->options, asker, &o, sw_probe_step, s,
                      &s->result[p->models], err);
    sw_progress_end(&p->line, NULL);
    sw_states_free(&states);
  }
  sw_asker_free(asker);
  return code;
}

static void head_json(const void *context, sw_json *json) {
  const session *s = context;
  sw_json_string(json, "domain", s->probe.domain_name);
  sw_json_int(json, "blocks", s->blocks);
  sw_json_string(json, "baseline", s->baseline ? "history" : "empty");
}

static void result_json(const void *context, int m, sw_json *json) {
  const session *s = context;
  const sw_padding_result *r = &s->result[m];
  sw_json_int(json, "trials", r->trials);
  sw_json_int(json, "skipped", r->skipped);
  sw_json_real(json, "agreement", r->agreement);
  sw_json_real(json, "verdict_agreement", r->verdict_agreement);
  sw_json_real(json, "symmetric_kl", r->symmetric_kl);
  sw_json_real(json, "cosine", r->cosine);
  sw_json_real(json, "exact_equal_rate", r->exact_equal_rate);
  sw_json_real(json, "largest_logit_gap", r->largest_logit_gap);
}

static void print_text(const void *context) {
  const session *s = context;
  const sw_probe *p = &s->probe;
  printf("padding control, %s: %" PRId64
         " foreign blocks before the state; baseline: %s\n",
         p->domain_name, s->blocks,
         s->baseline ? "the state's own history" : "prefix and block alone");
  printf("%-22s %7s %11s %11s %12s %9s %11s\n", "model", "trials",
         "same choice", "same answer", "symmetric KL", "cosine", "identical");
  for (int m = 0; m < p->models; m++) {
    const sw_padding_result *r = &s->result[m];
    printf("%-22s %7" PRId64 " %9.2f %% %9.2f %% %12.4g %9.6f %9.2f %%\n",
           p->label[m], r->trials, 100 * r->agreement,
           100 * r->verdict_agreement, r->symmetric_kl, r->cosine,
           100 * r->exact_equal_rate);
    if (r->skipped)
      printf("  %" PRId64 " trials did not fit the position table\n",
             r->skipped);
  }
}

static int run(const sw_command *self, int argc, char **argv) {
  static const sw_probe_kind kind = {.bytes = sizeof(session),
                                     .ask = ask,
                                     .text = print_text,
                                     .head = head_json,
                                     .members = result_json};
  return sw_probe_main(self, argc, argv, &kind);
}

const sw_command sw_command_probe_padding = {
    .name = "probe padding",
    .usage = "[--domain D] [--model DIR]... [--blocks N]",
    .summary =
        "Insert unrelated blocks before a state and see whether the choice "
        "changes",
    .details =
        "Early states (up to --latest blocks) of held-out searches. A model "
        "that decides by the "
        "state alone keeps its choice, and under a block-local mask its logits "
        "bit for bit.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1};
